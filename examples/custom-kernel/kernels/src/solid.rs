//! An elastic solid in explicit steps: the listing of MeshTaichi (Yu et al. 2022, section 4.2). The neo-Hookean stress
//! of a deformation `F` with determinant `J` is `mu (F - F^-T) + lambda ln(J) F^-T`.

use rxmesh_kernels::math::ln;
use rxmesh_kernels::{
    Accumulate, Alone, CV, Cell, ForEach, Mat3, Neighbours, Owned, Read, Vec3, Vertex, Write,
    kernel,
};

kernel! {
    /// Adds the forces of each cell to those of its vertices.
    #[allow(missing_docs)]
    pub struct Forces: ForEach<CV> {
        pub x: Read<Vertex, Vec3>,
        /// Inverse of the matrix of the sides at rest.
        pub rest: Read<Cell, Mat3>,
        /// Volume at rest.
        pub volume: Read<Cell, f32>,
        pub force: Accumulate<Vertex, Vec3>,
        pub mu: f32,
        pub lambda: f32,
    }
}

impl ForEach<CV> for Forces {
    #[inline(always)]
    fn run(&self, cell: Owned<Cell>, v: Neighbours<CV>) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| self.x.get(v.get(k)));
        let rest = self.rest.get(cell);
        let f = Mat3::from_cols(a - d, b - d, c - d) * rest;
        let turned = f.transpose().inverse();
        let stress = (f - turned) * self.mu + turned * (self.lambda * ln(f.determinant()));
        let h = stress * rest.transpose() * -self.volume.get(cell);
        self.force.add(v.get(0), h.x_axis);
        self.force.add(v.get(1), h.y_axis);
        self.force.add(v.get(2), h.z_axis);
        self.force.add(v.get(3), -h.x_axis - h.y_axis - h.z_axis);
    }
}

kernel! {
    /// Moves each vertex, of mass 1, by a time step.
    #[allow(missing_docs)]
    pub struct SolidStep: ForEach<Alone<Vertex>> {
        pub x: Write<Vertex, Vec3>,
        pub speed: Write<Vertex, Vec3>,
        pub force: Read<Vertex, Vec3>,
        pub time: f32,
    }
}

impl ForEach<Alone<Vertex>> for SolidStep {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, (): ()) {
        let speed = self.speed.get(v) + self.force.get(v) * self.time;
        self.speed.set(v, speed);
        self.x.set(v, self.x.get(v) + speed * self.time);
    }
}
