//! Flags of the commands that change the connectivity.

use super::ComputeArgs;
use clap::{Args, ValueEnum};

/// What all of them take.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
    /// Check every invariant of the result before it is written
    #[arg(long)]
    pub(crate) validate: bool,
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
