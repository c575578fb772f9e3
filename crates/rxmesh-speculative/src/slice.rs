//! Cutting full patches in two, and uniting small ones.

use crate::launch::LaunchEdits;
use crate::patches::Patches;
use crate::run::{check_patches, column_table};
use crate::scheduler::{Speculative, parts};
use rxmesh_host::Error;
use rxmesh_host::edit::{Session, SplitSession};
use rxmesh_host::engine::Engine;
use rxmesh_kernels::topo::Kind;
use rxmesh_speculative_kernels::{Merge, NEEDS_SLICE, Slice, Tally};

/// Number of patches per spare one that is added, in addition to those needed.
const MORE: u32 = 8;

/// A patch is large when it has more than 1 / `LARGE` of the capacity for faces.
const LARGE: u32 = 3;

/// Minimum number of owned vertices of a patch that is cut.
const LEAST_CUT: u32 = 8;

/// Patches with fewer vertices than 1 / `SMALL` of the capacity are united with a neighbour.
const SMALL: u32 = 16;

/// Cuts full patches in two; returns their number. `stuck`: there is no other progress, so that all patches are cut
/// that took part where capacity was missing. The missing capacity may be other than faces: the tables of a patch hold
/// only a limited number of other patches' elements.
pub(crate) fn slice_full(
    session: &mut Session<Speculative>,
    seeds: Kind,
    stuck: bool,
) -> Result<u32, Error> {
    let engine = &session.engine().clone();
    let full = full_patches(&session.edits().patches, engine, stuck)?;
    parts(session).edits.patches.needs.clear()?;
    if full.is_empty() {
        return Ok(0);
    }
    let spare = find_spare(session, full.len())?;
    let pairs: Vec<u32> = full
        .iter()
        .zip(&spare)
        .flat_map(|(&f, &s)| [f, s])
        .collect();
    let list = engine.upload(&pairs)?;
    let columns = column_table(engine, session.columns())?;
    let patches = &session.edits().patches;
    patches.reset_tally(engine)?;
    engine.launch_blocks(
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
    check_patches(&tally)?;
    let sliced = tally[Tally::Sliced as usize];
    // Spare patches that were not filled are still spare.
    let census = patches.census(engine)?;
    let unused = spare.iter().filter(|&&p| census[p as usize][0] == 0);
    let edits = parts(session).edits;
    edits.total.sliced += u64::from(sliced);
    edits.patches.empty.extend(unused);
    Ok(sliced)
}

/// Returns the patches that are to be cut.
fn full_patches(patches: &Patches, engine: &Engine, stuck: bool) -> Result<Vec<u32>, Error> {
    let needs = patches.needs.read()?;
    let census = patches.census(engine)?;
    // A small patch is not full: its cavity is too large for any patch.
    let large = patches.shape.faces / LARGE;
    let is_full = |&p: &u32| {
        let (needs, [owned, _, faces]) = (needs[1 + p as usize], census[p as usize]);
        if stuck {
            needs != 0 && owned >= LEAST_CUT
        } else {
            needs & NEEDS_SLICE != 0 && faces > large
        }
    };
    Ok((0..patches.count).filter(is_full).collect())
}

/// Finds `n` empty patches: first those that have become empty, then unused ones, of which more are allocated if
/// needed. All or nothing: without memory the session is unchanged.
fn find_spare(session: &mut Session<Speculative>, n: usize) -> Result<Vec<u32>, Error> {
    let engine = &session.engine().clone();
    let SplitSession {
        mesh,
        columns,
        edits,
    } = parts(session);
    let patches = &mut edits.patches;
    let behind = n.saturating_sub(patches.empty.len()) as u32;
    let used = patches.used + behind;
    if used > patches.count {
        let count = used + patches.count / MORE;
        let grown = patches.grown(engine, count)?;
        let larger = (
            mesh.grown(grown.capacity, count)?,
            columns.grown(grown.capacity)?,
        );
        (*mesh, *columns) = larger;
        patches.take(grown);
    }
    let kept = patches.empty.len() - (n - behind as usize);
    let mut spare = patches.empty.split_off(kept);
    spare.reverse();
    spare.extend(patches.used..used);
    patches.used = used;
    Ok(spare)
}

/// Unites small patches with neighbours, and records the empty patches.
pub(crate) fn unite_small(session: &mut Session<Speculative>, seeds: Kind) -> Result<(), Error> {
    let engine = &session.engine().clone();
    let patches = &session.edits().patches;
    let small_bound = patches.shape.vertices / SMALL;
    let mut census = patches.census(engine)?;
    let small: Vec<u32> = (0..patches.used)
        .filter(|&p| (1..small_bound).contains(&census[p as usize][0]))
        .collect();
    if !small.is_empty() {
        let list = engine.upload(&small)?;
        let columns = column_table(engine, session.columns())?;
        patches.reset_tally(engine)?;
        engine.launch_blocks(
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
        check_patches(&tally)?;
        census = patches.census(engine)?;
        parts(session).edits.total.merged += u64::from(tally[Tally::Merged as usize]);
    }
    let patches = &mut parts(session).edits.patches;
    patches.empty = (0..patches.used)
        .filter(|&p| census[p as usize][0] == 0)
        .collect();
    Ok(())
}
