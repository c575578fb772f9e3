//! Explicit surface tracking with the operations of El Topo (Brochu and Bridson 2009), without collisions; flips go
//! towards equal valences.

use crate::algo::improve::remesh::{
    Centre, Halves, HintedPoints, LineEdges, RingLists, Sizing, longer_first,
};
use crate::algo::motion::curl_noise::CurlNoise;
use crate::cavity::{Cavity, Growth, Hole, Operator, Priority, Seed, Sieves, Site, template};
use crate::edit::{HalfEdgeMesh, NO_FACE};
use crate::kernel::FlatKernel;
use crate::math::sqrt;
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};
use glam::Vec3;

kernel_list! {
    flat advect: Advect;
    operator split_stretched: SplitStretched;
    flat smooth_null_space: SmoothNullSpace;
}

kernel! {
    /// Moves each vertex with a velocity field for some time. One index per vertex slot.
    pub struct Advect: Flat {
        /// Velocity field.
        pub field: CurlNoise,
        /// Duration of the step.
        pub time: f32,
        /// Positions.
        pub x: GlobalMut<Vec3>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for Advect {
    #[inline(always)]
    fn run(&self, v: u32) {
        self.x.set(v, self.field.after(self.x.get(v), self.time));
    }
}

args! {
    /// Splits edges that are longer than some length, and those opposite a wide angle, in their middle.
    pub struct SplitStretched {
        /// Positions.
        pub x: HintedPoints,
        /// Lines, which continue in both halves of their edges.
        pub lines: LineEdges,
        /// Length above which edges are split.
        pub longest: Sizing,
        /// Square of the length up to which edges stay even opposite a wide angle: halves of longer ones are not
        /// contracted at once.
        pub shortest: f32,
        /// Cosine of the widest angle, below 0.
        pub widest: f32,
    }
}

impl SplitStretched {
    /// Returns `true` if the face of a half-edge has a wide angle opposite it.
    #[inline(always)]
    fn is_wide(&self, mesh: &impl HalfEdgeMesh, h: u32) -> bool {
        if mesh.face(h) == NO_FACE {
            return false;
        }
        let apex = self.x.get(mesh.apex(h));
        let (u, w) = (
            self.x.get(mesh.origin(h)) - apex,
            self.x.get(mesh.tip(h)) - apex,
        );
        u.dot(w) < self.widest * sqrt(u.dot(u) * w.dot(w))
    }
}

// SAFETY: `fill` writes its new elements and the hole's boundary loop, all else only reads; ids are the mesh's
// (contracts U3, U4).
unsafe impl Operator for SplitStretched {
    type Template = template::E;
    type Plan = Halves;
    const GROWTH: Growth = Growth::VERTEX;
    const SIEVES: Sieves = Sieves::All;

    #[inline(always)]
    fn template(&self) -> template::E {
        template::E
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let h = 2 * seed.0;
        let (a, b) = (mesh.origin(h), mesh.tip(h));
        let d = self.x.get(a) - self.x.get(b);
        let square = d.dot(d);
        let stretched = square > self.longest.square(a, b)
            || square > self.shortest && (self.is_wide(mesh, h) || self.is_wide(mesh, h + 1));
        (stretched && square < f32::INFINITY).then(|| longer_first(square))
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> Halves {
        Halves::new(cavity, &self.x, &self.lines, &self.longest)
    }

    #[inline(always)]
    fn fill(&self, plan: Halves, hole: &mut Hole<'_, impl Site>) {
        plan.fill(hole, &self.x, &self.lines, &self.longest);
    }
}

/// Directions whose eigenvalue is below this part of the largest count as tangential (Jiao 2007: 0.003).
const TANGENTIAL: f32 = 0.003;

kernel! {
    /// Smooths in the null space (Jiao 2007, "Face offsetting", section 4): moves each vertex towards the centre of
    /// mass of its faces, but only in the directions that are tangential to all of them: in the plane of a smooth
    /// surface, along a ridge, not at all at a corner. One index per vertex slot.
    pub struct SmoothNullSpace: Flat {
        /// Lists of neighbours.
        pub rings: RingLists,
        /// Positions of the vertices.
        pub x: Global<Vec3>,
        /// New positions.
        pub moved: GlobalMut<Vec3>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for SmoothNullSpace {
    #[inline(always)]
    fn run(&self, v: u32) {
        self.moved.set(v, self.place(v));
    }
}

impl SmoothNullSpace {
    #[inline(always)]
    fn place(&self, v: u32) -> Vec3 {
        let (rings, x) = (&self.rings, self.x);
        let star = rings.star(x, v);
        if let Some(place) = rings.along_line(x, &star) {
            return place;
        }
        let (mut centre, mut tensor) = (Centre::NONE, Symmetric::ZERO);
        rings.faces(x, &star, |p, q| {
            let (twice, n) = centre.add(p - star.at, q - star.at);
            if twice > 0.0 {
                // Area times the square of the unit normal.
                tensor.add_square(n, 1.0 / twice);
            }
            true
        });
        let Some(way) = centre.way() else {
            return star.at;
        };
        rings.as_far_as_possible(x, &star, tensor.small_part(way, TANGENTIAL))
    }
}

/// Symmetric matrix of three rows.
#[derive(Clone, Copy, Debug)]
pub struct Symmetric {
    /// Diagonal: xx, yy, zz.
    diagonal: Vec3,
    xy: f32,
    xz: f32,
    yz: f32,
}

impl Symmetric {
    /// Zero.
    pub const ZERO: Symmetric = Symmetric {
        diagonal: Vec3::ZERO,
        xy: 0.0,
        xz: 0.0,
        yz: 0.0,
    };

    /// Adds a vector times itself and a factor.
    #[inline(always)]
    pub fn add_square(&mut self, n: Vec3, factor: f32) {
        let m = n * factor;
        self.diagonal += n * m;
        self.xy += n.x * m.y;
        self.xz += n.x * m.z;
        self.yz += n.y * m.z;
    }

    /// Returns the part of a vector in the eigenspaces whose eigenvalues are below some part of the largest. By
    /// Jacobi's rotations.
    #[inline(always)]
    pub fn small_part(self, v: Vec3, below: f32) -> Vec3 {
        let Symmetric {
            diagonal,
            mut xy,
            mut xz,
            mut yz,
        } = self;
        let Vec3 {
            x: mut a,
            y: mut b,
            z: mut c,
        } = diagonal;
        let (mut u, mut w, mut t) = (Vec3::X, Vec3::Y, Vec3::Z);
        // Quadratic convergence: after four sweeps nothing is left in f32.
        let mut sweep = 0;
        while sweep < 4 {
            rotate(&mut a, &mut b, &mut xy, &mut xz, &mut yz, &mut u, &mut w);
            rotate(&mut a, &mut c, &mut xz, &mut xy, &mut yz, &mut u, &mut t);
            rotate(&mut b, &mut c, &mut yz, &mut xy, &mut xz, &mut w, &mut t);
            sweep += 1;
        }
        let bound = below * a.max(b).max(c);
        let part = |value: f32, axis: Vec3| {
            if value < bound {
                axis * axis.dot(v)
            } else {
                Vec3::ZERO
            }
        };
        part(a, u) + part(b, w) + part(c, t)
    }
}

/// Runs one rotation: makes `off`, the element of the matrix at the axes of `p` and `q`, zero. `r` and `s` are those of
/// the third axis with either, `u` and `w` the eigenvectors so far (Golub and Van Loan, "Matrix computations", section
/// 8.5).
#[inline(always)]
fn rotate(
    p: &mut f32,
    q: &mut f32,
    off: &mut f32,
    r: &mut f32,
    s: &mut f32,
    u: &mut Vec3,
    w: &mut Vec3,
) {
    if *off == 0.0 {
        return;
    }
    let tau = (*q - *p) / (2.0 * *off);
    let root = sqrt(1.0 + tau * tau);
    let t = if tau < 0.0 {
        -1.0 / (root - tau)
    } else {
        1.0 / (tau + root)
    };
    let c = 1.0 / sqrt(1.0 + t * t);
    let d = t * c;
    *p -= t * *off;
    *q += t * *off;
    *off = 0.0;
    (*r, *s) = (c * *r - d * *s, d * *r + c * *s);
    (*u, *w) = (*u * c - *w * d, *u * d + *w * c);
}
