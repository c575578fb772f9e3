//! The speculative engine's host half: patches with room to grow, and the loop of launches (Mahmoud et al. 2024, sections 4.3 and 5.3).
//!
//! A session that is opened with [`Conflicts::Speculative`] keeps its mesh here; its flat arrays are written anew after each run, for what reads a mesh as
//! a whole. Elements change their ids when they change their patch, and their values in columns go with them.

mod patches;
mod run;
mod slice;
mod validate;

pub(crate) use patches::Patches;
pub use run::{Speculation, SpeculativeOptions};
pub use validate::PatchViolation;

/// Most faces that a patch should have when it is made: patches grow while they are worked on, to about twice their size (Mahmoud et al. 2024, section 6,
/// "Parameters").
pub const PATCH_SIZE: u32 = 256;

/// Who decides which of several overlapping cavities is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Conflicts {
    /// Claims on flat arrays, in rounds over the whole mesh: the same result on every run.
    #[default]
    Claims,
    /// Patches in shared memory, worked on at the same time, with locks where cavities reach over their borders (Mahmoud et al. 2024). Which cavities are
    /// carried out depends on who comes first.
    Speculative,
}

impl Speculation {
    /// The part of the visits that did nothing, 0 to 1; 0 when there was none (Mahmoud et al. 2024, Figure 6).
    pub fn wasted_share(&self) -> f64 {
        (self.turned + self.wasted) as f64 / self.visits.max(1) as f64
    }
}

impl std::fmt::Display for Conflicts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Conflicts::Claims => "claims",
            Conflicts::Speculative => "speculative",
        })
    }
}
