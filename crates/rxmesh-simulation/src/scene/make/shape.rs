//! Rest shapes of bodies, made or read.

use super::super::Scene;
use super::super::spec::{BodySpec, Cuboid, LoadedMesh, Sheet};
use super::BodyMesh;
use glam::{DAffine3, DVec3, Vec3};
use rxmesh_host::Error;
use rxmesh_host::files;
use rxmesh_host::io::{self, ReadOptions};
use rxmesh_host::mesh::generate;
use rxmesh_host::mesh::{Placement, TetMesh};
use std::path::Path;
use std::sync::Arc;

impl Scene {
    /// Makes or reads the rest shape.
    pub(super) fn shape(
        &self,
        spec: &BodySpec,
        content: Option<LoadedMesh>,
        warnings: &mut Vec<String>,
    ) -> Result<BodyMesh, Error> {
        if let Some(file) = &spec.mesh {
            return read(self, (file, content), warnings);
        }
        if let Some(Cuboid { divisions, size }) = spec.cuboid {
            return Ok(BodyMesh::Volume(generate::tet_box(divisions, size)?));
        }
        if let Some(ball) = spec.ball {
            let mut mesh = generate::tet_ball(ball.divisions)?;
            scale(&mut mesh, ball.radius)?;
            return Ok(BodyMesh::Volume(mesh));
        }
        let Some(Sheet { divisions, size }) = spec.sheet else {
            return Err(Error::Options("there is no shape".into()));
        };
        let mut mesh = generate::grid(divisions[0], divisions[1])?;
        if size.iter().any(|s| !(*s > 0.0 && s.is_finite())) {
            let why = format!("a sheet of {} by {} m", size[0], size[1]);
            return Err(Error::Options(why));
        }
        for p in &mut mesh.positions {
            *p *= Vec3::new(size[0], size[1], 1.0);
        }
        Ok(BodyMesh::Cloth(mesh))
    }
}

fn scale(mesh: &mut TetMesh, radius: f32) -> Result<(), Error> {
    if !(radius > 0.0 && radius.is_finite()) {
        let why = format!("a ball's radius is {radius} m, but must be positive");
        return Err(Error::Options(why));
    }
    Ok(mesh.transform(&DAffine3::from_scale(DVec3::splat(radius.into())))?)
}

/// Reads a volume or a surface, unless its content is given; in coordinates relative to the scene's origin.
pub(super) fn read(
    scene: &Scene,
    (file, content): (&Path, Option<LoadedMesh>),
    warnings: &mut Vec<String>,
) -> Result<BodyMesh, Error> {
    let (path, origin) = (&scene.beside(file), DVec3::from(scene.origin));
    let shape = match content {
        Some(LoadedMesh::Volume(mesh)) => BodyMesh::Volume(Arc::unwrap_or_clone(mesh)),
        Some(LoadedMesh::Surface(mesh)) => BodyMesh::Cloth(Arc::unwrap_or_clone(mesh)),
        None => {
            let bytes = files::read(path).map_err(|source| {
                let path = path.to_owned();
                Error::Options(io::IoError::Read { path, source }.to_string())
            })?;
            read_bytes(&bytes, path, warnings)?
        }
    };
    let (used, places, shape) = match shape {
        BodyMesh::Volume(mut mesh) => {
            let places: Vec<DVec3> = (0..mesh.vertex_count()).map(|v| mesh.world(v)).collect();
            (mesh.positions, mesh.placement) = counted_from(origin, &places);
            (mesh.used_vertices(), places, BodyMesh::Volume(mesh))
        }
        BodyMesh::Cloth(mut mesh) => {
            let places: Vec<DVec3> = (0..mesh.vertex_count()).map(|v| mesh.world(v)).collect();
            (mesh.positions, mesh.placement) = counted_from(origin, &places);
            (mesh.used_vertices(), places, BodyMesh::Cloth(mesh))
        }
    };
    let far = (0..).zip(&places).filter(|(v, _)| used.contains(*v));
    let far: Vec<DVec3> = far.map(|(_, p)| *p - origin).collect();
    let low = far.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = far.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (high - low).max_element();
    // Beyond this distance, more than twelve bits of 32-bit coordinates give the position of the body and not its
    // shape.
    let away = low.abs().max(high.abs()).max_element();
    if size > 0.0 && away > f64::from(1 << 12) * size {
        let middle = (origin + 0.5 * (low + high)).round().to_array();
        warnings.push(format!(
            "{}: it lies far from the scene's zero, where 32-bit coordinates are coarse: `origin = {middle:?}` in the \
            scene counts from near it",
            path.display()
        ));
    }
    Ok(shape)
}

/// Returns positions relative to `origin`.
fn counted_from(origin: DVec3, places: &[DVec3]) -> (Vec<Vec3>, Placement) {
    let positions = places.iter().map(|p| (*p - origin).as_vec3());
    (positions.collect(), Placement::default())
}

/// Reads a mesh from the content of a file of this name.
fn read_bytes(bytes: &[u8], path: &Path, warnings: &mut Vec<String>) -> Result<BodyMesh, Error> {
    let options = ReadOptions::default().with(|o| o.triangulate = true);
    let failed = |e: io::IoError| Error::Options(e.to_string());
    let mut warn = |all: Vec<String>| {
        warnings.extend(all.iter().map(|w| format!("{}: {w}", path.display())));
    };
    if io::is_volume_bytes(bytes, path, &options).map_err(failed)? {
        let loaded = io::read_tets_bytes(bytes, path, &options).map_err(failed)?;
        warn(loaded.warnings);
        return Ok(BodyMesh::Volume(loaded.mesh));
    }
    let loaded = io::read_bytes(bytes, path, &options).map_err(failed)?;
    warn(loaded.warnings);
    Ok(BodyMesh::Cloth(loaded.mesh))
}

impl BodyMesh {
    /// Moves the shape to its start.
    pub(super) fn placed(mut self, spec: &BodySpec) -> BodyMesh {
        let at = |p: DVec3| spec.placed(p.as_vec3());
        match &mut self {
            BodyMesh::Volume(mesh) => {
                mesh.positions = (0..mesh.vertex_count())
                    .map(|v| at(mesh.world(v)))
                    .collect();
                mesh.placement = Placement::default();
            }
            BodyMesh::Cloth(mesh) => {
                mesh.positions = (0..mesh.vertex_count())
                    .map(|v| at(mesh.world(v)))
                    .collect();
                mesh.placement = Placement::default();
            }
        }
        self
    }
}
