//! Meshes of quads by recipe.

use super::generate::{at_least, cells, grid_points, torus_points};
use super::{Faces, MeshError, PolyMesh, check_counts};
use glam::{DVec3, Vec3};
use std::f64::consts::FRAC_PI_4;

/// Makes a cube from -1 to 1 of `n` times `n` quads a side: `6 n^2 + 2` vertices, closed.
///
/// Vertices are in the order of z, then y, then x. Sides come in the order -x, +x, -y, +y, -z, +z; a side's cells in
/// rows: along the axis after the side's own (y after x, z after y, x after z) first.
///
/// # Errors
///
/// `n` of 0; more elements than 32-bit ids can name.
pub fn cube(n: u32) -> Result<PolyMesh, MeshError> {
    lattice(n, |p| p)
}

/// Makes the unit sphere as a [`cube`] whose cells are seen from the middle under equal angles: `6 n^2` quads in the
/// same order, closed. Eight vertices have three faces.
///
/// # Errors
///
/// As [`cube`].
pub fn quad_sphere(n: u32) -> Result<PolyMesh, MeshError> {
    let angle = |x: f64| (x * FRAC_PI_4).tan();
    lattice(n, |p| {
        DVec3::new(angle(p.x), angle(p.y), angle(p.z)).normalize()
    })
}

/// Makes a torus as [`torus`](super::generate::torus) does, of quads: `nu` times `nv` of them, with vertices and cells
/// ring after ring around the axis.
///
/// # Errors
///
/// Fewer than three cells, a radius that is not above 0; more elements than 32-bit ids can name.
pub fn quad_torus(nu: u32, nv: u32, major: f32, minor: f32) -> Result<PolyMesh, MeshError> {
    check_quads(u64::from(nu) * u64::from(nv))?;
    let positions = torus_points(nu, nv, major, minor)?;
    let corners = cells(nu, nv, |i, j| (j % nv) * nu + i % nu, |quad| quad);
    of_quads(positions, corners)
}

/// Makes a flat grid over the unit square in x and y as [`grid`](super::generate::grid) does, of quads: `nx` times `ny`
/// of them, with vertices and cells row after row.
///
/// # Errors
///
/// No cells; more elements than 32-bit ids can name.
pub fn quad_grid(nx: u32, ny: u32) -> Result<PolyMesh, MeshError> {
    check_quads(u64::from(nx) * u64::from(ny))?;
    let positions = grid_points(nx, ny)?;
    let w = u64::from(nx) + 1;
    let at = |i, j| (u64::from(j) * w + u64::from(i)) as u32;
    of_quads(positions, cells(nx, ny, at, |quad| quad))
}

fn of_quads(positions: Vec<Vec3>, corners: Vec<u32>) -> Result<PolyMesh, MeshError> {
    let mesh = PolyMesh {
        positions,
        faces: Faces::Same(4),
        corners,
        ..PolyMesh::default()
    };
    mesh.validate()?;
    Ok(mesh)
}

/// Refuses numbers of quads whose corners 32-bit ids cannot name.
fn check_quads(quads: u64) -> Result<(), MeshError> {
    let (asked, limit) = (quads.saturating_mul(4), u64::from(u32::MAX) - 1);
    check_counts(0, quads)?;
    if asked > limit {
        let what = "corners";
        return Err(MeshError::TooLarge { what, asked, limit });
    }
    Ok(())
}

/// Makes the surface of a lattice of `n` cells an edge, moved by `place` from the cube from -1 to 1.
fn lattice(n: u32, place: impl Fn(DVec3) -> DVec3) -> Result<PolyMesh, MeshError> {
    at_least("n", n, 1, "one cell an edge or more")?;
    check_quads((u64::from(n) * u64::from(n)).saturating_mul(6))?;
    let coordinate = |i: u32| 2.0 * f64::from(i) / f64::from(n) - 1.0;
    let outside = |i: u32| i == 0 || i == n;
    let mut positions = Vec::with_capacity(6 * n as usize * n as usize + 2);
    for k in 0..=n {
        for j in 0..=n {
            // Rows inside touch the surface with their ends alone.
            let step = if outside(j) || outside(k) { 1 } else { n };
            positions.extend((0..=n).step_by(step as usize).map(|i| {
                let p = DVec3::new(coordinate(i), coordinate(j), coordinate(k));
                place(p).as_vec3()
            }));
        }
    }
    let mut corners = Vec::with_capacity(24 * n as usize * n as usize);
    for axis in 0..3 {
        for side in [0, n] {
            let at = |u: u32, w: u32| {
                let mut p = [side; 3];
                (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (u, w);
                on_surface(p, n)
            };
            corners.extend(cells(n, n, at, |[a, b, c, d]| match side {
                0 => [a, d, c, b],
                _ => [a, b, c, d],
            }));
        }
    }
    of_quads(positions, corners)
}

/// Returns the number of a lattice point among those of the surface, in the order of z, then y, then x.
fn on_surface([i, j, k]: [u32; 3], n: u32) -> u32 {
    let (layer, ring) = ((n + 1) * (n + 1), 4 * n);
    let row = |j: u32| match j {
        0 => i,
        j if j == n => 3 * n - 1 + i,
        _ => 2 * j + n - 1 + i / n,
    };
    match k {
        0 => j * (n + 1) + i,
        k if k == n => layer + (n - 1) * ring + j * (n + 1) + i,
        _ => layer + (k - 1) * ring + row(j),
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate;
    use super::*;
    use crate::mesh::{EdgeTable, TriMesh, check_poly, solid};

    /// Closed, of the right counts and the right volume: so every quad runs outside, and every id is right.
    #[test]
    fn cubes_and_spheres_are_closed_and_face_outwards() {
        for n in [1, 2, 3, 7] {
            for (mesh, volume) in [(cube(n), 8.0), (quad_sphere(n), 4.18879)] {
                let mesh = mesh.unwrap();
                let report = check_poly(&mesh);
                let n = u64::from(n);
                assert_eq!((report.vertices, report.faces), (6 * n * n + 2, 6 * n * n));
                assert_eq!(report.edges, 12 * n * n);
                assert!(report.closed && report.manifold && report.consistently_oriented);
                assert_eq!(
                    (report.genus, report.duplicate_vertices.count),
                    (Some(0), 0)
                );
                let (cut, _) = mesh.triangulate().unwrap();
                let table = EdgeTable::new(&cut.faces, cut.vertex_count());
                let got = solid(&cut, &table).volume;
                let off = if volume == 8.0 {
                    1e-6
                } else {
                    5.0 / (n * n) as f64
                };
                assert!((got - volume).abs() < off, "{n}: {got}");
            }
        }
    }

    /// Sides in their order, cells along the axis after the side's own first.
    #[test]
    fn the_cubes_order_is_the_documented_one() {
        let mesh = cube(3).unwrap();
        let middle = |f: usize| {
            let corners = mesh.face(f).iter();
            corners.map(|&v| mesh.positions[v as usize]).sum::<Vec3>() / 4.0
        };
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        for side in 0..6 {
            let (axis, sign) = (side / 2, if side % 2 == 0 { -1.0 } else { 1.0 });
            let (first, second, up) =
                (middle(9 * side), middle(9 * side + 1), middle(9 * side + 3));
            assert_eq!(first.dot(axes[axis]), sign);
            let third = 2.0 / 3.0;
            assert!((second - first).distance(third * axes[(axis + 1) % 3]) < 1e-6);
            assert!((up - first).distance(third * axes[(axis + 2) % 3]) < 1e-6);
        }
        let keys: Vec<[i32; 3]> = mesh
            .positions
            .iter()
            .map(|p| [p.z, p.y, p.x].map(|c| (3.0 * c).round() as i32))
            .collect();
        assert!(keys.is_sorted());
    }

    #[test]
    fn quads_are_those_whose_halves_are_the_triangles() {
        let cases = [
            (quad_torus(7, 5, 1.0, 0.3), generate::torus(7, 5, 1.0, 0.3)),
            (quad_grid(4, 3), generate::grid(4, 3)),
        ];
        let places = |quads: PolyMesh, triangles: TriMesh| {
            assert_eq!(quads.positions, triangles.positions);
            for f in 0..quads.face_count() {
                let [mut quad, mut halves] = [
                    quads.face(f).to_vec(),
                    triangles.faces[2 * f..2 * f + 2].concat(),
                ];
                quad.sort_unstable();
                halves.sort_unstable();
                halves.dedup();
                assert_eq!(quad, halves);
            }
        };
        for (quads, triangles) in cases {
            places(quads.unwrap(), triangles.unwrap());
        }
        // Cut they are the same, but for cells of a torus whose lowest vertex is another corner.
        let grid = quad_grid(4, 3).unwrap().triangulate().unwrap().0;
        assert_eq!(grid, generate::grid(4, 3).unwrap());
        let torus = quad_torus(7, 5, 1.0, 0.3).unwrap().triangulate().unwrap().0;
        let of_triangles = generate::torus(7, 5, 1.0, 0.3).unwrap();
        let first = |f: &usize| f / 2 % 7 < 6 && f / 14 < 4;
        for f in (0..70).filter(first) {
            assert_eq!(torus.faces[f], of_triangles.faces[f]);
        }
    }

    #[test]
    fn impossible_sizes_are_refused_at_once() {
        assert!(cube(0).is_err() && quad_sphere(0).is_err() && quad_grid(0, 1).is_err());
        assert!(quad_torus(2, 3, 1.0, 0.1).is_err() && quad_torus(3, 3, 1.0, -0.1).is_err());
        let large = cube(14_000).unwrap_err().to_string();
        assert!(large.contains("4704000000 corners"), "{large}");
        assert!(cube(u32::MAX).is_err() && quad_grid(u32::MAX, u32::MAX).is_err());
        assert!(quad_torus(u32::MAX, u32::MAX, 1.0, 0.1).is_err());
    }

    #[test]
    fn noise_and_shuffling() {
        let mut mesh = quad_torus(9, 6, 1.0, 0.4).unwrap();
        let before = mesh.clone();
        generate::noise_poly(&mut mesh, 0.1, 3).unwrap();
        assert_ne!(mesh, before);
        assert!(generate::noise_poly(&mut mesh, f32::NAN, 3).is_err());
        let mut shuffled = mesh.clone();
        generate::shuffle_poly(&mut shuffled, 3);
        assert_ne!(shuffled.corners, mesh.corners);
        let places = |m: &PolyMesh| {
            let place = |&v: &u32| m.positions[v as usize].to_array().map(f32::to_bits);
            let face = |f: usize| m.face(f).iter().map(place).collect::<Vec<_>>();
            let mut all: Vec<_> = (0..m.face_count()).map(face).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(places(&shuffled), places(&mesh));
    }
}
