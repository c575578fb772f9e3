//! Documents whose figures come from records: parts between marks are filled, or checked.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::counters;
use crate::figures::Figures;
use crate::readme::{losses, markdown, newest, newest_peers, summary};
use crate::rows;
use crate::table::markdown_of_rows;

#[derive(clap::Args)]
pub(crate) struct DocsArguments {
    /// The documents
    #[arg(default_values = [
        "README.md",
        "bench/README.md",
        "docs/inside/life-of-an-edit.md",
        "docs/library/surfaces.md",
        "docs/library/volumes.md",
        "docs/papers.md",
        "docs/speed/log.md",
        "docs/speed/method.md",
        "docs/speed/peers.md",
        "docs/speed/results.md",
    ])]
    files: Vec<PathBuf>,
    /// Folder of the records
    #[arg(long, default_value = "bench/records")]
    records: PathBuf,
    /// Change nothing, and fail if a document differs from the records
    #[arg(long)]
    check: bool,
}

/// Name of a part, and the function that generates it from the folder of records.
type Part = (&'static str, fn(&Path) -> Result<String>);

/// Generated parts: the name in the marks, and the text between the marks.
const PARTS: [Part; 8] = [
    ("bench", |records| {
        let tables: Vec<String> = newest(records)?.iter().map(markdown).collect();
        Ok(tables.join("\n"))
    }),
    ("peers", |records| {
        Ok(newest_peers(&records.join("peers"))?.markdown())
    }),
    ("summary", |records| summary(&newest(records)?)),
    ("losses", |records| {
        Ok(losses(
            &newest(records)?,
            &newest_peers(&records.join("peers"))?,
        ))
    }),
    ("counters", |records| {
        counters::markdown(&records.join("counters"))
    }),
    ("surfaces", |records| {
        let all = newest(&records.join("surfaces"))?;
        let gpu = all.iter().find(|r| r.engine.name == "cuda");
        Ok(markdown_of_rows(gpu.context("no record of a GPU")?))
    }),
    ("rows", |_| Ok(counts())),
    ("references", |_| Ok(references())),
];

/// Fills or checks the documents.
pub(crate) fn run(arguments: &DocsArguments) -> Result<()> {
    let figures = Figures::new(newest(&arguments.records)?, &arguments.records)?;
    let mut stale = Vec::new();
    for file in &arguments.files {
        let place = || file.display().to_string();
        let text = fs::read_to_string(file).with_context(place)?;
        let filled = filled(&text, &arguments.records, &figures).with_context(place)?;
        if filled == text {
            continue;
        }
        if arguments.check {
            stale.push(format!(
                "{}: {}",
                file.display(),
                difference(&text, &filled)
            ));
        } else {
            rxmesh_host::files::write_bytes(file, filled.as_bytes()).with_context(place)?;
            println!("wrote {}", file.display());
        }
    }
    if !stale.is_empty() {
        let list = stale.join("\n");
        bail!("not what the records give (`cargo xtask bench --docs` fills it):\n{list}");
    }
    Ok(())
}

fn filled(text: &str, records: &Path, figures: &Figures) -> Result<String> {
    let mut text = figures.fill(text)?;
    for (name, make) in PARTS {
        let marks = [
            format!("<!-- {name}:begin -->"),
            format!("<!-- {name}:end -->"),
        ];
        if text.contains(&marks[0]) {
            text = between(&text, &marks, &make(records)?)
                .with_context(|| format!("no {} after {}", marks[1], marks[0]))?;
        }
    }
    Ok(text)
}

fn between(text: &str, [begin, end]: &[String; 2], middle: &str) -> Option<String> {
    let (before, rest) = text.split_once(begin.as_str())?;
    let (_, after) = rest.split_once(end.as_str())?;
    Some(format!("{before}{begin}\n{middle}{end}{after}"))
}

/// Describes the first line that differs.
fn difference(is: &str, wanted: &str) -> String {
    let mut lines = is.lines().zip(wanted.lines()).enumerate();
    let found = lines.find(|(_, (a, b))| a != b);
    found.map_or_else(
        || "the length differs".to_owned(),
        |(i, (a, b))| format!("line {}\n  is     {a}\n  wanted {b}", i + 1),
    )
}

/// Returns the table of counted work by row. Rows on other inputs count the same as the row that they repeat.
fn counts() -> String {
    let mut text =
        "| row | measures | time | reads | writes |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for row in rows::all().filter(|r| r.is_plain()) {
        let [time, reads, writes] = row.counts;
        text += &format!(
            "| {} | {} | {time} | {reads} | {writes} |\n",
            row.name, row.about
        );
    }
    text
}

/// Returns the table of the references of each row and of their counts.
fn references() -> String {
    use crate::reference::Does;
    let mut text =
        "| row | engine | rival | record | counts |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for row in rows::all().filter(|r| r.is_plain()) {
        for against in row.against {
            let counts: Vec<&str> = against.measurements().map(|m| m.counts.as_str()).collect();
            let mut words = counts[..counts.len().min(1)].join("");
            match against.does {
                Does::Same => {}
                Does::Less(what) => words += &format!(" (less: {what})"),
                Does::More(what) => words += &format!(" (more: {what})"),
                Does::Elsewhere(what) => words += &format!(" (another input: {what})"),
            }
            if !against.beside.is_empty() {
                words += &format!("; with `{}`", against.beside.join("` and `"));
            }
            let engine = against.engine().unwrap_or("both");
            let from = against.rows.join("; ");
            text += &format!(
                "| {} | {engine} | {} | {}: {from} | {words} |\n",
                row.name, against.system, against.file
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    #[test]
    fn only_the_part_between_the_marks_changes() {
        let marks = ["<!-- a:begin -->", "<!-- a:end -->"].map(str::to_owned);
        let text = format!("a\n{}\nold\n{}\nb\n", marks[0], marks[1]);
        let filled = between(&text, &marks, "new\n");
        let wanted = format!("a\n{}\nnew\n{}\nb\n", marks[0], marks[1]);
        assert_eq!(filled, Some(wanted));
        assert_eq!(between("no marks", &marks, ""), None);
    }

    #[test]
    fn a_changed_figure_is_found_and_named() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let mut made = record(&[("vv", 1.5)]);
        made.meshes = vec![crate::record::tests::mesh("20k", 20_000)];
        made.write(&folder.path().join("a.json"))?;
        let file = folder.path().join("a.md");
        let text = "It takes <!--= cpu vv 20k -->1.6<!--=--> ms.\n<!-- bench:begin -->\n<!-- bench:end -->\n";
        fs::write(&file, text)?;
        let arguments = |check| DocsArguments {
            files: vec![file.clone()],
            records: folder.path().to_owned(),
            check,
        };
        let error = run(&arguments(true)).map_err(|e| format!("{e:#}"));
        assert!(error.is_err_and(|e| e.contains("line 1") && e.contains("wanted It takes")));
        run(&arguments(false))?;
        run(&arguments(true))?;
        let filled = fs::read_to_string(&file)?;
        assert!(filled.starts_with("It takes <!--= cpu vv 20k -->1.5<!--=--> ms."));
        assert!(filled.contains("| vv | 1.500"), "{filled}");
        Ok(())
    }

    #[test]
    fn every_row_says_what_it_counts() {
        for row in rows::all() {
            assert!(
                !row.counts[0].is_empty() && !row.about.is_empty(),
                "{}",
                row.name
            );
        }
    }
}
