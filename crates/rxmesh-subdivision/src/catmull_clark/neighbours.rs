//! Neighbourhood of each face of the quads, and special vertices.

use super::quads::Creased;
use crate::growable::GrowableBuffer;
use crate::launch::Launch;
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::catmull_clark::neighbours::{
    CHUNK, CORNERS, COUNT_WORDS, FindNeighbours, FindSpecial, Neighbours, POINTS, VERTICES,
};

/// Neighbourhood of each face, and the special vertices and faces.
#[derive(Debug)]
pub(super) struct Surroundings {
    order: GrowableBuffer<u32>,
    points: GrowableBuffer<u32>,
    flags: GrowableBuffer<u32>,
    vertices: GrowableBuffer<u32>,
    slots: GrowableBuffer<u32>,
    counts: GrowableBuffer<u32>,
    /// Number of special vertices and of corners at them; upper bounds if the numbers were not read back.
    special: [u32; 2],
}

impl Surroundings {
    pub(super) fn empty(engine: &Engine) -> Result<Surroundings, Error> {
        Ok(Surroundings {
            order: GrowableBuffer::empty(engine)?,
            points: GrowableBuffer::empty(engine)?,
            flags: GrowableBuffer::empty(engine)?,
            vertices: GrowableBuffer::empty(engine)?,
            slots: GrowableBuffer::empty(engine)?,
            counts: GrowableBuffer::zeroed(engine, COUNT_WORDS as usize)?,
            special: [0; 2],
        })
    }

    /// Finds the neighbourhoods of a mesh of quads, if `needed`; without a wait if `ahead`.
    pub(super) fn make(&mut self, quads: &Creased, needed: bool, ahead: bool) -> Result<(), Error> {
        let mesh = &quads.mesh;
        let engine = mesh.engine();
        let size = |n: u32| if needed { n as usize } else { 0 };
        let faces = size(mesh.face_count());
        self.order.set_len(faces)?;
        self.points.set_len(faces * POINTS as usize)?;
        self.flags.set_len(faces)?;
        self.vertices.set_len(size(mesh.vertex_count()))?;
        self.slots.set_len(size(mesh.corner_count()))?;
        self.special = [0; 2];
        if !needed {
            return Ok(());
        }
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
        self.special = if ahead {
            [mesh.vertex_count(), mesh.corner_count()]
        } else {
            let counts = self.counts.read()?;
            [VERTICES, CORNERS].map(|word| counts[word as usize])
        };
        Ok(())
    }

    /// Returns the view for kernels.
    pub(super) fn view(&self) -> Neighbours {
        Neighbours {
            order: self.order.global(),
            points: self.points.global(),
            flags: self.flags.global(),
            counts: self.counts.global(),
        }
    }

    /// Returns an upper bound of the number of special vertices.
    pub(super) fn vertices(&self) -> u32 {
        self.special[0]
    }

    /// Returns an upper bound of the number of corners at special vertices.
    pub(super) fn corners(&self) -> u32 {
        self.special[1]
    }

    /// Returns the special vertices.
    pub(super) fn list(&self) -> Global<u32> {
        self.vertices.global()
    }

    /// Returns the number of each corner among those at special vertices.
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
        all.into_iter().map(GrowableBuffer::bytes).sum()
    }
}
