//! Quarter of the tests that are ignored by default, which runs with each submission.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::workspace;

/// File with the number of the part that is next.
const FILE: &str = ".ci/part";

/// Number of parts, and so of submissions that run every test once.
const PARTS: usize = 4;

/// Suites that the long run is made of.
const SUITES: [&str; 4] = ["conformance", "surfaces", "volumes", "simulation"];

/// Runs the part that `.ci/part` names of the tests that neither README's test command nor the step `wide` runs: teams
/// of 32 threads in all suites, and those of seven in `simulation`.
pub(crate) fn run() -> anyhow::Result<()> {
    let part = read()?;
    for suite in SUITES {
        let names = names(suite)?;
        let chosen = share(&names, part);
        println!(
            "part {part} of {PARTS}: {} of {} tests of {suite}",
            chosen.len(),
            names.len()
        );
        let mut test = tests_of(suite);
        test.args(["--ignored", "--exact"]).args(chosen);
        let status = test.status()?;
        ensure!(status.success(), "part {part} of {suite}: {status}");
    }
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

/// Lists the ignored tests of a suite that the step `wide` does not run.
fn names(suite: &str) -> anyhow::Result<BTreeSet<String>> {
    let mut list = tests_of(suite);
    list.args(["--ignored", "--list", "--format", "terse"]);
    let out = list.output()?;
    ensure!(
        out.status.success(),
        "the tests of {suite} cannot be listed:\n{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let text = String::from_utf8(out.stdout)?;
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    let names: BTreeSet<String> = names
        .filter(|name| suite == "simulation" || !name.contains("team7"))
        .map(str::to_owned)
        .collect();
    ensure!(!names.is_empty(), "{suite} has no ignored tests");
    Ok(names)
}

/// Returns a command that runs a suite, with the builds of README's test command, up to the options of the tests.
fn tests_of(suite: &str) -> Command {
    let mut cargo = workspace::cargo();
    cargo.args(["test", "--quiet", "--workspace", "--test", suite, "--"]);
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
