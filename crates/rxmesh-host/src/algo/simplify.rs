//! Simplification by edge collapse.

use super::Options;
use super::boundary::Boundary;
use crate::Error;
use crate::edit::{Column, Cut, RunReport, Seeds, Session};
use crate::engine::{Buffer, EngineError};
use glam::Vec3;
use rxmesh_kernels::algo::quadric::Stored;
use rxmesh_kernels::algo::remesh::MarkEnds;
use rxmesh_kernels::algo::simplify::{
    COST_SHIFT, Collapse, HISTOGRAM_WORDS, PLACE_BEST, PLACE_CHEAPER_END, PLACE_MIDDLE,
    PLACE_OTHER_END, QuadricSurface, REFUSALS, REFUSED, Refusal, SELECT_WORDS, SimplifyBorders,
    SimplifyCosts, SimplifyHolds, SimplifyQuadrics, SimplifyRefusals, SimplifySelect,
};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Kind, Vertex};
use std::cell::Cell;

/// The weight of the planes that hold the boundary against those of the faces.
const BOUNDARY_WEIGHT: f32 = 10.0;

/// Where new vertices come: elsewhere only when every edge that is left turns a face over.
const PLACINGS: [u32; 4] = [PLACE_BEST, PLACE_CHEAPER_END, PLACE_OTHER_END, PLACE_MIDDLE];

/// Rounds after which refused edges are looked at again.
const FORGIVE_AFTER: u32 = 8;

/// Most rounds in which nothing is done and nothing refused.
const IDLE_ROUNDS: u32 = 3;

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
        work.bound = 0;
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
    histograms: [Buffer<u32>; 2],
    counts: Buffer<u32>,
    /// An array without words, for kernels.
    nothing: Buffer<u32>,
    scale: f32,
    boundary: f32,
    /// Where new vertices come: one of [`PLACINGS`].
    placing: u32,
    salt: u32,
    /// The cost up to which edges are entered.
    bound: u32,
    /// Edges that are not refused, by cost.
    bins: Vec<u32>,
    /// Which histogram is written next. A round that is repeated writes more than one.
    turn: Cell<usize>,
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
        let histogram = || engine.zeroed(HISTOGRAM_WORDS as usize);
        let mut work = Work {
            x,
            quadrics: engine.zeroed(0)?,
            holds: holds(session, options.boundary, cut)?,
            costs: engine.zeroed(e)?,
            refused: engine.zeroed(session.set_words())?,
            histograms: [histogram()?, histogram()?],
            counts: engine.zeroed(2)?,
            nothing: engine.zeroed(0)?,
            scale: 1.0,
            boundary: match options.boundary {
                Boundary::Keep | Boundary::Hold => BOUNDARY_WEIGHT,
                Boundary::Free => 0.0,
            },
            placing: PLACE_BEST,
            salt: options.seed,
            bound: 0,
            bins: Vec::new(),
            turn: Cell::new(0),
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
        work.cost_edges(session)?;
        Ok(work)
    }

    /// Finds the unit of lengths: the median length of the edges, whose squares may not be in range at first.
    fn measure(&mut self, session: &mut Session) -> Result<(), Error> {
        for power in [0, 90, -90] {
            self.scale = 2f32.powi(power);
            self.cost_edges(session)?;
            for quantile in [0.5, 1.0] {
                let square = f32::from_bits(bin_end(self.quantile_bin(quantile)));
                if (2f32.powi(-100)..2f32.powi(100)).contains(&square) {
                    self.scale *= (-0.5 * square.log2()).round().exp2();
                    return Ok(());
                }
            }
        }
        self.scale = 1.0;
        Ok(())
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

    /// The cost of every edge, and how many have which.
    fn cost_edges(&mut self, session: &mut Session) -> Result<(), Error> {
        let kernel = SimplifyCosts {
            mesh: session.mesh()?,
            surface: self.surface(session)?,
            costs: self.costs.global_mut(),
        };
        session
            .engine()
            .launch_flat(session.capacity(Kind::Edge), kernel)?;
        self.enter(session, false)?;
        Ok(())
    }

    /// Edges that are not refused.
    fn open_edges(&self) -> u64 {
        self.bins.iter().map(|&n| u64::from(n)).sum()
    }

    /// The first bin up to which there are so many of the edges as `quantile` says.
    fn quantile_bin(&self, quantile: f64) -> u32 {
        let want = ((self.open_edges() as f64 * quantile).ceil() as u64).max(1);
        let mut sum = 0;
        for (bin, &n) in self.bins.iter().enumerate() {
            sum += u64::from(n);
            if sum >= want {
                return bin as u32;
            }
        }
        self.bins.len().saturating_sub(1) as u32
    }

    /// Enters the edges below the bound for the next round; how many.
    fn enter(&mut self, session: &mut Session, forgive: bool) -> Result<u32, Error> {
        let queued = session.enqueue(|s, queue| self.select(s, queue, forgive))?;
        self.count()?;
        Ok(queued)
    }

    fn select(&self, s: &Session, queue: GlobalMut<u32>, forgive: bool) -> Result<(), Error> {
        let turn = self.turn.replace(1 - self.turn.get());
        let kernel = SimplifySelect {
            costs: self.costs.global_mut(),
            refused: self.refused.global_mut(),
            queue,
            histogram: self.histograms[turn].global_mut(),
            next: self.histograms[1 - turn].global_mut(),
            bound: self.bound,
            forgive: u32::from(forgive),
        };
        let blocks = queue.len().div_ceil(SELECT_WORDS);
        Ok(s.engine().launch_blocks(blocks, kernel)?)
    }

    /// Reads the histogram that was written last.
    fn count(&mut self) -> Result<(), EngineError> {
        let last = 1 - self.turn.get();
        self.bins = self.histograms[last].read_range(1, HISTOGRAM_WORDS as usize - 1)?;
        Ok(())
    }

    fn collapse(&self, session: &Session) -> Result<Collapse, Error> {
        Ok(Collapse {
            surface: self.surface(session)?,
            costs: self.costs.global_mut(),
            refused: self.refused.global_mut(),
            counts: self.counts.global_mut(),
            went: match session.followed() {
                Some(column) => session.write(column)?,
                None => self.nothing.global_mut(),
            },
            salt: self.salt,
        })
    }

    /// Rounds until the goal is reached or nothing can be done.
    fn rounds(
        &mut self,
        session: &mut Session,
        options: &SimplifyOptions,
        report: &mut SimplifyReport,
    ) -> Result<End, Error> {
        let (mut queued, mut idle) = (0, 0);
        let mut borders = self.counts.read_range(1, 1)?[0];
        // When refusals were forgiven last: the round, and how many collapses there had been.
        let mut forgiven = (report.run.rounds, report.run.done);
        while report.faces > report.target {
            if report.run.rounds >= options.max_rounds {
                return Ok(End::Rounds);
            }
            self.bound = bin_end(self.quantile_bin(options.quantile));
            let changed = report.run.done > forgiven.1;
            if queued == 0 {
                // Everything cheap is done, which the histogram tells by now, or all edges are refused.
                let all_refused = self.open_edges() == 0;
                if all_refused && !changed {
                    return Ok(End::Stuck);
                }
                if all_refused {
                    self.bound = REFUSED - 1;
                    forgiven = (report.run.rounds, report.run.done);
                }
                queued = self.enter(session, all_refused)?;
                continue;
            }
            let forgive = changed && report.run.rounds >= forgiven.0 + FORGIVE_AFTER;
            let before = self.open_edges();
            let round = session.round_with(
                Seeds::Queued,
                (report.faces - report.target).div_ceil(2),
                |s| self.collapse(s),
                |s, queue| self.select(s, queue, forgive),
            )?;
            self.count()?;
            queued = round.queued;
            report.run.add(&round);
            if forgive {
                forgiven = (report.run.rounds, report.run.done);
            }
            let all = self.counts.read_range(1, 1)?[0];
            report.faces -= 2 * round.done - (all - borders);
            borders = all;
            self.salt = self.salt.wrapping_add(1);
            // Cavities that are no disks come up for ever.
            let same = round.done == 0 && !forgive && self.open_edges() == before;
            idle = if same { idle + 1 } else { 0 };
            if idle > IDLE_ROUNDS {
                return Ok(End::Stuck);
            }
        }
        Ok(End::Reached)
    }

    fn refusals(&self, session: &Session) -> Result<Refused, Error> {
        let counts = session.engine().zeroed::<u32>(REFUSALS)?;
        let kernel = SimplifyRefusals {
            collapse: self.collapse(session)?,
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

/// The largest cost in a bin.
fn bin_end(bin: u32) -> u32 {
    (bin << COST_SHIFT) | ((1 << COST_SHIFT) - 1)
}
