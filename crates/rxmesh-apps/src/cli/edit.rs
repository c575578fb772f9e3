//! Flags of the commands that change the connectivity.

use super::ComputeArgs;
use clap::Args;

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
