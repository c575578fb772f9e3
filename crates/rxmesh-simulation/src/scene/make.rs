//! Makes a world that moves from a scene, and frames from the world.

use super::copies::joined;
use super::materials::materials;
use super::spec::{BodySpec, Cuboid, Sheet};
use super::{Scene, SceneError, SolverSpec};
use crate::solve::XpbdCloth;
use crate::{Body, Collider, Materials, Solver, World};
use glam::{DAffine3, DVec3, Vec3};
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::files;
use rxmesh_host::io::{self, Model, ReadOptions};
use rxmesh_host::mesh::generate;
use rxmesh_host::mesh::{
    Column, ColumnData, ElementKind, Extras, Placement, TetMesh, TriMesh, UsedVertices,
};
use rxmesh_host::patch::{PatchOptions, VolumeOptions};
use rxmesh_host::store::Dimension;
use std::path::Path;

/// Running scene.
#[derive(Debug)]
pub struct RunningScene {
    /// Scene as it was given.
    pub scene: Scene,
    /// Simulated world.
    pub world: World,
    /// Bodies in the order of the scene.
    pub actors: Vec<Actor>,
    /// Warnings about the meshes that were read.
    pub warnings: Vec<String>,
}

/// Body of a scene.
#[derive(Debug)]
pub struct Actor {
    /// Name in the scene.
    pub name: String,
    shape: BodyMesh,
    /// Index in the world, among bodies of tetrahedra or among cloths.
    number: usize,
}

/// Mesh in world coordinates.
#[derive(Debug)]
pub(super) enum BodyMesh {
    Volume(TetMesh),
    Cloth(TriMesh),
}

impl RunningScene {
    /// Reads or makes the meshes of a scene and prepares its solvers.
    ///
    /// # Errors
    ///
    /// [`SceneError::Value`] names the body: a mesh that cannot be read or used, a solver that does not suit it, pins
    /// that are no vertices, or no memory on the engine.
    pub fn new(engine: &Engine, scene: Scene) -> Result<RunningScene, SceneError> {
        let mut world = World::new(engine).map_err(|e| scene.wrong("world", e))?;
        let (mut actors, mut warnings) = (Vec::new(), Vec::new());
        for body in &scene.bodies {
            let actor = scene
                .actor(body, &mut world, &mut warnings)
                .map_err(|e| scene.wrong(body.place(), e))?;
            actors.push(actor);
        }
        if let Some(grid) = scene.grid {
            world.set_grid(grid).map_err(|e| scene.wrong("grid", e))?;
        }
        let mut colliders = Vec::new();
        for (k, spec) in scene.colliders.iter().enumerate() {
            let read = |file: &Path, warnings: &mut _| read(&scene, file, warnings);
            let files = |file: &Path| scene.beside(file);
            let collider = spec.collider(engine, files, read, &mut warnings);
            colliders.push(collider.map_err(|e| scene.wrong(format!("collider {k}"), e))?);
        }
        warnings.extend(scene.small_bodies(&actors, &colliders));
        let around = world.surroundings_mut();
        let set = around
            .set_colliders(colliders)
            .and_then(|()| around.set_gravity(scene.gravity.into()))
            .and_then(|()| around.set_slip(scene.slip));
        set.map_err(|e| scene.wrong("collider", e))?;
        Ok(RunningScene {
            scene,
            world,
            actors,
            warnings,
        })
    }

    /// Advances the scene by one step. Does not wait for the engine, unless a collider moves.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn step(&mut self) -> Result<(), Error> {
        self.world.step(self.scene.time.step)
    }

    /// Passes each body in its current state to `show`: its name, and its mesh with a column `velocity` in m/s. Waits
    /// for the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine or of `show`.
    pub fn frame<E: From<Error>>(
        &mut self,
        mut show: impl FnMut(&str, Model<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for Actor {
            name,
            shape,
            number,
        } in &mut self.actors
        {
            match shape {
                BodyMesh::Volume(mesh) => {
                    let (x, v) = state(self.world.body_mut(*number)?)?;
                    mesh.positions = x;
                    mesh.add_column(v).map_err(Error::from)?;
                    show(name, (&*mesh).into())?;
                }
                BodyMesh::Cloth(mesh) => {
                    let (x, v) = state(self.world.cloth_mut(*number)?)?;
                    mesh.positions = x;
                    mesh.add_column(v).map_err(Error::from)?;
                    show(name, (&*mesh).into())?;
                }
            }
        }
        Ok(())
    }
}

impl Actor {
    /// Returns `true` for a volume, `false` for a surface.
    pub fn is_volume(&self) -> bool {
        matches!(self.shape, BodyMesh::Volume(_))
    }

    /// Returns the longest side of its bounding box, in metres.
    fn size(&self) -> f64 {
        let bounds = match &self.shape {
            BodyMesh::Volume(mesh) => mesh.bounding_box(),
            BodyMesh::Cloth(mesh) => mesh.bounding_box(),
        };
        bounds.map_or(0.0, |b| {
            let [low, high] = b.map(DVec3::from);
            (high - low).max_element()
        })
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        match &self.shape {
            BodyMesh::Volume(mesh) => mesh.vertex_count(),
            BodyMesh::Cloth(mesh) => mesh.vertex_count(),
        }
    }

    /// Returns the number of cells, or of faces.
    pub fn element_count(&self) -> usize {
        match &self.shape {
            BodyMesh::Volume(mesh) => mesh.cell_count(),
            BodyMesh::Cloth(mesh) => mesh.face_count(),
        }
    }
}

/// Returns the positions, and the velocities as a column.
fn state<D: Dimension>(body: &mut Body<D>) -> Result<(Vec<Vec3>, Column), Error> {
    let velocities = body.velocities()?;
    let values = velocities.iter().flat_map(|v| v.to_array()).collect();
    let column = Column {
        name: "velocity".into(),
        element: ElementKind::Vertex,
        width: 3,
        data: ColumnData::F32(values),
    };
    Ok((body.positions()?, column))
}

impl Scene {
    /// Warns of bodies that are too small for the step or for the layers of the colliders, and suggests values.
    fn small_bodies(&self, actors: &[Actor], colliders: &[Collider]) -> Vec<String> {
        /// Largest part of a body's size that a step of gravity and a layer of contact may take.
        const MOST: f64 = 0.1;
        // Bodies on the grid choose their steps, and touch solids at its nodes.
        let stepped = actors.iter().zip(&self.bodies);
        let stepped = stepped.filter(|(_, body)| !matches!(body.solver, SolverSpec::Hybrid(_)));
        let smallest = stepped.map(|(a, _)| (a.size(), &a.name));
        let smallest = smallest.filter(|(size, _)| *size > 0.0);
        let Some((size, name)) = smallest.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return Vec::new();
        };
        let mut said = Vec::new();
        let gravity = Vec3::from(self.gravity).as_dvec3().length();
        let step = f64::from(self.time.step);
        if gravity * step * step > MOST * size {
            let most = (MOST * size / gravity).sqrt();
            said.push(format!(
                "body \"{name}\" is {size:.3e} m long, and falls farther than a tenth of that in a step of {step:.3e} \
                s: a step below {most:.1e} s would do"
            ));
        }
        for (k, collider) in colliders.iter().enumerate() {
            let thickness = f64::from(collider.thickness);
            if thickness > MOST * size {
                said.push(format!(
                    "collider {k}: its layer of {thickness:.3e} m is thicker than a tenth of body \"{name}\", which is \
                    {size:.3e} m long: `thickness = {:.1e}` and a stiffness of {:.1e} would do",
                    1e-3 * size,
                    1e4 * gravity / size
                ));
            }
        }
        said
    }

    fn actor(
        &self,
        spec: &BodySpec,
        world: &mut World,
        warnings: &mut Vec<String>,
    ) -> Result<Actor, Error> {
        let mut shape = self.shape(spec, warnings)?.placed(spec);
        let engine = world.engine().clone();
        let number = match &mut shape {
            BodyMesh::Volume(mesh) => {
                let extras = std::mem::take(&mut mesh.extras);
                let cells = (&mesh.positions[..], &mesh.cells[..]);
                let materials = materials(spec.material, &spec.materials, &extras, cells)?;
                let (body, solver) = self.volume(&engine, spec, mesh, materials)?;
                world.add(body, solver)?
            }
            BodyMesh::Cloth(mesh) => {
                mesh.extras = Extras::default();
                if !spec.materials.is_empty() {
                    return Err(Error::Options("`materials` are of cells".into()));
                }
                let SolverSpec::Xpbd(options) = spec.solver else {
                    let why = "cloth moves by `solver.xpbd`, and by no other solver";
                    return Err(Error::Options(why.into()));
                };
                let options_of_patches = PatchOptions::default();
                let density = spec.cloth.density;
                let mut body = Body::cloth(&engine, mesh, density, &options_of_patches)?;
                start(&mut body, spec, &mesh.positions, &mesh.used_vertices())?;
                let solver = XpbdCloth::new(&body, |_| spec.cloth.material, options)?;
                world.add_cloth(body, solver)?
            }
        };
        // Frames are in the coordinates of mesh files.
        let frame = Placement {
            origin: DVec3::from(self.origin),
            scale: 1.0,
        };
        match &mut shape {
            BodyMesh::Volume(mesh) => mesh.placement = frame,
            BodyMesh::Cloth(mesh) => mesh.placement = frame,
        }
        Ok(Actor {
            name: spec.name.clone(),
            shape,
            number,
        })
    }

    /// Makes a body of tetrahedra and its solver; with copies, `mesh` becomes the mesh of all of them.
    fn volume(
        &self,
        engine: &Engine,
        spec: &BodySpec,
        mesh: &mut TetMesh,
        materials: Materials,
    ) -> Result<(Body, Solver), Error> {
        let options = VolumeOptions {
            kinds: spec.solver.kinds(),
            ..VolumeOptions::default()
        };
        let mut body = match &spec.copies {
            None => Body::with(engine, mesh, materials, &options)?,
            Some(copies) => {
                let offsets: Vec<Vec3> = copies.offsets().collect();
                let one = Body::copies(engine, mesh, &materials, &options, &offsets)?;
                *mesh = joined(mesh, &offsets)?;
                one
            }
        };
        start(&mut body, spec, &mesh.positions, &mesh.used_vertices())?;
        let solver = spec.solver.make(&body, self.time.step)?;
        Ok((body, solver))
    }

    /// Makes or reads the rest shape.
    fn shape(&self, spec: &BodySpec, warnings: &mut Vec<String>) -> Result<BodyMesh, Error> {
        if let Some(file) = &spec.mesh {
            return read(self, file, warnings);
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

/// Reads a volume or a surface, in coordinates relative to the scene's origin.
fn read(scene: &Scene, file: &Path, warnings: &mut Vec<String>) -> Result<BodyMesh, Error> {
    let (path, origin) = (&scene.beside(file), DVec3::from(scene.origin));
    let shape = match &scene.content {
        Some(bytes) => read_bytes(bytes, path, warnings)?,
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
    fn placed(mut self, spec: &BodySpec) -> BodyMesh {
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

/// Sets pins and velocities at the start.
fn start<D: Dimension>(
    body: &mut Body<D>,
    spec: &BodySpec,
    positions: &[Vec3],
    used: &UsedVertices,
) -> Result<(), Error> {
    let mut velocities = vec![Vec3::from(spec.velocity); positions.len()];
    let mut pinned = Vec::new();
    for pins in &spec.pins {
        let all = pins.all(positions, used)?;
        for &v in &all {
            velocities[v as usize] = pins.velocity.into();
        }
        pinned.extend(all);
    }
    body.pin(&pinned)?;
    let mut told = vec![false; positions.len()];
    for &v in &pinned {
        told[v as usize] = true;
    }
    for (v, &held) in body.pinned()?.iter().enumerate() {
        // Vertices without mass stay in place.
        if held && !told[v] {
            velocities[v] = Vec3::ZERO;
        }
    }
    body.set_velocities(&velocities)
}

impl super::spec::Pins {
    /// Returns the vertices; in a box only those that count for the body's size.
    fn all(&self, positions: &[Vec3], used: &UsedVertices) -> Result<Vec<u32>, Error> {
        let mut all = self.vertices.clone();
        if let Some(v) = all.iter().find(|v| **v as usize >= positions.len()) {
            return Err(Error::Options(format!(
                "pin {v} is no vertex: there are {}, counted from 0",
                positions.len()
            )));
        }
        if let Some([low, high]) = self.within {
            let (low, high) = (Vec3::from(low), Vec3::from(high));
            let inside = |p: &Vec3| p.cmpge(low).all() && p.cmple(high).all();
            let there = (0..).zip(positions);
            let there = there.filter(|(v, p)| inside(p) && used.contains(*v as usize));
            all.extend(there.map(|(v, _): (u32, _)| v));
        }
        all.sort_unstable();
        all.dedup();
        if all.is_empty() {
            return Err(Error::Options("pins that hold no vertex".into()));
        }
        Ok(all)
    }
}
