//! Part of the long run that goes with each submission.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::workspace;

/// File with the number of the part that is next.
const FILE: &str = ".ci/part";

/// Number of parts: so many submissions run every test of the long run once.
const PARTS: usize = 4;

/// Suites that the long run is made of.
const SUITES: [&str; 4] = ["conformance", "surfaces", "volumes", "simulation"];

/// Runs the part of the long run that `.ci/part` names: every fourth test of the suites, the ignored ones included, at
/// the sizes of the long run.
pub(crate) fn run() -> anyhow::Result<()> {
    let part = read()?;
    let names = names()?;
    let chosen = share(&names, part);
    println!(
        "part {part} of {PARTS} of the long run: {} of {} tests",
        chosen.len(),
        names.len()
    );
    let mut test = suites();
    test.env("RXMESH_LONG", "1");
    test.args(["--", "--include-ignored", "--exact"])
        .args(chosen);
    let status = test.status()?;
    ensure!(status.success(), "part {part} of the long run: {status}");
    Ok(())
}

/// Makes the part after this one the next.
pub(crate) fn turn() -> anyhow::Result<()> {
    let next = read()? % PARTS + 1;
    fs::write(workspace::at(FILE), format!("{next}\n"))?;
    println!("{FILE}: part {next} of {PARTS} is next; commit it with the submission");
    Ok(())
}

/// Reads the number of the next part, from 1.
fn read() -> anyhow::Result<usize> {
    let text = fs::read_to_string(workspace::at(FILE)).context(FILE)?;
    let part = text.trim().parse().context(FILE)?;
    ensure!(
        (1..=PARTS).contains(&part),
        "{FILE}: {part} is not 1 to {PARTS}"
    );
    Ok(part)
}

/// Returns the names of one part, counted from 1: neighbours, which are one check on several engines, go to different
/// parts.
fn share(names: &BTreeSet<String>, part: usize) -> Vec<&String> {
    names.iter().skip(part - 1).step_by(PARTS).collect()
}

/// Lists the tests of all suites.
fn names() -> anyhow::Result<BTreeSet<String>> {
    let mut list = suites();
    list.args(["--", "--include-ignored", "--list", "--format", "terse"]);
    let out = list.output()?;
    ensure!(
        out.status.success(),
        "the tests cannot be listed:\n{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let names: BTreeSet<String> = String::from_utf8(out.stdout)?
        .lines()
        .filter_map(|line| line.strip_suffix(": test"))
        .map(str::to_owned)
        .collect();
    ensure!(!names.is_empty(), "the suites have no tests");
    Ok(names)
}

/// Returns a command that runs the suites; with `--workspace` it uses the builds of README's test command.
fn suites() -> Command {
    let mut cargo = workspace::cargo();
    cargo.args(["test", "--workspace", "--no-fail-fast"]);
    cargo.args(SUITES.map(|suite| ["--test", suite]).as_flattened());
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts together are all tests, and no test is in two of them.
    #[test]
    fn parts_are_the_whole() {
        let names: BTreeSet<String> = (0..11).map(|i| format!("test {i}")).collect();
        let all: Vec<&String> = (1..=PARTS).flat_map(|part| share(&names, part)).collect();
        assert_eq!(all.len(), names.len());
        assert_eq!(all.into_iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
