//! PNG files. Rows are filtered and packed in strips, several at a time; strips have a fixed size, so the file is the
//! same with any number of threads.
//!
//! PNG Specification, Third Edition, W3C 2025; the streams are those of RFC 1950 and RFC 1951.

use crate::image::Picture;
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use rayon::prelude::*;

/// Bytes of rows that are packed together.
const STRIP: usize = 1 << 18;
/// Effort of the packer, from 0 to 10.
const LEVEL: i32 = 4;

/// Returns the file of a picture.
pub(crate) fn encode(picture: &Picture) -> Vec<u8> {
    let transparent = picture.pixels.iter().any(|p| p[3] < 255);
    let channels = if transparent { 4 } else { 3 };
    let mut out = begin([picture.width, picture.height], channels);
    chunk(&mut out, *b"IDAT", &pack(picture, channels));
    chunk(&mut out, *b"IEND", &[]);
    out
}

/// Returns the beginning of a file; of four channels the last is alpha.
pub(crate) fn begin(size: [u32; 2], channels: usize) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head: Vec<u8> = size.into_iter().flat_map(u32::to_be_bytes).collect();
    // Eight bits a channel, colours with or without alpha, and the only methods there are.
    head.extend([8, if channels == 4 { 6 } else { 2 }, 0, 0, 0]);
    chunk(&mut out, *b"IHDR", &head);
    chunk(&mut out, *b"sRGB", &[0]);
    out
}

/// Appends a chunk with its length and checksum.
pub(crate) fn chunk(out: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend(kind);
    out.extend(data);
    let sum = crc(&out[start..]);
    out.extend(sum.to_be_bytes());
}

/// Returns the pixels as a zlib stream.
pub(crate) fn pack(picture: &Picture, channels: usize) -> Vec<u8> {
    let width = picture.width as usize;
    let rows = (STRIP / (width * channels + 1)).max(1);
    let count = picture.pixels.len().div_ceil(rows * width);
    let strips = (0..count).into_par_iter().map(|i| {
        let first = i * rows * width;
        let end = (first + rows * width).min(picture.pixels.len());
        let before = (first > 0).then(|| &picture.pixels[first - width..first]);
        let filtered = filter(before, &picture.pixels[first..end], width, channels);
        let sum = Adler::of(&filtered);
        (deflate(&filtered, i + 1 == count), sum)
    });
    let strips: Vec<(Vec<u8>, Adler)> = strips.collect();
    // A window of 32 kB, packed fast.
    let mut out = vec![0x78, 0x5e];
    let mut sum = Adler::of(&[]);
    for (bytes, part) in strips {
        out.extend(bytes);
        sum = sum.then(part);
    }
    out.extend(sum.value().to_be_bytes());
    out
}

/// Packs the bytes of a strip; all but the last end on a whole byte.
fn deflate(bytes: &[u8], last: bool) -> Vec<u8> {
    // Zero bits of window: no head and sum of the strip's own.
    let mut packer = CompressorOxide::new(create_comp_flags_from_zip_params(LEVEL, 0, 0));
    let mut out = Vec::with_capacity(bytes.len() / 4 + 64);
    let flush = if last {
        TDEFLFlush::Finish
    } else {
        TDEFLFlush::Sync
    };
    let (status, _) = compress_to_output(&mut packer, bytes, flush, |part| {
        out.extend_from_slice(part);
        true
    });
    debug_assert!(matches!(status, TDEFLStatus::Okay | TDEFLStatus::Done));
    out
}

/// Returns rows with the filter in front of each, and each byte less a guess from its neighbours: of the guesses the
/// one whose differences are smallest.
fn filter(
    before: Option<&[[u8; 4]]>,
    pixels: &[[u8; 4]],
    width: usize,
    channels: usize,
) -> Vec<u8> {
    // A row begins with a pixel of zeros, so that each byte has one to its left.
    let length = width * channels;
    let bytes = |row: &[[u8; 4]], to: &mut [u8]| match channels {
        4 => to[4..].copy_from_slice(row.as_flattened()),
        _ => {
            let to = to[3..].as_chunks_mut::<3>().0;
            to.iter_mut()
                .zip(row)
                .for_each(|(to, &[r, g, b, _])| *to = [r, g, b]);
        }
    };
    let mut above = vec![0u8; channels + length];
    let mut row = above.clone();
    if let Some(before) = before {
        bytes(before, &mut above);
    }
    let mut tries: [Vec<u8>; 3] = std::array::from_fn(|_| vec![0; length]);
    let mut out = Vec::with_capacity((length + 1) * (pixels.len() / width));
    for line in pixels.chunks(width) {
        bytes(line, &mut row);
        let (own, left) = (&row[channels..], &row[..length]);
        let (up, corner) = (&above[channels..], &above[..length]);
        // Sub, Up and Paeth; rows without any difference need no other.
        let [by_left, by_up, by_nearest] = &mut tries;
        for ((out, own), left) in by_left.iter_mut().zip(own).zip(left) {
            *out = own.wrapping_sub(*left);
        }
        for ((out, own), up) in by_up.iter_mut().zip(own).zip(up) {
            *out = own.wrapping_sub(*up);
        }
        let around = left.iter().zip(up).zip(corner);
        for ((out, own), ((left, up), corner)) in by_nearest.iter_mut().zip(own).zip(around) {
            *out = own.wrapping_sub(paeth(*left, *up, *corner));
        }
        let cost = |of: &[u8]| {
            of.iter()
                .map(|&b| u32::from((b as i8).unsigned_abs()))
                .sum::<u32>()
        };
        let costs = [cost(&tries[0]), cost(&tries[1]), cost(&tries[2])];
        let best = (0..3).min_by_key(|&k| costs[k]).unwrap_or(0);
        out.push([1, 2, 4][best]);
        out.extend_from_slice(&tries[best]);
        std::mem::swap(&mut above, &mut row);
    }
    out
}

/// Returns the neighbour that is nearest to left + above - corner.
fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    // Choices and not branches, so that several bytes are handled at once.
    let (a, b, c) = (i16::from(left), i16::from(above), i16::from(corner));
    let (to_a, to_b, to_c) = ((b - c).abs(), (a - c).abs(), (a + b - 2 * c).abs());
    let other = if to_b <= to_c { above } else { corner };
    if (to_a <= to_b) & (to_a <= to_c) {
        left
    } else {
        other
    }
}

/// Modulus of [`Adler`].
const MODULUS: u64 = 65_521;

/// Checksum of RFC 1950, with the number of bytes, so that sums of parts can be joined.
#[derive(Debug, Clone, Copy)]
struct Adler {
    a: u64,
    b: u64,
    length: u64,
}

impl Adler {
    fn of(bytes: &[u8]) -> Adler {
        let (mut a, mut b) = (1u64, 0u64);
        for part in bytes.chunks(1 << 16) {
            for &byte in part {
                a += u64::from(byte);
                b += a;
            }
            (a, b) = (a % MODULUS, b % MODULUS);
        }
        Adler {
            a,
            b,
            length: bytes.len() as u64,
        }
    }

    /// Returns the sum of these bytes and others after them.
    fn then(self, next: Adler) -> Adler {
        // The others' sums began with 1 in place of `a`.
        let more = self.a + MODULUS - 1;
        Adler {
            a: (more + next.a) % MODULUS,
            b: (self.b + next.b + next.length % MODULUS * (more % MODULUS)) % MODULUS,
            length: self.length + next.length,
        }
    }

    fn value(self) -> u32 {
        (self.b << 16 | self.a) as u32
    }
}

/// Remainders of [`crc`], a table per byte of four.
const CRC: [[u32; 256]; 4] = crc_tables();

const fn crc_tables() -> [[u32; 256]; 4] {
    let mut tables = [[0u32; 256]; 4];
    let mut n = 0;
    while n < 256 {
        let mut c = n as u32;
        let mut bit = 0;
        while bit < 8 {
            c = if c & 1 == 1 {
                0xedb8_8320 ^ (c >> 1)
            } else {
                c >> 1
            };
            bit += 1;
        }
        tables[0][n] = c;
        n += 1;
    }
    let mut n = 0;
    while n < 256 {
        let mut k = 1;
        while k < 4 {
            let c = tables[k - 1][n];
            tables[k][n] = (c >> 8) ^ tables[0][(c & 255) as usize];
            k += 1;
        }
        n += 1;
    }
    tables
}

/// Returns the checksum of chunks, four bytes at a time.
fn crc(bytes: &[u8]) -> u32 {
    let mut c = u32::MAX;
    let (words, rest) = bytes.as_chunks::<4>();
    for word in words {
        let x = c ^ u32::from_le_bytes(*word);
        let [b0, b1, b2, b3] = x.to_le_bytes().map(usize::from);
        c = CRC[3][b0] ^ CRC[2][b1] ^ CRC[1][b2] ^ CRC[0][b3];
    }
    for &byte in rest {
        c = CRC[0][usize::from(c as u8 ^ byte)] ^ (c >> 8);
    }
    !c
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn noise(width: u32, height: u32, alpha: bool) -> Picture {
        let pixel = |i: u32| {
            let x = i.wrapping_mul(2_654_435_761) >> 7;
            let flat = if i % 1000 < 600 { 200 } else { x as u8 };
            [
                flat,
                (i / 7) as u8,
                x as u8 / 16,
                if alpha { i as u8 } else { 255 },
            ]
        };
        Picture {
            width,
            height,
            pixels: (0..width * height).map(pixel).collect(),
        }
    }

    /// An independent reader finds the same pixels, and the checksums right.
    #[test]
    fn pictures_come_back() {
        for (width, height, alpha) in [
            (1, 1, false),
            (3, 2, true),
            (700, 500, false),
            (640, 333, true),
            (1, 4000, false),
        ] {
            let picture = noise(width, height, alpha);
            let mut reader = png::Decoder::new(Cursor::new(encode(&picture)))
                .read_info()
                .unwrap();
            let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut bytes).unwrap();
            assert_eq!((info.width, info.height), (width, height));
            let pixels: Vec<[u8; 4]> = match alpha && picture.pixels.iter().any(|p| p[3] < 255) {
                true => bytes.chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect(),
                false => bytes.chunks(3).map(|c| [c[0], c[1], c[2], 255]).collect(),
            };
            assert!(pixels == picture.pixels, "{width} x {height}");
        }
    }

    #[test]
    fn sums_are_those_of_the_standards() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(Adler::of(b"Wikipedia").value(), 0x11e6_0398);
        let joined = Adler::of(b"Wiki").then(Adler::of(b"pedia"));
        assert_eq!(joined.value(), 0x11e6_0398);
    }
}
