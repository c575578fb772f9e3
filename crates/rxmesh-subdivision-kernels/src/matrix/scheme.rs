//! Subdivision schemes as masks over the mesh matrix (Mlakar 2018, chapter 4).
//!
//! A scheme gives the mask of each new vertex, and the split of faces. The same masks give positions (a product that is
//! never stored), and the matrix of a level as CSR.

use super::csr::{CountTerms, FillIds, FillValues, named};
use super::multiply::{Lanes, by_lanes};
use super::rule::Rule;
use crate::build::Neighbourhood;
use crate::topology::{NONE, Topology};
use core::fmt::Debug;
use rxmesh_kernels::args;
use rxmesh_kernels::kernel::{Entry, EntryOf, FlatKernel};
use rxmesh_kernels::mem::{Bind, Global, GlobalMut};

args! {
    /// Mesh of a level, for masks.
    pub struct Level {
        /// Mesh matrix.
        pub m: Topology,
        /// Neighbourhood of each vertex: an [`Neighbourhood`] each.
        pub around: Global<u32>,
    }
}

impl Level {
    /// Returns `true` if a vertex has one closed fan of faces.
    #[inline(always)]
    pub fn is_interior(&self, v: u32) -> bool {
        self.around.get(v) == Neighbourhood::Interior as u32
    }

    /// Returns `true` if a vertex has one open fan of faces; with `corners` also if it is a single face.
    #[inline(always)]
    pub fn is_boundary(&self, v: u32, corners: bool) -> bool {
        let around = self.around.get(v);
        around == Neighbourhood::Boundary as u32
            || (corners && around == Neighbourhood::Corner as u32)
    }

    /// Returns the number of faces of a vertex.
    #[inline(always)]
    pub fn valence(&self, v: u32) -> u32 {
        let (first, end) = self.m.row(v);
        end - first
    }

    /// Calls `f` with every half-edge that leaves a vertex, ascending.
    #[inline(always)]
    pub fn each_leaving(&self, v: u32, mut f: impl FnMut(u32)) {
        let (first, end) = self.m.row(v);
        for at in first..end {
            f(self.m.entries.get(at));
        }
    }

    /// Calls `f` with the vertices before and after a vertex along the boundary.
    #[inline(always)]
    pub fn each_along_boundary(&self, v: u32, mut f: impl FnMut(u32)) {
        let m = &self.m;
        self.each_leaving(v, |h| {
            if m.twin(h) == NONE {
                f(m.target(h));
            }
            let prev = m.prev(h);
            if m.twin(prev) == NONE {
                f(m.origin(prev));
            }
        });
    }
}

/// Receiver of the terms of a mask.
pub trait Terms {
    /// Adds a vertex of the level with its weight.
    fn vertex(&mut self, v: u32, weight: f32);
    /// Adds the new point of a face with its weight; not in masks of face points themselves.
    fn face(&mut self, f: u32, weight: f32);
}

/// Split of faces, and the new vertices in their order. V, E, F: vertices, edges, faces of a level; h: a half-edge from
/// v to w along edge e, with the half-edge p before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Into one quad per corner: vertices \[V | E | F\]; h has quad h: (v, e, face, edge of p). (The thesis has F
    /// before E, section 4.3.2.)
    Quads,
    /// Triangles into four: vertices \[V | E\]; h has triangle h: (v, e, edge of p); face f has the triangle of its
    /// edges, after all those. (Table 4.2 of the thesis has another order.)
    Triangles,
    /// Triangles into three, edges flipped: vertices \[V | F\]; h has triangle h: (v, face across, face), or at a
    /// boundary (v, w, face). (Table 4.1.)
    Flips,
    /// One vertex per corner: \[corners\]; faces for faces, inner edges and inner vertices ([`dual`](super::dual)).
    Dual,
}

impl Split {
    /// Returns `true` if edges get points.
    pub const fn edges(self) -> bool {
        matches!(self, Split::Quads | Split::Triangles)
    }

    /// Returns `true` if faces get points.
    pub const fn faces(self) -> bool {
        matches!(self, Split::Quads | Split::Flips)
    }
}

/// Subdivision scheme: masks and the split of faces.
///
/// A custom scheme is a struct of [`args!`](rxmesh_kernels::args) with this trait, whose kernels your crate lists:
/// `flat name: K as Yours;` for [`FacePoints<Yours>`](FacePoints) and [`Points<Yours>`](Points), and, for its matrices
/// as CSR, [`CountTerms<LevelRows<Yours>>`](CountTerms), [`FillIds<LevelRows<Yours>>`](FillIds),
/// [`FillValues<LevelRows<Yours>>`](FillValues). `examples/custom-scheme` is such a crate.
///
/// # Safety
///
/// Masks read only inside the level's and the scheme's views, on all meshes, write nothing, name vertices and faces of
/// the level, and always give the same terms (contracts U3 and U4 of docs/inside/unsafe.md).
pub unsafe trait Scheme: Bind + Copy + Debug + Send + Sync + 'static {
    /// Split of faces.
    const SPLIT: Split;

    /// Gives the mask of a face point, if the split has one.
    #[inline(always)]
    fn face(&self, level: &Level, f: u32, to: &mut impl Terms) {
        let _ = (level, f, to);
    }

    /// Gives the mask of an edge point, if the split has one; `h` is its first half-edge.
    #[inline(always)]
    fn edge(&self, level: &Level, h: u32, to: &mut impl Terms) {
        let _ = (level, h, to);
    }

    /// Gives the mask of a vertex; not with [`Split::Dual`].
    #[inline(always)]
    fn vertex(&self, level: &Level, v: u32, to: &mut impl Terms) {
        let _ = (level, v, to);
    }

    /// Gives the mask of a corner's point, with [`Split::Dual`].
    #[inline(always)]
    fn corner(&self, level: &Level, h: u32, to: &mut impl Terms) {
        let _ = (level, h, to);
    }
}

/// Sum of terms.
struct TermSum<L> {
    x: Global<f32>,
    faces: Global<f32>,
    /// Number of floats of a row of each.
    widths: [u32; 2],
    sum: L,
}

impl<L: Lanes> Terms for TermSum<L> {
    #[inline(always)]
    fn vertex(&mut self, v: u32, weight: f32) {
        self.sum = self.sum.plus(weight, L::load(self.x, v * self.widths[0]));
    }

    #[inline(always)]
    fn face(&mut self, f: u32, weight: f32) {
        let point = L::load(self.faces, f * self.widths[1]);
        self.sum = self.sum.plus(weight, point);
    }
}

/// Gives the mask of a new vertex that is no face point.
#[inline(always)]
fn mask<S: Scheme>(scheme: &S, level: &Level, r: u32, to: &mut impl Terms) {
    let vertices = level.m.vertex_count();
    if matches!(S::SPLIT, Split::Dual) {
        scheme.corner(level, r, to);
    } else if r < vertices {
        scheme.vertex(level, r, to);
    } else {
        scheme.edge(level, level.m.halves.get(r - vertices), to);
    }
}

args! {
    /// Computes the new face points: f = M^T{Q} p ((4.8), (4.27)). One index per face.
    pub struct FacePoints<S: Scheme> {
        /// Scheme.
        pub scheme: S,
        /// Mesh.
        pub level: Level,
        /// Values at vertices.
        pub x: Global<f32>,
        /// Values at faces.
        pub y: GlobalMut<f32>,
        /// Number of floats of a row of x.
        pub x_width: u32,
        /// Number of floats of a row of y.
        pub y_width: u32,
        /// Number of floats that are processed: 1 to 4.
        pub lanes: u32,
    }
}

impl<S: Scheme> FacePoints<S> {
    #[inline(always)]
    fn point<L: Lanes>(&self, f: u32) {
        let mut sum = TermSum {
            x: self.x,
            faces: Global::empty(),
            widths: [self.x_width, 0],
            sum: L::ZERO,
        };
        self.scheme.face(&self.level, f, &mut sum);
        sum.sum.store(self.y, f * self.y_width);
    }
}

// SAFETY: each index writes its own face; masks name vertices of the level (contracts U3, U4).
unsafe impl<S: Scheme> FlatKernel for FacePoints<S> {
    #[inline(always)]
    fn run(&self, f: u32) {
        by_lanes!(self.lanes, self.point(f));
    }
}

args! {
    /// Computes new vertex and edge points, or corner points, in the order of [`Split`]. One index each.
    pub struct Points<S: Scheme> {
        /// Scheme.
        pub scheme: S,
        /// Mesh.
        pub level: Level,
        /// Values at vertices.
        pub x: Global<f32>,
        /// New values at faces, if the split has them.
        pub faces: Global<f32>,
        /// New values at vertices and edges.
        pub y: GlobalMut<f32>,
        /// Number of floats of a row of x.
        pub x_width: u32,
        /// Number of floats of a row of y and of `faces`.
        pub y_width: u32,
        /// Number of floats that are processed: 1 to 4.
        pub lanes: u32,
    }
}

impl<S: Scheme> Points<S> {
    #[inline(always)]
    fn point<L: Lanes>(&self, r: u32) {
        let mut sum = TermSum {
            x: self.x,
            faces: self.faces,
            widths: [self.x_width, self.y_width],
            sum: L::ZERO,
        };
        mask(&self.scheme, &self.level, r, &mut sum);
        sum.sum.store(self.y, r * self.y_width);
    }
}

// SAFETY: each index writes its own row; masks name vertices and faces of the level (contracts U3, U4).
unsafe impl<S: Scheme> FlatKernel for Points<S> {
    #[inline(always)]
    fn run(&self, r: u32) {
        by_lanes!(self.lanes, self.point(r));
    }
}

// SAFETY: the name is the promise of `EntryOf`.
unsafe impl<S: Scheme + EntryOf<FacePoints<S>>> Entry for FacePoints<S> {
    const NAME: &'static str = <S as EntryOf<FacePoints<S>>>::NAME;
}

// SAFETY: the name is the promise of `EntryOf`.
unsafe impl<S: Scheme + EntryOf<Points<S>>> Entry for Points<S> {
    const NAME: &'static str = <S as EntryOf<Points<S>>>::NAME;
}

args! {
    /// Matrix of a level of a scheme: one row per new vertex, one column per old one. Face points are replaced by their
    /// masks, so that it is one product.
    pub struct LevelRows<S: Scheme> {
        /// Scheme.
        pub scheme: S,
        /// Mesh.
        pub level: Level,
    }
}

impl<S: Scheme> LevelRows<S> {
    /// Returns the number of new vertices that are no face points.
    #[inline(always)]
    fn points(&self) -> u32 {
        let m = &self.level.m;
        match S::SPLIT {
            Split::Quads | Split::Triangles => m.vertex_count() + m.edge_count(),
            Split::Flips => m.vertex_count(),
            Split::Dual => m.corner_count(),
        }
    }
}

/// Passes on the terms of a mask, with face points replaced by the terms of their own masks.
struct Expand<'a, S: Scheme, F> {
    rows: &'a LevelRows<S>,
    term: F,
}

impl<S: Scheme, F: FnMut(u32, f32)> Terms for Expand<'_, S, F> {
    #[inline(always)]
    fn vertex(&mut self, v: u32, weight: f32) {
        (self.term)(v, weight);
    }

    #[inline(always)]
    fn face(&mut self, f: u32, weight: f32) {
        let mut scaled = Scaled {
            weight,
            term: &mut self.term,
        };
        self.rows.scheme.face(&self.rows.level, f, &mut scaled);
    }
}

/// Multiplies the terms of a face point by the point's weight.
struct Scaled<'a, F> {
    weight: f32,
    term: &'a mut F,
}

impl<F: FnMut(u32, f32)> Terms for Scaled<'_, F> {
    #[inline(always)]
    fn vertex(&mut self, v: u32, weight: f32) {
        (self.term)(v, self.weight * weight);
    }

    #[inline(always)]
    fn face(&mut self, _: u32, _: f32) {}
}

// SAFETY: columns are vertices of the level (contracts U3, U4).
unsafe impl<S: Scheme> Rule for LevelRows<S> {
    type Value = f32;
    const DISTINCT: bool = false;

    fn shape(&self) -> Option<[u32; 2]> {
        let vertices = self.level.m.vertex_count();
        let faces = if S::SPLIT.faces() {
            self.level.m.face_count()
        } else {
            0
        };
        Some([self.points() + faces, vertices])
    }

    #[inline(always)]
    fn combine(old: f32, new: f32) -> f32 {
        old + new
    }

    #[inline(always)]
    fn row(&self, r: u32, term: impl FnMut(u32, f32)) {
        let points = self.points();
        let mut to = Expand { rows: self, term };
        if r < points {
            mask(&self.scheme, &self.level, r, &mut to);
        } else {
            self.scheme.face(&self.level, r - points, &mut to);
        }
    }
}

named! { [S: Scheme], LevelRows<S> as S: CountTerms, FillIds, FillValues }
