//! Cuts the mesh into regions of many patches that threads can then work on alone.
//!
//! A region is grown breadth first from a random face, all regions at once, level by level. The face's
//! key is `level << 22 | region` and the smallest key wins, so that the outcome does not depend on
//! which thread came first. A region fits a core's cache: the Lloyd rounds inside it cost no
//! cache misses, however the input is ordered.
//!
//! Whole components of at most `patch_size` faces are not separate regions: they are packed, in the order of their
//! first faces, into regions that become one patch each.

use crate::par::IntoLean;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::shared::{NONE, counting_sort, share, split_mix};

/// Faces sorted by region.
pub(super) struct Regions {
    /// Start of each region in `faces`; the total at the end.
    pub(super) starts: Vec<u32>,
    /// Input faces, by region.
    pub(super) faces: Vec<u32>,
    /// Index of each input face in `faces`.
    pub(super) places: Vec<u32>,
}

/// Two regions that meet.
type Pair = (u32, u32);

const REGION_BITS: u32 = 22;
const REGION_MASK: u32 = (1 << REGION_BITS) - 1;
const LAST_LEVEL: u32 = (1 << (32 - REGION_BITS)) - 2;
const SERIAL_FRONT: usize = 2048;

/// Returns the number of faces that a region should have.
fn region_size(faces: usize, patch_size: usize) -> usize {
    (faces / 64).clamp(8 * patch_size, (32 * patch_size).max(1 << 14))
}

/// Cuts a mesh of `next.len() / N` simplices of `N` corners into regions.
pub(super) fn build<const N: usize>(next: &[u32], patch_size: u32, seed: u64) -> Regions {
    let face_count = next.len() / N;
    let seeds = choose_seeds::<N>(next, patch_size, seed);
    let mut region = vec![NONE; face_count];
    let pairs = grow::<N>(next, &seeds, &mut region);
    let names = near_numbers(seeds.len(), pairs);
    strip_levels(&mut region, &names);
    let count = add_rest::<N>(next, &mut region, seeds.len() as u32, patch_size);
    let (starts, faces, places) = counting_sort(&region, count as usize);
    Regions {
        starts,
        faces,
        places,
    }
}

/// Chooses one random face in each stretch of the input, unless its whole component fits a patch.
fn choose_seeds<const N: usize>(next: &[u32], patch_size: u32, seed: u64) -> Vec<u32> {
    let face_count = next.len() / N;
    let wanted = face_count.div_ceil(region_size(face_count, patch_size as usize));
    let wanted = wanted.min(REGION_MASK as usize - 1);
    let candidates: Vec<u32> = (0..wanted as u64)
        .into_par_iter()
        .map(|i| {
            let faces = face_count as u64;
            let (from, to) = (i * faces / wanted as u64, (i + 1) * faces / wanted as u64);
            let mut state = seed ^ i.wrapping_mul(0xd134_2543_de82_ef95);
            (from + split_mix(&mut state) % (to - from)) as u32
        })
        .filter(|&face| !component_fits::<N>(next, face, patch_size as usize))
        .collect();
    candidates
}

fn component_fits<const N: usize>(next: &[u32], face: u32, limit: usize) -> bool {
    let mut seen = HashSet::from([face]);
    let mut queue = vec![face];
    let mut head = 0;
    while head < queue.len() {
        for side in 0..N {
            let other = next[N * queue[head] as usize + side];
            if other != NONE && seen.insert(other / N as u32) {
                queue.push(other / N as u32);
            }
        }
        head += 1;
        if queue.len() > limit {
            return false;
        }
    }
    true
}

/// Grows all seeds at once; leaves keys in `region`, [`NONE`] if no seed reaches. Returns the pairs of
/// regions that meet, many times each.
fn grow<const N: usize>(next: &[u32], seeds: &[u32], region: &mut [u32]) -> Vec<Pair> {
    let same: Vec<u32> = (0..seeds.len() as u32).collect();
    let mut pairs = Vec::new();
    for (number, &face) in seeds.iter().enumerate() {
        region[face as usize] = number as u32;
    }
    let mut front = seeds.to_vec();
    let mut level = 0;
    while !front.is_empty() {
        if level == LAST_LEVEL {
            strip_levels(region, &same);
            level = 0;
        }
        level += 1;
        let keys = share(region);
        if front.len() < SERIAL_FRONT {
            let mut reached = Vec::with_capacity(2 * front.len());
            advance::<N>(next, &front, level, keys, &mut reached, &mut pairs);
            front = reached;
        } else {
            let parts: Vec<(Vec<u32>, Vec<Pair>)> = front
                .par_chunks(SERIAL_FRONT / 2)
                .lean()
                .map(|part| {
                    let mut reached = Vec::with_capacity(SERIAL_FRONT);
                    let mut pairs = Vec::new();
                    advance::<N>(next, part, level, keys, &mut reached, &mut pairs);
                    pairs.dedup();
                    (reached, pairs)
                })
                .collect();
            front.clear();
            for (reached, met) in &parts {
                front.extend_from_slice(reached);
                pairs.extend_from_slice(met);
            }
        }
    }
    pairs
}

/// Numbers regions so that neighbours are near: breadth first over the graph of regions. Only the set of
/// pairs matters, not their order.
fn near_numbers(regions: usize, mut pairs: Vec<Pair>) -> Vec<u32> {
    pairs.extend(pairs.clone().iter().map(|&(a, b)| (b, a)));
    pairs.par_sort_unstable();
    pairs.dedup();
    let mut names = vec![NONE; regions];
    let mut order: Vec<u32> = Vec::with_capacity(regions);
    for start in 0..regions {
        let mut head = order.len();
        if names[start] == NONE {
            names[start] = head as u32;
            order.push(start as u32);
        }
        while head < order.len() {
            let region = order[head];
            let from = pairs.partition_point(|&(a, _)| a < region);
            for &(_, other) in pairs[from..].iter().take_while(|&&(a, _)| a == region) {
                if names[other as usize] == NONE {
                    names[other as usize] = order.len() as u32;
                    order.push(other);
                }
            }
            head += 1;
        }
    }
    names
}

/// Turns keys into region numbers, by their new names.
fn strip_levels(region: &mut [u32], names: &[u32]) {
    region.par_iter_mut().lean().for_each(|key| {
        if *key != NONE {
            *key = names[(*key & REGION_MASK) as usize];
        }
    });
}

/// Offers the faces of a front to their neighbours; a thread that turns a face from free to taken lists it. A neighbour
/// of an earlier level is settled: if it is another region's, the regions meet there.
fn advance<const N: usize>(
    next: &[u32],
    front: &[u32],
    level: u32,
    keys: &[AtomicU32],
    reached: &mut Vec<u32>,
    pairs: &mut Vec<Pair>,
) {
    for &face in front {
        let own = keys[face as usize].load(Relaxed) & REGION_MASK;
        let key = level << REGION_BITS | own;
        for &other in &next[N * face as usize..][..N] {
            if other == NONE {
                continue;
            }
            let taken = &keys[(other / N as u32) as usize];
            let old = taken.load(Relaxed);
            if old > key {
                if taken.fetch_min(key, Relaxed) == NONE {
                    reached.push(other / N as u32);
                }
            } else if old >> REGION_BITS < level && old & REGION_MASK != own {
                pairs.push((own, old & REGION_MASK));
            }
        }
    }
}

/// Gives the components without a seed separate regions, or packs them with others if they are small. Returns the
/// number of regions.
fn add_rest<const N: usize>(next: &[u32], region: &mut [u32], seeds: u32, patch_size: u32) -> u32 {
    const PENDING: u32 = NONE - 1;
    let mut count = seeds;
    let mut small: Vec<u32> = Vec::new();
    let mut small_starts = vec![0];
    let mut queue = Vec::new();
    for face in 0..region.len() {
        if region[face] != NONE {
            continue;
        }
        queue.clear();
        queue.push(face as u32);
        region[face] = PENDING;
        let mut head = 0;
        while head < queue.len() {
            for &other in &next[N * queue[head] as usize..][..N] {
                if other != NONE && region[(other / N as u32) as usize] == NONE {
                    region[(other / N as u32) as usize] = PENDING;
                    queue.push(other / N as u32);
                }
            }
            head += 1;
        }
        if queue.len() > patch_size as usize {
            queue.iter().for_each(|&f| region[f as usize] = count);
            count += 1;
        } else {
            small.extend_from_slice(&queue);
            small_starts.push(small.len());
        }
    }
    let mut room = 0;
    for range in small_starts.windows(2) {
        let component = &small[range[0]..range[1]];
        if component.len() > room {
            count += 1;
            room = patch_size as usize;
        }
        room -= component.len();
        component
            .iter()
            .for_each(|&f| region[f as usize] = count - 1);
    }
    count
}
