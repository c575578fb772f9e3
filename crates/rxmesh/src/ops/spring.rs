//! `spring`: a mass-spring system.

use crate::error::explained;
use crate::on::Vertices;
use crate::{Error, Group, Log, Message, Operation, Result, text};
use rxmesh_host::algo::spring::{MotionOptions, MotionReport, SpringMethod, simulate};
use rxmesh_host::algo::{Options, boundary};
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::units;
use rxmesh_host::{Error as HostError, Vec3};
use serde::Serialize;

const TOO_LONG: &str = "the motion left the numbers: take a shorter --time-step, or --method implicit; or \
    coordinates are too large";

/// Simulates a mass-spring system.
#[derive(Clone, Copy, Debug)]
pub struct Spring;

/// Options of [`Spring`].
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SpringArgs {
    // Flags that were given. Before the options that it requires, because those are taken out as they are read.
    /// Options that were given.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(skip)]
    pub given: Given,
    /// Options of the motion.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub motion: MotionOptions,
    /// A fixed vertex, counted from 0 in the order of the file; may be given several times
    #[cfg_attr(feature = "cli", arg(long, value_name = "VERTEX"))]
    pub pin: Vec<u32>,
    /// All vertices of the boundary stay
    #[cfg_attr(feature = "cli", arg(long))]
    pub pin_boundary: bool,
    /// The vertices in the top PERCENT of the mesh's height (against gravity) stay
    #[cfg_attr(feature = "cli", arg(long, value_name = "PERCENT"))]
    pub pin_top: Option<f64>,
}

units!(SpringArgs { motion });

/// Options that were given: the others follow the mesh's size.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given {
    /// The time step was given.
    pub time_step: bool,
    /// The stiffness was given.
    pub stiffness: bool,
    /// The damping was given.
    pub damping: bool,
    /// The gravity was given.
    pub gravity: bool,
}

impl SpringArgs {
    /// Returns the options for a mesh of this size in metres. What was not given follows it by dynamic similarity, so
    /// that meshes of any size move alike in their own lengths under the earth's gravity: the usual values are those of
    /// a metre. A given gravity implies units of length or time that are not known here, and leaves the usual values.
    fn for_size(&self, size: f64) -> MotionOptions {
        let mut motion = self.motion;
        let springs = &mut motion.springs;
        let time = size.sqrt();
        if self.given.gravity || !(time > 0.0 && time.is_finite()) {
            return motion;
        }
        if !self.given.time_step {
            springs.time_step *= time;
        }
        if !self.given.stiffness {
            springs.stiffness /= time * time;
        }
        if !self.given.damping {
            springs.damping /= time;
        }
        motion
    }
}

impl Options for SpringArgs {
    fn check(&self) -> std::result::Result<(), HostError> {
        self.motion.check()?;
        match self.pin_top {
            Some(percent) if !(percent >= 0.0 && percent.is_finite()) => {
                Err(HostError::Options(format!(
                    "the pinned percentage is {percent}, but must be a finite number, 0 or more"
                )))
            }
            _ => Ok(()),
        }
    }
}

/// Report of [`Spring`].
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpringOpReport {
    /// Number of fixed vertices.
    pub pinned: u64,
    /// Time step in seconds, given or from the size of the mesh.
    pub time_step: f64,
    /// Stiffness of the springs in newtons a metre, given or from the size of the mesh.
    pub stiffness: f64,
    /// Damping in one over seconds, given or from the size of the mesh.
    pub damping: f64,
    /// Report of the algorithm.
    #[serde(flatten)]
    pub motion: MotionReport,
}

units!(SpringOpReport { motion });

impl Operation for Spring {
    const NAME: &'static str = "spring";
    const GROUP: Group = Group::Simulate;
    const SUMMARY: &'static str = "Simulate a mesh as a mass-spring system";
    const HELP: &'static str =
        "Examples: rxmesh spring bunny.obj --pin-top 5 --steps 500 -o hung.obj
          rxmesh generate grid --nx 30 --ny 30 -o cloth.obj
          rxmesh spring cloth.obj --pin 0 --pin 30 --method implicit --time-step 0.01

Every edge is a spring that is at rest in the input; coordinates are metres. Explicit steps stay
stable only well below sqrt(M / (K valence)) seconds. Without --gravity, the defaults of step, stiffness
and damping follow the longest side L: they are those of 1 m, times sqrt(L) for the step, 1 / L for the
stiffness and 1 / sqrt(L) for the damping, so that meshes of any size move alike.
Normals of the input are recomputed.";
    type Options = SpringArgs;
    type Report = SpringOpReport;
    type On = Vertices;

    fn run(on: &mut Vertices, args: &SpringArgs, log: &mut dyn Log) -> Result<SpringOpReport> {
        let mut pins = pins(on, args, log)?;
        let used = on.used_vertices(log)?;
        let pinned = (0..)
            .zip(&pins)
            .filter(|&(v, &p)| p != 0 && used.contains(v));
        let pinned = pinned.count() as u64;
        if pinned == 0 && args.motion.springs.gravity != Vec3::ZERO {
            log.warn(
                "no vertex is pinned, so the mesh falls freely (--pin, --pin-top, --pin-boundary)"
                    .into(),
            );
        }
        // Vertices of no face are no part of the body: they stay.
        for (v, pin) in pins.iter_mut().enumerate() {
            *pin |= u32::from(!used.contains(v));
        }
        let options = args.for_size(on.size(log)?);
        let motion = on.move_vertices(log, "moving", |rx, x| {
            let fixed = rx.attribute_from::<Vertex, u32>(&pins)?;
            simulate(rx, x, &fixed, &options).map_err(explained(TOO_LONG))
        })?;
        Ok(SpringOpReport {
            pinned,
            time_step: options.springs.time_step,
            stiffness: options.springs.stiffness,
            damping: options.springs.damping,
            motion,
        })
    }

    fn describe(report: &SpringOpReport, args: &SpringArgs) -> Message {
        let (motion, n) = (&args.motion, text::number);
        let seconds = f64::from(motion.steps) * report.time_step;
        let method = match motion.method {
            SpringMethod::Explicit => "explicit",
            SpringMethod::Scatter => "scatter",
            SpringMethod::Implicit => "implicit",
        };
        let mut lines = format!(
            "mass-spring system: {} {method} steps of {} s ({} s in all), {} vertices pinned\n",
            motion.steps,
            n(report.time_step),
            n(seconds),
            report.pinned
        );
        let usual = &motion.springs;
        if report.stiffness != usual.stiffness || report.damping != usual.damping {
            lines += &format!(
                "for its size: stiffness {} N/m, damping {} 1/s\n",
                n(report.stiffness),
                n(report.damping)
            );
        }
        if let Some(solve) = report.motion.last_solve {
            lines += &format!(
                "last solve: {} iterations, residual {:.2e}\n",
                solve.iterations, solve.residual
            );
        }
        let (before, e) = (report.motion.energy_before, report.motion.energy);
        lines += &format!(
            "energy: {} kinetic, {} elastic, {} of height, {} in all",
            n(e.kinetic),
            n(e.elastic),
            n(e.gravity),
            n(e.total)
        );
        Message::new(lines).warn_if(grew(&report.motion), || {
            format!(
                "the energy grew from {} to {}: the time step is too long for this method, or the coordinates are \
                too large for such small motions; the result means nothing",
                n(before.total),
                n(e.total)
            )
        })
    }
}

/// Returns `true` if the energy has grown. Nothing drives the system, so a stable motion gains no energy; a tenth is
/// allowed for the error of the steps.
fn grew(motion: &MotionReport) -> bool {
    let e = motion.energy;
    let scale = e.kinetic + e.elastic + e.gravity.abs();
    e.total - motion.energy_before.total > 0.1 * scale
}

/// Returns 1 for each fixed vertex and 0 for the others, in the file's order.
fn pins(on: &mut Vertices, args: &SpringArgs, log: &mut dyn Log) -> Result<Vec<u32>> {
    let n = on.vertex_count();
    let mut pins = if args.pin_boundary {
        boundary::vertices(&on.rx)?.to_input(&on.rx)?
    } else {
        vec![0; n]
    };
    for &v in &args.pin {
        match pins.get_mut(v as usize) {
            Some(pin) => *pin = 1,
            None => {
                return Err(Error::Message(format!(
                    "--pin {v} is no vertex: there are {n}, counted from 0"
                )));
            }
        }
    }
    if let Some(percent) = args.pin_top {
        pin_top(&mut pins, on.mesh(log)?, percent, args)?;
    }
    Ok(pins)
}

fn pin_top(pins: &mut [u32], mesh: &TriMesh, percent: f64, args: &SpringArgs) -> Result<()> {
    let up = -args.motion.springs.gravity.as_dvec3();
    let heights = mesh.positions.iter().map(|p| up.dot(p.as_dvec3()));
    let heights: Vec<f64> = heights.collect();
    let used = mesh.used_vertices();
    let counted = || (0..).zip(&heights).filter(|(v, _)| used.contains(*v));
    let counted = || counted().map(|(_, h)| *h);
    let low = counted().fold(f64::INFINITY, f64::min);
    let high = counted().fold(f64::NEG_INFINITY, f64::max);
    if high <= low {
        return Err(Error::Message(
            "--pin-top: the mesh has no height against gravity, so that all of it would be pinned"
                .into(),
        ));
    }
    let limit = high - (high - low) * percent / 100.0;
    for (pin, height) in pins.iter_mut().zip(heights) {
        if height >= limit {
            *pin = 1;
        }
    }
    Ok(())
}

#[cfg(feature = "cli")]
mod cli {
    use super::Given;
    use clap::parser::ValueSource;
    use clap::{ArgMatches, Args, Command, FromArgMatches};

    impl FromArgMatches for Given {
        fn from_arg_matches(matches: &ArgMatches) -> Result<Given, clap::Error> {
            let given = |id: &str| {
                let source = matches.value_source(id);
                source.is_some_and(|s| s != ValueSource::DefaultValue)
            };
            Ok(Given {
                time_step: given("time_step"),
                stiffness: given("stiffness"),
                damping: given("damping"),
                gravity: given("gravity"),
            })
        }

        fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
            *self = Given::from_arg_matches(matches)?;
            Ok(())
        }
    }

    /// Has no flags: it reads those of others.
    impl Args for Given {
        fn augment_args(command: Command) -> Command {
            command
        }

        fn augment_args_for_update(command: Command) -> Command {
            command
        }
    }
}
