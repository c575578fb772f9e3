//! MEDIT's `.mesh` as text: keywords, each with a number of rows.
//!
//! Of INRIA (Frey 2001, technical report 0253); TetWild, MMG, libigl and Gmsh write it. No crate on the registry that
//! is still looked after reads it.

mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// Whether a text begins as the format does.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let mut tokens = super::tokens::Tokens::with_comments(&bytes[..bytes.len().min(4096)]);
    let first = tokens.next_at().map(|(_, word)| word);
    first.is_some_and(|word| word.eq_ignore_ascii_case(b"MeshVersionFormatted"))
}
