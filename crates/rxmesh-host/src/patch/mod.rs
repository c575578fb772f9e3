//! Cuts a mesh into patches and packs them: triangles in, [`PatchSet`] out.
//!
//! The stages, each parallel and linear in the faces:
//!
//! 1. `adjacency`: finds the sides of faces that share an edge;
//! 2. `regions`: regions of a few dozen patches, grown from random faces; small components packed;
//! 3. `lloyd`: Lloyd rounds inside each region, and from here on all faces in patch order
//!    (`order`): from then on the order of the input does not matter for speed;
//! 4. `elements`: owners and ids of vertices and edges;
//! 5. `ribbon`: finds the other elements that each patch must hold;
//! 6. `pack`: headers and sections, as `rxmesh_kernels::topo` describes them.
//!
//! The outcome depends on mesh and options alone, never on the number of threads.
//!
//! Patches are contiguous: one can walk from face to face across shared edges without leaving the patch.
//! The exception are components of at most `patch_size` faces, several of which share a patch, whole.

mod adjacency;
mod cache;
mod elements;
mod error;
mod lloyd;
mod order;
mod pack;
mod pockets;
mod regions;
mod ribbon;
mod rings;
mod shared;
mod sound;
mod stats;
#[cfg(test)]
mod tests;
mod validate;
mod volume;

use crate::par::IntoLean;
use std::time::Instant;

use rayon::prelude::*;
use rxmesh_kernels::topo::{Kind, PatchHeader};

pub use cache::{CacheError, CacheKey, build_cached};
pub use error::PatchError;
pub use stats::{BytesPerFace, PatchStats, StageTimes};
pub use validate::LayoutFault;
pub use volume::{
    Ribbon, VolumeKinds, VolumeOptions, VolumeSet, VolumeStats, build as build_volume,
};

use ribbon::MAX_LOCAL;

/// Options of cutting patches.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PatchOptions {
    /// Most owned faces that a patch may have, from 1 to 65535.
    pub patch_size: u32,
    /// Seed of the random choices.
    pub seed: u64,
    /// Capacity over size; 1 for a mesh whose connectivity does not change.
    pub growth: f32,
}

changeable!(PatchOptions);

impl Default for PatchOptions {
    fn default() -> Self {
        Self {
            patch_size: 512,
            seed: 1,
            growth: 1.0,
        }
    }
}

/// A mesh cut into patches, as it lies in memory.
///
/// `rxmesh_kernels::topo::PatchHeader` has the places of a patch's parts in `topology`, `masks` and `ribbons`.
/// Arrays of three are indexed by `Kind`: vertices, edges, faces.
#[derive(Clone, Debug)]
pub struct PatchSet {
    /// One header per patch.
    pub headers: Vec<PatchHeader>,
    /// Sections EV and FE of all patches.
    pub topology: Vec<u16>,
    /// Owned and active masks of all patches.
    pub masks: Vec<u32>,
    /// Linear ids of the elements that patches hold without owning them.
    pub ribbons: Vec<u32>,
    /// Number of vertices, edges and faces of the mesh.
    pub counts: [u32; 3],
    /// Length of the linear id spaces; more than `counts` where growth leaves slack.
    pub linear_len: [u32; 3],
    /// Linear id -> input vertex, `u32::MAX` in slack.
    pub vertex_source: Vec<u32>,
    /// Linear id -> input face, `u32::MAX` in slack.
    pub face_source: Vec<u32>,
    /// Input vertex -> linear id.
    pub vertex_linear: Vec<u32>,
    /// Input face -> linear id.
    pub face_linear: Vec<u32>,
    /// `true` if the set was packed after an edit ([`crate::repack`]): patches need not be contiguous then, and an edge
    /// keeps its direction instead of starting at the vertex of smaller input index.
    pub repacked: bool,
    /// Figures about the set.
    pub stats: PatchStats,
}

/// Cuts a mesh into patches.
///
/// Any triangles will do: several components, boundaries, edges with many faces, mixed orientation,
/// duplicate faces, faces that repeat a vertex, vertices without faces.
///
/// # Errors
///
/// A face that names a missing vertex, options out of range, and meshes that do not fit the ids: more than
/// 2^31 sides, or a vertex whose ring alone fills a patch's 16-bit local ids.
pub fn build(
    vertex_count: usize,
    faces: &[[u32; 3]],
    options: &PatchOptions,
) -> Result<PatchSet, PatchError> {
    let mut clock = StageClock::start();
    let mut times = StageTimes::default();
    check(vertex_count, faces, options)?;
    let adjacency = adjacency::build(vertex_count, faces);
    check_rings(&adjacency)?;
    let longest = adjacency.longest.0;
    times.adjacency = clock.lap();
    let regions = regions::build::<3>(&adjacency.next, options.patch_size, options.seed);
    times.regions = clock.lap();
    let order = order::build::<3>(&adjacency.next, regions, options.patch_size);
    drop(adjacency);
    times.patches = clock.lap();
    let elements = elements::build(vertex_count, faces, &order, options.patch_size, longest);
    times.elements = clock.lap();
    let ribbons = ribbon::build(&order.next, &elements)?;
    times.ribbons = clock.lap();
    let packed = pack::build(&order.next, &elements, &ribbons, options.growth)?;
    let mut set = finish(order, elements, packed, options.growth);
    times.pack = clock.lap();
    times.total = clock.total();
    set.stats.times = times;
    set.stats.rounds = lloyd::ROUNDS + 1;
    Ok(set)
}

/// Creates the patch set from its parts; spreads the sources if there is slack.
fn finish(
    order: order::FaceOrder,
    mut elements: elements::Elements,
    packed: pack::Packed,
    growth: f32,
) -> PatchSet {
    let counts = [0, 1, 2].map(|k: usize| elements.starts[k].last().copied().unwrap_or(0));
    let (mut vertex_source, mut vertex_linear) = (
        std::mem::take(&mut elements.vertex_source),
        std::mem::take(&mut elements.vertex_dense),
    );
    let (mut face_source, mut face_linear) = (order.source, order.linear);
    let linear = pack::LinearIds::new(&elements, &packed.headers, growth);
    let [vertices, _, faces] = packed.linear_len;
    linear.spread(
        Kind::Vertex,
        vertices,
        &mut vertex_source,
        &mut vertex_linear,
    );
    linear.spread(Kind::Face, faces, &mut face_source, &mut face_linear);
    PatchSet {
        stats: PatchStats::new(&packed.headers, counts),
        headers: packed.headers,
        topology: packed.topology,
        masks: packed.masks,
        ribbons: packed.ribbons,
        repacked: false,
        counts,
        linear_len: packed.linear_len,
        vertex_source,
        face_source,
        vertex_linear,
        face_linear,
    }
}

/// Checks options, sizes and indices.
fn check(
    vertex_count: usize,
    faces: &[[u32; 3]],
    options: &PatchOptions,
) -> Result<(), PatchError> {
    if !(1..=MAX_LOCAL).contains(&options.patch_size) {
        return Err(PatchError::PatchSize(options.patch_size));
    }
    if !(1.0..=1000.0).contains(&options.growth) {
        return Err(PatchError::Growth(options.growth));
    }
    for (what, count, limit) in [
        ("vertices", vertex_count, 1u64 << 31),
        ("faces", faces.len(), ((1u64 << 31) - 2) / 3),
    ] {
        let count = count as u64;
        if count > limit {
            return Err(PatchError::TooManyElements { what, count, limit });
        }
    }
    let largest = |face: &[u32; 3]| face[0].max(face[1]).max(face[2]);
    let most = faces.par_iter().lean().map(largest).max();
    if most.is_none_or(|most| (most as usize) < vertex_count) {
        return Ok(());
    }
    let bad = faces
        .iter()
        .position(|face| largest(face) as usize >= vertex_count);
    let face = bad.unwrap_or_default();
    Err(PatchError::FaceIndex {
        face,
        index: faces[face]
            .into_iter()
            .find(|&v| v as usize >= vertex_count)
            .unwrap_or_default(),
        vertex_count,
    })
}

/// Refuses an edge with more faces than a patch can hold, before it costs time.
fn check_rings(adjacency: &adjacency::Adjacency) -> Result<(), PatchError> {
    let (length, vertex) = adjacency.longest;
    if length / 2 <= MAX_LOCAL {
        return Ok(());
    }
    Err(PatchError::PatchTooLarge {
        kind: Kind::Face,
        count: length.into(),
        limit: MAX_LOCAL.into(),
        vertex,
        valence: length.into(),
    })
}

/// Takes the time of stages.
struct StageClock {
    start: Instant,
    last: Instant,
}

impl StageClock {
    fn start() -> Self {
        let now = Instant::now();
        Self {
            start: now,
            last: now,
        }
    }

    /// Returns the milliseconds since the last lap.
    fn lap(&mut self) -> f32 {
        let now = Instant::now();
        let lap = now - std::mem::replace(&mut self.last, now);
        lap.as_secs_f32() * 1e3
    }

    fn total(&self) -> f32 {
        self.start.elapsed().as_secs_f32() * 1e3
    }
}
