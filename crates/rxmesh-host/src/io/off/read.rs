//! OFF as text.

use super::super::error::Fault;
use super::super::points::{CoordinateBits, FilePoints};
use super::super::scan::{LineWords, TextLines, integer, quote};
use super::super::soup::{Polygon, Soup, head_comments};
use super::vertices::{Colours, VertexRows};
use super::{Prefix, next_row};
use crate::mesh::ElementKind;

/// Fewest characters of a vertex (`0 0 0`) and of a face (`1 0`) with their line ends.
const LEAST: [u64; 2] = [6, 4];

/// Reads the content after the optional keyword: `counts` is the line of the counts.
pub(super) fn read<'a>(
    bytes: &'a [u8],
    mut lines: TextLines<'a>,
    counts: LineWords<'a>,
    prefix: Option<Prefix>,
    bits: CoordinateBits,
) -> Result<Soup, Fault> {
    let (vertices, faces) = read_counts(bytes, &mut lines, counts)?;
    let mut reader = OffReader {
        lines,
        end: bytes.len(),
        soup: Soup {
            points: FilePoints::new(bits),
            comments: head_comments(bytes, usize::from(prefix.is_some())),
            ..Soup::default()
        },
        wrapped: None,
    };
    reader.vertices(vertices, prefix.unwrap_or_default())?;
    reader.faces(faces)?;
    reader.rest(faces);
    Ok(reader.soup)
}

/// Reads the numbers of vertices, faces and edges, on one line or on several; the last is ignored. Counts that the file
/// cannot hold are refused here.
fn read_counts<'a>(
    bytes: &[u8],
    lines: &mut TextLines<'a>,
    mut words: LineWords<'a>,
) -> Result<(usize, usize), Fault> {
    let mut counts = [0u64; 2];
    for (count, what) in counts
        .iter_mut()
        .zip(["the number of vertices", "the number of faces"])
    {
        let end = words.offset();
        let next = words.next_at().or_else(|| {
            words = next_row(lines)?;
            words.next_at()
        });
        let Some((at, word)) = next else {
            return Err(Fault::text(
                end,
                format!("{what} expected, but the line ends"),
            ));
        };
        let n = integer(word, at, what)?;
        *count =
            u64::try_from(n).map_err(|_| Fault::text(at, format!("{what} is {}", quote(word))))?;
    }
    // A line with nothing but one number is the count of edges, and no vertex.
    let mut after = lines.clone();
    if words.clone().next_at().is_none()
        && let Some(mut edges) = next_row(&mut after)
        && edges
            .next_at()
            .is_some_and(|(_, w)| w.iter().all(u8::is_ascii_digit))
        && edges.next_at().is_none()
    {
        *lines = after;
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

struct OffReader<'a> {
    lines: TextLines<'a>,
    end: usize,
    soup: Soup,
    /// First face that continues in a second line.
    wrapped: Option<usize>,
}

impl<'a> OffReader<'a> {
    fn row(&mut self, what: &str, i: usize, n: usize) -> Result<LineWords<'a>, Fault> {
        next_row(&mut self.lines).ok_or_else(|| {
            let short = match self.wrapped {
                Some(face) => format!("; face {face} has fewer vertices on its line than it says"),
                None => String::new(),
            };
            Fault::text(
                self.end,
                format!("the file ends before {what} {i} of {n} (counted from 0){short}"),
            )
        })
    }

    fn vertices(&mut self, n: usize, prefix: Prefix) -> Result<(), Fault> {
        self.soup.points.reserve(n);
        let mut rows = VertexRows::new(prefix);
        for i in 0..n {
            let mut words = self.row("vertex", i, n)?;
            self.soup.points.read(&mut words)?;
            rows.add(words)?;
        }
        rows.finish(&mut self.soup)
    }

    fn faces(&mut self, n: usize) -> Result<(), Fault> {
        let vertices = self.soup.points.len();
        self.soup.corners.reserve_exact(3 * n.min(self.end / 8 + 1));
        let mut colours = Colours::default();
        let (mut faces, mut left_out) = (0, 0usize);
        for i in 0..n {
            let mut words = self.row("face", i, n)?;
            let (at, word) = words.next_at().unwrap_or((self.end, b""));
            let corners = integer(word, at, "the number of corners")?;
            if corners < 0 {
                let what = format!("the number of corners is {}", quote(word));
                return Err(Fault::text(at, what));
            }
            let first = self.soup.corners.len();
            for _ in 0..corners {
                let (at, word) = match words.next_at() {
                    Some(next) => next,
                    None => {
                        let end = words.offset();
                        words = self.next_line(i, corners, end)?;
                        words.expected("a vertex")?
                    }
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
            if corners < 3 {
                self.soup.corners.truncate(first);
                left_out += 1;
                continue;
            }
            if corners > 3 {
                self.soup.polygons.push(Polygon {
                    face: faces,
                    corners: corners as u32,
                    at,
                });
            }
            faces += 1;
            let rest: Vec<(usize, &[u8])> = std::iter::from_fn(|| words.next_at()).collect();
            colours.add(&rest)?;
        }
        if left_out > 0 {
            self.soup.warnings.push(format!(
                "{left_out} of {n} faces have fewer than three corners and are left out"
            ));
        }
        colours.keep(ElementKind::Face, &mut self.soup);
        Ok(())
    }

    /// Returns the line in which a face continues.
    fn next_line(&mut self, face: usize, corners: i64, end: usize) -> Result<LineWords<'a>, Fault> {
        self.wrapped.get_or_insert(face);
        let what = format!("a face of {corners} corners expected, but the file ends");
        next_row(&mut self.lines).ok_or_else(|| Fault::text(end, what))
    }

    /// Warns of data after the last face.
    fn rest(&mut self, faces: usize) {
        let lines = std::iter::from_fn(|| next_row(&mut self.lines)).count();
        if lines > 0 {
            self.soup.warnings.push(format!(
                "{lines} lines after the last face are not read: the header states {faces} faces"
            ));
        }
    }
}
