//! PTX texts of lists of kernels.

use super::EngineError;
#[cfg(feature = "cuda")]
use super::Ptx;
use rxmesh_kernels::kernel::{KernelInfo, fingerprint};
use rxmesh_ptx::Kernels;
#[cfg(feature = "cuda")]
use std::borrow::Cow;

/// A PTX text, one kernel at a time: the driver compiles only launched kernels.
pub(super) struct Library {
    /// Symbol that carries the fingerprint of its list, and the fingerprint.
    fingerprint: (String, u64),
    kernels: Kernels,
}

impl Library {
    /// Cuts a text, after checking that it carries the list's fingerprint and holds all of its kernels.
    pub(super) fn new(
        text: &str,
        symbol: &str,
        list: &[KernelInfo],
    ) -> Result<Library, EngineError> {
        let found = rxmesh_ptx::constant(text, symbol)
            .ok_or_else(|| EngineError::Ptx(format!("the PTX has no symbol `{symbol}`")))?;
        let want = fingerprint(list);
        if found != want {
            return Err(EngineError::Ptx(format!(
                "the PTX was built from other sources (fingerprint {found:016x}, this build has {want:016x}); rebuild \
                    it"
            )));
        }
        let kernels = Kernels::cut(text);
        match list.iter().find(|k| !kernels.has(k.name)) {
            Some(k) => Err(EngineError::UnknownKernel(k.name)),
            None => Ok(Library {
                fingerprint: (symbol.to_string(), want),
                kernels,
            }),
        }
    }

    /// Returns `true` if the library was loaded for this list.
    pub(super) fn is(&self, symbol: &str, list: &[KernelInfo]) -> bool {
        self.fingerprint.0 == symbol && self.fingerprint.1 == fingerprint(list)
    }

    /// Returns `true` if there is a kernel of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.kernels.has(name)
    }

    /// Returns the text of a module with one kernel.
    pub(super) fn module(&self, name: &str) -> Option<String> {
        self.kernels.module(name)
    }
}

/// Fails with the reason if PTX cannot run on a device of a compute capability (major, minor).
pub(super) fn check_target(text: &str, (major, minor): (u32, u32)) -> Result<(), String> {
    let target = rxmesh_ptx::target(text).ok_or("the PTX names no target (.target)")?;
    // Two digits or more, the last of which is the minor number.
    if 10 * major + minor < target {
        return Err(format!(
            "its compute capability is {major}.{minor}, but the kernels need {}.{} or later",
            target / 10,
            target % 10
        ));
    }
    Ok(())
}

/// Returns the text of the PTX, unpacked if needed.
#[cfg(feature = "cuda")]
pub(super) fn unpack(ptx: Ptx<'_>) -> Result<Cow<'_, str>, EngineError> {
    match ptx {
        Ptx::Text(text) => Ok(Cow::Borrowed(text)),
        Ptx::Packed(packed) => rxmesh_ptx::unpack(packed)
            .map(Cow::Owned)
            .map_err(|why| EngineError::Ptx(format!("the packed PTX is damaged: {why}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_is_compared() {
        let text = ".visible .global .align 8 .b8 fp[8] = {1, 2, 0, 0, 0, 0, 0, 0};\n";
        for symbol in ["fp", "other"] {
            let library = Library::new(text, symbol, &[]);
            assert!(matches!(library, Err(EngineError::Ptx(_))));
        }
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn damage_of_packed_text_is_told() {
        let told = unpack(Ptx::Packed(&[1; 30]));
        assert!(matches!(told, Err(EngineError::Ptx(_))), "{told:?}");
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn launches_of_every_kernel_overlap() {
        let kernels = Kernels::cut(include_str!("../../ptx/rxmesh_kernels.ptx"));
        for k in rxmesh_kernels::entry::KERNELS {
            let module = kernels.module(k.name).expect("every kernel");
            assert!(rxmesh_ptx::overlapping(&module).is_some());
        }
    }

    #[test]
    fn devices_are_new_enough_or_refused() {
        let text = include_str!("../../ptx/rxmesh_kernels.ptx");
        for capability in [(7, 5), (8, 0), (9, 0), (10, 0), (12, 1)] {
            assert_eq!(check_target(text, capability), Ok(()));
        }
        for (major, minor) in [(7, 0), (6, 1), (3, 5)] {
            let why = check_target(text, (major, minor)).expect_err("too old");
            assert!(
                why.contains(&format!("{major}.{minor}")) && why.contains("7.5"),
                "{why}"
            );
        }
        assert!(check_target("// nothing", (9, 0)).is_err());
        assert_eq!(check_target(".target sm_90a, debug\n", (9, 0)), Ok(()));
    }

    #[test]
    fn the_projects_text_belongs_to_the_projects_list() {
        let text = include_str!("../../ptx/rxmesh_kernels.ptx");
        let list = rxmesh_kernels::entry::KERNELS;
        let library = Library::new(text, rxmesh_kernels::entry::FINGERPRINT_SYMBOL, list)
            .expect("the committed PTX");
        for k in list {
            let module = library.module(k.name).expect("every kernel");
            assert_eq!(module.matches(".entry").count(), 1);
        }
    }
}
