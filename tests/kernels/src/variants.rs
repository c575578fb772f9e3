//! Operators that give cavities up after they have seen them, and cavities of several seeds.

use crate::marked::{add_star_at, middle, priority};
use crate::templates::centre_of;
use rxmesh_kernels::Vec3;
use rxmesh_kernels::args;
use rxmesh_kernels::cavity::{
    Cavity, Corner, Growth, Hole, Operator, Origin, Priority, Seed, Sink, Site, Template,
    link_condition, template,
};
use rxmesh_kernels::edit::HalfEdgeMesh;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::Vertex;

/// Returns `true` if a corner of a cavity's boundary loop is held.
#[inline(always)]
fn is_held(cavity: &Cavity<impl Site>, held: GlobalMut<u32>) -> bool {
    let mut i = 0;
    while i < cavity.corners() {
        if held.get(cavity.corner(i)) != 0 {
            return true;
        }
        i += 1;
    }
    false
}

args! {
    /// Splits marked edges, unless a corner of their faces is held.
    pub struct SplitUnlessHeld {
        /// Mark per edge.
        pub marks: GlobalMut<u32>,
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
        /// Nonzero for each vertex that is held.
        pub held: GlobalMut<u32>,
    }
}

// SAFETY: `fill` writes what it adds and the hole's boundary loop, `plan` the word of its seed, all else only reads;
// ids are the mesh's (contracts U3, U4).
unsafe impl Operator for SplitUnlessHeld {
    type Template = template::E;
    type Plan = (Vec3, Origin);
    const GROWTH: Growth = Growth::VERTEX;
    const ABANDONS: bool = true;

    #[inline(always)]
    fn template(&self) -> template::E {
        template::E
    }

    #[inline(always)]
    fn candidate(&self, _: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        priority(self.marks.get(seed.0))
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> (Vec3, Origin) {
        self.marks.set(cavity.seed(), 0);
        middle(cavity.mesh(), self.x, cavity.seed())
    }

    #[inline(always)]
    fn abandons(&self, cavity: &Cavity<impl Site>, _: &(Vec3, Origin)) -> bool {
        is_held(cavity, self.held)
    }

    #[inline(always)]
    fn fill(&self, centre: (Vec3, Origin), hole: &mut Hole<'_, impl Site>) {
        let v = add_star_at(hole, self.x, centre);
        self.held.set(v, 0);
    }
}

args! {
    /// Contracts marked edges, unless a corner of the boundary loop is held.
    pub struct ContractUnlessHeld {
        /// Mark per edge.
        pub marks: GlobalMut<u32>,
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
        /// Nonzero for each vertex that is held.
        pub held: GlobalMut<u32>,
    }
}

// SAFETY: `fill` writes what it adds and the hole's boundary loop, `plan` the word of its seed, all else only reads;
// ids are the mesh's (contracts U3, U4).
unsafe impl Operator for ContractUnlessHeld {
    type Template = template::EV;
    type Plan = (Vec3, Origin);
    const RIM_IS_SIMPLE: bool = true;
    const STAR: bool = true;
    const ABANDONS: bool = true;

    #[inline(always)]
    fn template(&self) -> template::EV {
        template::EV
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let priority = priority(self.marks.get(seed.0))?;
        link_condition(mesh, seed.0).then_some(priority)
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> (Vec3, Origin) {
        self.marks.set(cavity.seed(), 0);
        middle(cavity.mesh(), self.x, cavity.seed())
    }

    #[inline(always)]
    fn abandons(&self, cavity: &Cavity<impl Site>, _: &(Vec3, Origin)) -> bool {
        is_held(cavity, self.held)
    }

    #[inline(always)]
    fn fill(&self, centre: (Vec3, Origin), hole: &mut Hole<'_, impl Site>) {
        hole.add_star_of(self, centre);
    }

    #[inline(always)]
    fn centre<'h>(
        &self,
        (at, origin): (Vec3, Origin),
        hole: &mut Hole<'h, impl Site>,
    ) -> (Corner<'h>, u32) {
        let v = hole.add_vertex_at(origin);
        self.x.set(v.id(), at);
        self.held.set(v.id(), 0);
        (v, 0)
    }
}

/// Vertex, those of its neighbours that are in the same cluster, and all at them.
#[derive(Clone, Copy, Debug)]
pub struct ClusterStar {
    /// Number of the cluster per vertex.
    pub cluster: GlobalMut<u32>,
}

impl Template for ClusterStar {
    type Seed = Vertex;
    const MEETS: u32 = 3;

    #[inline(always)]
    fn elements(&self, mesh: &impl HalfEdgeMesh, seed: u32, sink: &mut impl Sink) -> bool {
        let cluster = self.cluster.get(seed);
        sink.vertex(seed)
            && mesh.each_spoke(seed, |h| {
                let v = mesh.tip(h);
                self.cluster.get(v) != cluster || sink.vertex(v)
            })
    }
}

args! {
    /// Makes one vertex of each marked vertex and the neighbours in its cluster.
    pub struct RefillCluster {
        /// Mark per vertex.
        pub marks: GlobalMut<u32>,
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
        /// Number of the cluster per vertex; 0 for new ones.
        pub cluster: GlobalMut<u32>,
    }
}

// SAFETY: `fill` writes what it adds and the hole's boundary loop, `plan` the word of its seed, all else only reads;
// ids are the mesh's (contracts U3, U4).
unsafe impl Operator for RefillCluster {
    type Template = ClusterStar;
    type Plan = (Vec3, Origin);
    const TOGETHER: bool = false;

    #[inline(always)]
    fn template(&self) -> ClusterStar {
        ClusterStar {
            cluster: self.cluster,
        }
    }

    #[inline(always)]
    fn candidate(&self, _: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        priority(self.marks.get(seed.0))
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> (Vec3, Origin) {
        self.marks.set(cavity.seed(), 0);
        centre_of(cavity, self.x)
    }

    #[inline(always)]
    fn fill(&self, centre: (Vec3, Origin), hole: &mut Hole<'_, impl Site>) {
        let v = add_star_at(hole, self.x, centre);
        self.cluster.set(v, 0);
    }
}
