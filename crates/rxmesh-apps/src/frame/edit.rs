//! Applications that change the connectivity: open a session, measure, validate, write.

use super::conflicts::Lines;
use super::left_to_the_system;
use super::{AnySession, Conflicts, Frame, Several, counts, on_session, passes, repaired};
use crate::Outcome;
use crate::app::{Application, Told};
use crate::cli::ComputeArgs;
use crate::output::{Gives, Target};
use crate::record::{EditRecord, OverTarget, keys};
use crate::run::Run;
use crate::text;
use anyhow::{Context, Result, bail};
use clap::{Args, Command, ValueHint};
use rxmesh_host::Vec3;
use rxmesh_host::edit::{Borders, Carried, Column, RunReport};
use rxmesh_host::files;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{PIECE, Placement, Quality, SplitSeams, TriMesh, quality};
use rxmesh_host::repair::RepairOptions;
use std::path::{Path, PathBuf};
use std::rc::Rc;

const PATCH_SIZE: &str = "Most faces a patch [default: 512, with --conflicts speculative 256]";

/// What all of them take.
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
    /// Keep the borders between faces with other values in this column of whole numbers, too; may come several times
    #[arg(long, value_name = "COLUMN")]
    pub(crate) groups_from: Vec<String>,
    /// Do not keep seams, where faces see other texture coordinates or normals of corners and where vertices are split
    /// (simplify: nor borders between groups)
    #[arg(long)]
    pub(crate) no_keep_seams: bool,
    /// Write where each vertex and face of the input is in the result, as text (docs/use/formats.md); not with --repair
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["repair", "more"])]
    pub(crate) map: Option<PathBuf>,
    /// Who decides between changes that overlap
    #[arg(long, value_enum, value_name = "WHO", default_value_t)]
    pub(crate) conflicts: Conflicts,
    /// Repair the mesh first, as the command `repair` does without flags; not with --map, because repair numbers anew
    #[arg(long, conflicts_with_all = ["map", "more"])]
    pub(crate) repair: bool,
}

impl EditFlags {
    /// The seed, for algorithms that take 32 bits of it.
    pub(crate) fn seed(&self) -> u64 {
        self.compute.patch.seed.seed
    }
}

/// A mesh open for editing.
pub(crate) struct Editing {
    pub(crate) run: Run,
    pub(crate) session: AnySession,
    pub(crate) x: Column<Vertex, Vec3>,
    pub(crate) carried: Rc<Carried>,
    pub(crate) target: Target,
    /// Several meshes, if it is not one, and which of them each vertex is of.
    pub(crate) several: Option<(Several, Column<Vertex, u32>)>,
    /// Vertices that the file has split, which are joined here.
    pub(crate) seams: Option<Rc<Seams>>,
    pub(crate) before: Quality,
    pub(crate) validate: bool,
    map: Option<PathBuf>,
    /// The length that edges should have, if the command has one.
    pub(crate) target_length: Option<f64>,
    /// The frame that the mesh came in; here it is normalised.
    pub(crate) home: Placement,
    unit: f64,
    path: PathBuf,
}

impl Frame for Editing {
    #[cfg(test)]
    const KIND: &'static str = "edits";

    type Flags = EditFlags;

    fn adapt(command: Command, _gives: Gives) -> Command {
        command.mut_arg("patch_size", |arg| arg.help(PATCH_SIZE))
    }

    /// Reads the mesh and opens it.
    fn open<A: Application<Frame = Editing>>(
        flags: EditFlags,
        options: &A::Options,
    ) -> Result<Editing> {
        let mut lines = lines::<A>(&flags, options);
        if !flags.compute.more.is_empty() {
            return open_several::<A>(flags, lines);
        }
        let (validate, conflicts, args) = (flags.validate, flags.conflicts, &flags.compute);
        let (mut run, target) = Run::with_target(A::NAME, args, Gives::Mesh)?;
        if let Some(map) = &flags.map {
            writable(map, &target)?;
        }
        let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
        let mut mesh = input.loaded.mesh;
        mesh.validate()
            .with_context(|| input.path.display().to_string())?;
        let home = mesh.normalise();
        let unit = mesh.placement.scale / home.scale;
        if flags.repair {
            run.record.repair = Some(repaired(&run, &mut mesh, &RepairOptions::default())?);
        }
        // A map names the vertices of the file.
        let mut seams = None;
        if A::JOINS_SEAMS && !flags.no_keep_seams && flags.map.is_none() {
            seams = Seams::join(&mut run, &mut mesh, None)?;
        }
        if seams.is_some() {
            lines.kept.columns.push(PIECE.into());
        }
        let before = quality(&mesh);
        // The engine starts meanwhile.
        let size = conflicts.patch_size();
        let set = run.patch(&mesh, &input.path, &args.patch, size)?;
        let engine = run.engine(args.engine.engine)?;
        let (_, (session, carried)) = run.upload(&engine, set, |rx| {
            conflicts.open(rx, mesh, &lines, flags.map.is_some())
        })?;
        Ok(Editing {
            run,
            session,
            x: carried.positions(),
            carried: Rc::new(carried),
            target,
            several: None,
            seams: seams.map(Rc::new),
            before,
            validate,
            map: flags.map,
            target_length: None,
            home,
            unit,
            path: input.path,
        })
    }

    fn unit(&self) -> f64 {
        self.unit
    }

    /// Validates if that was asked for, measures, writes and reports.
    fn close<A: Application<Frame = Editing>>(
        mut self,
        options: &A::Options,
        report: &A::Report,
    ) -> Result<Outcome> {
        let Told { lines, outcome, .. } = self.run.tell::<A>(options, report);
        if self.validate {
            let wrong = on_session!(&self.session, |s| s.validate())?;
            if let Some(first) = wrong.first() {
                bail!(
                    "{}: the result is not sound: {first} ({} findings in all); this is a bug in rxmesh",
                    self.path.display(),
                    wrong.len()
                );
            }
        }
        let frozen = on_session!(&self.session, |s| s.frozen_faces());
        if frozen > 0 {
            self.run.warn(format!(
                "{}: {frozen} faces touch a place that is not manifold or not consistently oriented; such places \
                stayed as they are (--repair mends them first)",
                self.path.display()
            ));
        }
        let (session, carried) = (&self.session, &self.carried);
        let ((mut mesh, lost), ms) = self.run.mesh_stage("downloading", || {
            Ok(on_session!(session, |s| carried.mesh(s))?)
        })?;
        self.run.record.timings_ms.download = ms;
        for what in lost {
            self.run.warn(what);
        }
        // Measures are those of the surface, the file's vertices are split again.
        let mut whole = match &self.seams {
            Some(seams) => Some(seams.split_again(&mesh)?),
            None => None,
        };
        let parts = match &self.several {
            Some((several, _)) => several.part(whole.as_mut().unwrap_or(&mut mesh))?,
            None => Vec::new(),
        };
        mesh.return_to(self.home);
        self.target_length = self.target_length.map(|l| l * self.unit);
        let session = &self.session;
        let after = quality(&mesh);
        if let Some(mut whole) = whole {
            whole.return_to(self.home);
            mesh = whole;
        }
        let (speculation, words) = session.did()?.unzip();
        let words = words.map_or(String::new(), |words| format!(", {words}"));
        let who = format!("conflicts: {}{words}\n", session.name());
        self.run.record.edit = Some(EditRecord {
            before: self.before,
            after,
            edge_length_over_target: self.target_length.map(|l| OverTarget {
                before: self.before.edge_length.over(l),
                after: after.edge_length.over(l),
            }),
            frozen_faces: frozen,
            validated: self.validate,
            conflicts: session.name(),
            speculation,
            options: keys(options)?,
            report: keys(report)?,
        });
        match self.several {
            Some((several, _)) => several.write(&mut self.run, &parts)?,
            None => self.run.write(&self.target, &mesh)?,
        }
        if let Some(path) = &self.map {
            let map = on_session!(&self.session, |s| carried.map(s))?;
            let text = map.to_text([mesh.vertex_count(), mesh.face_count()]);
            files::write_bytes(path, text.as_bytes())
                .with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        let r = &self.run.record;
        let repair = r.repair.as_ref().map_or(String::new(), |r| {
            format!("{}{}", passes(r), counts("repaired", &r.after))
        });
        let mut out = text::input(r) + &repair + &text::engine(r) + &who;
        out += &self.run.timed(&lines);
        out += &measures("before", &self.before, self.target_length);
        out += &measures("after", &after, self.target_length);
        if self.validate {
            out += "validated: no finding\n";
        }
        out += &text::output(r);
        self.run.finish(&out)?;
        left_to_the_system((self.session, self.carried, mesh));
        Ok(outcome)
    }
}

/// The edges that are lines.
fn lines<A: Application<Frame = Editing>>(flags: &EditFlags, options: &A::Options) -> Lines {
    let seams = !flags.no_keep_seams;
    let held = A::holds_groups(options) && !flags.keep_groups;
    let all = Borders {
        groups: true,
        seams,
        columns: flags.groups_from.clone(),
    };
    let kept = match held {
        true => Borders {
            seams,
            ..Borders::default()
        },
        false => Borders {
            groups: flags.keep_groups || A::KEEPS_GROUPS && seams,
            ..all.clone()
        },
    };
    let held = if held { all } else { Borders::default() };
    Lines { kept, held }
}

/// The vertices that a file has split, and the mesh as it was with them.
#[derive(Debug)]
pub(crate) struct Seams {
    seams: SplitSeams,
    whole: TriMesh,
    joined: TriMesh,
}

impl Seams {
    /// Joins the vertices of a mesh that are split, and says so; `labels` tell several meshes apart.
    fn join(run: &mut Run, mesh: &mut TriMesh, labels: Option<&[u32]>) -> Result<Option<Seams>> {
        let Some(seams) = SplitSeams::find(mesh, labels) else {
            return Ok(None);
        };
        let (joined, lost) = seams.join(mesh)?;
        run.warn(format!(
            "{} (--no-keep-seams leaves them apart)",
            seams.message()
        ));
        if !lost.is_empty() {
            run.warn(format!(
                "the sides of seams have the same values afterwards in the columns {}",
                lost.join(", ")
            ));
        }
        let whole = std::mem::replace(mesh, joined.clone());
        Ok(Some(Seams {
            seams,
            whole,
            joined,
        }))
    }

    /// The result as the file has it: with split vertices.
    pub(crate) fn split_again(&self, mesh: &TriMesh) -> Result<TriMesh> {
        if *mesh == self.joined {
            return Ok(self.whole.clone());
        }
        Ok(self.seams.split_again(mesh)?)
    }
}

/// Reads several meshes and opens them as one.
fn open_several<A: Application<Frame = Editing>>(
    flags: EditFlags,
    mut lines: Lines,
) -> Result<Editing> {
    let args = &flags.compute;
    let (mut run, mut mesh, mut several) = Several::read::<A>(args, Gives::Mesh)?;
    let mut seams = None;
    several.mark(&mut mesh)?;
    if A::JOINS_SEAMS && !flags.no_keep_seams {
        seams = Seams::join(&mut run, &mut mesh, Some(&several.labels()))?;
    }
    if let Some(seams) = &seams {
        several.join(&seams.seams);
        lines.kept.columns.push(PIECE.into());
    }
    let before = quality(&mesh);
    let unit = mesh.placement.scale;
    let home = Placement {
        scale: 1.0,
        ..mesh.placement
    };
    let path = several.path();
    // The engine starts meanwhile.
    let set = run.patch(&mesh, &path, &args.patch, flags.conflicts.patch_size())?;
    let engine = run.engine(args.engine.engine)?;
    let labels = several.labels();
    let (_, (session, carried, labels)) = run.upload(&engine, set, |rx| {
        let (mut session, carried) = flags.conflicts.open(rx, mesh, &lines, false)?;
        let labels = rx.attribute_from::<Vertex, u32>(&labels)?;
        let labels = on_session!(&mut session, |s| s.attach(&labels))?;
        Ok((session, carried, labels))
    })?;
    Ok(Editing {
        run,
        session,
        x: carried.positions(),
        carried: Rc::new(carried),
        target: several.target(),
        several: Some((several, labels)),
        seams: seams.map(Rc::new),
        before,
        validate: flags.validate,
        map: None,
        target_length: None,
        home,
        unit,
        path,
    })
}

/// Refuses a file for the map that could not be written, or that is the result's.
fn writable(map: &Path, target: &Target) -> Result<()> {
    if *map == target.path {
        bail!("{}: mesh and map cannot be the same file", map.display());
    }
    files::check(map).with_context(|| format!("{}: cannot be written", map.display()))
}

impl Editing {
    /// Runs the operation, timed.
    pub(crate) fn work<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&mut AnySession, Column<Vertex, Vec3>) -> Result<T>,
    ) -> Result<T> {
        let (session, x) = (&mut self.session, self.x);
        let (result, ms) = self.run.mesh_stage(name, || {
            let result = work(session, x)?;
            on_session!(session, |s| s.engine().synchronize())?;
            Ok(result)
        })?;
        self.run.record.timings_ms.run = ms;
        Ok(result)
    }
}

/// Rounds and conflicts in words.
pub(crate) fn rounds(run: &RunReport) -> String {
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
