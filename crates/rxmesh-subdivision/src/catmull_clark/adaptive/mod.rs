//! Feature-adaptive Catmull-Clark surfaces: bicubic patches, and evaluation anywhere.

mod evaluate;
mod plan;
mod tessellate;
mod values;

pub use tessellate::{PatchCount, Tessellation};

use super::quads::Quads;
use crate::faces::FaceSource;
use crate::{Creasing, Mesh, Options};
use plan::Plan;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::{Faces, PolyMesh};
use rxmesh_subdivision_kernels::catmull_clark::adaptive::cells::{CAP, CORNER_SHIFT, Cell};
use rxmesh_subdivision_kernels::catmull_clark::adaptive::patches::POINTS;
use rxmesh_subdivision_kernels::catmull_clark::adaptive::plan::PATCH_WORDS;
use values::AdaptiveScratch;

/// A Catmull-Clark surface as bicubic patches (Niessner et al. 2012): topology is prepared once, control points are
/// computed whenever values change, and the surface can be evaluated anywhere.
///
/// *Parameter faces* are the quads of the mesh, or, if some faces are no quads, one quad for each of their corners, in
/// the order of corners: from the corner (0, 0) to the midpoint of the side that follows it (1, 0), the centre of the
/// face (1, 1), and the midpoint of the side before it (0, 1). A quad of the mesh has its corners 0 to 3 at (0, 0), (1,
/// 0), (1, 1), (0, 1).
///
/// A patch is a square of such a face, and a uniform bicubic B-spline over it with 4 x 4 control points. At irregular
/// vertices, and where sharpness has yet to end, faces are divided, at most as many times as there are levels; any
/// remaining sharpness is treated as infinite, as in [`CatmullClark::limit`](crate::CatmullClark::limit). So the
/// patches are exact except for one cell of the last level per corner at each irregular vertex
/// ([`PatchKind::Irregular`]): it joins its neighbours, interpolates the surface at the vertex, and approximates it in
/// between.
#[derive(Debug)]
pub struct Adaptive {
    engine: Engine,
    /// Number of levels of the grids.
    depth: u32,
    quads: Quads,
    /// Mesh face of each parameter face; empty when they are the same.
    parents: Vec<u32>,
    plan: Plan,
    scratch: AdaptiveScratch,
    /// First sample that is not on the surface.
    bad: Buffer<u32>,
}

/// Neighbourhood of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PatchKind {
    /// Nothing at the patch is sharp.
    Regular,
    /// Its border is sharp, at a boundary or crease: some of its control points are reflections.
    Border,
    /// One of its corners is an irregular vertex of the last level.
    Irregular,
}

/// Position of a patch: the square of side `1 / 2^level` with its first corner at `(i, j) / 2^level`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfacePatch {
    /// Parameter face.
    pub face: u32,
    /// Number of divisions of the face.
    pub level: u32,
    /// Column of the square, along u.
    pub i: u32,
    /// Row of the square, along v.
    pub j: u32,
    /// Neighbourhood of the patch.
    pub kind: PatchKind,
    /// `true` for each sharp side: v = 0, u = 1, v = 1, u = 0.
    pub sharp: [bool; 4],
    /// Corner at an irregular vertex, 0 to 3 counter-clockwise from the first, for [`PatchKind::Irregular`].
    pub corner: Option<u32>,
}

impl Adaptive {
    /// Prepares the patches of a mesh; [`Options::levels`] is the largest number of divisions of a face, from 1, or
    /// from 2 if some faces are no quads, to [`MOST_LEVELS`](super::MOST_LEVELS). [`Options::scheme`] is ignored.
    ///
    /// # Errors
    ///
    /// As [`CatmullClark::new`](crate::CatmullClark::new); [`Error::Options`] for a number of levels that is too small,
    /// or in which sharpness by Chaikin's rule does not end; [`Error::TooLarge`] for more control points than 32 bits
    /// can address.
    pub fn new(engine: &Engine, poly: &PolyMesh, options: &Options) -> Result<Adaptive, Error> {
        let mut quads = Quads::empty(engine)?;
        quads.make(&FaceSource::Host(poly), options)?;
        let levels = options.levels;
        let least = if poly.faces == Faces::Same(4) { 1 } else { 2 };
        if levels < least {
            return Err(Error::Options(format!(
                "patches of these faces need {least} levels or more, not {levels}"
            )));
        }
        let most = quads.given().most_sharp();
        if options.creasing == Creasing::Chaikin && most > levels as f32 {
            return Err(Error::Options(format!(
                "sharpness up to {most} by Chaikin's rule does not end in {levels} levels"
            )));
        }
        let depth = levels + 1 - least;
        let plan = Plan::new(&quads.base, &quads.kept, depth)?;
        Ok(Adaptive {
            engine: engine.clone(),
            depth,
            scratch: AdaptiveScratch::new(&quads.base.mesh, quads.are_split(), &plan)?,
            parents: if quads.are_split() {
                parents(poly)
            } else {
                Vec::new()
            },
            quads,
            plan,
            bad: engine.upload(&[u32::MAX])?,
        })
    }

    /// Returns the number of parameter faces.
    pub fn face_count(&self) -> u32 {
        self.quads.base.mesh.face_count()
    }

    /// Returns the mesh face of a parameter face.
    pub fn parent(&self, face: u32) -> u32 {
        self.parents.get(face as usize).copied().unwrap_or(face)
    }

    /// Returns the number of patches.
    pub fn patch_count(&self) -> u32 {
        self.plan.patch_count()
    }

    /// Returns the number of control points of all patches: [`Adaptive::values`] makes a row for each.
    pub fn control_count(&self) -> u32 {
        POINTS * self.patch_count()
    }

    /// Returns the patches, in the order of their control points: by level, then by face.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn patches(&self) -> Result<Vec<SurfacePatch>, Error> {
        let words = self.plan.patches().read()?;
        let words = words.as_chunks::<{ PATCH_WORDS as usize }>().0;
        let count = self.patch_count() as usize;
        let patch = |&[face, place, kind, _]: &[u32; PATCH_WORDS as usize]| {
            let Cell { level, i, j, .. } = Cell::at(face, place);
            let sharp = [0, 1, 2, 3].map(|side| kind >> side & 1 != 0);
            let cap = kind & CAP != 0;
            SurfacePatch {
                face,
                level,
                i,
                j,
                kind: match (cap, sharp.contains(&true)) {
                    (true, _) => PatchKind::Irregular,
                    (_, true) => PatchKind::Border,
                    _ => PatchKind::Regular,
                },
                sharp,
                corner: cap.then_some(kind >> CORNER_SHIFT),
            }
        };
        Ok(words[..count].iter().map(patch).collect())
    }

    /// Returns the mesh of which the surface is made.
    pub fn mesh(&self) -> &Mesh {
        &self.quads.given().mesh
    }

    /// Returns the number of bytes on the engine.
    pub fn bytes(&self) -> u64 {
        self.quads.bytes() + self.plan.bytes() + self.scratch.bytes() + 4
    }
}

/// Returns the face of each corner.
fn parents(poly: &PolyMesh) -> Vec<u32> {
    let faces = 0..poly.face_count();
    let parents = faces.flat_map(|f| poly.range(f).map(move |_| f as u32));
    parents.collect()
}
