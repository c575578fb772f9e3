//! Which faces of the mesh are part of the surface.

use crate::{Mesh, Sharpness};
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_host::mesh::{Faces, PolyMesh};
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::catmull_clark::faces::AwayFromBoundary;

/// The faces that are part of the surface: quads of the mesh, or the quads that one level makes of each of its faces.
#[derive(Debug)]
pub(super) struct Kept {
    count: u32,
    /// The mesh's face of each; nothing when they are the same.
    parents: Option<Vec<u32>>,
    /// The quads, when some are left out.
    quads: Option<Buffer<u32>>,
    /// At level 0 the corners of all, when some are left out.
    corners: Option<Buffer<u32>>,
    corner_count: u32,
}

impl Kept {
    /// Those that are no holes; where boundaries are left out, `sharpness` says which of them are not.
    pub(super) fn new(
        mesh: &Mesh,
        poly: &PolyMesh,
        left_out: Option<&Sharpness>,
        levels: u32,
    ) -> Result<Kept, Error> {
        let engine = mesh.engine();
        let faces = mesh.face_count();
        let mut kept = vec![true; faces as usize];
        for &f in &poly.holes {
            kept[f as usize] = false;
        }
        if let Some(sharpness) = left_out {
            let away = engine.zeroed(faces as usize)?;
            let kernel = AwayFromBoundary {
                mesh: mesh.topology(),
                sharpness: sharpness.view(),
                out: away.global_mut(),
            };
            engine.launch_flat(faces, kernel)?;
            for (kept, away) in kept.iter_mut().zip(away.read()?) {
                *kept &= away != 0;
            }
        }
        let all = kept.iter().all(|&k| k);
        let list = (0..faces).filter(|&f| kept[f as usize]);
        let range = |f: u32| poly.range(f as usize);
        let split = levels > 0 && poly.faces != Faces::Same(4);
        let (parents, quads): (Vec<u32>, Vec<u32>) = if split {
            let pairs = list
                .clone()
                .flat_map(|f| range(f).map(move |c| (f, c as u32)));
            pairs.unzip()
        } else {
            list.clone().map(|f| (f, f)).unzip()
        };
        let corners = if levels == 0 && !all {
            let corners: Vec<u32> = list.flat_map(|f| poly.corners[range(f)].to_vec()).collect();
            Some(engine.upload(&corners)?)
        } else {
            None
        };
        let own = mesh.corner_count();
        Ok(Kept {
            count: parents.len() as u32,
            quads: if all {
                None
            } else {
                Some(engine.upload(&quads)?)
            },
            parents: (split || !all).then_some(parents),
            corner_count: corners.as_ref().map_or(own, |c| c.len() as u32),
            corners,
        })
    }

    /// How many.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Corners of all of them at level 0.
    pub(super) fn corners(&self) -> u32 {
        self.corner_count
    }

    /// The mesh's face of one of them.
    pub(super) fn parent(&self, slot: u32) -> u32 {
        match &self.parents {
            Some(parents) => parents[slot as usize],
            None => slot,
        }
    }

    /// The quads; nothing when none is left out.
    pub(super) fn view(&self) -> Global<u32> {
        self.quads.as_ref().map_or(Global::empty(), Buffer::global)
    }

    /// The corners of the mesh's faces that are kept.
    pub(super) fn copy_corners(&self, mesh: &Mesh, out: &mut Buffer<u32>) -> Result<(), Error> {
        match &self.corners {
            Some(corners) => out.copy_from(corners)?,
            None => out.copy_from(mesh.corners())?,
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> u64 {
        let of = |b: &Option<Buffer<u32>>| b.as_ref().map_or(0, |b| 4 * b.len() as u64);
        of(&self.quads) + of(&self.corners)
    }
}
