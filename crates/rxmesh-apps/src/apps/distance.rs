//! `distance`: distances between two surfaces.

use crate::app::{Application, Message};
use crate::cli::{EncodingArgs, EngineArgs, TriangulateArgs};
use crate::frame::Tool;
use crate::output::OutputTarget;
use crate::record::{Record, shown};
use crate::text;
use anyhow::{Result, bail};
use clap::{Args, ValueHint};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::hausdorff::{DistanceOptions, DistanceReport, Distances, distance};
use rxmesh_host::io::Format;
use rxmesh_host::mesh::{Column, ColumnData, ElementKind};
use serde::Serialize;
use std::path::PathBuf;

/// The column that the distances go to.
const COLUMN: &str = "distance";

/// The column that MeshLab, PyVista and others map to colours.
const QUALITY: &str = "quality";

pub(crate) struct Distance;

#[derive(Debug, Args, Serialize)]
pub(crate) struct DistanceArgs {
    /// The measured mesh
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    mesh: PathBuf,
    /// The reference mesh; percentages refer to the diagonal of its bounding box
    #[arg(value_name = "REFERENCE", value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    reference: PathBuf,
    /// Write MESH with the distance of each vertex as the column 'distance' (in PLY, for example)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    output: Option<PathBuf>,
    /// With --output: write the column once more as 'quality', which MeshLab, PyVista and others show as colour
    #[arg(long, requires = "output")]
    quality: bool,
    #[command(flatten)]
    #[serde(flatten)]
    options: DistanceOptions,
    #[command(flatten)]
    #[serde(skip)]
    triangulate: TriangulateArgs,
    #[command(flatten)]
    #[serde(skip)]
    encoding: EncodingArgs,
    #[command(flatten)]
    #[serde(skip)]
    engine: EngineArgs,
}

impl Options for DistanceArgs {
    fn check(&self) -> Result<(), Error> {
        self.options.check()
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct DistanceOpReport {
    reference: Reference,
    distance: DistanceReport,
}

#[derive(Debug, Serialize)]
struct Reference {
    path: String,
    vertices: u64,
    faces: u64,
}

impl Application for Distance {
    const NAME: &'static str = "distance";
    const SUMMARY: &'static str = "Measure the distance between two surfaces";
    const HELP: &'static str = "Examples: rxmesh distance spot.ply bob.ply
          rxmesh distance spot.ply bob.ply --samples 20000 -o off.ply --quality

Distances go from the vertices and from uniform points on the faces of each mesh to the other
surface, not to its vertices (Cignoni, Rocchini, Scopigno 1998, Metro). Mean and RMS are over the
points on the faces, the largest over all.";
    const RECORD: &'static [(&'static str, &'static str)] = &[
        (
            "reference",
            "`path`, `vertices`, `faces` of the second mesh",
        ),
        (
            "distance",
            "`forward` (from the first mesh to the second) and `backward`, each with `surface` and `vertices`, each \
            with `points`, `max`, `mean`, `rms`; of both ways the larger: `hausdorff`, `mean`, `rms`; `diagonal`",
        ),
    ];

    type Options = DistanceArgs;
    type Report = DistanceOpReport;
    type Frame = Tool;

    fn run(Tool { run }: &mut Tool, args: &DistanceArgs) -> Result<DistanceOpReport> {
        let target = match &args.output {
            None => None,
            Some(path) => {
                let format = args.encoding.format.or_else(|| Format::of_name(path));
                if let Some(format) = format.filter(|f| !f.holds_surfaces() || !f.holds_columns()) {
                    let path = path.display();
                    bail!("{path}: {format} cannot hold distances of vertices; PLY can");
                }
                Some(OutputTarget::new(
                    path,
                    &args.encoding,
                    run.console.json_file(),
                )?)
            }
        };
        // The mesh is read last: it is the record's input.
        let reference = run.read(&args.reference, args.triangulate.triangulate)?;
        let input = run.read(&args.mesh, args.triangulate.triangulate)?;
        let (mut mesh, other) = (input.loaded.mesh, reference.loaded.mesh);
        let engine = run.engine(args.engine.engine)?;
        let ((distance, values), ms) = run.stage("measuring", || {
            Ok(distance(&engine, &mesh, &other, &args.options)?)
        })?;
        run.record.timings_ms.run = ms;
        if let Some(target) = target {
            let data = column(values);
            let names = [Some(COLUMN), args.quality.then_some(QUALITY)];
            for name in names.into_iter().flatten() {
                mesh.add_column(Column {
                    name: name.into(),
                    element: ElementKind::Vertex,
                    width: 1,
                    data: data.clone(),
                })?;
            }
            run.write(&target, &mesh)?;
        }
        Ok(DistanceOpReport {
            reference: Reference {
                path: shown(&reference.path),
                vertices: other.vertex_count() as u64,
                faces: other.face_count() as u64,
            },
            distance,
        })
    }

    fn tell(report: &DistanceOpReport, _args: &DistanceArgs, record: &Record) -> Message {
        let (d, r) = (&report.distance, &report.reference);
        let mut lines = text::input(record);
        lines += &format!(
            "{}: {} vertices, {} faces, diagonal {}\n",
            r.path,
            r.vertices,
            r.faces,
            text::number(d.diagonal)
        );
        lines += &text::engine(record);
        let relative = |x: f64| match d.diagonal > 0.0 {
            true => format!("{} ({:.4} %)", text::number(x), 100.0 * x / d.diagonal),
            false => text::number(x),
        };
        let one = |d: &Distances| {
            format!(
                "max {}, mean {}, RMS {}",
                relative(d.max),
                relative(d.mean),
                relative(d.rms)
            )
        };
        for (name, way) in [("to the reference", &d.forward), ("back", &d.backward)] {
            lines += &format!(
                "{name}: {}, {} points\n",
                one(&way.surface),
                way.surface.points
            );
            lines += &format!("{name}, vertices: {}\n", one(&way.vertices));
        }
        lines += &format!(
            "both ways: Hausdorff {}, mean {}, RMS {}, {}\n",
            relative(d.hausdorff),
            relative(d.mean),
            relative(d.rms),
            text::duration(record.timings_ms.run.unwrap_or(0.0))
        );
        Message::new(lines + &text::output(record))
    }
}

/// Distances as 32-bit floats, which have as many digits, unless they are beyond the range of those.
fn column(values: Vec<f64>) -> ColumnData {
    let fits = |x: &f64| *x == 0.0 || (*x as f32).is_normal();
    match values.iter().all(fits) {
        true => ColumnData::F32(values.into_iter().map(|x| x as f32).collect()),
        false => ColumnData::F64(values),
    }
}
