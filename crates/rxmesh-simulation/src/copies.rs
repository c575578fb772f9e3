//! Several copies of a mesh as one body.

use crate::body::CellMaterials;
use crate::masses::Rest;
use crate::{Body, Materials, load};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TetMesh;
use rxmesh_host::patch::VolumeOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_host::{Error, Vec3};

impl Body {
    /// Makes copies of one body, each moved by its offset in metres. They share one rest shape, that of the mesh, and
    /// one set of patches; vertex values are stored copy by copy.
    ///
    /// # Errors
    ///
    /// As [`Body::with`]; no copy, more than 32 bits can number, or an offset that is not finite.
    pub fn copies(
        engine: &Engine,
        mesh: &TetMesh,
        materials: &Materials,
        options: &VolumeOptions,
        offsets: &[Vec3],
    ) -> Result<Body, Error> {
        let one = Rest::new(mesh, materials)?;
        load(engine)?;
        let n = u32::try_from(offsets.len()).unwrap_or(u32::MAX);
        let (vertices, cells) = (one.positions.len(), mesh.cells.len() as u32);
        let rx = RxMesh::from_copies(engine, vertices, &mesh.cells, options, n)?;
        let flat = (0..n).flat_map(|k| one.flat.iter().map(move |&c| c + k * cells));
        let flat: Vec<u32> = flat.collect();
        let materials = CellMaterials::new(&rx, materials.repeated(offsets.len()), &flat)?;
        let placed = offsets
            .iter()
            .flat_map(|&o| one.positions.iter().map(move |&p| p + o));
        let placed: Vec<Vec3> = placed.collect();
        let rest = Rest {
            positions: one.positions.repeat(offsets.len()),
            masses: one.masses.repeat(offsets.len()),
            flat,
        };
        let mut body = Body::over(rx, &rest, materials)?;
        body.set_positions(&placed)?;
        Ok(body)
    }
}
