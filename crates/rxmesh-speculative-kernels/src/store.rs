//! Patches that change: where the parts of each lie in global memory.
//!
//! All patches have room for the same number of elements, so that the handle of an element is a product and a sum:
//! patch times capacity plus local id. A handle is the index of every attribute, and changes when the element gets
//! another owner.
//!
//! Three rules hold whenever a patch is not locked:
//!
//! 1. every vertex has one owner; a face is in a patch if and only if that owns one of its corners, and edges and
//!    vertices follow their faces;
//! 2. the owner of an edge owns one of its ends, that of a face one of its corners;
//! 3. for each element that a patch has and does not own, its tables name the owner and the local id there.
//!
//! So a patch knows everything about the vertices that it owns, and what it does not know can only be changed by who
//! takes them over, for which it must lock the patch.

use super::lock::Locks;
use super::stash::{STASH_SLOTS, Stash};
use super::table::{RibbonEntry, Table};
use rxmesh_kernels::args;
use rxmesh_kernels::mem::{Global, GlobalMut, Words};
use rxmesh_kernels::topo::Kind;

/// The most elements of a kind that a patch can have: 13 bits, and one value that means none.
pub const MOST_ELEMENTS: u32 = 8160;

args! {
    /// What each patch has room for. Multiples of 32.
    pub struct Shape {
        /// Vertices.
        pub vertices: u32,
        /// Edges.
        pub edges: u32,
        /// Faces.
        pub faces: u32,
        /// Words of the table of vertices.
        pub vertex_table: u32,
        /// Words of the table of edges.
        pub edge_table: u32,
        /// Words of the table of faces.
        pub face_table: u32,
    }
}

/// Element kind by number.
#[inline(always)]
pub(super) const fn kind_of(kind: u32) -> Kind {
    match kind {
        0 => Kind::Vertex,
        1 => Kind::Edge,
        _ => Kind::Face,
    }
}

/// Runs `f` for each kind, in a loop: what is large is compiled once.
#[inline(always)]
pub(super) fn each_kind(mut f: impl FnMut(Kind)) {
    let mut kind = 0;
    while kind < 3 {
        f(kind_of(kind));
        kind += 1;
    }
}

/// The value for a kind. Not a `match`: of fields that follow each other the device compiler makes an array in local
/// memory.
#[inline(always)]
pub(super) const fn pick(kind: Kind, [vertex, edge, face]: [u32; 3]) -> u32 {
    let k = kind as u32;
    vertex * (k == 0) as u32 + edge * (k == 1) as u32 + face * (k == 2) as u32
}

impl Shape {
    /// Room for elements of a kind.
    #[inline(always)]
    pub const fn room(&self, kind: Kind) -> u32 {
        pick(kind, [self.vertices, self.edges, self.faces])
    }

    /// Words of a kind's table.
    #[inline(always)]
    pub const fn table(&self, kind: Kind) -> u32 {
        pick(kind, [self.vertex_table, self.edge_table, self.face_table])
    }

    /// Entries of a patch in `topology`: EV, then FE, as in [`rxmesh_kernels::topo::PatchHeader`].
    #[inline(always)]
    pub const fn topology(&self) -> u32 {
        2 * self.edges + 3 * self.faces
    }

    /// Where FE begins.
    #[inline(always)]
    pub const fn fe(&self) -> u32 {
        2 * self.edges
    }

    /// Words of a set of elements of any kind.
    #[inline(always)]
    pub const fn set_words(&self) -> u32 {
        let n = if self.edges > self.faces {
            self.edges
        } else {
            self.faces
        };
        (if n > self.vertices { n } else { self.vertices }) / 32
    }

    /// Where the mask of owned elements of a kind begins.
    #[inline(always)]
    pub const fn owned(&self, kind: Kind) -> u32 {
        pick(
            kind,
            [0, self.vertices / 32, (self.vertices + self.edges) / 32],
        )
    }

    /// Where the mask of active elements of a kind begins.
    #[inline(always)]
    pub const fn active(&self, kind: Kind) -> u32 {
        (self.vertices + self.edges + self.faces) / 32 + self.owned(kind)
    }

    /// Where the mask of frozen faces begins.
    #[inline(always)]
    pub const fn frozen(&self) -> u32 {
        2 * (self.vertices + self.edges + self.faces) / 32
    }

    /// Where the set of seeds begins.
    #[inline(always)]
    pub const fn seeds(&self) -> u32 {
        self.frozen() + self.faces / 32
    }

    /// Where the set of refused seeds begins.
    #[inline(always)]
    pub const fn refused(&self) -> u32 {
        self.seeds() + self.set_words()
    }

    /// Words of a patch in `masks`.
    #[inline(always)]
    pub const fn masks(&self) -> u32 {
        self.refused() + self.set_words()
    }

    /// Where the table of a kind begins in `ribbons`, after the stash.
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

    /// Words of a patch in `ribbons`.
    #[inline(always)]
    pub const fn ribbons(&self) -> u32 {
        STASH_SLOTS + self.vertex_table + self.edge_table + self.face_table
    }

    /// Entries of a patch in `moved`.
    #[inline(always)]
    pub const fn moved(&self) -> u32 {
        self.vertices + self.edges + self.faces
    }

    /// Where the entries of a kind begin in a patch's part of `moved`.
    #[inline(always)]
    pub const fn moved_at(&self, kind: Kind) -> u32 {
        pick(kind, [0, self.vertices, self.vertices + self.edges])
    }

    /// Bytes of a patch, without attributes.
    pub const fn bytes(&self) -> u32 {
        2 * self.topology() + 4 * (self.masks() + self.ribbons()) + 2 * self.moved() + 8
    }
}

/// In `moved`: the element has not been given away.
pub const STAYS: u16 = u16::MAX;

args! {
    /// All patches.
    pub struct PatchStore {
        /// What each has room for.
        pub shape: Shape,
        /// EV and FE, [`Shape::topology`] entries a patch.
        pub topology: GlobalMut<u16>,
        /// Masks and sets, [`Shape::masks`] words a patch.
        pub masks: GlobalMut<u32>,
        /// Stash and tables, [`Shape::ribbons`] words a patch.
        pub ribbons: GlobalMut<u32>,
        /// While a patch is locked by who takes elements from it: the new local ids of those, [`Shape::moved`] entries
        /// a patch. [`STAYS`] otherwise.
        pub moved: GlobalMut<u16>,
        /// Who works on which patch.
        pub locks: Locks,
        /// Word 1 + patch: what the patch needs ([`NEEDS_SLICE`], [`MAY_NEED_SLICE`]).
        pub needs: GlobalMut<u32>,
        /// Number of patches, empty ones among them.
        pub patches: u32,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl rxmesh_kernels::attr::Field for PatchStore {}

/// The patch has no room for what it should do.
pub const NEEDS_SLICE: u32 = 1;

/// Another patch found no room in this one, or in one beside it, for what it should do.
pub const MAY_NEED_SLICE: u32 = 2;

impl PatchStore {
    /// A patch, in global memory.
    #[inline(always)]
    pub fn patch(&self, id: u32) -> Parts<GlobalMut<u16>, GlobalMut<u32>> {
        let s = self.shape;
        Parts {
            shape: s,
            topology: self.topology.from(id * s.topology()),
            masks: self.masks.from(id * s.masks()),
            ribbons: self.ribbons.from(id * s.ribbons()),
        }
    }

    /// Where a patch's elements go.
    #[inline(always)]
    pub fn moved(&self, id: u32) -> GlobalMut<u16> {
        self.moved.from(id * self.shape.moved())
    }

    /// Handle of a patch's element 0 of a kind.
    #[inline(always)]
    pub fn base(&self, id: u32, kind: Kind) -> u32 {
        id * self.shape.room(kind)
    }
}

/// 16-bit entries in shared or global memory.
pub trait Entries: Copy {
    /// Entry `i`.
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

/// The parts of one patch, in global memory or the copy in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Parts<E, W> {
    /// What it has room for.
    pub shape: Shape,
    /// EV and FE.
    pub topology: E,
    /// Masks and sets.
    pub masks: W,
    /// Stash and tables.
    pub ribbons: W,
}

/// Words of which a section can be taken.
pub trait Sections: Words {
    /// `n` words from word `from` on.
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

impl<E: Entries, W: Sections> Parts<E, W> {
    /// Source (`side` 0) or target (1) of an edge; in general the vertex that half-edge `h` leaves.
    #[inline(always)]
    pub fn origin(&self, h: u32) -> u32 {
        self.topology.at(h)
    }

    /// Half-edge `k` of a face.
    #[inline(always)]
    pub fn side(&self, f: u32, k: u32) -> u32 {
        self.topology.at(self.shape.fe() + 3 * f + k)
    }

    /// The corners of a face.
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

    /// Adds to a set of `masks`, atomically; whether it is new.
    #[inline(always)]
    pub fn enter(&self, section: u32, i: u32) -> bool {
        let bit = 1 << (i % 32);
        self.masks.fetch_or(section + i / 32, bit) & bit == 0
    }

    /// Takes from a set of `masks`, atomically; whether it was there.
    #[inline(always)]
    pub fn leave(&self, section: u32, i: u32) -> bool {
        let bit = 1 << (i % 32);
        self.masks.fetch_and(section + i / 32, !bit) & bit != 0
    }

    /// Whether a local element is active.
    #[inline(always)]
    pub fn is_active(&self, kind: Kind, i: u32) -> bool {
        self.bit(self.shape.active(kind), i)
    }

    /// Whether a local element is owned.
    #[inline(always)]
    pub fn is_owned(&self, kind: Kind, i: u32) -> bool {
        self.bit(self.shape.owned(kind), i)
    }

    /// Whether a face is frozen.
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

    /// Whether an element is a seed.
    #[inline(always)]
    pub fn is_seed(&self, i: u32) -> bool {
        self.bit(self.shape.seeds(), i)
    }

    /// The neighbour patches.
    #[inline(always)]
    pub fn stash(&self) -> Stash<W> {
        Stash(self.ribbons.section(0, STASH_SLOTS))
    }

    /// The owners of the elements of a kind that are not owned.
    #[inline(always)]
    pub fn table(&self, kind: Kind) -> Table<W> {
        Table::new(
            self.ribbons
                .section(self.shape.table_at(kind), self.shape.table(kind)),
        )
    }

    /// The handle of what an entry of a table names.
    #[inline(always)]
    pub fn handle_of(&self, kind: Kind, entry: RibbonEntry) -> u32 {
        self.stash().get(entry.slot) * self.shape.room(kind) + entry.at
    }

    /// The handle of an active local element of patch `id`.
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
    /// The columns that go with the elements: attributes by handle. One entry a column, in global memory, so that there
    /// may be any number.
    pub struct Columns {
        /// The columns.
        pub list: Global<ColumnEntry>,
        /// How many of them have values that new vertices get by interpolation.
        pub blended: u32,
    }
}

/// See [`ColumnEntry::blend`]: the value, of one word, of the parent with the greatest weight, with
/// [`BORN`](rxmesh_kernels::cavity::BORN).
pub const TRACED: u32 = 2;

/// A column as the device sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ColumnEntry {
    /// Address of its words.
    pub address: u64,
    /// Number of words.
    pub len: u64,
    /// Words a value.
    pub width: u32,
    /// [`Kind`].
    pub kind: u32,
    /// What new vertices get: 0 nothing, [`TRACED`], or else the weighted mean of the values of those they arose from
    /// (the words are `f32` then).
    pub blend: u32,
    /// Not used; zero.
    pub reserved: u32,
}

impl ColumnEntry {
    /// The column's words.
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

impl Columns {
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
