//! The independent set of a turn's candidates.

use super::{COUNTS, Choice, LOST, WON};
use crate::local::PatchMesh;
use crate::visit::{Candidates, LIMIT, Visit};
use rxmesh_kernels::cavity::parts::{each_corner, faces};
use rxmesh_kernels::cavity::{Operator, Seed};
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::math::hash;

/// State of a candidate that has won in this round.
const WINS: u32 = LIMIT + 4;

/// Steps of a round. First: checks that no winner of an earlier round has an element that a candidate needs.
const CHECK: u32 = 0;
/// Writes its key to all elements that it needs.
const CLAIM: u32 = 1;
/// Checks that it kept all.
const VERIFY: u32 = 2;
/// Takes all permanently.
const TAKE: u32 = 3;

/// Marks an unclaimed element.
const FREE: u32 = u32::MAX;

/// Marks an element of a winner.
const TAKEN: u32 = 0;

/// Maximum number of rounds of the independent set; undecided candidates then wait for the next turn.
const ROUNDS: u32 = 24;

impl Choice {
    #[inline(always)]
    fn pair(&self, a: u32, b: u32) -> u32 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let key = hash(low ^ hash(high));
        ((u64::from(key) * u64::from(self.pairs.len())) >> 32) as u32
    }
}

/// Returns the key of a candidate: the smallest wins. 19 bits of priority, 13 bits of a hash of its local seed, which
/// is a bijection; never [`TAKEN`] nor [`FREE`].
#[inline(always)]
fn key(priority: u32, seed: u32, salt: u32) -> u32 {
    let mixed = (seed ^ (salt & 0x1fff)).wrapping_mul(0x9e5) & 0x1fff;
    (priority << 13 | (mixed ^ mixed >> 7)) + 1
}

/// All elements that a candidate needs, as claims.
struct Needs<'a, O> {
    op: &'a O,
    choice: &'a Choice,
    mesh: PatchMesh,
    seed: u32,
}

impl<O: Operator> Needs<'_, O> {
    /// Calls `f` with each index in the claims on faces (`false`) or pairs (`true`), until it returns `false`; returns
    /// `true` if it never did.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn each(&self, f: impl Fn(bool, u32) -> bool) -> bool {
        let (op, mesh, id) = (self.op, &self.mesh, Seed::<O>::new(self.seed));
        let pair = |a: u32, b: u32| f(true, self.choice.pair(mesh.vertex(a), mesh.vertex(b)));
        faces(&op.template(), mesh, self.seed, |face| {
            f(false, mesh.local_face(face))
                && (!O::LEAVES_HOLE || each_corner(mesh, face, |v| pair(v, v)))
        }) && op.joins(mesh, id, &mut |a, b| pair(a, b))
            && op.guards(mesh, id, &mut |v| pair(v, v))
    }
}

impl<O: Operator> Visit<'_, O> {
    #[inline(always)]
    fn needs<'a>(&'a self, t: &'a Choice, seed: u32) -> Needs<'a, O> {
        Needs {
            op: self.op,
            choice: t,
            mesh: self.mesh.of(seed),
            seed: self.base + seed,
        }
    }

    /// Computes the independent set.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn choose<B: Block>(&self, b: B, c: &Candidates, t: &Choice, salt: u32) {
        let n = c.n;
        b.phase(|p| {
            p.each(t.claims.len(), |i| {
                t.claims.set(i, FREE);
                t.held.set(i, 0);
            });
            p.each(t.pairs.len(), |i| t.pairs.set(i, FREE));
            p.each(COUNTS, |i| t.counts.set(i, 0));
        });
        let mut round = 0;
        while round < ROUNDS && b.any(n, t.scratch, |i| c.state.get(i) < LIMIT) {
            // One loop over the steps of a round: the operator's needs are compiled once.
            let mut step = CHECK;
            while step <= TAKE {
                b.each(n, |i| self.step(c, t, i, step, salt));
                step += 1;
            }
            b.phase(|p| {
                p.each(t.claims.len(), |i| {
                    if t.claims.get(i) != TAKEN {
                        t.claims.set(i, FREE);
                    }
                });
                p.each(t.pairs.len(), |i| {
                    if t.pairs.get(i) != TAKEN {
                        t.pairs.set(i, FREE);
                    }
                });
            });
            round += 1;
        }
    }

    /// Runs one step of a round for candidate `i`: [`CHECK`], [`CLAIM`], [`VERIFY`] or [`TAKE`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn step(&self, c: &Candidates, t: &Choice, i: u32, step: u32, salt: u32) {
        let (state, seed) = (c.state.get(i), c.list.get(i));
        let takes = step == TAKE;
        if takes != (state == WINS) || !takes && state >= LIMIT {
            return;
        }
        let key = key(state, seed, salt);
        let all = self.needs(t, seed).each(|pair, at| {
            let claims = if pair { t.pairs } else { t.claims };
            if step == CLAIM {
                claims.fetch_min(at, key);
            } else if takes {
                claims.swap(at, TAKEN);
                if !pair {
                    t.held.set(at, i + 1);
                }
            } else {
                let claim = claims.load(at);
                return if step == CHECK {
                    claim != TAKEN
                } else {
                    claim == key
                };
            }
            true
        });
        if takes {
            c.state.set(i, WON);
        } else if step == CHECK && !all {
            c.state.set(i, LOST);
        } else if step == VERIFY && all {
            c.state.set(i, WINS);
        }
    }
}
