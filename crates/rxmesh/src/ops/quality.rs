//! `quality`: shape of the faces.

use crate::error::explained;
use crate::on::Vertices;
use crate::{Group, Log, Message, Operation, OutputKind, Result, text};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::quality::{FaceQualityReport, face_quality};
use rxmesh_host::kernels::topo::Face;
use rxmesh_host::mesh::ElementKind;
use rxmesh_host::units;
use rxmesh_host::units::InUnits;
use serde::Serialize;

const TOO_LARGE: &str =
    "coordinates are too large or too small to measure areas: take another unit of length";

/// Bars of the histograms: of radius ratios by a tenth, of smallest angles by six degrees.
const BARS: usize = 10;

/// Measures the shape of the faces.
#[derive(Clone, Copy, Debug)]
pub struct Quality;

/// Options of [`Quality`].
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct QualityArgs {
    /// List this many faces, those with the smallest radius ratio first
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 0))]
    pub worst: u32,
}

units!(QualityArgs {});

impl Options for QualityArgs {
    fn check(&self) -> std::result::Result<(), Error> {
        Ok(())
    }
}

/// Report of [`Quality`].
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QualityOpReport {
    /// Report of the algorithm.
    #[serde(flatten)]
    pub measured: FaceQualityReport,
    /// Number of faces by radius ratio: from 0 to 0.1, and so on.
    pub radius_ratios: [u64; BARS],
    /// Number of faces by smallest angle: from 0 to 6 degrees, and so on.
    pub angles: [u64; BARS],
    /// Faces with the smallest radius ratio, if some were asked for.
    pub worst: Vec<Listed>,
}

units!(QualityOpReport { measured, worst });

/// Face of a list.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed {
    /// Number of the face, in the order of the file.
    pub face: u32,
    /// Radius ratio.
    pub radius_ratio: f32,
    /// Smallest angle, in degrees.
    pub smallest_angle: f32,
    /// Area, in squared length.
    pub area: f64,
}

units!(Listed { area: Area });

impl Operation for Quality {
    const NAME: &'static str = "quality";
    const GROUP: Group = Group::Measure;
    const SUMMARY: &'static str =
        "Measure the shape of the faces: radius ratio, aspect, angle, area";
    const HELP: &'static str = "Examples: rxmesh quality bunny.obj --worst 3 -o quality.ply
          rxmesh quality bunny.obj --json - -q -o quality.ply

Writes columns of the faces: 'radius_ratio' (twice the inscribed over the circumscribed radius, 1 if
equilateral, 0 without area), 'aspect_ratio' (longest side over the inscribed diameter, 1 if
equilateral, infinite without area), 'smallest_angle' (degrees) and 'area'; and 'quality', the radius
ratio, which MeshLab and others show as colour. The record has histograms with ten bars each. The
measures are those of the Verdict library (Stimpson et al. 2007).";
    const OUTPUT: OutputKind = OutputKind::Columns("values of faces");
    const SEVERAL: bool = true;
    type Options = QualityArgs;
    type Report = QualityOpReport;
    type On = Vertices;

    fn run(on: &mut Vertices, args: &QualityArgs, log: &mut dyn Log) -> Result<QualityOpReport> {
        let (mut q, measured) = on.compute(log, "measuring faces", |rx, x| {
            face_quality(rx, x).map_err(explained(TOO_LARGE))
        })?;
        on.add_columns(
            log,
            [
                ("radius_ratio", 0, &mut q.radius_ratio),
                ("aspect_ratio", 0, &mut q.aspect_ratio),
                ("smallest_angle", 0, &mut q.smallest_angle),
                ("area", 2, &mut q.area),
            ],
        )?;
        on.show::<Face>(log, "radius_ratio")?;
        let column = |name| on.column_values(ElementKind::Face, name);
        let (ratios, angles) = (column("radius_ratio")?, column("smallest_angle")?);
        let areas = match args.worst {
            0 => Vec::new(),
            _ => column("area")?,
        };
        let listed = |face: u32| Listed {
            face,
            radius_ratio: ratios[face as usize] as f32,
            smallest_angle: angles[face as usize] as f32,
            area: areas[face as usize],
        };
        let mut worst: Vec<Listed> = worst(&ratios, args.worst as usize).map(listed).collect();
        // Columns are in the user's unit.
        worst.scale(1.0 / on.unit());
        Ok(QualityOpReport {
            measured,
            radius_ratios: histogram(&ratios, 1.0),
            angles: histogram(&angles, 60.0),
            worst,
        })
    }

    fn describe(report: &QualityOpReport, _args: &QualityArgs) -> Message {
        let (m, n) = (&report.measured, text::number);
        let mut lines = format!(
            "shape of {} faces: radius ratio {} to 1 (mean {}), largest aspect ratio {}, smallest angle {} (mean {}) \
            degrees, area {} to {} ({} in all)",
            m.faces,
            n(m.least_radius_ratio),
            n(m.mean_radius_ratio),
            n(m.largest_aspect_ratio),
            n(m.least_angle),
            n(m.mean_angle),
            n(m.least_area),
            n(m.largest_area),
            n(m.total_area)
        );
        lines += &format!("\nradius ratios by tenths: {}", bars(&report.radius_ratios));
        lines += &format!("\nangles by 6 degrees: {}", bars(&report.angles));
        for face in &report.worst {
            lines += &format!(
                "\nface {}: radius ratio {}, smallest angle {} degrees, area {}",
                face.face,
                n(face.radius_ratio.into()),
                n(face.smallest_angle.into()),
                n(face.area)
            );
        }
        Message::new(lines)
    }
}

/// Counts values from 0 to `most` in bars of one width; the last one holds `most`.
fn histogram(values: &[f64], most: f64) -> [u64; BARS] {
    let mut bars = [0; BARS];
    for value in values {
        let bar = (value / most * BARS as f64) as usize;
        bars[bar.min(BARS - 1)] += 1;
    }
    bars
}

fn bars(counts: &[u64; BARS]) -> String {
    counts.map(|n| n.to_string()).join(" ")
}

/// Returns the elements with the `n` smallest values, smallest first; of equals the first.
fn worst(values: &[f64], n: usize) -> impl Iterator<Item = u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    let key = |&i: &u32| (values[i as usize].to_bits(), i);
    let n = n.min(order.len());
    if n > 0 && n < order.len() {
        order.select_nth_unstable_by_key(n - 1, key);
    }
    order.truncate(n);
    order.sort_unstable_by_key(key);
    order.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_lists_count_all() {
        let values = [1.0, 0.05, 0.95, 0.05, 0.5, 0.0];
        assert_eq!(histogram(&values, 1.0), [3, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
        assert_eq!(worst(&values, 3).collect::<Vec<_>>(), [5, 1, 3]);
        assert_eq!(worst(&values, 9).count(), 6);
        assert_eq!(worst(&values, 0).count(), 0);
    }
}
