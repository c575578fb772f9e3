//! Speculative implementation of the interface of sessions.

use crate::launch::LaunchEdits;
use crate::patches::Patches;
use crate::run::{Speculation, SpeculativeOptions};
use rxmesh_host::Error;
use rxmesh_host::edit::{
    Edits, HostArrays, OpenMesh, RunReport, Runs, Seeds, Session, SessionFault, SplitSession,
};
use rxmesh_host::engine::{Buffer, Engine, EngineError, Ptx};
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::cavity::Operator;
use rxmesh_kernels::kernel::EntryOf;
use rxmesh_kernels::topo::Kind;
use rxmesh_speculative_kernels::{Mark, PlaceByHandle, Speculate};

/// Kernels as PTX, built by `cargo xtask ptx` and compressed by `build.rs`.
#[cfg(feature = "cuda")]
const PTX: Ptx<'static> = Ptx::Packed(include_bytes!(concat!(
    env!("OUT_DIR"),
    "/rxmesh_speculative_kernels.ptx.lzma"
)));
/// Without the `cuda` feature no engine loads PTX.
#[cfg(not(feature = "cuda"))]
const PTX: Ptx<'static> = Ptx::Text("");

/// Speculative edits: the set of cavities that are carried out depends on timing.
#[derive(Debug)]
pub struct Speculative {
    pub(crate) patches: Patches,
    pub(crate) options: SpeculativeOptions,
    /// Counts since the session was opened.
    pub(crate) total: Speculation,
    pub(crate) salt: u32,
    /// `true` if the sets of refused seeds may have members.
    pub(crate) has_refused: bool,
}

/// Permission to change the parts of a session.
#[derive(Debug)]
pub struct Access(());

/// Returns the parts of a session.
pub(crate) fn parts(session: &mut Session<Speculative>) -> SplitSession<'_, Speculative> {
    session.parts_mut(Access(()))
}

impl Speculative {
    /// Returns the counts since the session was opened.
    pub fn speculation(&self) -> Speculation {
        self.total
    }

    /// Returns the number of bytes of the patches on the engine, without attributes.
    pub fn patch_bytes(&self) -> usize {
        self.patches.bytes()
    }

    /// Sets the options of a session.
    pub fn set_options(session: &mut Session<Speculative>, options: SpeculativeOptions) {
        parts(session).edits.options = options;
    }

    /// Loads the kernels, unless the engine has them. Opening a session does it: only code that launches kernels itself
    /// calls it.
    ///
    /// # Errors
    ///
    /// Any error of the driver.
    pub fn load(engine: &Engine) -> Result<(), EngineError> {
        use rxmesh_speculative_kernels::{FINGERPRINT_SYMBOL, KERNELS};
        // SAFETY: the PTX that `cargo xtask ptx` built from the listed kernels (contract U4 of docs/inside/unsafe.md).
        unsafe { engine.load_ptx(PTX, FINGERPRINT_SYMBOL, KERNELS) }
    }
}

impl Edits for Speculative {
    const NAME: &'static str = "speculative";
    const ORDERED: bool = false;
    type Access = Access;

    /// # Errors
    ///
    /// [`Error::Options`] for a mesh whose patches are too large for the engine or have too many neighbours.
    fn open(rx: &RxMesh, mesh: OpenMesh) -> Result<(OpenMesh, Speculative), Error> {
        Speculative::load(rx.engine())?;
        let patches = Patches::build(rx, mesh.face_claims())?;
        let mesh = mesh.renumbered(patches.capacity(), patches.count)?;
        patches.flatten(&mesh)?;
        let engine = Speculative {
            patches,
            options: SpeculativeOptions::default(),
            total: Speculation::default(),
            salt: 0,
            has_refused: false,
        };
        Ok((mesh, engine))
    }

    fn place<T: Value>(
        &self,
        mesh: &OpenMesh,
        kind: Kind,
        from: &Buffer<T>,
    ) -> Result<Buffer<T>, EngineError> {
        let engine = mesh.engine();
        let values = engine.zeroed::<T>(mesh.capacity(kind) as usize)?;
        let from = from.global().cast::<u32>();
        engine.launch_flat(
            from.len(),
            PlaceByHandle {
                handles: self.patches.handles[kind as usize].global(),
                from,
                to: values.global_mut().cast(),
                width: (size_of::<T>() / size_of::<u32>()) as u32,
            },
        )?;
        Ok(values)
    }

    /// Patches have separate capacities, and grow in number.
    fn reserve(_: &mut Session<Speculative>, _: [u32; 3]) -> Result<(), Error> {
        Ok(())
    }

    fn enqueue_refused(session: &mut Session<Speculative>) -> Result<u32, Error> {
        let engine = session.engine().clone();
        let edits = parts(session).edits;
        if !std::mem::take(&mut edits.has_refused) {
            return Ok(0);
        }
        edits.patches.mark(&engine, Kind::Edge, Mark::Refused)
    }

    fn faults(session: &Session<Speculative>, _: &HostArrays) -> Result<Vec<SessionFault>, Error> {
        let found = session.edits().patches.faults()?;
        let found = found.iter().map(|f| SessionFault::Engine(f.to_string()));
        Ok(found.collect())
    }
}

impl<O: Operator + EntryOf<Speculate<O>>> Runs<O> for Speculative {
    unsafe fn run(
        session: &mut Session<Speculative>,
        seeds: Seeds,
        max_rounds: u32,
        op: impl FnMut(&Session<Speculative>) -> Result<O, Error>,
    ) -> Result<RunReport, Error> {
        crate::run::run(session, seeds, max_rounds, op)
    }
}
