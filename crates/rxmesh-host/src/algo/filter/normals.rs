//! The scheme of normals.

use super::noise::TAUBIN;
use crate::Error;
use crate::algo::reduce;
use crate::algo::smooth::Steps;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::normal_filter::{
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
/// for a pair of Taubin's steps before the first iteration; at most so many pairs.
const ROUGH: [f64; 2] = [0.1, 0.04];
const MOST_PAIRS: f64 = 10.0;

/// It ends when the vertices have moved by this part of the noise: what is left of it belongs to the result as well.
const GONE: f64 = 0.86;

/// No place moves farther than this part of the noise: what is more was no noise. A place is what as many steps to the
/// mean of the ring reach.
const FARTHEST: f64 = 1.05;
const RINGS: u32 = 4;

/// Where the surface is flat, the result is this part Taubin's smoothing by so many pairs of steps: two estimates whose
/// errors differ are together better than each. Less by the second number for each pair before the first iteration,
/// which both share. Flat is where normals around vertices bend by much less than `BEND`.
const BLEND: [f32; 2] = [0.55, 0.044];
const BLEND_PAIRS: u32 = 7;
const BEND: f32 = 0.32;

/// Below this part of an edge length there is nothing to take away: `f32` itself is not much better.
const LEAST: f64 = 1e-5;

/// Filters positions near one in size, with noise and mean edge length in their unit; the number of iterations done.
pub(super) fn filter(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    [noise, edge]: [f64; 2],
    iterations: u32,
) -> Result<u32, Error> {
    let rough = noise / edge;
    if rough.is_nan() || rough <= LEAST {
        return Ok(0);
    }
    let mut steps = Steps::new(rx)?;
    let pairs = ((rough - ROUGH[0]) / ROUGH[1]).clamp(0.0, MOST_PAIRS) as u32;
    let mut filter = Normals::new(rx, x, [noise, edge])?;
    steps.pairs(x, TAUBIN, pairs)?;
    let mut smooth = rx.attribute()?;
    smooth.copy_from(x)?;
    steps.pairs(&mut smooth, TAUBIN, BLEND_PAIRS)?;
    let used = filter.frames(x).and_then(|()| filter.used(x))?;
    let mut done = 0;
    while done < iterations {
        let moved = filter.iterate(x)? / used;
        done += 1;
        if moved.sqrt() > GONE * noise {
            break;
        }
    }
    let part = BLEND[0] - BLEND[1] * pairs as f32;
    filter.blend(x, &smooth, steps.fixed(), part)?;
    Ok(done)
}

/// What the iterations share.
struct Normals<'a> {
    rx: &'a RxMesh,
    start: Attribute<Vertex, Vec3>,
    y: Attribute<Vertex, Vec3>,
    normal: Attribute<Face, Vec3>,
    filtered: Attribute<Face, Vec3>,
    area: Attribute<Face, f32>,
    centre: Attribute<Face, Vec3>,
    square: Attribute<Vertex, f32>,
    mean: Attribute<Vertex, f32>,
    closeness: f32,
    similarity: f32,
    limit: f32,
}

impl<'a> Normals<'a> {
    fn new(
        rx: &'a RxMesh,
        x: &Attribute<Vertex, Vec3>,
        [noise, edge]: [f64; 2],
    ) -> Result<Self, Error> {
        let mut start = rx.attribute()?;
        start.copy_from(x)?;
        let similarity = (SIMILARITY[0] * noise / edge).min(SIMILARITY[1]);
        Ok(Normals {
            rx,
            start,
            y: rx.attribute()?,
            normal: rx.attribute()?,
            filtered: rx.attribute()?,
            area: rx.attribute()?,
            centre: rx.attribute()?,
            square: rx.attribute()?,
            mean: rx.attribute()?,
            // The centres of two equilateral triangles at an edge are so far apart.
            closeness: (3f64.sqrt() / edge) as f32,
            similarity: (1.0 / similarity) as f32,
            limit: (FARTHEST * noise).powi(2) as f32,
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

    /// Number of vertices that have a face with a normal.
    fn used(&mut self, x: &Attribute<Vertex, Vec3>) -> Result<f64, Error> {
        self.offsets(x)?;
        let squares = self.square.to_input(self.rx)?;
        Ok(squares.iter().filter(|&&s| s >= 0.0).count().max(1) as f64)
    }

    /// One iteration; the sum of the squared moves across the surface since the start.
    fn iterate(&mut self, x: &mut Attribute<Vertex, Vec3>) -> Result<f64, Error> {
        for _ in 0..NORMAL_STEPS {
            self.rx.run_for_each(FilterNormals {
                normal: self.normal.read()?,
                area: self.area.read()?,
                centre: self.centre.read()?,
                out: self.filtered.write()?,
                closeness: self.closeness,
                similarity: self.similarity,
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
        let moved = reduce::sum(self.rx, &self.square)?;
        self.frames(x)?;
        Ok(moved)
    }

    /// Takes places back that moved too far.
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
            limit: self.limit,
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
        part: f32,
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
            part,
            flatness: 1.0 / BEND,
        })?;
        std::mem::swap(x, &mut self.y);
        Ok(())
    }
}
