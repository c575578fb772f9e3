//! What is round each face of the quads, and which vertices are special.

use super::Creased;
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::catmull_clark::neighbours::{
    CHUNK, CORNERS, COUNT_WORDS, FACES, FindNeighbours, FindSpecial, Neighbours, POINTS, VERTICES,
};

/// What is round each face, and which vertices and faces are special.
#[derive(Debug)]
pub(super) struct Surroundings {
    order: Buffer<u32>,
    points: Buffer<u32>,
    flags: Buffer<u32>,
    vertices: Buffer<u32>,
    slots: Buffer<u32>,
    /// Numbers of special vertices, of corners at them, and of special faces.
    pub(super) special_vertices: u32,
    pub(super) special_corners: u32,
    pub(super) special_faces: u32,
}

impl Surroundings {
    /// Looks round a mesh of quads; nothing of one that no grid stands on.
    pub(super) fn new(quads: &Creased, needed: bool) -> Result<Surroundings, Error> {
        let mesh = &quads.mesh;
        let engine = mesh.engine();
        let size = |n: u32| if needed { n as usize } else { 0 };
        let faces = size(mesh.face_count());
        let [v, c] = [mesh.vertex_count(), mesh.corner_count()].map(size);
        let mut found = Surroundings {
            order: engine.zeroed(faces)?,
            points: engine.zeroed(faces * POINTS as usize)?,
            flags: engine.zeroed(faces)?,
            vertices: engine.zeroed(v)?,
            slots: engine.zeroed(c)?,
            special_vertices: 0,
            special_corners: 0,
            special_faces: 0,
        };
        if needed {
            found.look(quads)?;
        }
        Ok(found)
    }

    fn look(&mut self, quads: &Creased) -> Result<(), Error> {
        let mesh = &quads.mesh;
        let engine = mesh.engine();
        let counts = engine.zeroed(COUNT_WORDS as usize)?;
        let slots = self.slots.global_mut();
        let kernel = FindSpecial {
            mesh: mesh.topology(),
            around: mesh.around(),
            creases: quads.creases(),
            vertices: self.vertices.global_mut(),
            slots,
            counts: counts.global_mut(),
        };
        engine.launch_blocks(mesh.vertex_count().div_ceil(CHUNK), kernel)?;
        let kernel = FindNeighbours {
            mesh: mesh.topology(),
            slots: slots.read(),
            order: self.order.global_mut(),
            points: self.points.global_mut(),
            flags: self.flags.global_mut(),
            counts: counts.global_mut(),
        };
        engine.launch_blocks(mesh.face_count().div_ceil(CHUNK), kernel)?;
        let counts = counts.read()?;
        let of = |word: u32| counts[word as usize];
        self.special_vertices = of(VERTICES);
        self.special_corners = of(CORNERS);
        self.special_faces = of(FACES);
        Ok(())
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
        ];
        all.map(|b| 4 * b.len() as u64).iter().sum()
    }
}
