//! Edges and faces of the cells that a patch holds: found, owned and numbered. `M` is the number of their vertices.

use crate::par::IntoLean;
use rayon::prelude::*;

use super::super::shared::{prefix_sum, split_mut};
use super::owners::Owners;
use crate::mesh::CELL_FACES;

/// Edges or faces of a mesh.
#[derive(Default)]
pub(super) struct Simplices<const M: usize> {
    /// Start of each patch's own keys; the total at the end.
    pub(super) starts: Vec<u32>,
    /// Vertices of each, ascending linear ids, by linear id. They ascend: a patch owns what its vertices come first in,
    /// because vertices of lower patches have lower ids.
    pub(super) keys: Vec<[u32; M]>,
    /// Start of the keys that begin with each vertex; the total at the end.
    firsts: Vec<u32>,
    /// `true` for keys that run the other way round in the lowest cell that has them.
    pub(super) turned: Vec<bool>,
}

/// Corners of a cell's six edges or four faces.
pub(super) trait CellSides<const M: usize> {
    /// Corners of each edge or face.
    const OF: &'static [[usize; M]];
}

pub(super) struct Pairs;
impl CellSides<2> for Pairs {
    const OF: &'static [[usize; 2]] = &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
}

pub(super) struct Triples;
impl CellSides<3> for Triples {
    const OF: &'static [[usize; 3]] = &CELL_FACES;
}

/// Returns `true` if a permutation of ascending ids is odd.
fn is_odd<const M: usize>(ids: [u32; M]) -> bool {
    let pairs = (0..M).flat_map(|i| (i + 1..M).map(move |j| (i, j)));
    pairs.filter(|&(i, j)| ids[i] > ids[j]).count() % 2 == 1
}

/// Returns the vertices of part `which` of a cell, ascending.
pub(super) fn key<const M: usize, C: CellSides<M>>(cell: &[u32; 4], which: usize) -> [u32; M] {
    let mut key = C::OF[which].map(|k| cell[k]);
    key.sort_unstable();
    key
}

/// Numbers sorted by a bucket first; kept by a thread from patch to patch.
#[derive(Default)]
struct Buckets {
    ends: Vec<u32>,
    entries: Vec<(u32, u128)>,
    sorted: Vec<u128>,
}

impl Buckets {
    fn clear(&mut self, buckets: usize) {
        self.ends.clear();
        self.ends.resize(buckets, 0);
        self.entries.clear();
    }

    fn push(&mut self, bucket: u32, entry: u128) {
        self.ends[bucket as usize] += 1;
        self.entries.push((bucket, entry));
    }

    /// Returns the entries by bucket, ascending; of those that differ in the lowest word alone the first.
    fn sorted(&mut self) -> impl Iterator<Item = (u32, u128)> + '_ {
        let mut sum = 0;
        for end in &mut self.ends {
            sum += std::mem::replace(end, sum);
        }
        self.sorted.clear();
        self.sorted.resize(self.entries.len(), 0);
        for &(bucket, entry) in &self.entries {
            let at = &mut self.ends[bucket as usize];
            self.sorted[*at as usize] = entry;
            *at += 1;
        }
        let mut rest = &mut self.sorted[..];
        let mut start = 0;
        (0..).zip(&self.ends).flat_map(move |(bucket, &end)| {
            let row = rest
                .split_off_mut(..(end - start) as usize)
                .unwrap_or_default();
            start = end;
            row.sort_unstable();
            row.chunk_by(|a, b| a >> 32 == b >> 32)
                .map(move |same| (bucket, same[0]))
        })
    }
}

impl<const M: usize> Simplices<M> {
    /// Finds the parts that each patch owns among the cells that it holds.
    pub(super) fn build<C: CellSides<M>>(owners: &Owners, ribbons: &[Vec<u32>]) -> Self {
        let lists: Vec<Vec<([u32; M], bool)>> = ribbons
            .par_iter()
            .enumerate()
            .lean()
            .map_init(Buckets::default, |buckets, (patch, ribbon)| {
                let vertices = owners.vertices[patch]..owners.vertices[patch + 1];
                buckets.clear(vertices.len());
                for cell in local_cells(owners, patch, ribbon) {
                    let row = &owners.corners[cell as usize];
                    for (which, corners) in C::OF.iter().enumerate() {
                        let key = key::<M, C>(row, which);
                        if vertices.contains(&key[0]) {
                            let turned = is_odd(corners.map(|k| row[k]));
                            let tag = cell << 1 | u32::from(turned);
                            let rest = key[1..].iter().chain([&tag]);
                            let packed =
                                rest.fold(0u128, |all, &word| all << 32 | u128::from(word));
                            buckets.push(key[0] - vertices.start, packed);
                        }
                    }
                }
                buckets
                    .sorted()
                    .map(|(bucket, packed)| {
                        let mut key = [vertices.start + bucket; M];
                        for (k, word) in key.iter_mut().enumerate().skip(1) {
                            *word = (packed >> (32 * (M - k))) as u32;
                        }
                        (key, packed & 1 == 1)
                    })
                    .collect()
            })
            .collect();
        let starts = prefix_sum(lists.iter().map(|l| l.len() as u32));
        let total = starts.last().copied().unwrap_or(0) as usize;
        let (mut keys, mut turned) = (vec![[0; M]; total], vec![false; total]);
        let parts = split_mut(&mut keys, &starts, 1)
            .into_par_iter()
            .zip(split_mut(&mut turned, &starts, 1));
        parts.zip(lists).lean().for_each(|((keys, turned), own)| {
            for (i, (key, odd)) in own.into_iter().enumerate() {
                (keys[i], turned[i]) = (key, odd);
            }
        });
        Simplices {
            firsts: firsts(owners, &starts, &keys),
            starts,
            keys,
            turned,
        }
    }

    /// Returns empty lists for all patches.
    pub(super) fn none(patches: usize) -> Self {
        Simplices {
            starts: vec![0; patches + 1],
            firsts: Vec::new(),
            keys: Vec::new(),
            turned: Vec::new(),
        }
    }

    /// Returns the linear id of an edge or a face that there is.
    pub(super) fn find(&self, key: &[u32; M]) -> u32 {
        let first = key[0] as usize;
        let range = self.firsts[first] as usize..self.firsts[first + 1] as usize;
        // Linear search is faster than binary search for few keys.
        let mut keys = &self.keys[range.clone()];
        let mut at = range.start;
        while keys.len() > 16 {
            let (low, high) = keys.split_at(keys.len() / 2);
            if high[0] <= *key {
                at += low.len();
                keys = high;
            } else {
                keys = low;
            }
        }
        (at + keys.iter().take_while(|k| *k < key).count()) as u32
    }
}

/// Returns the start of the keys that begin with each vertex, and the total.
fn firsts<const M: usize>(owners: &Owners, starts: &[u32], keys: &[[u32; M]]) -> Vec<u32> {
    let mut firsts = vec![keys.len() as u32; owners.vertex_source.len() + 1];
    // Patches of vertices without cells come last, and own no key.
    let of_patches = split_mut(&mut firsts, &owners.vertices, 1);
    of_patches
        .into_par_iter()
        .zip(starts.par_windows(2))
        .enumerate()
        .lean()
        .for_each(|(patch, (firsts, range))| {
            let mut at = range[0];
            for (v, first) in (owners.vertices[patch]..).zip(firsts) {
                while at < range[1] && keys[at as usize][0] < v {
                    at += 1;
                }
                *first = at;
            }
        });
    firsts
}

/// Returns the cells that a patch holds: its own, then its ribbon.
pub(super) fn local_cells<'a>(
    owners: &Owners,
    patch: usize,
    ribbon: &'a [u32],
) -> impl Iterator<Item = u32> + Clone + 'a {
    (owners.cells[patch]..owners.cells[patch + 1]).chain(ribbon.iter().copied())
}
