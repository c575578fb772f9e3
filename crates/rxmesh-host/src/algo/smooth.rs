//! Laplacian and Taubin smoothing.

use super::boundary;
use super::measure::{positive, unit_scale};
use crate::Error;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::smooth::{SmoothCotangent, SmoothUniform};
use rxmesh_kernels::topo::{Kind, Vertex};

/// How neighbours count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SmoothWeights {
    /// All the same.
    #[default]
    Uniform,
    /// By the cotangents opposite the edge, never negative, of the positions at each step.
    Cotangent,
}

/// How to smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothOptions {
    /// Part of the way to the neighbours' mean that a vertex goes in a step; above 0, at most 1.
    pub lambda: f64,
    /// Taubin's second step, away from the mean: negative, and at least -2. Nothing for plain Laplacian smoothing, which
    /// shrinks.
    pub mu: Option<f64>,
    /// Steps of the first kind; each is followed by one of the second kind when `mu` is given.
    pub iterations: u32,
    /// How neighbours count.
    pub weights: SmoothWeights,
    /// Whether boundary vertices stay where they are.
    pub keep_boundary: bool,
}

impl Default for SmoothOptions {
    fn default() -> Self {
        let weights = SmoothWeights::Uniform;
        SmoothOptions {
            lambda: 0.5,
            mu: None,
            iterations: 10,
            weights,
            keep_boundary: true,
        }
    }
}

impl SmoothOptions {
    /// Taubin's choice: lambda 0.33, mu -0.34 (a pass band of about 0.09).
    pub fn taubin(iterations: u32) -> Self {
        SmoothOptions {
            lambda: 0.33,
            mu: Some(-0.34),
            iterations,
            ..SmoothOptions::default()
        }
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct SmoothReport {
    /// Steps of either kind.
    pub steps: u32,
    /// How neighbours counted.
    pub weights: SmoothWeights,
}

/// Smooths `x` in place: `x += lambda * (mean of the neighbours - x)`, and for Taubin smoothing then the same with `mu`
/// (Taubin 1995, sections 2 and 3). Vertices without neighbours stay; with cotangent weights so do those without a face of
/// positive area.
///
/// # Errors
///
/// [`Error::Options`] for factors out of range, [`Error::NotFinite`] for a coordinate that is not finite, or what the engine
/// says.
pub fn smooth(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    options: &SmoothOptions,
) -> Result<SmoothReport, Error> {
    check(options)?;
    let mut report = SmoothReport {
        steps: 0,
        weights: options.weights,
    };
    if rx.count(Kind::Vertex) == 0 || options.iterations == 0 {
        return Ok(report);
    }
    let scale = unit_scale(rx, x)? as f32;
    let fixed = if options.keep_boundary {
        boundary::vertices(rx)?
    } else {
        rx.attribute()?
    };
    let mut y = rx.attribute()?;
    let factors = [Some(options.lambda), options.mu];
    for _ in 0..options.iterations {
        for factor in factors.into_iter().flatten() {
            let factor = factor as f32;
            match options.weights {
                SmoothWeights::Uniform => {
                    rx.run_for_each(SmoothUniform {
                        x: x.staged()?,
                        fixed: fixed.read()?,
                        y: y.write()?,
                        factor,
                    })?;
                }
                SmoothWeights::Cotangent => {
                    let (x, y) = (x.staged()?, y.global_mut()?);
                    rx.run(SmoothCotangent {
                        x,
                        fixed: fixed.read()?,
                        y,
                        factor,
                        scale,
                    })?;
                }
            }
            std::mem::swap(x, &mut y);
            report.steps += 1;
        }
    }
    Ok(report)
}

fn check(options: &SmoothOptions) -> Result<(), Error> {
    positive("lambda", options.lambda)?;
    if options.lambda > 1.0 {
        return Err(Error::Options(format!(
            "lambda is {}, but must be at most 1",
            options.lambda
        )));
    }
    match options.mu {
        Some(mu) if !(-2.0..0.0).contains(&mu) => Err(Error::Options(format!(
            "mu is {mu}, but must be negative and at least -2"
        ))),
        _ => Ok(()),
    }
}
