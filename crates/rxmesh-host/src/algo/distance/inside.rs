//! Winding numbers and signed distances.

use super::bounds;
use super::closest::{ClosestPlaces, SurfaceTree};
use crate::Error;
use crate::engine::{Buffer, Engine};
use crate::parallel::{scan, sort};
use glam::Vec3;
use rxmesh_kernels::algo::distance::inside::{
    FlagInside, LeafMoments, LevelMoments, MOMENT_WORDS, SignDistances, WindingByMoments,
    WindingByRays,
};
use rxmesh_kernels::algo::distance::sides::{
    CountSides, FlagPlaces, NumberPlaces, PlaceKeys, SideKeys, WriteBoundary,
};
use rxmesh_kernels::algo::tree::IndexedTriangles;
use rxmesh_kernels::mem::Global;
use std::sync::Arc;

/// Most edges of a boundary that each point visits one by one. With more, far triangles count together.
const MOST_EDGES: u32 = 256;

/// Nodes count as a whole from this multiple of their radius on. Errors of winding numbers are then below a hundredth
/// of the part of the sphere that all faces cover, one over the other (`winding::agree_with_sums`).
const FAR: f32 = 3.0;

/// A surface that tells what is inside: oriented triangles on an engine, with or without a boundary, crossing each
/// other or not.
///
/// Its *winding number* at a point is the solid angle of the surface seen from there, over that of a sphere: how often
/// the surface goes around the point. It is 1 inside a closed surface whose faces look outwards, 0 outside, and between
/// them near holes (Jacobson, Kavan, Sorkine-Hornung 2013). Vertices at the same place count as one.
#[derive(Debug)]
pub struct InsideTree {
    tree: Arc<SurfaceTree>,
    boundary: OpenSides,
    /// Moments of the nodes; empty if the boundary is short.
    moments: Buffer<u32>,
}

/// Sides of triangles that are not balanced by those of others.
#[derive(Debug)]
struct OpenSides {
    /// Two ends of each edge; empty if there are more than [`MOST_EDGES`].
    ends: Buffer<Vec3>,
    /// Count of each edge.
    counts: Buffer<f32>,
    /// Number of edges.
    edges: u32,
}

impl InsideTree {
    /// Takes a tree and the triangles that it was made of, in the engine's memory.
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::on_engine`].
    pub fn new(
        tree: Arc<SurfaceTree>,
        x: &Buffer<Vec3>,
        faces: &Buffer<[u32; 3]>,
    ) -> Result<InsideTree, Error> {
        let engine = tree.engine();
        let triangles = IndexedTriangles {
            x: x.global(),
            faces: faces.global().cast(),
        };
        bounds::checked(engine, triangles)?;
        let boundary = OpenSides::new(engine, triangles)?;
        let moments = if boundary.edges > MOST_EDGES {
            tree.moments()?
        } else {
            engine.zeroed(0)?
        };
        Ok(InsideTree {
            tree,
            boundary,
            moments,
        })
    }

    /// Returns the tree of the surface, for other searches.
    pub fn tree(&self) -> &SurfaceTree {
        &self.tree
    }

    /// Returns the number of edges of the boundary: sides of triangles that are not balanced by sides of others between
    /// the same places. It is 0 for closed surfaces, whose winding numbers are exact whole numbers.
    pub fn boundary_edges(&self) -> u32 {
        self.boundary.edges
    }

    /// Computes the winding number of each point: exactly, by a ray and the edges of the boundary, if these are at most
    /// 256 (Martens, Trettner, Bessmeltsev 2026); else far triangles together (Barill et al. 2018), with errors below
    /// .01 where layers of the surface do not cancel each other.
    ///
    /// # Errors
    ///
    /// No memory on the engine, or any error of it.
    pub fn winding_numbers(&self, points: &Buffer<Vec3>) -> Result<Buffer<f32>, Error> {
        let (engine, n) = (self.tree.engine(), points.len());
        let numbers = engine.uninit::<f32>(n)?;
        let order = self.tree.order_of(points)?;
        if self.moments.is_empty() {
            let kernel = WindingByRays {
                surface: self.tree.view(),
                ends: self.boundary.ends.global(),
                counts: self.boundary.counts.global(),
                points: points.global(),
                order: order.global(),
                numbers: numbers.global_mut(),
            };
            engine.launch_flat(n as u32, kernel)?;
        } else {
            let kernel = WindingByMoments {
                surface: self.tree.view(),
                moments: self.moments.global(),
                far: FAR,
                points: points.global(),
                order: order.global(),
                numbers: numbers.global_mut(),
            };
            engine.launch_flat(n as u32, kernel)?;
        }
        Ok(numbers)
    }

    /// Returns a flag for each point: 1 if its winding number is at least one half, else 0.
    ///
    /// # Errors
    ///
    /// No memory on the engine, or any error of it.
    pub fn contains(&self, points: &Buffer<Vec3>) -> Result<Buffer<u32>, Error> {
        let numbers = self.winding_numbers(points)?;
        let flags = self.tree.engine().uninit::<u32>(points.len())?;
        let kernel = FlagInside {
            numbers: numbers.global(),
            flags: flags.global_mut(),
        };
        self.tree
            .engine()
            .launch_flat(points.len() as u32, kernel)?;
        Ok(flags)
    }

    /// Finds the places that are closest to points, and their distances: negative where the winding number is at least
    /// one half.
    ///
    /// # Errors
    ///
    /// No memory on the engine, or any error of it.
    pub fn signed_distances(
        &self,
        points: &Buffer<Vec3>,
    ) -> Result<(ClosestPlaces, Buffer<f32>), Error> {
        let numbers = self.winding_numbers(points)?;
        let found = self.tree.closest(points)?;
        let distances = distances(points, &found, numbers.global())?;
        Ok((found, distances))
    }
}

impl ClosestPlaces {
    /// Computes the distances of the points that were searched from their places.
    ///
    /// # Errors
    ///
    /// No memory on the engine, or any error of it.
    pub fn distances(&self, points: &Buffer<Vec3>) -> Result<Buffer<f32>, Error> {
        distances(points, self, Global::empty())
    }
}

fn distances(
    points: &Buffer<Vec3>,
    found: &ClosestPlaces,
    numbers: Global<f32>,
) -> Result<Buffer<f32>, Error> {
    let (engine, n) = (points.engine(), points.len());
    if found.places.len() != n {
        return Err(Error::Options(format!(
            "there are {n} points and {} places",
            found.places.len()
        )));
    }
    let distances = engine.uninit::<f32>(n)?;
    let kernel = SignDistances {
        points: points.global(),
        places: found.places.global(),
        numbers,
        distances: distances.global_mut(),
    };
    engine.launch_flat(n as u32, kernel)?;
    Ok(distances)
}

impl SurfaceTree {
    /// Computes the moments of all nodes.
    fn moments(&self) -> Result<Buffer<u32>, Error> {
        let (engine, view) = (self.engine(), self.complete_view()?);
        let words = engine.zeroed::<u32>((2 * view.leaves * MOMENT_WORDS) as usize)?;
        let moments = words.global_mut();
        let kernel = LeafMoments {
            surface: view,
            moments,
        };
        engine.launch_flat(view.leaves, kernel)?;
        let mut first = view.leaves / 2;
        while first > 0 {
            let kernel = LevelMoments {
                surface: view,
                moments,
                first,
            };
            engine.launch_flat(first, kernel)?;
            first /= 2;
        }
        Ok(words)
    }
}

impl OpenSides {
    fn new(engine: &Engine, triangles: IndexedTriangles) -> Result<OpenSides, Error> {
        let places = places(engine, triangles)?;
        let n = triangles.faces.len();
        let mut order = engine.uninit::<u32>(n as usize)?;
        for greater in [1, 0] {
            let keys = engine.uninit::<u32>(n as usize)?;
            let kernel = SideKeys {
                faces: triangles.faces,
                places: places.numbers.global(),
                order: order.global_mut(),
                greater,
                keys: keys.global_mut(),
            };
            engine.launch_flat(n, kernel)?;
            let bits = u32::BITS - places.count.leading_zeros();
            order = sort::by_keys(engine, keys, order, bits)?.1;
        }
        let sums = engine.uninit::<u32>(n as usize)?;
        let mut flags = engine.uninit::<u32>(n as usize)?;
        let kernel = CountSides {
            faces: triangles.faces,
            places: places.numbers.global(),
            order: order.global(),
            sums: sums.global_mut(),
            flags: flags.global_mut(),
        };
        engine.launch_flat(n, kernel)?;
        let edges = scan::exclusive(engine, &mut flags)?;
        let kept = if edges > MOST_EDGES {
            0
        } else {
            edges as usize
        };
        let boundary = OpenSides {
            ends: engine.uninit(2 * kept)?,
            counts: engine.uninit(kept)?,
            edges,
        };
        if kept > 0 {
            let kernel = WriteBoundary {
                triangles,
                order: order.global(),
                sums: sums.global(),
                before: flags.global(),
                ends: boundary.ends.global_mut(),
                counts: boundary.counts.global_mut(),
            };
            engine.launch_flat(n, kernel)?;
        }
        Ok(boundary)
    }
}

/// Numbers of the places of vertices.
struct Places {
    numbers: Buffer<u32>,
    count: u32,
}

/// Numbers the places of the vertices: vertices with the same coordinates have one place.
fn places(engine: &Engine, triangles: IndexedTriangles) -> Result<Places, Error> {
    let n = triangles.x.len();
    let mut order = engine.uninit::<u32>(n as usize)?;
    for axis in 0..3 {
        let keys = engine.uninit::<u32>(n as usize)?;
        let kernel = PlaceKeys {
            x: triangles.x,
            order: order.global_mut(),
            axis,
            keys: keys.global_mut(),
        };
        engine.launch_flat(n, kernel)?;
        order = sort::by_keys(engine, keys, order, u32::BITS)?.1;
    }
    let mut flags = engine.uninit::<u32>(n as usize)?;
    let kernel = FlagPlaces {
        x: triangles.x,
        order: order.global(),
        flags: flags.global_mut(),
    };
    engine.launch_flat(n, kernel)?;
    let count = scan::exclusive(engine, &mut flags)?;
    let places = engine.uninit::<u32>(n as usize)?;
    let kernel = NumberPlaces {
        order: order.global(),
        before: flags.global(),
        count,
        places: places.global_mut(),
    };
    engine.launch_flat(n, kernel)?;
    Ok(Places {
        numbers: places,
        count,
    })
}
