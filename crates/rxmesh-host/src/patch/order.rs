//! Patches of all regions, and everything about faces (or cells: simplices of `N` corners) in the order of their
//! linear ids.

use crate::par::IntoLean;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::lloyd::{Lloyd, Partition};
use super::regions::Regions;
use super::shared::{NONE, share, split_mut};

/// Faces in the order of the patches.
pub(super) struct FaceOrder {
    /// Start of each patch; the total at the end.
    pub(super) starts: Vec<u32>,
    /// Ordered face -> input face.
    pub(super) source: Vec<u32>,
    /// Input face -> ordered face.
    pub(super) linear: Vec<u32>,
    /// Rings of sides, in ordered faces.
    pub(super) next: Vec<u32>,
}

/// Input of the task of one region.
struct RegionTask<'a> {
    faces: &'a [u32],
    start: u32,
    source: &'a mut [u32],
    next: &'a mut [u32],
}

/// Output of the task: the ends of its patches, and the sides whose successor lies in another region.
struct Done {
    ends: Vec<u32>,
    crossings: Vec<(u32, u32)>,
}

/// Cuts every region into patches of at most `limit` faces.
pub(super) fn build<const N: usize>(next: &[u32], mut regions: Regions, limit: u32) -> FaceOrder {
    let face_count = regions.faces.len();
    let mut linear = std::mem::take(&mut regions.places);
    let mut source = vec![0; face_count];
    let mut ordered_next = vec![0; next.len()];
    let places = share(&mut linear);
    let sources = split_mut(&mut source, &regions.starts, 1);
    let nexts = split_mut(&mut ordered_next, &regions.starts, N);
    let tasks: Vec<RegionTask<'_>> = (sources
        .into_iter()
        .zip(nexts)
        .zip(regions.starts.windows(2)))
    .map(|((source, next), range)| RegionTask {
        faces: &regions.faces[range[0] as usize..range[1] as usize],
        start: range[0],
        source,
        next,
    })
    .collect();
    let done: Vec<Done> = tasks
        .into_par_iter()
        .with_max_len(1)
        .lean()
        .map_init(OrderScratch::<N>::default, |scratch, task| {
            order_region::<N>(next, places, limit, scratch, task)
        })
        .collect();
    let crossings = share(&mut ordered_next);
    done.par_iter().lean().for_each(|done| {
        for &(side, other) in &done.crossings {
            let place = places[(other / N as u32) as usize].load(Relaxed);
            crossings[side as usize].store(N as u32 * place + other % N as u32, Relaxed);
        }
    });
    let mut starts = vec![0];
    done.iter().for_each(|done| starts.extend(&done.ends));
    FaceOrder {
        starts,
        source,
        linear,
        next: ordered_next,
    }
}

#[derive(Default)]
struct OrderScratch<const N: usize> {
    lloyd: Lloyd<N>,
    next: Vec<u32>,
    rank: Vec<u32>,
    crossings: Vec<(u32, u32)>,
}

/// Partitions one region and writes its faces in patch order. `places` holds where each face lies in
/// its region's range before the task, and its linear id after it: either tells whose it is.
fn order_region<const N: usize>(
    next: &[u32],
    places: &[AtomicU32],
    limit: u32,
    scratch: &mut OrderScratch<N>,
    task: RegionTask<'_>,
) -> Done {
    let n = N as u32;
    gather(next, places, scratch, &task);
    let partition = scratch.lloyd.partition(limit);
    let partition = near_patches(&scratch.lloyd.adjacent, partition);
    scratch.rank.clear();
    scratch.rank.resize(task.faces.len(), 0);
    for (rank, &local) in partition.order.iter().enumerate() {
        scratch.rank[local as usize] = rank as u32;
    }
    for (rank, &local) in partition.order.iter().enumerate() {
        let face = task.faces[local as usize];
        task.source[rank] = face;
        places[face as usize].store(task.start + rank as u32, Relaxed);
        for k in 0..N {
            let side = scratch.next[N * local as usize + k];
            task.next[N * rank + k] = match side {
                NONE => NONE,
                side => n * (task.start + scratch.rank[(side / n) as usize]) + side % n,
            };
        }
    }
    let crossings = scratch.crossings.iter().map(|&(side, other)| {
        let rank = scratch.rank[(side / n) as usize];
        (n * (task.start + rank) + side % n, other)
    });
    Done {
        ends: partition.starts[1..]
            .iter()
            .map(|e| task.start + e)
            .collect(),
        crossings: crossings.collect(),
    }
}

/// Copies the region's part of the face graph to local numbers.
fn gather<const N: usize>(
    next: &[u32],
    places: &[AtomicU32],
    scratch: &mut OrderScratch<N>,
    task: &RegionTask<'_>,
) {
    let count = task.faces.len() as u32;
    let adjacent = &mut scratch.lloyd.adjacent;
    adjacent.clear();
    scratch.next.clear();
    scratch.crossings.clear();
    for &face in task.faces {
        let mut row = [NONE; N];
        for (k, &side) in next[N * face as usize..][..N].iter().enumerate() {
            let mut inner = NONE;
            if side != NONE {
                let local = places[(side / N as u32) as usize]
                    .load(Relaxed)
                    .wrapping_sub(task.start);
                if local < count {
                    row[k] = local;
                    inner = N as u32 * local + side % N as u32;
                } else {
                    scratch.crossings.push((scratch.next.len() as u32, side));
                }
            }
            scratch.next.push(inner);
        }
        adjacent.push(row);
    }
}

/// Renumbers the patches of a region breadth first over their graph, so that neighbours are near.
fn near_patches<const N: usize>(adjacent: &[[u32; N]], partition: Partition) -> Partition {
    let patches = partition.starts.len() - 1;
    if patches < 3 {
        return partition;
    }
    let mut label = vec![0; adjacent.len()];
    let range =
        |p: u32| partition.starts[p as usize] as usize..partition.starts[p as usize + 1] as usize;
    for patch in 0..patches as u32 {
        for &face in &partition.order[range(patch)] {
            label[face as usize] = patch;
        }
    }
    let mut seen = vec![false; patches];
    let mut queue: Vec<u32> = Vec::with_capacity(patches);
    let mut result = Partition {
        order: Vec::with_capacity(adjacent.len()),
        starts: vec![0],
    };
    for first in 0..patches as u32 {
        let mut head = queue.len();
        if !std::mem::replace(&mut seen[first as usize], true) {
            queue.push(first);
        }
        while head < queue.len() {
            let faces = &partition.order[range(queue[head])];
            for other in faces.iter().flat_map(|&face| adjacent[face as usize]) {
                if other != NONE
                    && !std::mem::replace(&mut seen[label[other as usize] as usize], true)
                {
                    queue.push(label[other as usize]);
                }
            }
            result.order.extend_from_slice(faces);
            result.starts.push(result.order.len() as u32);
            head += 1;
        }
    }
    result
}
