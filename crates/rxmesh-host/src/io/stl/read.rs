//! Triangles of an STL file.

use super::super::error::Fault;
use super::super::scan::{Words, number, quote};
use super::super::soup::{Polygon, Soup};
use super::weld::weld;
use super::{ATTRIBUTE, HEAD, TRIANGLE, is_exactly_binary, is_text, promised};
use crate::mesh::{Column, ColumnData, ElementKind, Tag, TagKind};
use glam::Vec3;

pub(in crate::io) fn read(bytes: &[u8]) -> Result<Soup, Fault> {
    let mut corners = Vec::new();
    let mut soup = if !is_exactly_binary(bytes) && is_text(bytes) {
        text(bytes, &mut corners)?
    } else {
        binary(bytes, &mut corners)?
    };
    crate::mesh::check_counts(corners.len() as u64, corners.len() as u64 / 3)?;
    (soup.positions, soup.corners) = weld(&corners);
    Ok(soup)
}

fn binary(bytes: &[u8], corners: &mut Vec<Vec3>) -> Result<Soup, Fault> {
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

fn text(bytes: &[u8], corners: &mut Vec<Vec3>) -> Result<Soup, Fault> {
    let mut reader = Text {
        bytes,
        words: Words::without_comments(bytes, 0),
        soup: Soup::default(),
        faces: 0,
    };
    // A file may hold several solids.
    while let Some((at, word)) = reader.words.next_at() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(Fault::text(
                at,
                format!("'solid' expected, {} found", quote(word)),
            ));
        }
        reader.solid(corners)?;
    }
    Ok(reader.soup)
}

struct Text<'a> {
    bytes: &'a [u8],
    words: Words<'a>,
    soup: Soup,
    faces: u32,
}

impl<'a> Text<'a> {
    fn solid(&mut self, corners: &mut Vec<Vec3>) -> Result<(), Fault> {
        let name = self.rest_of_line();
        if !name.is_empty() {
            self.soup.tags.push(Tag {
                face: self.faces,
                kind: TagKind::Object,
                text: name,
            });
        }
        loop {
            let (at, word) = self.word("'facet' or 'endsolid'")?;
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
            self.facet(at, corners)?;
        }
    }

    fn facet(&mut self, start: usize, corners: &mut Vec<Vec3>) -> Result<(), Fault> {
        self.expect("normal")?;
        // The corners say it better, and writers put anything here for triangles without area.
        (0..3).try_for_each(|_| self.word("a normal").map(|_| ()))?;
        self.expect("outer")?;
        self.expect("loop")?;
        let first = corners.len();
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
            let mut p = [0f32; 3];
            for x in &mut p {
                let (at, word) = self.word("a coordinate")?;
                self.soup.rounding.note_text(word);
                *x = number(word, at)?;
            }
            corners.push(Vec3::from_array(p));
        }
        self.expect("endfacet")?;
        let n = corners.len() - first;
        if n < 3 {
            return Err(Fault::text(
                start,
                format!("a face needs three corners or more, this one has {n}"),
            ));
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
        String::from_utf8_lossy(self.bytes[from..end].trim_ascii()).into_owned()
    }
}
