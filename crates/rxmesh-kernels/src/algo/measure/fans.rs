//! Patches that consist of fans only, and the cotangent weights around a vertex whose faces are one.

use crate::exec::Block;
use crate::kernel;
use crate::kernel::PatchKernel;
use crate::math::rsqrt_fast;
use crate::mem::{GlobalMut, Plan, Shared};
use crate::query::{FanWalks, Fans, PreparedTable, each_place};
use crate::topo::{Patch, PatchHeader, Vertex};
use glam::Vec3;

kernel_list! {
    patch regular_patches: RegularPatches;
}

/// Flag of a patch whose vertices have one fan of faces each.
pub const REGULAR: u32 = 1;

kernel! {
    /// Flags the patches whose vertices all have faces in one consistently oriented fan, closed or open.
    pub struct RegularPatches: Patch {
        /// One word per patch: [`REGULAR`], or 0.
        pub regular: GlobalMut<u32>,
    }
}

/// Shared memory of [`RegularPatches`].
#[derive(Clone, Copy)]
pub struct RegularTables {
    walks: FanWalks,
    irregular: Shared<u32>,
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for RegularPatches {
    type Tables = RegularTables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> RegularTables {
        RegularTables {
            walks: FanWalks::carve(h, plan),
            irregular: plan.take(1),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &RegularTables) {
        b.phase(|p| {
            t.walks.prepare(p, patch);
            p.lead(|| t.irregular.set(0, 0));
        });
        t.walks.build(b, patch);
        b.each(patch.owned::<Vertex>(), |v| {
            if !t.walks.is_fan(v) {
                t.irregular.fetch_or(0, 1);
            }
        });
        b.last_phase(|p| {
            p.lead(|| {
                let regular = if t.irregular.get(0) == 0 { REGULAR } else { 0 };
                self.regular.set(patch.id(), regular);
            });
        });
    }
}

/// Walks around a vertex of a [regular](REGULAR) patch: `visit(w, x_w - x_v, weight)` for each neighbour, with the
/// weight `max(0, cot a + cot b)` of the edge, of a single cotangent on a boundary. Lengths are multiplied by `scale`
/// first, those that are visited too. A face without an area has no cotangents.
///
/// The vertex computes the cotangents of its corners, without atomics and in one phase; each is computed twice.
#[inline(always)]
pub(in crate::algo) fn each_weight(
    fans: PreparedTable<Fans>,
    v: u32,
    scale: f32,
    x: impl Fn(u32) -> Vec3,
    mut visit: impl FnMut(u32, Vec3, f32),
) {
    let (lo, hi) = fans.bounds(v);
    if lo == hi {
        return;
    }
    let at = x(v);
    let first = fans.value(lo);
    let opened = (x(first) - at) * scale;
    let mut a = opened;
    // The edge to `from` has the weight `max(0, carry + cotangent at the far end)`.
    let (mut from, mut carry, mut opening) = (first, 0.0, 0.0);
    let mut begun = false;
    each_place(
        lo / 2,
        hi / 2,
        |k| fans.value(2 * k + 1),
        |to| {
            let b = (x(to) - at) * scale;
            let (ab, n) = (b - a, a.cross(b));
            let n2 = n.dot(n);
            // Zero for a degenerate face, and where a number is none.
            let over_area2 = if n2 > 0.0 { rsqrt_fast(n2) } else { 0.0 };
            let (at_a, at_b) = (-a.dot(ab) * over_area2, b.dot(ab) * over_area2);
            if begun {
                visit(from, a, (carry + at_b).max(0.0));
            } else {
                opening = at_b;
                begun = true;
            }
            (a, from, carry) = (b, to, at_a);
        },
    );
    if from == first {
        visit(first, opened, (carry + opening).max(0.0));
    } else {
        visit(first, opened, opening.max(0.0));
        visit(from, a, carry.max(0.0));
    }
}
