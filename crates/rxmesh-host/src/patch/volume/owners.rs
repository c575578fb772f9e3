//! Owners of elements, and cells that each patch holds.
//!
//! A vertex belongs to the lowest patch among its cells. An edge or a face belongs to the lowest patch among the owners
//! of its vertices, so that a patch that holds the cells around its own vertices holds those around its own edges and
//! faces too. Its cells need not be the patch's own.

use crate::par::IntoLean;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::super::order::FaceOrder;
use super::super::rings::{LongRings, around};
use super::super::shared::{Locator, NONE, prefix_sum, share, split_mut};
use super::Ribbon;

/// Cells and vertices in patch order.
pub(super) struct Owners {
    /// Start of each patch's vertices; the total at the end. Patches of isolated vertices come last.
    pub(super) vertices: Vec<u32>,
    /// Start of each patch's cells.
    pub(super) cells: Vec<u32>,
    /// Linear vertex -> input vertex.
    pub(super) vertex_source: Vec<u32>,
    /// Input vertex -> linear vertex.
    pub(super) vertex_linear: Vec<u32>,
    /// Corners of the ordered cells, as linear vertices.
    pub(super) corners: Vec<[u32; 4]>,
}

/// Finds the owners of vertices and puts them in order: as a patch's cells meet them.
pub(super) fn build(
    vertex_count: usize,
    cells: &[[u32; 4]],
    order: &FaceOrder,
    patch_size: u32,
) -> Owners {
    let mut owner = vec![NONE; vertex_count];
    let shared = share(&mut owner);
    let mut corners = vec![[0; 4]; cells.len()];
    let parts = split_mut(&mut corners, &order.starts, 1).into_par_iter();
    parts.enumerate().lean().for_each(|(patch, corners)| {
        let sources = &order.source[order.starts[patch] as usize..];
        for (row, &cell) in corners.iter_mut().zip(sources) {
            *row = cells[cell as usize];
            for v in *row {
                shared[v as usize].fetch_min(patch as u32, Relaxed);
            }
        }
    });
    let mut met = vec![0; vertex_count];
    let shared_met = share(&mut met);
    let mut lists: Vec<Vec<u32>> = order
        .starts
        .par_windows(2)
        .enumerate()
        .lean()
        .map(|(patch, range)| {
            let mut own = Vec::new();
            for &v in corners[range[0] as usize..range[1] as usize].as_flattened() {
                let mine = shared[v as usize].load(Relaxed) == patch as u32;
                // Only the owner comes here.
                if mine && shared_met[v as usize].swap(1, Relaxed) == 0 {
                    own.push(v);
                }
            }
            own
        })
        .collect();
    let isolated: Vec<u32> = (0..vertex_count as u32)
        .filter(|&v| shared[v as usize].load(Relaxed) == NONE)
        .collect();
    lists.extend(isolated.chunks(patch_size as usize).map(<[u32]>::to_vec));
    let vertices = prefix_sum(lists.iter().map(|l| l.len() as u32));
    let vertex_source = lists.concat();
    let mut starts = order.starts.clone();
    starts.resize(vertices.len(), cells.len() as u32);
    let linear = share(&mut met);
    vertex_source
        .par_iter()
        .enumerate()
        .lean()
        .for_each(|(id, &v)| {
            linear[v as usize].store(id as u32, Relaxed);
        });
    corners.par_iter_mut().lean().for_each(|row| {
        *row = row.map(|v| met[v as usize]);
    });
    Owners {
        vertices,
        cells: starts,
        vertex_source,
        vertex_linear: met,
        corners,
    }
}

/// A patch that needs a cell, and the cell.
type NeededCell = (u32, u32);

/// Returns the cells that each patch holds without owning them, ascending: those around its own vertices and beyond the
/// faces of its own cells, or those around all vertices that owned elements have.
pub(super) fn ribbons(
    (next, longest): (&[u32], u32),
    owners: &Owners,
    ribbon: Ribbon,
) -> Vec<Vec<u32>> {
    let patches = owners.cells.len() - 1;
    let vertices = Locator::new(&owners.vertices);
    let cells = Locator::new(&owners.cells);
    let long = LongRings::new::<4>(next, longest, &owners.cells);
    let interested = match ribbon {
        Ribbon::Usual => Vec::new(),
        Ribbon::Ring => interested(owners, &vertices),
    };
    let told: Vec<Vec<NeededCell>> = (0..patches)
        .into_par_iter()
        .lean()
        .map(|patch| {
            let (mut told, mut targets) = (Vec::new(), Vec::new());
            for cell in owners.cells[patch]..owners.cells[patch + 1] {
                targets.clear();
                for v in owners.corners[cell as usize] {
                    match ribbon {
                        Ribbon::Usual => targets.push(vertices.find(v)),
                        Ribbon::Ring => {
                            let from = interested.partition_point(|&(w, _)| w < v);
                            let patches = interested[from..].iter().take_while(|p| p.0 == v);
                            targets.extend(patches.map(|p| p.1));
                        }
                    }
                }
                for side in 4 * cell..4 * cell + 4 {
                    match long.patches(side) {
                        Some(patches) => targets.extend(patches),
                        None => targets.extend(around(next, side).map(|s| cells.find(s / 4))),
                    }
                }
                targets.sort_unstable();
                targets.dedup();
                let others = targets.iter().filter(|&&p| p != patch as u32);
                told.extend(others.map(|&p| (p, cell)));
            }
            // By the patch that is told; cells stay ascending.
            told.sort_by_key(|t| t.0);
            told
        })
        .collect();
    collect_by_patch(&told, patches)
}

/// Collects the cells that each patch was told by all, in the order of those that told it.
fn collect_by_patch(told: &[Vec<NeededCell>], patches: usize) -> Vec<Vec<u32>> {
    let rows = |(from, list): (usize, &Vec<NeededCell>)| {
        let mut at = 0;
        let part = |row: &[NeededCell]| {
            at += row.len();
            (row[0].0, from, at - row.len()..at)
        };
        let parts = list.chunk_by(|a, b| a.0 == b.0).map(part);
        parts.collect::<Vec<(u32, usize, Range<usize>)>>()
    };
    let mut parts: Vec<_> = told
        .par_iter()
        .enumerate()
        .lean()
        .flat_map_iter(rows)
        .collect();
    parts.par_sort_unstable_by_key(|p| (p.0, p.1));
    let first = |patch| parts.partition_point(|p| (p.0 as usize) < patch);
    (0..patches)
        .into_par_iter()
        .lean()
        .map(|patch| {
            let of_patch = &parts[first(patch)..first(patch + 1)];
            let cells = of_patch
                .iter()
                .flat_map(|(_, from, range)| &told[*from][range.clone()]);
            cells.map(|t| t.1).collect()
        })
        .collect()
}

/// Returns the pairs of a vertex and a patch that owns a cell, an edge or a face with it, ascending.
fn interested(owners: &Owners, vertices: &Locator<'_>) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> = (0..owners.cells.len() - 1)
        .into_par_iter()
        .lean()
        .flat_map_iter(|patch| {
            let own = owners.cells[patch] as usize..owners.cells[patch + 1] as usize;
            owners.corners[own].iter().flat_map(move |row| {
                // An edge or a face with `v` belongs to a vertex of the cell that no later patch owns.
                let of = row.map(|v| vertices.find(v));
                (0..4).flat_map(move |k| {
                    let owners = of.into_iter().filter(move |&p| p <= of[k]);
                    std::iter::once(patch as u32)
                        .chain(owners)
                        .map(move |p| (row[k], p))
                })
            })
        })
        .collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    pairs
}
