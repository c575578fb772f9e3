//! `simplify`: collapses edges until no more than a number of faces is left, or the surface would come too far from
//! where it was.

use crate::on::Connectivity;
use crate::{Error, Group, Log, Message, Operation, Result, text};
use rxmesh_host::algo::simplify::{End, SimplifyOptions, SimplifyReport, simplify, simplify_batch};
use rxmesh_host::units;
use serde::Serialize;

const NO_ORDER: &str = "simplification takes the cheapest edges first, and the speculative scheduler has no order of \
    changes (ordered updates are no goal of Mahmoud et al. 2024); leave --conflicts at claims";

/// Simplifies to a number of faces, or an error.
#[derive(Clone, Copy, Debug)]
pub struct Simplify;

/// Report of [`Simplify`].
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimplifyOpReport {
    /// Report of the algorithm; of several meshes, over all of them.
    #[serde(flatten)]
    pub all: SimplifyReport,
    /// Report of each mesh, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meshes: Vec<SimplifiedMesh>,
}

units!(SimplifyOpReport { all, meshes });

/// One of several meshes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimplifiedMesh {
    /// Name of the mesh.
    pub path: String,
    /// Faces at the beginning.
    pub faces_before: u32,
    /// Faces that were wanted.
    pub target: u32,
    /// Faces at the end.
    pub faces: u32,
    /// Reason for the end.
    pub end: End,
    /// Largest distance of a vertex from the planes that it stands for, in the user's unit.
    pub deviation: Option<f64>,
}

units!(SimplifiedMesh { deviation: Length });

impl SimplifyOpReport {
    /// Returns the number of faces of the result.
    pub fn faces(&self) -> u32 {
        self.all.faces
    }
}

impl Operation for Simplify {
    const NAME: &'static str = "simplify";
    const GROUP: Group = Group::Reshape;
    const SUMMARY: &'static str =
        "Simplify meshes to a number of faces, or an error, by collapsing edges";
    const HELP: &'static str = "Examples: rxmesh simplify bunny.obj --ratio 0.1 -o small.obj
          rxmesh simplify spot.ply --faces 1000 --validate -o small.ply
          rxmesh simplify bunny.obj --error 0.1% -o small.obj
          rxmesh simplify bunny.obj spot.ply --ratio 0.1 -o small

Edges collapse to the point of least quadric error (Garland and Heckbert 1997); boundaries are held.
Vertices on borders between groups and materials and on seams of the texture move only along them.
Collapses that would change the topology or flip a face are refused, and non-manifold vertices stay. If
that leaves more faces than were asked for, the exit code is 3 and the reasons are listed. --error bounds
the distance from the input; together with --ratio or --faces the first limit that is reached ends it.

With several meshes each is simplified to a separate target, all in the same rounds, and -o names the
folder of the results.";
    const SEVERAL: bool = true;
    const KEEPS_GROUPS: bool = true;
    const JOINS_SEAMS: bool = true;
    const CLAIMS_ONLY: Option<&'static str> = Some(NO_ORDER);

    type Options = SimplifyOptions;
    type Report = SimplifyOpReport;
    type On = Connectivity;

    fn prepare(options: &mut SimplifyOptions, seed: u64) -> Result<()> {
        options.seed = seed as u32;
        Ok(())
    }

    fn holds_groups(options: &SimplifyOptions) -> bool {
        options.group_weight > 0.0
    }

    fn run(
        on: &mut Connectivity,
        options: &SimplifyOptions,
        log: &mut dyn Log,
    ) -> Result<SimplifyOpReport> {
        let several = on.several.as_ref();
        let several = several.map(|(s, labels)| (*labels, s.names.clone()));
        on.work(log, "simplifying", |session, x| {
            let Some(session) = session.claims() else {
                return Err(Error::Message(NO_ORDER.into()));
            };
            let Some((labels, names)) = several else {
                return Ok(SimplifyOpReport {
                    all: simplify(session, x, options)?,
                    meshes: Vec::new(),
                });
            };
            if let [name] = &*names {
                // Labels and limits of several meshes take time.
                let all = simplify(session, x, options)?;
                return Ok(SimplifyOpReport {
                    meshes: vec![SimplifiedMesh::new(name.clone(), &all)],
                    all,
                });
            }
            let report = simplify_batch(session, x, labels, &vec![*options; names.len()])?;
            let members = names.iter().zip(&report.meshes);
            Ok(SimplifyOpReport {
                all: report.total(),
                meshes: members
                    .map(|(name, m)| SimplifiedMesh::new(name.clone(), m))
                    .collect(),
            })
        })
    }

    fn describe(report: &SimplifyOpReport, options: &SimplifyOptions) -> Message {
        let all = &report.all;
        let wanted = match options.target {
            Some(_) => format!(" ({} wanted)", all.target),
            None => String::new(),
        };
        let deviation = match (options.error, all.deviation) {
            (Some(_), Some(d)) => format!(", deviation {}", text::number(d)),
            _ => String::new(),
        };
        let mut lines = format!(
            "simplified: {} to {} faces{wanted}{deviation}, {} collapses, {}",
            all.faces_before,
            all.faces,
            all.run.done,
            text::rounds(&all.run)
        );
        for m in &report.meshes {
            lines += &format!("\n{}: {} to {} faces", m.path, m.faces_before, m.faces);
        }
        let done = |end| matches!(end, End::Reached | End::Deviation);
        let ends = report.meshes.iter().map(|m| m.end).chain([all.end]);
        Message::new(lines).unless_done(ends.into_iter().all(done), || why(report))
    }
}

impl SimplifiedMesh {
    fn new(path: String, report: &SimplifyReport) -> SimplifiedMesh {
        SimplifiedMesh {
            path,
            faces_before: report.faces_before,
            target: report.target,
            faces: report.faces,
            end: report.end,
            deviation: report.deviation,
        }
    }
}

/// Returns the reasons why there are more faces than requested.
fn why(report: &SimplifyOpReport) -> String {
    let missed = |m: &&SimplifiedMesh| !matches!(m.end, End::Reached | End::Deviation);
    let missed: Vec<&str> = (report.meshes.iter().filter(missed))
        .map(|m| m.path.as_str())
        .collect();
    let of = text::which(&missed, report.meshes.len());
    let (all, r) = (&report.all, &report.all.refused);
    let left = match all.target {
        0 => format!("{} faces are left", all.faces),
        target => format!("{} faces are left, {target} were wanted", all.faces),
    };
    let cause = match all.end {
        End::Rounds => "the rounds are used up",
        _ => "every edge that is left is refused",
    };
    format!(
        "{of}{left}: {cause} (edges between vertices that stay: {}, that would change the topology: {}, that would \
        turn a face over: {}, that would bend the boundary: {}, with a place that is not finite: {}); --no-keep-seams \
        lets go of seams and of borders between groups, if there are any",
        r.frozen, r.link, r.fold, r.bend, r.not_finite
    )
}
