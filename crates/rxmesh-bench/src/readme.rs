//! Tables of the newest records, in a document.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::peers::PeersRecord;
use crate::record::{Amount, MeshRecord, Record, Run, speculative_settings};
use crate::rows::ROWS;
use crate::table::short;

const BEGIN: &str = "<!-- bench:begin -->";
const END: &str = "<!-- bench:end -->";
const PEERS_BEGIN: &str = "<!-- peers:begin -->";
const PEERS_END: &str = "<!-- peers:end -->";

/// Replaces what stands between the marks: the tables of the newest records, and in documents with the marks of the peers the newest
/// comparison, which is in the folder `peers` of the records.
pub(crate) fn fill(file: &Path, records: &Path) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let newest = newest(records)?;
    let tables: Vec<String> = newest.iter().map(markdown).collect();
    let mut filled = between(&text, [BEGIN, END], &tables.join("\n"))
        .with_context(|| format!("{} has no {BEGIN} with {END} after it", file.display()))?;
    if filled.contains(PEERS_BEGIN) {
        let table = newest_peers(&records.join("peers"))?.markdown();
        filled = between(&filled, [PEERS_BEGIN, PEERS_END], &table)
            .with_context(|| format!("{} has no {PEERS_END}", file.display()))?;
    }
    if filled != text {
        rxmesh_host::files::write_bytes(file, filled.as_bytes())
            .with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// The newest record of each engine and device, GPUs first. An error when there is none.
pub(crate) fn newest(folder: &Path) -> Result<Vec<Record>> {
    let mut newest: BTreeMap<String, Record> = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let record = Record::read(&path)?;
        let rank = u8::from(record.engine.name != "cuda");
        let key = format!("{rank}{} {}", record.engine.name, record.engine.device);
        let older = newest.get(&key).is_some_and(|r| r.date >= record.date);
        if !older {
            newest.insert(key, record);
        }
    }
    ensure!(!newest.is_empty(), "no records in {}", folder.display());
    Ok(newest.into_values().collect())
}

/// The newest comparison with peers.
fn newest_peers(folder: &Path) -> Result<PeersRecord> {
    let mut newest: Option<PeersRecord> = None;
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let record = PeersRecord::read(&entry?.path())?;
        if newest.as_ref().is_none_or(|n| n.date < record.date) {
            newest = Some(record);
        }
    }
    newest.with_context(|| format!("no records in {}", folder.display()))
}

fn between(text: &str, [begin, end]: [&str; 2], middle: &str) -> Option<String> {
    let (before, rest) = text.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}\n{middle}{end}{after}"))
}

/// One line a row, one column a mesh: milliseconds, and how many times faster than the reference.
fn markdown(record: &Record) -> String {
    let engine = &record.engine;
    let mut text = format!(
        "**{}** ({} engine, commit {}, {}), medians in ms; in brackets the reference's time over ours{}\n\n| row |",
        engine.device,
        engine.name,
        record.commit,
        &record.date[..10.min(record.date.len())],
        speculative_settings(record).map_or(String::new(), |s| format!("; {s}"))
    );
    for mesh in &record.meshes {
        text += &format!(" {} faces |", mesh.name);
    }
    text += "\n| --- |";
    text += &" ---: |".repeat(record.meshes.len());
    text.push('\n');
    let bytes = |m: &MeshRecord| match m.reference_bytes_a_face {
        Some(r) if record.engine.name == "cuda" => format!(
            "{} ({:.1}x)",
            short(m.device_bytes_a_face),
            r / m.device_bytes_a_face
        ),
        _ => short(m.device_bytes_a_face),
    };
    let cells: Vec<String> = record.meshes.iter().map(bytes).collect();
    text += &format!("| memory, bytes a face | {} |\n", cells.join(" | "));
    for row in ROWS.iter().filter(|r| r.order.is_none()) {
        let cells: Vec<String> = record
            .meshes
            .iter()
            .map(|m| cell(record, row.name, &m.name))
            .collect();
        if cells.iter().any(|c| !c.is_empty()) {
            text += &format!("| {} | {} |\n", row.name, cells.join(" | "));
        }
    }
    text + &amounts(record) + &orders(record)
}

/// What is no time: one line a row, with what others have.
fn amounts(record: &Record) -> String {
    let mut lines = String::new();
    for row in ROWS {
        let mut about = String::new();
        let cells: Vec<String> = record
            .meshes
            .iter()
            .map(|m| {
                let same = |a: &&Amount| a.row == row.name && a.mesh == m.name;
                let Some(a) = record.amounts.iter().find(same) else {
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
        "\nWhat is no time (less is better):\n\n{heading} unit | others |\n| --- |{rule} --- | --- |\n{lines}"
    )
}

/// What the order of the input does, on the largest mesh that was measured in several.
fn orders(record: &Record) -> String {
    let ms = |row: &str, mesh: &str| {
        let same = |r: &&Run| r.row == row && r.mesh == mesh;
        record.runs.iter().find(same).map(Run::median)
    };
    let mut lines = String::new();
    let has = |m: &&MeshRecord| ms("vv-shuffled", &m.name).is_some();
    let Some(mesh) = record.meshes.iter().rev().find(has) else {
        return lines;
    };
    for row in ROWS.iter().filter(|r| r.order.is_none()) {
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
        "\nThe same on {} faces with the input in other orders:\n\n| row | as given | shuffled | sorted |\n| --- | ---: | ---: | ---: |\n{lines}",
        mesh.name
    )
}

fn cell(record: &Record, row: &str, mesh: &str) -> String {
    let run = record.runs.iter().find(|r| r.row == row && r.mesh == mesh);
    let Some(run) = run else { return String::new() };
    match run.references.first() {
        Some(r) => format!("{} ({:.1}x)", short(run.median()), r.ms / run.median()),
        None => short(run.median()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Unit;
    use crate::record::tests::{mesh, record};

    #[test]
    fn what_is_no_time_has_its_unit_and_its_references() {
        let mut record = record(&[("vv", 1.0)]);
        record.meshes = vec![mesh("20k", 20_000), mesh("80k", 80_000)];
        assert!(!markdown(&record).contains("no time"));
        record.amounts = vec![Amount {
            row: "bytes-speculative".into(),
            mesh: "80k".into(),
            unit: Unit::BytesAFace,
            values: vec![50.0, 40.0, 60.0],
            figures: serde_json::Map::new(),
            references: crate::reference::amounts("bytes-speculative", false),
            goal: None,
            patch_size: Some(256),
        }];
        let text = markdown(&record);
        let line = "| bytes-speculative |  | 50.00 | bytes a face | paper, Appendix A: 18.75 |";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn only_the_part_between_the_marks_changes() {
        let text = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let filled = between(&text, [BEGIN, END], "new\n");
        assert_eq!(
            filled.as_deref(),
            Some(&*format!("a\n{BEGIN}\nnew\n{END}\nb\n"))
        );
        assert_eq!(between("no marks", [BEGIN, END], ""), None);
    }
}
