//! Flags of the commands that change the connectivity.

use super::ComputeArgs;
use super::shared::positive;
use clap::{Args, ValueEnum};

/// What all of them take.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
    /// Check every invariant of the result before it is written
    #[arg(long)]
    pub(crate) validate: bool,
    /// Keep the borders between objects, groups and materials as they are
    #[arg(long)]
    pub(crate) keep_groups: bool,
    /// Who decides between changes that overlap
    #[arg(long, value_enum, value_name = "WHO", default_value = "claims")]
    pub(crate) conflicts: ConflictsChoice,
}

/// Who decides between changes that overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConflictsChoice {
    /// Claims on flat arrays, in rounds over the whole mesh: the same result on every run
    Claims,
    #[cfg(feature = "speculative")]
    /// Patches in shared memory that lock their neighbours (Mahmoud et al. 2024): who comes first
    Speculative,
}

#[derive(Debug, Args)]
pub(crate) struct DelaunayArgs {
    #[command(flatten)]
    pub(crate) edit: EditArgs,
    /// Most rounds
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_rounds: u32,
}

/// Which edges go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CostChoice {
    /// Those with the least quadric error
    Quadric,
    /// The shortest
    Length,
}

#[derive(Debug, Args)]
pub(crate) struct SimplifyArgs {
    #[command(flatten)]
    pub(crate) edit: EditArgs,
    /// Stop at so many faces
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "ratio",
        conflicts_with = "ratio"
    )]
    pub(crate) faces: Option<u32>,
    /// Stop at this part of the faces, above 0 and at most 1
    #[arg(long, value_name = "R")]
    pub(crate) ratio: Option<f64>,
    /// Which edges go first
    #[arg(long, value_enum, value_name = "COST", default_value = "quadric")]
    pub(crate) cost: CostChoice,
    /// The part of the edges, the cheapest, that one round looks at: smaller is closer to one edge after the other, and slower
    #[arg(long, value_name = "Q", default_value_t = 0.15)]
    pub(crate) quantile: f64,
    /// Most rounds
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) max_rounds: u32,
}

#[derive(Debug, Args)]
pub(crate) struct RemeshArgs {
    #[command(flatten)]
    pub(crate) edit: EditArgs,
    /// The length that edges shall have [default: the mean length of the input's edges]
    #[arg(long, value_name = "LENGTH", value_parser = positive)]
    pub(crate) target_length: Option<f64>,
    /// How often to split, contract, flip and smooth
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) iterations: u32,
    /// Keep edges whose faces meet at this angle in degrees or more (0 is flat)
    #[arg(long, value_name = "ANGLE", value_parser = positive)]
    pub(crate) keep_features: Option<f64>,
    /// Move vertices back to the input's surface in each iteration
    #[arg(long)]
    pub(crate) project: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TrackArgs {
    #[command(flatten)]
    pub(crate) edit: EditArgs,
    /// How often to move the surface and to improve its mesh
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) frames: u32,
    /// Time of a frame
    #[arg(long, value_name = "DT", default_value_t = 0.01, value_parser = positive)]
    pub(crate) time_step: f64,
    /// Velocity of the field, about
    #[arg(long, value_name = "SPEED", default_value_t = 1.0, value_parser = positive)]
    pub(crate) speed: f64,
    /// Size of the field's eddies, about
    #[arg(long, value_name = "LENGTH", default_value_t = 1.0, value_parser = positive)]
    pub(crate) noise_scale: f64,
    /// The length that edges shall have about: half as long to half as long again [default: the mean length of the input's edges]
    #[arg(long, value_name = "LENGTH", value_parser = positive)]
    pub(crate) target_length: Option<f64>,
    /// Write every frame, numbered, beside the last one
    #[arg(long)]
    pub(crate) sequence: bool,
}
