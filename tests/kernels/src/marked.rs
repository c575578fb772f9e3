//! The usual local operators on seeds that the caller marks: scripts of edits, made on the host or by a kernel.
//!
//! A mark is a unique number, 0 for none: seeds with smaller marks go first. An operator that is carried out removes
//! the mark, so a run ends when every mark was processed, refused, or deleted with its element.

use rxmesh_kernels::Vec3;
use rxmesh_kernels::algo::chosen::vertices::OneRing;
use rxmesh_kernels::algo::delaunay::{Diamond, flip};
use rxmesh_kernels::args;
use rxmesh_kernels::cavity::{
    Cavity, Corner, Growth, Hole, Operator, Origin, Priority, Seed, Site, link_condition, template,
};
use rxmesh_kernels::edit::HalfEdgeMesh;
use rxmesh_kernels::mem::GlobalMut;

/// Returns the priority of a mark.
#[inline(always)]
pub(crate) fn priority(mark: u32) -> Option<Priority> {
    (mark != 0).then(|| Priority::ascending(mark as f32))
}

args! {
    /// Flips marked edges.
    pub struct FlipMarked {
        /// Mark per edge.
        pub marks: GlobalMut<u32>,
    }
}

// SAFETY: `fill` writes what it adds and the hole's boundary loop, all else only reads; ids are the mesh's (contracts
// U3, U4).
unsafe impl Operator for FlipMarked {
    type Template = template::EF;
    type Plan = u32;
    const RIM_IS_SIMPLE: bool = true;

    #[inline(always)]
    fn template(&self) -> template::EF {
        template::EF
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        Diamond::new(mesh, seed.0)?;
        priority(self.marks.get(seed.0))
    }

    #[inline(always)]
    fn joins(
        &self,
        mesh: &impl HalfEdgeMesh,
        seed: Seed<Self>,
        pair: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        Diamond::new(mesh, seed.0).is_none_or(|q| pair(q.c, q.d))
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> u32 {
        self.marks.set(cavity.seed(), 0);
        Diamond::place(cavity)
    }

    #[inline(always)]
    fn fill(&self, place: u32, hole: &mut Hole<'_, impl Site>) {
        flip(hole, place);
    }
}

/// Fills a hole with a star around a new vertex, whose id it returns.
#[inline(always)]
pub(crate) fn add_star_at(
    hole: &mut Hole<'_, impl Site>,
    x: GlobalMut<Vec3>,
    (at, origin): (Vec3, Origin),
) -> u32 {
    let v = hole.add_vertex_at(origin);
    x.set(v.id(), at);
    hole.add_star(v);
    v.id()
}

/// Returns the midpoint of an edge.
#[inline(always)]
pub(crate) fn middle(mesh: &impl HalfEdgeMesh, x: GlobalMut<Vec3>, e: u32) -> (Vec3, Origin) {
    let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
    ((x.get(a) + x.get(b)) * 0.5, Origin::between(a, b, 0.5))
}

args! {
    /// Splits marked edges at their midpoint.
    pub struct SplitMarked {
        /// Mark per edge.
        pub marks: GlobalMut<u32>,
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
    }
}

// SAFETY: `fill` writes what it adds and the hole's boundary loop, all else only reads; ids are the mesh's (contracts
// U3, U4).
unsafe impl Operator for SplitMarked {
    type Template = template::E;
    type Plan = (Vec3, Origin);
    const GROWTH: Growth = Growth::VERTEX;
    const RIM_IS_SIMPLE: bool = false;

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
    fn fill(&self, centre: (Vec3, Origin), hole: &mut Hole<'_, impl Site>) {
        add_star_at(hole, self.x, centre);
    }
}

args! {
    /// Contracts marked edges to their midpoint, where that preserves the topology of the surface.
    pub struct CollapseMarked {
        /// Mark per edge.
        pub marks: GlobalMut<u32>,
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
    }
}

// SAFETY: `fill` writes what it adds and the hole's boundary loop, all else only reads; ids are the mesh's (contracts
// U3, U4).
unsafe impl Operator for CollapseMarked {
    type Template = template::EV;
    type Plan = (Vec3, Origin);
    const RIM_IS_SIMPLE: bool = true;
    const STAR: bool = true;

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
        (v, 0)
    }
}

args! {
    /// Splits marked faces into three at their centre.
    pub struct SplitFaceMarked {
        /// Mark per face.
        pub marks: GlobalMut<u32>,
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
    }
}

// SAFETY: `fill` writes what it adds and the hole's boundary loop, all else only reads; ids are the mesh's (contracts
// U3, U4).
unsafe impl Operator for SplitFaceMarked {
    type Template = template::F;
    type Plan = (Vec3, Origin);
    const GROWTH: Growth = Growth::VERTEX;

    #[inline(always)]
    fn template(&self) -> template::F {
        template::F
    }

    #[inline(always)]
    fn candidate(&self, _: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        priority(self.marks.get(seed.0))
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> (Vec3, Origin) {
        self.marks.set(cavity.seed(), 0);
        let x = |i: u32| self.x.get(cavity.corner(i));
        let third = 1.0 / 3.0;
        let origin = Origin {
            parents: [cavity.corner(0), cavity.corner(1), cavity.corner(2)],
            weights: [third; 3],
        };
        ((x(0) + x(1) + x(2)) * third, origin)
    }

    #[inline(always)]
    fn fill(&self, centre: (Vec3, Origin), hole: &mut Hole<'_, impl Site>) {
        add_star_at(hole, self.x, centre);
    }
}

args! {
    /// Removes marked vertices and fills their stars with fans of triangles: from the neighbour of lowest id, or from
    /// the first one counter-clockwise when the vertex lies on the boundary.
    pub struct RemoveMarked {
        /// Mark per vertex.
        pub marks: GlobalMut<u32>,
    }
}

// SAFETY: `fill` writes what it adds and the hole's boundary loop, all else only reads; ids are the mesh's (contracts
// U3, U4).
unsafe impl Operator for RemoveMarked {
    type Template = template::V;
    /// Apex.
    type Plan = u32;

    #[inline(always)]
    fn template(&self) -> template::V {
        template::V
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let priority = priority(self.marks.get(seed.0))?;
        let removable = OneRing::new(mesh, seed.0).is_removable(mesh, seed.0);
        removable.then_some(priority)
    }

    #[inline(always)]
    fn joins(
        &self,
        mesh: &impl HalfEdgeMesh,
        seed: Seed<Self>,
        pair: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        OneRing::new(mesh, seed.0).joins(mesh, seed.0, pair)
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> u32 {
        self.marks.set(cavity.seed(), 0);
        OneRing::place(cavity)
    }

    #[inline(always)]
    fn fill(&self, apex: u32, hole: &mut Hole<'_, impl Site>) {
        hole.add_fan(apex);
    }
}
