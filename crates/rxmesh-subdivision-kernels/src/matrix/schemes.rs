//! Catmull-Clark, Loop, sqrt(3) and Doo-Sabin as masks.

use super::scheme::{Level, Scheme, Split, Terms};
use crate::topology::NONE;
use rxmesh_kernels::args;

/// Computes cos(2 pi / n) to rounding, for n from 2 on: its series, because devices have no exact cosine.
#[inline(always)]
pub fn cosine_of_part(n: u32) -> f32 {
    let x = core::f32::consts::TAU / n as f32;
    let y = x * x;
    // 1 - y/2! + y^2/4! - ..., up to x^20.
    let mut sum = 1.0;
    let mut k = 20.0;
    while k > 1.0 {
        sum = 1.0 - sum * y / (k * (k - 1.0));
        k -= 2.0;
    }
    sum
}

/// Gives the mask of a vertex at a boundary (4.14), (4.25): that of a cubic B-spline.
#[inline(always)]
fn along_boundary(level: &Level, v: u32, to: &mut impl Terms) {
    to.vertex(v, 0.75);
    level.each_along_boundary(v, |w| to.vertex(w, 0.125));
}

/// Gives the mask of a vertex with weight `own` and each of its neighbours with weight `each`. The many small terms
/// come first, here and below: added to the large one, each would be rounded in the same way, and at valence 150 that
/// is 1e-5 per level.
#[inline(always)]
fn ring(level: &Level, v: u32, own: f32, each: f32, to: &mut impl Terms) {
    level.each_leaving(v, |h| to.vertex(level.m.target(h), each));
    to.vertex(v, own);
}

/// Gives the mean of a face's corners (4.22).
#[inline(always)]
fn mean(level: &Level, f: u32, to: &mut impl Terms) {
    let m = &level.m;
    if m.size == 4 {
        let [a, b, c, d] = m.corners.get4(f);
        to.vertex(a, 0.25);
        to.vertex(b, 0.25);
        to.vertex(c, 0.25);
        to.vertex(d, 0.25);
        return;
    }
    let (first, n) = m.range(f);
    let weight = 1.0 / n as f32;
    for h in first..first + n {
        to.vertex(m.origin(h), weight);
    }
}

args! {
    /// Scheme of Catmull and Clark 1978 (Mlakar 2018, section 4.3): (4.27), (4.23), (4.29), at boundaries (4.25),
    /// (4.26).
    ///
    /// (4.32) of the thesis has 1/n for the faces' part; it is 1/n^2, as in (4.29). Vertices with several fans of faces
    /// or with none do not move.
    pub struct CatmullClark {
        /// 1 if boundary vertices of one face are smooth, 0 if they do not move.
        pub smooth_corners: u32,
    }
}

// SAFETY: masks name what half-edges of the level name (contracts U3, U4).
unsafe impl Scheme for CatmullClark {
    const SPLIT: Split = Split::Quads;

    #[inline(always)]
    fn face(&self, level: &Level, f: u32, to: &mut impl Terms) {
        mean(level, f, to);
    }

    #[inline(always)]
    fn edge(&self, level: &Level, h: u32, to: &mut impl Terms) {
        let m = &level.m;
        let (twin, face) = (m.twin(h), m.face(h));
        let (a, b) = (m.origin(h), m.target(h));
        if twin == NONE {
            to.vertex(a, 0.5);
            to.vertex(b, 0.5);
        } else {
            to.vertex(a, 0.25);
            to.vertex(b, 0.25);
            to.face(face, 0.25);
            to.face(m.face(twin), 0.25);
        }
    }

    #[inline(always)]
    fn vertex(&self, level: &Level, v: u32, to: &mut impl Terms) {
        if level.is_interior(v) {
            let over = 1.0 / level.valence(v) as f32;
            let square = over * over;
            let m = &level.m;
            level.each_leaving(v, |h| {
                to.vertex(m.target(h), square);
                to.face(m.face(h), square);
            });
            to.vertex(v, 1.0 - 2.0 * over);
        } else if level.is_boundary(v, self.smooth_corners != 0) {
            along_boundary(level, v, to);
        } else {
            to.vertex(v, 1.0);
        }
    }
}

args! {
    /// Scheme of Loop 1987 (Mlakar 2018, section 4.2): (4.10) to (4.14), for triangles.
    pub struct Loop {
        /// 1 if boundary vertices of one face are smooth, 0 if they do not move.
        pub smooth_corners: u32,
    }
}

// SAFETY: masks name what half-edges of the level name (contracts U3, U4).
unsafe impl Scheme for Loop {
    const SPLIT: Split = Split::Triangles;

    /// The thesis adds the contributions of the two faces, by three products per face (4.15); here an edge gathers from
    /// both.
    #[inline(always)]
    fn edge(&self, level: &Level, h: u32, to: &mut impl Terms) {
        let m = &level.m;
        let twin = m.twin(h);
        let (a, b) = (m.origin(h), m.target(h));
        if twin == NONE {
            to.vertex(a, 0.5);
            to.vertex(b, 0.5);
        } else {
            to.vertex(a, 0.375);
            to.vertex(b, 0.375);
            to.vertex(m.origin(m.prev(h)), 0.125);
            to.vertex(m.origin(m.prev(twin)), 0.125);
        }
    }

    #[inline(always)]
    fn vertex(&self, level: &Level, v: u32, to: &mut impl Terms) {
        if level.is_interior(v) {
            let n = level.valence(v);
            let a = 0.375 + 0.25 * cosine_of_part(n);
            let all = 0.625 - a * a;
            ring(level, v, 1.0 - all, all / n as f32, to);
        } else if level.is_boundary(v, self.smooth_corners != 0) {
            along_boundary(level, v, to);
        } else {
            to.vertex(v, 1.0);
        }
    }
}

args! {
    /// Scheme of Kobbelt 2000 (Mlakar 2018, section 4.1): (4.1) to (4.3), for triangles. Boundaries do not move, which
    /// the thesis leaves open: their edges are not flipped and their vertices are fixed.
    pub struct Sqrt3 {}
}

// SAFETY: masks name what half-edges of the level name (contracts U3, U4).
unsafe impl Scheme for Sqrt3 {
    const SPLIT: Split = Split::Flips;

    #[inline(always)]
    fn face(&self, level: &Level, f: u32, to: &mut impl Terms) {
        mean(level, f, to);
    }

    #[inline(always)]
    fn vertex(&self, level: &Level, v: u32, to: &mut impl Terms) {
        if level.is_interior(v) {
            let n = level.valence(v);
            let all = (4.0 - 2.0 * cosine_of_part(n)) / 9.0;
            ring(level, v, 1.0 - all, all / n as f32, to);
        } else {
            to.vertex(v, 1.0);
        }
    }
}

args! {
    /// Scheme of Doo and Sabin 1978: any polygons; one new vertex per corner, faces for faces, inner edges and inner
    /// vertices. The thesis does not have it: its matrix is M^T M with circulant weights.
    pub struct DooSabin {}
}

// SAFETY: masks name what half-edges of the level name (contracts U3, U4).
unsafe impl Scheme for DooSabin {
    const SPLIT: Split = Split::Dual;

    #[inline(always)]
    fn corner(&self, level: &Level, h: u32, to: &mut impl Terms) {
        let m = &level.m;
        let (first, n) = m.range(m.face(h));
        let over = 0.25 / n as f32;
        // Cosines of 2 pi j / n by recurrence.
        let turn = cosine_of_part(n);
        let (mut g, mut cosine, mut before) = (h, 1.0, turn);
        for j in 0..n {
            let share = if j == 0 {
                n as f32 + 5.0
            } else {
                3.0 + 2.0 * cosine
            };
            to.vertex(m.origin(g), over * share);
            (cosine, before) = (2.0 * turn * cosine - before, cosine);
            g = if g + 1 == first + n { first } else { g + 1 };
        }
    }
}
