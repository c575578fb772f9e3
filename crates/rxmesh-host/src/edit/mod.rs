//! Edit sessions: a patched mesh opened for changes of its connectivity.
//!
//! [`Session::open`] makes flat arrays of the patches, [`Session::round`] and [`Session::run`] carry out an
//! [`Operator`](rxmesh_kernels::cavity::Operator), [`Session::validate`] looks for mistakes, [`Session::close`] makes patches again. docs/dynamic.md tells
//! the life of an edit.

mod close;
mod column;
mod grow;
mod open;
mod rounds;
mod session;
mod validate;

pub use close::Closed;
pub use column::Column;
pub use rounds::{RoundReport, RunReport, Seeds};
pub(crate) use session::Flat;
pub use session::{HostArrays, Session};
pub use validate::Violation;
