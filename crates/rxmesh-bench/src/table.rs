//! Tables as text.

use crate::measure::{median, range};
use crate::record::{Amount, MeshRecord, Record, Run, speculative_settings};
use crate::reference::Reference;
use crate::rows;

/// Formats a number with four digits, in at most eight columns.
pub(crate) fn short(x: f64) -> String {
    match x.abs() {
        a if !a.is_finite() => "-".to_owned(),
        0.0 => "0".to_owned(),
        a if a >= 1000.0 => format!("{x:.0}"),
        a if a >= 100.0 => format!("{x:.1}"),
        a if a >= 10.0 => format!("{x:.2}"),
        a if a >= 1.0 => format!("{x:.3}"),
        _ => format!("{x:.4}"),
    }
}

fn optional(x: Option<f64>) -> String {
    x.map_or_else(String::new, short)
}

/// Aligns lines of cells, the first column to the left and the others to the right; the first line is the heading.
pub(crate) fn align(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| {
        let cells = lines.iter().filter_map(|l| l.get(c));
        cells.map(|s| s.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        for (c, (cell, width)) in line.iter().zip(&widths).enumerate() {
            match c {
                0 => text += &format!("{cell:<width$}"),
                _ => text += &format!("  {cell:>width$}"),
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// Returns the table of a record.
pub(crate) fn table(record: &Record) -> String {
    let engine = &record.engine;
    let mut text = format!(
        "\n{} on {} ({} units, {} host threads), commit {}, {}\n",
        engine.name, engine.device, engine.units, engine.host_threads, record.commit, record.date
    );
    if let Some(ceiling) = &record.ceiling {
        text += &format!(
            "copy: {} GB/s read and written ({} of {} MiB)\n",
            short(ceiling.gb_s),
            ceiling.what,
            ceiling.bytes >> 20
        );
    }
    if let Some(settings) = speculative_settings(record) {
        text += &format!("{settings}\n");
    }
    for mesh in &record.meshes {
        text += &of_mesh(record, mesh);
    }
    text
}

const HEADING: [&str; 13] = [
    "row", "ms", "min", "max", "single", "ns/el", "MB", "GB/s", "x floor", "goal", "rival ms",
    "rival/ms", "rival",
];

/// Formats the factor by which a rival takes longer, with a mark if its figure counts less than ours (`*`), more (`+`)
/// or is of another input (`~`).
pub(crate) fn times(reference: &Reference, times: f64) -> String {
    let digits = if times < 10.0 { 1 } else { 0 };
    let mark = match (&reference.less, &reference.more, &reference.elsewhere) {
        (Some(_), _, _) => "*",
        (_, Some(_), _) => "+",
        (_, _, Some(_)) => "~",
        _ => "",
    };
    format!("{times:.digits$}x{mark}")
}

/// Returns one line per row: its time on each mesh, and the strongest rival's over it.
pub(crate) fn short_table(record: &Record) -> String {
    let heading = record
        .meshes
        .iter()
        .flat_map(|m| [m.name.clone(), String::new()]);
    let mut lines: Vec<Vec<String>> = vec![["row".to_owned()].into_iter().chain(heading).collect()];
    for row in rows::all() {
        let cells = record.meshes.iter().flat_map(|m| {
            if let Some(run) = record.run(row.name, &m.name) {
                let rival = record.rival(run).map(|(r, x)| times(r, x));
                return [short(run.median()), rival.unwrap_or_default()];
            }
            let amount = record
                .amounts
                .iter()
                .find(|a| a.row == row.name && a.mesh == m.name);
            let of = |a: &Amount| [short(a.median()), a.unit.to_string()];
            amount.map_or_else(Default::default, of)
        });
        let line: Vec<String> = [row.name.to_owned()].into_iter().chain(cells).collect();
        if line[1..].iter().any(|c| !c.is_empty()) {
            lines.push(line);
        }
    }
    format!(
        "\n{} on {}, commit {}: ms, and the strongest rival's time over it (* it does less, + more, ~ another \
            input)\n{}",
        record.engine.name,
        record.engine.device,
        record.commit,
        align(&lines)
    )
}

fn of_mesh(record: &Record, mesh: &MeshRecord) -> String {
    let mut text = format!(
        "\n{}: {} vertices, {} edges, {} faces, order {:?}; {} patches of {} faces; {} device bytes a face",
        mesh.name,
        mesh.vertices,
        mesh.edges,
        mesh.faces,
        record.options.order,
        mesh.patch_figure(&["patches"]),
        short(mesh.patch_figure(&["size_mean"])),
        short(mesh.device_bytes_a_face),
    );
    if let (true, Some(bytes)) = (record.engine.name == "cuda", mesh.reference_bytes_a_face) {
        text += &format!(" (reference {bytes})");
    }
    text.push('\n');
    let runs: Vec<&Run> = record.runs.iter().filter(|r| r.mesh == mesh.name).collect();
    if let Some(build) = runs.iter().find(|r| r.row == "build") {
        text += &stages(mesh, build);
    }
    let mut lines = vec![HEADING.map(str::to_owned).to_vec()];
    lines.extend(runs.iter().map(|run| line(record, run)));
    text + &align(&lines) + &amounts(record, mesh)
}

/// Returns the rows that are not times.
fn amounts(record: &Record, mesh: &MeshRecord) -> String {
    let found = record.amounts.iter().filter(|a| a.mesh == mesh.name);
    let mut lines: Vec<Vec<String>> = found
        .map(|a| {
            let (low, high) = range(&a.values);
            vec![
                a.row.clone(),
                short(a.median()),
                a.unit.to_string(),
                short(low),
                short(high),
                optional(a.references.first().map(|r| r.value)),
                optional(a.goal),
            ]
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let heading = ["row", "value", "unit", "min", "max", "ref", "goal"];
    lines.insert(0, heading.map(str::to_owned).to_vec());
    format!("no times:\n{}", align(&lines))
}

fn stages(mesh: &MeshRecord, build: &Run) -> String {
    let stage = |name| short(mesh.patch_figure(&["times", name]));
    let upload = build
        .figures
        .get("upload_ms")
        .and_then(serde_json::Value::as_f64)
        .unwrap_or(f64::NAN);
    format!(
        "build stages, ms: adjacency {}, regions {}, patches {}, elements {}, ribbons {}, pack {}; upload {}\n",
        stage("adjacency"),
        stage("regions"),
        stage("patches"),
        stage("elements"),
        stage("ribbons"),
        stage("pack"),
        short(upload),
    )
}

fn line(record: &Record, run: &Run) -> Vec<String> {
    let ms = run.median();
    let (low, high) = range(&run.ms);
    let rival = record.rival(run);
    vec![
        run.row.clone(),
        short(ms),
        short(low),
        short(high),
        if run.single_ms.is_empty() {
            String::new()
        } else {
            short(median(&run.single_ms))
        },
        short(ms * 1e6 / run.elements.max(1) as f64),
        if run.bytes > 0 {
            short(run.bytes as f64 / 1e6)
        } else {
            String::new()
        },
        optional(run.gb_s()),
        optional(record.over_floor(run)),
        optional(run.goal_ms),
        optional(rival.map(|(r, _)| r.ms)),
        rival.map_or_else(String::new, |(r, x)| times(r, x)),
        rival.map_or_else(String::new, |(r, _)| r.system.clone()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits() {
        for (x, text) in [
            (1234.5, "1234"),
            (123.45, "123.5"),
            (0.012_345, "0.0123"),
            (0.0, "0"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(short(x), text);
        }
    }

    #[test]
    fn columns_line_up() {
        let lines = [["a", "1"], ["bcd", "23"]].map(|l| l.map(str::to_owned).to_vec());
        assert_eq!(align(&lines), "a     1\nbcd  23\n");
    }
}
