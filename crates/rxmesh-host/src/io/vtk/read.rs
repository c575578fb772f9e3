//! Reading VTK's legacy format.

use super::super::error::Fault;
use super::super::names;
use super::super::numbers::{ByteOrder, NumberType, Numbers};
use super::super::points::CoordinateBits;
use super::super::scan::quote;
use super::super::tokens::{Tokens, count};
use super::super::volume::Volume;
use super::cells::{CellList, KeptRows, PolyDataSection};
use crate::mesh::ElementKind;

pub(in super::super) fn read(bytes: &[u8], bits: CoordinateBits) -> Result<Volume, Fault> {
    let mut tokens = Tokens::new(bytes);
    let mut first = tokens.line();
    while first.trim_ascii().is_empty() && tokens.left() > 0 {
        first = tokens.line();
    }
    if !super::looks_like(first) {
        let what = format!(
            "'# vtk DataFile Version' expected, the file begins with {}",
            quote(first)
        );
        return Err(Fault::text(0, what));
    }
    let title = names::from_bytes(tokens.line());
    let (at, word) = tokens.expected("'ASCII' or 'BINARY'")?;
    let binary = match () {
        () if word.eq_ignore_ascii_case(b"ASCII") => false,
        () if word.eq_ignore_ascii_case(b"BINARY") => true,
        () => {
            return Err(Fault::text(
                at,
                format!("'ASCII' or 'BINARY' expected, not {}", quote(word)),
            ));
        }
    };
    let mut reader = VtkReader {
        tokens,
        binary,
        volume: Volume::new(bits, bytes.len()),
        ends: None,
        nodes: None,
        types: None,
        parts: Vec::new(),
        kept: None,
        rows: None,
        at: 0,
    };
    if !title.is_empty() {
        reader.volume.comments.push(title);
    }
    reader.volume.binary = binary;
    // Lines mean nothing between bytes.
    let place = |fault: Fault| if binary { fault.at_byte() } else { fault };
    reader.sections().map_err(place)?;
    Ok(reader.volume)
}

pub(super) struct VtkReader<'a> {
    pub(super) tokens: Tokens<'a>,
    pub(super) binary: bool,
    pub(super) volume: Volume,
    ends: Option<Vec<usize>>,
    nodes: Option<Numbers>,
    types: Option<Numbers>,
    /// Cells of poly data.
    parts: Vec<(PolyDataSection, Vec<usize>, Numbers)>,
    /// Elements that are kept, once they are taken.
    pub(super) kept: Option<KeptRows>,
    /// Kind of the elements whose data follow, and their number of rows.
    pub(super) rows: Option<(ElementKind, usize)>,
    /// Offset of the cells.
    at: usize,
}

impl VtkReader<'_> {
    fn sections(&mut self) -> Result<(), Fault> {
        while let Some((at, word)) = self.tokens.next_at() {
            self.section(at, &word.to_ascii_uppercase())?;
        }
        self.cells()
    }

    pub(super) fn section(&mut self, at: usize, word: &[u8]) -> Result<(), Fault> {
        match word {
            b"DATASET" => self.dataset(),
            b"POINTS" => self.points(at),
            b"CELLS" => {
                (self.ends, self.nodes) = {
                    let (ends, nodes) = self.connectivity(at)?;
                    (Some(ends), Some(nodes))
                };
                Ok(())
            }
            b"VERTICES" if self.volume.flat => self.part(PolyDataSection::Vertices, at),
            b"LINES" if self.volume.flat => self.part(PolyDataSection::Lines, at),
            b"POLYGONS" if self.volume.flat => self.part(PolyDataSection::Polygons, at),
            b"TRIANGLE_STRIPS" if self.volume.flat => self.part(PolyDataSection::Strips, at),
            b"CELL_TYPES" => {
                let n = self.tokens.count("the number of cells", 1)?;
                self.types = Some(self.array(NumberType::I32, n, "types of cells")?);
                Ok(())
            }
            b"POINT_DATA" => self.data(ElementKind::Vertex, at),
            b"CELL_DATA" => self.data(ElementKind::Cell, at),
            b"METADATA" => {
                self.metadata();
                Ok(())
            }
            _ => self.attribute(at, word),
        }
    }

    /// Skips the metadata of an array, up to an empty line.
    pub(super) fn metadata(&mut self) {
        self.tokens.line();
        while self.tokens.left() > 0 && !self.tokens.line().is_empty() {}
    }

    fn dataset(&mut self) -> Result<(), Fault> {
        let (at, word) = self.tokens.expected("the kind of data")?;
        self.volume.flat = word.eq_ignore_ascii_case(b"POLYDATA");
        if self.volume.flat || word.eq_ignore_ascii_case(b"UNSTRUCTURED_GRID") {
            return Ok(());
        }
        let what = format!(
            "{} is read from no VTK file, only UNSTRUCTURED_GRID and POLYDATA",
            quote(word)
        );
        Err(Fault::text(at, what))
    }

    fn points(&mut self, at: usize) -> Result<(), Fault> {
        if self.volume.points.len() > 0 {
            return Err(Fault::text(at, "there are points already"));
        }
        let n = self.tokens.count("the number of points", 3)?;
        let scalar = self.scalar()?;
        let points = &mut self.volume.points;
        if !self.binary {
            points.reserve(n);
            return (0..n).try_for_each(|_| self.tokens.point(points));
        }
        let numbers = self.array(scalar, 3 * n, "points")?;
        let points = &mut self.volume.points;
        points.reserve(n);
        let from = self.tokens.offset() - 3 * n * scalar.size();
        for i in 0..n {
            let mut p = [Default::default(); 3];
            for (k, c) in p.iter_mut().enumerate() {
                let at = from + (3 * i + k) * scalar.size();
                let x = numbers.real(3 * i + k);
                *c = points
                    .take(x)
                    .map_err(|r| r.of(|what| Fault::text(at, what)))?;
            }
            points.push(p);
        }
        Ok(())
    }

    /// Reads cells as lists that begin with their length (up to version 4), or as offsets and nodes (5.1).
    fn connectivity(&mut self, at: usize) -> Result<(Vec<usize>, Numbers), Fault> {
        self.at = at;
        let n = self.tokens.count("the number of cells", 1)?;
        let size = self.tokens.count("the number of numbers", 1)?;
        let is_offsets = |w: &[u8]| w.eq_ignore_ascii_case(b"OFFSETS");
        if self.tokens.peek().is_some_and(|(_, w)| is_offsets(w)) {
            self.tokens.next_at();
            let scalar = self.scalar()?;
            let offsets = self.array(scalar, n, "offsets")?;
            let (at, word) = self.tokens.expected("'CONNECTIVITY'")?;
            if !word.eq_ignore_ascii_case(b"CONNECTIVITY") {
                return Err(Fault::text(
                    at,
                    format!("'CONNECTIVITY' expected, not {}", quote(word)),
                ));
            }
            let scalar = self.scalar()?;
            let nodes = self.array(scalar, size, "nodes of cells")?;
            let end = |i: usize| offsets.whole(i).and_then(|o| usize::try_from(o).ok());
            // One that is no size is refused when the cells are taken.
            let ends = (1..n).map(|i| end(i).unwrap_or(usize::MAX)).collect();
            return Ok((ends, nodes));
        }
        let before = self.tokens.clone();
        let lists = self.lists(at, n, size);
        if let (false, Err(_)) = (self.binary, &lists) {
            let after = std::mem::replace(&mut self.tokens, before);
            if let Some((lists, numbers)) = self.rows_of_cells(n) {
                self.volume.warnings.push(format!(
                    "{n} lists of cells are said to have {size} numbers and have {numbers}: they are read unchanged"
                ));
                return Ok(lists);
            }
            self.tokens = after;
        }
        lists
    }

    /// Lists of nodes, in text, one after the other as their lengths say, and the number of all numbers; `None` unless
    /// a word that is not a number follows.
    fn rows_of_cells(&mut self, n: usize) -> Option<((Vec<usize>, Numbers), usize)> {
        let (mut ends, mut nodes) = (Vec::new(), Vec::new());
        let mut whole = || {
            let (_, word) = self.tokens.next_at()?;
            std::str::from_utf8(word).ok()?.parse::<i64>().ok()
        };
        for _ in 0..n {
            for _ in 0..whole()? {
                nodes.push(whole()?);
            }
            ends.push(nodes.len());
        }
        let next = self.tokens.peek();
        let is_word = |w: &[u8]| w.first().is_some_and(u8::is_ascii_alphabetic);
        let numbers = n + nodes.len();
        next.is_none_or(|(_, w)| is_word(w))
            .then_some(((ends, Numbers::I64(nodes)), numbers))
    }

    /// Reads lists of `size` numbers in all, each of which begins with its length.
    fn lists(&mut self, at: usize, n: usize, size: usize) -> Result<(Vec<usize>, Numbers), Fault> {
        let lists = self.array(NumberType::I32, size, "cells")?;
        let (mut ends, mut nodes) = (Vec::with_capacity(n), Vec::with_capacity(size));
        let mut next = 0;
        for i in 0..n {
            let length = (next < size).then(|| lists.whole(next)).flatten();
            let length = length
                .and_then(|l| usize::try_from(l).ok())
                .filter(|l| *l < size - next);
            let Some(length) = length else {
                let what = format!(
                    "cell {i} (counted from 0) does not fit into the {size} numbers of all cells"
                );
                return Err(Fault::text(at, what));
            };
            let own = next + 1..next + 1 + length;
            nodes.extend(own.map(|k| lists.whole(k).unwrap_or(-1)));
            ends.push(nodes.len());
            next += 1 + length;
        }
        Ok((ends, Numbers::I64(nodes)))
    }

    /// Reads cells of poly data.
    fn part(&mut self, part: PolyDataSection, at: usize) -> Result<(), Fault> {
        let (ends, nodes) = self.connectivity(at)?;
        self.parts.push((part, ends, nodes));
        Ok(())
    }

    /// Adds the elements to the volume once all of their data are known.
    pub(super) fn cells(&mut self) -> Result<(), Fault> {
        if self.kept.is_some() {
            return Ok(());
        }
        let at = self.at;
        let grid = match self.volume.flat {
            true => self.poly_data()?,
            false => {
                let (Some(ends), Some(nodes)) = (self.ends.take(), self.nodes.take()) else {
                    return Err(Fault::text(at, "there are no 'CELLS'"));
                };
                let Some(types) = self.types.take() else {
                    return Err(Fault::text(at, "there are no 'CELL_TYPES'"));
                };
                CellList { ends, nodes, types }
            }
        };
        let kept = grid
            .take(&mut self.volume, at)
            .map_err(|what| Fault::text(at, what))?;
        self.kept = Some(kept);
        Ok(())
    }

    /// Returns the cells of poly data, in the order of their values, whatever that of the file is.
    fn poly_data(&mut self) -> Result<CellList, Fault> {
        let mut all = CellList::default();
        let order = [
            PolyDataSection::Vertices,
            PolyDataSection::Lines,
            PolyDataSection::Polygons,
            PolyDataSection::Strips,
        ];
        for part in order {
            for (_, ends, nodes) in self.parts.iter().filter(|p| p.0 == part) {
                all.append(ends, nodes, part)
                    .map_err(|what| Fault::text(self.at, what))?;
            }
        }
        self.parts.clear();
        Ok(all)
    }

    /// Reads the `n` numbers that come next: after the end of the line in binary files.
    pub(super) fn array(
        &mut self,
        scalar: NumberType,
        n: usize,
        what: &str,
    ) -> Result<Numbers, Fault> {
        if !self.binary {
            let at = self.tokens.offset();
            let promised = i64::try_from(n).unwrap_or(i64::MAX);
            let n = count(promised, 2, self.tokens.left())
                .map_err(|why| Fault::text(at, format!("the number of {what} is {n}{why}")))?;
            let mut numbers = Numbers::with_capacity(scalar, n);
            for _ in 0..n {
                let (at, word) = self.tokens.expected(what)?;
                numbers.push(word, at)?;
            }
            return Ok(numbers);
        }
        self.tokens.line();
        let at = self.tokens.offset();
        let bytes = n
            .checked_mul(scalar.size())
            .and_then(|n| self.tokens.take(n));
        let Some(bytes) = bytes else {
            let left = self.tokens.left();
            let what = format!(
                "{n} {what} of {} bytes expected, but only {left} bytes are left",
                scalar.size()
            );
            return Err(Fault::text(at, what));
        };
        Ok(Numbers::of_bytes(scalar, bytes, ByteOrder::Big))
    }

    pub(super) fn scalar(&mut self) -> Result<NumberType, Fault> {
        let (at, word) = self.tokens.expected("a type")?;
        scalar(word)
            .ok_or_else(|| Fault::text(at, format!("{} is not a type that is read", quote(word))))
    }
}

/// Returns the type that a word means; `char` has a sign, as on most machines that VTK runs on.
pub(super) fn scalar(word: &[u8]) -> Option<NumberType> {
    Some(match word.to_ascii_lowercase().as_slice() {
        b"char" | b"signed_char" | b"vtktypeint8" | b"int8" | b"int8_t" => NumberType::I8,
        b"unsigned_char" | b"vtktypeuint8" | b"uint8" | b"uint8_t" => NumberType::U8,
        b"short" | b"vtktypeint16" | b"int16" | b"int16_t" => NumberType::I16,
        b"unsigned_short" | b"vtktypeuint16" | b"uint16" | b"uint16_t" => NumberType::U16,
        b"int" | b"vtktypeint32" | b"vtkidtype" | b"int32" | b"int32_t" => NumberType::I32,
        b"unsigned_int" | b"vtktypeuint32" | b"uint32" | b"uint32_t" => NumberType::U32,
        b"long" | b"long_long" | b"vtktypeint64" | b"int64" | b"int64_t" | b"__int64" => {
            NumberType::I64
        }
        b"unsigned_long"
        | b"unsigned_long_long"
        | b"vtktypeuint64"
        | b"uint64"
        | b"uint64_t"
        | b"unsigned___int64" => NumberType::U64,
        b"float" | b"vtktypefloat32" | b"float32" => NumberType::F32,
        b"double" | b"vtktypefloat64" | b"float64" => NumberType::F64,
        _ => return None,
    })
}
