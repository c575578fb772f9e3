//! Edit sessions: a patched mesh opened for changes of its connectivity.
//!
//! [`Session::open`] makes flat arrays of the patches, [`Session::run_operator`] carries out an
//! [`Operator`](rxmesh_kernels::cavity::Operator), [`Session::validate`] finds faults, [`Session::close`] makes patches
//! again. docs/inside/life-of-an-edit.md describes the life of an edit.
//!
//! A session has three parts: the mesh as flat arrays ([`OpenMesh`]), the attributes ([`Columns`]), and the state of
//! the scheduler of edits, [`Claims`] unless another one is requested ([`Session::open_with`]; [`Edits`] defines one).

mod arrays;
mod carry;
mod claims;
mod close;
mod columns;
mod cut;
mod labels;
mod mesh;
mod scheduler;
mod session;
mod validate;
mod weld;

pub use carry::{Borders, Carried, ElementMap, GONE};
pub use claims::{Claims, ClaimsAccess};
pub(crate) use claims::{Course, NextSeeds};
pub use close::Closed;
pub use columns::{Blend, Column, ColumnWords, Columns};
pub use cut::Cut;
pub(crate) use labels::{check_face, check_labels};
pub use mesh::{HostArrays, OpenMesh};
pub use scheduler::{Edits, RoundReport, RunReport, Runs, Seeds, SplitSession};
pub use session::{Motion, Session};
pub use validate::SessionFault;
