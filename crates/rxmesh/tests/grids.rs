//! Grids of distances as a program computes them.

use rxmesh::host::grid::{self, GridReadOptions, GridWriteOptions};
use rxmesh::host::mesh::ColumnData;
use rxmesh::{
    DVec3, Engine, Grid, Mesh, SdfOptions, SurfaceTree, TriMesh, generate, ops, run, sdf_grid,
};

fn values(grid: &Grid) -> Vec<f64> {
    let column = grid.scalar(None).unwrap();
    (0..column.data.len()).map(|i| column.data.get(i)).collect()
}

fn places(grid: &Grid) -> Vec<DVec3> {
    let [nx, ny, nz] = grid.counts;
    let all = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
    all.map(|point| grid.place(point)).collect()
}

/// Returns a ball without the faces around its top.
fn bowl() -> TriMesh {
    let mut bowl = generate::icosphere(3).unwrap();
    let positions = bowl.positions.clone();
    let is_top = |f: &[u32; 3]| f.iter().all(|&v| positions[v as usize].z > 0.8);
    bowl.faces.retain(|f| !is_top(f));
    bowl
}

#[test]
fn grids_agree_with_queries() {
    for (mesh, unsigned) in [
        (generate::torus(24, 12, 1.0, 0.4).unwrap(), false),
        (bowl(), false),
        (bowl(), true),
    ] {
        let mesh = Mesh::on(mesh, Engine::cpu());
        let options = SdfOptions::default().with(|o| {
            o.resolution = 12;
            o.unsigned = unsigned;
        });
        let (grid, report) = sdf_grid(&mesh, &options).unwrap();
        let tree = SurfaceTree::new(&mesh).unwrap();
        let places = places(&grid);
        let want = match unsigned {
            true => tree.closest(&places).unwrap(),
            false => tree.signed_closest(&places).unwrap(),
        };
        let found = values(&grid);
        for (i, (d, want)) in found.iter().zip(&want.distances).enumerate() {
            assert!((d - want).abs() < 1e-5, "{}: {d}, not {want}", places[i]);
        }
        let inside = found.iter().filter(|d| **d < 0.0).count() as u64;
        assert_eq!(report.distances.inside, (!unsigned).then_some(inside));
        assert_eq!(report.distances.points, found.len() as u64);
    }
}

#[test]
fn grids_are_in_the_units_of_the_mesh() {
    let near = generate::icosphere(3).unwrap();
    let mut far = near.clone();
    far.placement.origin = DVec3::new(1e6, -2e6, 0.5);
    far.placement.scale = 1024.0;
    let options = |cell| SdfOptions::default().with(|o| o.cell = Some(cell));
    let (one, _) = sdf_grid(&Mesh::on(near, Engine::cpu()), &options(0.25)).unwrap();
    let (two, report) = sdf_grid(&Mesh::on(far, Engine::cpu()), &options(256.0)).unwrap();
    assert_eq!(one.counts, two.counts);
    assert_eq!(two.spacing, DVec3::splat(256.0));
    let origin = DVec3::new(1e6, -2e6, 0.5) + one.origin * 1024.0;
    assert!(two.origin.distance(origin) < 1e-3);
    assert_eq!(report.origin, two.origin.to_array());
    for (a, b) in values(&one).iter().zip(values(&two)) {
        assert!((a * 1024.0 - b).abs() < 1e-2, "{a} and {b}");
    }
}

#[test]
fn grids_go_to_files_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = Mesh::on(bowl(), Engine::cpu());
    let options = SdfOptions::default().with(|o| o.resolution = 8);
    let (grid, _) = sdf_grid(&mesh, &options).unwrap();
    assert!(matches!(grid.columns[0].data, ColumnData::F32(_)));
    for name in ["a.vti", "a.nrrd", "a.npy"] {
        let path = folder.path().join(name);
        let report = grid::write(&path, &grid, &GridWriteOptions::default()).unwrap();
        let mut back = grid::read(&path, &GridReadOptions::default()).unwrap().grid;
        if !report.format.holds_places() {
            (back.origin, back.spacing) = (grid.origin, grid.spacing);
            back.columns[0].name = grid.columns[0].name.clone();
        }
        assert_eq!(back, grid, "{name}");
    }
    // As an operation on a mesh, it leaves the mesh as it is.
    let (same, report) = run::<ops::Sdf>(&mesh, &options).unwrap();
    assert_eq!(same.face_count(), mesh.face_count());
    assert_eq!(report.distances.counts, grid.counts);
}
