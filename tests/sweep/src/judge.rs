//! Judgement of a run: checks that its claims are true.

use std::path::Path;

use glam::DVec3;
use rxmesh_host::io::{self, ReadOptions};
use rxmesh_host::mesh::CheckReport;
use serde_json::Value;

use crate::commands::{Command, Promise};
use crate::mesh::RawMesh;
use crate::run::Ran;

/// Most megabytes that a run may use without announcing it.
const MEMORY: f64 = 2048.0;

/// Summary of a result, for comparison with that of the moved mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact {
    faces: usize,
    low: DVec3,
    high: DVec3,
    promise: Promise,
}

impl Fact {
    /// Checks that the result of the moved mesh is the moved result.
    pub(crate) fn unlike(&self, plain: &Fact, (shift, scale): (DVec3, f64)) -> Result<(), String> {
        // Gravity is in metres, and a velocity field has a fixed position.
        let scaled = scale != 1.0 && self.promise == Promise::Moved;
        if scaled || matches!(self.promise, Promise::Sound | Promise::Turned) {
            return Ok(());
        }
        // Choices between equals may fall differently where coordinates are rounded differently.
        let exact = !matches!(self.promise, Promise::Share(_) | Promise::Even);
        let loose = plain.faces as f64 * 0.03 + 6.0;
        let differ = self.faces.abs_diff(plain.faces) as f64;
        if differ > if exact { 0.0 } else { loose } {
            return Err(format!(
                "{} faces, but {} where it was not moved",
                self.faces, plain.faces
            ));
        }
        // The box of a few faces depends on the choices.
        if !exact && plain.faces < 50 {
            return Ok(());
        }
        let diagonal = (plain.high - plain.low).length();
        let back = |p: DVec3| (p - shift) / scale;
        let off = (back(self.low) - plain.low)
            .length()
            .max((back(self.high) - plain.high).length());
        if off > diagonal * if exact { 0.01 } else { 0.05 } {
            return Err(format!(
                "the result's box is {:.2} % of the diagonal away from where it should be",
                off / diagonal * 100.0
            ));
        }
        Ok(())
    }
}

/// Returns the summary of a run's result, or its fault; `None` when the run ended in a proper error.
pub(crate) fn judge(
    command: &Command,
    input: Option<&RawMesh>,
    ran: &Ran,
    output: &Path,
    record: &Path,
) -> Result<Option<Fact>, String> {
    if ran.said.contains("panicked at") {
        return Err(format!("a panic: {}", ran.said.trim()));
    }
    let announced = ran.said.lines().any(is_progress);
    if ran.stopped || ran.seconds > 30.0 && !announced {
        return Err(format!("{:.0} s without a word", ran.seconds));
    }
    if ran.megabytes > MEMORY && !announced {
        return Err(format!("{:.0} MB without a word", ran.megabytes));
    }
    let told = ran.said.contains("warning: ");
    match ran.code {
        Some(0) => {}
        Some(1 | 2) if ran.said.contains("error: ") && output.exists() => {
            return Err(format!(
                "an error, and a file was written: {}",
                ran.said.trim()
            ));
        }
        Some(1 | 2) if ran.said.contains("error: ") => return Ok(None),
        Some(3) if told => {}
        _ => return Err(format!("code {:?}: {}", ran.code, ran.said.trim())),
    }
    if command.promise == Promise::Nothing {
        return Ok(None);
    }
    if command.promise == Promise::Readable {
        // Subdivision gives quads.
        let mut options = ReadOptions::default();
        options.triangulate = true;
        let loaded = io::read(output, &options).map_err(|e| format!("the output: {e}"))?;
        let sound = loaded.mesh.validate();
        return sound.map(|()| None).map_err(|e| format!("the output: {e}"));
    }
    let result = RawMesh::read(output).map_err(|e| format!("the output: {e}"))?;
    let Some(input) = input else {
        return Err("it was read here, and cannot be read by others".into());
    };
    let record = std::fs::read_to_string(record).map_err(|e| format!("the record: {e}"))?;
    let record: Value = serde_json::from_str(&record).map_err(|e| format!("the record: {e}"))?;
    promised(
        command.promise,
        ran.code == Some(0),
        input,
        &result,
        &record,
        &ran.said,
    )?;
    let (low, high) = result.bounds();
    Ok(Some(Fact {
        faces: result.faces.len(),
        low,
        high,
        promise: command.promise,
    }))
}

/// Returns `true` for a line such as `remeshing: 10 s, iteration 3`.
fn is_progress(line: &str) -> bool {
    let time = line.split_once(": ").map(|(_, rest)| rest);
    let mut words = time.unwrap_or_default().split(' ');
    let number = words.next().is_some_and(|n| n.parse::<f64>().is_ok());
    number
        && words
            .next()
            .is_some_and(|unit| unit.trim_end_matches(',') == "s")
}

fn promised(
    promise: Promise,
    success: bool,
    input: &RawMesh,
    result: &RawMesh,
    record: &Value,
    said: &str,
) -> Result<(), String> {
    let (faces, before) = (result.faces.len(), input.faces.len());
    let counts = || match faces == before && result.positions.len() == input.positions.len() {
        true => Ok(()),
        false => Err(format!("{faces} faces, {before} before")),
    };
    match promise {
        Promise::Same => {
            counts()?;
            let ((low, high), (a, b)) = (input.bounds(), result.bounds());
            let room = DVec3::splat(input.diagonal() * 0.02);
            if a.cmplt(low - room).any() || b.cmpgt(high + room).any() {
                return Err(format!(
                    "it leaves the box of the input: {a} to {b}, was {low} to {high}"
                ));
            }
            Ok(())
        }
        Promise::Moved | Promise::Turned => counts(),
        Promise::Kept if faces <= before => Ok(()),
        Promise::Kept => Err(format!("{faces} faces, {before} before")),
        Promise::Flipped => {
            counts()?;
            connectivity(input, result, said)
        }
        Promise::Share(share) => {
            let target = (before as f64 * share).round();
            let from = target * 0.9 - 8.0;
            if success && (faces as f64 > target.max(4.0) + 1.0 || (faces as f64) < from) {
                return Err(format!("{faces} faces, {target} requested, and exit 0"));
            }
            connectivity(input, result, said)
        }
        Promise::Even => {
            let target = record["target_length"].as_f64().unwrap_or(f64::NAN);
            let (mean, ideal) = (
                result.mean_edge() / target,
                result.area() / (0.75_f64.sqrt() / 2.0 * target * target),
            );
            let share = faces as f64 / ideal;
            let even = (0.85..=1.15).contains(&mean) && (0.75..=1.25).contains(&share);
            // A few faces cannot meet a mean.
            if success && !even && ideal > 50.0 {
                return Err(format!(
                    "mean edge {mean:.2} of the target, {share:.2} of the faces that it makes, and exit 0"
                ));
            }
            connectivity(input, result, said)
        }
        Promise::Sound => connectivity(input, result, said),
        Promise::Clean => {
            let report = result.check()?;
            let clean = report.non_manifold_edges.count == 0
                && report.non_manifold_vertices.count == 0
                && report.inconsistent_edges.count == 0
                && report.degenerate_faces.count == 0
                && report.duplicate_faces.count == 0
                && report.isolated_vertices.count == 0;
            match clean || !success {
                true => Ok(()),
                false => Err(format!("not clean, and exit 0: {}", defects(&report))),
            }
        }
        Promise::Readable | Promise::Nothing => Ok(()),
    }
}

fn defects(r: &CheckReport) -> String {
    format!(
        "{} non-manifold edges, {} non-manifold vertices, {} inconsistent edges, {} degenerate and {} duplicate faces",
        r.non_manifold_edges.count,
        r.non_manifold_vertices.count,
        r.inconsistent_edges.count,
        r.degenerate_faces.count,
        r.duplicate_faces.count
    )
}

/// Checks that Euler number, components and boundary loops stay, and no defect is added; or that the program reports
/// it.
fn connectivity(input: &RawMesh, result: &RawMesh, said: &str) -> Result<(), String> {
    let (a, b) = (input.check()?, result.check()?);
    // An edge of three faces that loses one may be left with two of different orientation.
    let odd = |r: &CheckReport| r.non_manifold_edges.count + r.inconsistent_edges.count;
    let worse = b.non_manifold_edges.count > a.non_manifold_edges.count
        || odd(&b) > odd(&a)
        || b.degenerate_faces.count > a.degenerate_faces.count
        || b.duplicate_faces.count > a.duplicate_faces.count;
    if worse {
        return Err(format!("{}, where there were {}", defects(&b), defects(&a)));
    }
    let shape = |r: &CheckReport| {
        (
            r.euler_characteristic,
            r.vertex_components,
            r.boundary_loops,
        )
    };
    if shape(&a) != shape(&b) && !said.contains("warning: ") {
        return Err(format!(
            "Euler number, components, boundary loops {:?}, before {:?}, and no word of it",
            shape(&b),
            shape(&a)
        ));
    }
    Ok(())
}
