use anyhow::Result;
use glam::Vec3;
use rxmesh_host::algo::mcf::{McfOptions, mean_curvature_flow};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;

use super::applications::{applications, largest};
use super::flow::{DirectedFilter, DirectedFlow, NewDirection};
use super::layout::{HalfEdgeArrays, PairedArrays, TripleArrays};
use super::{DirectedEdges, check};
use crate::mesh::base;
use crate::run::tests::measured;
use crate::triangles::Triangles;

/// The bench's torus without three of each hundred faces: closed and open fans, and a vertex without faces.
fn open_torus() -> Result<TriMesh> {
    let mut mesh = base()?;
    let faces = std::mem::take(&mut mesh.faces).into_iter().enumerate();
    let kept = faces.filter(|(i, _)| !matches!(i % 400, 0 | 1 | 200));
    mesh.faces = kept.map(|(_, f)| f).collect();
    mesh.positions.push(Vec3::ZERO);
    Ok(mesh)
}

fn patched(mesh: &TriMesh) -> Result<RxMesh> {
    let (engine, options) = (Engine::cpu(), PatchOptions::default());
    Ok(RxMesh::new(
        &engine,
        mesh.vertex_count(),
        &mesh.faces,
        &options,
    )?)
}

fn error(faces: &[[u32; 3]], vertices: usize) -> String {
    DirectedEdges::new(vertices, faces).map_or_else(|e| e.to_string(), |_| String::new())
}

#[test]
fn meshes_that_directed_edges_cannot_represent_are_refused() {
    let three = error(&[[0, 1, 2], [1, 0, 3], [0, 1, 4]], 5);
    assert!(three.contains("the edge 0 1 has 3 faces"), "{three}");
    let same = error(&[[0, 1, 2], [0, 1, 3]], 4);
    assert!(same.contains("in the same direction"), "{same}");
    let twice = error(&[[0, 1, 2], [2, 2, 1]], 3);
    assert!(twice.contains("face 1 names a vertex twice"), "{twice}");
    let fans = error(&[[0, 1, 2], [0, 3, 4]], 5);
    assert!(
        fans.contains("faces of vertex 0 are more than one fan"),
        "{fans}"
    );
    assert_eq!(error(&[[0, 1, 2], [2, 1, 3]], 4), "");
}

#[test]
fn the_layouts_have_the_bytes_of_the_text_on_a_closed_mesh() -> Result<()> {
    let mesh = base()?;
    let directed = DirectedEdges::new(mesh.vertex_count(), &mesh.faces)?;
    let engine = Engine::cpu();
    let faces = mesh.face_count();
    assert_eq!(
        PairedArrays::upload(&engine, &directed)?.bytes(),
        42 * faces
    );
    assert_eq!(
        TripleArrays::upload(&engine, &directed)?.bytes(),
        44 * faces
    );
    Ok(())
}

#[test]
fn all_queries_in_both_layouts_are_those_of_the_library() -> Result<()> {
    for mesh in [base()?, open_torus()?] {
        let (faults, compared) = check::queries(&patched(&mesh)?, &mesh)?;
        assert_eq!(faults, Vec::<String>::new());
        assert_eq!(compared, 16);
    }
    Ok(())
}

#[test]
fn a_row_that_differs_is_found() -> Result<()> {
    let mut mesh = open_torus()?;
    let rx = patched(&mesh)?;
    let last = mesh.faces.len() - 1;
    mesh.faces.swap(0, last);
    let (faults, _) = check::queries(&rx, &mesh)?;
    assert!(!faults.is_empty());
    Ok(())
}

#[test]
fn all_methods_have_the_results_of_the_library() -> Result<()> {
    for mesh in [base()?, open_torus()?] {
        let (faults, compared) = applications(&patched(&mesh)?, &mesh)?;
        assert_eq!(faults, Vec::<String>::new());
        assert_eq!(compared, 13);
    }
    Ok(())
}

/// Returns the solution after some iterations.
fn solution<L: HalfEdgeArrays>(mesh: &TriMesh, way: NewDirection, n: u32) -> Result<Vec<Vec3>> {
    let engine = Engine::cpu();
    let directed = DirectedEdges::new(mesh.vertex_count(), &mesh.faces)?;
    let layout = L::upload(&engine, &directed)?;
    let (positions, faces) = (&mesh.positions, &mesh.faces);
    let mut flow = DirectedFlow::new(&engine, &layout, way, positions, faces, STEP)?;
    for _ in 0..n {
        flow.iterate()?;
    }
    assert_eq!(flow.progress()?.0, n);
    flow.solution()
}

/// Time step of the flow.
const STEP: f64 = 1e-3;

#[test]
fn the_flow_solves_the_library_s_system() -> Result<()> {
    let mesh = open_torus()?;
    let rx = patched(&mesh)?;
    let mut x = rx.attribute_from(&mesh.positions)?;
    let options = McfOptions::default().with(|o| {
        o.time_step = Some(STEP);
        o.tolerance = 1e-5;
    });
    let report = mean_curvature_flow(&rx, &mut x, &options)?;
    assert!(report.converged, "{report:?}");
    let wanted = x.to_input(&rx)?;
    for way in [NewDirection::Apart, NewDirection::InProduct] {
        for solve in [solution::<PairedArrays>, solution::<TripleArrays>] {
            let found = solve(&mesh, way, 60)?;
            let off = largest(&wanted, &found);
            assert!(off < 1e-4, "{way:?}: {off}");
            assert!(largest(&mesh.positions, &found) > 10.0 * off);
        }
    }
    Ok(())
}

#[test]
fn large_balls_are_done_apart() -> Result<()> {
    // A vertex whose shortest edge is as long as the square, with hundreds of vertices near it.
    let mut mesh = rxmesh_host::mesh::generate::torus(40, 40, 1.0, 0.45)?;
    let directed = DirectedEdges::new(mesh.vertex_count(), &mesh.faces)?;
    mesh.positions[0] *= 1.4;
    let engine = Engine::cpu();
    let layout = TripleArrays::upload(&engine, &directed)?;
    let mut filter = DirectedFilter::new(&engine, &layout, &mesh.positions)?;
    filter.iterate()?;
    assert!(filter.large_balls > 0);
    let (faults, _) = applications(&patched(&mesh)?, &mesh)?;
    assert_eq!(faults, Vec::<String>::new());
    Ok(())
}

#[test]
fn all_rows_of_other_methods_and_patch_sizes_are_measured_in_one_run() -> Result<()> {
    let record = measured::<Triangles>(&["--rivals", "--sizes", "20k"])?;
    let run = |row: &str| record.find(row, "20k").expect("a row");
    for query in ["vv", "ve", "vf", "fv", "fe", "ff", "ev", "ef"] {
        let ids = |row: String| run(&row).figures["ids"].clone();
        let wanted = ids(query.to_owned());
        for order in ["", "-shuffled", "-sorted"] {
            assert_eq!(ids(format!("{query}{order}")), wanted);
            for layout in ["directed", "directed-faces"] {
                assert_eq!(ids(format!("{query}-{layout}{order}")), wanted);
            }
        }
        let small = run(&format!("{query}-patches-256"));
        assert_eq!(
            (small.patch_size, &small.figures["ids"]),
            (Some(256), &wanted)
        );
    }
    let [bytes, small, paired, triple] = [
        "bytes",
        "bytes-patches-256",
        "bytes-directed",
        "bytes-directed-faces",
    ]
    .map(|row| run(row).median());
    assert_eq!((paired, triple), (42.0, 44.0));
    assert!(small > bytes, "{small} {bytes}");
    // The same iterations from the same start.
    let [ours, theirs] = ["mcf-iteration", "mcf-iteration-directed"]
        .map(|row| run(row).figures["residual"].as_f64().expect("a number"));
    assert!((ours / theirs - 1.0).abs() < 0.1, "{ours} {theirs}");
    Ok(())
}
