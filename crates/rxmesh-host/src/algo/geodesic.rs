//! Geodesic distances from one or several sources.

use super::Options;
use super::measure::{positive, unit_scale};
use super::reduce::{combine, combine_all};
use crate::Error;
use crate::engine::Buffer;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::geodesic::{
    GeodesicAdvance, GeodesicClear, GeodesicFinish, GeodesicSources, GeodesicUpdate, LevelRanges,
    LevelRound, NO_LEVEL, WINDOW_WORDS, Window,
};
use rxmesh_kernels::algo::reduce::Reduction;
use rxmesh_kernels::topo::{Kind, Vertex};

/// How to propagate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct GeodesicOptions {
    /// A vertex is settled when its distance changes by no more than this part of itself in an iteration.
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART", default_value_t = Self::default().threshold))]
    pub threshold: f64,
    /// Most iterations [default: 10 times the number of level sets, several times what is usually needed].
    #[cfg_attr(feature = "cli", arg(long = "max-iter", value_name = "N"))]
    pub max_iterations: Option<u32>,
}

impl Options for GeodesicOptions {
    fn check(&self) -> Result<(), Error> {
        positive("the threshold", self.threshold)
    }
}

impl Default for GeodesicOptions {
    fn default() -> Self {
        GeodesicOptions {
            threshold: 1e-3,
            max_iterations: None,
        }
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GeodesicReport {
    /// Number of level sets, the sources' own included.
    pub levels: u32,
    /// Iterations of the propagation.
    pub iterations: u32,
    /// Whether all vertices settled.
    pub converged: bool,
    /// Largest finite distance, in the mesh's unit of length.
    pub max_distance: f64,
    /// Vertices that a source reaches, the sources included.
    pub reached: u32,
}

/// Rounds of the level search that are launched between two looks at their flags.
const LEVEL_BATCH: u32 = 8;

/// Iterations that are launched between two looks at the window.
const LOOK_EVERY: u32 = 32;

/// The distance along the surface of every vertex from the nearest source, in the mesh's unit of length; infinity where
/// no source reaches. `sources` are vertices in the input's order.
///
/// The distance is approximate: plane waves across each triangle as in fast marching, about one percent off on good
/// meshes (Romero Calla, Fuentes Perez, Montenegro 2019). Faces without area carry distances along their sides.
///
/// # Errors
///
/// [`Error::Options`] for no source, a source that is no vertex, or a threshold that is not a positive number;
/// [`Error::NotFinite`] for a coordinate that is not finite; or what the engine says.
pub fn geodesic(
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
    sources: &[u32],
    options: &GeodesicOptions,
) -> Result<(Attribute<Vertex, f32>, GeodesicReport), Error> {
    options.check()?;
    let sources = linear_sources(rx, sources)?;
    let scale = unit_scale(rx, x)?;
    let mut p = Propagation::new(rx, &sources)?;
    p.find_levels()?;
    let (levels, reached) = p.find_ranges()?;
    let limit = options.max_iterations.unwrap_or(levels.saturating_mul(10));
    let (iterations, converged) = p.propagate(x, scale, options.threshold, levels, limit)?;
    let (distance, max_distance) = p.finish(iterations, scale)?;
    Ok((
        distance,
        GeodesicReport {
            levels,
            iterations,
            converged,
            max_distance,
            reached,
        },
    ))
}

/// Topological level sets: each vertex's number of edges from the nearest source, `u32::MAX` where none reaches.
/// `sources` are vertices in the input's order.
///
/// # Errors
///
/// As [`geodesic`].
pub fn level_sets(rx: &RxMesh, sources: &[u32]) -> Result<Attribute<Vertex, u32>, Error> {
    let mut p = Propagation::new(rx, &linear_sources(rx, sources)?)?;
    p.find_levels()?;
    Ok(p.level)
}

/// The sources' linear ids, each once.
fn linear_sources(rx: &RxMesh, sources: &[u32]) -> Result<Vec<u32>, Error> {
    let n = rx.count(Kind::Vertex);
    if sources.is_empty() {
        return Err(Error::Options(
            "there is no source, but there must be at least one".into(),
        ));
    }
    if let Some(bad) = sources.iter().find(|&&s| s >= n) {
        return Err(Error::Options(format!(
            "source {bad} is no vertex: there are {n}, counted from 0"
        )));
    }
    let vertex_linear = &rx.patch_set()?.vertex_linear;
    let mut linear: Vec<u32> = sources.iter().map(|&s| vertex_linear[s as usize]).collect();
    linear.sort_unstable();
    linear.dedup();
    Ok(linear)
}

/// Levels and distances while they are computed.
struct Propagation<'a> {
    rx: &'a RxMesh,
    level: Attribute<Vertex, u32>,
    /// The distances of even and odd iterations.
    distance: [Attribute<Vertex, f32>; 2],
    ranges: Buffer<u32>,
    /// The last iteration, even or odd, in which each vertex moved. Before the first all count as moved.
    moved: [Buffer<u32>; 2],
    /// The last iteration that updated each patch.
    updated: Buffer<u32>,
}

impl<'a> Propagation<'a> {
    fn new(rx: &'a RxMesh, sources: &[u32]) -> Result<Self, Error> {
        let engine = rx.engine();
        let mut level = rx.attribute()?;
        let mut distance = [rx.attribute()?, rx.attribute()?];
        let [even, odd] = &mut distance;
        engine.launch_flat(
            rx.linear_len(Kind::Vertex),
            GeodesicClear {
                level: level.global_mut()?,
                distance: even.global_mut()?,
                other: odd.global_mut()?,
            },
        )?;
        let ids = engine.upload(sources)?;
        engine.launch_flat(
            sources.len() as u32,
            GeodesicSources {
                sources: ids.global(),
                level: level.global_mut()?,
                distance: even.global_mut()?,
                other: odd.global_mut()?,
            },
        )?;
        engine.synchronize()?;
        let (n, patches) = (rx.linear_len(Kind::Vertex) as usize, rx.headers().len());
        Ok(Propagation {
            rx,
            level,
            distance,
            ranges: engine.zeroed(2 * patches)?,
            moved: [engine.zeroed(n)?, engine.zeroed(n)?],
            updated: engine.zeroed(patches)?,
        })
    }

    fn find_levels(&mut self) -> Result<(), Error> {
        let mut other: Attribute<Vertex, u32> = self.rx.attribute()?;
        other.copy_from(&self.level)?;
        let mut changed = self.rx.engine().zeroed::<u32>(LEVEL_BATCH as usize)?;
        loop {
            changed.clear()?;
            for round in 0..LEVEL_BATCH {
                let (old, new) = (self.level.global()?, other.global_mut()?);
                self.rx.run(LevelRound {
                    old,
                    new,
                    changed: changed.global_mut(),
                    round,
                })?;
                std::mem::swap(&mut self.level, &mut other);
            }
            if changed.read()?.contains(&0) {
                return Ok(());
            }
        }
    }

    /// The patches' level ranges; the number of levels and of reached vertices.
    fn find_ranges(&mut self) -> Result<(u32, u32), Error> {
        let (rx, engine) = (self.rx, self.rx.engine());
        let patches = rx.headers().len();
        let (highest, reached) = (
            engine.zeroed::<f64>(patches)?,
            engine.zeroed::<f64>(patches)?,
        );
        rx.run(LevelRanges {
            level: self.level.global()?,
            ranges: self.ranges.global_mut(),
            highest: highest.global_mut(),
            reached: reached.global_mut(),
        })?;
        let parts = [(&highest, Reduction::Max), (&reached, Reduction::Sum)];
        let [highest, reached] = combine_all(engine, parts)?;
        Ok((highest.max(0.0) as u32 + 1, reached as u32))
    }

    /// Propagates until nothing moves; the number of iterations, and whether they were enough.
    fn propagate(
        &mut self,
        x: &Attribute<Vertex, Vec3>,
        scale: f64,
        threshold: f64,
        levels: u32,
        limit: u32,
    ) -> Result<(u32, bool), Error> {
        let engine = self.rx.engine();
        let mut start = [0; WINDOW_WORDS];
        start[Window::First as usize] = 1;
        start[Window::End as usize] = levels.min(2);
        start[Window::Levels as usize] = levels;
        start[Window::Moving as usize] = NO_LEVEL;
        start[Window::Limit as usize] = limit;
        start[Window::Done as usize] = u32::from(levels < 2 || limit == 0);
        let window = engine.upload(&start)?;
        let mut state = start;
        while state[Window::Done as usize] == 0 {
            for _ in 0..LOOK_EVERY / 2 {
                for even in [true, false] {
                    self.iterate(x, &window, even, scale as f32, threshold as f32)?;
                }
            }
            window.read_into(&mut state)?;
        }
        // The window begins behind the last level when nothing moved in the last iteration.
        let settled = levels < 2 || state[Window::First as usize] >= levels;
        Ok((state[Window::Iterations as usize], settled))
    }

    /// One iteration: two launches, no waiting.
    fn iterate(
        &mut self,
        x: &Attribute<Vertex, Vec3>,
        window: &Buffer<u32>,
        even: bool,
        scale: f32,
        threshold: f32,
    ) -> Result<(), Error> {
        let [a, b] = &mut self.distance;
        let (old, new) = if even { (a, b) } else { (b, a) };
        let [m, n] = &self.moved;
        let (moved, moves) = if even { (m, n) } else { (n, m) };
        self.rx.run(GeodesicUpdate {
            x: x.staged()?,
            old: old.staged()?,
            new: new.global_mut()?,
            moved: moved.global(),
            moves: moves.global_mut(),
            updated: self.updated.global_mut(),
            level: self.level.global()?,
            ranges: self.ranges.global(),
            window: window.global_mut(),
            scale,
            threshold,
        })?;
        Ok(self.rx.engine().launch_blocks(
            1,
            GeodesicAdvance {
                window: window.global_mut(),
            },
        )?)
    }

    /// The distances in the mesh's unit, and the largest finite one.
    fn finish(self, iterations: u32, scale: f64) -> Result<(Attribute<Vertex, f32>, f64), Error> {
        let engine = self.rx.engine();
        let [even, odd] = self.distance;
        let (distance, mut out) = if iterations.is_multiple_of(2) {
            (even, odd)
        } else {
            (odd, even)
        };
        let farthest = engine.zeroed::<f64>(self.rx.headers().len())?;
        self.rx.run(GeodesicFinish {
            distance: distance.global()?,
            out: out.global_mut()?,
            farthest: farthest.global_mut(),
            unit: (1.0 / scale) as f32,
        })?;
        let max = combine(engine, &farthest, Reduction::Max)?;
        Ok((out, max))
    }
}
