//! The nearest of many points.

use super::closest::SurfaceTree;
use crate::Error;
use crate::engine::{Buffer, Engine};
use glam::Vec3;
use rxmesh_kernels::algo::distance::nearest::{NearestPoints, PointCorners};
use rxmesh_kernels::algo::distance::tree::IndexedTriangles;
use rxmesh_kernels::mem::GlobalMut;

/// Points on an engine, for searches of the nearest ones.
#[derive(Debug)]
pub struct PointTree(SurfaceTree);

/// The points that are nearest to others ([`PointTree::nearest`]), on the engine: as many for each as were asked for,
/// nearest first, of equally near ones that with the smaller number.
#[derive(Debug)]
pub struct NearPoints {
    /// Number of each; `u32::MAX` where there are fewer.
    pub numbers: Buffer<u32>,
    /// Distance of each; infinity where there are fewer.
    pub distances: Buffer<f32>,
}

impl PointTree {
    /// Prepares points that are in the engine's memory.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for a point that is not finite; no memory on the engine, or any error of it.
    pub fn on_engine(engine: &Engine, points: &Buffer<Vec3>) -> Result<PointTree, Error> {
        super::bounds::check_finite(points, "point")?;
        let faces = engine.uninit::<u32>(3 * points.len())?;
        let corners = PointCorners {
            faces: faces.global_mut(),
        };
        engine.launch_flat(points.len() as u32, corners)?;
        let triangles = IndexedTriangles {
            x: points.global(),
            faces: faces.global(),
        };
        let tree = SurfaceTree::by_kernels(engine, triangles, GlobalMut::empty())?;
        Ok(PointTree(tree))
    }

    /// Finds the `most` points that are nearest to each of others. Results have the same bits on every engine.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if none is asked for; [`Error::TooLarge`] for more results than 32 bits count; no memory on
    /// the engine, or any error of it.
    pub fn nearest(&self, points: &Buffer<Vec3>, most: u32) -> Result<NearPoints, Error> {
        if most == 0 {
            let why = "0 nearest points are asked for; 1 or more are needed";
            return Err(Error::Options(why.into()));
        }
        let all = points.len() as u64 * u64::from(most);
        if all > u64::from(u32::MAX) {
            return Err(Error::TooLarge {
                what: "nearest points",
                count: all,
                limit: u64::from(u32::MAX),
            });
        }
        let engine = self.0.engine();
        let found = NearPoints {
            numbers: engine.uninit(all as usize)?,
            distances: engine.uninit(all as usize)?,
        };
        let order = self.0.order_of(points)?;
        let kernel = NearestPoints {
            surface: self.0.view(),
            points: points.global(),
            order: order.global(),
            most,
            distances: found.distances.global_mut(),
            numbers: found.numbers.global_mut(),
        };
        engine.launch_flat(points.len() as u32, kernel)?;
        Ok(found)
    }
}
