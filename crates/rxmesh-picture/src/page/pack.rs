//! Arrays of a page: few bits a number, close to those of numbers before, so that deflate packs them well.

use miniz_oxide::deflate::compress_to_vec_zlib;

/// Effort of deflate, from 0 to 10: larger ones take twice the time for a few percent.
const EFFORT: u8 = 3;

/// Arrays of a page, one after the other.
#[derive(Debug, Default)]
pub(super) struct PackedArrays(Vec<u8>);

/// Place and form of an array: first byte, number of values, bytes of a value, and distance to the value that each is a
/// difference to.
pub(super) type ArrayPlace = [usize; 4];

impl PackedArrays {
    /// Adds whole numbers of 16 bits, `step` to a row.
    pub(super) fn add_16(&mut self, values: &[u16], step: usize) -> ArrayPlace {
        self.add(values.len(), step, |i, before| {
            let difference = values[i].wrapping_sub(before.map_or(0, |k| values[k])) as i16;
            ((difference << 1) ^ (difference >> 15)).to_le_bytes()
        })
    }

    /// Adds whole numbers of 32 bits, `step` to a row.
    pub(super) fn add_32(&mut self, values: &[u32], step: usize) -> ArrayPlace {
        self.add(values.len(), step, |i, before| {
            let difference = values[i].wrapping_sub(before.map_or(0, |k| values[k])) as i32;
            ((difference << 1) ^ (difference >> 31)).to_le_bytes()
        })
    }

    /// Adds an array by planes: all first bytes, all second ones, and so on.
    fn add<const BYTES: usize>(
        &mut self,
        count: usize,
        step: usize,
        code: impl Fn(usize, Option<usize>) -> [u8; BYTES],
    ) -> ArrayPlace {
        let start = self.0.len();
        self.0.resize(start + BYTES * count, 0);
        for i in 0..count {
            for (plane, byte) in code(i, i.checked_sub(step)).into_iter().enumerate() {
                self.0[start + plane * count + i] = byte;
            }
        }
        [start, count, BYTES, step]
    }

    /// Returns all of them, packed by zlib.
    pub(super) fn pack(&self) -> Vec<u8> {
        compress_to_vec_zlib(&self.0, EFFORT)
    }
}

/// Reads an array as the page does.
#[cfg(test)]
pub(super) fn read(all: &[u8], [start, count, bytes, step]: ArrayPlace) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::with_capacity(count);
    for i in 0..count {
        let byte = |b: usize| u32::from(all[start + b * count + i]) << (8 * b);
        let word = (0..bytes).fold(0u32, |word, b| word | byte(b));
        let difference = (word >> 1) ^ (word & 1).wrapping_neg();
        let before = if i < step { 0 } else { out[i - step] };
        let mask = if bytes == 2 { 0xffff } else { u32::MAX };
        out.push(before.wrapping_add(difference) & mask);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_come_back() {
        let mut arrays = PackedArrays::default();
        let small = [0, 65_535, 1, 40_000, 3, 3, 65_535];
        let large = [7, 0, u32::MAX, 1 << 31, 5];
        let first = arrays.add_16(&small, 3);
        let second = arrays.add_32(&large, 1);
        let none = arrays.add_32(&[], 3);
        assert_eq!(read(&arrays.0, first), small.map(u32::from));
        assert_eq!(read(&arrays.0, second), large);
        assert!(read(&arrays.0, none).is_empty());
        let unpacked = miniz_oxide::inflate::decompress_to_vec_zlib(&arrays.pack()).unwrap();
        assert_eq!(unpacked, arrays.0);
    }
}
