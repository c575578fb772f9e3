//! Images with smaller copies of themselves, so that a pixel that covers many texels is the mean of them.

use crate::color::{Encoder, LinearColor, linear_of};
use crate::texture::TextureWrap;
use rayon::prelude::*;

/// An image in sRGB, row by row from the top.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MipLevel {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) texels: Vec<[u8; 3]>,
}

/// An image and its copies, each half as large as the one before.
#[derive(Debug)]
pub(crate) struct MipImage {
    levels: Vec<MipLevel>,
    /// The image file, for pages.
    pub(crate) file: Vec<u8>,
}

impl MipImage {
    /// Makes the smaller copies of an image of a file, which has at least one texel.
    pub(crate) fn new(image: MipLevel, file: Vec<u8>) -> MipImage {
        let mut levels = vec![image];
        while let Some(last) = levels.last().filter(|l| l.width.max(l.height) > 1) {
            let next = last.half();
            levels.push(next);
        }
        MipImage { levels, file }
    }

    /// Returns width and height.
    pub(crate) fn size(&self) -> [f32; 2] {
        [self.levels[0].width as f32, self.levels[0].height as f32]
    }

    /// Returns the colour of the texel at a place.
    pub(crate) fn nearest(&self, at: [f32; 2], wrap: [TextureWrap; 2]) -> LinearColor {
        let level = &self.levels[0];
        let [x, y] = at.map(|x| x.floor() as i64);
        level.texel(
            wrapped(x, level.width, wrap[0]),
            wrapped(y, level.height, wrap[1]),
        )
    }

    /// Returns the colour at a place, in texels of the whole image, as a disc sees it whose size in texels has a binary
    /// logarithm of `level`.
    pub(crate) fn at(&self, at: [f32; 2], level: f32, wrap: [TextureWrap; 2]) -> LinearColor {
        let last = self.levels.len() - 1;
        let level = level.min(last as f32);
        let whole = level as usize;
        let fine = self.on_level(at, whole, wrap);
        let rest = level - whole as f32;
        if rest <= 0.0 || whole == last {
            return fine;
        }
        let coarse = self.on_level(at, whole + 1, wrap);
        crate::color::mix(fine, coarse, rest)
    }

    /// Returns the colour between the four nearest texels of a level.
    fn on_level(&self, at: [f32; 2], number: usize, wrap: [TextureWrap; 2]) -> LinearColor {
        let (level, whole) = (&self.levels[number], &self.levels[0]);
        let x = at[0] * (level.width as f32 / whole.width as f32) - 0.5;
        let y = at[1] * (level.height as f32 / whole.height as f32) - 0.5;
        let (left, top) = (x.floor(), y.floor());
        let (fx, fy) = (x - left, y - top);
        let columns = [0, 1].map(|k| wrapped(left as i64 + k, level.width, wrap[0]));
        let rows = [0, 1].map(|k| wrapped(top as i64 + k, level.height, wrap[1]));
        let [upper, lower] = rows.map(|row| {
            let [a, b] = columns.map(|column| level.texel(column, row));
            crate::color::mix(a, b, fx)
        });
        crate::color::mix(upper, lower, fy)
    }
}

impl MipLevel {
    fn texel(&self, x: usize, y: usize) -> LinearColor {
        self.texels[y * self.width + x].map(linear_of)
    }

    /// Returns the image at half the size: means of linear light. Of odd sizes each texel covers a little more than
    /// two.
    fn half(&self) -> MipLevel {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let encoder = Encoder::new();
        let mut texels = vec![[0; 3]; width * height];
        let rows = texels.par_chunks_mut(width).with_min_len(16).enumerate();
        rows.for_each(|(y, row)| {
            let down = shares(y, self.height);
            for (x, out) in row.iter_mut().enumerate() {
                let across = shares(x, self.width);
                let mut sum = [0.0; 3];
                for &(row, share) in &down {
                    for &(column, part) in across.iter().filter(|(_, part)| *part > 0.0) {
                        let texel = self.texel(column, row);
                        for (sum, channel) in sum.iter_mut().zip(texel) {
                            *sum += share * part * channel;
                        }
                    }
                }
                *out = sum.map(|light| encoder.encode(light));
            }
        });
        MipLevel {
            width,
            height,
            texels,
        }
    }
}

/// Returns the places that place `i` of half as many covers of `n`, and their shares.
fn shares(i: usize, n: usize) -> [(usize, f32); 3] {
    let first = 2 * i;
    match n {
        1 => [(0, 1.0), (0, 0.0), (0, 0.0)],
        n if n % 2 == 0 => [(first, 0.5), (first + 1, 0.5), (first, 0.0)],
        n => {
            let (half, whole) = (n / 2, n as f32);
            let parts = [(half - i) as f32, half as f32, (i + 1) as f32];
            std::array::from_fn(|k| (first + k, parts[k] / whole))
        }
    }
}

/// Returns the place of a texel of a row or column of `n`.
fn wrapped(x: i64, n: usize, wrap: TextureWrap) -> usize {
    let n = n as i64;
    let place = match wrap {
        TextureWrap::Repeat => x.rem_euclid(n),
        TextureWrap::Clamp => x.clamp(0, n - 1),
        TextureWrap::Mirror => {
            let place = x.rem_euclid(2 * n);
            place.min(2 * n - 1 - place)
        }
    };
    place as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPEAT: [TextureWrap; 2] = [TextureWrap::Repeat; 2];

    fn image(width: usize, height: usize, texel: impl Fn(usize, usize) -> [u8; 3]) -> MipImage {
        let texels = (0..width * height).map(|i| texel(i % width, i / width));
        MipImage::new(
            MipLevel {
                width,
                height,
                texels: texels.collect(),
            },
            Vec::new(),
        )
    }

    #[test]
    fn coordinates_beyond_the_image_follow_the_rule() {
        let places = |wrap| (-4..8).map(|x| wrapped(x, 3, wrap)).collect::<Vec<_>>();
        assert_eq!(
            places(TextureWrap::Repeat),
            [2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]
        );
        assert_eq!(
            places(TextureWrap::Clamp),
            [0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2]
        );
        assert_eq!(
            places(TextureWrap::Mirror),
            [2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]
        );
    }

    /// The last copy of an image of any size is the mean of all texels, in linear light, and shares add up to one.
    #[test]
    fn copies_are_means() {
        for (width, height) in [(1, 1), (2, 2), (3, 5), (1, 7), (64, 9), (33, 31)] {
            let light = image(width, height, |x, y| [(x * 7) as u8, (y * 5) as u8, 200]);
            let all = (0..width * height).map(|i| {
                let texel = [(i % width * 7) as u8, (i / width * 5) as u8, 200];
                texel.map(linear_of)
            });
            let mut mean = [0.0f32; 3];
            for texel in all {
                for (mean, channel) in mean.iter_mut().zip(texel) {
                    *mean += channel / (width * height) as f32;
                }
            }
            let found = light.at([0.3, 0.4], 30.0, REPEAT);
            for (found, mean) in found.into_iter().zip(mean) {
                assert!(
                    (found - mean).abs() < 0.01,
                    "{width} x {height}: {found}, not {mean}"
                );
            }
            for n in 2..9 {
                let sum: f32 = (0..n / 2).flat_map(|i| shares(i, n)).map(|(_, s)| s).sum();
                assert!((sum - (n / 2) as f32).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn places_between_texels_are_blended() {
        let step = image(4, 1, |x, _| if x < 2 { [0; 3] } else { [255; 3] });
        let at = |x: f32| step.at([x, 0.5], 0.0, [TextureWrap::Clamp; 2])[0];
        assert_eq!(
            [at(-3.0), at(1.5), at(2.0), at(2.5), at(9.0)],
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
        // Repeated, the right border meets the left one.
        assert_eq!(step.at([4.0, 0.5], 0.0, REPEAT)[0], 0.5);
        assert_eq!(step.nearest([1.9, 0.5], REPEAT)[0], 0.0);
        assert_eq!(step.nearest([-0.1, 0.5], REPEAT)[0], 1.0);
        // Halfway to the next level, whose texels are 0 and 1 as well.
        assert_eq!(step.at([2.0, 0.5], 0.5, [TextureWrap::Clamp; 2])[0], 0.5);
    }
}
