//! One run of a command: its stages with their times, and its record.

use crate::app::{Application, Message};
use crate::cli::{CommonArgs, ComputeArgs, PatchArgs};
use crate::console::{Console, is_stdout};
use crate::engines::Starting;
use crate::input::{self, Input};
use crate::live::LivePage;
use crate::output::{OutputKind, OutputTarget};
use crate::picture::{MOST, Portrait};
use crate::progress::Progress;
use crate::record::{InputRecord, OutputRecord, PatchRecord, Record, listed, shown};
use crate::text;
use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use rxmesh::Stage;
use rxmesh::on::{MeshPatches, PatchesOn};
use rxmesh_host::engine::Engine;
use rxmesh_host::io::{self, Model};
use rxmesh_host::mesh::{Extras, PolyMesh, TetMesh, TriMesh};
use rxmesh_host::patch::{self, CacheKey, PatchOptions, PatchSet};
use rxmesh_host::store::RxMesh;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A run under way.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) console: Console,
    pub(crate) record: Record,
    pub(crate) progress: Progress,
    start: Instant,
    pub(crate) starting: Option<Starting>,
    /// Path of the result, once it is known.
    output: Option<PathBuf>,
    pub(crate) portrait: Option<Portrait>,
    /// Page of the run while it works.
    pub(crate) live: Option<Arc<LivePage>>,
    /// Receiver of the result, of a run on one batch of several.
    batch: Option<Arc<Mutex<BatchResult>>>,
    /// Engine that was started for it.
    pub(crate) given: Option<Engine>,
}

/// Result of a run on one batch of several, for the run on all of them.
#[derive(Debug, Default)]
pub(crate) struct BatchResult {
    pub(crate) text: String,
    pub(crate) record: Record,
    /// Meshes that were written, with their files, if a picture shows them.
    pub(crate) drawn: Option<Vec<(PathBuf, TriMesh)>>,
}

impl Run {
    pub(crate) fn new(command: &'static str, common: &CommonArgs) -> Result<Run> {
        let start = Instant::now();
        let console = Console::new(common.quiet, common.json.as_deref())?;
        let portrait = Portrait::new(common)?;
        // 0 is one a core. Started here, so that a system that gives no threads is an error and not a panic later.
        let n = common.threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n as usize);
        pool.build_global().with_context(|| match n {
            0 => "threads cannot be started".to_owned(),
            n => format!("{n} threads cannot be started"),
        })?;
        let live = match common.live {
            Some(port) => {
                let live = LivePage::start(port, command)?;
                console.note(&format!("live: {}", live.address()));
                Some(Arc::new(live))
            }
            None => None,
        };
        Ok(Run {
            progress: Progress::new(console.is_quiet(), live.clone()),
            live,
            console,
            record: Record {
                schema: crate::record::SCHEMA,
                command,
                version: env!("CARGO_PKG_VERSION"),
                ..Record::default()
            },
            start,
            starting: None,
            output: None,
            portrait,
            batch: None,
            given: None,
        })
    }

    /// Returns a run on one batch of several, whose result goes to a receiver.
    pub(crate) fn of_batch(&self, result: Arc<Mutex<BatchResult>>) -> Result<Run> {
        Ok(Run {
            progress: Progress::default(),
            console: Console::new(self.console.is_quiet(), None)?,
            record: Record {
                schema: self.record.schema,
                command: self.record.command,
                version: self.record.version,
                ..Record::default()
            },
            start: Instant::now(),
            starting: None,
            output: None,
            portrait: None,
            live: None,
            batch: Some(result),
            given: None,
        })
    }

    /// Returns `true` for a run on one batch of several: the program continues after it.
    pub(crate) fn is_of_batch(&self) -> bool {
        self.batch.is_some()
    }

    /// Begins the work of a batch on an engine that was started for it.
    pub(crate) fn begin_on(&mut self, engine: &Engine) {
        (self.start, self.given) = (Instant::now(), Some(engine.clone()));
    }

    /// Returns the run of a command that writes a mesh, and its target. Refuses an output that could not be written.
    pub(crate) fn with_target(
        command: &'static str,
        args: &ComputeArgs,
        gives: OutputKind,
    ) -> Result<(Run, OutputTarget)> {
        let mut run = Run::new(command, &args.common)?;
        let target = OutputTarget::of(command, args, gives, run.console.json_file())?;
        run.leads_to(&target);
        run.start_engine(args.engine.engine, false);
        Ok((run, target))
    }

    /// Runs a stage; returns its result and its time in milliseconds.
    pub(crate) fn stage<T>(
        &self,
        name: &'static str,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Option<f64>)> {
        self.progress.stage(Some(name));
        crate::ending::stage(name);
        let start = Instant::now();
        let result = work();
        self.progress.stage(None);
        Ok((result?, Some(milliseconds(start))))
    }

    /// Works like [`Run::stage`], for work on the mesh that was read: errors begin with its name.
    pub(crate) fn mesh_stage<T>(
        &self,
        name: &'static str,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Option<f64>)> {
        let result = self.stage(name, work);
        match &self.record.input {
            Some(input) => result.with_context(|| input.path.clone()),
            None => result,
        }
    }

    /// Finds and reads the mesh.
    pub(crate) fn read(&mut self, name: &Path, triangulate: bool) -> Result<Input> {
        let mut input = self.read_by(name, |path| input::read(path, triangulate))?;
        self.lead_back(&mut input.loaded.mesh.extras, &input.path);
        Ok(input)
    }

    /// Sets the target of the result, before a mesh is read.
    pub(crate) fn leads_to(&mut self, target: &OutputTarget) {
        self.output = Some(target.path.clone());
    }

    /// Makes material libraries and textures that the mesh names lead to their files from the output's folder.
    pub(crate) fn lead_back(&mut self, extras: &mut Extras, path: &Path) {
        let Some(output) = &self.output else {
            return;
        };
        // From stdin to stdout nothing moves.
        if is_stdout(path) && is_stdout(output) {
            return;
        }
        let to = Some(output.as_path()).filter(|o| !is_stdout(o));
        for warning in io::relocate(extras, path, to) {
            self.warn_of(path, &warning);
        }
    }

    /// Reads several meshes at paths that were found, at the same time.
    pub(crate) fn read_all(&mut self, paths: &[PathBuf], triangulate: bool) -> Result<Vec<Input>> {
        let (inputs, ms) = self.stage("reading", || {
            let inputs = paths.par_iter().map(|path| input::read(path, triangulate));
            inputs.collect::<Result<Vec<Input>>>()
        })?;
        let name = format!("{} meshes", paths.len());
        self.record.timings_ms.read = ms;
        self.record.input = Some(InputRecord::of_several(name, inputs.iter()));
        for input in &inputs {
            for warning in &input.loaded.warnings {
                self.warn_of(&input.path, warning);
            }
        }
        Ok(inputs)
    }

    /// Works like [`Run::read`], with polygons as they are, or refused.
    pub(crate) fn read_poly(&mut self, name: &Path, refuse: bool) -> Result<Input<PolyMesh>> {
        let mut input = self.read_by(name, |path| input::read_poly(path, refuse))?;
        self.lead_back(&mut input.loaded.mesh.extras, &input.path);
        Ok(input)
    }

    /// Works like [`Run::read`], for a volume.
    pub(crate) fn read_tets(&mut self, name: &Path) -> Result<Input<TetMesh>> {
        self.read_by(name, input::read_tets)
    }

    fn read_by<M>(
        &mut self,
        name: &Path,
        read: impl FnOnce(&Path) -> Result<Input<M>>,
    ) -> Result<Input<M>>
    where
        for<'a> &'a M: Into<Model<'a>>,
    {
        let path = input::find(name)?;
        let (input, ms) = self.stage("reading", || read(&path))?;
        let mesh: Model<'_> = (&input.loaded.mesh).into();
        self.record.timings_ms.read = ms;
        if let Some(portrait) = &mut self.portrait {
            portrait.read(mesh, &input.path)?;
        }
        self.show_live(mesh, &input.path);
        self.record.input = Some(InputRecord {
            path: shown(&input.path),
            format: input.loaded.format.to_string(),
            bytes: input.bytes,
            vertices: mesh.vertex_count() as u64,
            faces: mesh.face_count().map(|n| n as u64),
            edges: None,
            cells: mesh.cell_count().map(|n| n as u64),
        });
        for warning in &input.loaded.warnings {
            self.warn_of(&input.path, warning);
        }
        Ok(input)
    }

    /// Warns of something in a mesh that was read.
    pub(crate) fn warn_of(&mut self, path: &Path, warning: &str) {
        let path = shown(path);
        self.warn(format!("{}: {warning}", text::named(&path, "stdin")));
    }

    /// Cuts the mesh into patches of the size that was requested, else of `default_size` faces; or takes those of the
    /// cache.
    pub(crate) fn patch(
        &mut self,
        engine: &Engine,
        (mesh, path): (&TriMesh, &Path),
        args: &PatchArgs,
        default_size: u32,
    ) -> Result<MeshPatches> {
        let options = PatchOptions::default().with(|o| {
            o.patch_size = args.patch_size.unwrap_or(default_size);
            o.seed = args.seed.seed;
        });
        if args.cache && input::is_stdin(path) {
            bail!(
                "--cache keeps the patches beside the mesh, so the mesh must come from a file, not from stdin"
            );
        }
        if args.cache && args.patches_on == PatchesOn::Engine {
            bail!("--cache keeps patches that are cut on the host: leave out --patches-on engine");
        }
        let cache = args.cache.then(|| cache_path(path));
        let mut trouble = None;
        let ((patches, from), ms) = self.mesh_stage("cutting into patches", || {
            let (vertices, faces) = (mesh.vertex_count(), &mesh.faces[..]);
            let Some(cache) = &cache else {
                return Ok((
                    MeshPatches::cut(engine, mesh, &options, args.patches_on)?,
                    "off",
                ));
            };
            let key = CacheKey::new(vertices, faces, &options);
            if let Ok(set) = PatchSet::load(cache, key)
                && set.is_of(vertices, faces)
            {
                return Ok((MeshPatches::Host(set), "loaded"));
            }
            let set = patch::build(vertices, faces, &options)?;
            trouble = set.save(cache, key).err();
            Ok((MeshPatches::Host(set), "built"))
        })?;
        if let (Some(e), Some(cache)) = (trouble, &cache) {
            self.warn(format!(
                "{}: the patches could not be kept: {e}",
                cache.display()
            ));
        }
        self.record.timings_ms.patch = ms;
        self.record.patches = Some(PatchRecord {
            patch_size: options.patch_size,
            seed: options.seed,
            cache: from,
            cut_on: patches.cut_on(),
            ..PatchRecord::from(&patches.stats())
        });
        if let Some(input) = &mut self.record.input {
            input.edges = Some(patches.edge_count().into());
        }
        Ok(patches)
    }

    /// Records the bytes of the patches on the engine.
    pub(crate) fn uploaded(&mut self, bytes: usize) {
        if let Some(patches) = &mut self.record.patches {
            patches.device_bytes = Some(bytes as u64);
        }
    }

    /// Moves the patches to the engine.
    pub(crate) fn upload(&mut self, engine: &Engine, patches: MeshPatches) -> Result<RxMesh> {
        let rx = rxmesh::stage(self, Stage::Upload, || {
            let rx = patches.into_mesh(engine)?;
            engine.synchronize()?;
            Ok(rx)
        })?;
        self.uploaded(rx.device_bytes());
        Ok(rx)
    }

    /// Writes the mesh; warns of content that the format cannot hold.
    pub(crate) fn write<'a>(
        &mut self,
        target: &OutputTarget,
        mesh: impl Into<Model<'a>>,
    ) -> Result<()> {
        let mesh = mesh.into();
        let stdout = is_stdout(&target.path);
        self.console.mesh_on_stdout |= stdout;
        let (report, ms) = self.stage("writing", || match stdout {
            true => {
                let name = Path::new("stdout");
                Ok(io::write_to(
                    &mut std::io::stdout().lock(),
                    name,
                    mesh,
                    &target.options,
                )?)
            }
            false => Ok(io::write_with(
                &target.path,
                mesh,
                &target.options,
                target.links,
            )?),
        })?;
        self.record.timings_ms.write = ms;
        self.record.output = Some(OutputRecord {
            path: shown(&target.path),
            format: report.format.to_string(),
            format_because: target.because.clone(),
            bytes: report.bytes,
            vertices: mesh.vertex_count() as u64,
            faces: mesh.face_count().map(|n| n as u64),
            cells: mesh.cell_count().map(|n| n as u64),
        });
        self.show_live(mesh, &target.path);
        self.draw(&[(&target.path, mesh)])?;
        self.warn_of_output(&target.path, report.warnings);
        Ok(())
    }

    /// Warns of what a file that was written does not hold.
    pub(crate) fn warn_of_output(&mut self, path: &Path, warnings: Vec<String>) {
        let path = shown(path);
        for warning in warnings {
            self.warn(format!("{}: {warning}", text::named(&path, "stdout")));
        }
    }

    /// Writes several meshes, each to its target, at the same time; messages name `folder`.
    pub(crate) fn write_all(
        &mut self,
        targets: &[OutputTarget],
        meshes: &[TriMesh],
        folder: &Path,
    ) -> Result<()> {
        let (reports, ms) = self.stage("writing", || {
            let each = targets.par_iter().zip(meshes);
            let write = |(t, mesh): (&OutputTarget, &TriMesh)| {
                io::write_with(&t.path, Model::from(mesh), &t.options, t.links)
                    .map_err(anyhow::Error::from)
            };
            each.map(write).collect::<Result<Vec<_>>>()
        })?;
        let formats = listed(reports.iter().map(|r| r.format.to_string()));
        self.record.timings_ms.write = ms;
        self.record.output = Some(OutputRecord {
            path: shown(folder),
            format: formats,
            format_because: targets.iter().find_map(|t| t.because.clone()),
            bytes: reports.iter().map(|r| r.bytes).sum(),
            vertices: meshes.iter().map(|m| m.vertex_count() as u64).sum(),
            faces: Some(meshes.iter().map(|m| m.face_count() as u64).sum()),
            cells: None,
        });
        let each = targets.iter().zip(meshes);
        let each: Vec<(&PathBuf, Model<'_>)> = each.map(|(t, m)| (&t.path, m.into())).collect();
        self.draw(&each)?;
        self.keep_drawn(targets, meshes);
        for (report, target) in reports.into_iter().zip(targets) {
            for warning in report.warnings {
                self.warn(format!("{}: {warning}", shown(&target.path)));
            }
        }
        Ok(())
    }

    /// Describes the result of a command; its warnings go out at once.
    pub(crate) fn describe<A: Application>(
        &mut self,
        options: &A::Options,
        report: &A::Report,
    ) -> Message {
        let mut told = A::describe(report, options, &self.record);
        for warning in std::mem::take(&mut told.warnings) {
            self.warn(warning);
        }
        told
    }

    /// Prints a warning and adds it to the record.
    pub(crate) fn warn(&mut self, warning: String) {
        self.console.warn(&warning);
        if let Some(live) = &self.live {
            live.warn(&warning);
        }
        self.record.warnings.push(warning);
    }

    /// Returns the lines of a result, with the time that it took after the first.
    pub(crate) fn timed(&self, lines: &str) -> String {
        let (first, rest) = lines.split_once('\n').unwrap_or((lines, ""));
        let ms = self.record.timings_ms.run.unwrap_or(0.0);
        let mut out = format!("{first}, {}\n", text::duration(ms));
        if !rest.is_empty() {
            out += &format!("{}\n", rest.trim_end());
        }
        out
    }

    /// Keeps meshes that were written for the picture of all batches, if there is one.
    fn keep_drawn(&self, targets: &[OutputTarget], meshes: &[TriMesh]) {
        let Some(result) = &self.batch else {
            return;
        };
        let mut result = result.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(drawn) = &mut result.drawn {
            let each = targets.iter().zip(meshes).take(MOST);
            drawn.extend(each.map(|(target, mesh)| (target.path.clone(), mesh.clone())));
        }
    }

    /// Prints the result and writes the record; of a batch, passes both to its receiver.
    pub(crate) fn finish(mut self, text: &str) -> Result<()> {
        self.draw_input()?;
        let text = text.to_owned() + &text::picture(&self.record) + &text::page(&self.record);
        self.progress = Progress::default();
        self.record.timings_ms.total = milliseconds(self.start);
        if let Some(result) = self.batch {
            let mut result = result.lock().unwrap_or_else(PoisonError::into_inner);
            (result.text, result.record) = (text, self.record);
            return Ok(());
        }
        self.console.say(&text)?;
        self.console.record(&self.record)?;
        if let Some(live) = self.live.take() {
            live.end(&text);
        }
        Ok(())
    }
}

/// Returns the milliseconds since then, to the microsecond.
pub(crate) fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_micros() as f64 / 1e3
}

/// Returns the path of the file that keeps the patches of a mesh.
fn cache_path(mesh: &Path) -> PathBuf {
    let mut name = mesh.as_os_str().to_os_string();
    name.push(".rxpatch");
    PathBuf::from(name)
}
