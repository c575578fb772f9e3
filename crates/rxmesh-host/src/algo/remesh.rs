//! Isotropic remeshing.

use super::Options;
use super::closest::SurfaceTree;
use super::reduce::combine;
use super::scan::exclusive;
use crate::Error;
use crate::edit::{Column, Edits, RunReport, Runs, Session};
use crate::engine::Buffer;
use glam::Vec3;
use rxmesh_kernels::algo::closest::Project;
use rxmesh_kernels::algo::reduce::Reduction;
use rxmesh_kernels::algo::remesh::{
    Accept, CollapseShort, CountRings, Deviations, EqualiseFlip, LENGTH_CHUNK, Lines, MarkFeatures,
    Relax, Rings, SplitLong, SumLengths, WriteRings,
};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Edge, Kind, Vertex};

/// Edges longer than this many targets are split.
const LONG: f32 = 4.0 / 3.0;

/// Edges shorter than this many targets are contracted.
const SHORT: f32 = 4.0 / 5.0;

/// Flip passes end when one changes less than one edge in so many: what is left would not be seen in the result.
const FEW_FLIPS: u64 = 500;

/// How to remesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct RemeshOptions {
    /// The length that edges shall have [default: the mean length of the input's edges].
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH"))]
    pub target_length: Option<f32>,
    /// How often to split, contract, flip and smooth.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().iterations))]
    pub iterations: u32,
    /// Smoothing steps an iteration.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().smoothing_steps))]
    pub smoothing_steps: u32,
    /// Keep edges whose faces meet at this angle in degrees or more (0 is flat), as the boundary is kept [default:
    /// none].
    #[cfg_attr(feature = "cli", arg(long, value_name = "ANGLE"))]
    pub keep_features: Option<f32>,
    /// Move vertices back to the closest points of the input after each iteration's smoothing; needs at least one step
    /// of it.
    #[cfg_attr(feature = "cli", arg(long))]
    pub project: bool,
    /// Most rounds of each operator in an iteration.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().max_rounds))]
    pub max_rounds: u32,
}

impl Default for RemeshOptions {
    fn default() -> Self {
        RemeshOptions {
            target_length: None,
            iterations: 3,
            smoothing_steps: 5,
            keep_features: None,
            project: false,
            max_rounds: 1000,
        }
    }
}

/// A length times a factor, in 32 bits.
pub(super) fn scaled(length: f32, factor: f64) -> f32 {
    (f64::from(length) * factor) as f32
}

impl Options for RemeshOptions {
    fn check(&self) -> Result<(), Error> {
        let bad = |what: String| Err(Error::Options(what));
        if let Some(l) = self.target_length
            && !(l > 0.0 && (l * l).is_normal())
        {
            return bad(format!(
                "the target length must be a finite number above 0 whose square is one too, not {l}"
            ));
        }
        if let Some(a) = self.keep_features
            && !(a > 0.0 && a <= 180.0)
        {
            return bad(format!(
                "the angle of features must be above 0 and at most 180 degrees, not {a}"
            ));
        }
        Ok(())
    }

    fn scale(&mut self, factor: f64) {
        self.target_length = self.target_length.map(|l| scaled(l, factor));
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RemeshReport {
    /// The length that edges should have.
    pub target_length: f32,
    /// Edges that were kept as features at the beginning.
    pub features: u32,
    /// Splits.
    pub split: RunReport,
    /// Contractions.
    pub collapse: RunReport,
    /// Flips.
    pub flip: RunReport,
}

impl RemeshReport {
    /// All three.
    pub fn run(&self) -> RunReport {
        let mut all = self.split;
        all.merge(&self.collapse);
        all.merge(&self.flip);
        all.finished = self.split.finished && self.collapse.finished && self.flip.finished;
        all
    }
}

/// The arrays of [`Rings`].
struct RingTables {
    starts: Buffer<u32>,
    tips: Buffer<u32>,
}

impl RingTables {
    fn view(&self) -> Rings {
        Rings {
            starts: self.starts.global(),
            tips: self.tips.global(),
        }
    }
}

/// A session with what remeshing keeps between its passes.
#[derive(Debug)]
pub(super) struct Remesher {
    x: Column<Vertex, Vec3>,
    moved: Column<Vertex, Vec3>,
    deviation: Column<Vertex, u32>,
    marks: Column<Edge, u32>,
    /// Whether there are marks.
    any: bool,
    features: u32,
    surface: Option<SurfaceTree>,
    max_rounds: u32,
}

/// An engine of edits that can remesh.
pub trait Remeshes: Runs<SplitLong> + Runs<CollapseShort> + Runs<EqualiseFlip> {}

impl<C: Runs<SplitLong> + Runs<CollapseShort> + Runs<EqualiseFlip>> Remeshes for C {}

/// Remeshes towards edges of one length and vertices of valence 6 (Botsch and Kobbelt 2004): in each iteration edges
/// above 4/3 of the target are split, those below 4/5 contracted (where the surface stays what it is, no edge gets too
/// long and no normal turns over), edges flipped to bring valences nearer to 6, or 4 on the boundary, and vertices
/// smoothed in their tangent planes. The boundary stays, and so do sharp edges on request.
///
/// # Errors
///
/// [`Error::Options`] for options that make no sense and for a mesh that is not manifold and consistently oriented,
/// before anything is changed; what the session says.
pub fn remesh<C: Remeshes>(
    session: &mut Session<C>,
    x: Column<Vertex, Vec3>,
    options: &RemeshOptions,
) -> Result<RemeshReport, Error> {
    options.check()?;
    refuse_frozen(session, "remeshing")?;
    let target = match options.target_length {
        Some(length) => length,
        None => mean_length(session, x)?,
    };
    let nothing = RunReport {
        finished: true,
        ..RunReport::default()
    };
    let mut report = RemeshReport {
        target_length: target,
        features: 0,
        split: nothing,
        collapse: nothing,
        flip: nothing,
    };
    if session.count(Kind::Face)? == 0 {
        return Ok(report);
    }
    RemeshOptions {
        target_length: Some(target),
        ..*options
    }
    .check()?;
    let remesher = Remesher::new(session, x, options)?;
    report.features = remesher.features;
    for _ in 0..options.iterations {
        report.split.merge(&remesher.split(session, target * LONG)?);
        let collapse = remesher.collapse(session, target * SHORT, target * LONG)?;
        report.collapse.merge(&collapse);
        report.flip.merge(&remesher.flip(session)?);
        remesher.relax(session, options.smoothing_steps)?;
    }
    Ok(report)
}

/// # Errors
///
/// [`Error::Options`] when faces are frozen.
pub(super) fn refuse_frozen<C: Edits>(session: &Session<C>, what: &str) -> Result<(), Error> {
    match session.frozen_faces() {
        0 => Ok(()),
        n => Err(Error::Options(format!(
            "{what} needs a manifold mesh whose faces are oriented alike; {n} faces touch a place where this one is not: \
            repair it first (--repair)"
        ))),
    }
}

/// The mean length of the live edges; 0 when there is none.
pub(super) fn mean_length<C: Edits>(
    session: &Session<C>,
    x: Column<Vertex, Vec3>,
) -> Result<f32, Error> {
    Ok(lengths(session, x)?.0)
}

/// The mean and the greatest length of the live edges; zeroes when there is none.
fn lengths<C: Edits>(session: &Session<C>, x: Column<Vertex, Vec3>) -> Result<(f32, f32), Error> {
    let engine = session.engine();
    let chunks = session.capacity(Kind::Edge).div_ceil(LENGTH_CHUNK);
    let partials = || engine.zeroed::<f64>(chunks as usize);
    let (lengths, edges, longest) = (partials()?, partials()?, partials()?);
    if chunks == 0 {
        return Ok((0.0, 0.0));
    }
    engine.launch_blocks(
        chunks,
        SumLengths {
            mesh: session.mesh()?,
            x: session.read(x)?,
            lengths: lengths.global_mut(),
            edges: edges.global_mut(),
            longest: longest.global_mut(),
        },
    )?;
    let length = combine(engine, &lengths, Reduction::Sum)?;
    let n = combine(engine, &edges, Reduction::Sum)?;
    if n == 0.0 {
        return Ok((0.0, 0.0));
    }
    let longest = combine(engine, &longest, Reduction::Max)?;
    Ok(((length / n) as f32, longest as f32))
}

/// Bounds between which the splits of one pass lie, as a factor: that of the classes of length in which engines with an
/// order of cavities prefer longer edges.
const BOUNDS: f32 = 1.2;

/// Most passes of splits.
const MOST_PASSES: u32 = 24;

/// The lengths above which edges are split, pass by pass, the last one `longest`. Engines of edits that carry out
/// urgent cavities first take longer edges first by themselves ([`Edits::ORDERED`]). On others, splits of shorter edges
/// beside longer ones, again and again, would leave thin triangles and vertices of high valence: there the bound falls
/// from the length of the longest edge.
pub(super) fn bounds<C: Edits>(
    session: &Session<C>,
    x: Column<Vertex, Vec3>,
    longest: f32,
) -> Result<Vec<f32>, Error> {
    if C::ORDERED {
        return Ok(vec![longest]);
    }
    let greatest = lengths(session, x)?.1;
    let mut all = vec![longest];
    let mut bound = longest * BOUNDS;
    while bound < greatest && (all.len() as u32) < MOST_PASSES {
        all.push(bound);
        bound *= BOUNDS;
    }
    all.reverse();
    Ok(all)
}

impl Remesher {
    pub(super) fn new<C: Edits>(
        session: &mut Session<C>,
        x: Column<Vertex, Vec3>,
        options: &RemeshOptions,
    ) -> Result<Remesher, Error> {
        let surface = if options.project {
            let (mesh, _) = session.to_mesh(x)?;
            let engine = session.engine();
            Some(SurfaceTree::new(engine, &mesh.positions, &mesh.faces)?)
        } else {
            None
        };
        let mut remesher = Remesher {
            x,
            moved: session.column()?,
            deviation: session.column()?,
            marks: match session.kept_edges() {
                Some(marks) => marks,
                None => session.column()?,
            },
            any: session.kept_edges().is_some(),
            features: 0,
            surface,
            max_rounds: options.max_rounds,
        };
        if let Some(angle) = options.keep_features {
            remesher.features = remesher.mark_features(session, angle)?;
            remesher.any |= remesher.features > 0;
        }
        Ok(remesher)
    }

    fn mark_features<C: Edits>(&self, session: &Session<C>, angle: f32) -> Result<u32, Error> {
        let counts = session.engine().zeroed::<u32>(2)?;
        session.engine().launch_flat(
            session.capacity(Kind::Edge),
            MarkFeatures {
                mesh: session.mesh()?,
                x: session.read(self.x)?,
                marks: session.write(self.marks)?,
                cosine: angle.to_radians().cos(),
                counts: counts.global_mut(),
            },
        )?;
        Ok(counts.read()?[1])
    }

    pub(super) fn lines<C: Edits>(&self, session: &Session<C>) -> Result<Lines, Error> {
        Ok(Lines {
            marks: session.write(self.marks)?,
            any: u32::from(self.any),
        })
    }

    pub(super) fn split<C: Runs<SplitLong>>(
        &self,
        session: &mut Session<C>,
        longest: f32,
    ) -> Result<RunReport, Error> {
        let mut report = RunReport::default();
        for bound in bounds(session, self.x, longest)? {
            let pass = session.run(self.max_rounds, |s| {
                Ok(SplitLong {
                    x: s.write(self.x)?,
                    lines: self.lines(s)?,
                    longest: bound * bound,
                })
            })?;
            report.merge(&pass);
        }
        Ok(report)
    }

    pub(super) fn collapse<C: Runs<CollapseShort>>(
        &self,
        session: &mut Session<C>,
        shortest: f32,
        longest: f32,
    ) -> Result<RunReport, Error> {
        session.run(self.max_rounds, |s| {
            Ok(CollapseShort {
                x: s.write(self.x)?,
                lines: self.lines(s)?,
                shortest: shortest * shortest,
                longest: longest * longest,
            })
        })
    }

    pub(super) fn flip<C: Runs<EqualiseFlip>>(
        &self,
        session: &mut Session<C>,
    ) -> Result<RunReport, Error> {
        session.engine().launch_flat(
            session.capacity(Kind::Vertex),
            Deviations {
                mesh: session.mesh()?,
                deviation: session.write(self.deviation)?,
            },
        )?;
        let mut report = RunReport::default();
        // A flip changes the valences of vertices whose other edges are not looked at again: passes over all edges find
        // them.
        loop {
            let left = self.max_rounds - report.rounds;
            let pass = session.run(left, |s| {
                Ok(EqualiseFlip {
                    x: s.read(self.x)?,
                    lines: self.lines(s)?,
                    deviation: s.write(self.deviation)?,
                })
            })?;
            report.merge(&pass);
            let few = pass.done * FEW_FLIPS < u64::from(session.capacity(Kind::Edge));
            if few || report.rounds >= self.max_rounds {
                return Ok(report);
            }
        }
    }

    fn rings<C: Edits>(&self, session: &Session<C>) -> Result<RingTables, Error> {
        let (engine, n) = (session.engine(), session.capacity(Kind::Vertex));
        let tables = RingTables {
            starts: engine.zeroed(n as usize + 1)?,
            tips: engine.zeroed(2 * session.capacity(Kind::Edge) as usize)?,
        };
        engine.launch_flat(
            n,
            CountRings {
                mesh: session.mesh()?,
                counts: tables.starts.global_mut(),
            },
        )?;
        exclusive(engine, &tables.starts)?;
        engine.launch_flat(
            n,
            WriteRings {
                mesh: session.mesh()?,
                lines: self.lines(session)?,
                starts: tables.starts.global(),
                tips: tables.tips.global_mut(),
            },
        )?;
        Ok(tables)
    }

    /// Smoothing steps, and back to the surface.
    pub(super) fn relax<C: Edits>(&self, session: &Session<C>, steps: u32) -> Result<(), Error> {
        let engine = session.engine();
        self.smooth(session, steps, |rings, moved| {
            let x = session.read(self.x)?;
            let n = session.capacity(Kind::Vertex);
            Ok(engine.launch_flat(n, Relax { rings, x, moved })?)
        })
    }

    /// Steps of some smoothing, which gets the rings and where to write the new places, and back to the surface.
    pub(super) fn smooth<C: Edits>(
        &self,
        session: &Session<C>,
        steps: u32,
        step: impl Fn(Rings, GlobalMut<Vec3>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (engine, n) = (session.engine(), session.capacity(Kind::Vertex));
        let rings = self.rings(session)?;
        for i in 1..=steps {
            step(rings.view(), session.write(self.moved)?)?;
            let (moved, x) = (session.read(self.moved)?, session.write(self.x)?);
            match &self.surface {
                // The steps are in tangent planes: it is enough to come back after the last.
                Some(surface) if i == steps => engine.launch_flat(
                    n,
                    Project {
                        surface: surface.view(),
                        ve: session.mesh()?.ve.read(),
                        from: moved,
                        to: x,
                    },
                )?,
                _ => engine.launch_flat(n, Accept { moved, x })?,
            }
        }
        Ok(())
    }
}
