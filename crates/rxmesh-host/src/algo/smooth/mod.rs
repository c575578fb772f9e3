//! Smoothing and denoising: vertices move, the connectivity stays.

automod::dir!(pub "src/algo/smooth");
pub mod filter;
pub mod mcf;
