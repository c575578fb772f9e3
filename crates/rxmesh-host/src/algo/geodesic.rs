//! Geodesic distances from one or several sources.

use super::Options;
use super::measure::{positive, unit_scale};
use super::reduce::combine_all;
use crate::Error;
use crate::edit::fill;
use crate::engine::Buffer;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::geodesic::{
    FAR, GeodesicFinish, GeodesicRound, GeodesicSources, GeodesicStart, LevelClear, LevelRound,
    READERS_ROW,
};
use rxmesh_kernels::algo::reduce::Reduction;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Kind, Vertex};

/// How to propagate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct GeodesicOptions {
    /// A distance that falls by less than this part of the edges around is not passed on: about the part by which
    /// distances may be longer than the scheme's.
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART", default_value_t = Self::default().threshold))]
    pub threshold: f64,
    /// Most rounds over the patches [default: twice the number of vertices, many times what is usually needed].
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
    /// Rounds of the propagation, the one that found nothing to do included.
    pub iterations: u32,
    /// Whether all vertices settled.
    pub converged: bool,
    /// Largest finite distance, in the mesh's unit of length.
    pub max_distance: f64,
    /// Vertices that a source reaches, the sources included; those reached so far if it did not converge.
    pub reached: u32,
}

/// How many edges a distance may be longer than the shortest one, to be passed on, and the most steps of a patch in a
/// round. All engines of the CPU have the same, since distances depend on them in their last digits.
const REACH_AND_STEPS: (f32, u32) = (16.0, 8);

/// The same on a GPU: with more steps the other patches wait for one longer than for another launch, and too short a
/// reach leaves most of them nothing to do.
const REACH_AND_STEPS_OF_A_GPU: (f32, u32) = (32.0, 4);

/// Rounds of the level search that are launched between two looks at their flags.
const LEVEL_BATCH: u32 = 8;

/// Rounds of the propagation that are launched before the first look; twice as many before each further one.
const FIRST_LOOK: u32 = 8;

/// The most of them.
const LOOK_EVERY: u32 = 32;

/// Rounds that there is room for at first.
const ROOM: usize = 64;

/// Words that count the patches of a round.
const COUNT_WORDS: u32 = 2;

/// Larger thresholds mean the same, and could not be multiplied by a length.
const LARGEST_THRESHOLD: f64 = 1e9;

/// The least that the default limit of rounds is.
const MOST_AT_LEAST: u32 = 100;

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
    let sources = rx.engine().upload(&linear_sources(rx, sources)?)?;
    let scale = unit_scale(rx, x)?;
    let mut p = Propagation::new(rx, x, scale, options.threshold)?;
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

/// Topological level sets: each vertex's number of edges from the nearest source, `u32::MAX` where none reaches.
/// `sources` are vertices in the input's order.
///
/// # Errors
///
/// As [`geodesic`].
pub fn level_sets(rx: &RxMesh, sources: &[u32]) -> Result<Attribute<Vertex, u32>, Error> {
    let engine = rx.engine();
    let sources = engine.upload(&linear_sources(rx, sources)?)?;
    let mut level = rx.attribute()?;
    engine.launch_flat(
        rx.linear_len(Kind::Vertex),
        LevelClear {
            level: level.global_mut()?,
        },
    )?;
    mark(rx, &sources, level.global_mut()?)?;
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

/// Sets the values of the sources, levels or distances as bits, to zero.
fn mark(rx: &RxMesh, sources: &Buffer<u32>, values: GlobalMut<u32>) -> Result<(), Error> {
    Ok(rx.engine().launch_flat(
        sources.len() as u32,
        GeodesicSources {
            sources: sources.global(),
            values,
        },
    )?)
}

/// Distances while they are computed, in the mesh's unit times the scale.
struct Propagation<'a> {
    rx: &'a RxMesh,
    x: &'a Attribute<Vertex, Vec3>,
    scale: f64,
    threshold: f64,
    best: Attribute<Vertex, f32>,
    /// What was passed on up to even and odd rounds.
    told: [Attribute<Vertex, f32>; 2],
    /// The last round, even or odd, in which each vertex passed its distance on.
    moved: [Buffer<u32>; 2],
    /// [`GeodesicRound::waiting`].
    waiting: Buffer<u32>,
    /// [`GeodesicRound::visited`].
    visited: Buffer<u32>,
    /// [`GeodesicRound::near`].
    near: Buffer<u32>,
    /// [`GeodesicRound::readers`].
    readers: Buffer<u32>,
    /// [`GeodesicRound::entered`].
    entered: Buffer<u32>,
    /// The patches of even and odd rounds.
    lists: [Buffer<u32>; 2],
    /// For each round two words, of which the second says how many these are.
    counts: Buffer<u32>,
    /// [`GeodesicStart::edge`].
    edge: Buffer<f32>,
}

impl<'a> Propagation<'a> {
    fn new(
        rx: &'a RxMesh,
        x: &'a Attribute<Vertex, Vec3>,
        scale: f64,
        threshold: f64,
    ) -> Result<Self, Error> {
        let engine = rx.engine();
        let (n, patches) = (rx.linear_len(Kind::Vertex) as usize, rx.headers().len());
        let mut near = vec![FAR; ROOM];
        near[0] = 0;
        let mut counts = vec![0; COUNT_WORDS as usize * ROOM];
        counts[COUNT_WORDS as usize + 1] = patches as u32;
        Ok(Propagation {
            rx,
            x,
            scale,
            threshold,
            best: rx.attribute()?,
            told: [rx.attribute()?, rx.attribute()?],
            moved: [engine.zeroed(n)?, engine.zeroed(n)?],
            waiting: engine.zeroed(patches)?,
            visited: engine.zeroed(patches)?,
            near: engine.upload(&near)?,
            readers: engine.zeroed(patches * READERS_ROW as usize)?,
            entered: engine.zeroed(patches)?,
            lists: [engine.uninit(patches)?, engine.uninit(patches)?],
            counts: engine.upload(&counts)?,
            edge: engine.zeroed(patches)?,
        })
    }

    /// Propagates until nothing moves; the number of rounds, and whether they were enough.
    fn run(&mut self, sources: &Buffer<u32>, limit: u32) -> Result<(u32, bool), Error> {
        let [told, other] = &mut self.told;
        self.rx.launch(GeodesicStart {
            x: self.x.staged()?,
            best: self.best.global_mut()?,
            told: told.global_mut()?,
            other: other.global_mut()?,
            edge: self.edge.global_mut(),
            waiting: self.waiting.global_mut(),
            readers: self.readers.global_mut(),
            entered: self.entered.global_mut(),
            list: self.lists[1].global_mut(),
            scale: self.scale as f32,
        })?;
        mark(self.rx, sources, self.best.global_mut()?.cast())?;
        let (mut done, mut batch) = (0, FIRST_LOOK);
        while done < limit {
            let end = done + batch.min(limit - done);
            self.make_room(end as usize + 2)?;
            for round in done + 1..=end {
                self.round(round)?;
            }
            let near = self
                .near
                .read_range(done as usize + 1, (end - done) as usize)?;
            if let Some(after) = near.iter().position(|&near| near == FAR) {
                return Ok((done + 1 + after as u32, true));
            }
            done = end;
            batch = LOOK_EVERY.min(2 * batch);
        }
        Ok((done, false))
    }

    /// Has room for the numbers of so many rounds.
    fn make_room(&mut self, rounds: usize) -> Result<(), Error> {
        let had = self.near.len();
        if rounds > had {
            let n = rounds.max(2 * had);
            (self.near, self.counts) = (
                self.near.grown(n)?,
                self.counts.grown(COUNT_WORDS as usize * n)?,
            );
            let more = self.near.global_mut().from(had as u32);
            fill(self.rx.engine(), more, FAR)?;
        }
        Ok(())
    }

    /// Launches one round, and does not wait.
    fn round(&mut self, round: u32) -> Result<(), Error> {
        let (reach, steps) = if self.rx.engine().is_cuda() {
            REACH_AND_STEPS_OF_A_GPU
        } else {
            REACH_AND_STEPS
        };
        let ([a, b], [m, n]) = (&mut self.told, &self.moved);
        let even = round.is_multiple_of(2);
        let (old, new) = if even { (b, a) } else { (a, b) };
        let (moved, moves) = if even { (n, m) } else { (m, n) };
        let [even_list, odd_list] = &self.lists;
        let (list, next) = if even {
            (even_list, odd_list)
        } else {
            (odd_list, even_list)
        };
        let count_of = |round: u32| COUNT_WORDS * round;
        let count = self.counts.global().part(count_of(round), COUNT_WORDS);
        let kernel = GeodesicRound {
            x: self.x.staged()?,
            best: self.best.global_mut()?,
            old: old.global()?,
            new: new.global_mut()?,
            moved: moved.global(),
            moves: moves.global_mut(),
            waiting: self.waiting.global_mut(),
            visited: self.visited.global_mut(),
            readers: self.readers.global(),
            entered: self.entered.global_mut(),
            next: next.global_mut(),
            next_count: (self.counts.global_mut()).part(count_of(round + 1), COUNT_WORDS),
            near: self.near.global_mut(),
            edge: self.edge.global(),
            round,
            scale: self.scale as f32,
            threshold: self.threshold.min(LARGEST_THRESHOLD) as f32,
            reach,
            steps,
        };
        Ok(self.rx.run_listed(list.global(), count, kernel)?)
    }

    /// The distances in the mesh's unit, the largest finite one, and how many are finite.
    fn finish(mut self) -> Result<(Attribute<Vertex, f32>, f64, u32), Error> {
        let engine = self.rx.engine();
        let patches = self.rx.headers().len() as u32;
        let partials = engine.uninit::<f64>(2 * patches as usize)?;
        let of = |k: u32| partials.global_mut().part(k * patches, patches);
        self.rx.launch(GeodesicFinish {
            distance: self.best.global_mut()?,
            farthest: of(0),
            reached: of(1),
            unit: (1.0 / self.scale) as f32,
        })?;
        let reductions = [Reduction::Max, Reduction::Sum];
        let [farthest, reached] = combine_all(engine, &partials, reductions)?;
        Ok((self.best, farthest, reached as u32))
    }
}
