//! Orders of values: with the first axis fastest, as grids have them, or the last one, as arrays in C order.

use crate::mesh::ColumnData;
use crate::par::IntoLean;
use rayon::prelude::*;

/// Values that are read together along the fastest axis: a line of the cache of 4-byte numbers.
const BLOCK: usize = 16;

/// Returns values in the reversed order of their axes. `counts` are those of the axes, the fastest first; it is the
/// slowest of the result.
///
/// # Panics
///
/// When there are fewer values than the product of the counts.
pub(crate) fn reversed(data: &ColumnData, counts: [usize; 3]) -> ColumnData {
    match data {
        ColumnData::I8(v) => ColumnData::I8(of_type(v, counts)),
        ColumnData::U8(v) => ColumnData::U8(of_type(v, counts)),
        ColumnData::I16(v) => ColumnData::I16(of_type(v, counts)),
        ColumnData::U16(v) => ColumnData::U16(of_type(v, counts)),
        ColumnData::I32(v) => ColumnData::I32(of_type(v, counts)),
        ColumnData::U32(v) => ColumnData::U32(of_type(v, counts)),
        ColumnData::F32(v) => ColumnData::F32(of_type(v, counts)),
        ColumnData::F64(v) => ColumnData::F64(of_type(v, counts)),
    }
}

fn of_type<T: Copy + Default + Send + Sync>(v: &[T], [nx, ny, nz]: [usize; 3]) -> Vec<T> {
    let mut out = vec![T::default(); nx * ny * nz];
    let slab = (ny * nz).max(1);
    let blocks = out.par_chunks_mut(BLOCK * slab).enumerate().lean();
    blocks.for_each(|(block, out)| {
        let first = block * BLOCK;
        let width = out.len() / slab;
        for y in 0..ny {
            for z in 0..nz {
                let from = first + nx * (y + ny * z);
                for (x, value) in v[from..from + width].iter().enumerate() {
                    out[x * slab + y * nz + z] = *value;
                }
            }
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_reversed_and_back() {
        let counts = [19, 3, 4];
        let values = ColumnData::I32((0..19 * 3 * 4).collect());
        let c = reversed(&values, counts);
        for (x, y, z) in [(0, 0, 0), (1, 0, 0), (18, 2, 3), (16, 1, 2)] {
            let there = c.get((x * 3 + y) * 4 + z);
            assert_eq!(there, values.get(x + 19 * (y + 3 * z)));
        }
        assert_eq!(reversed(&c, [4, 3, 19]), values);
    }
}
