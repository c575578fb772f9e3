//! The flags of the applications.

use super::shared::{ComputeArgs, not_negative, positive};
use clap::{Args, ValueEnum};
use rxmesh_host::Vec3;
use rxmesh_host::algo::filter::Closeness;

#[derive(Debug, Args)]
pub(crate) struct McfArgs {
    /// Time step in squared length units of the mesh [default: 10 times the squared mean edge length]
    #[arg(long, value_name = "DT", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) time_step: Option<f64>,
    /// The solver stops when the residual has shrunk by this factor
    #[arg(long, value_name = "TOL", default_value = "1e-6", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) tol: f64,
    /// Most iterations of the solver
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_iter: u32,
    /// Compute the cotangent weights anew in each iteration instead of keeping a matrix: less memory, more time
    #[arg(long)]
    pub(crate) matrix_free: bool,
    /// Plain conjugate gradients instead of Jacobi's preconditioner
    #[arg(long)]
    pub(crate) no_preconditioner: bool,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct NormalsArgs {
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    /// Iterations
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) iterations: u32,
    /// How far neighbours count, a length in the mesh's unit, or one of mean-edge (each vertex's), shortest-edge (each
    /// vertex's), mesh-mean-edge (one for all); the ball around a vertex has twice this radius
    #[arg(long, value_name = "LENGTH|RULE", default_value = "mean-edge", value_parser = closeness, allow_negative_numbers = true)]
    pub(crate) sigma_c: Closeness,
    /// Steps across the surface much higher than this are kept, a length in the mesh's unit [default: the standard deviation
    /// of the heights in each vertex's ball]
    #[arg(long, value_name = "LENGTH", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) sigma_s: Option<f64>,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct GeodesicArgs {
    /// A vertex to measure from, counted from 0 in the order of the file; several times for the nearest of several
    #[arg(long, value_name = "VERTEX", required = true)]
    pub(crate) source: Vec<u32>,
    /// A vertex is settled when its distance changes by no more than this part of itself in an iteration
    #[arg(long, value_name = "PART", default_value = "1e-3", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) threshold: f64,
    /// Most iterations [default: 10 times the number of level sets]
    #[arg(long, value_name = "N")]
    pub(crate) max_iter: Option<u32>,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CurvatureArgs {
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SmoothArgs {
    /// Iterations
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) iterations: u32,
    /// Part of the way to the mean of its neighbours that a vertex goes in an iteration; above 0, at most 1 [default: 0.5, with
    /// --taubin 0.33]
    #[arg(long, value_name = "PART", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) lambda: Option<f64>,
    /// Taubin's second step in each iteration, away from the mean so that the mesh does not shrink; below 0, at least -2
    /// [default: none, with --taubin -0.34]
    #[arg(long, value_name = "PART", allow_negative_numbers = true)]
    pub(crate) mu: Option<f64>,
    /// Taubin's smoothing, with his factors where --lambda and --mu are not given
    #[arg(long)]
    pub(crate) taubin: bool,
    /// How neighbours count: all the same, or by the cotangents of the angles opposite the edge
    #[arg(long, value_name = "WEIGHTS", default_value = "uniform")]
    pub(crate) weights: WeightsChoice,
    /// Let boundary vertices move as well
    #[arg(long)]
    pub(crate) move_boundary: bool,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WeightsChoice {
    Uniform,
    Cotangent,
}

#[derive(Debug, Args)]
pub(crate) struct SpringArgs {
    /// Time steps
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) steps: u32,
    /// Length of a time step, in seconds
    #[arg(long, value_name = "DT", default_value = "0.001", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) time_step: f64,
    /// explicit: forces gathered by vertices; scatter: the same, scattered by edges; implicit: stable for long steps
    #[arg(long, value_name = "METHOD", default_value = "explicit")]
    pub(crate) method: MethodChoice,
    /// Force of a spring over its elongation, in newtons a metre
    #[arg(long, value_name = "K", default_value = "100", value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) stiffness: f64,
    /// Mass of a vertex, in kilograms
    #[arg(long, value_name = "M", default_value = "0.01", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) mass: f64,
    /// Drag: deceleration over velocity, in one over seconds
    #[arg(long, value_name = "C", default_value = "0.1", value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) damping: f64,
    /// Acceleration of free vertices, in metres over squared seconds
    #[arg(long, value_name = "X,Y,Z", default_value = "0,0,-9.81", value_parser = vector, allow_hyphen_values = true)]
    pub(crate) gravity: Vec3,
    /// A vertex that stays where it is, counted from 0 in the order of the file; may be given several times
    #[arg(long, value_name = "VERTEX")]
    pub(crate) pin: Vec<u32>,
    /// All vertices of the boundary stay
    #[arg(long)]
    pub(crate) pin_boundary: bool,
    /// The vertices in the top PERCENT of the mesh's height (against gravity) stay
    #[arg(long, value_name = "PERCENT", value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) pin_top: Option<f64>,
    /// implicit: most iterations of the solver in a step
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) max_iter: u32,
    /// implicit: the solver stops when the residual has shrunk by this factor; 0 for all iterations
    #[arg(long, value_name = "TOL", default_value = "1e-4", value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) tol: f64,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodChoice {
    Explicit,
    Scatter,
    Implicit,
}

impl MethodChoice {
    /// As on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            MethodChoice::Explicit => "explicit",
            MethodChoice::Scatter => "scatter",
            MethodChoice::Implicit => "implicit",
        }
    }
}

fn closeness(text: &str) -> Result<Closeness, String> {
    match text {
        "mean-edge" => Ok(Closeness::MeanEdge),
        "shortest-edge" => Ok(Closeness::ShortestEdge),
        "mesh-mean-edge" => Ok(Closeness::MeshMeanEdge),
        number => positive(number).map(Closeness::Given).map_err(|_| {
            "it is neither a positive number nor mean-edge, shortest-edge or mesh-mean-edge".into()
        }),
    }
}

fn vector(text: &str) -> Result<Vec3, String> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if Vec3::new(x, y, z).is_finite() => Ok(Vec3::new(x, y, z)),
        _ => Err("it must be three finite numbers with commas between them".into()),
    }
}
