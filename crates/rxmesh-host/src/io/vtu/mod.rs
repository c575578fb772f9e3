//! VTU and VTP, VTK's XML formats of unstructured grids and of poly data: text, base64 inline, raw bytes or base64
//! appended, plain or packed with zlib, LZ4 or LZMA. Files that list the files of pieces (`.pvtu`, `.pvtp`) are read.
//!
//! `quick-xml` finds the tags; `vtkio` is no choice for the reasons that VTK's legacy format has.

mod base64;
mod data;
mod read;
mod tags;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// Returns `true` if a file begins as the format does.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    // A long comment may come first.
    let most = if bytes.trim_ascii_start().starts_with(b"<") {
        1 << 16
    } else {
        512
    };
    let head = &bytes[..bytes.len().min(most)];
    memchr::memmem::find(head, b"<VTKFile").is_some()
}

/// Returns `true` if a file that begins as the format does holds poly data.
pub(super) fn is_poly_data(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1024)];
    memchr::memmem::find(head, b"PolyData\"").is_some()
        || memchr::memmem::find(head, b"PolyData'").is_some()
}

#[cfg(test)]
pub(super) use base64::encode as encode_base64;
