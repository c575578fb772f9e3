//! Geodesic distances from one or several sources.

mod points;
mod propagation;

pub use points::{PointSeeds, point_seeds};

use crate::Error;
use crate::algo::Options;
use crate::algo::measure::frame::unit_scale;
use crate::engine::{Buffer, Engine};
use crate::options::positive;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use propagation::Propagation;
use rxmesh_kernels::algo::distance::geodesic::{
    GeodesicSources, LevelClear, LevelRound, SOURCE_BITS,
};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Options of propagating distances.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct GeodesicOptions {
    /// A distance that falls by less than this part of the shortest edge around is not passed on: about the part by
    /// which distances may be longer than the scheme's.
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART", default_value_t = Self::default().threshold))]
    pub threshold: f64,
    /// Limit of rounds over the patches [default: twice the number of vertices, many times the usual number].
    #[cfg_attr(feature = "cli", arg(long = "max-iter", value_name = "N"))]
    pub max_iterations: Option<u32>,
}

units!(GeodesicOptions {});

changeable!(GeodesicOptions);

impl Options for GeodesicOptions {
    fn check(&self) -> Result<(), Error> {
        positive("the threshold", self.threshold)
    }
}

impl Default for GeodesicOptions {
    fn default() -> Self {
        GeodesicOptions {
            threshold: 4e-3,
            max_iterations: None,
        }
    }
}

/// Results of a propagation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GeodesicReport {
    /// Rounds over the patches, the one that found nothing to do included.
    pub iterations: u32,
    /// `true` if all distances are final.
    pub converged: bool,
    /// Largest finite distance, in the mesh's unit of length.
    pub max_distance: f64,
    /// Vertices that a source reaches, the sources included; those reached so far if it did not converge.
    pub reached: u32,
}

units!(GeodesicReport {
    max_distance: Length
});

/// Rounds of the level search that are launched between two read-backs of their flags.
const LEVEL_BATCH: u32 = 8;

/// Larger thresholds mean the same, and could not be multiplied by a length.
const LARGEST_THRESHOLD: f64 = 1e9;

/// Least that the default limit of rounds is.
const MOST_AT_LEAST: u32 = 100;

/// Vertex at which distances begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeodesicSeed {
    /// Number of the vertex, in the input's order.
    pub vertex: u32,
    /// Distance, in the mesh's unit of length: 0 for a source.
    pub distance: f64,
    /// Number of the source: one for all the seeds of a source point. Distances of different sources are kept apart by
    /// the lowest four bits of it.
    pub source: u32,
}

/// Computes the distance along the surface of every vertex from the nearest source, in the mesh's unit of length;
/// infinity if no source reaches. `sources` are vertices in the input's order.
///
/// Distances are exact, to rounding and [`GeodesicOptions::threshold`], where one source reaches the triangles through
/// a plane, whatever the shape of the triangles is. On curved surfaces, behind saddles and where the ways from several
/// sources meet they are approximate: circular waves across each triangle (Romero Calla, Fuentes Perez, Montenegro
/// 2019; Novotni and Klein 2002). Faces without area carry distances along their sides.
///
/// # Errors
///
/// [`Error::Options`] for no source, a source that is no vertex, or a threshold that is not a positive number;
/// [`Error::NotFinite`] for a coordinate that is not finite; or any error of the engine.
pub fn geodesic(
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
    sources: &[u32],
    options: &GeodesicOptions,
) -> Result<(Attribute<Vertex, f32>, GeodesicReport), Error> {
    let seed = |(source, &vertex): (u32, &u32)| GeodesicSeed {
        vertex,
        distance: 0.0,
        source,
    };
    let seeds: Vec<GeodesicSeed> = (0..).zip(sources).map(seed).collect();
    geodesic_from(rx, x, &seeds, options)
}

/// Computes distances as [`geodesic`] does, from vertices that have distances already, such as the corners of the face
/// in which a source lies ([`point_seeds`]).
///
/// # Errors
///
/// As [`geodesic`]; a distance that is negative or not finite is an [`Error::Options`], too.
pub fn geodesic_from(
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
    seeds: &[GeodesicSeed],
    options: &GeodesicOptions,
) -> Result<(Attribute<Vertex, f32>, GeodesicReport), Error> {
    options.check()?;
    let bad = |s: &&GeodesicSeed| !(s.distance >= 0.0 && s.distance.is_finite());
    if let Some(seed) = seeds.iter().find(bad) {
        return Err(Error::Options(format!(
            "source {} has the distance {}, which must be a finite number and not negative",
            seed.vertex, seed.distance
        )));
    }
    let scale = unit_scale(rx, x)?;
    let several = seeds.iter().any(|s| s.source != seeds[0].source);
    let labels = if several { SOURCE_BITS } else { 0 };
    let starts: Vec<(u32, u32)> = seeds
        .iter()
        .map(|s| {
            let bits = ((s.distance * scale) as f32).to_bits();
            (s.vertex, bits & !labels | s.source & labels)
        })
        .collect();
    let sources = Sources::new(rx, &starts)?;
    let mut p = Propagation::new(rx, x, scale, options.threshold, labels)?;
    let limit = options
        .max_iterations
        .unwrap_or_else(|| rx.count(Kind::Vertex).saturating_mul(2).max(MOST_AT_LEAST));
    let (iterations, converged) = p.run(&sources, limit)?;
    let (distance, max_distance, reached) = p.finish()?;
    Ok((
        distance,
        GeodesicReport {
            iterations,
            converged,
            max_distance,
            reached,
        },
    ))
}

/// Computes topological level sets: each vertex's number of edges from the nearest source, `u32::MAX` if none reaches
/// it. `sources` are vertices in the input's order.
///
/// # Errors
///
/// As [`geodesic`].
pub fn level_sets(rx: &RxMesh, sources: &[u32]) -> Result<Attribute<Vertex, u32>, Error> {
    let engine = rx.engine();
    let starts: Vec<(u32, u32)> = sources.iter().map(|&s| (s, 0)).collect();
    let sources = Sources::new(rx, &starts)?;
    let mut level = rx.attribute()?;
    engine.launch_flat(
        rx.linear_len(Kind::Vertex),
        LevelClear {
            level: level.global_mut()?,
        },
    )?;
    sources.mark(engine, level.global_mut()?)?;
    let mut other: Attribute<Vertex, u32> = rx.attribute()?;
    other.copy_from(&level)?;
    let mut changed = engine.zeroed::<u32>(LEVEL_BATCH as usize)?;
    loop {
        changed.clear()?;
        for round in 0..LEVEL_BATCH {
            rx.launch(LevelRound {
                old: level.global()?,
                new: other.global_mut()?,
                changed: changed.global_mut(),
                round,
            })?;
            std::mem::swap(&mut level, &mut other);
        }
        if changed.read()?.contains(&0) {
            return Ok(level);
        }
    }
}

/// Sources on the engine, each vertex once.
struct Sources {
    /// Linear ids.
    linear: Buffer<u32>,
    /// Levels, or distances as bits, in that order.
    starts: Buffer<u32>,
}

impl Sources {
    /// Uploads vertices, in the input's order, with their values: the least one of each vertex counts.
    fn new(rx: &RxMesh, starts: &[(u32, u32)]) -> Result<Sources, Error> {
        let n = rx.count(Kind::Vertex);
        if starts.is_empty() {
            return Err(Error::Options(
                "there is no source, but there must be at least one".into(),
            ));
        }
        if let Some((bad, _)) = starts.iter().find(|(s, _)| *s >= n) {
            return Err(Error::Options(format!(
                "source {bad} is no vertex: there are {n}, counted from 0"
            )));
        }
        let vertex_linear = rx.input_to_linear(Kind::Vertex)?.unwrap_or_default();
        let mut linear: Vec<(u32, u32)> = starts
            .iter()
            .map(|&(s, start)| (vertex_linear[s as usize], start))
            .collect();
        linear.sort_unstable();
        linear.dedup_by_key(|(linear, _)| *linear);
        let (linear, starts): (Vec<u32>, Vec<u32>) = linear.into_iter().unzip();
        Ok(Sources {
            linear: rx.engine().upload(&linear)?,
            starts: rx.engine().upload(&starts)?,
        })
    }

    /// Sets the values of the sources.
    fn mark(&self, engine: &Engine, values: GlobalMut<u32>) -> Result<(), Error> {
        Ok(engine.launch_flat(
            self.linear.len() as u32,
            GeodesicSources {
                sources: self.linear.global(),
                starts: self.starts.global(),
                values,
            },
        )?)
    }
}
