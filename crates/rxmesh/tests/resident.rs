//! Meshes that stay on the engine between operations.

use rxmesh::{
    Engine, Faces, Log, McfOptions, Mesh, Operation, QualityArgs, SmoothOptions, Stage, TriMesh,
    Vec3, generate, ops, run_on, simplify,
};

/// Log that keeps the stages.
#[derive(Default)]
struct Stages(Vec<Stage>);

impl Log for Stages {
    fn begin(&mut self, stage: Stage) {
        self.0.push(stage);
    }

    fn warn(&mut self, warning: String) {
        panic!("{warning}");
    }
}

fn ball() -> TriMesh {
    let mut mesh = generate::icosphere(5).unwrap();
    for (v, p) in mesh.positions.iter_mut().enumerate() {
        *p *= 3.0 + 0.05 * (v as f32 * 0.7).sin();
    }
    mesh
}

/// Runs an operation. Returns its result with the stages, and the bytes that were copied to the engine and back.
fn run<O>(mesh: &Mesh, options: &O::Options) -> (Mesh, O::Report, Vec<Stage>, [u64; 2])
where
    O: Operation<On: rxmesh::Opens>,
{
    let before = mesh.engine().traffic();
    let mut log = Stages::default();
    let (result, report) = run_on::<O>(mesh, options, &mut log).unwrap();
    let after = mesh.engine().traffic();
    let copied = [
        after.to_engine - before.to_engine,
        after.to_host - before.to_host,
    ];
    (result, report, log.0, copied)
}

/// Smooths; the options are the defaults.
fn smoothed(mesh: &Mesh) -> (Mesh, Vec<Stage>, [u64; 2]) {
    let (result, _, stages, copied) = run::<ops::Smooth>(mesh, &SmoothOptions::default());
    (result, stages, copied)
}

/// Sums are read back, and lists of their places uploaded: much less than a byte for each vertex.
fn is_little(copied: [u64; 2], mesh: &Mesh) -> bool {
    copied
        .iter()
        .all(|&bytes| bytes < mesh.vertex_count() as u64 / 4)
}

const ALL: [Stage; 3] = [Stage::Patches, Stage::Upload, Stage::Work("smoothing")];

#[test]
fn the_second_operation_cuts_and_copies_nothing() {
    let mesh = Mesh::on(ball(), Engine::cpu());
    let positions = 12 * mesh.vertex_count() as u64;
    let (once, stages, copied) = smoothed(&mesh);
    assert_eq!(stages, ALL);
    // Patches and positions go to the engine; nothing comes back.
    assert!(
        copied[0] > positions && copied[1] < positions / 8,
        "{copied:?}"
    );
    // The result is on the engine, and so is the mesh itself.
    for on in [&once, &mesh] {
        let (_, stages, copied) = smoothed(on);
        assert_eq!(stages, [Stage::Work("smoothing")]);
        assert!(is_little(copied, on), "{copied:?}");
    }
    // The host copies once.
    let before = mesh.engine().traffic().to_host;
    once.positions().unwrap();
    once.to_host().unwrap();
    let read = mesh.engine().traffic().to_host - before;
    assert!((positions..2 * positions).contains(&read), "{read}");
}

/// A measure between two moves, and its column, which the second move carries along.
#[test]
fn measures_copy_their_values_only() {
    let mesh = Mesh::on(ball(), Engine::cpu());
    let (once, ..) = smoothed(&mesh);
    let (measured, _, stages, copied) = run::<ops::Quality>(&once, &QualityArgs::default());
    assert!(
        !stages.contains(&Stage::Patches) && !stages.contains(&Stage::Upload),
        "{stages:?}"
    );
    assert!(copied[0] < 1000, "{copied:?}");
    let (twice, stages, copied) = smoothed(&measured);
    assert_eq!(stages, [Stage::Work("smoothing")]);
    assert!(is_little(copied, &twice), "{copied:?}");
    let twice = twice.into_inner().unwrap();
    assert!(
        twice
            .extras
            .columns
            .iter()
            .any(|c| c.name == "radius_ratio")
    );
}

/// Results are those of meshes that come from the host each time.
#[test]
fn results_are_the_same_as_through_the_host() {
    let with_normals = || {
        let mut mesh = ball();
        let normals = vec![Vec3::X; mesh.vertex_count()];
        mesh.set_vertex_normals(normals).unwrap();
        mesh
    };
    let engine = Engine::cpu();
    let mut resident = Mesh::on(with_normals(), engine.clone());
    let mut through = with_normals();
    for _ in 0..3 {
        resident = smoothed(&resident).0;
        resident = run::<ops::Mcf>(&resident, &McfOptions::default()).0;
        for mcf in [false, true] {
            let mesh = Mesh::on(through, engine.clone());
            let moved = if mcf {
                run::<ops::Mcf>(&mesh, &McfOptions::default()).0
            } else {
                smoothed(&mesh).0
            };
            through = moved.into_inner().unwrap();
        }
    }
    let resident = resident.into_inner().unwrap();
    assert_eq!(resident.positions, through.positions);
    assert_eq!(resident, through);
}

/// Moves leave the mesh that they began with.
#[test]
fn the_mesh_itself_stays() {
    let mesh = Mesh::on(ball(), Engine::cpu());
    let (once, ..) = smoothed(&mesh);
    let (twice, ..) = smoothed(&once);
    assert_eq!(*mesh.to_host().unwrap(), ball());
    let (again, ..) = smoothed(&mesh);
    assert_eq!(again.positions().unwrap(), once.positions().unwrap());
    assert_ne!(twice.positions().unwrap(), once.positions().unwrap());
    // Clones are the same mesh.
    let clone = twice.clone();
    assert_eq!(clone.into_inner().unwrap(), *twice.to_host().unwrap());
}

/// Edits use the patches that are there, and their result has none.
#[test]
fn edits_use_patches_that_are_there() {
    let mesh = Mesh::on(ball(), Engine::cpu());
    let (once, ..) = smoothed(&mesh);
    let mut log = Stages::default();
    let options = Faces(2000).into();
    let (small, _) = run_on::<ops::Simplify>(&once, &options, &mut log).unwrap();
    assert!(!log.0.contains(&Stage::Patches), "{:?}", log.0);
    let fresh = Mesh::on(once.into_inner().unwrap(), mesh.engine().clone());
    let (want, _) = simplify(&fresh, Faces(2000)).unwrap();
    assert_eq!(small.to_host().unwrap(), want.to_host().unwrap());
    let (_, stages, _) = smoothed(&small);
    assert_eq!(stages, ALL);
}

/// Volumes on the engine are those of the host to the digits of 32-bit cones, of open meshes too.
#[test]
fn volumes_agree_with_the_host() {
    let half = {
        let ball = ball();
        let keep: Vec<bool> = ball
            .faces
            .iter()
            .map(|f| ball.positions[f[0] as usize].z > -1.0)
            .collect();
        ball.with_faces(&keep)
    };
    for mesh in [ball(), half] {
        let want = [rxmesh::host::mesh::volume(&mesh.positions, &mesh.faces)];
        let mesh = Mesh::on(mesh, Engine::cpu());
        let (moved, report, ..) = run::<ops::Smooth>(&mesh, &SmoothOptions::default());
        let moved = moved.to_host().unwrap();
        let want = [
            want[0],
            rxmesh::host::mesh::volume(&moved.positions, &moved.faces),
        ];
        let got = serde_json::to_value(report.volumes).unwrap();
        for (key, want) in ["volume_before", "volume_after"].into_iter().zip(want) {
            let got = got[key].as_f64().unwrap();
            assert!((got / want - 1.0).abs() < 1e-6, "{key}: {got} {want}");
        }
    }
}

/// A mesh that a file has split along a seam: its sides are joined for moves and apart for measures.
#[test]
fn seams_have_patches_of_both_kinds() {
    #[derive(Default)]
    struct Lenient(Vec<Stage>);
    impl Log for Lenient {
        fn begin(&mut self, stage: Stage) {
            self.0.push(stage);
        }
        fn warn(&mut self, _: String) {}
    }
    // A grid whose left half has vertices of its own on the middle line.
    let mut split = generate::grid(8, 8).unwrap();
    let middle = split
        .positions
        .iter()
        .map(|p| p.x)
        .fold(f32::NEG_INFINITY, f32::max)
        * 0.5;
    let n = split.vertex_count() as u32;
    let mut copies = Vec::new();
    for v in 0..n {
        if split.positions[v as usize].x == middle {
            copies.push(v);
            split.positions.push(split.positions[v as usize]);
        }
    }
    assert!(!copies.is_empty());
    for face in &mut split.faces {
        let left = face.iter().any(|&v| split.positions[v as usize].x < middle);
        for v in face {
            if let (true, Some(k)) = (left, copies.iter().position(|c| c == v)) {
                *v = n + k as u32;
            }
        }
    }
    for (v, p) in split.positions.iter_mut().enumerate() {
        p.z = 0.05 * (v as f32 % n as f32).sin();
    }
    for (k, &v) in copies.iter().enumerate() {
        split.positions[n as usize + k] = split.positions[v as usize];
    }
    let engine = Engine::cpu();
    let mesh = Mesh::on(split.clone(), engine.clone());
    let run = |mesh: &Mesh| {
        let mut log = Lenient::default();
        let options = SmoothOptions::default();
        let (mesh, _) = run_on::<ops::Smooth>(mesh, &options, &mut log).unwrap();
        (mesh, log.0)
    };
    let (once, stages) = run(&mesh);
    assert_eq!(stages, ALL);
    let (twice, stages) = run(&once);
    assert_eq!(stages, [Stage::Work("smoothing")]);
    let through = Mesh::on(once.to_host().unwrap().clone(), engine);
    assert_eq!(
        run(&through).0.positions().unwrap(),
        twice.positions().unwrap()
    );
    // Sides of the seam stay together.
    let moved = twice.positions().unwrap();
    for (k, &v) in copies.iter().enumerate() {
        assert_eq!(moved[n as usize + k], moved[v as usize]);
    }
    assert_eq!(
        twice
            .patches()
            .unwrap()
            .count(rxmesh::kernels::topo::Kind::Vertex),
        n + copies.len() as u32
    );
}

#[test]
fn meshes_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Mesh>();
}
