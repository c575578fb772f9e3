//! `generate`: meshes by recipe.

use crate::app::{Application, Told};
use crate::cli::{CommonArgs, EncodingArgs, OutputArgs, SeedArgs};
use crate::output::Target;
use crate::record::Record;
use crate::run::Run;
use crate::text;
use anyhow::Result;
use clap::error::ErrorKind;
use clap::{Args, Subcommand};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::mesh::generate::{self, Scheme};
use rxmesh_host::mesh::{MeshError, TriMesh};
use serde::Serialize;

/// The application.
pub(crate) struct Generate;

impl Application for Generate {
    const NAME: &'static str = "generate";
    const SUMMARY: &'static str = "Make a mesh by recipe";
    const HELP: &'static str =
        "Example: rxmesh-apps generate torus --nu 200 --nv 80 --noise 0.1 -o torus.ply

The shape is subdivided, then moved by noise, then shuffled.";

    type Options = GenerateArgs;
    type Report = ();
    type Frame = ();

    fn run((): &mut (), GenerateArgs { shape }: &GenerateArgs) -> Result<()> {
        let make = make_args(shape);
        let mut run = Run::new(Generate::NAME, &make.common)?;
        let target = Target::new(&make.output.output, &make.encoding, run.console.json_file())?;
        let (mesh, ms) = run.stage("generating", || recipe(shape, make).map_err(told))?;
        run.record.timings_ms.run = ms;
        run.write(&target, &mesh)?;
        let counts = format!(
            "{} vertices, {} faces\n",
            mesh.vertex_count(),
            mesh.face_count()
        );
        let out = counts + &text::output(&run.record);
        run.finish(&out)
    }

    fn tell((): &(), _args: &GenerateArgs, _record: &Record) -> Told {
        Told::new("")
    }
}

#[derive(Debug, Args, Serialize)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    #[serde(skip)]
    shape: Shape,
}

impl Options for GenerateArgs {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Debug, Subcommand)]
enum Shape {
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
struct MakeArgs {
    #[command(flatten)]
    output: OutputArgs,
    /// Divide every face into four, N times
    #[arg(long, value_name = "N", default_value_t = 0)]
    subdivide: u32,
    /// Subdivide by Loop's scheme instead of at the middle of edges
    #[arg(long, requires = "subdivide")]
    r#loop: bool,
    /// Move each vertex at random by up to this many mean edge lengths
    #[arg(long, value_name = "AMPLITUDE", allow_negative_numbers = true)]
    noise: Option<f32>,
    /// Number vertices and faces at random
    #[arg(long)]
    shuffle: bool,
    #[command(flatten)]
    seed: SeedArgs,
    #[command(flatten)]
    encoding: EncodingArgs,
    #[command(flatten)]
    common: CommonArgs,
}

fn make_args(shape: &Shape) -> &MakeArgs {
    match shape {
        Shape::Grid { make, .. }
        | Shape::Icosphere { make, .. }
        | Shape::Torus { make, .. }
        | Shape::Cylinder { make, .. }
        | Shape::Fan { make, .. } => make,
    }
}

/// There is no mesh that a number could be wrong for: each is out of range by itself.
fn told(e: MeshError) -> anyhow::Error {
    match e {
        MeshError::BadParameter { .. } | MeshError::TooLarge { .. } => {
            clap::Error::raw(ErrorKind::ValueValidation, format!("{e}\n")).into()
        }
        other => other.into(),
    }
}

/// Shape, subdivision, noise, shuffling: in this order.
fn recipe(shape: &Shape, make: &MakeArgs) -> Result<TriMesh, MeshError> {
    let mut mesh = match *shape {
        Shape::Grid { nx, ny, .. } => generate::grid(nx, ny)?,
        Shape::Icosphere { levels, .. } => generate::icosphere(levels)?,
        Shape::Torus {
            nu,
            nv,
            major,
            minor,
            ..
        } => generate::torus(nu, nv, major, minor)?,
        Shape::Cylinder {
            nu,
            nv,
            radius,
            height,
            open,
            ..
        } => generate::cylinder(nu, nv, radius, height, !open)?,
        Shape::Fan { valence, .. } => generate::fan(valence)?,
    };
    if make.subdivide > 0 {
        let scheme = if make.r#loop {
            Scheme::Loop
        } else {
            Scheme::Midpoint
        };
        mesh = generate::subdivide(&mesh, make.subdivide, scheme)?;
    }
    if let Some(amplitude) = make.noise {
        generate::noise(&mut mesh, amplitude, make.seed.seed)?;
    }
    if make.shuffle {
        generate::shuffle(&mut mesh, make.seed.seed);
    }
    Ok(mesh)
}
