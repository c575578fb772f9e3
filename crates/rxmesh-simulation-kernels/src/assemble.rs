//! Sums of values that cells give to their corners, in a fixed order: every run gives the same bits.
//!
//! This is [`Distribute`](rxmesh_kernels::volume::distribute::Distribute) with its host tables, for kernels that do
//! more in the same launch: sums for vertices of other patches are stored as *parts*, and the kernel that reads the
//! sums adds these ([`SplitSums::total`]), which saves a launch. Values are stored word by word in shared memory (no
//! bank conflicts), and a thread adds up all words of a target.

use crate::staged::near;
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::query::each_of;
use rxmesh_kernels::topo::{Cell, Kind, Patch, PatchHeader, Vertex};

/// Threads per block of all kernels that assemble.
pub const THREADS: u32 = 256;

/// Number of words of shared memory for the values of corners.
const VALUES: u32 = 12 * 1024;

rxmesh_kernels::args! {
    /// Output of a kernel over cells: sums of `W` words per vertex.
    pub struct Sums {
        /// Sums over each patch's owned cells for its own vertices, by linear id.
        pub sums: GlobalMut<f32>,
        /// Sums over each patch's owned cells for vertices of other patches, patch by patch.
        pub parts: GlobalMut<f32>,
        /// Offset of each patch's parts, in values.
        pub places: Global<u32>,
        /// Offset of each patch's table in `slots`.
        pub starts: Global<u32>,
        /// For each patch the end of each vertex's row, then the slots of all rows: four times the cell plus the
        /// corner.
        pub slots: Global<u16>,
    }
}

rxmesh_kernels::args! {
    /// Sums of vertices, some in parts of several patches.
    pub struct SplitSums {
        /// [`Sums::sums`]: those of the vertices' own patches, by linear id.
        pub sums: Global<f32>,
        /// [`Sums::parts`]: those of other patches.
        pub parts: Global<f32>,
        /// Offset of each vertex's list in `entries`; one more than there are vertices.
        pub starts: Global<u32>,
        /// Indices of parts, in values, in the order of the patches.
        pub entries: Global<u32>,
    }
}

impl SplitSums {
    /// Returns the whole sum of a vertex.
    #[inline(always)]
    pub fn total<const W: usize>(&self, v: u32) -> [f32; W] {
        let mut sum = read(self.sums, v);
        let (mut at, end) = (self.starts.get(v), self.starts.get(v + 1));
        while at < end {
            sum = plus(sum, read(self.parts, self.entries.get(at)));
            at += 1;
        }
        sum
    }
}

/// Returns value `i` of `W` words each.
#[inline(always)]
fn read<const W: usize>(from: Global<f32>, i: u32) -> [f32; W] {
    each(|c| from.get(i * W as u32 + c as u32))
}

/// Evaluates `f` for all indices. A `while` loop, because the device compiler keeps an array that is iterated over in
/// local memory.
#[inline(always)]
fn each<const W: usize>(f: impl Fn(usize) -> f32) -> [f32; W] {
    let mut values = [0.0; W];
    let mut c = 0;
    while c < W {
        values[c] = f(c);
        c += 1;
    }
    values
}

#[inline(always)]
fn plus<const W: usize>(a: [f32; W], b: [f32; W]) -> [f32; W] {
    each(|c| a[c] + b[c])
}

/// Shared memory of [`Sums::run`].
#[derive(Clone, Copy, Debug)]
pub struct SumTables {
    values: Shared<f32>,
    /// If cells are processed in several batches: partial sums, and the position of each row.
    sums: Shared<f32>,
    read: Shared<u32>,
}

/// Returns the number of cells whose values fit into shared memory at a time.
#[inline(always)]
fn at_once<const W: usize>() -> u32 {
    VALUES / (4 * W as u32)
}

impl Sums {
    /// Reserves the shared memory for values of `W` words.
    #[inline(always)]
    pub fn carve<const W: usize>(h: &PatchHeader, plan: &mut Plan) -> SumTables {
        let (n, most, words) = (h.owned_of(Kind::Cell), at_once::<W>(), W as u32);
        let (here, again) = if n > most { (most, near(h)) } else { (n, 0) };
        SumTables {
            values: plan.take(4 * words * here),
            sums: plan.take(words * again),
            read: plan.take(again),
        }
    }

    /// Calls `cell` for each cell that the patch owns, which returns the values of its corners; `last` gets each near
    /// vertex with its sum, once, and returns the value to store.
    #[inline(always)]
    pub fn run<B: Block, const W: usize>(
        &self,
        b: B,
        patch: &Patch,
        t: &SumTables,
        cell: impl Fn(u32, [u32; 4]) -> [[f32; W]; 4],
        last: impl Fn(u32, [f32; W]) -> [f32; W],
    ) {
        let (n, most) = (patch.owned::<Cell>(), at_once::<W>());
        let mut first = 0;
        loop {
            let left = n - first;
            let count = if left < most { left } else { most };
            let values = Values {
                at: t.values,
                count,
            };
            b.phase(|p| {
                p.each_ahead(
                    count,
                    |i| patch.cell_vertices(first + i),
                    |i, v| values.put::<B, W>(i, cell(first + i, v)),
                );
            });
            let rows = self.rows(patch, first, count);
            first += count;
            if first == n {
                self.store(b, patch, t, (rows, values, n > most), last);
                return;
            }
            b.each(patch.near::<Vertex>(), |v| {
                let (from, sum) = t.so_far::<W>(v, rows);
                let (sum, at) = rows.add::<B, W>(values, v, from, sum);
                t.read.set(v, at);
                let mut c = 0;
                while c < W {
                    t.sums.set(v * W as u32 + c as u32, sum[c]);
                    c += 1;
                }
            });
        }
    }

    #[inline(always)]
    fn rows(&self, patch: &Patch, first: u32, count: u32) -> VertexSlots {
        let ends = self.slots.from(self.starts.get(patch.id()));
        VertexSlots {
            ends,
            slots: ends.from(patch.near::<Vertex>()),
            from: 4 * first,
            to: 4 * (first + count),
        }
    }

    /// Processes the last batch: stores the sums of owned vertices, then of others. Two loops, because a single one
    /// would select an address for every store.
    #[inline(always)]
    fn store<B: Block, const W: usize>(
        &self,
        b: B,
        patch: &Patch,
        t: &SumTables,
        (rows, values, several): (VertexSlots, Values, bool),
        last: impl Fn(u32, [f32; W]) -> [f32; W],
    ) {
        let words = W as u32;
        let (owned, near) = (patch.owned::<Vertex>(), patch.near::<Vertex>());
        let sums = self.sums.from(patch.base::<Vertex>() * words);
        let parts = self.parts.from(self.places.get(patch.id()) * words);
        let sum = |v: u32| {
            let (from, sum) = if several {
                t.so_far::<W>(v, rows)
            } else {
                (rows.start(v), [0.0; W])
            };
            last(v, rows.add::<B, W>(values, v, from, sum).0)
        };
        b.phase(|p| {
            p.each(owned, |v| write(sums, v, sum(v)));
            p.each(near - owned, |i| write(parts, i, sum(owned + i)));
        });
    }
}

#[inline(always)]
fn write<const W: usize>(to: GlobalMut<f32>, i: u32, values: [f32; W]) {
    let mut c = 0;
    while c < W {
        to.set(i * W as u32 + c as u32, values[c]);
        c += 1;
    }
}

impl SumTables {
    /// Returns the position in a vertex's row, and its sum so far.
    #[inline(always)]
    fn so_far<const W: usize>(&self, v: u32, rows: VertexSlots) -> (u32, [f32; W]) {
        if rows.from == 0 {
            return (rows.start(v), [0.0; W]);
        }
        let sum = each(|c| self.sums.get(v * W as u32 + c as u32));
        (self.read.get(v), sum)
    }
}

/// Values of corners in shared memory.
#[derive(Clone, Copy)]
struct Values {
    at: Shared<f32>,
    count: u32,
}

impl Values {
    /// Returns the index of a word of a slot: words are strided for adjacent threads of a GPU, and contiguous for the
    /// cache of a CPU thread.
    #[inline(always)]
    fn place<B: Block, const W: usize>(self, slot: u32, c: u32) -> u32 {
        if B::SOLO {
            slot * W as u32 + c
        } else {
            ((slot & 3) * W as u32 + c) * self.count + (slot >> 2)
        }
    }

    #[inline(always)]
    fn put<B: Block, const W: usize>(self, i: u32, corners: [[f32; W]; 4]) {
        let mut k = 0;
        while k < 4 {
            let mut c = 0;
            while c < W {
                let place = self.place::<B, W>(4 * i + k as u32, c as u32);
                self.at.set(place, corners[k][c]);
                c += 1;
            }
            k += 1;
        }
    }
}

/// Rows of a patch's vertices, and the range of slots whose values are in shared memory.
#[derive(Clone, Copy)]
struct VertexSlots {
    ends: Global<u16>,
    slots: Global<u16>,
    from: u32,
    to: u32,
}

impl VertexSlots {
    #[inline(always)]
    fn start(self, v: u32) -> u32 {
        if v == 0 {
            0
        } else {
            u32::from(self.ends.get(v - 1))
        }
    }

    /// Adds the values in shared memory to a vertex's sum; slots ascend, so that the next batch continues where this
    /// one stops.
    #[inline(always)]
    fn add<B: Block, const W: usize>(
        self,
        values: Values,
        v: u32,
        first: u32,
        mut sum: [f32; W],
    ) -> ([f32; W], u32) {
        let (end, mut next) = (u32::from(self.ends.get(v)), first);
        each_of::<4, _>(
            first,
            end,
            |at| {
                let slot = u32::from(self.slots.get(at));
                let here = slot < self.to;
                let from = if here { slot - self.from } else { 0 };
                let value = each(|c| values.at.get(values.place::<B, W>(from, c as u32)));
                (here, value)
            },
            |(here, value)| {
                if here {
                    sum = plus(sum, value);
                    next += 1;
                }
            },
        );
        (sum, next)
    }
}
