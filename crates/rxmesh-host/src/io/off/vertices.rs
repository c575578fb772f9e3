//! Attributes of vertices in OFF as text.

use super::super::error::Fault;
use super::super::scan::{LeftOut, LineWords, number};
use super::super::soup::Soup;
use super::Prefix;
use crate::mesh::{COLOR, Column, ColumnData, ElementKind, NORMAL};

/// The name under which indices into a colour map are kept.
const MAP: &str = "color_index";

/// A word and its place in the file.
type Word<'a> = (usize, &'a [u8]);

/// Values after the coordinates of each vertex.
pub(super) struct VertexRows<'a> {
    prefix: Prefix,
    normals: Vec<f32>,
    colours: Colours,
    texcoords: [Vec<f32>; 2],
    /// Normals and colours of each row, where both are there: which comes first shows when all are known.
    both: Vec<Vec<Word<'a>>>,
    /// Rows with more numbers than the keyword announces.
    more: usize,
    /// Number of the next row.
    row: usize,
    /// Normals and texture coordinates that are no finite numbers, with the number of their row.
    unread: LeftOut,
    unread_texcoords: LeftOut,
}

impl<'a> VertexRows<'a> {
    pub(super) fn new(prefix: Prefix) -> VertexRows<'a> {
        VertexRows {
            prefix,
            normals: Vec::new(),
            colours: Colours::default(),
            texcoords: Default::default(),
            both: Vec::new(),
            more: 0,
            row: 0,
            unread: LeftOut::default(),
            unread_texcoords: LeftOut::default(),
        }
    }

    /// Reads the words after the coordinates of a vertex.
    pub(super) fn add(&mut self, mut words: LineWords<'a>) -> Result<(), Fault> {
        let mut rest: Vec<Word<'a>> = std::iter::from_fn(|| words.next_at()).collect();
        let ends = |what: &str| {
            let what = format!("{what} expected, but the line ends");
            Err(Fault::text(words.offset(), what))
        };
        if self.prefix.normals && rest.len() < 3 {
            let axis = ["x", "y", "z"][rest.len()];
            return ends(&format!("a normal's {axis}"));
        }
        if self.prefix.texcoords {
            if rest.len() < 2 + if self.prefix.normals { 3 } else { 0 } {
                return ends("two texture coordinates");
            }
            let pair = rest.split_off(rest.len() - 2);
            let mut unread = false;
            for (values, (at, word)) in self.texcoords.iter_mut().zip(pair) {
                let value = number(word, at);
                unread |= value.is_err();
                values.push(value.unwrap_or_default());
            }
            if unread {
                self.unread_texcoords.note(self.row);
            }
        }
        self.row += 1;
        match (self.prefix.normals, self.prefix.colours) {
            (true, true) => {
                self.both.push(rest);
                return Ok(());
            }
            (true, false) => {
                self.normal(&rest[..3]);
                self.more += usize::from(rest.len() > 3);
            }
            (false, true) => self.colours.add(&rest)?,
            (false, false) => self.more += usize::from(!rest.is_empty()),
        }
        Ok(())
    }

    fn normal(&mut self, words: &[Word<'a>]) {
        let mut values = words.iter().map(|&(at, word)| number(word, at).ok());
        let mut next = || values.next().flatten();
        let normal = next().zip(next()).zip(next());
        if normal.is_none() {
            self.unread.note(self.normals.len() / 3);
        }
        let normal = normal.map(|((x, y), z)| [x, y, z]);
        self.normals.extend(normal.unwrap_or_default());
    }

    /// Returns `true` if colours come before normals: as the keyword has it, unless only the other order gives colours.
    /// If the keyword says that normals come first, these are no bytes of colours either.
    fn colours_first(&self) -> bool {
        let rows = || self.both.iter();
        let first = rows().all(|row| can_be_colour(&row[..row.len() - 3]));
        let last = rows().all(|row| can_be_colour(&row[3..]));
        let bytes = |row: &Vec<Word<'a>>| {
            let mut values = row[..row.len() - 3].iter().map(|&(at, w)| number(w, at));
            values.any(|x| x.is_ok_and(|x| x > 1.0))
        };
        match (first, last) {
            (true, false) => self.prefix.colours_first || rows().any(bytes),
            (false, true) => false,
            _ => self.prefix.colours_first,
        }
    }

    /// Adds the columns to the soup, and a warning of the values that are not kept.
    pub(super) fn finish(mut self, soup: &mut Soup) -> Result<(), Fault> {
        let colours_first = self.colours_first();
        for row in std::mem::take(&mut self.both) {
            let (normal, colour) = match colours_first {
                true => (&row[row.len() - 3..], &row[..row.len() - 3]),
                false => row.split_at(3),
            };
            self.normal(normal);
            self.colours.add(colour)?;
        }
        for (all, what) in [
            (self.unread, "normals"),
            (self.unread_texcoords, "pairs of texture coordinates"),
        ] {
            soup.warnings.extend(all.first.map(|row| {
                let n = all.count;
                format!(
                    "{n} {what} are no finite numbers: they are 0 now, the first is of vertex {row} (counted from 0)"
                )
            }));
        }
        if self.more > 0 {
            soup.warnings.push(format!(
                "{} vertices have more numbers than the first word of the file announces: not kept",
                self.more
            ));
        }
        let vertex = |name: &str, width, v| Column {
            name: name.into(),
            element: ElementKind::Vertex,
            width,
            data: ColumnData::F32(v),
        };
        if self.prefix.normals {
            soup.columns.push(vertex(NORMAL, 3, self.normals));
        }
        self.colours.keep(ElementKind::Vertex, soup);
        if self.prefix.texcoords {
            let [s, t] = self.texcoords;
            soup.columns.extend([vertex("s", 1, s), vertex("t", 1, t)]);
        }
        Ok(())
    }
}

/// Returns `true` for words that can be a colour: whole numbers from 0 to 255, or numbers from 0 to 1.
fn can_be_colour(words: &[Word<'_>]) -> bool {
    let values = || words.iter().map(|&(at, w)| number(w, at).unwrap_or(-1.0));
    let whole = |x: f32| (0.0..=255.0).contains(&x) && x.fract() == 0.0;
    values().all(whole) || values().all(|x| (0.0..=1.0).contains(&x))
}

/// Colours as they come in rows: nothing, an index into a map, or three or four numbers.
#[derive(Default)]
pub(super) struct Colours {
    rows: usize,
    width: Option<usize>,
    mixed: bool,
    fractions: bool,
    values: Vec<f32>,
}

impl Colours {
    pub(super) fn add(&mut self, words: &[(usize, &[u8])]) -> Result<(), Fault> {
        self.rows += 1;
        self.mixed |= *self.width.get_or_insert(words.len()) != words.len();
        for &(at, word) in words {
            // 0 to 255 as whole numbers, 0 to 1 with a point: the spelling decides, so "1" and "1.0" differ.
            self.fractions |= word.iter().any(|b| matches!(b, b'.' | b'e' | b'E'));
            let value = number(word, at);
            self.mixed |= value.is_err();
            self.values.push(value.unwrap_or_default());
        }
        Ok(())
    }

    /// Gives the soup a column of the colours, or a warning.
    pub(super) fn keep(self, element: ElementKind, soup: &mut Soup) {
        match self.column(element) {
            Some(Ok(column)) => soup.columns.push(column),
            Some(Err(what)) => soup.warnings.push(what),
            None => {}
        }
    }

    fn column(self, element: ElementKind) -> Option<Result<Column, String>> {
        let width = self.width.filter(|_| !self.values.is_empty())?;
        let whole = !self.fractions && self.values.iter().all(|x| (0.0..=255.0).contains(x));
        let kept = match width {
            1 if !self.mixed => (
                MAP,
                ColumnData::I32(self.values.iter().map(|&x| x as i32).collect()),
            ),
            3 | 4 if !self.mixed && whole => (
                COLOR,
                ColumnData::U8(self.values.iter().map(|&x| x as u8).collect()),
            ),
            3 | 4 if !self.mixed => (COLOR, ColumnData::F32(self.values)),
            _ => {
                return Some(Err(format!(
                    "the colours of {} {element} rows are not of one kind: not kept",
                    self.rows
                )));
            }
        };
        Some(Ok(Column {
            name: kept.0.into(),
            element,
            width,
            data: kept.1,
        }))
    }
}
