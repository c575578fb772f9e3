//! The modified butterfly scheme (Zorin, Schroeder and Sweldens 1996): triangles into four, through the vertices that
//! are there.
//!
//! `no_std`: the same source becomes PTX for the GPU and ordinary functions for the CPU.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

// Brings the panic handler into the device build.
#[cfg(target_arch = "nvptx64")]
use cuda_std as _;

use rxmesh_kernels::{args, kernels};
use rxmesh_subdivision_kernels::matrix::schemes::cosine_of_part;
use rxmesh_subdivision_kernels::matrix::{
    CountTerms, FacePoints, FillIds, FillValues, Level, LevelRows, Points, Scheme, Split, Terms,
};
use rxmesh_subdivision_kernels::topology::NONE;

args! {
    /// The modified butterfly scheme. Vertices stay; an edge's point is a sum over the triangles around it.
    ///
    /// Along a boundary the rule is that of a curve through four points; an inner edge with an end at a boundary gets
    /// its middle. (The paper has further rules there.)
    pub struct Butterfly {}
}

// SAFETY: masks name what half-edges of the level name (contracts U3 and U4 of rxmesh's docs/inside/unsafe.md).
unsafe impl Scheme for Butterfly {
    const SPLIT: Split = Split::Triangles;

    #[inline(always)]
    fn vertex(&self, _: &Level, v: u32, to: &mut impl Terms) {
        to.vertex(v, 1.0);
    }

    #[inline(always)]
    fn edge(&self, level: &Level, h: u32, to: &mut impl Terms) {
        let m = &level.m;
        let (a, b, twin) = (m.origin(h), m.target(h), m.twin(h));
        if twin == NONE {
            along_boundary(level, [a, b], to);
        } else if !level.is_interior(a) || !level.is_interior(b) {
            to.vertex(a, 0.5);
            to.vertex(b, 0.5);
        } else {
            match (level.valence(a), level.valence(b)) {
                (6, 6) => regular(level, h, twin, to),
                (n, 6) => irregular(level, h, n, 1.0, to),
                (6, n) => irregular(level, twin, n, 1.0, to),
                (n, o) => {
                    irregular(level, h, n, 0.5, to);
                    irregular(level, twin, o, 0.5, to);
                }
            }
        }
    }
}

/// The eight points that gave the scheme its name: the edge, its two triangles' other corners, and four wings.
#[inline(always)]
fn regular(level: &Level, h: u32, twin: u32, to: &mut impl Terms) {
    let m = &level.m;
    let mut side = |h: u32| {
        let (next, prev) = (m.next(h), m.prev(h));
        to.vertex(m.origin(h), 0.5);
        to.vertex(m.origin(prev), 0.125);
        // Both ends of the edge are inside the mesh, so these have twins.
        to.vertex(m.origin(m.prev(m.twin(next))), -0.0625);
        to.vertex(m.origin(m.prev(m.twin(prev))), -0.0625);
    };
    side(h);
    side(twin);
}

/// The ring of the vertex that a half-edge leaves, of valence n, from the half-edge on; all of it times `weight`.
#[inline(always)]
fn irregular(level: &Level, h: u32, n: u32, weight: f32, to: &mut impl Terms) {
    let m = &level.m;
    to.vertex(m.origin(h), 0.75 * weight);
    // cos(2 pi j / n) for j and the one before, by the sum of angles.
    let turn = cosine_of_part(n);
    let (mut here, mut cosine, mut before) = (h, 1.0, turn);
    for j in 0..n {
        let share = match (n, j) {
            (3, 0) => 5.0 / 12.0,
            (3, _) => -1.0 / 12.0,
            (4, 0) => 0.375,
            (4, 2) => -0.125,
            (4, _) => 0.0,
            _ => (0.25 + cosine + 0.5 * (2.0 * cosine * cosine - 1.0)) / n as f32,
        };
        to.vertex(m.target(here), weight * share);
        (cosine, before) = (2.0 * turn * cosine - before, cosine);
        here = m.twin(m.prev(here));
    }
}

/// Four points of the boundary: (-1, 9, 9, -1) / 16.
#[inline(always)]
fn along_boundary(level: &Level, [a, b]: [u32; 2], to: &mut impl Terms) {
    let mut beyond = |v: u32, other: u32| {
        to.vertex(v, 0.5625);
        if level.is_boundary(v, true) {
            level.each_along_boundary(v, |w| {
                if w != other {
                    to.vertex(w, -0.0625);
                }
            });
        } else {
            // The boundary curve ends at a vertex where several boundaries meet.
            to.vertex(v, -0.0625);
        }
    };
    beyond(a, b);
    beyond(b, a);
}

kernels! {
    /// Kernels of the PTX; `Engine::load_ptx` compares their fingerprint.
    pub KERNELS = "butterfly_fingerprint";
    // Points of faces, which this scheme has none of, and of vertices and edges.
    flat butterfly_faces: FacePoints<Butterfly> as Butterfly;
    flat butterfly_points: Points<Butterfly> as Butterfly;
    // A level as a matrix: count, scan, fill.
    flat butterfly_count: CountTerms<LevelRows<Butterfly>> as Butterfly;
    flat butterfly_ids: FillIds<LevelRows<Butterfly>> as Butterfly;
    flat butterfly_values: FillValues<LevelRows<Butterfly>> as Butterfly;
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "butterfly_fingerprint";
