//! The paper's experiments with edits (Mahmoud et al. 2024): both schedulers beside the reference, wasted work, later
//! costs of edits, memory.

use super::{Dash, Line, OURS, Panel, Scale, THEIRS, lines, runs};
use crate::record::BenchRecord;
use crate::{reference, rows};

/// Rows of times that both schedulers have, with their place in the paper.
const TIMES: [(&str, &str); 3] = [
    ("delaunay", "Table 2: Delaunay flips, ms"),
    ("remesh", "Table 4: remeshing, 3 iterations, ms"),
    ("track", "Figure 13: tracking, ms a frame"),
];

/// Rows of one panel that are not times, with their words in the legend.
type Amounts = (&'static str, [(&'static str, &'static str); 2]);

const AMOUNTS: [Amounts; 3] = [
    (
        "Figure 6: wasted work, % of visits",
        [
            ("wasted-all", "every visit locks all"),
            ("wasted", "locks as needed"),
        ],
    ),
    (
        "Table 3: MCF iteration, after over before",
        [
            ("slowdown", "claims"),
            ("slowdown-speculative", "speculative"),
        ],
    ),
    (
        "Appendix A: bytes a face",
        [("bytes", "static"), ("bytes-speculative", "speculative")],
    ),
];

/// Returns the panels of rows measured with at least two sizes; none when the speculative scheduler was not measured.
pub(super) fn panels(record: &BenchRecord) -> Vec<Panel> {
    let measured = |row: &str| {
        let row = format!("{row}-speculative");
        runs(record, &row).len() > 1
    };
    let times = TIMES.iter().filter(|(row, _)| measured(row));
    let times = times.map(|&(row, title)| Panel {
        title: title.to_owned(),
        scale: Scale::Decades,
        lines: engines(record, row),
    });
    let amounts = AMOUNTS.iter().map(|(title, rows)| Panel {
        title: (*title).to_owned(),
        scale: Scale::FromZero,
        lines: amounts(record, rows),
    });
    let amounts = amounts.filter(|p| p.lines.iter().any(|l| l.points.len() > 1));
    times.chain(amounts).collect()
}

/// Returns both schedulers' times, and those of the reference over its own sizes where there are any.
fn engines(record: &BenchRecord, row: &str) -> Vec<Line> {
    let mut all = lines(record, row);
    for line in &mut all {
        match line.name.as_str() {
            "rxmesh" => line.name = "claims".to_owned(),
            "rxmesh, speculative" => line.name = "speculative".to_owned(),
            _ => {}
        }
    }
    let against = rows::all()
        .find(|r| r.name == row)
        .map_or(&[][..], |r| r.against);
    for (system, mut points) in reference::curves(against, &record.engine.name) {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        for line in all
            .iter_mut()
            .filter(|l| l.name == system && row == "track")
        {
            line.points = points.clone();
        }
    }
    all
}

/// Returns the rows' medians, and each other figure once, as a level line over the sizes.
fn amounts(record: &BenchRecord, rows: &[(&str, &str)]) -> Vec<Line> {
    let mut all = Vec::new();
    let mut others: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for (&(row, name), color) in rows.iter().zip(OURS) {
        let mut points = Vec::new();
        for mesh in &record.meshes {
            let Some(amount) = record.amount(row, &mesh.name) else {
                continue;
            };
            let faces = f64::from(mesh.faces);
            points.push((faces, amount.median()));
            for r in &amount.references {
                match others.iter_mut().find(|(system, _)| *system == r.system) {
                    Some((_, points)) => points.push((faces, r.value)),
                    None => others.push((&r.system, vec![(faces, r.value)])),
                }
            }
        }
        all.push((name.to_owned(), color, Dash::Solid, points));
    }
    let theirs = others.into_iter().zip(THEIRS);
    all.extend(
        theirs.map(|((system, points), color)| (system.to_owned(), color, Dash::Dashed, points)),
    );
    let line = |(name, color, dash, mut points): (String, _, _, Vec<(f64, f64)>)| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup();
        Line {
            name,
            color,
            dash,
            points,
        }
    };
    let mut all: Vec<Line> = all.into_iter().map(line).collect();
    all.retain(|l| !l.points.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{self, mesh, record};
    use crate::record::{Run, Unit};

    fn amount(row: &str, mesh: &str, value: f64) -> Run {
        let mut amount = tests::amount(row, mesh, Unit::Percent, &[value]);
        let row = rows::all().find(|r| r.name == row);
        amount.references = row.map_or(Vec::new(), |r| {
            reference::references(r.against, "cuda", 20_000)
        });
        amount
    }

    #[test]
    fn panels_of_what_was_measured() {
        let rows = ["delaunay", "delaunay-speculative", "track"];
        let mut record = record(&rows.map(|r| (r, 1.0)));
        let mut more = record.runs.clone();
        more.iter_mut().for_each(|r| r.mesh = "80k".to_owned());
        record.runs.extend(more);
        record.meshes = vec![mesh("80k", 80_000), mesh("20k", 20_000)];
        record.runs.extend([
            amount("slowdown", "80k", 1.2),
            amount("slowdown", "20k", 1.1),
            amount("wasted", "20k", 60.0),
        ]);
        let panels = panels(&record);
        let titles: Vec<&str> = panels.iter().map(|p| p.title.as_str()).collect();
        assert_eq!(titles, [TIMES[0].1, AMOUNTS[1].0]);
        let names = |p: &Panel| -> Vec<String> { p.lines.iter().map(|l| l.name.clone()).collect() };
        assert_eq!(names(&panels[0]), ["claims", "speculative"]);
        assert_eq!(names(&panels[1]), ["claims", "paper, Table 3, mean"]);
        assert_eq!(panels[1].lines[0].points, [(2e4, 1.1), (8e4, 1.2)]);
        assert_eq!(panels[1].lines[1].points, [(2e4, 1.1), (8e4, 1.1)]);
    }
}
