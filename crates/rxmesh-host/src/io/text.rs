//! Text output: numbers in their shortest form, lines made in parallel.

use super::Pieces;
use crate::mesh::{ColumnData, CoordinateText, Digits};
use crate::par::IntoLean;
use glam::Vec3;
use rayon::prelude::*;

/// Rows a task formats at a time: some hundred kilobytes of text.
const ROWS: usize = 1 << 14;
/// Rows that one thread formats at once, into a piece that is there.
const FEW: usize = 1 << 8;
/// Bytes of a piece to which more is added.
const SHORT: usize = 1 << 18;
/// Bytes that are reserved for a row.
const ROW: usize = 40;

/// One line of text being made.
pub(super) struct LineBuffer {
    out: Vec<u8>,
    float: ryu::Buffer,
    int: itoa::Buffer,
}

impl LineBuffer {
    fn new(out: Vec<u8>) -> LineBuffer {
        LineBuffer {
            out,
            float: ryu::Buffer::new(),
            int: itoa::Buffer::new(),
        }
    }

    /// Appends text as it is.
    pub(super) fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// Appends the shortest digits that read back as the same float; whole numbers without a point.
    pub(super) fn float(&mut self, x: f32) {
        let s = self.float.format(x);
        self.out
            .extend_from_slice(s.strip_suffix(".0").unwrap_or(s).as_bytes());
    }

    /// Appends the same, but whole numbers keep their point.
    pub(super) fn float_with_point(&mut self, x: f32) {
        self.out.extend_from_slice(self.float.format(x).as_bytes());
    }

    /// Appends three coordinates with spaces between.
    pub(super) fn point(&mut self, text: &CoordinateText, p: Vec3) {
        for (axis, digits) in text.digits(p).into_iter().enumerate() {
            if axis > 0 {
                self.put(b" ");
            }
            match digits {
                Digits::Single(x) => self.float(x),
                Digits::Double(x) => self.double(x),
            }
        }
    }

    /// Works like [`float`](Self::float), for a double.
    pub(super) fn double(&mut self, x: f64) {
        let s = self.float.format(x);
        self.out
            .extend_from_slice(s.strip_suffix(".0").unwrap_or(s).as_bytes());
    }

    /// Appends value `i` of a column.
    pub(super) fn value(&mut self, data: &ColumnData, i: usize) {
        match data {
            ColumnData::F32(v) => self.float(v[i]),
            ColumnData::F64(v) => self.double(v[i]),
            // Whole numbers of 32 bits are exact as doubles.
            whole => self.int(whole.get(i) as i64),
        }
    }

    /// Appends a whole number.
    pub(super) fn int(&mut self, n: impl itoa::Integer) {
        self.out.extend_from_slice(self.int.format(n).as_bytes());
    }

    /// Ends the line; a space before the end is removed.
    pub(super) fn end(&mut self) {
        if self.out.last() == Some(&b' ') {
            self.out.pop();
        }
        self.out.push(b'\n');
    }
}

/// Formats rows `from` to `to` in parallel, in order. A few rows join the last piece.
pub(super) fn rows(
    from: usize,
    to: usize,
    pieces: &mut Pieces,
    row: impl Fn(&mut LineBuffer, usize) + Sync,
) {
    if to.saturating_sub(from) <= FEW {
        let piece = match pieces.pop_if(|last| last.len() < SHORT) {
            Some(piece) => piece,
            None => Vec::with_capacity(ROW * (to - from)),
        };
        let mut line = LineBuffer::new(piece);
        (from..to).for_each(|i| row(&mut line, i));
        pieces.push(line.out);
        return;
    }
    let count = (to - from).div_ceil(ROWS);
    pieces.par_extend((0..count).into_par_iter().lean().map(|k| {
        let first = from + k * ROWS;
        let end = (first + ROWS).min(to);
        let mut line = LineBuffer::new(Vec::with_capacity(ROW * (end - first)));
        (first..end).for_each(|i| row(&mut line, i));
        line.out
    }));
}

/// Adds a few words, to the last piece where that is short: files may have millions of groups.
pub(super) fn add(pieces: &mut Pieces, text: &[u8]) {
    match pieces.last_mut().filter(|last| last.len() < SHORT) {
        Some(last) => last.extend_from_slice(text),
        None => pieces.push(text.to_vec()),
    }
}
