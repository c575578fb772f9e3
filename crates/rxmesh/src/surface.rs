//! Subdivision surfaces of meshes whose vertices move.

use crate::ops::subdivide::{SubdivideArgs, explained, prepare};
use crate::{Error, Log, Result, Stage, stage};
use rxmesh_host::Vec3;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::{Faces, MeshError, Placement, PolyMesh};
use rxmesh_subdivision::{Subdivision, VertexOptions};
use std::sync::{Mutex, PoisonError};

/// Subdivision surface of a base mesh: its faces are prepared once, and its vertices are computed for any number of
/// positions of the base. Results are those of [`ops::Subdivide`](crate::ops::Subdivide) to the last bit.
///
/// ```
/// use rxmesh::host::mesh::generate;
/// use rxmesh::subdivision::{Options, VertexOptions};
/// use rxmesh::{Engine, Silent, SubdivideArgs, SubdivisionSurface};
///
/// # fn main() -> Result<(), rxmesh::Error> {
/// let cube = generate::cube(1)?;
/// let positions = cube.positions.clone();
/// let options = SubdivideArgs {
///     options: Options { levels: 3, ..Options::default() },
///     ..SubdivideArgs::default()
/// };
/// let surface = SubdivisionSurface::new(&Engine::cpu(), cube, &options, &mut Silent::default())?;
/// // For every frame of an animation:
/// let frame = surface.evaluate(positions, Default::default(), VertexOptions::default())?;
/// assert_eq!(frame.positions.len(), surface.vertex_count());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SubdivisionSurface {
    surface: Subdivision,
    /// Faces that the surface is made of. Positions are those of the evaluation that runs.
    base: Mutex<PolyMesh>,
    /// Number of vertices of the mesh that was given.
    given: usize,
    /// Given vertex of each vertex of `base`, if edges were cut open.
    origins: Option<Vec<u32>>,
    faces: Faces,
    corners: Vec<u32>,
    parents: Vec<u32>,
}

/// Vertices of a [`SubdivisionSurface`].
#[derive(Clone, Debug)]
pub struct SurfacePoints {
    /// Positions, in the frame of `placement`.
    pub positions: Vec<Vec3>,
    /// Place of the positions in the world.
    pub placement: Placement,
    /// Unit normals of the limit surface, if they were asked for.
    pub normals: Option<Vec<Vec3>>,
}

/// Vertices of a [`SubdivisionSurface`] in its engine's memory: three floats each.
#[derive(Debug)]
pub struct EnginePoints {
    /// Positions.
    pub positions: Buffer<f32>,
    /// Unit normals of the limit surface, if they were asked for.
    pub normals: Option<Buffer<f32>>,
}

impl SubdivisionSurface {
    /// Prepares the surface of a mesh. Positions of the mesh are used only for creases by an angle; attributes are not
    /// refined.
    ///
    /// # Errors
    ///
    /// A mesh or options that the scheme does not take, as [`Subdivision::new`]; options that need positions in every
    /// evaluation (`adaptive`, `split_normals`, `triangles`); errors of the engine.
    pub fn new(
        engine: &Engine,
        mut base: PolyMesh,
        options: &SubdivideArgs,
        log: &mut dyn Log,
    ) -> Result<SubdivisionSurface> {
        let unfit = [
            (options.adaptive, "--adaptive"),
            (options.places.split_normals, "--split-normals"),
            (options.triangles, "--triangles"),
        ];
        if let Some((_, flag)) = unfit.iter().find(|(is_set, _)| *is_set) {
            let what = format!("{flag} depends on positions: it is an option of subdivide alone");
            return Err(Error::Message(what));
        }
        rxmesh_host::algo::Options::check(options)?;
        base.validate().map_err(rxmesh_host::Error::from)?;
        base.extras = Default::default();
        let given = base.vertex_count();
        let origins = prepare(&mut base, options, "mesh", log)?;
        let made = stage(log, Stage::Prepare, || {
            let surface = Subdivision::new(engine, &base, &options.options)
                .map_err(|e| explained(e, options.sharpen_non_manifold))?;
            let mut corners = engine.zeroed(surface.index_count() as usize)?;
            surface.faces(&mut corners)?;
            Ok((surface, corners.read()?))
        });
        let (surface, corners) = made?;
        let parents: Vec<u32> = (0..surface.face_count())
            .map(|face| surface.parent(face))
            .collect();
        let faces = surface
            .face_size()
            .map_or_else(|| Faces::of_sizes(&sizes(&base, &parents)), Faces::Same);
        Ok(SubdivisionSurface {
            surface,
            base: Mutex::new(base),
            given,
            origins,
            faces,
            corners,
            parents,
        })
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        self.surface.mesh().engine()
    }

    /// Returns the number of vertices of the base mesh.
    pub fn base_vertex_count(&self) -> usize {
        self.given
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.surface.vertex_count() as usize
    }

    /// Returns the number of faces.
    pub fn face_count(&self) -> usize {
        self.parents.len()
    }

    /// Returns the numbers of corners of the faces.
    pub fn faces(&self) -> &Faces {
        &self.faces
    }

    /// Returns the vertices of the faces, face after face.
    pub fn corners(&self) -> &[u32] {
        &self.corners
    }

    /// Returns the face of the base mesh that each face lies in, ascending.
    pub fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// Computes the vertices for positions of the base mesh, in the frame of `placement`.
    ///
    /// # Errors
    ///
    /// Another number of positions than the base has vertices; positions that are not finite, and results beyond 32-bit
    /// floats; `split_normals`; errors of the engine.
    pub fn evaluate(
        &self,
        positions: Vec<Vec3>,
        placement: Placement,
        wanted: VertexOptions,
    ) -> Result<SurfacePoints> {
        self.check_count(positions.len())?;
        check_finite(&positions)?;
        let mut base = self.base.lock().unwrap_or_else(PoisonError::into_inner);
        base.positions = match &self.origins {
            Some(origins) => origins.iter().map(|&v| positions[v as usize]).collect(),
            None => positions,
        };
        base.placement = placement;
        // Far from the origin new vertices lie between the 32-bit floats.
        let home = base.normalise();
        let x: Vec<f32> = base.positions.iter().flat_map(|p| p.to_array()).collect();
        let x = self.engine().upload(&x)?;
        let made = self.evaluate_here(&x, wanted)?;
        let mut points = PolyMesh {
            positions: vectors(&made.positions.read()?),
            placement: base.placement,
            ..PolyMesh::default()
        };
        drop(base);
        check_finite(&points.positions)?;
        points.return_to(home);
        let normals = made.normals.as_ref().map(Buffer::read).transpose()?;
        Ok(SurfacePoints {
            positions: points.positions,
            placement: points.placement,
            normals: normals.map(|normals| vectors(&normals)),
        })
    }

    /// Computes the vertices for positions in the engine's memory, three floats each, with the positions as they are: a
    /// mesh far from the origin loses digits, and values that are not finite spread. Returns `None` for a surface whose
    /// edges were cut open, for which [`SubdivisionSurface::evaluate`] is. Results are complete when the call returns.
    ///
    /// # Errors
    ///
    /// Another number of positions than the base has vertices; `split_normals`; errors of the engine.
    pub fn evaluate_on_engine(
        &self,
        x: &Buffer<f32>,
        wanted: VertexOptions,
    ) -> Result<Option<EnginePoints>> {
        self.check_count(x.len() / 3)?;
        if self.origins.is_some() {
            return Ok(None);
        }
        // Scratch memory of the surface is shared by evaluations.
        let _base = self.base.lock().unwrap_or_else(PoisonError::into_inner);
        let made = self.evaluate_here(x, wanted)?;
        self.engine().synchronize()?;
        Ok(Some(made))
    }

    fn evaluate_here(&self, x: &Buffer<f32>, wanted: VertexOptions) -> Result<EnginePoints> {
        if wanted.split_normals {
            let what =
                "normals of corners depend on positions: they are an option of subdivide alone";
            return Err(Error::Message(what.into()));
        }
        let engine = self.engine();
        let count = 3 * self.vertex_count();
        let mut values = engine.zeroed(count)?;
        self.surface.values(3, x, &mut values)?;
        if wanted == VertexOptions::default() {
            return Ok(EnginePoints {
                positions: values,
                normals: None,
            });
        }
        let (mut points, mut normals) = (engine.zeroed(count)?, engine.zeroed(count)?);
        self.surface.limit(&values, &mut points, &mut normals)?;
        Ok(EnginePoints {
            positions: if wanted.limit { points } else { values },
            normals: wanted.normals.then_some(normals),
        })
    }

    fn check_count(&self, count: usize) -> Result<()> {
        if count == self.given {
            return Ok(());
        }
        let what = format!(
            "there are {count} positions, but the base mesh has {} vertices",
            self.given
        );
        Err(Error::Message(what))
    }
}

/// Returns the number of corners of each face that is a whole face of the base mesh.
fn sizes(base: &PolyMesh, parents: &[u32]) -> Vec<u32> {
    let size = |&face: &u32| base.face(face as usize).len() as u32;
    parents.iter().map(size).collect()
}

fn vectors(values: &[f32]) -> Vec<Vec3> {
    let rows = values.as_chunks::<3>().0.iter();
    rows.map(|&p| Vec3::from_array(p)).collect()
}

fn check_finite(positions: &[Vec3]) -> Result<()> {
    let Some(vertex) = positions.iter().position(|p| !p.is_finite()) else {
        return Ok(());
    };
    let position = positions[vertex].to_array();
    Err(rxmesh_host::Error::from(MeshError::NotFinite { vertex, position }).into())
}
