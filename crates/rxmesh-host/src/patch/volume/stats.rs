//! Figures about a volume's patches.

use rxmesh_kernels::topo::{Kind, PatchHeader};

use super::VolumeSet;

/// Figures about a volume's patches, for `info` and for benchmarks.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct VolumeStats {
    /// Number of patches, those of isolated vertices included.
    pub patches: u32,
    /// Owned cells of the smallest, the mean and the largest patch that has cells.
    pub size_min: u32,
    /// See `size_min`.
    pub size_mean: f32,
    /// See `size_min`.
    pub size_max: u32,
    /// Local elements with shell 0 over owned ones, of V, E and F: the number of times that one is loaded by kernels
    /// over CV, CE, CF, EV or FV; 1 if there are none.
    pub near: [f32; 3],
    /// Local elements over owned ones, of V, E, F and C: the number of times that one is loaded by the other kernels.
    pub local: [f32; 4],
    /// Bytes a cell on an engine.
    pub bytes: f32,
}

impl VolumeSet {
    /// Computes figures about the patches.
    pub fn stats(&self) -> VolumeStats {
        let sum = |of: &dyn Fn(&PatchHeader) -> u32| -> u64 {
            self.headers.iter().map(|h| u64::from(of(h))).sum()
        };
        let ratio = |kind: Kind, of: &dyn Fn(&PatchHeader) -> u32| match self.counts[kind as usize]
        {
            0 => 1.0,
            owned => sum(of) as f32 / owned as f32,
        };
        let sizes = || {
            let sizes = self.headers.iter().map(|h| u32::from(h.cells_owned));
            sizes.filter(|&n| n > 0)
        };
        let cells = self.counts[3].max(1) as f32;
        let bytes = size_of_val(&self.headers[..])
            + size_of_val(&self.topology[..])
            + size_of_val(&self.ribbons[..]);
        VolumeStats {
            patches: self.headers.len() as u32,
            size_min: sizes().min().unwrap_or(0),
            size_mean: self.counts[3] as f32 / sizes().count().max(1) as f32,
            size_max: sizes().max().unwrap_or(0),
            near: Kind::ALL.map(|kind| ratio(kind, &|h| h.near_of(kind))),
            local: Kind::VOLUME.map(|kind| ratio(kind, &|h| h.total_of(kind))),
            bytes: bytes as f32 / cells,
        }
    }
}
