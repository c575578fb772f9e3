//! What is round each face of the quads, and which vertices are special.

use super::Creased;
use crate::room::Room;
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::catmull_clark::neighbours::{
    CHUNK, CORNERS, COUNT_WORDS, FACES, FindNeighbours, FindSpecial, Neighbours, POINTS, VERTICES,
};

/// What is round each face, and which vertices and faces are special.
#[derive(Debug)]
pub(super) struct Surroundings {
    order: Room<u32>,
    points: Room<u32>,
    flags: Room<u32>,
    vertices: Room<u32>,
    slots: Room<u32>,
    /// As [`FindSpecial::counts`].
    counts: Room<u32>,
    /// Whether the host has not waited for the numbers: they are the most that there can be.
    ahead: bool,
    /// Numbers of special vertices, of corners at them, and of special faces.
    pub(super) special_vertices: u32,
    pub(super) special_corners: u32,
    pub(super) special_faces: u32,
}

impl Surroundings {
    pub(super) fn empty(engine: &Engine) -> Result<Surroundings, Error> {
        let room = || Room::empty(engine);
        Ok(Surroundings {
            order: room()?,
            points: room()?,
            flags: room()?,
            vertices: room()?,
            slots: room()?,
            counts: Room::zeroed(engine, COUNT_WORDS as usize)?,
            ahead: false,
            special_vertices: 0,
            special_corners: 0,
            special_faces: 0,
        })
    }

    /// Looks round a mesh of quads, and waits for the numbers unless it is done `ahead`; nothing of a mesh that no grid
    /// stands on.
    pub(super) fn make(&mut self, quads: &Creased, needed: bool, ahead: bool) -> Result<(), Error> {
        let mesh = &quads.mesh;
        let size = |n: u32| if needed { n } else { 0 };
        let [v, c, f] = [mesh.vertex_count(), mesh.corner_count(), mesh.face_count()].map(size);
        self.order.set_len(f as usize)?;
        self.points.set_len((f * POINTS) as usize)?;
        self.flags.set_len(f as usize)?;
        self.vertices.set_len(v as usize)?;
        self.slots.set_len(c as usize)?;
        self.ahead = ahead;
        (
            self.special_vertices,
            self.special_corners,
            self.special_faces,
        ) = (v, c, f);
        if needed { self.look(quads) } else { Ok(()) }
    }

    fn look(&mut self, quads: &Creased) -> Result<(), Error> {
        let mesh = &quads.mesh;
        let engine = mesh.engine();
        self.counts.clear()?;
        let slots = self.slots.global_mut();
        let kernel = FindSpecial {
            mesh: mesh.topology(),
            around: mesh.around(),
            creases: quads.creases(),
            vertices: self.vertices.global_mut(),
            slots,
            counts: self.counts.global_mut(),
        };
        engine.launch_blocks(mesh.vertex_count().div_ceil(CHUNK), kernel)?;
        let kernel = FindNeighbours {
            mesh: mesh.topology(),
            slots: slots.read(),
            order: self.order.global_mut(),
            points: self.points.global_mut(),
            flags: self.flags.global_mut(),
            counts: self.counts.global_mut(),
        };
        engine.launch_blocks(mesh.face_count().div_ceil(CHUNK), kernel)?;
        if self.ahead {
            return Ok(());
        }
        let counts = self.counts.read()?;
        let of = |word: u32| counts[word as usize];
        self.special_vertices = of(VERTICES);
        self.special_corners = of(CORNERS);
        self.special_faces = of(FACES);
        Ok(())
    }

    /// The numbers, for kernels; nothing where the host has them.
    pub(super) fn counts(&self) -> Global<u32> {
        match self.ahead {
            true => self.counts.global(),
            false => Global::empty(),
        }
    }

    /// What kernels see.
    pub(super) fn view(&self) -> Neighbours {
        Neighbours {
            order: self.order.global(),
            points: self.points.global(),
            flags: self.flags.global(),
        }
    }

    /// The special vertices.
    pub(super) fn vertices(&self) -> Global<u32> {
        self.vertices.global()
    }

    /// The number of each corner among those at special vertices.
    pub(super) fn slots(&self) -> Global<u32> {
        self.slots.global()
    }

    pub(super) fn bytes(&self) -> u64 {
        let all = [
            &self.order,
            &self.points,
            &self.flags,
            &self.vertices,
            &self.slots,
            &self.counts,
        ];
        all.iter().map(|r| r.bytes()).sum()
    }
}
