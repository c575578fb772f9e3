//! `remesh`: isotropic remeshing.

use crate::on::Connectivity;
use crate::{Group, Log, Message, Operation, Result, on_session, text};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::remesh::{RemeshOptions, RemeshReport, remesh, remesh_batch};
use rxmesh_host::units;
use serde::Serialize;

/// Makes triangles of one size, near to equilateral.
#[derive(Clone, Copy, Debug)]
pub struct Remesh;

/// Options of [`Remesh`].
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct RemeshArgs {
    /// Options of the algorithm.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub remeshing: RemeshOptions,
    /// Keep no sharp edges
    #[cfg_attr(feature = "cli", arg(long, conflicts_with = "keep_features"))]
    #[serde(skip)]
    pub no_features: bool,
    /// The default; accepted for compatibility
    #[cfg_attr(
        feature = "cli",
        arg(long = "project", hide = true, conflicts_with = "project")
    )]
    #[serde(skip)]
    pub projects: bool,
}

units!(RemeshArgs { remeshing });

/// Report of [`Remesh`].
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RemeshOpReport {
    /// Report of the algorithm; of several meshes, over all of them.
    #[serde(flatten)]
    pub all: RemeshReport,
    /// Report of each mesh, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meshes: Vec<RemeshedMesh>,
}

units!(RemeshOpReport { all, meshes });

/// One of several meshes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RemeshedMesh {
    /// Name of the mesh.
    pub path: String,
    /// Length that edges should have.
    pub target_length: f32,
    /// Iterations done.
    pub iterations: u32,
    /// Faces of the result.
    pub faces: u32,
    /// Number of faces that was requested, or that follows from the area of the result and the target length.
    pub expected_faces: f64,
    /// Mean length of edges over the target.
    pub length_over_target: f32,
    /// `true` if lengths and faces are near the requested ones.
    pub on_target: bool,
    /// Area of the input.
    pub area_before: f64,
    /// Area of the result.
    pub area_after: f64,
    /// Volume of the input.
    pub volume_before: f64,
    /// Volume of the result.
    pub volume_after: f64,
}

units!(RemeshedMesh {
    target_length: Length,
    area_before: Area,
    area_after: Area,
    volume_before: Volume,
    volume_after: Volume
});

impl Options for RemeshArgs {
    fn check(&self) -> std::result::Result<(), Error> {
        self.remeshing.check()
    }
}

impl Operation for Remesh {
    const NAME: &'static str = "remesh";
    const GROUP: Group = Group::Reshape;
    const SUMMARY: &'static str = "Make triangles of one size, close to equilateral";
    const HELP: &'static str =
        "Example: rxmesh remesh bunny.obj --faces 10000 -o even.ply

Repeatedly splits edges above 4/3 of the target, contracts those below 4/5, flips towards valence 6 (4 on
the boundary), smooths in the tangent planes and moves vertices back to the input (Botsch and Kobbelt
2004). The boundary is kept, and so are sharp edges whose lines extend over at least a target length, or
four if they end on a smooth surface. With --adaptive edges are shorter where the surface is curved
(Dunyach et al. 2013). Faces at non-manifold places, and where neighbours are not oriented alike, stay
as they are, and the rest is remeshed up to them; the mesh is refused if their edges are longer than
the target.

Where the curvature is too large for edges of the target length, as on a rod that is thinner than the
length or on a small part, contractions are refused that would move the surface by more than
--max-deviation lengths or along its normals: such regions keep finer edges. With --faces they may move
it farther, up to 0.35 lengths, while there are too many faces.

With several meshes the default target of each is the mean length of its own edges; a given length or
number of faces holds for each. A finished mesh stays as it is while others get more iterations.";
    const SEVERAL: bool = true;
    const JOINS_SEAMS: bool = true;

    type Options = RemeshArgs;
    type Report = RemeshOpReport;
    type On = Connectivity;

    fn prepare(args: &mut RemeshArgs, _seed: u64) -> Result<()> {
        if args.no_features {
            args.remeshing.keep_features = None;
        }
        Ok(())
    }

    fn run(on: &mut Connectivity, args: &RemeshArgs, log: &mut dyn Log) -> Result<RemeshOpReport> {
        let several = on.several.as_ref();
        let several = several.map(|(s, labels)| (*labels, s.names.clone()));
        let report = on.work(log, "remeshing", |session, x| {
            let Some((labels, names)) = several else {
                let all = on_session!(session, |session| remesh(session, x, &args.remeshing))?;
                return Ok(RemeshOpReport {
                    all,
                    meshes: Vec::new(),
                });
            };
            let each = vec![args.remeshing; names.len()];
            let report = on_session!(session, |session| remesh_batch(session, x, labels, &each))?;
            let members = names.iter().zip(&report.meshes);
            Ok(RemeshOpReport {
                all: report.total(),
                meshes: members
                    .map(|(name, m)| RemeshedMesh::new(name.clone(), m))
                    .collect(),
            })
        })?;
        if report.meshes.is_empty() {
            on.target_length = Some(f64::from(report.all.target_length));
        }
        Ok(report)
    }

    fn describe(report: &RemeshOpReport, args: &RemeshArgs) -> Message {
        let (all, meshes) = (&report.all, &report.meshes);
        let run = all.run();
        let lengths = match meshes.len() {
            0 => text::number(f64::from(all.target_length)),
            _ => "lengths of their own".to_owned(),
        };
        let mut lines = format!(
            "remeshed towards edges of {lengths}: {} splits, {} contractions, {} flips, {}",
            all.split.done,
            all.collapse.done,
            all.flip.done,
            text::rounds(&run)
        );
        for m in meshes {
            let length = text::number(f64::from(m.target_length));
            let (faces, n) = (m.faces, m.iterations);
            lines += &format!(
                "\n{}: edges of {length}, {faces} faces, {n} iterations",
                m.path
            );
        }
        let missed: Vec<&RemeshedMesh> = meshes.iter().filter(|m| !m.on_target).collect();
        let names: Vec<&str> = missed.iter().map(|m| m.path.as_str()).collect();
        let of = text::which(&names, meshes.len());
        Message::new(lines)
            .unless_done(run.finished, || {
                "not all was done: the largest number of rounds was reached, or the work no longer got on"
                    .into()
            })
            .unless_done(all.on_target, || {
                let (length, faces, expected) = match &missed[..] {
                    [m] => (m.length_over_target, m.faces, m.expected_faces),
                    _ => (all.length_over_target, all.faces, all.expected_faces),
                };
                format!(
                    "{of}the result misses the request: edges are {length:.2} of their target on average, and \
                    there are {faces} faces in place of {expected:.0}{}",
                    stopped(all.features, length < 1.0, &args.remeshing)
                )
            })
    }
}

/// Names the limit that stops a result whose edges are too short or too long, and the flags that lift it.
fn stopped(features: u32, short: bool, options: &RemeshOptions) -> String {
    if !short {
        return "; splits ended before (--iterations N allows more)".to_owned();
    }
    let mut why = String::from("; ");
    if features > 0 {
        why += &format!(
            "{features} sharp edges were kept, and these are the fewest faces that were reached with them \
            (--no-features gives them up, --keep-features with a larger angle some of them); "
        );
    }
    let part = text::number(f64::from(options.max_deviation));
    why + &format!(
        "boundaries stay as fine as they are, and so do parts so thin or small that a contraction would move the \
        surface by more than {part} of the length (of a twelfth of the size, for long ones) or turn it \
        (--max-deviation allows more, from 0.35 on the most)"
    )
}

impl RemeshedMesh {
    fn new(path: String, report: &RemeshReport) -> RemeshedMesh {
        RemeshedMesh {
            path,
            target_length: report.target_length,
            iterations: report.iterations,
            faces: report.faces,
            expected_faces: report.expected_faces,
            length_over_target: report.length_over_target,
            on_target: report.on_target,
            area_before: report.area_before,
            area_after: report.area_after,
            volume_before: report.volume_before,
            volume_after: report.volume_after,
        }
    }
}
