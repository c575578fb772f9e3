//! Vertices that rounds make: their number, and columns and hooks that use them.

use super::super::session::Session;
use crate::Error;
use rxmesh_kernels::cavity::{BIRTH_WORDS, Births, Interpolate, Operator, TraceVertices};
use rxmesh_kernels::topo::Kind;

impl Session {
    /// Interpolates columns at the vertices that a round has made, and runs the hooks.
    pub(super) fn tell_births(&self, n: u32, each: u32) -> Result<(), Error> {
        let s = &self.edits.state;
        let births = Births {
            list: self.edits.births.global(),
            counters: s.counters.global(),
            each,
            records: s.records.len() as u32,
        };
        for (values, components) in self.columns.blended() {
            let kernel = Interpolate {
                births,
                values,
                components,
            };
            self.engine().launch_flat(n, kernel)?;
        }
        if let [Some(origins), _] = self.columns.traced() {
            let kernel = TraceVertices { births, origins };
            self.engine().launch_flat(n, kernel)?;
        }
        for hook in &self.edits.hooks {
            hook(self, births, n)?;
        }
        Ok(())
    }

    /// Returns the largest number of winners among `seeds` seeds: each deletes a face or more.
    pub(super) fn most_winners(&self, seeds: u32) -> u32 {
        seeds.min(self.capacity(Kind::Face))
    }

    /// Returns the largest number of births of a round of `seeds` seeds.
    pub(super) fn most_births<O: Operator>(&self, seeds: u32) -> Result<u32, Error> {
        let count = u64::from(self.most_winners(seeds)) * u64::from(O::GROWTH.births());
        let limit = u64::from(u32::MAX / BIRTH_WORDS);
        if count > limit && self.has_listeners() {
            let what = "vertices that a round may make";
            return Err(Error::TooLarge { what, count, limit });
        }
        Ok(count.min(limit) as u32)
    }

    /// Returns `true` if a column or a hook uses births.
    pub(super) fn has_listeners(&self) -> bool {
        self.columns.has_blended() || !self.edits.hooks.is_empty()
    }

    /// Allocates the births of a round, if a column or a hook uses them.
    pub(super) fn make_births<O: Operator>(&mut self, seeds: u32) -> Result<(), Error> {
        let words = (self.most_births::<O>(seeds)? * BIRTH_WORDS) as usize;
        if self.has_listeners() && self.edits.births.len() < words {
            self.edits.births = self.engine().zeroed(words)?;
        }
        Ok(())
    }
}
