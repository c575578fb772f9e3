//! Vertices inside of a patch.
use super::patch::{Around, Patch};
pub(super) fn refine(_patch: &mut Patch, _around: &Around, _is_there: &dyn Fn(u32, u32) -> bool) {}
