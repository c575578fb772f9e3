//! Subdivision by any scheme, level by level.

use super::levels::{KeptLevel, LevelCounts, face_size};
use super::{Csr, has_length};
use crate::launch::Launch;
use crate::{MOST_LEVELS, Mesh};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, EngineError};
use rxmesh_kernels::kernel::EntryOf;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_subdivision_kernels::matrix::{
    CountTerms, FacePoints, FillIds, FillValues, LevelRows, Points, Product, Scheme, Split,
};

/// Scheme whose kernels are listed (see [`Scheme`]).
pub trait Listed:
    Scheme
    + EntryOf<FacePoints<Self>>
    + EntryOf<Points<Self>>
    + EntryOf<CountTerms<LevelRows<Self>>>
    + EntryOf<FillIds<LevelRows<Self>>>
    + EntryOf<FillValues<LevelRows<Self>>>
{
}

impl<S> Listed for S where
    S: Scheme
        + EntryOf<FacePoints<S>>
        + EntryOf<Points<S>>
        + EntryOf<CountTerms<LevelRows<S>>>
        + EntryOf<FillIds<LevelRows<S>>>
        + EntryOf<FillValues<LevelRows<S>>>
{
}

/// Subdivision by any scheme in the general kernels: new values by mapped products (chapter 4), new faces by closed
/// rules on half-edges. All levels but the last are kept with their adjacency.
///
/// The vertices of each level have the order of [`Split`]: except in dual schemes, old vertices come first, so that a
/// vertex keeps its id.
#[derive(Debug)]
pub struct GeneralSubdivision<S> {
    scheme: S,
    counts: Vec<LevelCounts>,
    /// First corner of each base face, if they differ in size.
    offsets: Option<Vec<u32>>,
    /// All levels but the last; only the base mesh when there is none.
    kept: Vec<KeptLevel>,
    /// Faces of the last level; of the base mesh when there is no level.
    corners: Buffer<u32>,
    /// First corner of each of them, if they differ in size.
    last_offsets: Option<Buffer<u32>>,
    /// Values of intermediate levels, double-buffered.
    scratch: [Buffer<f32>; 2],
}

impl<S: Listed> GeneralSubdivision<S> {
    /// Prepares `levels` levels over a mesh, 0 to 10: memory and topology.
    ///
    /// # Errors
    /// A scheme of triangles on other faces, of which the first is named; too many levels, or more elements than 32
    /// bits can count: then nothing is allocated. No memory on the engine.
    pub fn new(base: Mesh, scheme: S, levels: u32) -> Result<GeneralSubdivision<S>, Error> {
        let counts = counts(&base, S::SPLIT, levels)?;
        let engine = base.engine().clone();
        let offsets = match base.face_size() {
            Some(_) => None,
            None => Some(base.offsets.read()?),
        };
        let mut kept = vec![KeptLevel::base(base, S::SPLIT)?];
        if S::SPLIT != Split::Dual {
            for &n in counts.iter().take(levels as usize).skip(1) {
                kept.push(KeptLevel::room(&engine, S::SPLIT, n)?);
            }
        }
        let none = || engine.zeroed(0);
        let mut surface = GeneralSubdivision {
            scheme,
            corners: match S::SPLIT {
                Split::Dual => none()?,
                _ => engine.zeroed(counts[levels as usize].corners as usize)?,
            },
            counts,
            offsets,
            kept,
            last_offsets: None,
            scratch: [engine.zeroed(0)?, engine.zeroed(0)?],
        };
        surface.rebuild()?;
        let between = |back: u32| match levels.checked_sub(back) {
            // No scratch buffer for the base level: its values are the caller's.
            Some(level) if level > 0 => 4 * surface.counts[level as usize].vertices as usize,
            _ => 0,
        };
        surface.scratch = [engine.zeroed(between(1))?, engine.zeroed(between(2))?];
        Ok(surface)
    }

    /// Recomputes the topology of all levels, in existing memory; with [`Split::Dual`], where sizes depend on the
    /// boundary, in new memory.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn rebuild(&mut self) -> Result<(), Error> {
        if S::SPLIT == Split::Dual && self.level_count() > 0 {
            return self.rebuild_dual();
        }
        for pair in self.kept.windows(2) {
            pair[0].split_into(S::SPLIT, &pair[1])?;
        }
        match (self.level_count(), self.kept.last()) {
            (0, Some(base)) => {
                self.corners = base.mesh.corners.copy()?;
                self.last_offsets = match base.mesh.face_size() {
                    Some(_) => None,
                    None => Some(base.mesh.offsets.copy()?),
                };
                Ok(())
            }
            (_, Some(last)) => last.split_faces(S::SPLIT, &self.corners),
            (_, None) => Ok(()),
        }
    }

    /// Rebuilds the levels of a dual scheme, whose connectivity is recomputed for each.
    fn rebuild_dual(&mut self) -> Result<(), Error> {
        let engine = self.kept[0].mesh.engine().clone();
        self.kept.truncate(1);
        for level in 0..self.level_count() as usize {
            let [offsets, corners] = self.kept[level].dual()?;
            let before = self.counts[level];
            self.counts[level + 1] = LevelCounts {
                vertices: before.corners,
                faces: offsets.len() as u32 - 1,
                corners: corners.len() as u32,
                ..self.counts[level + 1]
            };
            if level + 1 == self.level_count() as usize {
                (self.last_offsets, self.corners) = (Some(offsets), corners);
            } else {
                let mesh = Mesh::of_buffers(&engine, before.corners, 0, Some(offsets), corners)?;
                self.counts[level + 1].edges = mesh.edge_count();
                self.kept.push(KeptLevel::base(mesh, S::SPLIT)?);
            }
        }
        Ok(())
    }

    /// Computes values at the vertices of the last level from values at those of the base mesh: `width` floats each.
    /// Only launches kernels: at most two per level for each four floats of a row.
    ///
    /// # Errors
    ///
    /// Arrays of other lengths; any error of the engine.
    pub fn values(&self, width: u32, x: &Buffer<f32>, y: &mut Buffer<f32>) -> Result<(), Error> {
        let values = |n: &LevelCounts| u64::from(n.vertices) * u64::from(width);
        let (first, last) = (self.counts[0], self.counts[self.counts.len() - 1]);
        has_length("values of the mesh", x.len(), values(&first))?;
        has_length("values of the surface", y.len(), values(&last))?;
        let levels = self.level_count();
        if levels == 0 {
            return Ok(y.copy_from(x)?);
        }
        for column in (0..width).step_by(4) {
            let lanes = (width - column).min(4);
            // Alternates, so that the last one before the result is in the first buffer.
            let between = |level: u32| &self.scratch[((levels - 1 - level) % 2) as usize];
            for level in 0..levels {
                let from = match level {
                    0 => (from(x.global(), column), width),
                    _ => (between(level).global(), lanes),
                };
                let to = match level + 1 == levels {
                    true => (y.global_mut(), column, width),
                    false => (between(level + 1).global_mut(), 0, lanes),
                };
                self.step(level, lanes, from, to)?;
            }
        }
        Ok(())
    }

    /// Computes one level: face points, then those of vertices and edges.
    fn step(
        &self,
        level: u32,
        lanes: u32,
        (x, x_width): (Global<f32>, u32),
        (y, column, y_width): (GlobalMut<f32>, u32, u32),
    ) -> Result<(), EngineError> {
        let n = self.counts[level as usize];
        let mesh = &self.kept[level as usize].mesh;
        let rows = match S::SPLIT {
            Split::Quads | Split::Triangles => n.vertices + n.edges,
            Split::Flips => n.vertices,
            Split::Dual => n.corners,
        };
        let mut faces = Global::empty();
        if S::SPLIT.faces() && n.faces > 0 {
            let points = y.from(rows * y_width + column);
            faces = points.read();
            let kernel = FacePoints {
                scheme: self.scheme,
                level: mesh.level(),
                x,
                y: points,
                x_width,
                y_width,
                lanes,
            };
            mesh.engine().launch_flat(n.faces, kernel)?;
        }
        let kernel = Points {
            scheme: self.scheme,
            level: mesh.level(),
            x,
            faces,
            y: match rows {
                0 => y,
                _ => y.part(0, rows * y_width).from(column),
            },
            x_width,
            y_width,
            lanes,
        };
        mesh.engine().launch_flat(rows, kernel)
    }

    /// Stores a level as a matrix: rows are the vertices of level `level + 1`, columns those of level `level`.
    ///
    /// # Errors
    ///
    /// No such level; any error of the engine.
    pub fn level_matrix(&self, level: u32) -> Result<Csr<f32>, Error> {
        if level >= self.level_count() {
            return Err(Error::Options(format!(
                "there are {} levels, but level {level} was requested",
                self.level_count()
            )));
        }
        let mesh = &self.kept[level as usize].mesh;
        let rows = LevelRows {
            scheme: self.scheme,
            level: mesh.level(),
        };
        Csr::new(mesh.engine(), rows)
    }

    /// Stores the whole surface as a matrix, so that values are one product with those of the base mesh (Driscoll
    /// 2014): the product of all levels' matrices. `None` when there is no level.
    ///
    /// # Errors
    ///
    /// A matrix of more than 2^32 - 1 terms; any error of the engine.
    pub fn stencils(&self) -> Result<Option<Csr<f32>>, Error> {
        let mut all: Option<Csr<f32>> = None;
        for level in 0..self.level_count() {
            let one = self.level_matrix(level)?;
            all = Some(match all {
                None => one,
                Some(before) => {
                    let product = Product {
                        a: one.view(),
                        b: before.view(),
                    };
                    Csr::new(self.kept[0].mesh.engine(), product)?
                }
            });
        }
        Ok(all)
    }

    /// Returns the number of levels.
    pub fn level_count(&self) -> u32 {
        self.counts.len() as u32 - 1
    }

    /// Returns the mesh of a level other than the last; level 0 is the base mesh.
    pub fn mesh(&self, level: u32) -> Option<&Mesh> {
        self.kept.get(level as usize).map(|kept| &kept.mesh)
    }

    /// Returns the number of vertices of the last level.
    pub fn vertex_count(&self) -> u32 {
        self.counts[self.counts.len() - 1].vertices
    }

    /// Returns the number of faces of the last level.
    pub fn face_count(&self) -> u32 {
        self.counts[self.counts.len() - 1].faces
    }

    /// Returns the number of corners of each face of the last level; 0 when they differ: with a dual scheme, or without
    /// a level.
    pub fn face_size(&self) -> u32 {
        match self.level_count() {
            0 => self.kept[0].mesh.size,
            _ => face_size(S::SPLIT),
        }
    }

    /// Returns the faces of the last level, corner after corner. The child of corner h is quad h, or triangle h; with
    /// four triangles per face, the inner one of each face follows after all those.
    pub fn corners(&self) -> &Buffer<u32> {
        &self.corners
    }

    /// Returns the first corner of each face of the last level and the end of the last, if they differ in size.
    pub fn offsets(&self) -> Option<&Buffer<u32>> {
        self.last_offsets.as_ref()
    }

    /// Returns the base face of a face of the last level; `None` for the faces of edges and vertices of dual schemes.
    pub fn parent(&self, face: u32) -> Option<u32> {
        let mut face = face;
        for level in (0..self.level_count() as usize).rev() {
            if S::SPLIT == Split::Dual {
                if face >= self.counts[level].faces {
                    return None;
                }
                continue;
            }
            let corners = self.counts[level].corners;
            if face >= corners {
                // The inner one of four.
                face -= corners;
                continue;
            }
            face = match &self.offsets {
                Some(offsets) if level == 0 => {
                    offsets.partition_point(|&first| first <= face) as u32 - 1
                }
                _ => face / self.kept[level].mesh.size,
            };
        }
        Some(face)
    }

    /// Copies the faces of the last level.
    ///
    /// # Errors
    ///
    /// Another number of corners; any error of the engine.
    pub fn faces(&self, out: &mut Buffer<u32>) -> Result<(), Error> {
        Ok(out.copy_from(&self.corners)?)
    }

    /// Returns the last level with its adjacency.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn last_mesh(&self) -> Result<Mesh, Error> {
        Mesh::of_buffers(
            self.kept[0].mesh.engine(),
            self.vertex_count(),
            self.face_size(),
            self.last_offsets.as_ref().map(copy).transpose()?,
            copy(&self.corners)?,
        )
    }

    /// Returns the number of bytes on the engine.
    pub fn bytes(&self) -> u64 {
        let scratch: usize = self.scratch.iter().map(Buffer::len).sum();
        let levels: u64 = self.kept.iter().map(KeptLevel::bytes).sum();
        let offsets = self.last_offsets.as_ref().map_or(0, Buffer::len);
        levels + 4 * (self.corners.len() + offsets + scratch) as u64
    }
}

fn copy(buffer: &Buffer<u32>) -> Result<Buffer<u32>, EngineError> {
    let mut copy = buffer.engine().zeroed(buffer.len())?;
    copy.copy_from(buffer)?;
    Ok(copy)
}

/// Returns the rows from a column on.
fn from(x: Global<f32>, column: u32) -> Global<f32> {
    if x.is_empty() { x } else { x.from(column) }
}

/// Returns the sizes of all levels, or an error if they are out of range.
fn counts(base: &Mesh, split: Split, levels: u32) -> Result<Vec<LevelCounts>, Error> {
    if levels > MOST_LEVELS {
        return Err(Error::Options(format!(
            "{levels} levels of subdivision: there may be 0 to {MOST_LEVELS}"
        )));
    }
    if matches!(split, Split::Triangles | Split::Flips) {
        only_triangles(base)?;
    }
    let mut counts = vec![LevelCounts::of(base)];
    for level in 0..levels as usize {
        counts.push(counts[level].next(split)?);
    }
    Ok(counts)
}

/// Refuses a face that is no triangle, by its number.
fn only_triangles(mesh: &Mesh) -> Result<(), Error> {
    let other = match mesh.face_size() {
        Some(n) => (n != 3 && mesh.face_count() > 0).then_some((0, n)),
        None => {
            let offsets = mesh.offsets.read()?;
            let sizes = offsets.windows(2).map(|pair| pair[1] - pair[0]);
            sizes.enumerate().find(|&(_, n)| n != 3)
        }
    };
    match other {
        None => Ok(()),
        Some((face, n)) => Err(Error::Options(format!(
            "the scheme is for triangles, but face {face} has {n} corners"
        ))),
    }
}
