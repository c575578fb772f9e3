//! The commands of the documents print the output that the documents show, except times and the machine.
//!
//! A document's sessions run one after the other in one folder, with the meshes of `data/`. A line `    $ rxmesh
//! ...` is a command, the lines after it up to an empty one what it prints; `...` stands for lines that are left out.

use crate::support::Sandbox;
use snapbox::assert::DEFAULT_ACTION_ENV;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

const PROMPTS: [&str; 2] = [
    "    $ rxmesh ",
    "    $ cargo run --release -p rxmesh-apps -- ",
];

/// A command and its output.
#[derive(Debug)]
struct ShownCommand {
    line: usize,
    arguments: String,
    prints: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sessions(text: &str) -> Vec<ShownCommand> {
    let mut all: Vec<ShownCommand> = Vec::new();
    let mut open = false;
    for (i, line) in text.lines().enumerate() {
        if let Some(arguments) = PROMPTS.iter().find_map(|p| line.strip_prefix(p)) {
            all.push(ShownCommand {
                line: i + 1,
                arguments: arguments.to_owned(),
                prints: String::new(),
            });
            open = true;
        } else if let (true, Some(printed)) = (open, line.strip_prefix("    ")) {
            if let Some(last) = all.last_mut() {
                last.prints += &format!("{printed}\n");
            }
        } else {
            open = false;
        }
    }
    all
}

/// Lines without the parts that differ between runs: times with their unit, times of the patcher's stages, the engine.
fn elided(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let patcher = line.starts_with("patcher:");
        let bare = |i: usize| {
            words
                .get(i)
                .map_or("", |w| w.trim_matches(|c: char| "(),;:".contains(c)))
        };
        let is_unit = |i| matches!(bare(i), "ms" | "s" | "us");
        let is_number = |i| bare(i).parse::<f64>().is_ok();
        let shown = |(i, word): (usize, &&str)| match bare(i) {
            number if is_number(i) && (is_unit(i + 1) || patcher && number.contains('.')) => {
                word.replace(number, "TIME")
            }
            unit if i > 0 && is_unit(i) && is_number(i - 1) => word.replace(unit, "UNIT"),
            _ => (*word).to_owned(),
        };
        let words: Vec<String> = words.iter().enumerate().map(shown).collect();
        let line = match line.starts_with("engine: ") {
            true => "engine: ENGINE".to_owned(),
            false => words.join(" "),
        };
        out += &(line + "\n");
    }
    out
}

/// Runs the commands of a document; returns their number.
fn check(document: &str) -> usize {
    let text = fs::read_to_string(root().join(document)).unwrap();
    let sandbox = Sandbox::with_data();
    let shown = sessions(&text);
    for s in &shown {
        // On the CPU everywhere: the GPU's sums are in another order.
        let mut command = sandbox.command(&s.arguments);
        let Output {
            status,
            stdout,
            stderr,
        } = command.env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
        let printed = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
        let place = format!("{document}, line {}: rxmesh {}", s.line, s.arguments);
        assert!(status.success(), "{place}\n{printed}");
        let assert = snapbox::Assert::new().action_env(DEFAULT_ACTION_ENV);
        let outcome = assert.try_eq(
            Some(&place),
            elided(&printed).into(),
            elided(&s.prints).into(),
        );
        if let Err(difference) = outcome {
            panic!("{place}\n{difference}");
        }
    }
    shown.len()
}

#[test]
fn readme() {
    assert!(check("README.md") >= 1, "README.md shows no command");
}

#[test]
fn documents() {
    let shown: usize = pages("docs").iter().map(|page| check(page)).sum();
    assert!(shown >= 13, "the documents show too few commands: {shown}");
}

/// The documents of a folder and of the folders in it.
fn pages(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            found.extend(pages(&path));
        } else if path.ends_with(".md") {
            found.push(path);
        }
    }
    found
}

#[test]
fn times_and_the_machine_are_elided() {
    let text = "\
        engine: CPU, x, 2 threads\n\
        flow: step 0.002, 35 iterations, residual 8.86e-7, 33.3 ms\n\
        patcher: 1.5 ms in 3 rounds (packing 0.1 ms)\n\
        steps of 0.01 s (1 s in all)\n";
    let wanted = "\
        engine: ENGINE\n\
        flow: step 0.002, 35 iterations, residual 8.86e-7, TIME UNIT\n\
        patcher: TIME UNIT in 3 rounds (packing TIME UNIT)\n\
        steps of TIME UNIT (TIME UNIT in all)\n";
    assert_eq!(elided(text), wanted);
}
