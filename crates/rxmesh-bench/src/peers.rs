//! Comparison of the CPU engine with other libraries: the same operations on the same mesh in the same run.
//!
//! `bench/peers/peers.py` times the peers in a Python that has them; `cargo xtask bench --peers` installs them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;
use serde::{Deserialize, Serialize};

use crate::measure::median;
use crate::mesh::{Input, Meshes, Recipe};
use crate::record::{BenchRecord, MeshRecord, Run, RunOptions};
use crate::rows::{self, Row};
use crate::run::RunArguments;
use crate::subject::{On, Subject as _};
use crate::table::short;
use crate::triangles::Triangles;

#[derive(clap::Args)]
pub(crate) struct PeersArguments {
    /// The Python that has the peers
    #[arg(long, value_name = "FILE")]
    python: PathBuf,
    /// The program that times them
    #[arg(long, default_value = "bench/peers/peers.py", value_name = "FILE")]
    script: PathBuf,
    #[command(flatten)]
    run: RunArguments,
}

/// Default rows, which peers can be compared with.
const OPERATIONS: &[&str] = &[
    "build",
    "normals",
    "vv",
    "mcf-setup",
    "mcf-iteration-assembled",
    "mcf",
    "geodesic",
    "curvature",
    "smooth-step",
    "edit-open-close",
    "simplify",
    "remesh",
];

/// Version of the schema.
const SCHEMA: u32 = 1;

/// One comparison.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PeersRecord {
    schema: u32,
    commit: String,
    pub(crate) date: String,
    device: String,
    host_threads: usize,
    /// The system's load averages (one minute) before and after, the latter with our own load: far above zero before
    /// means that others were using the machine. Empty where the system does not report them.
    #[serde(default)]
    load: Vec<f64>,
    options: RunOptions,
    meshes: Vec<MeshRecord>,
    /// Rows of the CPU engine with several numbers of threads.
    ours: Vec<Ours>,
    peers: Vec<PeerRun>,
}

/// The CPU engine's rows with a number of threads.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Ours {
    threads: usize,
    runs: Vec<Run>,
}

/// Result of the script for one operation of one peer on one mesh.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PeerRun {
    #[serde(default)]
    mesh: String,
    operation: String,
    system: String,
    #[serde(default)]
    version: String,
    #[serde(default)]
    note: String,
    /// Samples; empty where it could not be timed.
    #[serde(default)]
    ms: Vec<f64>,
    #[serde(default)]
    error: Option<String>,
}

/// Measures a comparison, prints it and writes the record.
pub(crate) fn run(arguments: &PeersArguments) -> Result<()> {
    let rows: Vec<&Row> = (arguments.run).rows::<Triangles>(|r| OPERATIONS.contains(&r.name))?;
    ensure!(
        rows.iter().all(|r| r.own.input.is_none()),
        "peers are compared on the input as given"
    );
    ensure!(
        !arguments.run.has_file(),
        "peers are compared on the generated meshes, not on a file's"
    );
    ensure!(
        rows.iter().all(|r| r.is_time),
        "peers are compared by times"
    );
    let mut record = PeersRecord::new(arguments.run.options::<Triangles>());
    let all = record.host_threads;
    let counts: Vec<usize> = std::iter::successors(Some(1), |n| Some(2 * n))
        .take_while(|&n| n < all)
        .chain([all])
        .collect();
    let folder = std::env::temp_dir().join(format!("rxmesh-peers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let done = sizes(arguments, &rows, &counts, &folder, &mut record);
    let _ = std::fs::remove_dir_all(&folder);
    done?;
    record.load.extend(load());
    if let Some(asked) = arguments.run.json() {
        let path = match asked.is_dir() {
            true => asked.join(record.file_name()),
            false => asked.to_owned(),
        };
        let text = serde_json::to_string_pretty(&record)? + "\n";
        rxmesh_host::files::write_bytes(&path, text.as_bytes())
            .with_context(|| path.display().to_string())?;
        eprintln!("wrote {}", path.display());
    }
    print!("{}", record.markdown());
    for p in record.peers.iter().filter(|p| p.error.is_some()) {
        let why = p.error.as_deref().unwrap_or_default();
        println!(
            "not timed: {} of {} on {}: {why}",
            p.operation, p.system, p.mesh
        );
    }
    Ok(())
}

/// Returns the load average over a minute, on Linux.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

fn sizes(
    arguments: &PeersArguments,
    rows: &[&'static Row],
    counts: &[usize],
    folder: &Path,
    record: &mut PeersRecord,
) -> Result<()> {
    let mut meshes = Meshes::new()?;
    for size in arguments.run.sizes()? {
        let name = (size.0, Input::Given);
        let made = meshes.get(name.0, name.1)?;
        let (recipe, mesh) = &made;
        for &threads in counts {
            eprintln!("{} with {threads} threads", recipe.name);
            let engine_record = ours(arguments, rows, &name, &made, threads)?;
            if record.meshes.iter().all(|m| m.name != recipe.name) {
                record.meshes.extend(engine_record.meshes);
            }
            match record.ours.iter_mut().find(|o| o.threads == threads) {
                Some(o) => o.runs.extend(engine_record.runs),
                None => record.ours.push(Ours {
                    threads,
                    runs: engine_record.runs,
                }),
            }
        }
        record
            .peers
            .extend(theirs(arguments, mesh, recipe, folder)?);
    }
    Ok(())
}

/// Measures the CPU engine's rows in a pool of `threads` threads.
fn ours(
    arguments: &PeersArguments,
    rows: &[&'static Row],
    name: &(u32, Input),
    mesh: &(Recipe, TriMesh),
    threads: usize,
) -> Result<BenchRecord> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    pool.install(|| {
        let engine = Engine::cpu();
        let options = arguments.run.options::<Triangles>();
        let mut record = BenchRecord::new(Triangles::NAME, &engine, options);
        let on = On {
            engine: &engine,
            name,
            mesh,
            rows,
            effort: arguments.run.effort::<Triangles>(),
            patch_size: None,
        };
        let faults = Triangles::measure(&on, &mut record)?;
        ensure!(faults.is_empty(), "{}", faults.join("; "));
        Ok(record)
    })
}

/// Runs the script and returns its measurements, with its errors.
fn theirs(
    arguments: &PeersArguments,
    mesh: &TriMesh,
    recipe: &Recipe,
    folder: &Path,
) -> Result<Vec<PeerRun>> {
    let (vertices, faces) = (folder.join("vertices.f32"), folder.join("faces.u32"));
    let floats = mesh.positions.iter().flat_map(|p| p.to_array());
    let bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
    std::fs::write(&vertices, bytes)?;
    let bytes: Vec<u8> = mesh
        .faces
        .iter()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    std::fs::write(&faces, bytes)?;
    let effort = arguments.run.effort::<Triangles>();
    eprintln!("{}: peers", recipe.name);
    let out = Command::new(&arguments.python)
        .arg(&arguments.script)
        .args([&vertices, &faces])
        .arg(effort.repeat.to_string())
        .arg(effort.budget.as_secs_f64().to_string())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| arguments.python.display().to_string())?;
    if !out.status.success() {
        bail!("{}: {}", arguments.script.display(), out.status);
    }
    let mut runs = Vec::new();
    // Libraries print to stdout as they like: only our own lines count.
    for line in String::from_utf8_lossy(&out.stdout).lines() {
        if line.starts_with("{\"operation\"") {
            let mut run: PeerRun = serde_json::from_str(line).with_context(|| line.to_owned())?;
            run.mesh = recipe.name.clone();
            runs.push(run);
        }
    }
    ensure!(
        !runs.is_empty(),
        "{} printed nothing",
        arguments.script.display()
    );
    Ok(runs)
}

impl PeersRecord {
    fn new(options: RunOptions) -> Self {
        let like = BenchRecord::new(Triangles::NAME, &Engine::cpu(), options);
        Self {
            schema: SCHEMA,
            commit: like.commit,
            date: like.date,
            device: like.engine.device,
            host_threads: rayon::current_num_threads(),
            load: load().into_iter().collect(),
            options: like.options,
            meshes: Vec::new(),
            ours: Vec::new(),
            peers: Vec::new(),
        }
    }

    fn file_name(&self) -> String {
        let word = self
            .device
            .to_lowercase()
            .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        format!("{}-{word}.json", &self.date[..10.min(self.date.len())])
    }

    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    /// Returns one table per mesh: an operation, our time with each number of threads, then the peers from the fastest
    /// on.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!(
            "**{}**, {} threads (commit {}, {}), medians in ms;\nin brackets the fastest peer's time over ours with \
                all threads\n",
            self.device,
            self.host_threads,
            self.commit,
            &self.date[..10.min(self.date.len())]
        );
        if let Some(load) = self.load.first().filter(|&&l| l > 0.5) {
            let _ = writeln!(
                text,
                "\nOthers were working on the machine (load {load:.1} before the run): the times are too long and vary."
            );
        }
        for mesh in &self.meshes {
            let _ = write!(text, "\n| {} faces |", mesh.name);
            for o in &self.ours {
                let _ = match o.threads {
                    1 => write!(text, " 1 thread |"),
                    n => write!(text, " {n} threads |"),
                };
            }
            text += " peers |\n| --- |";
            text += &" ---: |".repeat(self.ours.len());
            text += " --- |\n";
            for operation in self.operations(&mesh.name) {
                text += &self.line(&operation, &mesh.name);
            }
        }
        text
    }

    /// Returns our operations in the order of the table, then those that only peers have.
    fn operations(&self, mesh: &str) -> Vec<String> {
        let ours = self
            .ours
            .iter()
            .flat_map(|o| &o.runs)
            .filter(|r| r.mesh == mesh);
        let timed = self
            .peers
            .iter()
            .filter(|p| p.mesh == mesh && !p.ms.is_empty());
        let mut all: Vec<String> = Vec::new();
        for name in ours.map(|r| &r.row).chain(timed.map(|p| &p.operation)) {
            if !all.contains(name) {
                all.push(name.clone());
            }
        }
        all
    }

    /// Returns our rows whose work a peer's figure includes, with all threads, as far as they were measured.
    fn beside(&self, operation: &str, peer: &str, mesh: &str) -> Vec<(&'static str, f64)> {
        let row = rows::all().find(|r| r.name == operation);
        let against = row.map_or(&[][..], |r| r.against);
        let Some(against) = against
            .iter()
            .find(|a| peer == a.system && !a.beside.is_empty())
        else {
            return Vec::new();
        };
        let runs = || self.ours.last().into_iter().flat_map(|o| &o.runs);
        let ms = |row: &str| {
            let found = runs().find(|r| r.row == row && r.mesh == mesh);
            found.map(Run::median)
        };
        let rows = against.beside.iter();
        rows.filter_map(|&row| Some((row, ms(row)?))).collect()
    }

    /// Operations of which a peer is faster than ours with all threads: the peer and its time over ours, by mesh.
    pub(crate) fn losses(&self) -> Vec<(String, Vec<(String, String)>)> {
        let mut all: Vec<(String, Vec<(String, String)>)> = Vec::new();
        for mesh in &self.meshes {
            for operation in self.operations(&mesh.name) {
                let Some((peer, x)) = self.fastest(&operation, &mesh.name) else {
                    continue;
                };
                if x >= 1.0 {
                    continue;
                }
                let found = (peer.to_owned(), format!("{x:.1}x on {} faces", mesh.name));
                match all.iter_mut().find(|(name, _)| *name == operation) {
                    Some((_, list)) => list.push(found),
                    None => all.push((operation, vec![found])),
                }
            }
        }
        all
    }

    /// Returns the fastest peer, and its time over ours with all threads and the rows that its figure covers.
    fn fastest(&self, operation: &str, mesh: &str) -> Option<(&str, f64)> {
        let mut runs = self.ours.last()?.runs.iter();
        let ours = runs.find(|r| r.row == operation && r.mesh == mesh)?;
        let timed = self
            .peers
            .iter()
            .filter(|p| p.operation == operation && p.mesh == mesh && !p.ms.is_empty());
        let (ms, peer) = timed
            .map(|p| (median(&p.ms), p))
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        let beside = self.beside(operation, &peer.system, mesh);
        let all = ours.median() + beside.iter().map(|(_, ms)| ms).sum::<f64>();
        Some((&peer.system, ms / all))
    }

    fn line(&self, operation: &str, mesh: &str) -> String {
        let same = |r: &&Run| r.row == operation && r.mesh == mesh;
        let ours: Vec<Option<f64>> = self
            .ours
            .iter()
            .map(|o| o.runs.iter().find(same).map(Run::median))
            .collect();
        let mut peers: Vec<(f64, &PeerRun)> = self
            .peers
            .iter()
            .filter(|p| p.operation == operation && p.mesh == mesh && !p.ms.is_empty())
            .map(|p| (median(&p.ms), p))
            .collect();
        peers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut cells: Vec<String> = ours
            .iter()
            .map(|ms| ms.map_or(String::new(), short))
            .collect();
        if let (Some(&Some(ms)), Some((best, peer)), Some(last)) =
            (ours.last(), peers.first(), cells.last_mut())
        {
            let beside = self.beside(operation, &peer.system, mesh);
            let all = ms + beside.iter().map(|(_, ms)| ms).sum::<f64>();
            let names: String = beside
                .iter()
                .map(|(row, _)| format!(", with {row}"))
                .collect();
            let _ = write!(last, " ({:.1}x{names})", best / all);
        }
        let words: Vec<String> = peers
            .iter()
            .map(|(ms, p)| match p.note.is_empty() {
                true => format!("{} {}", p.system, short(*ms)),
                false => format!("{} {} ({})", p.system, short(*ms), p.note),
            })
            .collect();
        cells.push(words.join("; "));
        format!("| {operation} | {} |\n", cells.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{mesh, record};

    fn peer(operation: &str, system: &str, ms: &[f64]) -> PeerRun {
        PeerRun {
            mesh: "20k".to_owned(),
            operation: operation.to_owned(),
            system: system.to_owned(),
            version: String::new(),
            note: String::new(),
            ms: ms.to_vec(),
            error: ms.is_empty().then(|| "no".to_owned()),
        }
    }

    #[test]
    fn the_table_names_the_fastest_peer_first() {
        let like = record(&[("vv", 4.0)]);
        let mut r = PeersRecord::new(like.options);
        r.meshes = vec![mesh("20k", 20_000)];
        for (threads, ms) in [(1, 4.0), (2, 2.0)] {
            let runs = record(&[("vv", ms), ("build", ms), ("simplify", ms)]).runs;
            r.ours.push(Ours { threads, runs });
        }
        r.peers = vec![
            peer("vv", "slow", &[9.0]),
            peer("vv", "fast", &[3.0, 5.0, 4.0]),
            peer("vv", "absent", &[]),
            peer("remesh", "alone", &[7.0]),
            peer("simplify", "meshoptimizer", &[2.0]),
        ];
        let table = r.markdown();
        let line = |start: &str| {
            let found = table.lines().find(|l| l.starts_with(start));
            found.unwrap_or_default().to_owned()
        };
        assert_eq!(
            line("| vv"),
            "| vv | 4.000 | 2.000 (2.0x) | fast 4.000; slow 9.000 |"
        );
        assert_eq!(line("| build"), "| build | 4.000 | 2.000 |  |");
        // A peer's figure that starts from faces is compared with ours plus construction.
        let simplify = "| simplify | 4.000 | 2.000 (0.5x, with build) | meshoptimizer 2.000 |";
        assert_eq!(line("| simplify"), simplify);
        assert_eq!(line("| remesh"), "| remesh |  |  | alone 7.000 |");
        let slower = ("meshoptimizer".to_owned(), "0.5x on 20k faces".to_owned());
        assert_eq!(r.losses(), [("simplify".to_owned(), vec![slower])]);
        assert_eq!(
            line("| 20k faces"),
            "| 20k faces | 1 thread | 2 threads | peers |"
        );
    }
}
