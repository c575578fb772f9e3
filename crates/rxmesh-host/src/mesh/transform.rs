//! Affine maps of meshes.

use super::{
    ColumnData, CornerLayer, Extras, MeshError, NORMAL, Placement, TriMesh, placement_of_points,
};
use crate::par::IntoLean;
use glam::{DAffine3, DMat3, DVec3, Vec3};
use rayon::prelude::*;

impl TriMesh {
    /// Maps the mesh in the world: all positions; normals of vertices, faces and corners go along and stay unit
    /// vectors. A map that mirrors turns the faces round, so that they keep their outer side.
    ///
    /// # Errors
    ///
    /// [`MeshError::BadParameter`] for a map that is not finite or flattens space,
    /// [`MeshError::NotFinite`] for a position that overflows. The mesh is then unchanged.
    pub fn transform(&mut self, map: &DAffine3) -> Result<(), MeshError> {
        let (positions, placement) = mapped(
            &self.positions,
            self.faces.as_flattened(),
            &self.placement,
            map,
        )?;
        self.positions = positions;
        self.placement = placement;
        turn_normals(&mut self.extras, map.matrix3);
        if map.matrix3.determinant() < 0.0 {
            self.turn_faces_round();
        }
        Ok(())
    }

    fn turn_faces_round(&mut self) {
        self.faces.par_iter_mut().lean().for_each(|f| f.swap(1, 2));
        let extras = &mut self.extras;
        let layers = [&mut extras.corner_texcoords, &mut extras.corner_normals];
        for CornerLayer { corners, .. } in layers.into_iter().flatten() {
            corners.chunks_exact_mut(3).for_each(|c| c.swap(1, 2));
        }
    }
}

/// Maps positions by a map of the world. Returns the frame that they then lie in, too; errors are those of
/// [`TriMesh::transform`].
pub(super) fn mapped(
    positions: &[Vec3],
    corners: &[u32],
    placement: &Placement,
    map: &DAffine3,
) -> Result<(Vec<Vec3>, Placement), MeshError> {
    let determinant = map.matrix3.determinant();
    if !map.is_finite() || determinant == 0.0 || !determinant.is_finite() {
        return Err(MeshError::BadParameter {
            what: "the map's determinant",
            asked: determinant.to_string(),
            possible: "a finite number that is not 0",
        });
    }
    let at: Vec<DVec3> = positions
        .par_iter()
        .lean()
        .map(|&p| map.transform_point3(placement.world(p)))
        .collect();
    let placement = match at.is_empty() {
        true => *placement,
        false => placement_of_points(&at, corners),
    };
    let positions: Vec<Vec3> = at.par_iter().lean().map(|&p| placement.local(p)).collect();
    let bad = positions
        .par_iter()
        .lean()
        .position_first(|p| !p.is_finite());
    if let Some(vertex) = bad {
        let position = positions[vertex].to_array();
        return Err(MeshError::NotFinite { vertex, position });
    }
    Ok((positions, placement))
}

/// Turns the normals of vertices, faces or cells and corners along with a linear map; they stay unit vectors.
pub(super) fn turn_normals(extras: &mut Extras, by: DMat3) {
    // Scaled first, so that the inverse of a tiny map stays within the numbers.
    let most = by
        .to_cols_array()
        .into_iter()
        .fold(0.0, |m: f64, x| m.max(x.abs()));
    let by = (by * (1.0 / most)).inverse().transpose();
    // The sum makes zeroes of zeroes below 0.
    let turn = |n: [f64; 3]| (by * DVec3::from_array(n)).normalize_or_zero() + DVec3::ZERO;
    for column in &mut extras.columns {
        if column.name == NORMAL && column.width == 3 {
            for i in (0..column.data.len()).step_by(3) {
                let n = turn([0, 1, 2].map(|k| column.data.get(i + k)));
                if let ColumnData::F32(_) | ColumnData::F64(_) = column.data {
                    (0..3).for_each(|k| column.data.set(i + k, n[k]));
                }
            }
        }
    }
    if let Some(layer) = &mut extras.corner_normals {
        for n in layer.values.chunks_exact_mut(3) {
            let turned = turn([0, 1, 2].map(|k| f64::from(n[k]))).as_vec3();
            n.copy_from_slice(&turned.to_array());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{generate, volume};

    #[test]
    fn a_mirror_keeps_the_outside() {
        let mut mesh = generate::icosphere(2).unwrap();
        let normals = mesh.positions.clone();
        mesh.set_vertex_normals(normals).unwrap();
        let before = volume(&mesh.positions, &mesh.faces);
        let map = DAffine3::from_scale_rotation_translation(
            DVec3::new(-2.0, 1.0, 3.0),
            glam::DQuat::from_rotation_z(0.7),
            DVec3::new(10.0, 0.0, -5.0),
        );
        mesh.transform(&map).unwrap();
        let after = volume(&mesh.positions, &mesh.faces);
        assert!((after / before - 6.0).abs() < 1e-4, "{after} of {before}");
        let normals = mesh.vertex_normals().unwrap();
        // Normals of an ellipsoid: gradients of its equation.
        for (p, n) in mesh.positions.iter().zip(normals) {
            let q = map.inverse().transform_point3(p.as_dvec3());
            let want = map.matrix3.inverse().transpose() * q;
            assert!(want.normalize().dot(n.as_dvec3()) > 0.999_99);
        }
    }

    /// A mesh that moves far away keeps its shape, and comes back.
    #[test]
    fn far_away_and_back() {
        let mesh = generate::torus(12, 8, 1.0, 0.4).unwrap();
        let by = DVec3::new(500_000.0, 5_400_000.0, 0.0);
        let mut moved = mesh.clone();
        moved.transform(&DAffine3::from_translation(by)).unwrap();
        for (v, p) in mesh.positions.iter().enumerate() {
            assert!((moved.world(v) - by).distance(p.as_dvec3()) < 1e-7);
        }
        moved.transform(&DAffine3::from_translation(-by)).unwrap();
        for (a, b) in moved.positions.iter().zip(&mesh.positions) {
            assert!(a.distance(*b) < 1e-6);
        }
        assert!(moved.placement.is_world());
    }

    #[test]
    fn flat_and_overflowing_maps_are_refused() {
        let mesh = generate::grid(2, 2).unwrap();
        let scales = [
            DVec3::new(1.0, 0.0, 1.0),
            DVec3::splat(f64::NAN),
            DVec3::splat(1e200),
        ];
        for scale in scales {
            let mut copy = mesh.clone();
            assert!(copy.transform(&DAffine3::from_scale(scale)).is_err());
            assert_eq!(copy, mesh);
        }
    }
}
