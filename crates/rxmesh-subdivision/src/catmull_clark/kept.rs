//! Quads that are part of the surface.

use crate::growable::GrowableBuffer;
use crate::kept::KeptFaces;
use crate::{Boundary, Mesh, Sharpness, faces::Extras};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::Faces;
use rxmesh_kernels::mem::Global;
use std::ops::Range;

/// Faces that are part of the surface: quads of the mesh, or the quads that one level makes of each of its faces.
#[derive(Debug)]
pub(super) struct SurfaceFaces {
    faces: KeptFaces,
    /// Sizes of the mesh's faces.
    sizes: Faces,
    /// `true` if the mesh's faces are split into quads, one per corner.
    split: bool,
    /// For faces that are split, when some are left out: the quads.
    quads: GrowableBuffer<u32>,
    /// Mesh face of each of `quads`.
    parents: Vec<u32>,
    /// Corners of all kept faces at level 0, when some are left out.
    corners: GrowableBuffer<u32>,
    count: u32,
    corner_count: u32,
}

/// Returns the range of corners of a face.
fn range(sizes: &Faces, f: u32) -> Range<u32> {
    match sizes {
        Faces::Same(n) => n * f..n * (f + 1),
        Faces::Offsets(offsets) => offsets[f as usize]..offsets[f as usize + 1],
    }
}

impl SurfaceFaces {
    pub(super) fn empty(engine: &Engine) -> Result<SurfaceFaces, Error> {
        Ok(SurfaceFaces {
            faces: KeptFaces::empty(engine)?,
            sizes: Faces::Same(4),
            split: false,
            quads: GrowableBuffer::empty(engine)?,
            parents: Vec::new(),
            corners: GrowableBuffer::empty(engine)?,
            count: 0,
            corner_count: 0,
        })
    }

    /// Finds the kept faces of a mesh with faces of these sizes.
    pub(super) fn make(
        &mut self,
        (mesh, sizes): (&Mesh, Faces),
        extras: &Extras,
        sharpness: &Sharpness,
        (boundary, levels): (Boundary, u32),
    ) -> Result<(), Error> {
        self.clear();
        self.split = levels > 0 && sizes != Faces::Same(4);
        self.sizes = sizes;
        self.faces.make(mesh, extras, sharpness, boundary)?;
        let Some(ids) = self.faces.ids() else {
            self.corner_count = mesh.corner_count();
            self.count = match self.split {
                true => self.corner_count,
                false => mesh.face_count(),
            };
            return Ok(());
        };
        let ranges = || ids.iter().map(|&f| range(&self.sizes, f));
        self.corner_count = ranges().map(|r| r.len() as u32).sum();
        self.count = ids.len() as u32;
        if self.split {
            let quads: Vec<u32> = ranges().flatten().collect();
            let of = |&f: &u32| std::iter::repeat_n(f, range(&self.sizes, f).len());
            self.parents = ids.iter().flat_map(of).collect();
            self.count = self.corner_count;
            self.quads.fill(&quads)?;
        } else if levels == 0 {
            let all = mesh.corners.read()?;
            let own = |r: Range<u32>| all[r.start as usize..r.end as usize].to_vec();
            let corners: Vec<u32> = ranges().flat_map(own).collect();
            self.corners.fill(&corners)?;
        }
        Ok(())
    }

    /// Removes all faces.
    pub(super) fn clear(&mut self) {
        self.faces.clear();
        self.parents.clear();
        self.quads.shrink(0);
        self.corners.shrink(0);
        (self.count, self.corner_count) = (0, 0);
    }

    /// Returns the number of kept faces.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Returns the number of their corners at level 0.
    pub(super) fn corners(&self) -> u32 {
        self.corner_count
    }

    /// Returns the mesh face of a kept face.
    pub(super) fn parent(&self, slot: u32) -> u32 {
        match &self.sizes {
            _ if !self.split => self.faces.face(slot),
            _ if !self.parents.is_empty() => self.parents[slot as usize],
            Faces::Same(n) => slot / n,
            Faces::Offsets(offsets) => offsets.partition_point(|&first| first <= slot) as u32 - 1,
        }
    }

    /// Returns the quads; an empty view when none is left out.
    pub(super) fn view(&self) -> Global<u32> {
        match self.split {
            true => self.quads.global(),
            false => self.faces.view(),
        }
    }

    /// Copies the corners of the mesh's kept faces.
    pub(super) fn copy_corners(&self, mesh: &Mesh, out: &mut Buffer<u32>) -> Result<(), Error> {
        match self.faces.ids() {
            Some(_) => self.corners.copy_to(out)?,
            None => mesh.corners.copy_to(out)?,
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> u64 {
        self.faces.bytes() + self.quads.bytes() + self.corners.bytes()
    }
}
