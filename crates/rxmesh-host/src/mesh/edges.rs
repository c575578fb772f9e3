//! The edges of a mesh, found by sorting: no hashing, linear for bounded valence, the same on every run.

use super::PolyMesh;
use super::face_list::{FaceList, Polygons, Triangles, is_simple};
use crate::par::IntoLean;
use rayon::prelude::*;

/// "No edge": the corner belongs to a face that names a vertex twice.
const NONE: u32 = u32::MAX;

/// Every edge of a face list, with the half-edges along it.
///
/// A half-edge has the number of the corner that it leaves, and runs to the next corner of its face: in triangles
/// half-edge `3 f + k` leaves corner `k` of face `f`. Faces that name a vertex twice have no edges here: they bound no
/// area and would make every neighbour non-manifold.
#[derive(Debug, Clone)]
pub struct EdgeTable {
    /// Both ends, the smaller first; ordered by (smaller, larger).
    pub edges: Vec<[u32; 2]>,
    /// Edge of each half-edge, `u32::MAX` in faces that name a vertex twice.
    pub edge_of: Vec<u32>,
    /// Start of the half-edges of each edge: those of edge `e` are `half_edges[starts[e]..starts[e + 1]]`.
    pub starts: Vec<u32>,
    /// Half-edges, grouped by edge, ascending within one.
    pub half_edges: Vec<u32>,
}

impl EdgeTable {
    /// Finds the edges of triangles.
    ///
    /// # Panics
    ///
    /// When an index in `faces` is not below `vertices`.
    pub fn new(faces: &[[u32; 3]], vertices: usize) -> EdgeTable {
        EdgeTable::of(&Triangles(faces), vertices)
    }

    /// Finds the edges of polygons.
    ///
    /// # Panics
    ///
    /// When the mesh is not [valid](PolyMesh::validate).
    pub fn of_polygons(mesh: &PolyMesh) -> EdgeTable {
        EdgeTable::of(&Polygons::new(mesh), mesh.vertex_count())
    }

    pub(crate) fn of(faces: &impl FaceList, vertices: usize) -> EdgeTable {
        let (mut slots, bounds) = bucket_by_lower_end(faces, vertices);
        sort_buckets(&mut slots, &bounds);
        let mut table = EdgeTable {
            edges: Vec::with_capacity(slots.len() / 2 + 1),
            edge_of: vec![NONE; faces.corner_count()],
            starts: Vec::with_capacity(slots.len() / 2 + 2),
            half_edges: Vec::with_capacity(slots.len()),
        };
        for (v, w) in bounds.windows(2).enumerate() {
            let mut last = NONE;
            for slot in &slots[w[0] as usize..w[1] as usize] {
                let (other, half) = ((slot >> 32) as u32, *slot as u32);
                if other != last {
                    table.starts.push(table.half_edges.len() as u32);
                    table.edges.push([v as u32, other]);
                    last = other;
                }
                table.edge_of[half as usize] = table.edges.len() as u32 - 1;
                table.half_edges.push(half);
            }
        }
        table.starts.push(table.half_edges.len() as u32);
        table
    }

    /// Returns the number of edges.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Returns `true` if there is no edge.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Returns the half-edges along edge `e`.
    pub fn along(&self, e: usize) -> &[u32] {
        &self.half_edges[self.starts[e] as usize..self.starts[e + 1] as usize]
    }
}

/// Returns both ends of every edge, the smaller first, ordered by (smaller, larger): [`EdgeTable::edges`] alone.
pub(super) fn unique_edges(faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut sides: Vec<u64> = faces
        .par_iter()
        .lean()
        .filter(|f| is_proper(f))
        .flat_map_iter(|&[a, b, c]| {
            [[a, b], [b, c], [c, a]].map(|[a, b]| u64::from(a.min(b)) << 32 | u64::from(a.max(b)))
        })
        .collect();
    sides.par_sort_unstable();
    sides.dedup();
    let ends = |&e: &u64| [(e >> 32) as u32, e as u32];
    sides.par_iter().lean().map(ends).collect()
}

/// Returns `true` if the three corners are three vertices.
pub(crate) fn is_proper(face: &[u32; 3]) -> bool {
    face[0] != face[1] && face[1] != face[2] && face[2] != face[0]
}

/// Returns half-edges as (larger end, half-edge) in one 64-bit word, in buckets by their smaller end.
fn bucket_by_lower_end(faces: &impl FaceList, vertices: usize) -> (Vec<u64>, Vec<u32>) {
    let proper = || (0..faces.count()).filter(|&f| is_simple(faces.face(f)));
    let mut bounds = vec![0u32; vertices + 1];
    for f in proper() {
        each_side(faces.face(f), |_, low, _| bounds[low as usize + 1] += 1);
    }
    for v in 0..vertices {
        bounds[v + 1] += bounds[v];
    }
    let mut next = bounds.clone();
    let mut slots = vec![0u64; bounds[vertices] as usize];
    for f in proper() {
        let first = faces.range(f).start;
        each_side(faces.face(f), |k, low, high| {
            let at = &mut next[low as usize];
            slots[*at as usize] = u64::from(high) << 32 | (first + k) as u64;
            *at += 1;
        });
    }
    (slots, bounds)
}

/// Visits the sides of a face: its number, the smaller end, the larger end.
#[inline]
fn each_side(face: &[u32], mut act: impl FnMut(usize, u32, u32)) {
    for (k, &a) in face.iter().enumerate() {
        let b = face[if k + 1 == face.len() { 0 } else { k + 1 }];
        act(k, a.min(b), a.max(b));
    }
}

/// Sorts every bucket, buckets in parallel.
fn sort_buckets(slots: &mut [u64], bounds: &[u32]) {
    const VERTICES_A_TASK: usize = 1 << 14;
    let mut rest = slots;
    let mut tasks = Vec::new();
    for chunk in bounds[..bounds.len() - 1]
        .chunks(VERTICES_A_TASK)
        .enumerate()
    {
        let first = chunk.0 * VERTICES_A_TASK;
        let own = &bounds[first..=first + chunk.1.len()];
        let (head, tail) = rest.split_at_mut((own[own.len() - 1] - own[0]) as usize);
        rest = tail;
        tasks.push((head, own));
    }
    tasks.into_par_iter().lean().for_each(|(part, own)| {
        for w in own.windows(2) {
            part[(w[0] - own[0]) as usize..(w[1] - own[0]) as usize].sort_unstable();
        }
    });
}
