//! Sums over labels, such as one for each of several meshes that lie in one.

use crate::Error;
use crate::engine::{Buffer, Engine};
use rxmesh_kernels::parallel::labels::{LABEL_PARTS, LABEL_RUN, LabelMost, LabelSums, Labelled};

/// Returns the sum and the number of the values of each label, in arrays without patches; values are not negative, and
/// those with the label 2^32 - 1 do not count. Sums are exact to a 2^31st of the label's largest value a value, and the
/// same on every engine; NaN if a value is not finite. Labels are below `count`.
///
/// # Errors
///
/// Any error of the engine.
pub(crate) fn flat_by_label(
    engine: &Engine,
    values: &Buffer<f32>,
    labels: &Buffer<u32>,
    count: usize,
) -> Result<Vec<(f64, u32)>, Error> {
    let most = engine.zeroed::<u32>(count)?;
    let (sums, counts) = (engine.zeroed::<u64>(count)?, engine.zeroed::<u32>(count)?);
    let of = Labelled {
        values: values.global(),
        labels: labels.global(),
    };
    let runs = (values.len() as u32).div_ceil(LABEL_RUN);
    let largest = most.global_mut();
    engine.launch_flat(runs, LabelMost { of, most: largest })?;
    let kernel = LabelSums {
        of,
        most: most.global(),
        sums: sums.global_mut(),
        counts: counts.global_mut(),
    };
    engine.launch_flat(runs, kernel)?;
    let [most, counts] = Buffer::read_together([&most, &counts])?;
    let most = most.into_iter().map(f32::from_bits);
    let each = most.zip(sums.read()?).zip(counts);
    let value = |((most, sum), n): ((f32, u64), u32)| match most.is_finite() {
        true => (f64::from(most) * sum as f64 / f64::from(LABEL_PARTS), n),
        false => (f64::NAN, n),
    };
    Ok(each.map(value).collect())
}
