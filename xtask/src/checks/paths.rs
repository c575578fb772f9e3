//! Check that every path in a document exists.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::workspace;

/// Documents at the root, and folders of documents.
const DOCUMENTS: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "docs"];

/// Prefixes that mark a code span as a path from the root.
const FOLDERS: [&str; 9] = [
    "crates/",
    "docs/",
    "xtask/",
    "tests/",
    "data/",
    "examples/",
    "bench/",
    ".cargo/",
    ".ci/",
];

pub(crate) fn run() -> anyhow::Result<()> {
    let root = workspace::root();
    let mut documents = Vec::new();
    for name in DOCUMENTS {
        collect(&root.join(name), &mut documents)?;
    }
    let mut faults = Vec::new();
    let mut count = 0;
    for document in &documents {
        let text = fs::read_to_string(document).with_context(|| document.display().to_string())?;
        let name = document.strip_prefix(&root).unwrap_or(document).display();
        for (line, target) in targets(&text) {
            count += 1;
            if !exists(&root, document, &target) {
                faults.push(format!("{name}:{line}: {} does not exist", target.path()));
            }
        }
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    println!("{count} paths in {} documents, all exist", documents.len());
    Ok(())
}

fn collect(path: &Path, documents: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), documents)?;
        }
        documents.sort();
    } else if path.is_file() && path.extension().is_some_and(|e| e == "md") {
        documents.push(path.to_owned());
    }
    Ok(())
}

/// Path in a document.
#[derive(Debug, PartialEq, Eq)]
enum NamedPath {
    /// `[text](path)`: relative to the document.
    Link(String),
    /// A code span: from the root.
    Span(String),
}

impl NamedPath {
    fn path(&self) -> &str {
        match self {
            Self::Link(path) | Self::Span(path) => path,
        }
    }
}

fn exists(root: &Path, document: &Path, target: &NamedPath) -> bool {
    match target {
        NamedPath::Span(path) => root.join(path).exists(),
        NamedPath::Link(path) => match path.strip_prefix('/') {
            Some(path) => root.join(path).exists(),
            None => document
                .parent()
                .is_some_and(|folder| folder.join(path).exists()),
        },
    }
}

/// Returns the paths in a Markdown text with their line numbers. Code blocks are skipped.
fn targets(text: &str) -> Vec<(usize, NamedPath)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        if in_code || line.starts_with("    ") {
            continue;
        }
        // The even parts are outside of code spans.
        for (part, piece) in line.split('`').enumerate() {
            let target = if part % 2 == 1 {
                span(piece).map(NamedPath::Span)
            } else {
                None
            };
            found.extend(target.map(|t| (index + 1, t)));
        }
        for piece in line.split("](").skip(1) {
            let target = piece.split(')').next().and_then(link).map(NamedPath::Link);
            found.extend(target.map(|t| (index + 1, t)));
        }
    }
    found
}

/// Returns the path of a code span, if it is one: `crates/a/b.rs`, `crates/a/b.rs:10`.
fn span(text: &str) -> Option<String> {
    let placeholder = text.contains(|c: char| c.is_whitespace() || "*{}<>$|()".contains(c))
        || text.contains("...");
    if placeholder || !FOLDERS.iter().any(|f| text.starts_with(f)) {
        return None;
    }
    Some(text.split(':').next().unwrap_or(text).to_owned())
}

/// Returns the path of a link, if it is one in the repository.
fn link(text: &str) -> Option<String> {
    let path = text.split(['#', ' ']).next().unwrap_or_default();
    let outside = path.is_empty() || path.contains("://") || path.starts_with("mailto:");
    (!outside).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_links_and_spans() {
        let text = "See [a](docs/a.md#part), [web](https://example.org) and [here](#here).\n\
                    `crates/x/src/lib.rs:12`, `crates/*/src`, `cargo test`, `crates/x --flag`\n\
                    ```\n`crates/none`\n```\n";
        let expected = [
            (1, NamedPath::Link("docs/a.md".into())),
            (2, NamedPath::Span("crates/x/src/lib.rs".into())),
        ];
        assert_eq!(targets(text), expected);
    }

    #[test]
    fn links_are_relative_to_the_document() -> anyhow::Result<()> {
        let root = tempfile::tempdir()?;
        fs::create_dir_all(root.path().join("docs"))?;
        fs::write(root.path().join("docs/a.md"), "")?;
        let document = root.path().join("docs/b.md");
        assert!(exists(
            root.path(),
            &document,
            &NamedPath::Link("a.md".into())
        ));
        assert!(!exists(
            root.path(),
            &document,
            &NamedPath::Link("docs/a.md".into())
        ));
        assert!(exists(
            root.path(),
            &document,
            &NamedPath::Span("docs/a.md".into())
        ));
        Ok(())
    }
}
