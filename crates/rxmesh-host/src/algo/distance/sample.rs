//! Points on a surface, uniformly by area.

use crate::Error;
use crate::algo::Options;
use crate::mesh::Rng;
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Options of sampling points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct SampleOptions {
    /// Number of points.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().points))]
    pub points: u64,
    /// Seed of random choices: the same seed gives the same points.
    #[cfg_attr(feature = "cli", arg(long, value_name = "SEED", default_value_t = Self::default().seed))]
    pub seed: u64,
}

units!(SampleOptions {});

changeable!(SampleOptions);

impl Default for SampleOptions {
    fn default() -> Self {
        SampleOptions {
            points: 100_000,
            seed: 1,
        }
    }
}

impl Options for SampleOptions {
    fn check(&self) -> Result<(), Error> {
        let most = crate::mesh::MAX_VERTICES as u64;
        match self.points {
            0 => Err(Error::Options(
                "0 points were requested, but at least 1 is needed".into(),
            )),
            n if n > most => Err(Error::Options(format!(
                "{n} points were requested, but a mesh has at most {most}"
            ))),
            _ => Ok(()),
        }
    }
}

/// Points on a surface: as many parts of equal area as there are points, and in each part one point at random, in the
/// order of the faces. So a region has as many points as its share of the area requires, to one or two at its border.
///
/// Each point depends on the seed and its own number only: any part of them can be made by itself.
#[derive(Debug)]
pub struct Sampler<'a> {
    x: &'a [Vec3],
    faces: &'a [[u32; 3]],
    /// Area of the faces before each, and of all, but for a factor.
    areas: Vec<f64>,
    points: u64,
    seed: u64,
}

/// A point on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplePoint {
    /// Position of the point.
    pub position: Vec3,
    /// Face that holds the point.
    pub face: u32,
}

impl<'a> Sampler<'a> {
    /// Creates a sampler of the faces of a mesh.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] where the options make no sense or no face has an area, so that there is nothing to draw
    /// from.
    ///
    /// # Panics
    ///
    /// When a face names a vertex that is not there.
    pub fn new(
        x: &'a [Vec3],
        faces: &'a [[u32; 3]],
        options: &SampleOptions,
    ) -> Result<Sampler<'a>, Error> {
        options.check()?;
        let mut areas: Vec<f64> = faces
            .par_iter()
            .lean()
            .map(|f| twice_area(corners(x, f)))
            .collect();
        let mut total = 0.0;
        for area in &mut areas {
            (*area, total) = (total, total + *area);
        }
        areas.push(total);
        if !(total > 0.0 && total.is_finite()) {
            return Err(Error::Options(
                "no face has an area, so that there is no surface to take points from".into(),
            ));
        }
        Ok(Sampler {
            x,
            faces,
            areas,
            points: options.points,
            seed: options.seed,
        })
    }

    /// Returns the number of points.
    pub fn len(&self) -> u64 {
        self.points
    }

    /// Returns `false`: there is at least one point.
    pub fn is_empty(&self) -> bool {
        self.points == 0
    }

    /// Returns some of the points.
    pub fn part(&self, which: Range<u64>) -> Vec<SamplePoint> {
        which.into_par_iter().map(|i| self.point(i)).collect()
    }

    fn point(&self, i: u64) -> SamplePoint {
        let mut rng = Rng::new(self.seed ^ Rng::new(i).next_u64());
        let mut unit = || 0.5 + 0.5 * rng.signed_unit();
        let total = self.areas[self.faces.len()];
        let at = (i as f64 + unit()) / self.points as f64 * total;
        // The last face that begins at or before it, among those with an area.
        let face = self
            .areas
            .partition_point(|&a| a <= at)
            .clamp(1, self.faces.len())
            - 1;
        let [a, b, c] = corners(self.x, &self.faces[face]);
        let (mut u, mut v) = (unit(), unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        SamplePoint {
            position: (a + (b - a) * u + (c - a) * v).as_vec3(),
            face: face as u32,
        }
    }
}

fn corners(x: &[Vec3], f: &[u32; 3]) -> [DVec3; 3] {
    f.map(|v| x[v as usize].as_dvec3())
}

fn twice_area([a, b, c]: [DVec3; 3]) -> f64 {
    (b - a).cross(c - a).length()
}

/// Returns the unit normal of a face; zero if it has no area.
pub fn face_normal(x: &[Vec3], f: &[u32; 3]) -> Vec3 {
    let [a, b, c] = corners(x, f);
    (b - a).cross(c - a).normalize_or_zero().as_vec3()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;

    #[test]
    fn points_lie_where_the_area_is() {
        let mut mesh = generate::grid(3, 1).unwrap();
        // Squares of widths 1, 2 and 5, and a face without area in front.
        for p in &mut mesh.positions {
            p.x = [0.0, 1.0, 3.0, 8.0][(p.x * 3.0).round() as usize];
        }
        mesh.faces.insert(0, [0, 0, 1]);
        let options = SampleOptions {
            points: 8000,
            seed: 3,
        };
        let sampler = Sampler::new(&mesh.positions, &mesh.faces, &options).unwrap();
        let points = sampler.part(0..sampler.len());
        let count = |low: f32, high: f32| {
            let inside = |p: &&SamplePoint| p.position.x >= low && p.position.x < high;
            points.iter().filter(inside).count() as i64
        };
        for (low, high, want) in [(0.0, 1.0, 1000), (1.0, 3.0, 2000), (3.0, 8.0, 5000)] {
            assert!((count(low, high) - want).abs() <= 2, "{low} to {high}");
        }
        assert!(points.iter().all(|p| p.face != 0 && p.position.z == 0.0));
        // Uniform within a face, not only among faces.
        let lower = points.iter().filter(|p| p.position.y < 0.25).count() as f64;
        assert!((lower / 2000.0 - 1.0).abs() < 0.1, "{lower}");
        assert_eq!(sampler.part(100..200), points[100..200]);
        let other = SampleOptions { seed: 4, ..options };
        let other = Sampler::new(&mesh.positions, &mesh.faces, &other).unwrap();
        assert_ne!(other.part(100..200), points[100..200]);
    }

    #[test]
    fn no_surface_no_points() {
        let x = [Vec3::ZERO; 3];
        for faces in [&[][..], &[[0, 1, 2]]] {
            let e = Sampler::new(&x, faces, &SampleOptions::default()).unwrap_err();
            assert!(e.to_string().contains("no face has an area"));
        }
    }
}
