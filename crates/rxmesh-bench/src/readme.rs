//! Tables of the newest records, in a document.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::record::Record;
use crate::table::short;

const BEGIN: &str = "<!-- bench:begin -->";
const END: &str = "<!-- bench:end -->";

/// Replaces what stands between the marks.
pub(crate) fn fill(file: &Path, records: &Path) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let newest = newest(records)?;
    ensure!(!newest.is_empty(), "no records in {}", records.display());
    let tables: Vec<String> = newest.values().map(markdown).collect();
    let filled = between(&text, &tables.join("\n"))
        .with_context(|| format!("{} has no {BEGIN} with {END} after it", file.display()))?;
    if filled != text {
        fs::write(file, filled).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// The newest record of each engine and device.
fn newest(folder: &Path) -> Result<BTreeMap<String, Record>> {
    let mut newest: BTreeMap<String, Record> = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let record = Record::read(&path)?;
        // GPUs first.
        let rank = u8::from(record.engine.name != "cuda");
        let key = format!("{rank}{} {}", record.engine.name, record.engine.device);
        let older = newest.get(&key).is_some_and(|r| r.date >= record.date);
        if !older {
            newest.insert(key, record);
        }
    }
    Ok(newest)
}

fn between(text: &str, middle: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{middle}{END}{after}"))
}

/// One line a row, one column a mesh: milliseconds, and how many times faster than the reference.
fn markdown(record: &Record) -> String {
    let engine = &record.engine;
    let mut text = format!(
        "**{}** ({} engine, commit {}, {}), medians in ms; in brackets the reference's time over ours\n\n| row |",
        engine.device,
        engine.name,
        record.commit,
        &record.date[..10.min(record.date.len())]
    );
    for mesh in &record.meshes {
        text += &format!(" {} faces |", mesh.name);
    }
    text += "\n| --- |";
    text += &" ---: |".repeat(record.meshes.len());
    text.push('\n');
    for row in crate::rows::ROWS {
        let cells: Vec<String> = record
            .meshes
            .iter()
            .map(|m| cell(record, row.name, &m.name))
            .collect();
        if cells.iter().any(|c| !c.is_empty()) {
            text += &format!("| {} | {} |\n", row.name, cells.join(" | "));
        }
    }
    text
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

    #[test]
    fn only_the_part_between_the_marks_changes() {
        let text = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let filled = between(&text, "new\n");
        assert_eq!(
            filled.as_deref(),
            Some(&*format!("a\n{BEGIN}\nnew\n{END}\nb\n"))
        );
        assert_eq!(between("no marks", ""), None);
    }
}
