//! Names and comments of files as text that gives back the bytes it was made of.
//!
//! Groups, materials, solids, comments and columns have names in the code page of whoever wrote the file (Latin-1, GBK,
//! Shift-JIS, UTF-8), which no format states. A mesh keeps them as `String`: UTF-8 as it stands, and each byte `b` that
//! is not part of it as the character U+EF00 + `b`. These 128 characters (U+EF80 to U+EFFF, of the private use area)
//! are escaped as well where a file has them, so that different bytes are different names, and [`to_bytes`] returns the
//! bytes of the file (MirBSD's OPTU encoding, as Python's `surrogateescape`).

use std::borrow::Cow;

/// The character that stands for byte 0.
const BASE: u32 = 0xEF00;

/// Returns the byte that a character stands for, if it stands for one.
fn byte(c: char) -> Option<u8> {
    let byte = u32::from(c).wrapping_sub(BASE);
    (0x80..=0xFF).contains(&byte).then_some(byte as u8)
}

/// Makes a name of the bytes of a file.
pub fn from_bytes(bytes: &[u8]) -> String {
    let mut name = String::with_capacity(bytes.len());
    let escaped = |name: &mut String, bytes: &[u8]| {
        let all = bytes.iter().map(|&b| BASE + u32::from(b));
        name.extend(all.filter_map(char::from_u32));
    };
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        if valid.is_ascii() || !valid.contains(|c| byte(c).is_some()) {
            name.push_str(valid);
        } else {
            for c in valid.chars() {
                match byte(c) {
                    None => name.push(c),
                    Some(_) => escaped(&mut name, c.encode_utf8(&mut [0; 4]).as_bytes()),
                }
            }
        }
        escaped(&mut name, chunk.invalid());
    }
    name
}

/// Returns the bytes that a name has in files: those that [`from_bytes`] made it of.
pub fn to_bytes(name: &str) -> Cow<'_, [u8]> {
    if name.is_ascii() || !name.contains(|c| byte(c).is_some()) {
        return Cow::Borrowed(name.as_bytes());
    }
    let mut bytes = Vec::with_capacity(name.len());
    for c in name.chars() {
        match byte(c) {
            Some(b) => bytes.push(b),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// Returns the bytes of a name that has to stay on one line: one that a program has set must not begin a new one.
pub(super) fn on_one_line(name: &str) -> Vec<u8> {
    let mut bytes = to_bytes(name).into_owned();
    let ends = |b: &&mut u8| matches!(**b, b'\n' | b'\r' | 0);
    bytes.iter_mut().filter(ends).for_each(|b| *b = b' ');
    bytes
}

/// Returns the first `most` bytes, or a few less where these would end within a character of UTF-8.
pub(super) fn cut(name: &[u8], most: usize) -> &[u8] {
    let mut end = name.len().min(most);
    while end < name.len() && end > 0 && most - end < 4 && name[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    &name[..end]
}

/// Returns a name as messages show it: control characters escaped, a byte of another code page as `\xfc`.
pub fn shown(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match byte(c) {
            Some(b) => out.push_str(&format!("\\x{b:02x}")),
            None => out.extend(c.escape_debug()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn utf8_stays_as_it_is() {
        for name in [
            "",
            "steel",
            "Gehäuse",
            "\u{6750}\u{6599}",
            "\u{e000}\u{f000}",
        ] {
            assert_eq!(from_bytes(name.as_bytes()), name);
            assert_eq!(&*to_bytes(name), name.as_bytes());
        }
        assert_eq!(shown(&from_bytes(b"T\xfcr")), "T\\xfcr");
    }

    proptest! {
        #[test]
        fn all_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            prop_assert_eq!(&*to_bytes(&from_bytes(&bytes)), &bytes[..]);
        }

        /// Among them the escapes themselves, cut anywhere.
        #[test]
        fn escapes_of_a_file_come_back(text in "[\u{ef70}-\u{f001}]{0,8}", cut in 0usize..24) {
            let bytes = &text.as_bytes()[cut.min(text.len())..];
            prop_assert_eq!(&*to_bytes(&from_bytes(bytes)), bytes);
        }
    }
}
