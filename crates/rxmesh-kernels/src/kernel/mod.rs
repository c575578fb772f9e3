//! Kinds of kernels, and their declaration.
//!
//! | trait | runs for | uses |
//! | --- | --- | --- |
//! | [`ForEach`] | each owned element and its neighbours | gathering: writes its own element, or adds to any |
//! | [`Scatter`] | each local element and its neighbours, ribbon included | scattering to neighbours, kept where owned |
//! | [`Distribute`](crate::volume::distribute::Distribute) | each owned element of a volume and its neighbours | scattering values that are expensive to compute, in a fixed order |
//! | [`PatchKernel`] | each patch, in custom phases | all that the above cannot express |
//! | [`BlockKernel`] | each block of a grid | reductions, scans |
//! | [`GridKernel`] | each block of a grid, in steps that all blocks end together | solvers of small systems |
//! | [`FlatKernel`] | each index of a range | vector updates |
//!
//! `kernel!` declares the struct whose fields are the kernel's arguments; `entries!` lists a module's kernels beside
//! them and gives each its name on the host, `export_entries!` makes PTX entries of them on the device, and `kernels!`
//! does both for a crate.

#[cfg(target_arch = "nvptx64")]
pub mod device;
mod drive;
mod macros;
#[cfg(test)]
mod tests;

pub use drive::{ForEachTables, OnPrepared, carve_for_each, run_for_each, run_scatter};

use crate::attr::StagedField;
use crate::exec::{Block, Phase};
use crate::mem::{Bind, Fault, Global, GlobalMut, HASH_START, Plan, hash_text, hash_word};
use crate::query::{Relations, StoredRelations};
use crate::topo::{Kind, Local, MeshView, Needs, Owned, Patch, PatchHeader};

/// Threads of a CUDA block when a kernel does not say.
pub const DEFAULT_THREADS: u32 = 128;

/// Fields of a kernel struct, as [`crate::kernel!`] implements them.
///
/// # Safety
///
/// Each method does what its name says for all fields, and nothing else (see [`crate::attr::Field`]).
pub unsafe trait Fields: Copy {
    /// `true` if any field has an epilogue.
    const STORES: bool;
    /// Returns `true` if all fields are plain ([`crate::attr::Field::is_plain`]).
    fn is_plain(&self) -> bool;
    /// Returns the same fields for code that runs only if they are plain.
    ///
    /// # Safety
    ///
    /// They are (contract U4).
    unsafe fn assume_plain(self) -> Self;
    /// Calls `f` with the staged values of the fields ([`crate::attr::Field::staged`]).
    fn staged(&self, f: &mut dyn FnMut(StagedField));
    /// Makes the field of this name give up its shared memory ([`crate::attr::Field::unstage`]).
    fn unstage(&mut self, name: &str);
    /// Takes the shared memory that the fields need.
    fn carve(&mut self, header: &PatchHeader, plan: &mut Plan);
    /// Runs the prologue of all fields, inside a phase.
    fn load<B: Block>(&self, p: Phase<B>, patch: &Patch);
    /// Runs the epilogue of all fields, inside a phase.
    fn store<B: Block>(&self, p: Phase<B>, patch: &Patch);
}

/// A computation for each owned element of `R`'s source kind and its neighbours.
pub trait ForEach<R: Relations>: Fields {
    /// `true` if [`ForEach::active`] selects elements. If no element of a patch is active, its block stops before any
    /// work.
    const SELECTIVE: bool = false;

    /// Returns `true` if the body runs for an element.
    #[inline(always)]
    fn active(&self, _e: Owned<R::Source>) -> bool {
        true
    }

    /// Computes the element's values.
    fn run(&self, e: Owned<R::Source>, n: R::Input);
}

/// A computation for each local element of `R`'s source kind, ribbon included, that only adds to
/// [`crate::attr::StagedSum`] fields: sums of elements of other patches are dropped here, because their owners compute
/// them too. Over relations to smaller elements (EV, FE, FV, CE, CV, CF), whose rows patches store: other sums are
/// those of a [`ForEach`] over the transposed relation.
///
/// ```compile_fail,E0277
/// use rxmesh_kernels::{kernel::Scatter, query::VV};
///
/// fn is_refused<K: Scatter<VV>>(_: K) {}
/// ```
pub trait Scatter<R: StoredRelations>: Fields {
    /// Computes the element's values and scatters them.
    fn run(&self, e: Local<R::Source>, n: R::Input);
}

/// A [`ForEach`] or [`Scatter`] kernel, as `kernel!` implements it: over which relations it runs, wherever these come
/// from.
///
/// # Safety
///
/// As [`PatchKernel`].
pub unsafe trait OverRelations:
    Fields + Bind + core::fmt::Debug + Send + Sync + 'static
{
    /// Relations of the body.
    type Relations: Relations;
    /// Threads of a CUDA block.
    const THREADS: u32 = DEFAULT_THREADS;
    /// Works like [`PatchKernel::plan_key`].
    fn plan_key(&self) -> u64 {
        0
    }
    /// Runs the body over a patch.
    fn run_over<B: Block>(
        &self,
        b: B,
        patch: &Patch,
        tables: &ForEachTables<<Self::Relations as Relations>::Tables>,
    );
}

/// A patch kernel that is sound with whatever arguments safe code can give it, on every mesh, so that `RxMesh::run` may
/// launch it. [`crate::kernel!`] implements it for [`ForEach`] and [`Scatter`] kernels, whose fields are
/// [`Typed`](crate::attr::Typed).
///
/// # Safety
///
/// The above: no value of a field makes the kernel access memory that its arguments do not name, or race (contracts U3,
/// U4).
#[diagnostic::on_unimplemented(
    message = "a safe call cannot launch `{Self}`, whose fields may be views of any length and content",
    note = "`RxMesh::run_patches` launches it, in an `unsafe` block in which the caller promises that they fit"
)]
pub unsafe trait AnyArguments: PatchKernel {}

/// Returns the bit of a kind in [`PatchKernel::OFTEN`].
pub const fn bit(kind: Kind) -> u8 {
    1 << kind as u8
}

/// A kernel that works on a patch in custom phases.
///
/// # Safety
///
/// On every mesh, and with arguments of the lengths that its documentation requires:
///
/// - branches and loops around phases and collectives are the same for all threads (contracts U1, U5);
/// - `carve` takes the same pieces for the same header, staged fields and [`PatchKernel::plan_key`], whatever else the
///   fields hold, and no piece is accessed after it was given back ([`Plan::rewind`]) or beyond its length (U2);
/// - no two threads access the same value between two barriers, no two patches in the launch, unless all read or all
///   use atomics (U3);
/// - every index is inside its view (U4): a GPU does not check.
pub unsafe trait PatchKernel: Bind + Copy + Send + Sync + 'static {
    /// Threads of a CUDA block, at least.
    const THREADS: u32 = DEFAULT_THREADS;
    /// Threads of the blocks of a multiprocessor that suffice to hide the latency of its memory: if there are few
    /// patches a launch makes blocks wider, up to this number together.
    const ENOUGH_THREADS: u32 = 768;
    /// Tables that a mesh must keep; the launch checks them.
    const NEEDS: Needs = Needs::NONE;
    /// Layout of the kernel's shared memory.
    type Tables: Copy;
    /// Kinds whose values each body reads or adds to many times, as bits by [`Kind`]: those that are in the rows of its
    /// relations. All of them unless the kernel says.
    const OFTEN: u8 = 0b1111;
    /// Calls `f` with each field that has its values in shared memory and can do without. The host decides at each
    /// launch which may (MeshTaichi 2022, section 5.2.2).
    fn staged(&self, _f: &mut dyn FnMut(StagedField)) {}
    /// Makes the field of this name leave its values in global memory.
    fn unstage(&mut self, _name: &str) {}
    /// Returns a number for the state that the plan depends on beside header and staged fields: plans are measured once
    /// for each.
    fn plan_key(&self) -> u64 {
        0
    }
    /// Takes the shared memory that the kernel needs. Runs on the host (to measure) and in the kernel.
    fn carve(&mut self, header: &PatchHeader, plan: &mut Plan) -> Self::Tables;
    /// Works on one patch.
    fn run<B: Block>(&self, b: B, patch: &Patch, tables: &Self::Tables);
}

/// A kernel that runs blocks of a grid, without a mesh.
///
/// # Safety
///
/// As [`PatchKernel`], for all numbers of blocks that it is launched with; `carve` may depend on the fields.
pub unsafe trait BlockKernel: Bind + Copy + Send + Sync + 'static {
    /// Threads of a CUDA block.
    const THREADS: u32 = 256;
    /// Most registers of a CUDA thread, if more would keep blocks from running at a time; the compiler's choice unless
    /// given.
    const REGISTERS: Option<u32> = None;
    /// Layout of the kernel's shared memory.
    type Tables: Copy;
    /// Takes the shared memory that the kernel needs. Runs on the host (to measure) and in the kernel.
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables;
    /// Works as one block.
    fn run<B: Block>(&self, b: B, block: u32, tables: &Self::Tables);
}

/// A kernel that runs blocks of a grid in steps, without a mesh: no block begins a step before all have ended the one
/// before. A GPU that can hold all blocks at a time runs all steps in one launch, in which they wait for each other
/// (the exception to P6 of ARCHITECTURE.md); everything else launches each step by itself.
///
/// # Safety
///
/// As [`BlockKernel`], for each step: data that cross steps lie in global memory, and [`GridKernel::step`] returns the
/// same for all blocks, whatever others do in that step; but one may return [`Next::Alone`], if all others return
/// [`Next::End`], in that step and in each one after it.
pub unsafe trait GridKernel: Bind + Copy + Send + Sync + 'static {
    /// Threads of a CUDA block.
    const THREADS: u32 = 256;
    /// Layout of the kernel's shared memory: for the length of a step, except for the words that [`GridKernel::load`]
    /// puts there.
    type Tables: Copy;
    /// Takes the shared memory that the kernel needs. Runs on the host (to measure) and in the kernel.
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables;
    /// Loads into shared memory the values that no step changes, neither there nor in global memory. Once a launch on a
    /// GPU, before each step elsewhere.
    fn load<B: Block>(&self, _b: B, _block: u32, _tables: &Self::Tables) {}
    /// Works as one block on a step. Returns the continuation after it.
    fn step<B: Block>(&self, b: B, block: u32, step: u32, tables: &Self::Tables) -> Next;
}

/// Continuation after a step of a [`GridKernel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    End,
    /// Next step, once all blocks have ended this one.
    Together,
    /// Next step of this block, which waits for no other: they have ended.
    Alone,
}

impl Next {
    /// Returns the next step of all blocks if there is anything to do in it.
    #[inline(always)]
    pub fn step_if(goes_on: bool) -> Next {
        if goes_on { Next::Together } else { Next::End }
    }
}

/// Returns the first of `n` items that a block of a grid takes, and the number of items: about the same for each block.
#[inline(always)]
pub fn share_of(block: u32, blocks: u32, n: u32) -> (u32, u32) {
    let each = n.div_ceil(blocks);
    let first = (block * each).min(n);
    (first, each.min(n - first))
}

/// A kernel that runs each index of a range by itself.
///
/// # Safety
///
/// No two indices access the same value unless all read or all use atomics (contract U3), and every index is inside its
/// view (U4), for all ranges that it is launched with.
pub unsafe trait FlatKernel: Bind + Copy + Send + Sync + 'static {
    /// Threads of a CUDA block.
    const THREADS: u32 = 256;
    /// Works on one index.
    fn run(&self, i: u32);
}

/// The name under which a kernel is found in a PTX module. Implemented by [`crate::entries!`].
///
/// # Safety
///
/// The PTX entry of this name takes the parameters of this kernel and runs it: [`crate::entries!`] makes both of one
/// line (contract U4).
///
/// ```compile_fail,E0200
/// # use rxmesh_kernels::{kernel, kernel::Entry};
/// kernel! {
///     /// Its numbers would be taken for the addresses of another kernel's parameters.
///     pub struct Mine: Flat {
///         /// A number.
///         pub a: u32,
///     }
/// }
/// impl Entry for Mine {
///     const NAME: &'static str = "rx_scan_add";
/// }
/// ```
pub unsafe trait Entry {
    /// Name of the PTX entry.
    const NAME: &'static str;
}

/// The name under which a kernel's form on prepared relations is found. Implemented by [`crate::entries!`] for kernels
/// listed as `prepared`.
///
/// # Safety
///
/// The PTX entry of this name takes the parameters of this kernel and runs it: [`crate::entries!`] makes both of one
/// line (contract U4).
pub unsafe trait PreparedEntry: OverRelations {
    /// Name of the PTX entry.
    const NAME: &'static str;
}

/// The name under which a patch kernel is found that runs on listed patches only. Implemented by [`crate::entries!`]
/// for kernels listed as `listed`.
///
/// # Safety
///
/// The PTX entry of this name takes the parameters of this kernel and runs it: [`crate::entries!`] makes both of one
/// line (contract U4).
pub unsafe trait ListedEntry: PatchKernel {
    /// Name of the PTX entry.
    const NAME: &'static str;
}

/// The name of a kernel `K` that is generic over operators, kept by the operator: crates that have either may list it
/// (`as` in [`crate::entries!`]). The crate of the kernel makes it the kernel's [`Entry`].
///
/// # Safety
///
/// The PTX entry of this name takes the parameters of the kernel and runs it: [`crate::entries!`] makes both of one
/// line (contract U4).
pub unsafe trait EntryOf<K> {
    /// Name of the PTX entry.
    const NAME: &'static str;
}

// SAFETY: the name is the promise of the bound.
unsafe impl<K: PreparedEntry> Entry for OnPrepared<K> {
    const NAME: &'static str = <K as PreparedEntry>::NAME;
}

crate::args! {
    /// Launch parameters of a [`PatchKernel`].
    pub struct PatchArgs<K> {
        /// Patches of the mesh.
        pub mesh: MeshView,
        /// Kernel's fields.
        pub kernel: K,
    }
}

crate::args! {
    /// Launch parameters of a [`PatchKernel`] that runs on some patches, which kernels before it have listed.
    pub struct ListedArgs<K> {
        /// All patches.
        pub mesh: MeshView,
        /// Numbers of those to run on, each once.
        pub list: Global<u32>,
        /// A word that is not used, and the number of the listed patches.
        pub count: Global<u32>,
        /// Kernel's fields.
        pub kernel: K,
    }
}

crate::args! {
    /// Launch parameters of a [`BlockKernel`].
    pub struct BlockArgs<K> {
        /// Destination of faults.
        pub fault: Fault,
        /// Kernel's fields.
        pub kernel: K,
    }
}

crate::args! {
    /// Launch parameters of a [`GridKernel`].
    pub struct GridArgs<K> {
        /// Destination of faults.
        pub fault: Fault,
        /// A word that is not used, and one in which blocks count each other; only its top bit is left changed.
        pub arrived: GlobalMut<u32>,
        /// First step of the launch.
        pub first: u32,
        /// Step after the last.
        pub end: u32,
        /// Kernel's fields.
        pub kernel: K,
    }
}

crate::args! {
    /// Launch parameters of a [`FlatKernel`].
    pub struct FlatArgs<K> {
        /// Number of indices.
        pub n: u32,
        /// Kernel's fields.
        pub kernel: K,
    }
}

/// Name and parameters of one kernel, for the check that host and PTX agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Name of the PTX entry.
    pub name: &'static str,
    /// Size of the parameter struct in bytes.
    pub size: usize,
    /// Alignment of the parameter struct in bytes.
    pub align: usize,
    /// Hash of the names and types of its fields, in their order ([`Hashed`](crate::mem::Hashed)).
    pub fields: u64,
}

/// Returns the number of kernels in lists.
pub const fn total(lists: &[&[KernelInfo]]) -> usize {
    let (mut n, mut i) = (0, 0);
    while i < lists.len() {
        n += lists[i].len();
        i += 1;
    }
    n
}

/// Concatenates lists; `N` is their [`total`].
pub const fn concat<const N: usize>(lists: &[&[KernelInfo]]) -> [KernelInfo; N] {
    let none = KernelInfo {
        name: "",
        size: 0,
        align: 0,
        fields: 0,
    };
    let mut all = [none; N];
    let (mut n, mut i) = (0, 0);
    while i < lists.len() {
        let mut k = 0;
        while k < lists[i].len() {
            all[n] = lists[i][k];
            n += 1;
            k += 1;
        }
        i += 1;
    }
    all
}

/// Checks at compile time that a relation is listed under the name that it gives itself.
pub const fn same_name(a: &str, b: &str) {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    assert!(
        a.len() == b.len(),
        "the entry's name is not `Relation::PREPARE`"
    );
    let mut i = 0;
    while i < a.len() {
        assert!(a[i] == b[i], "the entry's name is not `Relation::PREPARE`");
        i += 1;
    }
}

/// Returns a hash of names and parameters, field by field: the PTX carries it, the host compares it.
pub const fn fingerprint(kernels: &[KernelInfo]) -> u64 {
    let mut h = HASH_START;
    let mut k = 0;
    while k < kernels.len() {
        let kernel = &kernels[k];
        h = hash_text(h, kernel.name);
        h = hash_word(h, kernel.size as u64);
        h = hash_word(h, kernel.align as u64);
        h = hash_word(h, kernel.fields);
        k += 1;
    }
    h
}
