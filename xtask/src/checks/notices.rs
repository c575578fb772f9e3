//! Texts of licences: ours in every package, and those of the dependencies of each product in one file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use super::deny::choice;
use crate::packages::{Metadata, Package};
use crate::workspace;

/// Our own licences, of which every published package has a copy.
pub(crate) const OWN: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// Product with notices of others' code in it.
struct NoticedProduct {
    package: &'static str,
    /// Name for people.
    name: &'static str,
    /// File of the notices.
    file: &'static str,
}

const PRODUCTS: [NoticedProduct; 2] = [
    NoticedProduct {
        package: "rxmesh-apps",
        name: "program rxmesh",
        file: "crates/rxmesh-apps/THIRD-PARTY.txt",
    },
    NoticedProduct {
        package: "rxmesh-python",
        name: "Python package rxmesh",
        file: "crates/rxmesh-python/THIRD-PARTY.txt",
    },
];

/// Platform of the products that the files belong to.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Licences to choose from, the shortest texts first.
const PREFERRED: [&str; 9] = [
    "MIT",
    "ISC",
    "Zlib",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "Unicode-3.0",
    "Apache-2.0",
    "0BSD",
];

#[derive(clap::Args)]
pub(crate) struct NoticesArguments {
    /// Only check that all files exist and are current
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &NoticesArguments) -> anyhow::Result<()> {
    match arguments.check {
        true => check(),
        false => write(),
    }
}

/// Copies our licences into the packages and writes the notices.
fn write() -> anyhow::Result<()> {
    let metadata = Metadata::load(Some(PLATFORM))?;
    for package in metadata.packages.iter().filter(|p| p.is_published()) {
        for name in OWN {
            fs::copy(workspace::at(name), package.folder().join(name)).context(name)?;
        }
    }
    for product in PRODUCTS {
        fs::write(workspace::at(product.file), notices(&metadata, &product)?)?;
        println!("wrote {}", product.file);
    }
    println!("wrote the licences of all packages");
    Ok(())
}

pub(crate) fn check() -> anyhow::Result<()> {
    let metadata = Metadata::load(Some(PLATFORM))?;
    let mut faults = Vec::new();
    let published = metadata.packages.iter().filter(|p| p.is_published());
    let mut count = 0;
    for package in published {
        count += 1;
        let packaged = packaged_files(package)?;
        for name in OWN {
            let copy = fs::read(package.folder().join(name)).unwrap_or_default();
            if copy != fs::read(workspace::at(name)).context(name)? {
                faults.push(format!(
                    "{}: {name} is missing or another one",
                    package.name
                ));
            }
            if !packaged.lines().any(|l| l == name) {
                faults.push(format!(
                    "{}: its package would have no {name}",
                    package.name
                ));
            }
        }
    }
    for product in PRODUCTS {
        let kept = fs::read_to_string(workspace::at(product.file)).unwrap_or_default();
        if kept != notices(&metadata, &product)? {
            faults.push(format!("{} is not current", product.file));
        }
    }
    if !faults.is_empty() {
        bail!("{}\nrun `cargo xtask notices`", faults.join("\n"));
    }
    println!("{count} packages have our licences, and the notices of others' code are current");
    Ok(())
}

/// Returns the list of the files that would be in a package, one per line.
fn packaged_files(package: &Package) -> anyhow::Result<String> {
    let out = workspace::cargo()
        .args([
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "--package",
        ])
        .arg(&package.name)
        .output()?;
    let said = String::from_utf8_lossy(&out.stderr);
    ensure!(out.status.success(), "cargo package --list: {said}");
    Ok(String::from_utf8(out.stdout)?)
}

/// Returns the notices: a head, the packages with their licences, and each text once with its packages.
fn notices(metadata: &Metadata, product: &NoticedProduct) -> anyhow::Result<String> {
    let packages = metadata.parts_of(product.package)?;
    let name = product.name;
    let kind = name.strip_suffix(" rxmesh").unwrap_or(name);
    let mut out = format!(
        "Third-party notices of the {name}\n\n\
        The {kind} contains the packages below, under the licences named with them. Written by `cargo xtask \
        notices`.\n\n",
    );
    let mut texts: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for package in packages {
        let licences = chosen(package)?;
        let name = format!("{} {}", package.name, package.version);
        let place = package.repository.as_deref().unwrap_or_default();
        let _ = writeln!(out, "{name}: {} ({place})", licences.join(" and "));
        for licence in licences {
            let text = text_of(package, &licence)?;
            texts.entry((licence, text)).or_default().push(name.clone());
        }
    }
    for ((licence, text), names) in texts {
        let rule = "-".repeat(80);
        let names = names.join(", ");
        let _ = writeln!(
            out,
            "\n{rule}\n{licence}: {names}\n{rule}\n\n{}",
            text.trim_end()
        );
    }
    Ok(out)
}

/// Returns the licences of a package that its notice names: the first of [`PREFERRED`] where there is a choice.
fn chosen(package: &Package) -> anyhow::Result<Vec<String>> {
    let licence = package.license.as_deref().unwrap_or_default();
    for n in 1..=PREFERRED.len() {
        let allowed = PREFERRED[..n].iter().map(|l| (*l).to_owned()).collect();
        if let Some(chosen) = choice(licence, &allowed) {
            return Ok(chosen);
        }
    }
    bail!("{}: no text is known for '{licence}'", package.spec())
}

/// Returns the text of a licence from a package's sources; for a package without one, the usual text with its authors.
fn text_of(package: &Package, licence: &str) -> anyhow::Result<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(package.folder())? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        let begins = ["LICENSE", "LICENCE", "COPYING"]
            .iter()
            .any(|w| name.starts_with(w));
        if begins && path.is_file() {
            files.push((name, path));
        }
    }
    files.sort();
    let word = licence
        .split(['-', ' '])
        .next()
        .unwrap_or(licence)
        .to_uppercase();
    let named = |name: &str| name.contains(&word);
    // A file without another licence in its name applies to all, or is that of the only one.
    let plain = |name: &str| !PREFERRED.iter().any(|l| name.contains(&short(l)));
    let found = files.iter().find(|(name, _)| named(name));
    let found = found.or_else(|| files.iter().find(|(name, _)| plain(name)));
    let text = match found {
        Some((_, path)) => read(path)?,
        None => {
            let file = match licence {
                "MIT" => "LICENSE-MIT",
                "Apache-2.0" => "LICENSE-APACHE",
                other => bail!("{} has no text of {other}", package.spec()),
            };
            let usual = read(&workspace::at(file))?;
            let authors = match package.authors.is_empty() {
                true => format!("the authors of {}", package.name),
                false => package.authors.join(", "),
            };
            let line = |l: &str| match l.starts_with("Copyright (c)") {
                true => format!("Copyright (c) {authors}\n"),
                false => format!("{l}\n"),
            };
            usual.lines().map(line).collect()
        }
    };
    Ok(text)
}

/// Returns the word that identifies a licence in file names.
fn short(licence: &str) -> String {
    licence.split('-').next().unwrap_or(licence).to_uppercase()
}

/// Reads a text without the differences that editors make.
fn read(path: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    let text = String::from_utf8_lossy(&bytes).replace('\r', "");
    let lines: Vec<&str> = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim_end)
        .collect();
    Ok(lines.join("\n").trim().to_owned() + "\n")
}
