//! Animated PNG files: after the first picture only the box of the pixels that change.

use crate::image::Picture;
use crate::options::{Background, PictureOptions};
use crate::png::{begin, chunk, pack};

/// A film under way.
pub(crate) struct Film {
    out: Vec<u8>,
    channels: usize,
    rate: u16,
    /// Number of the next chunk of the animation.
    next: u32,
    last: Option<Picture>,
}

impl Film {
    /// Begins a film of `count` pictures, `rate` a second.
    pub(crate) fn new(options: &PictureOptions, count: u32, rate: u16) -> Film {
        let channels = if options.background == Background::Transparent {
            4
        } else {
            3
        };
        let mut out = begin(options.size, channels);
        // The film is repeated for ever.
        let control: Vec<u8> = [count, 0].into_iter().flat_map(u32::to_be_bytes).collect();
        chunk(&mut out, *b"acTL", &control);
        Film {
            out,
            channels,
            rate,
            next: 0,
            last: None,
        }
    }

    fn number(&mut self) -> [u8; 4] {
        self.next += 1;
        (self.next - 1).to_be_bytes()
    }

    /// Appends a picture.
    pub(crate) fn push(&mut self, picture: Picture) {
        let [left, top, width, height] = match &self.last {
            None => [0, 0, picture.width, picture.height],
            Some(last) => changed(last, &picture),
        };
        let mut control = self.number().to_vec();
        for number in [width, height, left, top] {
            control.extend(number.to_be_bytes());
        }
        control.extend(1u16.to_be_bytes());
        control.extend(self.rate.to_be_bytes());
        // Pixels stay as they are, and new ones take their place.
        control.extend([0, 0]);
        chunk(&mut self.out, *b"fcTL", &control);
        let part = picture.part([left, top, width, height]);
        let data = pack(&part, self.channels);
        if self.last.is_none() {
            chunk(&mut self.out, *b"IDAT", &data);
        } else {
            let mut numbered = self.number().to_vec();
            numbered.extend(data);
            chunk(&mut self.out, *b"fdAT", &numbered);
        }
        self.last = Some(picture);
    }

    /// Returns the file.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        chunk(&mut self.out, *b"IEND", &[]);
        self.out
    }
}

/// Returns the box of the pixels that differ, as left, top, width and height; one pixel if none does.
fn changed(a: &Picture, b: &Picture) -> [u32; 4] {
    let width = a.width as usize;
    let (mut left, mut right) = (width, 0);
    let (mut top, mut bottom) = (usize::MAX, 0);
    for (y, (a, b)) in a
        .pixels
        .chunks(width)
        .zip(b.pixels.chunks(width))
        .enumerate()
    {
        let differs = |x: &usize| a[*x] != b[*x];
        if let Some(first) = (0..width).find(differs) {
            let last = (0..width).rfind(differs).unwrap_or(first);
            (left, right) = (left.min(first), right.max(last));
            (top, bottom) = (top.min(y), y);
        }
    }
    match top {
        usize::MAX => [0, 0, 1, 1],
        top => [left, top, right + 1 - left, bottom + 1 - top].map(|n| n as u32),
    }
}
