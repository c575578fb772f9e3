//! The entries of an operator's kernels.

use super::{Claim, FillIn, Operator, Resolve, Rounds, Want};
use crate::kernel::Entry;

/// Names of an operator's kernels: [`Want`], [`Claim`], [`Resolve`], [`FillIn`], [`Rounds`]. Implemented by
/// [`crate::entries!`] for operators listed as `operator`: a trait of the operator, so that a crate can list its own
/// operators.
///
/// # Safety
///
/// The PTX entry of this name takes the parameters of each kernel and runs it: [`crate::entries!`] makes both of one
/// line (contract U4).
pub unsafe trait OperatorEntry: Operator {
    /// Name of the PTX entry that tests seeds.
    const WANT: &'static str;
    /// Name of the PTX entry that claims.
    const CLAIM: &'static str;
    /// Name of the PTX entry that resolves.
    const RESOLVE: &'static str;
    /// Name of the PTX entry that fills in.
    const FILL: &'static str;
    /// Name of the PTX entry that runs rounds of few seeds.
    const ROUNDS: &'static str;
}

// SAFETY: the name is the promise of the bound.
unsafe impl<O: OperatorEntry> Entry for Want<O> {
    const NAME: &'static str = O::WANT;
}

// SAFETY: the name is the promise of the bound.
unsafe impl<O: OperatorEntry> Entry for Claim<O> {
    const NAME: &'static str = O::CLAIM;
}

// SAFETY: the name is the promise of the bound.
unsafe impl<O: OperatorEntry> Entry for Resolve<O> {
    const NAME: &'static str = O::RESOLVE;
}

// SAFETY: the name is the promise of the bound.
unsafe impl<O: OperatorEntry> Entry for FillIn<O> {
    const NAME: &'static str = O::FILL;
}

// SAFETY: the name is the promise of the bound.
unsafe impl<O: OperatorEntry> Entry for Rounds<O> {
    const NAME: &'static str = O::ROUNDS;
}
