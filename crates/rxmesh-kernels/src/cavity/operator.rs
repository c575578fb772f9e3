//! Interface for users: the cavities, their order, and their filling.
//!
//! The methods of [`Operator`] are generic over the mesh: `&impl HalfEdgeMesh`, `&Cavity<impl Site>`,
//! `&mut Hole<'_, impl Site>`. The scheduler chooses the place of the mesh: it may keep the flat arrays of a session,
//! or one patch of it in shared memory; an operator is compiled for each. Its ids are those of the mesh at hand, and
//! its attributes are found by them.

use super::{Cavity, Corner, Hole, Priority, SeedQueue, Side, Site, Template};
use crate::edit::HalfEdgeMesh;
use crate::mem::Bind;
use crate::topo::Linear;

/// Seed of an operator's cavities.
pub type Seed<O> = Linear<<<O as Operator>::Template as Template>::Seed>;

/// Largest number of slots that one cavity needs beyond those of the elements that it deletes.
///
/// In a hole without a gap in its boundary loop, each vertex beyond those deleted takes three edges and two faces more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Vertices.
    pub vertices: u32,
    /// Edges.
    pub edges: u32,
    /// Faces.
    pub faces: u32,
}

impl Growth {
    /// The cavity's own slots are enough: flips, collapses, removals.
    pub const NONE: Growth = Growth {
        vertices: 0,
        edges: 0,
        faces: 0,
    };

    /// One vertex more than were deleted: splits.
    pub const VERTEX: Growth = Growth {
        vertices: 1,
        edges: 3,
        faces: 2,
    };

    /// Returns the numbers by kind.
    #[inline(always)]
    pub const fn by_kind(self) -> [u32; 3] {
        [self.vertices, self.edges, self.faces]
    }

    /// Returns the number of births that a cavity may have: entries of [`super::Births`].
    #[inline(always)]
    pub const fn births(self) -> u32 {
        if self.vertices > 1 { self.vertices } else { 1 }
    }

    /// Returns `true` if no slots are needed.
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.vertices == 0 && self.edges == 0 && self.faces == 0
    }
}

/// Rounds in which the seeds that want a change are listed in a separate launch, which has a thread for each seed: the
/// launch after it has full warps then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sieves {
    /// No rounds.
    Never,
    /// Rounds whose seeds are all elements, by [`Operator::candidate`]: pays if few are candidates.
    All,
    /// Every round, by [`Operator::wants`]: pays if it is much cheaper than [`Operator::candidate`], and few
    /// seeds pass.
    Every,
}

/// Local change of a mesh: a cavity, and its filling.
///
/// An operator is a `Copy` struct of views and numbers (declare it with [`args!`](crate::args)). Its methods run in
/// this order, each for many seeds at a time:
///
/// | method | may read | may write |
/// | --- | --- | --- |
/// | [`wants`](Operator::wants), [`candidate`](Operator::candidate), [`joins`](Operator::joins), [`guards`](Operator::guards) | the whole mesh, all attributes | nothing |
/// | [`plan`](Operator::plan), [`abandons`](Operator::abandons) | the cavity and its boundary loop, attributes there | nothing |
/// | [`fill`](Operator::fill) | attributes of the boundary loop and of deleted elements | the hole, attributes of new elements and of guarded vertices |
///
/// Deleted elements have no type that `fill` takes: `plan` hands over the old connectivity that it needs.
///
/// # Safety
///
/// The methods keep to the table (contract U3 of docs/inside/unsafe.md), and find attributes by the ids that they were
/// shown (U4). Writes of `candidate` or `plan` are atomic, or go to words of their own seed. With [`Operator::STAR`]
/// the rules stated there hold too.
pub unsafe trait Operator: Bind + Copy + Send + Sync + 'static {
    /// Template of the elements deleted around a seed.
    type Template: Template;
    /// Data that `plan` hands to `fill`.
    type Plan: Copy;
    /// Slots that a cavity needs beyond its own.
    const GROWTH: Growth = Growth::NONE;
    /// `true` if `fill` may leave parts of the boundary loop without a face.
    const LEAVES_HOLE: bool = false;
    /// `true` if `candidate` makes sure that no vertex occurs twice on the boundary loop, so that it need not be looked
    /// up.
    const RIM_IS_SIMPLE: bool = false;

    /// Share of the seeds that the first round of a run considers; later rounds adapt it. Less than 1 saves work if
    /// each cavity overlaps many others: seeds with large hashes would lose in any case.
    const SHARE: f32 = 1.0;

    /// Rounds in which seeds are sieved in a separate launch ([`Want`](super::Want)), if a GPU has many of them.
    const SIEVES: Sieves = Sieves::Never;

    /// `true` if several rounds of few seeds may be one launch ([`Rounds`](super::Rounds)). Not if other kernels are
    /// launched between rounds, or between the steps of one.
    const TOGETHER: bool = true;

    /// `true` if `fill` joins one new vertex to all corners of the boundary loop, and does nothing else: the template
    /// deletes a vertex of each face that it deletes, with all edges there, no slots are needed beyond those of the
    /// cavity, and no hole is left. Then several threads fill a hole together: [`Operator::centre`] and
    /// [`Operator::spoke`] define the work, and `fill` is [`Hole::add_star_of`].
    const STAR: bool = false;

    /// `true` if cavities that have won may be given up: [`Operator::abandons`] is called.
    const ABANDONS: bool = false;

    /// Returns the template.
    fn template(&self) -> Self::Template;

    /// Returns the priority of a live seed that is to be changed, else `None`. The seed's faces are not frozen.
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority>;

    /// Tests a live seed quickly, before [`Operator::candidate`] is called and before it is put off because of
    /// [`Operator::SHARE`]: returns `false` if `candidate` would certainly return `None`.
    #[inline(always)]
    fn wants(&self, _mesh: &impl HalfEdgeMesh, _seed: Seed<Self>) -> bool {
        true
    }

    /// Prefetches the attributes of a vertex that [`Operator::candidate`] reads
    /// ([`GlobalMut::ask`](crate::mem::GlobalMut::ask)), with `true` for an end of a seed. Called some seeds ahead on a
    /// CPU, of which a vertex more or less does no harm.
    #[inline(always)]
    fn ask(&self, _vertex: u32, _of_seed: bool) {}

    /// Calls `pair` with each pair of loop vertices that `fill` joins by an edge, until it returns `false`. Returns
    /// `true` if it never did. If a pair is joined already the candidate is refused, and no other cavity of the round
    /// joins the same pair.
    #[inline(always)]
    fn joins(
        &self,
        _mesh: &impl HalfEdgeMesh,
        _seed: Seed<Self>,
        _pair: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        true
    }

    /// Calls `vertex` with each vertex that decides about the candidate and that no other cavity of the round may
    /// decide by, until it returns `false`. Returns `true` if it never did. `fill` may write attributes of these
    /// vertices.
    #[inline(always)]
    fn guards(
        &self,
        _mesh: &impl HalfEdgeMesh,
        _seed: Seed<Self>,
        _vertex: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        true
    }

    /// Reads the cavity before it is cut, and returns what [`Operator::fill`] needs.
    fn plan(&self, cavity: &Cavity<impl Site>) -> Self::Plan;

    /// Returns `true`, with [`Operator::ABANDONS`], to give a cavity up after `plan`: nothing is cut, the mesh stays as
    /// it was there, and the run counts it. The seed is no candidate again unless it is entered again. `fill` cannot
    /// give up; all that it would decide by is known here.
    #[inline(always)]
    fn abandons(&self, _cavity: &Cavity<impl Site>, _plan: &Self::Plan) -> bool {
        false
    }

    /// Fills the hole.
    fn fill(&self, plan: Self::Plan, hole: &mut Hole<'_, impl Site>);

    /// Adds, with [`Operator::STAR`], the centre and sets its attributes. Returns the centre, and a word for
    /// [`Operator::spoke`].
    #[inline(always)]
    fn centre<'h>(&self, _plan: Self::Plan, hole: &mut Hole<'h, impl Site>) -> (Corner<'h>, u32) {
        (hole.corner(0), 0)
    }

    /// Sets, with [`Operator::STAR`], the attributes of the new edge from the centre to a corner of the boundary loop,
    /// and enters seeds of the next round.
    #[inline(always)]
    fn spoke(&self, _spoke: Spoke<'_>, _told: u32, _queue: SeedQueue<'_, impl Site>) {}

    /// Sets attributes of new elements after a hole was filled, if a block is one thread: those that other engines set
    /// later, by full warps, from the same attributes of the elements and of the boundary loop.
    #[inline(always)]
    fn settle(&self, _cavity: &Cavity<impl Site>) {}

    /// Prefetches the attributes of a corner of the boundary loop that [`Operator::settle`] reads, as
    /// [`Operator::ask`].
    #[inline(always)]
    fn ask_corner(&self, _vertex: u32) {}
}

/// An edge of a star.
#[derive(Clone, Copy, Debug)]
pub struct Spoke<'h> {
    /// Number of the corner on the boundary loop.
    pub number: u32,
    /// Edge, from the centre.
    pub side: Side<'h>,
    /// New vertex in the centre.
    pub centre: Corner<'h>,
    /// Corner of the boundary loop.
    pub corner: Corner<'h>,
}
