//! Sharpness and holes: the lines `t NAME INTS/FLOATS/STRINGS ...` of OpenSubdiv's shapes.

use super::super::error::Fault;
use super::super::scan::{LineWords, integer, number, quote};
use crate::mesh::{SharpEdge, SharpVertex};

/// Contents of the tags of a chunk. Vertices and faces are counted from 0 in them, also in files that count from 1.
#[derive(Default)]
pub(super) struct Marks {
    pub(super) edges: Vec<SharpEdge>,
    pub(super) vertices: Vec<SharpVertex>,
    pub(super) holes: Vec<u32>,
    /// Least numbers of vertices and faces that the tags need.
    pub(super) needed: [u64; 2],
    /// Tags of other names: their number, and the place of the first.
    pub(super) skipped: usize,
    pub(super) first_skipped: Option<usize>,
}

impl Marks {
    /// Reads the tag of a line whose word `t` is at byte `line`.
    pub(super) fn read(&mut self, line: usize, mut words: LineWords<'_>) -> Result<(), Fault> {
        match words.next_at() {
            Some((_, b"crease")) => self.crease(Tag::read(words)?),
            Some((_, b"corner")) => self.corner(Tag::read(words)?),
            Some((_, b"hole")) => self.hole(Tag::read(words)?),
            _ => {
                self.skipped += 1;
                self.first_skipped.get_or_insert(line);
                Ok(())
            }
        }
    }

    /// Appends the marks of another chunk.
    pub(super) fn append(&mut self, other: &mut Marks) {
        self.edges.append(&mut other.edges);
        self.vertices.append(&mut other.vertices);
        self.holes.append(&mut other.holes);
        self.needed = [0, 1].map(|k| self.needed[k].max(other.needed[k]));
        self.skipped += other.skipped;
        self.first_skipped = self.first_skipped.or(other.first_skipped);
    }

    /// Reads a chain of edges, with one sharpness for all or one for each.
    fn crease(&mut self, tag: Tag) -> Result<(), Fault> {
        if tag.ints.len() < 2 {
            return Err(Fault::text(tag.at, "a crease needs two vertices or more"));
        }
        let edges = tag.ints.len() - 1;
        for (i, ends) in tag.ints.windows(2).enumerate() {
            let (ends, sharpness) = ([ends[0], ends[1]], tag.sharpness(i, edges, "edges")?);
            if ends[0] == ends[1] {
                let what = format!(
                    "a crease goes from vertex {} (counted from 0) to itself",
                    ends[0]
                );
                return Err(Fault::text(tag.at, what));
            }
            if sharpness > 0.0 {
                self.edges.push(SharpEdge { ends, sharpness });
            }
        }
        self.need(0, &tag.ints);
        Ok(())
    }

    fn corner(&mut self, tag: Tag) -> Result<(), Fault> {
        let n = tag.ints.len();
        for (i, &vertex) in tag.ints.iter().enumerate() {
            let sharpness = tag.sharpness(i, n, "vertices")?;
            if sharpness > 0.0 {
                self.vertices.push(SharpVertex { vertex, sharpness });
            }
        }
        self.need(0, &tag.ints);
        Ok(())
    }

    fn hole(&mut self, tag: Tag) -> Result<(), Fault> {
        self.holes.extend(&tag.ints);
        self.need(1, &tag.ints);
        Ok(())
    }

    fn need(&mut self, k: usize, ids: &[u32]) {
        let highest = ids.iter().map(|&i| u64::from(i) + 1).max().unwrap_or(0);
        self.needed[k] = self.needed[k].max(highest);
    }
}

/// A tag's numbers.
struct Tag {
    /// Offset of the counts.
    at: usize,
    ints: Vec<u32>,
    floats: Vec<f32>,
}

impl Tag {
    /// Reads the counts `ints/floats/strings`, and that many numbers.
    fn read(mut words: LineWords<'_>) -> Result<Tag, Fault> {
        let at = words.offset();
        let (at, word) = words.next_at().unwrap_or((at, b""));
        let counts = counts(word).ok_or_else(|| {
            let what = format!(
                "{} is not the counts of a tag: whole numbers, numbers and words, such as 2/1/0",
                quote(word)
            );
            Fault::text(at, what)
        })?;
        let mut tag = Tag {
            at,
            ints: Vec::new(),
            floats: Vec::new(),
        };
        for _ in 0..counts[0] {
            let (at, word) = words.expected("a whole number of the tag")?;
            let n = integer(word, at, "a vertex or face, counted from 0,")?;
            let id = u32::try_from(n).map_err(|_| {
                Fault::text(
                    at,
                    format!("{} is no vertex or face, counted from 0", quote(word)),
                )
            })?;
            tag.ints.push(id);
        }
        for _ in 0..counts[1] {
            let (at, word) = words.expected("a number of the tag")?;
            tag.floats.push(number(word, at)?);
        }
        for _ in 0..counts[2] {
            words.expected("a word of the tag")?;
        }
        match words.next_at() {
            None => Ok(tag),
            Some((at, word)) => {
                let what = format!("{} is more than the tag's counts say", quote(word));
                Err(Fault::text(at, what))
            }
        }
    }

    /// Returns the sharpness of element `i` of `n`: one number holds for all.
    fn sharpness(&self, i: usize, n: usize, elements: &str) -> Result<f32, Fault> {
        let given = self.floats.len();
        if given != 1 && given != n {
            let what = format!(
                "{given} numbers for the sharpness of {n} {elements}: one is needed, or {n}"
            );
            return Err(Fault::text(self.at, what));
        }
        let sharpness = self.floats[if given == 1 { 0 } else { i }];
        if sharpness < 0.0 {
            let what = format!("a sharpness is {sharpness}, but must be 0 or more");
            return Err(Fault::text(self.at, what));
        }
        Ok(sharpness)
    }
}

fn counts(word: &[u8]) -> Option<[u32; 3]> {
    let mut parts = std::str::from_utf8(word).ok()?.split('/');
    let mut next = || parts.next()?.parse().ok();
    let counts = [next()?, next()?, next()?];
    parts.next().is_none().then_some(counts)
}
