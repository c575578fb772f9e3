//! Several meshes in one session: each reaches its own target, near its input, and with the same bits everywhere.

use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::algo::boundary::Boundary;
use rxmesh_host::algo::simplify::{
    BatchReport, Cost, Deviation, End, SimplifyOptions, Target, simplify, simplify_batch,
};
use rxmesh_host::batch::Batch;
use rxmesh_host::edit::{Column, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::{Kind, Vertex};
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::distance::distance;
use rxmesh_tests::engines::{is_slow, same_rounding, suited};
use rxmesh_tests::extent::extent;
use rxmesh_tests::fixtures;

conformance! {
    each_reaches_its_target, each_stays_near_its_input, many_small_ones, same_bits_on_every_run, each_has_its_own_error,
    each_has_its_own_rules,
    wrong_labels_are_named, places_that_are_not_manifold_stay
}

/// Session with all meshes, their positions, and the mesh of each vertex.
struct Opened {
    session: Session,
    x: Column<Vertex, Vec3>,
    parts: Column<Vertex, u32>,
    batch: Batch,
}

fn open(engine: &Engine, meshes: &[TriMesh]) -> Opened {
    let (mesh, batch) = Batch::join(meshes.to_vec()).unwrap();
    let options = PatchOptions::default().with(|o| {
        o.patch_size = 64;
    });
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap();
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let labels = rx.attribute_from::<Vertex, u32>(&batch.labels()).unwrap();
    let mut session = Session::open(&rx).unwrap();
    let (x, parts) = (
        session.attach(&x).unwrap(),
        session.attach(&labels).unwrap(),
    );
    Opened {
        session,
        x,
        parts,
        batch,
    }
}

fn with_targets(options: &SimplifyOptions, targets: &[Option<Target>]) -> Vec<SimplifyOptions> {
    let with = |target: &Option<Target>| options.with(|o| o.target = *target);
    targets.iter().map(with).collect()
}

impl Opened {
    /// Simplifies with the same options, except for the targets.
    fn simplify(&mut self, targets: &[Option<Target>], options: &SimplifyOptions) -> BatchReport {
        let each: Vec<_> = with_targets(options, targets);
        self.simplify_each(&each)
    }

    fn simplify_each(&mut self, each: &[SimplifyOptions]) -> BatchReport {
        let report = simplify_batch(&mut self.session, self.x, self.parts, each);
        let report = report.unwrap();
        let wrong = self.session.validate().unwrap();
        assert!(wrong.is_empty(), "{report:?}: {wrong:?}");
        report
    }

    /// Returns the current meshes.
    fn meshes(&self) -> Vec<TriMesh> {
        let (mut mesh, slots) = self.session.to_mesh(self.x).unwrap();
        let labels = self.session.values(self.parts).unwrap().read().unwrap();
        let labels: Vec<u32> = slots.iter().map(|&v| labels[v as usize]).collect();
        // The joined mesh is in the batch's unit of length.
        mesh.placement.scale = self.batch.unit(0);
        self.batch.part(&mesh, &labels)
    }
}

fn bumpy(nu: u32, nv: u32, size: f32) -> TriMesh {
    let mut mesh = generate::torus(nu, nv, 1.0, 0.4).unwrap();
    for p in &mut mesh.positions {
        *p *= size * (1.0 + 0.08 * (5.0 * p.x).sin() * (4.0 * p.y).cos());
    }
    mesh
}

/// Returns meshes of all sizes, closed and open, with one that cannot lose a face and one without faces.
fn mixed(engine: &Engine) -> Vec<TriMesh> {
    let [nu, nv] = suited(engine, [[60, 40], [16, 10], [10, 8]]);
    let levels = suited(engine, [3, 2, 1]);
    let tetrahedron = TriMesh::new(
        vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    );
    vec![
        bumpy(nu, nv, 1.0),
        generate::icosphere(levels).unwrap(),
        tetrahedron.unwrap(),
        fixtures::with_boundary(9, 7),
        TriMesh::default(),
        bumpy(nv, nv, 1e-4),
    ]
}

fn euler(mesh: &TriMesh) -> i64 {
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for &[a, b, c] in &mesh.faces {
        edges.extend([[a, b], [b, c], [c, a]].map(|[u, v]| [u.min(v), u.max(v)]));
    }
    edges.sort_unstable();
    edges.dedup();
    mesh.vertex_count() as i64 - edges.len() as i64 + mesh.face_count() as i64
}

fn each_reaches_its_target(engine: &Engine) {
    let meshes = mixed(engine);
    let targets = [
        Target::Ratio(0.3),
        Target::Faces(20),
        Target::Ratio(0.1),
        Target::Ratio(0.5),
        Target::Faces(7),
        Target::Ratio(1.0),
    ];
    let mut opened = open(engine, &meshes);
    let report = opened.simplify(&targets.map(Some), &SimplifyOptions::new(Target::Faces(1)));
    let after = opened.meshes();
    assert_eq!(report.meshes.len(), meshes.len());
    for (i, (before, after)) in meshes.iter().zip(&after).enumerate() {
        let r = &report.meshes[i];
        let what = format!("mesh {i}: {r:?}");
        assert_eq!(r.faces_before as usize, before.face_count(), "{what}");
        assert_eq!(r.faces as usize, after.face_count(), "{what}");
        assert_eq!(euler(after), euler(before), "{what}");
        match i {
            // Each collapse removes two faces of a closed surface.
            0 | 1 => assert_eq!((r.faces, r.end), (r.target / 2 * 2, End::Reached), "{what}"),
            // A tetrahedron stays.
            2 => {
                assert_eq!((r.faces, r.end), (4, End::Stuck), "{what}");
                assert!(r.refused.link > 0, "{what}");
            }
            3 => {
                assert_eq!(r.end, End::Reached, "{what}");
                assert!(r.target - r.faces <= 1, "{what}");
            }
            _ => {
                assert_eq!((r.faces, r.end), (r.faces_before, End::Reached), "{what}");
                // In another order.
                let sorted = |m: &TriMesh| {
                    let mut x: Vec<[u32; 3]> = m
                        .positions
                        .iter()
                        .map(|p| p.to_array().map(f32::to_bits))
                        .collect();
                    x.sort_unstable();
                    x
                };
                assert!(sorted(after) == sorted(before), "{what}");
            }
        }
    }
    let total = report.total();
    assert_eq!(
        total.faces,
        report.meshes.iter().map(|m| m.faces).sum::<u32>()
    );
    assert_eq!(total.faces, opened.session.count(Kind::Face).unwrap());
    assert_eq!(total.end, End::Stuck);
    let gone = u64::from(total.faces_before - total.faces);
    assert!((gone.div_ceil(2)..=gone).contains(&report.run.done));
}

/// Each mesh is simplified by its own costs: a coarse one beside a fine one, a small one beside a large one, stay as
/// near their inputs as alone.
fn each_stays_near_its_input(engine: &Engine) {
    if is_slow(engine) {
        return;
    }
    let meshes = [bumpy(60, 40, 1.0), bumpy(24, 16, 30.0), bumpy(90, 60, 0.01)];
    let options = SimplifyOptions::new(Target::Ratio(0.2));
    let mut opened = open(engine, &meshes);
    let report = opened.simplify(&[options.target; 3], &options);
    for ((mesh, together), r) in meshes.iter().zip(opened.meshes()).zip(&report.meshes) {
        let mut alone = open(engine, std::slice::from_ref(mesh));
        let one = simplify(&mut alone.session, alone.x, &options).unwrap();
        assert_eq!((one.faces, one.end), (r.faces, r.end));
        let [a, b] = [&together, &alone.meshes()[0]].map(|m| distance(mesh, m, 20_000).rms);
        assert!(a < 1.1 * b, "{a} together, {b} alone");
        assert!(b < 2.0 / f64::from(r.faces), "{b}");
    }
}

/// More meshes than a block has threads, almost empty, each with its own target.
fn many_small_ones(engine: &Engine) {
    let n = suited(engine, [extent(1100, 1500), 40, 12]);
    let one = generate::icosphere(1).unwrap();
    let meshes = vec![one; n];
    let targets: Vec<Option<Target>> = (0..n as u32)
        .map(|i| Some(Target::Faces(8 + 2 * (i % 37))))
        .collect();
    let mut opened = open(engine, &meshes);
    let report = opened.simplify(&targets, &SimplifyOptions::new(Target::Faces(1)));
    for (i, (r, mesh)) in report.meshes.iter().zip(opened.meshes()).enumerate() {
        let want = (8 + 2 * (i as u32 % 37)).min(80);
        assert_eq!(
            (r.target.min(80), r.faces, r.end),
            (want, want, End::Reached),
            "{i}"
        );
        assert_eq!((mesh.face_count() as u32, euler(&mesh)), (want, 2), "{i}");
    }
}

fn same_bits_on_every_run(engine: &Engine) {
    let meshes = mixed(engine);
    let result = |engine: &Engine, cost: Cost| {
        let options = SimplifyOptions::new(Target::Faces(1)).with(|o| {
            o.cost = cost;
        });
        let targets: Vec<_> = [0.3, 0.6, 0.2, 0.4, 1.0, 0.1]
            .map(|r| Some(Target::Ratio(r)))
            .into();
        let mut opened = open(engine, &meshes);
        let report = opened.simplify(&targets, &options);
        let x = opened.session.values(opened.x).unwrap().read().unwrap();
        (report, opened.session.to_host().unwrap(), x)
    };
    for cost in [Cost::Quadric, Cost::Length] {
        // The barriers are the same with both costs.
        if is_slow(engine) && cost == Cost::Length {
            continue;
        }
        let want = result(&same_rounding(engine), cost);
        let got = result(engine, cost);
        assert_eq!(got.0, want.0);
        assert!(got.1 == want.1 && got.2 == want.2, "the meshes differ");
        if engine.name() == "cpu" {
            let got = result(&Engine::cpu_with_threads(7).unwrap(), cost);
            assert!(got == want, "seven threads");
        }
    }
}

/// A share of the diagonal is relative to each mesh; a target that is reached first ends it too.
fn each_has_its_own_error(engine: &Engine) {
    let [nu, nv] = suited(engine, [[60, 40], [20, 12], [20, 12]]);
    let meshes = [bumpy(nu, nv, 1.0), bumpy(nu, nv, 50.0), bumpy(nu, nv, 1.0)];
    let error = 0.004;
    let options = SimplifyOptions::within(Deviation::Part(error));
    let mut opened = open(engine, &meshes);
    let half = Target::Faces(meshes[2].face_count() as u32 - 8);
    let report = opened.simplify(&[None, None, Some(half)], &options);
    let [a, b, c] = &report.meshes[..] else {
        panic!("{report:?}")
    };
    let diagonal = |mesh: &TriMesh| {
        let low = mesh
            .positions
            .iter()
            .copied()
            .fold(Vec3::INFINITY, Vec3::min);
        let high = mesh
            .positions
            .iter()
            .copied()
            .fold(-Vec3::INFINITY, Vec3::max);
        f64::from((high - low).length())
    };
    for (r, mesh) in [a, b].into_iter().zip(&meshes) {
        assert_eq!((r.end, r.target), (End::Deviation, 0), "{report:?}");
        assert!(r.refused.deviation > 0, "{report:?}");
        assert!(r.faces < r.faces_before, "{report:?}");
        let unit = diagonal(mesh) / opened.batch.unit(0);
        let deviation = r.deviation.unwrap();
        assert!(deviation <= 1.001 * error * unit, "{report:?}");
        assert!(deviation > 0.5 * error * unit, "{report:?}");
    }
    // The same shape at another size: rounding may decide between edges, but not by much.
    assert!(a.faces.abs_diff(b.faces) <= a.faces / 20 + 2, "{report:?}");
    assert_eq!((c.end, c.faces), (End::Reached, c.target), "{report:?}");
}

/// The treatment of the boundary, and the share of the mesh that a round considers, are those of each mesh.
fn each_has_its_own_rules(engine: &Engine) {
    let [nx, ny] = suited(engine, [[24, 20], [10, 8], [7, 6]]);
    let meshes = vec![fixtures::with_boundary(nx, ny); 4];
    let base = SimplifyOptions::new(Target::Ratio(0.3));
    let each = [
        base.with(|o| o.boundary = Boundary::Keep),
        base.with(|o| o.boundary = Boundary::Free),
        base.with(|o| o.boundary_weight = 1e4),
        base.with(|o| o.quantile = 1.0),
    ];
    let mut opened = open(engine, &meshes);
    let report = opened.simplify_each(&each);
    let after = opened.meshes();
    let border = |mesh: &TriMesh| {
        let mut sides = std::collections::HashMap::new();
        for &[a, b, c] in &mesh.faces {
            for [u, v] in [[a, b], [b, c], [c, a]] {
                *sides.entry([u.min(v), u.max(v)]).or_insert(0) += 1;
            }
        }
        let ends = sides
            .into_iter()
            .filter(|&(_, n)| n == 1)
            .flat_map(|(e, _)| e);
        let mut at: Vec<[u32; 3]> = ends
            .map(|v| mesh.positions[v as usize].to_array().map(f32::to_bits))
            .collect();
        at.sort_unstable();
        at.dedup();
        at
    };
    let whole = border(&meshes[0]);
    assert!(border(&after[0]) == whole, "kept: {report:?}");
    for (mesh, r) in after.iter().zip(&report.meshes).skip(1) {
        assert!(border(mesh).len() < whole.len(), "{report:?}");
        assert!(r.faces <= r.target, "{report:?}");
    }
    // A free boundary shrinks; one that is held hard stays longer than one that is held.
    let area = |mesh: &TriMesh| {
        let x = |v: u32| mesh.positions[v as usize];
        let faces = mesh.faces.iter();
        let area = faces.map(|&[a, b, c]| (x(b) - x(a)).cross(x(c) - x(a)).length());
        f64::from(area.sum::<f32>())
    };
    let [kept, free, hard, _] = [0, 1, 2, 3].map(|i| area(&after[i]));
    if !is_slow(engine) {
        assert!(free < 0.995 * kept && hard > free, "{free} {hard} {kept}");
    }
    // Each is the same as alone, as far as its own options determine: the others' do not matter.
    let again = [each[3], each[0], each[2], each[1]];
    let mut opened = open(engine, &meshes);
    let report = opened.simplify_each(&again);
    let other = opened.meshes();
    assert!(border(&other[1]) == whole, "kept: {report:?}");
    assert!(border(&other[3]).len() < whole.len(), "{report:?}");
}

fn wrong_labels_are_named(engine: &Engine) {
    let meshes = [fixtures::closed(1), fixtures::closed(1)];
    let options = SimplifyOptions::new(Target::Ratio(0.5));
    let mut opened = open(engine, &meshes);
    let before = opened.session.to_host().unwrap();
    let mut refused = |parts: Option<&[u32]>, each: &[SimplifyOptions], word: &str| {
        if let Some(parts) = parts {
            opened.session.set(opened.parts, parts).unwrap();
        }
        let x = opened.x;
        let e = simplify_batch(&mut opened.session, x, opened.parts, each);
        let e = e.unwrap_err();
        assert!(
            matches!(e, Error::Options(_)) && e.to_string().contains(word),
            "{e}"
        );
        assert!(opened.session.to_host().unwrap() == before);
    };
    let two = [options; 2];
    let second = |change: fn(&mut SimplifyOptions)| [options, options.with(change)];
    refused(None, &two[..1], "there are 1");
    refused(None, &[], "there are 0");
    refused(
        None,
        &second(|o| o.target = Some(Target::Ratio(2.0))),
        "mesh 1: the ratio",
    );
    refused(None, &second(|o| o.target = None), "how far");
    refused(
        None,
        &second(|o| o.cost = Cost::Length),
        "mesh 1: all meshes share",
    );
    refused(None, &second(|o| o.seed = 1), "all meshes share");
    let slots = before.ve.len();
    let labels: Vec<u32> = (0..slots as u32).map(|v| v % 2).collect();
    refused(Some(&labels), &two, "different meshes");
}

/// One of the meshes touches itself at a vertex: parts that are cut there temporarily carry the mesh's label.
fn places_that_are_not_manifold_stay(engine: &Engine) {
    let levels = suited(engine, [2, 1, 1]);
    let mut pinched = generate::icosphere(levels).unwrap();
    let other = generate::icosphere(levels).unwrap();
    // A second sphere that shares a vertex with the first.
    let n = pinched.vertex_count() as u32;
    let shift = pinched.positions[0] * 2.0;
    pinched
        .positions
        .extend(other.positions[1..].iter().map(|&p| shift - p));
    let faces = other.faces.iter();
    let faces = faces.map(|f| f.map(|v| if v == 0 { 0 } else { n + v - 1 }));
    pinched.faces.extend(faces.map(|[a, b, c]| [a, c, b]));
    let pinched = TriMesh::new(pinched.positions, pinched.faces).unwrap();
    let meshes = [fixtures::closed(1), pinched, fixtures::closed(1)];
    let options = SimplifyOptions::new(Target::Ratio(0.4));
    let mut opened = open(engine, &meshes);
    assert!(opened.session.frozen_faces() > 0);
    let report = opened.simplify(&[options.target; 3], &options);
    let after = opened.meshes();
    for (i, (r, mesh)) in report.meshes.iter().zip(&after).enumerate() {
        assert_eq!(r.faces as usize, mesh.face_count(), "{i}: {report:?}");
        assert_eq!(euler(mesh), euler(&meshes[i]), "{i}: {report:?}");
        assert_eq!(r.faces, r.target / 2 * 2, "{i}: {report:?}");
    }
}
