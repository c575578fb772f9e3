//! What a kernel's body gets: rows of one relation, or of several at once.

use super::{NONE, Relation, Row};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Local, Map, Patch, PatchHeader};

/// One or several relations that a kernel asks for. With several, the body runs for each source of the
/// first, gets its row, and may look up rows of the others ([`Table::of`]).
pub trait Relations: Copy + 'static {
    /// The kind that the body runs for.
    type Source: crate::topo::Element;
    /// What the body gets beside the element.
    type Input: Copy;
    /// What is kept in shared memory.
    type Tables: Copy;

    /// Takes the shared memory that the tables need.
    fn carve(header: &PatchHeader, plan: &mut Plan) -> Self::Tables;
    /// First part of the construction, inside the kernel's first phase.
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, tables: &Self::Tables);
    /// The rest of the construction, in phases of its own.
    fn build<B: Block>(b: B, patch: &Patch, tables: &Self::Tables, scratch: Shared<u32>);
    /// What the body gets for a source element.
    fn input(patch: &Patch, tables: &Self::Tables, source: u32) -> Self::Input;
}

/// The neighbours of one element under relation `R`.
#[derive(Clone, Copy)]
pub struct Neighbours<R: Relation> {
    row: R::Row,
    map: Map<R::Target>,
}

impl<R: Relation> Neighbours<R> {
    #[inline(always)]
    pub(crate) fn new(patch: &Patch, tables: &R::Tables, source: u32) -> Self {
        Neighbours {
            row: R::row(patch, tables, source),
            map: patch.map(),
        }
    }

    /// Number of neighbours.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.row.len()
    }

    /// Whether there is none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.row.is_empty()
    }

    /// Neighbour `i` of `0..len()`. In a [`super::Diamond`] use [`Neighbours::try_get`].
    #[inline(always)]
    pub fn get(&self, i: u32) -> Local<R::Target> {
        self.map.local(self.row.get(i))
    }

    /// Neighbour `i`, or nothing where the relation has none in that place.
    #[inline(always)]
    pub fn try_get(&self, i: u32) -> Option<Local<R::Target>> {
        let id = self.row.get(i);
        if id == NONE {
            None
        } else {
            Some(self.map.local(id))
        }
    }

    /// All neighbours.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = Local<R::Target>> {
        let map = self.map;
        self.row.iter().map(move |id| map.local(id))
    }
}

/// A whole relation of the patch, for kernels that use several.
#[derive(Clone, Copy)]
pub struct Table<R: Relation> {
    patch: Patch,
    tables: R::Tables,
}

impl<R: Relation> Table<R> {
    /// The neighbours of a local element.
    ///
    /// Rows are complete for owned elements; for EV, FE and FV also for every ribbon element; for EF
    /// also for the edges of owned vertices and of owned faces. Other rows of ribbon elements hold what the patch knows; VE, VV and VF have
    /// rows for owned vertices only.
    #[inline(always)]
    pub fn of(&self, e: Local<R::Source>) -> Neighbours<R> {
        Neighbours::new(&self.patch, &self.tables, e.local())
    }
}

impl<R: Relation> Relations for R {
    type Source = R::Source;
    type Input = Neighbours<R>;
    type Tables = R::Tables;

    #[inline(always)]
    fn carve(header: &PatchHeader, plan: &mut Plan) -> R::Tables {
        R::carve(header, plan)
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, tables: &R::Tables) {
        R::prepare(p, patch, tables);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, tables: &R::Tables, scratch: Shared<u32>) {
        R::build(b, patch, tables, scratch);
    }
    #[inline(always)]
    fn input(patch: &Patch, tables: &R::Tables, source: u32) -> Neighbours<R> {
        Neighbours::new(patch, tables, source)
    }
}

macro_rules! several {
    ($first:ident $(, $rest:ident : $at:tt)+) => {
        impl<$first: Relation, $($rest: Relation),+> Relations for ($first, $($rest),+) {
            type Source = $first::Source;
            type Input = (Neighbours<$first>, $(Table<$rest>),+);
            type Tables = ($first::Tables, $($rest::Tables),+);

            #[inline(always)]
            fn carve(header: &PatchHeader, plan: &mut Plan) -> Self::Tables {
                ($first::carve(header, plan), $($rest::carve(header, plan)),+)
            }
            #[inline(always)]
            fn prepare<BL: Block>(p: Phase<BL>, patch: &Patch, tables: &Self::Tables) {
                $first::prepare(p, patch, &tables.0);
                $($rest::prepare(p, patch, &tables.$at);)+
            }
            #[inline(always)]
            fn build<BL: Block>(b: BL, patch: &Patch, tables: &Self::Tables, scratch: Shared<u32>) {
                $first::build(b, patch, &tables.0, scratch);
                $($rest::build(b, patch, &tables.$at, scratch);)+
            }
            #[inline(always)]
            fn input(patch: &Patch, tables: &Self::Tables, source: u32) -> Self::Input {
                (
                    Neighbours::new(patch, &tables.0, source),
                    $(Table { patch: *patch, tables: tables.$at }),+
                )
            }
        }
    };
}
several!(RA, RB: 1);
several!(RA, RB: 1, RC: 2);
