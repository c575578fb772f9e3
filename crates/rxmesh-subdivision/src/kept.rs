//! Faces of the mesh that are part of the surface.

use crate::faces::Extras;
use crate::growable::GrowableBuffer;
use crate::launch::Launch;
use crate::{Boundary, Mesh, Sharpness};
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::catmull_clark::faces::AwayFromBoundary;

/// Faces of the mesh that are part of the surface. Others only shape it: holes, and with [`Boundary::None`] the faces
/// at a vertex of a boundary edge that is not listed as infinitely sharp.
#[derive(Debug)]
pub(crate) struct KeptFaces {
    /// Number of faces of the mesh.
    all: u32,
    /// Faces that are kept, ascending; `None` when all are.
    ids: Option<Vec<u32>>,
    /// Copy of `ids` on the engine; empty when all are kept.
    list: GrowableBuffer<u32>,
    away: GrowableBuffer<u32>,
}

impl KeptFaces {
    pub(crate) fn empty(engine: &Engine) -> Result<KeptFaces, Error> {
        Ok(KeptFaces {
            all: 0,
            ids: None,
            list: GrowableBuffer::empty(engine)?,
            away: GrowableBuffer::empty(engine)?,
        })
    }

    /// Finds the kept faces. Nothing is launched or waited for without holes if boundaries stay, and for closed meshes.
    pub(crate) fn make(
        &mut self,
        mesh: &Mesh,
        extras: &Extras,
        sharpness: &Sharpness,
        boundary: Boundary,
    ) -> Result<(), Error> {
        self.clear();
        let open = boundary == Boundary::None && !mesh.is_closed();
        let faces = mesh.face_count();
        self.all = faces;
        if extras.holes.is_empty() && !open {
            return Ok(());
        }
        let mut kept = vec![true; faces as usize];
        for &f in extras.holes {
            kept[f as usize] = false;
        }
        if open {
            self.away.set_len(faces as usize)?;
            let kernel = AwayFromBoundary {
                mesh: mesh.topology(),
                sharpness: sharpness.view(),
                out: self.away.global_mut(),
            };
            mesh.engine().launch_flat(faces, kernel)?;
            for (kept, away) in kept.iter_mut().zip(self.away.read()?) {
                *kept &= away != 0;
            }
        }
        let ids: Vec<u32> = (0..faces).filter(|&f| kept[f as usize]).collect();
        if ids.len() < kept.len() {
            self.list.fill(&ids)?;
            self.ids = Some(ids);
        }
        Ok(())
    }

    /// Removes all faces.
    pub(crate) fn clear(&mut self) {
        self.all = 0;
        self.ids = None;
        self.list.shrink(0);
    }

    /// Returns the number of kept faces.
    pub(crate) fn count(&self) -> u32 {
        self.ids.as_ref().map_or(self.all, |ids| ids.len() as u32)
    }

    /// Returns the kept faces, ascending; `None` when all are.
    pub(crate) fn ids(&self) -> Option<&[u32]> {
        self.ids.as_deref()
    }

    /// Returns the mesh face of a kept face.
    pub(crate) fn face(&self, at: u32) -> u32 {
        self.ids.as_ref().map_or(at, |ids| ids[at as usize])
    }

    /// Returns [`KeptFaces::ids`] on the engine: empty if all faces are kept, and if none is, but then none is read.
    pub(crate) fn view(&self) -> Global<u32> {
        self.list.global()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.list.bytes() + self.away.bytes()
    }
}
