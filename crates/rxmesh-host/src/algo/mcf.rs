//! Mean curvature flow: one implicit step, solved by matrix-free conjugate gradients.

use super::reduce;
use crate::Error;
use crate::engine::Buffer;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::cg::{
    CgAlpha, CgBeta, CgDirection, CgStart, CgStep, SCALARS, Scalar, Scalars,
};
use rxmesh_kernels::algo::mcf::McfProduct;
use rxmesh_kernels::algo::measure::{Affine, EdgeLengths};
use rxmesh_kernels::topo::{Edge, Kind, Vertex};

/// How to smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct McfOptions {
    /// Time step in squared length units of the mesh; `None` for ten times the squared mean edge length.
    pub time_step: Option<f64>,
    /// The solver stops when `r . r < tolerance^2 * r0 . r0`.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: u32,
}

impl Default for McfOptions {
    fn default() -> Self {
        McfOptions {
            time_step: None,
            tolerance: 1e-6,
            max_iterations: 1000,
        }
    }
}

/// What the solver did.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct McfReport {
    /// Time step in squared length units of the mesh.
    pub time_step: f64,
    /// Iterations done.
    pub iterations: u32,
    /// `sqrt(r . r / r0 . r0)` at the end; 0 when there was nothing to do.
    pub residual: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// Iterations that are launched between two looks at the solver's scalars.
const LOOK_EVERY: u32 = 8;

/// Moves `x` by one implicit step of mean curvature flow: solves
/// `(2 A_i + dt sum_j w_ij) x_i - dt sum_j w_ij x_j = 2 A_i x0_i` for the three coordinates together, with clamped cotangent weights
/// and mixed Voronoi areas of the starting positions (RXMesh 2021, listing 4). Boundary edges use their single
/// cotangent; vertices without a face of positive area stay.
///
/// # Errors
///
/// [`Error::Options`] for a time step or tolerance that is not a number or not positive, [`Error::NotFinite`] when the mesh has such
/// coordinates or proportions that the solver leaves the numbers, or what the engine says. On an error `x` may hold an unfinished result.
pub fn mean_curvature_flow(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    options: &McfOptions,
) -> Result<McfReport, Error> {
    check(options)?;
    if rx.count(Kind::Vertex) == 0 || rx.count(Kind::Face) == 0 {
        let time_step = options.time_step.unwrap_or(0.0);
        return Ok(McfReport {
            time_step,
            iterations: 0,
            residual: 0.0,
            converged: true,
        });
    }
    let frame = Frame::of(rx, x)?;
    frame.enter(rx, x)?;
    let time_step = match options.time_step {
        Some(dt) => dt,
        None => {
            let mean = mean_edge_length(rx, x)? / frame.scale;
            10.0 * mean * mean
        }
    };
    let report = Solver::new(rx, options.tolerance)?.solve(
        x,
        time_step * frame.scale * frame.scale,
        options.max_iterations,
    );
    frame.leave(rx, x)?;
    Ok(McfReport {
        time_step,
        ..report?
    })
}

fn check(options: &McfOptions) -> Result<(), Error> {
    let positive = |name: &'static str, v: f64| {
        if v > 0.0 && v.is_finite() {
            Ok(())
        } else {
            Err(Error::Options(format!(
                "{name} is {v}, but must be a positive number"
            )))
        }
    };
    if let Some(dt) = options.time_step {
        positive("the time step", dt)?;
    }
    positive("the tolerance", options.tolerance)
}

/// Mean length of all edges.
///
/// # Errors
///
/// What the engine says.
pub fn mean_edge_length(rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<f64, Error> {
    let mut length = rx.attribute::<Edge, f32>()?;
    rx.run(EdgeLengths {
        x: x.read()?,
        length: length.write()?,
    })?;
    Ok(reduce::sum(rx, &length)? / f64::from(rx.count(Kind::Edge).max(1)))
}

/// A frame in which coordinates are near one: the flow commutes with moving and scaling, and `f32` keeps all its digits for
/// the shape, however small, large or far away it is.
struct Frame {
    origin: Vec3,
    scale: f64,
}

impl Frame {
    fn of(rx: &RxMesh, x: &mut Attribute<Vertex, Vec3>) -> Result<Frame, Error> {
        let origin = x
            .buffer()
            .read_range(rx.patch_set().headers[0].base[0] as usize, 1)?[0];
        let frame = Frame { origin, scale: 1.0 };
        frame.enter(rx, x)?;
        let size = reduce::max(rx, x)?.max(-reduce::min(rx, x)?);
        frame.leave(rx, x)?;
        if !size.is_finite() {
            return Err(Error::NotFinite {
                what: "a vertex coordinate",
            });
        }
        // A power of two: scaling changes no digit.
        let scale = if size > 0.0 {
            (-size.log2().round()).clamp(-100.0, 100.0).exp2()
        } else {
            1.0
        };
        Ok(Frame { origin, scale })
    }

    fn enter(&self, rx: &RxMesh, x: &mut Attribute<Vertex, Vec3>) -> Result<(), Error> {
        let n = rx.linear_len(Kind::Vertex);
        let affine = Affine {
            x: x.global_mut()?,
            origin: self.origin,
            scale: self.scale as f32,
            shift: Vec3::ZERO,
        };
        Ok(rx.engine().launch_flat(n, affine)?)
    }

    fn leave(&self, rx: &RxMesh, x: &mut Attribute<Vertex, Vec3>) -> Result<(), Error> {
        let n = rx.linear_len(Kind::Vertex);
        let scale = (1.0 / self.scale) as f32;
        let affine = Affine {
            x: x.global_mut()?,
            origin: Vec3::ZERO,
            scale,
            shift: self.origin,
        };
        Ok(rx.engine().launch_flat(n, affine)?)
    }
}

/// The conjugate gradient solver's vectors and scalars.
struct Solver<'a> {
    rx: &'a RxMesh,
    x0: Attribute<Vertex, Vec3>,
    r: Attribute<Vertex, Vec3>,
    d: Attribute<Vertex, Vec3>,
    q: Attribute<Vertex, Vec3>,
    partials: Buffer<f64>,
    scalars: Buffer<f64>,
}

impl<'a> Solver<'a> {
    fn new(rx: &'a RxMesh, tolerance: f64) -> Result<Self, Error> {
        let mut scalars = [0.0; SCALARS];
        scalars[Scalar::Tolerance2 as usize] = tolerance * tolerance;
        Ok(Solver {
            rx,
            x0: rx.attribute()?,
            r: rx.attribute()?,
            d: rx.attribute()?,
            q: rx.attribute()?,
            partials: rx.engine().zeroed(rx.patch_set().headers.len())?,
            scalars: rx.engine().upload(&scalars)?,
        })
    }

    fn scalars(&self) -> Scalars {
        Scalars(self.scalars.global_mut())
    }

    fn solve(
        &mut self,
        x: &mut Attribute<Vertex, Vec3>,
        dt: f64,
        max_iterations: u32,
    ) -> Result<McfReport, Error> {
        self.x0.copy_from(x)?;
        self.start(x, dt)?;
        let mut launched = 0;
        while launched < max_iterations && self.scalars.read()?[Scalar::Done as usize] == 0.0 {
            for _ in 0..LOOK_EVERY.min(max_iterations - launched) {
                self.iterate(x, dt)?;
                launched += 1;
            }
        }
        self.report()
    }

    /// `r = d = b - M x0`.
    fn start(&mut self, x: &Attribute<Vertex, Vec3>, dt: f64) -> Result<(), Error> {
        self.rx.run(McfProduct {
            x0: self.x0.staged()?,
            d: x.staged()?,
            q: self.r.global_mut()?,
            first: self.d.global_mut()?,
            partials: self.partials.global_mut(),
            scalars: self.scalars(),
            dt: dt as f32,
            start: 1,
        })?;
        let start = CgStart {
            partials: self.partials.global(),
            scalars: self.scalars(),
        };
        Ok(self.rx.engine().launch_blocks(1, start)?)
    }

    /// One iteration: five launches, no waiting.
    fn iterate(&mut self, x: &mut Attribute<Vertex, Vec3>, dt: f64) -> Result<(), Error> {
        let (rx, scalars) = (self.rx, self.scalars());
        let engine = rx.engine();
        rx.run(McfProduct {
            x0: self.x0.staged()?,
            d: self.d.staged()?,
            q: self.q.global_mut()?,
            first: self.r.global_mut()?,
            partials: self.partials.global_mut(),
            scalars,
            dt: dt as f32,
            start: 0,
        })?;
        engine.launch_blocks(
            1,
            CgAlpha {
                partials: self.partials.global(),
                scalars,
            },
        )?;
        rx.run(CgStep {
            x: x.global_mut()?,
            r: self.r.global_mut()?,
            d: self.d.global()?,
            q: self.q.global()?,
            partials: self.partials.global_mut(),
            scalars,
        })?;
        engine.launch_blocks(
            1,
            CgBeta {
                partials: self.partials.global(),
                scalars,
            },
        )?;
        let n = 3 * rx.linear_len(Kind::Vertex);
        let direction = CgDirection {
            r: self.r.global()?.cast(),
            d: self.d.global_mut()?.cast(),
            scalars,
        };
        Ok(engine.launch_flat(n, direction)?)
    }

    fn report(&self) -> Result<McfReport, Error> {
        let s = self.scalars.read()?;
        let (delta, delta0) = (s[Scalar::Delta as usize], s[Scalar::Delta0 as usize]);
        if !delta.is_finite() {
            return Err(Error::NotFinite {
                what: "the solver's residual",
            });
        }
        let residual = if delta0 > 0.0 {
            (delta / delta0).sqrt()
        } else {
            0.0
        };
        let iterations = s[Scalar::Iterations as usize] as u32;
        let converged = s[Scalar::Done as usize] != 0.0;
        Ok(McfReport {
            time_step: 0.0,
            iterations,
            residual,
            converged,
        })
    }
}
