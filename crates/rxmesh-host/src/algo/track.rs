//! Explicit surface tracking.

use super::remesh::{RemeshOptions, Remesher, Remeshes, bounds, mean_length, refuse_frozen};
use crate::Error;
use crate::edit::{Column, RunReport, Runs, Session};
use glam::Vec3;
use rxmesh_kernels::algo::noise::CurlNoise;
use rxmesh_kernels::algo::track::{Advect, SmoothNullSpace, SplitStretched};
use rxmesh_kernels::topo::{Kind, Vertex};

/// How to track.
#[derive(Clone, Copy, Debug)]
pub struct TrackOptions {
    /// How often to move and to improve.
    pub frames: u32,
    /// The velocity field.
    pub field: CurlNoise,
    /// The time of a frame.
    pub time_step: f32,
    /// The length that edges shall have about; the mean of the input's if there is none.
    pub target_length: Option<f32>,
    /// Edges shorter than this many targets are contracted.
    pub shortest: f32,
    /// Edges longer than this many targets are split.
    pub longest: f32,
    /// Edges opposite a wider angle, in degrees, are split.
    pub widest_angle: f32,
    /// Smoothing steps a frame.
    pub smoothing_steps: u32,
    /// Most rounds of each operator in a frame.
    pub max_rounds: u32,
}

impl Default for TrackOptions {
    /// The factors of El Topo (Brochu and Bridson 2009).
    fn default() -> Self {
        TrackOptions {
            frames: 100,
            field: CurlNoise {
                frequency: 1.0,
                speed: 1.0,
                seed: 1,
            },
            time_step: 0.01,
            target_length: None,
            shortest: 0.5,
            longest: 1.5,
            widest_angle: 135.0,
            smoothing_steps: 1,
            max_rounds: 1000,
        }
    }
}

impl TrackOptions {
    /// # Errors
    ///
    /// [`Error::Options`] for numbers that make no sense.
    pub fn check(&self) -> Result<(), Error> {
        let bad = |what: String| Err(Error::Options(what));
        let positive = |x: f32| x > 0.0 && x.is_finite();
        if !(self.time_step.is_finite() && self.field.speed.is_finite()) {
            return bad("time step and speed must be finite numbers".into());
        }
        if !positive(self.field.frequency) {
            return bad(format!(
                "the frequency of the noise must be a finite number above 0, not {}",
                self.field.frequency
            ));
        }
        if !(positive(self.shortest)
            && self.longest >= 2.0 * self.shortest
            && positive(self.longest))
        {
            return bad(format!(
                "the longest edge must be at least twice as long as the shortest, or halves would be contracted; not {} and {}",
                self.longest, self.shortest
            ));
        }
        if !(self.widest_angle > 90.0 && self.widest_angle <= 180.0) {
            return bad(format!(
                "the widest angle must be above 90 and at most 180 degrees, not {}",
                self.widest_angle
            ));
        }
        self.remesh().check()
    }

    fn remesh(&self) -> RemeshOptions {
        RemeshOptions {
            target_length: self.target_length,
            max_rounds: self.max_rounds,
            ..RemeshOptions::default()
        }
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct TrackReport {
    /// Frames.
    pub frames: u32,
    /// The length that edges should have about.
    pub target_length: f32,
    /// Splits.
    pub split: RunReport,
    /// Contractions.
    pub collapse: RunReport,
    /// Flips.
    pub flip: RunReport,
}

impl TrackReport {
    /// All three.
    pub fn run(&self) -> RunReport {
        let mut all = self.split;
        all.merge(&self.collapse);
        all.merge(&self.flip);
        all
    }
}

/// Moves a surface with a velocity field, frame by frame (Runge-Kutta of fourth order, Bridson et al. 2007), and improves
/// the mesh after each: long edges and those opposite wide angles are split, short ones contracted, edges flipped towards
/// equal valences, vertices smoothed in the null space of their faces' normals (Jiao 2007). The thresholds are El Topo's
/// (Brochu and Bridson 2009); collisions and changes of topology are not handled. The boundary stays a boundary.
///
/// `each` sees the session after every frame, which are counted from 1.
///
/// # Errors
///
/// [`Error::Options`] for options that make no sense and for a mesh that is not manifold and consistently oriented, before anything is changed; what the
/// session and `each` say.
pub fn track<C: Remeshes + Runs<SplitStretched>, E: From<Error>>(
    session: &mut Session<C>,
    x: Column<Vertex, Vec3>,
    options: &TrackOptions,
    mut each: impl FnMut(u32, &Session<C>) -> Result<(), E>,
) -> Result<TrackReport, E> {
    options.check()?;
    refuse_frozen(session, "tracking")?;
    let target = match options.target_length {
        Some(length) => length,
        None => mean_length(session, x)?,
    };
    let mut report = TrackReport {
        target_length: target,
        ..TrackReport::default()
    };
    let moves = session.count(Kind::Face)? > 0;
    let remesher = Remesher::new(session, x, &options.remesh())?;
    for frame in 1..=options.frames {
        if moves {
            one_frame(session, x, &remesher, options, &mut report)?;
        }
        report.frames = frame;
        each(frame, session)?;
    }
    Ok(report)
}

fn one_frame<C: Remeshes + Runs<SplitStretched>>(
    session: &mut Session<C>,
    x: Column<Vertex, Vec3>,
    remesher: &Remesher,
    options: &TrackOptions,
    report: &mut TrackReport,
) -> Result<(), Error> {
    let (shortest, longest) = (
        report.target_length * options.shortest,
        report.target_length * options.longest,
    );
    session.engine().launch_flat(
        session.capacity(Kind::Vertex),
        Advect {
            field: options.field,
            time: options.time_step,
            x: session.write(x)?,
        },
    )?;
    for bound in bounds(session, x, longest)? {
        // Wide angles wait for the last pass: no angle is wider than one of cosine -1.
        let angle = if bound > longest {
            180.0
        } else {
            options.widest_angle
        };
        let split = session.run(options.max_rounds, |s| {
            Ok(SplitStretched {
                x: s.write(x)?,
                lines: remesher.lines(s)?,
                longest: bound * bound,
                shortest: 4.0 * shortest * shortest,
                widest: angle.to_radians().cos(),
            })
        })?;
        report.split.merge(&split);
    }
    let collapse = remesher.collapse(session, shortest, longest)?;
    report.collapse.merge(&collapse);
    report.flip.merge(&remesher.flip(session)?);
    let session = &*session;
    remesher.smooth(session, options.smoothing_steps, |rings, moved| {
        let x = session.read(x)?;
        let n = session.capacity(Kind::Vertex);
        let kernel = SmoothNullSpace { rings, x, moved };
        Ok(session.engine().launch_flat(n, kernel)?)
    })
}
