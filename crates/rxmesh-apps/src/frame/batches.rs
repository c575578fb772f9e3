//! Runs on several meshes: they are processed together, in batches of a limited number of faces that engines share.

use super::several::{Folder, Several, SeveralMesh, targets};
use crate::Outcome;
use crate::app::Application;
use crate::cli::ComputeArgs;
use crate::input;
use crate::output::OutputKind;
use crate::record::{InputRecord, keys};
use crate::run::{BatchResult, Run};
use crate::text;
use anyhow::{Context, Result, bail};
use rxmesh::Engines;
use rxmesh_host::engine::Engine;
use rxmesh_host::io::Model;
use rxmesh_host::mesh::TriMesh;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Most faces of a batch on a GPU, if the user does not say: it has threads for as many.
const FACES_ON_A_GPU: u32 = 1 << 20;

/// Most faces of a batch on the CPU, if the user does not say: larger meshes are processed alone, each by a thread, and
/// small ones share what a launch costs.
const FACES_ON_THE_CPU: u32 = 1 << 13;

/// The meshes of a run.
#[derive(Debug)]
pub(crate) struct Batches {
    run: Run,
    meshes: Vec<SeveralMesh>,
    folder: Arc<Folder>,
}

/// Meshes that are processed together, and their run.
#[derive(Debug)]
pub(crate) struct MeshBatch {
    run: Run,
    meshes: Vec<SeveralMesh>,
    folder: Arc<Folder>,
}

impl Batches {
    /// Reads the meshes. Refuses outputs that could not be written before that.
    pub(crate) fn read<A: Application>(args: &ComputeArgs, kind: OutputKind) -> Result<Batches> {
        let mut names = vec![args.input.mesh.clone()];
        names.extend_from_slice(&args.more);
        if !A::SEVERAL {
            bail!("`{}` takes one mesh, not {}", A::NAME, names.len());
        }
        if names.iter().any(|name| input::is_stdin(name)) {
            bail!("several meshes must come from files, not from stdin");
        }
        let mut run = Run::new(A::NAME, &args.common)?;
        let paths = names.iter().map(|name| input::find(name));
        let paths = paths.collect::<Result<Vec<PathBuf>>>()?;
        let folder = Folder::new(args.output.as_deref())?;
        let targets = targets::<A>(&run, args, kind, &paths, &folder)?;
        run.start_engine(args.engine.engine, true);
        let mut inputs = run.read_all(&paths, args.input.triangulate.triangulate)?;
        for (input, target) in inputs.iter_mut().zip(&targets) {
            run.leads_to(target);
            run.lead_back(&mut input.loaded.mesh.extras, &input.path);
        }
        for input in &inputs {
            let valid = input.loaded.mesh.validate();
            valid.with_context(|| input.path.display().to_string())?;
        }
        let each = names.into_iter().zip(inputs).zip(targets);
        let meshes = each.map(|((name, input), target)| SeveralMesh {
            name,
            input,
            target,
        });
        Ok(Batches {
            run,
            meshes: meshes.collect(),
            folder: Arc::new(folder),
        })
    }

    /// Does the work on each batch. Batches depend on the meshes and their order alone, so that a result has the same
    /// bits on any number of engines of one kind.
    pub(crate) fn run(
        self,
        args: &ComputeArgs,
        work: impl Fn(MeshBatch) -> Result<Outcome> + Sync,
    ) -> Result<Outcome> {
        let Batches {
            mut run,
            meshes,
            folder,
        } = self;
        let engines = run.engines(args.engine.engine)?;
        let usual = match engines[0].is_cuda() {
            true => FACES_ON_A_GPU,
            false => FACES_ON_THE_CPU,
        };
        let most = args.batch_faces.unwrap_or(usual) as usize;
        let mut parts = rxmesh::batches(meshes, most, |m| m.input.loaded.mesh.face_count());
        if parts.len() < 2 {
            run.given = engines.into_iter().next();
            return work(MeshBatch {
                run,
                meshes: parts.pop().unwrap_or_default(),
                folder,
            });
        }
        let mut results = Vec::new();
        let engines = Engines::new(shared(engines, parts.len())?)?;
        let (mut batches, mut first, all) = (Vec::new(), 1, parts.iter().map(Vec::len).sum());
        for meshes in parts {
            let result = BatchResult {
                drawn: run.portrait.is_some().then(Vec::new),
                ..BatchResult::default()
            };
            let result = Arc::new(Mutex::new(result));
            let mut part = run.of_batch(result.clone())?;
            let name = numbers(first, meshes.len(), all);
            let inputs = meshes.iter().map(|m| &m.input);
            part.record.input = Some(InputRecord::of_several(name, inputs));
            first += meshes.len();
            results.push(result);
            batches.push(MeshBatch {
                run: part,
                meshes,
                folder: folder.clone(),
            });
        }
        let (outcomes, ms) = run.stage("processing batches of meshes", || {
            each(&engines, batches, work)
        })?;
        run.record.timings_ms.run = ms;
        let outcome = (outcomes.into_iter()).reduce(worse);
        let results = results.into_iter().map(|result| {
            std::mem::take(&mut *result.lock().unwrap_or_else(PoisonError::into_inner))
        });
        finish(run, &engines, results.collect())?;
        Ok(outcome.unwrap_or(Outcome::Success))
    }
}

impl MeshBatch {
    /// Joins the meshes.
    pub(super) fn join(mut self) -> Result<(Run, TriMesh, Several)> {
        let (mesh, several) = Several::join(&mut self.run, self.meshes, self.folder)?;
        Ok((self.run, mesh, several))
    }

    fn face_count(&self) -> usize {
        let each = self.meshes.iter().map(|m| &m.input.loaded.mesh);
        each.map(TriMesh::face_count).sum()
    }
}

/// Returns the engines that share batches: the GPUs, or for the CPU one engine a batch at a time, whose threads are a
/// part of all. Small batches keep to their caches, and most of the work on them has no use for several threads.
fn shared(engines: Vec<Engine>, batches: usize) -> Result<Vec<Engine>> {
    if engines[0].is_cuda() {
        return Ok(engines);
    }
    let threads = rayon::current_num_threads();
    let count = threads.min(batches).max(1);
    let each = (0..count).map(|_| Ok(Engine::cpu_with_threads(threads / count)?));
    each.collect()
}

/// Does the work on each batch. After an error no further batch begins.
fn each(
    engines: &Engines,
    batches: Vec<MeshBatch>,
    work: impl Fn(MeshBatch) -> Result<Outcome> + Sync,
) -> Result<Vec<Outcome>> {
    let failed = AtomicBool::new(false);
    let outcomes = engines.map(batches, MeshBatch::face_count, |engine, mut batch| {
        if failed.load(Ordering::Relaxed) {
            return None;
        }
        batch.run.begin_on(engine);
        let outcome = work(batch);
        failed.fetch_or(outcome.is_err(), Ordering::Relaxed);
        Some(outcome)
    });
    outcomes.into_iter().flatten().collect()
}

/// Writes the picture, prints the results and writes the record of all batches.
fn finish(mut run: Run, engines: &Engines, results: Vec<BatchResult>) -> Result<()> {
    let mut drawn = Vec::new();
    let mut texts = String::new();
    let count = results.len();
    for result in results {
        let BatchResult {
            text,
            record,
            drawn: written,
        } = result;
        texts += &text;
        run.record.batches.push(keys(&record)?);
        run.record.warnings.extend(record.warnings);
        match (&mut run.record.output, record.output) {
            (Some(all), Some(one)) => all.add(&one),
            (all, one) => *all = one.or(all.take()),
        }
        drawn.extend(written.unwrap_or_default());
    }
    let drawn = drawn.iter().map(|(path, mesh)| (path, Model::from(mesh)));
    run.draw(&drawn.collect::<Vec<_>>())?;
    let r = &run.record;
    let ms = r.timings_ms.run.unwrap_or(0.0);
    let on = match engines.engines() {
        [gpu, _, ..] if gpu.is_cuda() => format!(" on {} engines", engines.engines().len()),
        _ => String::new(),
    };
    let all = format!("{count} batches{on}, {}\n", text::duration(ms));
    let out = text::input(r) + &text::engine(r) + &texts + &all;
    run.finish(&out)
}

/// Returns a name of some of several meshes, by their numbers from 1 on.
fn numbers(first: usize, count: usize, all: usize) -> String {
    match count {
        1 => format!("mesh {first} of {all}"),
        _ => format!("meshes {first} to {} of {all}", first + count - 1),
    }
}

/// Returns the outcome of two batches together.
fn worse(a: Outcome, b: Outcome) -> Outcome {
    match (a, b) {
        (a @ Outcome::Refused(_), _) => a,
        (_, b @ Outcome::Refused(_)) => b,
        (Outcome::Success, b) => b,
        (a, _) => a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_outcome_counts() {
        let refused = || Outcome::Refused("why".into());
        assert_eq!(worse(Outcome::Success, Outcome::Success), Outcome::Success);
        assert_eq!(
            worse(Outcome::Unconverged, Outcome::Success),
            Outcome::Unconverged
        );
        assert_eq!(
            worse(Outcome::Success, Outcome::Unconverged),
            Outcome::Unconverged
        );
        assert_eq!(worse(Outcome::Unconverged, refused()), refused());
        assert_eq!(worse(refused(), Outcome::Success), refused());
    }
}
