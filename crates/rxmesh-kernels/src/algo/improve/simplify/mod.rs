//! Simplification by edge collapse: quadric errors (Garland and Heckbert 1997) or the shortest edge first.
//!
//! Serial simplification takes the cheapest edge of the whole mesh, over and over. Here a round takes all edges that
//! are cheaper than a bound and the cheapest among the edges at their ends; the bound is a quantile of the costs, so
//! that no round carries out collapses that a serial run would come to much later. The cost of an edge is kept, and
//! recomputed only when one of its ends has changed.

mod batch;
mod collapse;
mod deviation;
mod order;
mod prepare;
pub mod quadric;
mod select;
mod surface;

use crate::algo::improve::remesh::LineEdges;
use crate::args;
use crate::edit::NONE;
use crate::mem::{Bind, GlobalMut, Hashed};
use batch::part_word;
pub use batch::{
    BATCH_BLOCKS, BatchCheck, BatchDecide, BatchFaces, BatchLimit, BatchList, BatchSelect,
    BatchUnbind, BatchWinners, Batched, FACES, MeshCount, WORDS_A_PART, Winning,
};
pub use collapse::{Collapse, CollapsePlan, SimplifyRefusals};
pub use deviation::{BOUND_WORDS, SimplifyBounds, SimplifyDeviation, from_ordered, ordered};
pub use order::{EdgePriority, MOST_TURNS};
pub use prepare::{COSTS_ALONE, SimplifyBorders, SimplifyCosts, SimplifyQuadrics};
use quadric::Stored;
pub use select::costs::EdgeCosts;
pub use select::{COURSE_WORDS, Course, IDLE_ROUNDS, SELECT_WORDS, SimplifySelect};
pub use surface::{Placement, QuadricSurface};

kernel_list! {
    flat simplify_quadrics: SimplifyQuadrics;
    flat simplify_borders: SimplifyBorders;
    flat simplify_costs: SimplifyCosts<NoLines>;
    block simplify_select: SimplifySelect<NoLines>;
    operator simplify: Collapse<NoLines>;
    flat simplify_costs_lines: SimplifyCosts<SomeLines>;
    block simplify_select_lines: SimplifySelect<SomeLines>;
    operator simplify_lines: Collapse<SomeLines>;
    flat simplify_refusals: SimplifyRefusals;
    flat simplify_deviation: SimplifyDeviation;
    flat simplify_bounds: SimplifyBounds;
    flat batch_check: BatchCheck;
    block batch_faces: BatchFaces;
    flat batch_unbind: BatchUnbind;
    block batch_select: BatchSelect<NoLines>;
    block batch_select_lines: BatchSelect<SomeLines>;
    block batch_decide: BatchDecide;
    block batch_winners: BatchWinners;
    block batch_list: BatchList;
    block batch_limit: BatchLimit;
}

/// Bit of a cost: the edge was refused, and waits until refusals are forgiven.
pub const REFUSED: u32 = 1 << 31;

/// Value of a cost: the collapse would move the surface farther than is allowed.
pub const TOO_FAR: u32 = NONE - 1;

/// Value in place of a cost: the edge is new, and its cost is computed before the next round.
pub const NEW: u32 = NONE - 2;

/// In [`QuadricSurface::holds`]: the vertex moves, and may go.
pub const FREE_TO_MOVE: u32 = 0;

/// In [`QuadricSurface::holds`]: the vertex stays where it is; others may be drawn into it.
pub const STAYS: u32 = 1;

/// In [`QuadricSurface::holds`], this and larger numbers: as [`STAYS`], and the vertex is one of several in one place,
/// all of which have this number.
pub const FIRST_PLACE: u32 = 2;

/// In [`QuadricSurface::holds`]: the vertex is inside a line of marked edges, and moves and goes along it only.
pub const ON_LINE: u32 = NONE - 1;

/// In [`QuadricSurface::holds`]: the vertex stays, and all around it.
pub const LOCKED: u32 = NONE;

/// In [`QuadricSurface::placing`]: new vertices come to the point of least cost.
pub const PLACE_BEST: u32 = 0;

/// In [`QuadricSurface::placing`]: to the end of the edge that costs less. For edges whose best point turns faces over.
pub const PLACE_CHEAPER_END: u32 = 1;

/// In [`QuadricSurface::placing`]: to the other end.
pub const PLACE_OTHER_END: u32 = 2;

/// In [`QuadricSurface::placing`]: to the middle.
pub const PLACE_MIDDLE: u32 = 3;

/// Bins of the histogram of costs: by exponent and three bits of the mantissa.
pub const COST_BINS: u32 = 1 << 11;

/// Bits of a cost below its bin.
pub const COST_SHIFT: u32 = 20;

/// Words of a histogram's buffer: word 0 is not used.
pub const HISTOGRAM_WORDS: u32 = COST_BINS + 1;

/// Reason why an edge is not collapsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Refusal {
    /// Frozen edge: it touches a frozen face, or both its ends stay.
    Frozen = 1,
    /// The surface would become another one (the link condition), or vanish.
    Link = 2,
    /// A face would turn over.
    Fold = 3,
    /// Something is not a finite number.
    NotFinite = 4,
    /// The boundary would take another course. Quadrics see to that by themselves.
    Bend = 5,
    /// The surface would move too far.
    Deviation = 6,
}

/// Words of a count of refusals: word 0 is not used.
pub const REFUSALS: usize = 7;

/// Options of a mesh, by word of its part of [`QuadricSurface::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum MeshRule {
    /// Largest distance of the surface from its input, squared and in the unit of lengths; infinite without a limit.
    Limit = 0,
    /// Weight of the planes that hold the boundary against those of the faces; 0 leaves it free.
    Boundary = 1,
    /// Weight of those that hold edges.
    Groups = 2,
    /// Nonzero if the vertices of the boundary stay.
    Keep = 3,
}

/// Words of [`QuadricSurface::rules`] a mesh.
pub const RULES: u32 = 4;

/// Lines of a surface: edges that are kept, and planes of edges and the boundary that are apart from those of faces.
/// Kernels are compiled for surfaces with and without them: the latter neither hold lines' quadrics nor read marks.
pub trait LineForm: Bind + Hashed + Copy + core::fmt::Debug + Send + Sync + 'static {
    /// Returns the quadrics, by vertex, of the planes that stand on the boundary and on edges that are held, where
    /// these are bounded apart from those of the faces.
    fn quadrics(&self) -> Option<GlobalMut<Stored>>;

    /// Returns the marks of the lines that [`ON_LINE`] is about.
    fn marks(&self) -> Option<LineEdges>;
}

args! {
    /// No lines.
    pub struct NoLines {}
}

args! {
    /// Lines, if there are any.
    pub struct SomeLines {
        /// See [`LineForm::quadrics`]; empty when [`QuadricSurface::quadrics`] has them.
        pub quadrics: GlobalMut<Stored>,
        /// See [`LineForm::marks`].
        pub marks: LineEdges,
    }
}

impl LineForm for NoLines {
    #[inline(always)]
    fn quadrics(&self) -> Option<GlobalMut<Stored>> {
        None
    }

    #[inline(always)]
    fn marks(&self) -> Option<LineEdges> {
        None
    }
}

impl LineForm for SomeLines {
    #[inline(always)]
    fn quadrics(&self) -> Option<GlobalMut<Stored>> {
        (!self.quadrics.is_empty()).then_some(self.quadrics)
    }

    #[inline(always)]
    fn marks(&self) -> Option<LineEdges> {
        (self.marks.any != 0).then_some(self.marks)
    }
}
