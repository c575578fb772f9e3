//! A font of strokes, drawn with a round pen: printable ASCII and a few signs.
//!
//! A glyph is a path: `M` moves the pen, `L` draws a line, `Q` a quadratic curve (control point, end). Capitals are 10
//! units high, small letters 7; the base line is at 0.

use crate::color::{Encoder, LinearColor, linear_of};
use crate::image::Picture;

/// Width of the pen, space between glyphs, and width of a space, in units.
const PEN: f32 = 1.2;
const GAP: f32 = 2.9;
const SPACE: f32 = 3.4;
/// Straight pieces that a curve is drawn with.
const PIECES: usize = 6;

#[rustfmt::skip]
const GLYPHS: &[(char, &str)] = &[
    ('0', "M0 5 Q0 10 3 10 Q6 10 6 5 Q6 0 3 0 Q0 0 0 5"),
    ('1', "M0.6 8 L3 10 L3 0"),
    ('2', "M0.2 7.5 Q0.5 10 3 10 Q6 10 6 7.3 Q6 5.5 4 3.8 L0 0 L6 0"),
    ('3', "M0.3 8.4 Q1 10 3 10 Q5.7 10 5.7 7.6 Q5.7 5.3 2.6 5.3 Q6 5.3 6 2.7 Q6 0 3 0 Q0.8 0 0 1.9"),
    ('4', "M4.6 0 L4.6 10 L0 3 L6.4 3"),
    ('5', "M5.5 10 L1 10 L0.6 5.5 Q1.6 6.4 3 6.4 Q6 6.4 6 3.2 Q6 0 3 0 Q0.9 0 0 1.7"),
    ('6', "M5.3 9.2 Q4.5 10 3.4 10 Q0 10 0 3.3 Q0 0 3 0 Q6 0 6 3.2 Q6 6.3 3 6.3 Q0.6 6.3 0 3.9"),
    ('7', "M0 10 L6 10 Q2.6 5 2.2 0"),
    ('8', "M3 5.3 Q0.4 5.3 0.4 7.6 Q0.4 10 3 10 Q5.6 10 5.6 7.6 Q5.6 5.3 3 5.3 Q6 5.3 6 2.6 Q6 0 3 0 Q0 0 0 2.6 \
           Q0 5.3 3 5.3"),
    ('9', "M0.7 0.8 Q1.5 0 2.6 0 Q6 0 6 6.7 Q6 10 3 10 Q0 10 0 6.8 Q0 3.7 3 3.7 Q5.4 3.7 6 6.1"),
    ('a', "M5.4 7 L5.4 0 M5.4 3.5 Q5.4 7 2.7 7 Q0 7 0 3.5 Q0 0 2.7 0 Q5.4 0 5.4 3.5"),
    ('b', "M0 10 L0 0 M0 3.5 Q0 7 2.7 7 Q5.4 7 5.4 3.5 Q5.4 0 2.7 0 Q0 0 0 3.5"),
    ('c', "M5 5.6 Q4.4 7 2.7 7 Q0 7 0 3.5 Q0 0 2.7 0 Q4.4 0 5 1.4"),
    ('d', "M5.4 10 L5.4 0 M5.4 3.5 Q5.4 7 2.7 7 Q0 7 0 3.5 Q0 0 2.7 0 Q5.4 0 5.4 3.5"),
    ('e', "M0 3.7 L5.3 3.7 Q5.3 7 2.7 7 Q0 7 0 3.5 Q0 0 2.8 0 Q4.4 0 5.1 1.3"),
    ('f', "M3.6 10 Q1.4 10 1.4 7.8 L1.4 0 M0 7 L3.3 7"),
    ('g', "M5.4 7 L5.4 0 Q5.4 -3 2.7 -3 Q1.1 -3 0.4 -2 M5.4 3.5 Q5.4 7 2.7 7 Q0 7 0 3.5 Q0 0 2.7 0 Q5.4 0 5.4 3.5"),
    ('h', "M0 10 L0 0 M0 4 Q0 7 2.7 7 Q5 7 5 4.4 L5 0"),
    ('i', "M0 7 L0 0 M0 9.5 L0 9.8"),
    ('j', "M1.4 7 L1.4 -1 Q1.4 -3 -0.2 -3 M1.4 9.5 L1.4 9.8"),
    ('k', "M0 10 L0 0 M4.6 7 L0 2.6 M1.7 4.2 L5 0"),
    ('l', "M0 10 L0 0"),
    ('m', "M0 7 L0 0 M0 4.2 Q0 7 2.1 7 Q4 7 4 4.6 L4 0 M4 4.2 Q4 7 6.1 7 Q8 7 8 4.6 L8 0"),
    ('n', "M0 7 L0 0 M0 4 Q0 7 2.7 7 Q5 7 5 4.4 L5 0"),
    ('o', "M0 3.5 Q0 7 2.7 7 Q5.4 7 5.4 3.5 Q5.4 0 2.7 0 Q0 0 0 3.5"),
    ('p', "M0 7 L0 -3 M0 3.5 Q0 7 2.7 7 Q5.4 7 5.4 3.5 Q5.4 0 2.7 0 Q0 0 0 3.5"),
    ('q', "M5.4 7 L5.4 -3 M5.4 3.5 Q5.4 7 2.7 7 Q0 7 0 3.5 Q0 0 2.7 0 Q5.4 0 5.4 3.5"),
    ('r', "M0 7 L0 0 M0 4 Q0 7 3 6.9"),
    ('s', "M4.6 5.8 Q4 7 2.4 7 Q0.3 7 0.3 5.2 Q0.3 3.8 2.5 3.5 Q4.8 3.2 4.8 1.8 Q4.8 0 2.5 0 Q0.6 0 0 1.4"),
    ('t', "M1.4 9.2 L1.4 2 Q1.4 0 3.4 0 M0 7 L3.4 7"),
    ('u', "M0 7 L0 2.6 Q0 0 2.3 0 Q5 0 5 3 M5 7 L5 0"),
    ('v', "M0 7 L2.5 0 L5 7"),
    ('w', "M0 7 L2 0 L4 7 L6 0 L8 7"),
    ('x', "M0 0 L4.8 7 M0 7 L4.8 0"),
    ('y', "M0 7 L2.5 0 M5 7 L2.5 0 Q1.5 -3 -0.3 -3"),
    ('z', "M0 7 L4.8 7 L0 0 L4.8 0"),
    ('A', "M0 0 L3.5 10 L7 0 M1.2 3.4 L5.8 3.4"),
    ('B', "M0 0 L0 10 L3.2 10 Q5.8 10 5.8 7.6 Q5.8 5.3 3.2 5.3 L0 5.3 M3.2 5.3 Q6.2 5.3 6.2 2.6 Q6.2 0 3.2 0 L0 0"),
    ('C', "M6.4 8 Q5.6 10 3.6 10 Q0 10 0 5 Q0 0 3.6 0 Q5.6 0 6.4 2"),
    ('D', "M0 0 L0 10 L2.6 10 Q6.6 10 6.6 5 Q6.6 0 2.6 0 L0 0"),
    ('E', "M5.4 10 L0 10 L0 0 L5.4 0 M0 5.3 L4.8 5.3"),
    ('F', "M5.4 10 L0 10 L0 0 M0 5.3 L4.6 5.3"),
    ('G', "M6.4 8 Q5.6 10 3.6 10 Q0 10 0 5 Q0 0 3.6 0 Q6.6 0 6.6 4.6 L3.8 4.6"),
    ('H', "M0 0 L0 10 M6.4 0 L6.4 10 M0 5.3 L6.4 5.3"),
    ('I', "M0 0 L0 10"),
    ('J', "M4 10 L4 2.6 Q4 0 2 0 Q0.3 0 0 1.8"),
    ('K', "M0 0 L0 10 M6 10 L0 3.8 M2.2 6 L6.2 0"),
    ('L', "M0 10 L0 0 L5 0"),
    ('M', "M0 0 L0 10 L4 3 L8 10 L8 0"),
    ('N', "M0 0 L0 10 L6.4 0 L6.4 10"),
    ('O', "M0 5 Q0 10 3.6 10 Q7.2 10 7.2 5 Q7.2 0 3.6 0 Q0 0 0 5"),
    ('P', "M0 0 L0 10 L3.2 10 Q6 10 6 7.3 Q6 4.6 3.2 4.6 L0 4.6"),
    ('Q', "M0 5 Q0 10 3.6 10 Q7.2 10 7.2 5 Q7.2 0 3.6 0 Q0 0 0 5 M4.6 2.2 L7 -0.6"),
    ('R', "M0 0 L0 10 L3.2 10 Q6 10 6 7.3 Q6 4.6 3.2 4.6 L0 4.6 M3.4 4.6 L6.2 0"),
    ('S', "M5.7 8.2 Q5 10 3 10 Q0.4 10 0.4 7.5 Q0.4 5.6 3.1 5.1 Q6 4.6 6 2.6 Q6 0 3.1 0 Q0.8 0 0 2"),
    ('T', "M0 10 L6.6 10 M3.3 10 L3.3 0"),
    ('U', "M0 10 L0 3.6 Q0 0 3.2 0 Q6.4 0 6.4 3.6 L6.4 10"),
    ('V', "M0 10 L3.4 0 L6.8 10"),
    ('W', "M0 10 L2.5 0 L5 10 L7.5 0 L10 10"),
    ('X', "M0 0 L6.4 10 M0 10 L6.4 0"),
    ('Y', "M0 10 L3.3 5 L6.6 10 M3.3 5 L3.3 0"),
    ('Z', "M0 10 L6.2 10 L0 0 L6.2 0"),
    ('.', "M0 0 L0 0.3"),
    (',', "M0.4 0.3 L0 -1.6"),
    (':', "M0 0 L0 0.3 M0 6 L0 6.3"),
    (';', "M0.4 0.3 L0 -1.6 M0.4 6 L0.4 6.3"),
    ('-', "M0 3.8 L3.6 3.8"),
    ('+', "M0 4.2 L5.6 4.2 M2.8 1.4 L2.8 7"),
    ('=', "M0 5.4 L5.6 5.4 M0 2.8 L5.6 2.8"),
    ('_', "M0 -1.6 L5.6 -1.6"),
    ('/', "M0 -1 L4 11"),
    ('\\', "M0 11 L4 -1"),
    ('|', "M0 11 L0 -2"),
    ('(', "M2 11.4 Q0 8.5 0 5 Q0 1.5 2 -1.4"),
    (')', "M0 11.4 Q2 8.5 2 5 Q2 1.5 0 -1.4"),
    ('[', "M2 11 L0 11 L0 -1 L2 -1"),
    (']', "M0 11 L2 11 L2 -1 L0 -1"),
    ('{', "M2.4 11 Q1 11 1 9 L1 6.6 Q1 5 0 5 Q1 5 1 3.4 L1 1 Q1 -1 2.4 -1"),
    ('}', "M0 11 Q1.4 11 1.4 9 L1.4 6.6 Q1.4 5 2.4 5 Q1.4 5 1.4 3.4 L1.4 1 Q1.4 -1 0 -1"),
    ('%', "M0.4 0 L6.4 10 M0 7.9 Q0 10 1.5 10 Q3 10 3 7.9 Q3 5.8 1.5 5.8 Q0 5.8 0 7.9 M3.8 2.1 Q3.8 4.2 5.3 4.2 \
           Q6.8 4.2 6.8 2.1 Q6.8 0 5.3 0 Q3.8 0 3.8 2.1"),
    ('<', "M5 7.4 L0 4.2 L5 1"),
    ('>', "M0 7.4 L5 4.2 L0 1"),
    ('^', "M0 6 L2.4 10 L4.8 6"),
    ('~', "M0 3.6 Q1.4 5.6 3 4.2 Q4.6 2.8 6 4.8"),
    ('*', "M2.4 10 L2.4 5 M0.2 8.8 L4.6 6.2 M4.6 8.8 L0.2 6.2"),
    ('\'', "M0 10 L0 7.4"),
    ('"', "M0 10 L0 7.4 M2.4 10 L2.4 7.4"),
    ('`', "M0 10.4 L1.4 8.6"),
    ('!', "M0 10 L0 2.8 M0 0 L0 0.3"),
    ('?', "M0.2 8 Q0.6 10 2.8 10 Q5.4 10 5.4 7.6 Q5.4 6 4 5 Q2.7 4 2.7 2.7 M2.7 0 L2.7 0.3"),
    ('#', "M2.2 10 L1 0 M5.4 10 L4.2 0 M0 6.8 L6.4 6.8 M-0.4 3.2 L6 3.2"),
    ('&', "M6.4 0 L1.6 7 Q0.8 8.2 1.4 9.2 Q2 10 3 10 Q4.6 10 4.6 8.2 Q4.6 6.6 2.4 5.6 Q0 4.4 0 2.4 Q0 0 2.8 0 \
           Q5.6 0 6.2 4"),
    ('@', "M5.6 7 L5.6 3.6 Q5.6 2.4 6.6 2.4 Q8 2.4 8 5 Q8 10 4.2 10 Q0 10 0 4.6 Q0 -0.6 4.4 -0.6 Q5.8 -0.6 6.8 0 \
           M5.6 4.8 Q5.6 7 3.9 7 Q2.2 7 2.2 4.7 Q2.2 2.4 3.9 2.4 Q5.6 2.4 5.6 4.8"),
    ('$', "M5.7 8.2 Q5 10 3 10 Q0.4 10 0.4 7.5 Q0.4 5.6 3.1 5.1 Q6 4.6 6 2.6 Q6 0 3.1 0 Q0.8 0 0 2 M3 11.4 L3 -1.4"),
];

/// Drawn in place of signs that the font has not.
const UNKNOWN: &str = "M0 0 L0 9 L5 9 L5 0 L0 0";

/// Straight pieces of a glyph, and its width.
struct Strokes {
    pieces: Vec<[[f32; 2]; 2]>,
    width: f32,
}

fn strokes(path: &str) -> Strokes {
    let mut pieces = Vec::new();
    let (mut pen, mut width) = ([0.0f32; 2], 0.0f32);
    let mut words = path.split_whitespace();
    while let Some(word) = words.next() {
        let (command, first) = word.split_at(1);
        let number =
            |text: Option<&str>| -> f32 { text.and_then(|t| t.parse().ok()).unwrap_or(0.0) };
        let a = [number(Some(first)), number(words.next())];
        let from = pen;
        match command {
            "M" => pen = a,
            "L" => {
                pieces.push([from, a]);
                pen = a;
            }
            _ => {
                let end = [number(words.next()), number(words.next())];
                for i in 1..=PIECES {
                    let t = i as f32 / PIECES as f32;
                    let at = |k: usize| {
                        let (p, q) = (from[k] + t * (a[k] - from[k]), a[k] + t * (end[k] - a[k]));
                        p + t * (q - p)
                    };
                    let to = [at(0), at(1)];
                    pieces.push([pen, to]);
                    pen = to;
                }
            }
        }
        width = width.max(pen[0]);
    }
    Strokes { pieces, width }
}

fn glyph(sign: char) -> Strokes {
    let found = GLYPHS.iter().find(|(c, _)| *c == sign);
    strokes(found.map_or(UNKNOWN, |(_, path)| path))
}

/// Returns the width of a text whose capitals have a height in pixels.
pub(crate) fn width(text: &str, height: f32) -> f32 {
    let unit = height / 10.0;
    let of = |sign: char| match sign {
        ' ' => SPACE,
        _ => glyph(sign).width + GAP,
    };
    text.chars().map(of).sum::<f32>() * unit
}

/// Writes a text into a picture: `at` is where its base line begins.
pub(crate) fn write(
    picture: &mut Picture,
    text: &str,
    at: [f32; 2],
    height: f32,
    ink: LinearColor,
) {
    let unit = height / 10.0;
    let half = (0.5 * PEN * unit).max(0.45);
    let mut x = at[0];
    for sign in text.chars() {
        if sign == ' ' {
            x += SPACE * unit;
            continue;
        }
        let Strokes { pieces, width } = glyph(sign);
        let place = |p: [f32; 2]| [x + unit * p[0], at[1] - unit * p[1]];
        let pieces: Vec<[[f32; 2]; 2]> = pieces.into_iter().map(|piece| piece.map(place)).collect();
        let left = x - unit - half;
        let right = x + unit * (width + 1.0) + half;
        let (top, bottom) = (at[1] - 12.0 * unit - half, at[1] + 4.0 * unit + half);
        fill(picture, [left, top, right, bottom], ink, |p| {
            let near = pieces
                .iter()
                .map(|piece| distance(p, piece))
                .fold(f32::INFINITY, f32::min);
            (half + 0.5 - near).clamp(0.0, (2.0 * half).min(1.0))
        });
        x += (width + GAP) * unit;
    }
}

/// Mixes a colour into the pixels of a box, by the share that a function of their middles gives.
pub(crate) fn fill(
    picture: &mut Picture,
    [left, top, right, bottom]: [f32; 4],
    ink: LinearColor,
    share: impl Fn([f32; 2]) -> f32,
) {
    let encoder = Encoder::new();
    let limit = |x: f32, most: u32| x.clamp(0.0, most as f32) as u32;
    let (width, height) = (picture.width, picture.height);
    for y in limit(top, height)..limit(bottom.ceil(), height) {
        for x in limit(left, width)..limit(right.ceil(), width) {
            let share = share([x as f32 + 0.5, y as f32 + 0.5]);
            if share > 0.0 {
                let pixel = &mut picture.pixels[(y * width + x) as usize];
                *pixel = over(encoder, *pixel, ink, share);
            }
        }
    }
}

/// Returns a pixel with a share of a colour over it.
fn over(encoder: Encoder, [r, g, b, alpha]: [u8; 4], ink: LinearColor, share: f32) -> [u8; 4] {
    let below = f32::from(alpha) * (1.0 / 255.0) * (1.0 - share);
    let whole = share + below;
    let old = [r, g, b].map(linear_of);
    let [r, g, b] = [0, 1, 2].map(|i| encoder.encode((ink[i] * share + old[i] * below) / whole));
    [r, g, b, (whole * 255.0 + 0.5) as u8]
}

/// Returns the distance of a point from a straight piece.
fn distance(p: [f32; 2], [a, b]: &[[f32; 2]; 2]) -> f32 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let (px, py) = (p[0] - a[0], p[1] - a[1]);
    let square = dx * dx + dy * dy;
    let along = if square > 0.0 {
        ((px * dx + py * dy) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let (x, y) = (px - along * dx, py - along * dy);
    (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_of_ascii_has_a_glyph() {
        for sign in '!'..='~' {
            let path = GLYPHS
                .iter()
                .find(|(c, _)| *c == sign)
                .map(|(_, path)| *path);
            let Strokes { pieces, width } =
                strokes(path.unwrap_or_else(|| panic!("{sign} is missing")));
            assert!(!pieces.is_empty() && width <= 10.0, "{sign}");
            for [x, y] in pieces.into_iter().flatten() {
                assert!(
                    (-0.5..=10.0).contains(&x) && (-3.1..=11.5).contains(&y),
                    "{sign}"
                );
            }
        }
    }

    #[test]
    fn text_is_as_wide_as_it_says() {
        let mut picture = Picture::plain(300, 40, [255; 4]);
        write(
            &mut picture,
            "Kappa 1.5e-7 \u{3c7}",
            [10.0, 30.0],
            20.0,
            [0.0; 3],
        );
        let end = 10.0 + width("Kappa 1.5e-7 \u{3c7}", 20.0);
        let dark = (0..300u32)
            .filter(|&x| (0..40).any(|y| picture.pixels[(y * 300 + x) as usize][0] < 128));
        let columns: Vec<u32> = dark.collect();
        let (first, last) = (columns[0] as f32, columns[columns.len() - 1] as f32);
        assert!((first - 10.0).abs() < 2.0, "{first}");
        assert!((end - 0.29 * 20.0 - last).abs() < 3.0, "{last} of {end}");
    }
}
