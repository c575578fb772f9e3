//! `distance`: measures how far two surfaces are apart.

use crate::log::timed;
use crate::on::{AnyMesh, Pair, Tool};
use crate::{Group, Log, Message, Operation, OutputKind, Result, Stage, WritesFile, text};
use rxmesh_host::algo::Options;
use rxmesh_host::algo::hausdorff::{self, DistanceReport, Distances};
use rxmesh_host::mesh::{Column, ColumnData, ElementKind};
use rxmesh_host::units;
use serde::Serialize;

/// Column of the distances.
const COLUMN: &str = "distance";

/// Column that MeshLab, PyVista and others map to colours.
const QUALITY: &str = "quality";

/// Measures how far two surfaces are apart.
#[derive(Clone, Copy, Debug)]
pub struct Distance;

/// Options of [`Distance`].
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct DistanceArgs {
    /// With --output: write the column once more as 'quality', which MeshLab, PyVista and others show as colour
    #[cfg_attr(feature = "cli", arg(long, requires = "output"))]
    pub quality: bool,
    /// With --output: distances of vertices inside REFERENCE are negative (its winding number is at least one half)
    #[cfg_attr(feature = "cli", arg(long, requires = "output"))]
    pub signed: bool,
    /// Options of the measurement.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub options: hausdorff::DistanceOptions,
}

units!(DistanceArgs {});

impl Options for DistanceArgs {
    fn check(&self) -> std::result::Result<(), rxmesh_host::Error> {
        self.options.check()
    }
}

/// DistanceOpReport of [`Distance`].
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DistanceOpReport {
    /// Second mesh, which the first is compared with.
    pub reference: Reference,
    /// Distances in both directions.
    pub distance: DistanceReport,
}

units!(DistanceOpReport { distance });

/// Mesh that another is measured against.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reference {
    /// Name of the mesh.
    pub path: String,
    /// Number of vertices.
    pub vertices: u64,
    /// Number of faces.
    pub faces: u64,
}

impl Operation for Distance {
    const NAME: &'static str = "distance";
    const GROUP: Group = Group::Measure;
    const SUMMARY: &'static str = "Measure the distance between two surfaces";
    const HELP: &'static str = "Examples: rxmesh distance spot.ply bob.ply
          rxmesh distance spot.ply bob.ply --samples 20000 -o off.ply --quality
          rxmesh distance spot.ply bob.ply --signed -o depth.ply

Distances go from the vertices and from uniform points on the faces of each mesh to the other
surface, not to its vertices (Cignoni, Rocchini, Scopigno 1998, Metro). Mean and RMS are over the
points on the faces, the largest over all.";
    const OUTPUT: OutputKind = OutputKind::Columns("distances of vertices");
    const WRITES: WritesFile = WritesFile::IfAsked(
        "Write MESH with the distance of each vertex as the column 'distance' (in PLY, for example)",
    );
    type Options = DistanceArgs;
    type Report = DistanceOpReport;
    type On = Tool<Pair>;

    fn run(
        on: &mut Tool<Pair>,
        options: &DistanceArgs,
        log: &mut dyn Log,
    ) -> Result<DistanceOpReport> {
        let engine = on.engine().clone();
        let Pair { mesh, reference } = &on.input;
        let measure = if options.signed {
            hausdorff::signed_distance
        } else {
            hausdorff::distance
        };
        let (distance, values) = timed(log, Stage::Work("measuring"), || {
            Ok(measure(&engine, mesh, reference, &options.options)?)
        })?;
        let report = DistanceOpReport {
            reference: Reference {
                path: on.name(1),
                vertices: reference.vertex_count() as u64,
                faces: reference.face_count() as u64,
            },
            distance,
        };
        let mut mesh = std::mem::take(&mut on.input.mesh);
        let data = column(values);
        let names = [Some(COLUMN), options.quality.then_some(QUALITY)];
        for name in names.into_iter().flatten() {
            mesh.add_column(Column {
                name: name.into(),
                element: ElementKind::Vertex,
                width: 1,
                data: data.clone(),
            })?;
        }
        on.result = Some(AnyMesh::Surface(mesh));
        Ok(report)
    }

    fn describe(report: &DistanceOpReport, _options: &DistanceArgs) -> Message {
        let (d, r) = (&report.distance, &report.reference);
        let head = format!(
            "{}: {} vertices, {} faces, diagonal {}\n",
            r.path,
            r.vertices,
            r.faces,
            text::number(d.diagonal)
        );
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
        let mut lines = String::new();
        for (name, way) in [("to the reference", &d.forward), ("back", &d.backward)] {
            lines += &format!(
                "{name}: {}, {} points\n",
                one(&way.surface),
                way.surface.points
            );
            lines += &format!("{name}, vertices: {}\n", one(&way.vertices));
        }
        lines += &format!(
            "both ways: Hausdorff {}, mean {}, RMS {}",
            relative(d.hausdorff),
            relative(d.mean),
            relative(d.rms),
        );
        Message {
            head,
            timed: true,
            ..Message::new(lines)
        }
    }
}

/// Returns distances as 32-bit floats, which have as many digits, unless they are beyond the range of those.
fn column(values: Vec<f64>) -> ColumnData {
    let fits = |x: &f64| *x == 0.0 || (*x as f32).is_normal();
    match values.iter().all(fits) {
        true => ColumnData::F32(values.into_iter().map(|x| x as f32).collect()),
        false => ColumnData::F64(values),
    }
}
