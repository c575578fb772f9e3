//! Delaunay flips on every engine, by an independent criterion: the angles opposite each edge, in `f64` on the host;
//! with both ways to resolve conflicts.

use glam::{DVec3, Vec3};
use rxmesh_host::algo::delaunay::{DelaunayOptions, DelaunayReport, delaunay};
use rxmesh_host::edit::Claims;
use rxmesh_host::edit::{HostArrays, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::engines::TestScheduler;
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::fixtures;
use rxmesh_tests::places::{self, Place, place};
use rxmesh_tests::{conformance, conformance_of_schedulers};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};
use tracing::level_filters::LevelFilter;
use tracing::{Dispatch, Subscriber};

conformance_of_schedulers! { angles_sum_to_pi, flips_that_are_refused_leave_their_edge, other_edges_stay }
conformance! { same_bits_as_the_cpu_engine, the_size_does_not_matter, rounds_of_few_seeds_share_a_launch }

/// Result of flipping a mesh.
struct Flipped {
    report: DelaunayReport,
    /// Input in the session's order at the beginning.
    before: TriMesh,
    mesh: TriMesh,
    arrays: HostArrays,
}

fn flip<C: TestScheduler>(engine: &Engine, mesh: &TriMesh) -> Flipped {
    let options = PatchOptions::default().with(|o| {
        o.patch_size = 64;
    });
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap();
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::<C>::open_with(&rx).unwrap();
    let x = session.attach(&x).unwrap();
    let before = session.to_mesh(x).unwrap().0;
    let report = delaunay(&mut session, x, &DelaunayOptions::default()).unwrap();
    let wrong = session.validate().unwrap();
    assert!(wrong.is_empty(), "{wrong:?}");
    let arrays = session.to_host().unwrap();
    let mesh = session.to_mesh(x).unwrap().0;
    Flipped {
        report,
        before,
        mesh,
        arrays,
    }
}

/// Returns the sum of the opposite angles for each edge of two faces.
fn sums(mesh: &TriMesh) -> BTreeMap<[u32; 2], (f64, Vec<u32>)> {
    let mut edges: BTreeMap<[u32; 2], (f64, Vec<u32>)> = BTreeMap::new();
    let x = |v: u32| mesh.positions[v as usize].as_dvec3();
    for f in &mesh.faces {
        for k in 0..3 {
            let (a, b, o) = (f[k], f[(k + 1) % 3], f[(k + 2) % 3]);
            let (u, v): (DVec3, DVec3) = (x(a) - x(o), x(b) - x(o));
            let angle = u.cross(v).length().atan2(u.dot(v));
            let edge = edges.entry([a.min(b), a.max(b)]).or_default();
            edge.0 += angle;
            edge.1.push(o);
        }
    }
    edges
}

const PI: f64 = std::f64::consts::PI;

fn violations(mesh: &TriMesh, tolerance: f64) -> Vec<([u32; 2], Vec<u32>)> {
    sums(mesh)
        .into_iter()
        .filter(|(_, (sum, opposite))| opposite.len() == 2 && *sum > PI + tolerance)
        .map(|(e, (_, opposite))| (e, opposite))
        .collect()
}

fn noisy(engine: &Engine) -> TriMesh {
    let levels = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => 2,
        (false, true) => 3,
        _ => 5,
    };
    let mut mesh = generate::icosphere(levels).unwrap();
    generate::noise(&mut mesh, 0.35, 3).unwrap();
    mesh
}

fn angles_sum_to_pi<C: TestScheduler>(engine: &Engine) {
    let mut square = generate::grid(12, 9).unwrap();
    generate::noise(&mut square, 0.2, 4).unwrap();
    square.positions.iter_mut().for_each(|p| p.z = 0.0);
    for mesh in [noisy(engine), square] {
        let before = violations(&mesh, 1e-4);
        assert!(before.len() > mesh.face_count() / 60, "{}", before.len());
        let after = flip::<C>(engine, &mesh);
        assert!(after.report.run.finished && after.report.run.done > 0);
        assert_eq!(after.report.frozen, 0);
        let left = violations(&after.mesh, 1e-4);
        assert!(
            left.len() <= after.report.left as usize,
            "{left:?} {:?}",
            after.report
        );
        // Noise may leave folds that no flip repairs.
        assert!(
            after.report.left as usize <= before.len() / 20,
            "{:?}",
            after.report
        );
        let at = places::vertices;
        assert_eq!(at(&after.mesh), at(&after.before), "no vertex moves");
        // The second time there is nothing to do.
        let again = flip::<C>(engine, &after.mesh);
        assert_eq!(again.report.run.done, 0, "{:?}", again.report);
    }
}

/// A tetrahedron with a flat face: its long edge violates the criterion, but the flipped edge already exists.
fn flips_that_are_refused_leave_their_edge<C: TestScheduler>(engine: &Engine) {
    let mut mesh = fixtures::tetrahedron();
    let places = [
        [-3.0, 0.0, 0.0],
        [3.0, 0.0, 0.0],
        [0.0, 0.4, 0.0],
        [0.0, 0.0, 0.4],
    ];
    mesh.positions = places.map(Vec3::from).to_vec();
    let before = violations(&mesh, 1e-4);
    assert!(!before.is_empty());
    let after = flip::<C>(engine, &mesh);
    assert_eq!(after.report.run.done, 0, "{:?}", after.report);
    assert_eq!(
        after.report.left as usize,
        before.len(),
        "{:?}",
        after.report
    );
    assert!(after.report.run.finished);
}

/// Returns the ends of the edges that do not have two faces, with their number of faces, sorted.
fn other_edges(mesh: &TriMesh) -> Vec<([Place; 2], usize)> {
    let mut all: Vec<_> = sums(mesh)
        .into_iter()
        .filter(|(_, (_, opposite))| opposite.len() != 2)
        .map(|(e, (_, opposite))| {
            let mut ends = e.map(|v| place(mesh.positions[v as usize]));
            ends.sort_unstable();
            (ends, opposite.len())
        })
        .collect();
    all.sort_unstable();
    all
}

/// Edges of the boundary and of several faces are never flipped, on any mesh.
fn other_edges_stay<C: TestScheduler>(engine: &Engine) {
    for fixture in fixtures::suited(engine) {
        let after = flip::<C>(engine, &fixture.mesh);
        let name = &fixture.name;
        assert_eq!(
            other_edges(&after.mesh),
            other_edges(&after.before),
            "{name}"
        );
        assert_eq!(after.mesh.face_count(), after.before.face_count(), "{name}");
        assert!(after.report.run.finished, "{name}");
    }
}

fn same_bits_as_the_cpu_engine(engine: &Engine) {
    let mesh = noisy(engine);
    let want = flip::<Claims>(&Engine::cpu_with_threads(1).unwrap(), &mesh);
    let got = flip::<Claims>(engine, &mesh);
    assert_eq!(got.report, want.report);
    assert!(got.arrays == want.arrays, "the arrays differ");
    if engine.name() == "cpu" {
        let got = flip::<Claims>(&Engine::cpu_with_threads(7).unwrap(), &mesh);
        assert!(got.arrays == want.arrays, "seven threads");
    }
}

/// Powers of two change no digit; products of four lengths would underflow at 2^-40, and nothing would be flipped.
fn the_size_does_not_matter(engine: &Engine) {
    let mesh = fixtures::with_boundary(9, 7);
    let want = flip::<Claims>(engine, &mesh);
    assert!(want.report.run.done > 0, "{:?}", want.report);
    for power in [-60, 60] {
        let mut scaled = mesh.clone();
        let by = 2f32.powi(power);
        scaled.positions.iter_mut().for_each(|p| *p *= by);
        let got = flip::<Claims>(engine, &scaled);
        assert_eq!(got.report, want.report, "2^{power}");
        assert!(got.arrays == want.arrays, "2^{power}");
    }
}

/// Captured trace of some work.
#[derive(Clone, Default)]
struct Trace(Arc<Mutex<Vec<u8>>>);

impl Write for Trace {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Trace {
    /// Returns a subscriber that writes here.
    ///
    /// As long as a process has only one, an event that another test's thread meets first is switched off for all
    /// (`tracing` asks that thread's subscriber alone). So a second one exists from now on.
    fn subscriber(&self) -> impl Subscriber + use<> {
        static SECOND: OnceLock<Dispatch> = OnceLock::new();
        SECOND.get_or_init(|| Dispatch::new(Trace::default().unwatched()));
        self.unwatched()
    }

    fn unwatched(&self) -> impl Subscriber + use<> {
        let writer = self.clone();
        tracing_subscriber::fmt()
            .with_max_level(LevelFilter::TRACE)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish()
    }

    /// Counts the launches of a kernel in the trace.
    fn launches(&self, kernel: &str) -> usize {
        let said = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        said.matches(&format!("{kernel}: ")).count()
    }
}

/// On engines that launch rounds of few seeds together (decision 133) fewer launches do the same, to the bit; where a
/// grid does not fit each round has its own. A first round of more seeds is a separate launch.
fn rounds_of_few_seeds_share_a_launch(engine: &Engine) {
    for (squares, first) in [(16, 0), (24, 1)] {
        rounds_share_a_launch(engine, squares, first);
    }
}

/// Compares rounds that share a launch with rounds in separate launches, after `first` separate rounds.
fn rounds_share_a_launch(engine: &Engine, squares: u32, first: usize) {
    let mut mesh = generate::grid(squares, squares).unwrap();
    generate::noise(&mut mesh, 0.45, 3).unwrap();
    mesh.positions.iter_mut().for_each(|p| p.z = 0.0);
    let [together, apart] = [None, Some(0)].map(|limit| {
        let trace = Trace::default();
        let subscriber = Dispatch::new(trace.subscriber());
        engine.set_grid_limit(limit);
        let flipped =
            tracing::dispatcher::with_default(&subscriber, || flip::<Claims>(engine, &mesh));
        engine.set_grid_limit(None);
        (flipped, trace)
    });
    let rounds = together.0.report.run.rounds as usize;
    assert!(rounds > 2, "{:?}", together.0.report);
    let shared = together.1.launches("rx_delaunay_rounds");
    let claims = [&together, &apart].map(|(_, trace)| trace.launches("rx_delaunay_claim"));
    if engine.name() == "cpu" {
        assert_eq!((shared, claims), (0, [rounds; 2]));
    } else {
        assert!(shared > 0 && shared < rounds, "{shared} of {rounds}");
        // A GPU holds more seeds in one launch.
        let first = if engine.name() == "cuda" { 0 } else { first };
        assert_eq!(claims[0], first);
        assert!(claims[1] >= rounds, "{claims:?}, {rounds}");
    }
    assert_eq!(apart.1.launches("rx_delaunay_rounds"), 0);
    assert_eq!(together.0.mesh.faces, apart.0.mesh.faces);
    assert_eq!(together.0.report, apart.0.report);
}
