//! Rounds in which patches pass distances on.

use super::{LARGEST_THRESHOLD, Sources};
use crate::Error;
use crate::engine::Buffer;
use crate::parallel::fill;
use crate::parallel::reduce::combine_all;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::distance::geodesic::{
    FAR, GeodesicFinish, GeodesicRound, GeodesicStart, READERS_ROW,
};
use rxmesh_kernels::parallel::reduce::Reduction;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Reach of a round, the number of edges by which a distance may exceed the shortest one and still be passed on; and
/// the most steps of a patch in a round. All engines of the CPU have the same, since distances depend on them in their
/// last digits.
const REACH_AND_STEPS: (f32, u32) = (6.0, 8);

/// The same on a GPU: with more steps the other patches wait for one longer than for another launch, and too short a
/// reach leaves most of them nothing to do.
const REACH_AND_STEPS_OF_A_GPU: (f32, u32) = (32.0, 4);

/// Rounds of the propagation that are launched before the first read-back; twice as many before each further one.
const FIRST_LOOK: u32 = 8;

/// Most rounds between two read-backs.
const LOOK_EVERY: u32 = 32;

/// Initial capacity in rounds.
const ROOM: usize = 64;

/// Words that count the patches of a round.
const COUNT_WORDS: u32 = 2;

/// Distances while they are computed, in the mesh's unit times the scale.
pub(super) struct Propagation<'a> {
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
    pub(super) fn new(
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
    pub(super) fn run(&mut self, sources: &Sources, limit: u32) -> Result<(u32, bool), Error> {
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
        let (reach, steps) = if self.rx.engine().runs_many_blocks() {
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
    pub(super) fn finish(mut self) -> Result<(Attribute<Vertex, f32>, f64, u32), Error> {
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
