//! Colours: sRGB and linear light, and maps from values to colours.

use crate::options::ColorMap;
use std::sync::LazyLock;

/// A colour in sRGB, as in CSS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

/// A colour in linear light, from 0 to 1.
pub(crate) type LinearColor = [f32; 3];

impl Rgb {
    /// Reads a colour as in CSS, `#8fa8c8` or `#8ac`, with or without the `#`.
    pub fn parse(text: &str) -> Option<Rgb> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let number = u32::from_str_radix(digits, 16).ok()?;
        let [_, r, g, b] = match digits.len() {
            6 => number.to_be_bytes(),
            3 => [0, 8, 4, 0].map(|shift| (number >> shift & 15) as u8 * 17),
            _ => return None,
        };
        Some(Rgb([r, g, b]))
    }

    /// Returns the colour in linear light.
    pub(crate) fn linear(self) -> LinearColor {
        self.0.map(linear_of)
    }
}

/// Entries of [`ENCODE`].
const STEPS: usize = 4096;

/// Linear light of each value of sRGB.
static DECODE: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let v = i as f64 / 255.0;
        let light = match v <= 0.040_45 {
            true => v / 12.92,
            false => libm::pow((v + 0.055) / 1.055, 2.4),
        };
        light as f32
    })
});

/// Value of sRGB for each square root of light: the root spreads the entries almost as evenly as sRGB does.
static ENCODE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let of = |i: usize| {
        let root = i as f64 / (STEPS - 1) as f64;
        let light = root * root;
        let v = match light <= 0.003_130_8 {
            true => 12.92 * light,
            false => 1.055 * libm::pow(light, 1.0 / 2.4) - 0.055,
        };
        (255.0 * v + 0.5) as u8
    };
    (0..STEPS).map(of).collect()
});

/// Returns the linear light of a value of sRGB.
pub(crate) fn linear_of(value: u8) -> f32 {
    DECODE[usize::from(value)]
}

/// Encodes linear light as sRGB, through a table made once.
#[derive(Clone, Copy)]
pub(crate) struct Encoder(&'static [u8]);

impl Encoder {
    /// Returns the encoder.
    pub(crate) fn new() -> Encoder {
        Encoder(&ENCODE)
    }

    /// Returns the value of sRGB; light above 1 is 255.
    pub(crate) fn encode(self, light: f32) -> u8 {
        let root = light.clamp(0.0, 1.0).sqrt();
        self.0[(root * (STEPS - 1) as f32 + 0.5) as usize]
    }
}

/// Returns a mixture of two colours: `t` of the second.
pub(crate) fn mix(a: LinearColor, b: LinearColor, t: f32) -> LinearColor {
    std::array::from_fn(|i| a[i] + t * (b[i] - a[i]))
}

/// Number of colours of a map.
const KNOTS: usize = 33;

/// `viridis` of matplotlib (Stefan van der Walt and Nathaniel Smith 2015, CC0), every eighth colour.
#[rustfmt::skip]
const VIRIDIS: [u32; KNOTS] = [
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453781, 0x424086, 0x3e4989, 0x3b528b, 0x375b8d, 0x33638d,
    0x2f6b8e, 0x2c728e, 0x297a8e, 0x26828e, 0x23898e, 0x21918c, 0x1f988b, 0x1fa088, 0x22a785, 0x28ae80, 0x32b67a,
    0x3fbc73, 0x4ec36b, 0x5ec962, 0x70cf57, 0x84d44b, 0x98d83e, 0xaddc30, 0xc2df23, 0xd8e219, 0xece51b, 0xfde725,
];

/// The diverging map of Kenneth Moreland, Diverging Color Maps for Scientific Visualization, 2009.
#[rustfmt::skip]
const COOLWARM: [u32; KNOTS] = [
    0x3b4cc0, 0x445acc, 0x4e68d8, 0x5875e1, 0x6282ea, 0x6c8ff1, 0x779af7, 0x82a6fb, 0x8db0fe, 0x98b9ff, 0xa3c2fe,
    0xaec9fc, 0xb9d0f9, 0xc3d5f4, 0xccd9ed, 0xd5dbe5, 0xdddcdc, 0xe5d8d1, 0xecd3c5, 0xf1ccb8, 0xf5c4ac, 0xf7ba9f,
    0xf7b093, 0xf6a586, 0xf4987a, 0xf08b6e, 0xeb7d62, 0xe46e56, 0xdd5f4b, 0xd44e41, 0xca3b37, 0xbe242e, 0xb40426,
];

/// Colours of a map in linear light, fine enough to be looked up without blending.
#[derive(Debug, Clone)]
pub(crate) struct Ramp(Vec<LinearColor>);

impl Ramp {
    /// Number of colours.
    const LENGTH: usize = 1024;

    /// Returns the colours of a map; `signed` decides for [`ColorMap::Auto`].
    pub(crate) fn new(map: ColorMap, signed: bool) -> Ramp {
        let knots = match map {
            ColorMap::Coolwarm => &COOLWARM,
            ColorMap::Auto if signed => &COOLWARM,
            ColorMap::Auto | ColorMap::Viridis => &VIRIDIS,
        };
        let channel = |knot: u32, k: usize| knot.to_be_bytes()[k + 1];
        let at = |i: usize| {
            let t = i as f32 / (Ramp::LENGTH - 1) as f32 * (KNOTS - 1) as f32;
            let k = (t as usize).min(KNOTS - 2);
            let (a, b) = (knots[k], knots[k + 1]);
            let blend = |c: usize| {
                let (a, b) = (f32::from(channel(a, c)), f32::from(channel(b, c)));
                light_between(a + (t - k as f32) * (b - a))
            };
            std::array::from_fn(blend)
        };
        Ramp((0..Ramp::LENGTH).map(at).collect())
    }

    /// Returns the colour of a place in the map, from 0 to 1; places outside have the colours of the ends.
    pub(crate) fn at(&self, t: f32) -> LinearColor {
        self.0[(t.clamp(0.0, 1.0) * (Ramp::LENGTH - 1) as f32 + 0.5) as usize]
    }
}

/// Returns the linear light of a value of sRGB between two whole ones.
fn light_between(value: f32) -> f32 {
    let low = (value as usize).min(254);
    let (a, b) = (DECODE[low], DECODE[low + 1]);
    a + (value - low as f32) * (b - a)
}

/// Colours of labels, of similar lightness; neighbours in the list differ most.
const LABELS: [u32; 12] = [
    0x6f9bd1, 0xe9a15b, 0x7dbb7a, 0xd9777f, 0xa893cf, 0xe3cf6d, 0x66bdb8, 0xd693bd, 0xb5a084,
    0x9fcbe8, 0xb9c973, 0xbcbec4,
];

/// Returns the number of different colours of labels.
pub(crate) fn label_count() -> u32 {
    LABELS.len() as u32
}

/// Returns the colour of a label.
pub(crate) fn label_color(label: u32) -> LinearColor {
    let [_, r, g, b] = LABELS[label as usize % LABELS.len()].to_be_bytes();
    Rgb([r, g, b]).linear()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_from_light() {
        let encoder = Encoder::new();
        for value in 0..=255 {
            assert_eq!(encoder.encode(linear_of(value)), value);
        }
        assert_eq!((encoder.encode(-1.0), encoder.encode(7.0)), (0, 255));
        assert_eq!(encoder.encode(f32::NAN), 0);
    }

    #[test]
    fn colors_are_read_as_in_css() {
        assert_eq!(Rgb::parse("#8fA8c8"), Some(Rgb([0x8f, 0xa8, 0xc8])));
        assert_eq!(Rgb::parse("8ac"), Some(Rgb([0x88, 0xaa, 0xcc])));
        for wrong in ["", "#", "12", "12345", "1234567", "+12345", "ä1234"] {
            assert_eq!(Rgb::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn maps_begin_and_end_with_their_colors() {
        let encoder = Encoder::new();
        let shown = |c: LinearColor| c.map(|l| encoder.encode(l));
        let viridis = Ramp::new(ColorMap::Auto, false);
        assert_eq!(shown(viridis.at(0.0)), [0x44, 0x01, 0x54]);
        assert_eq!(shown(viridis.at(2.0)), [0xfd, 0xe7, 0x25]);
        let coolwarm = Ramp::new(ColorMap::Auto, true);
        assert_eq!(shown(coolwarm.at(-0.1)), [0x3b, 0x4c, 0xc0]);
    }
}
