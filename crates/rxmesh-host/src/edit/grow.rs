//! More room for a session, and the lists of free slots.

use super::open::{check_limit, free_all, set_words};
use super::session::Session;
use crate::Error;
use crate::engine::Buffer;
use rxmesh_kernels::cavity::{Claims, Counter, FREE, RANK_WORDS, most_record_words};
use rxmesh_kernels::topo::Kind;

/// Room grows by at least this part of itself, so that it does not grow often.
const GROWTH: f64 = 0.25;

impl Session {
    /// Makes room for so many more elements of each kind (V, E, F) than have ever been in use at a time. Operators need not be afraid of too little: rounds that run out
    /// of slots are repeated in more room. To know beforehand saves the repetition.
    ///
    /// # Errors
    ///
    /// More elements than ids, or no memory on the engine; nothing is lost then.
    pub fn reserve(&mut self, more: [u32; 3]) -> Result<(), Error> {
        if self.speculative.is_some() {
            // Patches have room of their own, and grow in number.
            return Ok(());
        }
        let mut capacity = self.capacity;
        for k in 0..3 {
            let want = u64::from(self.unused[k]) + u64::from(more[k]);
            if want > u64::from(self.capacity[k]) {
                let grown = (f64::from(self.capacity[k]) * (1.0 + GROWTH)) as u64;
                capacity[k] = u32::try_from(want.max(grown)).unwrap_or(u32::MAX);
            }
        }
        if capacity == self.capacity {
            return Ok(());
        }
        check_limit(capacity)?;
        self.grow_to(capacity)
    }

    pub(crate) fn grow_to(&mut self, capacity: [u32; 3]) -> Result<(), Error> {
        let old = self.capacity.map(|n| n as usize);
        let [v, e, f] = capacity.map(|n| n as usize);
        let (flat, state) = (&self.flat, &self.state);
        // All or nothing: what cannot be had leaves the session as it is.
        let fe = flat.fe.grown(3 * f)?;
        let ev = flat.ev.grown(2 * e)?;
        let ef = flat.ef.grown(2 * e)?;
        let ve = flat.ve.grown(v)?;
        let fp = flat.fp.grown(f)?;
        let faces = state.faces.grown(f)?;
        let pairs = self.engine.zeroed(Claims::pair_slots(v))?;
        let seeds = v.max(e).max(f);
        let words = set_words(capacity);
        let (list, pending) = (state.list.grown(seeds)?, self.engine.zeroed(seeds)?);
        let (queue, won) = (state.queue.grown(words)?, state.won.grown(words)?);
        let refused = state.refused.grown(words)?;
        let winners = self.engine.zeroed(2 * seeds)?;
        let ranks = self.engine.zeroed(words)?;
        let chunks = self.engine.zeroed(words.div_ceil(RANK_WORDS as usize))?;
        for column in &mut self.columns {
            column.grow(capacity[column.kind() as usize] as usize)?;
        }
        let claims: Buffer<u64> = faces;
        let new = claims.global_mut().from(old[2] as u32).cast::<u32>();
        self.engine.launch_flat(
            new.len(),
            rxmesh_kernels::edit::Fill {
                to: new,
                value: FREE as u32,
            },
        )?;
        free_all(&self.engine, &pairs)?;
        self.flat.fe = fe;
        self.flat.ev = ev;
        self.flat.ef = ef;
        self.flat.ve = ve;
        self.flat.fp = fp;
        self.flat.bury(&self.engine, old)?;
        self.state.faces = claims;
        self.state.pairs = pairs;
        self.state.list = list;
        self.state.pending = pending;
        self.state.queue = queue;
        self.state.refused = refused;
        self.state.won = won;
        self.state.winners = winners;
        self.state.ranks = ranks;
        self.state.chunks = chunks;
        self.capacity = capacity;
        Ok(())
    }

    /// Refuses a round whose records could have more words than the counter of words can count.
    pub(super) fn check_records(&self, winners: u32) -> Result<(), Error> {
        let count = most_record_words(winners, self.capacity[Kind::Face as usize]);
        let limit = u64::from(u32::MAX);
        if count > limit {
            return Err(Error::TooLarge {
                what: "words of records in a round of edits",
                count,
                limit,
            });
        }
        Ok(())
    }

    /// More room for the records of a round.
    pub(super) fn grow_records(&mut self, words: u32) -> Result<(), Error> {
        let words = (words as usize).max(self.state.records.len() * 2);
        self.state.records = self.engine.zeroed(words.min(u32::MAX as usize))?;
        Ok(())
    }

    /// Slots of a kind that were handed out since free slots were listed.
    pub(super) fn used(counters: &[u32], kind: Kind) -> u32 {
        counters[Counter::Used as usize + kind as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flips of a mesh of 330 million pairs of faces once wrapped the counter.
    #[test]
    fn records_are_counted_in_64_bits() {
        assert!(most_record_words(1 << 20, 1 << 21) < 1 << 32);
        assert!(most_record_words(330_000_000, 660_000_000) > 1 << 32);
        assert!(most_record_words(u32::MAX, u32::MAX) > 1 << 36);
    }
}
