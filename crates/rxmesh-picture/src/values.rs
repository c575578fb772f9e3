//! Values of a column on the surface: their scale, colours and lines of equal value.

use crate::coat::slope;
use crate::color::{LinearColor, Ramp, mix};
use crate::marks::line;
use crate::options::PictureOptions;
use crate::surface::Hit;
use rayon::prelude::*;
use rxmesh_host::mesh::{Column, ElementKind};

/// Share of the values that may lie outside of the scale at either end.
const OUTLIERS: f64 = 0.02;
/// The ends of the scale are those of all values unless these reach so many times farther than most of them.
const FAR: f64 = 1.5;

/// Scale of a column: the values at the ends of the map.
#[derive(Debug, Clone)]
pub(crate) struct ValueScale {
    pub(crate) name: String,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// `true` if there are values of both signs.
    pub(crate) is_signed: bool,
    /// `true` if there are values below `low`, and above `high`.
    pub(crate) beyond: [bool; 2],
    pub(crate) ramp: Ramp,
    /// Number of isolines.
    isolines: u32,
}

impl ValueScale {
    /// Returns the scale of columns of one name; `None` if no value is a finite number.
    pub(crate) fn new(columns: &[&Column], options: &PictureOptions) -> Option<ValueScale> {
        let all = columns
            .iter()
            .flat_map(|c| (0..c.data.len()).map(|i| c.data.get(i)));
        let mut finite: Vec<f64> = all.filter(|v| v.is_finite()).collect();
        finite.par_sort_unstable_by(f64::total_cmp);
        let (&least, &most) = (finite.first()?, finite.last()?);
        let signed = least < 0.0 && most > 0.0;
        let (mut low, mut high) = match options.range {
            Some([low, high]) => (low, high),
            None => usual_range(&finite, signed),
        };
        if high - low <= 0.0 {
            // All are the same: it is in the middle.
            let half = (0.5 * low.abs()).max(f64::from(f32::MIN_POSITIVE));
            (low, high) = ((low - half).max(f64::MIN), (high + half).min(f64::MAX));
        }
        Some(ValueScale {
            name: columns[0].name.clone(),
            low,
            high,
            is_signed: signed,
            beyond: [least < low, most > high],
            ramp: Ramp::new(options.map, signed),
            isolines: options.isolines,
        })
    }

    /// Returns the place of a value between the ends, 0 and 1.
    pub(crate) fn place(&self, value: f64) -> f32 {
        // Halves, since the difference of the ends may be no number.
        ((0.5 * value - 0.5 * self.low) / (0.5 * self.high - 0.5 * self.low)) as f32
    }
}

/// Returns the ends of the scale of sorted values: without outliers, and around zero if both signs occur.
fn usual_range(sorted: &[f64], signed: bool) -> (f64, f64) {
    let last = sorted.len() - 1;
    let at = |share: f64| sorted[(share * last as f64) as usize];
    let (low, high) = (sorted[0], sorted[last]);
    let (inner_low, inner_high) = (at(OUTLIERS), at(1.0 - OUTLIERS));
    let most = inner_high - inner_low;
    let (low, high) = match high - low > FAR * most && most > 0.0 {
        true => (inner_low, inner_high),
        false => (low, high),
    };
    if signed {
        let reach = low.abs().max(high.abs());
        return (-reach, reach);
    }
    (low, high)
}

/// Values of a surface.
#[derive(Debug)]
pub(crate) struct SurfaceValues {
    /// Places of the values in the scale, per vertex or face.
    places: Vec<f32>,
    of_vertices: bool,
    ramp: Ramp,
    /// Distance of isolines, in places; the first is at the low end.
    isolines: Option<f32>,
}

impl SurfaceValues {
    /// Returns the values of a column of one value a row.
    pub(crate) fn new(column: &Column, scale: &ValueScale) -> SurfaceValues {
        let place = |i: usize| match column.data.get(i) {
            value if value.is_finite() => scale.place(value),
            _ => f32::NAN,
        };
        SurfaceValues {
            places: (0..column.data.len()).map(place).collect(),
            of_vertices: column.element == ElementKind::Vertex,
            isolines: (scale.isolines > 0).then(|| 1.0 / scale.isolines as f32),
            ramp: scale.ramp.clone(),
        }
    }

    /// Returns the places of the corners' values, and of the value at the place itself.
    fn at(&self, hit: &Hit) -> ([f32; 3], f32) {
        match self.of_vertices {
            true => {
                let of = hit.corners.map(|v| self.places[v as usize]);
                let [a, b, c] = hit.weights;
                (of, a * of[0] + b * of[1] + c * of[2])
            }
            false => ([self.places[hit.face]; 3], self.places[hit.face]),
        }
    }

    /// Returns the colour at a place; `None` where a value is missing.
    pub(crate) fn color(&self, hit: &Hit) -> Option<LinearColor> {
        let (_, place) = self.at(hit);
        (!place.is_nan()).then(|| self.ramp.at(place))
    }

    /// Draws the isolines near a place over its light.
    pub(crate) fn lines(&self, hit: &Hit, light: LinearColor) -> LinearColor {
        let Some(step) = self.isolines.filter(|_| self.of_vertices) else {
            return light;
        };
        let (corners, place) = self.at(hit);
        let slope = slope(hit, corners);
        if slope.is_nan() || slope <= 0.0 || !place.is_finite() {
            return light;
        }
        let lines = place / step;
        let off = (lines - (lines + 0.5).floor()).abs() * step;
        // Lines that are closer than a few pixels fade.
        let apart = step / slope;
        let strength = ((apart - 1.5) / 4.0).clamp(0.0, 1.0);
        let cover = strength * line(off / slope, 0.6);
        mix(light, light.map(|l| 0.12 * l), cover)
    }
}
