//! Hits of rays on a surface.

use super::closest::SurfaceTree;
use crate::Error;
use crate::engine::Buffer;
use glam::Vec3;
use rxmesh_kernels::algo::distance::rays::{CountHits, FirstHits, RayList};

/// Rays on the engine: places `origin + t * direction` with `t` from 0 to a limit. A ray without a direction, or with a
/// number that is not finite, hits nothing.
#[derive(Clone, Copy, Debug)]
pub struct Rays<'a> {
    /// Start of each ray.
    pub origins: &'a Buffer<Vec3>,
    /// Direction of each ray, of any length.
    pub directions: &'a Buffer<Vec3>,
    /// Greatest `t`; infinity for none.
    pub limit: f32,
}

/// First hits of rays ([`SurfaceTree::first_hits`]), on the engine; a value for each ray.
#[derive(Debug)]
pub struct RayHits {
    /// Place `t` on the ray, in multiples of its direction; infinity if it hits nothing.
    pub distances: Buffer<f32>,
    /// Triangle that is hit, of several at the same place that with the smallest number; `u32::MAX` for none.
    pub triangles: Buffer<u32>,
    /// Parts of the three corners of the triangle at the hit, which add up to 1; zeroes for none.
    pub parts: Buffer<Vec3>,
}

impl SurfaceTree {
    /// Finds the first hit of each ray. Triangles that share an edge leave no gap between them (Woop, Benthin and Wald
    /// 2013, "Watertight ray/triangle intersection"), and both sides of a triangle are hit. Results have the same bits
    /// on every engine.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if there are not as many directions as origins, or the limit is negative or not a number; no
    /// memory on the engine, or any error of it.
    pub fn first_hits(&self, rays: Rays<'_>) -> Result<RayHits, Error> {
        let (list, engine, n) = (rays.checked()?, self.engine(), rays.origins.len());
        let hits = RayHits {
            distances: engine.uninit(n)?,
            triangles: engine.uninit(n)?,
            parts: engine.uninit(n)?,
        };
        let order = self.order_of(rays.origins)?;
        let kernel = FirstHits {
            surface: self.view(),
            rays: list,
            order: order.global(),
            distances: hits.distances.global_mut(),
            triangles: hits.triangles.global_mut(),
            parts: hits.parts.global_mut(),
        };
        engine.launch_flat(n as u32, kernel)?;
        Ok(hits)
    }

    /// Counts the hits of each ray. A ray through an edge or a vertex counts one triangle of those that share it on
    /// each side of the surface.
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::first_hits`].
    pub fn count_hits(&self, rays: Rays<'_>) -> Result<Buffer<u32>, Error> {
        self.count(rays, false)
    }

    /// Returns a flag for each ray: 1 if it hits a triangle, else 0. The search ends at any hit.
    ///
    /// # Errors
    ///
    /// As [`SurfaceTree::first_hits`].
    pub fn find_blocked(&self, rays: Rays<'_>) -> Result<Buffer<u32>, Error> {
        self.count(rays, true)
    }

    fn count(&self, rays: Rays<'_>, any: bool) -> Result<Buffer<u32>, Error> {
        let (list, engine, n) = (rays.checked()?, self.engine(), rays.origins.len());
        let (counts, order) = (engine.uninit(n)?, self.order_of(rays.origins)?);
        let kernel = CountHits {
            surface: self.view(),
            rays: list,
            order: order.global(),
            any: any.into(),
            counts: counts.global_mut(),
        };
        engine.launch_flat(n as u32, kernel)?;
        Ok(counts)
    }
}

impl Rays<'_> {
    pub(super) fn checked(&self) -> Result<RayList, Error> {
        let (origins, directions) = (self.origins.len(), self.directions.len());
        if origins != directions {
            return Err(Error::Options(format!(
                "there are {origins} origins of rays and {directions} directions"
            )));
        }
        if self.limit.is_nan() || self.limit < 0.0 {
            return Err(Error::Options(format!(
                "the limit of rays is {}, and has to be 0 or more",
                self.limit
            )));
        }
        Ok(RayList {
            origins: self.origins.global(),
            directions: self.directions.global(),
            limit: self.limit,
        })
    }
}
