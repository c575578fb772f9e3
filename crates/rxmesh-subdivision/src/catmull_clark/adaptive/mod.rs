//! Feature-adaptive Catmull-Clark surfaces: bicubic patches, and the surface anywhere.

mod evaluate;
mod plan;
mod tessellate;
mod values;

pub use tessellate::{PatchCount, Tessellation};

use super::quads::Quads;
use crate::faces::Source;
use crate::{Creasing, Mesh, Options};
use plan::Plan;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::{Faces, PolyMesh};
use rxmesh_subdivision_kernels::catmull_clark::adaptive::cells::{CAP, CORNER_SHIFT, Cell};
use rxmesh_subdivision_kernels::catmull_clark::adaptive::patches::POINTS;
use rxmesh_subdivision_kernels::catmull_clark::adaptive::plan::PATCH_WORDS;
use values::Scratch;

/// A Catmull-Clark surface as bicubic patches (Niessner et al. 2012): topology once, control points as often as values
/// change, and the surface at any place.
///
/// *Faces of parameters* are the quads of the mesh, or, where some faces are no quads, a quad for each of their
/// corners, in the order of corners: from the corner (0, 0) to the middle of the side that follows it (1, 0), the
/// middle of the face (1, 1), and the middle of the side before it (0, 1). A quad of the mesh has its corners 0 to 3 at
/// (0, 0), (1, 0), (1, 1), (0, 1).
///
/// A patch is a square of such a face, and a uniform bicubic B-spline over it with 4 x 4 control points. Where vertices
/// are irregular, or sharpness has yet to end, faces are divided, at most as many times as there are levels; what is
/// sharp then counts as sharp for ever, as in [`CatmullClark::limit`](crate::CatmullClark::limit). So the patches are
/// the surface but for one cell of the last level a corner at each irregular vertex ([`PatchKind::Irregular`]): it
/// meets its neighbours, ends where the surface does at the vertex, and is near the surface in between.
#[derive(Debug)]
pub struct Adaptive {
    engine: Engine,
    /// Levels of the grids.
    depth: u32,
    quads: Quads,
    /// The mesh's face of each face of parameters; nothing when they are the same.
    parents: Vec<u32>,
    plan: Plan,
    scratch: Scratch,
    /// The first sample that was no place of the surface.
    bad: Buffer<u32>,
}

/// What a patch lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PatchKind {
    /// Nothing of it is sharp.
    Regular,
    /// Its border is, at a boundary or crease: some of its control points are reflections.
    Border,
    /// A vertex of the last level at one of its corners is irregular.
    Irregular,
}

/// A patch's place: the square of side `1 / 2^level` from `(i, j) / 2^level` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The face of parameters.
    pub face: u32,
    /// How often the face was divided.
    pub level: u32,
    /// The column of the square, along u.
    pub i: u32,
    /// The row of the square, along v.
    pub j: u32,
    /// What it lies on.
    pub kind: PatchKind,
    /// Whether its sides are sharp: v = 0, u = 1, v = 1, u = 0.
    pub sharp: [bool; 4],
    /// The corner at an irregular vertex, 0 to 3 counter-clockwise from the first, for [`PatchKind::Irregular`].
    pub corner: Option<u32>,
}

impl Adaptive {
    /// Prepares the patches of a mesh; [`Options::levels`] is how often faces are divided at most, from 1, or from 2
    /// where faces are no quads, to [`MOST_LEVELS`](super::MOST_LEVELS). [`Options::scheme`] is not looked at.
    ///
    /// # Errors
    ///
    /// As [`CatmullClark::new`](crate::CatmullClark::new); [`Error::Options`] for a number of levels that is too small,
    /// also for sharpness by Chaikin's rule to end; [`Error::TooLarge`] for more control points than 32 bits can
    /// address.
    pub fn new(engine: &Engine, poly: &PolyMesh, options: &Options) -> Result<Adaptive, Error> {
        let mut quads = Quads::empty(engine)?;
        quads.make(&Source::Host(poly), options)?;
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
            scratch: Scratch::new(&quads.base.mesh, quads.are_split(), &plan)?,
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

    /// Faces of parameters.
    pub fn face_count(&self) -> u32 {
        self.quads.base.mesh.face_count()
    }

    /// The face of the mesh that a face of parameters is of.
    pub fn parent(&self, face: u32) -> u32 {
        self.parents.get(face as usize).copied().unwrap_or(face)
    }

    /// Number of patches.
    pub fn patch_count(&self) -> u32 {
        self.plan.patch_count()
    }

    /// Control points of all patches: [`Adaptive::values`] makes a row for each.
    pub fn control_count(&self) -> u32 {
        POINTS * self.patch_count()
    }

    /// The patches, in the order of their control points: by level, then by face.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn patches(&self) -> Result<Vec<Patch>, Error> {
        let words = self.plan.patches().read()?;
        let words = words.as_chunks::<{ PATCH_WORDS as usize }>().0;
        let count = self.patch_count() as usize;
        let patch = |&[face, place, kind, _]: &[u32; PATCH_WORDS as usize]| {
            let Cell { level, i, j, .. } = Cell::at(face, place);
            let sharp = [0, 1, 2, 3].map(|side| kind >> side & 1 != 0);
            let cap = kind & CAP != 0;
            Patch {
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

    /// The mesh that the surface is made of.
    pub fn mesh(&self) -> &Mesh {
        &self.quads.given().mesh
    }

    /// Bytes that are kept on the engine.
    pub fn bytes(&self) -> u64 {
        self.quads.bytes() + self.plan.bytes() + self.scratch.bytes() + 4
    }
}

/// The face of each corner.
fn parents(poly: &PolyMesh) -> Vec<u32> {
    let faces = 0..poly.face_count();
    let parents = faces.flat_map(|f| poly.range(f).map(move |_| f as u32));
    parents.collect()
}
