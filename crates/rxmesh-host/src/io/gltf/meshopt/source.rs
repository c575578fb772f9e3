//! Packed bytes while they are read.

/// Reason why packed bytes cannot be read.
pub(super) type Wrong = &'static str;

const ENDS: Wrong = "the packed bytes end too early";

/// Bytes that are not read yet.
pub(super) struct Source<'a> {
    left: &'a [u8],
}

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Source<'a> {
        Source { left: bytes }
    }

    /// Takes the next bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Wrong> {
        let (taken, left) = self.left.split_at_checked(count).ok_or(ENDS)?;
        self.left = left;
        Ok(taken)
    }

    /// Takes the last bytes.
    pub(super) fn take_end(&mut self, count: usize) -> Result<&'a [u8], Wrong> {
        let at = self.left.len().checked_sub(count).ok_or(ENDS)?;
        let (left, taken) = self.left.split_at(at);
        self.left = left;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Wrong> {
        let (&first, left) = self.left.split_first().ok_or(ENDS)?;
        self.left = left;
        Ok(first)
    }

    /// Reads a number of up to five bytes, the lowest seven bits first.
    pub(super) fn number(&mut self) -> Result<u32, Wrong> {
        let mut number = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a packed number has more than five bytes")
    }

    /// Refuses bytes that are left.
    pub(super) fn end(&self) -> Result<(), Wrong> {
        match self.left.is_empty() {
            true => Ok(()),
            false => Err("more bytes are packed than the elements take"),
        }
    }
}

/// Returns a number whose sign is the lowest bit.
pub(super) fn signed(n: u32) -> u32 {
    (n >> 1) ^ (n & 1).wrapping_neg()
}
