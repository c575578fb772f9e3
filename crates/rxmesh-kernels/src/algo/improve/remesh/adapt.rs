//! Lengths by curvature.

use super::{GAP, LINE, RingLists};
use crate::edit::{FlatMesh, HalfEdgeMesh};
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::math::{length, normalize_or_zero, sqrt};
use crate::mem::{Global, GlobalMut};
use crate::parallel::labels::label_of;
use glam::Vec3;

kernel! {
    /// Computes the length of edges whose distance from a surface is some error: `sqrt(6 e / k - 3 e^2)`, where `k` is
    /// the greatest normal curvature towards a neighbour (Dunyach et al. 2013, "Adaptive remeshing for real-time mesh
    /// deformation", section 3.1), within bounds. On a line it is that of the line; where lines end or meet, the
    /// greatest, as for vertices without a list of neighbours. One index per vertex slot.
    pub struct AdaptLengths: Flat {
        /// Lists of neighbours.
        pub rings: RingLists,
        /// Positions.
        pub x: Global<Vec3>,
        /// Error, the least and the greatest length, for each mesh.
        pub bounds: Global<f32>,
        /// Length at each vertex.
        pub lengths: GlobalMut<f32>,
        /// Number of the mesh of each vertex; empty for one mesh.
        pub labels: Global<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for AdaptLengths {
    #[inline(always)]
    fn run(&self, v: u32) {
        let k = self.curvature(v);
        let part = label_of(self.labels, v);
        let [error, shortest, longest] = self.bounds.several(3 * part);
        // Written so that no curvature, however small, divides.
        let square = error * (6.0 - 3.0 * error * k);
        let least = shortest * shortest * k;
        let greatest = longest * longest * k;
        let l = if square >= greatest {
            longest
        } else if square <= least {
            shortest
        } else {
            sqrt(square / k)
        };
        self.lengths.set(v, l);
    }
}

impl AdaptLengths {
    #[inline(always)]
    fn curvature(&self, v: u32) -> f32 {
        let star = self.rings.star(self.x, v);
        let on = self.rings.line(&star);
        if on.count > 0 {
            let (before, after) = (self.x.get(on.before), self.x.get(on.after));
            if !on.is_smooth(star.at, before, after, 0.0) {
                return 0.0;
            }
            let (u, w) = (star.at - before, after - star.at);
            let turn = normalize_or_zero(w) - normalize_or_zero(u);
            let way = 0.5 * (length(u) + length(w));
            return if way > 0.0 { length(turn) / way } else { 0.0 };
        }
        let mut normal = Vec3::ZERO;
        self.rings.faces(self.x, &star, |p, q| {
            normal += (p - star.at).cross(q - star.at);
            true
        });
        let n = normalize_or_zero(normal);
        let mut most = 0.0f32;
        let mut i = star.from;
        while i < star.to {
            let d = self.x.get(self.rings.tips.get(i) & !(LINE | GAP)) - star.at;
            let square = d.dot(d);
            if square > 0.0 {
                most = most.max(2.0 * n.dot(d).abs() / square);
            }
            i += 1;
        }
        most
    }
}

kernel! {
    /// Makes lengths change little from vertex to vertex. One index per vertex slot.
    pub struct GradeLengths: Flat {
        /// Lists of neighbours.
        pub rings: RingLists,
        /// Positions.
        pub x: Global<Vec3>,
        /// Length at each vertex.
        pub lengths: Global<f32>,
        /// Largest slope: no length is above that of a neighbour by more than this part of the distance; below 0, each
        /// becomes the mean of its own and its neighbours'.
        pub slope: f32,
        /// New lengths.
        pub graded: GlobalMut<f32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for GradeLengths {
    #[inline(always)]
    fn run(&self, v: u32) {
        let star = self.rings.star(self.x, v);
        let own = self.lengths.get(v);
        let (mut sum, mut n, mut least) = (own, 1.0, own);
        let mut i = star.from;
        while i < star.to {
            let u = self.rings.tips.get(i) & !(LINE | GAP);
            let l = self.lengths.get(u);
            // A held vertex has no curvature.
            if !self.rings.is_empty_at(u) {
                sum += l;
                n += 1.0;
            }
            least = least.min(l + self.slope * length(self.x.get(u) - star.at));
            i += 1;
        }
        self.graded
            .set(v, if self.slope < 0.0 { sum / n } else { least });
    }
}

kernel! {
    /// Gives vertices without a list of neighbours no greater lengths than their neighbours allow. One index per edge
    /// slot.
    pub struct FollowLengths: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Lists of neighbours.
        pub rings: RingLists,
        /// Positions.
        pub x: Global<Vec3>,
        /// Largest slope ([`GradeLengths::slope`]).
        pub slope: f32,
        /// Length at each vertex.
        pub lengths: GlobalMut<f32>,
    }
}

// SAFETY: indices of one launch write atomically what others of it do not read; the host launches no more of them than
// the views hold (contracts U3, U4).
unsafe impl FlatKernel for FollowLengths {
    #[inline(always)]
    fn run(&self, e: u32) {
        if !self.mesh.edge_lives(e) {
            return;
        }
        let ends = [self.mesh.origin(2 * e), self.mesh.tip(2 * e)];
        let [a, b] = ends.map(|v| self.rings.is_empty_at(v));
        if a != b {
            let (held, free) = if a {
                (ends[0], ends[1])
            } else {
                (ends[1], ends[0])
            };
            let way = length(self.x.get(held) - self.x.get(free));
            let least = self.lengths.get(free) + self.slope * way;
            // Numbers above 0 have the order of their bits.
            self.lengths.cast::<u32>().fetch_min(held, least.to_bits());
        }
    }
}
