//! Labels of several meshes that lie in one session, and sums over each of them.
#![doc(hidden)]

use crate::Error;
use crate::edit::{Column, Edits, Session};
use crate::engine::{Buffer, Engine};
use rxmesh_kernels::algo::labels::{LABEL_PARTS, LABEL_RUN, LabelMost, LabelSums, Labelled};
use rxmesh_kernels::algo::simplify::BatchCheck;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Refuses labels of vertices that are no mesh's.
pub(super) fn check_labels<C: Edits>(
    session: &Session<C>,
    labels: Column<Vertex, u32>,
    count: usize,
) -> Result<(), Error> {
    let wrong = session.engine().zeroed::<u32>(2)?;
    let kernel = BatchCheck {
        mesh: session.mesh()?,
        vertices: session.read(labels)?,
        count: count as u32,
        wrong: wrong.global_mut(),
    };
    session
        .engine()
        .launch_flat(session.capacity(Kind::Vertex), kernel)?;
    match wrong.read()?[1] {
        0 => Ok(()),
        v => Err(Error::Options(format!(
            "the vertex in slot {} is labelled as of a mesh for which there are no options: there are {count}",
            v - 1
        ))),
    }
}

/// Refuses a face whose vertices have different labels: `slot` is its slot and 1, or 0.
pub(super) fn check_face(slot: u32) -> Result<(), Error> {
    match slot {
        0 => Ok(()),
        f => Err(Error::Options(format!(
            "the vertices of the face in slot {} are labelled as of different meshes",
            f - 1
        ))),
    }
}

/// Returns the sum and the number of the values of each label, in arrays without patches; values are not negative, and
/// those with the label 2^32 - 1 do not count. Sums are exact to a 2^31st of the label's largest value a value, and the
/// same on every engine; NaN if a value is not finite. Labels are below `count`.
///
/// # Errors
///
/// Any error of the engine.
pub(super) fn flat_by_label(
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
