//! One chunk of an OBJ file.

use super::super::error::Fault;
use super::super::names;
use super::super::points::{Bits, Points};
use super::super::scan::{Words, number, quote};
use super::super::soup::Polygon;
use super::marks::Marks;
use crate::mesh::{NO_VALUE, TagKind};

/// Corners of faces, as far as a chunk alone can know them: relative indices wait for the chunks before.
#[derive(Default)]
pub(super) struct Corners {
    /// Indices from 0, or [`NO_VALUE`]. Empty when no corner has a value, or shorter than the faces ask for.
    pub(super) ids: Vec<u32>,
    /// Corners with a relative index, as an offset from the chunk's first element (may be negative).
    pub(super) relative: Vec<(usize, i64)>,
    /// The largest number named, counted from 1.
    pub(super) highest: u64,
}

impl Corners {
    fn push(&mut self, at: usize, index: i64, here: usize) {
        self.ids.resize(at, NO_VALUE);
        if index > 0 {
            self.highest = self.highest.max(index as u64);
            self.ids.push(u32::try_from(index - 1).unwrap_or(NO_VALUE));
        } else {
            self.relative.push((at, here as i64 + index));
            self.ids.push(0);
        }
    }
}

/// What one chunk holds.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) points: Points,
    /// Red, green, blue and alpha; empty or as long as `points`, [`f32::NAN`] in vertices without colour.
    pub(super) colours: Vec<[f32; 4]>,
    pub(super) has_alpha: bool,
    pub(super) texcoords: Vec<[f32; 3]>,
    pub(super) has_depth: bool,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) vertex: Corners,
    pub(super) texture: Corners,
    pub(super) normal: Corners,
    pub(super) faces: usize,
    /// Polygons, faces counted from the chunk's first.
    pub(super) polygons: Vec<Polygon>,
    pub(super) tags: Vec<(usize, TagKind, String)>,
    /// Lines `l` and `p`: how many, and where the first is.
    pub(super) skipped: usize,
    pub(super) first_skipped: Option<usize>,
    pub(super) weights: bool,
    pub(super) marks: Marks,
    /// Numbers that stay when the vectors have been moved out.
    pub(super) vertex_count: usize,
    pub(super) corner_count: usize,
}

/// True when the text ends in a backslash and a line end.
pub(super) fn goes_on(text: &[u8]) -> bool {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.strip_suffix(b"\r").unwrap_or(text).ends_with(b"\\")
}

/// The logical lines of a text that begins at byte `base`: offset, words. Lines that go on after a backslash are copied
/// together, with the offsets kept. Comments end with their line: a folder's name in one must not swallow a vertex.
pub(super) fn each_line(
    text: &[u8],
    base: usize,
    mut act: impl FnMut(usize, &[u8]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut joined = Vec::new();
    let mut pos = 0;
    while pos < text.len() {
        let mut end = memchr::memchr(b'\n', &text[pos..]).map_or(text.len(), |n| pos + n);
        let line = &text[pos..end];
        if !goes_on(line) || line.trim_ascii_start().starts_with(b"#") {
            act(base + pos, &text[pos..end])?;
            pos = end + 1;
            continue;
        }
        while end < text.len() && goes_on(&text[pos..end]) {
            end = memchr::memchr(b'\n', &text[end + 1..]).map_or(text.len(), |n| end + 1 + n);
        }
        joined.clear();
        joined.extend(
            text[pos..end]
                .iter()
                .map(|&b| if b == b'\\' { b' ' } else { b }),
        );
        act(base + pos, &joined)?;
        pos = end + 1;
    }
    Ok(())
}

/// Parses whole lines, the first of which begins at byte `base` of the file.
pub(super) fn chunk(text: &[u8], base: usize, bits: Bits) -> Result<Chunk, Fault> {
    let mut c = Chunk {
        points: Points::new(bits),
        ..Chunk::default()
    };
    each_line(text, base, |at, line| c.line(at, line))?;
    // Faces after the last with a texture coordinate or normal have none.
    for layer in [&mut c.texture, &mut c.normal] {
        if !layer.ids.is_empty() {
            layer.ids.resize(c.vertex.ids.len(), NO_VALUE);
        }
    }
    c.vertex_count = c.points.len();
    c.corner_count = c.vertex.ids.len();
    if !c.colours.is_empty() {
        c.colours.resize(c.points.len(), [f32::NAN; 4]);
    }
    Ok(c)
}

impl Chunk {
    #[inline]
    fn line(&mut self, at: usize, line: &[u8]) -> Result<(), Fault> {
        let mut words = Words::new(line, at);
        let Some((at, keyword)) = words.next_at() else {
            return Ok(());
        };
        match keyword {
            b"v" => self.vertex_line(words),
            b"f" | b"fo" => self.face_line(at, words),
            b"vt" => self.texture_line(words),
            b"vn" => {
                let n = [
                    words.number("a normal's x")?,
                    words.number("a normal's y")?,
                    words.number("a normal's z")?,
                ];
                self.normals.push(n);
                Ok(())
            }
            b"l" | b"p" => {
                self.skipped += 1;
                self.first_skipped.get_or_insert(at);
                Ok(())
            }
            b"o" => self.tag(TagKind::Object, words),
            b"g" => self.tag(TagKind::Group, words),
            b"s" => self.tag(TagKind::Smoothing, words),
            b"t" => self.marks.read(at, words),
            b"usemtl" => self.tag(TagKind::Material, words),
            b"mtllib" => self.tag(TagKind::Library, words),
            _ => Ok(()),
        }
    }

    fn tag(&mut self, kind: TagKind, words: Words<'_>) -> Result<(), Fault> {
        self.tags
            .push((self.faces, kind, names::from_bytes(words.rest())));
        Ok(())
    }

    /// `v x y z`, then nothing, a weight, a colour, or a colour with alpha.
    fn vertex_line(&mut self, mut words: Words<'_>) -> Result<(), Fault> {
        let vertices = self.points.len();
        self.points.read(&mut words)?;
        let mut more = [1.0f32; 4];
        let mut n = 0;
        let start = words.offset();
        while let Some((at, word)) = words.next_at() {
            let x = number(word, at)?;
            if n < 4 {
                more[n] = x;
            }
            n += 1;
        }
        match n {
            0 => {}
            1 => self.weights |= more[0] != 1.0,
            3 | 4 => {
                self.colours.resize(vertices, [f32::NAN; 4]);
                self.colours.push(more);
                self.has_alpha |= n == 4;
            }
            _ => {
                let what = format!(
                    "a vertex has 3 numbers, 4 (with weight), 6 or 7 (with colour), not {}",
                    n + 3
                );
                return Err(Fault::text(start, what));
            }
        }
        Ok(())
    }

    fn texture_line(&mut self, mut words: Words<'_>) -> Result<(), Fault> {
        let mut t = [words.number("a texture coordinate")?, 0.0, 0.0];
        for (k, value) in t.iter_mut().enumerate().skip(1) {
            let Some((at, word)) = words.next_at() else {
                break;
            };
            *value = number(word, at)?;
            self.has_depth |= k == 2;
        }
        self.texcoords.push(t);
        Ok(())
    }

    fn face_line(&mut self, line: usize, mut words: Words<'_>) -> Result<(), Fault> {
        let first = self.vertex.ids.len();
        while let Some((at, word)) = words.next_at() {
            let corner = corner(word, at)?;
            let slot = self.vertex.ids.len();
            self.vertex.push(slot, corner[0], self.points.len());
            if corner[1] != 0 {
                self.texture.push(slot, corner[1], self.texcoords.len());
            }
            if corner[2] != 0 {
                self.normal.push(slot, corner[2], self.normals.len());
            }
        }
        let n = self.vertex.ids.len() - first;
        if n < 3 {
            let what = format!("a face needs three corners or more, this one has {n}");
            return Err(Fault::text(line, what));
        }
        if n > 3 {
            self.polygons.push(Polygon {
                face: self.faces as u32,
                corners: n as u32,
                at: line,
            });
        }
        self.faces += 1;
        Ok(())
    }
}

/// The three numbers of a corner `v`, `v/t`, `v//n` or `v/t/n`; 0 where there is none.
#[inline]
pub(super) fn corner(word: &[u8], at: usize) -> Result<[i64; 3], Fault> {
    // Nearly every corner of a large file is a short plain number.
    if word.len() <= 9 && word.first() != Some(&b'0') && word.iter().all(u8::is_ascii_digit) {
        let n = word.iter().fold(0, |n, d| 10 * n + i64::from(d - b'0'));
        return Ok([n, 0, 0]);
    }
    let mut out = [0i64; 3];
    let mut parts = word.split(|&b| b == b'/');
    for (k, value) in out.iter_mut().enumerate() {
        let Some(part) = parts.next() else { break };
        if part.is_empty() && k > 0 {
            continue;
        }
        *value = index(part).ok_or_else(|| {
            Fault::text(
                at,
                format!(
                    "{} is not a face corner: v, v/vt, v//vn or v/vt/vn",
                    quote(word)
                ),
            )
        })?;
        if *value == 0 {
            return Err(Fault::text(
                at,
                format!("{} names element 0; OBJ counts from 1", quote(word)),
            ));
        }
    }
    if parts.next().is_some() {
        return Err(Fault::text(
            at,
            format!("{} has more than three numbers", quote(word)),
        ));
    }
    Ok(out)
}

/// A whole number with an optional sign; absurdly long ones are out of every range anyway.
#[inline]
fn index(part: &[u8]) -> Option<i64> {
    let (negative, digits) = match part {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, part),
    };
    if digits.is_empty() {
        return None;
    }
    let mut n = 0i64;
    for &d in digits {
        if !d.is_ascii_digit() {
            return None;
        }
        n = n
            .saturating_mul(10)
            .saturating_add(i64::from(d - b'0'))
            .min(1 << 60);
    }
    Some(if negative { -n } else { n })
}
