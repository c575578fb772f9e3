//! Meshes of the volumes' rows: cubes, as in the recorded reference, and a file's mesh.

use anyhow::{Context as _, Result, bail, ensure};
use glam::Vec3;
use rxmesh_host::io::{ReadOptions, read_tets};
use rxmesh_host::mesh::generate::{refine_tets, tet_box};
use rxmesh_host::mesh::{Rng, TetMesh};

use crate::subject::path_and_levels;

/// Most displacement of a vertex along each axis, in sides of the small cubes.
const JITTER: f64 = 0.2;
const SEED: u64 = 1;

/// Makes a mesh: `cube:N` has `6 N^3` cells (Kuhn), with noise; `cubes:NxM` is `M` of them side by side;
/// `file:PATH`, with `_LK` at its end subdivided `K` times.
pub(crate) fn make(name: &str) -> Result<TetMesh> {
    let (kind, rest) = name.split_once(':').context("no `:`")?;
    let mesh = match kind {
        "cube" => cubes(rest.parse()?, 1)?,
        "cubes" => {
            let (n, m) = rest.split_once('x').context("no `x`")?;
            cubes(n.parse()?, m.parse()?)?
        }
        "file" => {
            let (path, levels) = path_and_levels(rest);
            refine_tets(&read_tets(path, &ReadOptions::default())?.mesh, levels)?
        }
        _ => bail!("there is no mesh `{kind}`"),
    };
    ensure!(!mesh.cells.is_empty(), "the mesh has no cells");
    Ok(mesh)
}

fn cubes(n: u32, count: u32) -> Result<TetMesh> {
    let one = tet_box([n; 3], [n as f32; 3])?;
    let mut rng = Rng::new(SEED);
    let mut mesh = TetMesh::default();
    for k in 0..count {
        let (first, right) = (mesh.positions.len() as u32, (n + 1) * k);
        mesh.positions.extend(one.positions.iter().map(|&p| {
            let noise = [(); 3].map(|()| (JITTER * rng.signed_unit()) as f32);
            p + Vec3::X * right as f32 + Vec3::from_array(noise)
        }));
        let cells = one.cells.iter().map(|c| c.map(|v| v + first));
        mesh.cells.extend(cells);
    }
    Ok(mesh)
}

/// Numbers of entries of each relation, counted from the cells alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Entries of `[from][to]`: vertices, edges, faces, cells.
    pub(crate) entries: [[u64; 4]; 4],
    /// Numbers of elements of each kind.
    pub(crate) counts: [u64; 4],
}

impl Sizes {
    pub(crate) fn of(mesh: &TetMesh) -> Sizes {
        let edges = rows(mesh, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        let faces = rows(mesh, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]);
        let mut around = vec![0u64; mesh.positions.len()];
        for (key, _) in &edges {
            key.iter().for_each(|&v| around[v as usize] += 1);
        }
        let mut sides: Vec<[u32; 2]> = (faces.iter())
            .flat_map(|&([a, b, c], _)| [[a, b], [a, c], [b, c]])
            .collect();
        rayon::slice::ParallelSliceMut::par_sort_unstable(&mut sides[..]);
        let others = |n: u64| n * n.saturating_sub(1);
        let (v, e, f, c) = (
            around.len() as u64,
            edges.len() as u64,
            faces.len() as u64,
            mesh.cells.len() as u64,
        );
        let ee = around.iter().map(|&n| others(n)).sum();
        let ff = sides
            .chunk_by(|a, b| a == b)
            .map(|s| others(s.len() as u64))
            .sum();
        let cc = faces.iter().map(|&(_, n)| others(n)).sum();
        Sizes {
            entries: [
                [2 * e, 2 * e, 3 * f, 4 * c],
                [2 * e, ee, 3 * f, 6 * c],
                [3 * f, 3 * f, ff, 4 * c],
                [4 * c, 6 * c, 4 * c, cc],
            ],
            counts: [v, e, f, c],
        }
    }
}

/// Returns the parts of cells with these corners: each one's vertices, ascending, and its number of cells.
fn rows<const N: usize, const M: usize>(
    mesh: &TetMesh,
    places: [[usize; N]; M],
) -> Vec<([u32; N], u64)> {
    let part = |cell: &[u32; 4], at: [usize; N]| {
        let mut key = at.map(|k| cell[k]);
        key.sort_unstable();
        key
    };
    let mut keys: Vec<[u32; N]> = (mesh.cells.iter())
        .flat_map(|cell| places.map(|at| part(cell, at)))
        .collect();
    rayon::slice::ParallelSliceMut::par_sort_unstable(&mut keys[..]);
    keys.chunk_by(|a, b| a == b)
        .map(|same| (same[0], same.len() as u64))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of the recorded reference for its meshes, for the relations that it computed correctly.
    #[test]
    fn the_cube_is_that_of_the_reference() -> Result<()> {
        let mesh = make("cube:22")?;
        let sizes = Sizes::of(&mesh);
        assert_eq!(sizes.counts, [12_167, 78_958, 130_680, 63_888]);
        let [_, e, f, _] = sizes.entries;
        assert_eq!([e[1], e[2], e[3]], [1_934_634, 392_040, 383_328]);
        assert_eq!(f[2], 1_643_532);
        let two = make("cubes:3x2")?;
        assert_eq!(two.positions.len(), 2 * 64);
        assert_eq!(Sizes::of(&two).counts[3], 2 * 6 * 27);
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("two_L.mesh");
        let options = rxmesh_host::io::WriteOptions::default();
        rxmesh_host::io::write(&path, &two, &options)?;
        let file = |end: &str| make(&format!("file:{}{end}", path.display()));
        assert_eq!(file("")?.cells.len(), two.cells.len());
        assert_eq!(file("_L2")?.cells.len(), 64 * two.cells.len());
        assert!(make("cube:x").is_err() && make("ball:3").is_err() && make("cube").is_err());
        Ok(())
    }

    /// Two cells that share a face.
    #[test]
    fn sizes_of_two_cells() -> Result<()> {
        let positions = vec![Vec3::ZERO; 5];
        let mesh = TetMesh {
            positions,
            cells: vec![[0, 1, 2, 3], [0, 2, 1, 4]],
            ..TetMesh::default()
        };
        let sizes = Sizes::of(&mesh);
        assert_eq!(sizes.counts, [5, 9, 7, 2]);
        assert_eq!(sizes.entries[3][3], 2);
        assert_eq!(sizes.entries[0], [18, 18, 21, 8]);
        // Three vertices have four edges and two have three; three edges have three faces and six have two.
        assert_eq!(sizes.entries[1][1], 3 * 12 + 2 * 6);
        assert_eq!(sizes.entries[2][2], 3 * 6 + 6 * 2);
        Ok(())
    }
}
