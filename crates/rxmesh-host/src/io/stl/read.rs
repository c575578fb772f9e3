//! Triangles of an STL file.

use super::super::error::Fault;
use super::super::names;
use super::super::points::{Coordinate, CoordinateBits, FilePoints};
use super::super::scan::{LeftOut, LineWords, quote};
use super::super::soup::{Polygon, Soup};
use super::weld::weld;
use super::{ATTRIBUTE, HEAD, TRIANGLE, header, is_exactly_binary, is_text, promised};
use crate::mesh::{Column, ColumnData, ElementKind, Tag, TagKind};
use glam::Vec3;

/// Reads the points of the soup as corners until [`weld_corners`] makes vertices of them.
pub(in crate::io) fn read(bytes: &[u8], bits: CoordinateBits) -> Result<Soup, Fault> {
    let soup = if !is_exactly_binary(bytes) && is_text(bytes) {
        text(bytes, bits)?
    } else {
        binary(bytes)?
    };
    let corners = soup.points.len() as u64;
    crate::mesh::check_counts(corners, corners / 3)?;
    Ok(soup)
}

/// Makes one vertex of corners at one place: in the frame that the positions got, in which they have all their digits.
pub(in crate::io) fn weld_corners(soup: &mut Soup) {
    soup.points.settle(&[]);
    (soup.points.positions, soup.corners) = weld(&soup.points.positions);
}

/// Triangles that follow each other in a binary file, with their head.
struct TriangleBlock {
    /// Offset of the head.
    at: usize,
    count: usize,
}

/// Returns the solids of a binary file: one, or several whole files one after the other.
fn solids(bytes: &[u8], count: usize) -> Vec<TriangleBlock> {
    let mut solids = vec![TriangleBlock { at: 0, count }];
    let mut end = HEAD.saturating_add(count.saturating_mul(TRIANGLE));
    while let Some(n) = bytes.get(end..).and_then(promised).filter(|n| *n > 0) {
        solids.push(TriangleBlock { at: end, count: n });
        end = end.saturating_add(HEAD + n * TRIANGLE);
    }
    if end != bytes.len() || count == 0 {
        solids.truncate(1);
    }
    solids
}

/// Returns the bytes from one triangle to the next, for each: by the letter of the format its attribute is the number
/// of bytes that follow it. `None` unless the file has exactly this length.
fn with_payload(bytes: &[u8], count: usize) -> Option<Vec<usize>> {
    let mut pos = HEAD;
    let mut steps = Vec::new();
    for _ in 0..count {
        let raw = bytes.get(pos + TRIANGLE - 2..)?.first_chunk::<2>()?;
        let step = TRIANGLE + usize::from(u16::from_le_bytes(*raw));
        steps.push(step);
        pos += step;
    }
    (pos == bytes.len()).then_some(steps)
}

fn binary(bytes: &[u8]) -> Result<Soup, Fault> {
    let Some(mut count) = promised(bytes) else {
        let what = format!(
            "a binary STL file has a head of {HEAD} bytes, this file has {}",
            bytes.len()
        );
        return Err(Fault::byte(bytes.len(), what));
    };
    let body = bytes.len() - HEAD;
    let have = body / TRIANGLE;
    let mut soup = Soup {
        binary: true,
        comments: header::comment(&bytes[..header::TEXT])
            .into_iter()
            .collect(),
        ..Soup::default()
    };
    // Programs that write as they go do not come back to the count.
    let unknown = count == 0 || count == u32::MAX as usize;
    if unknown && have > 0 && body.is_multiple_of(TRIANGLE) {
        soup.warnings.push(format!(
            "the header promises {count} triangles, and the file has the size of {have}: these are read"
        ));
        count = have;
    }
    if count.saturating_mul(TRIANGLE) != body
        && let Some(steps) = with_payload(bytes, count).filter(|_| count > 0)
    {
        let extra = body - count * TRIANGLE;
        soup.warnings.push(format!(
            "{extra} bytes of attributes after triangles are not kept"
        ));
        triangles(bytes, HEAD, steps.into_iter(), &mut soup)?;
        return Ok(soup);
    }
    if count > have {
        let what = format!(
            "{count} triangles are promised, but the file ends after {have}: it is cut off or the count is wrong"
        );
        return Err(Fault::byte(80, what));
    }
    let solids = solids(bytes, count);
    let read: usize = solids.iter().map(|s| HEAD + s.count * TRIANGLE).sum();
    if read < bytes.len() {
        soup.warnings.push(format!(
            "{} bytes after the last triangle are not read",
            bytes.len() - read
        ));
    }
    let mut attributes = Vec::with_capacity(solids.iter().map(|s| s.count).sum());
    for (i, solid) in solids.iter().enumerate() {
        if solids.len() > 1 {
            let text = header::comment(&bytes[solid.at..solid.at + header::TEXT]);
            soup.tags.push(Tag {
                face: attributes.len() as u32,
                kind: TagKind::Object,
                text: text.unwrap_or_else(|| format!("solid_{}", i + 1)),
            });
        }
        let steps = std::iter::repeat_n(TRIANGLE, solid.count);
        attributes.extend(triangles(bytes, solid.at + HEAD, steps, &mut soup)?);
    }
    if attributes.iter().any(|&a| a != 0) {
        let data = ColumnData::U16(attributes);
        soup.columns.push(Column {
            name: ATTRIBUTE.into(),
            element: ElementKind::Face,
            width: 1,
            data,
        });
    }
    Ok(soup)
}

/// Reads triangles from `at` on, which lie `steps` bytes apart and are all within the file; returns their attributes.
fn triangles(
    bytes: &[u8],
    mut at: usize,
    steps: impl ExactSizeIterator<Item = usize>,
    soup: &mut Soup,
) -> Result<Vec<u16>, Fault> {
    let corners = &mut soup.points.positions;
    corners.reserve_exact(3 * steps.len());
    let mut attributes = Vec::with_capacity(steps.len());
    for step in steps {
        let Some(raw) = bytes[at..].first_chunk::<TRIANGLE>() else {
            return Err(Fault::byte(at, "the file ends within a triangle"));
        };
        let float =
            |at: usize| f32::from_le_bytes([raw[at], raw[at + 1], raw[at + 2], raw[at + 3]]);
        for k in 1..4 {
            let p = Vec3::new(float(12 * k), float(12 * k + 4), float(12 * k + 8));
            if !p.is_finite() {
                let what = format!(
                    "a corner of triangle {} (counted from 0) lies at {:?}, which is not finite",
                    corners.len() / 3,
                    p.to_array()
                );
                return Err(Fault::byte(at + 12 * k, what));
            }
            corners.push(p);
        }
        attributes.push(u16::from_le_bytes([raw[48], raw[49]]));
        at += step;
    }
    Ok(attributes)
}

fn text(bytes: &[u8], bits: CoordinateBits) -> Result<Soup, Fault> {
    let mut reader = Text {
        bytes,
        words: LineWords::without_comments(bytes, 0),
        soup: Soup {
            points: FilePoints::new(bits),
            ..Soup::default()
        },
        faces: 0,
        short: LeftOut::default(),
        without_normal: LeftOut::default(),
    };
    // A file may hold several solids.
    while let Some((at, word)) = reader.words.next_at() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(Fault::text(
                at,
                format!("'solid' expected, {} found", quote(word)),
            ));
        }
        reader.solid()?;
    }
    let what = "facets of less than three corners are left out";
    let warning = reader.short.warning(bytes, what);
    reader.soup.warnings.extend(warning);
    let what = "facets have no normal, which is not needed";
    let warning = reader.without_normal.warning(bytes, what);
    reader.soup.warnings.extend(warning);
    // One solid without a name says nothing.
    let tags = &mut reader.soup.tags;
    if tags.len() == 1 && tags[0].text.is_empty() {
        tags.clear();
    }
    Ok(reader.soup)
}

struct Text<'a> {
    bytes: &'a [u8],
    words: LineWords<'a>,
    soup: Soup,
    faces: u32,
    /// Facets of less than three corners.
    short: LeftOut,
    /// Facets whose normal is missing.
    without_normal: LeftOut,
}

impl<'a> Text<'a> {
    fn solid(&mut self) -> Result<(), Fault> {
        let name = self.rest_of_line();
        self.soup.tags.push(Tag {
            face: self.faces,
            kind: TagKind::Object,
            text: name,
        });
        loop {
            let before = self.words.clone();
            let Some((at, word)) = self.next_word() else {
                self.unended();
                return Ok(());
            };
            if word.eq_ignore_ascii_case(b"solid") {
                self.words = before;
                self.unended();
                return Ok(());
            }
            if word.eq_ignore_ascii_case(b"endsolid") {
                self.rest_of_line();
                return Ok(());
            }
            if !word.eq_ignore_ascii_case(b"facet") {
                return Err(Fault::text(
                    at,
                    format!("'facet' or 'endsolid' expected, {} found", quote(word)),
                ));
            }
            self.facet(at)?;
        }
    }

    fn facet(&mut self, start: usize) -> Result<(), Fault> {
        // The corners say it better, and writers put anything here for triangles without area.
        if self.is_next(b"outer") {
            self.without_normal.note(start);
        } else {
            self.expect("normal")?;
            for _ in 0..3 {
                if self.is_next(b"outer") {
                    self.without_normal.note(start);
                    break;
                }
                self.word("a normal")?;
            }
        }
        self.expect("outer")?;
        self.expect("loop")?;
        let first = self.soup.points.len();
        loop {
            let (at, word) = self.word("'vertex' or 'endloop'")?;
            if word.eq_ignore_ascii_case(b"endloop") {
                break;
            }
            if !word.eq_ignore_ascii_case(b"vertex") {
                return Err(Fault::text(
                    at,
                    format!("'vertex' or 'endloop' expected, {} found", quote(word)),
                ));
            }
            let mut p = [Coordinate::default(); 3];
            for x in &mut p {
                let (at, word) = self.word("a coordinate")?;
                *x = self.soup.points.parse(word).map_err(|r| r.at_text(at))?;
            }
            self.soup.points.push(p);
        }
        self.expect("endfacet")?;
        let n = self.soup.points.len() - first;
        if n < 3 {
            self.soup.points.truncate(first);
            self.short.note(start);
            return Ok(());
        }
        if n > 3 {
            self.soup.polygons.push(Polygon {
                face: self.faces,
                corners: n as u32,
                at: start,
            });
        }
        self.faces += 1;
        Ok(())
    }

    /// Warns of a missing end: some writers forget the last line, and a file that is cut off after a facet holds the
    /// triangles before it.
    fn unended(&mut self) {
        let what = "a solid ends without 'endsolid': the file may be cut off";
        if !self.soup.warnings.iter().any(|w| w == what) {
            self.soup.warnings.push(what.into());
        }
    }

    fn word(&mut self, expected: &str) -> Result<(usize, &'a [u8]), Fault> {
        let end = self.bytes.len();
        self.next_word()
            .ok_or_else(|| Fault::text(end, format!("the file ends, {expected} expected")))
    }

    /// Returns the next word; `end solid`, `end facet` and `end loop` are one, as some writers divide them. A line of
    /// `end` alone ends a solid.
    fn next_word(&mut self) -> Option<(usize, &'a [u8])> {
        let (at, word) = self.words.next_at()?;
        if !word.eq_ignore_ascii_case(b"end") {
            return Some((at, word));
        }
        let from = self.words.offset();
        let end = memchr::memchr(b'\n', &self.bytes[from..]).map_or(self.bytes.len(), |n| from + n);
        let mut line = LineWords::without_comments(&self.bytes[from..end], from);
        let joined: &[u8] = match line.next_at() {
            None => return Some((at, b"endsolid")),
            Some((_, more)) if more.eq_ignore_ascii_case(b"solid") => b"endsolid",
            Some((_, more)) if more.eq_ignore_ascii_case(b"facet") => b"endfacet",
            Some((_, more)) if more.eq_ignore_ascii_case(b"loop") => b"endloop",
            Some(_) => return Some((at, word)),
        };
        self.words.next_at();
        Some((at, joined))
    }

    /// Returns `true` if the next word is this one.
    fn is_next(&self, word: &[u8]) -> bool {
        let next = self.words.clone().next_at();
        next.is_some_and(|(_, w)| w.eq_ignore_ascii_case(word))
    }

    fn expect(&mut self, expected: &str) -> Result<(), Fault> {
        let (at, word) = self.word(expected)?;
        if word.eq_ignore_ascii_case(expected.as_bytes()) {
            return Ok(());
        }
        Err(Fault::text(
            at,
            format!("'{expected}' expected, {} found", quote(word)),
        ))
    }

    fn rest_of_line(&mut self) -> String {
        let from = self.words.offset();
        let end = memchr::memchr(b'\n', &self.bytes[from..]).map_or(self.bytes.len(), |n| from + n);
        self.words = LineWords::without_comments(&self.bytes[end..], end);
        names::from_bytes(self.bytes[from..end].trim_ascii())
    }
}
