//! The list of solvers of one body, and those of the grid beside them.

use super::{
    Explicit, ExplicitOptions, HybridOptions, Implicit, ImplicitOptions, Projective,
    ProjectiveOptions, VbdOptions, VertexBlockDescent, XpbdCells, XpbdOptions,
};
use crate::{Body, Elasticity, Surroundings};
use rxmesh_host::Error;
use rxmesh_host::patch::VolumeKinds;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// Solver of one body, as a world steps it.
pub(crate) trait TimeStep: Debug {
    /// Advances the body by one step. Does not wait for the engine.
    fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error>;

    /// Returns the energy of the cells.
    fn elasticity(&self) -> Elasticity;

    /// Updates the solver after a change of pins. Waits for the engine.
    fn update(&mut self, body: &Body) -> Result<(), Error> {
        let _ = body;
        Ok(())
    }

    /// Fails if the result of the last step was not finite. Waits for the engine.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Solver of one body, as a scene makes it.
pub(crate) trait FromOptions: TimeStep + Sized {
    /// Options of a scene.
    type Options;

    /// Elements that the body's mesh keeps for it.
    const KINDS: VolumeKinds = VolumeKinds::Cells;

    /// Makes the solver for a body and a time step.
    fn from_options(body: &Body, dt: f32, options: Self::Options) -> Result<Self, Error>;
}

/// Makes [`Solver`] and [`SolverSpec`] of solvers, each with its key in scenes and its options.
macro_rules! solvers {
    ($($(#[doc = $doc:literal])* $key:literal $variant:ident: $solver:ident($options:ident);)*) => {
        /// Solver of a body of tetrahedra.
        #[derive(Debug)]
        pub enum Solver {
            $($(#[doc = $doc])* $variant(Box<$solver>),)*
            /// Explicit steps on the grid that all such bodies of a world share
            /// ([`World::set_grid`](crate::World::set_grid)).
            Hybrid(HybridOptions),
        }

        impl Solver {
            /// Returns the solver, unless the body shares it.
            fn own(&self) -> Result<&dyn TimeStep, &HybridOptions> {
                match self {
                    $(Solver::$variant(solver) => Ok(&**solver),)*
                    Solver::Hybrid(options) => Err(options),
                }
            }

            /// Returns the solver, unless the body shares it, to change it.
            fn own_mut(&mut self) -> Option<&mut dyn TimeStep> {
                match self {
                    $(Solver::$variant(solver) => Some(&mut **solver),)*
                    Solver::Hybrid(_) => None,
                }
            }
        }

        /// Solver of a body, as scenes name it. Cloth accepts only `xpbd`.
        #[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
        pub enum SolverSpec {
            $($(#[doc = $doc])* #[serde(rename = $key)] $variant($options),)*
            /// Explicit steps on the scene's grid, which transfers momentum between bodies.
            #[serde(rename = "mpm")]
            Hybrid(HybridOptions),
        }

        impl SolverSpec {
            /// Elements that the mesh of the body keeps.
            pub(crate) fn kinds(&self) -> VolumeKinds {
                match self {
                    $(SolverSpec::$variant(_) => <$solver as FromOptions>::KINDS,)*
                    SolverSpec::Hybrid(_) => VolumeKinds::Cells,
                }
            }

            /// Makes the solver for a body and a time step.
            pub(crate) fn make(self, body: &Body, dt: f32) -> Result<Solver, Error> {
                Ok(match self {
                    $(SolverSpec::$variant(options) => {
                        let solver = <$solver as FromOptions>::from_options(body, dt, options)?;
                        Solver::$variant(Box::new(solver))
                    })*
                    SolverSpec::Hybrid(options) => Solver::Hybrid(options),
                })
            }
        }
    };
}

solvers! {
    /// Symplectic Euler.
    "explicit" Explicit: Explicit(ExplicitOptions);
    /// Implicit Euler by Newton's method.
    "implicit" Implicit: Implicit(ImplicitOptions);
    /// Projective dynamics.
    "projective" Projective: Projective(ProjectiveOptions);
    /// Extended position-based dynamics.
    "xpbd" Xpbd: XpbdCells(XpbdOptions);
    /// Vertex block descent.
    "vbd" VertexBlockDescent: VertexBlockDescent(VbdOptions);
}

impl Default for SolverSpec {
    fn default() -> Self {
        SolverSpec::Implicit(ImplicitOptions::default())
    }
}

impl Solver {
    /// Advances the body by one step. Does not wait for the engine.
    ///
    /// # Errors
    ///
    /// As the steps of the solvers.
    pub fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        let solver = self.own_mut().ok_or_else(|| {
            Error::Options(
                "bodies on a grid go on together: `World::step` or `Hybrid::step`".into(),
            )
        })?;
        solver.step(body, around, dt)
    }

    /// Returns the energy of the cells. Vertex block descent and XPBD have a neo-Hookean energy without a logarithm;
    /// for them it is the one that agrees to second order at rest.
    pub fn elasticity(&self) -> Elasticity {
        match self.own() {
            Ok(solver) => solver.elasticity(),
            Err(on_grid) => on_grid.elasticity,
        }
    }

    /// Updates the solver after a change of pins. Waits for the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn prepare(&mut self, body: &Body) -> Result<(), Error> {
        self.own_mut().map_or(Ok(()), |solver| solver.update(body))
    }

    /// Fails if the result of the last step was not finite. Waits for the engine.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.own().map_or(Ok(()), |solver| solver.check())
    }
}
