//! Options with some of them changed.

/// Gives option structs a method that changes some of their fields, for programs that name only those.
macro_rules! changeable {
    ($($options:ty),* $(,)?) => {$(
        impl $options {
            /// Returns the same options with some changed: `Options::default().with(|o| o.seed = 7)`.
            #[must_use]
            pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
                change(&mut self);
                self
            }
        }
    )*};
}

changeable! {
    crate::algebra::SolveOptions,
    crate::algo::delaunay::DelaunayOptions,
    crate::algo::distance::DistanceOptions,
    crate::algo::filter::FilterOptions,
    crate::algo::geodesic::GeodesicOptions,
    crate::algo::mcf::McfOptions,
    crate::algo::remesh::RemeshOptions,
    crate::algo::sample::SampleOptions,
    crate::algo::simplify::SimplifyOptions,
    crate::algo::smooth::SmoothOptions,
    crate::algo::spring::SpringOptions,
    crate::algo::spring::MotionOptions,
    crate::algo::track::TrackOptions,
    crate::algo::transform::TransformOptions,
    crate::io::ReadOptions,
    crate::io::WriteOptions,
    crate::patch::PatchOptions,
    crate::repack::RepackOptions,
    crate::repair::GapOptions,
    crate::repair::HoleOptions,
    crate::repair::RepairOptions,
}
