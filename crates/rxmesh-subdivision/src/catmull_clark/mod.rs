//! Catmull-Clark surfaces.

mod adaptive;
pub(crate) mod creases;
mod kept;
mod limit;
mod neighbours;
mod pass;
mod quads;

pub use adaptive::{Adaptive, PatchCount, PatchKind, SurfacePatch, Tessellation};

use crate::faces::{DeviceFaces, Extras, FaceSource};
use crate::growable::GrowableBuffer;
use crate::launch::Launch;
use crate::lengths::check_rows;
use crate::{Mesh, Options};
use neighbours::Surroundings;
use pass::Pass;
use quads::Quads;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision_kernels::catmull_clark::faces::WriteFaces;
use rxmesh_subdivision_kernels::catmull_clark::rings::POINTS;
use rxmesh_subdivision_kernels::catmull_clark::{ComponentCount, LevelGrid, One, Three};

/// Maximum number of levels.
pub const MOST_LEVELS: u32 = 10;

/// A Catmull-Clark surface: topology and sharpness are prepared once, values are computed as often as they change. The
/// faces can be replaced ([`CatmullClark::rebuild`]).
///
/// Ids of the points, for quads: base vertices; per base edge n - 1 inner points, n = 2^levels, from the origin of its
/// lower half-edge on; per base face the points inside, row by row. If some faces are no quads, one level makes quads
/// of them, one per corner, whose points are [vertices | edges | faces], and the same order holds for those with one
/// level less. The faces of a base face are contiguous, row by row, those of an n-gon corner by corner.
#[derive(Debug)]
pub struct CatmullClark {
    engine: Engine,
    options: Options,
    levels: u32,
    /// Quads over which the grids lie.
    quads: Quads,
    stages: Vec<LevelRange>,
    surroundings: Surroundings,
    scratch: LevelScratch,
    vertices: u32,
}

/// Several levels in one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LevelRange {
    from: u32,
    levels: u32,
}

/// Scratch buffers of the kernels, for three components.
#[derive(Debug)]
struct LevelScratch {
    /// Values of the quads, if they are made of polygons.
    quads: GrowableBuffer<f32>,
    corners: GrowableBuffer<f32>,
    centres: GrowableBuffer<f32>,
    /// Output of each stage but the last.
    grids: Vec<GrowableBuffer<f32>>,
}

/// Maximum number of levels per launch, and the number of those of the last one when there are two.
const AT_ONCE: u32 = 5;

fn stages(levels: u32) -> Vec<LevelRange> {
    let from = levels.saturating_sub(AT_ONCE);
    let before = LevelRange {
        from: 0,
        levels: from,
    };
    let last = LevelRange {
        from,
        levels: levels - from,
    };
    [before, last]
        .into_iter()
        .filter(|s| s.levels > 0)
        .collect()
}

/// Returns the numbers of vertices and faces after some levels of quads.
fn counts(mesh: &Mesh, levels: u32) -> [u64; 2] {
    let [v, e, f] = [mesh.vertex_count(), mesh.edge_count(), mesh.face_count()].map(u64::from);
    let inner = (1u64 << levels) - 1;
    [v + e * inner + f * inner * inner, f << (2 * levels)]
}

/// Refuses sizes that 32 bits cannot address.
fn check(mesh: &Mesh, levels: u32) -> Result<(), Error> {
    let [v, e, c] = [mesh.vertex_count(), mesh.edge_count(), mesh.corner_count()].map(u64::from);
    let quads = mesh.face_size() == Some(4);
    let [vertices, faces] = if quads || levels == 0 {
        counts(mesh, levels)
    } else {
        let f = u64::from(mesh.face_count());
        let inner = (1u64 << (levels - 1)) - 1;
        let points = v + e + f + (2 * e + c) * inner + c * inner * inner;
        [points, c << (2 * (levels - 1))]
    };
    let most = u64::from(u32::MAX);
    for (what, count, limit) in [("vertices", vertices, most / 3), ("faces", faces, most / 4)] {
        if count > limit {
            return Err(Error::TooLarge { what, count, limit });
        }
    }
    Ok(())
}

impl CatmullClark {
    /// Prepares a surface of a mesh; [`Options::scheme`] is ignored.
    ///
    /// # Errors
    ///
    /// As [`Mesh::new`] and [`Sharpness::new`](crate::Sharpness::new); more than [`MOST_LEVELS`] levels;
    /// [`Error::TooLarge`] for more points or faces than 32 bits can address; no memory on the engine.
    pub fn new(engine: &Engine, poly: &PolyMesh, options: &Options) -> Result<CatmullClark, Error> {
        CatmullClark::of(engine, &FaceSource::Host(poly), options)
    }

    /// Prepares a surface as [`CatmullClark::new`], from faces that are on the engine already.
    ///
    /// # Errors
    ///
    /// As [`CatmullClark::new`] and [`Mesh::from_faces`].
    pub fn from_faces(
        engine: &Engine,
        faces: &DeviceFaces,
        extras: &Extras,
        options: &Options,
    ) -> Result<CatmullClark, Error> {
        CatmullClark::of(engine, &FaceSource::Device(faces, *extras), options)
    }

    /// Prepares the surface of another mesh with the same options, in existing memory; memory is allocated only when it
    /// does not suffice. Two waits, unless something is sharp or a hole.
    ///
    /// # Errors
    ///
    /// As [`CatmullClark::new`]; the surface then has no vertices and no faces until it is rebuilt.
    pub fn rebuild(&mut self, poly: &PolyMesh) -> Result<(), Error> {
        self.make(&FaceSource::Host(poly))
    }

    /// Rebuilds as [`CatmullClark::rebuild`], from faces that are on the engine already.
    ///
    /// # Errors
    ///
    /// As [`CatmullClark::rebuild`] and [`Mesh::from_faces`].
    pub fn rebuild_from(&mut self, faces: &DeviceFaces, extras: &Extras) -> Result<(), Error> {
        self.make(&FaceSource::Device(faces, *extras))
    }

    /// Rebuilds as [`CatmullClark::rebuild_from`], from faces that the caller asserts to be a closed smooth surface:
    /// nothing is waited for, before or after [`values`](CatmullClark::values) and [`faces`](CatmullClark::faces).
    /// [`CatmullClark::check`] waits, and verifies the assertion; before that, their results are not to be relied on.
    ///
    /// # Errors
    ///
    /// Errors that are found without a wait; the surface then has no vertices and no faces.
    pub fn rebuild_ahead(&mut self, faces: &DeviceFaces) -> Result<(), Error> {
        self.make(&FaceSource::Ahead(faces))
    }

    /// Waits, and refuses faces that differ from the assumption of [`CatmullClark::rebuild_ahead`].
    ///
    /// # Errors
    ///
    /// As [`Mesh::check`]; the surface then has no vertices and no faces.
    pub fn check(&mut self) -> Result<(), Error> {
        let checked = self.quads.check(self.levels);
        self.settle(checked)
    }

    pub(crate) fn of(
        engine: &Engine,
        source: &FaceSource,
        options: &Options,
    ) -> Result<CatmullClark, Error> {
        let mut surface = CatmullClark {
            engine: engine.clone(),
            options: *options,
            levels: options.levels,
            quads: Quads::empty(engine)?,
            stages: Vec::new(),
            surroundings: Surroundings::empty(engine)?,
            scratch: LevelScratch::empty(engine)?,
            vertices: 0,
        };
        surface.make(source)?;
        Ok(surface)
    }

    fn make(&mut self, source: &FaceSource) -> Result<(), Error> {
        let made = self.try_make(source);
        self.settle(made)
    }

    /// Empties the surface after a failure.
    fn settle(&mut self, made: Result<(), Error>) -> Result<(), Error> {
        if made.is_err() {
            self.quads.clear();
            self.vertices = 0;
        }
        made
    }

    fn try_make(&mut self, source: &FaceSource) -> Result<(), Error> {
        self.quads.make(source, &self.options)?;
        let (left, split) = (self.grid_levels(), self.quads.are_split());
        let base = &self.quads.base;
        self.vertices = match self.quads.are_outlines(self.levels) {
            true => self.quads.outline_vertices(),
            false => counts(&base.mesh, left)[0] as u32,
        };
        self.stages = match left > 1 || (left == 1 && split) {
            true => stages(left),
            false => Vec::new(),
        };
        let ahead = matches!(source, FaceSource::Ahead(_));
        self.surroundings
            .make(base, !self.stages.is_empty(), ahead)?;
        let special = self.surroundings.corners();
        self.scratch
            .make(&base.mesh, split && left > 0, &self.stages, special)
    }

    /// Returns the number of levels of the grids on the quads.
    fn grid_levels(&self) -> u32 {
        self.levels - u32::from(self.quads.are_split())
    }

    /// Computes the surface's values from the mesh's: `width` floats per vertex, row after row, such as positions. Only
    /// launches kernels: nothing is allocated or waited for.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] for values whose number is not that of vertices; any error of the engine.
    ///
    /// [`EngineError::Length`]: rxmesh_host::engine::EngineError::Length
    pub fn values(&self, width: u32, x: &Buffer<f32>, y: &mut Buffer<f32>) -> Result<(), Error> {
        let before = self.quads.given();
        let rows = [before.mesh.vertex_count(), self.vertices];
        check_rows(width, [(x.len(), rows[0]), (y.len(), rows[1])])?;
        if self.levels == 0 {
            return Ok(y.copy_from(x)?);
        }
        let mut first = 0;
        while first < width {
            if width - first >= Three::N {
                Pass::<Three>::new(self, width, first, x, y).run()?;
                first += Three::N;
            } else {
                Pass::<One>::new(self, width, first, x, y).run()?;
                first += One::N;
            }
        }
        Ok(())
    }

    /// Writes the faces of the surface: [`CatmullClark::index_count`] point ids.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`]; any error of the engine.
    ///
    /// [`EngineError::Length`]: rxmesh_host::engine::EngineError::Length
    pub fn faces(&self, out: &mut Buffer<u32>) -> Result<(), Error> {
        check_rows(1, [(out.len(), self.index_count())])?;
        if self.levels == 0 {
            return self.quads.kept.copy_corners(&self.quads.base.mesh, out);
        }
        let kernel = WriteFaces {
            grid: LevelGrid {
                mesh: self.quads.base.mesh.topology(),
                level: self.grid_levels(),
            },
            kept: self.quads.kept.view(),
            out: out.global_mut(),
        };
        Ok(self.engine.launch_flat(self.face_count(), kernel)?)
    }

    /// Returns the number of points of the surface.
    pub fn vertex_count(&self) -> u32 {
        self.vertices
    }

    /// Returns the number of faces of the surface.
    pub fn face_count(&self) -> u32 {
        self.quads.kept.count() << (2 * self.grid_levels())
    }

    /// Returns the number of corners of every face; 0 when they differ, which is possible only at level 0.
    pub fn face_size(&self) -> u32 {
        match self.levels {
            0 => self.quads.base.mesh.face_size().unwrap_or(0),
            _ => 4,
        }
    }

    /// Returns the number of corners of all faces.
    pub fn index_count(&self) -> u32 {
        match self.levels {
            0 => self.quads.kept.corners(),
            _ => 4 * self.face_count(),
        }
    }

    /// Returns the mesh face of which a face of the surface was made.
    pub fn parent(&self, face: u32) -> u32 {
        self.quads.kept.parent(face >> (2 * self.grid_levels()))
    }

    /// Returns the mesh of which the surface is made.
    pub fn mesh(&self) -> &Mesh {
        &self.quads.given().mesh
    }

    /// Returns the number of bytes on the engine.
    pub fn bytes(&self) -> u64 {
        self.scratch.bytes() + self.surroundings.bytes() + self.quads.bytes()
    }
}

impl LevelScratch {
    fn empty(engine: &Engine) -> Result<LevelScratch, Error> {
        Ok(LevelScratch {
            quads: GrowableBuffer::empty(engine)?,
            corners: GrowableBuffer::empty(engine)?,
            centres: GrowableBuffer::empty(engine)?,
            grids: Vec::new(),
        })
    }

    fn make(
        &mut self,
        mesh: &Mesh,
        split: bool,
        stages: &[LevelRange],
        special: u32,
    ) -> Result<(), Error> {
        let [v, c] = [mesh.vertex_count(), special].map(|n| n as usize);
        let levels = stages.last().map_or(0, |s| s.from + s.levels) as usize;
        let inner = levels.saturating_sub(1);
        let n = Three::N as usize;
        self.quads.set_len(if split { v * n } else { 0 })?;
        self.corners.set_len(c * inner * POINTS as usize * n)?;
        self.centres.set_len(v * inner * n)?;
        for (i, stage) in stages.iter().rev().skip(1).rev().enumerate() {
            if i == self.grids.len() {
                self.grids.push(GrowableBuffer::empty(mesh.engine())?);
            }
            let [points, _] = counts(mesh, stage.from + stage.levels);
            self.grids[i].set_len(points as usize * n)?;
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let own = [&self.quads, &self.corners, &self.centres];
        own.into_iter()
            .chain(&self.grids)
            .map(GrowableBuffer::bytes)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_meet() {
        for levels in 1..=MOST_LEVELS {
            let mut at = 0;
            for s in stages(levels) {
                assert_eq!(s.from, at);
                assert!((1..=AT_ONCE).contains(&s.levels));
                assert!(s.from == 0 || s.levels == AT_ONCE);
                at += s.levels;
            }
            assert_eq!(at, levels);
        }
    }
}
