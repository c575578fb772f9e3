//! One type for all schemes.

use crate::faces::FaceSource;
use crate::{CatmullClark, DeviceFaces, Extras, Loop, Mesh, Options, Scheme, Sqrt3};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::mesh::PolyMesh;
use rxmesh_host::repack::Repacked;

/// A subdivision surface of a mesh, prepared on an engine: topology once, values any number of times.
///
/// ```
/// # use rxmesh_host::{engine::Engine, mesh::{Faces, PolyMesh}, Vec3};
/// # use rxmesh_subdivision::{Options, Subdivision};
/// // A cube, whose vertex ids are the bits of x, y and z.
/// let at = |v: u32| Vec3::new((v & 1) as f32, (v >> 1 & 1) as f32, (v >> 2) as f32);
/// let corners = vec![0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5];
/// let cube = PolyMesh::new((0..8).map(at).collect(), &[4; 6], corners)?;
///
/// let engine = Engine::cpu();
/// let surface = Subdivision::new(&engine, &cube, &Options { levels: 3, ..Options::default() })?;
/// assert_eq!(surface.face_count(), 6 * 4 * 4 * 4);
///
/// // For every frame of an animation: positions of the cube in, positions of the surface out.
/// let x = engine.upload(&(0..8).flat_map(|v| at(v).to_array()).collect::<Vec<f32>>())?;
/// let mut y = engine.zeroed(3 * surface.vertex_count() as usize)?;
/// surface.values(3, &x, &mut y)?;
/// assert!(y.read()?.iter().all(|c| (0.0..=1.0).contains(c)));
/// # Ok::<(), rxmesh_host::Error>(())
/// ```
#[derive(Debug)]
pub struct Subdivision {
    surface: SchemeSurface,
    levels: u32,
}

#[derive(Debug)]
enum SchemeSurface {
    CatmullClark(Box<CatmullClark>),
    Loop(Box<Loop>),
    Sqrt3(Box<Sqrt3>),
}

macro_rules! of_any {
    ($surface:expr, $s:ident => $what:expr) => {
        match $surface {
            SchemeSurface::CatmullClark($s) => $what,
            SchemeSurface::Loop($s) => $what,
            SchemeSurface::Sqrt3($s) => $what,
        }
    };
}

impl Subdivision {
    /// Prepares a surface.
    ///
    /// # Errors
    ///
    /// As [`Mesh::new`]; [`Error::Options`] for too many levels, and for faces that the scheme does not take;
    /// [`MeshError`](rxmesh_host::mesh::MeshError) for a sharp edge that the mesh does not have; [`Error::TooLarge`]
    /// for a result that 32 bits cannot address; no memory on the engine.
    pub fn new(engine: &Engine, mesh: &PolyMesh, options: &Options) -> Result<Subdivision, Error> {
        Subdivision::of(engine, &FaceSource::Host(mesh), options)
    }

    /// Prepares a surface as [`Subdivision::new`], from faces that are on the engine already.
    ///
    /// # Errors
    ///
    /// As [`Subdivision::new`] and [`Mesh::from_faces`].
    pub fn from_faces(
        engine: &Engine,
        faces: &DeviceFaces,
        extras: &Extras,
        options: &Options,
    ) -> Result<Subdivision, Error> {
        Subdivision::of(engine, &FaceSource::Device(faces, *extras), options)
    }

    fn of(engine: &Engine, source: &FaceSource, options: &Options) -> Result<Subdivision, Error> {
        let surface = match options.scheme {
            Scheme::CatmullClark => {
                SchemeSurface::CatmullClark(Box::new(CatmullClark::of(engine, source, options)?))
            }
            Scheme::Loop => SchemeSurface::Loop(Box::new(Loop::of(engine, source, options)?)),
            Scheme::Sqrt3 => SchemeSurface::Sqrt3(Box::new(Sqrt3::of(engine, source, options)?)),
        };
        Ok(Subdivision {
            surface,
            levels: options.levels,
        })
    }

    /// Prepares the surface of another mesh with the same options, in existing memory: for a topology that changes with
    /// every frame. Memory is allocated only when it does not suffice, and is kept. If all edges and vertices are
    /// smooth, no face is a hole, and faces have the same number of corners, there is one wait, for errors of the faces
    /// and for the number of edges, or two, in Catmull-Clark's scheme.
    ///
    /// # Errors
    ///
    /// As [`Subdivision::new`]; the surface then has no vertices and no faces until it is rebuilt.
    pub fn rebuild(&mut self, mesh: &PolyMesh) -> Result<(), Error> {
        of_any!(&mut self.surface, s => s.rebuild(mesh))
    }

    /// Rebuilds as [`Subdivision::rebuild`], from faces that are on the engine already.
    ///
    /// ```
    /// # use rxmesh_host::{engine::Engine, mesh::generate};
    /// # use rxmesh_subdivision::{DeviceFaces, Extras, FaceSizes, Options, Subdivision};
    /// # let engine = Engine::cpu();
    /// # let cube = generate::cube(1)?;
    /// let corners = engine.upload(&cube.corners)?;
    /// let faces = DeviceFaces {
    ///     vertices: 8,
    ///     faces: 6,
    ///     sizes: FaceSizes::Same(4),
    ///     corners: &corners,
    /// };
    /// let none = Extras::default();
    /// let mut surface = Subdivision::from_faces(&engine, &faces, &none, &Options::default())?;
    /// // The next frame has other faces in the same buffer.
    /// surface.rebuild_from(&DeviceFaces { faces: 5, ..faces }, &none)?;
    /// assert_eq!(surface.face_count(), 5 * 16);
    /// # Ok::<(), rxmesh_host::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Subdivision::rebuild`] and [`Mesh::from_faces`].
    pub fn rebuild_from(&mut self, faces: &DeviceFaces, extras: &Extras) -> Result<(), Error> {
        of_any!(&mut self.surface, s => s.rebuild_from(faces, extras))
    }

    /// Rebuilds as [`Subdivision::rebuild_from`], from faces that the caller asserts to be a closed smooth surface:
    /// with the Catmull-Clark and sqrt(3) schemes nothing is waited for, before or after [`values`](Self::values) and
    /// [`faces`](Self::faces). [`Subdivision::check`] waits, and verifies the assertion; before that, their results are
    /// not to be relied on.
    ///
    /// # Errors
    ///
    /// Errors that are found without a wait; for Loop surfaces as [`Subdivision::rebuild_from`]. The surface then has
    /// no vertices and no faces.
    pub fn rebuild_ahead(&mut self, faces: &DeviceFaces) -> Result<(), Error> {
        match &mut self.surface {
            SchemeSurface::CatmullClark(s) => s.rebuild_ahead(faces),
            SchemeSurface::Loop(s) => s.rebuild_from(faces, &Extras::default()),
            SchemeSurface::Sqrt3(s) => s.rebuild_ahead(faces),
        }
    }

    /// Waits, and refuses faces that differ from the assumption of [`Subdivision::rebuild_ahead`].
    ///
    /// # Errors
    ///
    /// As [`Mesh::check`]; the surface then has no vertices and no faces.
    pub fn check(&mut self) -> Result<(), Error> {
        match &mut self.surface {
            SchemeSurface::CatmullClark(s) => s.check(),
            SchemeSurface::Loop(s) => Ok(s.mesh().engine().synchronize()?),
            SchemeSurface::Sqrt3(s) => s.check(),
        }
    }

    /// Computes the surface's values from the mesh's: `width` floats per vertex, row after row, such as positions. Only
    /// launches kernels: nothing is allocated or waited for.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] for buffers of other lengths; any error of the engine.
    pub fn values(&self, width: u32, x: &Buffer<f32>, y: &mut Buffer<f32>) -> Result<(), Error> {
        of_any!(&self.surface, s => s.values(width, x, y))
    }

    /// Computes the limit positions of the surface's vertices, and the unit normals there, from positions as
    /// [`Subdivision::values`] makes them: three floats per vertex each. Creases and corners of the last level are
    /// treated as infinitely sharp; the normal there is that of one side.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] for buffers of other lengths; without a level, faces that are no quads; any error of the
    /// engine.
    pub fn limit(
        &self,
        values: &Buffer<f32>,
        points: &mut Buffer<f32>,
        normals: &mut Buffer<f32>,
    ) -> Result<(), Error> {
        of_any!(&self.surface, s => s.limit(values, points, Some(normals)))
    }

    /// Writes the surface's faces: [`Subdivision::index_count`] vertices.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] for a buffer of another length; any error of the engine.
    pub fn faces(&self, out: &mut Buffer<u32>) -> Result<(), Error> {
        of_any!(&self.surface, s => s.faces(out))
    }

    /// Returns the number of vertices of the surface.
    pub fn vertex_count(&self) -> u32 {
        of_any!(&self.surface, s => s.vertex_count())
    }

    /// Returns the number of faces of the surface.
    pub fn face_count(&self) -> u32 {
        of_any!(&self.surface, s => s.face_count())
    }

    /// Returns the number of corners of every face; `None` when they differ, which is possible only without a level.
    pub fn face_size(&self) -> Option<u32> {
        let size = of_any!(&self.surface, s => s.face_size());
        (size != 0).then_some(size)
    }

    /// Returns the number of corners of all faces.
    pub fn index_count(&self) -> u32 {
        match &self.surface {
            SchemeSurface::CatmullClark(s) => s.index_count(),
            SchemeSurface::Loop(s) => 3 * s.face_count(),
            SchemeSurface::Sqrt3(s) => 3 * s.face_count(),
        }
    }

    /// Returns the mesh face of a face of the surface, which does not decrease with the face.
    pub fn parent(&self, face: u32) -> u32 {
        of_any!(&self.surface, s => s.parent(face))
    }

    /// Returns the mesh of which the surface is made.
    pub fn mesh(&self) -> &Mesh {
        of_any!(&self.surface, s => s.mesh())
    }

    /// Returns the number of bytes on the engine.
    pub fn bytes(&self) -> u64 {
        of_any!(&self.surface, s => s.bytes())
    }

    /// Makes an [`RxMesh`](rxmesh_host::store::RxMesh) of the surface, each quad cut into two triangles along the
    /// diagonal from its first corner. Its patches are squares of the grids, so that no patcher runs. Input order is
    /// that of the surface; the renumbering carries [values](Self::values) over.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] without a level, for faces of any size; the errors of
    /// [`repack`](rxmesh_host::repack::repack).
    pub fn to_patches(&self) -> Result<Repacked, Error> {
        let engine = self.mesh().engine();
        let mut faces = engine.zeroed(self.index_count() as usize)?;
        self.faces(&mut faces)?;
        let children = 1 << (2 * self.levels);
        let (mesh, labels, count) = match self.face_size() {
            Some(4) => Mesh::of_quads(engine, self.vertex_count(), &faces, children)?,
            Some(3) => Mesh::of_triangles(engine, self.vertex_count(), faces)?,
            _ => {
                let what = "faces of any number of corners have no patches; at least one level makes quads of them";
                return Err(Error::Options(what.into()));
            }
        };
        mesh.to_patches(&labels, count)
    }

    /// Copies faces to the host.
    pub(crate) fn faces_to_host(&self) -> Result<Vec<u32>, Error> {
        let mut faces = self.mesh().engine().zeroed(self.index_count() as usize)?;
        self.faces(&mut faces)?;
        Ok(faces.read()?)
    }

    /// Computes values of the surface on the host from values of the mesh on the host.
    pub(crate) fn values_of_host(&self, width: u32, x: &[f32]) -> Result<Vec<f32>, Error> {
        let engine = self.mesh().engine();
        let n = self.vertex_count() as usize * width as usize;
        let mut y = engine.zeroed(n)?;
        self.values(width, &engine.upload(x)?, &mut y)?;
        Ok(y.read()?)
    }

    /// Waits for all launches.
    ///
    /// # Errors
    ///
    /// A fault of a kernel, or an error of the driver.
    pub fn synchronize(&self) -> Result<(), EngineError> {
        self.mesh().engine().synchronize()
    }
}
