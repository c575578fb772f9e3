//! The patches of a mesh, as launches need them.

use super::staging::{Fitting, Stages};
use super::{EngineError, StagingChoice};
use rxmesh_kernels::kernel::PatchKernel;
use rxmesh_kernels::topo::{Kind, MeshView, Needs, PatchHeader};
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// All kinds, in the order of their numbers.
const KINDS: [Kind; 4] = [Kind::Vertex, Kind::Edge, Kind::Face, Kind::Cell];

/// The patches of a mesh on an engine, as launches need them.
pub struct Patches {
    pub(crate) view: MeshView,
    pub(crate) headers: Arc<[PatchHeader]>,
    pub(super) mesh: u64,
    /// Parts that the mesh keeps.
    has: Needs,
    /// By kernel, [`PatchKernel::plan_key`] and staged fields.
    plans: Mutex<HashMap<(TypeId, u64, u64), u32>>,
    staging: Mutex<StagingChoice>,
    /// Most local elements of a patch, by [`Kind`].
    most: [u32; 4],
}

impl Patches {
    pub(crate) fn new(
        view: MeshView,
        headers: Arc<[PatchHeader]>,
        mesh: u64,
        has: Needs,
    ) -> Patches {
        let most = |kind| headers.iter().map(|h| h.total_of(kind)).max();
        Patches {
            most: KINDS.map(|kind| most(kind).unwrap_or(0)),
            view,
            headers,
            mesh,
            has,
            plans: Mutex::default(),
            staging: Mutex::default(),
        }
    }

    /// Refuses a kernel or relation that needs parts which the mesh does not keep.
    pub(crate) fn has_for(&self, what: &'static str, needs: Needs) -> Result<(), EngineError> {
        let missing = needs.without(self.has);
        if missing == Needs::NONE {
            return Ok(());
        }
        Err(EngineError::Needs {
            what,
            missing: missing.to_string(),
        })
    }

    /// Parts that the mesh keeps.
    pub(crate) fn has(&self) -> Needs {
        self.has
    }

    /// Returns the most shared memory that any patch needs for a kernel as it is, by the kernel's own plan.
    pub fn shared_bytes<K: PatchKernel>(&self, kernel: &K) -> u32 {
        let mut kernel = *kernel;
        self.shared_bytes_of(&Fitting::new(&mut kernel, &StagingChoice::All))
    }

    fn shared_bytes_of(&self, fitting: &Fitting<'_>) -> u32 {
        let (kernel, plan) = fitting.kernel.key();
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        *plans
            .entry((kernel, plan, fitting.staged()))
            .or_insert_with(|| {
                let each = self.headers.iter().map(|h| fitting.kernel.measure(h));
                each.max().unwrap_or(0)
            })
    }

    /// Stages the fields of the kernel that fit `room` bytes, of values to read only those with at most `most_read`
    /// bytes a patch, and returns the shared memory that the kernel then needs.
    pub(super) fn fit(
        &self,
        name: &str,
        kernel: &mut dyn Stages,
        choice: &StagingChoice,
        [room, most_read]: [u32; 2],
    ) -> u32 {
        let mut fitting = Fitting::new(kernel, choice);
        fitting.give_up_large(|field| {
            let bytes = u64::from(self.most[field.kind as usize]) * u64::from(field.bytes);
            bytes > u64::from(most_read)
        });
        let most = self.shared_bytes_of(&fitting);
        let mut shared = most;
        while shared > room {
            let Some(field) = fitting.give_up() else {
                break;
            };
            shared = self.shared_bytes_of(&fitting);
            tracing::info!(
                "{name}: {most} bytes of shared memory are more than {room}; field `{field}` stays in global memory, \
                    which leaves {shared}"
            );
        }
        shared
    }

    /// Returns the choice of staged fields.
    pub(crate) fn staging(&self) -> StagingChoice {
        let choice = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        choice.clone()
    }

    pub(crate) fn set_staging(&self, choice: StagingChoice) {
        *self.staging.lock().unwrap_or_else(PoisonError::into_inner) = choice;
    }
}
