//! Finds the sides of faces that lie on the same edge.
//!
//! Side `k` of face `f` joins its corners `k` and `(k + 1) % 3`; its number is `3 f + k`. The sides of
//! one edge form a ring, in the order of their numbers; a lone side has no successor. A ring is all
//! that the later stages need: an edge *is* its ring, so that no edge ids are made before there
//! are patches, and neither are hash maps.
//!
//! Sides are dealt into buckets by their smaller vertex (sequential writes, whatever the order of
//! the input), then each bucket, which fits a core's cache, is sorted by itself.

use crate::par::IntoLean;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::shared::{NONE, cursors_from_counts, share};

/// Rings of sides, and the longest of them.
pub(super) struct Adjacency {
    /// Next side around the same edge, or [`NONE`] for a lone side.
    pub(super) next: Vec<u32>,
    /// Length of the longest ring and a vertex on it.
    pub(super) longest: (u32, u32),
}

const MAX_BUCKETS: usize = 1024;
const MIN_BUCKET_BITS: u32 = 10;

/// Builds the rings. All indices must be below `vertex_count`.
pub(super) fn build(vertex_count: usize, faces: &[[u32; 3]]) -> Adjacency {
    let mut shift = MIN_BUCKET_BITS;
    while vertex_count >> shift >= MAX_BUCKETS {
        shift += 1;
    }
    let (starts, entries) = deal(faces, shift, (vertex_count >> shift) + 1);
    let mut next = vec![0; 3 * faces.len()];
    let view = share(&mut next);
    let longest = (0..starts.len() - 1)
        .into_par_iter()
        .lean()
        .map_init(EdgeScratch::default, |scratch, bucket| {
            let range = 3 * starts[bucket] as usize..3 * starts[bucket + 1] as usize;
            link_bucket(&entries[range], shift, scratch, view)
        })
        .reduce(|| (0, 0), |a, b| a.max(b));
    Adjacency { next, longest }
}

/// Deals sides into buckets by their smaller vertex: entries of smaller vertex, larger vertex, side.
fn deal(faces: &[[u32; 3]], shift: u32, buckets: usize) -> (Vec<u32>, Vec<u32>) {
    let chunk = faces.len().div_ceil(64).max(1 << 12);
    let mut cursors: Vec<Vec<u32>> = faces
        .par_chunks(chunk)
        .lean()
        .map(|faces| {
            let mut counts = vec![0; buckets];
            for &[a, b, c] in faces {
                for low in [a.min(b), b.min(c), c.min(a)] {
                    counts[(low >> shift) as usize] += 1;
                }
            }
            counts
        })
        .collect();
    let starts = cursors_from_counts(&mut cursors, buckets);
    let mut entries = vec![0; 9 * faces.len()];
    let view = share(&mut entries);
    faces
        .par_chunks(chunk)
        .zip(&mut cursors)
        .enumerate()
        .lean()
        .for_each(|(c, (faces, cursor))| {
            let mut side = (3 * c * chunk) as u32;
            for &[a, b, c] in faces {
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    let low = from.min(to);
                    let at = &mut cursor[(low >> shift) as usize];
                    let entry = &view[3 * *at as usize..][..3];
                    entry[0].store(low, Relaxed);
                    entry[1].store(from.max(to), Relaxed);
                    entry[2].store(side, Relaxed);
                    *at += 1;
                    side += 1;
                }
            }
        });
    (starts, entries)
}

#[derive(Default)]
struct EdgeScratch {
    ends: Vec<u32>,
    keys: Vec<u64>,
}

/// Sorts one bucket by smaller vertex, larger vertex, side, and links equal edges into rings.
fn link_bucket(
    entries: &[u32],
    shift: u32,
    scratch: &mut EdgeScratch,
    next: &[AtomicU32],
) -> (u32, u32) {
    let Some(&first) = entries.first() else {
        return (0, 0);
    };
    let mask = (1u32 << shift) - 1;
    let EdgeScratch { ends, keys } = scratch;
    ends.clear();
    ends.resize((1 << shift) + 1, 0);
    let rows = entries.as_chunks::<3>().0;
    for row in rows {
        ends[(row[0] & mask) as usize + 1] += 1;
    }
    for v in 0..1 << shift {
        ends[v + 1] += ends[v];
    }
    keys.clear();
    keys.resize(rows.len(), 0);
    for &[low, high, side] in rows {
        let at = &mut ends[(low & mask) as usize];
        keys[*at as usize] = u64::from(high) << 32 | u64::from(side);
        *at += 1;
    }
    let (mut start, mut longest) = (0, (0, 0));
    for (v, &end) in ends[..1 << shift].iter().enumerate() {
        if end > start {
            let run = link_vertex(&mut keys[start as usize..end as usize], next);
            longest = longest.max((run, (first & !mask) | v as u32));
            start = end;
        }
    }
    longest
}

/// Links the sides whose smaller vertex is one vertex; returns the length of the longest ring.
fn link_vertex(keys: &mut [u64], next: &[AtomicU32]) -> u32 {
    sort_small(keys);
    let (mut start, mut longest) = (0, 0);
    while start < keys.len() {
        let high = keys[start] >> 32;
        let first = keys[start] as u32;
        let (mut end, mut last) = (start + 1, first);
        while end < keys.len() && keys[end] >> 32 == high {
            let side = keys[end] as u32;
            next[last as usize].store(side, Relaxed);
            last = side;
            end += 1;
        }
        let closing = if end == start + 1 { NONE } else { first };
        next[last as usize].store(closing, Relaxed);
        longest = longest.max(end - start);
        start = end;
    }
    longest as u32
}

/// Sorts by insertion, for the usual six to twelve keys.
fn sort_small(keys: &mut [u64]) {
    if keys.len() > 24 {
        return keys.sort_unstable();
    }
    for i in 1..keys.len() {
        let key = keys[i];
        let mut at = i;
        while at > 0 && keys[at - 1] > key {
            keys[at] = keys[at - 1];
            at -= 1;
        }
        keys[at] = key;
    }
}
