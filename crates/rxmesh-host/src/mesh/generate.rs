//! Meshes made by recipe, for tests, measurements and first steps.
//!
//! Every recipe is deterministic: the same parameters and seed give the same mesh on every machine.

pub use super::quads::{cube, quad_grid, quad_sphere, quad_torus};
pub use super::volumes::{noise_tets, refine_tets, shuffle_tets, tet_ball, tet_box};
use super::{EdgeTable, MeshError, PolyMesh, Rng, TriMesh, check_counts};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Makes a flat grid of `nx` times `ny` squares of two triangles each, over the unit square in x and y.
pub fn grid(nx: u32, ny: u32) -> Result<TriMesh, MeshError> {
    let (w, cells) = (
        u64::from(nx) + 1,
        u64::from(nx).saturating_mul(u64::from(ny)),
    );
    check_counts(0, cells.saturating_mul(2))?;
    let positions = grid_points(nx, ny)?;
    TriMesh::new(
        positions,
        halves(nx, ny, |i, j| (u64::from(j) * w + u64::from(i)) as u32),
    )
}

/// Makes the vertices of a grid over the unit square, row after row.
pub(super) fn grid_points(nx: u32, ny: u32) -> Result<Vec<Vec3>, MeshError> {
    at_least("nx", nx, 1, "one cell or more")?;
    at_least("ny", ny, 1, "one cell or more")?;
    let (w, h) = (u64::from(nx) + 1, u64::from(ny) + 1);
    check_counts(w.saturating_mul(h), 0)?;
    let step = |i: u64, n: u32| i as f64 / f64::from(n);
    let mut positions = Vec::with_capacity((w * h) as usize);
    for j in 0..h {
        positions.extend((0..w).map(|i| DVec3::new(step(i, nx), step(j, ny), 0.0).as_vec3()));
    }
    Ok(positions)
}

/// Makes the unit sphere as an icosahedron divided `levels` times: 20 * 4^levels faces, closed.
pub fn icosphere(levels: u32) -> Result<TriMesh, MeshError> {
    let faces = 4u64
        .checked_pow(levels)
        .and_then(|n| n.checked_mul(20))
        .unwrap_or(u64::MAX);
    check_counts(0, faces)?;
    let mut mesh = icosahedron();
    for _ in 0..levels {
        mesh = quarters(&mesh);
    }
    Ok(mesh)
}

/// Divides the faces of a part of the unit sphere in four each. The middles of the edges, pushed out to the sphere,
/// follow the old vertices, ordered by their edges.
fn quarters(mesh: &TriMesh) -> TriMesh {
    let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    let middles = table
        .edges
        .par_iter()
        .lean()
        .map(|&[a, b]| 0.5 * (at(a) + at(b)));
    let mut positions = mesh.positions.clone();
    positions.par_extend(middles.map(|p| p.as_vec3()));
    positions
        .par_iter_mut()
        .lean()
        .for_each(|p| *p = p.as_dvec3().normalize().as_vec3());
    let first_new = mesh.positions.len() as u32;
    let children = |(i, &[a, b, c]): (usize, &[u32; 3])| {
        let m = [0, 1, 2].map(|k| first_new + table.edge_of[3 * i + k]);
        [[a, m[0], m[2]], [m[0], b, m[1]], [m[2], m[1], c], m]
    };
    TriMesh {
        positions,
        faces: mesh
            .faces
            .par_iter()
            .enumerate()
            .lean()
            .flat_map_iter(children)
            .collect(),
        ..TriMesh::default()
    }
}

fn icosahedron() -> TriMesh {
    let g = (1.0 + 5f64.sqrt()) / 2.0;
    let corners = [
        [-1.0, g, 0.0],
        [1.0, g, 0.0],
        [-1.0, -g, 0.0],
        [1.0, -g, 0.0],
        [0.0, -1.0, g],
        [0.0, 1.0, g],
        [0.0, -1.0, -g],
        [0.0, 1.0, -g],
        [g, 0.0, -1.0],
        [g, 0.0, 1.0],
        [-g, 0.0, -1.0],
        [-g, 0.0, 1.0],
    ];
    let faces = [
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    let positions = corners
        .iter()
        .map(|&p| DVec3::from_array(p).normalize().as_vec3())
        .collect();
    TriMesh {
        positions,
        faces: faces.to_vec(),
        ..TriMesh::default()
    }
}

/// Makes a torus around the z axis: `nu` cells around the axis, `nv` around the tube; `major` is the radius of the
/// tube's centre line, `minor` that of the tube. Closed, genus 1.
pub fn torus(nu: u32, nv: u32, major: f32, minor: f32) -> Result<TriMesh, MeshError> {
    check_counts(0, (u64::from(nu) * u64::from(nv)).saturating_mul(2))?;
    let positions = torus_points(nu, nv, major, minor)?;
    TriMesh::new(positions, halves(nu, nv, |i, j| (j % nv) * nu + i % nu))
}

/// Makes the vertices of a torus, ring after ring around the axis.
pub(super) fn torus_points(
    nu: u32,
    nv: u32,
    major: f32,
    minor: f32,
) -> Result<Vec<Vec3>, MeshError> {
    at_least("nu", nu, 3, "three cells or more")?;
    at_least("nv", nv, 3, "three cells or more")?;
    positive("major", major)?;
    positive("minor", minor)?;
    let n = u64::from(nu) * u64::from(nv);
    check_counts(n, 0)?;
    let mut positions = Vec::with_capacity(n as usize);
    for j in 0..nv {
        let (sin_v, cos_v) = (TAU * f64::from(j) / f64::from(nv)).sin_cos();
        let ring = f64::from(major) + f64::from(minor) * cos_v;
        positions.extend((0..nu).map(|i| {
            let (sin_u, cos_u) = (TAU * f64::from(i) / f64::from(nu)).sin_cos();
            DVec3::new(ring * cos_u, ring * sin_u, f64::from(minor) * sin_v).as_vec3()
        }));
    }
    Ok(positions)
}

/// Makes a cylinder around the z axis from z = 0 to `height`: `nu` cells around, `nv` along. Capped with a fan at each
/// end, or open with two boundary loops.
pub fn cylinder(
    nu: u32,
    nv: u32,
    radius: f32,
    height: f32,
    capped: bool,
) -> Result<TriMesh, MeshError> {
    at_least("nu", nu, 3, "three cells or more")?;
    at_least("nv", nv, 1, "one cell or more")?;
    positive("radius", radius)?;
    positive("height", height)?;
    let (ring, rings) = (u64::from(nu), u64::from(nv) + 1);
    check_counts(
        ring.saturating_mul(rings).saturating_add(2),
        ring.saturating_mul(2 * rings),
    )?;
    let mut positions = Vec::with_capacity((ring * rings + 2) as usize);
    for j in 0..=nv {
        let z = f64::from(height) * f64::from(j) / f64::from(nv);
        positions.extend((0..nu).map(|i| {
            let (sin, cos) = (TAU * f64::from(i) / f64::from(nu)).sin_cos();
            DVec3::new(f64::from(radius) * cos, f64::from(radius) * sin, z).as_vec3()
        }));
    }
    let mut faces = halves(nu, nv, |i, j| j * nu + i % nu);
    if capped {
        let (bottom, top) = (positions.len() as u32, positions.len() as u32 + 1);
        positions.extend([Vec3::ZERO, Vec3::new(0.0, 0.0, height)]);
        for i in 0..nu {
            let next = (i + 1) % nu;
            faces.push([bottom, next, i]);
            faces.push([top, nv * nu + i, nv * nu + next]);
        }
    }
    TriMesh::new(positions, faces)
}

/// Makes a flat disk: one vertex in the middle with `valence` neighbours and as many faces.
pub fn fan(valence: u32) -> Result<TriMesh, MeshError> {
    at_least("valence", valence, 3, "three neighbours or more")?;
    check_counts(u64::from(valence) + 1, u64::from(valence))?;
    let mut positions = vec![Vec3::ZERO];
    positions.extend((0..valence).map(|i| {
        let (sin, cos) = (TAU * f64::from(i) / f64::from(valence)).sin_cos();
        DVec3::new(cos, sin, 0.0).as_vec3()
    }));
    let faces = (0..valence)
        .map(|i| [0, 1 + i, 1 + (i + 1) % valence])
        .collect();
    TriMesh::new(positions, faces)
}

/// Moves each vertex by a random vector: each component is uniform in plus or minus `amplitude` mean edge lengths.
pub fn noise(mesh: &mut TriMesh, amplitude: f32, seed: u64) -> Result<(), MeshError> {
    let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
    move_at_random(&mut mesh.positions, &table.edges, amplitude, seed)?;
    mesh.validate()
}

/// Works like [`noise`], for polygons.
///
/// # Errors
///
/// An amplitude that is negative or not a number.
pub fn noise_poly(mesh: &mut PolyMesh, amplitude: f32, seed: u64) -> Result<(), MeshError> {
    let table = EdgeTable::of_polygons(mesh);
    move_at_random(&mut mesh.positions, &table.edges, amplitude, seed)?;
    mesh.validate()
}

pub(super) fn move_at_random(
    positions: &mut [Vec3],
    edges: &[[u32; 2]],
    amplitude: f32,
    seed: u64,
) -> Result<(), MeshError> {
    if !amplitude.is_finite() || amplitude < 0.0 {
        let possible = "a finite number of mean edge lengths, 0 or more";
        return Err(MeshError::BadParameter {
            what: "amplitude",
            asked: amplitude.to_string(),
            possible,
        });
    }
    let at = |v: u32| positions[v as usize].as_dvec3();
    // Summed in order: a parallel sum would depend on how the work was split.
    let total: f64 = edges.iter().map(|&[a, b]| at(a).distance(at(b))).sum();
    let size = f64::from(amplitude) * total / edges.len().max(1) as f64;
    let mut rng = Rng::new(seed);
    for p in positions {
        let d = DVec3::new(rng.signed_unit(), rng.signed_unit(), rng.signed_unit());
        *p = (p.as_dvec3() + size * d).as_vec3();
    }
    Ok(())
}

/// Renumbers vertices and faces at random; the shape stays. Columns and corner layers follow, tags are dropped because
/// their ranges of faces are torn apart.
pub fn shuffle(mesh: &mut TriMesh, seed: u64) {
    let mut rng = Rng::new(seed);
    let vertex_order = rng.permutation(mesh.positions.len());
    let face_order = rng.permutation(mesh.faces.len());
    let mut new_id = vec![0u32; vertex_order.len()];
    vertex_order
        .iter()
        .enumerate()
        .for_each(|(new, &old)| new_id[old as usize] = new as u32);
    mesh.positions = vertex_order
        .iter()
        .map(|&v| mesh.positions[v as usize])
        .collect();
    let renumbered = |&f: &u32| mesh.faces[f as usize].map(|v| new_id[v as usize]);
    mesh.faces = face_order.iter().map(renumbered).collect();
    for c in &mut mesh.extras.columns {
        let vertex = c.element == super::ElementKind::Vertex;
        *c = c.gather(if vertex { &vertex_order } else { &face_order });
    }
    let layers = [
        &mut mesh.extras.corner_texcoords,
        &mut mesh.extras.corner_normals,
    ];
    for layer in layers.into_iter().flatten() {
        let three = |&f: &u32| [0, 1, 2].map(|k| layer.corners[3 * f as usize + k]);
        layer.corners = face_order.iter().flat_map(three).collect();
    }
    mesh.extras.tags.clear();
}

/// Works like [`shuffle`], for polygons; sharpness and holes follow, too.
pub fn shuffle_poly(mesh: &mut PolyMesh, seed: u64) {
    let mut rng = Rng::new(seed);
    let vertices = rng.permutation(mesh.vertex_count());
    let faces = rng.permutation(mesh.face_count());
    mesh.renumber_from(&vertices, &faces);
}

/// Makes two triangles for each cell of a grid whose vertex ids `at` gives.
fn halves(nx: u32, ny: u32, at: impl Fn(u32, u32) -> u32 + Sync) -> Vec<[u32; 3]> {
    cells(nx, ny, at, |[a, b, c, d]| [[a, b, c], [a, c, d]])
}

/// Collects the values of `make` for the corners of each cell of a grid, row after row.
pub(super) fn cells<T: Send, const N: usize>(
    nx: u32,
    ny: u32,
    at: impl Fn(u32, u32) -> u32 + Sync,
    make: impl Fn([u32; 4]) -> [T; N] + Sync,
) -> Vec<T> {
    let cell = |i, j| make([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
    (0..ny)
        .into_par_iter()
        .lean()
        .flat_map_iter(|j| (0..nx).flat_map(move |i| cell(i, j)))
        .collect()
}

pub(super) fn at_least(
    what: &'static str,
    got: u32,
    least: u32,
    possible: &'static str,
) -> Result<(), MeshError> {
    if got >= least {
        return Ok(());
    }
    Err(MeshError::BadParameter {
        what,
        asked: got.to_string(),
        possible,
    })
}

pub(super) fn positive(what: &'static str, got: f32) -> Result<(), MeshError> {
    if got.is_finite() && got > 0.0 {
        return Ok(());
    }
    Err(MeshError::BadParameter {
        what,
        asked: got.to_string(),
        possible: "a finite number above 0",
    })
}
