//! Limit positions and normals.

use super::CatmullClark;
use crate::launch::Launch;
use crate::lengths::check_limit;
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_host::mesh::MeshError;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_subdivision_kernels::catmull_clark::LevelGrid;
use rxmesh_subdivision_kernels::catmull_clark::limit::{
    CatmullClarkLimit, LimitInside, LimitOnEdges, LimitVertices,
};

impl CatmullClark {
    /// Computes the limits of the surface's points, from their positions as [`CatmullClark::values`] makes them, and
    /// the limit normals, of length 1, or 0 if the surface has none (a vertex without faces). All have three floats per
    /// point.
    ///
    /// Creases and corners of the last level are treated as infinitely sharp. At a crease or corner inside the surface
    /// the normal is that of one of its sides. Of one level of polygons the first call makes the connectivity of the
    /// quads, for which it allocates.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`]; [`MeshError::BadParameter`] at level 0 if some faces are no quads; any error of the
    /// engine.
    ///
    /// [`EngineError::Length`]: rxmesh_host::engine::EngineError::Length
    pub fn limit(
        &self,
        values: &Buffer<f32>,
        points: &mut Buffer<f32>,
        normals: Option<&mut Buffer<f32>>,
    ) -> Result<(), Error> {
        check_limit(self.vertex_count(), values, points, normals.as_deref())?;
        let quads = self.quads.connected(&self.options)?;
        let mesh = &quads.mesh;
        if mesh.face_size() != Some(4) {
            return Err(Error::Mesh(MeshError::BadParameter {
                what: "levels",
                asked: "0".into(),
                possible: "the limit of faces that are no quads needs 1 level or more",
            }));
        }
        let level = self.grid_levels();
        let limit = CatmullClarkLimit {
            grid: LevelGrid {
                mesh: mesh.topology(),
                level,
            },
            creases: quads.creases(),
            values: values.global(),
            points: points.global_mut(),
            normals: normals.map_or(GlobalMut::empty(), |n| n.global_mut()),
        };
        let engine = &self.engine;
        engine.launch_flat(mesh.vertex_count(), LimitVertices { limit })?;
        if level > 0 {
            engine.launch_flat(mesh.edge_count() << level, LimitOnEdges { limit })?;
            engine.launch_flat(mesh.face_count() << (2 * level), LimitInside { limit })?;
        }
        Ok(())
    }
}
