//! Simplification by edge collapse.

use super::Options;
use super::boundary::Boundary;
use crate::Error;
use crate::edit::{self, Column, Cut, RunReport, Session};
use crate::engine::Buffer;
use glam::Vec3;
use rxmesh_kernels::algo::quadric::Stored;
use rxmesh_kernels::algo::remesh::MarkEnds;
use rxmesh_kernels::algo::simplify::{
    COURSE_WORDS, Collapse, Course, HISTOGRAM_WORDS, IDLE_ROUNDS, PLACE_BEST, PLACE_CHEAPER_END,
    PLACE_MIDDLE, PLACE_OTHER_END, QuadricSurface, REFUSALS, Refusal, SELECT_WORDS,
    SimplifyBorders, SimplifyCosts, SimplifyHolds, SimplifyQuadrics, SimplifyRefusals,
    SimplifySelect,
};
use rxmesh_kernels::edit::Fill;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Kind, Vertex};

/// The weight of the planes that hold the boundary against those of the faces.
const BOUNDARY_WEIGHT: f32 = 10.0;

/// Where new vertices come: elsewhere only when every edge that is left turns a face over.
const PLACINGS: [u32; 4] = [PLACE_BEST, PLACE_CHEAPER_END, PLACE_OTHER_END, PLACE_MIDDLE];

/// Rounds after which refused edges are looked at again.
const FORGIVE_AFTER: u32 = 8;

/// Blocks that select edges, where there is work for so many: two a multiprocessor of a large GPU.
const SELECT_BLOCKS: u32 = 264;

/// How far to simplify.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Target {
    /// To at most so many faces.
    Faces(u32),
    /// To this part of the faces, in (0, 1].
    Ratio(f64),
}

/// What makes an edge cheap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Cost {
    /// Those with the least quadric error at the best place for the new vertex (Garland and Heckbert 1997).
    #[default]
    Quadric,
    /// The shortest; the new vertex comes into the middle, or onto the boundary.
    Length,
}

/// How to simplify.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct SimplifyOptions {
    /// How far.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub target: Target,
    /// Which edges go first.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "COST", default_value_t, value_enum)
    )]
    pub cost: Cost,
    /// What becomes of the boundary.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "WHAT", default_value_t, value_enum)
    )]
    pub boundary: Boundary,
    /// The part of the edges, the cheapest, that one round looks at, above 0 and at most 1: smaller is closer to one
    /// edge after the other, and slower.
    #[cfg_attr(feature = "cli", arg(long, value_name = "Q", default_value_t = Self::new(Target::Faces(1)).quantile))]
    pub quantile: f64,
    /// Decides between edges of the same cost.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub seed: u32,
    /// Most rounds.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::new(Target::Faces(1)).max_rounds))]
    pub max_rounds: u32,
}

/// The flags of a target.
#[cfg(feature = "cli")]
mod cli {
    use super::Target;
    use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

    #[derive(Args)]
    #[group(required = true, multiple = false)]
    struct TargetFlags {
        /// Stop at so many faces.
        #[arg(long, value_name = "N")]
        faces: Option<u32>,
        /// Stop at this part of the faces, above 0 and at most 1.
        #[arg(long, value_name = "R")]
        ratio: Option<f64>,
    }

    impl Args for Target {
        fn augment_args(command: Command) -> Command {
            TargetFlags::augment_args(command)
        }

        fn augment_args_for_update(command: Command) -> Command {
            TargetFlags::augment_args_for_update(command)
        }
    }

    impl FromArgMatches for Target {
        fn from_arg_matches(matches: &ArgMatches) -> Result<Target, Error> {
            let flags = TargetFlags::from_arg_matches(matches)?;
            let ratio = flags.ratio.map(Target::Ratio);
            let target = flags.faces.map(Target::Faces).or(ratio);
            target.ok_or_else(|| Error::new(clap::error::ErrorKind::MissingRequiredArgument))
        }

        fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
            *self = Target::from_arg_matches(matches)?;
            Ok(())
        }
    }
}

impl SimplifyOptions {
    /// The default options for a target.
    pub fn new(target: Target) -> Self {
        SimplifyOptions {
            target,
            cost: Cost::Quadric,
            boundary: Boundary::Hold,
            quantile: 0.15,
            seed: 0,
            max_rounds: 100_000,
        }
    }
}

/// Why simplification ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum End {
    /// The number of faces is reached.
    #[default]
    Reached,
    /// Every edge that is left is refused.
    Stuck,
    /// The number of rounds was used up.
    Rounds,
}

/// Edges that are left, by why they are not collapsed. Only counted when the number of faces was not reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Refused {
    /// Both ends stay where they are: on a boundary that is kept, on a line that is kept, at a place that is not
    /// manifold; or a frozen face is near.
    pub frozen: u32,
    /// The surface would become another one, or a component vanish.
    pub link: u32,
    /// A face would turn over or lose its area.
    pub fold: u32,
    /// Positions that are not finite.
    pub not_finite: u32,
    /// A boundary that is held would take another course.
    pub bend: u32,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SimplifyReport {
    /// The rounds; `done` is the number of collapses.
    pub run: RunReport,
    /// Faces at the beginning.
    pub faces_before: u32,
    /// Faces that were wanted.
    pub target: u32,
    /// Faces at the end.
    pub faces: u32,
    /// Why it ended.
    pub end: End,
    /// Edges that are left and cannot go, when it ended before the number was reached.
    pub refused: Refused,
}

impl Options for SimplifyOptions {
    fn check(&self) -> Result<(), Error> {
        let bad = |what: String| Err(Error::Options(what));
        let part = |x: f64| x > 0.0 && x <= 1.0;
        if !part(self.quantile) {
            return bad(format!(
                "the quantile is {}, but must be above 0 and at most 1",
                self.quantile
            ));
        }
        match self.target {
            Target::Faces(0) => bad("0 faces are wanted, but at least 1 must be left".into()),
            Target::Ratio(r) if !part(r) => bad(format!(
                "the ratio is {r}, but must be above 0 and at most 1"
            )),
            _ => Ok(()),
        }
    }
}

impl Target {
    /// The number of faces to reach from `faces`.
    fn goal(self, faces: u32) -> u32 {
        match self {
            Target::Faces(n) => n,
            Target::Ratio(r) => (f64::from(faces) * r).round().max(1.0) as u32,
        }
    }
}

/// Collapses edges, the cheapest first, until no more than a number of faces is left: exactly that number on closed
/// surfaces when it is even, else at most one less. Collapses that would change the topology (the link condition of Dey
/// et al. 1999) or turn a face over are refused; the report says why when the number cannot be reached.
///
/// Quadrics are weighted by area; boundaries are held by planes that stand on them, unless the options say otherwise.
/// The new vertex comes to the place of least error.
///
/// Vertices at places that are not manifold stay where they are, and the edges between them; what is around them is
/// drawn into them. Nothing changes in how the surface meets itself there. Faces that repeat a vertex stay as they are,
/// and all faces that touch them.
///
/// # Errors
///
/// [`Error::Options`] for a ratio outside (0, 1], no faces, a quantile outside (0, 1], before anything is changed; what
/// the session says.
pub fn simplify(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    options: &SimplifyOptions,
) -> Result<SimplifyReport, Error> {
    options.check()?;
    let faces = session.count(Kind::Face)?;
    let goal = options.target.goal(faces);
    let mut report = SimplifyReport {
        faces_before: faces,
        target: goal,
        faces,
        ..SimplifyReport::default()
    };
    if faces > goal {
        let cut = if session.frozen_faces() > 0 {
            session.cut(&session.values(x)?.read()?)?
        } else {
            None
        };
        let done = work(session, x, options, cut.as_ref(), &mut report);
        if let Some(cut) = cut {
            session.weld(&cut)?;
        }
        done?;
    }
    Ok(report)
}

/// Simplifies a session that was cut.
fn work(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    options: &SimplifyOptions,
    cut: Option<&Cut>,
    report: &mut SimplifyReport,
) -> Result<(), Error> {
    let mut work = Work::new(session, x, options, cut)?;
    let mut done = report.run.done;
    for turn in 0.. {
        report.end = work.rounds(session, options, report)?;
        let last = turn % PLACINGS.len() + 1 == PLACINGS.len();
        if report.end != End::Stuck || last && report.run.done == done {
            break;
        }
        if last {
            done = report.run.done;
        }
        work.placing = PLACINGS[(turn + 1) % PLACINGS.len()];
        work.cost_edges(session)?;
    }
    if report.end != End::Reached {
        report.refused = work.refusals(session)?;
    }
    Ok(())
}

/// The buffers of a simplification. The session does not grow meanwhile, since collapses need no slots.
struct Work {
    x: Column<Vertex, Vec3>,
    quadrics: Buffer<Stored>,
    holds: Buffer<u32>,
    costs: Buffer<u32>,
    refused: Buffer<u32>,
    histogram: Buffer<u32>,
    /// See [`Course`].
    course: Buffer<u32>,
    /// As it was seen last.
    seen: Vec<u32>,
    /// An array without words, for kernels.
    nothing: Buffer<u32>,
    scale: f32,
    boundary: f32,
    /// Where new vertices come: one of [`PLACINGS`].
    placing: u32,
    salt: u32,
    /// The part of the edges that a round looks at.
    quantile: f64,
    /// Faces that are to go, counted from the collapses and [`Course::Borders`] so far.
    goal: Goal,
}

/// How far a simplification has to go from where it stands.
#[derive(Clone, Copy, Default)]
struct Goal {
    faces: u32,
    done: u32,
    borders: u32,
}

/// Rounds of a simplification between two looks.
struct Steps<'a> {
    work: &'a mut Work,
    forgive: bool,
}

impl edit::Course<Collapse> for Steps<'_> {
    const LIMITED: bool = true;

    fn operator(&mut self, session: &Session, round: u32) -> Result<Collapse, Error> {
        let salt = self.work.salt.wrapping_add(round);
        self.work.collapse(session, salt)
    }

    fn between(&mut self, session: &Session, queue: GlobalMut<u32>) -> Result<(), Error> {
        let select = self.work.select(session, queue, self.forgive);
        self.work.launch_select(
            session,
            SimplifySelect {
                between: 1,
                ..select
            },
        )
    }

    fn state(&self) -> Option<&Buffer<u32>> {
        Some(&self.work.course)
    }

    fn looked(&mut self, state: &[u32]) {
        self.work.seen = state.to_vec();
    }
}

impl Work {
    fn new(
        session: &mut Session,
        x: Column<Vertex, Vec3>,
        options: &SimplifyOptions,
        cut: Option<&Cut>,
    ) -> Result<Work, Error> {
        let engine = session.engine().clone();
        let [v, e] = [Kind::Vertex, Kind::Edge].map(|k| session.capacity(k) as usize);
        let mut work = Work {
            x,
            quadrics: engine.zeroed(0)?,
            holds: holds(session, options.boundary, cut)?,
            costs: engine.zeroed(e)?,
            refused: engine.zeroed(session.set_words())?,
            histogram: engine.zeroed(HISTOGRAM_WORDS as usize)?,
            course: engine.zeroed(COURSE_WORDS)?,
            seen: vec![0; COURSE_WORDS],
            nothing: engine.zeroed(0)?,
            scale: 1.0,
            boundary: match options.boundary {
                Boundary::Keep | Boundary::Hold => BOUNDARY_WEIGHT,
                Boundary::Free => 0.0,
            },
            placing: PLACE_BEST,
            salt: options.seed,
            quantile: options.quantile,
            goal: Goal::default(),
        };
        work.measure(session)?;
        if options.cost == Cost::Quadric {
            work.quadrics = engine.zeroed(v)?;
            let kernel = SimplifyQuadrics {
                mesh: session.mesh()?,
                surface: work.surface(session)?,
            };
            engine.launch_flat(session.capacity(Kind::Vertex), kernel)?;
        }
        work.quantile = options.quantile;
        work.cost_edges(session)?;
        Ok(work)
    }

    /// Finds the unit of lengths: the median length of the edges, whose squares may not be in range at first.
    fn measure(&mut self, session: &mut Session) -> Result<(), Error> {
        for power in [0, 90, -90] {
            self.scale = 2f32.powi(power);
            for quantile in [0.5, 1.0] {
                self.quantile = quantile;
                self.cost_edges(session)?;
                let square = f32::from_bits(self.seen(Course::Bound));
                if (2f32.powi(-100)..2f32.powi(100)).contains(&square) {
                    self.scale *= (-0.5 * square.log2()).round().exp2();
                    return Ok(());
                }
            }
        }
        self.scale = 1.0;
        Ok(())
    }

    fn seen(&self, word: Course) -> u32 {
        self.seen[word as usize]
    }

    fn set(&self, session: &Session, word: Course, value: u32) -> Result<(), Error> {
        let to = self.course.global_mut().from(word as u32);
        Ok(session.engine().launch_flat(1, Fill { to, value })?)
    }

    fn surface(&self, session: &Session) -> Result<QuadricSurface, Error> {
        Ok(QuadricSurface {
            x: session.write(self.x)?,
            quadrics: self.quadrics.global_mut(),
            holds: self.holds.global(),
            scale: self.scale,
            boundary: self.boundary,
            placing: self.placing,
        })
    }

    /// The cost of every edge, and what is cheap.
    fn cost_edges(&mut self, session: &mut Session) -> Result<(), Error> {
        let kernel = SimplifyCosts {
            mesh: session.mesh()?,
            surface: self.surface(session)?,
            costs: self.costs.global_mut(),
        };
        session
            .engine()
            .launch_flat(session.capacity(Kind::Edge), kernel)?;
        self.set(session, Course::Bound, 0)?;
        self.enter(session, false)?;
        Ok(())
    }

    /// Enters the edges that are cheap for the next round; how many.
    fn enter(&mut self, session: &mut Session, forgive: bool) -> Result<u32, Error> {
        let queued = session.enqueue(|s, queue| {
            let select = self.select(s, queue, forgive);
            self.launch_select(s, select)
        })?;
        self.seen = self.course.read()?;
        Ok(queued)
    }

    fn select(&self, s: &Session, queue: GlobalMut<u32>, forgive: bool) -> SimplifySelect {
        SimplifySelect {
            costs: self.costs.global_mut(),
            refused: self.refused.global_mut(),
            queue,
            histogram: self.histogram.global_mut(),
            course: self.course.global_mut(),
            counters: s.round_counters(),
            records: s.record_room(),
            between: 0,
            words: queue.len().div_ceil(SELECT_BLOCKS).clamp(32, SELECT_WORDS),
            part: (self.quantile * 2f64.powi(32)) as u32,
            forgive: u32::from(forgive),
            faces: self.goal.faces,
            done: self.goal.done,
            borders: self.goal.borders,
        }
    }

    fn launch_select(&self, s: &Session, select: SimplifySelect) -> Result<(), Error> {
        let blocks = select.queue.len().div_ceil(select.words);
        Ok(s.engine().launch_blocks(blocks, select)?)
    }

    fn collapse(&self, session: &Session, salt: u32) -> Result<Collapse, Error> {
        Ok(Collapse {
            surface: self.surface(session)?,
            costs: self.costs.global_mut(),
            refused: self.refused.global_mut(),
            course: self.course.global_mut(),
            went: match session.followed() {
                Some(column) => session.write(column)?,
                None => self.nothing.global_mut(),
            },
            salt,
        })
    }

    /// Rounds until the goal is reached or nothing can be done.
    fn rounds(
        &mut self,
        session: &mut Session,
        options: &SimplifyOptions,
        report: &mut SimplifyReport,
    ) -> Result<End, Error> {
        let mut queued = 0;
        self.set(session, Course::Idle, 0)?;
        self.goal = Goal {
            faces: report.faces.saturating_sub(report.target),
            done: session.carried_out(),
            borders: self.seen(Course::Borders),
        };
        // When refusals were forgiven last: the round, and how many collapses there had been.
        let mut forgiven = (report.run.rounds, report.run.done);
        while report.faces > report.target {
            if report.run.rounds >= options.max_rounds {
                return Ok(End::Rounds);
            }
            let changed = report.run.done > forgiven.1;
            if queued == 0 {
                // Everything cheap is done, which the histogram tells by now, or all edges are refused.
                let all_refused = self.seen(Course::Open) == 0;
                if all_refused && !changed {
                    return Ok(End::Stuck);
                }
                if all_refused {
                    forgiven = (report.run.rounds, report.run.done);
                }
                queued = self.enter(session, all_refused)?;
                continue;
            }
            let since = report.run.rounds - forgiven.0;
            let due = since >= FORGIVE_AFTER;
            let most = if due { 1 } else { FORGIVE_AFTER - since };
            let most = most.min(options.max_rounds - report.run.rounds);
            let most = most.min(session.engine().rounds_a_look());
            let forgive = due && changed;
            let borders = self.seen(Course::Borders);
            let work = &mut *self;
            let done = session.steer(most, &mut Steps { work, forgive })?;
            queued = session.queued();
            report.run.merge(&done);
            if forgive {
                forgiven = (report.run.rounds, report.run.done);
            }
            let borders = self.seen(Course::Borders).wrapping_sub(borders);
            report.faces -= 2 * done.done as u32 - borders;
            self.salt = self.salt.wrapping_add(done.rounds);
            if self.seen(Course::Idle) > IDLE_ROUNDS {
                return Ok(End::Stuck);
            }
        }
        Ok(End::Reached)
    }

    fn refusals(&self, session: &Session) -> Result<Refused, Error> {
        let counts = session.engine().zeroed::<u32>(REFUSALS)?;
        let kernel = SimplifyRefusals {
            collapse: self.collapse(session, self.salt)?,
            mesh: session.mesh()?,
            refusals: counts.global_mut(),
        };
        session
            .engine()
            .launch_flat(session.capacity(Kind::Edge), kernel)?;
        let counts = counts.read()?;
        let of = |r: Refusal| counts[r as usize];
        Ok(Refused {
            frozen: of(Refusal::Frozen),
            link: of(Refusal::Link),
            fold: of(Refusal::Fold),
            not_finite: of(Refusal::NotFinite),
            bend: of(Refusal::Bend),
        })
    }
}

/// What may be done to each vertex, as [`QuadricSurface::holds`]; empty when all may move.
fn holds(session: &Session, boundary: Boundary, cut: Option<&Cut>) -> Result<Buffer<u32>, Error> {
    let engine = session.engine();
    let any = session.frozen_faces() > 0
        || session.kept_edges().is_some()
        || cut.is_some()
        || boundary == Boundary::Keep;
    if !any {
        return Ok(engine.zeroed(0)?);
    }
    let mut holds = match cut {
        Some(cut) => engine.upload(&cut.places)?,
        None => engine.zeroed(session.capacity(Kind::Vertex) as usize)?,
    };
    if session.frozen_faces() > 0 {
        let kernel = SimplifyHolds {
            mesh: session.mesh()?,
            claims: session.face_claims()?,
            holds: holds.global_mut(),
        };
        engine.launch_flat(session.capacity(Kind::Face), kernel)?;
    }
    if boundary == Boundary::Keep {
        let kernel = SimplifyBorders {
            mesh: session.mesh()?,
            holds: holds.global_mut(),
        };
        engine.launch_flat(session.capacity(Kind::Edge), kernel)?;
    }
    if let Some(marks) = session.kept_edges() {
        let ends = engine.zeroed::<u32>(holds.len())?;
        let kernel = MarkEnds {
            mesh: session.mesh()?,
            marks: session.read(marks)?,
            ends: ends.global_mut(),
        };
        engine.launch_flat(session.capacity(Kind::Edge), kernel)?;
        let (mut both, ends) = (holds.read()?, ends.read()?);
        for (hold, end) in both.iter_mut().zip(ends) {
            *hold = end.max(*hold);
        }
        holds.write(&both)?;
    }
    Ok(holds)
}
