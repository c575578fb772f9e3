//! Indices of triangles, by the edges and vertices that were seen last, and indices in any order.

use super::source::{Source, Wrong, signed};

/// Bytes of the table at the end of packed triangles.
const TABLE: usize = 16;
/// Bytes at the end of a packed sequence.
const SEQUENCE_TAIL: usize = 4;

/// The last sixteen that were added.
pub(super) struct Fifo<T> {
    all: [T; 16],
    next: usize,
}

impl<T: Copy> Fifo<T> {
    pub(super) fn new(value: T) -> Fifo<T> {
        Fifo {
            all: [value; 16],
            next: 0,
        }
    }

    pub(super) fn push(&mut self, value: T) {
        self.all[self.next % 16] = value;
        self.next = self.next.wrapping_add(1);
    }

    /// Returns the one that was added `n` before the last.
    fn before(&self, n: u8) -> T {
        self.all[self.next.wrapping_sub(1 + usize::from(n)) % 16]
    }

    /// Returns the last one that `is` holds for, and how many were added after it.
    pub(super) fn position(&self, is: impl Fn(&T) -> bool) -> Option<(u8, T)> {
        let all = (0..16).map(|n| (n, self.before(n)));
        all.into_iter().find(|(_, value)| is(value))
    }
}

/// Indices as they are written: of two bytes or four.
struct IndexBytes {
    all: Vec<u8>,
    size: usize,
}

impl IndexBytes {
    fn new(count: usize, size: usize) -> IndexBytes {
        IndexBytes {
            all: Vec::with_capacity(count * size),
            size,
        }
    }

    fn push(&mut self, index: u32) {
        self.all
            .extend_from_slice(&index.to_le_bytes()[..self.size]);
    }
}

/// State of the decoder of triangles.
struct PackedTriangles<'a> {
    data: Source<'a>,
    table: &'a [u8],
    edges: Fifo<[u32; 2]>,
    vertices: Fifo<u32>,
    /// First vertex that no triangle had.
    next: u32,
    /// Last vertex that was given by its number.
    last: u32,
}

impl PackedTriangles<'_> {
    fn fresh(&mut self) -> u32 {
        let vertex = self.next;
        self.next = self.next.wrapping_add(1);
        vertex
    }

    fn given(&mut self) -> Result<u32, Wrong> {
        self.last = self.last.wrapping_add(signed(self.data.number()?));
        Ok(self.last)
    }

    /// Returns the triangle at an edge that was seen.
    fn at_edge(&mut self, edge: u8, code: u8) -> Result<[u32; 3], Wrong> {
        let [a, b] = self.edges.before(edge);
        let c = match code {
            0 => self.fresh(),
            13 | 14 => {
                let step = if code == 13 { u32::MAX } else { 1 };
                self.last = self.last.wrapping_add(step);
                self.last
            }
            15 => self.given()?,
            code => self.vertices.before(code),
        };
        if !(1..13).contains(&code) {
            self.vertices.push(c);
        }
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Ok([a, b, c])
    }

    /// Returns a triangle at no edge that was seen.
    fn apart(&mut self, code: u8) -> Result<[u32; 3], Wrong> {
        let codes = match self.table.get(usize::from(code)) {
            Some(&codes) if code < 14 => codes,
            _ => {
                let codes = self.data.byte()?;
                if codes == 0 {
                    self.next = 0;
                }
                codes
            }
        };
        let a = if code < 15 {
            self.fresh()
        } else {
            self.given()?
        };
        let ways = [codes >> 4, codes & 15];
        let [mut b, mut c] = [0; 2];
        for (way, vertex) in ways.into_iter().zip([&mut b, &mut c]) {
            *vertex = match way {
                0 => self.fresh(),
                15 if code >= 14 => self.given()?,
                way => self.vertices.before(way - 1),
            };
        }
        self.vertices.push(a);
        for (way, vertex) in ways.into_iter().zip([b, c]) {
            if way == 0 || way == 15 && code >= 14 {
                self.vertices.push(vertex);
            }
        }
        for edge in [[b, a], [c, b], [a, c]] {
            self.edges.push(edge);
        }
        Ok([a, b, c])
    }
}

/// Unpacks the `count` corners of triangles.
pub(super) fn triangles(
    mut source: Source<'_>,
    count: usize,
    size: usize,
) -> Result<Vec<u8>, Wrong> {
    if source.byte()? != 0xE1 {
        return Err("the packed bytes do not begin as those of triangles do");
    }
    let table = source.take_end(TABLE)?;
    let codes = source.take(count / 3)?;
    let mut state = PackedTriangles {
        data: source,
        table,
        edges: Fifo::new([u32::MAX; 2]),
        vertices: Fifo::new(u32::MAX),
        next: 0,
        last: 0,
    };
    let mut all = IndexBytes::new(count, size);
    for code in codes {
        let corners = match code >> 4 {
            15 => state.apart(code & 15)?,
            edge => state.at_edge(edge, code & 15)?,
        };
        corners.into_iter().for_each(|index| all.push(index));
    }
    state.data.end()?;
    Ok(all.all)
}

/// Unpacks `count` indices.
pub(super) fn sequence(
    mut source: Source<'_>,
    count: usize,
    size: usize,
) -> Result<Vec<u8>, Wrong> {
    if source.byte()? != 0xD1 {
        return Err("the packed bytes do not begin as those of indices do");
    }
    source.take_end(SEQUENCE_TAIL)?;
    let mut last = [0u32; 2];
    let mut all = IndexBytes::new(count, size);
    for _ in 0..count {
        let number = source.number()?;
        let last = &mut last[(number & 1) as usize];
        *last = last.wrapping_add(signed(number >> 1));
        all.push(*last);
    }
    source.end()?;
    Ok(all.all)
}
