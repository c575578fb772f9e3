//! Mean curvature flow against a direct solve in `f64`, to 1e-4 of the bounding box.

use glam::{DVec3, Vec3};
use rxmesh_host::Error;
use rxmesh_host::algo::lengths::mean_edge_length;
use rxmesh_host::algo::mcf::{McfOptions, McfReport, TIME_STEP, When, mean_curvature_flow};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, is_very_slow, suited};
use rxmesh_tests::fixtures::{self, Fixture, each_mesh};
use rxmesh_tests::oracle::Oracle;
use rxmesh_tests::smooth::{self, Flow, box_diagonal};

conformance! {
    all_fixtures, small_and_large_systems_agree, given_time_steps, all_scales, isolated_vertices_stay,
    a_flat_grid_stays_flat, without_faces, one_triangle, the_default_step_keeps_the_volume, most_iterations, tolerance,
    options_without_sense, coordinates_that_are_not_finite, the_same_bits_on_every_run, needles
}

fn flow(
    rx: &RxMesh,
    positions: &[Vec3],
    options: &McfOptions,
    what: &str,
) -> (Vec<Vec3>, McfReport) {
    let mut x = rx.attribute_from(positions).unwrap();
    let report = mean_curvature_flow(rx, &mut x, options).unwrap_or_else(|e| panic!("{what}: {e}"));
    (x.to_input(rx).unwrap(), report)
}

/// All modes of the solver: matrix-free or not, preconditioned or not, with multigrid or not.
const WAYS: [(bool, bool, When); 5] = [
    (false, true, When::Never),
    (true, true, When::Auto),
    (false, true, When::Always),
    (false, false, When::Never),
    (true, false, When::Never),
];

/// Compares with the direct solve, in all modes.
fn check(rx: &RxMesh, mesh: &TriMesh, time_step: Option<f64>, what: &str) -> McfReport {
    let ways = if is_slow(rx.engine()) { 3 } else { 5 };
    let want = Want::new(mesh, time_step);
    let reports = WAYS[..ways].iter().map(|&(matrix_free, preconditioner, multigrid)| {
        let options = McfOptions::default().with(|o| {
            o.time_step = time_step;
            o.matrix_free = matrix_free;
            o.preconditioner = preconditioner;
            o.multigrid = multigrid;
        });
        let what = format!(
            "{what}, matrix-free {matrix_free}, preconditioned {preconditioner}, multigrid {multigrid:?}"
        );
        let report = check_one(rx, mesh, &options, &want, &what);
        let has_work = mesh.face_count() > 0 && report.iterations > 0;
        assert_eq!((report.cycles > 0) && has_work, multigrid == When::Always && has_work, "{what}");
        report
    });
    let reports: Vec<McfReport> = reports.collect();
    reports[0]
}

/// Expected result of all modes.
struct Want {
    dt: f64,
    positions: Vec<DVec3>,
}

impl Want {
    fn new(mesh: &TriMesh, time_step: Option<f64>) -> Want {
        let oracle = Oracle::new(mesh.vertex_count(), &mesh.faces);
        let mean = smooth::mean_edge_length(&mesh.positions, &oracle);
        let dt = time_step.unwrap_or(TIME_STEP * mean * mean);
        let positions = Flow::new(&mesh.positions, &mesh.faces).solve(&mesh.positions, dt);
        Want { dt, positions }
    }
}

fn check_one(
    rx: &RxMesh,
    mesh: &TriMesh,
    options: &McfOptions,
    want: &Want,
    what: &str,
) -> McfReport {
    let (got, report) = flow(rx, &mesh.positions, options, what);
    let dt = want.dt;
    if mesh.face_count() > 0 {
        assert!(
            (report.time_step - dt).abs() <= 1e-5 * dt,
            "{what}: time step {}, but {dt} is expected",
            report.time_step
        );
    }
    assert!(report.converged, "{what}: {report:?}");
    assert!(report.residual <= options.tolerance, "{what}: {report:?}");
    let size = box_diagonal(&mesh.positions);
    // Far away the result is at most as accurate as the floats there.
    let far = mesh
        .positions
        .iter()
        .map(|p| p.abs().max_element())
        .fold(0.0, f32::max);
    let most = 1e-4 * size + f64::from(far * f32::EPSILON);
    for (v, (got, want)) in got.iter().zip(&want.positions).enumerate() {
        let error = got.as_dvec3().distance(*want);
        assert!(
            error <= most,
            "{what}: vertex {v} is at {got}, but {want} is expected: {error:e} of {size:e}"
        );
    }
    report
}

fn all_fixtures(engine: &Engine) {
    each_mesh(engine, |what, fixture, rx| {
        let most = if is_very_slow(engine) {
            20
        } else if is_slow(engine) {
            100
        } else {
            usize::MAX
        };
        if fixture.mesh.face_count() <= most {
            // A step that takes iterations; there is none to scale by where no edge has a length.
            let mean = smooth::mean_edge_length(&fixture.mesh.positions, fixture.oracle());
            let long = (mean > 0.0).then_some(10.0 * mean * mean);
            check(rx, &fixture.mesh, long, what);
        }
    });
}

/// One launch for all iterations, and two per iteration if the grid does not fit the GPU: the same flow.
fn small_and_large_systems_agree(engine: &Engine) {
    let f = Fixture::new("sphere", fixtures::closed(suited(engine, [3, 2, 1])));
    let rx = f.on(engine, 32);
    let mean = smooth::mean_edge_length(&f.mesh.positions, f.oracle());
    let long = Some(10.0 * mean * mean);
    let [small, large] = [None, Some(0)].map(|limit| {
        engine.set_grid_limit(limit);
        let report = check(&rx, &f.mesh, long, "sphere");
        engine.set_grid_limit(None);
        report
    });
    assert!(
        small.iterations.abs_diff(large.iterations) <= 2 && small.iterations > 8,
        "{small:?} {large:?}"
    );
}

fn given_time_steps(engine: &Engine) {
    let f = Fixture::new("grid", fixtures::with_boundary(6, 5));
    let rx = f.on(engine, 64);
    for dt in [1e-6, 1e-2, 1.0] {
        check(&rx, &f.mesh, Some(dt), &format!("time step {dt}"));
    }
}

fn moved(mesh: &TriMesh, scale: f32, by: Vec3) -> TriMesh {
    let mut m = mesh.clone();
    m.positions.iter_mut().for_each(|p| *p = *p * scale + by);
    m
}

fn all_scales(engine: &Engine) {
    let mesh = fixtures::closed(1);
    let options = PatchOptions::default().with(|o| {
        o.patch_size = 32;
    });
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap();
    for scale in [1e-15f32, 1e-9, 1e-3, 1e3, 1e9, 1e15] {
        check(
            &rx,
            &moved(&mesh, scale, Vec3::ZERO),
            None,
            &format!("scale {scale:e}"),
        );
    }
    for far in [10.0, 1e3, 1e4] {
        check(
            &rx,
            &moved(&mesh, 1.0, Vec3::new(far, -far, 0.5 * far)),
            None,
            &format!("{far} away"),
        );
    }
    check(
        &rx,
        &moved(&mesh, 1e-6, Vec3::splat(1e-3)),
        None,
        "tiny and far away for its size",
    );
}

fn isolated_vertices_stay(engine: &Engine) {
    let f = Fixture::new("isolated", fixtures::isolated_vertices());
    let (got, _) = flow(
        &f.on(engine, 16),
        &f.mesh.positions,
        &Default::default(),
        "isolated",
    );
    let valence = f.oracle().vv();
    let alone: Vec<usize> = (0..got.len()).filter(|&v| valence[v].is_empty()).collect();
    assert_eq!(alone.len(), 3);
    for v in alone {
        let (got, want) = (got[v], f.mesh.positions[v]);
        assert!(
            got.distance(want) <= 1e-6 * want.length().max(1.0),
            "vertex {v} moved from {want} to {got}"
        );
    }
    assert!(
        (0..got.len()).any(|v| got[v] != f.mesh.positions[v]),
        "the others move"
    );
}

/// The flow of a plane has no component out of it, wherever the plane is.
fn a_flat_grid_stays_flat(engine: &Engine) {
    let mut m = rxmesh_host::mesh::generate::grid(5, 5).unwrap();
    m.positions.iter_mut().for_each(|p| p.z = 0.75);
    let rx = RxMesh::new(engine, m.vertex_count(), &m.faces, &Default::default()).unwrap();
    let (got, _) = flow(&rx, &m.positions, &Default::default(), "grid");
    assert!(got.iter().all(|p| p.z == 0.75), "{got:?}");
}

fn without_faces(engine: &Engine) {
    for mesh in [fixtures::empty(), fixtures::no_faces(4)] {
        let rx = RxMesh::new(
            engine,
            mesh.vertex_count(),
            &mesh.faces,
            &Default::default(),
        )
        .unwrap();
        let (got, report) = flow(&rx, &mesh.positions, &Default::default(), "no faces");
        assert_eq!(got, mesh.positions);
        assert_eq!(
            (report.iterations, report.residual, report.converged),
            (0, 0.0, true)
        );
    }
}

fn one_triangle(engine: &Engine) {
    let m = fixtures::one_triangle();
    let rx = RxMesh::new(engine, 3, &m.faces, &Default::default()).unwrap();
    let report = check(&rx, &m, None, "one triangle");
    // Three unknowns per coordinate: exact after three steps up to rounding.
    assert!((1..=6).contains(&report.iterations), "{report:?}");
}

/// The default step loses about a percent of the volume; one of ten squared mean edges would lose half.
fn the_default_step_keeps_the_volume(engine: &Engine) {
    // On a coarser one the step is so long that it shrinks the sphere as much as it smooths.
    let mesh = crate::algo_support::bumpy_sphere(suited(engine, [4, 3, 3]));
    let options = PatchOptions::default();
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap();
    let (x, report) = flow(&rx, &mesh.positions, &McfOptions::default(), "sphere");
    let volume = |x: &[Vec3]| rxmesh_host::mesh::volume(x, &mesh.faces);
    let kept = volume(&x) / volume(&mesh.positions);
    // A sphere of radius 1 loses about 6 dt of its volume (its radius falls by 2 dt).
    println!("{kept} of the volume, {report:?}");
    assert!(
        kept > 1.0 - 8.0 * report.time_step - 0.002 && kept < 1.0,
        "{kept}"
    );
    let area = |x: &[Vec3]| -> f64 {
        let side = |f: &[u32; 3]| f.map(|v| x[v as usize].as_dvec3());
        let area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length();
        mesh.faces.iter().map(|f| area(side(f))).sum()
    };
    // It also smooths: noise has area.
    assert!(area(&x) / area(&mesh.positions) < kept - 0.002);
}

fn most_iterations(engine: &Engine) {
    let f = Fixture::new("sphere", fixtures::closed(1));
    let rx = f.on(engine, 16);
    for max_iterations in [0, 1, 7, 8, 9] {
        let options = McfOptions::default().with(|o| {
            o.time_step = Some(3.0);
            o.max_iterations = max_iterations;
            o.tolerance = 1e-12;
        });
        let (got, report) = flow(&rx, &f.mesh.positions, &options, "sphere");
        assert_eq!(
            (report.iterations, report.converged),
            (max_iterations, false),
            "{report:?}"
        );
        if max_iterations == 0 {
            let moved = got
                .iter()
                .zip(&f.mesh.positions)
                .map(|(a, b)| a.distance(*b))
                .fold(0.0, f32::max);
            assert!(moved < 1e-6, "{moved} without an iteration");
        }
    }
}

fn tolerance(engine: &Engine) {
    let f = Fixture::new("sphere", fixtures::closed(1));
    let rx = f.on(engine, 16);
    let run = |tolerance| {
        flow(
            &rx,
            &f.mesh.positions,
            &McfOptions::default().with(|o| {
                o.time_step = Some(3.0);
                o.tolerance = tolerance;
            }),
            "sphere",
        )
        .1
    };
    let (rough, fine) = (run(1e-1), run(1e-5));
    assert!(rough.converged && fine.converged);
    assert!(
        rough.residual < 1e-1 && fine.residual < 1e-5,
        "{rough:?} {fine:?}"
    );
    assert!(rough.iterations < fine.iterations, "{rough:?} {fine:?}");
    // The limit is met exactly: one iteration less is not enough.
    let options = McfOptions::default().with(|o| {
        o.time_step = Some(3.0);
        o.tolerance = 1e-5;
        o.max_iterations = fine.iterations - 1;
    });
    assert!(!flow(&rx, &f.mesh.positions, &options, "sphere").1.converged);
}

fn options_without_sense(engine: &Engine) {
    let m = fixtures::one_triangle();
    let rx = RxMesh::new(engine, 3, &m.faces, &Default::default()).unwrap();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let of = |options: McfOptions| {
            let mut x = rx.attribute_from(&m.positions).unwrap();
            let result = mean_curvature_flow(&rx, &mut x, &options);
            assert!(
                matches!(result, Err(Error::Options(_))),
                "{options:?}: {result:?}"
            );
            assert_eq!(x.to_input(&rx).unwrap(), m.positions, "untouched");
        };
        of(McfOptions::default().with(|o| {
            o.time_step = Some(bad);
        }));
        of(McfOptions::default().with(|o| {
            o.tolerance = bad;
        }));
    }
}

fn coordinates_that_are_not_finite(engine: &Engine) {
    let m = fixtures::with_boundary(3, 3);
    let rx = RxMesh::new(engine, m.vertex_count(), &m.faces, &Default::default()).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for v in 0..m.vertex_count() {
            let mut positions = m.positions.clone();
            positions[v].y = bad;
            let mut x = rx.attribute_from(&positions).unwrap();
            let result = mean_curvature_flow(&rx, &mut x, &Default::default());
            assert!(
                matches!(result, Err(Error::NotFinite { .. })),
                "{bad} at {v}: {result:?}"
            );
        }
    }
}

fn the_same_bits_on_every_run(engine: &Engine) {
    // Sums of faces around an edge or a vertex are atomic: their order, and with it the last bits, is fixed only on
    // blocks of one thread.
    if engine.name() != "cpu" && engine.name() != "shuffled" {
        return;
    }
    let f = Fixture::new("sphere", fixtures::closed(2));
    let rx = f.on(engine, 64);
    let run = || flow(&rx, &f.mesh.positions, &Default::default(), "sphere");
    assert_eq!(run(), run());
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let f = Fixture::new("sphere", fixtures::closed(3));
    let run = |n| {
        let engine = Engine::cpu_with_threads(n).unwrap();
        flow(
            &f.on(&engine, 64),
            &f.mesh.positions,
            &Default::default(),
            "sphere",
        )
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(5));
}

/// The default time step is ten times the squared mean edge length.
#[test]
fn mean_of_edge_lengths() {
    let engine = Engine::cpu();
    for f in fixtures::all() {
        let rx = f.on(&engine, 64);
        let x = rx.attribute_from(&f.mesh.positions).unwrap();
        let (got, want) = (
            mean_edge_length(&rx, &x).unwrap(),
            smooth::mean_edge_length(&f.mesh.positions, f.oracle()),
        );
        assert!(
            (got - want).abs() <= 1e-6 * want.max(1e-30),
            "{}: {got}, but {want} is expected",
            f.name
        );
    }
}

/// Test of the oracle: the flow of a regular icosahedron is a smaller one, by the factor that its one weight and area
/// give.
#[test]
fn the_oracle_knows_the_icosahedron() {
    let m = rxmesh_host::mesh::generate::icosphere(0).unwrap();
    let flow = Flow::new(&m.positions, &m.faces);
    let (area, w) = (flow.areas[0], flow.weights[&(0, 1)]);
    assert!((w - 2.0 / 3f64.sqrt()).abs() < 1e-6);
    // The neighbours of a vertex of the icosahedron sum up to sqrt(5) times the vertex.
    let dt = 0.3;
    let factor = 2.0 * area / (2.0 * area + dt * w * (5.0 - 5f64.sqrt()));
    for (p, q) in m.positions.iter().zip(flow.solve(&m.positions, dt)) {
        assert!(q.distance(p.as_dvec3() * factor) < 1e-6);
    }
    assert_eq!(DVec3::ZERO.length(), 0.0);
}

/// Makes a grid whose triangles are a thousand times as long as wide, bent and perturbed.
pub(crate) fn needle_grid(engine: &Engine) -> TriMesh {
    let [nu, nv] = suited(engine, [[60, 40], [20, 12], [8, 6]]);
    let mut mesh = fixtures::with_boundary(nu, nv);
    let mut state = 7u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    for p in &mut mesh.positions {
        let along = p.x + 0.3 * random();
        *p = Vec3::new(
            1000.0 * along,
            p.y + 0.3 * random(),
            100.0 * (0.2 * along).sin(),
        );
    }
    mesh
}

/// Without multigrid the solver does not converge; with it, it soon does, and the result is that of a direct solve.
fn needles(engine: &Engine) {
    let mesh = needle_grid(engine);
    let rx = RxMesh::new(
        engine,
        mesh.vertex_count(),
        &mesh.faces,
        &PatchOptions::default().with(|o| o.patch_size = 128),
    )
    .unwrap();
    // Residuals are small long before soft directions have converged.
    let options = McfOptions::default().with(|o| o.tolerance = 1e-8);
    let want = Want::new(&mesh, None);
    let report = check_one(
        &rx,
        &mesh,
        &options.with(|o| o.multigrid = When::Always),
        &want,
        "needles",
    );
    assert!(report.cycles > 0 && report.iterations <= 30, "{report:?}");
    if !is_slow(engine) {
        let never = options.with(|o| {
            o.multigrid = When::Never;
            o.max_iterations = 300;
        });
        let (_, plain) = flow(&rx, &mesh.positions, &never, "needles");
        assert!(!plain.converged && plain.cycles == 0, "{plain:?}");
        let auto = check_one(&rx, &mesh, &options, &want, "needles, switched");
        assert!(auto.cycles > 0 && auto.iterations < 300, "{auto:?}");
    }
    let senseless = options.with(|o| {
        o.matrix_free = true;
        o.multigrid = When::Always;
    });
    let mut x = rx.attribute_from(&mesh.positions).unwrap();
    let refused = mean_curvature_flow(&rx, &mut x, &senseless);
    assert!(matches!(refused, Err(Error::Options(_))), "{refused:?}");
}
