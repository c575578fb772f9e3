//! Transforms of positions, normals and tangents into the world.

use glam::{DMat3, DMat4, DVec3, Vec3};

/// Transform of a mesh into the world.
pub(super) struct Placing {
    matrix: DMat4,
    /// Transform of normals up to their length; `None` where directions stay.
    normals: Option<DMat3>,
    /// The transform turns left into right, and so the sides of faces.
    pub(super) mirrors: bool,
}

impl Placing {
    pub(super) fn new(matrix: DMat4) -> Placing {
        let turned = DMat3::from_mat4(matrix);
        let [a, b, c] = [turned.x_axis, turned.y_axis, turned.z_axis];
        let mirrors = turned.determinant() < 0.0;
        let side = if mirrors { -1.0 } else { 1.0 };
        // The inverse transposed, up to its size: this also holds for transforms without an inverse.
        let normals = DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b)) * side;
        let stays = a.x > 0.0 && turned == DMat3::from_diagonal(DVec3::splat(a.x));
        Placing {
            matrix,
            normals: (!stays).then_some(normals),
            mirrors,
        }
    }

    /// Returns the bits of the transform, to tell transforms apart.
    pub(super) fn bits(&self) -> [u64; 16] {
        self.matrix.to_cols_array().map(f64::to_bits)
    }

    pub(super) fn point(&self, p: Vec3) -> DVec3 {
        self.matrix.transform_point3(p.as_dvec3())
    }

    /// Turns normals. Those without a direction stay.
    pub(super) fn normals(&self, values: &mut [f32]) {
        let Some(turn) = self.normals else {
            return;
        };
        for n in values.as_chunks_mut::<3>().0 {
            *n = direction(turn * DVec3::from(n.map(f64::from)), *n);
        }
    }

    /// Turns tangents; the sign of the other direction changes in a mirror.
    pub(super) fn tangents(&self, values: &mut [f32]) {
        if self.normals.is_none() {
            return;
        }
        let turn = DMat3::from_mat4(self.matrix);
        for t in values.as_chunks_mut::<4>().0 {
            let [x, y, z, sign] = *t;
            let [x, y, z] = direction(turn * DVec3::from([x, y, z].map(f64::from)), [x, y, z]);
            *t = [x, y, z, if self.mirrors { -sign } else { sign }];
        }
    }
}

/// Returns a direction of length 1, or another one where it has none.
fn direction(d: DVec3, other: [f32; 3]) -> [f32; 3] {
    d.try_normalize().map_or(other, |d| d.as_vec3().to_array())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_stay_at_right_angles() {
        let squeezed = DMat4::from_scale(DVec3::new(2.0, 1.0, 1.0));
        let mut n = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        Placing::new(squeezed).normals(&mut n);
        let side = DVec3::new(2.0, -1.0, 0.0);
        let turned = DVec3::new(f64::from(n[0]), f64::from(n[1]), f64::from(n[2]));
        assert!(turned.dot(side).abs() < 1e-6 && (turned.length() - 1.0).abs() < 1e-6);
        assert_eq!(n[3..], [0.0; 3]);
        let mirror = Placing::new(DMat4::from_scale(DVec3::new(-1.0, 1.0, 1.0)));
        let mut n = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        mirror.normals(&mut n);
        assert_eq!(n, [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let mut t = [0.0, 1.0, 0.0, 1.0];
        mirror.tangents(&mut t);
        assert_eq!((t, mirror.mirrors), ([0.0, 1.0, 0.0, -1.0], true));
        // Moved and enlarged, directions keep their bits.
        let moved = DMat4::from_scale_rotation_translation(
            DVec3::splat(3.0),
            glam::DQuat::IDENTITY,
            DVec3::X,
        );
        let mut n = [0.1, 0.2, 0.3];
        Placing::new(moved).normals(&mut n);
        assert_eq!(n, [0.1, 0.2, 0.3]);
    }
}
