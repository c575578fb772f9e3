//! Derivatives of a body's elastic forces.

use crate::assembly::{Assembled, Assembly};
use crate::body::SumBuffers;
use crate::energy::{places, with_energy};
use crate::launch::{LaunchPatches, LaunchSimulation};
use crate::{Body, Elasticity};
use rxmesh_host::engine::Buffer;
use rxmesh_host::store::Attribute;
use rxmesh_host::{Error, Vec3};
use rxmesh_kernels::algebra::cg::{CgSums, Scalars};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Kind, Vertex};
use rxmesh_simulation_kernels::assemble::SplitSums;
use rxmesh_simulation_kernels::energy::Model;
use rxmesh_simulation_kernels::small::Symmetric;
use rxmesh_simulation_kernels::solve::explicit::Collect;
use rxmesh_simulation_kernels::solve::linearise::{self, Linearise};
use rxmesh_simulation_kernels::solve::newton::state::{Newton, SCALARS};
use rxmesh_simulation_kernels::solve::product::Product;
use rxmesh_simulation_kernels::staged::BodyPositions;
use std::marker::PhantomData;

/// Hessian of a body's elastic energy at its positions, each cell's part projected to positive semi-definite: 120 bytes
/// per cell, and matrix-free products.
#[derive(Debug)]
pub struct Stiffness {
    elasticity: Elasticity,
    pub(crate) assembly: Assembly,
    /// Forces and diagonal blocks of cells.
    linear: Assembled,
    /// Product of the Hessian and a vector.
    product: Assembled,
    tangents: Buffer<f32>,
    /// Diagonal blocks that products add.
    pub(crate) diagonal: Buffer<Symmetric>,
    /// Old and new direction, double-buffered.
    pub(crate) directions: [Buffer<Vec3>; 2],
    /// Two numbers per patch.
    dots: Buffer<f64>,
    pub(crate) patches: SumBuffers,
    pub(crate) scalars: Buffer<f64>,
}

impl Stiffness {
    /// Allocates the Hessian of a body: all zero until [`Stiffness::update`].
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn new(body: &Body, elasticity: Elasticity) -> Result<Stiffness, Error> {
        let (rx, engine) = (&body.rx, body.engine());
        let assembly = Assembly::new(rx)?;
        let n = rx.linear_len(Kind::Vertex) as usize;
        let (patches, words) = (
            rx.headers().len(),
            linearise::words(rx.linear_len(Kind::Cell)),
        );
        Ok(Stiffness {
            elasticity,
            linear: assembly.room(rx, linearise::SUMS)?,
            product: assembly.room(rx, 3)?,
            assembly,
            tangents: engine.zeroed(words as usize)?,
            diagonal: engine.zeroed(n)?,
            directions: [engine.zeroed(n)?, engine.zeroed(n)?],
            dots: engine.zeroed(2 * patches)?,
            patches: SumBuffers::new(engine, patches)?,
            scalars: engine.zeroed(SCALARS)?,
        })
    }

    /// Computes the Hessian at the body's positions.
    ///
    /// # Errors
    ///
    /// A body of another mesh, or an error of the engine.
    pub fn update(&mut self, body: &Body) -> Result<(), Error> {
        self.scalars.clear()?;
        let scale = 1.0;
        self.linearise(
            body,
            BodyPositions {
                scale,
                ..places(body)?
            },
        )
    }

    /// Computes forces, blocks and derivatives at some positions; derivatives are multiplied by their scale.
    pub(crate) fn linearise(&self, body: &Body, at: BodyPositions) -> Result<(), Error> {
        with_energy!(self.elasticity, E => body.rx.launch(Linearise::<E> {
            places: at,
            materials: body.materials.view()?,
            tangents: self.tangents.global_mut(),
            to: self.assembly.sums(&self.linear),
            factor: at.scale,
            state: self.state(),
            energy: PhantomData,
        })?);
        Ok(())
    }

    /// Sets `y` to the Hessian times `x`, in newtons for metres.
    ///
    /// # Errors
    ///
    /// A body of another mesh, or an error of the engine.
    pub fn times(
        &mut self,
        body: &Body,
        x: &Attribute<Vertex, Vec3>,
        y: &mut Attribute<Vertex, Vec3>,
    ) -> Result<(), Error> {
        self.diagonal.clear()?;
        self.scalars.clear()?;
        self.directions[0].clear()?;
        self.multiply(body, x.global()?)?;
        let collect = Collect {
            from: self.products(),
            to: y.global_mut()?,
        };
        let n = body.rx.linear_len(Kind::Vertex);
        Ok(body.engine().launch_flat(n, collect)?)
    }

    /// Computes the new direction from `z` and the old one, and its product.
    pub(crate) fn multiply(
        &self,
        body: &Body,
        z: rxmesh_kernels::mem::Global<Vec3>,
    ) -> Result<(), Error> {
        let [old, new] = &self.directions;
        with_energy!(self.elasticity, E => body.rx.launch(Product::<<E as Model>::Tangent> {
            tangents: self.tangents.global(),
            diagonal: self.diagonal.global(),
            z,
            old: old.global(),
            new: new.global_mut(),
            to: self.assembly.sums(&self.product),
            dots: self.dots(self.dots.global_mut(), &self.patches),
            kind: PhantomData,
        })?);
        Ok(())
    }

    /// Returns the forces and blocks of the cells, in parts.
    pub(crate) fn forces(&self) -> SplitSums {
        self.assembly.parts(&self.linear)
    }

    /// Returns the product, in parts.
    pub(crate) fn products(&self) -> SplitSums {
        self.assembly.parts(&self.product)
    }

    pub(crate) fn state(&self) -> Newton {
        Newton(self.scalars.global_mut())
    }

    pub(crate) fn dots(&self, partials: GlobalMut<f64>, of: &SumBuffers) -> CgSums {
        CgSums {
            partials,
            arrived: of.arrived.global_mut(),
            scalars: Scalars(self.scalars.global_mut()),
        }
    }
}
