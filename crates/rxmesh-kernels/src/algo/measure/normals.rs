//! Vertex normals weighted as in Max, "Weights for computing vertex normals from facet normals", JGT 1999.

use crate::attr::{Staged, StagedSum, Unit, Write};
use crate::kernel;
use crate::kernel::{ForEach, Scatter};
use crate::math::{normalize_or_zero, rcp_fast};
use crate::query::{Corners, FV, Neighbours};
use crate::topo::{Face, Local, Owned, Vertex};
use glam::Vec3;

kernel_list! {
    prepared vertex_normals: VertexNormals;
    prepared gather_normals: GatherNormals;
}

kernel! {
    /// Computes unit vertex normals: each corner adds its face's edge cross product over the squared lengths of its two
    /// edges. Degenerate faces add nothing; a vertex without any contribution gets zero.
    pub struct VertexNormals: Scatter<FV>, threads = 128 {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Unit normals.
        pub n: StagedSum<Vertex, Vec3, Unit>,
    }
}

impl Scatter<FV> for VertexNormals {
    #[inline(always)]
    fn run(&self, _f: Local<Face>, v: Neighbours<FV>) {
        let [a, b, c] = [v.get(0), v.get(1), v.get(2)];
        let (x, y, z) = (self.x.get(a), self.x.get(b), self.x.get(c));
        let (ab, bc, ca) = (y - x, z - y, x - z);
        let normal = ca.cross(ab);
        let (lab, lbc, lca) = (ab.dot(ab), bc.dot(bc), ca.dot(ca));
        // Each once, used or not.
        let (ab, bc, ca) = (rcp_fast(lab), rcp_fast(lbc), rcp_fast(lca));
        let (has_ab, has_bc, has_ca) = (lab > 0.0, lbc > 0.0, lca > 0.0);
        // Divided by one length after the other: the product of two leaves the range of `f32` much sooner.
        let add = |v, both: bool, one: f32, other: f32| {
            if both {
                self.n.add(v, normal * one * other);
            }
        };
        add(a, has_ab && has_ca, ab, ca);
        add(b, has_ab && has_bc, ab, bc);
        add(c, has_bc && has_ca, bc, ca);
    }
}

/// Part of the terms below which a sum has no direction: the terms cancel, and the rest is their rounding, a few units
/// in the last place of the largest.
const CANCELLED: f32 = 1e-6;

kernel! {
    /// Computes the same normals, gathered: each vertex adds up the contributions of its corners, always in the same
    /// order and without atomics. Each face is computed three times. Corners that cancel give zero.
    pub struct GatherNormals: ForEach<Corners>, threads = 128 {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Unit normals.
        pub n: Write<Vertex, Vec3>,
    }
}

impl ForEach<Corners> for GatherNormals {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, corners: Neighbours<Corners>) {
        let x = self.x.get(v.any());
        let (mut sum, mut terms) = (Vec3::ZERO, Vec3::ZERO);
        let mut k = 0;
        while k < corners.len() {
            let next = self.x.get(corners.get(k)) - x;
            let previous = self.x.get(corners.get(k + 1)) - x;
            let (l, m) = (next.dot(next), previous.dot(previous));
            if l > 0.0 && m > 0.0 {
                let term = next.cross(previous) * rcp_fast(l) * rcp_fast(m);
                sum += term;
                terms += term.abs();
            }
            k += 2;
        }
        let certain = sum.abs().max_element() > CANCELLED * terms.max_element();
        let sum = if certain { sum } else { Vec3::ZERO };
        self.n.set(v, normalize_or_zero(sum));
    }
}
