//! The binary container: a header of twelve bytes, a chunk of JSON, and mostly one of bytes.

use super::super::error::Fault;

/// First bytes of the binary form.
pub(super) const MAGIC: &[u8] = b"glTF";
/// Type of the chunk of JSON.
pub(super) const JSON: u32 = 0x4E4F_534A;
/// Type of the chunk of bytes.
pub(super) const BIN: u32 = 0x004E_4942;
/// Bytes of the container's header.
pub(super) const HEADER: usize = 12;
/// Bytes before the content of a chunk.
pub(super) const CHUNK: usize = 8;

/// The two contents of a file.
pub(super) struct Chunks<'a> {
    pub(super) json: &'a [u8],
    /// Bytes of the first buffer.
    pub(super) bin: Option<&'a [u8]>,
    pub(super) warnings: Vec<String>,
}

/// Splits a file of either form.
pub(super) fn split(bytes: &[u8]) -> Result<Chunks<'_>, Fault> {
    let mut chunks = Chunks {
        json: bytes,
        bin: None,
        warnings: Vec::new(),
    };
    if !bytes.starts_with(MAGIC) {
        return Ok(chunks);
    }
    let number = |at: usize| {
        let found = bytes.get(at..).and_then(<[u8]>::first_chunk::<4>);
        let missing = || Fault::byte(at, "a number expected, but the file ends here");
        found.map(|b| u32::from_le_bytes(*b)).ok_or_else(missing)
    };
    let version = number(4)?;
    if version != 2 {
        return Err(Fault::byte(
            4,
            format!("version {version} of GLB is not read; 2 is"),
        ));
    }
    let length = number(8)? as usize;
    if length > bytes.len() {
        let what = format!(
            "the header says {length} bytes, the file has {}: it is cut off",
            bytes.len()
        );
        return Err(Fault::byte(8, what));
    }
    if length < bytes.len() {
        let more = bytes.len() - length;
        chunks.warnings.push(format!(
            "{more} bytes after the end of the GLB are passed over"
        ));
    }
    let (mut at, mut first) = (HEADER, true);
    while at + CHUNK <= length {
        let (size, kind) = (number(at)? as usize, number(at + 4)?);
        let begin = at + CHUNK;
        let Some(content) = begin.checked_add(size).filter(|end| *end <= length) else {
            let what = format!(
                "a chunk of {size} bytes, but only {} are left",
                length - begin
            );
            return Err(Fault::byte(at, what));
        };
        let content = &bytes[begin..content];
        match (kind, first) {
            (JSON, true) => chunks.json = content,
            (_, true) => return Err(Fault::byte(at + 4, "the first chunk of a GLB must be JSON")),
            (BIN, _) if chunks.bin.is_none() => chunks.bin = Some(content),
            // Chunks of other types are for extensions.
            _ => {}
        }
        first = false;
        // Some writers leave out the bytes that fill a chunk up.
        at = begin + size.next_multiple_of(4);
    }
    match first {
        true => Err(Fault::byte(
            HEADER,
            "a chunk of JSON expected, but the file ends here",
        )),
        false => Ok(chunks),
    }
}
