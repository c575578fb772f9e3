//! Normals of faces and vertices.
//!
//! A corner's normal is the sum over the faces round its vertex that are turned from its own face by no more than the
//! crease angle, each weighted by its area. At most vertices this is every face, and one normal serves all corners:
//! these are the sums over all faces, and are found first. The other vertices, on creases, keep lists of their faces.

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rxmesh_host::TriMesh;

/// Faces that are looked at together.
const SHARE: usize = 1 << 14;

/// Normals of a mesh.
#[derive(Debug)]
pub(crate) struct CornerNormals {
    /// Unit normal of each vertex over all its faces.
    vertices: Vec<Vec3>,
    /// Place of each vertex in `starts` plus 1, 0 for a smooth one; empty if all are smooth.
    sharp: Vec<u32>,
    /// Start of each sharp vertex' faces.
    starts: Vec<u32>,
    /// Faces of sharp vertices, ascending for each.
    faces: Vec<u32>,
    cosine: f32,
}

/// Corners of a face, scaled so that squares of lengths neither overflow nor vanish.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scaled<'a> {
    pub(crate) mesh: &'a TriMesh,
    factor: Option<f64>,
}

impl<'a> Scaled<'a> {
    /// Returns the faces of a mesh; `factor` brings it to a size of about 1.
    pub(crate) fn new(mesh: &'a TriMesh, factor: f64) -> Scaled<'a> {
        // Areas of faces are products of two lengths that may be a thousand times smaller than the mesh.
        let ordinary = (1e-9..1e9).contains(&factor);
        Scaled {
            mesh,
            factor: (!ordinary).then_some(factor),
        }
    }

    /// Returns the normal of a face, as long as twice its area (in scaled units).
    pub(crate) fn area_normal(&self, face: usize) -> Vec3 {
        let [a, b, c] = self.mesh.faces[face].map(|v| self.mesh.positions[v as usize]);
        let Some(factor) = self.factor else {
            return (b - a).cross(c - a);
        };
        let side = |p: Vec3| -> DVec3 { (p.as_dvec3() - a.as_dvec3()) * factor };
        side(b).cross(side(c)).as_vec3()
    }

    /// Returns the unit normal of a face; zero if it has no area.
    pub(crate) fn normal(&self, face: usize) -> Vec3 {
        unit(self.area_normal(face))
    }
}

/// Returns a vector of length 1 in the same direction; zero for one without.
pub(crate) fn unit(v: Vec3) -> Vec3 {
    let square = v.x * v.x + v.y * v.y + v.z * v.z;
    if (1e-30..1e30).contains(&square) {
        return v / square.sqrt();
    }
    let size = v.x.abs().max(v.y.abs()).max(v.z.abs());
    if size > 0.0 && size < f32::INFINITY {
        let v = v / size;
        v / (v.x * v.x + v.y * v.y + v.z * v.z).sqrt()
    } else {
        Vec3::ZERO
    }
}

impl CornerNormals {
    /// Computes the normals; faces that meet at more than `angle` degrees do so in a crease.
    pub(crate) fn new(scaled: Scaled<'_>, angle: f64) -> CornerNormals {
        let radians = |degrees: f64| degrees * (std::f64::consts::PI / 180.0);
        let vertices = vertex_normals(scaled);
        let cosine = libm::cos(radians(angle)) as f32;
        let half = libm::cos(radians(0.5 * angle)) as f32;
        let mut normals = CornerNormals {
            vertices,
            sharp: Vec::new(),
            starts: vec![0],
            faces: Vec::new(),
            cosine,
        };
        // Faces within half the angle of the mean are within the angle of each other.
        if angle < 180.0 {
            normals.find_sharp(scaled, half);
        }
        normals
    }

    /// Lists the faces of vertices at which one is turned far from the mean.
    fn find_sharp(&mut self, scaled: Scaled<'_>, half: f32) {
        let mesh = scaled.mesh;
        let sharp_corners = |(i, faces): (usize, &[[u32; 3]])| {
            let mut found = Vec::new();
            for (k, corners) in faces.iter().enumerate() {
                let normal = scaled.normal(i * SHARE + k);
                let [a, b, c] = corners.map(|v| normal.dot(self.vertices[v as usize]) < half);
                if (a | b | c) && normal != Vec3::ZERO {
                    let sharp = corners.iter().zip([a, b, c]).filter(|(_, sharp)| *sharp);
                    found.extend(sharp.map(|(v, _)| *v));
                }
            }
            found
        };
        let parts = mesh.faces.par_chunks(SHARE).enumerate();
        let found: Vec<Vec<u32>> = parts.map(sharp_corners).collect();
        if found.iter().all(Vec::is_empty) {
            return;
        }
        let mut sharp = vec![0u32; mesh.positions.len()];
        let mut count = 0;
        for v in found.into_iter().flatten() {
            let place = &mut sharp[v as usize];
            if *place == 0 {
                count += 1;
                *place = count;
            }
        }
        let mut starts = vec![0u32; count as usize + 2];
        let places = || {
            mesh.faces
                .iter()
                .enumerate()
                .flat_map(|(f, corners)| corners.iter().map(move |&v| (f as u32, v)))
        };
        for (_, v) in places() {
            // Smooth vertices count in entry 1, which becomes 0 below.
            starts[sharp[v as usize] as usize + 1] += 1;
        }
        starts[1] = 0;
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut faces = vec![0u32; starts[count as usize + 1] as usize];
        for (f, v) in places() {
            let place = sharp[v as usize] as usize;
            if place > 0 {
                faces[next[place] as usize] = f;
                next[place] += 1;
            }
        }
        (self.sharp, self.starts, self.faces) = (sharp, starts, faces);
    }

    /// Returns the normal of a corner of a face; its own unit normal is needed at creases only.
    pub(crate) fn corner(&self, scaled: Scaled<'_>, vertex: u32, face: usize) -> Vec3 {
        let place = self.sharp.get(vertex as usize).map_or(0, |&p| p as usize);
        if place == 0 {
            return self.vertices[vertex as usize];
        }
        let face_normal = scaled.normal(face);
        let range = self.starts[place] as usize..self.starts[place + 1] as usize;
        let mut sum = Vec3::ZERO;
        for &f in &self.faces[range] {
            let area = scaled.area_normal(f as usize);
            let near = unit(area).dot(face_normal) >= self.cosine;
            sum += if near { area } else { Vec3::ZERO };
        }
        match sum == Vec3::ZERO {
            true => face_normal,
            false => unit(sum),
        }
    }
}

/// Returns the unit normals of the vertices: sums over their faces in the order of the faces, however many threads
/// add them. Each thread adds at its own vertices and passes over all faces.
fn vertex_normals(scaled: Scaled<'_>) -> Vec<Vec3> {
    let mesh = scaled.mesh;
    let mut normals = vec![Vec3::ZERO; mesh.positions.len()];
    let parts = rayon::current_num_threads().clamp(1, 16);
    let share = normals.len().div_ceil(parts).max(1 << 12);
    normals
        .par_chunks_mut(share)
        .enumerate()
        .for_each(|(i, part)| {
            let first = (i * share) as u32;
            let own = part.len() as u32;
            for (f, corners) in mesh.faces.iter().enumerate() {
                let own = corners.map(|v| v.wrapping_sub(first) < own);
                if own == [false; 3] {
                    continue;
                }
                let normal = scaled.area_normal(f);
                for k in 0..3 {
                    if own[k] {
                        part[(corners[k] - first) as usize] += normal;
                    }
                }
            }
            part.iter_mut().for_each(|n| *n = unit(*n));
        });
    normals
}

#[cfg(test)]
mod tests {
    use super::*;
    use rxmesh_host::generate;

    fn cube() -> TriMesh {
        let corner = |i: usize| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2 & 1) as f32);
        let quads = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        let faces = quads
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
        TriMesh::new((0..8).map(corner).collect(), faces.collect()).unwrap()
    }

    #[test]
    fn a_cube_has_creases_and_a_sphere_has_none() {
        let mesh = cube();
        let scaled = Scaled::new(&mesh, 1.0);
        let normals = CornerNormals::new(scaled, 40.0);
        for f in 0..mesh.face_count() {
            let own = scaled.normal(f);
            for v in mesh.faces[f] {
                assert_eq!(normals.corner(scaled, v, f), own);
            }
        }
        let smooth = CornerNormals::new(scaled, 180.0);
        assert!(smooth.corner(scaled, 0, 0).max_element() < 0.0);

        let sphere = generate::icosphere(3).unwrap();
        let scaled = Scaled::new(&sphere, 1.0);
        let normals = CornerNormals::new(scaled, 40.0);
        assert!(normals.sharp.is_empty());
        for (v, p) in sphere.positions.iter().enumerate() {
            assert!(normals.corner(scaled, v as u32, 0).dot(*p) > 0.999);
        }
    }

    #[test]
    fn sizes_beyond_floats_have_normals() {
        let mut mesh = cube();
        for size in [1e-30, 1e30] {
            let all = cube().positions.iter().map(|p| *p * size).collect();
            mesh.positions = all;
            let scaled = Scaled::new(&mesh, 1.0 / f64::from(size));
            assert_eq!(scaled.normal(0), -Vec3::Z);
        }
        assert_eq!(unit(Vec3::ZERO), Vec3::ZERO);
    }
}
