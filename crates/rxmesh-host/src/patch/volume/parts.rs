//! Edges and faces of the cells that a patch holds: found, owned and numbered. `M` is the number of their vertices.

use rayon::prelude::*;

use super::super::shared::{Locator, prefix_sum};
use super::owners::Owners;
use crate::mesh::CELL_FACES;

/// The edges or the faces of a mesh.
#[derive(Default)]
pub(super) struct Parts<const M: usize> {
    /// Where each patch's own ones start; the total at the end.
    pub(super) starts: Vec<u32>,
    /// Vertices of each, ascending linear ids, by linear id.
    pub(super) keys: Vec<[u32; M]>,
    /// Whether they run the other way round in the lowest cell that has it.
    pub(super) turned: Vec<bool>,
}

/// The corners of a cell's six edges or four faces.
pub(super) trait Corners<const M: usize> {
    /// For each of them its corners.
    const OF: &'static [[usize; M]];
}

pub(super) struct Pairs;
impl Corners<2> for Pairs {
    const OF: &'static [[usize; 2]] = &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
}

pub(super) struct Triples;
impl Corners<3> for Triples {
    const OF: &'static [[usize; 3]] = &CELL_FACES;
}

/// Whether a permutation of ascending ids is odd.
fn is_odd<const M: usize>(ids: [u32; M]) -> bool {
    let pairs = (0..M).flat_map(|i| (i + 1..M).map(move |j| (i, j)));
    pairs.filter(|&(i, j)| ids[i] > ids[j]).count() % 2 == 1
}

/// The vertices of part `which` of a cell, ascending.
pub(super) fn key<const M: usize, C: Corners<M>>(cell: &[u32; 4], which: usize) -> [u32; M] {
    let mut key = C::OF[which].map(|k| cell[k]);
    key.sort_unstable();
    key
}

impl<const M: usize> Parts<M> {
    /// Finds what each patch owns among the cells that it holds.
    pub(super) fn build<C: Corners<M>>(owners: &Owners, ribbons: &[Vec<u32>]) -> Self {
        let vertices = Locator::new(&owners.vertices);
        let lists: Vec<Vec<([u32; M], u32, bool)>> = ribbons
            .par_iter()
            .enumerate()
            .map(|(patch, ribbon)| {
                let mut own = Vec::new();
                for cell in local_cells(owners, patch, ribbon) {
                    let row = &owners.corners[cell as usize];
                    let of = row.map(|v| vertices.find(v));
                    for (which, corners) in C::OF.iter().enumerate() {
                        if corners.iter().map(|&k| of[k]).min() == Some(patch as u32) {
                            let turned = is_odd(corners.map(|k| row[k]));
                            own.push((key::<M, C>(row, which), cell, turned));
                        }
                    }
                }
                own.sort_unstable();
                own.dedup_by_key(|&mut (key, ..)| key);
                own
            })
            .collect();
        Parts {
            starts: prefix_sum(lists.iter().map(|l| l.len() as u32)),
            keys: lists.iter().flatten().map(|own| own.0).collect(),
            turned: lists.iter().flatten().map(|own| own.2).collect(),
        }
    }

    /// None of any patch.
    pub(super) fn none(patches: usize) -> Self {
        Parts {
            starts: vec![0; patches + 1],
            keys: Vec::new(),
            turned: Vec::new(),
        }
    }

    /// The linear id of an edge or a face that there is.
    pub(super) fn find(&self, vertices: &Locator<'_>, key: &[u32; M]) -> u32 {
        let owner = key.iter().map(|&v| vertices.find(v)).min().unwrap_or(0) as usize;
        let own = self.starts[owner] as usize..self.starts[owner + 1] as usize;
        let at = self.keys[own.clone()].partition_point(|k| k < key);
        (own.start + at) as u32
    }
}

/// The cells that a patch holds: its own, then its ribbon.
pub(super) fn local_cells<'a>(
    owners: &Owners,
    patch: usize,
    ribbon: &'a [u32],
) -> impl Iterator<Item = u32> + Clone + 'a {
    (owners.cells[patch]..owners.cells[patch + 1]).chain(ribbon.iter().copied())
}
