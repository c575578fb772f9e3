//! Operators that give cavities up after they have seen them, and cavities of several seeds by a custom template, on
//! both schedulers of edits, against plain code.

use glam::Vec3;
use rxmesh_host::edit::{Claims, Column, Edits, RunReport, Runs, Seeds, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::math::hash;
use rxmesh_host::kernels::topo::{Edge, Kind, Vertex};
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_speculative::Speculative;
use rxmesh_test_kernels::variants::{ContractUnlessHeld, RefillCluster, SplitUnlessHeld};
use rxmesh_tests::cavities::{DiskCavity, Named, PlainSurface};
use rxmesh_tests::conformance_of_schedulers;
use rxmesh_tests::engines::is_slow;
use rxmesh_tests::launch::RunOperators;
use rxmesh_tests::marked::{check, patched};
use rxmesh_tests::places::triangles;
use std::collections::BTreeSet;

conformance_of_schedulers! {
    abandoned_splits_leave_the_mesh,
    abandoned_contractions_leave_the_mesh,
    clusters_become_one_vertex,
}

mod on_claims {
    use super::abandoned_slots_are_used_again;
    rxmesh_tests::conformance! { abandoned_slots_are_used_again }
}

/// Scheduler of edits that runs the operators of this file.
trait RunsVariants:
    Edits + Runs<SplitUnlessHeld> + Runs<ContractUnlessHeld> + Runs<RefillCluster>
{
}

impl RunsVariants for Claims {}
impl RunsVariants for Speculative {}

fn meshes(engine: &Engine) -> [TriMesh; 2] {
    let n = if is_slow(engine) { 2 } else { 3 };
    let mut ball = generate::icosphere(n).unwrap();
    generate::noise(&mut ball, 0.1, 5).unwrap();
    let mut sheet = generate::grid(6 * n, 5 * n).unwrap();
    generate::noise(&mut sheet, 0.1, 6).unwrap();
    [ball, sheet]
}

/// Session with positions, marks of vertices and edges, and a number per vertex.
struct Variants<C: Edits> {
    session: Session<C>,
    x: Column<Vertex, Vec3>,
    of_vertices: Column<Vertex, u32>,
    of_edges: Column<Edge, u32>,
    numbers: Column<Vertex, u32>,
}

/// Operator that gives cavities up at held vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Giving {
    Split,
    Contract,
}

impl<C: RunsVariants> Variants<C> {
    fn open(engine: &Engine, mesh: &TriMesh) -> Variants<C> {
        let rx = patched(engine, mesh, 64);
        let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
        let mut session = Session::<C>::open_with(&rx).unwrap();
        Variants {
            x: session.attach(&x).unwrap(),
            of_vertices: session.column().unwrap(),
            of_edges: session.column().unwrap(),
            numbers: session.column().unwrap(),
            session,
        }
    }

    fn surface(&self) -> (PlainSurface, Vec<Vec3>) {
        let x = self.session.values(self.x).unwrap().read().unwrap();
        (PlainSurface::new(&self.session.to_host().unwrap()), x)
    }

    /// Gives some vertices numbers, and all others 0.
    fn number(&mut self, vertices: &[(u32, u32)]) {
        let mut numbers = vec![0; self.session.capacity(Kind::Vertex) as usize];
        for &(v, number) in vertices {
            numbers[v as usize] = number;
        }
        self.session.set(self.numbers, &numbers).unwrap();
    }

    fn run(&mut self, op: Giving, edges: &[u32]) -> RunReport {
        let mut all = vec![0; self.session.capacity(Kind::Edge) as usize];
        for &e in edges {
            all[e as usize] = 1;
        }
        self.session.set(self.of_edges, &all).unwrap();
        let (marks, x, held) = (self.of_edges, self.x, self.numbers);
        match op {
            Giving::Split => self.session.run(1000, |s| {
                Ok(SplitUnlessHeld {
                    marks: s.write(marks)?,
                    x: s.write(x)?,
                    held: s.write(held)?,
                })
            }),
            Giving::Contract => self.session.run(1000, |s| {
                Ok(ContractUnlessHeld {
                    marks: s.write(marks)?,
                    x: s.write(x)?,
                    held: s.write(held)?,
                })
            }),
        }
        .unwrap()
    }

    fn triangles(&self) -> Vec<[[u32; 3]; 3]> {
        triangles(&self.session.to_mesh(self.x).unwrap().0)
    }
}

/// Chosen seeds, whose cavities have no vertex in common.
struct SeedsApart {
    seeds: Vec<u32>,
    cavities: Vec<DiskCavity>,
}

fn apart(
    seeds: impl Iterator<Item = u32>,
    surface: &PlainSurface,
    cavity: impl Fn(u32) -> Option<DiskCavity>,
) -> SeedsApart {
    let mut order: Vec<u32> = seeds.collect();
    order.sort_by_key(|&seed| hash(seed));
    let (mut used, mut all) = (
        BTreeSet::new(),
        SeedsApart {
            seeds: Vec::new(),
            cavities: Vec::new(),
        },
    );
    for seed in order {
        let Some(cavity) = cavity(seed) else {
            continue;
        };
        let reach = surface.reach(&cavity);
        if used.is_disjoint(&reach) {
            used.extend(reach);
            all.seeds.push(seed);
            all.cavities.push(cavity);
        }
    }
    all
}

/// Returns the star that fills a hole.
fn star(cavity: &DiskCavity, centre: Vec3, x: &[Vec3]) -> Vec<[Vec3; 3]> {
    let at = |v: u32| x[v as usize];
    let rim = cavity.rim().into_iter();
    rim.map(|[a, b]| [at(a), at(b), centre]).collect()
}

/// Runs an operator on cavities apart, of which every other one has a held corner: these stay as they are, and are
/// counted. Then the corners are let go, and the rest is carried out.
fn compare<C: RunsVariants>(engine: &Engine, op: Giving) {
    for mesh in meshes(engine) {
        let what = format!("{op:?} by {}, {} faces", C::NAME, mesh.face_count());
        let mut s = Variants::<C>::open(engine, &mesh);
        let euler = s.session.euler_number().unwrap();
        let mut abandoned = 0;
        for _ in 0..2 {
            let (surface, x) = s.surface();
            let chosen = apart(surface.edges.keys().copied(), &surface, |e| {
                let ends = surface.edges[&e];
                let cavity = match op {
                    Giving::Split => surface.cavity(&[Named::Edge(ends)]),
                    Giving::Contract => surface.cavity(&ends.map(Named::Vertex)),
                };
                cavity.filter(|c| c.closed)
            });
            let (mut held, mut done, mut made) = (Vec::new(), Vec::new(), Vec::new());
            for (i, (e, cavity)) in chosen.seeds.iter().zip(&chosen.cavities).enumerate() {
                if i % 2 == 0 && abandoned == 0 {
                    held.push((cavity.corners[i % cavity.corners.len()], 1));
                    continue;
                }
                let [a, b] = surface.edges[e].map(|v| x[v as usize]);
                made.extend(star(cavity, (a + b) * 0.5, &x));
                done.push(cavity.clone());
            }
            s.number(&held);
            let report = s.run(op, &chosen.seeds);
            check(&s.session, &what);
            assert!(report.finished, "{what}: {report:?}");
            assert_eq!(report.abandoned, held.len() as u64, "{what}: {report:?}");
            assert_eq!(report.done, done.len() as u64, "{what}: {report:?}");
            assert!(report.done > 2 && report.refused == 0, "{what}: {report:?}");
            let want = surface.refill(&done, &made, done.len(), &x);
            assert_eq!(s.triangles(), want.triangles, "{what}");
            assert_eq!(s.session.euler_number().unwrap(), euler, "{what}");
            abandoned += held.len();
        }
        assert!(abandoned > 2, "{what}");
    }
}

fn abandoned_splits_leave_the_mesh<C: RunsVariants>(engine: &Engine) {
    compare::<C>(engine, Giving::Split);
}

fn abandoned_contractions_leave_the_mesh<C: RunsVariants>(engine: &Engine) {
    compare::<C>(engine, Giving::Contract);
}

/// Slots that were reserved for cavities that were given up are free again: memory does not grow from run to run.
fn abandoned_slots_are_used_again(engine: &Engine) {
    let [ball, _] = meshes(engine);
    let mut s = Variants::<Claims>::open(engine, &ball);
    let before = s.triangles();
    let mut capacities = Vec::new();
    let runs = if is_slow(engine) { 5 } else { 12 };
    for _ in 0..runs {
        let (surface, _) = s.surface();
        let all: Vec<(u32, u32)> = surface.vertices.iter().map(|&v| (v, 1)).collect();
        s.number(&all);
        let edges: Vec<u32> = surface.edges.keys().copied().collect();
        let report = s.run(Giving::Split, &edges);
        assert!(report.finished, "{report:?}");
        assert_eq!((report.done, report.refused), (0, 0), "{report:?}");
        assert_eq!(report.abandoned, edges.len() as u64, "{report:?}");
        assert_eq!(s.triangles(), before);
        capacities.push(s.session.capacity(Kind::Edge));
    }
    check(&s.session, Claims::NAME);
    assert_eq!(capacities[2], capacities[runs - 1], "{capacities:?}");
}

/// The cavity of a seed has the neighbours that a column puts into its cluster: none, one or two.
fn clusters_become_one_vertex<C: RunsVariants>(engine: &Engine) {
    for mesh in meshes(engine) {
        let what = format!("{}, {} faces", C::NAME, mesh.face_count());
        let mut s = Variants::<C>::open(engine, &mesh);
        let euler = s.session.euler_number().unwrap();
        let (surface, x) = s.surface();
        let members = |v: u32| -> Vec<u32> {
            let near = surface.neighbours(v).into_iter();
            near.take(hash(v) as usize % 3).chain([v]).collect()
        };
        let chosen = apart(surface.vertices.iter().copied(), &surface, |v| {
            let named: Vec<Named> = members(v).into_iter().map(Named::Vertex).collect();
            surface.cavity(&named)
        });
        let (mut clusters, mut made) = (Vec::new(), Vec::new());
        for (number, (&v, cavity)) in (1..).zip(chosen.seeds.iter().zip(&chosen.cavities)) {
            clusters.extend(members(v).into_iter().map(|w| (w, number)));
            let corners = || cavity.corners.iter().map(|&w| x[w as usize]);
            let low = corners().fold(Vec3::MAX, Vec3::min);
            let high = corners().fold(Vec3::MIN, Vec3::max);
            made.extend(star(cavity, (low + high) * 0.5, &x));
        }
        let sizes: BTreeSet<usize> = chosen.cavities.iter().map(|c| c.vertices.len()).collect();
        assert!(sizes.len() > 1, "{what}: {sizes:?}");
        s.number(&clusters);
        let mut marks = vec![0; s.session.capacity(Kind::Vertex) as usize];
        for &v in &chosen.seeds {
            marks[v as usize] = 1;
        }
        s.session.set(s.of_vertices, &marks).unwrap();
        let (marks, x_column, cluster) = (s.of_vertices, s.x, s.numbers);
        let report = s.session.run_from(Seeds::All, 1000, |s| {
            Ok(RefillCluster {
                marks: s.write(marks)?,
                x: s.write(x_column)?,
                cluster: s.write(cluster)?,
            })
        });
        let report = report.unwrap();
        check(&s.session, &what);
        assert!(report.finished, "{what}: {report:?}");
        assert_eq!(report.done, chosen.seeds.len() as u64, "{what}: {report:?}");
        let want = surface.refill(&chosen.cavities, &made, chosen.seeds.len(), &x);
        assert_eq!(s.triangles(), want.triangles, "{what}");
        assert_eq!(s.session.euler_number().unwrap(), euler, "{what}");
    }
}
