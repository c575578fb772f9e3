//! One chunk of an OBJ file.

use super::super::error::Fault;
use super::super::names;
use super::super::points::{CoordinateBits, FilePoints};
use super::super::scan::{LeftOut, LineWords, is_space, number, quote};
use super::super::soup::Polygon;
use super::marks::Marks;
use crate::mesh::{NO_VALUE, TagKind};

/// Corners of faces, as far as a chunk alone can know them: relative indices wait for the chunks before.
#[derive(Default)]
pub(super) struct ChunkCorners {
    /// Indices from 0, or [`NO_VALUE`]. Empty when no corner has a value, or shorter than the faces require.
    pub(super) ids: Vec<u32>,
    /// Corners with a relative index, as an offset from the chunk's first element (may be negative).
    pub(super) relative: Vec<(usize, i64)>,
    /// Largest number named, counted from 1.
    pub(super) highest: u64,
}

impl ChunkCorners {
    /// Keeps the first `corners` corners only.
    fn truncate(&mut self, corners: usize) {
        self.ids.truncate(corners);
        let last = self.relative.iter().rposition(|r| r.0 < corners);
        self.relative.truncate(last.map_or(0, |at| at + 1));
    }

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

/// Contents of one chunk.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) points: FilePoints,
    /// Red, green, blue and alpha; empty or as long as `points`, [`f32::NAN`] in vertices without colour.
    pub(super) colours: Vec<[f32; 4]>,
    pub(super) has_alpha: bool,
    pub(super) texcoords: Vec<[f32; 3]>,
    pub(super) has_depth: bool,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) vertex: ChunkCorners,
    pub(super) texture: ChunkCorners,
    pub(super) normal: ChunkCorners,
    pub(super) faces: usize,
    /// Polygons, faces counted from the chunk's first.
    pub(super) polygons: Vec<Polygon>,
    pub(super) tags: Vec<(usize, TagKind, String)>,
    /// Lines `l` and `p`: their number, and the place of the first.
    pub(super) skipped: usize,
    pub(super) first_skipped: Option<usize>,
    pub(super) weights: bool,
    /// Names that end in a backslash, before a line that is a statement.
    pub(super) names: LeftOut,
    /// Lines `vt` and `vn` that are no finite numbers: an entry that begins with NaN stands for them.
    pub(super) unread: [LeftOut; 2],
    /// Vertices whose text after the position is not numeric, or has not the number of values of a colour.
    pub(super) strange: LeftOut,
    /// Vertices of two coordinates.
    pub(super) flat: LeftOut,
    /// Faces of less than three corners, counted among all faces from the chunk's first.
    pub(super) short: LeftOut,
    pub(super) short_faces: Vec<u32>,
    pub(super) marks: Marks,
    /// Numbers that stay when the vectors have been moved out.
    pub(super) vertex_count: usize,
    pub(super) corner_count: usize,
}

/// Returns `true` if a line ends in a backslash; blanks and a line end may follow it.
#[inline]
pub(super) fn goes_on(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b"\\")
}

/// Visits the logical lines of a text that begins at byte `base`: offset, words. Lines that continue after a backslash
/// ([`Statement::goes_on`]) are copied together, with the offsets kept. Returns the names whose backslash is taken as
/// theirs, since the next line is a statement.
pub(super) fn each_line(
    text: &[u8],
    base: usize,
    mut act: impl FnMut(usize, &[u8]) -> Result<(), Fault>,
) -> Result<LeftOut, Fault> {
    let line_end =
        |from: usize| memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |n| from + n);
    let mut names = LeftOut::default();
    let mut joined = Vec::new();
    let mut pos = 0;
    while pos < text.len() {
        let mut end = line_end(pos);
        if !goes_on(&text[pos..end]) {
            act(base + pos, &text[pos..end])?;
            pos = end + 1;
            continue;
        }
        let statement = Statement::of(&text[pos..end]);
        joined.clear();
        let mut from = pos;
        loop {
            let line = &text[from..end];
            let content = line.trim_ascii_end();
            let next = text
                .get(end + 1..)
                .map(|_| &text[end + 1..line_end(end + 1)]);
            let next = next.unwrap_or_default();
            let name = statement.name_keeps(content, next);
            let more = goes_on(line) && end < text.len() && statement.goes_on(content, next);
            match name || !goes_on(line) || matches!(statement, Statement::Comment) {
                true => joined.extend_from_slice(line),
                false => {
                    joined.extend_from_slice(&content[..content.len() - 1]);
                    joined.resize(joined.len() + line.len() + 1 - content.len(), b' ');
                }
            }
            if !more {
                let name = matches!(statement, Statement::Name) && goes_on(line);
                if name && is_statement(next) && !is_half(content) {
                    names.note(base + from);
                }
                break;
            }
            joined.push(b' ');
            from = end + 1;
            end = line_end(from);
        }
        act(base + pos, &joined)?;
        pos = end + 1;
    }
    Ok(names)
}

/// Kinds of lines that end in a backslash, which differ in how it is meant.
#[derive(Clone, Copy)]
enum Statement {
    /// Comment: it ends with its line, because a folder's name in it must not swallow a vertex.
    Comment,
    /// Statement of numbers: it continues.
    Numbers,
    /// Statement of names, or unknown: the backslash may be part of one.
    Name,
}

impl Statement {
    fn of(line: &[u8]) -> Statement {
        const NUMBERS: [&[u8]; 11] = [
            b"v", b"vt", b"vn", b"vp", b"f", b"fo", b"l", b"p", b"t", b"curv", b"surf",
        ];
        let mut words = LineWords::without_comments(line, 0);
        let first = words.next_at().map_or(&b""[..], |w| w.1);
        let numbers = NUMBERS.contains(&first);
        let mut rest = std::iter::from_fn(|| words.next_at());
        match () {
            () if first.starts_with(b"#") => Statement::Comment,
            () if numbers && rest.any(|w| w.1.starts_with(b"#")) => Statement::Comment,
            () if numbers => Statement::Numbers,
            () => Statement::Name,
        }
    }

    /// Returns `true` if the line continues after the backslash that `content` ends in. A name continues unless the
    /// backslash may be the second byte of a letter (the byte before it is not ASCII, as in GBK, Big5, Shift-JIS), or
    /// the next line is a statement, empty or a comment: then it ends a folder's name.
    fn goes_on(self, content: &[u8], next: &[u8]) -> bool {
        match self {
            Statement::Comment => false,
            Statement::Numbers => true,
            Statement::Name => !is_half(content) && !ends_statement(next),
        }
    }

    /// Returns `true` if the backslash belongs to a name: it is not a word by itself, and the line does not continue.
    fn name_keeps(self, content: &[u8], next: &[u8]) -> bool {
        let before = content.len().checked_sub(2).map(|at| content[at]);
        let alone = before.is_none_or(is_space);
        matches!(self, Statement::Name) && !alone && !self.goes_on(content, next)
    }
}

/// Returns `true` if the backslash at the end may be the second byte of a letter.
fn is_half(content: &[u8]) -> bool {
    let before = content.len().checked_sub(2).map(|at| content[at]);
    before.is_some_and(|b| !b.is_ascii())
}

/// Returns `true` if no statement continues in a line: it is one, a comment, or empty.
fn ends_statement(line: &[u8]) -> bool {
    line.trim_ascii().is_empty() || line.trim_ascii_start().starts_with(b"#") || is_statement(line)
}

/// Returns `true` if a line is a statement: it begins with a word of OBJ, and numbers follow where that requires them.
fn is_statement(line: &[u8]) -> bool {
    let mut words = LineWords::without_comments(line, 0);
    let first = words.next_at().map_or(&b""[..], |w| w.1);
    let second = words.next_at().map_or(&b""[..], |w| w.1);
    match first {
        b"g" | b"o" | b"s" | b"usemtl" | b"mtllib" | b"usemap" | b"maplib" => true,
        b"v" | b"vt" | b"vn" | b"vp" | b"f" | b"fo" | b"l" | b"p" => {
            let digits = second.strip_prefix(b"-").or(second.strip_prefix(b"+"));
            let digits = digits.unwrap_or(second);
            digits
                .first()
                .is_some_and(|b| b.is_ascii_digit() || *b == b'.')
        }
        b"t" => [&b"crease"[..], b"corner", b"hole"].contains(&second),
        _ => false,
    }
}

/// Parses whole lines, the first of which begins at byte `base` of the file.
pub(super) fn chunk(text: &[u8], base: usize, bits: CoordinateBits) -> Result<Chunk, Fault> {
    let mut c = Chunk {
        points: FilePoints::new(bits),
        ..Chunk::default()
    };
    let names = each_line(text, base, |at, line| c.line(at, line))?;
    c.names = names;
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
        let mut words = LineWords::new(line, at);
        let Some((at, keyword)) = words.next_at() else {
            return Ok(());
        };
        match keyword {
            b"v" => self.vertex_line(at, words),
            b"f" | b"fo" => self.face_line(at, words),
            b"vt" => {
                self.texture_line(at, words);
                Ok(())
            }
            b"vn" => {
                self.normal_line(at, words);
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

    fn tag(&mut self, kind: TagKind, words: LineWords<'_>) -> Result<(), Fault> {
        self.tags
            .push((self.faces, kind, names::from_bytes(words.rest())));
        Ok(())
    }

    /// Reads `v x y z`, then nothing, a weight, a colour, or a colour with alpha.
    fn vertex_line(&mut self, line: usize, mut words: LineWords<'_>) -> Result<(), Fault> {
        let vertices = self.points.len();
        let mut axes = 0;
        let mut is_flat = false;
        self.points.read_by(|axis| {
            axes += 1;
            if axes == 3 && words.clone().next_at().is_none() {
                is_flat = true;
                return Ok((words.offset(), &b"0"[..]));
            }
            words.expected(axis)
        })?;
        if is_flat {
            self.flat.note(line);
        }
        let mut more = [1.0f32; 4];
        let (mut n, mut numbers) = (0, true);
        while let Some((at, word)) = words.next_at() {
            let x = number(word, at);
            numbers &= x.is_ok();
            if let (Some(more), Ok(x)) = (more.get_mut(n), x) {
                *more = x;
            }
            n += 1;
        }
        match n {
            0 => {}
            _ if !numbers => self.strange.note(line),
            1 => self.weights |= more[0] != 1.0,
            3 | 4 => {
                self.colours.resize(vertices, [f32::NAN; 4]);
                self.colours.push(more);
                self.has_alpha |= n == 4;
            }
            _ => self.strange.note(line),
        }
        Ok(())
    }

    fn texture_line(&mut self, line: usize, mut words: LineWords<'_>) {
        let mut t = [0.0; 3];
        let (mut n, mut numbers) = (0, true);
        for (value, (at, word)) in t.iter_mut().zip(std::iter::from_fn(|| words.next_at())) {
            let x = number(word, at);
            numbers &= x.is_ok();
            *value = x.unwrap_or_default();
            n += 1;
        }
        if numbers && n > 0 {
            self.has_depth |= n == 3;
        } else {
            t = [f32::NAN; 3];
            self.unread[0].note(line);
        }
        self.texcoords.push(t);
    }

    fn normal_line(&mut self, line: usize, mut words: LineWords<'_>) {
        let mut read = || words.number("a normal").ok();
        let normal = read().zip(read()).zip(read());
        if normal.is_none() {
            self.unread[1].note(line);
        }
        let normal = normal.map(|((x, y), z)| [x, y, z]);
        self.normals.push(normal.unwrap_or([f32::NAN; 3]));
    }

    fn face_line(&mut self, line: usize, mut words: LineWords<'_>) -> Result<(), Fault> {
        let first = self.vertex.ids.len();
        let highest = [&self.vertex, &self.texture, &self.normal].map(|layer| layer.highest);
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
            let layers = [&mut self.vertex, &mut self.texture, &mut self.normal];
            for (layer, highest) in layers.into_iter().zip(highest) {
                layer.truncate(first);
                layer.highest = highest;
            }
            self.short_faces
                .push((self.faces + self.short.count) as u32);
            self.short.note(line);
            return Ok(());
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

/// Number of a texture coordinate or a normal that no file has: such numbers and 0 stand for it, and the corner loses
/// its value as it does with any other number that is not in the file.
const NOWHERE: i64 = NO_VALUE as i64;

/// Parses the three numbers of a corner `v`, `v/t`, `v//n` or `v/t/n`; 0 for one that is missing.
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
        if k > 0 && (*value == 0 || *value > NOWHERE) {
            *value = NOWHERE;
        }
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

/// Parses a whole number with an optional sign; absurdly long ones are out of every range in any case.
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
