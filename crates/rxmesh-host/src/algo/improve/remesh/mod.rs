//! Isotropic remeshing.

mod adapt;
mod features;
mod goal;
mod measure;
mod passes;

pub(in crate::algo) use goal::{LargestMove, check_faces, most_faces, most_on_the_way};
use measure::{Extent, refuse_long_frozen};
pub(in crate::algo) use measure::{SessionMeshes, bounds, faces_of, mean_length, refuse_frozen};
pub(in crate::algo) use passes::Remesher;

use crate::Error;
use crate::algo::{Options, check_each};
use crate::edit::check_labels;
use crate::edit::{Column, Motion, RunReport, Runs, Session};
use glam::Vec3;
use goal::RemeshGoal;
use rxmesh_kernels::algo::improve::remesh::{CollapseShort, EqualiseFlip, SplitLong};
use rxmesh_kernels::topo::Vertex;

/// Edges longer than this many targets are split.
const LONG: f32 = 4.0 / 3.0;

/// Edges shorter than this many targets are contracted.
const SHORT: f32 = 4.0 / 5.0;

/// Options of remeshing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct RemeshOptions {
    /// Target length of edges [default: the mean length of the input's edges].
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH"))]
    pub target_length: Option<f32>,
    /// Approximate number of faces of the result, in place of a length.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "N", conflicts_with = "target_length")
    )]
    pub faces: Option<u32>,
    /// Make edges shorter where the surface is curved, so that they deviate from it by about this distance.
    #[cfg_attr(feature = "cli", arg(long, value_name = "ERROR"))]
    pub adaptive: Option<f32>,
    /// Smallest length by curvature [default: a quarter of the target length].
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "LENGTH", requires = "adaptive")
    )]
    pub min_length: Option<f32>,
    /// Largest length by curvature [default: four target lengths].
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "LENGTH", requires = "adaptive")
    )]
    pub max_length: Option<f32>,
    /// Number of times to split, contract, flip and smooth; a few more if that brings lengths nearer to the target.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().iterations))]
    pub iterations: u32,
    /// Smoothing steps per iteration.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().smoothing_steps))]
    pub smoothing_steps: u32,
    /// Keep edges whose faces meet at this angle in degrees or more (0 is flat), as the boundary is kept.
    #[cfg_attr(feature = "cli", arg(long, value_name = "ANGLE", default_value = "30"))]
    pub keep_features: Option<f32>,
    /// Leave vertices where smoothing puts them: do not move them back to the closest points of the input.
    #[cfg_attr(feature = "cli", arg(long = "no-project", action = clap::ArgAction::SetFalse))]
    pub project: bool,
    /// Refuse contractions that move the surface farther than this part of the target length (or of a twelfth of the
    /// square root of its area, if that is less), where its curvature is too large for edges of that length.
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART", default_value_t = Self::default().max_deviation))]
    pub max_deviation: f32,
    /// Most faces: refuses to begin if more are expected, and stops if more are made [default: three times
    /// those of the input, or 20 million if that is more].
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub max_faces: Option<u32>,
    /// Most rounds of each operator in an iteration.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().max_rounds))]
    pub max_rounds: u32,
}

units!(RemeshOptions {
    target_length: Length,
    adaptive: Length,
    min_length: Length,
    max_length: Length
});

changeable!(RemeshOptions);

impl Default for RemeshOptions {
    fn default() -> Self {
        RemeshOptions {
            target_length: None,
            faces: None,
            adaptive: None,
            min_length: None,
            max_length: None,
            iterations: 3,
            smoothing_steps: 5,
            keep_features: Some(30.0),
            project: true,
            max_deviation: 0.12,
            max_faces: None,
            max_rounds: 1000,
        }
    }
}

impl Options for RemeshOptions {
    fn check(&self) -> Result<(), Error> {
        let bad = |what: String| Err(Error::Options(what));
        for (name, length) in [
            ("target length", self.target_length),
            ("error", self.adaptive),
            ("least length", self.min_length),
            ("greatest length", self.max_length),
        ] {
            if let Some(l) = length
                && !(l > 0.0 && (l * l).is_normal())
            {
                return bad(format!(
                    "the {name} must be a finite number above 0 whose square is one too, not {l}"
                ));
            }
        }
        if let (Some(least), Some(greatest)) = (self.min_length, self.max_length)
            && least > greatest
        {
            return bad(format!(
                "the smallest length, {least}, is above the largest, {greatest}"
            ));
        }
        if self.faces.is_some_and(|n| n < 4) {
            return bad("a closed surface has at least 4 faces".into());
        }
        if self.faces.is_some() && self.target_length.is_some() {
            return bad("give a target length or a number of faces, not both".into());
        }
        if !(self.max_deviation > 0.0 && self.max_deviation.is_finite()) {
            return bad(format!(
                "the largest deviation must be a finite number of target lengths above 0, not {}",
                self.max_deviation
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
}

/// Results of remeshing a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RemeshReport {
    /// Target length of edges; with lengths by curvature, the one between whose quarter and fourfold they are unless
    /// told otherwise. Of several meshes the longest.
    pub target_length: f32,
    /// Sharp edges kept at the beginning: those of lines that are long enough for the target length.
    pub features: u32,
    /// Area of the input, in squared length.
    pub area_before: f64,
    /// Area of the result, in squared length.
    pub area_after: f64,
    /// Volume of the input by the divergence theorem, in cubed length: below 0 if the mesh is inside out, without
    /// meaning if it has a boundary.
    pub volume_before: f64,
    /// The same of the result.
    pub volume_after: f64,
    /// Iterations done.
    pub iterations: u32,
    /// Faces of the result.
    pub faces: u32,
    /// Requested number of faces, or how many equilateral triangles of the target length have the area of the result,
    /// which counts as half of the input's area at least and 1.1 of it at most: a whole number.
    pub expected_faces: f64,
    /// Mean length of edges, each over the length that it should have.
    pub length_over_target: f32,
    /// `true` if the mean length is within 15 % of the target and the number of faces within 25 % of the expected, or
    /// if the number of faces is within 10 % of the requested one.
    pub on_target: bool,
    /// Counts of the splits.
    pub split: RunReport,
    /// Counts of the contractions.
    pub collapse: RunReport,
    /// Counts of the flips.
    pub flip: RunReport,
}

units!(RemeshReport {
    target_length: Length,
    area_before: Area,
    area_after: Area,
    volume_before: Volume,
    volume_after: Volume,
});

impl RemeshReport {
    /// Returns the sum of all three.
    pub fn run(&self) -> RunReport {
        let mut all = self.split;
        all.merge(&self.collapse);
        all.merge(&self.flip);
        all.finished = self.split.finished && self.collapse.finished && self.flip.finished;
        all
    }
}

/// A scheduler of edits that can remesh.
pub trait Remeshes: Runs<SplitLong> + Runs<CollapseShort> + Runs<EqualiseFlip> {}

impl<C: Runs<SplitLong> + Runs<CollapseShort> + Runs<EqualiseFlip>> Remeshes for C {}

/// Remeshes towards edges of one length, or of lengths by curvature, and vertices of valence 6 (Botsch and Kobbelt
/// 2004). In each iteration edges above 4/3 of the target are split, those below 4/5 contracted (if the topology stays,
/// no edge gets too long, no normal turns over and the worst triangle nearby gets no worse), edges flipped to bring
/// valences nearer to 6, or 4 on the boundary, and vertices smoothed in their tangent planes and moved back to the
/// input. The boundary stays a boundary, and sharp edges stay.
///
/// A mesh with slender triangles is contracted and flipped before it is split, and its slender triangles are flipped
/// whatever valences say: splits would make more of them than contractions can undo.
///
/// Faces are frozen at places that are not manifold or not consistently oriented ([`Session::frozen_faces`]): they and
/// their vertices stay as they are, to the bit, and the rest is remeshed up to them. Their edges may not be longer than
/// the target.
///
/// # Errors
///
/// [`Error::Options`] for options that make no sense and for frozen faces with longer edges than the target, and
/// [`Error::TooManyFaces`] if a result above [`RemeshOptions::max_faces`] is to be expected, before anything is
/// changed; [`Error::Outgrown`] if the mesh outgrows the expected size; any error of the session.
pub fn remesh<C: Remeshes>(
    session: &mut Session<C>,
    x: Column<Vertex, Vec3>,
    options: &RemeshOptions,
) -> Result<RemeshReport, Error> {
    options.check()?;
    Ok(run(
        session,
        x,
        SessionMeshes::ONE,
        std::slice::from_ref(options),
    )?
    .total())
}

/// Results of remeshing several meshes.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RemeshBatchReport {
    /// Edges that were kept as features at the beginning.
    pub features: u32,
    /// Iterations, until the last mesh was done.
    pub iterations: u32,
    /// Splits, of all meshes together.
    pub split: RunReport,
    /// Contractions.
    pub collapse: RunReport,
    /// Flips.
    pub flip: RunReport,
    /// Results of each mesh. The features and runs of each are empty, because all share the rounds.
    pub meshes: Vec<RemeshReport>,
}

impl RemeshBatchReport {
    /// Returns all meshes as one: sums, the longest target, and the mean length over target of all faces.
    pub fn total(&self) -> RemeshReport {
        let of_all = match &self.meshes[..] {
            [only] => *only,
            meshes => {
                let faces: u32 = meshes.iter().map(|m| m.faces).sum();
                let weighted = |m: &RemeshReport| m.length_over_target * m.faces as f32;
                RemeshReport {
                    target_length: meshes.iter().map(|m| m.target_length).fold(0.0, f32::max),
                    faces,
                    expected_faces: meshes.iter().map(|m| m.expected_faces).sum(),
                    length_over_target: meshes.iter().map(weighted).sum::<f32>()
                        / faces.max(1) as f32,
                    on_target: meshes.iter().all(|m| m.on_target),
                    area_before: meshes.iter().map(|m| m.area_before).sum(),
                    area_after: meshes.iter().map(|m| m.area_after).sum(),
                    volume_before: meshes.iter().map(|m| m.volume_before).sum(),
                    volume_after: meshes.iter().map(|m| m.volume_after).sum(),
                    ..RemeshReport::default()
                }
            }
        };
        RemeshReport {
            features: self.features,
            iterations: self.iterations,
            split: self.split,
            collapse: self.collapse,
            flip: self.flip,
            ..of_all
        }
    }
}

/// Remeshes several meshes in one session, each towards its length or number of faces, as [`remesh`] does, all of them
/// in the same rounds. `labels` gives the mesh of each vertex, from 0 on
/// ([`Batch::labels`](crate::batch::Batch::labels)); new vertices get theirs, so that the column tells the meshes apart
/// afterwards too. Without a length each mesh has the mean of its edges. Lengths, numbers of faces, lengths by
/// curvature, the most faces and the iterations are separate for each mesh; all other options are the same for all of
/// them. A mesh that requires no further iteration stays as it is, to the bit, while others continue.
///
/// # Errors
///
/// As [`remesh`], with the number of the mesh; [`Error::Options`] for options that differ where all meshes share them,
/// a label without options, or a face whose vertices have different labels.
pub fn remesh_batch<C: Remeshes>(
    session: &mut Session<C>,
    x: Column<Vertex, Vec3>,
    labels: Column<Vertex, u32>,
    each: &[RemeshOptions],
) -> Result<RemeshBatchReport, Error> {
    let shared = |o: &RemeshOptions| RemeshOptions {
        target_length: None,
        faces: None,
        adaptive: None,
        min_length: None,
        max_length: None,
        max_faces: None,
        iterations: 0,
        ..*o
    };
    let what = "all options but lengths, iterations and numbers of faces";
    check_each(each, shared, what)?;
    check_labels(session, labels, each.len())?;
    if each.is_empty() {
        return Ok(RemeshBatchReport::default());
    }
    let meshes = SessionMeshes {
        labels: Some(labels),
        count: each.len(),
    };
    run(session, x, meshes, each)
}

/// Remeshes one mesh or several, whose options have been checked.
fn run<C: Remeshes>(
    session: &mut Session<C>,
    x: Column<Vertex, Vec3>,
    meshes: SessionMeshes,
    each: &[RemeshOptions],
) -> Result<RemeshBatchReport, Error> {
    let nothing = RunReport {
        finished: true,
        ..RunReport::default()
    };
    let sizes = meshes.sizes(session, x)?;
    let member = |(o, size): (&RemeshOptions, &Extent)| RemeshReport {
        target_length: o.target_length.unwrap_or(0.0),
        faces: size.faces,
        area_before: size.area,
        area_after: size.area,
        volume_before: size.volume,
        volume_after: size.volume,
        on_target: true,
        ..RemeshReport::default()
    };
    let mut report = RemeshBatchReport {
        split: nothing,
        collapse: nothing,
        flip: nothing,
        meshes: each.iter().zip(&sizes).map(member).collect(),
        ..RemeshBatchReport::default()
    };
    if sizes.iter().all(|size| size.faces == 0) {
        return Ok(report);
    }
    session.note_motion(Motion::OnSurface);
    let mut goal = RemeshGoal::new(session, x, meshes, each, &sizes)?;
    let mut remesher = Remesher::new(session, x, &each[0], meshes)?;
    goal.adapt(session, &mut remesher)?;
    for (member, target) in report.meshes.iter_mut().zip(goal.targets()) {
        member.target_length = target;
    }
    let least = each
        .iter()
        .zip(goal.targets())
        .map(|(o, target)| match o.adaptive {
            Some(_) => o.min_length.unwrap_or(0.25 * target),
            None => target,
        });
    refuse_long_frozen(session, x, least.fold(f32::INFINITY, f32::min))?;
    report.features = remesher.features;
    remesher.widen(session, &mut report)?;
    while let Some(resting) = goal.resting(report.iterations, &report.meshes) {
        remesher.rest(session, meshes, resting)?;
        session
            .engine()
            .note("iteration", u64::from(report.iterations) + 1);
        report.split.merge(&remesher.split(session)?);
        report.collapse.merge(&remesher.collapse(session)?);
        report.flip.merge(&remesher.flip(session)?);
        remesher.relax(session, each[0].smoothing_steps)?;
        report.iterations += 1;
        goal.count(&mut report.meshes);
        goal.look(session, &mut remesher, &mut report.meshes)?;
    }
    if report.iterations > 0 {
        for (member, size) in report.meshes.iter_mut().zip(meshes.sizes(session, x)?) {
            (member.area_after, member.volume_after) = (size.area, size.volume);
        }
    }
    Ok(report)
}
