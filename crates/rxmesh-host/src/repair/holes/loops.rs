//! Boundary loops: closed walks along edges of one face, cut into pieces that come to each vertex once.

use super::{HoleLeft, WhyLeft};
use crate::mesh::{EdgeTable, TriMesh};
use glam::DVec3;
use std::collections::{HashMap, HashSet};

/// "None".
const NONE: u32 = u32::MAX;

/// A hole: its vertices in the order in which new faces go around, each once.
#[derive(Clone, Debug)]
pub(super) struct HoleLoop {
    /// Vertices, three at least.
    pub(super) vertices: Vec<u32>,
    /// Half-edge of the old face at side `i`; it runs from vertex `i + 1` to vertex `i`.
    pub(super) mates: Vec<u32>,
}

impl HoleLoop {
    /// Returns the old face at side `i`.
    pub(super) fn face(&self, i: usize) -> u32 {
        self.mates[i] / 3
    }

    /// Returns `true` if one face has all sides: a triangle that stands alone.
    pub(super) fn is_one_face(&self) -> bool {
        (0..self.mates.len()).all(|i| self.face(i) == self.face(0))
    }

    /// Returns the entry of the report for a hole that is left.
    pub(super) fn left(&self, why: WhyLeft) -> HoleLeft {
        HoleLeft {
            edges: self.vertices.len(),
            vertex: self.vertices.iter().copied().min().unwrap_or(0),
            why,
        }
    }
}

/// Boundary of a mesh.
pub(super) struct Found {
    pub(super) rings: Vec<HoleLoop>,
    /// Pieces of boundary that do not close.
    pub(super) open: Vec<HoleLeft>,
}

/// Finds the boundary loops, ordered by their first edge.
pub(super) fn find(mesh: &TriMesh, table: &EdgeTable) -> Found {
    let borders: Vec<u32> = (0..table.len())
        .filter_map(|e| match table.along(e) {
            [h] => Some(*h),
            _ => None,
        })
        .collect();
    let walk = Walk { mesh, table };
    let next = walk.followers(&borders);
    let mut found = Found {
        rings: Vec::new(),
        open: Vec::new(),
    };
    let mut seen = vec![false; borders.len()];
    let mut led = vec![false; borders.len()];
    next.iter()
        .filter(|&&n| n != NONE)
        .for_each(|&n| led[n as usize] = true);
    // Pieces that do not close start where nothing leads; the others are closed loops.
    let starts = (0..borders.len())
        .filter(|&i| !led[i])
        .chain(0..borders.len());
    for start in starts {
        if seen[start] {
            continue;
        }
        let (mut chain, mut at) = (Vec::new(), start as u32);
        while at != NONE && !seen[at as usize] {
            seen[at as usize] = true;
            chain.push(borders[at as usize]);
            at = next[at as usize];
        }
        if at == start as u32 {
            walk.cut(&chain, &mut found.rings);
        } else {
            let vertices = chain.iter().flat_map(|&h| walk.ends(h));
            found.open.push(HoleLeft {
                edges: chain.len(),
                vertex: vertices.min().unwrap_or(0),
                why: WhyLeft::Open,
            });
        }
    }
    found
}

/// A fan of faces around a vertex with its two borders.
#[derive(Clone, Copy)]
struct BorderFan {
    vertex: u32,
    /// Places in the list of borders: the half-edge that comes to the vertex, and the one that goes.
    into: u32,
    out: u32,
}

struct Walk<'a> {
    mesh: &'a TriMesh,
    table: &'a EdgeTable,
}

impl Walk<'_> {
    /// Returns the first and last vertex of a half-edge.
    fn ends(&self, h: u32) -> [u32; 2] {
        let (f, k) = (h as usize / 3, h as usize % 3);
        [self.mesh.faces[f][k], self.mesh.faces[f][(k + 1) % 3]]
    }

    /// Returns for each border the one that follows it around its hole, [`NONE`] if the boundary does not continue.
    ///
    /// Two borders of one fan of faces follow each other. Where two such fans meet in a vertex, the hole lies between
    /// them: the border that comes to one fan continues with the border that leaves the other. Where there are more, it
    /// continues with that of the next fan around the vertex.
    fn followers(&self, borders: &[u32]) -> Vec<u32> {
        let place: HashMap<u32, u32> = borders
            .iter()
            .enumerate()
            .map(|(i, &h)| (h, i as u32))
            .collect();
        let mut fans: Vec<BorderFan> = Vec::with_capacity(borders.len());
        for (i, &h) in borders.iter().enumerate() {
            let vertex = self.ends(h)[1];
            let out = self.other_border(h, vertex).and_then(|o| place.get(&o));
            if let Some(&out) = out.filter(|&&o| self.ends(borders[o as usize])[0] == vertex) {
                fans.push(BorderFan {
                    vertex,
                    into: i as u32,
                    out,
                });
            }
        }
        fans.sort_unstable_by_key(|f| (f.vertex, f.into));
        let mut next = vec![NONE; borders.len()];
        for at_vertex in fans.chunk_by(|a, b| a.vertex == b.vertex) {
            if at_vertex.len() > 2
                && let Some(pairs) = self.around(borders, at_vertex)
            {
                pairs.for_each(|(into, out)| next[into as usize] = out);
                continue;
            }
            for (i, fan) in at_vertex.iter().enumerate() {
                let other = match at_vertex {
                    [_, _] => &at_vertex[1 - i],
                    _ => fan,
                };
                next[fan.into as usize] = other.out;
            }
        }
        next
    }

    /// Returns the pairs of borders that follow each other at a vertex of several fans: a border that comes to the
    /// vertex with the next one counter-clockwise, seen along the mean normal of the faces. `None` if fans lie over
    /// each other.
    fn around(
        &self,
        borders: &[u32],
        fans: &[BorderFan],
    ) -> Option<impl Iterator<Item = (u32, u32)> + use<>> {
        let at = |v: u32| self.mesh.positions[v as usize].as_dvec3();
        let center = at(fans[0].vertex);
        let mut faces = Vec::new();
        for fan in fans {
            self.fan(borders[fan.into as usize], fan.vertex, &mut faces);
        }
        let normal = |&f: &u32| {
            let [a, b, c] = self.mesh.faces[f as usize].map(at);
            (b - a).cross(c - a)
        };
        let normal = faces.iter().map(normal).sum::<DVec3>().normalize_or_zero();
        if normal == DVec3::ZERO {
            return None;
        }
        let x = normal.any_orthonormal_vector();
        let y = normal.cross(x);
        let angle = |v: u32| {
            let d = at(v) - center;
            d.dot(y).atan2(d.dot(x))
        };
        let mut rays: Vec<(f64, bool, u32)> = Vec::with_capacity(2 * fans.len());
        for fan in fans {
            let into = self.ends(borders[fan.into as usize])[0];
            let out = self.ends(borders[fan.out as usize])[1];
            rays.push((angle(into), true, fan.into));
            rays.push((angle(out), false, fan.out));
        }
        rays.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let first = rays.iter().position(|r| r.1)?;
        rays.rotate_left(first);
        let is_alternating = rays.iter().enumerate().all(|(i, r)| r.1 == (i % 2 == 0));
        is_alternating.then(|| {
            let (pairs, _) = rays.as_chunks::<2>();
            let pairs: Vec<(u32, u32)> = pairs.iter().map(|[i, o]| (i.2, o.2)).collect();
            pairs.into_iter()
        })
    }

    /// Returns the other border of the fan at `vertex` that half-edge `h` bounds: `None` if an edge of more than two
    /// faces comes before.
    fn other_border(&self, h: u32, vertex: u32) -> Option<u32> {
        let mut h = h;
        // A fan has at most all faces.
        for _ in 0..=self.mesh.faces.len() {
            let across = self.other_side(h, vertex);
            match self
                .table
                .along(self.table.edge_of[across as usize] as usize)
            {
                [_] => return Some(across),
                [a, b] => h = if *a == across { *b } else { *a },
                _ => return None,
            }
        }
        None
    }

    /// Returns the other half-edge of the same face with this vertex as an end.
    fn other_side(&self, h: u32, vertex: u32) -> u32 {
        let (first, k) = (h / 3 * 3, h % 3);
        let [start, _] = self.ends(h);
        if start == vertex {
            first + (k + 2) % 3
        } else {
            first + (k + 1) % 3
        }
    }

    /// Cuts a closed walk where it comes to a vertex again, and turns the pieces around.
    fn cut(&self, chain: &[u32], rings: &mut Vec<HoleLoop>) {
        let mut at: HashMap<u32, usize> = HashMap::with_capacity(chain.len());
        let mut path: Vec<u32> = Vec::with_capacity(chain.len());
        for &h in chain {
            let [start, end] = self.ends(h);
            at.insert(start, path.len());
            path.push(h);
            if let Some(&from) = at.get(&end) {
                let piece = path.split_off(from);
                for &h in &piece {
                    at.remove(&self.ends(h)[0]);
                }
                rings.push(self.ring(&piece));
            }
        }
    }

    fn ring(&self, piece: &[u32]) -> HoleLoop {
        let mates: Vec<u32> = piece.iter().rev().copied().collect();
        HoleLoop {
            vertices: mates.iter().map(|&h| self.ends(h)[1]).collect(),
            mates,
        }
    }

    /// Collects the faces around a vertex of half-edge `h`, from `h`'s own on, away from `h`, until the fan ends.
    /// Returns `true` if it comes back to `h`.
    fn fan(&self, h: u32, vertex: u32, faces: &mut Vec<u32>) -> bool {
        let start = h;
        let mut h = h;
        for _ in 0..=self.mesh.faces.len() {
            faces.push(h / 3);
            let across = self.other_side(h, vertex);
            match self
                .table
                .along(self.table.edge_of[across as usize] as usize)
            {
                [a, b] => h = if *a == across { *b } else { *a },
                _ => return false,
            }
            if h == start {
                return true;
            }
        }
        false
    }
}

/// Old faces around a ring.
pub(super) struct FacesAround {
    /// Faces with a vertex of the ring, in the fans beside the hole, and faces with a vertex of such a face; ascending.
    pub(super) faces: Vec<u32>,
    /// Vertices beside the ring all of whose faces are among them, ascending.
    pub(super) whole: Vec<u32>,
}

/// Finds the old faces around a ring.
pub(super) fn faces_around(mesh: &TriMesh, table: &EdgeTable, ring: &HoleLoop) -> FacesAround {
    let walk = Walk { mesh, table };
    let n = ring.vertices.len();
    let mut faces = Vec::new();
    for (i, &v) in ring.vertices.iter().enumerate() {
        let (before, after) = (ring.mates[(i + n - 1) % n], ring.mates[i]);
        let from = faces.len();
        walk.fan(after, v, &mut faces);
        if !faces[from..].contains(&(before / 3)) {
            walk.fan(before, v, &mut faces);
        }
    }
    faces.sort_unstable();
    faces.dedup();
    let on_ring: HashSet<u32> = ring.vertices.iter().copied().collect();
    let mut beside: Vec<(u32, u32)> = Vec::new();
    for h in faces.iter().flat_map(|&f| 3 * f..3 * f + 3) {
        let [v, _] = walk.ends(h);
        if !on_ring.contains(&v) {
            beside.push((v, h));
        }
    }
    beside.sort_unstable();
    beside.dedup_by_key(|(v, _)| *v);
    let mut whole = Vec::new();
    for (v, h) in beside {
        if walk.fan(h, v, &mut faces) {
            whole.push(v);
        }
    }
    faces.sort_unstable();
    faces.dedup();
    FacesAround { faces, whole }
}
