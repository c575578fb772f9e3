//! sqrt(3) surfaces (Kobbelt 2000) by rules for half-edges: one point per triangle, and every edge flipped.
//!
//! A level's face is the child of a half-edge: half-edge h of face f has face h of the next level, with half-edges 3 h,
//! 3 h + 1 and 3 h + 2. Vertices keep their ids; the point of face f is V + f. So corners and twins of the next level,
//! and of the one after it, are closed rules over those of this one ([`Net`], [`Refined`]), and the last two levels are
//! never stored.
//!
//! Sharp edges, including boundaries, stay unchanged on even levels, counted from 0, and are cut in three on odd ones
//! (section 5 of the paper). A face with a cut edge has one sharp edge, its first; it needs no face point: V + f is the
//! new point next to the origin of its sharp edge. The one next to the target is that of the face across, or V + F + b
//! for boundary edge b.

use crate::topology::NONE;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{args, kernel, kernel::FlatKernel};

kernel_list! {
    flat sqrt3_open: MarkOpen;
    flat sqrt3_code: CodeTwins;
    flat sqrt3_refine: RefineNet;
    flat sqrt3_none: FacesHere;
    flat sqrt3_once: FacesOnce;
    flat sqrt3_twice: FacesTwice;
}

/// Marks twins across sharp edges.
pub const SHARP: u32 = 1 << 31;
/// First number of boundary edges among twins: above all half-edges of levels that have twins.
pub const OPEN: u32 = 0x6000_0000;

/// Twin of a half-edge in a net: the half-edge across, with [`SHARP`] if the edge is sharp; if there is none, the
/// number of the boundary edge plus [`OPEN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Twin(pub u32);

impl Twin {
    /// Returns `true` if the edge is sharp.
    #[inline(always)]
    pub fn is_sharp(self) -> bool {
        self.0 & SHARP != 0
    }

    /// Returns the half-edge across, for an edge that is not sharp.
    #[inline(always)]
    pub fn half(self) -> u32 {
        self.0
    }

    /// Returns the half-edge across a sharp edge, or as an error the number of the boundary edge.
    #[inline(always)]
    fn across(self) -> Result<u32, u32> {
        let id = self.0 & !SHARP;
        if id < OPEN { Ok(id) } else { Err(id - OPEN) }
    }

    /// Returns the number of a boundary edge.
    #[inline(always)]
    pub fn boundary(self) -> Option<u32> {
        self.across().err()
    }

    #[inline(always)]
    fn sharp(half: u32) -> Twin {
        Twin(half | SHARP)
    }

    #[inline(always)]
    fn open(edge: u32) -> Twin {
        Twin((OPEN + edge) | SHARP)
    }
}

/// Returns the next half-edge of a triangle.
#[inline(always)]
pub fn next(h: u32) -> u32 {
    if h % 3 == 2 { h - 2 } else { h + 1 }
}

/// Returns the previous half-edge of a triangle.
#[inline(always)]
pub fn prev(h: u32) -> u32 {
    if h.is_multiple_of(3) { h + 2 } else { h - 1 }
}

/// Level of a sqrt(3) surface.
pub trait Net: Copy {
    /// Returns the number of the level, from 0.
    fn level(self) -> u32;
    /// Returns the number of vertices.
    fn vertices(self) -> u32;
    /// Returns the number of faces.
    fn faces(self) -> u32;
    /// Returns the number of boundary edges.
    fn open(self) -> u32;
    /// Returns `true` if any edge is sharp.
    fn has_lines(self) -> bool;
    /// Returns the vertex that a half-edge leaves.
    fn corner(self, h: u32) -> u32;
    /// Returns the twin of a half-edge.
    fn twin(self, h: u32) -> Twin;

    /// Returns `true` if sharp edges are cut in three.
    #[inline(always)]
    fn cuts(self) -> bool {
        self.has_lines() && self.level() & 1 == 1
    }

    /// Returns `true` if a face's sharp edge is cut in three.
    #[inline(always)]
    fn is_cut(self, f: u32) -> bool {
        self.cuts() && self.twin(3 * f).is_sharp()
    }

    /// Returns the end, on the side of `h`, of the flipped edge of half-edge `h`: a point of the next level.
    #[inline(always)]
    fn point(self, h: u32) -> u32 {
        let f = h / 3;
        if h == 3 * f + 1 && self.is_cut(f) {
            self.far(self.twin(3 * f))
        } else {
            self.vertices() + f
        }
    }

    /// Returns the new point next to the target of a half-edge that is cut in three.
    #[inline(always)]
    fn far(self, twin: Twin) -> u32 {
        match twin.across() {
            Ok(t) => self.vertices() + t / 3,
            Err(edge) => self.vertices() + self.faces() + edge,
        }
    }
}

/// Next level of another one.
#[derive(Clone, Copy, Debug)]
pub struct Refined<N>(pub N);

impl<N: Net> Net for Refined<N> {
    #[inline(always)]
    fn level(self) -> u32 {
        self.0.level() + 1
    }

    #[inline(always)]
    fn vertices(self) -> u32 {
        let more = if self.0.cuts() { self.0.open() } else { 0 };
        self.0.vertices() + self.0.faces() + more
    }

    #[inline(always)]
    fn faces(self) -> u32 {
        3 * self.0.faces()
    }

    #[inline(always)]
    fn open(self) -> u32 {
        self.0.open() * if self.0.cuts() { 3 } else { 1 }
    }

    #[inline(always)]
    fn has_lines(self) -> bool {
        self.0.has_lines()
    }

    #[inline(always)]
    fn corner(self, i: u32) -> u32 {
        let net = self.0;
        let (h, k) = (i / 3, i % 3);
        if net.has_lines() && net.twin(h).is_sharp() {
            return match (net.cuts(), k) {
                (true, 0) => net.vertices() + h / 3,
                (true, 1) => net.far(net.twin(h)),
                (true, _) => net.corner(prev(h)),
                (false, 0) => net.corner(h),
                (false, 1) => net.corner(next(h)),
                (false, _) => net.vertices() + h / 3,
            };
        }
        match k {
            0 => net.corner(h),
            1 => net.point(net.twin(h).half()),
            _ => net.point(h),
        }
    }

    #[inline(always)]
    fn twin(self, i: u32) -> Twin {
        let net = self.0;
        let (h, k) = (i / 3, i % 3);
        if net.has_lines() {
            return twin_with_lines(net, h, k);
        }
        Twin(match k {
            0 => 3 * next(net.twin(h).half()) + 2,
            1 => 3 * net.twin(h).half() + 1,
            _ => 3 * net.twin(prev(h)).half(),
        })
    }
}

/// Returns the twin of half-edge `k` of the child of half-edge `h`.
#[inline(always)]
fn twin_with_lines<N: Net>(net: N, h: u32, k: u32) -> Twin {
    let (f, cuts) = (h / 3, net.cuts());
    let twin = net.twin(h);
    if twin.is_sharp() {
        return match k {
            // The edge itself, or its middle third.
            0 => match twin.across() {
                Ok(t) => Twin::sharp(3 * t),
                Err(edge) if cuts => Twin::open(3 * edge + 1),
                Err(edge) => Twin::open(edge),
            },
            1 if cuts => Twin(3 * net.twin(h + 1).half()),
            1 => Twin(3 * next(h) + 2),
            _ if cuts => Twin(3 * (h + 2) + 2),
            _ => before(net, h),
        };
    }
    let t = twin.half();
    let g = t / 3;
    match k {
        0 if net.is_cut(g) && t == 3 * g + 1 => Twin(3 * (3 * g) + 1),
        // The third at the origin of the edge that is cut.
        0 if net.is_cut(g) => match net.twin(3 * g).across() {
            Ok(other) => Twin::sharp(3 * next(other) + 2),
            Err(edge) => Twin::open(3 * edge),
        },
        0 => Twin(3 * next(t) + 2),
        1 => Twin(3 * t + 1),
        _ if net.is_cut(f) && h == 3 * f + 2 => Twin(3 * (3 * f) + 2),
        // The third at the target.
        _ if net.is_cut(f) => match net.twin(3 * f).across() {
            Ok(other) => Twin::sharp(3 * net.twin(prev(other)).half()),
            Err(edge) => Twin::open(3 * edge + 2),
        },
        _ => before(net, h),
    }
}

/// Returns the twin of the half-edge from a face's point to the origin of `h`, if nothing is cut.
#[inline(always)]
fn before<N: Net>(net: N, h: u32) -> Twin {
    let twin = net.twin(prev(h));
    if twin.is_sharp() {
        Twin(3 * prev(h) + 1)
    } else {
        Twin(3 * twin.half())
    }
}

args! {
    /// Level in memory.
    pub struct StoredLevel {
        /// Number of the level.
        pub level: u32,
        /// Number of vertices.
        pub vertices: u32,
        /// Number of boundary edges.
        pub open: u32,
        /// 1 if any edge is sharp, else 0.
        pub lines: u32,
        /// Vertex of each corner.
        pub corners: Global<u32>,
        /// A [`Twin`] per half-edge.
        pub twins: Global<u32>,
    }
}

impl Net for StoredLevel {
    #[inline(always)]
    fn level(self) -> u32 {
        self.level
    }

    #[inline(always)]
    fn vertices(self) -> u32 {
        self.vertices
    }

    #[inline(always)]
    fn faces(self) -> u32 {
        self.corners.len() / 3
    }

    #[inline(always)]
    fn open(self) -> u32 {
        self.open
    }

    #[inline(always)]
    fn has_lines(self) -> bool {
        self.lines != 0
    }

    #[inline(always)]
    fn corner(self, h: u32) -> u32 {
        self.corners.get(h)
    }

    #[inline(always)]
    fn twin(self, h: u32) -> Twin {
        Twin(self.twins.get(h))
    }
}

kernel! {
    /// Marks half-edges without twin.
    pub struct MarkOpen: Flat {
        /// Twin of each half-edge, [`NONE`] at a boundary.
        pub twins: Global<u32>,
        /// 1 at boundaries, else 0.
        pub marks: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for MarkOpen {
    #[inline(always)]
    fn run(&self, h: u32) {
        self.marks.set(h, u32::from(self.twins.get(h) == NONE));
    }
}

kernel! {
    /// Encodes twins of the base mesh, with marks of sharp and boundary edges.
    pub struct CodeTwins: Flat {
        /// Twin of each half-edge, [`NONE`] at a boundary.
        pub twins: Global<u32>,
        /// Number of boundary edges before each half-edge.
        pub before: Global<u32>,
        /// Edge of each half-edge.
        pub edges: Global<u32>,
        /// Sharpness of each interior edge; empty when all are smooth.
        pub sharpness: Global<f32>,
        /// A [`Twin`] per half-edge.
        pub out: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for CodeTwins {
    #[inline(always)]
    fn run(&self, h: u32) {
        let t = self.twins.get(h);
        let twin = if t == NONE {
            Twin::open(self.before.get(h))
        } else if !self.sharpness.is_empty() && self.sharpness.get(self.edges.get(h)) > 0.0 {
            Twin::sharp(t)
        } else {
            Twin(t)
        };
        self.out.set(h, twin.0);
    }
}

kernel! {
    /// Computes the next level: one half-edge per index.
    pub struct RefineNet: Flat {
        /// Level before.
        pub net: StoredLevel,
        /// Vertex of each corner.
        pub corners: GlobalMut<u32>,
        /// A [`Twin`] per half-edge.
        pub twins: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own; ids are in range, as those of the level before are (contracts U3, U4).
unsafe impl FlatKernel for RefineNet {
    #[inline(always)]
    fn run(&self, i: u32) {
        let net = Refined(self.net);
        self.corners.set(i, net.corner(i));
        self.twins.set(i, net.twin(i).0);
    }
}

args! {
    /// Faces of a level that are written.
    pub struct WrittenFaces {
        /// Base faces, ascending; empty when all are written.
        pub faces: Global<u32>,
        /// Number of corners that a base face has become.
        pub each: u32,
    }
}

impl WrittenFaces {
    /// Returns the corner that is written at `i`.
    #[inline(always)]
    fn corner(&self, i: u32) -> u32 {
        if self.faces.is_empty() {
            return i;
        }
        let each = self.each.max(1);
        self.faces.get(i / each) * each + i % each
    }
}

kernel! {
    /// Writes the corners of a level in memory.
    pub struct FacesHere: Flat {
        /// Level.
        pub net: StoredLevel,
        /// Faces to write.
        pub kept: WrittenFaces,
        /// One vertex id per corner.
        pub out: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for FacesHere {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.out.set(i, self.net.corner(self.kept.corner(i)));
    }
}

kernel! {
    /// Writes the corners of the level after one in memory.
    pub struct FacesOnce: Flat {
        /// Level in memory.
        pub net: StoredLevel,
        /// Faces to write.
        pub kept: WrittenFaces,
        /// One vertex id per corner.
        pub out: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for FacesOnce {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.out
            .set(i, Refined(self.net).corner(self.kept.corner(i)));
    }
}

kernel! {
    /// Writes the corners of the second level after one in memory.
    pub struct FacesTwice: Flat {
        /// Level in memory.
        pub net: StoredLevel,
        /// Faces to write.
        pub kept: WrittenFaces,
        /// One vertex id per corner.
        pub out: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for FacesTwice {
    #[inline(always)]
    fn run(&self, i: u32) {
        let net = Refined(Refined(self.net));
        self.out.set(i, net.corner(self.kept.corner(i)));
    }
}
