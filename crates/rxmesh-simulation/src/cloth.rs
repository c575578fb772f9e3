//! Cloth: bodies of triangles.

use crate::body::{Body, CellMaterials};
use crate::load;
use crate::masses::Rest;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::{RxMesh, Surface};
use rxmesh_host::{Error, Vec3};

impl Body<Surface> {
    /// Makes a cloth at rest with a density in kilograms per square metre: each vertex has a third of its faces' mass.
    /// Mesh coordinates in the world are metres. The stiffness is an option of its solver
    /// ([`XpbdCloth`](crate::solve::XpbdCloth)).
    ///
    /// # Errors
    ///
    /// A density that is not positive, a mesh that is not valid or cannot be cut into patches, masses out of the range
    /// of 32-bit numbers, or no memory on the engine.
    pub fn cloth(
        engine: &Engine,
        mesh: &TriMesh,
        density: f64,
        options: &PatchOptions,
    ) -> Result<Body<Surface>, Error> {
        if !(density > 0.0 && (density as f32).is_normal()) {
            return Err(Error::Options(format!(
                "the density is {density} kg/m^2, but must be a positive number"
            )));
        }
        mesh.validate()?;
        let positions: Vec<Vec3> = (0..mesh.vertex_count())
            .map(|v| mesh.world(v).as_vec3())
            .collect();
        let mut sums = vec![0.0; positions.len()];
        for face in &mesh.faces {
            let [a, b, c] = face.map(|v| positions[v as usize].as_dvec3());
            let third = density * (b - a).cross(c - a).length() / 6.0;
            for &v in face {
                sums[v as usize] += third;
            }
        }
        let rest = Rest::of(positions, &sums, Vec::new())?;
        load(engine)?;
        let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, options)?;
        let materials = CellMaterials::none(engine)?;
        Body::over(rx, &rest, materials)
    }
}
