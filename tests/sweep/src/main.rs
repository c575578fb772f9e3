//! Runs every command on real files and on geometric mutations of them, and judges the results.
//!
//! A case is a file, a mutation and a command. It must end within limits of time and memory (or announce beforehand
//! that it will not), without a panic, with a documented exit code; and a reported success must be one: the requested
//! count or length, the Euler number and the components of the input, the result of the mesh at the origin moved back.
//! `cargo xtask sweep` builds and runs this program.
//! moved back. `cargo xtask sweep` builds and runs this program.

mod commands;
mod judge;
mod mesh;
mod mutations;
mod run;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use mesh::RawMesh;
use rxmesh_host::io::Format;

use commands::Command;
use judge::Fact;
use mutations::{COPY, MUTATIONS, Mutation};

/// Runs every command on real files and on geometric mutations of them.
#[derive(Parser)]
struct Arguments {
    /// Folders with meshes
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// The program
    #[arg(long)]
    program: PathBuf,
    /// Stop after this many seconds; the cases of a part of a sweep are spread over all of it [default: run all]
    #[arg(long)]
    seconds: Option<u64>,
    /// Only files whose names hold this
    #[arg(long)]
    file: Option<String>,
    /// Only this mutation
    #[arg(long)]
    mutation: Option<String>,
    /// Only this command
    #[arg(long)]
    command: Option<String>,
    /// Files larger than this many megabytes are left out
    #[arg(long, default_value_t = 8)]
    largest: u64,
    /// Most seconds that a run may take without saying so
    #[arg(long, default_value_t = 30)]
    limit: u64,
    /// Write every run as a line of JSON to this file
    #[arg(long)]
    record: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match sweep(&arguments) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(faults) => {
            eprintln!("error: {faults} faults");
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the meshes of the folders, sorted by name.
fn files(arguments: &Arguments) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for folder in &arguments.data {
        let said = |e: std::io::Error| format!("{}: {e}", folder.display());
        for entry in std::fs::read_dir(folder).map_err(said)? {
            let path = entry.map_err(said)?.path();
            let small = path
                .metadata()
                .is_ok_and(|m| m.len() <= arguments.largest << 20);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let wanted = arguments
                .file
                .as_ref()
                .is_none_or(|part| name.contains(part));
            if small && wanted && Format::of_name(&path).is_some() {
                all.push(path);
            }
        }
    }
    all.sort();
    Ok(all)
}

/// Runs the cases and prints the tables; returns the number of faults.
fn sweep(arguments: &Arguments) -> Result<usize, String> {
    let program = arguments
        .program
        .canonicalize()
        .map_err(|e| format!("{}: {e}", arguments.program.display()))?;
    let named = |name: &str, only: &Option<String>| only.as_ref().is_none_or(|o| o == name);
    let files = files(arguments)?;
    let mutations: Vec<&Mutation> = MUTATIONS
        .iter()
        .filter(|m| named(m.name, &arguments.mutation))
        .collect();
    let all: &'static [Command] = commands::all().leak();
    let commands: Vec<&Command> = all
        .iter()
        .filter(|c| named(c.name, &arguments.command))
        .collect();
    let count = files.len() * mutations.len() * commands.len();
    if count == 0 {
        return Err("there are no cases: no mesh, mutation or command has the name".into());
    }
    let begin = Instant::now();
    let mut bench = Bench::new(&program, Duration::from_secs(arguments.limit))?;
    let mut results = table::Results::new(arguments.record.as_deref())?;
    for n in 0..count {
        let over = |s| begin.elapsed() >= Duration::from_secs(s);
        if arguments.seconds.is_some_and(over) {
            break;
        }
        // All cases of one file in sequence, unless time is short: then spread over the sweep.
        let n = match arguments.seconds {
            None => n,
            Some(_) => mutations::spread(n, count),
        };
        let (file, rest) = (
            n / (mutations.len() * commands.len()),
            n % (mutations.len() * commands.len()),
        );
        let (mutation, command) = (
            mutations[rest / commands.len()],
            commands[rest % commands.len()],
        );
        let case = bench.case(&files[file], mutation, command)?;
        results.add(&case)?;
    }
    Ok(results.print(count))
}

/// Result of a case.
struct CaseResult {
    file: String,
    mutation: &'static str,
    command: &'static str,
    ran: run::Ran,
    fault: Option<String>,
}

/// Runner of cases, with results of earlier ones.
struct Bench<'a> {
    program: &'a Path,
    limit: Duration,
    folder: tempfile::TempDir,
    /// Last file that was read, unchanged.
    mesh: Option<(PathBuf, Result<RawMesh, String>)>,
    /// Results of the commands for files that are not mutated, or `None` where that failed.
    plain: BTreeMap<(PathBuf, &'static str), Option<Fact>>,
}

impl<'a> Bench<'a> {
    fn new(program: &'a Path, limit: Duration) -> Result<Bench<'a>, String> {
        Ok(Bench {
            program,
            limit,
            folder: tempfile::tempdir().map_err(|e| e.to_string())?,
            mesh: None,
            plain: BTreeMap::new(),
        })
    }

    fn mesh(&mut self, file: &Path) -> Result<RawMesh, String> {
        if self.mesh.as_ref().is_none_or(|(path, _)| path != file) {
            self.mesh = Some((file.to_owned(), RawMesh::read(file)));
        }
        let (_, mesh) = self.mesh.as_ref().ok_or("no mesh")?;
        mesh.clone()
    }

    fn case(
        &mut self,
        file: &Path,
        mutation: &'static Mutation,
        command: &'static Command,
    ) -> Result<CaseResult, String> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let mut case = CaseResult {
            file: name.into_owned(),
            mutation: mutation.name,
            command: command.name,
            ran: run::Ran::default(),
            fault: None,
        };
        let (ran, fact) = self.run(file, mutation, command)?;
        case.ran = ran;
        match fact {
            Err(fault) => case.fault = Some(fault),
            Ok(Some(fact)) if mutation.moves.is_some() => {
                let key = (file.to_owned(), command.name);
                if !self.plain.contains_key(&key) {
                    // Not the file itself: its polygons may be triangulated differently there.
                    let (_, fact) = self.run(file, &COPY, command)?;
                    self.plain.insert(key.clone(), fact.ok().flatten());
                }
                if let (Some(Some(plain)), Some(moves)) = (self.plain.get(&key), mutation.moves) {
                    case.fault = fact.unlike(plain, moves).err();
                }
            }
            Ok(_) => {}
        }
        Ok(case)
    }

    /// Runs one case: returns its resources, and its result or the fault.
    fn run(
        &mut self,
        file: &Path,
        mutation: &Mutation,
        command: &Command,
    ) -> Result<(run::Ran, Result<Option<Fact>, String>), String> {
        let mesh = self.mesh(file);
        let folder = self.folder.path();
        let input = match (&mesh, mutation.change) {
            (Ok(mesh), Some(change)) => {
                let path = folder.join("in.obj");
                let mut mesh = mesh.clone();
                change(&mut mesh);
                mesh.write(&path)?;
                path
            }
            // Unreadable files are only run unchanged.
            (Err(_), Some(_)) => return Ok((run::Ran::default(), Ok(None))),
            (_, None) => file.to_owned(),
        };
        let output = folder.join(command.output);
        std::fs::remove_file(&output).ok();
        let record = folder.join("record.json");
        std::fs::remove_file(&record).ok();
        let ran = run::run(self.program, command, &input, &output, &record, self.limit)?;
        let given = match mutation.change {
            Some(_) => RawMesh::read(&input),
            None => mesh,
        };
        let fact = judge::judge(command, given.ok().as_ref(), &ran, &output, &record);
        Ok((ran, fact))
    }
}
