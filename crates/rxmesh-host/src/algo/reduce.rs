//! Reductions of attributes, in a fixed order: the same input gives the same bits on every run of one engine.

use crate::Error;
use crate::engine::{Buffer, Engine};
use crate::store::{Attribute, Dimension, RxMesh};
use rxmesh_kernels::algo::reduce::{ReducePartials, ReducePatches, Reduction};
use rxmesh_kernels::attr::Sum;
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::{Element, Kind};

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
    Ok(several(rx, [Term::of_two(x, y, reduction)?])?[0])
}

/// One of several reductions.
#[derive(Clone, Copy)]
pub(super) struct Term {
    x: Global<f32>,
    y: Global<f32>,
    components: u32,
    kind: Kind,
    reduction: Reduction,
}

impl Term {
    /// Over all values of an attribute.
    pub(super) fn of<K: Element, T: Sum>(
        x: &Attribute<K, T>,
        reduction: Reduction,
    ) -> Result<Term, Error> {
        Term::of_two(x, x, reduction)
    }

    fn of_two<K: Element, T: Sum>(
        x: &Attribute<K, T>,
        y: &Attribute<K, T>,
        reduction: Reduction,
    ) -> Result<Term, Error> {
        Ok(Term {
            x: x.global()?.cast(),
            y: y.global()?.cast(),
            components: T::COMPONENTS,
            kind: K::KIND,
            reduction,
        })
    }
}

/// Several reductions with one look at the engine, a launch each.
pub(super) fn several<const N: usize>(
    rx: &RxMesh<impl Dimension>,
    terms: [Term; N],
) -> Result<[f64; N], Error> {
    let patches = rx.headers().len();
    if patches == 0 {
        return Ok(terms.map(|t| match t.reduction {
            Reduction::Sum | Reduction::Dot => 0.0,
            Reduction::Min => f64::INFINITY,
            Reduction::Max => f64::NEG_INFINITY,
        }));
    }
    // The results, each behind a value that is not used, the words that count patches, and the partial results.
    let room = rx.engine().zeroed::<f64>(N * (patches + 3))?;
    let part = |from: usize, n: usize| room.global_mut().part(from as u32, n as u32);
    for (k, t) in terms.into_iter().enumerate() {
        rx.run(ReducePatches {
            x: t.x,
            y: t.y,
            partials: part(3 * N + k * patches, patches),
            components: t.components,
            kind: t.kind as u32,
            reduction: t.reduction as u32,
            result: part(2 * k, 2),
            arrived: part(2 * N + k, 1).cast(),
        })?;
    }
    let read = room.read_range(0, 2 * N)?;
    Ok(std::array::from_fn(|k| read[2 * k + 1]))
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
