//! A simplification: its buffers, its goal and its end.

mod kernels;
mod rounds;

use super::batch::BatchLabels;
use super::holds::holds;
use super::{
    BOUNDARY_WEIGHT, BatchReport, Boundary, Cost, End, Refused, SimplifyOptions, SimplifyReport,
};
use crate::Error;
use crate::edit::{Column, Cut, Motion, RunReport, Session};
use crate::engine::Buffer;
use glam::Vec3;
use rxmesh_kernels::algo::improve::remesh::LineEdges;
use rxmesh_kernels::algo::improve::simplify::quadric::Stored;
use rxmesh_kernels::algo::improve::simplify::{
    COURSE_WORDS, Course, EdgePriority, HISTOGRAM_WORDS, MeshRule, PLACE_BEST, PLACE_CHEAPER_END,
    PLACE_MIDDLE, PLACE_OTHER_END, REFUSALS, RULES, Refusal, SimplifyQuadrics, SimplifyRefusals,
    SomeLines,
};
use rxmesh_kernels::edit::Fill;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Positions of new vertices, in the order in which they are tried: the next only if every edge that is left turns a
/// face over.
const PLACINGS: [u32; 4] = [PLACE_BEST, PLACE_CHEAPER_END, PLACE_OTHER_END, PLACE_MIDDLE];

/// Least weight of the planes on edges that are kept: a larger one leaves lines more vertices than the surface beside
/// them.
const LINE_WEIGHT: f64 = BOUNDARY_WEIGHT;

/// Buffers of a simplification. The session does not grow meanwhile, since collapses need no slots.
pub(super) struct SimplifyBuffers {
    x: Column<Vertex, Vec3>,
    quadrics: Buffer<Stored>,
    /// See [`LineForm::quadrics`](rxmesh_kernels::algo::simplify::LineForm::quadrics).
    line_quadrics: Buffer<Stored>,
    holds: Buffer<u32>,
    costs: Buffer<u32>,
    refused: Buffer<u32>,
    histogram: Buffer<u32>,
    /// See [`Course`].
    course: Buffer<u32>,
    /// Course as it was read back last.
    seen: Vec<u32>,
    /// An array without words, for kernels.
    nothing: Buffer<u32>,
    nowhere: Buffer<u64>,
    pub(super) scale: f32,
    /// Positions of new vertices: one of [`PLACINGS`].
    placing: u32,
    salt: u32,
    /// Salt of the round with turn 0, see [`EdgePriority::turn`].
    first_salt: u32,
    /// See [`EdgePriority::firsts`].
    firsts: Buffer<u64>,
    /// Part of the edges that a round considers.
    quantile: f64,
    /// Faces that are to go, counted from the collapses and [`Course::Borders`] so far.
    goal: SimplifyGoal,
    /// See [`QuadricSurface::rules`](rxmesh_kernels::algo::simplify::QuadricSurface::rules).
    rules: Buffer<f32>,
    /// Labels of several meshes.
    several: Option<BatchLabels>,
}

/// Returns a part of the edges, of 2^32; all of them are one less.
pub(super) fn cheap_part(quantile: f64) -> u32 {
    (quantile * 2f64.powi(32)) as u32
}

/// Returns the rules of a mesh except the limit, which needs its measures.
fn rules(options: &SimplifyOptions, kept: bool) -> [f32; RULES as usize] {
    let mut rules = [f32::INFINITY; RULES as usize];
    rules[MeshRule::Boundary as usize] = match options.boundary {
        Boundary::Keep | Boundary::Hold => options.boundary_weight as f32,
        Boundary::Free => 0.0,
    };
    let least = if kept { LINE_WEIGHT } else { 0.0 };
    rules[MeshRule::Groups as usize] = options.group_weight.max(least) as f32;
    rules[MeshRule::Keep as usize] = f32::from(options.boundary == Boundary::Keep);
    rules
}

/// Distance of a simplification from its goal at the beginning.
#[derive(Clone, Copy, Default)]
struct SimplifyGoal {
    /// Live faces at the beginning.
    before: u32,
    /// Faces that are to go.
    faces: u32,
    done: u32,
    borders: u32,
}

impl SimplifyBuffers {
    /// Prepares a session that was cut: one mesh, or several with their labels, each with its options; options that all
    /// share are read from the first.
    pub(super) fn new(
        session: &mut Session,
        x: Column<Vertex, Vec3>,
        each: &[SimplifyOptions],
        cut: Option<&Cut>,
        several: Option<BatchLabels>,
    ) -> Result<SimplifyBuffers, Error> {
        session.note_motion(Motion::OnSurface);
        let engine = session.engine().clone();
        let [v, e] = [Kind::Vertex, Kind::Edge].map(|k| session.capacity(k) as usize);
        let before = session.count(Kind::Face)?;
        let options = &each[0];
        let wanted = options.target.map_or(0, |t| t.goal(before));
        let kept = session.kept_edges().is_some();
        let rules: Vec<f32> = each.iter().flat_map(|o| rules(o, kept)).collect();
        let rules = engine.upload(&rules)?;
        let nothing = engine.zeroed(0)?;
        let labels = match &several {
            Some(several) => session.read(several.vertices)?,
            None => nothing.global(),
        };
        let keeps = each.iter().any(|o| o.boundary == Boundary::Keep);
        let keep = keeps.then(|| (rules.global(), labels));
        let mut work = SimplifyBuffers {
            x,
            quadrics: engine.zeroed(0)?,
            line_quadrics: engine.zeroed(0)?,
            holds: holds(session, keep, cut)?,
            costs: engine.zeroed(e)?,
            refused: engine.zeroed(session.set_words())?,
            histogram: engine.zeroed(HISTOGRAM_WORDS as usize)?,
            course: engine.zeroed(COURSE_WORDS)?,
            seen: vec![0; COURSE_WORDS],
            nothing,
            nowhere: engine.zeroed(0)?,
            scale: 1.0,
            placing: PLACE_BEST,
            salt: options.seed,
            first_salt: options.seed,
            firsts: engine.zeroed(v)?,
            quantile: options.quantile,
            goal: SimplifyGoal::default(),
            rules,
            several: None,
        };
        work.measure(session)?;
        work.several = several;
        work.goal = SimplifyGoal {
            before,
            faces: before.saturating_sub(wanted),
            done: session.carried_out(),
            borders: work.seen(Course::Borders),
        };
        if each.iter().any(|o| o.error.is_some()) {
            let limits = work.limits(session, each)?;
            let mut rules = work.rules.read()?;
            for (rules, limit) in rules.chunks_exact_mut(RULES as usize).zip(limits) {
                rules[MeshRule::Limit as usize] = limit;
            }
            work.rules.write(&rules)?;
        }
        if options.cost == Cost::Quadric {
            work.quadrics = engine.zeroed(v)?;
            let held = match (session.held_edges(), session.kept_edges()) {
                (Some(marks), _) if each.iter().any(|o| o.group_weight > 0.0) => {
                    session.read(marks)?
                }
                (_, Some(marks)) => session.read(marks)?,
                _ => work.nothing.global(),
            };
            // The planes of lines have separate weights, which a mean over them and the faces would follow.
            let bounded = each.iter().any(|o| o.error.is_some());
            let has_boundary = 2 * u64::from(session.count(Kind::Edge)?) > 3 * u64::from(before);
            if !held.is_empty() || bounded && has_boundary {
                work.line_quadrics = engine.zeroed(v)?;
            }
            let lines = SomeLines {
                quadrics: work.line_quadrics.global_mut(),
                marks: LineEdges {
                    marks: work.nothing.global_mut(),
                    any: 0,
                },
            };
            let kernel = SimplifyQuadrics {
                mesh: session.mesh()?,
                // It reads the marks as those that are held.
                surface: work.surface(session, lines)?,
                held,
            };
            engine.launch_flat(session.capacity(Kind::Vertex), kernel)?;
        }
        work.quantile = options.quantile;
        work.cost_edges(session)?;
        Ok(work)
    }

    pub(super) fn has_quadrics(&self) -> bool {
        !self.quadrics.is_empty()
    }

    /// Simplifies, and returns the results.
    pub(super) fn run(
        &mut self,
        session: &mut Session,
        options: &SimplifyOptions,
    ) -> Result<BatchReport, Error> {
        let mut run = RunReport::default();
        let mut done = 0;
        let mut end = End::Reached;
        for turn in 0.. {
            end = self.rounds(session, options, &mut run)?;
            let last = turn % PLACINGS.len() + 1 == PLACINGS.len();
            if end != End::Stuck || last && run.done == done {
                break;
            }
            if last {
                done = run.done;
            }
            self.placing = PLACINGS[(turn + 1) % PLACINGS.len()];
            self.cost_edges(session)?;
        }
        let mut meshes = match &self.several {
            Some(several) => several.counts()?,
            None => vec![SimplifyReport {
                faces_before: self.goal.before,
                target: self.goal.before - self.goal.faces,
                faces: self.goal.before - self.gone(session),
                ..SimplifyReport::default()
            }],
        };
        let deviations = self.deviations(session, meshes.len())?;
        for (mesh, deviation) in meshes.iter_mut().zip(deviations) {
            mesh.deviation = deviation;
        }
        if end != End::Reached {
            let refused = self.refusals(session, meshes.len())?;
            for (mesh, refused) in meshes.iter_mut().zip(refused) {
                if mesh.faces > mesh.target {
                    mesh.refused = refused;
                    mesh.end = match end {
                        // Lines that are kept hold the surface as the deviation does.
                        End::Stuck
                            if refused.deviation > 0
                                || mesh.target == 0 && session.kept_edges().is_some() =>
                        {
                            End::Deviation
                        }
                        end => end,
                    };
                }
            }
        }
        Ok(BatchReport { run, meshes })
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

    /// Counts the edges of each mesh that are left, by the reason why they are not collapsed.
    fn refusals(&self, session: &Session, meshes: usize) -> Result<Vec<Refused>, Error> {
        let counts = session.engine().zeroed::<u32>(REFUSALS * meshes)?;
        let every = EdgePriority {
            firsts: self.nowhere.global_mut(),
            ..self.order(self.salt)
        };
        let kernel = SimplifyRefusals {
            collapse: self.collapse(session, self.lines(session)?, every)?,
            mesh: session.mesh()?,
            refusals: counts.global_mut(),
        };
        session
            .engine()
            .launch_flat(session.capacity(Kind::Edge), kernel)?;
        let counts = counts.read()?;
        let refused = |counts: &[u32]| {
            let of = |r: Refusal| counts[r as usize];
            Refused {
                frozen: of(Refusal::Frozen),
                link: of(Refusal::Link),
                fold: of(Refusal::Fold),
                not_finite: of(Refusal::NotFinite),
                bend: of(Refusal::Bend),
                deviation: of(Refusal::Deviation),
            }
        };
        Ok(counts.chunks_exact(REFUSALS).map(refused).collect())
    }
}
