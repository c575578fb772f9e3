//! Launches of speculative edits until no seed is left (Mahmoud et al. 2024, sections 4.3 and 5.3).

use crate::launch::LaunchEdits as _;
use crate::patches::Patches;
use crate::patience::{LaunchResult, NextLaunch, Patience};
use crate::scheduler::{Speculative, parts};
use crate::slice::{slice_full, unite_small};
use rxmesh_host::Error;
use rxmesh_host::edit::{Blend, Columns, RunReport, Seeds, Session, SplitSession};
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_kernels::cavity::Operator;
use rxmesh_kernels::edit::Fill;
use rxmesh_kernels::kernel::EntryOf;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::Kind;
use rxmesh_speculative_kernels::{
    ColumnEntry, ColumnList as ColumnTableView, FarApart, FillQueue, Mark, MarkSeeds, PatchQueue,
    QueuePatches, Speculate, TRACED, Tally, seed_kind,
};

/// Maximum number of visits of a patch in one launch.
const MOST_VISITS: u32 = 4;

/// Number of concurrent blocks per multiprocessor or thread.
const BLOCKS: u32 = 2;

/// Minimum number of patches per block.
const PATCHES_A_BLOCK: u32 = 6;

/// Minimum number of patches per block once each multiprocessor has a block: then less than 2 % of the visits are
/// wasted.
const PATCHES_APART: u32 = 32;

/// Minimum number of waiting patches per block.
const WAITING_A_BLOCK: u32 = 3;

/// Number of patches per block from which concurrent patches are kept two patches apart, else one.
const SPARSE: u32 = 64;

/// Maximum number of successive launches with cuts but without a cavity carried out. A cavity that is too large for any
/// patch does not become possible by cutting: the patch would be cut, take over its other half again, and so on.
const VAIN_CUTS: u32 = 8;

/// Counts of speculative edits, besides those of the cavities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Speculation {
    /// Number of launches.
    pub launches: u64,
    /// Number of patches that blocks took from the queue.
    pub visits: u64,
    /// Number of patches that blocks took from the queue and put back because a neighbour was being edited.
    pub skipped: u64,
    /// Number of visits that ended at once, because the patch was locked.
    pub turned: u64,
    /// Number of visits that did nothing, for lack of locks: with those that were turned away, the wasted work (Mahmoud
    /// et al. 2024, Figure 6).
    pub wasted: u64,
    /// Number of expansions that were given up because a neighbour was locked.
    pub dropped: u64,
    /// Number of expansions.
    pub expanded: u64,
    /// Number of vertices that changed their patch.
    pub moved: u64,
    /// Number of patches that were cut in two.
    pub sliced: u64,
    /// Number of patches that were united with a neighbour.
    pub merged: u64,
}

impl Speculation {
    /// Returns the fraction of the visits that did nothing, 0 to 1; 0 when there was none (Mahmoud et al. 2024, Figure
    /// 6).
    pub fn wasted_share(&self) -> f64 {
        (self.turned + self.wasted) as f64 / self.visits.max(1) as f64
    }

    fn add(&mut self, tally: &[u32]) {
        let count = |t: Tally| u64::from(tally[t as usize]);
        self.visits += count(Tally::Visits);
        self.skipped += count(Tally::Skipped);
        self.turned += count(Tally::Turned);
        self.wasted += count(Tally::Wasted);
        self.dropped += count(Tally::Dropped);
        self.expanded += count(Tally::Expanded);
        self.moved += count(Tally::Moved);
        self.sliced += count(Tally::Sliced);
        self.merged += count(Tally::Merged);
    }
}

/// Options of speculative edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpeculativeOptions {
    /// Number of concurrent blocks; chosen for the engine if not given.
    pub blocks: Option<u32>,
    /// `true` if every visit locks all neighbours of its patch, needed or not: the worst case of the paper's Figure 6.
    pub lock_all: bool,
}

/// Runs rounds of an operator; a round is a launch.
pub(crate) fn run<O: Operator + EntryOf<Speculate<O>>>(
    session: &mut Session<Speculative>,
    seeds: Seeds,
    max_rounds: u32,
    mut op: impl FnMut(&Session<Speculative>) -> Result<O, Error>,
) -> Result<RunReport, Error> {
    let report = launches(session, seeds, max_rounds, &mut op);
    // In any case the flat arrays are updated from the current patches.
    let SplitSession { mesh, edits, .. } = parts(session);
    edits.patches.flatten(mesh)?;
    report
}

fn launches<O: Operator + EntryOf<Speculate<O>>>(
    session: &mut Session<Speculative>,
    seeds: Seeds,
    max_rounds: u32,
    op: &mut impl FnMut(&Session<Speculative>) -> Result<O, Error>,
) -> Result<RunReport, Error> {
    let kind = seed_kind::<O>();
    let engine = &session.engine().clone();
    let mut report = RunReport::default();
    let options = session.edits().options;
    let all = options
        .blocks
        .unwrap_or_else(|| default_blocks(engine, session.edits().patches.used));
    let mut blocks = all;
    if seeds == Seeds::All {
        session.edits().patches.mark(engine, kind, Mark::All)?;
        parts(session).edits.has_refused = false;
    }
    session.edits().patches.reset(engine)?;
    session.edits().patches.enqueue(engine)?;
    let (mut patience, mut queued, mut vain_cuts) =
        (Patience::new(all), session.edits().patches.used, 0);
    let mut columns = column_table(engine, session.columns())?;
    loop {
        // The number of waiting seeds is read with the counts of the launch before.
        if report.rounds > 0 {
            let tally = session.edits().patches.tally.read()?;
            let count = |t: Tally| tally[t as usize];
            parts(session).edits.total.add(&tally);
            check::<O>(&tally)?;
            report.candidates += u64::from(count(Tally::Candidates));
            report.conflicts += u64::from(count(Tally::Conflicts));
            report.refused += u64::from(count(Tally::Refused) + count(Tally::NoDisk));
            report.done += u64::from(count(Tally::Done) - count(Tally::Abandoned));
            report.abandoned += u64::from(count(Tally::Abandoned));
            parts(session).edits.has_refused |= count(Tally::Refused) > 0;
            let left = u64::from(count(Tally::Waiting));
            report.finished = left == 0;
            if report.finished {
                break;
            }
            // Otherwise the next step would be to give up.
            let stuck = patience.is_stuck(count(Tally::Done), left);
            let sliced = if count(Tally::Full) == 0 {
                0
            } else if vain_cuts < VAIN_CUTS {
                let sliced = slice_full(session, kind, stuck)?;
                columns = column_table(engine, session.columns())?;
                sliced
            } else {
                parts(session).edits.patches.needs.clear()?;
                0
            };
            queued = count(Tally::Queued);
            if count(Tally::Done) > 0 {
                vain_cuts = 0;
            } else if sliced > 0 {
                vain_cuts += 1;
            }
            let launch = LaunchResult {
                done: count(Tally::Done),
                waiting: left,
                sliced,
            };
            match patience.after(launch) {
                NextLaunch::Blocks(n) => blocks = n,
                NextLaunch::GiveUp { impossible } => {
                    let given_up = session.edits().patches.mark(engine, kind, Mark::GiveUp)?;
                    report.refused += u64::from(given_up);
                    parts(session).edits.has_refused |= given_up > 0;
                    report.finished = impossible;
                    break;
                }
            }
            if report.rounds >= max_rounds {
                break;
            }
            if sliced > 0 {
                session.edits().patches.reset(engine)?;
                session.edits().patches.enqueue(engine)?;
            } else {
                session.edits().patches.reset_tally(engine)?;
            }
        }
        report.rounds += 1;
        let edits = parts(session).edits;
        edits.salt = edits.salt.wrapping_add(0x9e37_79b9);
        edits.total.launches += 1;
        let op = op(session)?;
        let edits = session.edits();
        let patches = &edits.patches;
        let kernel = Speculate {
            op,
            store: patches.store(),
            columns: columns.view(),
            queue: PatchQueue::new(patches.queue.global_mut()),
            tally: patches.tally.global_mut(),
            visits: patches.visits.global_mut(),
            most_visits: MOST_VISITS,
            salt: edits.salt,
            lock_all: u32::from(options.lock_all),
            // With many patches per block, concurrent patches need not even share a neighbour.
            rings: if patches.used / blocks >= SPARSE {
                2
            } else {
                1
            },
        };
        // The fewer patches wait, the more often they are neighbours.
        let blocks = match options.blocks {
            Some(_) => blocks,
            None => blocks.min(queued / WAITING_A_BLOCK).max(1),
        };
        engine.launch_blocks(blocks, kernel)?;
        patches.enqueue(engine)?;
    }
    if report.done > 0 {
        unite_small(session, kind)?;
    }
    Ok(report)
}

/// Makes the table of columns, for the kernels that move elements.
pub(crate) fn column_table(engine: &Engine, columns: &Columns) -> Result<ColumnTable, Error> {
    let mut entries = Vec::new();
    for column in columns.words() {
        entries.push(ColumnEntry {
            address: engine.address(column.words)? as u64,
            len: u64::from(column.words.len()),
            width: column.width,
            kind: column.kind as u32,
            blend: match column.blend {
                None => 0,
                Some(Blend::Mean) => 1,
                Some(Blend::Traced) => TRACED,
            },
            reserved: 0,
        });
    }
    Ok(ColumnTable {
        blended: entries.iter().filter(|e| e.blend != 0).count() as u32,
        entries: engine.upload(&entries)?,
    })
}

/// Returns the number of blocks for an engine and a mesh. More would find each other's patches locked; fewer would
/// leave multiprocessors idle, which is worse until each has one.
fn default_blocks(engine: &Engine, patches: u32) -> u32 {
    let units = engine.info().units;
    if !engine.runs_many_blocks() {
        return units.min(patches / PATCHES_A_BLOCK).max(2);
    }
    let apart = (patches / PATCHES_A_BLOCK).min(units);
    apart
        .max(patches / PATCHES_APART)
        .min(BLOCKS * units)
        .max(2)
}

/// Turns internal faults into errors.
fn check<O: Operator>(tally: &[u32]) -> Result<(), Error> {
    let count = tally[Tally::Broken as usize];
    if count > 0 {
        return Err(Error::Operator {
            operator: std::any::type_name::<O>(),
            count,
        });
    }
    check_patches(tally)
}

pub(crate) fn check_patches(tally: &[u32]) -> Result<(), Error> {
    match tally[Tally::Corrupt as usize] {
        0 => Ok(()),
        count => Err(Error::Edits {
            what: format!("{count} elements are missing in the tables of their patches"),
        }),
    }
}

/// Columns on the engine.
pub(crate) struct ColumnTable {
    entries: Buffer<ColumnEntry>,
    blended: u32,
}

impl ColumnTable {
    pub(crate) fn view(&self) -> ColumnTableView {
        ColumnTableView {
            list: self.entries.global(),
            blended: self.blended,
        }
    }
}

impl Patches {
    /// Changes the sets of seeds; returns the number of marked ones.
    pub(crate) fn mark(&self, engine: &Engine, kind: Kind, mark: Mark) -> Result<u32, Error> {
        let count = engine.zeroed::<u32>(2)?;
        engine.launch_flat(
            self.count * self.shape.set_words(),
            MarkSeeds {
                store: self.store(),
                kind: kind as u32,
                mark: mark as u32,
                count: count.global_mut(),
            },
        )?;
        Ok(count.read()?[1])
    }

    pub(crate) fn reset_tally(&self, engine: &Engine) -> Result<(), Error> {
        let to: GlobalMut<u32> = self.tally.global_mut();
        Ok(engine.launch_flat(to.len(), Fill { to, value: 0 })?)
    }

    /// Empties the queue and the tally.
    pub(crate) fn reset(&self, engine: &Engine) -> Result<(), Error> {
        self.empty_queue(engine)?;
        self.reset_tally(engine)
    }

    fn empty_queue(&self, engine: &Engine) -> Result<(), Error> {
        let queue = PatchQueue::new(self.queue.global_mut());
        if let Some(kernel) = FillQueue::new(queue, 0) {
            engine.launch_flat(kernel.len(), kernel)?;
        }
        Ok(())
    }

    /// Queues the patches that have seeds.
    pub(crate) fn enqueue(&self, engine: &Engine) -> Result<(), Error> {
        self.empty_queue(engine)?;
        Ok(engine.launch_flat(
            self.count,
            QueuePatches {
                store: self.store(),
                queue: PatchQueue::new(self.queue.global_mut()),
                order: FarApart::new(self.count),
                tally: self.tally.global_mut(),
                visits: self.visits.global_mut(),
            },
        )?)
    }
}
