//! Crack-free mesh of the patches.

use super::{Adaptive, PatchKind, SurfacePatch};
use rxmesh_host::Error;
use serde::Serialize;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Mesh with one face per patch, whose vertices are samples of the surface.
///
/// Faces are polygons, counter-clockwise from (0, 0), with additional vertices in sides at smaller neighbours: no side
/// ends inside another (no T-junctions).
#[derive(Clone, Debug, Default)]
pub struct Tessellation {
    /// Parameter face of each vertex.
    pub faces: Vec<u32>,
    /// u and v of each vertex in its parameter face.
    pub places: Vec<f32>,
    /// Vertices of each patch.
    pub corners: Vec<Vec<u32>>,
}

/// Number of patches of each kind at a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchCount {
    /// Number of divisions of the faces.
    pub level: u32,
    /// Number of regular patches ([`PatchKind::Regular`]).
    pub regular: u64,
    /// Number of patches on a boundary or a crease ([`PatchKind::Border`]).
    pub border: u64,
    /// Number of patches at an irregular vertex ([`PatchKind::Irregular`]).
    pub irregular: u64,
}

impl PatchCount {
    /// Counts patches by level; levels without patches are left out.
    pub fn of(patches: &[SurfacePatch]) -> Vec<PatchCount> {
        let mut counts: Vec<PatchCount> = Vec::new();
        for patch in patches {
            let level = patch.level;
            if counts.last().is_none_or(|c| c.level != level) {
                counts.push(PatchCount {
                    level,
                    ..PatchCount::default()
                });
            }
            let Some(count) = counts.last_mut() else {
                continue;
            };
            match patch.kind {
                PatchKind::Regular => count.regular += 1,
                PatchKind::Border => count.border += 1,
                PatchKind::Irregular => count.irregular += 1,
            }
        }
        counts
    }
}

/// Point of the grids of the last level, the same from each of its faces.
#[derive(PartialEq, Eq, Hash)]
enum GridPoint {
    Vertex(u32),
    /// Edge and position on it, from the origin of its first half-edge on.
    Edge(u32, u32),
    Face(u32, u32, u32),
}

/// Connectivity of the quads, to identify points.
struct Quads {
    corners: Vec<u32>,
    edges: Vec<u32>,
    twins: Vec<u32>,
    cells: u32,
}

impl Quads {
    fn point(&self, f: u32, [i, j]: [u32; 2]) -> GridPoint {
        let n = self.cells;
        let on = |side: u32, s: u32| {
            let h = 4 * f + side;
            if s == 0 || s == n {
                let next = (h & !3) | ((h + 1) & 3);
                return GridPoint::Vertex(self.corners[if s == 0 { h } else { next } as usize]);
            }
            let first = h < self.twins[h as usize];
            let s = if first { s } else { n - s };
            GridPoint::Edge(self.edges[h as usize], s)
        };
        match (i, j) {
            (i, 0) => on(0, i),
            (i, j) if i == n => on(1, j),
            (i, j) if j == n => on(2, n - i),
            (0, j) => on(3, n - j),
            (i, j) => GridPoint::Face(f, i, j),
        }
    }
}

impl Adaptive {
    /// Makes the mesh of the patches.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn tessellate(&self) -> Result<Tessellation, Error> {
        let mesh = &self.quads.base.mesh;
        let host = mesh.to_host()?;
        let quads = Quads {
            corners: mesh.corners.read()?,
            edges: host.edges,
            twins: host.twins,
            cells: 1 << self.depth,
        };
        let patches = self.patches()?;
        let mut made = Tessellation::default();
        let mut ids = HashMap::new();
        for patch in &patches {
            for place in self.square(patch) {
                if let Entry::Vacant(entry) = ids.entry(quads.point(patch.face, place)) {
                    entry.insert(made.faces.len() as u32);
                    made.faces.push(patch.face);
                    let part = |x: u32| x as f32 / quads.cells as f32;
                    made.places.extend(place.map(part));
                }
            }
        }
        let id = |f: u32, place: [u32; 2]| ids.get(&quads.point(f, place)).copied();
        for patch in &patches {
            let square = self.square(patch);
            let mut face = Vec::with_capacity(4);
            for k in 0..4 {
                side(&mut face, [square[k], square[(k + 1) % 4]], &|place| {
                    id(patch.face, place)
                });
            }
            made.corners.push(face);
        }
        Ok(made)
    }

    /// Returns the corners of a patch in the grid of the last level.
    fn square(&self, patch: &SurfacePatch) -> [[u32; 2]; 4] {
        let log = self.depth - patch.level;
        let at = |i: u32, j: u32| [(patch.i + i) << log, (patch.j + j) << log];
        [at(0, 0), at(1, 0), at(1, 1), at(0, 1)]
    }
}

/// Appends the vertices of a side, without the last one.
fn side(face: &mut Vec<u32>, [a, b]: [[u32; 2]; 2], id: &impl Fn([u32; 2]) -> Option<u32>) {
    let middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    let divided = middle != a && middle != b && id(middle).is_some();
    if divided {
        side(face, [a, middle], id);
        side(face, [middle, b], id);
    } else {
        face.extend(id(a));
    }
}
