//! Options of algorithms at random: mostly ones with sense.

use rxmesh_host::algo::delaunay::DelaunayOptions;
use rxmesh_host::algo::remesh::RemeshOptions;
use rxmesh_host::algo::simplify::{Cost, SimplifyOptions, Target};
use rxmesh_host::algo::track::TrackOptions;
use rxmesh_host::mesh::Rng;

use crate::random::Choose;

/// A factor around one, seldom one without sense.
pub(crate) fn factor(rng: &mut Rng) -> f32 {
    match rng.below(25) {
        0 => *rng.one_of(&[0.0, -1.0, f32::NAN, f32::INFINITY, 1e-30, 1e30]),
        _ => 2f32.powf(1.5 * rng.signed_unit() as f32),
    }
}

fn some<T>(rng: &mut Rng, part: u64, value: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    rng.percent(part).then(|| value(rng))
}

pub(crate) fn delaunay(rng: &mut Rng) -> DelaunayOptions {
    DelaunayOptions {
        max_rounds: *rng.one_of(&[0, 1, 3, 1000]),
        ..DelaunayOptions::default()
    }
}

pub(crate) fn simplify(rng: &mut Rng, faces: u32) -> SimplifyOptions {
    let target = match rng.below(3) {
        0 => Target::Faces(rng.below(u64::from(faces) + 5) as u32),
        _ => Target::Ratio(0.6 + 0.6 * rng.signed_unit()),
    };
    SimplifyOptions {
        cost: *rng.one_of(&[Cost::Quadric, Cost::Length]),
        quantile: *rng.one_of(&[0.15, 0.01, 1.0, 0.5, 0.0, f64::NAN]),
        seed: rng.next_u64() as u32,
        max_rounds: *rng.one_of(&[1, 10, 1000]),
        ..SimplifyOptions::new(target)
    }
}

/// With lengths near `mean`, so that a mesh of hundreds of faces gets no millions.
pub(crate) fn remesh(rng: &mut Rng, mean: f32) -> RemeshOptions {
    RemeshOptions {
        target_length: some(rng, 70, |rng| mean * factor(rng).max(0.25)),
        iterations: rng.below(3) as u32,
        smoothing_steps: rng.below(4) as u32,
        keep_features: some(rng, 40, |rng| 45.0 * factor(rng)),
        project: rng.percent(40),
        max_rounds: *rng.one_of(&[1, 10, 1000]),
    }
}

pub(crate) fn track(rng: &mut Rng, mean: f32) -> TrackOptions {
    TrackOptions {
        frames: rng.below(3) as u32,
        noise_scale: factor(rng),
        speed: factor(rng),
        seed: rng.next_u64() as u32,
        time_step: 0.02 * factor(rng).clamp(-10.0, 10.0),
        target_length: some(rng, 50, |rng| mean * factor(rng).max(0.25)),
        smoothing_steps: rng.below(3) as u32,
        max_rounds: *rng.one_of(&[1, 10, 1000]),
        ..TrackOptions::default()
    }
}
