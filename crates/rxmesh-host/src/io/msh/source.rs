//! Numbers of a MSH file, in text or as bytes.

use super::super::error::Fault;
use super::super::numbers::ByteOrder;
use super::super::points::FilePoints;
use super::super::scan::quote;
use super::super::tokens::{Tokens, count};

/// A file that is being read.
pub(super) struct MshSource<'a> {
    pub(super) tokens: Tokens<'a>,
    /// Order of bytes; `None` in text.
    pub(super) binary: Option<ByteOrder>,
    /// Bytes of a size (version 4.1).
    pub(super) size: usize,
}

impl<'a> MshSource<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> MshSource<'a> {
        MshSource {
            tokens: Tokens::new(bytes),
            binary: None,
            size: 8,
        }
    }

    /// Returns the offset of the next number, or of the space before it.
    pub(super) fn at(&self) -> usize {
        self.tokens.offset()
    }

    /// Returns a fault at a place of the section's body.
    pub(super) fn fault(&self, at: usize, what: impl Into<String>) -> Fault {
        match self.binary {
            Some(_) => Fault::byte(at, what),
            None => {
                // The number begins after the space.
                let mut tokens = self.tokens.clone();
                tokens.go_to(at);
                Fault::text(tokens.next_at().map_or(at, |(at, _)| at), what)
            }
        }
    }

    /// Begins the body of a section: bytes begin after the end of the line.
    pub(super) fn begin(&mut self) {
        self.tokens.line();
    }

    fn bytes<const N: usize>(&mut self, order: ByteOrder, what: &str) -> Result<[u8; N], Fault> {
        let at = self.at();
        let bytes = self
            .tokens
            .take(N)
            .and_then(|b| <[u8; N]>::try_from(b).ok());
        let mut bytes =
            bytes.ok_or_else(|| Fault::byte(at, format!("{what} expected, but the file ends")))?;
        if order == ByteOrder::Big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// Reads a whole number: four bytes.
    pub(super) fn int(&mut self, what: &str) -> Result<i64, Fault> {
        match self.binary {
            Some(order) => Ok(i32::from_le_bytes(self.bytes(order, what)?).into()),
            None => Ok(self.tokens.whole(what)?.1),
        }
    }

    /// Reads a size or, in version 4.1, a tag: four or eight bytes.
    pub(super) fn size(&mut self, what: &str) -> Result<i64, Fault> {
        match self.binary {
            Some(order) if self.size == 8 => Ok(i64::from_le_bytes(self.bytes(order, what)?)),
            Some(order) => Ok(u32::from_le_bytes(self.bytes(order, what)?).into()),
            None => Ok(self.tokens.whole(what)?.1),
        }
    }

    /// Reads a double.
    pub(super) fn real(&mut self, what: &str) -> Result<f64, Fault> {
        match self.binary {
            Some(order) => Ok(f64::from_le_bytes(self.bytes(order, what)?)),
            None => self.tokens.real(what),
        }
    }

    /// Reads a position.
    pub(super) fn point(&mut self, points: &mut FilePoints) -> Result<(), Fault> {
        let Some(order) = self.binary else {
            return self.tokens.point(points);
        };
        let mut p = [Default::default(); 3];
        for (c, axis) in p.iter_mut().zip(["x", "y", "z"]) {
            let at = self.at();
            let x = f64::from_le_bytes(self.bytes(order, axis)?);
            *c = points
                .take(x)
                .map_err(|r| r.of(|what| Fault::byte(at, what)))?;
        }
        points.push(p);
        Ok(())
    }

    /// Reads the count of items that take `text` characters or `binary` bytes each, or more.
    pub(super) fn count(
        &self,
        at: usize,
        n: i64,
        what: &str,
        least: [usize; 2],
    ) -> Result<usize, Fault> {
        let least = least[usize::from(self.binary.is_some())];
        let why = |why| self.fault(at, format!("{what} is {n}{why}"));
        count(n, least, self.tokens.left()).map_err(why)
    }

    /// Ends a section: `mark` and its name follow.
    pub(super) fn end(&mut self, mark: &str, name: &str) -> Result<(), Fault> {
        let (at, word) = self.tokens.expected(&format!("'{mark}{name}'"))?;
        if word.strip_prefix(mark.as_bytes()) == Some(name.as_bytes()) {
            return Ok(());
        }
        let what = format!("'{mark}{name}' expected, {} is there", quote(word));
        Err(match self.binary {
            Some(_) => Fault::byte(at, what),
            None => Fault::text(at, what),
        })
    }
}
