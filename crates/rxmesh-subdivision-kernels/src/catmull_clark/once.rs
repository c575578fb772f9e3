//! One level of any polygons, by the masks of Catmull and Clark 1978: face points, then edge and vertex points. The
//! result's rows are [V | E | F].

use super::creases::Creases;
use super::{ComponentCount, ComponentRows, Output};
use crate::topology::{NONE, Topology};
use rxmesh_kernels::args;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::GlobalMut;

kernel_list! {
    flat catmull_clark_face_points3: FacePoints<super::Three>;
    flat catmull_clark_face_points1: FacePoints<super::One>;
    flat catmull_clark_edge_points3: EdgePoints<super::Three>;
    flat catmull_clark_edge_points1: EdgePoints<super::One>;
    flat catmull_clark_vertex_points3: VertexPoints<super::Three>;
    flat catmull_clark_vertex_points1: VertexPoints<super::One>;
    flat catmull_clark_part_edges: PartEdges;
    flat catmull_clark_part_vertices: PartVertices;
}

args! {
    /// Computes face points: the means of their corners. One index per face and component.
    pub struct FacePoints<N: ComponentCount> {
        /// Mesh.
        pub mesh: Topology,
        /// Values of its vertices.
        pub base: ComponentRows,
        /// Result.
        pub out: Output,
        /// Number of components.
        pub components: N,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl<N: ComponentCount> FlatKernel for FacePoints<N> {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (f, k) = (i / N::N, i % N::N);
        let m = &self.mesh;
        let (first, n) = m.range(f);
        let mut sum = 0.0;
        for h in first..first + n {
            sum += self.base.get(m.origin(h), k);
        }
        let row = m.vertex_count() + m.edge_count() + f;
        self.out.set(row, k, sum / n as f32);
    }
}

args! {
    /// Computes edge points. One index per edge and component; [`FacePoints`] has run.
    pub struct EdgePoints<N: ComponentCount> {
        /// Mesh.
        pub mesh: Topology,
        /// Sharpness of the mesh.
        pub creases: Creases,
        /// Values of its vertices.
        pub base: ComponentRows,
        /// Result.
        pub out: Output,
        /// Number of components.
        pub components: N,
    }
}

// SAFETY: each index writes its own, and reads rows that this launch does not write (contracts U3, U4).
unsafe impl<N: ComponentCount> FlatKernel for EdgePoints<N> {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (e, k) = (i / N::N, i % N::N);
        let m = &self.mesh;
        let h = m.halves.get(e);
        let middle = 0.5 * (self.base.get(m.origin(h), k) + self.base.get(m.target(h), k));
        let twin = m.twin(h);
        let weight = if self.creases.smooth != 0 {
            0.0
        } else {
            self.creases.first_weight(m, h, 0)
        };
        let value = if twin == NONE || weight == 1.0 {
            middle
        } else {
            let faces = m.vertex_count() + m.edge_count();
            let face = |h| self.out.get(faces + m.face(h), k);
            let smooth = 0.5 * middle + 0.25 * (face(h) + face(twin));
            smooth + weight * (middle - smooth)
        };
        self.out.set(m.vertex_count() + e, k, value);
    }
}

args! {
    /// Computes vertex points. One index per vertex and component; [`FacePoints`] has run.
    pub struct VertexPoints<N: ComponentCount> {
        /// Mesh.
        pub mesh: Topology,
        /// Sharpness of the mesh.
        pub creases: Creases,
        /// Values of its vertices.
        pub base: ComponentRows,
        /// Result.
        pub out: Output,
        /// Number of components.
        pub components: N,
    }
}

// SAFETY: each index writes its own, and reads rows that this launch does not write (contracts U3, U4).
unsafe impl<N: ComponentCount> FlatKernel for VertexPoints<N> {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (v, k) = (i / N::N, i % N::N);
        let m = &self.mesh;
        let here = self.base.get(v, k);
        let (first, end) = m.row(v);
        if first == end {
            return self.out.set(v, k, here);
        }
        let faces = m.vertex_count() + m.edge_count();
        let mut sum = 0.0;
        for at in first..end {
            let h = m.entries.get(at);
            sum += self.base.get(m.target(h), k) + self.out.get(faces + m.face(h), k);
        }
        let n = (end - first) as f32;
        let smooth = ((n - 2.0) * here + sum / n) / n;
        let value = if self.creases.smooth != 0 {
            smooth
        } else {
            let sharp = |_, h, side| self.creases.of_corner(m, h, side);
            let point = |_, h, side| {
                let end = if side == 0 {
                    m.target(h)
                } else {
                    m.origin(m.prev(h))
                };
                self.base.get(end, k)
            };
            self.creases.vertex(m, v, 0, here, smooth, sharp, point)
        };
        self.out.set(v, k, value);
    }
}

kernel! {
    /// Computes the sharpness of the edges that one level makes. One index per such edge.
    pub struct PartEdges: Flat {
        /// Mesh before.
        pub before: Topology,
        /// Sharpness of the mesh before.
        pub creases: Creases,
        /// Mesh after: quads as [`SplitFaces`](super::faces::SplitFaces) makes them.
        pub after: Topology,
        /// Sharpness of its edges.
        pub out: GlobalMut<f32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for PartEdges {
    #[inline(always)]
    fn run(&self, e: u32) {
        let q = self.after.halves.get(e);
        let (h, m) = (q / 4, &self.before);
        let s = match q & 3 {
            0 => self.creases.part(m, h, 1, 0),
            3 => self.creases.part(m, m.prev(h), 1, 1),
            _ => 0.0,
        };
        self.out.set(e, s);
    }
}

kernel! {
    /// Computes the sharpness of base vertices after one level.
    pub struct PartVertices: Flat {
        /// Sharpness of the mesh.
        pub creases: Creases,
        /// Sharpness after one level.
        pub out: GlobalMut<f32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for PartVertices {
    #[inline(always)]
    fn run(&self, v: u32) {
        let s = crate::sharpness::after(self.creases.base.vertex(v), 1);
        self.out.set(v, s);
    }
}
