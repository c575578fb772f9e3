//! Action maps of mapped SpGEMM (Mlakar 2018, section 3.2): functions of a pair of corners of one face.

use super::csr::{CountTerms, FillIds, FillValues, named};
use super::rule::{Rule, count_terms};
use crate::topology::Topology;
use core::fmt::Debug;
use rxmesh_kernels::args;
use rxmesh_kernels::mem::Bind;

/// Collision of M(i, k) and M^T(k, j): vertices i and j are both corners of face k.
#[derive(Clone, Copy, Debug)]
pub struct Collision<'a> {
    /// Mesh.
    pub m: &'a Topology,
    /// Entry M(i, k).
    pub h: u32,
    /// Entry M(j, k).
    pub g: u32,
    /// Row.
    pub i: u32,
    /// Column.
    pub j: u32,
    /// Face.
    pub k: u32,
    /// Index of i in the order of k, from 0 on.
    pub at_i: u32,
    /// Index of j in the order of k, from 0 on.
    pub at_j: u32,
    /// Order c of the face.
    pub order: u32,
}

impl Collision<'_> {
    /// Returns the number of steps from i to j along the face: the power p of the circulant map Q_c^p that is 1 here
    /// (3.5).
    #[inline(always)]
    pub fn steps(&self) -> u32 {
        if self.at_j >= self.at_i {
            self.at_j - self.at_i
        } else {
            self.at_j + self.order - self.at_i
        }
    }
}

/// Function of collisions: the map and function of M M^T {Q}\[gamma\] (5.1). Zero and "no element" are distinct.
///
/// List `flat name: CountTerms<Pairs<Yours>> as Yours;` and the same with [`FillIds`] and [`FillValues`].
///
/// # Safety
///
/// `at` reads only inside the gamma's views, on all meshes for which `fits` is `true`, writes nothing, and always
/// returns the same (contracts U3 and U4 of docs/inside/unsafe.md).
pub unsafe trait Gamma: Bind + Copy + Debug + Send + Sync + 'static {
    /// Type of an element of the result.
    type Value: bytemuck::Pod;

    /// `true` if at most one collision of a row and column has an element.
    const DISTINCT: bool;

    /// Number of elements of each entry of a row, if it is the same for all: then nothing is counted (section 5.2).
    const EACH: Option<u32> = None;

    /// Returns `true` if the gamma's arrays have the lengths that the mesh needs; the host asks before a launch.
    fn fits(&self, m: &Topology) -> bool {
        let _ = m;
        true
    }

    /// Combines an element with one more collision; it begins with zero.
    fn combine(old: Self::Value, new: Self::Value) -> Self::Value;

    /// Returns the element of a collision.
    fn at(&self, c: Collision<'_>) -> Option<Self::Value>;
}

args! {
    /// Product M M^T {Q}\[gamma\]: one row and one column per vertex. Only pairs inside a face are visited (section
    /// 5.2).
    pub struct Pairs<G: Gamma> {
        /// Matrix M.
        pub m: Topology,
        /// Map Q and function gamma.
        pub gamma: G,
    }
}

// SAFETY: columns are corners of the mesh (contracts U3, U4).
unsafe impl<G: Gamma> Rule for Pairs<G> {
    type Value = G::Value;
    const DISTINCT: bool = G::DISTINCT;

    fn shape(&self) -> Option<[u32; 2]> {
        let vertices = self.m.vertex_count();
        self.gamma.fits(&self.m).then_some([vertices, vertices])
    }

    #[inline(always)]
    fn count(&self, i: u32) -> u32 {
        match G::EACH {
            Some(each) => {
                let (start, end) = self.m.row(i);
                each * (end - start)
            }
            None => count_terms(self, i),
        }
    }

    #[inline(always)]
    fn combine(old: G::Value, new: G::Value) -> G::Value {
        G::combine(old, new)
    }

    #[inline(always)]
    fn row(&self, i: u32, mut term: impl FnMut(u32, G::Value)) {
        let m = &self.m;
        let (start, end) = m.row(i);
        for at in start..end {
            let h = m.entries.get(at);
            let k = m.face(h);
            let (first, order) = m.range(k);
            let mut pair = |at_j: u32, j: u32| {
                let collision = Collision {
                    m,
                    h,
                    g: first + at_j,
                    i,
                    j,
                    k,
                    at_i: h - first,
                    at_j,
                    order,
                };
                if let Some(value) = self.gamma.at(collision) {
                    term(j, value);
                }
            };
            if m.size == 4 {
                let [a, b, c, d] = m.corners.get4(k);
                pair(0, a);
                pair(1, b);
                pair(2, c);
                pair(3, d);
            } else {
                for at_j in 0..order {
                    pair(at_j, m.origin(first + at_j));
                }
            }
        }
    }
}

named! { [G: Gamma], Pairs<G> as G: CountTerms, FillIds, FillValues }

args! {
    /// Matrix F (4.6): F(i, j) is the face of the half-edge from i to j.
    pub struct FaceOfSides {}
}

// SAFETY: it names no memory (contract U4).
unsafe impl Gamma for FaceOfSides {
    type Value = u32;
    const DISTINCT: bool = true;
    const EACH: Option<u32> = Some(1);

    #[inline(always)]
    fn combine(_: u32, new: u32) -> u32 {
        new
    }

    #[inline(always)]
    fn at(&self, c: Collision<'_>) -> Option<u32> {
        (c.steps() == 1).then_some(c.k)
    }
}

args! {
    /// Matrix E (4.16), with Q_c + Q_c^T: E(i, j) is the number of faces of the edge of i and j, 2 inside and 1 at a
    /// boundary.
    pub struct EdgeUses {}
}

// SAFETY: it names no memory (contract U4).
unsafe impl Gamma for EdgeUses {
    type Value = u32;
    const DISTINCT: bool = false;
    const EACH: Option<u32> = Some(2);

    #[inline(always)]
    fn combine(old: u32, new: u32) -> u32 {
        old + new
    }

    #[inline(always)]
    fn at(&self, c: Collision<'_>) -> Option<u32> {
        let steps = c.steps();
        (steps == 1 || steps + 1 == c.order).then_some(1)
    }
}

args! {
    /// Power of the circulant map (3.5): the number of faces in which j is `steps` steps after i. The first power is
    /// S_v (3.7), the second power of quads Q_d (3.8).
    pub struct Power {
        /// Power p, from 0 on; for a face of c corners p modulo c is used.
        pub steps: u32,
    }
}

// SAFETY: it names no memory (contract U4).
unsafe impl Gamma for Power {
    type Value = u32;
    const DISTINCT: bool = false;
    const EACH: Option<u32> = Some(1);

    #[inline(always)]
    fn combine(old: u32, new: u32) -> u32 {
        old + new
    }

    #[inline(always)]
    fn at(&self, c: Collision<'_>) -> Option<u32> {
        (c.steps() == self.steps % c.order.max(1)).then_some(1)
    }
}

args! {
    /// E and F in one product: E(i, j) has the half-edge from i to j and the one from j to i, each plus one, or 0 if
    /// there is none. It contains twins and edges.
    pub struct Sides {}
}

// SAFETY: it names no memory (contract U4).
unsafe impl Gamma for Sides {
    type Value = [u32; 2];
    const DISTINCT: bool = false;
    const EACH: Option<u32> = Some(2);

    #[inline(always)]
    fn combine(old: [u32; 2], new: [u32; 2]) -> [u32; 2] {
        [old[0].max(new[0]), old[1].max(new[1])]
    }

    #[inline(always)]
    fn at(&self, c: Collision<'_>) -> Option<[u32; 2]> {
        let steps = c.steps();
        if steps == 1 {
            Some([c.h + 1, 0])
        } else if steps + 1 == c.order {
            Some([0, c.g + 1])
        } else {
            None
        }
    }
}
