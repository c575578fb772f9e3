//! Patches that are full are cut in two, small ones united.

use crate::engine::{Speculative, parts};
use crate::launch::Launch;
use crate::patches::Patches;
use crate::run::{check_patches, column_table};
use rxmesh_host::Error;
use rxmesh_host::edit::{Parts, Session};
use rxmesh_host::engine::Engine;
use rxmesh_kernels::topo::Kind;
use rxmesh_speculative_kernels::{Merge, NEEDS_SLICE, Slice, Tally};

/// Spare patches are added so many at a time, as a part of all: one in so many, and what is needed.
const MORE: u32 = 8;

/// A patch is large when it has this part of the faces that there is room for: one in so many.
const LARGE: u32 = 3;

/// Patches with fewer vertices of their own are not cut, whatever is wanted of them.
const LEAST_CUT: u32 = 8;

/// Patches with fewer vertices, as a part of the room: one in so many, are united with a neighbour.
const SMALL: u32 = 16;

/// Cuts the patches that are full in two; how many were cut. `stuck`: nothing else goes on, so that all are cut that
/// took part where there was no room. Room may lack for other things than faces: the tables of a patch hold only so
/// many elements of others.
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
    // Spare patches that were not filled are spare still.
    let census = patches.census(engine)?;
    let unused = spare.iter().filter(|&&p| census[p as usize][0] == 0);
    let edits = parts(session).edits;
    edits.total.sliced += u64::from(sliced);
    edits.patches.empty.extend(unused);
    Ok(sliced)
}

/// The patches that are to be cut.
fn full_patches(patches: &Patches, engine: &Engine, stuck: bool) -> Result<Vec<u32>, Error> {
    let needs = patches.needs.read()?;
    let census = patches.census(engine)?;
    // A small patch is not full: what it wants is too large for any.
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

/// So many empty patches: those that have become so, then those behind, of which there are made more. All or nothing:
/// without memory the session stays as it is.
fn find_spare(session: &mut Session<Speculative>, n: usize) -> Result<Vec<u32>, Error> {
    let engine = &session.engine().clone();
    let Parts {
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

/// Unites small patches with neighbours, and notes which patches are empty.
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
