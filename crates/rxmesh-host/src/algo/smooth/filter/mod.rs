//! Denoising that keeps features: by normals of faces, or by offsets of vertices.

mod meshes;
mod noise;
mod normals;
mod sigma;
mod vertices;

pub use sigma::{Closeness, Similarity};

use crate::Error;
use crate::algo::{Options, check_each};
use crate::options::{not_negative, positive};
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use meshes::FilteredMeshes;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Quantity that is filtered.
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

/// Options of denoising.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct FilterOptions {
    /// Quantity that is filtered: normals of faces, which vertices then follow, or heights of vertices [default:
    /// normals, and vertices where --sigma-c or --sigma-s is given].
    #[cfg_attr(feature = "cli", arg(long, value_name = "SCHEME", value_enum))]
    pub scheme: Option<FilterScheme>,
    /// Most iterations; those of normals end when the noise is gone [default: 20 of normals, 5 of vertices].
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub iterations: Option<u32>,
    /// Standard deviation of the noise across the surface, a length in the mesh's unit [default: estimated].
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH"))]
    pub noise: Option<f64>,
    /// Standard deviation of closeness, for vertices: a length in the mesh's unit, or one of mean-edge (each vertex's),
    /// shortest-edge (each vertex's), mesh-mean-edge (one for all); the ball around a vertex has twice this radius
    /// [default: mean-edge].
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH|RULE"))]
    pub sigma_c: Option<Closeness>,
    /// Standard deviation of similarity, for vertices: steps across the surface much higher than this are kept; a
    /// length in the mesh's unit, or one of noise (that of the whole mesh), ball (the standard deviation of the heights
    /// in each vertex's ball) [default: noise].
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH|RULE"))]
    pub sigma_s: Option<Similarity>,
}

units!(FilterOptions {
    noise: Length,
    sigma_c: Length,
    sigma_s: Length
});

changeable!(FilterOptions);

impl FilterOptions {
    /// Returns the scheme, given or not.
    pub fn scheme(&self) -> FilterScheme {
        let of_vertices = self.sigma_c.is_some() || self.sigma_s.is_some();
        self.scheme.unwrap_or(match of_vertices {
            true => FilterScheme::Vertices,
            false => FilterScheme::Normals,
        })
    }

    /// Estimates the number of neighbours that vertices read with a given `sigma_c`, over all iterations: balls of that
    /// size on a flat mesh of equilateral triangles. 0 for the rules, whose balls have a few tens of vertices.
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

    /// Returns the most iterations, given or not.
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
}

/// Results of denoising a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FilterReport {
    /// Quantity that was filtered.
    pub scheme: FilterScheme,
    /// Iterations done.
    pub iterations: u32,
    /// Standard deviation of the noise across the surface, given or estimated, in the mesh's unit. 0 if the rule for
    /// sigma_s needs none.
    pub noise: f64,
    /// The same over the mean length of the edges.
    pub noise_over_edge: f64,
    /// Balls over all iterations that were too large for shared memory and went the slower way. Results do not depend
    /// on it. 0 for the scheme of normals.
    pub large_balls: u64,
}

units!(FilterReport { noise: Length });

/// Most neighbours that vertices read in a run: about an hour of a processor with a few threads.
const MOST_NEIGHBOURS: f64 = 2e10;

/// Denoises `x` in place, keeping features.
///
/// By normals (Zheng, Fu, Au, Tai 2011; Sun, Rosin, Martin, Langbein 2007): normals of faces are filtered with weights
/// of area, closeness and similarity, then vertices move to the planes that the normals define, repeatedly. The
/// bound of similarity comes from the noise, which is estimated unless given. It ends when the vertices have moved
/// about as far as the noise, and no place moves farther: a mesh without noise hardly changes.
///
/// By vertices (Fleishman, Drori, Cohen-Or 2003, section 3): each vertex moves along its normal by the mean height of
/// its neighbours over its tangent plane, weighted by closeness and by similarity of height. Neighbours are the
/// vertices within `2 sigma_c` that are reached over edges inside this ball, the vertex itself among them. Vertices
/// without a face of positive area stay. Normals are those of
/// [`vertex_normals_unscaled`](crate::algo::normals::vertex_normals_unscaled), recomputed in each iteration.
///
/// # Errors
///
/// [`Error::Options`] for a length that is not a positive number, belongs to the other scheme or requires work that
/// would not end, [`Error::NotFinite`] for a coordinate that is not finite, or any error of the engine. On an error of
/// the engine `x` may hold an unfinished result.
pub fn bilateral_filter(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    options: &FilterOptions,
) -> Result<FilterReport, Error> {
    options.check()?;
    let done = run(
        rx,
        x,
        &FilteredMeshes::one(rx),
        std::slice::from_ref(options),
    )?;
    Ok(done.total)
}

/// Results of denoising several meshes.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterBatchReport {
    /// All of them together: the most iterations, the strongest noise, all large balls.
    pub total: FilterReport,
    /// Report of each mesh.
    pub meshes: Vec<FilterMesh>,
}

/// Results of denoising one of several meshes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FilterMesh {
    /// As [`FilterReport::iterations`].
    pub iterations: u32,
    /// As [`FilterReport::noise`].
    pub noise: f64,
    /// As [`FilterReport::noise_over_edge`].
    pub noise_over_edge: f64,
}

units!(FilterMesh { noise: Length });

/// Works like [`bilateral_filter`] for several meshes in one, each with separate options and its own noise: the result
/// of a mesh is the same as alone. `labels` gives the mesh of each vertex, from 0 on
/// ([`Batch::labels`](crate::batch::Batch::labels)). The scheme is the same for all meshes, and so is the rule for
/// `sigma_c`, where a given length and [`Closeness::MeshMeanEdge`] are one rule.
///
/// # Errors
///
/// As [`bilateral_filter`], with the number of the mesh where options are wrong; [`Error::Options`] for options that
/// differ where all meshes share them, and for a label without options.
pub fn bilateral_filter_batch(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    labels: &Attribute<Vertex, u32>,
    each: &[FilterOptions],
) -> Result<FilterBatchReport, Error> {
    let shared = |o: &FilterOptions| (o.scheme(), vertices::size(o));
    check_each(each, shared, "the scheme, and the rule for sigma_c")?;
    run(
        rx,
        x,
        &FilteredMeshes::several(rx, labels, each.len())?,
        each,
    )
}

/// Parameters of a mesh: lengths are in the unit in which its coordinates are near one.
#[derive(Clone, Copy)]
struct ScaledParameters {
    /// Mean length of the edges.
    edge: f64,
    noise: f64,
    /// Most iterations.
    iterations: u32,
    /// Scale from the options' unit to this one.
    scale: f64,
}

fn run(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    meshes: &FilteredMeshes,
    each: &[FilterOptions],
) -> Result<FilterBatchReport, Error> {
    let scheme = each.first().map(FilterOptions::scheme).unwrap_or_default();
    if rx.count(Kind::Face) == 0 || each.iter().all(|o| o.iterations() == 0) {
        let given = |o: &FilterOptions| FilterMesh {
            noise: o.noise.unwrap_or(0.0),
            ..FilterMesh::default()
        };
        return Ok(together(scheme, 0, each.iter().map(given).collect()));
    }
    // Powers of two change no digit, and near one neither normals nor weights leave `f32`.
    let scales = meshes.unit_scales(x)?;
    meshes.resize(x, scales.iter().copied())?;
    let done = filter(rx, x, meshes, each, &scales);
    meshes.resize(x, scales.iter().map(|scale| 1.0 / scale))?;
    let (members, iterations, large_balls) = done?;
    let mesh = |(m, iterations): (ScaledParameters, u32)| FilterMesh {
        iterations,
        noise: m.noise / m.scale,
        noise_over_edge: if m.edge > 0.0 { m.noise / m.edge } else { 0.0 },
    };
    let of = members.into_iter().zip(iterations).map(mesh).collect();
    Ok(together(scheme, large_balls, of))
}

/// Returns the report of all.
fn together(scheme: FilterScheme, large_balls: u64, meshes: Vec<FilterMesh>) -> FilterBatchReport {
    let most = |of: fn(&FilterMesh) -> f64| meshes.iter().map(of).fold(0.0, f64::max);
    let total = FilterReport {
        scheme,
        iterations: meshes.iter().map(|m| m.iterations).max().unwrap_or(0),
        noise: most(|m| m.noise),
        noise_over_edge: most(|m| m.noise_over_edge),
        large_balls,
    };
    FilterBatchReport { total, meshes }
}

/// Filters coordinates near one: the meshes, the iterations of each, and the number of large balls.
fn filter(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    meshes: &FilteredMeshes,
    each: &[FilterOptions],
    scales: &[f64],
) -> Result<(Vec<ScaledParameters>, Vec<u32>, u64), Error> {
    let edges = meshes.mean_edges(x)?;
    let of = each
        .iter()
        .zip(meshes.vertices())
        .zip(edges.iter().zip(scales));
    let neighbours: f64 = of
        .map(|((o, n), (edge, scale))| o.neighbours(n, edge / scale))
        .sum();
    if neighbours > MOST_NEIGHBOURS {
        return Err(Error::Options(format!(
            "sigma_c is too large: vertices have about {neighbours:.1e} neighbours, but at most \
            {MOST_NEIGHBOURS:.0e} are allowed: each vertex has those within twice sigma_c, in each iteration"
        )));
    }
    let unknown = |o: &FilterOptions| {
        o.noise.is_none() && o.sigma_s.is_none_or(|s| s == Similarity::Noise) && o.iterations() > 0
    };
    let estimated = match each.iter().any(unknown) {
        true => noise::estimate(rx, x, meshes)?,
        false => vec![0.0; each.len()],
    };
    let member = |(i, o): (usize, &FilterOptions)| ScaledParameters {
        edge: edges[i],
        noise: match o.noise {
            Some(noise) => noise * scales[i],
            None if unknown(o) => estimated[i],
            None => 0.0,
        },
        iterations: o.iterations(),
        scale: scales[i],
    };
    let members: Vec<ScaledParameters> = each.iter().enumerate().map(member).collect();
    if each.iter().all(|o| o.scheme() == FilterScheme::Normals) {
        let iterations = normals::filter(rx, x, meshes, &members)?;
        return Ok((members, iterations, 0));
    }
    let mut filter = vertices::Filter::new(rx, meshes, each, &members)?;
    let mut hold = meshes.hold(x)?;
    let (mut large_balls, mut n) = (0, 0);
    while members.iter().any(|m| m.iterations > n) {
        large_balls += u64::from(filter.iterate(x)?);
        hold.hold(x, |i| members[i].iterations <= n)?;
        n += 1;
    }
    let iterations = members.iter().map(|m| m.iterations).collect();
    Ok((members, iterations, large_balls))
}
