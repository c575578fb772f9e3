//! Elements give a value to each of their neighbours, which add up without float atomics: the same bits on every run.
//!
//! A patch computes the values of its owned elements, once each, into shared memory. Every target among its owned
//! elements and shell 0 adds up its values by a table of *slots* (the element times the number of its neighbours, plus
//! the neighbour's place), ascending. Sums of owned targets are complete; the others' sums are *parts*, which
//! [`AddParts`] adds to their owners' in the order of the patches.

pub use super::slots::GivenValues;
use super::slots::SlotRows;
use crate::attr::{Read, StagedField, Sum};
use crate::exec::{Block, Phase, SCRATCH_WORDS};
use crate::kernel::{DEFAULT_THREADS, Fields, FlatKernel, PatchKernel};
use crate::mem::{Bind, Global, GlobalMut, Plan, Shared};
use crate::query::{CE, CV, EV, Neighbours, Relation, Relations};
use crate::topo::{Cell, Edge, Element, Needs, Owned, Patch, PatchHeader};

kernel_list! {
    flat add_parts: AddParts;
    distribute share_cv: ShareCv;
    distribute share_ev: ShareEv;
    distribute share_ce: ShareCe;
}

/// A computation for each owned element that gives a value to each of its `W` neighbours under `R`: [`CV`], [`CE`],
/// [`EV`] or another relation with rows of a fixed length whose targets are parts of the element.
///
/// ```
/// use rxmesh_kernels::{Vec3, attr::Read, kernel};
/// use rxmesh_kernels::{query::{CV, Neighbours}, topo::{Cell, Owned, Vertex}, volume::distribute::Distribute};
///
/// kernel! {
///     /// A quarter of each cell's mass to each of its vertices.
///     pub struct Lump: Distribute<CV, 4> {
///         /// Mass of each cell.
///         pub mass: Read<Cell, f32>,
///     }
/// }
///
/// impl Distribute<CV, 4> for Lump {
///     type Value = f32;
///     fn run(&self, c: Owned<Cell>, _: Neighbours<CV>) -> [f32; 4] {
///         [0.25 * self.mass.get(c); 4]
///     }
/// }
/// ```
pub trait Distribute<R: Relation, const W: usize>: Fields {
    /// Values that are added up.
    type Value: Sum;
    /// Computes the values of the neighbours, in the order of the row.
    fn run(&self, e: Owned<R::Source>, n: Neighbours<R>) -> [Self::Value; W];
}

/// A [`Distribute`] kernel, as `kernel!` implements it.
///
/// # Safety
///
/// As [`PatchKernel`]; `give` sets the values of element `i` of a batch, as many as the relation's rows are long.
pub unsafe trait Distributes:
    Fields + Bind + core::fmt::Debug + Send + Sync + 'static
{
    /// Relation of the elements to their targets.
    type Relation: Relation;
    /// Values that are added up.
    type Value: Sum;
    /// Threads of a CUDA block.
    const THREADS: u32 = DEFAULT_THREADS;
    /// Runs the body and sets the values that element `i` of a batch gives.
    fn give(
        &self,
        e: Owned<<Self::Relation as Relation>::Source>,
        n: Neighbours<Self::Relation>,
        to: GivenValues,
        i: u32,
    );
}

macro_rules! share {
    ($name:ident: $rel:ident, $source:ident, $width:literal, $what:literal) => {
        crate::kernel! {
            #[doc = concat!($what, " gives its value to each of its neighbours (MeshTaichi 2022, section 8.7, the")]
            /// scattering half).
            pub struct $name: Distribute<$rel, $width> {
                /// Values.
                pub x: Read<$source, [f32; 10]>,
            }
        }

        impl Distribute<$rel, $width> for $name {
            type Value = [f32; 10];
            #[inline(always)]
            fn run(&self, e: Owned<$source>, _: Neighbours<$rel>) -> [[f32; 10]; $width] {
                [self.x.get(e); $width]
            }
        }
    };
}
share!(ShareCv: CV, Cell, 4, "Each cell");
share!(ShareEv: EV, Edge, 2, "Each edge");
share!(ShareCe: CE, Cell, 6, "Each cell");

/// Name under which a [`Distribute`] kernel is found. Implemented by [`crate::entries!`] for kernels listed as
/// `distribute`.
///
/// # Safety
///
/// The PTX entry of this name takes the parameters of this kernel and runs it: [`crate::entries!`] makes both of one
/// line (contract U4).
pub unsafe trait DistributeEntry: Distributes {
    /// Name of the PTX entry.
    const NAME: &'static str;
}

// SAFETY: the name is the promise of the bound.
unsafe impl<K: DistributeEntry> crate::kernel::Entry for DistributeOver<K> {
    const NAME: &'static str = <K as DistributeEntry>::NAME;
}

/// Words of shared memory that the values of a part of a patch's elements take; the rest comes after them.
const VALUES: u32 = 12 * 1024;

/// Returns the number of elements whose values are in shared memory at a time.
#[inline(always)]
fn at_once<K: Distributes>() -> u32 {
    VALUES / (<K::Value as Sum>::COMPONENTS * width::<K>())
}

/// Returns the number of an element's neighbours.
#[inline(always)]
fn width<K: Distributes>() -> u32 {
    <K::Relation as Relation>::FIXED.unwrap_or(1)
}

crate::args! {
    /// A [`Distribute`] kernel over all patches; [`AddParts`] comes after it.
    pub struct DistributeOver<K: Distributes> {
        /// Kernel to run.
        pub kernel: K,
        /// Sums of the targets, by linear id: complete where no other patch has a part.
        pub sums: GlobalMut<f32>,
        /// Sums of the parts that other patches own, for the targets in shell 0, patch after patch.
        pub parts: GlobalMut<f32>,
        /// Start of each patch's parts, in values.
        pub places: Global<u32>,
        /// Start of each patch's table of slots in `slots`.
        pub starts: Global<u32>,
        /// Tables of the patches: the end of each target's row, then the slots of all rows.
        pub slots: Global<u16>,
    }
}

/// Shared memory of [`DistributeOver`].
#[derive(Clone, Copy)]
pub struct DistributeTables<T> {
    scratch: Shared<u32>,
    relation: T,
    values: Shared<f32>,
    /// If elements come in several batches: entry of each target's row at which the next batch begins, twice.
    reached: Shared<u32>,
}

// SAFETY: a patch writes its own elements, and its parts, in phases that barriers part; slots and ids are the mesh's
// (contracts U1 to U4).
unsafe impl<K: Distributes> PatchKernel for DistributeOver<K> {
    const THREADS: u32 = K::THREADS;
    const NEEDS: Needs = Needs::CELLS.and(<K::Relation as Relation>::NEEDS);
    type Tables = DistributeTables<<K::Relation as Relations>::Tables>;

    const OFTEN: u8 = <K::Relation as Relations>::OFTEN;

    fn staged(&self, f: &mut dyn FnMut(StagedField)) {
        self.kernel.staged(f);
    }
    fn unstage(&mut self, name: &str) {
        self.kernel.unstage(name);
    }

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        self.kernel.carve(h, plan);
        let words = <K::Value as Sum>::COMPONENTS;
        let (n, most) = (h.owned_of(source::<K>()), at_once::<K>());
        let targets = h.near_of(<<K::Relation as Relation>::Target as Element>::KIND);
        DistributeTables {
            scratch: plan.take(SCRATCH_WORDS),
            relation: <K::Relation as Relations>::carve(h, plan, None),
            values: plan.take(words * width::<K>() * if n < most { n } else { most }),
            reached: plan.take(if n > most { 2 * targets } else { 0 }),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &Self::Tables) {
        if self.kernel.is_plain() {
            let plain = DistributeOver {
                // SAFETY: they are.
                kernel: unsafe { self.kernel.assume_plain() },
                ..*self
            };
            plain.over::<B, true>(b, patch, t);
        } else {
            self.over::<B, false>(b, patch, t);
        }
    }
}

/// Returns the kind that a kernel runs for.
#[inline(always)]
fn source<K: Distributes>() -> crate::topo::Kind {
    <<K::Relation as Relation>::Source as Element>::KIND
}

impl<K: Distributes> DistributeOver<K> {
    /// Runs the kernel; `PLAIN` parts the two calls: each has a separate body, and none is a function that both call.
    #[inline(always)]
    fn over<B: Block, const PLAIN: bool>(
        &self,
        b: B,
        patch: &Patch,
        t: &DistributeTables<<K::Relation as Relations>::Tables>,
    ) {
        b.phase(|p: Phase<B>| {
            self.kernel.load(p, patch);
            <K::Relation as Relations>::prepare(p, patch, &t.relation);
        });
        <K::Relation as Relations>::build(b, patch, &t.relation, t.scratch);
        let (n, most) = (patch.header().owned_of(source::<K>()), at_once::<K>());
        let mut first = 0;
        loop {
            let left = n - first;
            let count = if left < most { left } else { most };
            let values = GivenValues {
                at: t.values,
                count,
                width: width::<K>(),
                words: <K::Value as Sum>::COMPONENTS,
                alone: B::SOLO,
            };
            b.each(count, |i| {
                let row = <K::Relation as Relations>::input(patch, &t.relation, first + i);
                self.kernel.give(patch.own(first + i), row, values, i);
            });
            self.add(b, patch, t, (values, first));
            first += count;
            if first == n {
                break;
            }
        }
        if K::STORES {
            b.last_phase(|p| self.kernel.store(p, patch));
        }
    }

    /// Adds the values of the batch of elements from `first` on to the sums of the targets.
    #[inline(always)]
    fn add<B: Block>(
        &self,
        b: B,
        patch: &Patch,
        t: &DistributeTables<<K::Relation as Relations>::Tables>,
        (values, first): (GivenValues, u32),
    ) {
        let words = values.words;
        let targets = patch.near::<<K::Relation as Relation>::Target>();
        let owned = patch.owned::<<K::Relation as Relation>::Target>();
        let ends = self.slots.from(self.starts.get(patch.id()));
        let rows = SlotRows {
            ends,
            slots: ends.from(targets),
            values,
            first,
        };
        // Places of one batch are written while others read those of the batch before.
        let several = !t.reached.is_empty();
        let is_odd = first / at_once::<K>() % 2;
        let (before, after) = (is_odd * targets, (1 - is_odd) * targets);
        let begin = |target: u32| match first {
            0 => rows.start(target),
            _ => t.reached.get(before + target),
        };
        let end = |target: u32, at: u32| {
            if several {
                t.reached.set(after + target, at);
            }
        };
        let base = patch.base::<<K::Relation as Relation>::Target>() * words;
        let (sums, parts) = (
            self.sums.from(base),
            self.parts.from(self.places.get(patch.id()) * words),
        );
        if B::SOLO {
            b.each(targets, |target| {
                let (to, row) = match target < owned {
                    true => (sums, target),
                    false => (parts, target - owned),
                };
                end(target, rows.add_all(target, begin(target), to, row));
            });
            return;
        }
        // A thread a pair of numbers, or a single one.
        let step = if words.is_multiple_of(2) { 2 } else { 1 };
        let lanes = words / step;
        let lane = |target: u32, lane: u32, to: GlobalMut<f32>, k: u32| {
            let (at, which) = (begin(target), [target, lane * step]);
            let next = match step {
                2 => rows.add::<2>(which, at, to, k * step),
                _ => rows.add::<1>(which, at, to, k * step),
            };
            if lane == 0 {
                end(target, next);
            }
        };
        // Separate loops: one that chose between the two would choose an address for every store.
        b.phase(|p| {
            p.each(owned * lanes, |k| lane(k / lanes, k % lanes, sums, k));
            p.each((targets - owned) * lanes, |k| {
                lane(owned + k / lanes, k % lanes, parts, k);
            });
        });
    }
}

crate::args! {
    /// Adds the parts that other patches have of a target's sum, in the order of the patches: one index a number of
    /// each target that has any.
    pub struct AddParts {
        /// Sums of the targets, by linear id.
        pub sums: GlobalMut<f32>,
        /// Results of [`DistributeOver`].
        pub parts: Global<f32>,
        /// Linear ids of the targets that have parts.
        pub targets: Global<u32>,
        /// Start of each one's list in `entries`; one more than there are.
        pub starts: Global<u32>,
        /// Places of parts, in values.
        pub entries: Global<u32>,
        /// Numbers a value.
        pub width: u32,
    }
}

// SAFETY: an index writes one number of one target, and each target is listed once (contracts U3, U4).
unsafe impl FlatKernel for AddParts {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (row, c) = (i / self.width, i % self.width);
        let to = self.targets.get(row) * self.width + c;
        let (mut at, end) = (self.starts.get(row), self.starts.get(row + 1));
        let mut sum = self.sums.get(to);
        while at < end {
            sum += self.parts.get(self.entries.get(at) * self.width + c);
            at += 1;
        }
        self.sums.set(to, sum);
    }
}
