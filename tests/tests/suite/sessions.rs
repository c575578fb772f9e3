//! Guarantees of sessions on failure: failed allocations leave them intact, an operator that breaks the rules voids
//! them, foreign columns are refused.

use rxmesh_host::Error;
use rxmesh_host::edit::{Seeds, Session};
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::algo::delaunay::{Diamond, flip};
use rxmesh_host::kernels::cavity::{Cavity, Hole, Operator, Priority, Seed, Site, template};
use rxmesh_host::kernels::edit::HalfEdgeMesh;
use rxmesh_host::kernels::kernel;
use rxmesh_host::kernels::topo::{Edge, Kind, Vertex};
use rxmesh_host::mesh::generate;
use rxmesh_host::repack::RepackOptions;
use rxmesh_tests::edits::Edit;
use rxmesh_tests::engines::{TestScheduler, is_slow};
use rxmesh_tests::extent::is_long;
use rxmesh_tests::launch::RunOperators;
use rxmesh_tests::marked::{Marked, check, patched};
use rxmesh_tests::{conformance, conformance_of_schedulers, fixtures};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

conformance_of_schedulers! { memory_that_is_not_there_leaves_the_session_whole, columns_of_others_are_refused }
conformance! {
    an_operator_that_breaks_the_rules_voids_the_session, an_operator_that_panics_voids_the_session
}

/// Splits every edge, twice over, in a session that has to grow for it, with allocations that fail after more and more
/// successes.
fn memory_that_is_not_there_leaves_the_session_whole<C: TestScheduler>(engine: &Engine) {
    let few = is_slow(engine) || !C::ORDERED && !is_long();
    let mesh = generate::icosphere(if few { 1 } else { 2 }).unwrap();
    let rx = patched(engine, &mesh, 32);
    let (mut left, mut failures) = (0, 0);
    loop {
        let what = format!("{left} allocations");
        let mut m = Marked::<C>::open(&rx, &mesh).unwrap();
        let capacity = m.session.capacity(Kind::Face);
        let mut twice = || -> Result<(), Error> {
            for _ in 0..2 {
                m.mark(Edit::Split, || 1);
                engine.set_allocations_left(Some(left));
                let run = m.run(Edit::Split, Seeds::All);
                engine.set_allocations_left(None);
                assert!(run?.finished, "{what}");
            }
            Ok(())
        };
        match twice() {
            Ok(()) => {
                assert!(m.session.capacity(Kind::Face) > capacity, "it grew");
                break;
            }
            Err(Error::Engine(EngineError::OutOfMemory { .. })) => failures += 1,
            Err(e) => panic!("{what}: {e}"),
        }
        check(&m.session, &what);
        // With memory it continues where it was.
        m.mark(Edit::Split, || 1);
        m.run_checked(Edit::Split, Seeds::All, &what);
        left += 1 + left / if is_slow(engine) { 2 } else { 8 };
    }
    assert!(failures > 5, "{failures} failures");
}

fn columns_of_others_are_refused<C: TestScheduler>(engine: &Engine) {
    let mesh = fixtures::torus(9, 8);
    let rx = patched(engine, &mesh, 16);
    let open = || Session::<C>::open_with(&rx).unwrap();
    let (mut session, mut other) = (open(), open());
    let mine = session.column::<Vertex, u32>().unwrap();
    let theirs = other.column::<Vertex, u32>().unwrap();
    let third = session.column::<Vertex, f32>().unwrap();
    let values = vec![7; session.capacity(Kind::Vertex) as usize];
    session.set(mine, &values).unwrap();
    let refused = |e: Error| assert_eq!(e, Error::OtherSession);
    refused(session.values(theirs).unwrap_err());
    refused(session.set(theirs, &values).unwrap_err());
    refused(other.interpolate(third).unwrap_err());
    let Err(e) = session.read(theirs) else {
        panic!("another session's column was read");
    };
    refused(e);
    assert!(session.values(mine).unwrap().read().unwrap() == values);
    let mut closed = session.close(RepackOptions::default()).unwrap();
    refused(closed.take(theirs).unwrap_err());
    assert!(closed.take(mine).is_ok());
    assert_eq!(closed.take(mine).unwrap_err(), Error::ColumnTaken);
}

kernel! {
    /// Cuts two faces out and does not fill the hole, though it must.
    struct Forgets: Flat {
        nothing: u32,
    }
}

// SAFETY: it writes nothing (contracts U3, U4).
unsafe impl Operator for Forgets {
    type Template = template::EF;
    type Plan = ();

    fn template(&self) -> template::EF {
        template::EF
    }

    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        (mesh.edge_lives(seed.0) && self.nothing == 0).then_some(Priority::NONE)
    }

    fn plan(&self, _: &Cavity<impl Site>) {}

    fn fill(&self, (): (), _: &mut Hole<'_, impl Site>) {}
}

rxmesh_host::kernels::entries! {
    KERNELS;
    operator test_forgets: Forgets;
    operator test_panics: Panics;
}

kernel! {
    /// Flips edges, and panics at one of them.
    struct Panics: Flat {
        at: u32,
    }
}

/// Number of flips that `Panics` has carried out.
static FLIPS: AtomicU32 = AtomicU32::new(0);

// SAFETY: as `DelaunayFlip`.
unsafe impl Operator for Panics {
    type Template = template::E;
    type Plan = u32;
    const RIM_IS_SIMPLE: bool = true;

    fn template(&self) -> template::E {
        template::E
    }

    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        Diamond::new(mesh, seed.0).map(|_| Priority::NONE)
    }

    fn joins(
        &self,
        mesh: &impl HalfEdgeMesh,
        seed: Seed<Self>,
        pair: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        Diamond::new(mesh, seed.0).is_none_or(|q| pair(q.c, q.d))
    }

    fn plan(&self, cavity: &Cavity<impl Site>) -> u32 {
        Diamond::place(cavity)
    }

    fn fill(&self, i: u32, hole: &mut Hole<'_, impl Site>) {
        assert_ne!(
            FLIPS.fetch_add(1, SeqCst),
            self.at,
            "a bug of the operator's"
        );
        flip(hole, i);
    }
}

fn an_operator_that_panics_voids_the_session(engine: &Engine) {
    // One thread: a team's other threads would wait for the one that panicked.
    if engine.name() != "cpu" {
        return;
    }
    let rx = patched(engine, &fixtures::torus(9, 8), 16);
    let mut session = Session::open(&rx).unwrap();
    FLIPS.store(0, SeqCst);
    let run = AssertUnwindSafe(|| session.run(1, |_| Ok(Panics { at: 5 })));
    assert!(catch_unwind(run).is_err());
    let void = |e: Option<Error>| assert_eq!(e, Some(Error::VoidSession));
    void(session.count(Kind::Face).err());
    void(session.run(1, |_| Ok(Panics { at: u32::MAX })).err());
    void(session.validate().err());
    void(session.close(RepackOptions::default()).err());
}

fn an_operator_that_breaks_the_rules_voids_the_session(engine: &Engine) {
    // The operator is in no PTX.
    if engine.is_cuda() {
        return;
    }
    assert_eq!(KERNELS.len(), 10);
    let rx = patched(engine, &fixtures::torus(9, 8), 16);
    let mut session = Session::open(&rx).unwrap();
    let column = session.column::<Edge, u32>().unwrap();
    let error = session.run(10, |_| Ok(Forgets { nothing: 0 })).unwrap_err();
    assert!(matches!(error, Error::Operator { .. }), "{error:?}");
    let void = |e: Option<Error>| assert_eq!(e, Some(Error::VoidSession));
    void(session.run(10, |_| Ok(Forgets { nothing: 1 })).err());
    void(session.enqueue_refused().err());
    void(session.enqueue(|_, _| Ok(())).err());
    void(session.reserve([1; 3]).err());
    void(session.column::<Vertex, u32>().err());
    void(session.values(column).err());
    void(session.read(column).err());
    void(session.mesh().err());
    void(session.face_claims().err());
    void(session.to_host().err());
    void(session.count(Kind::Face).err());
    void(session.validate().err());
    void(session.close(RepackOptions::default()).err());
}
