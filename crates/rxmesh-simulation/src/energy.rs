//! Elastic energies of cells by name, and a body's forces and energy.

use crate::Body;
use crate::assembly::{Assembled, Assembly};
use crate::body::SumBuffers;
use crate::launch::{LaunchPatches, LaunchSimulation};
use rxmesh_host::store::Attribute;
use rxmesh_host::{Error, Vec3};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::topo::{Cell, Kind, Vertex};
use rxmesh_simulation_kernels::force::{Elastic, Force};
use rxmesh_simulation_kernels::solve::explicit::Collect;
use rxmesh_simulation_kernels::staged::BodyPositions;
use std::marker::PhantomData;

/// Makes [`Elasticity`] of the kernels' types of energies, and `with_energy!`. Takes a `$` for the latter.
macro_rules! energies {
    ($d:tt $($(#[$meta:meta])* $energy:ident,)*) => {
        /// Elastic energy of cells.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, Default, serde::Deserialize, serde::Serialize,
        )]
        #[serde(rename_all = "kebab-case")]
        pub enum Elasticity {
            $($(#[$meta])* $energy,)*
        }

        /// Runs an expression with a type alias for the kernels' type of an energy.
        macro_rules! match_energy {
            ($d model:expr, $d name:ident => $d run:expr) => {
                match $d model {
                    $($crate::Elasticity::$energy => {
                        type $d name = rxmesh_simulation_kernels::energy::$energy;
                        $d run
                    })*
                }
            };
        }
    };
}

energies! { $
    /// Stable neo-Hookean (Smith, De Goes and Kim 2018): for large deformations; inverted cells recover.
    #[default]
    NeoHookean,
    /// Corotated linear elasticity (Müller and Gross 2004): for large rotations and moderate stretch.
    Corotated,
    /// Linear elasticity: for small displacements only.
    Linear,
    /// As rigid as possible (Sorkine and Alexa 2007): corotated without resistance to a change of volume; Poisson's
    /// ratio only enters through the shear modulus.
    Arap,
    /// Network of springs along the edges (Van Gelder 1998) with the stiffness of Young's modulus; its Poisson's ratio
    /// is 1/4, whatever the material's.
    Springs,
}
pub(crate) use match_energy as with_energy;

/// Elastic forces and elastic energy of a body, prepared once.
#[derive(Debug)]
pub struct Forces {
    elasticity: Elasticity,
    pub(crate) assembly: Assembly,
    sums: Assembled,
    total: SumBuffers,
}

impl Forces {
    /// Prepares the buffers for a body.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn new(body: &Body, elasticity: Elasticity) -> Result<Forces, Error> {
        let assembly = Assembly::new(&body.rx)?;
        let sums = assembly.room(&body.rx, 3)?;
        Ok(Forces {
            elasticity,
            assembly,
            sums,
            total: SumBuffers::new(body.engine(), body.rx.headers().len())?,
        })
    }

    /// Returns the energy.
    pub fn elasticity(&self) -> Elasticity {
        self.elasticity
    }

    /// Computes forces at `x + scale * add`, one launch; the sums of ribbon vertices stay in parts.
    pub(crate) fn launch(&self, body: &Body, places: BodyPositions) -> Result<(), Error> {
        with_energy!(self.elasticity, E => body.rx.launch(Force::<E> {
            places,
            materials: body.materials.view()?,
            to: self.assembly.sums(&self.sums),
            energy: PhantomData,
        })?);
        Ok(())
    }

    /// Returns the view for a kernel that reads the forces.
    pub(crate) fn parts(&self) -> rxmesh_simulation_kernels::assemble::SplitSums {
        self.assembly.parts(&self.sums)
    }

    /// Computes the forces of the cells on the vertices in newtons, two launches.
    ///
    /// # Errors
    ///
    /// A body of another mesh, or an error of the engine.
    pub fn forces(&self, body: &Body, to: &mut Attribute<Vertex, Vec3>) -> Result<(), Error> {
        self.launch(body, places(body)?)?;
        let collect = Collect {
            from: self.parts(),
            to: to.global_mut()?,
        };
        let n = body.rx.linear_len(Kind::Vertex);
        Ok(body.engine().launch_flat(n, collect)?)
    }

    /// Returns the elastic energy in joules, in double precision. Waits for the engine.
    ///
    /// # Errors
    ///
    /// As [`Forces::forces`].
    pub fn energy(&self, body: &Body) -> Result<f64, Error> {
        elastic_energy(body, self.elasticity, GlobalMut::empty(), &self.total)
    }

    /// Computes the elastic energy of each cell in joules.
    ///
    /// # Errors
    ///
    /// As [`Forces::forces`].
    pub fn cell_energies(&self, body: &Body) -> Result<Attribute<Cell, f32>, Error> {
        let mut cells = body.rx.attribute()?;
        elastic_energy(body, self.elasticity, cells.global_mut()?, &self.total)?;
        Ok(cells)
    }
}

/// Computes the elastic energy of a body in joules, and of each cell unless `cells` is empty. Waits for the engine.
pub(crate) fn elastic_energy(
    body: &Body,
    elasticity: Elasticity,
    cells: GlobalMut<f32>,
    total: &SumBuffers,
) -> Result<f64, Error> {
    with_energy!(elasticity, E => body.rx.launch(Elastic::<E> {
        places: places(body)?,
        materials: body.materials.view()?,
        cells,
        partials: total.partials.global_mut(),
        arrived: total.arrived.global_mut(),
        sum: total.sum.global_mut(),
        energy: PhantomData,
    })?);
    total.read()
}

/// Returns the positions and the rest shape of a body, for kernels.
pub(crate) fn places(body: &Body) -> Result<BodyPositions, Error> {
    Ok(BodyPositions {
        x: body.position.global()?,
        rest: body.rest.global()?,
        add: Global::empty(),
        scale: 0.0,
    })
}
