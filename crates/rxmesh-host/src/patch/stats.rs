//! Figures about a patch set.

use rxmesh_kernels::topo::{Kind, PatchHeader};

/// Figures about a patch set, for `info` and for benchmarks.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PatchStats {
    /// Number of patches, those of isolated vertices included.
    pub patches: u32,
    /// Owned faces of the smallest, the mean and the largest patch that has faces.
    pub size_min: u32,
    /// See `size_min`.
    pub size_mean: f32,
    /// See `size_min`.
    pub size_max: u32,
    /// Ribbon elements over owned elements, in percent, of V, E and F.
    pub ribbon_percent: [f32; 3],
    /// Lloyd rounds, the last growth included.
    pub rounds: u32,
    /// Bytes a face.
    pub bytes: BytesPerFace,
    /// Milliseconds by stage. All zero in a patch set that was loaded.
    pub times: StageTimes,
}

/// Bytes a face, by part. Slack and alignment are included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BytesPerFace {
    /// Section FE.
    pub fe: f32,
    /// Section EV.
    pub ev: f32,
    /// Owned and active masks.
    pub masks: f32,
    /// Lists of linear ids.
    pub ribbons: f32,
    /// Headers.
    pub headers: f32,
    /// Sum of all of these.
    pub total: f32,
}

/// Milliseconds that the stages of [`super::build`] took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageTimes {
    /// Checking indices and pairing the sides of faces.
    pub adjacency: f32,
    /// Growing regions of many patches, and finding small components.
    pub regions: f32,
    /// Lloyd rounds in the regions, and the order of the faces.
    pub patches: f32,
    /// Owners and ids of vertices and edges.
    pub elements: f32,
    /// Ribbons.
    pub ribbons: f32,
    /// Writing the final arrays.
    pub pack: f32,
    /// Sum of all.
    pub total: f32,
}

impl PatchStats {
    /// Computes all figures except times and rounds.
    pub(crate) fn new(headers: &[PatchHeader], counts: [u32; 3]) -> Self {
        let sizes = || {
            headers
                .iter()
                .map(|h| u32::from(h.owned[2]))
                .filter(|&n| n > 0)
        };
        let percent = |kind: Kind| {
            let k = kind as usize;
            let ribbon: u64 = headers
                .iter()
                .map(|h| u64::from(h.total[k] - h.owned[k]))
                .sum();
            100.0 * ribbon as f32 / counts[k].max(1) as f32
        };
        let per_face = |bytes: &dyn Fn(&PatchHeader) -> u32| {
            let sum: u64 = headers.iter().map(|h| u64::from(bytes(h))).sum();
            sum as f32 / counts[2].max(1) as f32
        };
        let ev = |h: &PatchHeader| 2 * (h.fe_section() - h.topology);
        let mut bytes = BytesPerFace {
            fe: per_face(&|h| 2 * h.topology_len() - ev(h)),
            ev: per_face(&ev),
            masks: per_face(&|h| 4 * h.mask_len()),
            ribbons: per_face(&|h| 4 * h.ribbon_len()),
            headers: per_face(&|_| size_of::<PatchHeader>() as u32),
            total: 0.0,
        };
        bytes.total = bytes.fe + bytes.ev + bytes.masks + bytes.ribbons + bytes.headers;
        Self {
            patches: headers.len() as u32,
            size_min: sizes().min().unwrap_or(0),
            size_mean: counts[2] as f32 / sizes().count().max(1) as f32,
            size_max: sizes().max().unwrap_or(0),
            ribbon_percent: Kind::ALL.map(percent),
            rounds: 0,
            bytes,
            times: StageTimes::default(),
        }
    }
}
