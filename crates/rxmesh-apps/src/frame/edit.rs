//! Applications that change the connectivity: open a session, measure, validate, write.

use super::leak_at_exit;
use super::{Frame, Several};
use crate::Outcome;
use crate::app::{Application, Message};
use crate::cli::ComputeArgs;
use crate::console::is_stdout;
use crate::live::LivePage;
use crate::output::{OutputKind, OutputTarget, numbered};
use crate::record::{EditRecord, OverTarget, Record, keys};
use crate::run::Run;
use crate::text;
use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Command, ValueHint};
use rxmesh::Operation;
use rxmesh::on::{AnySession, Connectivity, Draft, Keep, Scheduler};
use rxmesh::on_session;
use rxmesh::ops::repair::{counts, passes, repaired};
use rxmesh_host::files;
use rxmesh_host::io;
use rxmesh_host::mesh::{Quality, TriMesh};
use rxmesh_host::repair::RepairOptions;
use rxmesh_picture::Drawable;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

const PATCH_SIZE: &str = "Most faces per patch [default: 512, with --conflicts speculative 256]";

/// Flags of all edits.
#[derive(Debug, Args)]
pub(crate) struct EditFlags {
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
    /// Check every invariant of the result before it is written (track: of every frame)
    #[arg(long)]
    pub(crate) validate: bool,
    /// Keep the borders between objects, groups and materials as the boundary is kept (simplify: done by default)
    #[arg(long)]
    pub(crate) keep_groups: bool,
    /// Keep the borders between faces with different values in this column of whole numbers, too; may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub(crate) groups_from: Vec<String>,
    /// Do not keep seams, where texture coordinates or normals of corners differ between faces and where vertices are
    /// split (simplify: nor borders between groups)
    #[arg(long)]
    pub(crate) no_keep_seams: bool,
    /// Write the place of each vertex and face of the input in the result, as text (docs/use/formats.md); not with
    /// --repair
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["repair", "more"])]
    pub(crate) map: Option<PathBuf>,
    /// Scheduler that decides between changes that overlap
    #[arg(long, value_enum, value_name = "WHO", default_value_t)]
    pub(crate) conflicts: Scheduler,
    /// Repair the mesh first, as the command `repair` does without flags; not with --map, because repair renumbers
    #[arg(long, conflicts_with_all = ["map", "more"])]
    pub(crate) repair: bool,
}

impl EditFlags {
    /// Returns the seed, for algorithms that take 32 bits of it.
    pub(crate) fn seed(&self) -> u64 {
        self.compute.patch.seed.seed
    }

    fn keep(&self) -> Keep {
        Keep {
            groups: self.keep_groups,
            seams: !self.no_keep_seams,
            columns: self.groups_from.clone(),
        }
    }
}

/// Operation on the connectivity as a command.
pub(crate) struct OnConnectivity<O>(PhantomData<O>);

impl<O> Application for OnConnectivity<O>
where
    O: Operation<On = Connectivity, Options: clap::Args>,
{
    const NAME: &'static str = O::NAME;
    const GROUP: Option<&'static str> = Some(O::GROUP.name());
    const SUMMARY: &'static str = O::SUMMARY;
    const HELP: &'static str = O::HELP;
    const SEVERAL: bool = O::SEVERAL;
    const KEEPS_GROUPS: bool = O::KEEPS_GROUPS;
    const JOINS_SEAMS: bool = O::JOINS_SEAMS;
    type Options = O::Options;
    type Report = O::Report;
    type Frame = Editing;

    fn prepare(options: &mut O::Options, flags: &EditFlags) -> Result<()> {
        O::prepare(options, flags.seed())?;
        let output = flags.compute.output.as_deref();
        if O::gives_frames(options) && is_stdout(output.unwrap_or(&flags.compute.input.mesh)) {
            bail!("--sequence writes a file a frame, which stdout has no room for");
        }
        if let Some(why) = O::CLAIMS_ONLY {
            ensure!(flags.conflicts == Scheduler::Claims, why);
        }
        Ok(())
    }

    fn holds_groups(options: &O::Options) -> bool {
        O::holds_groups(options)
    }

    fn adapt(command: Command) -> Command {
        // A scheduler without a choice is no flag, and borders that stay as they are need no weight.
        command.mut_args(|arg| match arg.get_id().as_str() {
            "conflicts" if O::CLAIMS_ONLY.is_some() => arg.hide(true),
            "group_weight" => arg.conflicts_with("keep_groups"),
            _ => arg,
        })
    }

    fn run(frame: &mut Editing, options: &O::Options) -> Result<O::Report> {
        frame.on.validates_frames = frame.validate;
        if O::gives_frames(options) {
            let (target, files) = (frame.target.clone(), frame.files.clone());
            let live = frame.run.live.clone();
            frame.on.on_frames(move |number, mesh| {
                if let Some(live) = live.as_deref().filter(|live| live.wants_mesh()) {
                    show_frame(live, number, mesh)?;
                }
                let path = numbered(&target.path, number);
                io::write_with(&path, mesh, &target.options, files::Links::Refuse)?;
                files.borrow_mut().push(path);
                Ok(())
            });
        } else if let Some(live) = frame.run.live.clone() {
            let wants = live.clone();
            frame.on.on_frames_if(
                move || wants.wants_mesh(),
                move |number, mesh| show_frame(&live, number, mesh),
            );
        }
        Ok(O::run(&mut frame.on, options, &mut frame.run)?)
    }

    fn describe(report: &O::Report, options: &O::Options, record: &Record) -> Message {
        super::named(O::describe(report, options), record)
    }
}

/// Shows a frame on the page of its run.
fn show_frame(live: &LivePage, number: u32, mesh: &TriMesh) -> rxmesh::Result<()> {
    let (since, name) = (Instant::now(), format!("frame {number}"));
    let drawn = Drawable::new(mesh.into(), None, name.clone());
    let drawn = drawn.map_err(|e| rxmesh::Error::Message(e.to_string()))?;
    live.show(name, vec![drawn.into_owned()], since);
    Ok(())
}

/// Mesh open for edits, with the run that it belongs to.
pub(crate) struct Editing {
    run: Run,
    on: Connectivity,
    target: OutputTarget,
    /// Several meshes, if it is not one.
    several: Option<Several>,
    validate: bool,
    map: Option<PathBuf>,
    /// Files of the frames.
    files: Rc<RefCell<Vec<PathBuf>>>,
}

impl Frame for Editing {
    #[cfg(test)]
    const KIND: &'static str = "edits";

    type Flags = EditFlags;

    fn adapt(command: Command, _gives: OutputKind) -> Command {
        command.mut_arg("patch_size", |arg| arg.help(PATCH_SIZE))
    }

    fn compute_args(flags: &mut EditFlags) -> Option<&mut ComputeArgs> {
        Some(&mut flags.compute)
    }

    /// Reads the mesh and opens it.
    fn open<A: Application<Frame = Editing>>(
        mut flags: EditFlags,
        options: &A::Options,
    ) -> Result<Editing> {
        let mut lines = flags
            .keep()
            .lines(A::holds_groups(options), A::KEEPS_GROUPS);
        let batch = flags.compute.batch.take();
        let (scheduler, args) = (flags.conflicts, &flags.compute);
        let (mut run, mut draft, path, target, several) = if let Some(batch) = batch {
            let (run, mut mesh, several) = batch.join()?;
            several.mark(&mut mesh)?;
            let draft = Draft::of_several(mesh, several.shared());
            let (path, target) = (several.path(), several.target());
            (run, draft, path, target, Some(several))
        } else {
            let (mut run, target) = Run::with_target(A::NAME, args, OutputKind::Mesh)?;
            if let Some(map) = &flags.map {
                writable(map, &target)?;
            }
            let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
            let mut draft = Draft::new(input.loaded.mesh, &run)?;
            if flags.repair {
                let repair = repaired(&mut draft.mesh, &RepairOptions::default(), &mut run)?;
                run.record.repair = Some(repair);
            }
            (run, draft, input.path, target, None)
        };
        // A map names the vertices of the file.
        if A::JOINS_SEAMS && !flags.no_keep_seams && flags.map.is_none() {
            draft.join_seams(&mut lines, &mut run)?;
        }
        let engine = run.engine(args.engine.engine)?;
        let patches = run.patch(
            &engine,
            (&draft.mesh, &path),
            &args.patch,
            scheduler.patch_size(),
        )?;
        let how = (scheduler, &lines, flags.map.is_some());
        let on = draft.open(&engine, patches, how, &mut run)?;
        run.uploaded(on.device_bytes);
        Ok(Editing {
            run,
            on,
            target,
            several,
            validate: flags.validate,
            map: flags.map,
            files: Rc::default(),
        })
    }

    fn unit(&self) -> f64 {
        self.on.unit()
    }

    /// Validates if that was requested, measures, writes and reports.
    fn close<A: Application<Frame = Editing>>(
        self,
        options: &A::Options,
        report: &A::Report,
    ) -> Result<Outcome> {
        let files = self.files.take();
        let is_last = !self.run.is_of_batch();
        let Editing { mut run, on, .. } = self;
        let Message {
            mut lines, outcome, ..
        } = run.describe::<A>(options, report);
        if let (Some(first), Some(last)) = (files.first(), files.last()) {
            lines += &format!(
                "wrote the frames {} to {}\n",
                first.display(),
                last.display()
            );
        }
        let mut result = on.download(self.validate, &mut run)?;
        let frozen_faces = result.frozen_faces;
        let parts = match &self.several {
            Some(several) => several.part(result.mesh())?,
            None => Vec::new(),
        };
        let target_length = on.target_length.map(|l| l * on.unit());
        let (mesh, after) = result.finish();
        let (speculation, words) = did(&on.session)?.unzip();
        let words = words.map_or(String::new(), |words| format!(", {words}"));
        let who = format!("conflicts: {}{words}\n", on.session.name());
        run.record.edit = Some(EditRecord {
            before: on.before,
            after,
            edge_length_over_target: target_length.map(|l| OverTarget {
                before: on.before.edge_length.over(l),
                after: after.edge_length.over(l),
            }),
            frozen_faces,
            validated: self.validate,
            conflicts: on.session.name(),
            speculation,
            options: keys(options)?,
            report: keys(report)?,
        });
        match self.several {
            Some(several) => several.write(&mut run, &parts)?,
            None => run.write(&self.target, &mesh)?,
        }
        if let (Some(path), Some(carried)) = (&self.map, &on.carried) {
            let map = on_session!(&on.session, |s| carried.map(s))?;
            let text = map.to_text([mesh.vertex_count(), mesh.face_count()]);
            files::write_bytes(path, text.as_bytes())
                .with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        let r = &run.record;
        let repair = r.repair.as_ref().map_or(String::new(), |r| {
            format!("{}{}", passes(r), counts("repaired", &r.after))
        });
        let mut out = text::input(r) + &repair + &text::engine(r) + &who;
        out += &run.timed(&lines);
        out += &measures("before", &on.before, target_length);
        out += &measures("after", &after, target_length);
        if self.validate {
            out += "validated: no finding\n";
        }
        out += &text::output(r);
        run.finish(&out)?;
        if is_last {
            leak_at_exit((on, mesh));
        }
        Ok(outcome)
    }
}

/// Returns the scheduler's counts, for the record and in words; nothing if it does not count.
#[cfg(feature = "speculative")]
fn did(session: &AnySession) -> Result<Option<(Map<String, Value>, String)>> {
    let Some(counts) = session.speculation() else {
        return Ok(None);
    };
    let wasted_percent = 100.0 * counts.wasted_share();
    let mut record = keys(&counts)?;
    record.insert("wasted_percent".into(), wasted_percent.into());
    let words = format!(
        "{} launches, {} visits of patches ({} % wasted), {} vertices moved to another patch, {} patches sliced, {} \
        merged",
        counts.launches,
        counts.visits,
        text::number(wasted_percent),
        counts.moved,
        counts.sliced,
        counts.merged
    );
    Ok(Some((record, words)))
}

/// Returns nothing: no scheduler of this build counts.
#[cfg(not(feature = "speculative"))]
#[allow(clippy::unnecessary_wraps)]
fn did(_session: &AnySession) -> Result<Option<(Map<String, Value>, String)>> {
    Ok(None)
}

/// Refuses a file for the map that could not be written, or that is the result's.
fn writable(map: &Path, target: &OutputTarget) -> Result<()> {
    if *map == target.path {
        bail!("{}: mesh and map cannot be the same file", map.display());
    }
    files::check(map).with_context(|| format!("{}: cannot be written", map.display()))
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
    let volume = q.volume.map(|v| format!(", volume {}", n(v)));
    let volume = volume.unwrap_or_default();
    format!(
        "{when}: {} vertices, {} faces, edges {} to {} (mean {}){over}, valence {} to {} (mean {}), smallest angle \
        {} (mean {}) degrees, area {}{volume}\n",
        q.vertices,
        q.faces,
        n(l.min),
        n(l.max),
        n(l.mean),
        v.min,
        v.max,
        n(v.mean),
        n(a.min),
        n(a.mean),
        n(q.area)
    )
}
