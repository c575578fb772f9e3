//! PTX texts, and the functions that the driver's compiler makes of them.

use super::CudaEngine;
use super::driver::{self, Handle, Module};
use crate::engine::EngineError;
use crate::engine::Ptx;
use crate::engine::ptx::{self, Library, unpack};
use rxmesh_kernels::kernel::KernelInfo;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::PoisonError;

/// Shared memory that a block has without asking for more.
const DEFAULT_SHARED: u32 = 48 * 1024;

/// PTX texts, and the modules and functions that were made of them. A function lives as long as its module, and modules
/// are never unloaded before the engine.
#[derive(Default)]
pub(super) struct Modules {
    libraries: Vec<Library>,
    loaded: Vec<Module>,
    functions: HashMap<&'static str, Function>,
    /// `true` if kernels are compiled so that launches overlap.
    overlap: bool,
}

impl Modules {
    /// Holds nothing yet; `overlap` says that launches overlap.
    pub(super) fn new(overlap: bool) -> Modules {
        Modules {
            overlap,
            ..Modules::default()
        }
    }

    /// Compiles a kernel, for at most `registers` registers a thread if there is a limit.
    fn compile(
        &mut self,
        name: &'static str,
        registers: Option<u32>,
    ) -> Result<Function, EngineError> {
        let text = self
            .libraries
            .iter()
            .find_map(|l| l.module(name))
            .ok_or(EngineError::UnknownKernel(name))?;
        let no_body = || EngineError::Ptx(format!("kernel `{name}` has no body in the PTX"));
        // The driver's own option for it, as cust hands it over, is refused as an invalid value.
        let text = match registers {
            Some(most) => rxmesh_ptx::limit_registers(&text, name, most).ok_or_else(no_body)?,
            None => text,
        };
        let early = rxmesh_ptx::overlapping(&text).filter(|_| self.overlap);
        let overlaps = early.is_some();
        let text = CString::new(early.unwrap_or(text)).map_err(|_| no_body())?;
        let (module, handle) = driver::compile(&text, name).map_err(|code| {
            EngineError::Ptx(format!(
                "the driver's compiler refused kernel `{name}` with error {code}"
            ))
        })?;
        self.loaded.push(module);
        let function = Function {
            handle,
            shared: DEFAULT_SHARED,
            threads: driver::most_threads(handle)?,
            overlaps,
        };
        self.functions.insert(name, function);
        Ok(function)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Function {
    pub(super) handle: Handle,
    shared: u32,
    /// The most threads that a block can have, by its registers.
    pub(super) threads: u32,
    /// `true` if it waits by itself for the launch ahead of it, so that it may be launched before that has ended.
    pub(super) overlaps: bool,
}

impl CudaEngine {
    /// Adds PTX text, unless it is there, after checking that it belongs to the list. Its kernels are compiled when
    /// they are first launched.
    pub(super) fn load_library(
        &self,
        ptx: Ptx<'_>,
        symbol: &str,
        kernels: &[KernelInfo],
    ) -> Result<(), EngineError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if modules.libraries.iter().any(|l| l.is(symbol, kernels)) {
            return Ok(());
        }
        let text = unpack(ptx)?;
        ptx::check_target(&text, self.capability).map_err(EngineError::Ptx)?;
        let library = Library::new(&text, symbol, kernels)?;
        // Kernels are found by name: a second one of the same name would be launched in place of the first, or never.
        if let Some(taken) = kernels
            .iter()
            .find(|k| modules.libraries.iter().any(|l| l.has(k.name)))
        {
            return Err(EngineError::Ptx(format!(
                "another module has a kernel `{}` already",
                taken.name
            )));
        }
        modules.libraries.push(library);
        Ok(())
    }

    /// Returns the kernel's function, ready for a launch with this much shared memory.
    pub(super) fn function(
        &self,
        name: &'static str,
        registers: Option<u32>,
        shared: u32,
    ) -> Result<Function, EngineError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let function = match modules.functions.get(name) {
            Some(f) => *f,
            None => modules.compile(name, registers)?,
        };
        if shared > self.shared_limit {
            return Err(EngineError::SharedMemory {
                kernel: name,
                needed: shared,
                available: self.shared_limit,
            });
        }
        if shared > function.shared {
            driver::allow_shared(function.handle, self.shared_limit)?;
            modules.functions.insert(
                name,
                Function {
                    shared: self.shared_limit,
                    ..function
                },
            );
        }
        Ok(function)
    }
}
