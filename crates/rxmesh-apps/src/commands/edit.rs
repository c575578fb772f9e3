//! What the commands that change the connectivity share: open a session, measure, validate, write.

use super::conflicts::{Conflicts, Did};
use super::text;
use crate::cli::EditArgs;
use crate::output::{Gives, Target};
use crate::record::{EditRecord, OverTarget};
use crate::run::Run;
use anyhow::{Context, Result, bail};
use rxmesh_host::Vec3;
use rxmesh_host::edit::{Carried, Column, RunReport, Session};
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{Quality, TriMesh, quality};
use std::path::PathBuf;
use std::rc::Rc;

/// A mesh open for editing.
pub(super) struct Editing<C: Conflicts> {
    pub(super) run: Run,
    pub(super) session: Session<C>,
    pub(super) x: Column<Vertex, Vec3>,
    pub(super) carried: Rc<Carried>,
    pub(super) target: Target,
    pub(super) before: Quality,
    pub(super) validate: bool,
    /// The length that edges should have, if the command has one.
    pub(super) target_length: Option<f64>,
    path: PathBuf,
}

impl<C: Conflicts> Editing<C> {
    /// Reads the mesh and opens it. `check` may refuse it.
    pub(super) fn open(
        command: &'static str,
        args: &EditArgs,
        check: impl FnOnce(&TriMesh, &Quality) -> Result<()>,
    ) -> Result<Editing<C>> {
        let (validate, keep_groups, args) = (args.validate, args.keep_groups, &args.compute);
        let (mut run, target) = Run::with_target(command, args, Gives::Mesh)?;
        let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
        let mesh = input.loaded.mesh;
        mesh.validate()
            .with_context(|| input.path.display().to_string())?;
        let before = quality(&mesh);
        check(&mesh, &before).with_context(|| input.path.display().to_string())?;
        let engine = run.engine(args.engine.engine)?;
        let set = run.patch(&mesh, &input.path, &args.patch, C::PATCH_SIZE)?;
        let (_, (session, carried)) = run.upload(&engine, set, |rx| {
            let mut session = Session::open_with(rx)?;
            let carried = Carried::open(&mut session, rx, mesh)?;
            if keep_groups {
                carried.keep_groups(&mut session, rx)?;
            }
            Ok((session, carried))
        })?;
        Ok(Editing {
            run,
            session,
            x: carried.positions(),
            carried: Rc::new(carried),
            target,
            before,
            validate,
            target_length: None,
            path: input.path,
        })
    }

    /// Runs the operation, timed.
    pub(super) fn work<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&mut Session<C>, Column<Vertex, Vec3>) -> Result<T>,
    ) -> Result<T> {
        let (session, x) = (&mut self.session, self.x);
        let (result, ms) = self.run.mesh_stage(name, || {
            let result = work(session, x)?;
            session.engine().synchronize()?;
            Ok(result)
        })?;
        self.run.record.timings_ms.run = ms;
        Ok(result)
    }

    /// Validates if that was asked for, measures, writes and reports; `lines` are the command's own.
    pub(super) fn finish(mut self, report: &impl serde::Serialize, lines: &str) -> Result<()> {
        if self.validate {
            let wrong = self.session.validate()?;
            if let Some(first) = wrong.first() {
                bail!(
                    "{}: the result is not sound: {first} ({} findings in all); this is a bug in rxmesh",
                    self.path.display(),
                    wrong.len()
                );
            }
        }
        let frozen = self.session.frozen_faces();
        if frozen > 0 {
            self.run.warn(format!(
                "{}: {frozen} faces touch a place that is not manifold or not consistently oriented, and stayed as they are",
                self.path.display()
            ));
        }
        let (session, carried) = (&self.session, &self.carried);
        let ((mesh, lost), ms) = self
            .run
            .mesh_stage("downloading", || Ok(carried.mesh(session)?))?;
        self.run.record.timings_ms.download = ms;
        for what in lost {
            self.run.warn(what);
        }
        let session = &self.session;
        let after = quality(&mesh);
        let did = session.edits().did()?;
        let (record, words) = did.map_or((None, String::new()), |Did { record, words }| {
            (Some(record), format!(", {words}"))
        });
        self.run.record.edit = Some(EditRecord {
            before: self.before,
            after,
            edge_length_over_target: self.target_length.map(|l| OverTarget {
                before: self.before.edge_length.over(l),
                after: after.edge_length.over(l),
            }),
            frozen_faces: self.session.frozen_faces(),
            validated: self.validate,
            conflicts: C::NAME,
            speculation: record,
            report: serde_json::to_value(report)?,
        });
        self.run.write(&self.target, &mesh)?;
        let r = &self.run.record;
        let who = format!("conflicts: {}{words}\n", C::NAME);
        let mut out = text::input(r) + &text::engine(r) + &who + lines;
        out += &measures("before", &self.before, self.target_length);
        out += &measures("after", &after, self.target_length);
        if self.validate {
            out += "validated: no finding\n";
        }
        out += &text::output(r);
        self.run.finish(&out)
    }

    /// How long the operation took, in words.
    pub(super) fn duration(&self) -> String {
        text::duration(self.run.record.timings_ms.run.unwrap_or(0.0))
    }
}

/// Rounds and conflicts in words.
pub(super) fn rounds(run: &RunReport) -> String {
    format!(
        "{} rounds, {} conflicts, {} refused",
        run.rounds, run.conflicts, run.refused
    )
}

fn measures(when: &str, q: &Quality, target: Option<f64>) -> String {
    let n = text::number;
    let (l, v, a) = (&q.edge_length, &q.valence, &q.smallest_angle);
    let over = target.map_or(String::new(), |t| {
        let l = l.over(t);
        format!(
            ", over the target {} to {} (mean {})",
            n(l.min),
            n(l.max),
            n(l.mean)
        )
    });
    format!(
        "{when}: {} vertices, {} faces, edges {} to {} (mean {}){over}, valence {} to {} (mean {}), smallest angle {} (mean {}) degrees\n",
        q.vertices,
        q.faces,
        n(l.min),
        n(l.max),
        n(l.mean),
        v.min,
        v.max,
        n(v.mean),
        n(a.min),
        n(a.mean)
    )
}
