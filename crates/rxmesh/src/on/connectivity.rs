//! Meshes whose connectivity changes.

use super::arrays::check_finite;
use super::{
    AnySession, EngineArrays, Lines, MeshPatches, PATCH_SIZE, Scheduler, Several, Vertices,
};
use crate::log::of_mesh;
use crate::{Error, Log, Result, Stage, on_session, stage};
use rxmesh_host::Vec3;
use rxmesh_host::edit::{Borders, Carried, Column, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{PIECE, Placement, Quality, SplitSeams, TriMesh, quality};
use rxmesh_host::repack::RepackOptions;
use rxmesh_host::store::RxMesh;
use std::rc::Rc;
use std::sync::Arc;

/// Edges that the user wants to keep as the boundary is kept.
#[derive(Clone, Debug)]
pub struct Keep {
    /// Borders between objects, groups and materials, whatever the operation does by default.
    pub groups: bool,
    /// Seams, and borders that the operation keeps by default.
    pub seams: bool,
    /// Further columns of whole numbers whose borders count.
    pub columns: Vec<String>,
}

impl Default for Keep {
    fn default() -> Keep {
        Keep {
            groups: false,
            seams: true,
            columns: Vec::new(),
        }
    }
}

impl Keep {
    /// Returns the edges that an operation treats as lines, which holds groups with a weight, or keeps them by default.
    pub fn lines(&self, holds_groups: bool, keeps_groups: bool) -> Lines {
        let all = Borders {
            groups: true,
            seams: self.seams,
            columns: self.columns.clone(),
        };
        if holds_groups && !self.groups {
            let kept = Borders {
                seams: self.seams,
                ..Borders::default()
            };
            return Lines { kept, held: all };
        }
        let kept = Borders {
            groups: self.groups || keeps_groups && self.seams,
            ..all
        };
        Lines {
            kept,
            held: Borders::default(),
        }
    }
}

/// Mesh in working units that is not yet on an engine.
#[derive(Debug)]
pub struct Draft {
    /// Mesh; [`Draft::join_seams`] joins its split vertices.
    pub mesh: TriMesh,
    /// Placement that the mesh came with.
    home: Placement,
    unit: f64,
    several: Option<Several>,
    seams: Option<Seams>,
}

impl Draft {
    /// Validates a mesh and moves it to working units.
    ///
    /// # Errors
    ///
    /// A mesh that is not sound.
    pub fn new(mut mesh: TriMesh, log: &dyn Log) -> Result<Draft> {
        mesh.validate().map_err(|e| of_mesh(log, e.into()))?;
        let home = mesh.normalise();
        let unit = mesh.placement.scale / home.scale;
        Ok(Draft {
            mesh,
            home,
            unit,
            several: None,
            seams: None,
        })
    }

    /// Takes several meshes that are joined to one in working units.
    pub fn of_several(mesh: TriMesh, several: Several) -> Draft {
        let home = Placement {
            scale: 1.0,
            ..mesh.placement
        };
        Draft {
            unit: mesh.placement.scale,
            home,
            mesh,
            several: Some(several),
            seams: None,
        }
    }

    /// Joins vertices that the file has split, and has `lines` keep the borders between the pieces.
    ///
    /// # Errors
    ///
    /// Those of the mesh.
    pub fn join_seams(&mut self, lines: &mut Lines, log: &mut dyn Log) -> Result<()> {
        let labels = self.several.as_ref().map(|s| &s.labels[..]);
        self.seams = Seams::join(log, &mut self.mesh, labels)?;
        if let Some(seams) = &self.seams {
            if let Some(several) = &mut self.several {
                several.labels = seams.seams.collect(&several.labels);
            }
            lines.kept.columns.push(PIECE.into());
        }
        Ok(())
    }

    /// Opens a session on an engine, with patches of the mesh. With `follow`, deleted vertices and faces are followed
    /// to where they went.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn open(
        self,
        engine: &Engine,
        patches: MeshPatches,
        how: (Scheduler, &Lines, bool),
        log: &mut dyn Log,
    ) -> Result<Connectivity> {
        self.open_over(|| Ok(Arc::new(patches.into_mesh(engine)?)), how, log)
    }

    /// Opens a session on patches of the mesh that are on an engine, or that `patches` moves to it.
    fn open_over(
        self,
        patches: impl FnOnce() -> Result<Arc<RxMesh>>,
        (scheduler, lines, follow): (Scheduler, &Lines, bool),
        log: &mut dyn Log,
    ) -> Result<Connectivity> {
        let before = quality(&self.mesh);
        let (mesh, several) = (self.mesh, self.several);
        let opened = stage(log, Stage::Upload, || {
            let rx = patches()?;
            let (mut session, carried) = scheduler.open(&rx, mesh, lines, follow)?;
            let labels = match &several {
                Some(several) => {
                    let labels = rx.attribute_from::<Vertex, u32>(&several.labels)?;
                    Some(on_session!(&mut session, |s| s.attach(&labels))?)
                }
                None => None,
            };
            rx.engine().synchronize()?;
            Ok((session, carried, labels, rx.device_bytes()))
        })?;
        let (session, carried, labels, device_bytes) = opened;
        Ok(Connectivity {
            session,
            x: carried.positions(),
            carried: Some(Rc::new(carried)),
            several: several.zip(labels),
            seams: self.seams.map(Rc::new),
            before,
            target_length: None,
            validates_frames: false,
            frames: None,
            wants_frame: None,
            home: self.home,
            unit: self.unit,
            device_bytes,
        })
    }

    /// Opens the mesh on its patches if they are on the engine, else cuts it into patches.
    ///
    /// # Errors
    ///
    /// A mesh that cannot be cut, and those of the engine.
    pub(crate) fn open_on(
        self,
        engine: &Engine,
        patches: Option<Arc<RxMesh>>,
        lines: &Lines,
        log: &mut dyn Log,
    ) -> Result<Connectivity> {
        let how = (Scheduler::Claims, lines, false);
        // Joined vertices make another mesh than the one on the engine.
        if let Some(rx) = patches.filter(|_| self.seams.is_none()) {
            return self.open_over(|| Ok(rx), how, log);
        }
        let patches = MeshPatches::usual(engine, &self.mesh, log)?;
        self.open(engine, patches, how, log)
    }
}

/// Receiver of frames: their numbers from 1, and the mesh.
type MeshReceiver = Box<dyn FnMut(u32, &TriMesh) -> Result<()>>;

/// Mesh that is open for edits.
pub struct Connectivity {
    /// Session.
    pub session: AnySession,
    /// Positions, in working units.
    pub x: Column<Vertex, Vec3>,
    /// Attributes, groups and seams that are carried along; `None` of arrays on an engine, which have none.
    pub carried: Option<Rc<Carried>>,
    /// Several meshes, if it is not one, with the number of its mesh for each vertex.
    pub several: Option<(Several, Column<Vertex, u32>)>,
    /// Vertices that the file has split, which are joined here.
    pub seams: Option<Rc<Seams>>,
    /// Measures at the beginning; zeroes of arrays on an engine.
    pub before: Quality,
    /// Length that edges should have, if the operation has one; in working units.
    pub target_length: Option<f64>,
    /// `true` if every invariant of each frame is checked.
    pub validates_frames: bool,
    /// Receiver of frames.
    pub(crate) frames: Option<MeshReceiver>,
    /// Condition of the frames that the receiver gets; all if there is none.
    pub(crate) wants_frame: Option<Box<dyn FnMut() -> bool>>,
    /// Placement that the mesh came with.
    pub home: Placement,
    pub(crate) unit: f64,
    /// Bytes of the patches on the engine.
    pub device_bytes: usize,
}

impl Connectivity {
    /// Returns the scale from working units to the user's (a power of two).
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Sets the receiver of frames, for operations that give some ([`Operation::gives_frames`]).
    ///
    /// [`Operation::gives_frames`]: crate::Operation::gives_frames
    pub fn on_frames(&mut self, frames: impl FnMut(u32, &TriMesh) -> Result<()> + 'static) {
        self.frames = Some(Box::new(frames));
    }

    /// Sets the receiver of frames as [`on_frames`](Self::on_frames), with a condition: frames for which it gives
    /// `false` are not copied back. Operations that give frames on request give them to this receiver without one.
    pub fn on_frames_if(
        &mut self,
        wants: impl FnMut() -> bool + 'static,
        frames: impl FnMut(u32, &TriMesh) -> Result<()> + 'static,
    ) {
        self.on_frames(frames);
        self.wants_frame = Some(Box::new(wants));
    }

    /// Does the operation's work and waits for it. Errors begin with the mesh's name.
    ///
    /// # Errors
    ///
    /// Those of the work and of the engine.
    pub fn work<T>(
        &mut self,
        log: &mut dyn Log,
        name: &'static str,
        work: impl FnOnce(&mut AnySession, Column<Vertex, Vec3>) -> Result<T>,
    ) -> Result<T> {
        let (session, x) = (&mut self.session, self.x);
        stage(log, Stage::Work(name), || {
            let result = work(session, x)?;
            on_session!(session, |s| s.engine().synchronize())?;
            Ok(result)
        })
    }

    /// Copies the mesh back. Warns of places that stayed because they are not manifold, and of what could not be
    /// carried. With `validate`, every invariant of the result is checked first.
    ///
    /// # Errors
    ///
    /// A result that is not sound, and those of the engine.
    pub fn download(&self, validate: bool, log: &mut dyn Log) -> Result<Downloaded> {
        let name = log
            .mesh_name()
            .map_or(String::new(), |name| format!("{name}: "));
        let Some(carried) = &self.carried else {
            return Err(Error::Message(
                "the mesh is one of arrays on an engine".into(),
            ));
        };
        self.finish_edits(&name, validate, log)?;
        let frozen_faces = on_session!(&self.session, |s| s.frozen_faces());
        let session = &self.session;
        let (mesh, lost) = stage(log, Stage::Download, || {
            Ok(on_session!(session, |s| carried.mesh(s))?)
        })?;
        for what in lost {
            log.warn(what);
        }
        // Measures are those of the surface, the file's vertices are split again.
        let split = match &self.seams {
            Some(seams) => Some(seams.split_again(&mesh)?),
            None => None,
        };
        Ok(Downloaded {
            surface: mesh,
            split,
            home: self.home,
            frozen_faces,
        })
    }
}

impl Connectivity {
    /// Opens arrays on an engine for edits by claims. Positions are computed with as they are.
    ///
    /// # Errors
    ///
    /// Corners that name no vertex, and those of the engine.
    pub(crate) fn of_arrays(arrays: &EngineArrays, log: &mut dyn Log) -> Result<Connectivity> {
        let (session, x) = stage(log, Stage::Upload, || {
            let (positions, faces) = (&arrays.positions, &arrays.faces);
            Ok(Session::from_engine_arrays(positions, faces, PATCH_SIZE)?)
        })?;
        Ok(Connectivity::without_host(session, x, 0))
    }

    /// Opens patches that are on an engine alone for edits by claims.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub(crate) fn of_vertices(on: &Vertices, log: &mut dyn Log) -> Result<Connectivity> {
        let (session, x) = stage(log, Stage::Upload, || {
            let mut session = Session::open(&on.rx)?;
            let x = session.attach(&on.x)?;
            Ok((session, x))
        })?;
        Ok(Connectivity::without_host(session, x, on.rx.device_bytes()))
    }

    fn without_host(session: Session, x: Column<Vertex, Vec3>, device_bytes: usize) -> Self {
        Connectivity {
            session: AnySession::Claims(session),
            x,
            carried: None,
            several: None,
            seams: None,
            before: Quality::default(),
            target_length: None,
            validates_frames: false,
            frames: None,
            wants_frame: None,
            home: Placement::default(),
            unit: 1.0,
            device_bytes,
        }
    }

    /// Checks the result if that is asked for, and warns of places that stayed.
    fn finish_edits(&self, name: &str, validate: bool, log: &mut dyn Log) -> Result<()> {
        if validate {
            let wrong = on_session!(&self.session, |s| s.validate())?;
            if let Some(first) = wrong.first() {
                return Err(Error::Message(format!(
                    "{name}the result is not sound: {first} ({} findings in all); this is a bug in rxmesh",
                    wrong.len()
                )));
            }
        }
        let frozen_faces = on_session!(&self.session, |s| s.frozen_faces());
        if frozen_faces > 0 {
            log.warn(format!(
                "{name}{frozen_faces} faces touch a place that is not manifold or not consistently oriented; such \
                places stayed as they are (--repair mends them first)"
            ));
        }
        Ok(())
    }

    /// Returns the result of edits of arrays, on the engine: vertices and faces in the order of patches.
    ///
    /// # Errors
    ///
    /// Positions that are not finite, and those of the engine.
    pub(crate) fn into_arrays(self, log: &mut dyn Log) -> Result<EngineArrays> {
        self.finish_edits("", false, log)?;
        let session = self.session.into_claims().ok_or_else(|| {
            let why = "arrays on an engine are edited under the scheduler of claims";
            Error::Message(why.into())
        })?;
        stage(log, Stage::Patches, || {
            let mut closed = session.close(RepackOptions::default())?;
            let x = closed.take(self.x)?;
            check_finite(&closed.mesh, &x)?;
            let (positions, faces) = closed.mesh.to_engine_arrays(&x)?;
            Ok(EngineArrays::new(positions, faces))
        })
    }
}

/// Result of edits, in working units.
#[derive(Debug)]
pub struct Downloaded {
    surface: TriMesh,
    split: Option<TriMesh>,
    home: Placement,
    /// Faces that touch a place that is not manifold.
    pub frozen_faces: u32,
}

impl Downloaded {
    /// Returns the result as the file has it, with split vertices.
    pub fn mesh(&mut self) -> &mut TriMesh {
        self.split.as_mut().unwrap_or(&mut self.surface)
    }

    /// Moves the result back to the placement that the mesh came with, and measures it.
    pub fn finish(mut self) -> (TriMesh, Quality) {
        self.surface.return_to(self.home);
        let after = quality(&self.surface);
        match self.split {
            Some(mut split) => {
                split.return_to(self.home);
                (split, after)
            }
            None => (self.surface, after),
        }
    }
}

/// Vertices that a file has split, and the mesh with them.
#[derive(Debug)]
pub struct Seams {
    seams: SplitSeams,
    whole: TriMesh,
    joined: TriMesh,
}

impl Seams {
    /// Joins the split vertices of a mesh, with a warning; `labels` distinguish several meshes.
    fn join(
        log: &mut dyn Log,
        mesh: &mut TriMesh,
        labels: Option<&[u32]>,
    ) -> Result<Option<Seams>> {
        let Some(seams) = SplitSeams::find(mesh, labels) else {
            return Ok(None);
        };
        let (joined, lost) = seams.join(mesh)?;
        log.warn(format!(
            "{} (--no-keep-seams leaves them apart)",
            seams.message()
        ));
        if !lost.is_empty() {
            log.warn(format!(
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

    /// Splits the vertices of a result again.
    ///
    /// # Errors
    ///
    /// Those of the mesh.
    pub fn split_again(&self, mesh: &TriMesh) -> Result<TriMesh> {
        if *mesh == self.joined {
            return Ok(self.whole.clone());
        }
        Ok(self.seams.split_again(mesh)?)
    }
}
