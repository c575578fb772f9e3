//! The 80 bytes at the head of a binary file, as a comment.

use crate::mesh::{bytes_of_name, name_of_bytes};

/// Bytes of the text at the head.
pub(super) const TEXT: usize = 80;

/// Header of a file made of a mesh without a name and without comments.
const PLAIN: &str = "binary rxmesh";

/// Words of Materialise Magics, each with the number of bytes after it: colours of four bytes, for the whole file. In
/// a comment they are `#` and two digits a byte, unless they are text themselves.
const COLOURS: [(&[u8], usize); 2] = [(b"COLOR=", 4), (b"MATERIAL=", 12)];

/// Returns the comment that a head becomes, if it says anything.
pub(super) fn comment(head: &[u8]) -> Option<String> {
    let mut text = Vec::new();
    let mut rest = head;
    while let Some((&b, more)) = rest.split_first() {
        let colour = COLOURS.iter().find(|(word, n)| {
            let values = rest.strip_prefix(*word).and_then(|v| v.get(..*n));
            values.is_some_and(|v| !v.iter().all(|b| matches!(b, b' '..=b'~')))
        });
        if let Some((word, n)) = colour {
            let values = &rest[word.len()..word.len() + n];
            text.extend_from_slice(word);
            text.push(b'#');
            text.extend(values.iter().flat_map(|v| format!("{v:02x}").into_bytes()));
            rest = &rest[word.len() + n..];
        } else {
            text.push(if b.is_ascii_control() { b' ' } else { b });
            rest = more;
        }
    }
    let text = name_of_bytes(text.trim_ascii());
    (!text.is_empty() && text != PLAIN).then_some(text)
}

/// Returns the head that a comment becomes, if it fits. One that begins with "solid" would be taken for text.
pub(super) fn head(comment: &str) -> Option<[u8; TEXT]> {
    let comment = bytes_of_name(comment);
    let mut bytes = match comment
        .trim_ascii()
        .to_ascii_lowercase()
        .starts_with(b"solid")
    {
        true => b"binary ".to_vec(),
        false => Vec::new(),
    };
    let mut rest = &comment[..];
    while let Some((&b, more)) = rest.split_first() {
        let colour = COLOURS.iter().find_map(|(word, n)| {
            let digits = rest.strip_prefix(*word)?.strip_prefix(b"#")?.get(..2 * n)?;
            let pairs = digits.as_chunks::<2>().0.iter();
            let values: Option<Vec<u8>> = pairs.map(byte).collect();
            Some((*word, values?))
        });
        if let Some((word, values)) = colour {
            bytes.extend_from_slice(word);
            bytes.extend_from_slice(&values);
            rest = &rest[word.len() + 1 + 2 * values.len()..];
        } else {
            bytes.push(b);
            rest = more;
        }
    }
    let mut head = [b' '; TEXT];
    head.get_mut(..bytes.len())?.copy_from_slice(&bytes);
    Some(head)
}

/// Returns the byte of two digits.
fn byte(digits: &[u8; 2]) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok()?;
    u8::from_str_radix(text, 16).ok()
}
