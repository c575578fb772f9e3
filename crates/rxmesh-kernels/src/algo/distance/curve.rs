//! A curve through a box, along which neighbours lie near each other.

use crate::args;
use glam::Vec3;

/// Bits of the number of a cell along one axis.
const AXIS_BITS: u32 = 10;

/// Bits of the number of a cell along the curve ([`hilbert`]).
pub const CURVE_BITS: u32 = 3 * AXIS_BITS;

/// Last cell of the curve's grid along its longest side.
pub const CURVE_CELLS: f32 = 1023.0;

args! {
    /// A Hilbert curve through a cube.
    pub struct Curve {
        /// Least corner of the cube.
        pub low: Vec3,
        /// [`CURVE_CELLS`] over its side; 0 if it has none.
        pub scale: f32,
    }
}

impl Curve {
    /// Returns the place along the curve of the cell of a point; of one outside the cube that of a cell at its side.
    #[inline(always)]
    pub fn code(&self, p: Vec3) -> u32 {
        let place = (p - self.low) * self.scale;
        hilbert(place.max(Vec3::ZERO).min(Vec3::splat(CURVE_CELLS)))
    }
}

/// Returns the number of a point's cell along a Hilbert curve through a grid of [`CURVE_CELLS`] cells a side: cells
/// that follow each other are neighbours, so that any stretch of the curve is compact (Skilling 2004, "Programming the
/// Hilbert curve").
#[inline(always)]
pub fn hilbert(p: Vec3) -> u32 {
    let (mut x, mut y, mut z) = (p.x as u32, p.y as u32, p.z as u32);
    let mut bit = 1 << (AXIS_BITS - 1);
    while bit > 1 {
        let lower = bit - 1;
        // Turns and mirrors the cells of the next level, so that the curve through them begins where it has come to.
        if x & bit != 0 {
            x ^= lower;
        }
        if y & bit != 0 {
            x ^= lower;
        } else {
            let t = (x ^ y) & lower;
            x ^= t;
            y ^= t;
        }
        if z & bit != 0 {
            x ^= lower;
        } else {
            let t = (x ^ z) & lower;
            x ^= t;
            z ^= t;
        }
        bit >>= 1;
    }
    // Gray code to number.
    y ^= x;
    z ^= y;
    let mut t = 0;
    bit = 1 << (AXIS_BITS - 1);
    while bit > 1 {
        if z & bit != 0 {
            t ^= bit - 1;
        }
        bit >>= 1;
    }
    let spread = |x: u32| {
        let mut x = x;
        x = (x | x << 16) & 0x0300_00ff;
        x = (x | x << 8) & 0x0300_f00f;
        x = (x | x << 4) & 0x030c_30c3;
        (x | x << 2) & 0x0924_9249
    };
    spread(x ^ t) << 2 | spread(y ^ t) << 1 | spread(z ^ t)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::hilbert;
    use glam::Vec3;
    use std::vec::Vec;

    /// The curve visits every cell of a cube before it leaves it, and goes to a neighbour in every step.
    #[test]
    fn hilbert_goes_from_neighbour_to_neighbour() {
        let n = 16;
        let mut cells: Vec<(u32, [i32; 3])> = Vec::new();
        for x in 0..n {
            for y in 0..n {
                for z in 0..n {
                    let p = Vec3::new(x as f32, y as f32, z as f32);
                    cells.push((hilbert(p), [x, y, z]));
                }
            }
        }
        cells.sort_unstable();
        for (i, pair) in cells.windows(2).enumerate() {
            let [(code, a), (next, b)] = [pair[0], pair[1]];
            assert_eq!([code as usize, next as usize], [i, i + 1]);
            let steps: i32 = (0..3).map(|k| (a[k] - b[k]).abs()).sum();
            assert_eq!(steps, 1, "from {a:?} to {b:?}");
        }
    }
}
