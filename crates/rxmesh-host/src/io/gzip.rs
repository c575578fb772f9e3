//! Files that are packed by gzip (RFC 1952), read and written.
//!
//! `miniz_oxide` packs and unpacks the data; the frame around them is small, and this way a budget bounds the memory
//! before it is taken.

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, compress_to_output, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use std::path::{Path, PathBuf};

/// Two bytes that a packed file begins with, and the only method of packing.
const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
/// Bytes of a head without its optional parts.
const HEAD: usize = 10;
/// Checksum and size after the data.
const TAIL: usize = 8;
/// Level that gzip has as its default.
const LEVEL: i32 = 6;

/// Returns `true` if the content is packed.
pub(super) fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Returns a name without `.gz`, if it ends so.
pub(super) fn unpacked_name(path: &Path) -> Option<PathBuf> {
    let packed = path.extension()?.eq_ignore_ascii_case("gz");
    packed.then(|| path.with_extension(""))
}

/// Returns the name of a packed file.
pub(super) fn packed_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".gz");
    name.into()
}

/// Returns the most bytes that a packed file of `packed` bytes may unpack to. Text of meshes shrinks to a third or a
/// fifth, grids of the same number over and over to a fiftieth.
fn budget(packed: usize) -> usize {
    packed.saturating_mul(64).saturating_add(1 << 30)
}

/// Unpacks all members of a file. Returns the content, and a warning, if any.
///
/// # Errors
///
/// Why the file is not whole, in words.
pub(super) fn unpack(bytes: &[u8]) -> Result<(Vec<u8>, Option<String>), String> {
    unpack_within(bytes, budget(bytes.len()))
}

fn unpack_within(bytes: &[u8], most: usize) -> Result<(Vec<u8>, Option<String>), String> {
    let mut out = Vec::new();
    let mut rest = bytes;
    let mut inflate = Box::new(DecompressorOxide::new());
    while is_packed(rest) {
        let at = bytes.len() - rest.len();
        rest = member(rest, &mut inflate, &mut out, most).map_err(|why| match why {
            Why::Cut => "the gzip data end too early: the file is cut off".to_owned(),
            Why::Corrupt(what) => {
                format!("the gzip data that begin at byte {at} are corrupt: {what}")
            }
            Why::Large => format!(
                "the gzip data unpack to more than {most} bytes: 64 times the size of the file and 1 GiB are the most; \
                    gunzip unpacks larger files"
            ),
        })?;
    }
    // Tapes and some programs fill up with zeros, as gzip knows.
    let left = rest.iter().any(|b| *b != 0);
    let warning = left.then(|| format!("{} bytes after the gzip data are not read", rest.len()));
    Ok((out, warning))
}

enum Why {
    Cut,
    Corrupt(&'static str),
    Large,
}

/// Appends the unpacked bytes of a member; returns the bytes after it.
fn member<'a>(
    bytes: &'a [u8],
    inflate: &mut DecompressorOxide,
    out: &mut Vec<u8>,
    most: usize,
) -> Result<&'a [u8], Why> {
    let data = behind_head(bytes)?;
    let start = out.len();
    let read = inflate_all(data, inflate, out, most)?;
    let tail = data.get(read..).and_then(|tail| tail.first_chunk::<TAIL>());
    let [a, b, c, d, e, f, g, h] = *tail.ok_or(Why::Cut)?;
    if u32::from_le_bytes([a, b, c, d]) != checksum(0, &out[start..]) {
        return Err(Why::Corrupt("their checksum is another one"));
    }
    if u32::from_le_bytes([e, f, g, h]) != (out.len() - start) as u32 {
        return Err(Why::Corrupt("they unpack to another size than they say"));
    }
    Ok(&data[read + TAIL..])
}

/// Returns the data of a member, after its head with a name and a comment.
fn behind_head(bytes: &[u8]) -> Result<&[u8], Why> {
    const CHECKSUM: u8 = 2;
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    const UNKNOWN: u8 = 0xE0;
    let flags = *bytes.get(3).ok_or(Why::Cut)?;
    if flags & UNKNOWN != 0 {
        return Err(Why::Corrupt("their head has flags that no version knows"));
    }
    let mut rest = bytes.get(HEAD..).ok_or(Why::Cut)?;
    if flags & EXTRA != 0 {
        let length = rest.first_chunk::<2>().ok_or(Why::Cut)?;
        let end = 2 + usize::from(u16::from_le_bytes(*length));
        rest = rest.get(end..).ok_or(Why::Cut)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            let end = memchr::memchr(0, rest).ok_or(Why::Cut)?;
            rest = &rest[end + 1..];
        }
    }
    match flags & CHECKSUM {
        0 => Ok(rest),
        _ => rest.get(2..).ok_or(Why::Cut),
    }
}

/// Appends the unpacked data of a member; returns their number of bytes.
fn inflate_all(
    data: &[u8],
    inflate: &mut DecompressorOxide,
    out: &mut Vec<u8>,
    most: usize,
) -> Result<usize, Why> {
    inflate.init();
    let start = out.len();
    let (mut read, mut wrote) = (0, 0);
    // Small at first, since files of the size of this one can have a million members.
    let mut room = 1 << 12;
    loop {
        out.resize((start + room).min(most), 0);
        let (status, more_read, more) = decompress(
            inflate,
            &data[read..],
            &mut out[start..],
            wrote,
            TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
        );
        read += more_read;
        wrote += more;
        match status {
            TINFLStatus::Done => {
                out.truncate(start + wrote);
                return Ok(read);
            }
            TINFLStatus::HasMoreOutput if start + room < most => room *= 2,
            TINFLStatus::HasMoreOutput => return Err(Why::Large),
            TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
                return Err(Why::Cut);
            }
            _ => return Err(Why::Corrupt("they are not gzip's")),
        }
    }
}

/// Packs pieces of a file, in order, as one member without a name and a time, so that equal content gives equal bytes.
pub(super) fn pack(pieces: &[impl AsRef<[u8]>]) -> Vec<u8> {
    /// Nothing is known of the system that packs.
    const SYSTEM: u8 = 255;
    let mut out = MAGIC.to_vec();
    out.extend([0, 0, 0, 0, 0, 0, SYSTEM]);
    let (mut sum, mut size) = (0, 0u32);
    // Raw deflate without a header: a window of 15 bits, negated.
    let mut deflate = CompressorOxide::new(create_comp_flags_from_zip_params(LEVEL, -15, 0));
    let mut put = |input: &[u8], flush| {
        // A vector takes everything.
        compress_to_output(&mut deflate, input, flush, |bytes| {
            out.extend_from_slice(bytes);
            true
        });
    };
    for piece in pieces.iter().map(AsRef::as_ref) {
        put(piece, TDEFLFlush::None);
        sum = checksum(sum, piece);
        size = size.wrapping_add(piece.len() as u32);
    }
    put(&[], TDEFLFlush::Finish);
    out.extend(sum.to_le_bytes());
    out.extend(size.to_le_bytes());
    out
}

/// Tables of CRC-32 for eight bytes at a time.
static TABLES: [[u32; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut i = 0;
    while i < 256 {
        let mut c = i as u32;
        let mut k = 0;
        while k < 8 {
            c = (c >> 1) ^ (0xEDB8_8320 & (c & 1).wrapping_neg());
            k += 1;
        }
        tables[0][i] = c;
        i += 1;
    }
    let mut i = 0;
    while i < 256 {
        let mut t = 1;
        while t < 8 {
            let c = tables[t - 1][i];
            tables[t][i] = (c >> 8) ^ tables[0][(c & 0xFF) as usize];
            t += 1;
        }
        i += 1;
    }
    tables
};

/// Returns the CRC-32 of bytes that follow those of `sum` (0 at the beginning).
fn checksum(sum: u32, bytes: &[u8]) -> u32 {
    let mut c = !sum;
    let (words, rest) = bytes.as_chunks::<8>();
    for w in words {
        let low = c ^ u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
        let low = low.to_le_bytes().map(usize::from);
        let high = [w[4], w[5], w[6], w[7]].map(usize::from);
        let all = low.into_iter().chain(high).zip(TABLES.iter().rev());
        c = all.fold(0, |c, (byte, table)| c ^ table[byte]);
    }
    for &b in rest {
        c = (c >> 8) ^ TABLES[0][usize::from(c as u8 ^ b)];
    }
    !c
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        pack(&[text.to_vec()])
    }

    /// `printf 'v 0 0 0\n' | gzip -9`, with the name `a` in its head, as gzip 1.12 writes it.
    const BY_GZIP: [u8; 30] = [
        0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 2, 3, b'a', 0, 0x2b, 0x53, 0x30, 0x50, 0x30, 0x50, 0x30,
        0xe0, 2, 0, 0, 0, 0, 0, 8, 0, 0, 0,
    ];

    #[test]
    fn checksums_are_those_of_everybody() {
        assert_eq!(checksum(0, b"123456789"), 0xCBF4_3926);
        let whole = checksum(0, b"The quick brown fox jumps over the lazy dog");
        assert_eq!(whole, 0x414F_A339);
        let part = checksum(0, b"The quick brown fox");
        assert_eq!(checksum(part, b" jumps over the lazy dog"), whole);
    }

    #[test]
    fn what_is_packed_comes_back() {
        let pieces: Vec<Vec<u8>> = (0..50u8).map(|i| vec![i; 3000 * usize::from(i)]).collect();
        let (back, warning) = unpack(&pack(&pieces)).unwrap();
        assert!(back == pieces.concat() && warning.is_none());
        assert_eq!(unpack(&packed(b"")).unwrap().0, b"");
    }

    #[test]
    fn heads_members_and_what_follows() {
        let sum = checksum(0, b"v 0 0 0\n").to_le_bytes();
        let mut by_gzip = BY_GZIP.to_vec();
        by_gzip[22..26].copy_from_slice(&sum);
        assert_eq!(unpack(&by_gzip).unwrap().0, b"v 0 0 0\n");
        // Extra field, name, comment and checksum of the head.
        let mut long = vec![0x1f, 0x8b, 8, 2 + 4 + 8 + 16, 0, 0, 0, 0, 2, 3];
        long.extend(b"\x03\0abcname\0comment\0\x12\x34");
        long.extend(&by_gzip[12..]);
        assert_eq!(unpack(&long).unwrap().0, b"v 0 0 0\n");
        let two = [packed(b"a\n"), packed(b"b\n"), vec![0; 100]].concat();
        assert_eq!(unpack(&two).unwrap(), (b"a\nb\n".to_vec(), None));
        let more = [packed(b"a\n"), b"junk".to_vec()].concat();
        let (text, warning) = unpack(&more).unwrap();
        assert_eq!(text, b"a\n");
        assert_eq!(
            warning.as_deref(),
            Some("4 bytes after the gzip data are not read")
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let whole = packed(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        for end in 3..whole.len() {
            let why = unpack(&whole[..end]).unwrap_err();
            assert!(why.contains("cut off"), "{end}: {why}");
        }
        let mut sum = whole.clone();
        let at = sum.len() - TAIL;
        sum[at] ^= 1;
        assert!(unpack(&sum).unwrap_err().contains("checksum"));
        let mut size = whole.clone();
        *size.last_mut().unwrap() ^= 1;
        assert!(unpack(&size).unwrap_err().contains("another size"));
        let mut head = whole.clone();
        head[3] = 0x40;
        assert!(unpack(&head).unwrap_err().contains("flags"));
        let mut data = whole.clone();
        data[HEAD] = 0xff;
        let why = unpack(&[whole, data].concat()).unwrap_err();
        assert!(
            why.contains("corrupt") && why.contains("begin at byte"),
            "{why}"
        );
    }

    #[test]
    fn a_bomb_stops_at_the_budget() {
        let bomb = packed(&vec![0; 1 << 20]);
        let why = unpack_within(&bomb, 1 << 19).unwrap_err();
        assert!(why.contains("more than 524288 bytes"), "{why}");
        assert_eq!(unpack_within(&bomb, 1 << 20).unwrap().0.len(), 1 << 20);
        assert_eq!(budget(10), (1 << 30) + 640);
    }
}
