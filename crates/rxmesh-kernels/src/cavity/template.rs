//! Elements deleted around a seed.
//!
//! The predefined templates are those of Figure 4 of Mahmoud et al. 2024 and the rest of their family: a seed and its
//! neighbours under one relation. Deleting an element deletes the elements that contain it: with a vertex its edges and
//! faces, with an edge its faces.
//!
//! | template | deletes | serves |
//! | --- | --- | --- |
//! | [`V`], [`VE`], [`VF`] | the vertex and all at it | vertex removal |
//! | [`VV`] | the vertex, its neighbours and all at them | coarsening |
//! | [`E`], [`EF`] | the edge and its faces | flip, split |
//! | [`EV`] | both ends and all at them | collapse |
//! | [`EE`] | the edge, those that share a face with it, their faces | |
//! | [`F`] | the face | 1:3 split |
//! | [`FE`] | the face, its sides, the faces across | 1:4 split |
//! | [`FF`] | the face and those across its sides | 1:4 split |
//! | [`FV`] | its corners and all at them | face collapse |

use crate::edit::{HalfEdgeMesh, NO_FACE, NONE};
use crate::topo::{Edge, Element, Face, Vertex};

/// Takes the elements that a cavity deletes. Each method returns `true` to continue.
pub trait Sink {
    /// Deletes a vertex, its edges and its faces.
    fn vertex(&mut self, v: u32) -> bool;
    /// Deletes an edge and its faces.
    fn edge(&mut self, e: u32) -> bool;
    /// Deletes a face. An edge between two deleted faces goes with them.
    fn face(&mut self, f: u32) -> bool;
}

/// Common shape of all cavities of a template. The records of known shapes are written in one walk
/// ([`Recorder::write_shape`](super::parts::Recorder::write_shape)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CavityShape {
    /// Nothing.
    Any,
    /// The seed is an edge, and its faces go.
    Edge,
    /// The seed is an edge, and both its ends go, the first one first.
    Ends,
}

/// Set of elements that a cavity deletes. Implement it for custom templates; fields may name attributes that choose the
/// elements.
pub trait Template: Copy {
    /// Kind of the seed.
    type Seed: Element;

    /// Shape of all its cavities.
    const SHAPE: CavityShape = CavityShape::Any;

    /// Largest number of times that [`Template::elements`] meets one face, by the elements that it names: one that
    /// names a face, its sides and its corners meets it seven times.
    const MEETS: u32 = 7;

    /// Hands every element that the cavity of a seed deletes to the sink, until it has enough. Returns `true` if it
    /// never had. The same elements in the same order whenever it is called in one round.
    fn elements(&self, mesh: &impl HalfEdgeMesh, seed: u32, sink: &mut impl Sink) -> bool;
}

macro_rules! template {
    ($(
        $(#[$meta:meta])* $name:ident of $seed:ty, $shape:ident, $meets:literal:
            |$mesh:ident, $id:ident, $sink:ident| $body:expr;
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Template for $name {
            type Seed = $seed;
            const SHAPE: CavityShape = CavityShape::$shape;
            const MEETS: u32 = $meets;
            #[inline(always)]
            fn elements(&self, $mesh: &impl HalfEdgeMesh, $id: u32, $sink: &mut impl Sink) -> bool {
                let _ = $mesh;
                $body
            }
        }
    )*};
}

template! {
    /// Vertex and all at it.
    V of Vertex, Any, 1: |mesh, v, sink| sink.vertex(v);
    /// Vertex with its edges: the same elements as [`V`].
    VE of Vertex, Any, 1: |mesh, v, sink| sink.vertex(v);
    /// Vertex with its faces: the same elements as [`V`].
    VF of Vertex, Any, 1: |mesh, v, sink| sink.vertex(v);
    /// Vertex, its neighbours and all at them.
    VV of Vertex, Any, 3: |mesh, v, sink| sink.vertex(v) && mesh.each_spoke(v, |h| sink.vertex(mesh.tip(h)));
    /// Edge and its faces.
    E of Edge, Edge, 1: |mesh, e, sink| sink.edge(e);
    /// Edge with its faces: the same elements as [`E`].
    EF of Edge, Edge, 1: |mesh, e, sink| sink.edge(e);
    /// Both ends of the edge and all at them.
    EV of Edge, Ends, 2: |mesh, e, sink| {
        // A loop: threads that are done with the first end wait for the others, and go around the second one together.
        let mut end = 0;
        while end < 2 && sink.vertex(mesh.origin(2 * e + end)) {
            end += 1;
        }
        end == 2
    };
    /// Edge, those that share a face with it, and their faces.
    EE of Edge, Any, 4: |mesh, e, sink| {
        sides_of(mesh, mesh.face(2 * e), sink) && sides_of(mesh, mesh.face(2 * e + 1), sink)
    };
    /// Face alone.
    F of Face, Any, 1: |mesh, f, sink| sink.face(f);
    /// Face, its sides and the faces across them.
    FE of Face, Any, 3: |mesh, f, sink| sides_of(mesh, f, sink);
    /// Face and those across its sides.
    FF of Face, Any, 1: |mesh, f, sink| {
        let [a, b, c] = mesh.sides(f);
        sink.face(f) && across(mesh, a, sink) && across(mesh, b, sink) && across(mesh, c, sink)
    };
    /// Face's corners and all at them.
    FV of Face, Any, 3: |mesh, f, sink| {
        let [a, b, c] = mesh.sides(f);
        sink.vertex(mesh.origin(a)) && sink.vertex(mesh.origin(b)) && sink.vertex(mesh.origin(c))
    };
}

#[inline(always)]
fn sides_of(mesh: &impl HalfEdgeMesh, f: u32, sink: &mut impl Sink) -> bool {
    if f == NO_FACE {
        return true;
    }
    let [a, b, c] = mesh.sides(f);
    sink.edge(a >> 1) && sink.edge(b >> 1) && sink.edge(c >> 1)
}

#[inline(always)]
fn across(mesh: &impl HalfEdgeMesh, h: u32, sink: &mut impl Sink) -> bool {
    let f = mesh.face(h ^ 1);
    f == NO_FACE || sink.face(f)
}

/// Shows every face that a cavity deletes, some more than once, and counts its vertices.
pub struct FaceVisitor<'a, M, F> {
    /// Mesh as flat arrays.
    pub mesh: &'a M,
    /// Function that is shown the faces, until it returns `false`.
    pub f: F,
    /// Vertices that were named so far.
    pub vertices: u32,
}

impl<M: HalfEdgeMesh, F: FnMut(u32) -> bool> Sink for FaceVisitor<'_, M, F> {
    #[inline(always)]
    fn vertex(&mut self, v: u32) -> bool {
        self.vertices += 1;
        let mesh = self.mesh;
        mesh.each_spoke(v, |h| {
            let f = mesh.face(h);
            f == NO_FACE || (self.f)(f)
        })
    }

    #[inline(always)]
    fn edge(&mut self, e: u32) -> bool {
        let (f, g) = (self.mesh.face(2 * e), self.mesh.face(2 * e + 1));
        (f == NO_FACE || (self.f)(f)) && (g == NO_FACE || (self.f)(g))
    }

    #[inline(always)]
    fn face(&mut self, f: u32) -> bool {
        (self.f)(f)
    }
}

/// Calls `f` with every face that a cavity deletes as often as [`FaceVisitor`] does, until it returns `false`, in
/// another order: around both ends at a time if these are deleted. Returns the number of vertices that were named;
/// `None` if it stopped.
#[inline(always)]
pub(super) fn faces_in_any_order<T: Template>(
    template: &T,
    mesh: &impl HalfEdgeMesh,
    seed: u32,
    mut f: impl FnMut(u32) -> bool,
) -> Option<u32> {
    if matches!(T::SHAPE, CavityShape::Ends) {
        let all = mesh.each_spoke_of_ends(seed, |_, _, face, _| face == NO_FACE || f(face));
        return all.then_some(2);
    }
    let vertices = 0;
    let mut sink = FaceVisitor { mesh, f, vertices };
    let all = template.elements(mesh, seed, &mut sink);
    all.then_some(sink.vertices)
}

/// Shows the vertices that a cavity names.
pub(super) struct Vertices<F>(pub F);

impl<F: FnMut(u32) -> bool> Sink for Vertices<F> {
    #[inline(always)]
    fn vertex(&mut self, v: u32) -> bool {
        (self.0)(v)
    }
    #[inline(always)]
    fn edge(&mut self, _: u32) -> bool {
        true
    }
    #[inline(always)]
    fn face(&mut self, _: u32) -> bool {
        true
    }
}

/// Sink that tests if a cavity deletes an edge of the boundary: by name, or with one of its ends.
struct Search {
    edge: u32,
    ends: [u32; 2],
}

impl Sink for Search {
    #[inline(always)]
    fn vertex(&mut self, v: u32) -> bool {
        v != self.ends[0] && v != self.ends[1]
    }
    #[inline(always)]
    fn edge(&mut self, e: u32) -> bool {
        e != self.edge
    }
    #[inline(always)]
    fn face(&mut self, _: u32) -> bool {
        true
    }
}

/// Returns `true` if a cavity deletes an edge of the boundary.
#[inline(always)]
pub(crate) fn deletes<T: Template>(
    template: &T,
    mesh: &impl HalfEdgeMesh,
    seed: u32,
    edge: u32,
) -> bool {
    let ends = [mesh.origin(2 * edge), mesh.tip(2 * edge)];
    !template.elements(mesh, seed, &mut Search { edge, ends })
}

/// Returns an incident face of a seed, or [`NO_FACE`]: if it is frozen, so is the seed.
#[inline(always)]
pub fn face_of<K: Element>(mesh: &impl HalfEdgeMesh, seed: u32) -> u32 {
    use crate::topo::Kind;
    let of_edge = |e: u32| {
        let f = mesh.face(2 * e);
        if f == NO_FACE {
            mesh.face(2 * e + 1)
        } else {
            f
        }
    };
    match K::KIND {
        Kind::Face | Kind::Cell => seed,
        Kind::Edge => of_edge(seed),
        Kind::Vertex => {
            let e = mesh.edge_at(seed);
            if e == NONE { NO_FACE } else { of_edge(e) }
        }
    }
}
