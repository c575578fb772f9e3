//! Names and comments between the bytes of a file and the text of a mesh.

pub(super) use crate::mesh::{bytes_of_name as to_bytes, name_of_bytes as from_bytes};

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
pub(super) fn shown(name: &str) -> String {
    let escaped: String = name
        .chars()
        .flat_map(|c| match c.is_control() {
            true => c.escape_debug().collect::<Vec<char>>(),
            false => vec![c],
        })
        .collect();
    crate::mesh::shown_name(&escaped)
}
