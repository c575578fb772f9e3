//! Operations on meshes whose connectivity stays.

use super::shared::{PatchKeywords, VertexKeywords};
use super::{
    Answer, BothOptions, CallForm, CallMesh, CallSubject, Finished, Takes, is_given, names,
};
use clap::{ArgMatches, Args, FromArgMatches};
use rxmesh::host::batch::Batch;
use rxmesh::host::patch::PatchOptions;
use rxmesh::host::units::InUnits;
use rxmesh::on::{AnyMesh, MeshPatches, PATCH_SIZE, Prepared, Several, Vertices};
use rxmesh::{Engine, Log, Mesh, Opens, Operation, Result, Stage, TriMesh, run_on, stage};

impl CallForm for Vertices {
    type Shared = VertexKeywords;

    const TAKES: Takes = Takes::Surface;

    fn call<O>(matches: &ArgMatches, subject: CallSubject, log: &mut dyn Log) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>,
    {
        let shared = VertexKeywords::from_arg_matches(matches)?;
        let options = BothOptions::new::<O>(matches, shared.patch.seed)?;
        if let [CallMesh::Resident(mesh)] = &subject.meshes[..]
            && !subject.listed
            && !is_given(matches, &["engine", "patch_size", "patches_on", "seed"])
        {
            return resident::<O>(mesh, &options.given, log);
        }
        let engine = subject.engine(matches, &shared.engine)?;
        let (home, first) = (subject.home(), subject.first);
        let (mesh, batch) = joined(subject, log)?;
        let prepared = Prepared::new(
            mesh,
            batch.as_ref().map(|b| several(first, b)),
            O::JOINS_SEAMS,
            log,
        )?;
        let patches = patches(&engine, prepared.shape(), shared.patch, PATCH_SIZE, log)?;
        let mut on = prepared.upload(&engine, patches, log)?;
        let (given, mut local) = (options.given, options.local);
        let unit = on.unit();
        local.scale(1.0 / unit);
        let mut report = O::run(&mut on, &local, log)?;
        report.scale(unit);
        let mesh = on.into_mesh(log)?;
        let meshes = match &batch {
            Some(batch) => batch.part(&mesh, &batch.labels()),
            None => vec![mesh],
        };
        let meshes = meshes.into_iter().map(AnyMesh::Surface);
        let meshes = meshes.map(|mesh| CallMesh::settled(mesh, home.as_ref()));
        Ok(Finished::new::<O>(&report, &given, meshes.collect()))
    }
}

/// Runs an operation on a mesh that stays on its engine.
pub(super) fn resident<O>(mesh: &Mesh, options: &O::Options, log: &mut dyn Log) -> Answer<Finished>
where
    O: Operation<On: Opens>,
{
    let (mesh, report) = run_on::<O>(mesh, options, log)?;
    let meshes = vec![CallMesh::Resident(mesh)];
    Ok(Finished::new::<O>(&report, options, meshes))
}

/// Returns the only mesh, or several that are joined to one.
pub(super) fn joined(
    mut subject: CallSubject,
    log: &mut dyn Log,
) -> Answer<(TriMesh, Option<Batch>)> {
    if !subject.listed {
        let mesh = subject.one()?.into_surface(log)?;
        mesh.validate()?;
        return Ok((mesh, None));
    }
    let first = subject.first;
    let meshes = subject.meshes.into_iter();
    let meshes = meshes.map(|mesh| mesh.into_surface(log));
    let meshes = meshes.collect::<Answer<Vec<TriMesh>>>()?;
    for (number, mesh) in meshes.iter().enumerate() {
        let name = |e| rxmesh::Error::from(e).within(format!("mesh {}", first + number));
        mesh.validate().map_err(name)?;
    }
    let (mesh, batch) = Batch::join(meshes)?;
    for (what, without) in &batch.left_out {
        let without = first + without;
        log.warn(format!(
            "{what} is left out: mesh {without} has none like it"
        ));
    }
    Ok((mesh, Some(batch)))
}

/// Returns the names of joined meshes, and the number of its mesh for each vertex.
pub(super) fn several(first: usize, batch: &Batch) -> Several {
    Several {
        names: names(first, batch.len()),
        labels: batch.labels(),
    }
}

/// Cuts a mesh into patches.
pub(super) fn patches(
    engine: &Engine,
    mesh: &TriMesh,
    how: PatchKeywords,
    default_size: u32,
    log: &mut dyn Log,
) -> Result<MeshPatches> {
    let options = PatchOptions::default().with(|o| {
        o.patch_size = how.patch_size.unwrap_or(default_size);
        o.seed = how.seed;
    });
    stage(log, Stage::Patches, || {
        MeshPatches::cut(engine, mesh, &options, how.patches_on)
    })
}
