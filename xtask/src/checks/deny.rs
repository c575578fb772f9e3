//! Check of the licences, versions, sources and known faults of dependencies against `deny.toml`.
//!
//! `cargo deny` checks more, above all advisories, and runs where it is installed. Compiling it takes longer than all
//! other checks, so without it this program checks licences, versions and sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;

use crate::packages::{Metadata, Package};
use crate::workspace;

/// File with the permissions.
const FILE: &str = "deny.toml";

#[derive(Deserialize)]
struct Allowed {
    licenses: Licences,
    bans: Bans,
    sources: Sources,
}

#[derive(Deserialize)]
struct Licences {
    allow: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Bans {
    skip: Vec<Skip>,
}

#[derive(Deserialize)]
struct Skip {
    /// `name@version` of a package of which there is another version.
    #[serde(rename = "crate")]
    package: String,
    reason: String,
}

#[derive(Deserialize)]
struct Sources {
    #[serde(rename = "allow-registry")]
    registries: Vec<String>,
}

pub(crate) fn run() -> anyhow::Result<()> {
    own()?;
    let installed = workspace::cargo().args(["deny", "--version"]).output();
    if !installed.is_ok_and(|out| out.status.success()) {
        println!(
            "SKIPPED: known faults of dependencies (advisories), no cargo-deny: `cargo install --locked cargo-deny`"
        );
        return Ok(());
    }
    let status = workspace::cargo().args(["deny", "check"]).status()?;
    ensure!(status.success(), "cargo deny check: {status}");
    Ok(())
}

/// Runs the checks that need only `cargo metadata`.
fn own() -> anyhow::Result<()> {
    let text = fs::read_to_string(workspace::at(FILE)).context(FILE)?;
    let allowed: Allowed = toml::from_str(&text).context(FILE)?;
    let metadata = Metadata::load(None)?;
    let foreign: Vec<&Package> = metadata
        .packages
        .iter()
        .filter(|p| p.source.is_some())
        .collect();
    let mut faults = Vec::new();
    for package in &metadata.packages {
        let licence = package.license.as_deref().unwrap_or_default();
        if choice(licence, &allowed.licenses.allow).is_none() {
            faults.push(format!("{}: licence '{licence}'", package.spec()));
        }
    }
    for package in &foreign {
        let source = package.source.as_deref().unwrap_or_default();
        let known = |r: &String| source.strip_prefix("registry+") == Some(r);
        if !allowed.sources.registries.iter().any(known) {
            faults.push(format!("{}: from {source}", package.spec()));
        }
    }
    faults.extend(repeated(&foreign, &allowed.bans.skip));
    if !faults.is_empty() {
        bail!("{}\n{FILE} does not allow these", faults.join("\n"));
    }
    println!(
        "{} foreign packages: licences, versions and sources are as {FILE} allows",
        foreign.len()
    );
    Ok(())
}

/// Reports packages of several versions, all but one of which must be excused, and excuses without a package.
fn repeated(packages: &[&Package], skip: &[Skip]) -> Vec<String> {
    let mut versions: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for package in packages {
        let all = versions.entry(&package.name).or_default();
        all.insert(package.spec());
    }
    versions.retain(|_, all| all.len() > 1);
    let excused = |spec: &String| skip.iter().any(|s| s.package == *spec);
    let mut faults = Vec::new();
    for all in versions.values() {
        let open: Vec<&str> = all
            .iter()
            .filter(|v| !excused(v))
            .map(String::as_str)
            .collect();
        if open.len() > 1 {
            faults.push(format!("several versions: {}", open.join(", ")));
        }
    }
    let needed = |s: &&Skip| versions.values().any(|all| all.contains(&s.package));
    let stale = skip.iter().filter(|s| !needed(s));
    faults.extend(stale.map(|s| format!("'{}' ({}) is not needed", s.package, s.reason)));
    faults
}

/// Returns the licences of an SPDX expression under which a package may be used; of a choice, the first allowed one.
/// `None` if there is none.
pub(crate) fn choice(expression: &str, allowed: &BTreeSet<String>) -> Option<Vec<String>> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let chosen = either(&mut rest, allowed)?;
    rest.is_empty().then_some(chosen).filter(|c| !c.is_empty())
}

/// Parses an expression. The outer option is `None` for a syntax error, an empty list means that no part is allowed.
fn either(words: &mut &[&str], allowed: &BTreeSet<String>) -> Option<Vec<String>> {
    let mut chosen = both(words, allowed)?;
    while words.first() == Some(&"OR") {
        *words = &words[1..];
        let other = both(words, allowed)?;
        if chosen.is_empty() {
            chosen = other;
        }
    }
    Some(chosen)
}

fn both(words: &mut &[&str], allowed: &BTreeSet<String>) -> Option<Vec<String>> {
    let mut chosen = one(words, allowed)?;
    while words.first() == Some(&"AND") {
        *words = &words[1..];
        let other = one(words, allowed)?;
        match chosen.is_empty() || other.is_empty() {
            true => chosen.clear(),
            false => chosen.extend(other),
        }
    }
    Some(chosen)
}

fn one(words: &mut &[&str], allowed: &BTreeSet<String>) -> Option<Vec<String>> {
    let (&first, rest) = words.split_first()?;
    *words = rest;
    if first == "(" {
        let chosen = either(words, allowed)?;
        let (&end, rest) = words.split_first()?;
        *words = rest;
        return (end == ")").then_some(chosen);
    }
    if matches!(first, ")" | "OR" | "AND" | "WITH") {
        return None;
    }
    let mut licence = first.to_owned();
    if let [with, exception, rest @ ..] = *words
        && *with == "WITH"
    {
        licence = format!("{licence} WITH {exception}");
        *words = rest;
    }
    Some(if allowed.contains(&licence) {
        vec![licence]
    } else {
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, version: &str) -> Package {
        let json = format!(
            r#"{{"id": "", "name": "{name}", "version": "{version}", "authors": [], "manifest_path": "/x/Cargo.toml"}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn expressions_are_chosen_from() {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"]
            .map(String::from)
            .into();
        let chosen = |text: &str| choice(text, &allowed).map(|c| c.join(" + "));
        for (text, want) in [
            ("MIT", Some("MIT")),
            ("Zlib OR Apache-2.0 OR MIT", Some("Apache-2.0")),
            ("Unlicense/MIT", Some("MIT")),
            (
                "(MIT OR Apache-2.0) AND Unicode-3.0",
                Some("MIT + Unicode-3.0"),
            ),
            ("MIT AND GPL-3.0", None),
            (
                "GPL-3.0 OR (MIT AND GPL-2.0) OR Apache-2.0",
                Some("Apache-2.0"),
            ),
            ("Apache-2.0 WITH LLVM-exception", None),
            ("", None),
            ("MIT OR", None),
            ("(MIT", None),
            ("MIT Apache-2.0", None),
        ] {
            assert_eq!(chosen(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn versions_are_excused_by_name_and_number() {
        let all = [
            package("a", "1.0.0"),
            package("a", "2.0.0"),
            package("b", "1.0.0"),
        ];
        let all: Vec<&Package> = all.iter().collect();
        let skip = |spec: &str| Skip {
            package: spec.into(),
            reason: "test".into(),
        };
        assert_eq!(repeated(&all, &[]), ["several versions: a@1.0.0, a@2.0.0"]);
        assert!(repeated(&all, &[skip("a@1.0.0")]).is_empty());
        let stale = repeated(&all, &[skip("a@1.0.0"), skip("b@1.0.0")]);
        assert_eq!(stale, ["'b@1.0.0' (test) is not needed"]);
    }
}
