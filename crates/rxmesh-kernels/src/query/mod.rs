//! Relations between neighbouring elements, computed in shared memory from FE and EV, in volumes from CV, CE and
//! CF too.
//!
//! | relation | of an element | are its | computed by |
//! | --- | --- | --- | --- |
//! | [`EV`], [`FE`], [`FV`] | edge, face, face | vertices, edges, vertices | reading (FV through EV) |
//! | [`VE`], [`VV`], [`VF`], [`EF`] | vertex, vertex, vertex, edge | edges, vertices, faces, faces | transposing in shared memory |
//! | [`FF`] | face | faces that share an edge | FE, then EF |
//! | [`EEThroughFaces`] | edge | edges that share a face | EF, then FE |
//! | [`Corners`] | vertex | the next and the previous vertex in each of its faces | VF, then FE and EV |
//! | [`Fans`] | vertex | the same, face after face around the vertex where they form one fan | VF and the sides' corners, then FE and EV |
//! | [`Diamond`] | edge | two vertices and two opposite vertices | EV and EF |
//! | [`OrientedVV`], [`OrientedVE`], [`OrientedVF`] | vertex | vertices, edges, faces, counter-clockwise | walking from side to side |
//! | [`CV`], [`CE`], [`CF`] | cell | vertices, edges, faces | reading |
//! | [`VC`], [`EC`], [`FC`] | vertex, edge, face | cells | transposing in shared memory |
//! | [`CC`] | cell | cells that share a face | CF, then FC |
//! | [`EE`] | edge of a volume | edges that share a vertex | EV, then VE of all local vertices |
//!
//! [`Relation::NEEDS`] lists the kinds that a mesh must keep for it.
//!
//! Rows are sets: an element appears once, and never in its own row, whatever the mesh. Rows of the transposed
//! relations are in ascending local id (VV on a block of one thread: in the order of the edges), so that a sum over a
//! row has the same order on every run of one engine. Each can also be prepared: computed once, kept in global memory
//! ([`Prepared`]). RXMesh 2021, section 6.2 and appendix A; the transpose is appendix B's, by counting.

mod around;
mod cell;
mod corners;
mod csr;
mod diamond;
mod edge;
mod face;
mod list;
mod local;
mod oriented;
pub mod prepare;
mod prepared;
mod relations;
pub mod rows;
mod slots;
mod transposed;
mod vertex;

pub use around::{EC, EE, FC, VC};
pub use cell::{CC, CE, CF, CV};
pub use corners::{Corners, Fans};
pub use csr::Csr;
pub use diamond::Diamond;
pub use edge::{EEThroughFaces, EF, EV};
pub use face::{FE, FF, FV};
pub(crate) use list::relation_kernels;
pub use local::{LocalEv, LocalFe, LocalMap};
pub use oriented::{FanWalks, OrientedTables, OrientedVE, OrientedVF, OrientedVV};
pub use prepared::{
    Prepared, PreparedRow, PreparedTable, TABLE_ALIGN, each_of, each_place, table_rows,
};
pub use relations::{
    Alone, Both, Neighbours, Preparer, Relations, Source, StoredRelations, Table, Three,
};
pub use slots::EdgeFaces;
pub use vertex::{VE, VF, VV, VertexFaces};

use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Element, Needs, Patch, PatchHeader};

kernel_list! {
    of [
        prepare::KERNELS,
        rows::KERNELS,
    ];
}

/// One relation, as the patches compute it.
///
/// # Safety
///
/// As a [`PatchKernel`](crate::kernel::PatchKernel), of which this is a part (contracts U1 to U4 of
/// docs/inside/unsafe.md); every entry of a row is a local id of the patch's elements of kind `Target`, or [`NONE`]
/// where rows have a fixed length.
pub unsafe trait Relation: Copy + core::fmt::Debug + Send + Sync + 'static {
    /// Kind whose elements have rows.
    type Source: Element;
    /// Kind in the rows.
    type Target: Element;
    /// Layout of the relation's shared memory.
    type Tables: Copy;
    /// One row.
    type Row: Row;
    /// The relation's name.
    const NAME: &'static str;
    /// Name of the entry that prepares it ([`crate::query::prepare::PrepareRows`]).
    const PREPARE: &'static str;
    /// Number of neighbours when it is the same for every element.
    const FIXED: Option<u32> = None;
    /// Usual number of neighbours of an element: that many loads are in flight at a time.
    const USUAL: u32 = match Self::FIXED {
        Some(n) => n,
        None => 6,
    };
    /// Tables that a mesh must keep for it. With [`Needs::RING`] its rows are long on volumes, where it is prepared
    /// only on request.
    const NEEDS: Needs = Needs::EDGES.and(Needs::FACES);
    /// `true` if rows can have gaps ([`NONE`]).
    const GAPS: bool = false;
    /// `true` if a prepared table pays: not for relations that are stored in any case.
    const PREPARABLE: bool = true;
    /// `true` if a prepared table has rows for ribbon elements too: for relations that kernels look up from others
    /// ([`Table::of`]).
    const RIBBON_ROWS: bool = false;

    /// Takes the shared memory that the tables need.
    fn carve(header: &PatchHeader, plan: &mut Plan) -> Self::Tables;
    /// Constructs the first part, inside the kernel's first phase.
    fn prepare<B: Block>(_p: Phase<B>, _patch: &Patch, _tables: &Self::Tables) {}
    /// Constructs the rest, in separate phases.
    fn build<B: Block>(_b: B, _patch: &Patch, _tables: &Self::Tables, _scratch: Shared<u32>) {}
    /// Returns the row of a local element. Complete for owned elements; [`Table::of`] says more.
    fn row(patch: &Patch, tables: &Self::Tables, source: u32) -> Self::Row;
    /// Returns entry `k` of the rows of all local elements, one after the other, for relations with rows of a fixed
    /// length other than four, which are written whole; [`NONE`] for a missing one.
    #[inline(always)]
    fn entry(patch: &Patch, tables: &Self::Tables, k: u32) -> u32 {
        let width = Self::FIXED.unwrap_or(1);
        Self::row(patch, tables, k / width).get(k % width)
    }
    /// Returns the table as compressed rows, if it is stored so.
    #[inline(always)]
    fn csr(_tables: &Self::Tables) -> Option<Csr> {
        None
    }
}

/// A relation to smaller elements, whose rows the patches store for all their elements, ribbon included.
///
/// # Safety
///
/// As [`Relation`], for ribbon elements as for owned ones.
pub unsafe trait Stored: Relation {}

/// Local ids of one element's neighbours.
pub trait Row: Copy {
    /// Iterator over the row.
    type Iter: Iterator<Item = u32>;
    /// Returns the number of neighbours.
    fn len(&self) -> u32;
    /// Returns `true` if there is none.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns neighbour `i`.
    fn get(&self, i: u32) -> u32;
    /// Returns all neighbours.
    fn iter(&self) -> Self::Iter;
}

/// Neighbour that is missing: the opposite vertex of a boundary edge in a [`Diamond`].
pub const NONE: u32 = u32::MAX;

/// Stops a kernel that reads a neighbour or a row that does not exist: it panics on the host and traps on a GPU.
#[inline(always)]
pub(crate) fn within(i: u32, n: u32) {
    if i >= n {
        #[cfg(target_arch = "nvptx64")]
        cuda_std::intrinsics::trap();
        #[cfg(not(target_arch = "nvptx64"))]
        not_there(i, n);
    }
}

#[cfg(not(target_arch = "nvptx64"))]
#[cold]
#[inline(never)]
fn not_there(i: u32, n: u32) -> ! {
    panic!("a kernel reads neighbour or row {i} of {n}");
}

/// Returns `row`, or [`NONE`] if `skip`: an entry that the transpose leaves out.
#[inline(always)]
fn unless(skip: bool, row: u32) -> u32 {
    if skip { NONE } else { row }
}
