//! Meshes of arrays in an engine's memory: they stay there, and the host asks for what it needs.

use rxmesh::host::engine::Foreign;
use rxmesh::host::mesh::ElementKind;
use rxmesh::on::EngineArrays;
use rxmesh::{
    ComponentsArgs, CurvatureArgs, EdgeChange, Edit, Engine, Faces, McfOptions, Mesh, QualityArgs,
    SimplifyOptions, SmoothOptions, TriMesh, Vec3, generate, ops, run, simplify,
};

fn ball() -> TriMesh {
    let mut mesh = generate::icosphere(5).unwrap();
    for (v, p) in mesh.positions.iter_mut().enumerate() {
        *p *= 3.0 + 0.05 * (v as f32 * 0.7).sin();
    }
    mesh
}

fn arrays(engine: &Engine, mesh: &TriMesh) -> Mesh {
    let positions = engine.upload(&mesh.positions).unwrap();
    let faces = engine.upload(&mesh.faces).unwrap();
    Mesh::from_engine(EngineArrays::new(positions, faces))
}

/// Returns the arrays of a mesh that has stayed on its engine.
fn host_of(mesh: &Mesh) -> TriMesh {
    mesh.engine_arrays().unwrap().unwrap().to_host().unwrap()
}

/// Returns the bytes that some work copies to the host.
fn read<T>(engine: &Engine, work: impl FnOnce() -> T) -> (T, u64) {
    let before = engine.traffic().to_host;
    let result = work();
    (result, engine.traffic().to_host - before)
}

#[test]
fn edits_stay_on_the_engine() {
    let (engine, host) = (Engine::cpu(), ball());
    let mesh = arrays(&engine, &host);
    let bytes = 12 * host.vertex_count() as u64;
    let ((small, report), read_back) = read(&engine, || simplify(&mesh, Faces(1000)).unwrap());
    assert_eq!(report.faces(), 1000);
    assert!(read_back < bytes / 4, "{read_back} of {bytes} bytes");
    let result = host_of(&small);
    result.validate().unwrap();
    assert_eq!([result.vertex_count(), result.face_count()], [502, 1000]);
    assert_eq!(*small.to_host().unwrap(), result);
    // The input is as it was, and a second run gives the same.
    assert_eq!(host_of(&mesh), host);
    assert_eq!(host_of(&simplify(&mesh, Faces(1000)).unwrap().0), result);
}

#[test]
fn moves_keep_the_order_of_the_arrays() {
    let (engine, host) = (Engine::cpu(), ball());
    let mesh = arrays(&engine, &host);
    let options = SmoothOptions::default();
    let ((smooth, _), read_back) = read(&engine, || run::<ops::Smooth>(&mesh, &options).unwrap());
    assert!(read_back < 4 * host.vertex_count() as u64, "{read_back}");
    let result = host_of(&smooth);
    assert_eq!(result.faces, host.faces);
    let from_host = Mesh::on(host.clone(), engine.clone());
    let expected = run::<ops::Smooth>(&from_host, &options).unwrap().0;
    let expected = expected.positions().unwrap();
    for (a, b) in result.positions.iter().zip(expected) {
        assert!(a.distance(*b) < 1e-5, "{a} is not {b}");
    }
    assert_eq!(smooth.positions().unwrap(), result.positions);
    // One after the other, as edits of a moved mesh.
    let flowed = run::<ops::Mcf>(&smooth, &McfOptions::default()).unwrap().0;
    let small = simplify(&flowed, Faces(500)).unwrap().0;
    assert_eq!(host_of(&small).face_count(), 500);
    assert!(host_of(&smooth) == result);
}

#[test]
fn measures_stay_on_the_engine() {
    let (engine, host) = (Engine::cpu(), ball());
    let mesh = arrays(&engine, &host);
    let measured = run::<ops::Curvature>(&mesh, &CurvatureArgs::default())
        .unwrap()
        .0;
    let normals = run::<ops::Normals>(&measured, &()).unwrap().0;
    let columns = normals.engine_arrays().unwrap().unwrap().columns;
    let names: Vec<&str> = columns.iter().map(|c| &c.name[..]).collect();
    let expected = [
        "gaussian_curvature",
        "mean_curvature",
        "angle_defect",
        "normal",
    ];
    assert_eq!(names, expected);
    let from_host = Mesh::on(host, engine.clone());
    let curvature = run::<ops::Curvature>(&from_host, &CurvatureArgs::default())
        .unwrap()
        .0;
    let mean = curvature.to_host().unwrap();
    let mean = &mean
        .extras
        .column(ElementKind::Vertex, "mean_curvature")
        .unwrap()
        .data;
    for (i, got) in columns[1].values.read().unwrap().into_iter().enumerate() {
        assert!((f64::from(got) - mean.get(i)).abs() < 1e-4, "{i}: {got}");
    }
    // The host sees them, too.
    let there = normals.to_host().unwrap();
    assert!(
        there
            .extras
            .column(ElementKind::Vertex, "angle_defect")
            .is_some()
    );
    let quality = run::<ops::Quality>(&mesh, &QualityArgs::default()).unwrap();
    let bars: u64 = quality.1.radius_ratios.iter().sum();
    assert_eq!(bars as usize, mesh.face_count());
}

#[test]
fn what_reads_the_mesh_copies_it_to_the_host() {
    let engine = Engine::cpu();
    let mut host = ball();
    let first = host.vertex_count() as u32;
    let corner = |x: f32, y: f32| Vec3::new(x, y, 0.0);
    let apart = [corner(9.0, 0.0), corner(9.5, 0.0), corner(9.0, 0.5)];
    host.positions.extend(apart);
    host.faces.push([first, first + 1, first + 2]);
    let mesh = arrays(&engine, &host);
    let mut args = ComponentsArgs::default();
    args.which.largest = true;
    let (largest, report) = run::<ops::Components>(&mesh, &args).unwrap();
    assert_eq!(report.components, 2);
    assert!(largest.engine_arrays().unwrap().is_none());
    assert_eq!(largest.face_count() + 1, host.face_count());
    assert_eq!(
        largest.to_host().unwrap().face_count() + 1,
        host.face_count()
    );
}

#[test]
fn bad_arrays_are_refused() {
    let (engine, host) = (Engine::cpu(), ball());
    let mut bad = host.clone();
    bad.faces[7][1] = 1 << 20;
    let text = |mesh: &TriMesh| {
        let mesh = arrays(&engine, mesh);
        let edited = simplify(&mesh, SimplifyOptions::from(Faces(10))).unwrap_err();
        let moved = run::<ops::Smooth>(&mesh, &SmoothOptions::default()).unwrap_err();
        [edited.to_string(), moved.to_string()]
    };
    for text in text(&bad) {
        assert!(
            text.contains("face 7") && text.contains("1048576"),
            "{text}"
        );
    }
    let mut bad = host.clone();
    bad.positions[100].y = f32::NAN;
    for text in text(&bad) {
        assert!(text.contains("not a finite number"), "{text}");
    }
    let nowhere = Foreign {
        address: 0,
        len: 4,
        stream: 0,
    };
    // SAFETY: an array that is nowhere is refused.
    let refused = unsafe { Mesh::from_device(&engine, nowhere, nowhere) };
    assert!(refused.unwrap_err().to_string().contains("address is 0"));
}

#[test]
fn arrays_of_others_are_copied() {
    let (engine, mut host) = (Engine::cpu(), ball());
    let expected = host.clone();
    let here = |address: *const [u32; 3], len| Foreign {
        address: address as u64,
        len,
        stream: 0,
    };
    let positions = here(host.positions.as_ptr().cast(), host.vertex_count());
    let faces = here(host.faces.as_ptr(), host.face_count());
    // SAFETY: both live until the call returns.
    let mesh = unsafe { Mesh::from_device(&engine, positions, faces) }.unwrap();
    host.positions.fill(rxmesh::Vec3::NAN);
    host.faces.fill([u32::MAX; 3]);
    assert_eq!(host_of(&mesh), expected);
}

/// Edits of chosen edges have the same elements and outcomes with flags on the engine and with numbers on the host.
#[test]
fn chosen_edges_stay_on_the_engine() {
    let (engine, host) = (Engine::cpu(), ball());
    let mesh = arrays(&engine, &host);
    let mut here = Edit::new(&mesh).unwrap();
    let mut there = Edit::new(&mesh).unwrap();
    for (change, step, rounds) in [
        (EdgeChange::Flip, 5, None),
        (EdgeChange::Split, 2, None),
        (EdgeChange::Collapse, 1, None),
        (EdgeChange::Split, 1, Some(1)),
        (EdgeChange::Collapse, 3, Some(0)),
    ] {
        let elements = here.elements().unwrap().clone();
        let on = there.on_engine().unwrap();
        let (vertices, faces) = (elements.mesh.vertex_count(), elements.mesh.face_count());
        let (counts, read_back) = read(&engine, || on.counts().unwrap());
        assert_eq!(counts, [vertices, elements.edges.len(), faces]);
        assert!(read_back < 100, "{read_back}");
        assert_eq!(
            on.positions().unwrap().read().unwrap(),
            elements.mesh.positions
        );
        assert_eq!(on.faces().unwrap().read().unwrap(), elements.mesh.faces);
        assert_eq!(on.edges().unwrap().read().unwrap(), elements.edges);
        let edges: Vec<u32> = (0..elements.edges.len() as u32).step_by(step).collect();
        let mut flags = vec![0u32; elements.edges.len()];
        edges.iter().for_each(|&edge| flags[edge as usize] = 1);
        let flags = engine.upload(&flags).unwrap();
        let expected = here.change(change, &edges, rounds).unwrap();
        let mut on = there.on_engine().unwrap();
        let changed = || on.change(change, &flags, rounds).unwrap();
        let ((mut report, changed), read_back) = read(&engine, changed);
        assert!(read_back < 4 * flags.len() as u64, "{read_back}");
        let changed = changed.read().unwrap();
        report.changed = changed.iter().map(|&flag| flag == 1).collect();
        assert_eq!(report, expected);
        assert!(changed.iter().all(|&flag| flag < 2));
    }
    assert!(there.validate().unwrap().is_empty());
    let few = engine.upload(&[1u32; 3]).unwrap();
    let wrong = there
        .on_engine()
        .unwrap()
        .change(EdgeChange::Flip, &few, None);
    assert!(wrong.unwrap_err().to_string().contains("3 flags"));
    let (here, there) = (here.finish().unwrap(), there.finish().unwrap());
    assert_eq!(host_of(&here), host_of(&there));
    // The host's data of other meshes goes along on the host.
    let mut other = Edit::new(&Mesh::on(ball(), engine)).unwrap();
    assert!(other.on_engine().is_none());
}

#[test]
fn normals_are_counted_on_the_engine() {
    let engine = Engine::cpu();
    let mut host = ball();
    // Vertices without a face have no normal.
    host.positions.extend([Vec3::ONE; 7]);
    let mesh = arrays(&engine, &host);
    let ((result, report), read_back) = read(&engine, || run::<ops::Normals>(&mesh, &()).unwrap());
    let counts = report.normals;
    assert_eq!(
        [counts.unit, counts.zero],
        [host.vertex_count() as u64 - 7, 7]
    );
    assert!(read_back < host.vertex_count() as u64, "{read_back}");
    let normals = host_of(&result).extras.columns.remove(0);
    assert_eq!((&normals.name[..], normals.width), ("normal", 3));
}
