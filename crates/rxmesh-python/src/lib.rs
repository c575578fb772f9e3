//! Operations of [`rxmesh`] as functions of a Python module.
//!
//! [`functions`] makes a function of every operation of the one list, [`keywords`] its keyword arguments of the
//! operation's command line options, [`help`] its docstring. [`forms`] runs an operation on meshes in memory. None of
//! these knows Python: the module itself (`python`, feature `extension`) converts arrays to meshes and back.

pub mod engines;
pub mod forms;
pub mod functions;
pub mod help;
pub mod keywords;
pub mod outputs;
#[cfg(feature = "extension")]
mod python;
pub mod render;
#[cfg(test)]
mod stubs;
