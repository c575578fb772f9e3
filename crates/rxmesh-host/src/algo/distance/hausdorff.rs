//! Distances between two surfaces.

use crate::Error;
use crate::algo::Options;
use crate::algo::distance::closest::SurfaceTree;
use crate::algo::distance::inside::InsideTree;
use crate::algo::distance::sample::{SampleOptions, Sampler};
use crate::algo::measure::frame::power_of_two;
use crate::engine::Engine;
use crate::mesh::{TriMesh, UsedVertices};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::sync::Arc;

/// Options of measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct DistanceOptions {
    /// Points on the faces of each mesh, beside its vertices [default: 10 a face, at least 100000, at most 1 million].
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub samples: Option<u64>,
    /// Seed of random choices: the same seed gives the same points.
    #[cfg_attr(feature = "cli", arg(long, value_name = "SEED", default_value_t = Self::default().seed))]
    pub seed: u64,
}

units!(DistanceOptions {});

changeable!(DistanceOptions);

impl Default for DistanceOptions {
    fn default() -> Self {
        DistanceOptions {
            samples: None,
            seed: 1,
        }
    }
}

impl DistanceOptions {
    fn on_faces(&self, faces: usize) -> SampleOptions {
        SampleOptions {
            points: self
                .samples
                .unwrap_or((10 * faces as u64).clamp(100_000, 1_000_000)),
            seed: self.seed,
        }
    }
}

impl Options for DistanceOptions {
    fn check(&self) -> Result<(), Error> {
        self.on_faces(0).check()
    }
}

/// Distances of some points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Distances {
    /// Number of points.
    pub points: u64,
    /// Largest distance.
    pub max: f64,
    /// Mean distance.
    pub mean: f64,
    /// Root of the mean square.
    pub rms: f64,
}

units!(Distances {
    max: Length,
    mean: Length,
    rms: Length
});

/// Distances of a mesh to the surface of another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OneWay {
    /// Distances of points on its faces, uniformly by area; of its vertices if it has no area.
    pub surface: Distances,
    /// Distances of its vertices.
    pub vertices: Distances,
}

units!(OneWay { surface, vertices });

impl OneWay {
    /// Returns the largest of all: the one-sided Hausdorff distance, as far as points can tell.
    pub fn max(&self) -> f64 {
        self.surface.max.max(self.vertices.max)
    }
}

/// Distances of two meshes, in the unit of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DistanceReport {
    /// Distances from the first mesh to the second.
    pub forward: OneWay,
    /// Distances from the second mesh to the first.
    pub backward: OneWay,
    /// Larger of the two largest distances (the Hausdorff distance).
    pub hausdorff: f64,
    /// Larger of the two mean distances of the surfaces.
    pub mean: f64,
    /// Larger of the two root mean squares of the surfaces.
    pub rms: f64,
    /// Diagonal of the second mesh's bounding box, which percentages refer to.
    pub diagonal: f64,
}

units!(DistanceReport {
    forward,
    backward,
    hausdorff: Length,
    mean: Length,
    rms: Length,
    diagonal: Length
});

/// Computes the distances of two meshes both ways. Returns them with those of the first one's vertices, in their order.
///
/// Each mesh is measured at its vertices and at points on its faces, as Metro does (Cignoni, Rocchini, Scopigno 1998);
/// each point's distance to the other surface is exact but for rounding, about 1e-7 of the size of both together. A
/// mesh without faces is its vertices.
///
/// # Errors
///
/// [`Error::Options`] for a mesh without vertices or no point to measure at, [`Error::Mesh`] for a mesh that is not
/// sound, or any error of the engine.
pub fn distance(
    engine: &Engine,
    first: &TriMesh,
    second: &TriMesh,
    options: &DistanceOptions,
) -> Result<(DistanceReport, Vec<f64>), Error> {
    measure(engine, first, second, options, false)
}

/// Works like [`distance`]; distances of the first mesh's vertices are negative inside the second, where its winding
/// number is at least one half ([`InsideTree`]). Those of the report have no sign.
///
/// # Errors
///
/// As [`distance`], and [`Error::Options`] for a second mesh without faces.
pub fn signed_distance(
    engine: &Engine,
    first: &TriMesh,
    second: &TriMesh,
    options: &DistanceOptions,
) -> Result<(DistanceReport, Vec<f64>), Error> {
    measure(engine, first, second, options, true)
}

fn measure(
    engine: &Engine,
    first: &TriMesh,
    second: &TriMesh,
    options: &DistanceOptions,
    signed: bool,
) -> Result<(DistanceReport, Vec<f64>), Error> {
    options.check()?;
    for (mesh, which) in [(first, "first"), (second, "second")] {
        mesh.validate()?;
        if mesh.positions.is_empty() {
            return Err(Error::Options(format!("the {which} mesh has no vertices")));
        }
    }
    if signed && second.faces.is_empty() {
        let why = "the second mesh has no faces: nothing is inside or outside";
        return Err(Error::Options(why.into()));
    }
    let frame = CommonFrame::of(first, second);
    let (a, b) = (
        FramedMesh::new(engine, first, &frame)?,
        FramedMesh::new(engine, second, &frame)?,
    );
    let (forward, mut vertices) = a.to(&b, options, &frame)?;
    if signed {
        for (distance, is_inside) in vertices.iter_mut().zip(b.contains(&a.x)?) {
            if is_inside {
                *distance = -*distance;
            }
        }
    }
    let (backward, _) = b.to(&a, options, &frame)?;
    let [low, high] = corners(second);
    let report = DistanceReport {
        hausdorff: forward.max().max(backward.max()),
        mean: forward.surface.mean.max(backward.surface.mean),
        rms: forward.surface.rms.max(backward.surface.rms),
        diagonal: low.distance(high),
        forward,
        backward,
    };
    Ok((report, vertices))
}

/// Returns the lowest and the highest corner of the box around a mesh in the world.
fn corners(mesh: &TriMesh) -> [DVec3; 2] {
    mesh.bounding_box()
        .map_or([DVec3::ZERO; 2], |b| b.map(DVec3::from_array))
}

/// A frame in which both meshes are near the origin and of a size near one.
struct CommonFrame {
    origin: DVec3,
    scale: f64,
}

impl CommonFrame {
    fn of(first: &TriMesh, second: &TriMesh) -> CommonFrame {
        let ([a, b], [c, d]) = (corners(first), corners(second));
        let (low, high) = (a.min(c), b.max(d));
        CommonFrame {
            origin: (low + high) * 0.5,
            scale: power_of_two((high - low).max_element()),
        }
    }

    fn enter(&self, mesh: &TriMesh) -> Vec<Vec3> {
        let place = mesh.placement;
        // Differences first, so that the common part of the origins drops out.
        let (shift, unit) = (place.origin - self.origin, place.scale);
        let enter = |p: &Vec3| ((shift + unit * p.as_dvec3()) * self.scale).as_vec3();
        mesh.positions.par_iter().lean().map(enter).collect()
    }
}

/// One of the meshes, in the frame.
struct FramedMesh<'a> {
    engine: &'a Engine,
    x: Vec<Vec3>,
    /// Vertices that count.
    used: UsedVertices,
    faces: &'a [[u32; 3]],
    tree: Arc<SurfaceTree>,
}

/// Points that go to the engine at a time.
const BATCH: u64 = 1 << 20;

impl<'a> FramedMesh<'a> {
    fn new(
        engine: &'a Engine,
        mesh: &'a TriMesh,
        frame: &CommonFrame,
    ) -> Result<FramedMesh<'a>, Error> {
        let x = frame.enter(mesh);
        // A point is a triangle whose corners are one.
        let points: Vec<[u32; 3]> = match mesh.faces.is_empty() {
            true => (0..x.len() as u32).map(|v| [v; 3]).collect(),
            false => Vec::new(),
        };
        let faces = if mesh.faces.is_empty() {
            &points
        } else {
            &mesh.faces
        };
        Ok(FramedMesh {
            engine,
            tree: Arc::new(SurfaceTree::new(engine, &x, faces)?),
            x,
            used: mesh.used_vertices(),
            faces: &mesh.faces,
        })
    }

    /// Computes the distances to another mesh, and those of the vertices.
    fn to(
        &self,
        other: &FramedMesh<'_>,
        options: &DistanceOptions,
        frame: &CommonFrame,
    ) -> Result<(OneWay, Vec<f64>), Error> {
        let mut of_vertices = Vec::with_capacity(self.x.len());
        let mut sums = DistanceSums::default();
        for part in self.x.chunks(BATCH as usize) {
            let distances = self.measure(other, part)?;
            let first = of_vertices.len();
            let counted = (first..).zip(&distances);
            let counted = counted.filter(|(v, _)| self.used.contains(*v));
            sums.add(counted.map(|(_, d)| *d));
            of_vertices.extend(distances.iter().map(|&d| f64::from(d) / frame.scale));
        }
        let vertices = sums.finish(frame.scale);
        let mut way = OneWay {
            surface: vertices,
            vertices,
        };
        // Without an area there is nothing to take points from: the vertices are all there is.
        if let Ok(sampler) = Sampler::new(&self.x, self.faces, &options.on_faces(self.faces.len()))
        {
            let mut sums = DistanceSums::default();
            let mut from = 0;
            while from < sampler.len() {
                let to = sampler.len().min(from + BATCH);
                let points: Vec<Vec3> = sampler.part(from..to).iter().map(|p| p.position).collect();
                sums.add(self.measure(other, &points)?.into_iter());
                from = to;
            }
            way.surface = sums.finish(frame.scale);
        }
        Ok((way, of_vertices))
    }

    fn measure(&self, other: &FramedMesh<'_>, points: &[Vec3]) -> Result<Vec<f32>, Error> {
        let points = self.engine.upload(points)?;
        let found = other.tree.closest(&points)?;
        Ok(found.distances(&points)?.read()?)
    }

    /// Finds out which points are inside.
    fn contains(&self, points: &[Vec3]) -> Result<Vec<bool>, Error> {
        let x = self.engine.upload(&self.x)?;
        let faces = self.engine.upload(self.faces)?;
        let inside = InsideTree::new(self.tree.clone(), &x, &faces)?;
        let mut all = Vec::with_capacity(points.len());
        for part in points.chunks(BATCH as usize) {
            let flags = inside.contains(&self.engine.upload(part)?)?.read()?;
            all.extend(flags.into_iter().map(|flag| flag == 1));
        }
        Ok(all)
    }
}

/// Sums over distances, in a fixed order.
#[derive(Default)]
struct DistanceSums {
    points: u64,
    max: f64,
    sum: f64,
    squares: f64,
}

impl DistanceSums {
    fn add(&mut self, distances: impl Iterator<Item = f32>) {
        for d in distances.map(f64::from) {
            self.points += 1;
            self.max = self.max.max(d);
            self.sum += d;
            self.squares += d * d;
        }
    }

    /// Converts the distances to the unit of which the frame's is `scale` parts.
    fn finish(&self, scale: f64) -> Distances {
        let n = self.points.max(1) as f64;
        Distances {
            points: self.points,
            max: self.max / scale,
            mean: self.sum / n / scale,
            rms: (self.squares / n).sqrt() / scale,
        }
    }
}
