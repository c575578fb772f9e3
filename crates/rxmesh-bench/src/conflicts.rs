//! Schedulers of edits that rows run on.

use anyhow::Result;
use rxmesh_host::edit::{Claims, Edits};
use serde_json::{Map, Value};

/// Scheduler of edits, as records name it, whether or not this program supports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditScheduler {
    /// Claims in rounds over the whole mesh.
    Claims,
    /// Patches in shared memory that lock their neighbours.
    Speculative,
}

/// Most faces of a patch in rows of the speculative scheduler.
#[cfg(feature = "speculative")]
pub(crate) const SPECULATIVE_PATCH_SIZE: Option<u32> = Some(rxmesh_speculative::PATCH_SIZE);
#[cfg(not(feature = "speculative"))]
pub(crate) const SPECULATIVE_PATCH_SIZE: Option<u32> = None;

/// Scheduler of edits, as rows use it.
pub(crate) trait Counts: Edits {
    /// Returns its counters, if it has any.
    fn counts(&self) -> Result<Option<Map<String, Value>>> {
        Ok(None)
    }

    /// Returns the bytes of the scheduler's own patches, if it has any.
    fn patch_bytes(&self) -> Option<usize> {
        None
    }
}

impl Counts for Claims {}

#[cfg(feature = "speculative")]
impl Counts for rxmesh_speculative::Speculative {
    fn counts(&self) -> Result<Option<Map<String, Value>>> {
        let did = self.speculation();
        let mut counts = Map::new();
        if let Value::Object(all) = serde_json::to_value(did)? {
            counts.extend(all);
        }
        counts.insert("wasted_percent".into(), (100.0 * did.wasted_share()).into());
        Ok(Some(counts))
    }

    fn patch_bytes(&self) -> Option<usize> {
        Some(rxmesh_speculative::Speculative::patch_bytes(self))
    }
}
