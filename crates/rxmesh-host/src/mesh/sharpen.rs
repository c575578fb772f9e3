//! Sharp edges where faces meet at an angle.

use super::face_list::{FaceList, Polygons};
use super::polygon::newell_normal;
use super::{EdgeTable, MeshError, PolyMesh, SharpEdge};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Largest angle between normals of faces in one plane, in radians: positions are rounded.
const SLACK: f64 = 1e-6;

impl PolyMesh {
    /// Gives a sharpness to every edge between two faces whose normals are more than `angle` degrees apart (and a
    /// millionth of a radian), and returns how many these are. Edges that are as sharp already, or sharper, stay.
    ///
    /// A face's normal is Newell's (the sum of the triangles at its first corner). Edges with one face, or with more
    /// than two, and those of faces without area get none: the surface decides if boundaries are sharp. Faces that walk
    /// their edge in the same direction count as if one of them were turned.
    ///
    /// # Errors
    ///
    /// An angle that is not from 0 to 180, a sharpness that is negative or not a number.
    pub fn sharpen(&mut self, angle: f32, sharpness: f32) -> Result<usize, MeshError> {
        let wrong = |what, asked: f32, possible| {
            let asked = asked.to_string();
            Err(MeshError::BadParameter {
                what,
                asked,
                possible,
            })
        };
        if !(0.0..=180.0).contains(&angle) {
            return wrong("angle", angle, "degrees from 0 to 180");
        }
        if sharpness.is_nan() || sharpness < 0.0 {
            return wrong("sharpness", sharpness, "a number of levels, 0 or more");
        }
        let table = EdgeTable::of_polygons(self);
        let mut given = vec![0.0; table.len()];
        let ends = |e: &SharpEdge| [e.ends[0].min(e.ends[1]), e.ends[0].max(e.ends[1])];
        for edge in &self.sharp_edges {
            if let Ok(e) = table.edges.binary_search(&ends(edge)) {
                given[e] = edge.sharpness;
            }
        }
        let folded = self.folded(&table, f64::from(angle).to_radians() + SLACK);
        let new = folded.iter().filter(|&&e| given[e as usize] < sharpness);
        let new = new.map(|&e| SharpEdge {
            ends: table.edges[e as usize],
            sharpness,
        });
        self.sharp_edges.extend(new);
        Ok(folded.len())
    }

    /// Returns the edges whose two faces have normals that are more than this apart, in radians.
    fn folded(&self, table: &EdgeTable, angle: f64) -> Vec<u32> {
        let faces = Polygons::new(self);
        let normal = |f: usize| {
            let corners = self.face(f).iter();
            let points: Vec<Vec3> = corners.map(|&v| self.positions[v as usize]).collect();
            newell_normal(&points)
        };
        let normals: Vec<DVec3> = (0..self.face_count())
            .into_par_iter()
            .lean()
            .map(normal)
            .collect();
        let folded = |e: usize| {
            let &[g, h] = table.along(e) else {
                return false;
            };
            let [a, b] = [g, h].map(|h| normals[faces.of_corner(h) as usize]);
            let same = faces.vertex(g) == faces.vertex(h);
            let b = if same { -b } else { b };
            a != DVec3::ZERO && b != DVec3::ZERO && a.cross(b).length().atan2(a.dot(b)) > angle
        };
        let edges = (0..table.len())
            .into_par_iter()
            .lean()
            .filter(|&e| folded(e));
        edges.map(|e| e as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;

    #[test]
    fn a_cubes_edges_and_not_its_sides() {
        let mut mesh = generate::cube(4).unwrap();
        assert_eq!(mesh.sharpen(89.0, 3.0).unwrap(), 48);
        assert_eq!(mesh.sharp_edges.len(), 48);
        let outer = |e: &SharpEdge| {
            let at = e.ends.map(|v| mesh.positions[v as usize].abs());
            let on = |p: Vec3| p.to_array().iter().filter(|&&x| x == 1.0).count();
            at.into_iter().all(|p| on(p) >= 2) && e.sharpness == 3.0
        };
        assert!(mesh.sharp_edges.iter().all(outer));
        // The same again is nothing new, a larger sharpness is.
        assert_eq!(mesh.sharpen(89.0, 2.0).unwrap(), 48);
        assert_eq!(mesh.sharp_edges.len(), 48);
        assert_eq!(mesh.sharpen(89.0, 4.0).unwrap(), 48);
        assert_eq!(mesh.sharp_edges.len(), 96);
        assert_eq!(mesh.sharpen(91.0, 10.0).unwrap(), 0);
    }

    #[test]
    fn turned_faces_boundaries_and_flat_ones() {
        let mut mesh = generate::cube(1).unwrap();
        let side = mesh.range(3);
        mesh.corners[side].reverse();
        assert_eq!(mesh.sharpen(45.0, 10.0).unwrap(), 12);
        let mut grid = generate::quad_grid(3, 3).unwrap();
        assert_eq!(grid.sharpen(0.0, 10.0).unwrap(), 0);
        let mut flat = generate::cube(1).unwrap();
        flat.positions.fill(Vec3::ONE);
        assert_eq!(flat.sharpen(0.0, 10.0).unwrap(), 0);
        for (angle, sharpness) in [
            (-1.0, 1.0),
            (181.0, 1.0),
            (f32::NAN, 1.0),
            (9.0, -1.0),
            (9.0, f32::NAN),
        ] {
            assert!(
                grid.sharpen(angle, sharpness).is_err(),
                "{angle} {sharpness}"
            );
        }
    }
}
