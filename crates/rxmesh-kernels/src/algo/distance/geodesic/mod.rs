//! Geodesic distances by parallel propagation (Romero Calla, Fuentes Perez, Montenegro 2019, "A minimalistic approach
//! for fast computation of geodesic distances on triangular meshes", section 4), patch by patch.
//!
//! The update of a corner is not the paper's plane wave but a circular one (Novotni and Klein 2002, "Computing geodesic
//! distances on triangular meshes"): the two other corners' distances place a point in the triangle's plane, across the
//! side between them, and the corner's distance is that from the point. On a plane with one source this is exact
//! whatever the triangles are, obtuse ones included, since distances are corrected until no offer lowers them. With
//! several sources each distance knows its source ([`SOURCE_BITS`]), so that circles of two sources are distinguished.
//!
//! The paper updates the vertices of one topological level after the other. Here a round is one launch, in which each
//! patch next to a change takes its ribbon's distances and continues by itself, in shared memory. So there are fewer
//! rounds than levels, and no order of vertices has to be found first.
//!
//! A patch that goes too far ahead works on distances that fall again when shorter paths come in from elsewhere. So a
//! distance is passed on only if it is not much longer than the shortest one that is still to be passed on, as in
//! delta-stepping (Meyer and Sanders 2003, "Delta-stepping: a parallelizable shortest path algorithm"). The difference
//! allowed is a multiple of the patch's own edges, which suits meshes of fine and coarse parts.
//!
//! Inside a patch, steps are those of Jacobi: distances that a step reads it does not write, so that they do not depend
//! on the number of threads. Instead of gathering each vertex's faces, each face offers distances to its three corners,
//! which keep the least: no transposed relation is needed, and a minimum does not depend on the order. Only faces with
//! a corner that moved in the step before make offers.

mod levels;
mod round;

pub use levels::{LevelClear, LevelRound, NO_LEVEL};
pub use round::GeodesicRound;

use crate::attr::Staged;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{Fields, FlatKernel, PatchKernel};
use crate::math::length;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::topo::{Face, Patch, PatchHeader, Vertex};
use glam::Vec3;

kernel_list! {
    flat level_clear: LevelClear;
    flat geodesic_sources: GeodesicSources;
    patch level_round: LevelRound;
    patch geodesic_start: GeodesicStart;
    listed geodesic_round: GeodesicRound;
    patch geodesic_finish: GeodesicFinish;
}

/// Words a patch of [`GeodesicRound::readers`]: the number of readers, and their patches.
pub const READERS_ROW: u32 = 16;

/// Capacity of a row, in patches; those beyond are listed in every round.
const MOST_READERS: u32 = READERS_ROW - 1;

/// In [`GeodesicRound::entered`]: listed in every round.
pub const ALWAYS: u32 = u32::MAX;

/// Lowest bits of a distance, which hold the number of its source if there are several. A distance loses a millionth
/// part of itself by that.
pub const SOURCE_BITS: u32 = 0xf;

/// Infinity, as bits.
pub const FAR: u32 = f32::INFINITY.to_bits();

kernel! {
    /// Sets the values of the sources. The sources are distinct.
    pub struct GeodesicSources: Flat {
        /// Linear ids.
        pub sources: Global<u32>,
        /// Value of each source: its level, or its distance as bits.
        pub starts: Global<u32>,
        /// Levels, or distances as bits.
        pub values: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for GeodesicSources {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.values.set(self.sources.get(i), self.starts.get(i));
    }
}

kernel! {
    /// Puts all distances at infinity, and measures the edges of each patch.
    pub struct GeodesicStart: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Least distances that vertices were offered.
        pub best: GlobalMut<f32>,
        /// Distances that they have passed on.
        pub told: GlobalMut<f32>,
        /// Second copy of these distances.
        pub other: GlobalMut<f32>,
        /// Length of the patch's longer edges, times the scale: a third of the largest circumference of a face.
        pub edge: GlobalMut<f32>,
        /// Length of the patch's shortest edge that has a length, times the scale; 0 if there is none.
        pub shortest: GlobalMut<f32>,
        /// For each patch a row of [`GeodesicStart::room`] faces, those of the ribbon included: the three local
        /// vertices, 16 bits each, and above them the `Obtuse` corner.
        pub faces: GlobalMut<u64>,
        /// Most faces of a patch.
        pub room: u32,
        /// As [`GeodesicRound::waiting`].
        pub waiting: GlobalMut<u32>,
        /// As [`GeodesicRound::readers`], all zero before.
        pub readers: GlobalMut<u32>,
        /// As [`GeodesicRound::entered`], all zero before.
        pub entered: GlobalMut<u32>,
        /// Patches of the first round: all.
        pub list: GlobalMut<u32>,
        /// Factor that brings lengths near one.
        pub scale: f32,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part, and atomically what several write; ids and
// sections are the mesh's (contracts U1 to U4).
unsafe impl PatchKernel for GeodesicStart {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        Fields::carve(self, h, plan);
        (plan.take(SCRATCH_WORDS), plan.take(1))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &(scratch, shortest): &Self::Tables) {
        let base = patch.base::<Vertex>();
        b.phase(|p| {
            self.load(p, patch);
            p.lead(|| shortest.set(0, FAR));
            p.each(patch.owned::<Vertex>(), |v| {
                self.best.set(base + v, f32::INFINITY);
                self.told.set(base + v, f32::INFINITY);
                self.other.set(base + v, f32::INFINITY);
            });
        });
        let (owned, map) = (patch.owned::<Vertex>(), patch.map::<Vertex>());
        b.each(patch.total::<Vertex>() - owned, |i| {
            let linear = map.linear(owned + i);
            let (owner, first) = patch.owner_of::<Vertex>(linear);
            // The ribbon ascends by linear id: once for each owner.
            if i == 0 || map.linear(owned + i - 1) < first {
                self.enter_reader(owner, patch.id());
            }
        });
        let row = patch.id() * self.room;
        let round = b.max(patch.total::<Face>(), scratch, |f| {
            let vertices = corners(patch, f);
            let [a, b, c] = vertices.map(|v| self.x.at(v) * self.scale);
            let (ab, bc, ca) = (b - a, c - b, a - c);
            let obtuse = Obtuse::of([ab.dot(ca), bc.dot(ab), ca.dot(bc)]);
            let [a, b, c] = vertices.map(u64::from);
            let face = a | b << 16 | c << 32 | u64::from(obtuse.0) << 48;
            self.faces.set(row + f, face);
            let sides = [ab, bc, ca].map(length);
            for side in sides {
                // Lengths are not negative: their bits order like numbers.
                if side > 0.0 && side.to_bits() < shortest.load(0) {
                    shortest.fetch_min(0, side.to_bits());
                }
            }
            let [a, b, c] = sides;
            f64::from(a + b + c)
        });
        b.last_phase(|p| {
            p.lead(|| {
                // A patch without faces has nothing to pass on.
                let round = if round > 0.0 { round as f32 } else { 0.0 };
                self.edge.set(patch.id(), round / 3.0);
                let shortest = match shortest.get(0) {
                    FAR => 0.0,
                    bits => f32::from_bits(bits),
                };
                self.shortest.set(patch.id(), shortest);
                self.waiting.set(patch.id(), FAR);
                self.list.set(patch.id(), patch.id());
            });
        });
    }
}

impl GeodesicStart {
    /// Adds a patch to those that read the distances that another one passes on.
    #[inline(always)]
    fn enter_reader(&self, owner: u32, reader: u32) {
        let at = self.readers.fetch_add(owner * READERS_ROW, 1);
        if at < MOST_READERS {
            self.readers.set(owner * READERS_ROW + 1 + at, reader);
        } else {
            self.entered.store(reader, ALWAYS);
        }
    }
}

/// Obtuse corner of a face, if it has one, and its angle. The lowest two bits are 1 to 3 for the corner; above them are
/// the 14 high bits, rounded up, of the dot product of the corner's sides, which is negative and stored without its
/// sign. 0 without an obtuse corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Obtuse(u16);

impl Obtuse {
    /// Finds the obtuse corner by the dot products, at each corner, of the side that comes in and the one that goes
    /// out.
    #[inline(always)]
    fn of(dots: [f32; 3]) -> Obtuse {
        let mut corner = Obtuse(0);
        let mut k = 0;
        while k < 3 {
            if dots[k] > 0.0 {
                let high = (dots[k].to_bits() + 0x1_ffff) >> 17;
                corner = Obtuse((high << 2) as u16 | (k as u16 + 1));
            }
            k += 1;
        }
        corner
    }

    /// Returns `true` if a wave from across the other side may come to corner `k`, at distance `d`, before it comes to
    /// both ends of that side, of which the nearer one is at `nearer`.
    ///
    /// For a point at distance `s` from the foot of the corner's height `h`, which parts the side in `t` and `1 - t` of
    /// its length `l`, Stewart's theorem says `s s >= nearer nearer - t (1 - t) l l`, and the corner is no nearer to
    /// the point than the square root of `s s + h h`. The sides' dot product is `h h - t (1 - t) l l`.
    #[inline(always)]
    fn may_lower(self, k: u32, d: f32, nearer: f32) -> bool {
        let slack = f32::from_bits(u32::from(self.0 >> 2) << 17);
        u32::from(self.0 & 3) == k + 1 && (nearer - d) * (nearer + d) <= slack
    }
}

/// Returns the three local vertices of a face, from the stored sections.
#[inline(always)]
fn corners(patch: &Patch, f: u32) -> [u32; 3] {
    let ev = patch.ev();
    patch.face_edges(f).map(|side| u32::from(ev.get(side)))
}

kernel! {
    /// Brings distances back to the mesh's unit, and finds the largest finite one of each patch.
    pub struct GeodesicFinish: Patch {
        /// Distances.
        pub distance: GlobalMut<f32>,
        /// Largest finite distance, one a patch; minus infinity if nothing is reached.
        pub farthest: GlobalMut<f64>,
        /// Vertices with a finite distance, one number per patch.
        pub reached: GlobalMut<f64>,
        /// One over the scale.
        pub unit: f32,
        /// As [`GeodesicRound::labels`].
        pub labels: u32,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for GeodesicFinish {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &scratch: &Shared<u32>) {
        let (owned, distance) = (
            patch.owned::<Vertex>(),
            self.distance.from(patch.base::<Vertex>()),
        );
        let reached = b.count(owned, scratch, |v| distance.get(v) < f32::INFINITY);
        let far = b.max(owned, scratch, |v| {
            let d = f32::from_bits(distance.get(v).to_bits() & !self.labels) * self.unit;
            distance.set(v, d);
            if d < f32::INFINITY {
                f64::from(d)
            } else {
                f64::NEG_INFINITY
            }
        });
        let id = patch.id();
        b.last_phase(|p| {
            p.lead(|| {
                self.farthest.set(id, far);
                self.reached.set(id, f64::from(reached));
            });
        });
    }
}
