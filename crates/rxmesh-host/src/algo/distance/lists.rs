//! Lists of all that queries of a surface find.

use super::closest::SurfaceTree;
use super::rays::Rays;
use crate::Error;
use crate::engine::Buffer;
use crate::parallel::scan;
use glam::Vec3;
use rxmesh_kernels::algo::distance::lists::{FoundLists, ListHits, ListNear};
use rxmesh_kernels::kernel::{Entry, FlatKernel};
use rxmesh_kernels::mem::{Global, GlobalMut};

/// Triangles that queries found, on the engine: a list for each query, one after the other. The nearest comes first, of
/// equally near ones that with the smallest number.
#[derive(Debug)]
pub struct TriangleLists {
    /// First place of each list, and that after the last one.
    pub starts: Buffer<u32>,
    /// Distance of each triangle.
    pub distances: Buffer<f32>,
    /// Number of each triangle.
    pub triangles: Buffer<u32>,
}

impl SurfaceTree {
    /// Lists all hits of each ray: those that [`SurfaceTree::count_hits`] counts, with their places on the ray as
    /// distances.
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::first_hits`]; [`Error::TooLarge`] for more hits than 32 bits count.
    pub fn all_hits(&self, rays: Rays<'_>) -> Result<TriangleLists, Error> {
        let list = rays.checked()?;
        self.lists(rays.origins, |order, found| ListHits {
            surface: self.view(),
            rays: list,
            order,
            found,
        })
    }

    /// Lists the triangles that are at most as far from each point as a radius.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if the radius is negative or not a number; [`Error::TooLarge`] for more triangles than 32
    /// bits count; no memory on the engine, or any error of it.
    pub fn triangles_within(
        &self,
        points: &Buffer<Vec3>,
        radius: f32,
    ) -> Result<TriangleLists, Error> {
        check_radius(f64::from(radius))?;
        self.lists(points, |order, found| ListNear {
            surface: self.view(),
            points: points.global(),
            order,
            square: radius * radius,
            found,
        })
    }

    /// Counts the items of each list, then writes them.
    fn lists<K: FlatKernel + Entry>(
        &self,
        queries: &Buffer<Vec3>,
        kernel: impl Fn(Global<u32>, FoundLists) -> K,
    ) -> Result<TriangleLists, Error> {
        let (engine, n) = (self.engine(), queries.len());
        let order = self.order_of(queries)?;
        let mut starts = engine.zeroed::<u32>(n + 1)?;
        let counted = FoundLists {
            starts: Global::empty(),
            counts: starts.global_mut(),
            distances: GlobalMut::empty(),
            triangles: GlobalMut::empty(),
        };
        engine.launch_flat(n as u32, kernel(order.global(), counted))?;
        let total = scan::exclusive(engine, &mut starts);
        let total = total.map_err(|e| e.too_many("found triangles"))?;
        let found = TriangleLists {
            starts,
            distances: engine.uninit(total as usize)?,
            triangles: engine.uninit(total as usize)?,
        };
        let written = FoundLists {
            starts: found.starts.global(),
            counts: GlobalMut::empty(),
            distances: found.distances.global_mut(),
            triangles: found.triangles.global_mut(),
        };
        engine.launch_flat(n as u32, kernel(order.global(), written))?;
        Ok(found)
    }
}

/// Checks the radius of a query.
///
/// # Errors
///
/// [`Error::Options`] if it is negative or not a number.
pub fn check_radius(radius: f64) -> Result<(), Error> {
    if radius.is_nan() || radius < 0.0 {
        let why = format!("the radius is {radius}, and has to be 0 or more");
        return Err(Error::Options(why));
    }
    Ok(())
}
