//! One type over the schemes.

use crate::{CatmullClark, DeviceFaces, Extras, Loop, Mesh, Options, Scheme, Sqrt3};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::mesh::PolyMesh;
use rxmesh_host::repack::Repacked;

/// A subdivision surface of a mesh, prepared on an engine: topology once, values as often as wanted.
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
    surface: Surface,
    levels: u32,
}

#[derive(Debug)]
enum Surface {
    CatmullClark(Box<CatmullClark>),
    Loop(Box<Loop>),
    Sqrt3(Box<Sqrt3>),
}

macro_rules! of_any {
    ($surface:expr, $s:ident => $what:expr) => {
        match $surface {
            Surface::CatmullClark($s) => $what,
            Surface::Loop($s) => $what,
            Surface::Sqrt3($s) => $what,
        }
    };
}

impl Subdivision {
    /// Prepares a surface.
    ///
    /// # Errors
    ///
    /// As [`Mesh::new`]; [`Error::Options`] for too many levels, and for faces that the scheme does not take;
    /// [`MeshError`](rxmesh_host::mesh::MeshError) for a sharp edge that is none of the mesh's; [`Error::TooLarge`] for
    /// a result that 32 bits cannot address; no memory on the engine.
    pub fn new(engine: &Engine, mesh: &PolyMesh, options: &Options) -> Result<Subdivision, Error> {
        let surface = match options.scheme {
            Scheme::CatmullClark => {
                Surface::CatmullClark(Box::new(CatmullClark::new(engine, mesh, options)?))
            }
            Scheme::Loop => Surface::Loop(Box::new(Loop::new(engine, mesh, options)?)),
            Scheme::Sqrt3 => Surface::Sqrt3(Box::new(Sqrt3::new(engine, mesh, options)?)),
        };
        Ok(Subdivision {
            surface,
            levels: options.levels,
        })
    }

    /// As [`Subdivision::new`], of faces that are on the engine already.
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
        let surface = match options.scheme {
            Scheme::CatmullClark => Surface::CatmullClark(Box::new(CatmullClark::from_faces(
                engine, faces, extras, options,
            )?)),
            Scheme::Loop => {
                Surface::Loop(Box::new(Loop::from_faces(engine, faces, extras, options)?))
            }
            Scheme::Sqrt3 => {
                Surface::Sqrt3(Box::new(Sqrt3::from_faces(engine, faces, extras, options)?))
            }
        };
        Ok(Subdivision {
            surface,
            levels: options.levels,
        })
    }

    /// Prepares the surface of another mesh, of the same options, in the memory that is there: for a topology that is
    /// new in every frame. Memory is taken only when there is too little of it, and stays. Where all edges and vertices
    /// are smooth, no face is a hole, and faces have the same number of corners, one wait is all, for what is wrong
    /// with the faces and for the number of edges, or two, in Catmull-Clark's scheme.
    ///
    /// # Errors
    ///
    /// As [`Subdivision::new`]; the surface has no vertices and no faces then, until it is built again.
    pub fn rebuild(&mut self, mesh: &PolyMesh) -> Result<(), Error> {
        of_any!(&mut self.surface, s => s.rebuild(mesh))
    }

    /// As [`Subdivision::rebuild`], of faces that are on the engine already.
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

    /// As [`Subdivision::rebuild_from`], of faces that are known to be a closed smooth surface: by Catmull-Clark's
    /// scheme and sqrt(3) nothing is waited for, before or after [`values`](Self::values) and [`faces`](Self::faces).
    /// [`Subdivision::check`] waits, and tells whether it was so; before, what they give is not to be relied on.
    ///
    /// # Errors
    ///
    /// What can be seen without a wait; of Loop surfaces as [`Subdivision::rebuild_from`]. The surface has no vertices
    /// and no faces then.
    pub fn rebuild_ahead(&mut self, faces: &DeviceFaces) -> Result<(), Error> {
        match &mut self.surface {
            Surface::CatmullClark(s) => s.rebuild_ahead(faces),
            Surface::Loop(s) => s.rebuild_from(faces, &Extras::default()),
            Surface::Sqrt3(s) => s.rebuild_ahead(faces),
        }
    }

    /// Waits, and refuses faces that [`Subdivision::rebuild_ahead`] took at their word.
    ///
    /// # Errors
    ///
    /// As [`Mesh::check`]; the surface has no vertices and no faces then.
    pub fn check(&mut self) -> Result<(), Error> {
        match &mut self.surface {
            Surface::CatmullClark(s) => s.check(),
            Surface::Loop(s) => Ok(s.mesh().engine().synchronize()?),
            Surface::Sqrt3(s) => s.check(),
        }
    }

    /// The surface's values of the mesh's: `width` floats a vertex, row after row, such as positions. Runs kernels and
    /// nothing else: nothing is allocated or waited for.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] for buffers of other lengths; what the engine says.
    pub fn values(&self, width: u32, x: &Buffer<f32>, y: &mut Buffer<f32>) -> Result<(), Error> {
        of_any!(&self.surface, s => s.values(width, x, y))
    }

    /// Where the surface's vertices end when it is refined for ever, and the unit normals there, of positions as
    /// [`Subdivision::values`] makes them: three floats a vertex each. Sharpness that is left at the last level counts
    /// as lasting for ever; at a crease or a corner the normal is that of one side.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] for buffers of other lengths; without a level, faces that are no quads; what the engine
    /// says.
    pub fn limit(
        &self,
        values: &Buffer<f32>,
        points: &mut Buffer<f32>,
        normals: &mut Buffer<f32>,
    ) -> Result<(), Error> {
        of_any!(&self.surface, s => s.limit(values, points, Some(normals)))
    }

    /// The surface's faces: [`Subdivision::index_count`] vertices.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] for a buffer of another length; what the engine says.
    pub fn faces(&self, out: &mut Buffer<u32>) -> Result<(), Error> {
        of_any!(&self.surface, s => s.faces(out))
    }

    /// Vertices of the surface.
    pub fn vertex_count(&self) -> u32 {
        of_any!(&self.surface, s => s.vertex_count())
    }

    /// Faces of the surface.
    pub fn face_count(&self) -> u32 {
        of_any!(&self.surface, s => s.face_count())
    }

    /// Corners of every face; nothing when they differ, which they may without a level only.
    pub fn face_size(&self) -> Option<u32> {
        let size = of_any!(&self.surface, s => s.face_size());
        (size != 0).then_some(size)
    }

    /// Corners of all faces.
    pub fn index_count(&self) -> u32 {
        match &self.surface {
            Surface::CatmullClark(s) => s.index_count(),
            Surface::Loop(s) => 3 * s.face_count(),
            Surface::Sqrt3(s) => 3 * s.face_count(),
        }
    }

    /// The face of the mesh that a face of the surface comes from. It grows with the faces.
    pub fn parent(&self, face: u32) -> u32 {
        of_any!(&self.surface, s => s.parent(face))
    }

    /// The mesh that the surface is made of.
    pub fn mesh(&self) -> &Mesh {
        of_any!(&self.surface, s => s.mesh())
    }

    /// Bytes that are kept on the engine.
    pub fn bytes(&self) -> u64 {
        of_any!(&self.surface, s => s.bytes())
    }

    /// An [`RxMesh`](rxmesh_host::store::RxMesh) of the surface, each quad cut into two triangles along the diagonal
    /// from its first corner. Its patches are squares of the grids, so that nothing is patched. Input order is that of
    /// the surface; the renumbering brings [values](Self::values) over.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] without a level, for faces of any size; what [`repack`](rxmesh_host::repack::repack) says.
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

    /// Brings faces to the host, and the sizes that they have.
    pub(crate) fn faces_to_host(&self) -> Result<Vec<u32>, Error> {
        let mut faces = self.mesh().engine().zeroed(self.index_count() as usize)?;
        self.faces(&mut faces)?;
        Ok(faces.read()?)
    }

    /// Values of the mesh on the host to values of the surface on the host.
    pub(crate) fn values_of_host(&self, width: u32, x: &[f32]) -> Result<Vec<f32>, Error> {
        let engine = self.mesh().engine();
        let n = self.vertex_count() as usize * width as usize;
        let mut y = engine.zeroed(n)?;
        self.values(width, &engine.upload(x)?, &mut y)?;
        Ok(y.read()?)
    }

    /// Waits for all that was started.
    ///
    /// # Errors
    ///
    /// A fault of a kernel, or what the driver says.
    pub fn synchronize(&self) -> Result<(), EngineError> {
        self.mesh().engine().synchronize()
    }
}
