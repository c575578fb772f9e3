//! Real meshes: every file under `RXMESH_DATA`, when that is set.

use rxmesh_host::algo::mcf::{McfOptions, mean_curvature_flow};
use rxmesh_host::engine::Engine;
use rxmesh_host::io;
use rxmesh_host::kernels::query::{EF, VV};
use rxmesh_host::kernels::topo::Kind;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;
use rxmesh_tests::smooth::{Flow, box_diagonal};

conformance! { files }

fn files(engine: &Engine) {
    let Some(folder) = std::env::var_os("RXMESH_DATA") else {
        println!("skipped: RXMESH_DATA is not set");
        return;
    };
    if is_slow(engine) {
        return;
    }
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    let is_mesh = |p: &std::path::PathBuf| {
        p.extension()
            .is_some_and(|e| ["obj", "ply", "off", "stl"].iter().any(|x| e == *x))
    };
    for path in paths.iter().filter(|p| is_mesh(p)) {
        let name = path.display();
        let mesh = io::read(
            path,
            &rxmesh_host::io::ReadOptions::default().with(|o| {
                o.triangulate = true;
            }),
        )
        .unwrap_or_else(|e| panic!("{name}: {e}"))
        .mesh;
        let rx = RxMesh::new(
            engine,
            mesh.vertex_count(),
            &mesh.faces,
            &Default::default(),
        )
        .unwrap();
        assert_eq!(
            rx.patch_set()
                .unwrap()
                .validate(mesh.vertex_count(), &mesh.faces),
            [],
            "{name}"
        );
        let vv = rx.query::<VV>().unwrap().read().unwrap();
        let sides = |a: u32, b: u32| if a == b { 0 } else { 2 };
        let oracle = rxmesh_tests::oracle::Oracle::new(mesh.vertex_count(), &mesh.faces);
        assert_eq!(rx.count(Kind::Edge) as usize, oracle.edges.len(), "{name}");
        assert_eq!(
            vv.values.len(),
            oracle
                .edges
                .iter()
                .map(|&(a, b)| sides(a, b))
                .sum::<usize>(),
            "{name}"
        );
        let ef = rx.query::<EF>().unwrap().read().unwrap();
        assert_eq!(
            ef.values.len(),
            oracle.ef().iter().map(Vec::len).sum::<usize>(),
            "{name}"
        );
        let mut x = rx.attribute_from(&mesh.positions).unwrap();
        let report = mean_curvature_flow(&rx, &mut x, &McfOptions::default()).unwrap();
        println!("{name}: {rx:?} {report:?}");
        let want = Flow::new(&mesh.positions, &mesh.faces).solve(&mesh.positions, report.time_step);
        let size = box_diagonal(&mesh.positions);
        for (got, want) in x.to_input(&rx).unwrap().iter().zip(&want) {
            assert!(
                got.as_dvec3().distance(*want) <= 1e-4 * size,
                "{name}: {got}, but {want} is expected"
            );
        }
    }
}
