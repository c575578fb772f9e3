//! Operations on meshes whose connectivity changes.

use super::shared::{ConnectivityKeywords, EditKeywords};
use super::vertices::{joined, patches, resident, several};
use super::{
    Answer, BothOptions, CallForm, CallFrame, CallMesh, CallSubject, Finished, Takes, is_given,
    keys, usage,
};
use clap::{ArgMatches, Args, FromArgMatches};
use rxmesh::host::batch::Batch;
use rxmesh::host::mesh::{Column, ColumnData, ElementKind};
use rxmesh::host::repair::RepairOptions;
use rxmesh::host::units::InUnits;
use rxmesh::on::{AnyMesh, Connectivity, Downloaded, Draft, Scheduler};
use rxmesh::ops::repair::repaired;
use rxmesh::{Error, Log, Operation, TriMesh, on_session};
use std::cell::RefCell;
use std::rc::Rc;

/// Column that holds the number of each vertex's mesh.
const MESH: &str = "rxmesh_number_of_the_mesh";

impl CallForm for Connectivity {
    type Shared = ConnectivityKeywords;

    const TAKES: Takes = Takes::Surface;

    fn call<O>(matches: &ArgMatches, subject: CallSubject, log: &mut dyn Log) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>,
    {
        let shared = ConnectivityKeywords::from_arg_matches(matches)?;
        let options = BothOptions::new::<O>(matches, shared.patch.seed)?;
        if let Some(why) = O::CLAIMS_ONLY
            && shared.edit.conflicts != Scheduler::Claims
        {
            return Err(usage(format_args!("conflicts: {why}")));
        }
        let (given, mut local) = (options.given, options.local);
        let has_frames = O::gives_frames(&given);
        let others = ["engine", "patch_size", "patches_on", "seed"];
        if let [CallMesh::Resident(mesh)] = &subject.meshes[..]
            && !subject.listed
            && !has_frames
            && !is_given(matches, &others)
            && !is_given(matches, &EditKeywords::IDS)
        {
            return resident::<O>(mesh, &given, log);
        }
        let engine = subject.engine(matches, &shared.engine)?;
        let (home, first) = (subject.home(), subject.first);
        let (mesh, batch) = joined(subject, log)?;
        let joined = batch.as_ref().map(|batch| (first, batch));
        let (mut on, mended) = open::<O>(mesh, joined, (&shared, &given, &engine), log)?;
        on.validates_frames = shared.edit.validate;
        let frames = Rc::new(RefCell::new(Vec::new()));
        if has_frames {
            let frames = frames.clone();
            on.on_frames(move |number, mesh| {
                frames.borrow_mut().push(frame(number, mesh));
                Ok(())
            });
        }
        let unit = on.unit();
        local.scale(1.0 / unit);
        let mut report = O::run(&mut on, &local, log)?;
        report.scale(unit);
        let result = on.download(shared.edit.validate, log)?;
        let map = match (shared.edit.map, &on.carried) {
            (true, Some(carried)) => Some(on_session!(&on.session, |s| carried.map(s))?),
            _ => None,
        };
        let before = on.before;
        drop(on);
        let frozen = result.frozen_faces;
        let (meshes, after) = parts(result, batch.as_ref())?;
        let meshes = meshes.into_iter().map(AnyMesh::Surface);
        let meshes = meshes.map(|mesh| CallMesh::settled(mesh, home.as_ref()));
        let mut finished = Finished::new::<O>(&report, &given, meshes.collect());
        finished
            .report
            .insert("before".into(), keys(&before).into());
        finished.report.insert("after".into(), keys(&after).into());
        finished.report.insert("frozen_faces".into(), frozen.into());
        if let Some(mended) = mended {
            finished.report.insert("repair".into(), mended);
        }
        finished.map = map;
        finished.frames = frames.take();
        Ok(finished)
    }
}

/// Opens a mesh for edits. Returns the report of its repair, too, if that was asked for.
fn open<O: Operation<On = Connectivity>>(
    mut mesh: TriMesh,
    batch: Option<(usize, &Batch)>,
    (shared, options, engine): (&ConnectivityKeywords, &O::Options, &rxmesh::Engine),
    log: &mut dyn Log,
) -> Answer<(Connectivity, Option<serde_json::Value>)> {
    let edit = &shared.edit;
    let keep = edit.keep();
    let mut lines = keep.lines(O::holds_groups(options), O::KEEPS_GROUPS);
    if batch.is_some() && (edit.map || edit.repair) {
        return Err(usage("map and repair take one mesh"));
    }
    let mut mended = None;
    let mut draft = match batch {
        Some((first, batch)) => {
            // One mesh needs no mark: values that are carried along edits are looked up on the input.
            if batch.len() > 1 {
                mesh.add_column(Column {
                    name: MESH.into(),
                    element: ElementKind::Vertex,
                    width: 1,
                    data: ColumnData::U32(batch.labels()),
                })?;
            }
            Draft::of_several(mesh, several(first, batch))
        }
        None => Draft::new(mesh, log)?,
    };
    if edit.repair {
        let report = repaired(&mut draft.mesh, &RepairOptions::default(), log)?;
        mended = Some(keys(&report).into());
    }
    // A map names the vertices of the input.
    if O::JOINS_SEAMS && !edit.no_keep_seams && !edit.map {
        draft.join_seams(&mut lines, log)?;
    }
    let size = edit.conflicts.patch_size();
    let patches = patches(engine, &draft.mesh, shared.patch, size, log)?;
    let how = (edit.conflicts, &lines, edit.map);
    Ok((draft.open(engine, patches, how, log)?, mended))
}

/// Returns the resulting meshes in their places, and the measures of all together.
fn parts(
    mut result: Downloaded,
    batch: Option<&Batch>,
) -> Answer<(Vec<TriMesh>, rxmesh::host::mesh::Quality)> {
    let Some(batch) = batch else {
        let (mesh, after) = result.finish();
        return Ok((vec![mesh], after));
    };
    let mesh = result.mesh();
    if batch.len() == 1 {
        let parts = batch.part(mesh, &vec![0; mesh.vertex_count()]);
        return Ok((parts, result.finish().1));
    }
    let columns = &mut mesh.extras.columns;
    let at = columns.iter().position(|c| c.name == MESH);
    let labels = at.map(|at| columns.remove(at).data);
    let Some(ColumnData::U32(labels)) = labels else {
        let why = "the meshes cannot be distinguished; this is a bug in rxmesh";
        return Err(Error::Message(why.into()).into());
    };
    let parts = batch.part(mesh, &labels);
    Ok((parts, result.finish().1))
}

fn frame(number: u32, mesh: &TriMesh) -> CallFrame {
    CallFrame {
        step: number.into(),
        bodies: vec![(String::new(), AnyMesh::Surface(mesh.clone()))],
    }
}
