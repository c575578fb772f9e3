//! Tables of the newest records, for documents.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::peers::PeersRecord;
use crate::record::{BenchRecord, MeshRecord, Run, speculative_settings};
use crate::reference::Reference;
use crate::rows;
use crate::table::{short, times};

/// Returns the newest record of each engine, device and file, GPUs first and files after the bench's own meshes.
///
/// # Errors
///
/// There is no record, or one cannot be read.
pub(crate) fn newest(folder: &Path) -> Result<Vec<BenchRecord>> {
    let mut newest: BTreeMap<String, BenchRecord> = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let record = BenchRecord::read(&path)?;
        let rank = u8::from(record.engine.name != "cuda");
        let key = format!("{rank}{}", record.machine());
        let older = newest.get(&key).is_some_and(|r| r.date >= record.date);
        if !older {
            newest.insert(key, record);
        }
    }
    ensure!(!newest.is_empty(), "no records in {}", folder.display());
    Ok(newest.into_values().collect())
}

/// Returns the newest comparison with peers.
pub(crate) fn newest_peers(folder: &Path) -> Result<PeersRecord> {
    let mut newest: Option<PeersRecord> = None;
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let record = PeersRecord::read(&entry?.path())?;
        if newest.as_ref().is_none_or(|n| n.date < record.date) {
            newest = Some(record);
        }
    }
    newest.with_context(|| format!("no records in {}", folder.display()))
}

/// Returns one line per row, one column per mesh: milliseconds, and the strongest rival with its time over ours.
pub(crate) fn markdown(record: &BenchRecord) -> String {
    let engine = &record.engine;
    let mut text = format!(
        "**{}** ({} engine{}, commit {}, {}), medians in ms;\nin brackets the strongest rival's time over ours{}\n\n| \
            row |",
        engine.device,
        engine.name,
        record
            .file()
            .map_or(String::new(), |f| format!(", `{}`", f.name)),
        record.commit,
        &record.date[..10.min(record.date.len())],
        speculative_settings(record).map_or(String::new(), |s| format!(";\n{s}"))
    );
    for mesh in &record.meshes {
        text += &format!(" {} faces |", mesh.name);
    }
    text += " strongest rival |\n| --- |";
    text += &" ---: |".repeat(record.meshes.len());
    text += " --- |\n";
    let bytes = |m: &MeshRecord| match m.reference_bytes_a_face {
        Some(r) if record.engine.name == "cuda" => format!(
            "{} ({:.1}x)",
            short(m.device_bytes_a_face),
            r / m.device_bytes_a_face
        ),
        _ => short(m.device_bytes_a_face),
    };
    let cells: Vec<String> = record.meshes.iter().map(bytes).collect();
    let known = record.engine.name == "cuda"
        && record
            .meshes
            .iter()
            .any(|m| m.reference_bytes_a_face.is_some());
    let rival = if known { "RXMesh" } else { "" };
    text += &format!(
        "| memory, bytes a face | {} | {rival} |\n",
        cells.join(" | ")
    );
    for row in rows::all().filter(|r| r.is_plain()) {
        let cells: Vec<String> = record
            .meshes
            .iter()
            .map(|m| cell(record, row.name, &m.name))
            .collect();
        if cells.iter().any(|c| !c.is_empty()) {
            let rivals = rivals(record, row.name);
            text += &format!("| {} | {} | {rivals} |\n", row.name, cells.join(" | "));
        }
    }
    text + &differences(record) + &amounts(record) + &orders(record)
}

/// Rows of the summary, with their purpose.
const SUMMARY: [(&str, &str); 8] = [
    ("build", "make patches of faces in memory"),
    ("vv", "one-rings of all vertices"),
    ("normals", "vertex normals"),
    ("mcf", "mean curvature flow, a whole solve"),
    ("geodesic", "distances from one vertex"),
    ("delaunay", "flip edges until Delaunay"),
    ("remesh", "remesh, three iterations"),
    ("simplify", "simplify to a tenth"),
];

/// Number of faces of the summary's mesh.
const SUMMARY_FACES: u32 = 1_280_000;

/// Returns a table of eight rows on one size, on the GPU and on the CPU, each beside its strongest rival.
pub(crate) fn summary(records: &[BenchRecord]) -> Result<String> {
    let of = |engine: &str| {
        let found = records
            .iter()
            .find(|r| r.engine.name == engine && r.file().is_none());
        found.with_context(|| format!("no record of the {engine} engine"))
    };
    let (gpu, cpu) = (of("cuda")?, of("cpu")?);
    let mut text = format!(
        "| row | work | {} | rival | {}, {} threads | rival |\n| --- | --- | ---: | --- | ---: | --- |\n",
        gpu.engine.device, cpu.engine.device, cpu.engine.host_threads
    );
    for (row, work) in SUMMARY {
        let cells: Vec<String> = [gpu, cpu]
            .map(|record| pair(record, row))
            .into_iter()
            .collect::<Result<_>>()?;
        text += &format!("| `{row}` | {work} | {} |\n", cells.join(" | "));
    }
    Ok(text)
}

/// Returns a row's time and its strongest rival, as two cells.
fn pair(record: &BenchRecord, row: &str) -> Result<String> {
    let mut meshes = record.meshes.iter().filter(|m| m.faces == SUMMARY_FACES);
    let run = meshes.find_map(|m| record.run(row, &m.name));
    let run = run.with_context(|| format!("no {row} in the record of {}", record.engine.device))?;
    let rival = record.rival(run).map_or_else(
        || "-".to_owned(),
        |(rival, x)| format!("{} {}", rival.system, times(rival, x)),
    );
    Ok(format!("{} | {rival}", short(run.median())))
}

/// Returns the list of rows with a faster rival, with the sizes and the rival's time over ours.
pub(crate) fn losses(records: &[BenchRecord], peers: &PeersRecord) -> String {
    let mut text = String::new();
    for record in records {
        for row in rows::all().filter(|r| r.is_plain() && !r.name.ends_with("-speculative")) {
            let lost = |m: &MeshRecord| {
                let (rival, x) = record.rival(record.run(row.name, &m.name)?)?;
                let figure = format!("{} on {} faces", times(rival, x), m.name);
                (x < 1.0).then(|| (rival.system.clone(), figure))
            };
            let found: Vec<_> = record.meshes.iter().filter_map(lost).collect();
            text += &loss(&record.engine.device, row.name, &found);
        }
    }
    for (row, found) in peers.losses() {
        text += &loss("CPU, in one run with the rivals", &row, &found);
    }
    text
}

/// Returns a line for a row that is slower than rivals on some meshes.
fn loss(place: &str, row: &str, found: &[(String, String)]) -> String {
    let mut figures = Vec::new();
    let mut named = None;
    for (rival, figure) in found {
        figures.push(match named == Some(rival) {
            true => figure.clone(),
            false => format!("{rival} {figure}"),
        });
        named = Some(rival);
    }
    match figures.is_empty() {
        true => String::new(),
        false => format!("- `{row}`, {place}: {}\n", figures.join(", ")),
    }
}

/// Returns the rows that are not times: one line per row, with the references.
fn amounts(record: &BenchRecord) -> String {
    let mut lines = String::new();
    for row in rows::all() {
        let mut about = String::new();
        let cells: Vec<String> = record
            .meshes
            .iter()
            .map(|m| {
                let Some(a) = record.amount(row.name, &m.name) else {
                    return String::new();
                };
                let others = a.references.iter();
                let others: Vec<String> = others
                    .map(|r| format!("{}: {}", r.system, r.value))
                    .collect();
                about = format!("{} | {}", a.unit, others.join("; "));
                short(a.median())
            })
            .collect();
        if cells.iter().any(|c| !c.is_empty()) {
            lines += &format!("| {} | {} | {about} |\n", row.name, cells.join(" | "));
        }
    }
    if lines.is_empty() {
        return lines;
    }
    let mut heading = "| row |".to_owned();
    for mesh in &record.meshes {
        heading += &format!(" {} faces |", mesh.name);
    }
    let rule = " ---: |".repeat(record.meshes.len());
    format!(
        "\nRows that are not times (less is better):\n\n{heading} unit | others |\n| --- |{rule} --- | --- |\n{lines}"
    )
}

/// Returns the effect of the input's order, on the largest mesh that was measured in several orders.
fn orders(record: &BenchRecord) -> String {
    let ms = |row: &str, mesh: &str| record.run(row, mesh).map(Run::median);
    let mut lines = String::new();
    let has = |m: &&MeshRecord| ms("vv-shuffled", &m.name).is_some();
    let Some(mesh) = record.meshes.iter().rev().find(has) else {
        return lines;
    };
    for row in rows::all().filter(|r| r.is_plain()) {
        let cell = |suffix: &str| ms(&format!("{}{suffix}", row.name), &mesh.name);
        if let (Some(given), Some(shuffled), Some(sorted)) =
            (cell(""), cell("-shuffled"), cell("-sorted"))
        {
            let [a, b, c] = [given, shuffled, sorted].map(short);
            lines += &format!("| {} | {a} | {b} | {c} |\n", row.name);
        }
    }
    if lines.is_empty() {
        return lines;
    }
    format!(
        "\nThe same on {} faces with the input in other orders:\n\n| row | as given | shuffled | sorted |\n| --- | \
            ---: | ---: | ---: |\n{lines}",
        mesh.name
    )
}

fn cell(record: &BenchRecord, row: &str, mesh: &str) -> String {
    let Some(run) = record.run(row, mesh) else {
        return String::new();
    };
    match record.rival(run) {
        Some((r, x)) => format!("{} ({})", short(run.median()), times(r, x)),
        None => short(run.median()),
    }
}

/// Returns the strongest rival on each mesh, with the names of the meshes where there are several.
fn strongest<'a>(record: &'a BenchRecord, row: &str) -> Vec<(&'a Reference, Vec<&'a str>)> {
    let mut all: Vec<(&Reference, Vec<&str>)> = Vec::new();
    for mesh in &record.meshes {
        let run = record.run(row, &mesh.name);
        let Some((rival, _)) = run.and_then(|run| record.rival(run)) else {
            continue;
        };
        let same = |r: &Reference| {
            (&r.system, &r.less, &r.elsewhere) == (&rival.system, &rival.less, &rival.elsewhere)
        };
        match all.iter_mut().find(|(r, _)| same(r)) {
            Some((_, meshes)) => meshes.push(&mesh.name),
            None => all.push((rival, vec![&mesh.name])),
        }
    }
    all
}

fn rivals(record: &BenchRecord, row: &str) -> String {
    let all = strongest(record, row);
    if let [(only, _)] = all[..] {
        return only.system.clone();
    }
    let named = all
        .iter()
        .map(|(r, meshes)| format!("{}: {}", meshes.join(", "), r.system));
    named.collect::<Vec<_>>().join("; ")
}

/// Returns the differences of the counted work between the rivals and the rows, one line per row.
fn differences(record: &BenchRecord) -> String {
    let mut lines = String::new();
    for row in rows::all().filter(|r| r.is_plain()) {
        let mut words: Vec<String> = Vec::new();
        for (rival, _) in strongest(record, row.name) {
            let (system, beside) = (&rival.system, rival.beside.join("` and `"));
            let mut say = |what: String| {
                if !words.contains(&what) {
                    words.push(what);
                }
            };
            if let Some(less) = &rival.less {
                say(format!("{system} does less: {less}"));
            }
            if let Some(more) = &rival.more {
                say(format!("{system} does more: {more}"));
            }
            if let Some(elsewhere) = &rival.elsewhere {
                say(format!("{system} on another input: {elsewhere}"));
            }
            if !beside.is_empty() {
                say(format!(
                    "compared with ours and `{beside}` together, which {system}'s figure covers"
                ));
            }
        }
        if !words.is_empty() {
            lines += &format!("| {} | {} |\n", row.name, words.join("; "));
        }
    }
    match lines.is_empty() {
        true => lines,
        false => format!(
            "\nRivals whose work differs from the row's (`*`: it does less, `+`: more, `~`: another input):\n\n\
             | row | the rival's figure |\n| --- | --- |\n{lines}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Unit;
    use crate::record::tests::{amount, mesh, record};

    #[test]
    fn the_summary_has_a_row_of_each_engine_and_losses_name_the_rival() -> Result<()> {
        let records = newest(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/records"))?;
        let summary = summary(&records)?;
        assert_eq!(summary.lines().count(), 2 + SUMMARY.len());
        assert!(summary.contains("| `simplify` |"), "{summary}");
        let line = loss(
            "CPU",
            "vv",
            &[("a".to_owned(), "0.5x on 20k faces".to_owned())],
        );
        assert_eq!(line, "- `vv`, CPU: a 0.5x on 20k faces\n");
        assert_eq!(loss("CPU", "vv", &[]), "");
        Ok(())
    }

    #[test]
    fn what_is_no_time_has_its_unit_and_its_references() {
        let mut record = record(&[("vv", 1.0)]);
        record.meshes = vec![mesh("20k", 20_000), mesh("80k", 80_000)];
        assert!(!markdown(&record).contains("not times"));
        let mut bytes = amount(
            "bytes-speculative",
            "80k",
            Unit::BytesAFace,
            &[50.0, 40.0, 60.0],
        );
        bytes.references = vec![Reference {
            system: "paper, Appendix A".into(),
            value: 18.75,
            ..Reference::default()
        }];
        record.runs.push(bytes);
        let text = markdown(&record);
        let line = "| bytes-speculative |  | 50.00 | bytes a face | paper, Appendix A: 18.75 |";
        assert!(text.contains(line), "{text}");
    }
}
