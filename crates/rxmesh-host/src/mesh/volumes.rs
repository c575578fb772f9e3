//! Volume meshes made by recipe.

use super::generate::{at_least, move_at_random, positive};
use super::tet::{cell_edges, check_tet_counts, is_proper_cell};
use super::{ElementKind, MAX_CELLS, MeshError, Rng, TetMesh};
use crate::par::IntoLean;
use glam::DVec3;
use rayon::prelude::*;

/// Makes a box of `nx` times `ny` times `nz` cubes, from the origin to `size`, of six cells each around the cube's
/// diagonal (Kuhn 1960): neighbours fit, and all cells are positive. Vertices run along x first, then y, then z.
///
/// # Errors
///
/// [`MeshError::BadParameter`] for no cubes or a size that is not positive, [`MeshError::TooLarge`].
pub fn tet_box(n: [u32; 3], size: [f32; 3]) -> Result<TetMesh, MeshError> {
    for (name, n) in ["nx", "ny", "nz"].into_iter().zip(n) {
        at_least(name, n, 1, "one cube or more")?;
    }
    let lengths = [
        "the length along x",
        "the length along y",
        "the length along z",
    ];
    for (name, length) in lengths.into_iter().zip(size) {
        positive(name, length)?;
    }
    let size = DVec3::from_array(size.map(f64::from));
    kuhn(n, |_| [false; 3], |part| part * size)
}

/// Makes the unit ball: a cube of `n` smaller ones along each half of an edge, pushed so that cubes about the middle
/// become spheres; 48 n^3 cells, all positive. The cubes' diagonals point out of the middle.
///
/// # Errors
///
/// As [`tet_box`].
pub fn tet_ball(n: u32) -> Result<TetMesh, MeshError> {
    at_least("n", n, 1, "one cube or more along a radius")?;
    let push = |part: DVec3| {
        let q = 2.0 * part - DVec3::ONE;
        let scale = q.abs().max_element() / q.length();
        if scale.is_finite() { q * scale } else { q }
    };
    let inner = |cube: [u32; 3]| cube.map(|k| k < n);
    kuhn([n.saturating_mul(2); 3], inner, push)
}

/// Makes cubes of six cells each. `mirrored` gives the axes along which a cube's diagonal runs backwards; `place` puts
/// the corners, which are given in the unit cube.
fn kuhn(
    n: [u32; 3],
    mirrored: impl Fn([u32; 3]) -> [bool; 3] + Sync,
    place: impl Fn(DVec3) -> DVec3 + Sync,
) -> Result<TetMesh, MeshError> {
    /// Along the axes in each order; the last three mirror.
    const ORDERS: [[usize; 3]; 6] = [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [0, 2, 1],
        [2, 1, 0],
        [1, 0, 2],
    ];
    let product = |n: [u64; 3]| n.into_iter().fold(1, u64::saturating_mul);
    let corners = n.map(|n| u64::from(n) + 1);
    let (vertices, cubes) = (product(corners), product(n.map(u64::from)));
    check_tet_counts(vertices, cubes.saturating_mul(6))?;
    let step = [1, corners[0], corners[0] * corners[1]];
    let at = |v: u64| {
        let index = [v % corners[0], v / step[1] % corners[1], v / step[2]];
        let part = [0, 1, 2].map(|k| index[k] as f64 / f64::from(n[k]));
        place(DVec3::from_array(part)).as_vec3()
    };
    let [nx, ny, _] = n.map(u64::from);
    let cells = |cube: u64| {
        let index = [cube % nx, cube / nx % ny, cube / (nx * ny)];
        let back = mirrored(index.map(|k| k as u32));
        let first: u64 = (0..3)
            .map(|k| (index[k] + u64::from(back[k])) * step[k])
            .sum();
        let odd = back.iter().filter(|b| **b).count() % 2 == 1;
        ORDERS.iter().enumerate().map(move |(k, order)| {
            let mut path = [first; 4];
            for i in 0..3 {
                let axis = order[i];
                path[i + 1] = match back[axis] {
                    true => path[i] - step[axis],
                    false => path[i] + step[axis],
                };
            }
            if (k >= 3) != odd {
                path.swap(2, 3);
            }
            path.map(|v| v as u32)
        })
    };
    Ok(TetMesh {
        positions: (0..vertices).into_par_iter().map(at).collect(),
        cells: (0..cubes).into_par_iter().flat_map_iter(cells).collect(),
        ..TetMesh::default()
    })
}

/// Divides each cell into eight, `levels` times (red refinement; the octahedron in the middle is cut along its shortest
/// diagonal): new vertices are in the middle of edges, and all cells keep their sign. Extras are dropped.
///
/// # Errors
///
/// [`MeshError::TooLarge`]; the errors of [`TetMesh::validate`]; a cell that names a vertex twice.
pub fn refine_tets(mesh: &TetMesh, levels: u32) -> Result<TetMesh, MeshError> {
    mesh.validate()?;
    if let Some(cell) = mesh.cells.iter().position(|c| !is_proper_cell(c)) {
        let what = format!("cell {cell} (counted from 0) names a vertex twice");
        return Err(MeshError::Extras { what });
    }
    let count = 8u64
        .checked_pow(levels)
        .and_then(|n| n.checked_mul(mesh.cells.len() as u64));
    let asked = count.unwrap_or(u64::MAX);
    if asked > MAX_CELLS as u64 {
        return Err(MeshError::TooLarge {
            what: "cells",
            asked,
            limit: MAX_CELLS as u64,
        });
    }
    let mut mesh = TetMesh {
        positions: mesh.positions.clone(),
        cells: mesh.cells.clone(),
        placement: mesh.placement,
        ..TetMesh::default()
    };
    for _ in 0..levels {
        mesh = eighths(&mesh)?;
    }
    Ok(mesh)
}

fn eighths(mesh: &TetMesh) -> Result<TetMesh, MeshError> {
    let edges = mesh.edges();
    let first = mesh.positions.len();
    check_tet_counts((first + edges.len()) as u64, 0)?;
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    let middles = edges
        .par_iter()
        .lean()
        .map(|&[a, b]| (0.5 * (at(a) + at(b))).as_vec3());
    let mut positions = mesh.positions.clone();
    positions.par_extend(middles);
    let children = |cell: &[u32; 4]| {
        let middle = |e: [u32; 2]| (first + edges.binary_search(&e).unwrap_or_default()) as u32;
        let [ab, ac, ad, bc, bd, cd] = cell_edges(cell).map(middle);
        let &[a, b, c, d] = cell;
        let length = |v: u32, w: u32| {
            let [v, w] = [v, w].map(|v| positions[v as usize].as_dvec3());
            v.distance_squared(w)
        };
        // The octahedron's diagonals join opposite edges; around each the other four middles are a ring.
        let rings = [
            ([ab, cd], [ac, bc, bd, ad]),
            ([ac, bd], [ab, ad, cd, bc]),
            ([ad, bc], [ab, bd, cd, ac]),
        ];
        let shortest = rings
            .into_iter()
            .min_by(|(d, _), (e, _)| length(d[0], d[1]).total_cmp(&length(e[0], e[1])));
        let ([p, q], ring) = shortest.unwrap_or(rings[0]);
        let inner = [0, 1, 2, 3].map(|k| [q, p, ring[k], ring[(k + 1) % 4]]);
        let outer = [
            [a, ab, ac, ad],
            [ab, b, bc, bd],
            [ac, bc, c, cd],
            [ad, bd, cd, d],
        ];
        outer.into_iter().chain(inner)
    };
    Ok(TetMesh {
        cells: mesh
            .cells
            .par_iter()
            .lean()
            .flat_map_iter(children)
            .collect(),
        positions,
        placement: mesh.placement,
        ..TetMesh::default()
    })
}

/// Works like [`noise`](super::generate::noise), for volumes. Cells may become inverted.
///
/// # Errors
///
/// As [`noise`](super::generate::noise).
pub fn noise_tets(mesh: &mut TetMesh, amplitude: f32, seed: u64) -> Result<(), MeshError> {
    let edges = mesh.edges();
    move_at_random(&mut mesh.positions, &edges, amplitude, seed)?;
    mesh.validate()
}

/// Numbers vertices and cells at random; columns follow.
pub fn shuffle_tets(mesh: &mut TetMesh, seed: u64) {
    let mut rng = Rng::new(seed);
    let vertices = rng.permutation(mesh.vertex_count());
    let cells = rng.permutation(mesh.cell_count());
    let mut renamed = vec![0; vertices.len()];
    for (new, &old) in vertices.iter().enumerate() {
        renamed[old as usize] = new as u32;
    }
    let cell = |&c: &u32| mesh.cells[c as usize].map(|v| renamed[v as usize]);
    mesh.cells = cells.iter().map(cell).collect();
    mesh.positions = vertices
        .iter()
        .map(|&v| mesh.positions[v as usize])
        .collect();
    for c in &mut mesh.extras.columns {
        let vertex = c.element == ElementKind::Vertex;
        *c = c.gather(if vertex { &vertices } else { &cells });
    }
}
