//! The measurement itself.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::conflicts::Conflicts;
use anyhow::{Context as _, Error, Result, bail, ensure};
use rxmesh_host::engine::{Engine, EngineKind};
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::patch::PatchStats;
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::topo::Kind;

use crate::floor::Parts;
use crate::measure::Effort;
use crate::mesh::{Chosen, Input, Meshes, Size, Subject};
use crate::record::{MeshRecord, Options, Record, patch_options};
use crate::rows::{self, Bench, Row, Work};
use crate::{EngineChoice, RowsOf};
use crate::{compare, reference, table};

#[derive(clap::Args)]
#[group(id = "measurement")]
pub(crate) struct Arguments {
    /// Engines to measure
    #[arg(long, default_value = "all")]
    engine: EngineChoice,
    /// Numbers of faces; the nearest of 20k, 80k, 320k, 1.28m, 5.12m, 20.48m is taken [default: 20k,320k,1.28m,5.12m]
    #[arg(long, value_delimiter = ',', value_name = "SIZE")]
    sizes: Vec<Size>,
    /// Measure the mesh of a file (OBJ, PLY, OFF, STL) in place of the generated ones
    #[arg(long, value_name = "FILE", conflicts_with = "sizes")]
    mesh: Option<PathBuf>,
    /// Loop subdivisions of the file's mesh, each measured [default: 0]
    #[arg(long, value_delimiter = ',', value_name = "K", requires = "mesh",
        value_parser = clap::value_parser!(u32).range(0..=8))]
    subdivide: Vec<u32>,
    /// Noise of the file's mesh after subdivision: each coordinate moves by at most S mean edge lengths
    #[arg(long, value_name = "S", requires = "mesh")]
    jitter: Option<f32>,
    /// Only these rows; `rxmesh-bench rows` lists them
    #[arg(long, value_delimiter = ',', value_name = "ROW")]
    rows: Vec<String>,
    /// Only rows of this scheduler of edits
    #[arg(long, value_enum, default_value = "both")]
    conflicts: RowsOf,
    /// Most samples of a row
    #[arg(long, value_name = "N")]
    repeat: Option<usize>,
    /// Seconds after which a row takes no more samples than it must
    #[arg(long, default_value_t = 2.0, value_name = "S")]
    budget: f64,
    /// Launches between two device events
    #[arg(long, default_value_t = 20, value_name = "N")]
    batch: u32,
    /// Preparation of the meshes
    #[arg(long, alias = "order", value_enum, default_value = "given")]
    input: Input,
    /// Most faces of a patch
    #[arg(long, default_value_t = 512, value_name = "N")]
    patch_size: u32,
    /// Most faces of a patch in rows of the speculative scheduler [default: 256]
    #[arg(long, value_name = "N")]
    speculative_patch_size: Option<u32>,
    /// Seed of the patches, and of the noise of a file's mesh
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
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
    /// A few samples on the smallest mesh, to see that everything runs
    #[arg(long)]
    quick: bool,
}

impl Arguments {
    pub(crate) fn sizes(&self) -> Vec<Size> {
        let mut sizes = match (self.sizes.is_empty(), self.quick) {
            (false, _) => self.sizes.clone(),
            (true, true) => vec![Size(0)],
            (true, false) => vec![Size(0), Size(2), Size(3), Size(4)],
        };
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// Returns the numbers of Loop subdivisions.
    fn levels(&self) -> Vec<u32> {
        let mut levels = match (&self.mesh, self.subdivide.is_empty()) {
            (None, _) => self.sizes().iter().map(|s| s.0).collect(),
            (Some(_), true) => vec![0],
            (Some(_), false) => self.subdivide.clone(),
        };
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    fn meshes(&self) -> Result<Meshes> {
        let Some(path) = &self.mesh else {
            return Meshes::new();
        };
        let jitter = self.jitter.unwrap_or(0.0);
        ensure!(
            jitter.is_finite() && jitter >= 0.0,
            "--jitter is {jitter}, but must be a finite number, 0 or more"
        );
        ensure!(
            self.input != Input::Plain,
            "--input plain is a torus of the bench's own, and no file's mesh"
        );
        Meshes::of_file(Chosen {
            path: path.clone(),
            jitter,
            seed: self.seed,
        })
    }

    pub(crate) fn effort(&self) -> Effort {
        let (repeat, budget) = if self.quick {
            (3, 0.2)
        } else {
            (21, self.budget)
        };
        Effort {
            repeat: self.repeat.unwrap_or(repeat).max(1),
            budget: Duration::from_secs_f64(budget.clamp(0.0, 1e6)),
            batch: self.batch.max(1),
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

    /// Returns `true` if rows were requested by name.
    pub(crate) fn rows_given(&self) -> bool {
        !self.rows.is_empty()
    }

    pub(crate) fn rows(&self) -> Result<Vec<&'static Row>> {
        for asked in &self.rows {
            let names: Vec<&str> = rows::all().map(|r| r.name).collect();
            ensure!(
                names.contains(&asked.as_str()),
                "there is no row {asked}; there are {}",
                names.join(", ")
            );
        }
        let conflicts = match self.conflicts {
            RowsOf::Both => None,
            RowsOf::Claims => Some(Conflicts::Claims),
            RowsOf::Speculative => Some(Conflicts::Speculative),
        };
        let wanted = |r: &&Row| {
            let named = self.rows.is_empty() || self.rows.iter().any(|n| n == r.name);
            named && conflicts.is_none_or(|c| c == r.conflicts)
        };
        let rows: Vec<&Row> = rows::all().filter(wanted).collect();
        ensure!(
            !rows.is_empty(),
            "none of these rows is measured on that scheduler of edits"
        );
        Ok(rows)
    }

    pub(crate) fn options(&self) -> Options {
        let effort = self.effort();
        Options {
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

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()?;
    }
    let rows = arguments.rows()?;
    let engines = engines(arguments.engine)?;
    let mut records = Vec::new();
    for engine in &engines {
        let mut record = Record::new(engine, arguments.options());
        eprintln!("{}: measuring the copy bandwidth", record.engine.name);
        let bytes = match (arguments.quick, engine.is_cuda()) {
            (true, _) => 64 << 20,
            (_, false) => 256 << 20,
            _ => 1 << 30,
        };
        record.ceiling = Some(rows::copy(engine, bytes, arguments.effort())?);
        records.push(record);
    }
    let mut meshes = arguments.meshes()?;
    let mut failed = Vec::new();
    for level in arguments.levels() {
        for input in [
            None,
            Some(Input::Shuffled),
            Some(Input::Sorted),
            Some(Input::Plain),
        ] {
            let rows: Vec<&Row> = rows.iter().copied().filter(|r| r.input == input).collect();
            let own = input.unwrap_or(arguments.input);
            if input.is_some() && rows.is_empty() || !meshes.has(own) {
                continue;
            }
            let (subject, mesh) = meshes.get(level, own)?;
            for (engine, record) in engines.iter().zip(&mut records) {
                let faults = measure(engine, &mesh, &subject, &rows, arguments.effort(), record)
                    .with_context(|| format!("{} on {}", subject.name, record.engine.name))?;
                failed.extend(faults);
            }
        }
    }
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
        records
            .iter()
            .for_each(|r| print!("{}", table::short_table(r)));
    }
    differences(&records)?;
    if let Some(old) = &arguments.compare {
        let old = Record::read(old)?;
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

/// Measures rows on one mesh and one engine. The record keeps the first mesh of each size, with the patches of the
/// options. Returns a message for each row that cannot be measured on a file's mesh; on the bench's own meshes such a
/// row ends the run.
pub(crate) fn measure(
    engine: &Engine,
    mesh: &TriMesh,
    subject: &Subject,
    rows: &[&Row],
    effort: Effort,
    record: &mut Record,
) -> Result<Vec<String>> {
    engine.set_block_threads(record.options.block_threads);
    let mut faults = Vec::new();
    for conflicts in [Conflicts::Claims, Conflicts::Speculative] {
        let rows = rows.iter().filter(|r| r.conflicts == conflicts);
        let rows: Vec<&Row> = rows.copied().collect();
        if conflicts == Conflicts::Claims || !rows.is_empty() {
            let faults_there =
                measure_with(conflicts, engine, mesh, subject, &rows, effort, record)?;
            faults.extend(faults_there);
        }
    }
    Ok(faults)
}

/// Measures the rows of one scheduler of edits, which have patches of one size.
fn measure_with(
    conflicts: Conflicts,
    engine: &Engine,
    mesh: &TriMesh,
    subject: &Subject,
    rows: &[&Row],
    effort: Effort,
    record: &mut Record,
) -> Result<Vec<String>> {
    let say = |what: &str| eprintln!("{} on {}: {what}", subject.name, engine.name());
    let timed = rows.iter().find(|r| matches!(r.work, Work::Build));
    say(timed.map_or("build", |r| r.name));
    let options = patch_options(&record.options, conflicts);
    let own = (conflicts == Conflicts::Speculative).then_some(options.patch_size);
    let (rx, stats, built) = rows::build(engine, mesh, &options, timed.map(|_| effort))?;
    if let Some(row) = timed {
        record.runs.push(row.finish(subject, engine, own, built));
    }
    let bench = Bench {
        engine,
        rx: &rx,
        mesh,
        patch_size: options.patch_size,
        jittered: OnceCell::new(),
        parts: Parts::of(&rx),
        effort,
    };
    let mut faults = Vec::new();
    for row in rows {
        let place = |error: Error| error.context(format!("row {}", row.name));
        let outcome = one(row, &bench, subject, own, record).map_err(place);
        match outcome {
            Err(error) if subject.file.is_some() => {
                say(&format!("LEFT OUT: {error:#}"));
                faults.push(format!("{} on {}: {error:#}", subject.name, engine.name()));
            }
            outcome => outcome?,
        }
    }
    if conflicts == Conflicts::Claims && record.meshes.iter().all(|m| m.name != subject.name) {
        record.meshes.push(about(&rx, subject, &stats)?);
    }
    Ok(faults)
}

/// Measures one row; its measurement goes into the record.
fn one(
    row: &Row,
    bench: &Bench<'_>,
    subject: &Subject,
    own: Option<u32>,
    record: &mut Record,
) -> Result<()> {
    let engine = bench.engine;
    if !matches!(row.work, Work::Build) {
        eprintln!("{} on {}: {}", subject.name, engine.name(), row.name);
    }
    match row.work {
        Work::Build => {}
        Work::On(run) => {
            let run = row.finish(subject, engine, own, run(bench)?);
            record.runs.push(run);
        }
        Work::Amount(count) => {
            let amount = row.finish_amount(subject, engine, own, count(bench)?);
            record.amounts.push(amount);
        }
    }
    Ok(())
}

fn about(rx: &RxMesh, subject: &Subject, stats: &PatchStats) -> Result<MeshRecord> {
    let mut about = MeshRecord {
        name: subject.name.clone(),
        recipe: subject.recipe.clone(),
        level: subject.level,
        vertices: rx.count(Kind::Vertex),
        edges: rx.count(Kind::Edge),
        faces: rx.count(Kind::Face),
        device_bytes: rx.device_bytes() as u64,
        device_bytes_a_face: rx.device_bytes() as f64 / f64::from(subject.faces),
        reference_bytes_a_face: reference::bytes_a_face(subject.faces),
        file: subject.file.clone(),
        patches: serde_json::Value::Null,
    };
    about.set_patches(stats)?;
    Ok(about)
}

/// Fails when engines do not agree on the results of a query.
fn differences(records: &[Record]) -> Result<()> {
    let mut faults = Vec::new();
    for (i, record) in records.iter().enumerate() {
        for (run, other) in record
            .runs
            .iter()
            .flat_map(|run| records[..i].iter().map(move |r| (run, r)))
        {
            let same = other
                .runs
                .iter()
                .find(|o| o.row == run.row && o.mesh == run.mesh);
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
