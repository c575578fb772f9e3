//! [`Body`]: a mesh that moves, on an engine.

use crate::contact::EdgeContacts;
use crate::launch::LaunchSimulation;
use crate::masses::Rest;
use crate::{Material, Materials, load};
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::TetMesh;
use rxmesh_host::patch::VolumeOptions;
use rxmesh_host::store::{Attribute, Dimension, EngineOrder, RxMesh, Volume};
use rxmesh_host::{Error, Vec3};
use rxmesh_kernels::topo::{Cell, Kind, Vertex};
use rxmesh_simulation_kernels::body::{Kinetic, SUM_VERTICES};
use rxmesh_simulation_kernels::material::{self, Lame};
use std::sync::OnceLock;

/// Deformable mesh: rest shape, state, masses, pins and materials. All of it lies on the engine; host arrays are in the
/// order of the input.
///
/// A vertex whose inverse mass is zero is *pinned*: forces do not move it. It follows its velocity, which only
/// [`Body::set_velocities`] and [`Body::move_pins`] change. Vertices without cells have no mass and are pinned.
#[derive(Debug)]
pub struct Body<D: Dimension = Volume> {
    pub(crate) rx: RxMesh<D>,
    /// Positions at rest, in metres.
    pub(crate) rest: Attribute<Vertex, Vec3>,
    /// Positions, in metres.
    pub(crate) position: Attribute<Vertex, Vec3>,
    /// Velocities, in metres per second.
    pub(crate) velocity: Attribute<Vertex, Vec3>,
    /// Masses in kilograms, including those of pinned vertices.
    pub(crate) mass: Attribute<Vertex, f32>,
    /// One over the mass; 0 for pinned vertices.
    pub(crate) inverse_mass: Attribute<Vertex, f32>,
    pub(crate) materials: CellMaterials,
    kinetic: SumBuffers,
    /// Edges of the surface, made when a solid first needs them.
    pub(crate) edges: OnceLock<EdgeContacts>,
    /// Order of the input's vertices on the engine, made when positions are first copied there.
    order: OnceLock<EngineOrder<Vertex>>,
}

/// Materials of cells, on the engine.
#[derive(Debug)]
pub(crate) struct CellMaterials {
    pub(crate) host: Materials,
    table: Buffer<Lame>,
    index: Option<Attribute<Cell, u16>>,
}

/// Buffers of a sum in double precision.
#[derive(Debug)]
pub(crate) struct SumBuffers {
    /// One partial sum per block.
    pub(crate) partials: Buffer<f64>,
    pub(crate) arrived: Buffer<u32>,
    pub(crate) sum: Buffer<f64>,
}

impl Body<Volume> {
    /// Makes a body at rest of one material, in patches of the default size. Mesh coordinates in the world are metres.
    ///
    /// # Errors
    ///
    /// As [`Body::with`].
    pub fn new(engine: &Engine, mesh: &TetMesh, material: Material) -> Result<Body, Error> {
        let materials = Materials::uniform(material);
        Body::with(engine, mesh, materials, &VolumeOptions::default())
    }

    /// Makes a body at rest. Cells that are flat at rest have no stiffness and no mass.
    ///
    /// # Errors
    ///
    /// A mesh that is not valid or cannot be cut into patches, a cell that is inverted at rest, materials that are out
    /// of range or do not suit the mesh, masses out of the range of 32-bit numbers, or no memory on the engine.
    pub fn with(
        engine: &Engine,
        mesh: &TetMesh,
        materials: Materials,
        options: &VolumeOptions,
    ) -> Result<Body, Error> {
        let rest = Rest::new(mesh, &materials)?;
        load(engine)?;
        let rx = RxMesh::from_cells(engine, mesh.vertex_count(), &mesh.cells, options)?;
        let materials = CellMaterials::new(&rx, materials, &rest.flat)?;
        Body::over(rx, &rest, materials)
    }
}

impl<D: Dimension> Body<D> {
    pub(crate) fn over(
        rx: RxMesh<D>,
        rest: &Rest,
        materials: CellMaterials,
    ) -> Result<Body<D>, Error> {
        let inverse = |&m: &f32| if m > 0.0 { 1.0 / m } else { 0.0 };
        let inverses: Vec<f32> = rest.masses.iter().map(inverse).collect();
        let blocks = rx.linear_len(Kind::Vertex).div_ceil(SUM_VERTICES);
        let kinetic = SumBuffers::new(rx.engine(), blocks as usize)?;
        Ok(Body {
            rest: rx.attribute_from(&rest.positions)?,
            position: rx.attribute_from(&rest.positions)?,
            velocity: rx.attribute()?,
            mass: rx.attribute_from(&rest.masses)?,
            inverse_mass: rx.attribute_from(&inverses)?,
            rx,
            materials,
            kinetic,
            edges: OnceLock::new(),
            order: OnceLock::new(),
        })
    }

    /// Returns the mesh in patches.
    pub fn mesh(&self) -> &RxMesh<D> {
        &self.rx
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        self.rx.engine()
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.rx.count(Kind::Vertex) as usize
    }

    /// Returns the materials of the cells.
    pub fn materials(&self) -> &Materials {
        &self.materials.host
    }

    /// Returns the positions at rest, in metres.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn rest_positions(&mut self) -> Result<Vec<Vec3>, Error> {
        self.rest.to_input(&self.rx)
    }

    /// Returns the positions, in metres. Waits for the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn positions(&mut self) -> Result<Vec<Vec3>, Error> {
        self.position.to_input(&self.rx)
    }

    /// Returns a copy of the positions in the engine's memory, in the order of the input, without a copy to the host.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn engine_positions(&self) -> Result<Buffer<Vec3>, Error> {
        let order = match self.order.get() {
            Some(order) => order,
            None => {
                let made = EngineOrder::new(&self.rx)?;
                self.order.get_or_init(|| made)
            }
        };
        order.values(&self.position)
    }

    /// Returns the velocities, in metres per second. Waits for the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn velocities(&mut self) -> Result<Vec<Vec3>, Error> {
        self.velocity.to_input(&self.rx)
    }

    /// Returns the masses in kilograms, including those of pinned vertices.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn masses(&mut self) -> Result<Vec<f32>, Error> {
        self.mass.to_input(&self.rx)
    }

    /// Returns `true` for each pinned vertex.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn pinned(&mut self) -> Result<Vec<bool>, Error> {
        let inverse = self.inverse_mass.to_input(&self.rx)?;
        Ok(inverse.iter().map(|&w| w == 0.0).collect())
    }

    /// Sets the positions of all vertices.
    ///
    /// # Errors
    ///
    /// A wrong number of positions or one that is not finite: the body is then unchanged.
    pub fn set_positions(&mut self, positions: &[Vec3]) -> Result<(), Error> {
        finite("position", positions)?;
        self.position = self.rx.attribute_from(positions)?;
        Ok(())
    }

    /// Sets the velocities of all vertices, including pinned ones.
    ///
    /// # Errors
    ///
    /// A wrong number of velocities or one that is not finite: the body is then unchanged.
    pub fn set_velocities(&mut self, velocities: &[Vec3]) -> Result<(), Error> {
        finite("velocity", velocities)?;
        self.velocity = self.rx.attribute_from(velocities)?;
        Ok(())
    }

    /// Pins these vertices and no others. Pinned vertices lose their velocity.
    ///
    /// # Errors
    ///
    /// An unknown vertex, which leaves the body unchanged, or an error of the engine.
    pub fn pin(&mut self, vertices: &[u32]) -> Result<(), Error> {
        let mut inverse: Vec<f32> = self.masses()?;
        for w in &mut inverse {
            *w = if *w > 0.0 { 1.0 / *w } else { 0.0 };
        }
        let mut velocities = self.velocities()?;
        for &v in vertices {
            self.check_vertex(v)?;
            inverse[v as usize] = 0.0;
            velocities[v as usize] = Vec3::ZERO;
        }
        self.inverse_mass = self.rx.attribute_from(&inverse)?;
        self.velocity = self.rx.attribute_from(&velocities)?;
        Ok(())
    }

    /// Gives pinned vertices the velocities with which they reach these targets in `dt` seconds.
    ///
    /// # Errors
    ///
    /// An unknown or unpinned vertex, a target that is not finite or a time that is not positive: the body is then
    /// unchanged. Or an error of the engine.
    pub fn move_pins(&mut self, targets: &[(u32, Vec3)], dt: f32) -> Result<(), Error> {
        check_step(dt)?;
        let (pinned, positions) = (self.pinned()?, self.positions()?);
        let mut velocities = self.velocities()?;
        for &(v, target) in targets {
            self.check_vertex(v)?;
            if !pinned[v as usize] {
                return Err(Error::Options(format!("vertex {v} is not pinned")));
            }
            velocities[v as usize] = (target - positions[v as usize]) / dt;
        }
        self.set_velocities(&velocities)
    }

    /// Returns the kinetic energy in joules. Waits for the engine.
    ///
    /// # Errors
    ///
    /// A stale attribute, or an error of the engine.
    pub fn kinetic_energy(&self) -> Result<f64, Error> {
        let sums = &self.kinetic;
        let kernel = Kinetic {
            velocity: self.velocity.global()?,
            mass: self.mass.global()?,
            partials: sums.partials.global_mut(),
            arrived: sums.arrived.global_mut(),
            sum: sums.sum.global_mut(),
        };
        self.engine()
            .launch_blocks(sums.partials.len() as u32, kernel)?;
        sums.read()
    }

    fn check_vertex(&self, v: u32) -> Result<(), Error> {
        let n = self.vertex_count();
        if (v as usize) < n {
            return Ok(());
        }
        Err(Error::Options(format!(
            "there is no vertex {v}: the body has {n} vertices"
        )))
    }
}

impl CellMaterials {
    pub(crate) fn new(
        rx: &RxMesh<Volume>,
        host: Materials,
        flat: &[u32],
    ) -> Result<CellMaterials, Error> {
        let (table, index) = host.on_engine(rx.count(Kind::Cell) as usize, flat);
        Ok(CellMaterials {
            host,
            table: rx.engine().upload(&table)?,
            index: index.map(|i| rx.attribute_from(&i)).transpose()?,
        })
    }

    /// Makes the materials of a body without cells.
    pub(crate) fn none(engine: &Engine) -> Result<CellMaterials, Error> {
        Ok(CellMaterials {
            host: Materials::uniform(Material::default()),
            table: engine.zeroed(0)?,
            index: None,
        })
    }

    /// Returns the view that kernels take.
    pub(crate) fn view(&self) -> Result<material::Materials, Error> {
        Ok(material::Materials {
            table: self.table.global(),
            index: match &self.index {
                Some(index) => index.global()?,
                None => rxmesh_kernels::mem::Global::empty(),
            },
        })
    }
}

impl SumBuffers {
    pub(crate) fn new(engine: &Engine, blocks: usize) -> Result<SumBuffers, Error> {
        Ok(SumBuffers {
            partials: engine.zeroed(blocks)?,
            arrived: engine.zeroed(2)?,
            sum: engine.zeroed(2)?,
        })
    }

    /// Returns the sum. Waits for the engine.
    pub(crate) fn read(&self) -> Result<f64, Error> {
        Ok(self.sum.read()?[1])
    }
}

/// Refuses a time step that is not a positive number or whose square is out of range.
pub(crate) fn check_step(dt: f32) -> Result<(), Error> {
    if dt > 0.0 && dt.is_finite() && (dt * dt).is_normal() && (1.0 / (dt * dt)).is_normal() {
        return Ok(());
    }
    Err(Error::Options(format!(
        "the time step is {dt} s, but must be a positive number"
    )))
}

fn finite(what: &str, values: &[Vec3]) -> Result<(), Error> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(v) => Err(Error::Options(format!(
            "the {what} of vertex {v} is {}, but must be finite",
            values[v]
        ))),
    }
}
