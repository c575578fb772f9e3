//! Simplification by edge collapse.

mod apart;
mod batch;
mod cli;
mod deviation;
mod holds;
mod work;

pub use apart::{Apart, simplify_apart};
pub use batch::{BatchReport, simplify_batch};
pub use deviation::Deviation;

use crate::Error;
use crate::algo::Options;
use crate::algo::measure::boundary::Boundary;
use crate::edit::{Column, RunReport, Session};
use crate::options::not_negative;
use glam::Vec3;
use rxmesh_kernels::topo::{Kind, Vertex};
use work::SimplifyBuffers;

/// Weight of the planes that hold the boundary against those of the faces, unless the options say otherwise.
const BOUNDARY_WEIGHT: f64 = 10.0;

/// Goal of a simplification.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Target {
    /// At most this number of faces.
    Faces(u32),
    /// At most this part of the faces, in (0, 1].
    Ratio(f64),
}

/// Order in which edges are collapsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Cost {
    /// Least quadric error at the best position for the new vertex (Garland and Heckbert 1997).
    #[default]
    Quadric,
    /// The shortest; the new vertex is placed in the middle, or on the boundary.
    Length,
}

/// Options of simplification.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(
    feature = "cli",
    command(group(
        clap::ArgGroup::new("goal")
            .args(["faces", "ratio", "error"])
            .required(true)
            .multiple(true)
    ))
)]
#[non_exhaustive]
pub struct SimplifyOptions {
    /// Goal, unless the deviation ends it earlier. Without it the deviation alone ends it.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub target: Option<Target>,
    /// Largest deviation from the input: a length, or with '%' a part of the diagonal of the bounding box. It bounds
    /// the distance of a new vertex from the planes of the faces that it stands for, as the root of the mean square.
    #[cfg_attr(feature = "cli", arg(long, value_name = "E"))]
    pub error: Option<Deviation>,
    /// Cost by which edges are ordered: the cheapest go first.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "COST", default_value_t, value_enum)
    )]
    pub cost: Cost,
    /// Treatment of the boundary.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "WHAT", default_value_t, value_enum)
    )]
    pub boundary: Boundary,
    /// Weight of a held boundary: that of the planes perpendicular to its faces, times the edge's squared length,
    /// against that of the faces, times their area.
    #[cfg_attr(feature = "cli", arg(long, value_name = "W", default_value_t = BOUNDARY_WEIGHT))]
    pub boundary_weight: f64,
    /// Weight of held edges, borders between objects, groups and materials: that of their perpendicular planes, as for
    /// the boundary. Only if quadrics are the cost.
    #[cfg_attr(feature = "cli", arg(long, value_name = "W", default_value_t = 0.0))]
    pub group_weight: f64,
    /// Part of the edges, the cheapest, that one round considers, above 0 and at most 1: a smaller part is closer to
    /// serial simplification, and slower.
    #[cfg_attr(feature = "cli", arg(long, value_name = "Q", default_value_t = Self::new(Target::Faces(1)).quantile))]
    pub quantile: f64,
    /// Decides between edges of the same cost.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub seed: u32,
    /// Most rounds.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::new(Target::Faces(1)).max_rounds))]
    pub max_rounds: u32,
}

units!(SimplifyOptions { error: Length });

changeable!(SimplifyOptions);

impl SimplifyOptions {
    /// Returns the default options for a target.
    pub fn new(target: Target) -> Self {
        SimplifyOptions {
            target: Some(target),
            error: None,
            cost: Cost::Quadric,
            boundary: Boundary::Hold,
            boundary_weight: BOUNDARY_WEIGHT,
            group_weight: 0.0,
            quantile: 0.15,
            seed: 0,
            max_rounds: 100_000,
        }
    }

    /// Returns the default options for the fewest faces that a deviation allows.
    pub fn within(error: Deviation) -> Self {
        SimplifyOptions {
            target: None,
            error: Some(error),
            ..Self::new(Target::Faces(1))
        }
    }
}

/// Reason for the end of a simplification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum End {
    /// The number of faces is reached.
    #[default]
    Reached,
    /// Every edge that is left is refused, some because the surface would come too far from where it was.
    Deviation,
    /// Every edge that is left is refused, for other reasons.
    Stuck,
    /// The number of rounds was used up.
    Rounds,
}

/// Edges that are left, by why they are not collapsed. Only counted when the number of faces was not reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The surface would come too far from where it was.
    pub deviation: u32,
}

/// Results of a simplification.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimplifyReport {
    /// Counts of the rounds; `done` is the number of collapses.
    pub run: RunReport,
    /// Faces at the beginning.
    pub faces_before: u32,
    /// Faces that were wanted; 0 when as few as the deviation allows.
    pub target: u32,
    /// Faces at the end.
    pub faces: u32,
    /// Reason for the end.
    pub end: End,
    /// Distance of the surface from the input: the largest distance of a vertex from the planes of the faces that it
    /// stands for, as the root of the mean square, in the unit of positions. Only if quadrics are the cost.
    pub deviation: Option<f64>,
    /// Edges that are left and cannot go, when it ended before the number was reached.
    pub refused: Refused,
}

units!(SimplifyReport { deviation: Length });

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
        not_negative("the weight of the boundary", self.boundary_weight)?;
        not_negative("the weight of groups", self.group_weight)?;
        if self.group_weight > 0.0 && self.cost == Cost::Length {
            return bad("groups are held by quadrics, so the cost cannot be the length".into());
        }
        match self.error {
            Some(Deviation::Length(e)) => not_negative("the deviation", e)?,
            Some(Deviation::Part(p)) => not_negative("the part of the diagonal", p)?,
            None => {}
        }
        if self.error.is_some() && self.cost == Cost::Length {
            return bad(
                "a deviation is measured by quadrics, so the cost cannot be the length".into(),
            );
        }
        match self.target {
            None if self.error.is_none() => bad(
                "nothing says how far to simplify: a number of faces, a ratio or a deviation"
                    .into(),
            ),
            Some(target) => target.check(),
            None => Ok(()),
        }
    }
}

impl Target {
    fn check(self) -> Result<(), Error> {
        match self {
            Target::Faces(0) => Err(Error::Options(
                "0 faces are wanted, but at least 1 must be left".into(),
            )),
            Target::Ratio(r) if !(r > 0.0 && r <= 1.0) => Err(Error::Options(format!(
                "the ratio is {r}, but must be above 0 and at most 1"
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the number of faces to reach from `faces`.
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
/// Quadrics are weighted by area; boundaries are held by planes that stand on them, unless the options say otherwise,
/// and so are the edges that the session holds, if the options give them a weight.
/// The new vertex comes to the place of least error.
///
/// Vertices at places that are not manifold stay where they are, and the edges between them; their surroundings are
/// drawn into them. The way in which the surface meets itself there does not change. Faces that repeat a vertex stay as
/// they are, and all faces that touch them.
///
/// With a deviation the surface also comes no farther from where it was: see [`SimplifyOptions::error`]. It is measured
/// as quadrics measure, against the planes of the faces that a vertex stands for, where meshoptimizer and others
/// measure it too; `distance` tells afterwards how far two surfaces are from each other.
///
/// # Errors
///
/// [`Error::Options`] for a ratio outside (0, 1], no faces, a quantile outside (0, 1], neither target nor deviation, a
/// deviation or a weight of groups without quadrics, before anything is changed; any error of the session.
pub fn simplify(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    options: &SimplifyOptions,
) -> Result<SimplifyReport, Error> {
    options.check()?;
    let faces = session.count(Kind::Face)?;
    let goal = options.target.map_or(0, |t| t.goal(faces));
    let mut report = SimplifyReport {
        faces_before: faces,
        target: goal,
        faces,
        deviation: (options.cost == Cost::Quadric).then_some(0.0),
        ..SimplifyReport::default()
    };
    if faces > goal {
        let cut = match session.frozen_faces() {
            0 => None,
            _ => session.cut(x)?,
        };
        let done = SimplifyBuffers::new(
            session,
            x,
            std::slice::from_ref(options),
            cut.as_ref(),
            None,
        )
        .and_then(|mut work| work.run(session, options));
        if let Some(cut) = cut {
            session.weld_places(&cut)?;
        }
        let done = done?;
        let only = &done.meshes[0];
        report = SimplifyReport {
            run: done.run,
            target: goal,
            ..*only
        };
    }
    Ok(report)
}
