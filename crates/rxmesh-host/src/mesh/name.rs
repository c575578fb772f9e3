//! Names as files hold them: bytes of any code page, kept as text without loss.

use std::borrow::Cow;

/// First of the private characters that stand for bytes.
const FIRST: u32 = 0xef80;
/// Last of the private characters that stand for bytes.
const LAST: u32 = 0xefff;

/// Returns bytes as text from which [`bytes_of_name`] makes the same bytes again.
///
/// UTF-8 stays the same. A byte that belongs to no character of UTF-8 becomes the private character U+EF00 plus its
/// value (U+EF80 to U+EFFF); so do the bytes of those characters themselves.
pub fn name_of_bytes(bytes: &[u8]) -> String {
    let mut name = String::with_capacity(bytes.len());
    let byte =
        |b: &u8| char::from_u32(0xef00 + u32::from(*b)).unwrap_or(char::REPLACEMENT_CHARACTER);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match stands_for(c) {
                None => name.push(c),
                Some(_) => name.extend(c.encode_utf8(&mut [0; 4]).as_bytes().iter().map(byte)),
            }
        }
        name.extend(chunk.invalid().iter().map(byte));
    }
    name
}

/// Returns the bytes of a name that [`name_of_bytes`] made, and the UTF-8 of any other.
pub fn bytes_of_name(name: &str) -> Cow<'_, [u8]> {
    if !name.chars().any(|c| stands_for(c).is_some()) {
        return Cow::Borrowed(name.as_bytes());
    }
    let mut bytes = Vec::with_capacity(name.len());
    for c in name.chars() {
        match stands_for(c) {
            None => bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Some(byte) => bytes.push(byte),
        }
    }
    Cow::Owned(bytes)
}

/// Returns a name for messages: bytes that are no UTF-8 as `\xe4`.
pub(crate) fn shown_name(name: &str) -> String {
    let shown = |c: char| match stands_for(c) {
        None => String::from(c),
        Some(byte) => format!("\\x{byte:02x}"),
    };
    name.chars().map(shown).collect()
}

/// Returns the byte that a private character stands for.
fn stands_for(c: char) -> Option<u8> {
    (FIRST..=LAST)
        .contains(&u32::from(c))
        .then_some(u32::from(c) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_byte_for_byte() {
        let gbk = b"\xb2\xc4\xd6\xca\x5c";
        let cut = "\u{e4}".as_bytes()[..1].to_vec();
        let own = "a\u{efe4}b".as_bytes();
        for bytes in [
            &b"plain"[..],
            "Geh\u{e4}use".as_bytes(),
            b"T\xfcr",
            gbk,
            &cut,
            own,
            b"",
        ] {
            let name = name_of_bytes(bytes);
            assert_eq!(&*bytes_of_name(&name), bytes);
        }
        assert_eq!(name_of_bytes("\u{e4}".as_bytes()), "\u{e4}");
        assert_ne!(name_of_bytes(b"T\xfcr"), name_of_bytes(b"T\xf6r"));
        assert_eq!(shown_name(&name_of_bytes(b"T\xfcr")), "T\\xfcr");
    }
}
