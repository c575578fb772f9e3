//! The cavity operator: a local change of a mesh as a hole that is cut and filled (Mahmoud et al. 2024, section 3).
//!
//! An [`Operator`] selects the seeds that want a change and their urgency, a [`Template`] the elements deleted around a
//! seed, and [`Operator::fill`] their replacement. Overlapping cavities of a round are resolved below it, here by
//! claims: every candidate puts its key on each face that it would delete, by atomic minimum; one that keeps all of
//! them has won. No thread waits, nothing is rolled back, and the outcome does not depend on the order in which threads
//! run. The differences between such schedulers lie behind two traits, [`HalfEdgeMesh`](crate::edit::HalfEdgeMesh) and
//! [`Site`]; operators, records and holes are written on these.
//!
//! A round is the launches [`Claim`], [`Resolve`], for operators that need new slots [`RankWords`] and [`RankChunks`],
//! [`FillIn`], and [`Collect`], which lists the next round's seeds; if there are few seeds, several rounds are one
//! launch ([`Rounds`]). docs/inside/life-of-an-edit.md describes them phase by phase.

mod births;
mod claim;
mod claims;
mod collect;
mod entry;
mod fill;
mod hole;
mod limit;
mod link;
mod operator;
mod record;
mod resolve;
mod round;
mod shape;
mod site;
mod tasks;
pub mod template;
mod together;

pub use births::{BIRTH_WORDS, BORN, Births, Interpolate, Origin, TraceVertices};
pub use claim::{CLAIM_ITEMS, CLAIM_ITEMS_ALONE, Claim, WANT_ITEMS, Want};
pub use claims::{ClaimTables, FREE, FROZEN, Key, Priority, RESET_EPOCH, ResetClaims, by_ends};
pub(crate) use collect::CollectTables;
pub use collect::{COLLECT_WORDS, Collect, MANY_SEEDS, RoundEnd};
pub use entry::OperatorEntry;
pub use fill::{FILL_BLOCKS, FillIn};
pub use hole::{Corner, Hole, SeedQueue, Side};
pub(crate) use limit::keep_first;
pub use limit::{LimitTables, LimitWinners};
pub(crate) use link::LinkWalk;
pub use link::{is_border, link_condition};
pub use operator::{Growth, Operator, Seed, Sieves, Spoke};
pub use record::{Cavity, RECORD_HEADER, most_record_words};
pub use resolve::{RESOLVE_ITEMS, Resolve};
pub(crate) use round::out_of_room;
pub use round::{BeginRun, COUNTERS, Counter, RANK_WORDS, RankChunks, RankWords, Round, Slots};
pub use site::Site;
pub use tasks::{TASK_WORDS, Tasks};
pub use template::{CavityShape, Sink, Template};
pub use together::{Rounds, SALT, lists_seeds, steps_of_round};

/// Parts of a scheduler of edits, beside [`Site`]: to examine candidates, to record cavities, to cut and fill them.
/// Operators need none of it.
pub mod parts {
    pub use super::record::{Recorder, record_words};
    pub use super::round::{each_corner, faces, lives};
    pub use super::site::Holder;
    pub use super::template::{FaceVisitor, face_of};
}

kernel_list! {
    flat reset_claims: ResetClaims;
    flat begin_run: BeginRun;
    block collect: Collect;
    block limit: LimitWinners;
    flat interpolate: Interpolate;
    flat trace_vertices: TraceVertices;
    block rank_words: RankWords;
    block rank_chunks: RankChunks;
}
