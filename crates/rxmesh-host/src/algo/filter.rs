//! Denoising that keeps features: by normals of faces, or by offsets of vertices.

mod noise;
mod normals;
mod sigma;
mod vertices;

pub use sigma::{Closeness, Similarity};

use super::Options;
use super::mcf::mean_edge_length;
use super::measure::{not_negative, positive, resize, unit_scale};
use crate::Error;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::topo::{Kind, Vertex};

/// What is filtered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum FilterScheme {
    /// Normals of faces, which vertices then follow (Zheng, Fu, Au, Tai 2011).
    #[default]
    Normals,
    /// Heights of vertices over each other's tangent planes (Fleishman, Drori, Cohen-Or 2003).
    Vertices,
}

/// How to denoise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct FilterOptions {
    /// What is filtered: normals of faces, which vertices then follow, or heights of vertices [default: normals, and
    /// vertices where --sigma-c or --sigma-s is given].
    #[cfg_attr(feature = "cli", arg(long, value_name = "SCHEME", value_enum))]
    pub scheme: Option<FilterScheme>,
    /// Most iterations; those of normals end when as much as the noise is gone [default: 20 of normals, 5 of
    /// vertices].
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub iterations: Option<u32>,
    /// Standard deviation of the noise across the surface, a length in the mesh's unit [default: estimated].
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH"))]
    pub noise: Option<f64>,
    /// Of vertices: how far neighbours count, a length in the mesh's unit, or one of mean-edge (each vertex's),
    /// shortest-edge (each vertex's), mesh-mean-edge (one for all); the ball around a vertex has twice this radius
    /// [default: mean-edge].
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH|RULE"))]
    pub sigma_c: Option<Closeness>,
    /// Of vertices: steps across the surface much higher than this are kept, a length in the mesh's unit, or one of
    /// noise (that of the whole mesh), ball (the standard deviation of the heights in each vertex's ball) [default:
    /// noise].
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH|RULE"))]
    pub sigma_s: Option<Similarity>,
}

impl FilterOptions {
    /// The scheme, given or not.
    pub fn scheme(&self) -> FilterScheme {
        let of_vertices = self.sigma_c.is_some() || self.sigma_s.is_some();
        self.scheme.unwrap_or(match of_vertices {
            true => FilterScheme::Vertices,
            false => FilterScheme::Normals,
        })
    }

    /// About how many neighbours a given `sigma_c` makes vertices look at, over all iterations: balls of that size on
    /// a flat mesh of equilateral triangles. 0 for the rules, whose balls have a few tens of vertices.
    pub fn neighbours(&self, vertices: u32, mean_edge: f64) -> f64 {
        let (n, area) = (f64::from(vertices), 0.75f64.sqrt() * mean_edge * mean_edge);
        match self.sigma_c {
            Some(Closeness::Given(sigma_c)) if self.scheme() == FilterScheme::Vertices => {
                let ball = std::f64::consts::PI * (2.0 * sigma_c).powi(2) / area;
                n * ball.min(n) * f64::from(self.iterations())
            }
            _ => 0.0,
        }
    }

    /// Most iterations, given or not.
    pub fn iterations(&self) -> u32 {
        self.iterations.unwrap_or(match self.scheme() {
            FilterScheme::Normals => normals::ITERATIONS,
            FilterScheme::Vertices => vertices::ITERATIONS,
        })
    }
}

impl Options for FilterOptions {
    fn check(&self) -> Result<(), Error> {
        if let Some(Closeness::Given(sigma_c)) = self.sigma_c {
            positive("sigma_c", sigma_c)?;
        }
        if let Some(Similarity::Given(sigma_s)) = self.sigma_s {
            positive("sigma_s", sigma_s)?;
        }
        if self.scheme == Some(FilterScheme::Normals)
            && (self.sigma_c.is_some() || self.sigma_s.is_some())
        {
            return Err(Error::Options(
                "sigma_c and sigma_s belong to the scheme of vertices; that of normals takes the noise".into(),
            ));
        }
        match self.noise {
            Some(noise) => not_negative("the noise", noise),
            None => Ok(()),
        }
    }

    fn scale(&mut self, factor: f64) {
        self.noise = self.noise.map(|noise| noise * factor);
        if let Some(Closeness::Given(sigma_c)) = &mut self.sigma_c {
            *sigma_c *= factor;
        }
        if let Some(Similarity::Given(sigma_s)) = &mut self.sigma_s {
            *sigma_s *= factor;
        }
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FilterReport {
    /// What was filtered.
    pub scheme: FilterScheme,
    /// Iterations done.
    pub iterations: u32,
    /// Standard deviation of the noise across the surface, given or estimated, in the mesh's unit. 0 where the rule for
    /// sigma_s needs none.
    pub noise: f64,
    /// The same over the mean length of the edges.
    pub noise_over_edge: f64,
    /// Balls over all iterations that were too large for shared memory and went the slower way. Results do not depend
    /// on it. 0 for the scheme of normals.
    pub large_balls: u64,
}

/// Neighbours that vertices look at in a run, at most: about an hour of a processor with a few threads.
const MOST_NEIGHBOURS: f64 = 2e10;

/// Denoises `x` in place, keeping features.
///
/// By normals (Zheng, Fu, Au, Tai 2011; Sun, Rosin, Martin, Langbein 2007): normals of faces are filtered with weights
/// of area, closeness and similarity, then vertices move to the planes that the normals ask for, over and over. What
/// counts as similar comes from the noise, which is estimated unless given. It ends when the vertices have moved about
/// as far as the noise, and no place moves farther: a mesh without noise hardly changes.
///
/// By vertices (Fleishman, Drori, Cohen-Or 2003, section 3): each vertex moves along its normal by the mean height of
/// its neighbours over its tangent plane, weighted by closeness and by similarity of height. Neighbours are the
/// vertices within `2 sigma_c` that are reached over edges inside this ball, the vertex itself among them. Vertices
/// without a face of positive area stay. Normals are those of
/// [`vertex_normals_unscaled`](super::normals::vertex_normals_unscaled), computed anew in each iteration.
///
/// # Errors
///
/// [`Error::Options`] for a length that is not a positive number, belongs to the other scheme or asks for work that
/// would not end, [`Error::NotFinite`]
/// for a coordinate that is not finite, or what the engine says. On an error of the engine `x` may hold an unfinished
/// result.
pub fn bilateral_filter(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    options: &FilterOptions,
) -> Result<FilterReport, Error> {
    options.check()?;
    let mut report = FilterReport {
        scheme: options.scheme(),
        iterations: 0,
        noise: options.noise.unwrap_or(0.0),
        noise_over_edge: 0.0,
        large_balls: 0,
    };
    if rx.count(Kind::Face) == 0 || options.iterations() == 0 {
        return Ok(report);
    }
    // Powers of two change no digit, and near one neither normals nor weights leave `f32`.
    let scale = unit_scale(rx, x)?;
    resize(rx, x, scale)?;
    let edge = mean_edge_length(rx, x)?;
    let neighbours = options.neighbours(rx.count(Kind::Vertex), edge / scale);
    if neighbours > MOST_NEIGHBOURS {
        resize(rx, x, 1.0 / scale)?;
        return Err(Error::Options(format!(
            "sigma_c is so large that vertices look at about {neighbours:.1e} neighbours, but at most \
            {MOST_NEIGHBOURS:.0e} are looked at: each vertex takes in those within twice sigma_c, in each iteration"
        )));
    }
    let noise = match options.noise {
        Some(noise) => noise * scale,
        None if options.sigma_s.is_some_and(|s| s != Similarity::Noise) => 0.0,
        None => noise::estimate(rx, x)?,
    };
    report.noise = noise / scale;
    report.noise_over_edge = if edge > 0.0 { noise / edge } else { 0.0 };
    match report.scheme {
        FilterScheme::Normals => {
            report.iterations = normals::filter(rx, x, [noise, edge], options.iterations())?;
        }
        FilterScheme::Vertices => {
            let mut filter = vertices::Filter::new(rx, options, [noise, edge], scale)?;
            for _ in 0..options.iterations() {
                report.large_balls += u64::from(filter.iterate(x)?);
                report.iterations += 1;
            }
        }
    }
    resize(rx, x, 1.0 / scale)?;
    Ok(report)
}
