//! The scheme of vertices.

use super::meshes::FilteredMeshes;
use super::{Closeness, FilterOptions, ScaledParameters, Similarity};
use crate::Error;
use crate::algo::measure::normals::vertex_normals_unscaled;
use crate::engine::Buffer;
use crate::store::{Attribute, Rows, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::smooth::filter::vertices::{
    BALLS, BallArgs, BallSize, FilterBalls, FilterLarge, large_words,
};
use rxmesh_kernels::query::VV;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Iterations, unless others are given.
pub(super) const ITERATIONS: u32 = 5;

/// Words of scratch memory that large balls may take at a time, unless a single one needs more.
const SCRATCH_WORDS: u32 = 1 << 24;

/// Room of the first lists in global memory; those that do not fit get eight times as much, and so on.
const FIRST_ROOM: u32 = 256;

/// State that the iterations share.
pub(super) struct Filter<'a> {
    rx: &'a RxMesh,
    ones: Rows<VV>,
    normal: Attribute<Vertex, Vec3>,
    y: Attribute<Vertex, Vec3>,
    /// Number of large balls, then their vertices.
    large: Buffer<u32>,
    size: BallSize,
    meshes: &'a FilteredMeshes<'a>,
    /// Closeness and similarity of each mesh.
    sigmas: Buffer<f32>,
}

/// Returns the rule for the size of neighbourhoods.
pub(super) fn size(options: &FilterOptions) -> BallSize {
    match options.sigma_c.unwrap_or_default() {
        Closeness::MeanEdge => BallSize::MeanEdge,
        Closeness::ShortestEdge => BallSize::ShortestEdge,
        Closeness::MeshMeanEdge | Closeness::Given(_) => BallSize::Given,
    }
}

/// Returns the closeness and the similarity of a mesh.
fn sigmas(options: &FilterOptions, m: &ScaledParameters) -> [f64; 2] {
    let sigma_c = match options.sigma_c.unwrap_or_default() {
        Closeness::MeanEdge | Closeness::ShortestEdge => 0.0,
        Closeness::MeshMeanEdge => m.edge,
        Closeness::Given(sigma_c) => sigma_c * m.scale,
    };
    let sigma_s = match options.sigma_s.unwrap_or_default() {
        Similarity::Ball => 0.0,
        // Above 0, which would mean the deviation of each ball: without noise nothing moves.
        Similarity::Noise => m.noise.clamp(1e-18, 1e18),
        Similarity::Given(s) => (s * m.scale).clamp(1e-18, 1e18),
    };
    [
        sigma_c.clamp(0.0, f64::from(f32::MAX).sqrt() / 4.0),
        sigma_s,
    ]
}

impl<'a> Filter<'a> {
    /// Prepares to filter positions in which the members are measured; the rule for closeness is that of all options.
    pub(super) fn new(
        rx: &'a RxMesh,
        meshes: &'a FilteredMeshes<'a>,
        options: &[FilterOptions],
        each: &[ScaledParameters],
    ) -> Result<Self, Error> {
        let n = rx.linear_len(Kind::Vertex) as usize;
        let of = options.iter().zip(each);
        Ok(Filter {
            rx,
            ones: rx.query::<VV>()?,
            normal: rx.attribute()?,
            y: rx.attribute()?,
            large: rx.engine().zeroed(1 + n)?,
            size: options.first().map_or(BallSize::Given, size),
            meshes,
            sigmas: meshes.numbers(of.map(|(o, m)| sigmas(o, m)))?,
        })
    }

    /// Runs one iteration. Returns the number of large balls.
    pub(super) fn iterate(&mut self, x: &mut Attribute<Vertex, Vec3>) -> Result<u32, Error> {
        let (rx, n) = (self.rx, self.rx.linear_len(Kind::Vertex));
        vertex_normals_unscaled(rx, x, &mut self.normal)?;
        let args = BallArgs {
            starts: self.ones.starts().global(),
            ring: self.ones.values().global(),
            x: x.global()?,
            normal: self.normal.global()?,
            y: self.y.global_mut()?,
            size: self.size as u32,
            labels: self.meshes.labels()?,
            sigmas: self.sigmas.global(),
        };
        let balls = FilterBalls {
            args,
            n,
            large: self.large.global_mut(),
        };
        rx.engine().launch_blocks(n.div_ceil(BALLS), balls)?;
        let count = self.large.read_range(0, 1)?[0];
        if count > 0 {
            let pending = std::mem::replace(&mut self.large, rx.engine().zeroed(1 + n as usize)?);
            self.large_balls(args, pending, count)?;
        }
        std::mem::swap(x, &mut self.y);
        Ok(count)
    }

    /// Does the balls that did not fit shared memory, with longer and longer lists until all fit.
    fn large_balls(
        &self,
        args: BallArgs,
        mut pending: Buffer<u32>,
        mut count: u32,
    ) -> Result<(), Error> {
        let (engine, most) = (self.rx.engine(), self.rx.linear_len(Kind::Vertex));
        let mut room = FIRST_ROOM.min(most);
        while count > 0 {
            let batch = (SCRATCH_WORDS / large_words(room)).clamp(1, count);
            let lists = engine.zeroed::<u32>(batch as usize * large_words(room) as usize)?;
            let left = engine.zeroed::<u32>(1 + count as usize)?;
            for first in (0..count).step_by(batch as usize) {
                let vertices = pending.global().from(1 + first);
                let kernel = FilterLarge {
                    args,
                    vertices,
                    lists: lists.global_mut(),
                    room,
                    large: left.global_mut(),
                };
                engine.launch_flat(batch.min(count - first), kernel)?;
            }
            count = left.read_range(0, 1)?[0];
            pending = left;
            // No ball has more than all vertices: the last length fits.
            room = room.saturating_mul(8).min(most);
        }
        Ok(())
    }
}
