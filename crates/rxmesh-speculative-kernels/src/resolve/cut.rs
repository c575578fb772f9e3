//! Cutting and filling of the chosen cavities.

use super::{BROKEN, CUT, Choice, DONE, NO_DISK, WON};
use crate::local::PatchMesh;
use crate::store::{ColumnList, TRACED, pick};
use crate::tally::Tally;
use crate::visit::{Candidates, Visit};
use core::marker::PhantomData;
use rxmesh_kernels::cavity::parts::{Holder, Recorder};
use rxmesh_kernels::cavity::{BORN, Cavity, Hole, Operator, Origin, Site};
use rxmesh_kernels::edit::NONE;
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::mem::Shared;
use rxmesh_kernels::topo::Kind;

/// Flag of the holder of a face: the face has been listed.
const LISTED: u32 = 1 << 31;

/// Faces that belong to a cavity, for the recorder.
#[derive(Clone, Copy)]
struct Winner {
    held: Shared<u32>,
    base: u32,
    me: u32,
}

impl Holder for Winner {
    #[inline(always)]
    fn holds(&self, f: u32) -> bool {
        // Another winner may be marking its faces.
        self.held.load(f - self.base) & !LISTED == self.me
    }

    #[inline(always)]
    fn list(&self, f: u32) -> bool {
        self.held.fetch_or(f - self.base, LISTED) & LISTED == 0
    }
}

/// Site where a cavity is cut and filled: in a patch in shared memory.
struct PatchSite<'a, O> {
    mesh: PatchMesh,
    record: Shared<u32>,
    free: Shared<u32>,
    /// Number of winners before this one.
    rank: u32,
    columns: &'a ColumnList,
    /// Id of the seed with local id 0.
    first: u32,
    broken: Shared<u32>,
    of: PhantomData<fn() -> O>,
}

impl<O> Clone for PatchSite<'_, O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<O> Copy for PatchSite<'_, O> {}

/// Returns the number of elements of a kind that a cavity may use in addition to its own.
#[inline(always)]
pub(super) fn grow_of<O: Operator>(kind: Kind) -> u32 {
    match kind {
        Kind::Vertex => O::GROWTH.vertices,
        Kind::Edge => O::GROWTH.edges,
        Kind::Face | Kind::Cell => O::GROWTH.faces,
    }
}

impl<O: Operator> Site for PatchSite<'_, O> {
    type Mesh = PatchMesh;

    #[inline(always)]
    fn mesh(&self) -> &PatchMesh {
        &self.mesh
    }

    #[inline(always)]
    fn word(&self, i: u32) -> u32 {
        self.record.get(i)
    }

    #[inline(always)]
    fn set_word(&self, i: u32, v: u32) {
        self.record.set(i, v);
    }

    #[inline(always)]
    fn slot(&self, kind: Kind, k: u32) -> u32 {
        let grow = grow_of::<O>(kind);
        if k >= grow {
            return NONE;
        }
        let at = self.mesh.local.parts.shape.moved_at(kind) + self.rank * grow + k;
        pick(kind, self.mesh.base) + self.free.get(at)
    }

    #[inline(always)]
    fn again(&self, seed: u32) {
        let parts = &self.mesh.local.parts;
        parts.enter(parts.shape.seeds(), seed - self.first);
    }

    #[inline(always)]
    fn broken(&self) {
        self.broken.fetch_add(BROKEN, 1);
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn birth(&self, _: u32, vertex: u32, origin: Origin) {
        let mut c = 0;
        while c < self.columns.list.len() {
            let column = self.columns.list.get(c);
            if column.blend == TRACED {
                let words = column.words();
                words.set(vertex, words.get(origin.heaviest()) | BORN);
            } else if column.blend != 0 {
                let words = column.words();
                let mut k = 0;
                while k < column.width {
                    let mean = origin.mean(|v| f32::from_bits(words.get(v * column.width + k)));
                    words.set(vertex * column.width + k, mean.to_bits());
                    k += 1;
                }
            }
            c += 1;
        }
    }

    #[inline(always)]
    fn inherit(&self, face: u32, from: u32) {
        self.columns.copy(Kind::Face, from, face);
    }

    #[inline(always)]
    fn listens(&self) -> bool {
        self.columns.blended != 0
    }
}

impl<O: Operator> Visit<'_, O> {
    /// Records the winners' cavities, then cuts and fills them.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn carry_out<B: Block>(&self, b: B, c: &Candidates, t: &Choice) {
        let (n, parts) = (c.n, &self.host.local.parts);
        let site = |i: u32| PatchSite {
            mesh: self.mesh.of(c.list.get(i)),
            record: t
                .records
                .part(t.place.get(i), t.records.len() - t.place.get(i)),
            free: t.free,
            rank: t.rank.get(i),
            columns: self.host.columns,
            first: self.base,
            broken: t.counts,
            of: PhantomData::<fn() -> O>,
        };
        b.each(n, |i| {
            if c.state.get(i) != WON {
                return;
            }
            let seed = c.list.get(i);
            parts.leave(parts.shape.seeds(), seed);
            let recorder = Recorder {
                op: self.op,
                site: site(i),
                holder: Winner {
                    held: t.held,
                    base: self.mesh.base[2],
                    me: i + 1,
                },
                seed: self.base + seed,
            };
            if recorder.write() {
                c.state.set(i, CUT);
                t.counts.fetch_add(DONE, 1);
            } else {
                t.counts.fetch_add(NO_DISK, 1);
            }
        });
        b.each(n, |i| {
            if c.state.get(i) != CUT {
                return;
            }
            let cavity = Cavity::new(site(i), self.base + c.list.get(i));
            let plan = self.op.plan(&cavity);
            if O::ABANDONS && self.op.abandons(&cavity, &plan) {
                self.host.tally.fetch_add(Tally::Abandoned as u32, 1);
                return;
            }
            let mut hole = Hole::cut(cavity, O::GROWTH.births());
            self.op.fill(plan, &mut hole);
            if O::LEAVES_HOLE {
                hole.close::<true>();
            } else {
                hole.close::<false>();
            }
        });
    }
}
