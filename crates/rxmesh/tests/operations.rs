//! Operations as a program calls them.

use rxmesh::host::algo::filter::{Closeness, FilterScheme, Similarity};
use rxmesh::host::algo::sample::SampleOptions;
use rxmesh::host::algo::simplify::Deviation;
use rxmesh::host::algo::track::TrackOptions;
use rxmesh::host::algo::transform::{Factors, TransformOptions};
use rxmesh::host::mesh::PolyMesh;
use rxmesh::host::repair::{Length, RepairOptions};
use rxmesh::host::units::InUnits;
use rxmesh::on::{AnyMesh, Body, Connectivity, MakesScene, Pair, Scene, SceneSteps, Tool};
use rxmesh::ops::check::{CheckOptions, Checked};
use rxmesh::ops::cloth::ClothOptions;
use rxmesh::ops::distance::DistanceArgs;
use rxmesh::ops::simulate::SimulateOptions;
use rxmesh::ops::soft::SoftOptions;
use rxmesh::ops::subdivide::SubdivideArgs;
use rxmesh::ops::track::TrackArgs;
use rxmesh::simulation::scene::LoadedMesh;
use rxmesh::{
    ComponentsArgs, CurvatureArgs, DVec3, DelaunayOptions, Engine, Error, Faces, FilterOptions,
    GeodesicArgs, Log, McfOptions, Mesh, Message, Opens, Operation, Outcome, QualityArgs, Ratio,
    RemeshArgs, Silent, SimplifyOptions, SmoothOptions, SpringArgs, Stage, TriMesh, Vec3, generate,
    ops, run, run_on, simplify,
};
use serde::Serialize;
use serde_json::Value;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Ball whose vertices are off the sphere by a fixed pattern.
fn ball(scale: f32) -> TriMesh {
    let mut mesh = generate::icosphere(3).unwrap();
    for (v, p) in mesh.positions.iter_mut().enumerate() {
        *p *= scale * (1.0 + 0.02 * (v as f32 * 0.7).sin());
    }
    mesh
}

fn mesh(scale: f32) -> Mesh {
    Mesh::on(ball(scale), Engine::cpu())
}

/// Log that keeps stages and warnings.
#[derive(Default)]
struct Kept {
    stages: Vec<(Stage, bool)>,
    warnings: Vec<String>,
}

impl Log for Kept {
    fn begin(&mut self, stage: Stage) {
        self.stages.push((stage, false));
    }

    fn end(&mut self, stage: Stage, milliseconds: f64) {
        assert!(milliseconds >= 0.0);
        let last = self.stages.last_mut().unwrap();
        assert_eq!(last.0, stage);
        last.1 = true;
    }

    fn failed(&mut self, stage: Stage) {
        assert_eq!(self.stages.last().unwrap().0, stage);
    }

    fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    fn mesh_name(&self) -> Option<String> {
        Some("ball".into())
    }
}

#[test]
fn simplify_reaches_faces_and_ratio() {
    let mesh = mesh(1.0);
    let (small, report) = simplify(&mesh, Faces(200)).unwrap();
    assert_eq!(report.all.faces as usize, small.face_count());
    assert!(small.face_count() <= 200 && small.face_count() >= 190);
    small.to_host().unwrap().validate().unwrap();
    let (half, _) = simplify(&mesh, Ratio(0.5)).unwrap();
    assert!(half.face_count() <= mesh.face_count() / 2);
    // The input stays.
    assert_eq!(*mesh.to_host().unwrap(), ball(1.0));
}

#[test]
fn stages_and_warnings_reach_the_log() {
    let mut log = Kept::default();
    let mut with_normals = ball(1.0);
    with_normals
        .set_vertex_normals(vec![Vec3::X; with_normals.vertex_count()])
        .unwrap();
    let mesh = Mesh::on(with_normals, Engine::cpu());
    let (smooth, report) =
        run_on::<ops::Smooth>(&mesh, &SmoothOptions::default(), &mut log).unwrap();
    let stages: Vec<Stage> = log.stages.iter().map(|(stage, _)| *stage).collect();
    let want = [Stage::Patches, Stage::Upload, Stage::Work("smoothing")];
    assert_eq!(stages, want);
    assert!(log.stages.iter().all(|(_, ended)| *ended));
    assert!(log.warnings.is_empty(), "{:?}", log.warnings);
    assert_eq!(smooth.vertex_count(), mesh.vertex_count());
    let message: Message = ops::Smooth::describe(&report, &SmoothOptions::default());
    assert!(
        message.lines.starts_with("Laplacian smoothing"),
        "{}",
        message.lines
    );
    assert_eq!(message.outcome, Outcome::Success);
    // Normals were computed anew: those of a sphere, almost.
    let smooth = smooth.to_host().unwrap();
    let normals = smooth.vertex_normals().unwrap();
    let radial = normals
        .iter()
        .zip(&smooth.positions)
        .map(|(n, p)| n.dot(p.normalize()));
    assert!(radial.fold(1.0, f32::min) > 0.9);
}

/// Lengths in options and reports are those of the mesh, whatever its unit is.
#[test]
fn units_are_the_users() {
    let sources = GeodesicArgs {
        sources: vec![0],
        ..GeodesicArgs::default()
    };
    let far = |scale: f32| {
        run::<ops::Geodesic>(&mesh(scale), &sources)
            .unwrap()
            .1
            .propagation
            .max_distance
    };
    // A power of two is exact, and another factor is so to rounding.
    assert_eq!(far(1024.0), 1024.0 * far(1.0));
    assert!((far(1000.0) / far(1.0) / 1000.0 - 1.0).abs() < 1e-5);
    let length = |scale: f32| {
        let options = RemeshArgs::default();
        run::<ops::Remesh>(&mesh(scale), &options)
            .unwrap()
            .1
            .all
            .target_length
    };
    assert_eq!(length(1024.0), 1024.0 * length(1.0));
    let volume = |scale: f32| {
        run::<ops::Mcf>(&mesh(scale), &McfOptions::default())
            .unwrap()
            .1
            .volumes
    };
    let [a, b] = [volume(1.0), volume(8.0)].map(|v| serde_json::to_value(v).unwrap());
    let of = |v: &serde_json::Value| v["volume_before"].as_f64().unwrap();
    assert_eq!(of(&b), 512.0 * of(&a));
}

/// Scale of the larger of two meshes: a power of two, which is exact.
const LARGER: f32 = 1024.0;

/// Runs an operation on a mesh and on a larger one, with options to match.
fn units_hold<O>(options: &O::Options)
where
    O: Operation<On: Opens>,
{
    let (_, small) = run::<O>(&mesh(1.0), options).unwrap();
    let mut larger = options.clone();
    larger.scale(f64::from(LARGER));
    let (_, large) = run::<O>(&mesh(LARGER), &larger).unwrap();
    assert_scaled(small, &large, 0.0);
}

/// Reports differ by the declared units of their numbers, and in nothing else: numbers by at most this part, because
/// some are written with few digits.
fn assert_scaled<R: InUnits + Serialize>(mut small: R, large: &R, part: f64) {
    small.scale(f64::from(LARGER));
    let [small, large] = [&small, large].map(|report| serde_json::to_value(report).unwrap());
    let name = std::any::type_name::<R>();
    assert!(is_near(&small, &large, part), "{name}: {small} and {large}");
}

/// Returns `true` if all keys are the same, and all numbers are so but for a part.
fn is_near(a: &Value, b: &Value, part: f64) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (x.as_f64().unwrap(), y.as_f64().unwrap());
            (x - y).abs() <= part * x.abs().max(y.abs())
        }
        (Value::Array(a), Value::Array(b)) => {
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|(a, b)| is_near(a, b, part))
        }
        (Value::Object(a), Value::Object(b)) => {
            let mut both = a.iter().zip(b);
            a.len() == b.len() && both.all(|((k, a), (l, b))| k == l && is_near(a, b, part))
        }
        _ => a == b,
    }
}

#[test]
fn numbers_have_the_declared_units() {
    units_hold::<ops::Mcf>(&McfOptions::default());
    units_hold::<ops::Mcf>(&McfOptions::default().with(|o| o.time_step = Some(0.01)));
    units_hold::<ops::Filter>(&FilterOptions::default());
    units_hold::<ops::Filter>(&FilterOptions::default().with(|o| {
        o.scheme = Some(FilterScheme::Vertices);
        o.sigma_c = Some(Closeness::Given(0.2));
        o.sigma_s = Some(Similarity::Given(0.05));
    }));
    units_hold::<ops::Filter>(&FilterOptions::default().with(|o| o.noise = Some(0.02)));
    units_hold::<ops::Curvature>(&CurvatureArgs::default());
    units_hold::<ops::Quality>(&QualityArgs { worst: 3 });
    units_hold::<ops::Components>(&ComponentsArgs::default());
    units_hold::<ops::Smooth>(&SmoothOptions::default());
    units_hold::<ops::Geodesic>(&GeodesicArgs {
        sources: vec![0],
        ..GeodesicArgs::default()
    });
    units_hold::<ops::Normals>(&());
    // With a given gravity step, stiffness and damping do not follow the size.
    let mut spring = SpringArgs::default();
    spring.given.gravity = true;
    spring.motion.steps = 20;
    units_hold::<ops::Spring>(&spring);
    units_hold::<ops::Delaunay>(&DelaunayOptions::default());
    let within = SimplifyOptions::within(Deviation::Length(0.02));
    units_hold::<ops::Simplify>(&within);
    units_hold::<ops::Simplify>(&SimplifyOptions::within(Deviation::Part(0.01)));
    units_hold::<ops::Remesh>(&RemeshArgs::default());
    let mut adaptive = RemeshArgs::default();
    adaptive.remeshing.target_length = Some(0.2);
    adaptive.remeshing.adaptive = Some(0.01);
    adaptive.remeshing.min_length = Some(0.1);
    adaptive.remeshing.max_length = Some(0.3);
    units_hold::<ops::Remesh>(&adaptive);
    units_hold::<ops::Track>(&TrackArgs {
        tracking: TrackOptions::default().with(|o| {
            o.frames = 2;
            o.target_length = Some(0.2);
        }),
        sequence: false,
    });
    let repair = RepairOptions::default().with(|o| o.weld = Some(Length::Absolute(0.05)));
    units_hold::<ops::Repair>(&repair);
    units_hold::<ops::Sample>(&SampleOptions::default());

    let mut log = Silent::default();
    let [small, large] = [1.0, LARGER].map(|scale| {
        let mut tool = Tool::new(AnyMesh::Surface(ball(scale)), Vec::new());
        ops::Check::run(&mut tool, &CheckOptions::default(), &mut log).unwrap()
    });
    assert_scaled(small, &large, 1e-6);
    let [small, large] = [1.0, LARGER].map(|scale| {
        let mut volume = generate::tet_ball(2).unwrap();
        volume.positions.iter_mut().for_each(|p| *p *= scale);
        let mut tool = Tool::new(AnyMesh::Volume(volume), Vec::new());
        ops::Check::run(&mut tool, &CheckOptions::default(), &mut log).unwrap()
    });
    assert_scaled(small, &large, 1e-6);
    let [small, large] = [1.0, LARGER].map(|scale| {
        let (mesh, reference) = (ball(scale), ball(1.5 * scale));
        let mut tool = Tool::new(Pair { mesh, reference }, vec![String::new(); 2]);
        tool.set_engine(Engine::cpu());
        ops::Distance::run(&mut tool, &DistanceArgs::default(), &mut log).unwrap()
    });
    assert_scaled(small, &large, 1e-6);
}

#[test]
fn errors_name_the_mesh_and_say_why() {
    let mut broken = ball(1.0);
    broken.faces[3] = [0, 1, 100_000];
    let mesh = Mesh::on(broken, Engine::cpu());
    let e = run_on::<ops::Delaunay>(&mesh, &DelaunayOptions::default(), &mut Kept::default())
        .unwrap_err();
    assert_eq!(e.to_string(), "ball");
    let cause = std::error::Error::source(&e).unwrap().to_string();
    assert!(
        cause.contains("100000") || cause.contains("100,000"),
        "{cause}"
    );
    let bad = McfOptions::default().with(|o| o.tolerance = f64::NAN);
    assert!(matches!(run::<ops::Mcf>(&mesh, &bad), Err(Error::Host(_))));
}

#[test]
fn every_operation_runs() {
    fn ok<O>(options: O::Options)
    where
        O: Operation<On: rxmesh::Opens>,
    {
        let mut log = Silent::default();
        let (out, report) = run_on::<O>(&mesh(1.0), &options, &mut log).unwrap();
        let out = out.to_host().unwrap();
        out.validate().unwrap();
        let finite = |p: &Vec3| p.is_finite() && p.as_dvec3() != DVec3::ZERO;
        assert!(out.positions.iter().all(finite), "{}", O::NAME);
        assert!(
            !O::describe(&report, &options).lines.is_empty(),
            "{}",
            O::NAME
        );
    }
    ok::<ops::Mcf>(McfOptions::default());
    ok::<ops::Normals>(());
    ok::<ops::Filter>(FilterOptions::default());
    ok::<ops::Curvature>(CurvatureArgs::default());
    ok::<ops::Quality>(QualityArgs::default());
    ok::<ops::Components>(ComponentsArgs::default());
    ok::<ops::Smooth>(SmoothOptions::default());
    ok::<ops::Spring>(SpringArgs::default());
    ok::<ops::Delaunay>(DelaunayOptions::default());
    ok::<ops::Remesh>(RemeshArgs::default());
}

/// Operations on meshes as they are in files.
#[test]
fn tools_run_on_their_inputs() {
    let mut log = Silent::default();
    let (repaired, report) = run::<ops::Repair>(&mesh(1.0), &RepairOptions::default()).unwrap();
    assert_eq!(*repaired.to_host().unwrap(), ball(1.0));
    assert!(report.undone.is_empty());
    let options = SampleOptions::default().with(|o| o.points = 50);
    let (points, ()) = run::<ops::Sample>(&mesh(1.0), &options).unwrap();
    assert_eq!((points.vertex_count(), points.face_count()), (50, 0));
    let double = Factors(DVec3::splat(2.0));
    let options = TransformOptions::default().with(|o| o.scale = Some(double));
    let (large, report) = run::<ops::Transform>(&mesh(1.0), &options).unwrap();
    let large = large.to_host().unwrap();
    assert_eq!(large.bounding_box(), ball(2.0).bounding_box());
    assert_eq!(report.map.0.matrix3.x_axis, 2.0 * DVec3::X);

    let mut tool = Tool::new(AnyMesh::Surface(ball(1.0)), Vec::new());
    let report = ops::Check::run(&mut tool, &CheckOptions::default(), &mut log).unwrap();
    assert!(matches!(report.check, Checked::Surface(check) if check.edges == 1920));
    assert_eq!(tool.counted, [Some(1920), None]);

    let names = vec!["a".to_owned(), "b".to_owned()];
    let mut tool = Tool::new(vec![ball(1.0), ball(2.0)], names.clone());
    let report = ops::Merge::run(&mut tool, &(), &mut log).unwrap();
    assert_eq!(report.parts[1].path, "b");
    let Some(AnyMesh::Surface(both)) = tool.result else {
        panic!("no surface");
    };
    assert_eq!(both.face_count(), 2 * ball(1.0).face_count());

    let pair = Pair {
        mesh: ball(1.0),
        reference: ball(1.0),
    };
    let mut tool = Tool::new(pair, names);
    tool.set_engine(Engine::cpu());
    let report = ops::Distance::run(&mut tool, &DistanceArgs::default(), &mut log).unwrap();
    assert_eq!(report.reference.path, "b");
    assert!(report.distance.hausdorff < 1e-5, "{report:?}");

    let mut tool = Tool::new(PolyMesh::from(ball(1.0)), Vec::new());
    tool.set_engine(Engine::cpu());
    let args = SubdivideArgs {
        options: rxmesh::subdivision::Options {
            levels: 1,
            ..Default::default()
        },
        ..SubdivideArgs::default()
    };
    let report = ops::Subdivide::run(&mut tool, &args, &mut log).unwrap();
    assert_eq!(report.made[1], 3 * ball(1.0).face_count());
    assert!(log.warnings.is_empty(), "{:?}", log.warnings);
}

/// Frames of a surface that is tracked reach a receiver.
#[test]
fn frames_of_a_track_are_passed_on() {
    let args = TrackArgs {
        tracking: TrackOptions::default().with(|o| o.frames = 3),
        sequence: true,
    };
    let mut log = Silent::default();
    let mut on = Connectivity::open::<ops::Track>(&mesh(1.0), &args, &mut log).unwrap();
    let frames = Rc::new(RefCell::new(Vec::new()));
    let seen = frames.clone();
    on.on_frames(move |number, mesh| {
        mesh.validate()?;
        seen.borrow_mut().push(number);
        Ok(())
    });
    let report = ops::Track::run(&mut on, &args, &mut log).unwrap();
    assert_eq!((report.frames, &frames.borrow()[..]), (3, &[1, 2, 3][..]));
}

/// A scene is a value, whose mesh is in no file.
#[test]
fn bodies_move_without_files() {
    let mut log = Silent::default();
    let sheet = generate::grid(6, 6).unwrap();
    let rest = LoadedMesh::Surface(Arc::new(sheet.clone()));
    let mut body = Body::new(rest, "nowhere.obj", &Engine::cpu());
    let frames = Rc::new(RefCell::new(0));
    let seen = frames.clone();
    body.on_frames(move |_| {
        *seen.borrow_mut() += 1;
        Ok(())
    });
    let options = ClothOptions {
        time: SceneSteps {
            steps: 20,
            every: 10,
        },
    };
    let played = ops::Cloth::run(&mut body, &options, &mut log).unwrap();
    assert_eq!((played.frames, *frames.borrow()), (3, 3));
    let LoadedMesh::Surface(end) = &body.mesh else {
        panic!("no surface");
    };
    let lowest = |mesh: &TriMesh| mesh.positions.iter().fold(0.0, |low: f32, p| low.min(p.z));
    assert!(lowest(end) < lowest(&sheet) - 1e-3);

    let volume = generate::tet_ball(2).unwrap();
    let scene = ops::Soft::scene(
        &LoadedMesh::Volume(Arc::new(volume)),
        Path::new("nowhere.msh"),
        &SoftOptions::default(),
    );
    let mut on = Scene::new(&Engine::cpu(), scene.unwrap(), &mut log).unwrap();
    let options = SimulateOptions { steps: Some(5) };
    let played = ops::Simulate::run(&mut on, &options, &mut log).unwrap();
    assert_eq!(played.energies.last().unwrap().step, 5);
    let e = ops::Simulate::run(&mut on, &options, &mut log).unwrap_err();
    assert!(e.to_string().contains("5 steps are done"), "{e}");
}
