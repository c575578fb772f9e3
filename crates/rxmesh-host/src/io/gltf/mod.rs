//! glTF 2.0, as one binary file (GLB) and as JSON with its buffers in other files or within it.
//!
//! Own code on `serde_json`, and not the `gltf` crate: `docs/decisions/files.md` has the reasons. Source of all rules:
//! <https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>.

mod accessors;
mod attributes;
mod buffers;
mod container;
mod extensions;
mod faces;
mod json;
mod layout;
mod left_out;
mod materials;
mod meshopt;
mod outgoing;
mod parts;
mod placing;
mod quantise;
mod read;
mod scene;
mod skins;
mod split;
mod texture_transform;
mod values;
mod write;

use super::Encoding;
use super::codec::{Codec, Evidence, Holds, Read, Write};
use super::content::HEAD;

/// Description of the binary form.
pub(super) const BINARY: Codec = Codec {
    name: "GLB",
    word: "glb",
    extensions: &["glb"],
    piece_list: None,
    holds: Holds {
        surfaces: true,
        volumes: false,
        columns: true,
        normals: true,
    },
    encodings: &[Encoding::Binary, Encoding::Quantised, Encoding::Packed],
    evidence: Evidence::Magic,
    looks_like: is_binary,
    may_be: looks_like,
    is_variant: is_binary,
    is_text: |_| false,
    read: Read::Linked(read::read),
    write: Write::PlacedTriangles(write::binary),
};

/// Description of the form as JSON.
pub(super) const JSON: Codec = Codec {
    name: "glTF",
    word: "gltf",
    extensions: &["gltf"],
    encodings: &[Encoding::Base64, Encoding::Quantised, Encoding::Packed],
    evidence: Evidence::Layout,
    looks_like: is_json,
    is_variant: |bytes| !is_binary(bytes),
    is_text: |bytes| !is_binary(bytes),
    write: Write::PlacedTriangles(write::json),
    ..BINARY
};

/// Returns `true` if content begins as the binary form does.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(container::MAGIC)
}

/// Returns `true` if content begins as the form of JSON does, with one of its keys.
fn is_json(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let keys = [
        "\"asset\"",
        "\"accessors\"",
        "\"bufferViews\"",
        "\"meshes\"",
    ];
    let has = |key: &&str| memchr::memmem::find(head, key.as_bytes()).is_some();
    head.trim_ascii_start().starts_with(b"{") && keys.iter().any(has)
}

/// Returns `true` if content may be of either form.
fn looks_like(bytes: &[u8]) -> bool {
    is_binary(bytes) || bytes.trim_ascii_start().starts_with(b"{")
}
