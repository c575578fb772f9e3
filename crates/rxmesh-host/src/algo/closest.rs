//! Surfaces for closest-point look-ups.

use crate::engine::{Buffer, Engine, EngineError};
use glam::Vec3;
use rayon::prelude::*;
use rxmesh_kernels::algo::closest::{LEAF, TreeView};

/// A triangle soup on an engine, with a hierarchy of boxes: a complete binary tree over the triangles in Morton order.
#[derive(Debug)]
pub struct SurfaceTree {
    boxes: Buffer<Vec3>,
    corners: Buffer<Vec3>,
    leaves: u32,
}

type Box3 = [Vec3; 2];

const NOTHING: Box3 = [Vec3::INFINITY, Vec3::NEG_INFINITY];

impl SurfaceTree {
    /// Makes the tree of some triangles. It is made by the CPU, and looked up by kernels.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn new(
        engine: &Engine,
        x: &[Vec3],
        faces: &[[u32; 3]],
    ) -> Result<SurfaceTree, EngineError> {
        Ok(SurfaceTree::with_leaves(engine, x, faces)?.0)
    }

    /// As [`SurfaceTree::new`], and a leaf in which each vertex is: 0 for vertices of no triangle.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn with_leaves(
        engine: &Engine,
        x: &[Vec3],
        faces: &[[u32; 3]],
    ) -> Result<(SurfaceTree, Vec<u32>), EngineError> {
        let place = |f: &[u32; 3]| f.map(|v| x[v as usize]);
        let centre = |f: &[u32; 3]| place(f).iter().sum::<Vec3>() * (1.0 / 3.0);
        let [low, high] = faces
            .par_iter()
            .map(|f| [centre(f); 2])
            .reduce(|| NOTHING, union);
        let extent = (high - low).max_element();
        let scale = if extent > 0.0 { CELLS / extent } else { 0.0 };
        let mut order: Vec<(u64, u32)> = faces
            .par_iter()
            .enumerate()
            .map(|(i, f)| (morton((centre(f) - low) * scale), i as u32))
            .collect();
        order.par_sort_unstable();
        let corners: Vec<Vec3> = order
            .par_iter()
            .flat_map_iter(|&(_, i)| place(&faces[i as usize]))
            .collect();
        let leaves = faces
            .len()
            .div_ceil(LEAF as usize)
            .max(1)
            .next_power_of_two();
        let boxes = boxes_of(&corners, leaves);
        let mut of_vertices = vec![0; x.len()];
        for (node, triangles) in (leaves..).zip(order.chunks(LEAF as usize)) {
            for v in triangles.iter().flat_map(|&(_, i)| faces[i as usize]) {
                of_vertices[v as usize] = node as u32;
            }
        }
        let tree = SurfaceTree {
            boxes: engine.upload(boxes.as_flattened())?,
            corners: engine.upload(&corners)?,
            leaves: leaves as u32,
        };
        Ok((tree, of_vertices))
    }

    /// The surface as a kernel argument.
    pub fn view(&self) -> TreeView {
        TreeView {
            boxes: self.boxes.global(),
            corners: self.corners.global(),
            leaves: self.leaves,
        }
    }
}

fn union(a: Box3, b: Box3) -> Box3 {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// The boxes of all nodes; node 0 does not exist.
fn boxes_of(corners: &[Vec3], leaves: usize) -> Vec<Box3> {
    let mut boxes = vec![NOTHING; 2 * leaves];
    let (inner, last) = boxes.split_at_mut(leaves);
    last.par_iter_mut()
        .zip(corners.par_chunks(3 * LEAF as usize))
        .for_each(|(b, c)| *b = c.iter().fold(NOTHING, |b, &p| union(b, [p, p])));
    let mut below: &[Box3] = last;
    let mut rest = inner;
    // Level by level: the nodes from n to 2 n are the parents of those from 2 n to 4 n.
    while rest.len() > 1 {
        let (upper, level) = rest.split_at_mut(rest.len() / 2);
        level
            .par_iter_mut()
            .zip(below.par_chunks(2))
            .for_each(|(b, children)| *b = union(children[0], children[1]));
        below = level;
        rest = upper;
    }
    boxes
}

/// Cells of the Morton grid on its longest side.
const CELLS: f32 = ((1 << 21) - 1) as f32;

/// The bits of three coordinates, each below 2^21, in turn.
fn morton(p: Vec3) -> u64 {
    let spread = |x: f32| {
        let mut x = u64::from(x as u32 & 0x1f_ffff);
        x = (x | x << 32) & 0x001f_0000_0000_ffff;
        x = (x | x << 16) & 0x001f_0000_ff00_00ff;
        x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
        x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
        (x | x << 2) & 0x1249_2492_4924_9249
    };
    spread(p.x) | spread(p.y) << 1 | spread(p.z) << 2
}
