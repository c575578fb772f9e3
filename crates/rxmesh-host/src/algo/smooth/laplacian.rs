//! Laplacian and Taubin smoothing.

use crate::Error;
use crate::algo::measure::frame::unit_scale;
use crate::algo::{Options, boundary};
use crate::engine::Buffer;
use crate::options::positive;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::measure::fans::{REGULAR, RegularPatches};
use rxmesh_kernels::algo::smooth::laplacian::{SmoothCotangent, SmoothFans, SmoothUniform};
use rxmesh_kernels::query::{Fans, Prepared};
use rxmesh_kernels::topo::{Kind, Vertex};

/// Weights of neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum SmoothWeights {
    /// All the same.
    #[default]
    Uniform,
    /// By the cotangents of the angles opposite the edge, never negative, of the positions at each step.
    Cotangent,
}

/// Options of smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args), command(arg(cli::taubin())))]
#[non_exhaustive]
pub struct SmoothOptions {
    /// Iterations: a step towards the neighbours' mean, and one away from it if --mu or --taubin is given.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().iterations))]
    pub iterations: u32,
    /// Part of the way to the neighbours' mean that a vertex goes in a step; above 0, at most 1 (with --taubin 0.33).
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART", default_value_t = Self::default().lambda,
        default_value_if("taubin", "true", cli::LAMBDA)))]
    pub lambda: f64,
    /// Taubin's second step, away from the mean so that the mesh does not shrink: below 0, at least -2 [default: none,
    /// with
    /// --taubin -0.34].
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "PART", default_value_if("taubin", "true", cli::MU))
    )]
    pub mu: Option<f64>,
    /// Weights of neighbours.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "WEIGHTS", default_value_t, value_enum)
    )]
    pub weights: SmoothWeights,
    /// Let boundary vertices move as well.
    #[cfg_attr(feature = "cli", arg(long))]
    pub move_boundary: bool,
}

units!(SmoothOptions {});

changeable!(SmoothOptions);

impl Default for SmoothOptions {
    fn default() -> Self {
        let weights = SmoothWeights::Uniform;
        SmoothOptions {
            lambda: 0.5,
            mu: None,
            iterations: 10,
            weights,
            move_boundary: false,
        }
    }
}

/// Taubin's factors: a pass band of about 0.09.
const TAUBIN: [f64; 2] = [0.33, -0.34];

impl SmoothOptions {
    /// Returns Taubin's choice: lambda 0.33, mu -0.34 (a pass band of about 0.09).
    pub fn taubin(iterations: u32) -> Self {
        SmoothOptions {
            lambda: TAUBIN[0],
            mu: Some(TAUBIN[1]),
            iterations,
            ..SmoothOptions::default()
        }
    }
}

/// Results of smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SmoothReport {
    /// Steps of either kind.
    pub steps: u32,
    /// Weights of neighbours.
    pub weights: SmoothWeights,
}

units!(SmoothReport {});

/// Smooths `x` in place: `x += lambda * (mean of the neighbours - x)`, and for Taubin smoothing then the same with `mu`
/// (Taubin 1995, sections 2 and 3). Vertices without neighbours stay; with cotangent weights so do those without a face
/// of positive area.
///
/// # Errors
///
/// [`Error::Options`] for factors out of range, [`Error::NotFinite`] for a coordinate that is not finite, or any error
/// of the engine.
pub fn smooth(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    options: &SmoothOptions,
) -> Result<SmoothReport, Error> {
    options.check()?;
    let mut report = SmoothReport {
        steps: 0,
        weights: options.weights,
    };
    if rx.count(Kind::Vertex) == 0 || options.iterations == 0 {
        return Ok(report);
    }
    let scale = unit_scale(rx, x)? as f32;
    let mut steps = Steps::new(rx)?;
    if options.move_boundary {
        steps.fixed = rx.attribute()?;
    }
    let factors = [Some(options.lambda), options.mu];
    let mut cotangents = None;
    for _ in 0..options.iterations {
        for factor in factors.into_iter().flatten() {
            match options.weights {
                SmoothWeights::Uniform => steps.uniform(x, factor as f32)?,
                SmoothWeights::Cotangent => {
                    let cotangents = match &cotangents {
                        Some(cotangents) => cotangents,
                        None => {
                            let steps = u64::from(options.iterations)
                                * factors.iter().flatten().count() as u64;
                            cotangents.insert(Cotangents::new(rx, scale, steps >= STEPS_FOR_FANS)?)
                        }
                    };
                    steps.cotangent(x, factor as f32, cotangents)?;
                }
            }
            report.steps += 1;
        }
    }
    Ok(report)
}

/// Fewer steps with cotangent weights do not pay for the order of each vertex's faces.
const STEPS_FOR_FANS: u64 = 4;

/// Steps of smoothing, and their buffers.
pub(in crate::algo) struct Steps<'a> {
    rx: &'a RxMesh,
    fixed: Attribute<Vertex, u32>,
    y: Attribute<Vertex, Vec3>,
}

impl<'a> Steps<'a> {
    /// Prepares smoothing with the boundary held.
    pub(in crate::algo) fn new(rx: &'a RxMesh) -> Result<Self, Error> {
        Ok(Steps {
            rx,
            fixed: boundary::vertices(rx)?,
            y: rx.attribute()?,
        })
    }

    /// Returns flags that are not zero for vertices that stay.
    pub(in crate::algo) fn fixed(&self) -> &Attribute<Vertex, u32> {
        &self.fixed
    }

    /// Runs one step with uniform weights.
    fn uniform(&mut self, x: &mut Attribute<Vertex, Vec3>, factor: f32) -> Result<(), Error> {
        self.rx.run_for_each(SmoothUniform {
            x: x.staged()?,
            fixed: self.fixed.read()?,
            y: self.y.write()?,
            factor,
        })?;
        std::mem::swap(x, &mut self.y);
        Ok(())
    }

    /// Runs one step with cotangent weights.
    fn cotangent(
        &mut self,
        x: &mut Attribute<Vertex, Vec3>,
        factor: f32,
        c: &Cotangents,
    ) -> Result<(), Error> {
        let regular = c.regular.global();
        if c.some_are {
            self.rx.launch(SmoothFans {
                x: x.staged()?,
                fans: c.fans,
                regular,
                fixed: self.fixed.read()?,
                y: self.y.global_mut()?,
                factor,
                scale: c.scale,
            })?;
        }
        if c.some_are_not {
            self.rx.launch(SmoothCotangent {
                x: x.staged()?,
                regular,
                fixed: self.fixed.read()?,
                y: self.y.global_mut()?,
                factor,
                scale: c.scale,
            })?;
        }
        std::mem::swap(x, &mut self.y);
        Ok(())
    }

    /// Runs pairs of steps with uniform weights.
    pub(in crate::algo) fn pairs(
        &mut self,
        x: &mut Attribute<Vertex, Vec3>,
        factors: [f32; 2],
        pairs: u32,
    ) -> Result<(), Error> {
        for _ in 0..pairs {
            for factor in factors {
                self.uniform(x, factor)?;
            }
        }
        Ok(())
    }
}

/// Parameters of steps with cotangent weights.
struct Cotangents {
    /// Factor that brings lengths near one.
    scale: f32,
    /// Fans, used for regular patches.
    fans: Prepared<Fans>,
    /// A word per patch.
    regular: Buffer<u32>,
    /// `true` if some patches are regular; the next, if some are not.
    some_are: bool,
    some_are_not: bool,
}

impl Cotangents {
    /// Prepares steps; with `fans` vertices of regular patches walk around themselves, which pays for several steps.
    fn new(rx: &RxMesh, scale: f32, fans: bool) -> Result<Self, Error> {
        let mut new = Cotangents {
            scale,
            fans: Prepared::empty(),
            regular: rx.engine().zeroed(rx.headers().len())?,
            some_are: false,
            some_are_not: true,
        };
        if !fans {
            return Ok(new);
        }
        match rx.prepare::<Fans>() {
            Ok(fans) => new.fans = fans,
            // The rows of a patch of too many faces cannot be kept: none counts as regular.
            Err(Error::TooLarge { .. }) => return Ok(new),
            Err(error) => return Err(error),
        }
        rx.launch(RegularPatches {
            regular: new.regular.global_mut(),
        })?;
        let regular = new.regular.read()?;
        let is_regular = |r: &u32| *r == REGULAR;
        new.some_are = regular.iter().any(is_regular);
        new.some_are_not = !regular.iter().all(is_regular);
        Ok(new)
    }
}

impl Options for SmoothOptions {
    fn check(&self) -> Result<(), Error> {
        positive("lambda", self.lambda)?;
        if self.lambda > 1.0 {
            return Err(Error::Options(format!(
                "lambda is {}, but must be at most 1",
                self.lambda
            )));
        }
        match self.mu {
            Some(mu) if !(-2.0..0.0).contains(&mu) => Err(Error::Options(format!(
                "mu is {mu}, but must be negative and at least -2"
            ))),
            _ => Ok(()),
        }
    }
}

/// Flag that stands for two factors.
#[cfg(feature = "cli")]
mod cli {
    /// As in [`super::TAUBIN`].
    pub(in crate::algo) const LAMBDA: &str = "0.33";
    pub(in crate::algo) const MU: &str = "-0.34";

    pub(in crate::algo) fn taubin() -> clap::Arg {
        clap::Arg::new("taubin")
            .long("taubin")
            .action(clap::ArgAction::SetTrue)
            .help("Taubin's smoothing, with his factors where --lambda and --mu are not given")
    }
}
