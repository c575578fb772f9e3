//! Sorting on an engine.

use super::scan::in_place_shared;
use crate::Error;
use crate::engine::{Buffer, Engine};
use rxmesh_kernels::parallel::sort::{DIGIT_BITS, DIGITS, SortCount, SortMove, TILE};

/// Sorts values by keys of `bits` bits; values with equal keys keep their order. Returns the keys and the values; the
/// result is the same on every engine.
///
/// # Errors
///
/// [`Error::Options`] if there are not as many values as keys, no memory, or any error of the engine.
pub fn by_keys(
    engine: &Engine,
    keys: Buffer<u32>,
    values: Buffer<u32>,
    bits: u32,
) -> Result<(Buffer<u32>, Buffer<u32>), Error> {
    if keys.len() != values.len() {
        let (k, v) = (keys.len(), values.len());
        return Err(Error::Options(format!("there are {k} keys and {v} values")));
    }
    let tiles = (keys.len() as u32).div_ceil(TILE);
    if tiles == 0 {
        return Ok((keys, values));
    }
    let counts = engine.uninit::<u32>((DIGITS * tiles) as usize)?;
    let mut from = (keys, values);
    let mut to = (
        engine.uninit::<u32>(from.0.len())?,
        engine.uninit::<u32>(from.0.len())?,
    );
    for shift in (0..bits.min(u32::BITS)).step_by(DIGIT_BITS as usize) {
        let count = SortCount {
            keys: from.0.global(),
            shift,
            counts: counts.global_mut(),
        };
        engine.launch_blocks(tiles, count)?;
        in_place_shared(engine, &counts)?;
        let place = SortMove {
            keys: from.0.global(),
            values: from.1.global(),
            shift,
            starts: counts.global(),
            to_keys: to.0.global_mut(),
            to_values: to.1.global_mut(),
        };
        engine.launch_blocks(tiles, place)?;
        std::mem::swap(&mut from, &mut to);
    }
    Ok(from)
}
