//! Matrix times rows of values.

use super::has_length;
use crate::launch::Launch;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_kernels::kernel::EntryOf;
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::matrix::{Multiply, Rule};

/// Final combination of a product A x: `y = alpha A x + beta z`.
#[derive(Clone, Copy, Debug)]
pub struct Finish<'a> {
    /// Factor of the product.
    pub alpha: f32,
    /// Factor of z.
    pub beta: f32,
    /// z, with as many values as y; the old y when there is none. Not read when `beta` is 0.
    pub z: Option<&'a Buffer<f32>>,
}

impl Default for Finish<'_> {
    fn default() -> Self {
        Finish {
            alpha: 1.0,
            beta: 0.0,
            z: None,
        }
    }
}

/// Computes the mapped SpMV (section 3.2, algorithm 1) `y = alpha A x + beta z` with `width` floats per row, one launch
/// for each four of them. A is any matrix that can be computed ([`Mesh::direct`](crate::Mesh::direct) and its like) or
/// is stored ([`Csr::view`](super::Csr::view)).
///
/// # Errors
///
/// Arrays whose lengths are not those of the matrix, maps that do not fit their mesh; any error of the engine.
pub fn multiply<R>(
    engine: &Engine,
    rule: R,
    width: u32,
    x: &Buffer<f32>,
    y: &mut Buffer<f32>,
    finish: Finish<'_>,
) -> Result<(), Error>
where
    R: Rule<Value = f32> + EntryOf<Multiply<R>>,
{
    let [rows, columns] = shape(&rule)?;
    let values = |n: u32| u64::from(n) * u64::from(width);
    has_length("the vector", x.len(), values(columns))?;
    has_length("the result", y.len(), values(rows))?;
    if let Some(z) = finish.z {
        has_length("what is added", z.len(), values(rows))?;
    }
    let z = finish
        .z
        .filter(|_| finish.beta != 0.0)
        .map_or(Global::empty(), Buffer::global);
    for first in (0..width).step_by(4) {
        // Rows begin at the first column of this launch; empty for a matrix without rows.
        let at = |view: Global<f32>| {
            if view.is_empty() {
                view
            } else {
                view.from(first)
            }
        };
        let kernel = Multiply {
            rule,
            x: at(x.global()),
            z: at(z),
            y: match rows {
                0 => y.global_mut(),
                _ => y.global_mut().from(first),
            },
            alpha: finish.alpha,
            beta: finish.beta,
            lanes: (width - first).min(4),
            width,
        };
        engine.launch_flat(rows, kernel)?;
    }
    Ok(())
}

/// Returns the numbers of rows and columns of a matrix.
pub(super) fn shape<R: Rule>(rule: &R) -> Result<[u32; 2], Error> {
    rule.shape()
        .ok_or_else(|| Error::Options("the parts of the product do not fit each other".to_string()))
}
