//! Reading TetGen's files.

use super::super::error::Fault;
use super::super::numbers::{NumberType, Numbers};
use super::super::points::CoordinateBits;
use super::super::scan::{LineWords, TextLines, integer, quote};
use super::super::soup::head_comments;
use super::super::volume::{MARKER, REGION, Volume, references};
use crate::mesh::{ColumnData, ElementKind};

/// Contents of both files.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Pair<'a> {
    pub(in super::super) nodes: &'a [u8],
    pub(in super::super) cells: &'a [u8],
}

/// Reads the mesh; the error is the fault, with `true` if it is in the cells' file.
pub(in super::super) fn read(
    pair: Pair<'_>,
    bits: CoordinateBits,
) -> Result<Volume, (bool, Fault)> {
    let mut volume = Volume::new(bits, pair.nodes.len());
    let first = nodes(pair.nodes, &mut volume).map_err(|f| (false, f))?;
    cells(pair.cells, first, &mut volume).map_err(|f| (true, f))?;
    Ok(volume)
}

/// Reads the vertices; returns the number of the first, which is 0 or 1.
fn nodes(bytes: &[u8], volume: &mut Volume) -> Result<i64, Fault> {
    let mut table = TetgenTable::new(bytes, "vertices", 8)?;
    volume.comments = head_comments(bytes, 0);
    let dimension = table.header("the dimension", Some(3))?;
    if dimension != 3 {
        let what = format!("a volume needs three dimensions, this file has {dimension}");
        return Err(Fault::text(table.at, what));
    }
    let width = table.header("the number of attributes", Some(0))?;
    let marked = table.header("whether there are boundary markers", Some(0))? != 0;
    table.holds(width, 2)?;
    volume.points.reserve(table.rows);
    let mut attributes = Numbers::with_capacity(NumberType::F64, width * table.rows);
    let mut markers = Vec::new();
    let mut first = 0;
    for i in 0..table.rows {
        let mut words = table.row(i, &mut first)?;
        volume.points.read(&mut words)?;
        for _ in 0..width {
            let (at, word) = words.expected("an attribute")?;
            attributes.push(word, at)?;
        }
        if marked {
            let (at, word) = words.expected("a boundary marker")?;
            markers.push(whole(word, at)?);
        }
        end(&mut words)?;
    }
    table.over()?;
    if width > 0 {
        volume.column("attribute", ElementKind::Vertex, width, attributes);
    }
    if let Some(markers) = references(markers, &[0]) {
        volume.column(MARKER, ElementKind::Vertex, 1, markers);
    }
    Ok(first)
}

fn cells(bytes: &[u8], first: i64, volume: &mut Volume) -> Result<(), Fault> {
    let mut table = TetgenTable::new(bytes, "tetrahedra", 10)?;
    let nodes = table.header("the number of nodes of a tetrahedron", Some(4))?;
    if nodes != 4 && nodes != 10 {
        let what = format!("tetrahedra have 4 nodes or 10, not {nodes}");
        return Err(Fault::text(table.at, what));
    }
    let width = table.header("the number of attributes", Some(0))?;
    table.holds(width, 2)?;
    let vertices = volume.points.len() as i64;
    volume.cells.reserve_exact(table.rows);
    let mut regions = Numbers::with_capacity(NumberType::F64, width * table.rows);
    // Numbers of cells begin where those of vertices do, but nothing depends on them.
    let mut any = 0;
    for i in 0..table.rows {
        let mut words = table.row(i, &mut any)?;
        let mut cell = [0; 10];
        for v in &mut cell[..nodes] {
            let (at, word) = words.expected("a vertex")?;
            let index = integer(word, at, "a vertex")?;
            let Some(index) = index
                .checked_sub(first)
                .filter(|i| (0..vertices).contains(i))
            else {
                let what = format!(
                    "a tetrahedron names vertex {index}, but there are {vertices} (counted from {first})"
                );
                return Err(Fault::text(at, what));
            };
            *v = index as u32;
        }
        for _ in 0..width {
            let (at, word) = words.expected("an attribute")?;
            regions.push(word, at)?;
        }
        end(&mut words)?;
        volume.tetrahedron(&cell[..nodes]);
    }
    table.over()?;
    if width > 0 {
        volume.column(REGION, ElementKind::Cell, width, whole_numbers(regions));
    }
    Ok(())
}

/// Converts attributes of cells, which TetGen prints as floats, to the whole numbers that they mostly are.
fn whole_numbers(values: Numbers) -> Numbers {
    let whole = |i: usize| values.whole(i).and_then(|n| i32::try_from(n).ok());
    match (0..values.len()).map(whole).collect() {
        Some(whole) => Numbers::Kept(ColumnData::I32(whole)),
        None => values,
    }
}

fn whole(word: &[u8], at: usize) -> Result<i32, Fault> {
    let n = integer(word, at, "a boundary marker")?;
    i32::try_from(n).map_err(|_| {
        Fault::text(
            at,
            format!("the boundary marker {n} does not fit into 32 bits"),
        )
    })
}

fn end(words: &mut LineWords<'_>) -> Result<(), Fault> {
    match words.next_at() {
        None => Ok(()),
        Some((at, word)) => {
            let what = format!("{} is one value too many on this line", quote(word));
            Err(Fault::text(at, what))
        }
    }
}

/// Rows after a line of counts.
struct TetgenTable<'a> {
    lines: TextLines<'a>,
    head: LineWords<'a>,
    end: usize,
    rows: usize,
    what: &'static str,
    /// Offset of the last number of the header.
    at: usize,
    least: usize,
}

impl<'a> TetgenTable<'a> {
    fn new(bytes: &'a [u8], what: &'static str, least: usize) -> Result<TetgenTable<'a>, Fault> {
        let mut lines = TextLines::new(bytes, 0);
        let head = lines.next_words();
        let head = head.ok_or_else(|| Fault::text(0, format!("the number of {what} expected")))?;
        let mut table = TetgenTable {
            lines,
            head,
            end: bytes.len(),
            rows: 0,
            what,
            at: 0,
            least,
        };
        table.rows = table.header(&format!("the number of {what}"), None)?;
        Ok(table)
    }

    /// Reads the next number of the header; those at its end may be missing.
    fn header(&mut self, what: &str, missing: Option<usize>) -> Result<usize, Fault> {
        if let (None, Some(n)) = (self.head.clone().next_at(), missing) {
            return Ok(n);
        }
        let (at, word) = self.head.expected(what)?;
        self.at = at;
        let n = integer(word, at, what)?;
        usize::try_from(n).map_err(|_| Fault::text(at, format!("{what} is {n}")))
    }

    /// Refuses more rows than the rest of the file can hold, with `values` more values of `size` bytes each.
    fn holds(&self, values: usize, size: usize) -> Result<(), Fault> {
        let left = self.end - self.lines.offset().min(self.end);
        let row = values.saturating_mul(size).saturating_add(self.least);
        match self.rows.checked_mul(row) {
            Some(bytes) if bytes <= left + 1 => Ok(()),
            _ => {
                let what = format!(
                    "{} {} of {row} bytes or more are promised, but only {left} bytes are left: the file is cut off \
                        or a number is wrong",
                    self.rows, self.what
                );
                Err(Fault::text(self.at, what))
            }
        }
    }

    /// Returns the words of row `i` after its number: rows are numbered from 0 or 1 on, without gaps.
    fn row(&mut self, i: usize, first: &mut i64) -> Result<LineWords<'a>, Fault> {
        let (end, rows, what) = (self.end, self.rows, self.what);
        let ends = || Fault::text(end, format!("the file ends after {i} of {rows} {what}"));
        let mut words = self.lines.next_words().ok_or_else(ends)?;
        let (at, word) = words.expected("a number")?;
        let n = integer(word, at, "a number")?;
        if i == 0 && (0..=1).contains(&n) {
            *first = n;
        }
        if n != *first + i as i64 {
            let what = format!(
                "{what} are numbered from 0 or 1 on, without gaps: {} expected, not {n}",
                *first + i as i64
            );
            return Err(Fault::text(at, what));
        }
        Ok(words)
    }

    /// Refuses rows after the last.
    fn over(&mut self) -> Result<(), Fault> {
        match self.lines.next_words() {
            None => Ok(()),
            Some(words) => {
                let what = format!(
                    "more {} than the {} that are promised",
                    self.what, self.rows
                );
                Err(Fault::text(words.offset(), what))
            }
        }
    }
}
