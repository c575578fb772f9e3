//! Surface tracking: a hundred frames without a loss, with both ways to resolve conflicts; divergence-free curl noise,
//! null spaces.

use glam::{DVec3, Vec3};
use rxmesh_host::Error;
use rxmesh_host::algo::track::{TrackOptions, TrackReport, track};
use rxmesh_host::edit::{Claims, HostArrays, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::algo::curl_noise::CurlNoise;
use rxmesh_host::kernels::algo::track::Symmetric;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{TriMesh, generate, quality};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::engines::TestScheduler;
use rxmesh_tests::engines::{is_slow, is_very_slow, same_rounding};
use rxmesh_tests::extent::extent;
use rxmesh_tests::fixtures;
use rxmesh_tests::{conformance, conformance_of_schedulers};

conformance_of_schedulers! { tracks_a_hundred_frames, interpolates_columns, refuses_bad_input }
conformance! { same_bits_on_every_run }

fn volume(m: &TriMesh) -> f64 {
    let x = |v: u32| m.positions[v as usize].as_dvec3();
    m.faces
        .iter()
        .map(|&[a, b, c]| x(a).dot(x(b).cross(x(c))) / 6.0)
        .sum()
}

struct Tracked {
    report: TrackReport,
    mesh: TriMesh,
    arrays: HostArrays,
    x: Vec<Vec3>,
}

/// Tracks, and checks every frame: it is valid, and Euler's number stays.
fn tracked<C: TestScheduler>(
    engine: &Engine,
    mesh: &TriMesh,
    options: &TrackOptions,
    what: &str,
) -> Tracked {
    let patches = PatchOptions::default().with(|o| {
        o.patch_size = 128;
    });
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &patches).unwrap();
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::<C>::open_with(&rx).unwrap();
    let x = session.attach(&x).unwrap();
    let euler = session.euler_number().unwrap();
    let mut seen = 0;
    let report = track(&mut session, x, options, |frame, session| {
        seen += 1;
        assert_eq!(frame, seen, "{what}");
        let wrong = session.validate()?;
        assert!(wrong.is_empty(), "{what}, frame {frame}: {wrong:?}");
        assert_eq!(session.euler_number()?, euler, "{what}, frame {frame}");
        Ok::<_, Error>(())
    })
    .unwrap();
    assert_eq!((seen, report.frames), (options.frames, options.frames));
    let (mesh, _) = session.to_mesh(x).unwrap();
    Tracked {
        report,
        mesh,
        arrays: session.to_host().unwrap(),
        x: session.values(x).unwrap().read().unwrap(),
    }
}

fn options(frames: u32) -> TrackOptions {
    TrackOptions::default().with(|o| {
        o.frames = frames;
        o.noise_scale = 1.0 / 1.3;
        o.seed = 7;
    })
}

/// Share of a ball's volume that a frame may lose, over the squared target length.
///
/// The field preserves volumes; losses are due to smoothing, which moves vertices in their tangent planes. A surface of
/// curvature `k` falls `k s^2 / 2` below a tangent plane at distance `s`. Edges between 0.5 and 1.5 targets have a
/// standard deviation of 0.29 targets, the mean of six 0.12: a step has `s^2 = 0.014` squared targets. The volume of a
/// ball is a third of its area, so the lost share is three times that offset, and the field may bend the surface twice
/// as much as the ball is bent: `3 * 2 * 0.014 / 2`. Contractions take a tenth of that: some per frame, around one
/// vertex each.
const LOST_A_FRAME: f64 = 0.042;

fn tracks_a_hundred_frames<C: TestScheduler>(engine: &Engine) {
    let (levels, n, frames) = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => (1, 5, 5),
        (_, true) => (2, 8, 30),
        _ => (3, 16, extent(40, 100)),
    };
    let sphere = generate::icosphere(levels).unwrap();
    let after = tracked::<C>(engine, &sphere, &options(frames), "sphere");
    let (before, now) = (volume(&sphere), volume(&after.mesh));
    let report = after.report;
    if !is_slow(engine) {
        assert!(
            report.split.done > u64::from(frames) && report.collapse.done > u64::from(frames / 10),
            "{report:?}"
        );
        let lost = LOST_A_FRAME * f64::from(frames) * f64::from(report.target_length).powi(2);
        assert!(
            (now / before - 1.0).abs() < lost,
            "volume {before} became {now}, {lost} may be lost"
        );
        // After splits and contractions all edges are between 0.5 and 1.5 targets. Of two equilateral faces at that
        // limit the flipped edge has 2.6, and smoothing shortens it.
        let q = quality(&after.mesh);
        let over = q.edge_length.over(f64::from(report.target_length));
        assert!(
            over.max < 2.5 && over.mean > 0.6 && over.mean < 1.4,
            "{over:?}"
        );
        assert!(q.smallest_angle.mean > 35.0, "{:?}", q.smallest_angle);
    }
    let grid = generate::grid(n, n).unwrap();
    let after = tracked::<C>(engine, &grid, &options(frames), "grid");
    assert!(after.mesh.faces.len() > n as usize);
    assert!(after.mesh.positions.iter().all(|x| x.is_finite()));
}

/// An interpolated copy of the positions remains one if nothing moves.
fn interpolates_columns<C: TestScheduler>(engine: &Engine) {
    let mesh = generate::icosphere(2).unwrap();
    let patches = PatchOptions::default();
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &patches).unwrap();
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::<C>::open_with(&rx).unwrap();
    let (x, copy) = (session.attach(&x).unwrap(), session.attach(&x).unwrap());
    session.interpolate(copy).unwrap();
    let still = options(2).with(|o| {
        o.time_step = 0.0;
        o.smoothing_steps = 0;
        o.target_length = Some(quality(&mesh).edge_length.mean as f32 * 0.5);
    });
    let report = track(&mut session, x, &still, |_, _| Ok::<_, Error>(())).unwrap();
    assert!(report.split.done > 100, "{report:?}");
    let (positions, _) = session.to_mesh(x).unwrap();
    let (copies, _) = session.to_mesh(copy).unwrap();
    for (p, q) in positions.positions.iter().zip(&copies.positions) {
        assert!(p.distance(*q) <= 1e-6, "{p} but {q}");
    }
}

fn refuses_bad_input<C: TestScheduler>(engine: &Engine) {
    let bad = |mesh: &TriMesh, options: &TrackOptions, word: &str| {
        let rx = RxMesh::new(
            engine,
            mesh.vertex_count(),
            &mesh.faces,
            &PatchOptions::default(),
        )
        .unwrap();
        let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
        let mut session = Session::<C>::open_with(&rx).unwrap();
        let x = session.attach(&x).unwrap();
        let before = session.values(x).unwrap().read().unwrap();
        let error = track(&mut session, x, options, |_, _| Ok::<_, Error>(())).unwrap_err();
        assert!(
            matches!(&error, Error::Options(what) if what.contains(word)),
            "{error:?}"
        );
        assert_eq!(session.values(x).unwrap().read().unwrap(), before);
    };
    let good = options(3);
    bad(&fixtures::non_manifold_edge(3, 4), &good, "manifold");
    let torus = fixtures::torus(9, 8);
    for (options, word) in [
        (
            good.with(|o| {
                o.time_step = f32::NAN;
            }),
            "time step",
        ),
        (
            good.with(|o| {
                o.longest = 0.9;
            }),
            "twice",
        ),
        (
            good.with(|o| {
                o.widest_angle = 90.0;
            }),
            "angle",
        ),
        (
            good.with(|o| {
                o.target_length = Some(0.0);
            }),
            "target length",
        ),
        (
            good.with(|o| {
                o.noise_scale = 0.0;
            }),
            "scale of the noise",
        ),
    ] {
        bad(&torus, &options, word);
    }
}

fn same_bits_on_every_run(engine: &Engine) {
    let mesh = generate::icosphere(if is_slow(engine) { 1 } else { 2 }).unwrap();
    let frames = if is_slow(engine) { 4 } else { 20 };
    let want = tracked::<Claims>(
        &same_rounding(engine),
        &mesh,
        &options(frames),
        "another run",
    );
    let got = tracked::<Claims>(engine, &mesh, &options(frames), "engine");
    assert_eq!(got.report, want.report);
    assert!(got.arrays == want.arrays, "the arrays differ");
    assert!(got.x == want.x, "the positions differ");
}

/// The field is a curl: by central differences its divergence is zero, and it is not constant.
#[test]
fn curl_noise_has_no_sources() {
    let field = CurlNoise {
        frequency: 0.8,
        speed: 1.0,
        seed: 3,
    };
    let velocity = |p: DVec3| field.velocity(p.as_vec3()).as_dvec3();
    let h = 1e-2;
    let (mut most, mut least, mut fastest, mut slope) = (0f64, f64::INFINITY, 0f64, 0f64);
    for i in 0..200 {
        let t = f64::from(i);
        let p = DVec3::new((t * 0.37).sin(), (t * 0.71).cos(), (t * 0.53).sin()) * 5.0;
        let d = |axis: DVec3| (velocity(p + axis * h) - velocity(p - axis * h)) / (2.0 * h);
        let (x, y, z) = (d(DVec3::X), d(DVec3::Y), d(DVec3::Z));
        most = most.max((x.x + y.y + z.z).abs());
        slope = slope.max(x.length());
        let v = velocity(p).length();
        (least, fastest) = (least.min(v), fastest.max(v));
    }
    assert!(slope > 0.5, "{slope}");
    assert!(
        most < 0.02 * slope,
        "divergence {most}, slopes up to {slope}"
    );
    assert!(
        fastest > 0.3 && fastest < 4.0 && least < fastest / 3.0,
        "{least} to {fastest}"
    );
}

/// Far away, where coordinates have no position within a cell, the field is still finite.
#[test]
fn curl_noise_is_finite_everywhere() {
    let field = CurlNoise {
        frequency: 1.0,
        speed: 1.0,
        seed: 3,
    };
    for far in [1e6f32, 8_388_608.0, 2_147_483_648.0, 3e9, 1e20, f32::MAX] {
        for p in [
            Vec3::splat(far),
            Vec3::splat(-far),
            Vec3::new(far, 0.5, -far),
        ] {
            let v = field.velocity(p);
            assert!(v.is_finite() && v.length() < 10.0, "{v} at {p}");
        }
    }
}

/// A step of fourth order: half the step, nearly a sixteenth of the error.
#[test]
fn steps_are_of_fourth_order() {
    let field = CurlNoise {
        frequency: 1.0,
        speed: 1.0,
        seed: 5,
    };
    let at = |n: u32| {
        let start = Vec3::new(0.3, 0.4, 0.6);
        (0..n).fold(start, |p, _| field.after(p, 0.8 / n as f32))
    };
    let exact = at(64);
    let (one, two) = (at(1).distance(exact), at(2).distance(exact));
    assert!(one > 1e-5, "{one}");
    assert!(two < one / 6.0, "{one} {two}");
}

/// Normals of one plane leave the plane, those of two the line between, those of three nothing.
#[test]
fn null_spaces() {
    let way = Vec3::new(0.3, -0.5, 0.7);
    let planes = [
        Vec3::new(0.0, 0.6, 0.8),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(0.36, 0.48, -0.8).normalize(),
    ];
    let mut tensor = Symmetric::ZERO;
    tensor.add_square(planes[0], 2.0);
    let inside = tensor.small_part(way, 0.003);
    assert!(
        inside.distance(way - planes[0] * planes[0].dot(way)) < 1e-5,
        "{inside}"
    );
    tensor.add_square(planes[1], 1.0);
    let along = tensor.small_part(way, 0.003);
    let line = planes[0].cross(planes[1]).normalize();
    assert!(along.distance(line * line.dot(way)) < 1e-5, "{along}");
    tensor.add_square(planes[2], 1.5);
    assert_eq!(tensor.small_part(way, 0.003), Vec3::ZERO);
    assert_eq!(Symmetric::ZERO.small_part(way, 0.003), Vec3::ZERO);
}
