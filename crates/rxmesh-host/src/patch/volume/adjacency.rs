//! Finds the sides of cells that are the same face: rings of sides, as `super::super::adjacency` makes them of faces.
//!
//! Side `k` of cell `c` is the triangle opposite its corner `k`; its number is `4 c + k`. Sides are dealt into buckets
//! by their smallest vertex, then each bucket is sorted by itself.

use crate::par::IntoLean;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::super::shared::{NONE, cursors_from_counts, share};

const MAX_BUCKETS: usize = 4096;
const MIN_BUCKET_BITS: u32 = 8;

/// Returns the three vertices of side `k` of a cell, ascending.
pub(super) fn side(cell: &[u32; 4], k: usize) -> [u32; 3] {
    let [a, b, c] = [1, 2, 3].map(|i| cell[(k + i) % 4]);
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    // The middle one is the remaining one.
    [low, a ^ b ^ c ^ low ^ high, high]
}

/// Returns the next side of the same face for each side, [`NONE`] for a lone side, and the length of the longest ring.
/// Indices are below `vertex_count`.
pub(super) fn build(vertex_count: usize, cells: &[[u32; 4]]) -> (Vec<u32>, u32) {
    let mut shift = MIN_BUCKET_BITS;
    while vertex_count >> shift >= MAX_BUCKETS {
        shift += 1;
    }
    let (starts, entries) = deal(cells, shift, (vertex_count >> shift) + 1);
    let mut next = vec![0; 4 * cells.len()];
    let view = share(&mut next);
    let longest = starts
        .par_windows(2)
        .lean()
        .map_init(Vec::new, |rows, range| {
            let range = range[0] as usize..range[1] as usize;
            link_bucket(&entries[4 * range.start..4 * range.end], rows, view)
        })
        .max()
        .unwrap_or(0);
    (next, longest)
}

/// Deals sides into buckets: entries of smallest, middle, largest vertex, and the side.
fn deal(cells: &[[u32; 4]], shift: u32, buckets: usize) -> (Vec<u32>, Vec<u32>) {
    let chunk = cells.len().div_ceil(64).max(1 << 12);
    let mut cursors: Vec<Vec<u32>> = cells
        .par_chunks(chunk)
        .lean()
        .map(|cells| {
            let mut counts = vec![0; buckets];
            for [low, ..] in cells.iter().flat_map(|c| (0..4).map(|k| side(c, k))) {
                counts[(low >> shift) as usize] += 1;
            }
            counts
        })
        .collect();
    let starts = cursors_from_counts(&mut cursors, buckets);
    let mut entries = vec![0; 16 * cells.len()];
    let view = share(&mut entries);
    cells
        .par_chunks(chunk)
        .zip(&mut cursors)
        .enumerate()
        .lean()
        .for_each(|(i, (cells, cursor))| {
            for (number, cell) in cells.iter().enumerate() {
                for k in 0..4 {
                    let [low, middle, high] = side(cell, k);
                    let at = &mut cursor[(low >> shift) as usize];
                    let number = (4 * (i * chunk + number) + k) as u32;
                    let entry = &view[4 * *at as usize..][..4];
                    for (word, value) in entry.iter().zip([low, middle, high, number]) {
                        word.store(value, Relaxed);
                    }
                    *at += 1;
                }
            }
        });
    (starts, entries)
}

/// Sorts one bucket and links equal faces into rings; returns the length of the longest.
fn link_bucket(entries: &[u32], rows: &mut Vec<[u32; 4]>, next: &[AtomicU32]) -> u32 {
    let mut longest = 0;
    rows.clear();
    rows.extend_from_slice(entries.as_chunks::<4>().0);
    rows.sort_unstable();
    for ring in rows.chunk_by(|a, b| a[..3] == b[..3]) {
        for (i, row) in ring.iter().enumerate() {
            let other = ring[(i + 1) % ring.len()][3];
            let other = if ring.len() == 1 { NONE } else { other };
            next[row[3] as usize].store(other, Relaxed);
        }
        longest = longest.max(ring.len() as u32);
    }
    longest
}
