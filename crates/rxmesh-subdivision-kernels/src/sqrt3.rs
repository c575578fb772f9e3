//! sqrt(3) surfaces (Kobbelt 2000) by rules for half-edges: a point in every triangle, and every edge turned.
//!
//! A level's face is the child of a half-edge: half-edge h of face f has face h of the next level, with half-edges 3 h,
//! 3 h + 1 and 3 h + 2. Vertices keep their ids; the point of face f is V + f. So corners and twins of the next level,
//! and of the one after it, are closed rules over those of this one ([`Net`], [`Refined`]), and the last two levels are
//! never stored.
//!
//! Sharp edges, boundaries among them, stay as they are on even levels, counted from 0, and are cut in three on odd
//! ones (section 5 of the paper). A face that is cut has one sharp edge, its first, because it stood on it before; it
//! needs no point of its own: V + f is the new point next to the origin of its sharp edge. The one next to the target
//! is that of the face across, or V + F + b for boundary edge b.

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
/// Where the numbers of boundary edges start among twins: above all half-edges of levels that have twins.
pub const OPEN: u32 = 0x6000_0000;

/// A half-edge's twin, as nets have it: the half-edge across; with [`SHARP`] where the edge is; with the number of the
/// boundary edge from [`OPEN`] on where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Twin(pub u32);

impl Twin {
    /// Whether the edge is sharp.
    #[inline(always)]
    pub fn is_sharp(self) -> bool {
        self.0 & SHARP != 0
    }

    /// The half-edge across, of an edge that is not sharp.
    #[inline(always)]
    pub fn half(self) -> u32 {
        self.0
    }

    /// The half-edge across a sharp edge, if there is one.
    #[inline(always)]
    fn across(self) -> Result<u32, u32> {
        let id = self.0 & !SHARP;
        if id < OPEN { Ok(id) } else { Err(id - OPEN) }
    }

    /// The number of a boundary edge.
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

/// The next half-edge of a triangle.
#[inline(always)]
pub fn next(h: u32) -> u32 {
    if h % 3 == 2 { h - 2 } else { h + 1 }
}

/// The half-edge before, of a triangle.
#[inline(always)]
pub fn prev(h: u32) -> u32 {
    if h.is_multiple_of(3) { h + 2 } else { h - 1 }
}

/// A level of a sqrt(3) surface.
pub trait Net: Copy {
    /// Its number, from 0.
    fn level(self) -> u32;
    /// Its vertices.
    fn vertices(self) -> u32;
    /// Its faces.
    fn faces(self) -> u32;
    /// Boundary edges.
    fn open(self) -> u32;
    /// Whether any edge is sharp.
    fn has_lines(self) -> bool;
    /// The vertex that a half-edge leaves.
    fn corner(self, h: u32) -> u32;
    /// What is across a half-edge.
    fn twin(self, h: u32) -> Twin;

    /// Whether sharp edges are cut in three.
    #[inline(always)]
    fn cuts(self) -> bool {
        self.has_lines() && self.level() & 1 == 1
    }

    /// Whether a face's sharp edge is cut in three.
    #[inline(always)]
    fn is_cut(self, f: u32) -> bool {
        self.cuts() && self.twin(3 * f).is_sharp()
    }

    /// The point of the next level that turning the edge of half-edge `h` joins, on the side of `h`.
    #[inline(always)]
    fn point(self, h: u32) -> u32 {
        let f = h / 3;
        if h == 3 * f + 1 && self.is_cut(f) {
            self.far(self.twin(3 * f))
        } else {
            self.vertices() + f
        }
    }

    /// The new point next to the target of a half-edge that is cut in three.
    #[inline(always)]
    fn far(self, twin: Twin) -> u32 {
        match twin.across() {
            Ok(t) => self.vertices() + t / 3,
            Err(edge) => self.vertices() + self.faces() + edge,
        }
    }
}

/// The level after another one.
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

/// What is across half-edge `k` of the child of half-edge `h`.
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

/// What is across the half-edge from a face's point to the origin of `h`, where nothing is cut.
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
    /// A level in memory.
    pub struct Stored {
        /// Its number.
        pub level: u32,
        /// Its vertices.
        pub vertices: u32,
        /// Boundary edges.
        pub open: u32,
        /// 1 where any edge is sharp, else 0.
        pub lines: u32,
        /// Vertex of each corner.
        pub corners: Global<u32>,
        /// A [`Twin`] a half-edge.
        pub twins: Global<u32>,
    }
}

impl Net for Stored {
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
        /// The half-edge across each, [`NONE`] at a boundary.
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
    /// Twins of the base mesh, with what is sharp and what is open.
    pub struct CodeTwins: Flat {
        /// The half-edge across each, [`NONE`] at a boundary.
        pub twins: Global<u32>,
        /// Boundary edges before each half-edge.
        pub before: Global<u32>,
        /// Edge of each half-edge.
        pub edges: Global<u32>,
        /// Sharpness of each edge inside; nothing when all are smooth.
        pub sharpness: Global<f32>,
        /// A [`Twin`] a half-edge.
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
    /// The next level: a half-edge an index.
    pub struct RefineNet: Flat {
        /// The level before.
        pub net: Stored,
        /// Vertex of each corner.
        pub corners: GlobalMut<u32>,
        /// A [`Twin`] a half-edge.
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
    /// Which faces of a level are written.
    pub struct Kept {
        /// Base faces, ascending; nothing when all are.
        pub faces: Global<u32>,
        /// Corners that a base face has become.
        pub each: u32,
    }
}

impl Kept {
    /// The corner that is written at `i`.
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
    /// Corners of a level in memory.
    pub struct FacesHere: Flat {
        /// The level.
        pub net: Stored,
        /// Which.
        pub kept: Kept,
        /// A vertex id a corner.
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
    /// Corners of the level after one in memory.
    pub struct FacesOnce: Flat {
        /// The level in memory.
        pub net: Stored,
        /// Which.
        pub kept: Kept,
        /// A vertex id a corner.
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
    /// Corners of the second level after one in memory.
    pub struct FacesTwice: Flat {
        /// The level in memory.
        pub net: Stored,
        /// Which.
        pub kept: Kept,
        /// A vertex id a corner.
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
