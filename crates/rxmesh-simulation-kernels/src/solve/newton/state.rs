//! Scalars of Newton's method.

use rxmesh_kernels::algebra::cg;
use rxmesh_kernels::mem::{Bind, GlobalMut, Piece};

/// Indices of the solver's scalars, which are `f64`: those of conjugate gradients ([`cg::Scalar`]), then these.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum NewtonScalar {
    /// Weight of the old direction.
    Beta = cg::Scalar::Beta as u32,
    /// Step length of conjugate gradients.
    Alpha = cg::Scalar::Alpha as u32,
    /// Squared relative tolerance of conjugate gradients.
    LinearTolerance2 = cg::Scalar::Tolerance2 as u32,
    /// Nonzero when Newton's method has finished.
    Stopped = 9,
    /// Energy, in joules.
    Energy = 10,
    /// Energy before the first iteration.
    Energy0 = 11,
    /// Step length along the direction.
    Length = 12,
    /// Nonzero when a step length is found.
    Accepted = 13,
    /// Number of Newton iterations.
    Iterations = 14,
    /// Squared gradient before the first iteration.
    Norm0 = 15,
    /// Squared gradient.
    Norm = 16,
    /// Nonzero when a value is not finite.
    Failed = 17,
    /// Squared relative tolerance of the gradient.
    Tolerance2 = 18,
    /// Total number of iterations of conjugate gradients.
    Linear = 19,
}

/// Number of scalars.
pub const SCALARS: usize = 20;

/// Solver's scalars in global memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Newton(pub GlobalMut<f64>);

// SAFETY: one view.
unsafe impl Bind for Newton {
    #[inline(always)]
    fn bind(&self) {
        self.0.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller upholds the contract.
        unsafe { self.0.visit(resolve) }
    }
}

impl Newton {
    /// Returns the value of a scalar.
    #[inline(always)]
    pub fn get(self, s: NewtonScalar) -> f64 {
        self.0.get(s as u32)
    }

    /// Sets a scalar.
    #[inline(always)]
    pub fn set(self, s: NewtonScalar, v: f64) {
        self.0.set(s as u32, v);
    }

    /// Returns `true` if a scalar is not zero.
    #[inline(always)]
    pub fn is(self, s: NewtonScalar) -> bool {
        self.get(s) != 0.0
    }
}

rxmesh_kernels::hashed! { [] Newton }
