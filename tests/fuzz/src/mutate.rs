//! Mutations of a file's bytes, as text and as numbers.

use rxmesh_host::mesh::Rng;

use crate::random::Choose;

/// Texts that readers may take for numbers.
const NUMBERS: [&str; 27] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "1e38",
    "3.5e38",
    "1e-46",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "0x10",
    ".",
    "1e",
];

/// Keywords of the formats, to be misplaced.
const WORDS: [&str; 30] = [
    "v",
    "vn",
    "vt",
    "f",
    "l",
    "p",
    "o",
    "g",
    "usemtl",
    "mtllib",
    "#",
    "\\",
    "/",
    "//",
    "OFF",
    "COFF",
    "STOFF",
    "BINARY",
    "solid",
    "facet normal",
    "vertex",
    "endfacet",
    "endsolid",
    "end_header",
    "element face",
    "property list uchar int vertex_indices",
    "property float x",
    "format ascii 1.0",
    "comment",
    "\r",
];

/// Unexpected numbers of four bytes.
const WORDS32: [u32; 12] = [
    0,
    1,
    2,
    3,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    u32::MAX,
    0x7f80_0000,
    0x7fc0_0000,
];

/// Changes a file once, in one of many ways; `other` is a file to take pieces from.
pub(crate) fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    match rng.below(16) {
        0 => flip_bit(rng, bytes),
        1 => {
            if let Some(i) = place(rng, bytes) {
                bytes[i] = rng.below(256) as u8;
            }
        }
        2 => {
            let range = range(rng, bytes.len());
            bytes.drain(range);
        }
        3 => {
            let piece = bytes[range(rng, bytes.len())].to_vec();
            insert(rng, bytes, &piece);
        }
        4 => bytes.truncate(rng.between(0, bytes.len() as u64) as usize),
        5 => {
            let piece = other[range(rng, other.len())].to_vec();
            insert(rng, bytes, &piece);
        }
        6 => splice(rng, bytes, other),
        7..=9 => number(rng, bytes),
        10 => {
            let word = format!(" {} ", rng.one_of(&WORDS));
            insert(rng, bytes, word.as_bytes());
        }
        11 | 12 => lines(rng, bytes),
        13 => {
            let word = *rng.one_of(&WORDS32);
            let word = if rng.percent(50) {
                word.to_le_bytes()
            } else {
                word.to_be_bytes()
            };
            overwrite(rng, bytes, &word);
        }
        14 => arithmetic(rng, bytes),
        _ => {
            let n = rng.between(1, 64) as usize;
            let byte = *rng.one_of(b"\0 \n\r0-.\xff");
            insert(rng, bytes, &vec![byte; n]);
        }
    }
}

fn place(rng: &mut Rng, bytes: &[u8]) -> Option<usize> {
    (!bytes.is_empty()).then(|| rng.below(bytes.len() as u64) as usize)
}

/// Returns a range of a sequence of this length, mostly a short one.
fn range(rng: &mut Rng, length: usize) -> std::ops::Range<usize> {
    let from = rng.between(0, length as u64) as usize;
    let most = if rng.percent(80) { 40 } else { length };
    let n = rng.between(0, most.min(length - from) as u64) as usize;
    from..from + n
}

fn insert(rng: &mut Rng, bytes: &mut Vec<u8>, piece: &[u8]) {
    let at = rng.between(0, bytes.len() as u64) as usize;
    bytes.splice(at..at, piece.iter().copied());
}

fn overwrite(rng: &mut Rng, bytes: &mut [u8], piece: &[u8]) {
    if let Some(last) = bytes.len().checked_sub(piece.len()) {
        let at = rng.between(0, last as u64) as usize;
        bytes[at..at + piece.len()].copy_from_slice(piece);
    }
}

fn flip_bit(rng: &mut Rng, bytes: &mut [u8]) {
    if let Some(i) = place(rng, bytes) {
        bytes[i] ^= 1 << rng.below(8);
    }
}

/// Joins the beginning of one file and the end of another.
fn splice(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    bytes.truncate(rng.between(0, bytes.len() as u64) as usize);
    let from = rng.between(0, other.len() as u64) as usize;
    bytes.extend(&other[from..]);
}

/// Returns the range of text around a position that contains no blanks.
fn token(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let blank = |b: &u8| b.is_ascii_whitespace() || *b == b'/';
    let from = bytes[..at].iter().rposition(blank).map_or(0, |i| i + 1);
    let end = bytes[at..]
        .iter()
        .position(blank)
        .map_or(bytes.len(), |n| at + n);
    from..end
}

/// Replaces a number by another one, or makes it a little larger or smaller.
fn number(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let Some(at) = place(rng, bytes) else { return };
    // Numbers are frequent, but not in headers.
    let Some(at) = (at..bytes.len()).find(|&i| bytes[i].is_ascii_digit()) else {
        return;
    };
    let range = token(bytes, at);
    let old = std::str::from_utf8(&bytes[range.clone()]).ok();
    let old = old.and_then(|text| text.parse::<i64>().ok());
    let new = match old {
        Some(n) if rng.percent(60) => match rng.below(5) {
            0 => n.wrapping_add(1),
            1 => n.wrapping_sub(1),
            2 => n.wrapping_neg(),
            3 => n.wrapping_mul(1 << rng.below(40)),
            _ => rng.below(300) as i64 - 30,
        }
        .to_string(),
        _ => (*rng.one_of(&NUMBERS)).to_owned(),
    };
    bytes.splice(range, new.into_bytes());
}

/// Omits, doubles or moves a line.
fn lines(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|&b| b == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    if lines.is_empty() {
        return;
    }
    let from = rng.below(lines.len() as u64) as usize;
    match rng.below(3) {
        0 => {
            lines.remove(from);
        }
        1 => lines.insert(from, lines[from].clone()),
        _ => {
            let to = rng.below(lines.len() as u64) as usize;
            lines.swap(from, to);
        }
    }
    *bytes = lines.concat();
}

/// Adds something small to a number of 1, 2, 4 or 8 bytes.
fn arithmetic(rng: &mut Rng, bytes: &mut [u8]) {
    let size = 1usize << rng.below(4);
    let Some(last) = bytes.len().checked_sub(size) else {
        return;
    };
    let at = rng.between(0, last as u64) as usize;
    let add = rng.below(64) as i64 - 32;
    let big = rng.percent(50);
    let piece = &mut bytes[at..at + size];
    let mut word = [0u8; 8];
    word[..size].copy_from_slice(piece);
    if big {
        word[..size].reverse();
    }
    let mut sum = (i64::from_le_bytes(word).wrapping_add(add)).to_le_bytes();
    if big {
        sum[..size].reverse();
    }
    piece.copy_from_slice(&sum[..size]);
}
