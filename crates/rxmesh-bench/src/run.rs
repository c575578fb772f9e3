//! The measurement itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Error, Result, bail, ensure};
use clap::Parser as _;
use rxmesh_host::engine::{Engine, EngineKind};

use crate::measure::Effort;
use crate::mesh::{Input, Size};
use crate::record::{BenchRecord, RunOptions};
use crate::rows;
use crate::solvers::Solvers;
use crate::subject::{On, Row, Subject};
use crate::triangles::Triangles;
use crate::{EngineChoice, RowsOf};
use crate::{compare, table};

#[derive(clap::Args)]
#[group(id = "measurement")]
pub(crate) struct RunArguments {
    /// Engines to measure
    #[arg(long, default_value = "all")]
    engine: EngineChoice,
    /// Meshes to measure. Triangles: numbers of faces, the nearest of 20k, 80k, 320k, 1.28m, 5.12m, 20.48m is taken
    /// [default: 20k,320k,1.28m,5.12m]. Others: names such as sphere:40, cube:22, cubes:44x4, cloths:100x100
    /// [default: those of the rows]
    #[arg(long, alias = "meshes", value_delimiter = ',', value_name = "SIZE")]
    sizes: Vec<String>,
    /// Measure the mesh of a file in place of the generated ones
    #[arg(long, value_name = "FILE", conflicts_with = "sizes")]
    pub(crate) mesh: Option<PathBuf>,
    /// Subdivisions of the file's mesh, each measured: Loop's of triangles, cells into eight of volumes [default: 0]
    #[arg(long, value_delimiter = ',', value_name = "K", requires = "mesh",
        value_parser = clap::value_parser!(u32).range(0..=8))]
    subdivide: Vec<u32>,
    /// Copies of the file's body in rows of many bodies [default: as many as make 6.3 million cells]
    #[arg(long, value_name = "N", requires = "mesh", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) copies: Option<u32>,
    /// Noise of the file's triangles after subdivision: each coordinate moves by at most S mean edge lengths
    #[arg(long, value_name = "S", requires = "mesh")]
    pub(crate) jitter: Option<f32>,
    /// Only these rows, by name or by the beginning of names; `--list` lists them. Parted by
    /// semicolons, or by commas without a space after them
    #[arg(long, value_name = "ROW")]
    rows: Option<String>,
    /// Only other methods, patches of other sizes, and the rows that they are compared with, in one run
    #[arg(long, conflicts_with = "rows")]
    rivals: bool,
    /// List the rows
    #[arg(long)]
    list: bool,
    /// Only rows of at most N million elements; rows without a mesh of their own stay
    #[arg(long, default_value_t = 1e9, value_name = "N")]
    most: f64,
    /// Only rows of this scheduler of edits
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) conflicts: RowsOf,
    /// Most samples of a row [default: 21; volumes, bodies: 15]
    #[arg(long, value_name = "N")]
    repeat: Option<usize>,
    /// Seconds after which a row takes no more samples than it must [default: 2; volumes: 0.3; surfaces, bodies: 1]
    #[arg(long, value_name = "S")]
    budget: Option<f64>,
    /// Launches between two device events [default: 20; bodies: 10]
    #[arg(long, value_name = "N")]
    batch: Option<u32>,
    /// Preparation of triangle meshes
    #[arg(long, alias = "order", value_enum, default_value = "given")]
    pub(crate) input: Input,
    /// Most faces or cells of a patch [default: triangles: 512; volumes: what suits the mesh]
    #[arg(long, value_name = "N")]
    pub(crate) patch_size: Option<u32>,
    /// Most faces of a patch in rows of the speculative scheduler [default: 256]
    #[arg(long, value_name = "N")]
    speculative_patch_size: Option<u32>,
    /// Seed of the patches, and of the noise of a file's mesh
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,
    /// Threads of a patch kernel's block on a GPU, in place of each kernel's own number
    #[arg(long, value_name = "N")]
    block_threads: Option<u32>,
    /// Threads of the CPU engine and of the construction [default: all]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Write the record: to a folder under a new name, or to a file
    #[arg(long, value_name = "PATH")]
    json: Option<PathBuf>,
    /// Compare with an earlier record of the same engine
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// End with a table of one line a row instead of all columns
    #[arg(long)]
    short: bool,
    /// A few samples on the smallest meshes, to see that everything runs
    #[arg(long)]
    quick: bool,
    /// Measure nothing, and print the table of a record
    #[arg(long, value_name = "RECORD", exclusive = true)]
    print: Option<PathBuf>,
}

/// A command line of nothing but these arguments.
#[derive(clap::Parser)]
struct RunLine {
    #[command(flatten)]
    arguments: RunArguments,
}

/// Most million elements of a row's own mesh with `--quick`.
const QUICK: f64 = 0.1;

impl RunArguments {
    /// Reads arguments as from a command line.
    pub(crate) fn parsed(line: &[impl AsRef<str>]) -> Result<RunArguments> {
        let words = ["bench"].into_iter().chain(line.iter().map(AsRef::as_ref));
        Ok(RunLine::try_parse_from(words)?.arguments)
    }

    pub(crate) fn sizes(&self) -> Result<Vec<Size>> {
        let mut sizes = match (self.sizes.is_empty(), self.quick) {
            (false, _) => {
                let sizes = self.sizes.iter().map(|s| s.parse().map_err(Error::msg));
                sizes.collect::<Result<_>>()?
            }
            (true, true) => vec![Size(0)],
            (true, false) => vec![Size(0), Size(2), Size(3), Size(4)],
        };
        sizes.sort_unstable();
        sizes.dedup();
        Ok(sizes)
    }

    /// Returns the numbers of Loop subdivisions.
    pub(crate) fn levels(&self) -> Result<Vec<u32>> {
        let mut levels = match (&self.mesh, self.subdivide.is_empty()) {
            (None, _) => self.sizes()?.iter().map(|s| s.0).collect(),
            (Some(_), true) => vec![0],
            (Some(_), false) => self.subdivide.clone(),
        };
        levels.sort_unstable();
        levels.dedup();
        Ok(levels)
    }

    /// Returns the names of the meshes that were asked for.
    pub(crate) fn mesh_names(&self) -> Vec<String> {
        let Some(path) = &self.mesh else {
            return self.sizes.clone();
        };
        let name = |level: u32| match level {
            0 => format!("file:{}", path.display()),
            _ => format!("file:{}_L{level}", path.display()),
        };
        if self.subdivide.is_empty() {
            vec![name(0)]
        } else {
            self.subdivide.iter().copied().map(name).collect()
        }
    }

    /// Returns the number of a subject's meshes to measure.
    pub(crate) fn most_meshes(&self) -> usize {
        if self.quick { 1 } else { usize::MAX }
    }

    pub(crate) fn effort<S: Subject>(&self) -> Effort {
        let (repeat, budget, batch) = S::EFFORT;
        let (repeat, budget) = if self.quick {
            (3, 0.2)
        } else {
            (repeat, budget)
        };
        let budget = self.budget.unwrap_or(budget);
        Effort {
            repeat: self.repeat.unwrap_or(repeat).max(1),
            budget: Duration::from_secs_f64(budget.clamp(0.0, 1e6)),
            batch: self.batch.unwrap_or(batch).max(1),
        }
    }

    /// Returns the path of the record, if it is to be written.
    pub(crate) fn json(&self) -> Option<&Path> {
        self.json.as_deref()
    }

    /// Returns `true` if a file's mesh was requested.
    pub(crate) fn has_file(&self) -> bool {
        self.mesh.is_some()
    }

    /// Returns the rows that were asked for: those of a name, else those whose name begins so; without any, all that
    /// `default` says.
    pub(crate) fn rows<S: Subject>(
        &self,
        default: impl Fn(&Row<S>) -> bool,
    ) -> Result<Vec<&'static Row<S>>> {
        let all = S::rows();
        let mut rows = match &self.rows {
            None if self.rivals => all.into_iter().filter(|r| S::is_compared(r)).collect(),
            None => all.into_iter().filter(|r| default(r)).collect(),
            Some(asked) => {
                let names = names(asked);
                for name in &names {
                    ensure!(
                        all.iter().any(|r| r.name.starts_with(name)),
                        "there is no row {name}; there are {}",
                        distinct(&all).join("; ")
                    );
                }
                let is = |row: &Row<S>, name: &str| {
                    let exact = all.iter().any(|r| r.name == name);
                    row.name == name || !exact && row.name.starts_with(name)
                };
                let wanted = |r: &&Row<S>| names.iter().any(|name| is(r, name));
                all.iter().copied().filter(wanted).collect::<Vec<_>>()
            }
        };
        let most = if self.quick {
            self.most.min(QUICK)
        } else {
            self.most
        };
        rows.retain(|r| r.elements as f64 <= most * 1e6);
        Ok(rows)
    }

    /// Fails if a flag was given that only triangles have.
    fn check_others<S: Subject>(&self) -> Result<()> {
        let subdivide = !self.subdivide.is_empty();
        ensure!(
            !subdivide || S::OF_CELLS,
            "--subdivide is for triangle meshes and volumes"
        );
        let given = [
            (self.jitter.is_some(), "--jitter"),
            (self.conflicts != RowsOf::Both, "--conflicts"),
            (self.input != Input::Given, "--input"),
            (self.rivals, "--rivals"),
            (
                self.speculative_patch_size.is_some(),
                "--speculative-patch-size",
            ),
        ];
        match given.iter().find(|(given, _)| *given) {
            Some((_, flag)) => bail!("{flag} is for triangle meshes"),
            None => Ok(()),
        }
    }

    pub(crate) fn options<S: Subject>(&self) -> RunOptions {
        let effort = self.effort::<S>();
        RunOptions {
            order: self.input,
            patch_size: self.patch_size,
            seed: self.seed,
            repeat: effort.repeat,
            budget_s: effort.budget.as_secs_f64(),
            batch: effort.batch,
            block_threads: self.block_threads,
            speculative_patch_size: self.speculative_patch_size,
        }
    }
}

/// Parts the names of rows at semicolons, and at commas without a space after them: names have commas with one.
fn names(text: &str) -> Vec<&str> {
    let comma = |(i, c): (usize, char)| c == ',' && !text[i + 1..].starts_with(' ');
    let ends = text
        .char_indices()
        .filter(|&(i, c)| c == ';' || comma((i, c)));
    let mut from = 0;
    let mut names: Vec<&str> = ends
        .map(|(i, _)| &text[std::mem::replace(&mut from, i + 1)..i])
        .collect();
    names.push(&text[from..]);
    names
        .iter()
        .map(|n| n.trim())
        .filter(|n| !n.is_empty())
        .collect()
}

/// Returns the names of rows, each once.
fn distinct<S: Subject>(rows: &[&Row<S>]) -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.name) {
            names.push(row.name);
        }
    }
    names
}

/// Returns the requested engines that exist.
pub(crate) fn engines(choice: EngineChoice) -> Result<Vec<Engine>> {
    if let EngineChoice::Kind(kind) = choice {
        return Ok(vec![kind.start()?]);
    }
    let mut engines = Vec::new();
    for kind in EngineKind::ALL.into_iter().rev() {
        match kind.start() {
            Ok(engine) => engines.push(engine),
            Err(why) => eprintln!("no {}: {why}", kind.title()),
        }
    }
    Ok(engines)
}

/// Measures a subject's rows on the engines.
pub(crate) fn run<S: Subject>(arguments: &RunArguments) -> Result<()> {
    if let Some(path) = &arguments.print {
        print!("{}", table::table(&BenchRecord::read(path)?));
        return Ok(());
    }
    if arguments.list {
        print!("{}", list(&S::rows()));
        return Ok(());
    }
    if S::NAME != Triangles::NAME {
        arguments.check_others::<S>()?;
    }
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()?;
    }
    ensure!(
        arguments.copies.is_none() || S::NAME == Solvers::NAME,
        "--copies is for deformable bodies"
    );
    let (records, failed) = measure::<S>(arguments)?;
    for record in &records {
        if let Some(asked) = &arguments.json {
            let path = record.path(asked, records.len() > 1);
            record.write(&path)?;
            eprintln!("wrote {}", path.display());
        }
        if !arguments.short {
            print!("{}", table::table(record));
        }
    }
    if arguments.short {
        for record in &records {
            let rows = S::rows();
            print!("{}", table::short_table(record, &distinct(&rows)));
        }
    }
    differences(&records)?;
    if let Some(old) = &arguments.compare {
        let old = BenchRecord::read(old)?;
        match records.iter().find(|r| r.engine.name == old.engine.name) {
            Some(new) => print!("{}", compare::compare(&old, new)),
            None => bail!(
                "the old record is of the engine {}, which was not measured",
                old.engine.name
            ),
        }
    }
    if let Some(first) = failed.first() {
        bail!("{} rows could not be measured; {first}", failed.len());
    }
    Ok(())
}

/// Returns a line for each row: its name, and what it measures.
fn list<S: Subject>(rows: &[&Row<S>]) -> String {
    let about = |name: &str| rows.iter().find(|r| r.name == name).map_or("", |r| r.about);
    let lines = distinct(rows)
        .into_iter()
        .map(|name| format!("{name:<22} {}", about(name)));
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Measures the rows that were asked for; returns the records, and a message for each row that cannot be measured.
pub(crate) fn measure<S: Subject>(
    arguments: &RunArguments,
) -> Result<(Vec<BenchRecord>, Vec<String>)> {
    let mut subject = S::new(arguments)?;
    let rows = arguments.rows(S::is_default)?;
    let batches = subject.batches(arguments, rows)?;
    ensure!(
        !batches.iter().all(|b| b.rows.is_empty()),
        "there are no such rows"
    );
    let engines = engines(arguments.engine)?;
    let effort = arguments.effort::<S>();
    let mut records = Vec::new();
    for engine in &engines {
        let mut record = BenchRecord::new(S::NAME, engine, arguments.options::<S>());
        eprintln!("{}: measuring the copy bandwidth", record.engine.name);
        let bytes = match (arguments.quick, engine.is_cuda()) {
            (true, _) => 64 << 20,
            (_, false) => 256 << 20,
            _ => 1 << 30,
        };
        record.ceiling = Some(rows::copy(engine, bytes, effort)?);
        records.push(record);
    }
    let mut failed = Vec::new();
    for batch in &batches {
        let mesh = subject.make(&batch.name)?;
        for (engine, record) in engines.iter().zip(&mut records) {
            let on = On {
                engine,
                name: &batch.name,
                mesh: &mesh,
                rows: &batch.rows,
                effort,
                patch_size: arguments.patch_size,
            };
            failed.extend(S::measure(&on, record)?);
        }
    }
    Ok((records, failed))
}

/// Fails when engines do not agree on the results of a query.
fn differences(records: &[BenchRecord]) -> Result<()> {
    let mut faults = Vec::new();
    for (i, record) in records.iter().enumerate() {
        for (run, other) in record
            .runs
            .iter()
            .flat_map(|run| records[..i].iter().map(move |r| (run, r)))
        {
            let same = other.find(&run.row, &run.mesh);
            if same.is_some_and(|o| o.figures.get("checksum") != run.figures.get("checksum")) {
                faults.push(format!(
                    "{} on {}: {} and {} do not agree",
                    run.row, run.mesh, record.engine.name, other.engine.name
                ));
            }
        }
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
