//! Triangles of an STL file.

use super::super::error::Fault;
use super::super::names;
use super::super::points::{Bits, Coordinate, Points};
use super::super::scan::{LeftOut, Words, quote};
use super::super::soup::{Polygon, Soup};
use super::weld::weld;
use super::{ATTRIBUTE, HEAD, TRIANGLE, is_exactly_binary, is_text, promised};
use crate::mesh::{Column, ColumnData, ElementKind, Tag, TagKind};
use glam::Vec3;

/// The points of the soup are corners until [`weld_corners`] makes vertices of them.
pub(in crate::io) fn read(bytes: &[u8], bits: Bits) -> Result<Soup, Fault> {
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
    soup.points.settle();
    (soup.points.positions, soup.corners) = weld(&soup.points.positions);
}

fn binary(bytes: &[u8]) -> Result<Soup, Fault> {
    let Some(count) = promised(bytes) else {
        let what = format!(
            "a binary STL file has a head of {HEAD} bytes, this file has {}",
            bytes.len()
        );
        return Err(Fault::byte(bytes.len(), what));
    };
    let have = (bytes.len() - HEAD) / TRIANGLE;
    if count > have {
        let what = format!(
            "{count} triangles are promised, but the file ends after {have}: it is cut off or the count is wrong"
        );
        return Err(Fault::byte(80, what));
    }
    let mut soup = Soup {
        binary: true,
        ..Soup::default()
    };
    let extra = bytes.len() - HEAD - count * TRIANGLE;
    if extra > 0 {
        soup.warnings.push(format!(
            "{extra} bytes behind the last triangle are not read"
        ));
    }
    let body = &bytes[HEAD..HEAD + count * TRIANGLE];
    let corners = &mut soup.points.positions;
    corners.reserve_exact(3 * count);
    let mut attributes = vec![0u16; count];
    for (i, raw) in body.as_chunks::<TRIANGLE>().0.iter().enumerate() {
        let float =
            |at: usize| f32::from_le_bytes([raw[at], raw[at + 1], raw[at + 2], raw[at + 3]]);
        for k in 1..4 {
            let p = Vec3::new(float(12 * k), float(12 * k + 4), float(12 * k + 8));
            if !p.is_finite() {
                let what = format!(
                    "a corner of triangle {i} (counted from 0) lies at {:?}, which is not finite",
                    p.to_array()
                );
                return Err(Fault::byte(HEAD + i * TRIANGLE + 12 * k, what));
            }
            corners.push(p);
        }
        attributes[i] = u16::from_le_bytes([raw[48], raw[49]]);
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

fn text(bytes: &[u8], bits: Bits) -> Result<Soup, Fault> {
    let mut reader = Text {
        bytes,
        words: Words::without_comments(bytes, 0),
        soup: Soup {
            points: Points::new(bits),
            ..Soup::default()
        },
        faces: 0,
        short: LeftOut::default(),
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
    Ok(reader.soup)
}

struct Text<'a> {
    bytes: &'a [u8],
    words: Words<'a>,
    soup: Soup,
    faces: u32,
    /// Facets of less than three corners.
    short: LeftOut,
}

impl<'a> Text<'a> {
    fn solid(&mut self) -> Result<(), Fault> {
        let name = self.rest_of_line();
        if !name.is_empty() {
            self.soup.tags.push(Tag {
                face: self.faces,
                kind: TagKind::Object,
                text: name,
            });
        }
        loop {
            let before = self.words.clone();
            let Some((at, word)) = self.words.next_at() else {
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
        self.expect("normal")?;
        // The corners say it better, and writers put anything here for triangles without area.
        (0..3).try_for_each(|_| self.word("a normal").map(|_| ()))?;
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

    /// Some writers forget the last line, and a file that is cut off behind a facet holds the triangles before it.
    fn unended(&mut self) {
        let what = "a solid ends without 'endsolid': the file may be cut off";
        if !self.soup.warnings.iter().any(|w| w == what) {
            self.soup.warnings.push(what.into());
        }
    }

    fn word(&mut self, expected: &str) -> Result<(usize, &'a [u8]), Fault> {
        let end = self.bytes.len();
        self.words
            .next_at()
            .ok_or_else(|| Fault::text(end, format!("the file ends, {expected} expected")))
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
        self.words = Words::without_comments(&self.bytes[end..], end);
        names::from_bytes(self.bytes[from..end].trim_ascii())
    }
}
