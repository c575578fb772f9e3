//! Checks of the lines of code and documents: none is longer than [`LONGEST`] characters, no file of code outside
//! tests has more than [`MOST_LINES`] lines, no doc comment begins with one of [`NOUN_PHRASES`], and no type name
//! stands more than twice ([`names`](super::names)).

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};

use super::names::TypeNames;
use crate::workspace;

/// Most characters of a line.
const LONGEST: usize = 120;

/// Most lines of a file of code. Tests may be longer.
const MOST_LINES: usize = 500;

/// Files of code that may be longer, each with the reason: tables of numbers, and others that no cut makes clearer. A
/// file that is not longer does not belong here.
const LONG_FILES: &[(&str, &str)] = &[(
    "crates/rxmesh/src/on/vertices.rs",
    "to be divided with the work on the floor of operations",
)];

/// Extensions of the checked files.
const EXTENSIONS: [&str; 6] = ["rs", "md", "toml", "sh", "py", "yml"];

/// First words that make a doc comment a noun phrase without a noun ("Whether it fits"). A doc comment begins with a
/// verb or with the noun that the item is.
const NOUN_PHRASES: [&str; 8] = [
    "What", "Whether", "Where", "How", "Which", "Who", "Whose", "Of",
];

pub(crate) fn run() -> anyhow::Result<()> {
    let root = workspace::root();
    let mut faults = Vec::new();
    let mut names = TypeNames::default();
    let files = files(&root)?;
    for name in &files {
        let text = fs::read_to_string(root.join(name)).with_context(|| name.clone())?;
        let long = too_long(&text, name.ends_with(".md"));
        faults.extend(
            long.map(|(line, n)| format!("{name}:{line}: {n} characters, more than {LONGEST}")),
        );
        names.add(name, &text);
        if name.ends_with(".rs") {
            faults.extend(wrong_length(name, text.lines().count(), LONG_FILES));
            faults.extend(noun_phrases(&text).map(|(line, word)| {
                format!("{name}:{line}: the doc comment begins with \"{word}\", not with a verb or a noun")
            }));
        }
    }
    faults.extend(names.faults());
    let gone = LONG_FILES
        .iter()
        .filter(|(long, _)| !files.iter().any(|f| f == long));
    faults.extend(gone.map(|(name, _)| format!("{name}: is in `LONG_FILES`, but is no file")));
    if !faults.is_empty() {
        bail!("{}\n{} faults", faults.join("\n"), faults.len());
    }
    println!(
        "{} files, no line longer than {LONGEST} characters, no file of code longer than {MOST_LINES} lines but {}, no \
        doc comment that begins with a noun phrase, no third type of a name",
        files.len(),
        LONG_FILES.len()
    );
    Ok(())
}

/// Returns the files under version control, and new ones that are not ignored.
fn files(root: &Path) -> anyhow::Result<Vec<String>> {
    let listed = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root)
        .output()
        .context("git")?;
    if !listed.status.success() {
        bail!(
            "git ls-files: {}",
            String::from_utf8_lossy(&listed.stderr).trim()
        );
    }
    let names = String::from_utf8(listed.stdout)?;
    let wanted = |name: &&str| {
        let extension = Path::new(name).extension().and_then(|e| e.to_str());
        // A removed file that is still listed cannot be read.
        extension.is_some_and(|e| EXTENSIONS.contains(&e)) && root.join(name).is_file()
    };
    Ok(names
        .split('\0')
        .filter(wanted)
        .map(str::to_owned)
        .collect())
}

/// Returns the fault of a file of code with too many lines, or of one that is needlessly listed among those that may
/// have them.
fn wrong_length(name: &str, lines: usize, exempt: &[(&str, &str)]) -> Option<String> {
    let long = lines > MOST_LINES && !is_test(name);
    match (long, exempt.iter().any(|(listed, _)| *listed == name)) {
        (true, false) => Some(format!(
            "{name}: {lines} lines, more than {MOST_LINES}: cut it by meaning, and move its tests to a `tests.rs`"
        )),
        (false, true) => Some(format!(
            "{name}: {lines} lines, at most {MOST_LINES}: take it from `LONG_FILES`"
        )),
        _ => None,
    }
}

/// Returns `true` for a file of tests: a `tests.rs`, or a file in a folder `tests`.
fn is_test(name: &str) -> bool {
    let mut parts = name.split('/');
    let file = parts.next_back();
    file == Some("tests.rs") || parts.any(|folder| folder == "tests")
}

/// Returns the numbers of the lines that are too long, from 1, with their lengths.
fn too_long(text: &str, markdown: bool) -> impl Iterator<Item = (usize, usize)> {
    text.lines().enumerate().filter_map(move |(i, line)| {
        let n = line.chars().count();
        (n > LONGEST && !is_exempt(line, markdown)).then_some((i + 1, n))
    })
}

/// Returns `true` for lines that cannot be broken: with a URL, a row of a table, a single word (a path, a hash, a
/// string without a space), and the output of programs, which documents show indented.
fn is_exempt(line: &str, markdown: bool) -> bool {
    let text = line.trim();
    let in_table = |t: &str| t.starts_with('|') && t.ends_with('|');
    let comment = text.trim_start_matches(['/', '!']).trim_start();
    let has_url = text.contains("https://") || text.contains("http://");
    has_url
        || markdown && (in_table(text) || line.starts_with("    "))
        || comment != text && in_table(comment)
        || !text.contains(' ')
}

/// Returns the numbers of the lines, from 1, at which a doc comment begins with one of [`NOUN_PHRASES`], with that
/// word.
fn noun_phrases(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut last = None;
    text.lines().enumerate().filter_map(move |(i, line)| {
        let doc = doc_text(line);
        let begins = doc.is_some() && doc.map(|(kind, _)| kind) != last;
        last = doc.map(|(kind, _)| kind);
        let first = doc?
            .1
            .split(|c: char| !c.is_alphabetic())
            .find(|w| !w.is_empty())?;
        (begins && NOUN_PHRASES.contains(&first)).then_some((i + 1, first))
    })
}

/// Splits a line of a doc comment into its marker and its text.
fn doc_text(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let (kind, text) = line.split_at_checked(3)?;
    ((kind == "///" || kind == "//!") && !text.starts_with('/')).then_some((kind, text))
}

#[cfg(test)]
mod tests {
    use super::{MOST_LINES, noun_phrases, too_long, wrong_length};

    #[test]
    fn files_with_too_many_lines_are_found_and_so_are_needless_exceptions() {
        let exempt = [("src/table.rs", "numbers")];
        let is_wrong = |name: &str, lines| wrong_length(name, lines, &exempt).is_some();
        assert!(!is_wrong("src/a.rs", MOST_LINES));
        assert!(is_wrong("src/a.rs", MOST_LINES + 1));
        assert!(!is_wrong("src/table.rs", MOST_LINES + 1));
        assert!(is_wrong("src/table.rs", MOST_LINES));
        for test in [
            "tests/src/a.rs",
            "crates/a/tests/suite/b.rs",
            "src/a/tests.rs",
        ] {
            assert!(!is_wrong(test, MOST_LINES + 1), "{test}");
        }
        for code in ["src/tests_of.rs", "src/my_tests/a.rs", "src/contest.rs"] {
            assert!(is_wrong(code, MOST_LINES + 1), "{code}");
        }
    }

    #[test]
    fn long_lines_are_found_and_those_that_cannot_be_broken_are_not() {
        let long = "word ".repeat(30);
        let text = format!("short\n{long}\n{}\n", "ä ".repeat(60));
        assert_eq!(too_long(&text, false).collect::<Vec<_>>(), [(2, 150)]);
        let url = format!("// {long} https://docs.rs/x");
        let row = format!("| {long} |");
        let doc = format!("    /// | {long} |");
        let path = format!("    \"{}\",", "x/".repeat(80));
        let found = |line: &str, markdown| too_long(line, markdown).count();
        assert_eq!([&url, &doc, &path].map(|l| found(l, false)), [0, 0, 0]);
        assert_eq!(
            [found(&row, true), found(&row, false), found(&long, true)],
            [0, 1, 1]
        );
        assert_eq!(found(&format!("    {long}"), true), 0);
    }

    #[test]
    fn doc_comments_that_begin_with_a_noun_phrase_are_found() {
        let found = |text: &str| {
            noun_phrases(text)
                .map(|(n, w)| (n, w.to_owned()))
                .collect::<Vec<_>>()
        };
        let at = |n: usize, word: &str| vec![(n, word.to_owned())];
        assert_eq!(found("//! What it is.\n\nfn f() {}\n"), at(1, "What"));
        assert_eq!(
            found("x\n    /// Whether it fits.\n    /// Of it.\n    a: bool,\n"),
            at(2, "Whether")
        );
        assert_eq!(
            found("/// *How* it runs.\nstruct S;\n/// Who runs\n"),
            [(1, "How".to_owned()), (3, "Who".to_owned())]
        );
        // The comment of the item follows that of the module.
        assert_eq!(found("//! A module.\n/// Where it goes.\n"), at(2, "Where"));
        for good in [
            "/// Returns it.\n/// Where it fails, nothing is written.\n",
            "/// Returns it.\n///\n/// What it costs: nothing.\n",
            "// What follows is a plain comment.\n",
            "//// What is no doc comment.\n",
            "/// Often, however.\n",
            "let x = \"/// What\";\n",
        ] {
            assert_eq!(found(good), [], "{good}");
        }
    }
}
