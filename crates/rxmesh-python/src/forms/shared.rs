//! Keyword arguments that several functions share.

use clap::Args;
use rxmesh::host::engine::EngineChoice;
use rxmesh::on::{Keep, PatchesOn, Scheduler};
use std::path::PathBuf;

/// Choice of the engine.
#[derive(Clone, Copy, Debug, Args)]
pub struct EngineKeyword {
    /// Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), or cuda:N
    /// (the GPU with number N)
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub engine: EngineChoice,
}

/// Options of cutting the mesh into patches.
#[derive(Clone, Copy, Debug, Args)]
pub struct PatchKeywords {
    /// Most faces per patch [default: 512, with conflicts="speculative" 256]
    #[arg(long, value_name = "FACES", value_parser = clap::value_parser!(u32).range(1..=65535))]
    pub patch_size: Option<u32>,
    /// Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places
    /// differ
    #[arg(long, value_enum, value_name = "WHERE", default_value_t)]
    pub patches_on: PatchesOn,
    /// Seed of random choices: the same seed gives the same result
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
}

/// Options of operations on the connectivity.
#[derive(Clone, Debug, Args)]
pub struct EditKeywords {
    /// Check every invariant of the result (track: of every frame)
    #[arg(long)]
    pub validate: bool,
    /// Keep the borders between objects, groups and materials as the boundary is kept (simplify: done by default)
    #[arg(long)]
    pub keep_groups: bool,
    /// Keep the borders between faces with different values in these columns of whole numbers, too
    #[arg(long, value_name = "COLUMN")]
    pub groups_from: Vec<String>,
    /// Do not keep seams, where texture coordinates or normals of corners differ between faces and where vertices are
    /// split (simplify: nor borders between groups)
    #[arg(long)]
    pub no_keep_seams: bool,
    /// Give the place of each vertex and face of the input in the result as `vertex_map` and `face_map`, -1 for those
    /// that are gone
    #[arg(long, conflicts_with = "repair")]
    pub map: bool,
    /// Scheduler that decides between changes that overlap
    #[arg(long, value_enum, value_name = "WHO", default_value_t)]
    pub conflicts: Scheduler,
    /// Repair the mesh first, as the function `repair` does
    #[arg(long)]
    pub repair: bool,
}

impl EditKeywords {
    /// Ids of the keyword arguments.
    pub(super) const IDS: [&'static str; 7] = [
        "validate",
        "keep_groups",
        "groups_from",
        "no_keep_seams",
        "map",
        "conflicts",
        "repair",
    ];

    pub(super) fn keep(&self) -> Keep {
        Keep {
            groups: self.keep_groups,
            seams: !self.no_keep_seams,
            columns: self.groups_from.clone(),
        }
    }
}

/// Keyword arguments of operations on vertices.
#[derive(Clone, Debug, Args)]
pub struct VertexKeywords {
    #[command(flatten)]
    pub(super) engine: EngineKeyword,
    #[command(flatten)]
    pub(super) patch: PatchKeywords,
}

/// Keyword arguments of operations on the connectivity.
#[derive(Clone, Debug, Args)]
pub struct ConnectivityKeywords {
    #[command(flatten)]
    pub(super) edit: EditKeywords,
    #[command(flatten)]
    pub(super) engine: EngineKeyword,
    #[command(flatten)]
    pub(super) patch: PatchKeywords,
}

/// Keyword arguments of operations that move a body.
#[derive(Clone, Copy, Debug, Args)]
pub struct FrameKeywords {
    /// Give the bodies at every frame as `frames`
    #[arg(long)]
    pub frames: bool,
    #[command(flatten)]
    pub(super) engine: EngineKeyword,
}

/// Keyword arguments of operations that move a scene.
#[derive(Clone, Debug, Args)]
pub struct SceneKeywords {
    /// Write the final state to a file, from which `resume` continues
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Continue from the state in a file
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub(super) frame: FrameKeywords,
}
