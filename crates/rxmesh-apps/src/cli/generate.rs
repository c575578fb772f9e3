//! The flags of `generate`.

use super::shared::{CommonArgs, EncodingArgs, OutputArgs, SeedArgs};
use clap::{Args, Subcommand};

pub(super) const EXAMPLE: &str =
    "Example: rxmesh-apps generate torus --nu 200 --nv 80 --noise 0.1 -o torus.ply

The shape is subdivided, then moved by noise, then shuffled.";

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    pub(crate) shape: Shape,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Shape {
    /// A flat grid of nx times ny squares over the unit square
    #[command(after_help = "Example: rxmesh-apps generate grid --nx 100 --ny 50 -o grid.obj")]
    Grid {
        /// Squares along x
        #[arg(long, value_name = "N", default_value_t = 32)]
        nx: u32,
        /// Squares along y
        #[arg(long, value_name = "N", default_value_t = 32)]
        ny: u32,
        #[command(flatten)]
        make: MakeArgs,
    },
    /// The unit sphere: an icosahedron divided again and again
    #[command(after_help = "Example: rxmesh-apps generate icosphere --levels 5 -o sphere.ply")]
    Icosphere {
        /// Divisions: 20 times 4^N faces
        #[arg(long, value_name = "N", default_value_t = 4)]
        levels: u32,
        #[command(flatten)]
        make: MakeArgs,
    },
    /// A torus around the z axis
    #[command(after_help = "Example: rxmesh-apps generate torus --nu 200 --nv 80 -o torus.ply")]
    Torus {
        /// Cells around the axis
        #[arg(long, value_name = "N", default_value_t = 64)]
        nu: u32,
        /// Cells around the tube
        #[arg(long, value_name = "N", default_value_t = 24)]
        nv: u32,
        /// Radius of the tube's centre line
        #[arg(
            long,
            value_name = "R",
            default_value_t = 1.0,
            allow_negative_numbers = true
        )]
        major: f32,
        /// Radius of the tube
        #[arg(
            long,
            value_name = "R",
            default_value_t = 0.35,
            allow_negative_numbers = true
        )]
        minor: f32,
        #[command(flatten)]
        make: MakeArgs,
    },
    /// A cylinder around the z axis, capped or open
    #[command(after_help = "Example: rxmesh-apps generate cylinder --height 3 --open -o tube.obj")]
    Cylinder {
        /// Cells around
        #[arg(long, value_name = "N", default_value_t = 64)]
        nu: u32,
        /// Cells along
        #[arg(long, value_name = "N", default_value_t = 24)]
        nv: u32,
        /// Radius
        #[arg(
            long,
            value_name = "R",
            default_value_t = 1.0,
            allow_negative_numbers = true
        )]
        radius: f32,
        /// Height
        #[arg(
            long,
            value_name = "H",
            default_value_t = 2.0,
            allow_negative_numbers = true
        )]
        height: f32,
        /// Leave both ends open
        #[arg(long)]
        open: bool,
        #[command(flatten)]
        make: MakeArgs,
    },
    /// A flat disk with one vertex in the middle
    #[command(after_help = "Example: rxmesh-apps generate fan --valence 1000 -o fan.obj")]
    Fan {
        /// Neighbours of the middle vertex
        #[arg(long, value_name = "N", default_value_t = 16)]
        valence: u32,
        #[command(flatten)]
        make: MakeArgs,
    },
}

/// What every shape of `generate` takes.
#[derive(Debug, Args)]
pub(crate) struct MakeArgs {
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Divide every face into four, N times
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) subdivide: u32,
    /// Subdivide by Loop's scheme instead of at the middle of edges
    #[arg(long, requires = "subdivide")]
    pub(crate) r#loop: bool,
    /// Move each vertex at random by up to this many mean edge lengths
    #[arg(long, value_name = "AMPLITUDE", allow_negative_numbers = true)]
    pub(crate) noise: Option<f32>,
    /// Number vertices and faces at random
    #[arg(long)]
    pub(crate) shuffle: bool,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
