//! OFF as text.

use super::super::error::Fault;
use super::super::points::{Bits, Points};
use super::super::scan::{LeftOut, Lines, Words, integer, number, quote};
use super::super::soup::{Polygon, Soup, head_comments};
use super::Prefix;
use crate::mesh::{COLOR, Column, ColumnData, ElementKind, NORMAL};

/// The name under which indices into a colour map are kept.
const MAP: &str = "color_index";

/// The fewest characters of a vertex (`0 0 0`) and of a face (`0`) with their line ends.
const LEAST: [u64; 2] = [6, 2];

pub(super) fn read<'a>(
    bytes: &'a [u8],
    lines: Lines<'a>,
    counts: Words<'_>,
    prefix: Prefix,
    bits: Bits,
) -> Result<Soup, Fault> {
    let (vertices, faces) = read_counts(bytes, counts)?;
    let mut reader = Reader {
        lines,
        end: bytes.len(),
        bytes,
        unread: LeftOut::default(),
        soup: Soup {
            points: Points::new(bits),
            comments: head_comments(bytes, 1),
            ..Soup::default()
        },
    };
    reader.vertices(vertices, prefix)?;
    reader.faces(faces)?;
    Ok(reader.soup)
}

/// Vertices, faces and (not looked at) edges. What the file cannot hold is refused here.
fn read_counts(bytes: &[u8], mut words: Words<'_>) -> Result<(usize, usize), Fault> {
    let mut counts = [0u64; 2];
    for (count, what) in counts
        .iter_mut()
        .zip(["the number of vertices", "the number of faces"])
    {
        let end = words.offset();
        let Some((at, word)) = words.next_at() else {
            return Err(Fault::text(
                end,
                format!("{what} expected, but the line ends"),
            ));
        };
        let n = integer(word, at, what)?;
        *count =
            u64::try_from(n).map_err(|_| Fault::text(at, format!("{what} is {}", quote(word))))?;
    }
    let at = words.offset();
    let left = (bytes.len() - at) as u64;
    let least =
        u128::from(counts[0]) * u128::from(LEAST[0]) + u128::from(counts[1]) * u128::from(LEAST[1]);
    if least > u128::from(left) + 2 {
        let [v, f] = counts;
        let what = format!(
            "{v} vertices and {f} faces are promised, which take {least} bytes or more, but only {left} are left: the \
                file is cut off or a count is wrong"
        );
        return Err(Fault::text(at, what));
    }
    Ok((counts[0] as usize, counts[1] as usize))
}

struct Reader<'a> {
    lines: Lines<'a>,
    end: usize,
    bytes: &'a [u8],
    /// Normals that are no finite numbers.
    unread: LeftOut,
    soup: Soup,
}

impl<'a> Reader<'a> {
    fn row(&mut self, what: &str, i: usize, n: usize) -> Result<Words<'a>, Fault> {
        let ends = || {
            Fault::text(
                self.end,
                format!("the file ends before {what} {i} of {n} (counted from 0)"),
            )
        };
        self.lines.next_words().ok_or_else(ends)
    }

    fn vertices(&mut self, n: usize, prefix: Prefix) -> Result<(), Fault> {
        self.soup.points.reserve(n);
        let (mut normals, mut colours) = (Vec::new(), Colours::default());
        let (mut s, mut t) = (Vec::new(), Vec::new());
        let mut more = 0usize;
        for i in 0..n {
            let mut words = self.row("vertex", i, n)?;
            self.soup.points.read(&mut words)?;
            if prefix.normals {
                let line = words.offset();
                let mut normal = [0.0; 3];
                let mut finite = true;
                for x in &mut normal {
                    let (at, word) = words.expected("a normal")?;
                    let read = number(word, at);
                    finite &= read.is_ok();
                    *x = read.unwrap_or_default();
                }
                if !finite {
                    self.unread.note(line);
                    normal = [0.0; 3];
                }
                normals.extend(normal);
            }
            let mut rest: Vec<(usize, &[u8])> = Vec::new();
            rest.extend(std::iter::from_fn(|| words.next_at()));
            if prefix.texcoords {
                let (Some(b), Some(a)) = (rest.pop(), rest.pop()) else {
                    return Err(Fault::text(
                        words.offset(),
                        "two texture coordinates expected, but the line ends",
                    ));
                };
                s.push(number(a.1, a.0)?);
                t.push(number(b.1, b.0)?);
            }
            if prefix.colours {
                colours.add(&rest)?;
            } else {
                more += usize::from(!rest.is_empty());
            }
        }
        if more > 0 {
            self.soup.warnings.push(format!(
                "{more} vertices have more numbers than the first word of the file \
                announces: not kept"
            ));
        }
        let vertex = |name: &str, width, v| Column {
            name: name.into(),
            element: ElementKind::Vertex,
            width,
            data: ColumnData::F32(v),
        };
        if prefix.normals {
            self.soup.columns.push(vertex(NORMAL, 3, normals));
        }
        self.keep_colours(colours, ElementKind::Vertex);
        if prefix.texcoords {
            self.soup
                .columns
                .extend([vertex("s", 1, s), vertex("t", 1, t)]);
        }
        Ok(())
    }

    fn faces(&mut self, n: usize) -> Result<(), Fault> {
        let vertices = self.soup.points.len();
        let left = self.end.saturating_sub(self.lines.offset());
        self.soup.corners.reserve_exact(3 * n.min(left / 8 + 1));
        let mut colours = Colours::default();
        let (mut short, mut face) = (LeftOut::default(), 0);
        for i in 0..n {
            let mut words = self.row("face", i, n)?;
            let (at, word) = words.next_at().unwrap_or((self.end, b""));
            let corners = integer(word, at, "the number of corners")?;
            if (0..3).contains(&corners) {
                short.note(at);
                continue;
            }
            if corners < 0 {
                let what = format!("a face cannot have {corners} corners");
                return Err(Fault::text(at, what));
            }
            for _ in 0..corners {
                let end = words.offset();
                let Some((at, word)) = words.next_at() else {
                    return Err(Fault::text(
                        end,
                        format!("a face of {corners} corners expected, but the line ends"),
                    ));
                };
                let v = integer(word, at, "a vertex")?;
                if !(0..vertices as i64).contains(&v) {
                    let what = format!(
                        "face {i} names vertex {v} (both counted from 0), but the file has {vertices}"
                    );
                    return Err(Fault::text(at, what));
                }
                self.soup.corners.push(v as u32);
            }
            if corners > 3 {
                self.soup.polygons.push(Polygon {
                    face,
                    corners: corners as u32,
                    at,
                });
            }
            face += 1;
            let rest: Vec<(usize, &[u8])> = std::iter::from_fn(|| words.next_at()).collect();
            colours.add(&rest)?;
        }
        self.keep_colours(colours, ElementKind::Face);
        let what = "faces of less than three corners are left out";
        let warning = short.warning(self.bytes, what);
        self.soup.warnings.extend(warning);
        let what = "normals are no finite numbers: they are 0 0 0 now";
        let warning = self.unread.warning(self.bytes, what);
        self.soup.warnings.extend(warning);
        Ok(())
    }

    fn keep_colours(&mut self, colours: Colours, element: ElementKind) {
        match colours.column(element) {
            Some(Ok(column)) => self.soup.columns.push(column),
            Some(Err(what)) => self.soup.warnings.push(what),
            None => {}
        }
    }
}

/// Colours as they come at the end of lines: nothing, an index into a map, or three or four numbers.
#[derive(Default)]
struct Colours {
    rows: usize,
    width: Option<usize>,
    mixed: bool,
    fractions: bool,
    values: Vec<f32>,
}

impl Colours {
    fn add(&mut self, words: &[(usize, &[u8])]) -> Result<(), Fault> {
        self.rows += 1;
        self.mixed |= *self.width.get_or_insert(words.len()) != words.len();
        for &(at, word) in words {
            // 0 to 255 as whole numbers, 0 to 1 with a point: the spelling decides, so "1" and "1.0" differ.
            self.fractions |= word.iter().any(|b| matches!(b, b'.' | b'e' | b'E'));
            self.values.push(number(word, at)?);
        }
        Ok(())
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
