//! Pictures as pixels.

use crate::png;

/// A picture: pixels in sRGB with alpha, row by row from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue and alpha, from 0 to 255; colours are not multiplied by alpha.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// Returns a picture of one colour.
    pub(crate) fn plain(width: u32, height: u32, color: [u8; 4]) -> Picture {
        Picture {
            width,
            height,
            pixels: vec![color; width as usize * height as usize],
        }
    }

    /// Copies another picture into this one, its first pixel to a place.
    pub(crate) fn paste(&mut self, other: &Picture, [left, top]: [usize; 2]) {
        let (width, from) = (self.width as usize, other.width as usize);
        let rows = self.pixels.chunks_mut(width).skip(top);
        for (row, pixels) in rows.zip(other.pixels.chunks(from)) {
            row[left..left + from].copy_from_slice(pixels);
        }
    }

    /// Returns the pixels of a box: left, top, width and height.
    pub(crate) fn part(&self, [left, top, width, height]: [u32; 4]) -> Picture {
        let rows = self.pixels.chunks(self.width as usize).skip(top as usize);
        let row = |row: &[[u8; 4]]| row[left as usize..(left + width) as usize].to_vec();
        Picture {
            width,
            height,
            pixels: rows.take(height as usize).flat_map(row).collect(),
        }
    }

    /// Returns the picture as a PNG file; it has an alpha channel if a pixel is transparent.
    pub fn to_png(&self) -> Vec<u8> {
        png::encode(self)
    }
}
