//! Owners and ordered ids of vertices and edges.
//!
//! A vertex belongs to the lowest patch among its faces, an edge likewise. Ids here are *dense*: patch after patch
//! without slack. An edge's first side in the order of faces stands for it: the patches number their edges by counting
//! such sides, without reading those of others.

use crate::par::IntoLean;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::order::FaceOrder;
use super::rings::LongRings;
use super::shared::{NONE, prefix_sum, share, split_mut};

/// Vertices and edges in patch order.
pub(super) struct Elements {
    /// Start of each patch's faces, edges and vertices; the totals at the end.
    pub(super) starts: [Vec<u32>; 3],
    /// Dense vertex -> input vertex.
    pub(super) vertex_source: Vec<u32>,
    /// Input vertex -> dense vertex.
    pub(super) vertex_dense: Vec<u32>,
    /// Corners of the ordered faces, as dense vertices.
    pub(super) corners: Vec<[u32; 3]>,
    /// `edge << 1 | d` of the ordered sides; [`CROSS`]` | d` if the edge is another patch's.
    pub(super) sides: Vec<u32>,
    /// Edges with many faces.
    pub(super) long: LongRings,
}

/// Marks a side whose edge stands with a side of another patch.
pub(super) const CROSS: u32 = NONE - 1;

impl Elements {
    /// Returns the dense edge and direction of a side, as `edge << 1 | d`.
    pub(super) fn side(&self, next: &[u32], side: u32) -> u32 {
        let code = self.sides[side as usize];
        if code < CROSS {
            return code;
        }
        self.sides[self.long.first(next, side) as usize] & !1 | code & 1
    }
}

/// Elements that one patch owns.
struct Owned {
    vertices: Vec<u32>,
    edges: u32,
}

/// Finds owners and numbers vertices and edges; no edge has more than `longest` sides.
pub(super) fn build(
    vertex_count: usize,
    faces: &[[u32; 3]],
    order: &FaceOrder,
    patch_size: u32,
    longest: u32,
) -> Elements {
    let long = LongRings::new::<3>(&order.next, longest, &order.starts);
    let (mut corners, mut owner) = gather_corners(vertex_count, faces, order);
    let mut sides = vec![0; order.next.len()];
    let shared_owner = share(&mut owner);
    let owned: Vec<Owned> = split_mut(&mut sides, &order.starts, 3)
        .into_par_iter()
        .zip(order.starts.par_windows(2))
        .enumerate()
        .lean()
        .map(|(patch, (sides, range))| {
            let (from, to) = (range[0] as usize, range[1] as usize);
            Owned {
                vertices: own_vertices(patch as u32, &corners[from..to], shared_owner),
                edges: own_edges(range[0], &corners[from..to], (&order.next, &long), sides),
            }
        })
        .collect();
    let isolated: Vec<u32> = (0..vertex_count as u32)
        .into_par_iter()
        .lean()
        .filter(|&v| shared_owner[v as usize].load(Relaxed) == NONE)
        .collect();
    let starts = all_starts(order, &owned, &isolated, patch_size);
    let mut vertex_source = vec![0; vertex_count];
    let lists = owned.par_iter().lean().map(|o| &o.vertices[..]);
    let lists = lists.chain(isolated.par_chunks(patch_size as usize));
    split_mut(&mut vertex_source, &starts[0], 1)
        .into_par_iter()
        .zip(starts[0].par_iter())
        .zip(lists.collect::<Vec<_>>())
        .lean()
        .for_each(|((sources, &start), vertices)| {
            sources.copy_from_slice(vertices);
            for (v, id) in vertices.iter().zip(start..) {
                shared_owner[*v as usize].store(id, Relaxed);
            }
        });
    finish(&starts, &owner, &mut corners, &mut sides);
    Elements {
        starts,
        vertex_source,
        vertex_dense: owner,
        corners,
        sides,
        long,
    }
}

/// Returns the corners of the ordered faces, still as input vertices, and the owner of each vertex.
fn gather_corners(
    vertex_count: usize,
    faces: &[[u32; 3]],
    order: &FaceOrder,
) -> (Vec<[u32; 3]>, Vec<u32>) {
    let mut owner = vec![NONE; vertex_count];
    let shared_owner = share(&mut owner);
    let mut corners = vec![[0; 3]; faces.len()];
    split_mut(&mut corners, &order.starts, 1)
        .into_par_iter()
        .zip(order.starts.par_iter())
        .enumerate()
        .lean()
        .for_each(|(patch, (corners, &start))| {
            for (row, &face) in corners.iter_mut().zip(&order.source[start as usize..]) {
                *row = faces[face as usize];
                for v in *row {
                    let owner = &shared_owner[v as usize];
                    if owner.load(Relaxed) > patch as u32 {
                        owner.fetch_min(patch as u32, Relaxed);
                    }
                }
            }
        });
    (corners, owner)
}

/// Returns the vertices that a patch owns, as its faces meet them. The owner is marked when it is first met.
fn own_vertices(
    patch: u32,
    corners: &[[u32; 3]],
    owner: &[std::sync::atomic::AtomicU32],
) -> Vec<u32> {
    const MET: u32 = 1 << 31;
    let mut vertices = Vec::with_capacity(corners.len() / 2 + 32);
    for &v in corners.as_flattened() {
        if owner[v as usize].load(Relaxed) == patch {
            owner[v as usize].store(patch | MET, Relaxed);
            vertices.push(v);
        }
    }
    vertices
}

/// Numbers the edges that a patch owns from 0 and writes its sides' codes; returns their number.
fn own_edges(
    start: u32,
    corners: &[[u32; 3]],
    (next, long): (&[u32], &LongRings),
    sides: &mut [u32],
) -> u32 {
    let mut edges = 0;
    let first_side = 3 * start;
    for (face, row) in corners.iter().enumerate() {
        for k in 0..3 {
            let local = 3 * face + k;
            let d = u32::from(row[k] > row[(k + 1) % 3]);
            let first = long.first(next, first_side + local as u32);
            sides[local] = if first == first_side + local as u32 {
                edges += 1;
                (edges - 1) << 1 | d
            } else if first >= first_side {
                sides[(first - first_side) as usize] & !1 | d
            } else {
                CROSS | d
            };
        }
    }
    edges
}

/// Returns the start of each patch's elements. Patches of isolated vertices come last.
fn all_starts(
    order: &FaceOrder,
    owned: &[Owned],
    isolated: &[u32],
    patch_size: u32,
) -> [Vec<u32>; 3] {
    let extra = isolated.chunks(patch_size as usize);
    let mut starts = [
        prefix_sum(
            (owned.iter().map(|o| o.vertices.len()))
                .chain(extra.clone().map(<[u32]>::len))
                .map(|count| count as u32),
        ),
        prefix_sum(owned.iter().map(|o| o.edges)),
        order.starts.clone(),
    ];
    for kind in 1..3 {
        let total = starts[kind].last().copied().unwrap_or(0);
        starts[kind].resize(starts[0].len(), total);
    }
    starts
}

/// Turns patch-local edge numbers and input vertices into dense ids.
fn finish(starts: &[Vec<u32>; 3], dense: &[u32], corners: &mut [[u32; 3]], sides: &mut [u32]) {
    split_mut(sides, &starts[2], 3)
        .into_par_iter()
        .zip(split_mut(corners, &starts[2], 1))
        .zip(starts[1].par_iter())
        .lean()
        .for_each(|((sides, corners), &first_edge)| {
            for code in sides.iter_mut().filter(|code| **code < CROSS) {
                *code += first_edge << 1;
            }
            for v in corners.as_flattened_mut() {
                *v = dense[*v as usize];
            }
        });
}
