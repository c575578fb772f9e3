//! The legend of values: a bar of colours with numbers.

use crate::color::LinearColor;
use crate::font;
use crate::image::Picture;
use crate::values::ValueScale;

/// Most numbers along the bar.
const TICKS: f64 = 6.0;

/// Sizes of a legend in pixels, for a picture whose shorter side is known.
#[derive(Debug, Clone)]
pub(crate) struct Legend {
    ticks: Vec<(f64, String)>,
    title: String,
    /// Height of capitals.
    text: f32,
    bar: [f32; 2],
    /// Width of everything, with the borders.
    pub(crate) width: f32,
}

impl Legend {
    /// Returns the legend of a scale; `None` if the picture is too small for one.
    pub(crate) fn new(scale: &ValueScale, [width, height]: [u32; 2]) -> Option<Legend> {
        let side = width.min(height) as f32;
        let text = (0.0185 * side).max(6.5);
        let bar = [0.024 * side, 0.52 * height.min(2 * width) as f32];
        let ticks = ticks(scale.low, scale.high);
        let labels = ticks.iter().map(|(_, label)| font::width(label, text));
        let labels = bar[0] + 1.2 * text + labels.fold(0.0, f32::max);
        let title = shortened(&scale.name, 0.3 * width as f32, text);
        let widest = labels.max(font::width(&title, text));
        let legend = Legend {
            ticks,
            title,
            text,
            bar,
            width: widest + 3.0 * text,
        };
        (legend.width < 0.45 * width as f32 && bar[1] > 6.0 * text).then_some(legend)
    }

    /// Draws the legend at the right border.
    pub(crate) fn draw(&self, picture: &mut Picture, scale: &ValueScale, ink: LinearColor) {
        let text = self.text;
        let left = picture.width as f32 - self.width + text;
        let top = 0.5 * (picture.height as f32 - self.bar[1]);
        let (right, bottom) = (left + self.bar[0], top + self.bar[1]);
        let place = |y: f32| (bottom - y) / self.bar[1];
        // Values beyond an end have its colour: a point shows that there are some.
        let tip = self.bar[0];
        let ends = [
            if scale.beyond[1] { top - tip } else { top },
            if scale.beyond[0] {
                bottom + tip
            } else {
                bottom
            },
        ];
        let inside = |[x, y]: [f32; 2], grow: f32| {
            let outside = (top - y).max(y - bottom).max(0.0);
            let narrow = 0.5 * self.bar[0] * (1.0 - outside / tip).max(0.0) + grow;
            let middle = 0.5 * (left + right);
            let x = (narrow + 0.5 - (x - middle).abs()).clamp(0.0, 1.0);
            let y = (y - ends[0] + grow + 0.5)
                .min(ends[1] + grow - y + 0.5)
                .clamp(0.0, 1.0);
            x.min(y)
        };
        let line = (0.07 * text).max(0.6);
        let around = [left - 2.0, ends[0] - 2.0, right + 2.0, ends[1] + 2.0];
        font::fill(picture, around, ink, |p| 0.75 * inside(p, line));
        for y in ends[0] as i32..=ends[1] as i32 {
            let color = scale.ramp.at(place(y as f32 + 0.5));
            font::fill(
                picture,
                [left, y as f32, right, y as f32 + 1.0],
                color,
                |p| inside(p, 0.0),
            );
        }
        for (value, label) in &self.ticks {
            let share = (0.5 * value - 0.5 * scale.low) / (0.5 * scale.high - 0.5 * scale.low);
            let y = bottom - share as f32 * self.bar[1];
            let tick = [right + line, y - 1.5, right + 0.45 * text, y + 1.5];
            font::fill(picture, tick, ink, |p| {
                (line + 0.5 - (p[1] - y).abs()).clamp(0.0, 1.0)
            });
            font::write(
                picture,
                label,
                [right + 0.9 * text, y + 0.5 * text],
                text,
                ink,
            );
        }
        let title = [left, ends[0] - 1.3 * text];
        font::write(picture, &self.title, title, text, ink);
    }
}

/// Returns a text that is no wider than a limit.
pub(crate) fn shortened(text: &str, most: f32, height: f32) -> String {
    if font::width(text, height) <= most {
        return text.to_owned();
    }
    let mut kept: String = text.to_owned();
    while kept.pop().is_some() {
        let short = format!("{kept}..");
        if font::width(&short, height) <= most {
            return short;
        }
    }
    String::new()
}

/// Returns round values between two others, with their numbers.
fn ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    // The difference of the ends may be no number.
    let rough = high / TICKS - low / TICKS;
    let exponent = libm::floor(libm::log10(rough));
    let power = libm::pow(10.0, exponent);
    let steps = [1.0, 2.0, 5.0, 10.0].map(|s| s * power);
    let step = steps.into_iter().find(|s| *s >= rough).unwrap_or(rough);
    let first = libm::ceil(low / step - 1e-9);
    let mut all = Vec::new();
    for i in 0..=(TICKS as usize + 2) {
        let value = (first + i as f64) * step;
        if value.is_nan() || value > high + 1e-9 * step {
            break;
        }
        all.push((
            value,
            number(first + i as f64, step, low.abs().max(high.abs())),
        ));
    }
    all
}

/// Returns `count` times a step as text, with the digits that tell steps apart; `most` is the largest number.
fn number(count: f64, step: f64, most: f64) -> String {
    let value = count * step;
    if count == 0.0 {
        return "0".to_owned();
    }
    let decimals = (-libm::floor(libm::log10(step) + 1e-9)).clamp(0.0, 300.0) as usize;
    if most < 1e6 && decimals <= 5 {
        return format!("{value:.decimals$}");
    }
    let size = libm::floor(libm::log10(value.abs()) + 1e-12);
    let digits = (size - libm::floor(libm::log10(step) + 1e-9)).clamp(0.0, 17.0) as usize;
    format!("{value:.digits$e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let texts = |low: f64, high: f64| -> Vec<String> {
            ticks(low, high).into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(texts(0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(-3.0, 3.0), ["-3", "-2", "-1", "0", "1", "2", "3"]);
        assert_eq!(
            texts(0.0, 2.4e-7),
            ["0", "5e-8", "1.0e-7", "1.5e-7", "2.0e-7"]
        );
        assert_eq!(
            texts(1e8, 1.2e8),
            ["1.00e8", "1.05e8", "1.10e8", "1.15e8", "1.20e8"]
        );
        for (low, high) in [
            (-1e308, 1e308),
            (0.0, 5e-324),
            (1.0, 1.0 + f64::EPSILON),
            (-1e-38, 1e-38),
        ] {
            assert!(texts(low, high).len() <= 9);
        }
    }
}
