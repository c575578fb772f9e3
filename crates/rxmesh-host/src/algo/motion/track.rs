//! Explicit surface tracking.

use crate::Error;
use crate::algo::Options;
use crate::algo::improve::remesh::{
    LargestMove, RemeshOptions, Remesher, Remeshes, SessionMeshes, bounds, check_faces, faces_of,
    mean_length, most_faces, most_on_the_way, refuse_frozen,
};
use crate::edit::{Column, Motion, RunReport, Runs, Session};
use glam::Vec3;
use rxmesh_kernels::algo::motion::curl_noise::CurlNoise;
use rxmesh_kernels::algo::motion::track::{Advect, SmoothNullSpace, SplitStretched};
use rxmesh_kernels::topo::{Kind, Vertex};

/// Options of tracking a surface.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct TrackOptions {
    /// Number of times to move the surface and improve its mesh.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().frames))]
    pub frames: u32,
    /// Time of a frame.
    #[cfg_attr(feature = "cli", arg(long, value_name = "DT", default_value_t = Self::default().time_step))]
    pub time_step: f32,
    /// Approximate velocity of the field.
    #[cfg_attr(feature = "cli", arg(long, value_name = "SPEED", default_value_t = Self::default().speed))]
    pub speed: f32,
    /// Approximate size of the field's eddies.
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH", default_value_t = Self::default().noise_scale))]
    pub noise_scale: f32,
    /// Number of the field among those of this kind.
    #[cfg_attr(feature = "cli", arg(skip = Self::default().seed))]
    pub seed: u32,
    /// Approximate length of edges [default: the mean length of the input's edges].
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH"))]
    pub target_length: Option<f32>,
    /// Contract edges shorter than this many target lengths.
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART", default_value_t = Self::default().shortest))]
    pub shortest: f32,
    /// Split edges longer than this many target lengths.
    #[cfg_attr(feature = "cli", arg(long, value_name = "TIMES", default_value_t = Self::default().longest))]
    pub longest: f32,
    /// Split edges opposite a wider angle, in degrees.
    #[cfg_attr(feature = "cli", arg(long, value_name = "ANGLE", default_value_t = Self::default().widest_angle))]
    pub widest_angle: f32,
    /// Smoothing steps per frame.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().smoothing_steps))]
    pub smoothing_steps: u32,
    /// Most faces: refuses to begin if more are expected, and stops if more are made [default: three times
    /// those of the input, or 20 million if that is more].
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub max_faces: Option<u32>,
    /// Most rounds of each operator in a frame.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().max_rounds))]
    pub max_rounds: u32,
}

units!(TrackOptions {
    speed: Speed,
    noise_scale: Length,
    target_length: Length
});

changeable!(TrackOptions);

impl Default for TrackOptions {
    /// Returns the factors of lengths and the widest angle of El Topo (Brochu and Bridson 2009).
    fn default() -> Self {
        TrackOptions {
            frames: 100,
            time_step: 0.01,
            speed: 1.0,
            noise_scale: 1.0,
            seed: 1,
            target_length: None,
            shortest: 0.5,
            longest: 1.5,
            widest_angle: 135.0,
            smoothing_steps: 1,
            max_faces: None,
            max_rounds: 1000,
        }
    }
}

impl Options for TrackOptions {
    fn check(&self) -> Result<(), Error> {
        let bad = |what: String| Err(Error::Options(what));
        let positive = |x: f32| x > 0.0 && x.is_finite();
        if !(self.time_step.is_finite() && self.speed.is_finite()) {
            return bad("time step and speed must be finite numbers".into());
        }
        if !(positive(self.noise_scale) && positive(1.0 / self.noise_scale)) {
            return bad(format!(
                "the scale of the noise must be a finite number above 0, as one over it, not {}",
                self.noise_scale
            ));
        }
        if !(positive(self.shortest)
            && self.longest >= 2.0 * self.shortest
            && positive(self.longest))
        {
            return bad(format!(
                "the longest edge must be at least twice as long as the shortest, or halves would be contracted; not \
                    {} and {}",
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
}

/// Largest move of the surface by a contraction, in target lengths: edges are short there, so that this refuses the
/// contractions of parts that are as thin as an edge is long.
const LARGEST_MOVE: f32 = 0.25;

/// Longest way of a surface, in target lengths: at its end a 32-bit float still has six bits for a piece of an edge.
const FARTHEST: f32 = (1 << 18) as f32;

impl TrackOptions {
    /// Refuses a field that carries the surface so far that its shape is lost to rounding: one in another unit of
    /// length.
    fn stays_in_reach(&self, target: f32) -> Result<(), Error> {
        let way = self.frames as f32 * (self.time_step * self.speed).abs();
        if way <= FARTHEST * target {
            return Ok(());
        }
        Err(Error::Options(format!(
            "the field carries the surface as far as {:.0} of its edges are long, where nothing would be left of its \
                shape: at most {FARTHEST:.0} are possible with speed times time step times frames",
            way / target
        )))
    }

    /// Returns the velocity field.
    pub fn field(&self) -> CurlNoise {
        CurlNoise {
            frequency: 1.0 / self.noise_scale,
            speed: self.speed,
            seed: self.seed,
        }
    }

    fn remesh(&self) -> RemeshOptions {
        RemeshOptions {
            target_length: self.target_length,
            keep_features: None,
            project: false,
            max_faces: self.max_faces,
            max_rounds: self.max_rounds,
            ..RemeshOptions::default()
        }
    }
}

/// Results of tracking.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrackReport {
    /// Frames done.
    pub frames: u32,
    /// Approximate length of edges.
    pub target_length: f32,
    /// Counts of the splits.
    pub split: RunReport,
    /// Counts of the contractions.
    pub collapse: RunReport,
    /// Counts of the flips.
    pub flip: RunReport,
}

units!(TrackReport {
    target_length: Length
});

impl TrackReport {
    /// Returns the sum of all three.
    pub fn run(&self) -> RunReport {
        let mut all = self.split;
        all.merge(&self.collapse);
        all.merge(&self.flip);
        all
    }
}

/// Moves a surface with a velocity field, frame by frame (Runge-Kutta of fourth order, Bridson et al. 2007), and
/// improves the mesh after each. Long edges and those opposite wide angles are split, short ones contracted, edges
/// flipped towards equal valences, vertices smoothed in the null space of their faces' normals (Jiao 2007). The factors
/// of lengths and the widest angle are El Topo's (Brochu and Bridson 2009), whose flips go by lengths and which guards
/// volume, area and rank. Collisions and changes of topology are not handled. The boundary stays a boundary.
///
/// `each` sees the session after every frame, which are counted from 1.
///
/// # Errors
///
/// [`Error::Options`] for options that make no sense (a field that carries the surface 2^18 target lengths away among
/// them) and for a mesh that is not manifold and consistently oriented, and [`Error::TooManyFaces`] if more faces than
/// [`TrackOptions::max_faces`] are to be expected, before anything is changed; [`Error::Outgrown`] if more come; any
/// error of the session and of `each`.
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
    let mut remesher = Remesher::new(session, x, &options.remesh(), SessionMeshes::ONE)?;
    if moves {
        options.stays_in_reach(target)?;
        remesher.unit = target;
        let largest = LargestMove {
            always: 0.0,
            part: LARGEST_MOVE,
            few_faces: 0.0,
        };
        remesher.limit(session, &[largest])?;
        let expected = faces_of(session, x, remesher.sizing(session, 1.0)?)?;
        let now = session.count(Kind::Face)?;
        let most = most_faces(options.max_faces, now);
        check_faces(expected, most)?;
        remesher.guard.expected = expected as u64;
        let on_the_way = most_on_the_way(options.max_faces, now, expected);
        remesher.guard.most = on_the_way.max(most.into()) as u64;
    }
    session.note_motion(Motion::WithSurface);
    for frame in 1..=options.frames {
        session.engine().note("frame", frame.into());
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
    let shortest = report.target_length * options.shortest;
    session.engine().launch_flat(
        session.capacity(Kind::Vertex),
        Advect {
            field: options.field(),
            time: options.time_step,
            x: session.write(x)?,
        },
    )?;
    let unit = remesher.sizing(session, 1.0)?;
    for bound in bounds(session, x, unit, options.longest)? {
        // Wide angles wait for the last pass: no angle is wider than one of cosine -1.
        let angle = if bound > options.longest {
            180.0
        } else {
            options.widest_angle
        };
        let split = session.run(options.max_rounds, |s| {
            remesher.guard.check(s)?;
            Ok(SplitStretched {
                x: remesher.places(s)?,
                lines: remesher.lines(s)?,
                longest: remesher.sizing(s, bound)?,
                shortest: 4.0 * shortest * shortest,
                widest: angle.to_radians().cos(),
            })
        })?;
        report.split.merge(&split);
    }
    let collapse = remesher.collapse_between(session, options.shortest, options.longest)?;
    report.collapse.merge(&collapse);
    report.flip.merge(&remesher.flip(session)?);
    let session = &*session;
    remesher.smooth(session, options.smoothing_steps, |rings, moved| {
        let x = session.read(x)?;
        let n = session.capacity(Kind::Vertex);
        let kernel = SmoothNullSpace { rings, x, moved };
        Ok(session.engine().launch_flat(n, kernel)?)
    })?;
    Ok(())
}
