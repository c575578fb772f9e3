//! The numbers of an array: text, base64 or bytes, packed or not.

use super::super::base64;
use super::super::error::Fault;
use super::super::names;
use super::super::numbers::{ByteOrder, NumberType, Numbers};
use super::super::tokens::Tokens;
use super::tags::{Array, ArraySource, Packing, VtuFile};
use crate::io::budget::Budget;
use lzma_rust2::Lzma2Reader;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use std::io::Read;
use std::ops::Range;

/// Bytes that the dictionary of a block packed by LZMA may take: those of the highest preset of xz.
const DICTIONARY: u64 = 64 << 20;

/// Reason why an array cannot be read.
#[derive(Debug)]
pub(super) enum Wrong {
    /// Wrong number of values.
    Length(Fault),
    Other(Fault),
}

impl From<Wrong> for Fault {
    fn from(wrong: Wrong) -> Fault {
        match wrong {
            Wrong::Length(fault) | Wrong::Other(fault) => fault,
        }
    }
}

impl From<Fault> for Wrong {
    fn from(fault: Fault) -> Wrong {
        Wrong::Other(fault)
    }
}

/// Reason as in [`Wrong`], as text.
enum Why {
    Length(String),
    Other(String),
}

impl From<String> for Why {
    fn from(what: String) -> Why {
        Why::Other(what)
    }
}

impl From<&str> for Why {
    fn from(what: &str) -> Why {
        Why::Other(what.to_owned())
    }
}

/// Reads an array that must have `n` numbers.
pub(super) fn numbers(
    bytes: &[u8],
    file: &VtuFile,
    array: &Array,
    scalar: NumberType,
    n: usize,
    budget: &mut Budget,
) -> Result<Numbers, Wrong> {
    if let ArraySource::Text(ranges) = &array.place {
        return text(bytes, array, ranges, scalar, n);
    }
    if n == 0 {
        return Ok(Numbers::with_capacity(scalar, 0));
    }
    let wrong = |what: &str| {
        let name = names::shown(&array.name);
        Fault::byte(array.at, format!("array '{name}': {what}"))
    };
    let (stream, coded) = match (&array.place, file.appended) {
        (ArraySource::Appended(offset), Some((start, coded))) => {
            let start = start.checked_add(*offset).filter(|s| *s <= bytes.len());
            let start = start.ok_or_else(|| wrong("its offset is beyond the end of the file"))?;
            (&bytes[start..], coded)
        }
        (ArraySource::Appended(_), None) => {
            return Err(wrong("there are no appended data").into());
        }
        (ArraySource::Inline(range), _) => (bytes[range.clone()].trim_ascii(), true),
        (ArraySource::Text(_), _) => (&bytes[..0], true),
    };
    let mut stream = Stream {
        rest: stream,
        coded,
        order: file.order,
        header: file.header,
    };
    let size = n
        .checked_mul(scalar.size())
        .ok_or_else(|| wrong("it has too many numbers"))?;
    let data = match file.packed {
        Some(packing) => budget
            .take(size)
            .map_err(Why::Other)
            .and_then(|()| stream.packed(size, packing)),
        None => stream
            .plain(size)
            .and_then(|data| Ok(budget.take(size).map(|()| data)?)),
    };
    let data = data.map_err(|why| match why {
        Why::Length(what) => Wrong::Length(wrong(&what)),
        Why::Other(what) => Wrong::Other(wrong(&what)),
    })?;
    if data.len() != size {
        return Err(Wrong::Length(wrong(&format!(
            "{size} bytes expected, {} are there",
            data.len()
        ))));
    }
    Ok(Numbers::of_bytes(scalar, &data, file.order))
}

fn text(
    bytes: &[u8],
    array: &Array,
    ranges: &[Range<usize>],
    scalar: NumberType,
    n: usize,
) -> Result<Numbers, Wrong> {
    let name = names::shown(&array.name);
    let size: usize = ranges.iter().map(Range::len).sum();
    // The last number of a range needs no space after it.
    let most = ranges.iter().map(|r| r.len().div_ceil(2)).sum();
    if n > most {
        let what = format!("array '{name}': {n} numbers expected in {size} characters");
        return Err(Wrong::Length(Fault::text(array.at, what)));
    }
    let mut words = RangeWords::new(bytes, ranges);
    let mut numbers = Numbers::with_capacity(scalar, n);
    for i in 0..n {
        let Some((at, word)) = words.next_at() else {
            let what = format!("array '{name}' has {i} numbers, {n} are expected");
            return Err(Wrong::Length(Fault::text(array.at, what)));
        };
        numbers.push(word, at)?;
    }
    match words.next_at() {
        None => Ok(numbers),
        Some((at, _)) => Err(Wrong::Length(Fault::text(
            at,
            format!("array '{name}' has more than {n} numbers"),
        ))),
    }
}

/// Words of several ranges of a text.
pub(super) struct RangeWords<'a> {
    bytes: &'a [u8],
    ranges: std::slice::Iter<'a, Range<usize>>,
    tokens: Tokens<'a>,
}

impl<'a> RangeWords<'a> {
    pub(super) fn new(bytes: &'a [u8], ranges: &'a [Range<usize>]) -> RangeWords<'a> {
        RangeWords {
            bytes,
            ranges: ranges.iter(),
            tokens: Tokens::new(&[]),
        }
    }

    /// Returns the next word and its offset.
    pub(super) fn next_at(&mut self) -> Option<(usize, &'a [u8])> {
        loop {
            if let Some(word) = self.tokens.next_at() {
                return Some(word);
            }
            let range = self.ranges.next()?;
            self.tokens = Tokens::new(&self.bytes[..range.end]);
            self.tokens.go_to(range.start);
        }
    }

    /// Returns the next word; `what` names it in the error if it is missing.
    pub(super) fn expected(&mut self, what: &str) -> Result<(usize, &'a [u8]), Fault> {
        let end = self.tokens.offset();
        let ends = || Fault::text(end, format!("{what} expected, but the array ends"));
        self.next_at().ok_or_else(ends)
    }
}

/// Data of an array, from its first byte on.
struct Stream<'a> {
    rest: &'a [u8],
    coded: bool,
    order: ByteOrder,
    header: usize,
}

impl Stream<'_> {
    /// Takes the next `n` bytes, which are coded together.
    fn take(&mut self, n: usize) -> Result<Vec<u8>, String> {
        let short = |left: usize| format!("{n} bytes expected, but only {left} are left");
        if !self.coded {
            let Some(bytes) = self.rest.get(..n) else {
                return Err(short(self.rest.len()));
            };
            self.rest = &self.rest[n..];
            return Ok(bytes.to_vec());
        }
        if n / 4 > self.rest.len() {
            return Err(short(self.rest.len() / 4 * 3));
        }
        let (bytes, taken) =
            base64::decode(self.rest, n).map_err(|_| "this is not base64".to_owned())?;
        if bytes.len() < n {
            return Err(short(bytes.len()));
        }
        self.rest = &self.rest[taken..];
        Ok(bytes)
    }

    fn length(&self, bytes: &[u8]) -> u64 {
        let mut all = [0; 8];
        for (k, b) in bytes.iter().enumerate() {
            let k = if self.order == ByteOrder::Big {
                self.header - 1 - k
            } else {
                k
            };
            all[k] = *b;
        }
        u64::from_le_bytes(all)
    }

    /// Reads a length and `size` bytes, coded together.
    fn plain(&mut self, size: usize) -> Result<Vec<u8>, Why> {
        let all = self.header.saturating_add(size);
        let mut head = Stream { ..*self };
        let length = head.take(self.header)?;
        let length = self.length(&length);
        if length != size as u64 {
            let what = format!("{size} bytes expected, its length is {length}");
            return Err(Why::Length(what));
        }
        let mut bytes = self.take(all)?;
        bytes.drain(..self.header);
        Ok(bytes)
    }

    /// Reads packed blocks: their number, the length of each and of the last, and the lengths of all when packed; coded
    /// together, as then are all blocks.
    fn packed(&mut self, size: usize, packing: Packing) -> Result<Vec<u8>, Why> {
        let mut head = Stream { ..*self };
        let first = head.take(self.header)?;
        let blocks = self.length(&first);
        let most = (self.rest.len() / self.header) as u64;
        if blocks > most {
            let what = format!("{blocks} blocks are promised, which the file cannot hold");
            return Err(what.into());
        }
        let head = self.take((3 + blocks as usize) * self.header)?;
        let lengths: Vec<u64> = head
            .chunks_exact(self.header)
            .map(|c| self.length(c))
            .collect();
        let whole = lengths[3..]
            .iter()
            .try_fold(0usize, |sum, &n| sum.checked_add(usize::try_from(n).ok()?));
        let whole = whole.ok_or("the lengths of its blocks are too large")?;
        let data = self.take(whole)?;
        // Zlib makes a thousand bytes of one at most.
        let mut out = Vec::with_capacity(size.min(data.len().saturating_mul(1100)));
        let mut rest = &data[..];
        for (k, &length) in lengths[3..].iter().enumerate() {
            let (block, more) = rest.split_at(length as usize);
            rest = more;
            let left = size - out.len();
            let whole = match k + 1 == blocks as usize && lengths[2] > 0 {
                true => lengths[2],
                false => lengths[1],
            };
            let whole = usize::try_from(whole).unwrap_or(usize::MAX).min(left);
            let unpacked = match packing {
                Packing::Zlib => decompress_to_vec_zlib_with_limit(block, left).ok(),
                Packing::Lz4 => lz4_flex::block::decompress(block, whole).ok(),
                Packing::Lzma => xz(block, left),
            };
            let Some(unpacked) = unpacked else {
                let last = if lengths[2] > 0 {
                    lengths[2]
                } else {
                    lengths[1]
                };
                let all = lengths[1].saturating_mul(blocks - 1).saturating_add(last);
                return Err(match all == size as u64 {
                    true => Why::from("a block cannot be unpacked, or is too long"),
                    false => Why::Length(format!("{size} bytes expected, its blocks have {all}")),
                });
            };
            out.extend(unpacked);
        }
        Ok(out)
    }
}

/// Unpacks a block in the container xz, of `most` bytes at most.
fn xz(block: &[u8], most: usize) -> Option<Vec<u8>> {
    let (data, dictionary) = xz_data(block)?;
    let mut out = Vec::new();
    let reader = Lzma2Reader::new(data, dictionary, None);
    reader.take(most as u64 + 1).read_to_end(&mut out).ok()?;
    (out.len() <= most).then_some(out)
}

/// Returns the data of a stream of xz, and the size of its dictionary: one block whose only filter is LZMA2, as its
/// library makes of a buffer (the .xz file format, version 1.2.1). Checksums are ignored.
fn xz_data(stream: &[u8]) -> Option<(&[u8], u32)> {
    const HEAD: usize = 12;
    let block = stream.strip_prefix(b"\xfd7zXZ\0")?.get(HEAD - 6..)?;
    let size = 4 * (usize::from(*block.first()?) + 1);
    let (head, data) = block.split_at_checked(size)?;
    let mut head = &head[1..];
    let (&flags, rest) = head.split_first()?;
    head = rest;
    // The sizes of the block, packed and not.
    for flag in [0x40, 0x80] {
        if flags & flag != 0 {
            let end = head.iter().position(|b| b & 0x80 == 0)?;
            head = &head[end + 1..];
        }
    }
    let [0x21, 1, bits, ..] = *head else {
        return None;
    };
    if flags & 3 != 0 || bits > 39 {
        return None;
    }
    let dictionary = u64::from(2 | (bits & 1)) << (bits / 2 + 11);
    let dictionary = u32::try_from(dictionary).ok()?;
    (u64::from(dictionary) <= DICTIONARY).then_some((data, dictionary))
}
