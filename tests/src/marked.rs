//! Sessions for operators on marked seeds. Everything is compared by positions, because on the speculative scheduler
//! elements change their ids.

use crate::edits::Edit;
use crate::engines::TestScheduler;
use crate::launch::RunOperators;
use crate::places::{Place, place};
use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::edit::{Claims, Column, Edits, RunReport, Seeds, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::edit::{DEAD, NONE};
use rxmesh_host::kernels::topo::{Edge, Element, Face, Kind, Vertex};
use rxmesh_host::mesh::{Rng, TriMesh};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_speculative::Speculative;
use rxmesh_test_kernels::marked::{
    CollapseMarked, FlipMarked, RemoveMarked, SplitFaceMarked, SplitMarked,
};
use std::collections::HashMap;

/// Most rounds of a run: it ends long before.
const ROUNDS: u32 = 10_000;

/// Numbers by the positions of an element's vertices, sorted: one vertex, two or three. Excludes those of several
/// elements at one position, which splits of splits can make: the lines between the midpoints of opposite sides of a
/// quadrilateral bisect each other.
pub type Numbers = HashMap<Vec<Place>, u32>;

/// Returns the key of an element in [`Numbers`].
pub fn key(corners: impl IntoIterator<Item = Vec3>) -> Vec<Place> {
    let mut key: Vec<Place> = corners.into_iter().map(place).collect();
    key.sort_unstable();
    key
}

/// Collects the numbers of elements, except those at one position.
pub fn by_place(elements: impl IntoIterator<Item = (Vec<Place>, u32)>) -> Numbers {
    let mut all: HashMap<_, Option<u32>> = HashMap::new();
    for (key, number) in elements {
        all.entry(key)
            .and_modify(|n| *n = None)
            .or_insert(Some(number));
    }
    all.into_iter()
        .filter_map(|(key, number)| number.map(|n| (key, n)))
        .collect()
}

/// Counts the elements in both that still have their number, and those that have another.
pub fn kept(before: &Numbers, after: &Numbers) -> (usize, usize) {
    let both = before
        .iter()
        .filter_map(|(k, n)| after.get(k).map(|now| n == now));
    both.fold((0, 0), |(kept, lost), same| {
        (kept + usize::from(same), lost + usize::from(!same))
    })
}

/// Makes a mesh in patches of at most `patch_size` faces.
pub fn patched(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> RxMesh {
    let options = PatchOptions::default().with(|o| {
        o.patch_size = patch_size;
    });
    RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).expect("a valid mesh")
}

/// Fails with the defects of a session.
#[track_caller]
pub fn check<C: Edits>(session: &Session<C>, what: &str) {
    let wrong = session.validate().expect("a copy on the host");
    assert!(
        wrong.is_empty(),
        "{what}: {} violations, first {:?}",
        wrong.len(),
        &wrong[..wrong.len().min(8)]
    );
}

/// Returns distinct numbers for all elements of a kind.
pub fn numbers(rx: &RxMesh, kind: Kind) -> Vec<u32> {
    (0..rx.count(kind))
        .map(|i| i.wrapping_mul(0x9e37_79b9))
        .collect()
}

/// Attaches such numbers to a session.
pub fn attach_numbers<K: Element, C: Edits>(
    session: &mut Session<C>,
    rx: &RxMesh,
) -> Column<K, u32> {
    let x = rx
        .attribute_from::<K, u32>(&numbers(rx, K::KIND))
        .expect("a value for each");
    session.attach(&x).expect("room for a column")
}

/// Session with its positions, a second copy of them that is interpolated, a number for every element, and marks.
pub struct Marked<C: Edits = Speculative> {
    /// Session.
    pub session: Session<C>,
    /// Positions.
    pub x: Column<Vertex, Vec3>,
    /// Positions that are interpolated.
    pub copy: Column<Vertex, Vec3>,
    /// Numbers of vertices, edges and faces.
    pub numbers: (Column<Vertex, u32>, Column<Edge, u32>, Column<Face, u32>),
    marks: (Column<Vertex, u32>, Column<Edge, u32>, Column<Face, u32>),
}

/// Instantiates both schedulers of edits, compiled here once for all test programs (`rxmesh_host::instances`).
pub fn instances(claims: &mut Marked<Claims>, speculative: &mut Marked<Speculative>) {
    for edit in Edit::ALL {
        claims.run_checked(edit, Seeds::All, "claims");
        speculative.run_checked(edit, Seeds::All, "speculative");
    }
}

impl Marked {
    /// Opens a mesh in patches of some size for the speculative scheduler.
    pub fn new(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> Marked {
        let rx = patched(engine, mesh, patch_size);
        Marked::open(&rx, mesh).expect("a mesh for this engine")
    }
}

impl<C: TestScheduler> Marked<C> {
    /// Opens a patched mesh.
    ///
    /// # Errors
    ///
    /// As [`Session::open_with`].
    pub fn open(rx: &RxMesh, mesh: &TriMesh) -> Result<Marked<C>, Error> {
        let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
        let mut session = Session::open_with(rx)?;
        let numbers = (
            attach_numbers(&mut session, rx),
            attach_numbers(&mut session, rx),
            attach_numbers(&mut session, rx),
        );
        let marks = (session.column()?, session.column()?, session.column()?);
        let (x, copy) = (session.attach(&x)?, session.attach(&x)?);
        session.interpolate(copy)?;
        Ok(Marked {
            session,
            x,
            copy,
            numbers,
            marks,
        })
    }

    /// Returns the kind of an operator's seeds.
    pub fn kind(edit: Edit) -> Kind {
        match edit {
            Edit::Flip | Edit::Split | Edit::Collapse => Kind::Edge,
            Edit::SplitFace => Kind::Face,
            Edit::Remove => Kind::Vertex,
        }
    }

    /// Marks the slots of an operator's kind.
    pub fn mark(&mut self, edit: Edit, mut mark: impl FnMut() -> u32) {
        let kind = Self::kind(edit);
        let marks: Vec<u32> = (0..self.session.capacity(kind)).map(|_| mark()).collect();
        let (v, e, f) = self.marks;
        let s = &mut self.session;
        match kind {
            Kind::Vertex => s.set(v, &marks),
            Kind::Edge => s.set(e, &marks),
            Kind::Face | Kind::Cell => s.set(f, &marks),
        }
        .expect("a mark a slot");
    }

    /// Marks about `part` percent of the slots, with priorities up to `priorities`.
    pub fn mark_some(&mut self, edit: Edit, rng: &mut Rng, part: u64, priorities: u64) {
        self.mark(edit, || {
            let priority = 1 + rng.below(priorities) as u32;
            if rng.below(100) < part { priority } else { 0 }
        });
    }

    /// Runs an operator on its marked seeds until none is left.
    ///
    /// # Errors
    ///
    /// As [`Session::run_from`].
    pub fn run(&mut self, edit: Edit, seeds: Seeds) -> Result<RunReport, Error> {
        let (x, (v, e, f)) = (self.x, self.marks);
        let s = &mut self.session;
        match edit {
            Edit::Flip => s.run_from(seeds, ROUNDS, |s| Ok(FlipMarked { marks: s.write(e)? })),
            Edit::Split => s.run_from(seeds, ROUNDS, |s| {
                Ok(SplitMarked {
                    marks: s.write(e)?,
                    x: s.write(x)?,
                })
            }),
            Edit::Collapse => s.run_from(seeds, ROUNDS, |s| {
                Ok(CollapseMarked {
                    marks: s.write(e)?,
                    x: s.write(x)?,
                })
            }),
            Edit::SplitFace => s.run_from(seeds, ROUNDS, |s| {
                Ok(SplitFaceMarked {
                    marks: s.write(f)?,
                    x: s.write(x)?,
                })
            }),
            Edit::Remove => s.run_from(seeds, ROUNDS, |s| Ok(RemoveMarked { marks: s.write(v)? })),
        }
    }

    /// Runs an operator and checks the invariants of all of them: the run ends, the session is valid, Euler's number is
    /// unchanged, the count of done edits agrees with the mesh, and interpolated positions are the positions.
    pub fn run_checked(&mut self, edit: Edit, seeds: Seeds, what: &str) -> RunReport {
        let count = |s: &Session<C>| i64::from(s.count(Kind::Vertex).expect("a count"));
        let (vertices, euler) = (count(&self.session), self.session.euler_number());
        let report = match self.run(edit, seeds) {
            Ok(report) => report,
            Err(e) => panic!("{what}, {edit:?}: {e}"),
        };
        check(&self.session, &format!("{what}, {edit:?}"));
        assert!(report.finished, "{what}, {edit:?}: {report:?}");
        assert_eq!(self.session.euler_number(), euler, "{what}, {edit:?}");
        let done = report.done as i64;
        let expected = match edit {
            Edit::Flip => 0,
            Edit::Split | Edit::SplitFace => done,
            Edit::Collapse | Edit::Remove => -done,
        };
        let change = count(&self.session) - vertices;
        assert_eq!(change, expected, "{what}, {edit:?}: {report:?}");
        self.check_copy(&format!("{what}, {edit:?}"));
        report
    }

    /// Moves every vertex a little, at random, so that no operator puts a new vertex at the position of an earlier one,
    /// as can happen with midpoints of midpoints.
    pub fn jitter(&mut self, rng: &mut Rng) {
        let mut x = self
            .session
            .values(self.x)
            .expect("a column of this session")
            .read()
            .expect("values");
        let mut small = || rng.signed_unit() as f32 * 1e-3;
        for p in &mut x {
            *p += Vec3::new(small(), small(), small());
        }
        for column in [self.x, self.copy] {
            self.session.set(column, &x).expect("a value a slot");
        }
    }

    fn check_copy(&self, what: &str) {
        let read = |c| {
            self.session
                .values(c)
                .expect("a column of this session")
                .read()
                .expect("values")
        };
        let (x, copy): (Vec<Vec3>, Vec<Vec3>) = (read(self.x), read(self.copy));
        let arrays = self.session.to_host().expect("the arrays");
        for (v, _) in arrays.ve.iter().enumerate().filter(|(_, e)| **e != DEAD) {
            let (a, b) = (x[v], copy[v]);
            assert!((a - b).length() <= 1e-5, "{what}: vertex {v}: {a} {b}");
        }
    }

    /// Returns the numbers of the live vertices, edges and faces. Those of new ones are leftovers of their slots.
    pub fn numbers(&self) -> [Numbers; 3] {
        let arrays = self.session.to_host().expect("the arrays");
        let x = self
            .session
            .values(self.x)
            .expect("a column of this session")
            .read()
            .expect("values");
        let at = |v: &u32| x[*v as usize];
        let (v, e, f) = self.numbers;
        let (v, e, f) = (
            self.session
                .values(v)
                .expect("a column of this session")
                .read()
                .expect("values"),
            self.session
                .values(e)
                .expect("a column of this session")
                .read()
                .expect("values"),
            self.session
                .values(f)
                .expect("a column of this session")
                .read()
                .expect("values"),
        );
        let vertices = (arrays.ve.iter().enumerate())
            .filter(|(_, e)| **e != DEAD)
            .map(|(i, _)| (key([x[i]]), v[i]));
        let edges = (arrays.ev.chunks_exact(2).enumerate())
            .filter(|(_, ends)| ends[0] != NONE)
            .map(|(i, ends)| (key(ends.iter().map(at)), e[i]));
        let faces = (arrays.fe.chunks_exact(3).enumerate())
            .filter(|(_, sides)| sides[0] != NONE)
            .map(|(i, sides)| {
                let corners = [0, 1, 2].map(|k| arrays.ev[sides[k] as usize]);
                (key(corners.iter().map(at)), f[i])
            });
        [by_place(vertices), by_place(edges), by_place(faces)]
    }
}
