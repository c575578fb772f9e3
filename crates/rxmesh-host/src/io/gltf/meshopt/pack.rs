//! Packs elements of vertices (version 0, which every reader of `EXT_meshopt_compression` knows) and triangles.

use super::indices::Fifo;
use super::vertices::{BLOCK, GROUP, LEAST_TAIL, MOST, VERSION_0};
use crate::par::IntoLean;
use rayon::prelude::*;

/// Ways of the second and third corner of a triangle apart from all others that have a short code: those that
/// meshoptimizer's encoder has found to be the most frequent.
const WAYS: [u8; 16] = [
    0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xA9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0, 0,
];

/// Packs elements of `stride` bytes, a multiple of four up to 256.
pub(in super::super) fn vertices(elements: &[u8], stride: usize) -> Vec<u8> {
    let block = (BLOCK / stride / GROUP * GROUP).min(MOST) * stride;
    let first = elements.get(..stride).unwrap_or_default();
    let packed = elements
        .par_chunks(block)
        .enumerate()
        .lean()
        .map(|(b, part)| {
            // The element before a block is the last of the block before.
            let before = match b * block {
                0 => first,
                from => &elements[from - stride..from],
            };
            pack_block(part, before, stride)
        });
    let packed: Vec<Vec<u8>> = packed.collect();
    let mut all = vec![0xA0];
    packed.iter().for_each(|b| all.extend_from_slice(b));
    all.resize(all.len() + LEAST_TAIL[0].saturating_sub(stride), 0);
    let mut tail = first.to_vec();
    tail.resize(stride, 0);
    all.append(&mut tail);
    all
}

/// Packs a block, byte by byte of its elements.
fn pack_block(elements: &[u8], before: &[u8], stride: usize) -> Vec<u8> {
    let mut all = Vec::with_capacity(elements.len());
    let count = elements.len() / stride;
    for (k, &before) in before.iter().enumerate() {
        let mut deltas = [0; MOST];
        let mut last = before;
        for (delta, element) in deltas.iter_mut().zip(elements.chunks_exact(stride)) {
            let step = element[k].wrapping_sub(last) as i8;
            // The sign becomes the lowest bit.
            *delta = (step << 1 ^ step >> 7) as u8;
            last = element[k];
        }
        pack_groups(&deltas[..count.next_multiple_of(GROUP)], &mut all);
    }
    all
}

/// Packs differences in groups, each with the number of bits that takes the fewest bytes.
fn pack_groups(deltas: &[u8], all: &mut Vec<u8>) {
    let groups = deltas.as_chunks::<GROUP>().0;
    let header = all.len();
    all.resize(header + groups.len().div_ceil(4), 0);
    for (g, group) in groups.iter().enumerate() {
        let sizes = VERSION_0.map(|bits| size(group, bits));
        let best = (0..4).min_by_key(|&k| sizes[k]).unwrap_or(3);
        all[header + g / 4] |= (best as u8) << (2 * (g % 4));
        pack_group(group, VERSION_0[best], all);
    }
}

/// Returns the bytes that a group takes.
fn size(group: &[u8; GROUP], bits: u32) -> usize {
    match bits {
        0 if group.iter().all(|x| *x == 0) => 0,
        0 => usize::MAX,
        8 => GROUP,
        bits => {
            let largest = (1 << bits) - 1;
            2 * bits as usize + group.iter().filter(|x| **x >= largest).count()
        }
    }
}

fn pack_group(group: &[u8; GROUP], bits: u32, all: &mut Vec<u8>) {
    match bits {
        0 => {}
        8 => all.extend_from_slice(group),
        bits => {
            let largest = (1u8 << bits) - 1;
            for values in group.chunks_exact(8 / bits as usize) {
                let join = |byte: u8, x: &u8| byte << bits | (*x).min(largest);
                all.push(values.iter().fold(0, join));
            }
            all.extend(group.iter().filter(|x| **x >= largest));
        }
    }
}

/// State of the packer of triangles: the same as that of the decoder.
struct Packer {
    codes: Vec<u8>,
    data: Vec<u8>,
    edges: Fifo<[u32; 2]>,
    vertices: Fifo<u32>,
    next: u32,
    last: u32,
}

/// Packs the corners of triangles. A triangle may begin at another of its corners afterwards.
pub(in super::super) fn triangles(corners: &[u32]) -> Vec<u8> {
    let mut packer = Packer {
        codes: vec![0xE1],
        data: Vec::new(),
        edges: Fifo::new([u32::MAX; 2]),
        vertices: Fifo::new(u32::MAX),
        next: 0,
        last: 0,
    };
    for &[a, b, c] in corners.as_chunks::<3>().0 {
        let turns = [[a, b, c], [b, c, a], [c, a, b]];
        // An edge that is too long ago has no code.
        let found = packer
            .edges
            .position(|e| turns.iter().any(|t| *e == [t[0], t[1]]));
        match found.filter(|(n, _)| *n < 15) {
            Some((n, edge)) => {
                let turned = turns.into_iter().find(|t| edge == [t[0], t[1]]);
                packer.at_edge(n, turned.unwrap_or(turns[0]));
            }
            None => packer.apart(turns),
        }
    }
    let mut all = packer.codes;
    all.append(&mut packer.data);
    all.extend(WAYS);
    all
}

impl Packer {
    /// Writes a vertex by its difference from the last that was written so.
    fn give(&mut self, vertex: u32) {
        let step = vertex.wrapping_sub(self.last) as i32;
        let mut number = (step << 1 ^ step >> 31) as u32;
        while number > 127 {
            self.data.push(number as u8 | 128);
            number >>= 7;
        }
        self.data.push(number as u8);
        self.last = vertex;
    }

    /// Takes the next vertex, if it is this one.
    fn is_next(&mut self, vertex: u32) -> bool {
        let is_next = vertex == self.next;
        self.next = self.next.wrapping_add(u32::from(is_next));
        is_next
    }

    /// Packs a triangle at the `n`th last edge.
    fn at_edge(&mut self, n: u8, [a, b, c]: [u32; 3]) {
        let known = self.vertices.position(|v| *v == c).map(|(n, _)| n);
        let code = match known.filter(|n| (1..13).contains(n)) {
            Some(known) => known,
            None if self.is_next(c) => 0,
            None if c.wrapping_add(1) == self.last => 13,
            None if c == self.last.wrapping_add(1) => 14,
            None => 15,
        };
        self.codes.push(n << 4 | code);
        match code {
            13 | 14 => self.last = c,
            15 => self.give(c),
            _ => {}
        }
        if !(1..13).contains(&code) {
            self.vertices.push(c);
        }
        self.edges.push([c, b]);
        self.edges.push([a, c]);
    }

    /// Packs a triangle at no edge that is known, from the corner on that makes the first one new.
    fn apart(&mut self, turns: [[u32; 3]; 3]) {
        let [_, b, c] = turns[0];
        let [a, b, c] = match self.next {
            next if next == b => turns[1],
            next if next == c => turns[2],
            _ => turns[0],
        };
        // A mesh after another one begins at the first vertex again.
        let restarts = [a, b, c] == [0, 1, 2] && self.next > 0;
        if restarts {
            self.next = 0;
            self.vertices = Fifo::new(u32::MAX);
        }
        let is_new = self.is_next(a);
        let mut ways = [0; 2];
        for (way, vertex) in ways.iter_mut().zip([b, c]) {
            let known = self.vertices.position(|v| *v == vertex).map(|(n, _)| n);
            *way = match known.filter(|n| *n < 14) {
                Some(known) => known + 1,
                None if self.is_next(vertex) => 0,
                None => 15,
            };
        }
        let both = ways[0] << 4 | ways[1];
        // A byte of 0 behind the code makes the decoder begin anew, and stands for nothing else.
        let short = WAYS[..14].iter().position(|w| *w == both);
        let short = short.filter(|_| is_new && !restarts);
        match short {
            Some(short) => self.codes.push(0xF0 | short as u8),
            None => {
                self.codes.push(if is_new { 0xFE } else { 0xFF });
                self.data.push(both);
            }
        }
        if !is_new {
            self.give(a);
        }
        for (way, vertex) in ways.into_iter().zip([b, c]) {
            if way == 15 {
                self.give(vertex);
            }
        }
        self.vertices.push(a);
        for (way, vertex) in ways.into_iter().zip([b, c]) {
            if way == 0 || way == 15 {
                self.vertices.push(vertex);
            }
        }
        for edge in [[b, a], [c, b], [a, c]] {
            self.edges.push(edge);
        }
    }
}
