//! Mean curvature flow of several meshes that lie in one: solved together, ended each by itself.

use super::{FlowSystem, McfOptions, McfReport, TIME_STEP, When};
use crate::Error;
use crate::algebra::cg::{Cg, relative};
use crate::algebra::{Assembled as _, Method, Multigrid, Phases, System, batch, method_of};
use crate::algo::measure::frame::{power_of_two, scale_each};
use crate::algo::measure::lengths::mean_edge_lengths;
use crate::algo::{check_each, of_mesh};
use crate::store::reduce::{ByLabel, Reduction};
use crate::store::{Attribute, RxMesh, Surface};
use glam::Vec3;
use rxmesh_kernels::algo::measure::frame::{HoldEach, ScaleEach};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::topo::{Kind, Vertex};

/// Results of the solver for several meshes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct McfBatchReport {
    /// All of them together: the longest time step, all iterations, the residual of all, each in a frame in which its
    /// time step is that of the others, and `true` if all of them converged.
    pub total: McfReport,
    /// Each of them: its time step, its residual over its own first one, `true` if that is below its own tolerance, and
    /// the iterations that had been done when that was found. Residuals are recomputed from the solution, before that
    /// is rounded to 32 bits; without a matrix they are those of the iterations' recurrence.
    pub meshes: Vec<McfReport>,
}

/// Works like [`mean_curvature_flow`](super::mean_curvature_flow) for several meshes in one, each with a separate time
/// step, tolerance and number of iterations; without a time step, a tenth of its own squared mean edge length. `labels`
/// gives the mesh of each vertex, from 0 on ([`Batch::labels`](crate::batch::Batch::labels)). The method of solving
/// (with or without a matrix, the preconditioner) is the same for all of them.
///
/// All are solved together, in phases. After each phase the residual of every mesh is recomputed; a mesh whose residual
/// has come down to its tolerance rests, to the bit, while the others continue. So the first phase is that of all, and
/// meshes that need more get it without the others. Without a matrix there is one phase, which ends when the last mesh
/// is done, and the residuals are those of the iterations' recurrence, read back now and then.
///
/// # Errors
///
/// As [`mean_curvature_flow`](super::mean_curvature_flow), with the number of the mesh ([`Error::OfMesh`] for numbers
/// that are not finite); [`Error::Options`] for options that differ where all meshes share them, and for a label
/// without options.
pub fn mean_curvature_flow_batch(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    labels: &Attribute<Vertex, u32>,
    each: &[McfOptions],
) -> Result<McfBatchReport, Error> {
    let shared = |o: &McfOptions| (o.matrix_free, o.preconditioner, o.multigrid);
    let what = "how they are solved (matrix-free, preconditioner, multigrid)";
    check_each(each, shared, what)?;
    let by_label = ByLabel::new(rx, labels, each.len() as u32)?;
    let Some(first) = each.first() else {
        return Ok(report(Members::default(), &[], 0));
    };
    let squares = by_label.reduce(x.global()?, Reduction::Dot)?;
    check_finite(&squares, "a vertex coordinate", 0)?;
    // Powers of two change no digit.
    let sizes: Vec<f64> = squares.iter().map(|s| s.sqrt()).collect();
    let near_one: Vec<f64> = sizes.iter().map(|&size| power_of_two(size)).collect();
    resize(rx, x, labels, near_one.iter().copied())?;
    let done = Frames::new(rx, x, labels, each, &sizes, &near_one).and_then(|frames| {
        let members = frames.flow(rx, x, &by_label, labels, first, each)?;
        Ok((frames.time_steps, members))
    });
    resize(rx, x, labels, near_one.iter().map(|scale| 1.0 / scale))?;
    let (time_steps, (members, plain)) = done?;
    Ok(report(members, &time_steps, plain))
}

/// Builds the report of meshes that were solved with `plain` iterations without multigrid.
fn report(members: Members, time_steps: &[f64], plain: u32) -> McfBatchReport {
    let all = &members.each;
    let sum = |of: fn(&SolveProgress) -> f64| all.iter().map(of).sum::<f64>();
    let of = |m: &SolveProgress, &time_step: &f64| McfReport {
        time_step,
        iterations: m.iterations,
        residual: relative(m.now, m.first),
        converged: m.converged,
        cycles: m.iterations.saturating_sub(plain),
    };
    let meshes = all.iter().zip(time_steps);
    McfBatchReport {
        total: McfReport {
            time_step: time_steps.iter().copied().fold(0.0, f64::max),
            iterations: members.iterations,
            residual: relative(sum(|m| m.now), sum(|m| m.first)),
            converged: all.iter().all(|m| m.converged),
            cycles: members.iterations.saturating_sub(plain),
        },
        meshes: meshes.map(|(m, dt)| of(m, dt)).collect(),
    }
}

/// Multiplies the positions of each mesh.
fn resize(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    labels: &Attribute<Vertex, u32>,
    factors: impl Iterator<Item = f64>,
) -> Result<(), Error> {
    let factors: Vec<f32> = factors.map(|f| f as f32).collect();
    scale_each(rx, x, labels, &factors)
}

/// Refuses squares that are not finite, with the number of the first such mesh. After iterations, in which all meshes
/// get what one of them does to the step's length, only one alone is known to be it.
fn check_finite(squares: &[f64], what: &'static str, iterations: u32) -> Result<(), Error> {
    let error = Error::NotFinite { what };
    let mut wrong = (0..).zip(squares).filter(|(_, s)| !s.is_finite());
    match (wrong.next(), wrong.next()) {
        (None, _) => Ok(()),
        (Some(_), Some(_)) if iterations > 0 => Err(error),
        (Some((mesh, _)), _) => Err(of_mesh(mesh, error)),
    }
}

/// Frames in which all meshes have the same time step: the flow commutes with scaling, and a mesh of twice the size
/// takes four times the time.
struct Frames {
    /// Time step of each mesh, in squared length units of the caller.
    time_steps: Vec<f64>,
    /// Scale of each mesh from a size near one to that frame.
    factors: Vec<f32>,
    /// Time step there.
    dt: f64,
}

impl Frames {
    /// Computes the frames of meshes of some sizes, which have been brought near one.
    fn new(
        rx: &RxMesh,
        x: &Attribute<Vertex, Vec3>,
        labels: &Attribute<Vertex, u32>,
        each: &[McfOptions],
        sizes: &[f64],
        near_one: &[f64],
    ) -> Result<Frames, Error> {
        let means = mean_edge_lengths(rx, x, labels, each.len())?;
        let steps = each.iter().zip(means).zip(near_one);
        let steps = steps.map(|((o, mean), scale)| match o.time_step {
            Some(dt) => dt * scale * scale,
            None => TIME_STEP * mean * mean,
        });
        let steps: Vec<f64> = steps.collect();
        // A mesh whose edges all have length 0 does not move.
        let factor = |&dt: &f64| {
            if dt == 0.0 {
                1.0
            } else {
                (TIME_STEP / dt).sqrt()
            }
        };
        let factors: Vec<f64> = steps.iter().map(factor).collect();
        // Together they are near one again.
        let wide = factors.iter().zip(sizes).zip(near_one);
        let most = wide
            .map(|((f, size), scale)| f * size * scale)
            .fold(0.0, f64::max);
        let all = power_of_two(most);
        let narrow = |(i, f): (usize, f64)| {
            let factor = (f * all) as f32;
            if factor.is_normal() && (1.0 / factor).is_normal() {
                return Ok(factor);
            }
            let dt = steps[i] / (near_one[i] * near_one[i]);
            let why = format!("the time step is {dt}, which is too small or too large");
            Err(of_mesh(i, Error::Options(why)))
        };
        let factors = factors.into_iter().enumerate().map(narrow);
        Ok(Frames {
            factors: factors.collect::<Result<_, _>>()?,
            time_steps: steps
                .iter()
                .zip(near_one)
                .map(|(dt, scale)| dt / (scale * scale))
                .collect(),
            dt: TIME_STEP * all * all,
        })
    }

    /// Scales the meshes by their factors, solves, and scales them back. Returns the state of the meshes, and the
    /// number of iterations without multigrid.
    fn flow(
        &self,
        rx: &RxMesh,
        x: &mut Attribute<Vertex, Vec3>,
        by_label: &ByLabel<'_, Vertex, Surface>,
        labels: &Attribute<Vertex, u32>,
        way: &McfOptions,
        each: &[McfOptions],
    ) -> Result<(Members, u32), Error> {
        scale_each(rx, x, labels, &self.factors)?;
        let together = Together {
            rx,
            by_label,
            labels: labels.global()?,
            way,
            each,
        };
        let done = together.solve(x, self.dt);
        resize(
            rx,
            x,
            labels,
            self.factors.iter().map(|&f| 1.0 / f64::from(f)),
        )?;
        done
    }
}

/// State of a mesh in the solver.
#[derive(Clone, Copy)]
struct SolveProgress {
    /// Square of its tolerance.
    tolerance: f64,
    /// Most iterations.
    most: u32,
    /// Square of its first residual's norm.
    first: f64,
    /// Square of its current residual's norm.
    now: f64,
    /// Least square of a residual's norm so far.
    least: f64,
    /// Iterations that had been done when it ended, or now.
    iterations: u32,
    /// `true` if it rests.
    rests: bool,
    converged: bool,
}

impl SolveProgress {
    /// Returns the square of the norm that its residual has to get below.
    fn target(&self) -> f64 {
        self.tolerance * self.first
    }
}

/// Several meshes.
#[derive(Default)]
struct Members {
    each: Vec<SolveProgress>,
    /// Iterations done.
    iterations: u32,
}

/// The square of a residual must have shrunk to this part of the least so far: else `f32` has no better solution.
const LEAST_GAIN: f64 = 0.25;

/// Target of a phase after the first, in squares, over the one that would suffice if all meshes converged alike:
/// another phase costs more than the iterations that this takes.
const SPARE: f64 = 0.25;

impl Members {
    /// Creates the states of the meshes from their first residuals.
    fn new(options: &[McfOptions], squares: &[f64]) -> Result<Members, Error> {
        let member = |(o, &first): (&McfOptions, &f64)| SolveProgress {
            tolerance: o.tolerance * o.tolerance,
            most: o.max_iterations,
            first,
            now: first,
            least: first,
            iterations: 0,
            rests: false,
            converged: false,
        };
        let mut members = Members {
            each: options.iter().zip(squares).map(member).collect(),
            iterations: 0,
        };
        members.look(squares, 0)?;
        Ok(members)
    }

    /// Returns those that have not ended.
    fn going(&self) -> impl Iterator<Item = &SolveProgress> {
        self.each.iter().filter(|m| !m.rests)
    }

    /// Records the residuals after `iterations` iterations of all. Returns `true` if a mesh that has not ended is much
    /// nearer to its end than ever before.
    fn look(&mut self, squares: &[f64], iterations: u32) -> Result<bool, Error> {
        check_finite(squares, RESIDUAL, iterations)?;
        self.iterations = iterations;
        let mut gains = false;
        for (m, &now) in self.each.iter_mut().zip(squares).filter(|(m, _)| !m.rests) {
            gains |= now <= LEAST_GAIN * m.least;
            (m.now, m.least, m.iterations) = (now, m.least.min(now), iterations);
            m.converged = now == 0.0 || now < m.target();
            m.rests = m.converged || iterations >= m.most;
        }
        Ok(gains)
    }

    /// Returns the target for the squared norm of all that continue: that at which each of them is done for sure or, if
    /// all converge alike, about.
    fn target(&self, for_sure: bool) -> f64 {
        if for_sure {
            return self
                .going()
                .map(SolveProgress::target)
                .fold(f64::INFINITY, f64::min);
        }
        let now: f64 = self.going().map(|m| m.now).sum();
        let parts = self.going().map(|m| m.target() / m.now);
        let spare = if self.iterations == 0 { 1.0 } else { SPARE };
        spare * now * parts.fold(1.0, f64::min)
    }

    /// Returns the number of iterations until the first of those that continue has had its most, or all have had
    /// `most`.
    fn left(&self, most: u32) -> u32 {
        let most = self.going().map(|m| m.most).fold(most, u32::min);
        most.saturating_sub(self.iterations)
    }

    fn rest(&self) -> bool {
        self.each.iter().all(|m| m.rests)
    }
}

const RESIDUAL: &str = "the solver's residual";

/// Meshes that are solved together.
struct Together<'a> {
    rx: &'a RxMesh,
    by_label: &'a ByLabel<'a, Vertex, Surface>,
    labels: Global<u32>,
    /// Options of the solver.
    way: &'a McfOptions,
    each: &'a [McfOptions],
}

impl Together<'_> {
    fn solve(&self, x: &mut Attribute<Vertex, Vec3>, dt: f64) -> Result<(Members, u32), Error> {
        if self.way.matrix_free {
            let cg = Cg::new(self.rx, 1.0, self.way.preconditioner)?;
            let system = FlowSystem::new(self.rx, x, dt, self.way, cg.inverse_mut())?;
            let members = self.without_matrix(&system, cg, x)?;
            let plain = members.iterations;
            return Ok((members, plain));
        }
        let system = FlowSystem::new(self.rx, x, dt, self.way, GlobalMut::empty())?;
        self.in_phases(&system, x)
    }

    /// Returns the squared norm of the residual of each.
    fn squares(&self, r: Global<Vec3>) -> Result<Vec<f64>, Error> {
        self.by_label.reduce(r, Reduction::Dot)
    }

    fn in_phases(
        &self,
        system: &FlowSystem<'_>,
        x: &mut Attribute<Vertex, Vec3>,
    ) -> Result<(Members, u32), Error> {
        let matrix = system.matrix()?;
        let mut phases = Phases::new(System {
            matrix: &matrix,
            b: Global::empty(),
            origin: system.origin()?,
            x: x.global_mut()?,
        })?;
        let mut members = Members::new(self.each, &self.squares(phases.residual().read())?)?;
        let options = self.way.solver();
        let plain = options.plain(u32::MAX);
        if plain > 0 && !members.rest() {
            let method = options.plain_method(&matrix)?;
            self.stage(&mut phases, &*method, &mut members, plain)?;
        }
        let plain = members.iterations;
        if self.way.multigrid != When::Never && !members.rest() {
            let multigrid = Multigrid::new(&matrix)?;
            let method = method_of(&multigrid, &matrix)?;
            self.stage(&mut phases, &*method, &mut members, u32::MAX)?;
        }
        Ok((members, plain))
    }

    /// Runs the phases of one solver: until all meshes rest, `most` iterations are done, or no mesh makes further
    /// progress.
    ///
    /// Each phase ends by itself. After one that was to end all for sure there is another one only if a mesh came to
    /// rest, or one that continues has half its least residual so far: both can happen only a limited number of times.
    fn stage(
        &self,
        phases: &mut Phases<'_>,
        method: &dyn Method<f32>,
        members: &mut Members,
        most: u32,
    ) -> Result<(), Error> {
        let mut for_sure = false;
        loop {
            let (going, left) = (members.going().count(), members.left(most));
            if left == 0 {
                return Ok(());
            }
            self.set_to_rest(phases.residual(), members)?;
            phases.run(method, members.target(for_sure), left)?;
            let squares = self.squares(phases.residual().read())?;
            let gains = members.look(&squares, phases.iterations())?;
            let ended = going - members.going().count();
            if ended == going || for_sure && ended == 0 && !gains {
                return Ok(());
            }
            // Meshes that do not converge alike could end one by one.
            for_sure = 2 * ended < going;
        }
    }

    /// Sets the residuals of meshes that rest to zero.
    fn set_to_rest(&self, r: GlobalMut<Vec3>, members: &Members) -> Result<(), Error> {
        if members.each.iter().all(|m| !m.rests) {
            return Ok(());
        }
        let factors = members.each.iter().map(|m| if m.rests { 0.0 } else { 1.0 });
        let factors = self.rx.engine().upload(&factors.collect::<Vec<f32>>())?;
        let kernel = ScaleEach {
            x: r,
            labels: self.labels,
            factors: factors.global(),
        };
        Ok(self.rx.engine().launch_flat(r.len(), kernel)?)
    }

    /// Iterates until every mesh rests; those that do are put back to where they were found done.
    fn without_matrix(
        &self,
        system: &FlowSystem<'_>,
        mut cg: Cg,
        x: &mut Attribute<Vertex, Vec3>,
    ) -> Result<Members, Error> {
        cg.begin(system, system.origin()?)?;
        let mut members = Members::new(self.each, &self.squares(cg.residual())?)?;
        cg.set_target(members.target(true))?;
        let mut before = self.rx.attribute::<Vertex, Vec3>()?;
        before.copy_from(x)?;
        let mut launched = 0;
        while !members.rest() {
            let batch = batch(launched, members.left(u32::MAX));
            for _ in 0..batch {
                // SAFETY: an attribute of the mesh.
                unsafe { cg.iterate(self.rx, system, x.global_mut()?)? };
            }
            launched += batch;
            let rests: Vec<u32> = members.each.iter().map(|m| u32::from(m.rests)).collect();
            let squares = self.squares(cg.residual())?;
            let done = cg.progress()?;
            members.look(&squares, done.iterations)?;
            let rests = self.rx.engine().upload(&rests)?;
            let hold = HoldEach {
                x: x.global_mut()?,
                before: before.global_mut()?,
                labels: self.labels,
                done: rests.global(),
            };
            let n = self.rx.linear_len(Kind::Vertex);
            self.rx.engine().launch_flat(n, hold)?;
            if done.done {
                break;
            }
        }
        Ok(members)
    }
}
