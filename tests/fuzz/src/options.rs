//! Random options of algorithms: mostly valid ones.

use rxmesh_host::algo::boundary::Boundary;
use rxmesh_host::algo::delaunay::DelaunayOptions;
use rxmesh_host::algo::remesh::RemeshOptions;
use rxmesh_host::algo::simplify::{Cost, Deviation, SimplifyOptions, Target};
use rxmesh_host::algo::track::TrackOptions;
use rxmesh_host::mesh::Rng;

use crate::random::Choose;

/// Returns a factor around one, seldom an invalid one.
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
    DelaunayOptions::default().with(|o| {
        o.max_rounds = *rng.one_of(&[0, 1, 3, 1000]);
    })
}

pub(crate) fn simplify(rng: &mut Rng, faces: u32) -> SimplifyOptions {
    let target = match rng.below(3) {
        0 => Target::Faces(rng.below(u64::from(faces) + 5) as u32),
        _ => Target::Ratio(0.6 + 0.6 * rng.signed_unit()),
    };
    SimplifyOptions::new(target).with(|o| {
        o.cost = *rng.one_of(&[Cost::Quadric, Cost::Length]);
        o.boundary = *rng.one_of(&[Boundary::Hold, Boundary::Keep, Boundary::Free]);
        o.quantile = *rng.one_of(&[0.15, 0.01, 1.0, 0.5, 0.0, f64::NAN]);
        o.seed = rng.next_u64() as u32;
        o.max_rounds = *rng.one_of(&[1, 10, 1000]);
        o.error = some(rng, 40, |rng| match rng.below(2) {
            0 => Deviation::Part(*rng.one_of(&[0.0, 0.001, 0.02, 1.0, -1.0, f64::NAN])),
            _ => Deviation::Length(f64::from(factor(rng)) * 0.01),
        });
        if o.error.is_some() && rng.percent(50) {
            o.target = None;
        }
        o.boundary_weight = *rng.one_of(&[10.0, 0.0, 1.0, 1e6, -1.0]);
    })
}

/// Makes options with lengths near `mean`, so that a mesh of hundreds of faces does not grow to millions.
pub(crate) fn remesh(rng: &mut Rng, mean: f32) -> RemeshOptions {
    RemeshOptions::default().with(|o| {
        o.target_length = some(rng, 70, |rng| mean * factor(rng).max(0.25));
        if o.target_length.is_none() {
            o.faces = some(rng, 50, |rng| rng.below(2000) as u32);
        }
        o.adaptive = some(rng, 25, |rng| mean * factor(rng));
        o.min_length = some(rng, 20, |_| mean * 0.2);
        o.iterations = rng.below(3) as u32;
        o.smoothing_steps = rng.below(4) as u32;
        o.keep_features = some(rng, 40, |rng| 45.0 * factor(rng));
        o.project = rng.percent(40);
        o.max_rounds = *rng.one_of(&[1, 10, 1000]);
    })
}

pub(crate) fn track(rng: &mut Rng, mean: f32) -> TrackOptions {
    TrackOptions::default().with(|o| {
        o.frames = rng.below(3) as u32;
        o.noise_scale = factor(rng);
        o.speed = factor(rng);
        o.seed = rng.next_u64() as u32;
        o.time_step = 0.02 * factor(rng).clamp(-10.0, 10.0);
        o.target_length = some(rng, 50, |rng| mean * factor(rng).max(0.25));
        o.smoothing_steps = rng.below(3) as u32;
        o.max_rounds = *rng.one_of(&[1, 10, 1000]);
    })
}
