//! Memory as a kernel sees it: shared-memory plan, views, atomics, bit sets, fault word.

pub mod atomic;
mod bind;
mod bits;
mod fault;
mod global;
mod plan;
mod shared;
mod words;

pub use bind::{Access, Bind, HASH_START, Hashed, Piece, hash_text, hash_word};
pub use bits::Bits;
pub use fault::{FAULT_WORDS, Fault, FaultCode};
pub use global::{Global, GlobalMut};
pub use plan::Plan;
pub use shared::Shared;
pub use words::Words;
