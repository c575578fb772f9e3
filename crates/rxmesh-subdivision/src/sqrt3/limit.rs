//! Limit positions and normals.

use super::Sqrt3;
use crate::launch::Launch;
use crate::lengths::check_limit;
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_subdivision_kernels::sqrt3::StoredLevel;
use rxmesh_subdivision_kernels::sqrt3_limit::{Last, Sqrt3Limit, StoreLast};
use rxmesh_subdivision_kernels::topology::NONE;

impl Sqrt3 {
    /// Computes the limits of the surface's points, from their positions as [`Sqrt3::values`] makes them, and the limit
    /// normals, of length 1, or 0 if the surface has none (a vertex without faces). All have three floats per point.
    /// Allocates two words per half-edge and one per point during the call.
    ///
    /// A vertex that is sharp at the last level is treated as infinitely sharp. At a crease inside the surface the
    /// normal is that of one of its sides.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`]; any error of the engine.
    ///
    /// [`EngineError::Length`]: rxmesh_host::engine::EngineError::Length
    pub fn limit(
        &self,
        values: &Buffer<f32>,
        points: &mut Buffer<f32>,
        normals: Option<&mut Buffer<f32>>,
    ) -> Result<(), Error> {
        let n = self.vertex_count();
        check_limit(n, values, points, normals.as_deref())?;
        let engine = self.mesh.engine();
        let stored = self.levels().saturating_sub(2);
        let last = Last {
            net: self.net(stored),
            more: (self.levels() - stored) as u32,
        };
        let starts = engine.upload(&vec![NONE; n as usize])?;
        let half_edges = self.mesh.corner_count() * self.children();
        let [corners, twins] = [
            engine.zeroed(half_edges as usize)?,
            engine.zeroed(half_edges as usize)?,
        ];
        let kernel = StoreLast {
            last,
            corners: corners.global_mut(),
            twins: twins.global_mut(),
            starts: starts.global_mut(),
        };
        engine.launch_flat(half_edges, kernel)?;
        let kernel = Sqrt3Limit {
            net: StoredLevel {
                level: self.levels() as u32,
                vertices: n,
                corners: corners.global(),
                twins: twins.global(),
                open: self.sizes[self.levels()].open,
                lines: u32::from(self.lines),
            },
            sharpness: self.sharpness.view().vertices,
            starts: starts.global(),
            values: values.global(),
            points: points.global_mut(),
            normals: normals.map_or(GlobalMut::empty(), |n| n.global_mut()),
        };
        Ok(engine.launch_flat(n, kernel)?)
    }
}
