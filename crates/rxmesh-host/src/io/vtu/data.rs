//! The numbers of an array: text, base64 or bytes, packed or not.

use super::super::error::Fault;
use super::super::numbers::{Numbers, Order, Scalar};
use super::super::tokens::Tokens;
use super::base64;
use super::tags::{Array, File, Place};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// Reads an array that must have `n` numbers.
pub(super) fn numbers(
    bytes: &[u8],
    file: &File,
    array: &Array,
    scalar: Scalar,
    n: usize,
) -> Result<Numbers, Fault> {
    if let Place::Text(range) = &array.place {
        return text(bytes, array, range.clone(), scalar, n);
    }
    let wrong = |what: &str| {
        let name = array.name.escape_debug();
        Fault::byte(array.at, format!("array '{name}': {what}"))
    };
    let (stream, coded) = match (&array.place, file.appended) {
        (Place::Appended(offset), Some((start, coded))) => {
            let start = start.checked_add(*offset).filter(|s| *s <= bytes.len());
            let start = start.ok_or_else(|| wrong("its offset is behind the end of the file"))?;
            (&bytes[start..], coded)
        }
        (Place::Appended(_), None) => return Err(wrong("there are no appended data")),
        (Place::Text(range) | Place::Inline(range), _) => (bytes[range.clone()].trim_ascii(), true),
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
        true => stream.packed(size),
        false => stream.plain(size),
    };
    let data = data.map_err(|what| wrong(&what))?;
    if data.len() != size {
        return Err(wrong(&format!(
            "{size} bytes expected, {} are there",
            data.len()
        )));
    }
    Ok(Numbers::of_bytes(scalar, &data, file.order))
}

fn text(
    bytes: &[u8],
    array: &Array,
    range: std::ops::Range<usize>,
    scalar: Scalar,
    n: usize,
) -> Result<Numbers, Fault> {
    let name = array.name.escape_debug();
    // The last number needs no space behind it.
    if n > range.len().div_ceil(2) {
        let what = format!(
            "array '{name}': {n} numbers expected in {} characters",
            range.len()
        );
        return Err(Fault::text(array.at, what));
    }
    let mut tokens = Tokens::new(&bytes[..range.end]);
    tokens.go_to(range.start);
    let mut numbers = Numbers::with_capacity(scalar, n);
    for i in 0..n {
        let Some((at, word)) = tokens.next_at() else {
            let what = format!("array '{name}' has {i} numbers, {n} are expected");
            return Err(Fault::text(array.at, what));
        };
        numbers.push(word, at)?;
    }
    match tokens.next_at() {
        None => Ok(numbers),
        Some((at, _)) => Err(Fault::text(
            at,
            format!("array '{name}' has more than {n} numbers"),
        )),
    }
}

/// Data of an array, from its first byte on.
struct Stream<'a> {
    rest: &'a [u8],
    coded: bool,
    order: Order,
    header: usize,
}

impl Stream<'_> {
    /// The next `n` bytes, which are coded together.
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
            let k = if self.order == Order::Big {
                self.header - 1 - k
            } else {
                k
            };
            all[k] = *b;
        }
        u64::from_le_bytes(all)
    }

    /// A length and so many bytes, coded together.
    fn plain(&mut self, size: usize) -> Result<Vec<u8>, String> {
        let all = self.header.saturating_add(size);
        let mut head = Stream { ..*self };
        let length = head.take(self.header)?;
        let length = self.length(&length);
        if length != size as u64 {
            return Err(format!("{size} bytes expected, its length is {length}"));
        }
        let mut bytes = self.take(all)?;
        bytes.drain(..self.header);
        Ok(bytes)
    }

    /// Blocks packed by zlib: their number, the length of each and of the last, and the lengths of all when packed;
    /// coded together, as then are all blocks.
    fn packed(&mut self, size: usize) -> Result<Vec<u8>, String> {
        let mut head = Stream { ..*self };
        let first = head.take(self.header)?;
        let blocks = self.length(&first);
        let most = (self.rest.len() / self.header) as u64;
        if blocks > most {
            return Err(format!(
                "{blocks} blocks are promised, which the file cannot hold"
            ));
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
        for &length in &lengths[3..] {
            let (block, more) = rest.split_at(length as usize);
            rest = more;
            let unpacked = decompress_to_vec_zlib_with_limit(block, size - out.len());
            out.extend(
                unpacked.map_err(|_| "a block cannot be unpacked, or is too long".to_owned())?,
            );
        }
        Ok(out)
    }
}
