//! Kernels of elements by themselves.

use rxmesh_kernels::kernel;
use rxmesh_kernels::math::{atan2, cos, ln, log2, pow, sin, tan};
use rxmesh_kernels::{Alone, Edge, ForEach, Owned, Read, Write};

kernel! {
    /// Computes logarithms and powers of each edge's two numbers.
    pub struct Powers: ForEach<Alone<Edge>> {
        /// First number.
        pub x: Read<Edge, f32>,
        /// Second number.
        pub y: Read<Edge, f32>,
        /// `ln` and `log2` of the first, `pow` of both.
        pub values: Write<Edge, [f32; 3]>,
    }
}

impl ForEach<Alone<Edge>> for Powers {
    #[inline(always)]
    fn run(&self, e: Owned<Edge>, (): ()) {
        let (x, y) = (self.x.get(e), self.y.get(e));
        self.values.set(e, [ln(x), log2(x), pow(x, y)]);
    }
}

kernel! {
    /// Computes functions of angles of each edge's two numbers.
    pub struct Angles: ForEach<Alone<Edge>> {
        /// First number.
        pub x: Read<Edge, f32>,
        /// Second number.
        pub y: Read<Edge, f32>,
        /// `sin`, `cos` and `tan` of the first, `atan2` of both.
        pub values: Write<Edge, [f32; 4]>,
    }
}

impl ForEach<Alone<Edge>> for Angles {
    #[inline(always)]
    fn run(&self, e: Owned<Edge>, (): ()) {
        let (x, y) = (self.x.get(e), self.y.get(e));
        self.values.set(e, [sin(x), cos(x), tan(x), atan2(x, y)]);
    }
}

kernel! {
    /// Counts the runs for each element of a kind that is asked for.
    pub struct CountActive: ForEach<Alone<Edge>> {
        /// Not zero if the body is to run.
        pub asked: Read<Edge, u32>,
        /// Number of runs.
        pub runs: Write<Edge, u32>,
    }
}

impl ForEach<Alone<Edge>> for CountActive {
    const SELECTIVE: bool = true;

    #[inline(always)]
    fn active(&self, e: Owned<Edge>) -> bool {
        self.asked.get(e) != 0
    }

    #[inline(always)]
    fn run(&self, e: Owned<Edge>, (): ()) {
        self.runs.set(e, self.runs.get(e) + 1);
    }
}
