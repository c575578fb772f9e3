//! Numbers of NRRD: raw, packed, or as text.

use super::header::{DataEncoding, NrrdHeader};
use crate::io::budget::Budget;
use crate::io::error::Fault;
use crate::io::numbers::Numbers;
use crate::io::tokens::Tokens;
use crate::io::{bytes_of, gzip, names};
use std::borrow::Cow;
use std::path::Path;

/// Reads the `n` numbers of a file, whose header is in `bytes`; `name` is its path.
pub(super) fn numbers(
    bytes: &[u8],
    header: &NrrdHeader,
    n: usize,
    name: &Path,
    budget: &mut Budget,
    warnings: &mut Vec<String>,
) -> Result<Numbers, Fault> {
    let Some((file, at)) = &header.file else {
        return of_stream(&bytes[header.data..], header, n, budget, warnings)
            .map_err(|fault| fault.moved(header.data));
    };
    let at = *at;
    let shown = names::shown(file);
    let is_list = file.starts_with("LIST") || file.contains('%');
    let is_plain = !file.is_empty() && !file.contains(['/', '\\', ':', '\0']) && file != "..";
    if is_list || !is_plain {
        let what = format!(
            "the data file '{shown}' is not read: only one file in the folder of the header is"
        );
        return Err(Fault::text(at, what));
    }
    let path = name.parent().unwrap_or(Path::new("")).join(file);
    let content = bytes_of(&path).map_err(|e| {
        let what = format!("the data file '{shown}' is missing: {e}");
        Fault::text(at, what)
    })?;
    budget.add(content.len());
    let read = of_stream(&content, header, n, budget, warnings);
    read.map_err(|fault| {
        let what = format!("of the data file {}", fault.in_file(&path, &content));
        Fault::text(at, what)
    })
}

/// Reads numbers from the data alone.
fn of_stream(
    bytes: &[u8],
    header: &NrrdHeader,
    n: usize,
    budget: &mut Budget,
    warnings: &mut Vec<String>,
) -> Result<Numbers, Fault> {
    let size = n.checked_mul(header.scalar.size());
    let size = size.ok_or_else(|| Fault::byte(0, "too many numbers"))?;
    let mut start = 0;
    for _ in 0..header.line_skip {
        let end = memchr::memchr(b'\n', &bytes[start..]);
        let cut = || Fault::byte(bytes.len(), "there are fewer lines than are to be skipped");
        start += end.ok_or_else(cut)? + 1;
    }
    let taken = |what: String| Fault::byte(start, what);
    let mut data = Cow::Borrowed(&bytes[start..]);
    if header.encoding == DataEncoding::Gzip {
        budget.take(size).map_err(taken)?;
        let (unpacked, warning) = gzip::unpack(&data).map_err(taken)?;
        warnings.extend(warning);
        data = Cow::Owned(unpacked);
    }
    let skipped = match header.byte_skip {
        // The data are the end of the file.
        -1 if header.encoding == DataEncoding::Raw => data.len().saturating_sub(size),
        skip => usize::try_from(skip)
            .map_err(|_| Fault::byte(0, format!("{skip} bytes cannot be skipped")))?,
    };
    let left = data.len();
    let cut = || {
        let what = format!("{size} bytes of data expected, but only {left} are there");
        Fault::byte(start, format!("{what}: the file is cut off"))
    };
    let data = data.get(skipped..).ok_or_else(cut)?;
    match header.encoding {
        DataEncoding::Text => text(data, header, n).map_err(|fault| fault.moved(start + skipped)),
        DataEncoding::Hex => {
            let data = hex(data, size).map_err(|fault| fault.moved(start + skipped))?;
            Ok(Numbers::of_bytes(header.scalar, &data, header.order))
        }
        DataEncoding::Raw | DataEncoding::Gzip => {
            let numbers = data.get(..size).ok_or_else(cut)?;
            if data.len() > size {
                let more = data.len() - size;
                warnings.push(format!("{more} bytes after the data are not read"));
            }
            Ok(Numbers::of_bytes(header.scalar, numbers, header.order))
        }
    }
}

fn text(data: &[u8], header: &NrrdHeader, n: usize) -> Result<Numbers, Fault> {
    if n > data.len().div_ceil(2) {
        let what = format!("{n} numbers expected in {} characters", data.len());
        return Err(Fault::text(0, what));
    }
    let mut numbers = Numbers::with_capacity(header.scalar, n);
    let mut words = Tokens::new(data);
    for i in 0..n {
        let Some((at, word)) = words.next_at() else {
            let what = format!("{n} numbers expected, {i} are there: the file is cut off");
            return Err(Fault::text(data.len(), what));
        };
        // Commas may part numbers.
        let word = word.strip_suffix(b",").unwrap_or(word);
        numbers.push(word, at)?;
    }
    match words.next_at() {
        None => Ok(numbers),
        Some((at, _)) => Err(Fault::text(at, format!("there are more than {n} numbers"))),
    }
}

/// Reads bytes that are two hexadecimal digits each.
fn hex(data: &[u8], size: usize) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::with_capacity(size.min(data.len() / 2));
    let mut high = None;
    for (at, &c) in data.iter().enumerate() {
        if c.is_ascii_whitespace() {
            continue;
        }
        let Some(digit) = char::from(c).to_digit(16) else {
            return Err(Fault::text(at, "a hexadecimal digit expected"));
        };
        let digit = digit as u8;
        match high.take() {
            None => high = Some(digit << 4),
            Some(high) => out.push(high | digit),
        }
    }
    match out.len() == size && high.is_none() {
        true => Ok(out),
        false => {
            let there = out.len();
            let what = format!("{size} bytes of data expected, {there} are there");
            Err(Fault::text(data.len(), what))
        }
    }
}
