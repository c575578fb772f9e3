//! Growable patches: layout of the arrays of each in global memory.
//!
//! All patches have the same capacity, so that the handle of an element is its patch times the capacity plus its local
//! id. A handle is the index of every attribute, and changes when the element gets another owner.
//!
//! Three invariants hold whenever a patch is not locked:
//!
//! 1. every vertex has one owner; a face is in a patch if and only if that owns one of its corners, and edges and
//!    vertices follow their faces;
//! 2. the owner of an edge owns one of its ends, that of a face one of its corners;
//! 3. for each element that a patch has and does not own, its tables name the owner and the local id there.
//!
//! So a patch knows everything about the vertices that it owns, and unknown elements can only be changed by a patch
//! that takes over such a vertex, for which it must lock this patch.

use super::lock::Locks;
use super::stash::{STASH_SLOTS, Stash};
use super::table::{CuckooTable, RibbonEntry};
use rxmesh_kernels::args;
use rxmesh_kernels::mem::{Global, GlobalMut, Words};
use rxmesh_kernels::topo::Kind;

/// Maximum number of elements of a kind that a patch can have: 13 bits, and one value that means none.
pub const MOST_ELEMENTS: u32 = 8160;

args! {
    /// Capacity of each patch. Multiples of 32.
    pub struct PatchCapacity {
        /// Number of vertices.
        pub vertices: u32,
        /// Number of edges.
        pub edges: u32,
        /// Number of faces.
        pub faces: u32,
        /// Number of words of the table of vertices.
        pub vertex_table: u32,
        /// Number of words of the table of edges.
        pub edge_table: u32,
        /// Number of words of the table of faces.
        pub face_table: u32,
    }
}

/// Returns the element kind of a number.
#[inline(always)]
pub(super) const fn kind_of(kind: u32) -> Kind {
    match kind {
        0 => Kind::Vertex,
        1 => Kind::Edge,
        _ => Kind::Face,
    }
}

/// Calls `f` for each kind, in a loop: a large body is compiled once.
#[inline(always)]
pub(super) fn each_kind(mut f: impl FnMut(Kind)) {
    let mut kind = 0;
    while kind < 3 {
        f(kind_of(kind));
        kind += 1;
    }
}

/// Returns the value for a kind. Not a `match`: the device compiler would make an array in local memory from
/// consecutive fields.
#[inline(always)]
pub(super) const fn pick(kind: Kind, [vertex, edge, face]: [u32; 3]) -> u32 {
    let k = kind as u32;
    vertex * (k == 0) as u32 + edge * (k == 1) as u32 + face * (k == 2) as u32
}

impl PatchCapacity {
    /// Returns the capacity for elements of a kind.
    #[inline(always)]
    pub const fn room(&self, kind: Kind) -> u32 {
        pick(kind, [self.vertices, self.edges, self.faces])
    }

    /// Returns the number of words of a kind's table.
    #[inline(always)]
    pub const fn table(&self, kind: Kind) -> u32 {
        pick(kind, [self.vertex_table, self.edge_table, self.face_table])
    }

    /// Returns the number of entries of a patch in `topology`: EV, then FE, as in
    /// [`rxmesh_kernels::topo::PatchHeader`].
    #[inline(always)]
    pub const fn topology(&self) -> u32 {
        2 * self.edges + 3 * self.faces
    }

    /// Returns the offset of FE.
    #[inline(always)]
    pub const fn fe(&self) -> u32 {
        2 * self.edges
    }

    /// Returns the number of words of a set of elements of any kind.
    #[inline(always)]
    pub const fn set_words(&self) -> u32 {
        let n = if self.edges > self.faces {
            self.edges
        } else {
            self.faces
        };
        (if n > self.vertices { n } else { self.vertices }) / 32
    }

    /// Returns the offset of the mask of owned elements of a kind.
    #[inline(always)]
    pub const fn owned(&self, kind: Kind) -> u32 {
        pick(
            kind,
            [0, self.vertices / 32, (self.vertices + self.edges) / 32],
        )
    }

    /// Returns the offset of the mask of active elements of a kind.
    #[inline(always)]
    pub const fn active(&self, kind: Kind) -> u32 {
        (self.vertices + self.edges + self.faces) / 32 + self.owned(kind)
    }

    /// Returns the offset of the mask of frozen faces.
    #[inline(always)]
    pub const fn frozen(&self) -> u32 {
        2 * (self.vertices + self.edges + self.faces) / 32
    }

    /// Returns the offset of the set of seeds.
    #[inline(always)]
    pub const fn seeds(&self) -> u32 {
        self.frozen() + self.faces / 32
    }

    /// Returns the offset of the set of refused seeds.
    #[inline(always)]
    pub const fn refused(&self) -> u32 {
        self.seeds() + self.set_words()
    }

    /// Returns the number of words of a patch in `masks`.
    #[inline(always)]
    pub const fn masks(&self) -> u32 {
        self.refused() + self.set_words()
    }

    /// Returns the offset of the table of a kind in `ribbons`, after the stash.
    #[inline(always)]
    pub const fn table_at(&self, kind: Kind) -> u32 {
        pick(
            kind,
            [
                STASH_SLOTS,
                STASH_SLOTS + self.vertex_table,
                STASH_SLOTS + self.vertex_table + self.edge_table,
            ],
        )
    }

    /// Returns the number of words of a patch in `ribbons`.
    #[inline(always)]
    pub const fn ribbons(&self) -> u32 {
        STASH_SLOTS + self.vertex_table + self.edge_table + self.face_table
    }

    /// Returns the number of entries of a patch in `moved`.
    #[inline(always)]
    pub const fn moved(&self) -> u32 {
        self.vertices + self.edges + self.faces
    }

    /// Returns the offset of the entries of a kind in a patch's part of `moved`.
    #[inline(always)]
    pub const fn moved_at(&self, kind: Kind) -> u32 {
        pick(kind, [0, self.vertices, self.vertices + self.edges])
    }

    /// Returns the number of bytes of a patch, without attributes.
    pub const fn bytes(&self) -> u32 {
        2 * self.topology() + 4 * (self.masks() + self.ribbons()) + 2 * self.moved() + 8
    }
}

/// Entry of `moved` for an element that has not been given away.
pub const STAYS: u16 = u16::MAX;

args! {
    /// All patches.
    pub struct PatchStore {
        /// Capacity of each patch.
        pub shape: PatchCapacity,
        /// EV and FE, [`PatchCapacity::topology`] entries per patch.
        pub topology: GlobalMut<u16>,
        /// Masks and sets, [`PatchCapacity::masks`] words per patch.
        pub masks: GlobalMut<u32>,
        /// Stash and tables, [`PatchCapacity::ribbons`] words per patch.
        pub ribbons: GlobalMut<u32>,
        /// While a patch is locked by one that takes elements from it: the new local ids of those,
        /// [`PatchCapacity::moved`] entries per patch. [`STAYS`] otherwise.
        pub moved: GlobalMut<u16>,
        /// Locks of the patches.
        pub locks: Locks,
        /// Word 1 + patch: the needs of the patch ([`NEEDS_SLICE`], [`MAY_NEED_SLICE`]).
        pub needs: GlobalMut<u32>,
        /// Number of patches, including empty ones.
        pub patches: u32,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl rxmesh_kernels::attr::Field for PatchStore {}

/// The patch has no capacity for its edits.
pub const NEEDS_SLICE: u32 = 1;

/// Another patch found no capacity in this one, or in one beside it, for its edits.
pub const MAY_NEED_SLICE: u32 = 2;

impl PatchStore {
    /// Returns a patch in global memory.
    #[inline(always)]
    pub fn patch(&self, id: u32) -> PatchArrays<GlobalMut<u16>, GlobalMut<u32>> {
        let s = self.shape;
        PatchArrays {
            shape: s,
            topology: self.topology.from(id * s.topology()),
            masks: self.masks.from(id * s.masks()),
            ribbons: self.ribbons.from(id * s.ribbons()),
        }
    }

    /// Returns the new local ids of a patch's elements.
    #[inline(always)]
    pub fn moved(&self, id: u32) -> GlobalMut<u16> {
        self.moved.from(id * self.shape.moved())
    }

    /// Returns the handle of a patch's element 0 of a kind.
    #[inline(always)]
    pub fn base(&self, id: u32, kind: Kind) -> u32 {
        id * self.shape.room(kind)
    }
}

/// 16-bit entries in shared or global memory.
pub trait Entries: Copy {
    /// Returns entry `i`.
    fn at(self, i: u32) -> u32;
    /// Sets entry `i`.
    fn put(self, i: u32, v: u32);
}

impl Entries for GlobalMut<u16> {
    #[inline(always)]
    fn at(self, i: u32) -> u32 {
        u32::from(self.get(i))
    }
    #[inline(always)]
    fn put(self, i: u32, v: u32) {
        self.set(i, v as u16);
    }
}

impl Entries for rxmesh_kernels::mem::Shared<u16> {
    #[inline(always)]
    fn at(self, i: u32) -> u32 {
        u32::from(self.get(i))
    }
    #[inline(always)]
    fn put(self, i: u32, v: u32) {
        self.set(i, v as u16);
    }
}

/// Arrays of one patch, in global memory or the copy in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct PatchArrays<E, W> {
    /// Capacity of the patch.
    pub shape: PatchCapacity,
    /// Relations EV and FE.
    pub topology: E,
    /// Masks and sets.
    pub masks: W,
    /// Stash and tables.
    pub ribbons: W,
}

/// Words that can be divided into sections.
pub trait Sections: Words {
    /// Returns `n` words from word `from` on.
    fn section(self, from: u32, n: u32) -> Self;
}

impl Sections for GlobalMut<u32> {
    #[inline(always)]
    fn section(self, from: u32, n: u32) -> Self {
        self.part(from, n)
    }
}

impl Sections for rxmesh_kernels::mem::Shared<u32> {
    #[inline(always)]
    fn section(self, from: u32, n: u32) -> Self {
        self.part(from, n)
    }
}

impl<E: Entries, W: Sections> PatchArrays<E, W> {
    /// Returns the source (`side` 0) or target (1) of an edge; in general the vertex that half-edge `h` leaves.
    #[inline(always)]
    pub fn origin(&self, h: u32) -> u32 {
        self.topology.at(h)
    }

    /// Returns half-edge `k` of a face.
    #[inline(always)]
    pub fn side(&self, f: u32, k: u32) -> u32 {
        self.topology.at(self.shape.fe() + 3 * f + k)
    }

    /// Returns the corners of a face.
    #[inline(always)]
    pub fn corners(&self, f: u32) -> [u32; 3] {
        [
            self.origin(self.side(f, 0)),
            self.origin(self.side(f, 1)),
            self.origin(self.side(f, 2)),
        ]
    }

    #[inline(always)]
    fn bit(&self, section: u32, i: u32) -> bool {
        self.masks.load(section + i / 32) >> (i % 32) & 1 != 0
    }

    /// Adds to a set of `masks`, atomically; returns `true` if it is new.
    #[inline(always)]
    pub fn enter(&self, section: u32, i: u32) -> bool {
        let bit = 1 << (i % 32);
        self.masks.fetch_or(section + i / 32, bit) & bit == 0
    }

    /// Removes from a set of `masks`, atomically; returns `true` if it was there.
    #[inline(always)]
    pub fn leave(&self, section: u32, i: u32) -> bool {
        let bit = 1 << (i % 32);
        self.masks.fetch_and(section + i / 32, !bit) & bit != 0
    }

    /// Returns `true` if a local element is active.
    #[inline(always)]
    pub fn is_active(&self, kind: Kind, i: u32) -> bool {
        self.bit(self.shape.active(kind), i)
    }

    /// Returns `true` if a local element is owned.
    #[inline(always)]
    pub fn is_owned(&self, kind: Kind, i: u32) -> bool {
        self.bit(self.shape.owned(kind), i)
    }

    /// Returns `true` if a face is frozen.
    #[inline(always)]
    pub fn is_frozen(&self, f: u32) -> bool {
        self.bit(self.shape.frozen(), f)
    }

    /// Makes an element active and owned.
    #[inline(always)]
    pub fn bear(&self, kind: Kind, i: u32) {
        self.enter(self.shape.active(kind), i);
        self.enter(self.shape.owned(kind), i);
    }

    /// Makes an element neither active nor owned.
    #[inline(always)]
    pub fn bury(&self, kind: Kind, i: u32) {
        self.leave(self.shape.active(kind), i);
        self.leave(self.shape.owned(kind), i);
    }

    /// Returns `true` if an element is a seed.
    #[inline(always)]
    pub fn is_seed(&self, i: u32) -> bool {
        self.bit(self.shape.seeds(), i)
    }

    /// Returns the neighbour patches.
    #[inline(always)]
    pub fn stash(&self) -> Stash<W> {
        Stash(self.ribbons.section(0, STASH_SLOTS))
    }

    /// Returns the owners of the elements of a kind that are not owned.
    #[inline(always)]
    pub fn table(&self, kind: Kind) -> CuckooTable<W> {
        CuckooTable::new(
            self.ribbons
                .section(self.shape.table_at(kind), self.shape.table(kind)),
        )
    }

    /// Returns the handle of the element that an entry of a table names.
    #[inline(always)]
    pub fn handle_of(&self, kind: Kind, entry: RibbonEntry) -> u32 {
        self.stash().get(entry.slot) * self.shape.room(kind) + entry.at
    }

    /// Returns the handle of an active local element of patch `id`.
    #[inline(always)]
    pub fn handle(&self, id: u32, kind: Kind, i: u32) -> u32 {
        if self.is_owned(kind, i) {
            return id * self.shape.room(kind) + i;
        }
        match self.table(kind).find(i) {
            Some(entry) => self.handle_of(kind, entry),
            None => rxmesh_kernels::edit::NONE,
        }
    }
}

args! {
    /// Columns of the elements: attributes by handle. One entry per column, in global memory, so that there may be any
    /// number.
    pub struct ColumnList {
        /// Columns.
        pub list: Global<ColumnEntry>,
        /// Number of columns whose values are interpolated for new vertices.
        pub blended: u32,
    }
}

/// Value of [`ColumnEntry::blend`]: new vertices get the value, of one word, of the parent with the greatest weight,
/// with [`BORN`](rxmesh_kernels::cavity::BORN).
pub const TRACED: u32 = 2;

/// Column in the form that the device takes.
#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ColumnEntry {
    /// Address of its words.
    pub address: u64,
    /// Number of words.
    pub len: u64,
    /// Number of words per value.
    pub width: u32,
    /// Element kind, a [`Kind`].
    pub kind: u32,
    /// Value of new vertices: 0 for none, [`TRACED`], or else the weighted mean of the values of their parents (the
    /// words are `f32` then).
    pub blend: u32,
    /// Not used; zero.
    pub reserved: u32,
}

impl ColumnEntry {
    /// Returns the column's words.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn words(&self) -> GlobalMut<u32> {
        // SAFETY: the host enters addresses of live buffers of the engine, and keeps them while the kernel runs
        // (contract U4 of docs/inside/unsafe.md).
        unsafe { GlobalMut::new(self.address as usize as *mut u32, self.len as u32) }
    }

    /// Copies the value at one handle to another.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn copy(&self, from: u32, to: u32) {
        let words = self.words();
        let mut k = 0;
        while k < self.width {
            words.store(to * self.width + k, words.load(from * self.width + k));
            k += 1;
        }
    }
}

impl ColumnList {
    /// Copies the values of an element of a kind, in all columns.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn copy(&self, kind: Kind, from: u32, to: u32) {
        let mut c = 0;
        while c < self.list.len() {
            let column = self.list.get(c);
            if column.kind == kind as u32 {
                column.copy(from, to);
            }
            c += 1;
        }
    }
}
