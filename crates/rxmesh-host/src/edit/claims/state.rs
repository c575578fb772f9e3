//! State of rounds on the engine.

use super::super::mesh::OpenMesh;
use crate::engine::{Buffer, Engine, EngineError};
use crate::parallel::fill;
use rxmesh_kernels::cavity::{COUNTERS, ClaimTables, RANK_WORDS, ResetClaims, TASK_WORDS};

/// Initial capacity of records in words, by faces: enough for a first round that flips or splits a tenth of the edges.
/// A round that exceeds it is repeated.
const RECORD_WORDS: usize = 5;

/// The same if a block is one thread, which records candidates, not winners alone. Pages that are not written take no
/// memory, and a candidate beyond the capacity is recorded later.
const RECORD_WORDS_ALONE: usize = 4;

/// Tasks of a round for each thread of a CPU, at least and at most: a thread that is done early takes from the others.
const TASKS_A_THREAD: [usize; 2] = [8, 32];

/// Elements for each task, between those.
const ELEMENTS_A_TASK: usize = 1024;

/// Least capacity for records, in words.
const LEAST_RECORDS: usize = 1 << 18;

/// Arrays of [`ClaimTables`], but for the claims on faces, and of [`rxmesh_kernels::cavity::Round`].
pub(super) struct RoundState {
    pub ends: Buffer<u64>,
    pub pairs: Buffer<u64>,
    pub list: Buffer<u32>,
    pub wanting: Buffer<u32>,
    pub pending: Buffer<u32>,
    pub queue: Buffer<u32>,
    pub refused: Buffer<u32>,
    pub won: Buffer<u32>,
    pub winners: Buffer<u32>,
    pub records: Buffer<u32>,
    pub counters: Buffer<u32>,
    /// See [`rxmesh_kernels::cavity::Tasks`].
    pub tasks: Buffer<u32>,
    pub ranks: Buffer<u32>,
    pub chunks: Buffer<u32>,
}

impl RoundState {
    pub(super) fn new(mesh: &OpenMesh) -> Result<RoundState, EngineError> {
        let engine = mesh.engine();
        let [vertices, _, faces] = mesh.capacities().map(|n| n as usize);
        let seeds = mesh.most_seeds();
        let words = mesh.set_words();
        let (of_a_face, tasks) = if engine.blocks_are_alone() {
            (RECORD_WORDS_ALONE, tasks(engine, seeds))
        } else {
            (RECORD_WORDS, 0)
        };
        Ok(RoundState {
            ends: free_claims(engine, vertices)?,
            pairs: free_claims(engine, ClaimTables::pair_slots(vertices))?,
            list: engine.zeroed(seeds)?,
            wanting: engine.zeroed(seeds)?,
            pending: engine.zeroed(2 * seeds)?,
            queue: engine.zeroed(words)?,
            refused: engine.zeroed(words)?,
            won: engine.zeroed(words)?,
            winners: engine.zeroed(2 * seeds)?,
            records: engine.zeroed((of_a_face * faces).max(LEAST_RECORDS))?,
            counters: engine.zeroed(COUNTERS)?,
            tasks: engine.zeroed(TASK_WORDS as usize * tasks)?,
            ranks: engine.zeroed(words)?,
            chunks: engine.zeroed(words.div_ceil(RANK_WORDS as usize))?,
        })
    }

    /// Returns the same state for a mesh of larger capacity. Records and counters stay.
    pub(super) fn grown(&self, mesh: &OpenMesh) -> Result<GrownState, EngineError> {
        let engine = mesh.engine();
        let (seeds, words) = (mesh.most_seeds(), mesh.set_words());
        let vertices = mesh.capacities()[0] as usize;
        Ok(GrownState {
            ends: free_claims(engine, vertices)?,
            pairs: free_claims(engine, ClaimTables::pair_slots(vertices))?,
            list: self.list.grown(seeds)?,
            wanting: engine.zeroed(seeds)?,
            pending: engine.zeroed(2 * seeds)?,
            queue: self.queue.grown(words)?,
            refused: self.refused.grown(words)?,
            won: self.won.grown(words)?,
            winners: engine.zeroed(2 * seeds)?,
            ranks: engine.zeroed(words)?,
            chunks: engine.zeroed(words.div_ceil(RANK_WORDS as usize))?,
        })
    }

    /// Replaces the buffers by the grown ones.
    pub(super) fn take(&mut self, grown: GrownState) {
        let GrownState {
            ends,
            pairs,
            list,
            wanting,
            pending,
            queue,
            refused,
            won,
            winners,
            ranks,
            chunks,
        } = grown;
        (self.pairs, self.list, self.pending) = (pairs, list, pending);
        (self.ends, self.wanting) = (ends, wanting);
        (self.queue, self.refused, self.won) = (queue, refused, won);
        (self.winners, self.ranks, self.chunks) = (winners, ranks, chunks);
    }

    /// Grows the capacity for the records of a round.
    pub(super) fn grow_records(&mut self, engine: &Engine, words: u32) -> Result<(), EngineError> {
        let words = (words as usize).max(self.records.len() * 2);
        self.records = engine.zeroed(words.min(u32::MAX as usize))?;
        Ok(())
    }

    /// Gives up all claims but the frozen ones.
    pub(super) fn reset_claims(&self, mesh: &OpenMesh) -> Result<(), EngineError> {
        for claims in [mesh.face_claims(), &self.ends, &self.pairs] {
            let kernel = ResetClaims {
                claims: claims.global_mut(),
            };
            mesh.engine().launch_flat(claims.len() as u32, kernel)?;
        }
        Ok(())
    }
}

/// Buffers of a [`RoundState`] whose lengths depend on the capacity for elements.
pub(super) struct GrownState {
    ends: Buffer<u64>,
    pairs: Buffer<u64>,
    list: Buffer<u32>,
    wanting: Buffer<u32>,
    pending: Buffer<u32>,
    queue: Buffer<u32>,
    refused: Buffer<u32>,
    won: Buffer<u32>,
    winners: Buffer<u32>,
    ranks: Buffer<u32>,
    chunks: Buffer<u32>,
}

/// Returns empty claims on `n` elements: not zero, which means frozen.
fn free_claims(engine: &Engine, n: usize) -> Result<Buffer<u64>, EngineError> {
    let claims = engine.zeroed(n)?;
    fill(engine, claims.global_mut().cast(), u32::MAX)?;
    Ok(claims)
}

/// Returns the number of tasks that share a round on a CPU.
fn tasks(engine: &Engine, elements: usize) -> usize {
    let [least, most] = TASKS_A_THREAD.map(|n| n * engine.info().units as usize);
    (elements / ELEMENTS_A_TASK).clamp(least, most)
}
