//! Edit sessions and the cavity operator: random scripts of flips, splits, collapses, face splits and vertex removals,
//! round by round against plain code, and bit for bit against the CPU engine.

use glam::Vec3;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rxmesh_host::Error;
use rxmesh_host::edit::{Column, HostArrays, RoundReport, RunReport, Seeds, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::attr::Value;
use rxmesh_host::kernels::math::hash;
use rxmesh_host::kernels::topo::{Edge, Element, Face, Kind, Vertex};
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::repack::{Renumbering, RepackOptions};
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_test_kernels::marked::{
    CollapseMarked, FlipMarked, RemoveMarked, SplitFaceMarked, SplitMarked,
};
use rxmesh_tests::conformance;
use rxmesh_tests::edits::{Edit, Expected, Plain};
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::extent::extent;
use rxmesh_tests::fixtures;
use rxmesh_tests::launch::{Round, RunOperators};
use std::collections::BTreeSet;

conformance! {
    opens_every_fixture, random_scripts, a_split_of_triangles_back_to_back, same_bits_as_the_cpu_engine,
    closes_with_attributes, rounds_go_on_where_a_launch_ends
}

/// Session with columns for marks of each kind.
struct Script {
    session: Session,
    x: Column<Vertex, Vec3>,
    marks: (Column<Vertex, u32>, Column<Edge, u32>, Column<Face, u32>),
}

impl Script {
    fn open(engine: &Engine, mesh: &TriMesh) -> Script {
        let options = PatchOptions::default().with(|o| {
            o.patch_size = 64;
        });
        let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap();
        let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
        let mut session = Session::open(&rx).unwrap();
        let x = session.attach(&x).unwrap();
        let marks = (
            session.column().unwrap(),
            session.column().unwrap(),
            session.column().unwrap(),
        );
        Script { session, x, marks }
    }

    fn kind(edit: Edit) -> Kind {
        match edit {
            Edit::Flip | Edit::Split | Edit::Collapse => Kind::Edge,
            Edit::SplitFace => Kind::Face,
            Edit::Remove => Kind::Vertex,
        }
    }

    /// Marks about one in `rarity` slots, all differently.
    fn mark(&mut self, edit: Edit, seed: u32, rarity: u32) {
        let n = self.session.capacity(Self::kind(edit));
        // Below 2^11 each mark is a distinct priority.
        assert!(n < 2048, "marks would tie");
        let mut order: Vec<u32> = (1..=n).collect();
        order.sort_by_key(|&i| hash(i ^ seed));
        let marks: Vec<u32> = order
            .into_iter()
            .enumerate()
            .map(|(i, m)| {
                if hash(seed ^ i as u32 ^ 0xabcd).is_multiple_of(rarity) {
                    m
                } else {
                    0
                }
            })
            .collect();
        self.write_marks(edit, &marks);
    }

    fn write_marks(&mut self, edit: Edit, marks: &[u32]) {
        fn put<K: Element>(s: &mut Session, c: Column<K, u32>, marks: &[u32]) {
            s.set(c, marks).unwrap();
        }
        match Self::kind(edit) {
            Kind::Vertex => put(&mut self.session, self.marks.0, marks),
            Kind::Edge => put(&mut self.session, self.marks.1, marks),
            Kind::Face | Kind::Cell => put(&mut self.session, self.marks.2, marks),
        }
    }

    fn read_marks(&self, edit: Edit) -> Vec<u32> {
        match Self::kind(edit) {
            Kind::Vertex => self.session.values(self.marks.0).unwrap().read().unwrap(),
            Kind::Edge => self.session.values(self.marks.1).unwrap().read().unwrap(),
            Kind::Face | Kind::Cell => self.session.values(self.marks.2).unwrap().read().unwrap(),
        }
    }

    /// Flips or collapses marked edges, for at most `rounds` rounds.
    fn rounds(&mut self, edit: Edit, seeds: Seeds, rounds: u32) -> RunReport {
        let (x, (_, e, _)) = (self.x, self.marks);
        let s = &mut self.session;
        match edit {
            Edit::Flip => s.run_from(seeds, rounds, |s| Ok(FlipMarked { marks: s.write(e)? })),
            Edit::Collapse => s.run_from(seeds, rounds, |s| {
                Ok(CollapseMarked {
                    marks: s.write(e)?,
                    x: s.write(x)?,
                })
            }),
            _ => unreachable!("{edit:?}"),
        }
        .unwrap()
    }

    fn round(&mut self, edit: Edit, seeds: Seeds) -> RoundReport {
        let (x, (v, e, f)) = (self.x, self.marks);
        let s = &mut self.session;
        match edit {
            Edit::Flip => s.round(seeds, |s| Ok(FlipMarked { marks: s.write(e)? })),
            Edit::Split => s.round(seeds, |s| {
                Ok(SplitMarked {
                    marks: s.write(e)?,
                    x: s.write(x)?,
                })
            }),
            Edit::Collapse => s.round(seeds, |s| {
                Ok(CollapseMarked {
                    marks: s.write(e)?,
                    x: s.write(x)?,
                })
            }),
            Edit::SplitFace => s.round(seeds, |s| {
                Ok(SplitFaceMarked {
                    marks: s.write(f)?,
                    x: s.write(x)?,
                })
            }),
            Edit::Remove => s.round(seeds, |s| Ok(RemoveMarked { marks: s.write(v)? })),
        }
        .unwrap()
    }

    fn arrays(&self) -> HostArrays {
        self.session.to_host().unwrap()
    }

    fn check(&self, what: &str) {
        let wrong = self.session.validate().unwrap();
        assert!(wrong.is_empty(), "{what}: {wrong:?}");
    }

    /// Runs all rounds of one edit, and compares each with plain code.
    fn run(&mut self, edit: Edit, what: &str) -> u32 {
        let mut seeds: BTreeSet<u32> = (0..self.session.capacity(Self::kind(edit))).collect();
        let (mut first, mut done) = (Seeds::All, 0);
        let euler = self.session.euler_number().unwrap();
        while !seeds.is_empty() {
            let (before, marks) = (Plain::new(&self.arrays()), self.read_marks(edit));
            let x = self.session.values(self.x).unwrap().read().unwrap();
            let want = before.round(edit, &seeds, &marks, &x);
            let report = self.round(edit, first);
            self.check(what);
            let after = Plain::new(&self.arrays());
            let x = self.session.values(self.x).unwrap().read().unwrap();
            assert_eq!(
                (report.done, report.conflicts),
                (want.done, want.lost.len() as u32),
                "{what} {edit:?}"
            );
            compare(&want, &after, &x, what);
            assert_eq!(report.queued as usize, want.lost.len(), "{what}");
            assert_eq!(self.session.euler_number().unwrap(), euler, "{what}");
            (seeds, first, done) = (want.lost, Seeds::Queued, done + want.done);
        }
        done
    }
}

/// Compares the mesh after a round with the expected one: new vertices are identified by their positions. Two at the
/// same position (the centres of two faces back to back) cannot be distinguished: both go by the lower id.
fn compare(want: &Expected, after: &Plain, x: &[Vec3], what: &str) {
    let new: Vec<u32> = (&after.vertices - &want.vertices).into_iter().collect();
    assert!(
        want.vertices.is_subset(&after.vertices),
        "{what}: vertices are lost"
    );
    assert_eq!(new.len(), want.new.len(), "{what}: new vertices");
    let first_at = |id: u32| {
        let here = |v: &&u32| x[**v as usize].distance(x[id as usize]) < 1e-5;
        new.iter().find(here).copied().unwrap_or(id)
    };
    let id_of = |p: Vec3| {
        let near = |&v: &u32| x[v as usize].distance(p) as f64;
        let id = new
            .iter()
            .copied()
            .min_by(|a, b| near(a).total_cmp(&near(b)))
            .unwrap();
        assert!(near(&id) < 1e-5, "{what}: no new vertex at {p}");
        first_at(id)
    };
    let named = |(t, p): &([u32; 3], Option<Vec3>)| match p {
        Some(p) => normal(t.map(|v| if v == u32::MAX { id_of(*p) } else { v })),
        None => *t,
    };
    let mut expected: Vec<[u32; 3]> = want
        .kept
        .iter()
        .copied()
        .chain(want.made.iter().map(named))
        .collect();
    let known = |v: u32| if new.contains(&v) { first_at(v) } else { v };
    let mut got: Vec<[u32; 3]> = (after.triangles().into_iter())
        .map(|t| normal(t.map(known)))
        .collect();
    expected.sort_unstable();
    got.sort_unstable();
    assert_eq!(got, expected, "{what}: triangles");
}

fn normal(t: [u32; 3]) -> [u32; 3] {
    let k = (0..3).min_by_key(|&k| t[k]).unwrap();
    [t[k], t[(k + 1) % 3], t[(k + 2) % 3]]
}

/// Returns meshes for scripts, small enough for marks that do not tie.
fn meshes() -> Vec<(&'static str, TriMesh)> {
    let mut mixed = fixtures::with_boundary(7, 6);
    let shift = mixed.positions.len() as u32;
    let fins = fixtures::non_manifold_edge(3, 4);
    mixed.positions.extend(fins.positions);
    mixed
        .faces
        .extend(fins.faces.iter().map(|f| f.map(|v| v + shift)));
    vec![
        ("sphere", fixtures::closed(1)),
        ("torus", fixtures::torus(7, 6)),
        ("grid", fixtures::with_boundary(6, 5)),
        ("tetrahedron", fixtures::tetrahedron()),
        ("triangle", fixtures::one_triangle()),
        ("fan", fixtures::high_valence(40)),
        ("open fan", fixtures::open_fan(9)),
        ("fin", fixtures::fin(true)),
        ("two tetrahedra", fixtures::non_manifold_vertex()),
        ("moebius", fixtures::moebius(12)),
        ("grid and pages", mixed),
        ("turned faces", fixtures::mixed_orientation(6, 6, 7)),
    ]
}

fn opens_every_fixture(engine: &Engine) {
    for fixture in fixtures::suited(engine) {
        let rx = fixture.on(engine, 64);
        let session = Session::open(&rx).unwrap();
        let wrong = session.validate().unwrap();
        assert!(wrong.is_empty(), "{}: {wrong:?}", fixture.name);
        let counts = Kind::ALL.map(|k| rx.count(k));
        assert_eq!(session.live().unwrap(), counts, "{}", fixture.name);
    }
}

#[derive(Clone, Debug)]
struct EditStep {
    edit: Edit,
    seed: u32,
    rarity: u32,
}

fn steps() -> impl Strategy<Value = (usize, Vec<EditStep>)> {
    let step = (0..5usize, any::<u32>(), 1..12u32).prop_map(|(k, seed, rarity)| EditStep {
        edit: Edit::ALL[k],
        seed,
        rarity,
    });
    (0..meshes().len(), proptest::collection::vec(step, 1..5))
}

fn random_scripts(engine: &Engine) {
    let cases = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => 2,
        (false, true) => 12,
        _ => extent(250, 400),
    };
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let meshes = meshes();
    let done = std::cell::Cell::new(0);
    // A few scripts may all reach meshes where nothing is possible: then some more.
    let mut runs = 0;
    while runs == 0 || done.get() == 0 && runs < 20 {
        runs += 1;
        TestRunner::new(config.clone())
            .run(&steps(), |(mesh, steps)| {
                let (name, mesh) = &meshes[mesh];
                let mut script = Script::open(engine, mesh);
                script.check(name);
                for (i, step) in steps.iter().enumerate() {
                    if script.session.capacity(Kind::Edge) >= 2048 {
                        break;
                    }
                    script.mark(step.edit, step.seed, step.rarity);
                    let n = script.run(step.edit, &format!("{name}, step {i} {step:?}"));
                    done.set(done.get() + n);
                }
                Ok(())
            })
            .unwrap();
    }
    assert!(done.get() > 0, "some edits are possible");
}

/// A split and a removal leave two triangles back to back, whose edges cannot be split: the new vertex would be joined
/// to the third one twice. Random scripts reach that now and then.
fn a_split_of_triangles_back_to_back(engine: &Engine) {
    let meshes = meshes();
    let (name, mesh) = &meshes[3];
    assert_eq!(*name, "tetrahedron");
    let steps = [
        (Edit::Split, 1_036_354_947, 7),
        (Edit::Remove, 3_676_420_421, 4),
        (Edit::Split, 1_525_369_323, 1),
    ];
    let mut script = Script::open(engine, mesh);
    for (i, (edit, seed, rarity)) in steps.into_iter().enumerate() {
        let back_to_back = i == 2;
        assert_eq!(
            script.session.live().unwrap() == [3, 3, 2],
            back_to_back,
            "step {i}"
        );
        script.mark(edit, seed, rarity);
        let done = script.run(edit, &format!("{name}, step {i}"));
        assert_eq!(done == 0, back_to_back, "step {i}");
    }
}

/// Runs a fixed script with every operator, without read-backs in between.
fn plain_script(engine: &Engine) -> (HostArrays, Vec<RoundReport>) {
    let mut script = Script::open(engine, &fixtures::torus(12, 9));
    let mut reports = Vec::new();
    for (i, edit) in Edit::ALL.into_iter().cycle().take(7).enumerate() {
        script.mark(edit, i as u32, 3);
        let mut seeds = Seeds::All;
        loop {
            let report = script.round(edit, seeds);
            reports.push(report);
            if report.queued == 0 {
                break;
            }
            seeds = Seeds::Queued;
        }
        if script.session.capacity(Kind::Edge) >= 2048 {
            break;
        }
    }
    script.check("after the script");
    (script.arrays(), reports)
}

fn same_bits_as_the_cpu_engine(engine: &Engine) {
    let want = plain_script(&Engine::cpu_with_threads(1).unwrap());
    for run in 0..2 {
        let got = plain_script(engine);
        assert_eq!(got.1, want.1, "run {run}: reports");
        assert!(got.0 == want.0, "run {run}: the arrays differ");
    }
    if engine.name() == "cpu" {
        let got = plain_script(&Engine::cpu_with_threads(7).unwrap());
        assert!(got == want, "seven threads");
    }
}

fn closes_with_attributes(engine: &Engine) {
    let mesh = fixtures::torus(9, 8);
    let rx = RxMesh::new(
        engine,
        mesh.vertex_count(),
        &mesh.faces,
        &PatchOptions::default(),
    )
    .unwrap();
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let faces: Vec<u32> = (0..mesh.faces.len() as u32).collect();
    let of_face = rx.attribute_from::<Face, u32>(&faces).unwrap();
    let edges: Vec<u32> = (0..rx.count(Kind::Edge)).map(|e| e + 7).collect();
    let of_edge = rx.attribute_from::<Edge, u32>(&edges).unwrap();
    let mut session = Session::open(&rx).unwrap();
    let (x, of_face, of_edge) = (
        session.attach(&x).unwrap(),
        session.attach(&of_face).unwrap(),
        session.attach(&of_edge).unwrap(),
    );
    let bytes = session.column::<Edge, u8>();
    assert!(matches!(bytes, Err(Error::Options(_))), "{bytes:?}");
    let marks = session.column::<Edge, u32>().unwrap();
    let mut some = vec![0; session.capacity(Kind::Edge) as usize];
    (some[5], some[40]) = (1, 2);
    session.set(marks, &some).unwrap();
    let report = session
        .run(10, |s| {
            Ok(CollapseMarked {
                marks: s.write(marks)?,
                x: s.write(x)?,
            })
        })
        .unwrap();
    assert!(report.done > 0 && report.finished, "{report:?}");
    let live = session.live().unwrap();
    let plain = Plain::new(&session.to_host().unwrap());
    let places = session.values(x).unwrap().read().unwrap();
    let (f, e) = (
        session.values(of_face).unwrap().read().unwrap(),
        session.values(of_edge).unwrap().read().unwrap(),
    );
    let mut closed = session.close(RepackOptions::default()).unwrap();
    assert_eq!(Kind::ALL.map(|k| closed.mesh.count(k)), live);
    let set = closed.mesh.patch_set().unwrap();
    let triangles = input_triangles(&plain, &closed.renumbering);
    assert_eq!(set.validate(live[0] as usize, &triangles), []);
    let (mut x, mut of_face, mut of_edge) = (
        closed.take(x).unwrap(),
        closed.take(of_face).unwrap(),
        closed.take(of_edge).unwrap(),
    );
    follows(&closed.renumbering, &mut x, &places);
    follows(&closed.renumbering, &mut of_face, &f);
    let mut got = of_edge.to_input(&closed.mesh).unwrap();
    let host = closed_edges(&plain, &e);
    got.sort_unstable();
    assert_eq!(got, host, "values of edges");
}

/// Rounds that are steps of one launch (decision 133) leave the seeds of the next round for the next launch: when the
/// host requests no more rounds for now, and when the capacity for records is exhausted, in a round that considers all
/// edges or in one that considers some.
fn rounds_go_on_where_a_launch_ends(engine: &Engine) {
    let mesh = generate::torus(24, 12, 1.0, 0.4).unwrap();
    for edit in [Edit::Flip, Edit::Collapse] {
        let open = || {
            let mut script = Script::open(engine, &mesh);
            script.mark(edit, 5, 1);
            script
        };
        let end = |script: &Script| {
            let wrong = script.session.validate().unwrap();
            assert!(wrong.is_empty(), "{wrong:?}");
            let places = script.session.values(script.x).unwrap().read().unwrap();
            (script.session.to_host().unwrap(), places)
        };
        engine.set_grid_limit(Some(0));
        let mut apart = open();
        let want = apart.rounds(edit, Seeds::All, 1000);
        engine.set_grid_limit(None);
        assert!(
            want.finished && want.rounds > 4 && want.conflicts > 0,
            "{edit:?}: {want:?}"
        );
        let want = (end(&apart), want);
        // Rounds that the host waits for, and those before the capacity is reduced.
        for (rounds, before) in [
            (1000, None),
            (1, None),
            (2, None),
            (3, None),
            (1000, Some(0)),
            (1000, Some(2)),
        ] {
            let mut script = open();
            let (mut got, mut seeds) = (RunReport::default(), Seeds::All);
            if let Some(before) = before {
                if before > 0 {
                    got.merge(&script.rounds(edit, seeds, before));
                    seeds = Seeds::Queued;
                }
                script.session.set_record_room(2).unwrap();
            }
            while !got.finished {
                got.merge(&script.rounds(edit, seeds, rounds));
                seeds = Seeds::Queued;
            }
            assert_eq!((end(&script), got), want, "{edit:?}, {rounds}, {before:?}");
        }
    }
}

/// Returns the corners of the live faces, in order, as indices into the live vertices.
fn input_triangles(plain: &Plain, renumbering: &Renumbering) -> Vec<[u32; 3]> {
    let linear = renumbering.linear(Kind::Vertex).read().unwrap();
    let mut place = vec![u32::MAX; linear.len()];
    let live = (0..linear.len()).filter(|&slot| linear[slot] != u32::MAX);
    for (count, slot) in (0..).zip(live) {
        place[slot] = count;
    }
    let corners = plain.faces.values();
    corners.map(|t| t.map(|v| place[v as usize])).collect()
}

/// Checks that every live element has the value of its slot.
fn follows<K: Element, T: Value + PartialEq + std::fmt::Debug>(
    renumbering: &Renumbering,
    x: &mut Attribute<K, T>,
    slots: &[T],
) {
    x.download().unwrap();
    let values = x.host().unwrap();
    let linear = renumbering.linear(K::KIND).read().unwrap();
    let live = linear.iter().enumerate().filter(|(_, id)| **id != u32::MAX);
    let mut count = 0;
    for (slot, &id) in live {
        assert_eq!(values[id as usize], slots[slot], "slot {slot}");
        count += 1;
    }
    assert_eq!(count, values.len());
}

/// Returns the values of the live edges, sorted.
fn closed_edges(plain: &Plain, values: &[u32]) -> Vec<u32> {
    let mut all: Vec<u32> = plain.edge_slots().map(|e| values[e as usize]).collect();
    all.sort_unstable();
    all
}
