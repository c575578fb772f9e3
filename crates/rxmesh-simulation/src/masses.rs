//! Masses of vertices, and checks of cells at rest.

use crate::Materials;
use rxmesh_host::mesh::TetMesh;
use rxmesh_host::{DVec3, Error, Vec3};

/// A cell is flat when its volume times six is at most this fraction of the cube of its longest edge from corner 0:
/// 32-bit coordinates do not determine its shape.
const FLAT: f64 = 1e-6;

/// Rest shape of a body.
#[derive(Debug)]
pub(crate) struct Rest {
    /// Positions in metres.
    pub(crate) positions: Vec<Vec3>,
    /// Mass of each vertex in kilograms: a quarter of each of its cells.
    pub(crate) masses: Vec<f32>,
    /// Flat cells, which get no stiffness and no mass.
    pub(crate) flat: Vec<u32>,
}

impl Rest {
    /// Makes the rest shape of a mesh in world coordinates, in metres. Sums are taken in the order of the cells, in
    /// `f64`.
    pub(crate) fn new(mesh: &TetMesh, materials: &Materials) -> Result<Rest, Error> {
        mesh.validate()?;
        materials.check(mesh.cells.len())?;
        let positions: Vec<Vec3> = (0..mesh.vertex_count())
            .map(|v| mesh.world(v).as_vec3())
            .collect();
        let mut sums = vec![0.0; positions.len()];
        let mut flat = Vec::new();
        for (c, cell) in mesh.cells.iter().enumerate() {
            let [a, b, c3, d] = cell.map(|v| positions[v as usize].as_dvec3());
            let edges = [b - a, c3 - a, d - a];
            let det = DVec3::dot(edges[0].cross(edges[1]), edges[2]);
            let longest = edges.iter().map(|e| e.length()).fold(0.0, f64::max);
            if det.abs() <= FLAT * longest.powi(3) {
                flat.push(c as u32);
                continue;
            }
            if det < 0.0 {
                return Err(Error::Options(format!(
                    "cell {c} is inverted at rest: `TetMesh::orient` turns it round"
                )));
            }
            let quarter = materials.of(c).density * det / 24.0;
            for &v in cell {
                sums[v as usize] += quarter;
            }
        }
        Rest::of(positions, &sums, flat)
    }

    /// Makes a rest shape from positions and masses in `f64`.
    pub(crate) fn of(positions: Vec<Vec3>, sums: &[f64], flat: Vec<u32>) -> Result<Rest, Error> {
        if let Some(v) = positions.iter().position(|p| !p.is_finite()) {
            return Err(Error::Options(format!(
                "vertex {v} is beyond the range of 32-bit coordinates"
            )));
        }
        let masses: Vec<f32> = sums.iter().map(|&m| m as f32).collect();
        let odd = |m: f32| !(m == 0.0 || m.is_normal() && (1.0 / m).is_normal());
        if let Some(v) = masses.iter().copied().position(odd) {
            return Err(Error::Options(format!(
                "vertex {v} has a mass of {} kg, which is out of the range of 32-bit numbers",
                sums[v]
            )));
        }
        Ok(Rest {
            positions,
            masses,
            flat,
        })
    }
}
