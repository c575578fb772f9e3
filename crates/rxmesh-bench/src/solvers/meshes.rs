//! Meshes of the solvers' rows.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use glam::Vec3;
use rxmesh_host::io::{ReadOptions, read_tets};
use rxmesh_host::mesh::generate::{grid, tet_box};
use rxmesh_host::mesh::{Rng, TetMesh, TriMesh};

/// Most displacement of a vertex along each axis, in sides of the small cubes: no cell is inverted.
const JITTER: f64 = 0.1;

/// Number of cells that copies of a file's body have together.
const CELLS: usize = 6_300_000;

/// Makes a volume: `cube:N` has `6 N^3` cells in a cube of a metre (Kuhn), with noise; `file:PATH` is scaled to a
/// metre.
pub(crate) fn volume(name: &str) -> Result<TetMesh> {
    let (kind, rest) = name.split_once(':').context("no `:`")?;
    match kind {
        "cube" => cube(rest.parse()?),
        "file" => {
            let mut mesh = read_tets(Path::new(rest), &ReadOptions::default())?.mesh;
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

/// Makes a body and its number of copies: `cubes:NxM` is `M` cubes; of a file, enough copies for six million cells.
pub(crate) fn copies(name: &str) -> Result<(TetMesh, usize)> {
    if let Some(size) = name.strip_prefix("cubes:") {
        let (n, m) = size.split_once('x').context("no number of copies")?;
        return Ok((cube(n.parse()?)?, m.parse()?));
    }
    let mesh = volume(name)?;
    let copies = if name.starts_with("file:") {
        CELLS.div_ceil(mesh.cells.len())
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

/// Makes `cloths:NxM`: `M` squares of a metre with `N` by `N` vertices, side by side, with noise.
pub(crate) fn cloths(name: &str) -> Result<TriMesh> {
    let (n, m) = (name.strip_prefix("cloths:"))
        .and_then(|size| size.split_once('x'))
        .with_context(|| format!("there is no cloth `{name}`"))?;
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
            let noise = [(); 2].map(|()| (JITTER * rng.signed_unit()) as f32 / n as f32);
            let place = (*p - low) * scale + Vec3::new(noise[0], noise[1], 0.0);
            positions.push(place + Vec3::X * (1.5 * k as f32));
        }
        faces.extend(one.faces.iter().map(|f| f.map(|v| v + first)));
    }
    Ok(TriMesh::new(positions, faces)?)
}
