//! Bilateral mesh denoising.

use super::Options;
use super::mcf::mean_edge_length;
use super::measure::{positive, resize, unit_scale};
use super::normals::vertex_normals_unscaled;
use crate::Error;
use crate::engine::Buffer;
use crate::store::{Attribute, Rows, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::filter::{BALLS, BallArgs, FilterBalls, FilterLarge, Size, large_words};
use rxmesh_kernels::query::VV;
use rxmesh_kernels::topo::{Kind, Vertex};
use std::fmt;
use std::str::FromStr;

/// The closeness parameter sigma_c, a length. The ball around a vertex has twice this radius.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Closeness {
    /// For each vertex the mean length of its edges.
    #[default]
    MeanEdge,
    /// For each vertex the length of its shortest edge, as RXMesh 2021, section 8.3.
    ShortestEdge,
    /// For all vertices the mean length of all edges, measured once before the first iteration.
    MeshMeanEdge,
    /// The same given length for all, in the mesh's unit. Time grows with the square of it.
    Given(f64),
}

/// The rules by which lengths are found, under their names.
const RULES: [(&str, Closeness); 3] = [
    ("mean-edge", Closeness::MeanEdge),
    ("shortest-edge", Closeness::ShortestEdge),
    ("mesh-mean-edge", Closeness::MeshMeanEdge),
];

/// The rule's name, or the length.
impl fmt::Display for Closeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, RULES.iter().find(|(_, rule)| rule == self)) {
            (Closeness::Given(length), _) => length.fmt(f),
            (_, rule) => f.write_str(rule.map_or("", |(name, _)| name)),
        }
    }
}

/// A rule's name, or a length.
impl FromStr for Closeness {
    type Err = String;

    fn from_str(text: &str) -> Result<Closeness, String> {
        if let Some((_, rule)) = RULES.iter().find(|(name, _)| *name == text) {
            return Ok(*rule);
        }
        text.parse().map(Closeness::Given).map_err(|_| {
            let [a, b, c] = RULES.map(|(name, _)| name);
            format!("it is neither a number nor {a}, {b} or {c}")
        })
    }
}

/// A length as a number, a rule as its name.
#[cfg(feature = "serde")]
impl serde::Serialize for Closeness {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Closeness::Given(length) => to.serialize_f64(*length),
            rule => to.collect_str(rule),
        }
    }
}

/// How to denoise.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct FilterOptions {
    /// Iterations.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().iterations))]
    pub iterations: u32,
    /// How far neighbours count, a length in the mesh's unit, or one of mean-edge (each vertex's), shortest-edge (each
    /// vertex's), mesh-mean-edge (one for all); the ball around a vertex has twice this radius.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "LENGTH|RULE", default_value_t)
    )]
    pub sigma_c: Closeness,
    /// Steps across the surface much higher than this are kept, a length in the mesh's unit [default: the standard
    /// deviation of the heights in each vertex's ball].
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH"))]
    pub sigma_s: Option<f64>,
}

impl Default for FilterOptions {
    fn default() -> Self {
        FilterOptions {
            iterations: 5,
            sigma_c: Closeness::default(),
            sigma_s: None,
        }
    }
}

impl Options for FilterOptions {
    fn check(&self) -> Result<(), Error> {
        if let Closeness::Given(sigma_c) = self.sigma_c {
            positive("sigma_c", sigma_c)?;
        }
        match self.sigma_s {
            Some(sigma_s) => positive("sigma_s", sigma_s),
            None => Ok(()),
        }
    }

    fn scale(&mut self, factor: f64) {
        if let Closeness::Given(sigma_c) = &mut self.sigma_c {
            *sigma_c *= factor;
        }
        self.sigma_s = self.sigma_s.map(|sigma_s| sigma_s * factor);
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FilterReport {
    /// Iterations done.
    pub iterations: u32,
    /// Balls over all iterations that were too large for shared memory and went the slower way. Results do not depend
    /// on it.
    pub large_balls: u64,
}

/// Words of scratch memory that large balls may take at a time, unless a single one needs more.
const SCRATCH_WORDS: u32 = 1 << 24;

/// Room of the first lists in global memory; those that do not fit get eight times as much, and so on.
const FIRST_ROOM: u32 = 256;

/// Denoises `x` in place, keeping features (Fleishman, Drori, Cohen-Or 2003, section 3): each vertex moves along its
/// normal by the mean height of its neighbours over its tangent plane, weighted by closeness and by similarity of
/// height.
///
/// Neighbours are the vertices within `2 sigma_c` that are reached over edges inside this ball, the vertex itself among
/// them. Vertices without a face of positive area stay. Normals are those of
/// [`vertex_normals_unscaled`], computed anew in each iteration.
///
/// # Errors
///
/// [`Error::Options`] for a sigma that is not a positive number, [`Error::NotFinite`] for a coordinate that is not
/// finite, or what the engine says. On an error of the engine `x` may hold an unfinished result.
pub fn bilateral_filter(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    options: &FilterOptions,
) -> Result<FilterReport, Error> {
    options.check()?;
    let mut report = FilterReport {
        iterations: 0,
        large_balls: 0,
    };
    if rx.count(Kind::Face) == 0 || options.iterations == 0 {
        return Ok(report);
    }
    // Powers of two change no digit, and near one neither normals nor weights leave `f32`.
    let scale = unit_scale(rx, x)?;
    resize(rx, x, scale)?;
    let mut filter = Filter::new(rx, x, options, scale)?;
    for _ in 0..options.iterations {
        report.large_balls += u64::from(filter.iterate(x)?);
        report.iterations += 1;
    }
    resize(rx, x, 1.0 / scale)?;
    Ok(report)
}

/// What the iterations share.
struct Filter<'a> {
    rx: &'a RxMesh,
    ones: Rows<VV>,
    normal: Attribute<Vertex, Vec3>,
    y: Attribute<Vertex, Vec3>,
    /// The number of large balls, then which.
    large: Buffer<u32>,
    size: Size,
    sigma_c: f32,
    sigma_s: f32,
}

impl<'a> Filter<'a> {
    /// For `x` in a unit of length of which `scale` are one of the options'.
    fn new(
        rx: &'a RxMesh,
        x: &Attribute<Vertex, Vec3>,
        options: &FilterOptions,
        scale: f64,
    ) -> Result<Self, Error> {
        let (size, sigma_c) = match options.sigma_c {
            Closeness::MeanEdge => (Size::MeanEdge, 0.0),
            Closeness::ShortestEdge => (Size::ShortestEdge, 0.0),
            Closeness::MeshMeanEdge => (Size::Given, mean_edge_length(rx, x)?),
            Closeness::Given(sigma_c) => (Size::Given, sigma_c * scale),
        };
        Ok(Filter {
            rx,
            ones: rx.query::<VV>()?,
            normal: rx.attribute()?,
            y: rx.attribute()?,
            large: rx
                .engine()
                .zeroed(1 + rx.linear_len(Kind::Vertex) as usize)?,
            size,
            sigma_c: sigma_c.clamp(0.0, f64::from(f32::MAX).sqrt() / 4.0) as f32,
            sigma_s: options
                .sigma_s
                .map_or(0.0, |s| (s * scale).clamp(1e-18, 1e18) as f32),
        })
    }

    /// One iteration; the number of large balls.
    fn iterate(&mut self, x: &mut Attribute<Vertex, Vec3>) -> Result<u32, Error> {
        let (rx, n) = (self.rx, self.rx.linear_len(Kind::Vertex));
        vertex_normals_unscaled(rx, x, &mut self.normal)?;
        let args = BallArgs {
            starts: self.ones.starts().global(),
            ring: self.ones.values().global(),
            x: x.global()?,
            normal: self.normal.global()?,
            y: self.y.global_mut()?,
            size: self.size as u32,
            sigma_c: self.sigma_c,
            sigma_s: self.sigma_s,
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
