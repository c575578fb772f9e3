//! The engines of edits that commands choose from.

use crate::cli::PatchArgs;
use anyhow::Result;
use rxmesh_host::edit::{Claims, Edits};

/// An engine of edits, as commands need it.
pub(super) trait Conflicts: Edits {
    /// Most faces of a patch, unless the user says.
    const PATCH_SIZE: u32;

    /// What the engine counted, if it counts.
    fn did(&self) -> Result<Option<Did>> {
        Ok(None)
    }
}

/// What an engine of edits counted.
pub(super) struct Did {
    /// For the record.
    pub(super) record: serde_json::Value,
    /// In words.
    pub(super) words: String,
}

impl Conflicts for Claims {
    const PATCH_SIZE: u32 = PatchArgs::DEFAULT_SIZE;
}

/// Runs a command's function with the engine of edits that was asked for: `by_conflicts!(choice, function(arguments))`.
macro_rules! by_conflicts {
    ($choice:expr, $run:ident($args:expr)) => {
        match $choice {
            $crate::cli::ConflictsChoice::Claims => $run::<rxmesh_host::edit::Claims>($args),
            #[cfg(feature = "speculative")]
            $crate::cli::ConflictsChoice::Speculative => {
                $run::<rxmesh_speculative::Speculative>($args)
            }
        }
    };
}
pub(super) use by_conflicts;

#[cfg(feature = "speculative")]
mod speculative {
    use super::{Conflicts, Did};
    use crate::commands::text;
    use anyhow::Result;
    use rxmesh_speculative::{PATCH_SIZE, Speculation, Speculative};

    #[derive(serde::Serialize)]
    struct Record {
        #[serde(flatten)]
        counts: Speculation,
        /// The part of the visits that did nothing, in percent.
        wasted_percent: f64,
    }

    impl Conflicts for Speculative {
        const PATCH_SIZE: u32 = PATCH_SIZE;

        fn did(&self) -> Result<Option<Did>> {
            let counts = self.speculation();
            let wasted_percent = 100.0 * counts.wasted_share();
            Ok(Some(Did {
                record: serde_json::to_value(Record {
                    counts,
                    wasted_percent,
                })?,
                words: format!(
                    "{} launches, {} visits of patches ({} % wasted), {} vertices moved to another patch, {} patches sliced, {} merged",
                    counts.launches,
                    counts.visits,
                    text::number(wasted_percent),
                    counts.moved,
                    counts.sliced,
                    counts.merged
                ),
            }))
        }
    }
}
