//! The rounds of a simplification.

use super::batch::BatchLabels;
use super::holds::holds;
use super::{
    BOUNDARY_WEIGHT, BatchReport, Boundary, Cost, End, Refused, SimplifyOptions, SimplifyReport,
};
use crate::Error;
use crate::edit::{self, Column, Cut, Motion, NextSeeds, RunReport, Session, fill};
use crate::engine::Buffer;
use glam::Vec3;
use rxmesh_kernels::algo::improve::remesh::LineEdges;
use rxmesh_kernels::algo::improve::simplify::quadric::Stored;
use rxmesh_kernels::algo::improve::simplify::{
    BatchSelect, COSTS_ALONE, COURSE_WORDS, Collapse, Course, EdgeCosts, EdgePriority,
    HISTOGRAM_WORDS, IDLE_ROUNDS, LineForm, MOST_TURNS, MeshRule, NoLines, PLACE_BEST,
    PLACE_CHEAPER_END, PLACE_MIDDLE, PLACE_OTHER_END, QuadricSurface, REFUSALS, RULES, Refusal,
    SELECT_WORDS, SimplifyCosts, SimplifyQuadrics, SimplifyRefusals, SimplifySelect, SomeLines,
};
use rxmesh_kernels::cavity::{ClaimTables, LimitWinners, Round, RoundEnd};
use rxmesh_kernels::edit::Fill;
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Positions of new vertices, in the order in which they are tried: the next only if every edge that is left turns a
/// face over.
const PLACINGS: [u32; 4] = [PLACE_BEST, PLACE_CHEAPER_END, PLACE_OTHER_END, PLACE_MIDDLE];

/// Least weight of the planes on edges that are kept: a larger one leaves lines more vertices than the surface beside
/// them.
const LINE_WEIGHT: f64 = BOUNDARY_WEIGHT;

/// Rounds after which refused edges are tried again.
const FORGIVE_AFTER: u32 = 8;

/// Number of blocks that select edges: two a multiprocessor of a large GPU.
const SELECT_BLOCKS: u32 = 264;

/// And for each thread of a CPU: a block's histogram is no less work than a thousand edges.
const SELECT_BLOCKS_A_THREAD: u32 = 4;

/// Buffers of a simplification. The session does not grow meanwhile, since collapses need no slots.
pub(super) struct SimplifyBuffers {
    x: Column<Vertex, Vec3>,
    quadrics: Buffer<Stored>,
    /// See [`LineForm::quadrics`].
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
    /// See [`QuadricSurface::rules`].
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

/// Rounds of a simplification between two read-backs.
struct Steps<'a, L> {
    /// Lines of the surface: a type that says at compile time if there are any.
    lines: L,
    work: &'a mut SimplifyBuffers,
    forgive: bool,
    /// Salt of the last round that was asked for.
    salt: u32,
}

impl<'a, L> Steps<'a, L> {
    fn new(lines: L, work: &'a mut SimplifyBuffers, forgive: bool) -> Self {
        Steps {
            lines,
            work,
            forgive,
            salt: 0,
        }
    }
}

impl<L: LineForm> edit::Course<Collapse<L>> for Steps<'_, L>
where
    SimplifySelect<L>: Entry,
    BatchSelect<L>: Entry,
{
    fn operator(&mut self, session: &Session, round: u32) -> Result<Collapse<L>, Error> {
        self.salt = self.work.salt.wrapping_add(round);
        let order = self.work.order(self.salt);
        self.work.collapse(session, self.lines, order)
    }

    fn limit(&mut self, session: &Session, claims: ClaimTables, round: Round) -> Result<(), Error> {
        match &self.work.several {
            Some(several) => several.limit(session, self.work.course.global_mut(), claims, round),
            None => Ok(session
                .engine()
                .launch_blocks(1, LimitWinners { claims, round })?),
        }
    }

    fn between(
        &mut self,
        session: &Session,
        queue: GlobalMut<u32>,
        end: RoundEnd,
    ) -> Result<NextSeeds, Error> {
        let order = self.work.order(self.salt.wrapping_add(1));
        let select = (self.work).select(session, self.lines, queue, order, self.forgive, end)?;
        self.work.launch_select(session, select)?;
        Ok(match self.work.several {
            Some(_) => NextSeeds::InBits,
            None => NextSeeds::Listed,
        })
    }

    fn state(&self) -> Option<&Buffer<u32>> {
        Some(&self.work.course)
    }

    fn looked(&mut self, state: &[u32]) {
        self.work.seen = state.to_vec();
    }
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

    /// Returns the number of faces that are gone since the beginning.
    fn gone(&self, session: &Session) -> u32 {
        let done = session.carried_out().wrapping_sub(self.goal.done);
        let borders = self.seen(Course::Borders).wrapping_sub(self.goal.borders);
        (done.wrapping_mul(2)).wrapping_sub(borders)
    }

    /// Returns `true` if every mesh has reached its number of faces.
    fn is_done(&self, session: &Session) -> bool {
        match &self.several {
            Some(_) => self.seen(Course::Left) == 0,
            None => self.gone(session) >= self.goal.faces,
        }
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

    pub(super) fn surface<L: LineForm>(
        &self,
        session: &Session,
        lines: L,
    ) -> Result<QuadricSurface<L>, Error> {
        Ok(QuadricSurface {
            x: session.write(self.x)?,
            quadrics: self.quadrics.global_mut(),
            holds: self.holds.global(),
            lines,
            scale: self.scale,
            placing: self.placing,
            rules: self.rules.global(),
            parts: match &self.several {
                Some(several) => session.read(several.vertices)?,
                None => self.nothing.global(),
            },
        })
    }

    pub(super) fn lines(&self, session: &Session) -> Result<SomeLines, Error> {
        Ok(SomeLines {
            quadrics: self.line_quadrics.global_mut(),
            marks: session.lines()?,
        })
    }

    /// Returns `true` if kernels have to know of lines: see [`LineForm`].
    fn has_lines(&self, session: &Session) -> bool {
        session.kept_edges().is_some() || !self.line_quadrics.is_empty()
    }

    /// Computes the cost of every edge, and the bound of cheap ones.
    fn cost_edges(&mut self, session: &mut Session) -> Result<(), Error> {
        let engine = session.engine();
        let edges = match engine.blocks_are_alone() {
            true => COSTS_ALONE,
            false => 1,
        };
        let groups = session.capacity(Kind::Edge).div_ceil(edges);
        if self.has_lines(session) {
            let costs = self.edge_costs(session, self.lines(session)?)?;
            engine.launch_flat(groups, SimplifyCosts { costs, edges })?;
        } else {
            let costs = self.edge_costs(session, NoLines {})?;
            engine.launch_flat(groups, SimplifyCosts { costs, edges })?;
        }
        self.set(session, Course::Bound, 0)?;
        if let Some(several) = &self.several {
            several.unbind(session)?;
        }
        self.enter(session, false)?;
        Ok(())
    }

    /// Enters the edges that are cheap for the next round. Returns their number.
    fn enter(&mut self, session: &mut Session, forgive: bool) -> Result<u32, Error> {
        // Keys of the same turn may be there.
        fill(session.engine(), self.firsts.global_mut().cast(), u32::MAX)?;
        let queued = session.enqueue(|s, queue| {
            let end = s.round_end(0, false);
            let order = self.order(self.salt);
            if self.has_lines(s) {
                self.launch_select(
                    s,
                    self.select(s, self.lines(s)?, queue, order, forgive, end)?,
                )
            } else {
                self.launch_select(s, self.select(s, NoLines {}, queue, order, forgive, end)?)
            }
        })?;
        self.seen = self.course.read()?;
        Ok(queued)
    }

    fn edge_costs<L: LineForm>(&self, session: &Session, lines: L) -> Result<EdgeCosts<L>, Error> {
        Ok(EdgeCosts {
            surface: self.surface(session, lines)?,
            mesh: session.mesh()?,
            costs: self.costs.global_mut(),
        })
    }

    fn select<L: LineForm>(
        &self,
        s: &Session,
        lines: L,
        queue: GlobalMut<u32>,
        order: EdgePriority,
        forgive: bool,
        end: RoundEnd,
    ) -> Result<SimplifySelect<L>, Error> {
        let blocks = match s.engine().blocks_are_alone() {
            true => SELECT_BLOCKS_A_THREAD * s.engine().info().units,
            false => SELECT_BLOCKS,
        };
        Ok(SimplifySelect {
            costs: self.edge_costs(s, lines)?,
            refused: self.refused.global_mut(),
            queue,
            histogram: self.histogram.global_mut(),
            course: self.course.global_mut(),
            end,
            words: queue.len().div_ceil(blocks).clamp(32, SELECT_WORDS),
            part: cheap_part(self.quantile),
            forgive: u32::from(forgive),
            order,
            faces: self.goal.faces,
            done: self.goal.done,
            borders: self.goal.borders,
        })
    }

    fn launch_select<L: LineForm>(
        &self,
        s: &Session,
        select: SimplifySelect<L>,
    ) -> Result<(), Error>
    where
        SimplifySelect<L>: Entry,
        BatchSelect<L>: Entry,
    {
        if let Some(several) = &self.several {
            return several.select(s, &select);
        }
        Ok(s.engine().launch_blocks(select.blocks(), select)?)
    }

    /// Returns the order of edges in the round of a salt.
    fn order(&self, salt: u32) -> EdgePriority {
        EdgePriority {
            salt,
            turn: salt.wrapping_sub(self.first_salt),
            firsts: self.firsts.global_mut(),
        }
    }

    fn collapse<L: LineForm>(
        &self,
        session: &Session,
        lines: L,
        order: EdgePriority,
    ) -> Result<Collapse<L>, Error> {
        Ok(Collapse {
            surface: self.surface(session, lines)?,
            costs: self.costs.global_mut(),
            refused: self.refused.global_mut(),
            course: self.course.global_mut(),
            went: match session.followed() {
                Some(column) => session.write(column)?,
                None => self.nothing.global_mut(),
            },
            order,
            labels: match &self.several {
                Some(several) => several.labels.global(),
                None => self.nothing.global(),
            },
            parts: match &self.several {
                Some(several) => several.parts.global_mut(),
                None => self.nothing.global_mut(),
            },
        })
    }

    /// Runs rounds until the goal is reached or nothing can be done.
    fn rounds(
        &mut self,
        session: &mut Session,
        options: &SimplifyOptions,
        run: &mut RunReport,
    ) -> Result<End, Error> {
        let mut queued = 0;
        self.set(session, Course::Idle, 0)?;
        // Time at which refusals were forgiven last: the round, and the number of collapses.
        let mut forgiven = (run.rounds, run.done);
        while !self.is_done(session) {
            if run.rounds >= options.max_rounds {
                return Ok(End::Rounds);
            }
            let changed = run.done > forgiven.1;
            if self.order(self.salt).turn > MOST_TURNS - 2 * FORGIVE_AFTER {
                // Turns begin again from 0, before their number runs out.
                self.first_salt = self.salt;
                queued = self.enter(session, false)?;
            }
            if queued == 0 {
                // Everything cheap is done, which the histogram tells by now, or all edges are refused.
                let all_refused = self.seen(Course::Open) == 0;
                if all_refused && !changed {
                    return Ok(End::Stuck);
                }
                if all_refused {
                    forgiven = (run.rounds, run.done);
                }
                queued = self.enter(session, all_refused)?;
                continue;
            }
            let since = run.rounds - forgiven.0;
            let due = since >= FORGIVE_AFTER;
            let most = if due { 1 } else { FORGIVE_AFTER - since };
            let most = most.min(options.max_rounds - run.rounds);
            let most = most.min(session.engine().rounds_a_look());
            let forgive = due && changed;
            let done = if self.has_lines(session) {
                let lines = self.lines(session)?;
                session.steer(most, &mut Steps::new(lines, self, forgive))?
            } else {
                session.steer(most, &mut Steps::new(NoLines {}, self, forgive))?
            };
            queued = session.queued();
            run.merge(&done);
            if forgive {
                forgiven = (run.rounds, run.done);
            }
            self.salt = self.salt.wrapping_add(done.rounds);
            if self.seen(Course::Idle) > IDLE_ROUNDS {
                return Ok(End::Stuck);
            }
        }
        Ok(End::Reached)
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
