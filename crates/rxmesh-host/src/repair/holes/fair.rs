//! Fair.
use super::patch::{Around, Patch};
pub(super) fn fair(_patch: &mut Patch, _around: &Around) {}
