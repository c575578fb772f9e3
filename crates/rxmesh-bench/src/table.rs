//! Tables as text.

use crate::measure::{median, range};
use crate::record::{BenchRecord, MeshRecord, Run, speculative_settings};
use crate::reference::Reference;

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

/// Returns the names of the meshes with results, in the order of the record.
fn meshes(record: &BenchRecord) -> Vec<&str> {
    let mut meshes: Vec<&str> = Vec::new();
    for run in &record.runs {
        if !meshes.contains(&&*run.mesh) {
            meshes.push(&run.mesh);
        }
    }
    meshes
}

/// Returns the table of a record: a part for each mesh.
pub(crate) fn table(record: &BenchRecord) -> String {
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
    let meshes = meshes(record);
    for mesh in meshes {
        let runs: Vec<&Run> = record.runs.iter().filter(|r| r.mesh == mesh).collect();
        text += &format!("\n{mesh}");
        if let Some(about) = record.meshes.iter().find(|m| m.name == mesh) {
            text += &of_mesh(record, about);
        }
        text.push('\n');
        let mut lines = vec![HEADING.map(str::to_owned).to_vec()];
        lines.extend(runs.iter().map(|run| line(record, run)));
        text += &align(&lines);
    }
    text
}

const HEADING: [&str; 15] = [
    "row",
    "value",
    "",
    "min",
    "max",
    "single",
    "wall",
    "ns/el",
    "MB",
    "GB/s",
    "x floor",
    "goal",
    "rival",
    "rival/ours",
    "by",
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

/// Returns one line for each of these rows: its result on each mesh, and the strongest rival's over it.
pub(crate) fn short_table(record: &BenchRecord, rows: &[&str]) -> String {
    let meshes = meshes(record);
    let heading = meshes.iter().flat_map(|m| [(*m).to_owned(), String::new()]);
    let mut lines: Vec<Vec<String>> = vec![["row".to_owned()].into_iter().chain(heading).collect()];
    for row in rows {
        let cells = meshes.iter().flat_map(|mesh| match record.find(row, mesh) {
            None => [String::new(), String::new()],
            Some(run) if !run.is_time() => [short(run.median()), run.unit.to_string()],
            Some(run) => {
                let rival = record.rival(run).map(|(r, x)| times(r, x));
                [short(run.median()), rival.unwrap_or_default()]
            }
        });
        let line: Vec<String> = [(*row).to_owned()].into_iter().chain(cells).collect();
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

/// Returns what is known of a mesh, and the stages of its construction.
fn of_mesh(record: &BenchRecord, mesh: &MeshRecord) -> String {
    let mut text = format!(
        ": {} vertices, {} edges, {} faces, order {:?}; {} patches of {} faces; {} device bytes a face",
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
    let Some(build) = record.run("build", &mesh.name) else {
        return text;
    };
    let stages = [
        "adjacency",
        "regions",
        "patches",
        "elements",
        "ribbons",
        "pack",
    ];
    let stage = |name| format!("{name} {}", short(mesh.patch_figure(&["times", name])));
    let upload = build
        .figures
        .get("upload_ms")
        .and_then(serde_json::Value::as_f64);
    text + &format!(
        "\nbuild stages, ms: {}; upload {}",
        stages.map(stage).join(", "),
        short(upload.unwrap_or(f64::NAN)),
    )
}

fn line(record: &BenchRecord, run: &Run) -> Vec<String> {
    let value = run.median();
    let (low, high) = range(&run.values);
    let (rival, over) = record.rival(run).unzip();
    let middle = |ms: &[f64]| optional((!ms.is_empty()).then(|| median(ms)));
    let of_time = |x: f64| optional(Some(x).filter(|x| run.is_time() && *x > 0.0));
    vec![
        run.row.clone(),
        short(value),
        run.unit.to_string(),
        short(low),
        short(high),
        middle(&run.single_ms),
        middle(&run.wall_ms),
        of_time(value * 1e6 / run.elements.max(1) as f64),
        of_time(run.bytes as f64 / 1e6),
        optional(run.gb_s()),
        optional(record.over_floor(run)),
        optional(run.goal),
        optional(rival.map(|r| r.value)),
        rival
            .zip(over)
            .map_or_else(String::new, |(r, x)| times(r, x)),
        rival.map_or_else(String::new, |r| r.system.clone()),
    ]
}

/// Returns one line for each row of a record, for documents: mesh, elements, result, goal, strongest of others.
pub(crate) fn markdown_of_rows(record: &BenchRecord) -> String {
    let mut text = String::from(
        "| row | mesh | faces | ms | goal | best of others (ported: by us) |\n\
         | --- | --- | ---: | ---: | ---: | --- |\n",
    );
    // As short as it can be.
    let number = |x: f64| ((x * 1e4).round() / 1e4).to_string();
    for run in &record.runs {
        let value = if run.is_time() {
            format!("{:.4}", run.median())
        } else {
            format!("{:.1} {}", run.median(), run.unit)
        };
        let other = run.references.first();
        let other = other.map(|r| format!("{}: {}", number(r.value), r.system));
        text += &format!(
            "| {} | {} | {} | {value} | {} | {} |\n",
            run.row,
            run.mesh,
            run.elements,
            run.goal.map_or("-".to_owned(), number),
            other.unwrap_or("-".to_owned()),
        );
    }
    text
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
    fn a_line_shows_how_a_row_stands() {
        let mut record = crate::record::tests::record(&[("VC, gather", 0.0)]);
        record.ceiling = Some(crate::record::Ceiling {
            gb_s: 2.5,
            bytes: 0,
            ms: Vec::new(),
            what: String::new(),
        });
        let run = &mut record.runs[0];
        (run.elements, run.bytes) = (1000, 30_000);
        (run.values, run.single_ms) = (vec![0.02, 0.04, 0.03], vec![0.05]);
        run.goal = Some(0.045);
        run.references = vec![Reference {
            system: "MeshTaichi".into(),
            value: 0.186,
            ..Reference::default()
        }];
        let row = [
            "VC, gather",
            "0.0300",
            "ms",
            "0.0200",
            "0.0400",
            "0.0500",
            "",
            "30.00",
            "0.0300",
            "1.000",
            "2.500",
            "0.0450",
            "0.1860",
            "6.2x",
            "MeshTaichi",
        ];
        assert_eq!(line(&record, &record.runs[0]), row);
        // Below a heading for the record and one for the mesh there is a line for each row, and one of their names.
        let text = table(&record);
        let lines: Vec<&str> = text.lines().collect();
        let heading = lines.iter().position(|l| l.starts_with("row "));
        assert_eq!(
            heading.map(|h| lines.len() - h),
            Some(record.runs.len() + 1),
            "{text}"
        );
    }

    #[test]
    fn columns_line_up() {
        let lines = [["a", "1"], ["bcd", "23"]].map(|l| l.map(str::to_owned).to_vec());
        assert_eq!(align(&lines), "a     1\nbcd  23\n");
    }
}
