//! The scheme of normals.

use super::ScaledParameters;
use super::meshes::{FilteredMeshes, Hold};
use super::noise::TAUBIN;
use crate::Error;
use crate::algo::smooth::laplacian::Steps;
use crate::engine::Buffer;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::smooth::filter::normals::{
    Bends, BlendFlat, FaceFrames, FilterNormals, FitVertices, LimitOffsets, MeanOfRing,
    NormalOffsets,
};
use rxmesh_kernels::topo::{Face, Kind, Vertex};

/// Most iterations, unless another number is given.
pub(super) const ITERATIONS: u32 = 20;

/// Steps of the normals before the vertices follow.
const NORMAL_STEPS: u32 = 2;

/// Similarity of normals over the noise in edge lengths, and at most. Noise of one edge length turns the normals of
/// neighbours apart by about 2.3.
const SIMILARITY: [f64; 2] = [4.5, 0.45];

/// Noise in edge lengths above which normals say too little about the surface, and each further amount of it that asks
/// for a pair of Taubin's steps before the first iteration; the number of pairs is limited.
const ROUGH: [f64; 2] = [0.1, 0.04];
const MOST_PAIRS: f64 = 10.0;

/// Part of the noise by which the vertices have moved at the end: the rest of it belongs to the result as well.
const GONE: f64 = 0.86;

/// No place moves farther than this part of the noise: the excess was no noise. A place is the reach of that many steps
/// to the mean of the ring.
const FARTHEST: f64 = 1.05;
const RINGS: u32 = 4;

/// Weight of Taubin's smoothing in the result where the surface is flat: two estimates whose errors differ are together
/// better than each. Less by the second number for each pair of steps before the first iteration, which both share. The
/// surface is flat where normals around vertices bend by much less than `BEND`.
const BLEND: [f64; 2] = [0.55, 0.044];
const BLEND_PAIRS: u32 = 7;
const BEND: f32 = 0.32;

/// Below this part of an edge length there is nothing to take away: `f32` itself is not much better.
const LEAST: f64 = 1e-5;

/// Filters positions near one in size; the number of iterations of each mesh.
pub(super) fn filter(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    meshes: &FilteredMeshes,
    each: &[ScaledParameters],
) -> Result<Vec<u32>, Error> {
    let mut done = vec![0; each.len()];
    let begins = |m: &ScaledParameters| m.iterations > 0 && m.rough() > LEAST;
    let mut ended: Vec<bool> = each.iter().map(|m| !begins(m)).collect();
    if ended.iter().all(|&ended| ended) {
        return Ok(done);
    }
    let mut steps = Steps::new(rx)?;
    let pairs: Vec<u32> = (each.iter())
        .map(|m| if begins(m) { m.pairs() } else { 0 })
        .collect();
    let mut filter = Normals::new(rx, x, meshes, each)?;
    for n in 0..pairs.iter().copied().max().unwrap_or(0) {
        steps.pairs(x, TAUBIN, 1)?;
        filter.hold.hold(x, |i| pairs[i] <= n)?;
    }
    let mut smooth = rx.attribute()?;
    smooth.copy_from(x)?;
    steps.pairs(&mut smooth, TAUBIN, BLEND_PAIRS)?;
    let used = filter.frames(x).and_then(|()| filter.used(x))?;
    while ended.contains(&false) {
        let moved = filter.iterate(x, &ended)?;
        for (i, m) in each.iter().enumerate() {
            if !ended[i] {
                done[i] += 1;
                let gone = (moved[i] / used[i]).sqrt() > GONE * m.noise;
                ended[i] = gone || done[i] == m.iterations;
            }
        }
    }
    let part = |(m, &pairs): (&ScaledParameters, &u32)| {
        let part = BLEND[0] - BLEND[1] * f64::from(pairs);
        [if begins(m) { part } else { 0.0 }]
    };
    let parts = meshes.numbers(each.iter().zip(&pairs).map(part))?;
    filter.blend(x, &smooth, steps.fixed(), &parts)?;
    Ok(done)
}

impl ScaledParameters {
    /// Returns the noise in edge lengths.
    fn rough(&self) -> f64 {
        self.noise / self.edge
    }

    /// Returns the number of pairs of Taubin's steps before the first iteration.
    fn pairs(&self) -> u32 {
        ((self.rough() - ROUGH[0]) / ROUGH[1]).clamp(0.0, MOST_PAIRS) as u32
    }

    /// Returns one over the standard deviations of the centres' distances and the normals' differences.
    fn scales(&self) -> [f64; 2] {
        let similarity = (SIMILARITY[0] * self.rough()).min(SIMILARITY[1]);
        // The centres of two equilateral triangles at an edge are so far apart.
        [3f64.sqrt() / self.edge, 1.0 / similarity]
    }
}

/// State that the iterations share.
struct Normals<'a> {
    rx: &'a RxMesh,
    meshes: &'a FilteredMeshes<'a>,
    hold: Hold<'a>,
    start: Attribute<Vertex, Vec3>,
    y: Attribute<Vertex, Vec3>,
    normal: Attribute<Face, Vec3>,
    filtered: Attribute<Face, Vec3>,
    area: Attribute<Face, f32>,
    centre: Attribute<Face, Vec3>,
    square: Attribute<Vertex, f32>,
    mean: Attribute<Vertex, f32>,
    /// [`ScaledParameters::scales`] of each mesh.
    scales: Buffer<f32>,
    /// Largest mean square of the moves of each.
    limits: Buffer<f32>,
}

impl<'a> Normals<'a> {
    fn new(
        rx: &'a RxMesh,
        x: &Attribute<Vertex, Vec3>,
        meshes: &'a FilteredMeshes<'a>,
        each: &[ScaledParameters],
    ) -> Result<Self, Error> {
        let mut start = rx.attribute()?;
        start.copy_from(x)?;
        let limit = |m: &ScaledParameters| [(FARTHEST * m.noise).powi(2)];
        Ok(Normals {
            rx,
            meshes,
            hold: meshes.hold(x)?,
            start,
            y: rx.attribute()?,
            normal: rx.attribute()?,
            filtered: rx.attribute()?,
            area: rx.attribute()?,
            centre: rx.attribute()?,
            square: rx.attribute()?,
            mean: rx.attribute()?,
            scales: meshes.numbers(each.iter().map(ScaledParameters::scales))?,
            limits: meshes.numbers(each.iter().map(limit))?,
        })
    }

    /// Computes the frames of the faces.
    fn frames(&mut self, x: &Attribute<Vertex, Vec3>) -> Result<(), Error> {
        self.rx.run_for_each(FaceFrames {
            x: x.staged()?,
            normal: self.normal.write()?,
            area: self.area.write()?,
            centre: self.centre.write()?,
        })
    }

    /// Measures how far the vertices are from their starts.
    fn offsets(&mut self, x: &Attribute<Vertex, Vec3>) -> Result<(), Error> {
        self.rx.run_for_each(NormalOffsets {
            from: self.start.read()?,
            to: x.read()?,
            normal: self.normal.read()?,
            square: self.square.write()?,
        })
    }

    /// Counts the vertices of each mesh that have a face with a normal.
    fn used(&mut self, x: &Attribute<Vertex, Vec3>) -> Result<Vec<f64>, Error> {
        self.offsets(x)?;
        let squares = self.meshes.apart(self.square.to_input(self.rx)?);
        let used = |squares: Vec<f32>| squares.iter().filter(|&&s| s >= 0.0).count();
        let used = squares.into_iter().map(used);
        Ok(used.map(|n| n.max(1) as f64).collect())
    }

    /// Runs one iteration of the meshes that have not ended. Returns for each the sum of the squared moves across the
    /// surface since the start.
    fn iterate(
        &mut self,
        x: &mut Attribute<Vertex, Vec3>,
        ended: &[bool],
    ) -> Result<Vec<f64>, Error> {
        for _ in 0..NORMAL_STEPS {
            self.rx.run_for_each(FilterNormals {
                normal: self.normal.read()?,
                area: self.area.read()?,
                centre: self.centre.read()?,
                out: self.filtered.write()?,
                scales: self.meshes.of_faces(&self.scales)?,
            })?;
            std::mem::swap(&mut self.normal, &mut self.filtered);
        }
        self.rx.run_for_each(FitVertices {
            x: x.read()?,
            normal: self.normal.read()?,
            centre: self.centre.read()?,
            y: self.y.write()?,
        })?;
        std::mem::swap(x, &mut self.y);
        self.frames(x)?;
        self.limit(x)?;
        let moved = self.meshes.sums(&self.square)?;
        self.hold.hold(x, |i| ended[i])?;
        self.frames(x)?;
        Ok(moved)
    }

    /// Limits the offsets of vertices that moved too far.
    fn limit(&mut self, x: &mut Attribute<Vertex, Vec3>) -> Result<(), Error> {
        self.offsets(x)?;
        for _ in 0..RINGS {
            self.rx.run_for_each(MeanOfRing {
                x: self.square.read()?,
                y: self.mean.write()?,
            })?;
            std::mem::swap(&mut self.square, &mut self.mean);
        }
        let kernel = LimitOffsets {
            from: self.start.global()?,
            to: x.global_mut()?,
            square: self.square.global_mut()?,
            labels: self.meshes.labels()?,
            limits: self.limits.global(),
        };
        let n = self.rx.linear_len(Kind::Vertex);
        Ok(self.rx.engine().launch_flat(n, kernel)?)
    }

    /// Mixes in another estimate where the surface is flat.
    fn blend(
        &mut self,
        x: &mut Attribute<Vertex, Vec3>,
        other: &Attribute<Vertex, Vec3>,
        fixed: &Attribute<Vertex, u32>,
        parts: &Buffer<f32>,
    ) -> Result<(), Error> {
        self.rx.run_for_each(Bends {
            normal: self.normal.read()?,
            bend: self.square.write()?,
        })?;
        self.rx.run_for_each(BlendFlat {
            x: x.read()?,
            other: other.read()?,
            bend: self.square.read()?,
            fixed: fixed.read()?,
            y: self.y.write()?,
            part: self.meshes.of_vertices(parts)?,
            flatness: 1.0 / BEND,
        })?;
        std::mem::swap(x, &mut self.y);
        Ok(())
    }
}
