//! Values at corners, which may differ at the two sides of an edge.

use super::meshes;
use super::net::pair;
use glam::DVec2;
use rxmesh_host::mesh::{PolyMesh, Rng};
use std::collections::BTreeSet;

/// What of such values is interpolated linearly (names and order as in OpenSubdiv's `FVarLinearInterpolation`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linear {
    /// Nothing.
    None,
    /// Corners.
    CornersOnly,
    /// Also where more than two regions meet, and darts... as edge and corner in `Hbr`.
    CornersPlus1,
    /// As before, and both regions at a vertex where one has a corner.
    CornersPlus2,
    /// All boundaries of regions.
    Boundaries,
    /// All.
    All,
}

impl Linear {
    /// All of them.
    pub const ALL: [Linear; 6] = [
        Linear::None,
        Linear::CornersOnly,
        Linear::CornersPlus1,
        Linear::CornersPlus2,
        Linear::Boundaries,
        Linear::All,
    ];
}

/// Values and the one of each corner.
#[derive(Clone, Debug)]
pub struct Uv {
    /// The values.
    pub values: Vec<DVec2>,
    /// By corner.
    pub corners: Vec<u32>,
}

impl Uv {
    /// Values for a mesh of which `share` of a hundred edges are seams: corners at a vertex have one value where one
    /// comes from the one to the other around the vertex without a seam. So some seams end within the surface.
    pub fn with_seams(mesh: &PolyMesh, share: u64, seed: u64) -> Uv {
        let mut rng = Rng::new(seed);
        let faces = meshes::faces(mesh);
        let side = |f: usize, k: usize| pair(faces[f][k], faces[f][(k + 1) % faces[f].len()]);
        let mut edges = BTreeSet::new();
        for (f, face) in faces.iter().enumerate() {
            edges.extend((0..face.len()).map(|k| side(f, k)));
        }
        let seams: BTreeSet<_> = edges
            .into_iter()
            .filter(|_| rng.below(100) < share)
            .collect();
        let mut uv = Uv {
            values: Vec::new(),
            corners: vec![u32::MAX; mesh.corners.len()],
        };
        for v in 0..mesh.vertex_count() as u32 {
            // Corners at the vertex, with the edges on both sides.
            let mut left: Vec<(usize, [[u32; 2]; 2])> = Vec::new();
            for (f, face) in faces.iter().enumerate() {
                if let Some(k) = face.iter().position(|&w| w == v) {
                    let before = side(f, (k + face.len() - 1) % face.len());
                    left.push((mesh.range(f).start + k, [side(f, k), before]));
                }
            }
            while let Some(first) = left.pop() {
                let id = uv.values.len() as u32;
                let p = mesh.positions[v as usize].as_dvec3();
                let noise = DVec2::new(rng.signed_unit(), rng.signed_unit());
                // What a float holds, as files have it.
                let value = DVec2::new(p.x + 0.3 * p.z, p.y) + 0.2 * noise;
                uv.values.push(value.as_vec2().as_dvec2());
                let mut reached = vec![first];
                while let Some((corner, sides)) = reached.pop() {
                    uv.corners[corner] = id;
                    let joined = |other: &(usize, [[u32; 2]; 2])| {
                        let open = sides.iter().filter(|s| !seams.contains(*s));
                        open.into_iter().any(|s| other.1.contains(s))
                    };
                    reached.extend(left.iter().filter(|o| joined(o)).copied());
                    left.retain(|o| !joined(o));
                }
            }
        }
        uv
    }
}
