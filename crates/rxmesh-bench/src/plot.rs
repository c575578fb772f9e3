//! Plots of time against mesh size as SVG: one file per record, one panel per row.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;

use crate::conflicts::EditScheduler;
use crate::record::{BenchRecord, MeshRecord, Run};
use crate::rows;

mod edits;

const COLUMNS: usize = 4;
/// Size of a panel, with its legend.
const WIDTH: u32 = 300;
const HEIGHT: u32 = 270;
const LEGEND: u32 = 60;
/// Height of the title.
const HEAD: u32 = 40;
/// Colours that people with colour blindness can tell apart (Okabe and Ito 2008).
const OURS: [RGBColor; 5] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x00, 0x00, 0x00),
    RGBColor(0xf0, 0xe4, 0x42),
];
/// Suffixes of a row's name for another order of the input or another scheduler of edits.
const SUFFIXES: [&str; 5] = ["", "-shuffled", "-sorted", "-speculative", "-plain"];
const THEIRS: [RGBColor; 4] = [
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0x7f, 0x3b, 0x08),
];
const FLOOR: RGBColor = RGBColor(0x88, 0x88, 0x88);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// Font of labels and legends; SVG has it at four fifths of this size.
const LABELS: (&str, i32) = ("sans-serif", 11);
/// Number of parts of an axis that begins at zero.
const TICKS: i32 = 5;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Axis with labels at given values.
struct Axis {
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, _: H) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// Line of a panel.
struct Line {
    name: String,
    color: RGBColor,
    dash: Dash,
    /// Faces and milliseconds, sorted by faces.
    points: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dash {
    Solid,
    /// References.
    Dashed,
    /// The floor.
    Dotted,
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
pub(crate) fn write(records: &[BenchRecord], folder: &Path) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    for record in records.iter().filter(|r| r.meshes.len() > 1) {
        let path = folder.join(format!("{}.svg", record.machine()));
        let title = "median milliseconds over faces; dotted: the bytes that must move at the measured bandwidth";
        write_picture(record, title, &times(record), path, &mut files)?;
        let panels = edits::panels(record);
        if !panels.is_empty() {
            let path = folder.join(format!("{}-edits.svg", record.machine()));
            let title = "claims and speculative scheduler (Mahmoud et al. 2024) over faces; median milliseconds";
            write_picture(record, title, &panels, path, &mut files)?;
        }
    }
    ensure!(!files.is_empty(), "no record has more than one size");
    Ok(files)
}

fn write_picture(
    record: &BenchRecord,
    title: &str,
    panels: &[Panel],
    path: PathBuf,
    files: &mut Vec<PathBuf>,
) -> Result<()> {
    rxmesh_host::files::write_bytes(&path, svg(record, title, panels)?.as_bytes())
        .with_context(|| path.display().to_string())?;
    files.push(path);
    Ok(())
}

/// Returns the panels of the rows that are times.
fn times(record: &BenchRecord) -> Vec<Panel> {
    let rows =
        rows::all().filter(|r| r.own.input.is_none() && r.own.conflicts == EditScheduler::Claims);
    rows.map(|r| Panel {
        title: r.name.to_owned(),
        scale: Scale::Decades,
        lines: lines(record, r.name),
    })
    .filter(|p| p.lines.iter().any(|l| l.points.len() > 1))
    .collect()
}

/// Returns the whole picture.
fn svg(record: &BenchRecord, about: &str, panels: &[Panel]) -> Result<String> {
    let rows = panels.len().div_ceil(COLUMNS);
    let size = (COLUMNS as u32 * WIDTH, HEAD + rows as u32 * HEIGHT);
    let mut out = String::new();
    let root = SVGBackend::with_string(&mut out, size).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(HEAD);
    let title = format!(
        "{} ({} engine), commit {}, {}: {about}",
        record.engine.device,
        record.engine.name,
        record.commit,
        &record.date[..10.min(record.date.len())]
    );
    head.draw(&Text::new(title, (12, 12), ("sans-serif", 17)))?;
    for (area, panel) in body.split_evenly((rows, COLUMNS)).iter().zip(panels) {
        draw(area, panel)?;
    }
    root.present()?;
    drop((root, head, body));
    Ok(out)
}

/// Returns the numbers of faces and the runs of a row, sorted by faces.
fn runs<'a>(record: &'a BenchRecord, row: &str) -> Vec<(f64, &'a Run)> {
    let of = |m: &MeshRecord| Some((f64::from(m.faces), record.find(row, &m.name)?));
    let mut runs: Vec<_> = record.meshes.iter().filter_map(of).collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    runs
}

/// Returns the lines of a row's panel: its time, also with other orders of the input and on the other scheduler of
/// edits, its floor, and the references.
fn lines(record: &BenchRecord, row: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for (suffix, color) in SUFFIXES.iter().zip(OURS) {
        let runs = runs(record, &format!("{row}{suffix}"));
        lines.push(Line {
            name: format!("rxmesh{}", suffix.replace('-', ", ")),
            color,
            dash: Dash::Solid,
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
        dash: Dash::Dotted,
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
            Some((*faces, found.value))
        };
        lines.push(Line {
            name: (*system).to_owned(),
            color,
            dash: Dash::Dashed,
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

/// Draws a panel. Coordinates are logarithms to base ten, except for values on a scale from zero.
fn draw(area: &Area<'_>, panel: &Panel) -> Result<()> {
    let decades_only = panel.scale == Scale::Decades;
    let all = || panel.lines.iter().flat_map(|l| &l.points);
    let (x0, x1) = decades(all().map(|p| p.0));
    let (y0, y1) = match panel.scale {
        Scale::Decades => decades(all().map(|p| p.1)),
        Scale::FromZero => (0.0, ceiling(all().map(|p| p.1))),
    };
    let whole =
        |from: f64, to: f64| -> Vec<f64> { (from as i32..=to as i32).map(f64::from).collect() };
    let ticks = match panel.scale {
        Scale::Decades => whole(y0, y1),
        Scale::FromZero => (0..=TICKS)
            .map(|k| y1 * f64::from(k) / f64::from(TICKS))
            .collect(),
    };
    let faces = |x: &f64| match *x as i32 {
        decade @ ..=5 => format!("{}k", 10f64.powi(decade - 3)),
        decade => format!("{}M", 10f64.powi(decade - 6)),
    };
    let value = |y: &f64| match panel.scale {
        Scale::Decades => format!("{}", 10f64.powi(*y as i32)),
        Scale::FromZero => format!("{}", (y * 1e6).round() / 1e6),
    };
    let (axes, legend) = area.split_vertically(HEIGHT - LEGEND);
    let mut chart = ChartBuilder::on(&axes)
        .caption(&panel.title, ("sans-serif", 15))
        .margin_right(14)
        .set_label_area_size(LabelAreaPosition::Left, 46)
        .set_label_area_size(LabelAreaPosition::Bottom, 18)
        .build_cartesian_2d(
            Axis {
                range: x0..x1,
                ticks: whole(x0, x1),
            },
            Axis {
                range: y0..y1,
                ticks,
            },
        )?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .label_style(LABELS)
        .x_label_formatter(&faces)
        .y_label_formatter(&value)
        .draw()?;
    let at = |&(faces, y): &(f64, f64)| (faces.log10(), if decades_only { y.log10() } else { y });
    for (i, line) in panel.lines.iter().enumerate() {
        let points: Vec<(f64, f64)> = line.points.iter().map(at).collect();
        let style = line.color.stroke_width(2);
        // A line of one point would be invisible.
        if line.dash == Dash::Solid || points.len() == 1 {
            let circle = |&p: &(f64, f64)| Circle::new(p, 2, line.color.filled());
            chart.draw_series(points.iter().map(circle))?;
        }
        let key = PathElement::new([(0, 0), (16, 0)], style);
        match line.dash {
            Dash::Solid => chart.draw_series(LineSeries::new(points, style))?,
            Dash::Dashed => chart.draw_series(DashedLineSeries::new(points, 6, 5, style))?,
            Dash::Dotted => chart.draw_series(DashedLineSeries::new(points, 2, 6, style))?,
        };
        // The legend has two columns.
        let (x, y) = (10 + (i as i32 % 2) * 145, 8 + i as i32 / 2 * 12);
        legend.draw(&(EmptyElement::at((x, y)) + key))?;
        let name = shortened(&line.name);
        legend.draw(&Text::new(name, (x + 20, y - 5), LABELS))?;
    }
    Ok(())
}

/// Returns a name of the legend, which has a column's width.
fn shortened(name: &str) -> String {
    const MOST: usize = 24;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 2).chain("..".chars()).collect()
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
    fn a_panel_has_the_rows_lines() -> Result<()> {
        let mut record = record(&[("vv", 1.0), ("vv-shuffled", 2.0), ("ve", 3.0)]);
        let mut more = record.runs.clone();
        more.iter_mut().for_each(|r| r.mesh = "320k".to_owned());
        record.runs.extend(more);
        record.meshes = ["20k", "320k"]
            .map(|name| crate::record::tests::mesh(name, name.len() as u32 * 1000))
            .to_vec();
        let picture = svg(&record, "<&>", &times(&record))?;
        let has = |words: &str| picture.lines().any(|l| l.contains(words));
        // The grid's lines are thinner.
        let is_series = |l: &&str| l.starts_with("<polyline") && l.contains("stroke-width=\"2\"");
        assert_eq!(
            picture.lines().filter(is_series).count(),
            3 + 3,
            "{picture}"
        );
        assert!(has("vv") && has("ve") && has("rxmesh, shuffled") && !has("vv-shuffled"));
        assert!(has("&lt;&amp;&gt;") && has("1k") && has("10k"), "{picture}");
        assert!(!has("NaN") && !has("inf"));
        Ok(())
    }

    /// The plots are those of the newest records.
    #[test]
    fn the_committed_plots_are_drawn_from_the_records() -> Result<()> {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench");
        let folder = tempfile::tempdir()?;
        let drawn = write(
            &crate::readme::newest(&bench.join("records"))?,
            folder.path(),
        )?;
        assert_eq!(std::fs::read_dir(bench.join("plots"))?.count(), drawn.len());
        for file in drawn {
            let name = file.file_name().context("a name")?;
            let committed = std::fs::read_to_string(bench.join("plots").join(name))?;
            assert!(
                std::fs::read_to_string(&file)? == committed,
                "{}: `cargo xtask bench --plots` draws it",
                name.display()
            );
        }
        Ok(())
    }

    #[test]
    fn one_size_is_no_plot() {
        let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
        assert!(write(&[record(&[("vv", 1.0)])], folder.path()).is_err());
    }
}
