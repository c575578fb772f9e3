//! Meshes of the solvers' rows.

use anyhow::{Context as _, Result, bail, ensure};
use glam::Vec3;
use rxmesh_host::io::{ReadOptions, read_tets};
use rxmesh_host::mesh::generate::{grid, refine_tets, tet_box};
use rxmesh_host::mesh::{Rng, TetMesh, TriMesh};

use crate::subject::path_and_levels;

/// Most displacement of a vertex along each axis, in sides of the small cubes: no cell is inverted.
const JITTER: f64 = 0.1;

/// Displacement of vertices of irregular cloths.
const IRREGULAR: f64 = 0.3;

/// Number of cells that copies of a file's body have together.
const CELLS: usize = 6_300_000;

/// Makes a volume: `cube:N` has `6 N^3` cells in a cube of a metre (Kuhn), with noise; `file:PATH` is scaled to a
/// metre, with `_LK` at its end after `K` subdivisions.
pub(crate) fn volume(name: &str) -> Result<TetMesh> {
    let (kind, rest) = name.split_once(':').context("no `:`")?;
    match kind {
        "cube" => cube(rest.parse()?),
        "file" => {
            let (path, levels) = path_and_levels(rest);
            let mut mesh = read_tets(path, &ReadOptions::default())?.mesh;
            if levels > 0 {
                mesh = refine_tets(&mesh, levels)?;
            }
            ensure!(!mesh.cells.is_empty(), "the mesh has no cells");
            mesh.orient();
            let [low, high] = mesh.bounding_box().context("the mesh has no vertices")?;
            let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
            let places: Vec<Vec3> = (0..mesh.vertex_count())
                .map(|v| (mesh.world(v) / size).as_vec3())
                .collect();
            Ok(TetMesh::new(places, mesh.cells)?)
        }
        _ => bail!("there is no volume `{kind}`"),
    }
}

/// Makes a body and its number of copies: `cubes:NxM` is `M` cubes; of a file those that are asked for, else enough for
/// six million cells.
pub(crate) fn copies(name: &str, asked: Option<usize>) -> Result<(TetMesh, usize)> {
    if let Some(size) = name.strip_prefix("cubes:") {
        let (n, m) = size.split_once('x').context("no number of copies")?;
        return Ok((cube(n.parse()?)?, m.parse()?));
    }
    let mesh = volume(name)?;
    let copies = if name.starts_with("file:") {
        asked.unwrap_or_else(|| CELLS.div_ceil(mesh.cells.len()))
    } else {
        1
    };
    Ok((mesh, copies))
}

fn cube(n: u32) -> Result<TetMesh> {
    let mut mesh = tet_box([n; 3], [1.0; 3])?;
    let mut rng = Rng::new(1);
    for p in &mut mesh.positions {
        let noise = [(); 3].map(|()| (JITTER * rng.signed_unit()) as f32);
        *p += Vec3::from_array(noise) / n as f32;
    }
    Ok(mesh)
}

/// Makes `cloths:NxM`: `M` squares of a metre with `N` by `N` vertices, side by side, with noise. Those of
/// `cloths-irregular:NxM` have more of it, and each small square the diagonal that Delaunay's criterion prefers.
pub(crate) fn cloths(name: &str) -> Result<TriMesh> {
    let (n, m) = (name.split_once(':'))
        .and_then(|(_, size)| size.split_once('x'))
        .with_context(|| format!("there is no cloth `{name}`"))?;
    let irregular = match name.split_once(':') {
        Some(("cloths", _)) => false,
        Some(("cloths-irregular", _)) => true,
        _ => bail!("there is no cloth `{name}`"),
    };
    let jitter = if irregular { IRREGULAR } else { JITTER };
    let (n, m): (u32, u32) = (n.parse()?, m.parse()?);
    ensure!(n >= 2, "a cloth has two vertices a side at least");
    let one = grid(n - 1, n - 1)?;
    let (low, high) =
        (one.positions.iter()).fold((Vec3::MAX, Vec3::MIN), |(a, b), p| (a.min(*p), b.max(*p)));
    let scale = 1.0 / (high - low).max_element();
    let mut rng = Rng::new(1);
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for k in 0..m {
        let first = positions.len() as u32;
        for p in &one.positions {
            let noise = [(); 2].map(|()| (jitter * rng.signed_unit()) as f32 / n as f32);
            let place = (*p - low) * scale + Vec3::new(noise[0], noise[1], 0.0);
            positions.push(place + Vec3::X * (1.5 * k as f32));
        }
        faces.extend(one.faces.iter().map(|f| f.map(|v| v + first)));
    }
    if irregular {
        faces
            .chunks_exact_mut(2)
            .for_each(|pair| delaunay(pair, &positions));
    }
    Ok(TriMesh::new(positions, faces)?)
}

/// Cuts the square of two adjacent faces along its other diagonal if the angles opposite of this one sum to more than
/// half a turn.
fn delaunay(pair: &mut [[u32; 3]], positions: &[Vec3]) {
    let [a, b] = [pair[0], pair[1]];
    // Corners of the first face from the one that the second does not have, and the other corner of the second.
    let (Some(k), Some(&far)) = (
        (0..3).find(|&k| !b.contains(&a[k])),
        b.iter().find(|v| !a.contains(v)),
    ) else {
        return;
    };
    let [near, left, right] = [0, 1, 2].map(|i| a[(k + i) % 3]);
    let x = |v: u32| positions[v as usize];
    let angle = |at: u32| (x(left) - x(at)).angle_between(x(right) - x(at));
    let side = |p: u32, q: u32, r: u32| (x(q) - x(p)).cross(x(r) - x(p)).z;
    let convex = side(near, left, far) > 0.0 && side(near, far, right) > 0.0;
    if convex && angle(near) + angle(far) > std::f32::consts::PI {
        pair[0] = [near, left, far];
        pair[1] = [near, far, right];
    }
}
