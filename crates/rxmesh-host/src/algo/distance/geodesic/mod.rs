//! Geodesic distances from one or several sources.

use crate::Error;
use crate::algo::Options;
use crate::algo::measure::frame::unit_scale;
use crate::edit::fill;
use crate::engine::{Buffer, Engine};
use crate::options::positive;
use crate::parallel::reduce::combine_all;
use crate::store::{Attribute, RxMesh};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rxmesh_kernels::algo::distance::geodesic::{
    FAR, GeodesicFinish, GeodesicRound, GeodesicSources, GeodesicStart, LevelClear, LevelRound,
    READERS_ROW, SOURCE_BITS,
};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::parallel::reduce::Reduction;
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
    /// Most rounds over the patches [default: twice the number of vertices, many times what is usually needed].
    #[cfg_attr(feature = "cli", arg(long = "max-iter", value_name = "N"))]
    pub max_iterations: Option<u32>,
}

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
pub struct GeodesicReport {
    /// Rounds of the propagation, the one that found nothing to do included.
    pub iterations: u32,
    /// `true` if all vertices settled.
    pub converged: bool,
    /// Largest finite distance, in the mesh's unit of length.
    pub max_distance: f64,
    /// Vertices that a source reaches, the sources included; those reached so far if it did not converge.
    pub reached: u32,
}

/// Reach of a round, the number of edges by which a distance may exceed the shortest one and still be passed on; and
/// the most steps of a patch in a round. All engines of the CPU have the same, since distances depend on them in their
/// last digits.
const REACH_AND_STEPS: (f32, u32) = (6.0, 8);

/// The same on a GPU: with more steps the other patches wait for one longer than for another launch, and too short a
/// reach leaves most of them nothing to do.
const REACH_AND_STEPS_OF_A_GPU: (f32, u32) = (32.0, 4);

/// Rounds of the level search that are launched between two read-backs of their flags.
const LEVEL_BATCH: u32 = 8;

/// Rounds of the propagation that are launched before the first read-back; twice as many before each further one.
const FIRST_LOOK: u32 = 8;

/// Most rounds between two read-backs.
const LOOK_EVERY: u32 = 32;

/// Initial capacity in rounds.
const ROOM: usize = 64;

/// Words that count the patches of a round.
const COUNT_WORDS: u32 = 2;

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

/// Point of a surface that is nearest to a point in space, as a source of distances.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSeeds {
    /// Corners of the faces that hold the point, with their straight distances from it.
    pub seeds: Vec<GeodesicSeed>,
    /// Distance of the point in space from the surface.
    pub off_surface: f64,
}

/// Faces within this part of the mesh's longest box side of the nearest point hold it, too: it lies on their edge.
const ON_EDGE: f64 = 1e-7;

/// Finds the point of the surface that is nearest to `point`, and the vertices from which distances to it begin.
/// `positions` and `point` are in one unit, in which the results are, too; `source` is the source's number. It visits
/// every face once.
///
/// # Errors
///
/// [`Error::Options`] for a point that is not finite, or a mesh without faces.
pub fn point_seeds(
    positions: &(impl Fn(u32) -> DVec3 + Sync),
    faces: &[[u32; 3]],
    point: DVec3,
    source: u32,
) -> Result<PointSeeds, Error> {
    if !point.is_finite() {
        return Err(Error::Options(format!(
            "the source point {point} has a coordinate that is not finite"
        )));
    }
    let corners = |f: usize| faces[f].map(positions);
    let nearest = |f: usize| nearest_in_triangle(point, corners(f));
    let best = (0..faces.len())
        .into_par_iter()
        .map(|f| (nearest(f).distance_squared(point), f))
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let Some((_, best)) = best else {
        return Err(Error::Options(
            "a mesh without faces has no surface for a source point".into(),
        ));
    };
    let place = nearest(best);
    let around = corners(best);
    let size = [0, 1, 2].map(|k| around[k].distance(around[(k + 1) % 3]));
    let near = ON_EDGE * size.into_iter().fold(0.0, f64::max);
    let holding = (0..faces.len())
        .into_par_iter()
        .filter(|&f| f == best || nearest_in_triangle(place, corners(f)).distance(place) <= near);
    let mut seeds: Vec<GeodesicSeed> = holding
        .flat_map_iter(|f| faces[f])
        .map(|vertex| GeodesicSeed {
            vertex,
            distance: positions(vertex).distance(place),
            source,
        })
        .collect();
    seeds.sort_by_key(|s| s.vertex);
    seeds.dedup_by_key(|s| s.vertex);
    Ok(PointSeeds {
        seeds,
        off_surface: place.distance(point),
    })
}

/// Returns the point of a triangle that is nearest to a point (Ericson 2005, "Real-Time Collision Detection", section
/// 5.1.5).
fn nearest_in_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let on = |a: DVec3, b: DVec3| {
        let side = b - a;
        let t = (p - a).dot(side) / side.dot(side);
        // Not a number for a side without length.
        a + side * if t > 0.0 { t.min(1.0) } else { 0.0 }
    };
    let normal = (b - a).cross(c - a);
    let square = normal.dot(normal);
    let inside = |a: DVec3, b: DVec3| (b - a).cross(p - a).dot(normal) >= 0.0;
    if square > 0.0 && inside(a, b) && inside(b, c) && inside(c, a) {
        return p - normal * ((p - a).dot(normal) / square);
    }
    let sides = [on(a, b), on(b, c), on(c, a)];
    let first = |best: DVec3, q: DVec3| {
        if q.distance_squared(p) < best.distance_squared(p) {
            q
        } else {
            best
        }
    };
    sides.into_iter().reduce(first).unwrap_or(a)
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
        let vertex_linear = &rx.patch_set()?.vertex_linear;
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

/// Distances while they are computed, in the mesh's unit times the scale.
struct Propagation<'a> {
    rx: &'a RxMesh,
    x: &'a Attribute<Vertex, Vec3>,
    scale: f64,
    threshold: f64,
    /// [`GeodesicRound::labels`].
    labels: u32,
    best: Attribute<Vertex, f32>,
    /// Distances passed on up to even and odd rounds.
    told: [Attribute<Vertex, f32>; 2],
    /// Last round, even or odd, in which each vertex passed its distance on.
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
    /// Patches of even and odd rounds.
    lists: [Buffer<u32>; 2],
    /// Two words for each round, the second of which is the number of its patches.
    counts: Buffer<u32>,
    /// [`GeodesicStart::edge`].
    edge: Buffer<f32>,
    /// [`GeodesicStart::shortest`].
    shortest: Buffer<f32>,
    /// [`GeodesicStart::faces`].
    faces: Buffer<u64>,
    /// [`GeodesicStart::room`].
    room: u32,
}

impl<'a> Propagation<'a> {
    fn new(
        rx: &'a RxMesh,
        x: &'a Attribute<Vertex, Vec3>,
        scale: f64,
        threshold: f64,
        labels: u32,
    ) -> Result<Self, Error> {
        let engine = rx.engine();
        let (n, patches) = (rx.linear_len(Kind::Vertex) as usize, rx.headers().len());
        let room = (rx
            .headers()
            .iter()
            .map(|h| u32::from(h.total[Kind::Face as usize]))
            .max())
        .unwrap_or(0);
        let mut near = vec![FAR; ROOM];
        near[0] = 0;
        let mut counts = vec![0; COUNT_WORDS as usize * ROOM];
        counts[COUNT_WORDS as usize + 1] = patches as u32;
        Ok(Propagation {
            rx,
            x,
            scale,
            threshold,
            labels,
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
            shortest: engine.zeroed(patches)?,
            faces: engine.uninit(patches * room as usize)?,
            room,
        })
    }

    /// Propagates until nothing moves. Returns the number of rounds, and `true` if they were enough.
    fn run(&mut self, sources: &Sources, limit: u32) -> Result<(u32, bool), Error> {
        let [told, other] = &mut self.told;
        self.rx.launch(GeodesicStart {
            x: self.x.staged()?,
            best: self.best.global_mut()?,
            told: told.global_mut()?,
            other: other.global_mut()?,
            edge: self.edge.global_mut(),
            shortest: self.shortest.global_mut(),
            faces: self.faces.global_mut(),
            room: self.room,
            waiting: self.waiting.global_mut(),
            readers: self.readers.global_mut(),
            entered: self.entered.global_mut(),
            list: self.lists[1].global_mut(),
            scale: self.scale as f32,
        })?;
        sources.mark(self.rx.engine(), self.best.global_mut()?.cast())?;
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

    /// Grows the buffers of counts to that many rounds.
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
            shortest: self.shortest.global(),
            faces: self.faces.global(),
            room: self.room,
            round,
            scale: self.scale as f32,
            threshold: self.threshold.min(LARGEST_THRESHOLD) as f32,
            reach,
            steps,
            labels: self.labels,
        };
        Ok(self.rx.run_listed(list.global(), count, kernel)?)
    }

    /// Returns the distances in the mesh's unit, the largest finite one, and the number of finite ones.
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
            labels: self.labels,
        })?;
        let reductions = [Reduction::Max, Reduction::Sum];
        let [farthest, reached] = combine_all(engine, &partials, reductions)?;
        Ok((self.best, farthest, reached as u32))
    }
}
