//! Words of formats in which lines mean little: a list may continue for as many lines as it likes.

use super::error::Fault;
use super::points::FilePoints;
use super::scan::{is_space, quote};

/// Words of a file, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    pos: usize,
    comments: bool,
}

impl<'a> Tokens<'a> {
    /// Splits a text in which `#` is an ordinary character into words.
    pub(super) fn new(bytes: &'a [u8]) -> Tokens<'a> {
        Tokens {
            bytes,
            pos: 0,
            comments: false,
        }
    }

    /// Splits a text in which `#` at the beginning of a word starts a comment that ends with the line into words.
    pub(super) fn with_comments(bytes: &'a [u8]) -> Tokens<'a> {
        Tokens {
            comments: true,
            ..Tokens::new(bytes)
        }
    }

    /// Returns the offset of the next byte.
    pub(super) fn offset(&self) -> usize {
        self.pos
    }

    /// Returns the number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// Returns the next word and its offset.
    #[inline]
    pub(super) fn next_at(&mut self) -> Option<(usize, &'a [u8])> {
        let mut i = self.pos;
        loop {
            while i < self.bytes.len() && is_space(self.bytes[i]) {
                i += 1;
            }
            if !(self.comments && self.bytes.get(i) == Some(&b'#')) {
                break;
            }
            i = self.line_end(i);
        }
        let start = i;
        while i < self.bytes.len() && !is_space(self.bytes[i]) {
            i += 1;
        }
        self.pos = i;
        (start < i).then(|| (start, &self.bytes[start..i]))
    }

    /// Returns the next word, which stays.
    pub(super) fn peek(&self) -> Option<(usize, &'a [u8])> {
        self.clone().next_at()
    }

    /// Returns the next word; `what` names it in the error if it is missing.
    #[inline]
    pub(super) fn expected(&mut self, what: &str) -> Result<(usize, &'a [u8]), Fault> {
        let end = self.bytes.len();
        let ends = || Fault::text(end, format!("{what} expected, but the file ends"));
        self.next_at().ok_or_else(ends)
    }

    /// Reads a whole number. Returns its offset, too.
    pub(super) fn whole(&mut self, what: &str) -> Result<(usize, i64), Fault> {
        let (at, word) = self.expected(what)?;
        Ok((at, super::scan::integer(word, at, what)?))
    }

    /// Reads a double; NaN and infinity are numbers here.
    pub(super) fn real(&mut self, what: &str) -> Result<f64, Fault> {
        let (at, word) = self.expected(what)?;
        let number = std::str::from_utf8(word).ok().and_then(|s| s.parse().ok());
        number.ok_or_else(|| {
            let what = format!("{what} expected, {} is not a number", quote(word));
            Fault::text(at, what)
        })
    }

    /// Reads the count of items that take `least` bytes each, or more: more than the rest of the file can hold are
    /// refused.
    pub(super) fn count(&mut self, what: &str, least: usize) -> Result<usize, Fault> {
        let (at, n) = self.whole(what)?;
        count(n, least, self.left()).map_err(|why| Fault::text(at, format!("{what} is {n}{why}")))
    }

    /// Reads the next three words as a position.
    #[inline]
    pub(super) fn point(&mut self, points: &mut FilePoints) -> Result<(), Fault> {
        points.read_by(|axis| self.expected(axis))
    }

    /// Returns the rest of the line, without its end.
    pub(super) fn line(&mut self) -> &'a [u8] {
        let start = self.pos;
        let end = self.line_end(start);
        self.pos = (end + 1).min(self.bytes.len());
        self.bytes[start..end].trim_ascii()
    }

    /// Returns the next `n` bytes, and passes over them.
    pub(super) fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let bytes = self.bytes[self.pos..].get(..n)?;
        self.pos += n;
        Some(bytes)
    }

    /// Moves to another offset.
    pub(super) fn go_to(&mut self, pos: usize) {
        self.pos = pos.min(self.bytes.len());
    }

    fn line_end(&self, from: usize) -> usize {
        memchr::memchr(b'\n', &self.bytes[from..]).map_or(self.bytes.len(), |n| from + n)
    }
}

/// Returns a number that a header gives, if that many items of `least` bytes each fit the bytes that are left;
/// otherwise the reason, as the end of a sentence. The last item may lack the byte after it.
pub(super) fn count(n: i64, least: usize, left: usize) -> Result<usize, String> {
    let Ok(n) = usize::try_from(n) else {
        return Err(", which is less than 0".into());
    };
    match n.checked_mul(least) {
        Some(bytes) if bytes <= left + 1 => Ok(n),
        _ => Err(format!(
            ", which takes {} bytes or more, but only {left} are left: the file is cut off or the number is wrong",
            n as u128 * least as u128
        )),
    }
}
