//! Makes a world that moves from a scene, and frames from the world.

mod shape;
mod start;

use super::copies::joined;
use super::materials::materials;
use super::spec::{BodySpec, LoadedMesh};
use super::{Scene, SceneError, SolverSpec};
use crate::solve::XpbdCloth;
use crate::{Body, Collider, Materials, Solver, World};
use glam::{DVec3, Vec3};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::io::Model;
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, Extras, Placement, TetMesh, TriMesh};
use rxmesh_host::patch::{PatchOptions, VolumeOptions};
use rxmesh_host::store::Dimension;
use shape::read;
use start::start;
use std::path::Path;
use std::sync::Arc;

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
    /// Name of the column of frames with velocities in m/s.
    pub const VELOCITY: &'static str = "velocity";

    /// Reads or makes the meshes of a scene and prepares its solvers.
    ///
    /// # Errors
    ///
    /// [`SceneError::Value`] names the body: a mesh that cannot be read or used, a solver that does not suit it, pins
    /// that are no vertices, or no memory on the engine.
    pub fn new(engine: &Engine, mut scene: Scene) -> Result<RunningScene, SceneError> {
        let mut world = World::new(engine).map_err(|e| scene.wrong("world", e))?;
        let (mut actors, mut warnings) = (Vec::new(), Vec::new());
        let contents = scene.bodies.iter_mut().map(|body| body.content.take());
        let contents: Vec<Option<LoadedMesh>> = contents.collect();
        for (body, content) in scene.bodies.iter().zip(contents) {
            let actor = scene
                .actor((body, content), &mut world, &mut warnings)
                .map_err(|e| scene.wrong(body.place(), e))?;
            actors.push(actor);
        }
        if let Some(grid) = scene.grid {
            world.set_grid(grid).map_err(|e| scene.wrong("grid", e))?;
        }
        let mut colliders = Vec::new();
        for (k, spec) in scene.colliders.iter().enumerate() {
            let read = |file: &Path, warnings: &mut _| read(&scene, (file, None), warnings);
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

    /// Passes each body in its current state to `show`: its name, and its mesh with a column
    /// [`RunningScene::VELOCITY`]. Waits for the engine.
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

impl RunningScene {
    /// Returns the positions of the body with a name, in the order of its mesh; `None` if there is no such body. Waits
    /// for the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn positions(&mut self, name: &str) -> Result<Option<Vec<Vec3>>, Error> {
        let Some(actor) = self.actors.iter().find(|actor| actor.name == name) else {
            return Ok(None);
        };
        let positions = match actor.is_volume() {
            true => self.world.body_mut(actor.number)?.positions(),
            false => self.world.cloth_mut(actor.number)?.positions(),
        };
        positions.map(Some)
    }

    /// Works like [`RunningScene::positions`], with a copy in the engine's memory. Nothing is copied to the host, and
    /// the call does not wait.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn engine_positions(&self, name: &str) -> Result<Option<Buffer<Vec3>>, Error> {
        let Some(actor) = self.actors.iter().find(|actor| actor.name == name) else {
            return Ok(None);
        };
        let positions = match actor.is_volume() {
            true => self.world.body(actor.number)?.engine_positions(),
            false => self.world.cloth(actor.number)?.engine_positions(),
        };
        positions.map(Some)
    }

    /// Returns the bodies in their current state, each as [`RunningScene::frame`] passes it. Waits for the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn into_meshes(mut self) -> Result<Vec<LoadedMesh>, Error> {
        self.frame(|_, _| Ok::<(), Error>(()))?;
        let meshes = self.actors.into_iter().map(|actor| match actor.shape {
            BodyMesh::Volume(mesh) => LoadedMesh::Volume(Arc::new(mesh)),
            BodyMesh::Cloth(mesh) => LoadedMesh::Surface(Arc::new(mesh)),
        });
        Ok(meshes.collect())
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
        name: RunningScene::VELOCITY.into(),
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
        (spec, content): (&BodySpec, Option<LoadedMesh>),
        world: &mut World,
        warnings: &mut Vec<String>,
    ) -> Result<Actor, Error> {
        let mut shape = self.shape(spec, content, warnings)?.placed(spec);
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
}
