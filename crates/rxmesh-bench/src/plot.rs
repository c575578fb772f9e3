//! Plots of time against mesh size as SVG: one file per record, one panel per row.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::conflicts::Conflicts;
use anyhow::{Context as _, Result, ensure};

use crate::record::{MeshRecord, Record, Run};
use crate::rows;
use crate::table::short;

mod edits;

const COLUMNS: usize = 4;
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 270.0;
/// Margins of a panel left, right, above and below of its axes.
const MARGIN: [f64; 4] = [46.0, 14.0, 26.0, 78.0];
/// Colours that people with colour blindness can tell apart (Okabe and Ito 2008).
const OURS: [&str; 5] = ["#0072b2", "#009e73", "#56b4e9", "#000000", "#f0e442"];
/// Suffixes of a row's name for another order of the input or another scheduler of edits.
const SUFFIXES: [&str; 5] = ["", "-shuffled", "-sorted", "-speculative", "-plain"];
const THEIRS: [&str; 4] = ["#d55e00", "#e69f00", "#cc79a7", "#7f3b08"];
const FLOOR: &str = "#888888";
/// Number of parts of an axis that begins at zero.
const TICKS: i32 = 5;

/// Line of a panel.
struct Line {
    name: String,
    color: &'static str,
    dashes: &'static str,
    /// Faces and milliseconds, sorted by faces.
    points: Vec<(f64, f64)>,
}

/// Scale of the values of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    /// By decades, milliseconds.
    Decades,
    /// From zero.
    FromZero,
}

/// Panel of a picture.
struct Panel {
    title: String,
    scale: Scale,
    lines: Vec<Line>,
}

/// Writes one file for each record with at least two sizes, and one on the schedulers of edits where they were
/// measured; returns the files.
pub(crate) fn write(records: &[Record], folder: &Path) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    for record in records.iter().filter(|r| r.meshes.len() > 1) {
        let path = folder.join(format!("{}.svg", record.machine()));
        let title = "median milliseconds over faces; dotted: the bytes that must move at the measured bandwidth";
        write_picture(record, title, &times(record), path, &mut files)?;
        let panels = edits::panels(record);
        if !panels.is_empty() {
            let path = folder.join(format!("{}-edits.svg", record.machine()));
            let title = "claims and speculative engine (Mahmoud et al. 2024) over faces; times are median milliseconds";
            write_picture(record, title, &panels, path, &mut files)?;
        }
    }
    ensure!(!files.is_empty(), "no record has more than one size");
    Ok(files)
}

fn write_picture(
    record: &Record,
    title: &str,
    panels: &[Panel],
    path: PathBuf,
    files: &mut Vec<PathBuf>,
) -> Result<()> {
    rxmesh_host::files::write_bytes(&path, svg(record, title, panels).as_bytes())
        .with_context(|| path.display().to_string())?;
    files.push(path);
    Ok(())
}

/// Returns the panels of the rows that are times.
fn times(record: &Record) -> Vec<Panel> {
    let rows = rows::all().filter(|r| r.input.is_none() && r.conflicts == Conflicts::Claims);
    rows.map(|r| Panel {
        title: r.name.to_owned(),
        scale: Scale::Decades,
        lines: lines(record, r.name),
    })
    .filter(|p| p.lines.iter().any(|l| l.points.len() > 1))
    .collect()
}

/// Returns the whole picture.
fn svg(record: &Record, about: &str, panels: &[Panel]) -> String {
    let rows = panels.len().div_ceil(COLUMNS);
    let (width, height) = (COLUMNS as f64 * WIDTH, 40.0 + rows as f64 * HEIGHT);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"10\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let title = format!(
        "{} ({} engine), commit {}, {}: {about}",
        record.engine.device,
        record.engine.name,
        record.commit,
        &record.date[..10.min(record.date.len())]
    );
    text(&mut out, (12.0, 24.0), "start", 14, &title);
    for (i, p) in panels.iter().enumerate() {
        let x = (i % COLUMNS) as f64 * WIDTH;
        let y = 40.0 + (i / COLUMNS) as f64 * HEIGHT;
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        panel(&mut out, p);
        out += "</g>\n";
    }
    out + "</svg>\n"
}

/// Returns the numbers of faces and the runs of a row, sorted by faces.
fn runs<'a>(record: &'a Record, row: &str) -> Vec<(f64, &'a Run)> {
    let of = |m: &MeshRecord| {
        let same = |r: &&Run| r.row == row && r.mesh == m.name;
        Some((f64::from(m.faces), record.runs.iter().find(same)?))
    };
    let mut runs: Vec<_> = record.meshes.iter().filter_map(of).collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    runs
}

/// Returns the lines of a row's panel: its time, also with other orders of the input and on the other scheduler of
/// edits, its floor, and the references.
fn lines(record: &Record, row: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for (suffix, color) in SUFFIXES.iter().zip(OURS) {
        let runs = runs(record, &format!("{row}{suffix}"));
        lines.push(Line {
            name: format!("rxmesh{}", suffix.replace('-', ", ")),
            color,
            dashes: "",
            points: runs.iter().map(|(faces, r)| (*faces, r.median())).collect(),
        });
    }
    let main = runs(record, row);
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

/// Returns a round number that is at least as large as some values, and above zero: 1, 2, 2.5 or 5 times a power of
/// ten.
fn ceiling(values: impl Iterator<Item = f64>) -> f64 {
    let most = values.filter(|v| v.is_finite()).fold(0.0, f64::max);
    if most <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(most.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|s| s * power);
    steps
        .into_iter()
        .find(|&s| s >= most)
        .unwrap_or(10.0 * power)
}

/// Returns the whole decades around some positive values, as exponents of ten.
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

fn panel(out: &mut String, panel: &Panel) {
    let Panel {
        title,
        scale,
        lines,
    } = panel;
    let [left, right, above, below] = MARGIN;
    let (w, h) = (WIDTH - left - right, HEIGHT - above - below);
    let all = || lines.iter().flat_map(|l| &l.points);
    let (x0, x1) = decades(all().map(|p| p.0));
    let values = || all().map(|p| p.1);
    let (y0, y1) = match scale {
        Scale::Decades => decades(values()),
        Scale::FromZero => (0.0, ceiling(values())),
    };
    let height = |y: f64| match scale {
        Scale::Decades => y.log10(),
        Scale::FromZero => y,
    };
    let at = |(faces, ms): (f64, f64)| {
        (
            left + w * (faces.log10() - x0) / (x1 - x0),
            above + h * (y1 - height(ms)) / (y1 - y0),
        )
    };
    text(out, (left, above - 8.0), "start", 12, title);
    for decade in x0 as i32..=x1 as i32 {
        let (x, _) = at((10f64.powi(decade), 1.0));
        grid(out, (x, above), (x, above + h));
        let label = match decade {
            ..=5 => format!("{}k", 10f64.powi(decade - 3)),
            _ => format!("{}M", 10f64.powi(decade - 6)),
        };
        text(out, (x, above + h + 12.0), "middle", 9, &label);
    }
    let ticks: Vec<f64> = match scale {
        Scale::Decades => (y0 as i32..=y1 as i32).map(|d| 10f64.powi(d)).collect(),
        Scale::FromZero => (0..=TICKS)
            .map(|k| y1 * f64::from(k) / f64::from(TICKS))
            .collect(),
    };
    for tick in ticks {
        let (_, y) = at((1.0, tick));
        grid(out, (left, y), (left + w, y));
        let label = match scale {
            Scale::Decades => format!("{tick}"),
            Scale::FromZero => format!("{}", (tick * 1e6).round() / 1e6),
        };
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
        // A line of one point would be invisible.
        if line.dashes.is_empty() || points.len() == 1 {
            for ((x, y), (faces, ms)) in points.iter().zip(&line.points) {
                let _ = writeln!(
                    out,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.4\" fill=\"{}\"><title>{} faces: {}{}</title></circle>",
                    line.color,
                    faces,
                    short(*ms),
                    if *scale == Scale::Decades { " ms" } else { "" }
                );
            }
        }
        legend(out, i, line, above + h + 26.0);
    }
}

/// Draws entry `i` of the legend, in two columns below the axes.
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
        assert_eq!(ceiling([0.3, 61.0].into_iter()), 100.0);
        assert_eq!(ceiling([2.2, f64::NAN].into_iter()), 2.5);
        assert_eq!(ceiling([0.0].into_iter()), 1.0);
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
        let picture = svg(&record, "", &times(&record));
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
