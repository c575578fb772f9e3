//! sqrt(3) surfaces.

mod levels;
mod limit;
mod lines;

use crate::faces::{DeviceFaces, Extras, FaceSource};
use crate::growable::GrowableBuffer;
use crate::kept::KeptFaces;
use crate::launch::Launch;
use crate::lengths::check_rows;
use crate::triangles::{
    check_levels, check_size, check_sizes, check_values, groups, rows, rows_mut,
};
use crate::{Mesh, Options, Sharpness};
use levels::{LevelSize, sizes};
use lines::{CodedTwins, check_edges};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::mesh::{MeshError, PolyMesh};
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_subdivision_kernels::columns::{Columns, One, Three, Two};
use rxmesh_subdivision_kernels::sqrt3::{
    FacesHere, FacesOnce, FacesTwice, RefineNet, StoredLevel, WrittenFaces,
};
use rxmesh_subdivision_kernels::sqrt3_values::{ALPHAS, FindKinds, MarkLines, Step};
use rxmesh_subdivision_kernels::topology::NONE;

/// A sqrt(3) surface (Kobbelt 2000) over a mesh of triangles.
///
/// Vertices keep their ids from level to level, and the point of face f of a level of V vertices is V + f: so ids are
/// [base vertices | faces of level 0 | faces of level 1 | ...]. Half-edge h of a level has face h of the next one. On
/// odd levels (counted from 0) boundary edges and infinitely sharp edges are cut in three; on even ones they stay
/// (section 5 of the paper); boundary edges' second points follow the level's other points. The faces can be replaced
/// ([`Sqrt3::rebuild`]).
#[derive(Debug)]
pub struct Sqrt3 {
    mesh: Mesh,
    sharpness: Sharpness,
    options: Options,
    /// Sizes of all levels.
    sizes: Vec<LevelSize>,
    /// `true` if any edge is sharp or open.
    lines: bool,
    /// Twins of the base mesh in that case.
    coded: CodedTwins,
    /// Corners and twins of levels 1 to the third last.
    nets: Vec<[GrowableBuffer<u32>; 2]>,
    kinds: GrowableBuffer<u32>,
    /// Buffer of [`FindKinds::dart`].
    dart: GrowableBuffer<u32>,
    alphas: Buffer<f32>,
    marks: GrowableBuffer<u32>,
    kept: KeptFaces,
    /// Points of the two levels before the last, with a capacity of three columns.
    between: [GrowableBuffer<f32>; 2],
    /// Means of one-rings at these levels.
    means: [GrowableBuffer<f32>; 2],
}

impl Sqrt3 {
    /// Prepares the surface of a mesh on an engine.
    ///
    /// # Errors
    ///
    /// A face that is no triangle, by name; errors of the mesh ([`Mesh::new`]) or its sharpness ([`Sharpness::new`]); a
    /// sharp edge of finite sharpness, or one that ends inside the surface; more than 10 levels; more points or faces
    /// than 32 bits can number; no memory on the engine.
    pub fn new(engine: &Engine, poly: &PolyMesh, options: &Options) -> Result<Sqrt3, Error> {
        Sqrt3::of(engine, &FaceSource::Host(poly), options)
    }

    /// Prepares a surface as [`Sqrt3::new`], from faces that are on the engine already.
    ///
    /// # Errors
    ///
    /// As [`Sqrt3::new`] and [`Mesh::from_faces`].
    pub fn from_faces(
        engine: &Engine,
        faces: &DeviceFaces,
        extras: &Extras,
        options: &Options,
    ) -> Result<Sqrt3, Error> {
        Sqrt3::of(engine, &FaceSource::Device(faces, *extras), options)
    }

    /// Prepares the surface of another mesh with the same options, in existing memory; memory is allocated only when it
    /// does not suffice. One wait, unless something is sharp or a hole.
    ///
    /// # Errors
    ///
    /// As [`Sqrt3::new`]; the surface then has no vertices and no faces until it is rebuilt.
    pub fn rebuild(&mut self, poly: &PolyMesh) -> Result<(), Error> {
        self.make(&FaceSource::Host(poly))
    }

    /// Rebuilds as [`Sqrt3::rebuild`], from faces that are on the engine already.
    ///
    /// # Errors
    ///
    /// As [`Sqrt3::rebuild`] and [`Mesh::from_faces`].
    pub fn rebuild_from(&mut self, faces: &DeviceFaces, extras: &Extras) -> Result<(), Error> {
        self.make(&FaceSource::Device(faces, *extras))
    }

    /// Rebuilds as [`Sqrt3::rebuild_from`], from faces that the caller asserts to be a closed smooth surface: nothing
    /// is waited for, before or after [`values`](Sqrt3::values) and [`faces`](Sqrt3::faces). [`Sqrt3::check`] waits,
    /// and verifies the assertion; before that, their results are not to be relied on.
    ///
    /// # Errors
    ///
    /// Errors that are found without a wait; the surface then has no vertices and no faces.
    pub fn rebuild_ahead(&mut self, faces: &DeviceFaces) -> Result<(), Error> {
        self.make(&FaceSource::Ahead(faces))
    }

    /// Waits, and refuses faces that differ from the assumption of [`Sqrt3::rebuild_ahead`].
    ///
    /// # Errors
    ///
    /// As [`Mesh::check`]; the surface then has no vertices and no faces.
    pub fn check(&mut self) -> Result<(), Error> {
        let checked = self.mesh.check();
        self.settle(checked)
    }

    pub(crate) fn of(
        engine: &Engine,
        source: &FaceSource,
        options: &Options,
    ) -> Result<Sqrt3, Error> {
        check_levels(options)?;
        let mesh = Mesh::empty(engine)?;
        let empty = || GrowableBuffer::empty(engine);
        let floats = || -> Result<[GrowableBuffer<f32>; 2], EngineError> {
            Ok([
                GrowableBuffer::empty(engine)?,
                GrowableBuffer::empty(engine)?,
            ])
        };
        let mut surface = Sqrt3 {
            mesh,
            sharpness: Sharpness::empty(engine)?,
            options: *options,
            sizes: vec![LevelSize::default(); options.levels as usize + 1],
            lines: false,
            coded: CodedTwins::empty(engine)?,
            nets: Vec::new(),
            kinds: empty()?,
            dart: GrowableBuffer::upload(engine, &[NONE])?,
            alphas: engine.upload(&alphas())?,
            marks: empty()?,
            kept: KeptFaces::empty(engine)?,
            between: floats()?,
            means: floats()?,
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
            self.mesh.clear();
            self.kept.clear();
            self.sizes.fill(LevelSize::default());
        }
        made
    }

    fn try_make(&mut self, source: &FaceSource) -> Result<(), Error> {
        let options = self.options;
        let (found, extras) = (source.check()?, source.extras());
        check_sizes(&found, source.face_count(), "the sqrt(3) scheme")?;
        check_edges(&extras)?;
        let corners = (source.face_count() * 3) * 3u64.pow(options.levels);
        check_size("vertex ids of faces", corners, 1)?;
        self.mesh.make(source, &found)?;
        self.sizes = sizes(&self.mesh, options.levels)?;
        self.sharpness.make(&self.mesh, &extras, options.boundary)?;
        self.kept
            .make(&self.mesh, &extras, &self.sharpness, options.boundary)?;
        self.make_kinds(&extras)?;
        self.lines = self.sizes[0].open > 0 || self.sharpness.has_edges();
        if self.lines {
            self.coded.make(&self.mesh, &self.sharpness)?;
        }
        self.make_room()?;
        self.refine()
    }

    /// Allocates scratch buffers for values.
    fn make_room(&mut self) -> Result<(), Error> {
        let levels = self.levels();
        for back in 1..=2 {
            // Values of level 0 are the caller's.
            let level = levels.saturating_sub(back);
            let (points, means) = match level {
                0 => (0, 0),
                _ => (self.sizes[level].vertices, self.sizes[level - 1].vertices),
            };
            self.between[back - 1].set_len(3 * points as usize)?;
            self.means[back - 1].set_len(3 * means as usize)?;
        }
        let marks = match levels.checked_sub(2) {
            Some(level) if self.lines => self.sizes[level].vertices,
            _ => 0,
        };
        self.marks.set_len(marks as usize)?;
        if marks > 0 {
            self.marks.clear()?;
        }
        Ok(())
    }

    /// Classifies each base vertex; refuses sharp edges that end inside.
    fn make_kinds(&mut self, extras: &Extras) -> Result<(), Error> {
        self.kinds.set_len(self.mesh.vertex_count() as usize)?;
        let kernel = FindKinds {
            mesh: self.mesh.topology(),
            sharpness: self.sharpness.view(),
            kinds: self.kinds.global_mut(),
            dart: self.dart.global_mut(),
        };
        let engine = self.mesh.engine();
        engine.launch_flat(self.mesh.vertex_count(), kernel)?;
        // Without interior sharp edges there is nothing to wait for: boundaries do not end.
        if !extras.sharp_edges.is_empty() {
            let vertex = self.dart.read()?[0];
            if vertex != NONE {
                self.dart.fill(&[NONE])?;
                return Err(Error::Mesh(MeshError::Extras {
                    what: format!(
                        "one sharp edge ends at vertex {vertex} (counted from 0), but in the sqrt(3) scheme sharp \
                            edges go on to another sharp edge, a corner of three or more, or a boundary"
                    ),
                }));
            }
        }
        Ok(())
    }

    /// Makes the levels that are kept, and marks their points on creases.
    fn refine(&mut self) -> Result<(), Error> {
        let engine = self.mesh.engine().clone();
        for level in 0..self.levels().saturating_sub(2) {
            let n = 3 * self.sizes[level + 1].faces;
            if level == self.nets.len() {
                self.nets.push([
                    GrowableBuffer::empty(&engine)?,
                    GrowableBuffer::empty(&engine)?,
                ]);
            }
            for buffer in &mut self.nets[level] {
                buffer.set_len(n as usize)?;
            }
            let [corners, twins] = &self.nets[level];
            let kernel = RefineNet {
                net: self.net(level),
                corners: corners.global_mut(),
                twins: twins.global_mut(),
            };
            engine.launch_flat(n, kernel)?;
            if self.lines && level % 2 == 1 && level + 3 <= self.levels() {
                let kernel = MarkLines {
                    net: self.net(level),
                    marks: self.marks.global_mut(),
                };
                engine.launch_flat(self.sizes[level].faces, kernel)?;
            }
        }
        Ok(())
    }

    /// Returns the base mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Returns the number of vertices of the surface.
    pub fn vertex_count(&self) -> u32 {
        self.sizes[self.levels()].vertices
    }

    /// Returns the number of faces of the surface.
    pub fn face_count(&self) -> u32 {
        self.kept.count() * self.children()
    }

    /// Returns the number of corners of each face.
    pub fn face_size(&self) -> u32 {
        3
    }

    /// Returns the base face of which a face of the surface is part.
    ///
    /// # Panics
    ///
    /// There is no such face.
    pub fn parent(&self, face: u32) -> u32 {
        assert!(face < self.face_count(), "face {face}");
        self.kept.face(face / self.children())
    }

    /// Returns the number of bytes on the engine.
    pub fn bytes(&self) -> u64 {
        let words = [&self.kinds, &self.dart, &self.marks];
        let words = words.into_iter().chain(self.nets.iter().flatten());
        let words: u64 = words.map(GrowableBuffer::bytes).sum();
        let floats = self.between.iter().chain(&self.means);
        let floats: u64 = floats.map(GrowableBuffer::bytes).sum();
        let own = words + floats + 4 * self.alphas.len() as u64 + self.kept.bytes();
        own + self.coded.bytes() + self.sharpness.bytes() + self.mesh.bytes()
    }

    /// Writes the faces: three vertex ids each; the 3^levels faces of a base face are contiguous.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] if `out` does not have three values per face; any error of the engine.
    pub fn faces(&self, out: &mut Buffer<u32>) -> Result<(), Error> {
        check_rows(3, [(out.len(), self.face_count())])?;
        let engine = self.mesh.engine();
        let kept = WrittenFaces {
            faces: self.kept.view(),
            each: 3 * self.children(),
        };
        let (n, out) = (3 * self.face_count(), out.global_mut());
        let net = self.net(self.levels().saturating_sub(2));
        match self.levels() {
            0 => engine.launch_flat(n, FacesHere { net, kept, out })?,
            1 => engine.launch_flat(n, FacesOnce { net, kept, out })?,
            _ => engine.launch_flat(n, FacesTwice { net, kept, out })?,
        }
        Ok(())
    }

    /// Computes values of the surface's vertices from those of the base vertices, `width` per vertex. Only launches
    /// kernels: nothing is allocated or waited for.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] if a buffer does not have `width` values per vertex; any error of the engine.
    pub fn values(&self, width: u32, x: &Buffer<f32>, y: &mut Buffer<f32>) -> Result<(), Error> {
        let vertices = (self.mesh.vertex_count(), self.vertex_count());
        check_values(width, (x, vertices.0), (y, vertices.1))?;
        if self.levels() == 0 {
            return Ok(y.copy_from(x)?);
        }
        groups(width, |first, n| match n {
            1 => self.columns::<One>(width, first, x, y),
            2 => self.columns::<Two>(width, first, x, y),
            _ => self.columns::<Three>(width, first, x, y),
        })
    }

    fn columns<Q: Columns>(
        &self,
        width: u32,
        first: u32,
        x: &Buffer<f32>,
        y: &Buffer<f32>,
    ) -> Result<(), Error>
    where
        Step<Q>: Entry,
    {
        let last = self.levels();
        // Values of a level, their width and first column.
        let at = |level: usize| match last - level {
            0 => (y.global_mut(), width, first),
            _ if level == 0 => (x.global_mut(), width, first),
            back => (self.between[(back - 1) % 2].global_mut(), Q::N, 0),
        };
        let means = |level: usize| &self.means[(last - level - 1) % 2];
        for level in 0..last {
            let ((from, width_from, first_from), (to, width_to, first_to)) =
                (at(level), at(level + 1));
            let net = level.saturating_sub(1);
            let mut n = self.sizes[net].vertices + self.sizes[level].faces;
            if level > 0 {
                n += self.sizes[net].faces;
            }
            let kernel = Step {
                mesh: self.mesh.topology(),
                sharpness: self.sharpness.view(),
                kinds: self.kinds.global(),
                alphas: self.alphas.global(),
                net: self.net(net),
                is_first: u32::from(level == 0),
                marks: self.marks.global(),
                x: rows::<Q>(from.read(), width_from, first_from),
                means: if level == 0 {
                    Global::empty()
                } else {
                    means(level).global()
                },
                y: rows_mut::<Q>(to, width_to, first_to),
                means_after: if level + 1 == last {
                    GlobalMut::empty()
                } else {
                    means(level + 1).global_mut()
                },
            };
            self.mesh.engine().launch_flat(n * Q::N, kernel)?;
        }
        Ok(())
    }

    fn levels(&self) -> usize {
        self.sizes.len() - 1
    }

    /// Returns the number of faces that a base face becomes.
    fn children(&self) -> u32 {
        3u32.pow(self.levels() as u32)
    }

    /// Returns a level that is kept.
    fn net(&self, level: usize) -> StoredLevel {
        let (corners, twins) = match level {
            0 => {
                let topology = self.mesh.topology();
                match self.lines {
                    true => (topology.corners, self.coded.view()),
                    false => (topology.corners, topology.twins),
                }
            }
            _ => {
                let [corners, twins] = &self.nets[level - 1];
                (corners.global(), twins.global())
            }
        };
        StoredLevel {
            level: level as u32,
            vertices: self.sizes[level].vertices,
            open: self.sizes[level].open,
            lines: u32::from(self.lines),
            corners,
            twins,
        }
    }
}

/// Returns the weights of one-rings by valence (Kobbelt 2000): (4 - 2 cos(2 pi / n)) / 9.
fn alphas() -> Vec<f32> {
    let alpha = |n: u32| (4.0 - 2.0 * (std::f64::consts::TAU / f64::from(n)).cos()) / 9.0;
    (0..ALPHAS)
        .map(|n| if n == 0 { 0.0 } else { alpha(n) as f32 })
        .collect()
}
