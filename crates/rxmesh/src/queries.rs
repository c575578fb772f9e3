//! Queries of a surface: closest points, rays, winding numbers.

use crate::on::EngineArrays;
use crate::{Mesh, Result};
use rxmesh_host::algo::bounds::check_finite;
use rxmesh_host::algo::closest::{self, ClosestPlaces};
use rxmesh_host::algo::inside::InsideTree;
use rxmesh_host::algo::lists::{TriangleLists, check_radius};
use rxmesh_host::algo::nearest::PointTree;
use rxmesh_host::algo::rays::Rays;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::Placement;
use rxmesh_host::{DVec3, Vec3};
use std::sync::{Arc, OnceLock};

/// Surface that is prepared for queries: a hierarchy of boxes around its faces, on the mesh's engine.
///
/// ```
/// use rxmesh::{DVec3, Mesh, SurfaceTree, generate};
///
/// # fn main() -> Result<(), rxmesh::Error> {
/// let ball = Mesh::new(generate::icosphere(4)?);
/// let tree = SurfaceTree::new(&ball)?;
/// let found = tree.signed_closest(&[DVec3::new(0.0, 0.0, 0.25), DVec3::new(3.0, 0.0, 0.0)])?;
/// assert!((found.distances[0] + 0.75).abs() < 0.01);
/// assert!((found.distances[1] - 2.0).abs() < 0.01);
/// let hits = tree.first_hits(&[DVec3::ZERO], &[DVec3::Z], f64::INFINITY)?;
/// assert!((hits.distances[0] - 1.0).abs() < 0.01);
/// # Ok(())
/// # }
/// ```
///
/// Distances to the surface, closest points and hits of rays have the same bits on every engine; winding numbers of
/// closed surfaces are whole numbers, and others agree to about six digits. Coordinates are the mesh's, rounded to 32
/// bits in its frame.
#[derive(Debug)]
pub struct SurfaceTree {
    arrays: EngineArrays,
    placement: Placement,
    tree: Arc<closest::SurfaceTree>,
    inside: OnceLock<InsideTree>,
    vertices: OnceLock<PointTree>,
}

/// Points of a surface that are closest to given points.
#[derive(Clone, Debug, Default)]
pub struct ClosestPoints {
    /// Position of each.
    pub points: Vec<DVec3>,
    /// Distance of each from the point that was given; negative inside, if that was asked for.
    pub distances: Vec<f64>,
    /// Face of each, of several equally close ones the first; `u32::MAX` on a mesh without faces.
    pub faces: Vec<u32>,
    /// Barycentric coordinates of each in its face.
    pub barycentric: Vec<Vec3>,
}

/// First hits of rays.
#[derive(Clone, Debug, Default)]
pub struct RayHits {
    /// Place of each on its ray, in multiples of the direction; infinity if the ray hits nothing.
    pub distances: Vec<f64>,
    /// Face of each, of several at the same place the first; `u32::MAX` for none.
    pub faces: Vec<u32>,
    /// Barycentric coordinates of each in its face; zeroes for none.
    pub barycentric: Vec<Vec3>,
}

/// Faces that queries found: a list for each query, one after the other. The nearest comes first, of equally near ones
/// the first.
#[derive(Clone, Debug, Default)]
pub struct FaceLists {
    /// First place of each list, and that after the last one.
    pub starts: Vec<u32>,
    /// Distance of each face from its point, or place of each hit on its ray.
    pub distances: Vec<f64>,
    /// Number of each face.
    pub faces: Vec<u32>,
}

impl FaceLists {
    /// Returns the faces and the distances of a query.
    ///
    /// # Panics
    ///
    /// If there is no such query.
    pub fn of(&self, query: usize) -> (&[u32], &[f64]) {
        let list = self.starts[query] as usize..self.starts[query + 1] as usize;
        (&self.faces[list.clone()], &self.distances[list])
    }
}

/// Vertices that are nearest to points: as many for each point as were asked for, one point after the other; nearest
/// first, of equally near ones the first.
#[derive(Clone, Debug, Default)]
pub struct NearestVertices {
    /// Number of each; `u32::MAX` where the mesh has fewer vertices.
    pub vertices: Vec<u32>,
    /// Distance of each; infinity where the mesh has fewer vertices.
    pub distances: Vec<f64>,
}

impl SurfaceTree {
    /// Prepares a mesh for queries, on its engine.
    ///
    /// # Errors
    ///
    /// A face with a corner that does not exist or is not finite; no memory on the engine, or any error of it.
    pub fn new(mesh: &Mesh) -> Result<SurfaceTree> {
        let engine = mesh.engine();
        let (arrays, placement) = match mesh.engine_arrays()? {
            Some(arrays) => (arrays, Placement::default()),
            None => {
                let host = mesh.to_host()?;
                let positions = engine.upload(&host.positions)?;
                let faces = engine.upload(&host.faces)?;
                (EngineArrays::new(positions, faces), host.placement)
            }
        };
        let tree = closest::SurfaceTree::on_engine(engine, &arrays.positions, &arrays.faces)?;
        Ok(SurfaceTree {
            arrays,
            placement,
            tree: Arc::new(tree),
            inside: OnceLock::new(),
            vertices: OnceLock::new(),
        })
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        self.tree.engine()
    }

    /// Returns the number of faces.
    pub fn face_count(&self) -> usize {
        self.arrays.faces.len()
    }

    /// Returns the frame in which the engine computes.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Returns the tree on the engine, for points and rays that are there. They are in [`SurfaceTree::placement`].
    pub fn on_engine(&self) -> &closest::SurfaceTree {
        &self.tree
    }

    /// Returns what tells inside from outside, on the engine. It is made by the first call.
    ///
    /// # Errors
    ///
    /// No memory on the engine, or any error of it.
    pub fn inside(&self) -> Result<&InsideTree> {
        if let Some(inside) = self.inside.get() {
            return Ok(inside);
        }
        let EngineArrays {
            positions, faces, ..
        } = &self.arrays;
        let made = InsideTree::new(self.tree.clone(), positions, faces)?;
        Ok(self.inside.get_or_init(|| made))
    }

    /// Returns the vertices, prepared for searches on the engine: those of faces and all others. They are prepared by
    /// the first call.
    ///
    /// # Errors
    ///
    /// A vertex that is not finite; no memory on the engine, or any error of it.
    pub fn vertices(&self) -> Result<&PointTree> {
        if let Some(vertices) = self.vertices.get() {
            return Ok(vertices);
        }
        let made = PointTree::on_engine(self.engine(), &self.arrays.positions)?;
        Ok(self.vertices.get_or_init(|| made))
    }

    /// Finds the `most` vertices that are nearest to each point.
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::closest`]; none is asked for; a vertex that is not finite.
    pub fn nearest_vertices(&self, points: &[DVec3], most: u32) -> Result<NearestVertices> {
        let points = self.points(points)?;
        let found = self.vertices()?.nearest(&points, most)?;
        let distances = found.distances.read()?.into_iter();
        Ok(NearestVertices {
            vertices: found.numbers.read()?,
            distances: distances
                .map(|d| f64::from(d) * self.placement.scale)
                .collect(),
        })
    }

    /// Finds the points of the surface that are closest to points.
    ///
    /// # Errors
    ///
    /// A point that is not finite; no memory on the engine, or any error of it.
    pub fn closest(&self, points: &[DVec3]) -> Result<ClosestPoints> {
        let points = self.points(points)?;
        let found = self.tree.closest(&points)?;
        let distances = found.distances(&points)?;
        self.read(&found, &distances)
    }

    /// Works like [`SurfaceTree::closest`], with distances that are negative where the winding number is at least one
    /// half.
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::closest`].
    pub fn signed_closest(&self, points: &[DVec3]) -> Result<ClosestPoints> {
        let points = self.points(points)?;
        let (found, distances) = self.inside()?.signed_distances(&points)?;
        self.read(&found, &distances)
    }

    /// Computes how often the surface goes around each point: 1 inside a closed surface whose faces look outwards, 0
    /// outside, and between them near holes.
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::closest`].
    pub fn winding_numbers(&self, points: &[DVec3]) -> Result<Vec<f32>> {
        let numbers = self.inside()?.winding_numbers(&self.points(points)?)?;
        Ok(numbers.read()?)
    }

    /// Finds the first hit of each ray, `origin + t * direction` with `t` from 0 to a limit. Both sides of a face are
    /// hit.
    ///
    /// # Errors
    ///
    /// Other numbers of origins and directions; numbers that are not finite; a limit that is negative or not a number;
    /// errors of the engine.
    pub fn first_hits(
        &self,
        origins: &[DVec3],
        directions: &[DVec3],
        limit: f64,
    ) -> Result<RayHits> {
        self.cast(origins, directions, limit, |rays| {
            let hits = self.tree.first_hits(rays)?;
            let distances = hits.distances.read()?.into_iter().map(f64::from);
            Ok(RayHits {
                distances: distances.collect(),
                faces: hits.triangles.read()?,
                barycentric: hits.parts.read()?,
            })
        })
    }

    /// Counts the hits of each ray. A ray through an edge counts one of its faces for each side of the surface.
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::first_hits`].
    pub fn count_hits(
        &self,
        origins: &[DVec3],
        directions: &[DVec3],
        limit: f64,
    ) -> Result<Vec<u32>> {
        self.cast(origins, directions, limit, |rays| {
            Ok(self.tree.count_hits(rays)?.read()?)
        })
    }

    /// Lists all hits of each ray: those that [`SurfaceTree::count_hits`] counts, with their places on the ray as
    /// distances.
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::first_hits`]; more hits than 32 bits count.
    pub fn all_hits(
        &self,
        origins: &[DVec3],
        directions: &[DVec3],
        limit: f64,
    ) -> Result<FaceLists> {
        self.cast(origins, directions, limit, |rays| {
            lists(&self.tree.all_hits(rays)?, 1.0)
        })
    }

    /// Lists the faces that are at most as far from each point as a radius.
    ///
    /// ```
    /// use rxmesh::{DVec3, Mesh, SurfaceTree, generate};
    ///
    /// # fn main() -> Result<(), rxmesh::Error> {
    /// let ball = Mesh::new(generate::icosphere(4)?);
    /// let tree = SurfaceTree::new(&ball)?;
    /// let found = tree.faces_within(&[DVec3::X, DVec3::ZERO], 0.1)?;
    /// let (faces, distances) = found.of(0);
    /// assert!(faces.len() > 10 && distances.is_sorted());
    /// assert!(found.of(1).0.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::closest`]; a radius that is negative or not a number; more faces than 32 bits count.
    pub fn faces_within(&self, points: &[DVec3], radius: f64) -> Result<FaceLists> {
        check_radius(radius)?;
        let (scale, points) = (self.placement.scale, self.points(points)?);
        let found = self
            .tree
            .triangles_within(&points, (radius / scale) as f32)?;
        lists(&found, scale)
    }

    /// Finds out which rays hit anything.
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::first_hits`].
    pub fn find_blocked(
        &self,
        origins: &[DVec3],
        directions: &[DVec3],
        limit: f64,
    ) -> Result<Vec<bool>> {
        self.cast(origins, directions, limit, |rays| {
            let flags = self.tree.find_blocked(rays)?.read()?;
            Ok(flags.into_iter().map(|flag| flag == 1).collect())
        })
    }

    /// Finds out which points are inside: those whose winding number is at least one half.
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::closest`].
    pub fn contains(&self, points: &[DVec3]) -> Result<Vec<bool>> {
        let flags = self.inside()?.contains(&self.points(points)?)?.read()?;
        Ok(flags.into_iter().map(|flag| flag == 1).collect())
    }

    /// Copies points of the world to the engine.
    fn points(&self, points: &[DVec3]) -> Result<Buffer<Vec3>> {
        let local: Vec<Vec3> = points.iter().map(|&p| self.placement.local(p)).collect();
        let points = self.engine().upload(&local)?;
        check_finite(&points, "point")?;
        Ok(points)
    }

    fn cast<T>(
        &self,
        origins: &[DVec3],
        directions: &[DVec3],
        limit: f64,
        work: impl FnOnce(Rays<'_>) -> Result<T>,
    ) -> Result<T> {
        // Places on the ray stay, in whatever unit.
        let scaled = directions
            .iter()
            .map(|&d| self.placement.local_direction(d));
        let origins = self.points(origins)?;
        let directions = self.engine().upload(&scaled.collect::<Vec<Vec3>>())?;
        check_finite(&directions, "direction")?;
        work(Rays {
            origins: &origins,
            directions: &directions,
            limit: limit as f32,
        })
    }

    fn read(&self, found: &ClosestPlaces, distances: &Buffer<f32>) -> Result<ClosestPoints> {
        let places = found.places.read()?;
        let scaled = distances.read()?.into_iter();
        Ok(ClosestPoints {
            points: places.iter().map(|&p| self.placement.world(p)).collect(),
            distances: scaled
                .map(|d| f64::from(d) * self.placement.scale)
                .collect(),
            faces: found.triangles.read()?,
            barycentric: found.parts.read()?,
        })
    }
}

/// Reads lists of faces; their distances are in units of the engine's frame.
fn lists(found: &TriangleLists, scale: f64) -> Result<FaceLists> {
    let distances = found.distances.read()?.into_iter();
    Ok(FaceLists {
        starts: found.starts.read()?,
        distances: distances.map(|d| f64::from(d) * scale).collect(),
        faces: found.triangles.read()?,
    })
}
