//! The eight relations over directed edges, written out: a thread for each source, or for four words where the layout
//! has the result in one array.

use crate::half_edges::HalfEdges;
use rxmesh_kernels::args;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

/// Declares a query of vertices, whose rows differ in length: their starts are known before the launch.
macro_rules! of_vertices {
    ($name:ident, $targets:ident, $about:literal) => {
        args! {
            #[doc = $about]
            pub struct $name<M: HalfEdges> {
                /// Mesh.
                pub mesh: M,
                /// Start of each row.
                pub starts: Global<u32>,
                /// Rows, one after the other.
                pub values: GlobalMut<u32>,
            }
        }

        // SAFETY: each index writes its own row, which is as long as the host has counted (contracts U3, U4).
        unsafe impl<M: HalfEdges> FlatKernel for $name<M> {
            #[inline(always)]
            fn run(&self, v: u32) {
                let mut at = self.starts.get(v);
                self.mesh.$targets(v, |target| {
                    self.values.set(at, target);
                    at += 1;
                });
            }
        }
    };
}

of_vertices!(
    DirectedVv,
    vertices,
    "Writes the neighbours of each vertex."
);
of_vertices!(DirectedVe, edges, "Writes the edges of each vertex.");
of_vertices!(DirectedVf, faces, "Writes the faces of each vertex.");

/// Declares a query of faces or edges, whose rows have one length.
macro_rules! of_length {
    ($name:ident, $write:ident, $about:literal) => {
        args! {
            #[doc = $about]
            pub struct $name<M: HalfEdges> {
                /// Mesh.
                pub mesh: M,
                /// Rows, one after the other.
                pub values: GlobalMut<u32>,
            }
        }

        // SAFETY: each index writes its own places; the host makes as many as there are (contracts U3, U4).
        unsafe impl<M: HalfEdges> FlatKernel for $name<M> {
            #[inline(always)]
            fn run(&self, i: u32) {
                self.mesh.$write(i, self.values);
            }
        }
    };
}

of_length!(DirectedFv, write_fv, "Writes the vertices of each face.");
of_length!(DirectedFe, write_fe, "Writes the edges of each face.");
of_length!(
    DirectedFf,
    write_ff,
    "Writes the faces beside each face, `NONE` at the boundary."
);
of_length!(DirectedEv, write_ev, "Writes the vertices of each edge.");
of_length!(
    DirectedEf,
    write_ef,
    "Writes the faces of each edge, `NONE` at the boundary."
);

entries_by_layout! { DirectedVv DirectedVe DirectedVf DirectedFv DirectedFe DirectedFf DirectedEv DirectedEf }
