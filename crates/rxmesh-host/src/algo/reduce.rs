//! Reductions of attributes, in a fixed order: the same input gives the same bits on every run of one engine.

use crate::Error;
use crate::engine::{Buffer, Engine};
use crate::store::{Attribute, Dimension, RxMesh};
use rxmesh_kernels::algo::reduce::{ReducePartials, ReducePatches, Reduction};
use rxmesh_kernels::attr::Sum;
use rxmesh_kernels::topo::Element;

/// Sum over all components of all values, accumulated in `f64`.
///
/// # Errors
///
/// A stale attribute, or what the engine says.
pub fn sum<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
) -> Result<f64, Error> {
    reduce(rx, x, x, Reduction::Sum)
}

/// Sum of the products of corresponding components, accumulated in `f64`.
///
/// # Errors
///
/// As [`sum`].
pub fn dot<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
    y: &Attribute<K, T>,
) -> Result<f64, Error> {
    reduce(rx, x, y, Reduction::Dot)
}

/// Square root of the sum of all squared components.
///
/// # Errors
///
/// As [`sum`].
pub fn norm<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
) -> Result<f64, Error> {
    Ok(dot(rx, x, x)?.sqrt())
}

/// Smallest component of all values; infinity when there is none.
///
/// # Errors
///
/// As [`sum`].
pub fn min<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
) -> Result<f64, Error> {
    reduce(rx, x, x, Reduction::Min)
}

/// Largest component of all values; minus infinity when there is none.
///
/// # Errors
///
/// As [`sum`].
pub fn max<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
) -> Result<f64, Error> {
    reduce(rx, x, x, Reduction::Max)
}

fn reduce<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
    y: &Attribute<K, T>,
    reduction: Reduction,
) -> Result<f64, Error> {
    let engine = rx.engine();
    let partials = engine.zeroed::<f64>(rx.headers().len())?;
    rx.run(ReducePatches {
        x: x.global()?.cast(),
        y: y.global()?.cast(),
        partials: partials.global_mut(),
        components: T::COMPONENTS,
        kind: K::KIND as u32,
        reduction: reduction as u32,
    })?;
    combine(engine, &partials, reduction)
}

/// All partial results of the patches into one.
pub(super) fn combine(
    engine: &Engine,
    partials: &Buffer<f64>,
    reduction: Reduction,
) -> Result<f64, Error> {
    Ok(combine_all(engine, [(partials, reduction)])?[0])
}

/// As [`combine`] of several, with one look at the engine.
pub(super) fn combine_all<const N: usize>(
    engine: &Engine,
    all: [(&Buffer<f64>, Reduction); N],
) -> Result<[f64; N], Error> {
    let results = engine.zeroed::<f64>(N)?;
    for (k, (partials, reduction)) in all.into_iter().enumerate() {
        let kernel = ReducePartials {
            partials: partials.global(),
            result: results.global_mut().from(k as u32),
            reduction: reduction as u32,
        };
        engine.launch_blocks(1, kernel)?;
    }
    let mut out = [0.0; N];
    results.read_into(&mut out)?;
    Ok(out)
}
