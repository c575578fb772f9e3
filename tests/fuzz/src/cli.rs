//! The command line: random flags on files with every defect. The exit code is a documented one, nothing panics, and a
//! failed command leaves nothing behind.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rxmesh_host::mesh::Rng;
use tempfile::TempDir;

use crate::files::{self, Seed};
use crate::random::Choose;
use crate::{Fuzz, Outcome, grammar, mutate};

/// Values of flags. Sizes are small, or a case would do much legitimate work.
const VALUES: [&str; 22] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "-1",
    "0.5",
    "0.1",
    "45",
    "60",
    "1e30",
    "nan",
    "inf",
    "-inf",
    "",
    "abc",
    "1.5.2",
    "0,0,-1",
    "4294967296",
    "99999999999999999999999",
    "\u{feff}",
];

/// Flags that keep a case short: a fast flow makes a mesh grow with every frame.
const QUICK: [(&str, &str); 1] = [("track", "--frames")];

/// Time limit; a command ends long before on any machine.
const LIMIT: Duration = Duration::from_secs(100);

/// Flag as `--help` shows it.
struct Flag {
    name: String,
    /// `true` if it takes a value.
    takes: bool,
    /// Values that the help lists.
    values: Vec<String>,
}

/// Fuzzer of a program's command line.
pub(crate) struct Cli {
    program: PathBuf,
    seeds: Vec<Seed>,
    commands: Vec<(String, Vec<Flag>)>,
}

/// Command of a case and its input.
struct CliCase {
    arguments: Vec<String>,
    name: String,
    bytes: Vec<u8>,
}

impl CliCase {
    /// Returns `true` if it requests errors only.
    fn is_quiet(&self) -> bool {
        let quiet = |a: &String| a == "--quiet" || a == "-q";
        self.arguments.iter().any(quiet)
    }
}

impl Cli {
    /// Asks the program for its commands and flags.
    pub(crate) fn new(program: &Path, data: &Path) -> Result<Cli, String> {
        let program = program
            .canonicalize()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        let help = |arguments: &[&str]| -> Result<String, String> {
            let out = Command::new(&program)
                .args(arguments)
                .output()
                .map_err(|e| e.to_string())?;
            Ok(String::from_utf8_lossy(&out.stdout).into_owned())
        };
        let mut commands = Vec::new();
        for name in command_names(&help(&["--help"])?) {
            let flags = flags(&help(&[&name, "--help"])?);
            commands.push((name, flags));
        }
        if commands.is_empty() || commands.iter().all(|(_, flags)| flags.is_empty()) {
            return Err("the program's help shows no commands with flags".into());
        }
        let mut seeds = files::seeds(data).map_err(|e| e.to_string())?;
        // Large files take long, and every command reads a file.
        seeds.retain(|(_, bytes)| bytes.len() < 100_000);
        Ok(Cli {
            program,
            seeds,
            commands,
        })
    }

    fn case(&self, seed: u64) -> CliCase {
        let mut rng = Rng::new(seed);
        let (command, flags) = rng.one_of(&self.commands);
        let (mut extension, mut bytes) = rng.one_of(&self.seeds).clone();
        if rng.percent(20) {
            let (form, made) = grammar::file(&mut rng);
            (extension, bytes) = (form.to_owned(), made);
        }
        if rng.percent(30) {
            let other = rng.one_of(&self.seeds).1.clone();
            mutate::mutate(&mut rng, &mut bytes, &other);
        }
        let name = format!("in.{extension}");
        let mut arguments = vec![command.clone()];
        if rng.percent(95) {
            arguments.push(name.clone());
        }
        let quick = QUICK.iter().find(|(name, _)| name == command);
        arguments.extend(quick.map(|(_, flag)| format!("{flag}=2")));
        for _ in 0..rng.below(5) {
            if !flags.is_empty() {
                flag(&mut rng, flags, &mut arguments);
            }
        }
        CliCase {
            arguments,
            name,
            bytes,
        }
    }
}

fn flag(rng: &mut Rng, flags: &[Flag], arguments: &mut Vec<String>) {
    let flag = rng.one_of(flags);
    if QUICK.iter().any(|(_, name)| *name == flag.name) {
        return;
    }
    if !flag.takes {
        return arguments.push(flag.name.clone());
    }
    let value = match flag.name.as_str() {
        "--output" | "--json" | "--cache" if rng.percent(80) => (*rng.one_of(&[
            "out.ply",
            "out.obj",
            "out.off",
            "out.stl",
            "-",
            "no/such/folder.ply",
            ".",
        ]))
        .to_owned(),
        // A missing GPU is not tested here.
        "--engine" => "cpu".to_owned(),
        _ if !flag.values.is_empty() && rng.percent(80) => rng.one_of(&flag.values).clone(),
        _ => (*rng.one_of(&VALUES)).to_owned(),
    };
    arguments.push(format!("{}={value}", flag.name));
}

/// Returns the names under "Commands:".
fn command_names(help: &str) -> Vec<String> {
    let lines = help
        .lines()
        .skip_while(|l| !l.starts_with("Commands:"))
        .skip(1);
    lines
        .take_while(|l| l.starts_with("  ") || l.is_empty())
        .filter(|l| l.starts_with("  ") && !l.starts_with("   "))
        .filter_map(|l| l.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Returns the flags of a command's help.
fn flags(help: &str) -> Vec<Flag> {
    let mut all: Vec<Flag> = Vec::new();
    for line in help.lines() {
        if line.trim_start().starts_with('-') {
            let mut words = line.split([' ', ',', '=', '[']).filter(|w| !w.is_empty());
            if let Some(name) = words.find(|w| w.starts_with("--")) {
                all.push(Flag {
                    name: name.to_owned(),
                    takes: line.contains('<'),
                    values: Vec::new(),
                });
            }
        }
        let listed = line.split("[possible values: ").nth(1);
        if let (Some(listed), Some(flag)) = (listed, all.last_mut()) {
            let values = listed.trim_end_matches(']').split(", ");
            flag.values = values.map(str::to_owned).collect();
        }
    }
    all.retain(|flag| !["--help", "--version"].contains(&flag.name.as_str()));
    all
}

impl Fuzz for Cli {
    fn run(&self, seed: u64) -> Outcome {
        let case = self.case(seed);
        let folder = TempDir::new().map_err(|e| e.to_string())?;
        let path = folder.path().join(&case.name);
        fs::write(&path, &case.bytes).map_err(|e| e.to_string())?;
        let before = files_of(folder.path())?;
        let mut child = Command::new(&self.program)
            .args(&case.arguments)
            .current_dir(folder.path())
            .env_remove("CARGO_MANIFEST_DIR")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let stderr = child.stderr.take();
        let reader = thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(mut stderr) = stderr {
                // The output until the program ended is enough.
                stderr.read_to_end(&mut text).ok();
            }
            String::from_utf8_lossy(&text).into_owned()
        });
        let status = wait(&mut child)?;
        let text = reader.join().map_err(|_| "reading stderr panicked")?;
        let after = files_of(folder.path())?;
        verdict(&case, status, &text, &before, &after)
            .map_err(|e| format!("{}: {e}", case.arguments.join(" ")))
    }

    fn describe(&self, seed: u64, folder: &Path) -> std::io::Result<()> {
        let case = self.case(seed);
        let path = folder.join(&case.name);
        fs::write(&path, &case.bytes)?;
        println!("{}: rxmesh {}", path.display(), case.arguments.join(" "));
        Ok(())
    }
}

fn wait(child: &mut std::process::Child) -> Result<ExitStatus, String> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(status);
        }
        if start.elapsed() > LIMIT {
            child.kill().map_err(|e| e.to_string())?;
            return Err(format!("no end after {} s", LIMIT.as_secs()));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Files of a folder and their content.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files_of(folder: &Path) -> Result<Files, String> {
    let said = |e: std::io::Error| e.to_string();
    let mut all = Files::new();
    for entry in fs::read_dir(folder).map_err(said)? {
        let path = entry.map_err(said)?.path();
        let bytes = if path.is_dir() {
            Vec::new()
        } else {
            fs::read(&path).map_err(said)?
        };
        all.insert(path, bytes);
    }
    Ok(all)
}

/// Checks that a command ended as docs/use/record.md states.
fn verdict(
    case: &CliCase,
    status: ExitStatus,
    text: &str,
    before: &Files,
    after: &Files,
) -> Outcome {
    if text.contains("panicked at") {
        return Err(format!("a panic: {text}"));
    }
    let lost = before.keys().any(|path| !after.contains_key(path));
    match status.code() {
        _ if lost => Err("the input is gone".into()),
        Some(0) => Ok(()),
        Some(1 | 2)
            if !(text.contains("error: ")
                || text.contains("Usage: ")
                || case.arguments.iter().any(|a| a == "--strict")) =>
        {
            Err(format!("{status} without a word: {text:?}"))
        }
        // An error writes no mesh; the error of an unwritable record or stdout comes after it.
        Some(1) if text.contains("the record") || text.contains("stdout") => Ok(()),
        // With `--strict` the record is written, and a cache of patches is not a result of the command.
        Some(1)
            if case
                .arguments
                .iter()
                .any(|a| a == "--strict" || a.starts_with("--cache")) =>
        {
            Ok(())
        }
        Some(1 | 2) if before != after => {
            let new: Vec<_> = after
                .keys()
                .filter(|p| before.get(*p) != after.get(*p))
                .collect();
            Err(format!("{status}, but {new:?} was written: {text}"))
        }
        Some(1 | 2) => Ok(()),
        // The warning gives the reason, unless only errors are to be printed.
        Some(3) if text.contains("warning: ") || case.is_quiet() => Ok(()),
        _ => Err(format!("{status}: {text}")),
    }
}
