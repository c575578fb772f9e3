//! Time against mesh size as SVG: one file a record, one panel a row.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::record::{Record, Run};
use crate::rows::ROWS;
use crate::table::short;

const COLUMNS: usize = 4;
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 270.0;
/// Room of a panel left, right, above and below of its axes.
const MARGIN: [f64; 4] = [46.0, 14.0, 26.0, 78.0];
/// Colours that people with colour blindness can tell apart (Okabe and Ito 2008).
const OURS: [&str; 3] = ["#0072b2", "#009e73", "#56b4e9"];
const THEIRS: [&str; 3] = ["#d55e00", "#e69f00", "#cc79a7"];
const FLOOR: &str = "#888888";

/// A line of a panel.
struct Line {
    name: String,
    color: &'static str,
    dashes: &'static str,
    /// Faces and milliseconds, by faces.
    points: Vec<(f64, f64)>,
}

/// Writes one file for each record that has two sizes or more; returns the files.
pub(crate) fn write(records: &[Record], folder: &Path) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    for record in records.iter().filter(|r| r.meshes.len() > 1) {
        let path = folder.join(format!("{}.svg", record.machine()));
        std::fs::write(&path, svg(record)).with_context(|| path.display().to_string())?;
        files.push(path);
    }
    ensure!(!files.is_empty(), "no record has more than one size");
    Ok(files)
}

/// The whole picture.
fn svg(record: &Record) -> String {
    let panels: Vec<(&str, Vec<Line>)> = ROWS
        .iter()
        .filter(|r| r.order.is_none())
        .map(|r| (r.name, lines(record, r.name)))
        .filter(|(_, lines)| lines.iter().any(|l| l.points.len() > 1))
        .collect();
    let rows = panels.len().div_ceil(COLUMNS);
    let (width, height) = (COLUMNS as f64 * WIDTH, 40.0 + rows as f64 * HEIGHT);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"10\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let title = format!(
        "{} ({} engine), commit {}, {}: median milliseconds over faces; dotted: the bytes that must move at the measured bandwidth",
        record.engine.device,
        record.engine.name,
        record.commit,
        &record.date[..10.min(record.date.len())]
    );
    text(&mut out, (12.0, 24.0), "start", 14, &title);
    for (i, (name, lines)) in panels.iter().enumerate() {
        let x = (i % COLUMNS) as f64 * WIDTH;
        let y = 40.0 + (i / COLUMNS) as f64 * HEIGHT;
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        panel(&mut out, name, lines);
        out += "</g>\n";
    }
    out + "</svg>\n"
}

/// What a row's panel shows: its time, also with other orders of the input, its floor, and what others need.
fn lines(record: &Record, row: &str) -> Vec<Line> {
    let runs = |name: &str| -> Vec<(f64, &Run)> {
        let of = |m: &crate::record::MeshRecord| {
            let same = |r: &&Run| r.row == name && r.mesh == m.name;
            Some((f64::from(m.faces), record.runs.iter().find(same)?))
        };
        let mut runs: Vec<_> = record.meshes.iter().filter_map(of).collect();
        runs.sort_by(|a, b| a.0.total_cmp(&b.0));
        runs
    };
    let mut lines = Vec::new();
    for (suffix, color) in ["", "-shuffled", "-sorted"].iter().zip(OURS) {
        let runs = runs(&format!("{row}{suffix}"));
        lines.push(Line {
            name: format!("rxmesh{}", suffix.replace('-', ", ")),
            color,
            dashes: "",
            points: runs.iter().map(|(faces, r)| (*faces, r.median())).collect(),
        });
    }
    let main = runs(row);
    let floor = |(faces, r): &(f64, &Run)| {
        let over = record.over_floor(r)?;
        Some((*faces, r.median() / over))
    };
    lines.push(Line {
        name: "floor".to_owned(),
        color: FLOOR,
        dashes: "1 3",
        points: main.iter().filter_map(floor).collect(),
    });
    let mut systems: Vec<&str> = Vec::new();
    for system in main.iter().flat_map(|(_, r)| &r.references) {
        if !systems.contains(&system.system.as_str()) {
            systems.push(&system.system);
        }
    }
    for (system, color) in systems.iter().zip(THEIRS) {
        let of = |(faces, r): &(f64, &Run)| {
            let found = r.references.iter().find(|x| x.system == *system)?;
            Some((*faces, found.ms))
        };
        lines.push(Line {
            name: (*system).to_owned(),
            color,
            dashes: "5 3",
            points: main.iter().filter_map(of).collect(),
        });
    }
    lines.retain(|l| !l.points.is_empty());
    lines
}

/// Whole decades around some positive values, as exponents of ten.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|v| *v > 0.0 && v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        });
    if low > high {
        return (0.0, 1.0);
    }
    let (low, high) = (low.log10().floor(), high.log10().ceil());
    (low, high.max(low + 1.0))
}

fn panel(out: &mut String, name: &str, lines: &[Line]) {
    let [left, right, above, below] = MARGIN;
    let (w, h) = (WIDTH - left - right, HEIGHT - above - below);
    let all = || lines.iter().flat_map(|l| &l.points);
    let (x0, x1) = decades(all().map(|p| p.0));
    let (y0, y1) = decades(all().map(|p| p.1));
    let at = |(faces, ms): (f64, f64)| {
        (
            left + w * (faces.log10() - x0) / (x1 - x0),
            above + h * (y1 - ms.log10()) / (y1 - y0),
        )
    };
    text(out, (left, above - 8.0), "start", 12, name);
    for decade in x0 as i32..=x1 as i32 {
        let (x, _) = at((10f64.powi(decade), 1.0));
        grid(out, (x, above), (x, above + h));
        let label = match decade {
            ..=5 => format!("{}k", 10f64.powi(decade - 3)),
            _ => format!("{}M", 10f64.powi(decade - 6)),
        };
        text(out, (x, above + h + 12.0), "middle", 9, &label);
    }
    for decade in y0 as i32..=y1 as i32 {
        let (_, y) = at((1.0, 10f64.powi(decade)));
        grid(out, (left, y), (left + w, y));
        let label = format!("{}", 10f64.powi(decade));
        text(out, (left - 4.0, y + 3.0), "end", 9, &label);
    }
    for (i, line) in lines.iter().enumerate() {
        let points: Vec<(f64, f64)> = line.points.iter().map(|&p| at(p)).collect();
        let path: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" stroke-dasharray=\"{}\"/>",
            path.join(" "),
            line.color,
            line.dashes
        );
        if line.dashes.is_empty() {
            for ((x, y), (faces, ms)) in points.iter().zip(&line.points) {
                let _ = writeln!(
                    out,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.4\" fill=\"{}\"><title>{} faces: {} ms</title></circle>",
                    line.color,
                    faces,
                    short(*ms)
                );
            }
        }
        legend(out, i, line, above + h + 26.0);
    }
}

/// Entry `i` of the legend, in two columns below the axes.
fn legend(out: &mut String, i: usize, line: &Line, top: f64) {
    let x = 10.0 + (i % 2) as f64 * 145.0;
    let y = top + (i / 2) as f64 * 12.0;
    let _ = writeln!(
        out,
        "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{}\" stroke-width=\"1.6\" stroke-dasharray=\"{}\"/>",
        x + 16.0,
        line.color,
        line.dashes
    );
    let most = 24;
    let name: String = match line.name.chars().count() > most {
        true => line
            .name
            .chars()
            .take(most - 2)
            .chain("..".chars())
            .collect(),
        false => line.name.clone(),
    };
    text(out, (x + 20.0, y + 3.0), "start", 9, &name);
}

fn grid(out: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        out,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#dddddd\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, size: u32, words: &str) {
    let words = words
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\">{words}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    #[test]
    fn decades_are_whole_and_never_empty() {
        assert_eq!(decades([0.02, 3.0].into_iter()), (-2.0, 1.0));
        assert_eq!(decades([10.0].into_iter()), (1.0, 2.0));
        assert_eq!(decades([0.0, f64::NAN].into_iter()), (0.0, 1.0));
    }

    #[test]
    fn a_panel_has_the_rows_lines() {
        let mut record = record(&[("vv", 1.0), ("vv-shuffled", 2.0), ("ve", 3.0)]);
        let mut more = record.runs.clone();
        more.iter_mut().for_each(|r| r.mesh = "320k".to_owned());
        record.runs.extend(more);
        record.meshes = ["20k", "320k"]
            .map(|name| crate::record::tests::mesh(name, name.len() as u32 * 1000))
            .to_vec();
        let picture = svg(&record);
        assert_eq!(picture.matches("<polyline").count(), 3);
        assert!(picture.contains(">vv<") && picture.contains(">ve<"));
        assert!(!picture.contains(">vv-shuffled<") && picture.contains("rxmesh, shuffled"));
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
    }

    #[test]
    fn one_size_is_no_plot() {
        let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
        assert!(write(&[record(&[("vv", 1.0)])], folder.path()).is_err());
    }
}
