//! Patches that are full are cut in two, small ones united.

use super::Patches;
use crate::Error;
use crate::edit::Session;
use rxmesh_kernels::speculative::{Merge, NEEDS_SLICE, Slice, Tally};
use rxmesh_kernels::topo::Kind;

/// Spare patches are added so many at a time, as a part of all: one in so many, and what is needed.
const MORE: u32 = 8;

/// A patch is large when it has this part of the faces that there is room for: one in so many.
const LARGE: u32 = 3;

/// Patches with fewer vertices of their own are not cut, whatever is wanted of them.
const LEAST_CUT: u32 = 8;

/// Patches with fewer vertices, as a part of the room: one in so many, are united with a neighbour.
const SMALL: u32 = 16;

impl Session {
    /// Cuts the patches that are full in two; how many were cut. `stuck`: nothing else goes on, so that all are cut that took part where there was no room. Room may lack for
    /// other things than faces: the tables of a patch hold only so many elements of others.
    pub(super) fn slice_full(
        &mut self,
        patches: &mut Patches,
        seeds: Kind,
        stuck: bool,
    ) -> Result<u32, Error> {
        let needs = patches.needs.read()?;
        let census = patches.census(&self.engine)?;
        // A small patch is not full: what it wants is too large for any.
        let large = patches.shape.faces / LARGE;
        let full: Vec<u32> = (0..patches.count)
            .filter(|&p| {
                let (needs, [owned, _, faces]) = (needs[1 + p as usize], census[p as usize]);
                if stuck {
                    needs != 0 && owned >= LEAST_CUT
                } else {
                    needs & NEEDS_SLICE != 0 && faces > large
                }
            })
            .collect();
        patches.needs.clear()?;
        if full.is_empty() {
            return Ok(0);
        }
        let mut pairs = Vec::with_capacity(2 * full.len());
        for &large in &full {
            let spare = match patches.empty.pop() {
                Some(spare) => spare,
                None => {
                    patches.used += 1;
                    patches.used - 1
                }
            };
            pairs.extend([large, spare]);
        }
        if patches.used > patches.count {
            let count = patches.used + patches.count / MORE;
            patches.grow(&self.engine, count)?;
            self.grow_to(patches.capacity())?;
            self.unused = self.capacity;
        }
        let list = self.engine.upload(&pairs)?;
        let columns = self.column_table()?;
        patches.reset_tally(&self.engine)?;
        self.engine.launch_blocks(
            full.len() as u32,
            Slice {
                store: patches.store(),
                columns: columns.view(),
                pairs: list.global(),
                seeds: seeds as u32,
                tally: patches.tally.global_mut(),
            },
        )?;
        let tally = patches.tally.read()?;
        patches.total.sliced += u64::from(tally[Tally::Sliced as usize]);
        super::run::check_patches(&tally)?;
        // Spare patches that were not filled are spare still.
        let census = patches.census(&self.engine)?;
        for pair in pairs.chunks_exact(2) {
            if census[pair[1] as usize][0] == 0 {
                patches.empty.push(pair[1]);
            }
        }
        Ok(tally[Tally::Sliced as usize])
    }

    /// Unites small patches with neighbours, and notes which patches are empty.
    pub(super) fn unite_small(&mut self, patches: &mut Patches, seeds: Kind) -> Result<(), Error> {
        let small_bound = patches.shape.vertices / SMALL;
        let census = patches.census(&self.engine)?;
        let small: Vec<u32> = (0..patches.used)
            .filter(|&p| (1..small_bound).contains(&census[p as usize][0]))
            .collect();
        let census = if small.is_empty() {
            census
        } else {
            let list = self.engine.upload(&small)?;
            let columns = self.column_table()?;
            patches.reset_tally(&self.engine)?;
            self.engine.launch_blocks(
                small.len() as u32,
                Merge {
                    store: patches.store(),
                    columns: columns.view(),
                    small: list.global(),
                    seeds: seeds as u32,
                    tally: patches.tally.global_mut(),
                },
            )?;
            let tally = patches.tally.read()?;
            patches.total.merged += u64::from(tally[Tally::Merged as usize]);
            super::run::check_patches(&tally)?;
            patches.census(&self.engine)?
        };
        patches.empty = (0..patches.used)
            .filter(|&p| census[p as usize][0] == 0)
            .collect();
        Ok(())
    }
}
