//! Reductions of partial results, in a fixed order.

use crate::Error;
use crate::engine::{Buffer, Engine};
use rxmesh_kernels::parallel::reduce::{ReducePartials, Reduction};

/// Packs reductions as [`ReducePartials::reductions`] holds them.
pub(crate) fn packed(reductions: &[Reduction]) -> u32 {
    let each = reductions.iter().rev();
    each.fold(0, |all, &reduction| all << 8 | reduction as u32)
}

/// Combines all partial results into one.
pub(crate) fn combine(
    engine: &Engine,
    partials: &Buffer<f64>,
    reduction: Reduction,
) -> Result<f64, Error> {
    Ok(combine_all(engine, partials, [reduction])?[0])
}

/// Works like [`combine`], for up to four reductions whose partial results, equally many of each, lie one after the
/// other.
pub(crate) fn combine_all<const N: usize>(
    engine: &Engine,
    partials: &Buffer<f64>,
    reductions: [Reduction; N],
) -> Result<[f64; N], Error> {
    let results = engine.zeroed::<f64>(2 * N)?;
    let kernel = ReducePartials {
        partials: partials.global(),
        results: results.global_mut(),
        reductions: packed(&reductions),
    };
    engine.launch_blocks(N as u32, kernel)?;
    let read = results.read()?;
    Ok(std::array::from_fn(|k| read[2 * k + 1]))
}
