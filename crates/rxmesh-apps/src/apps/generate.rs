//! `generate`: makes meshes of basic shapes.

use crate::app::{Application, Message};
use crate::cli::{CommonArgs, EncodingArgs, OutputArgs, SeedArgs};
use crate::output::OutputTarget;
use crate::record::Record;
use crate::run::Run;
use crate::text;
use anyhow::Result;
use clap::error::ErrorKind;
use clap::{Args, Subcommand};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::engine::Engine;
use rxmesh_host::io;
use rxmesh_host::mesh::{EdgeTable, MeshError, PolyMesh, SharpEdge, TetMesh, TriMesh, generate};
use rxmesh_host::units;
use rxmesh_subdivision::{Scheme, VertexOptions, refine};
use serde::Serialize;

pub(crate) struct Generate;

impl Application for Generate {
    const NAME: &'static str = "generate";
    const SUMMARY: &'static str = "Generate a mesh of a given shape";
    const HELP: &'static str =
        "Example: rxmesh generate torus --nu 200 --nv 80 --noise 0.1 -o torus.ply

Triangles are subdivided, then vertices are moved by noise, then shuffled. Shapes of quads need a
format that holds them: STL gets triangles. Volumes (box and ball) need one that holds volumes: msh, vtu, ...";

    type Options = GenerateArgs;
    type Report = ();
    type Frame = ();

    fn run((): &mut (), GenerateArgs { shape }: &GenerateArgs) -> Result<()> {
        let make = make_args(shape);
        let mut run = Run::new(Generate::NAME, &make.common)?;
        let target =
            OutputTarget::new(&make.output.output, &make.encoding, run.console.json_file())?;
        let (mesh, ms) = run.stage("generating", || recipe(shape, make).map_err(told))?;
        run.record.timings_ms.run = ms;
        let mesh = mesh.model();
        run.write(&target, mesh)?;
        let parts = match (mesh.face_count(), mesh.cell_count()) {
            (Some(faces), _) => format!("{faces} faces"),
            (None, cells) => format!("{} cells", cells.unwrap_or(0)),
        };
        let counts = format!("{} vertices, {parts}\n", mesh.vertex_count());
        let out = counts + &text::output(&run.record);
        run.finish(&out)
    }

    fn describe((): &(), _args: &GenerateArgs, _record: &Record) -> Message {
        Message::new("")
    }
}

#[derive(Clone, Debug, Args, Serialize)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    #[serde(skip)]
    shape: Shape,
}

units!(GenerateArgs {});

impl Options for GenerateArgs {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Clone, Debug, Subcommand)]
enum Shape {
    /// A flat grid of nx times ny squares over the unit square
    #[command(after_help = "Example: rxmesh generate grid --nx 100 --ny 50 -o grid.obj")]
    Grid {
        #[command(flatten)]
        grid: GridArgs,
        #[command(flatten)]
        make: TriangleArgs,
    },
    /// The unit sphere: an icosahedron divided again and again
    #[command(after_help = "Example: rxmesh generate icosphere --levels 5 -o sphere.ply")]
    Icosphere {
        /// Divisions: 20 times 4^N faces
        #[arg(long, value_name = "N", default_value_t = 4)]
        levels: u32,
        #[command(flatten)]
        make: TriangleArgs,
    },
    /// A torus around the z axis
    #[command(after_help = "Example: rxmesh generate torus --nu 200 --nv 80 -o torus.ply")]
    Torus {
        #[command(flatten)]
        torus: TorusArgs,
        #[command(flatten)]
        make: TriangleArgs,
    },
    /// A cylinder around the z axis, capped or open
    #[command(after_help = "Example: rxmesh generate cylinder --height 3 --open -o tube.obj")]
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
        make: TriangleArgs,
    },
    /// A flat disk with one vertex in the middle
    #[command(after_help = "Example: rxmesh generate fan --valence 1000 -o fan.obj")]
    Fan {
        /// Neighbours of the middle vertex
        #[arg(long, value_name = "N", default_value_t = 16)]
        valence: u32,
        #[command(flatten)]
        make: TriangleArgs,
    },
    /// A cube from -1 to 1 of quads
    #[command(after_help = "Example: rxmesh generate cube -n 4 -o cube.obj")]
    Cube {
        /// Quads along an edge: 6 N^2 faces
        #[arg(short, long, value_name = "N", default_value_t = 1)]
        n: u32,
        #[command(flatten)]
        make: MakeArgs,
    },
    /// The unit sphere of quads: a cube pushed out
    #[command(after_help = "Example: rxmesh generate quad-sphere -n 40 -o sphere.ply")]
    QuadSphere {
        /// Quads along an edge of the cube: 6 N^2 faces
        #[arg(short, long, value_name = "N", default_value_t = 16)]
        n: u32,
        #[command(flatten)]
        make: MakeArgs,
    },
    /// A torus of quads around the z axis
    #[command(after_help = "Example: rxmesh generate quad-torus --nu 80 --nv 30 -o torus.ply")]
    QuadTorus {
        #[command(flatten)]
        torus: TorusArgs,
        #[command(flatten)]
        make: MakeArgs,
    },
    /// A flat grid of nx times ny quads over the unit square
    #[command(after_help = "Example: rxmesh generate quad-grid --nx 9 --ny 5 -o grid.obj")]
    QuadGrid {
        #[command(flatten)]
        grid: GridArgs,
        #[command(flatten)]
        make: MakeArgs,
    },
    /// A box of tetrahedra: cubes of six cells each, from the origin on
    #[command(after_help = "Example: rxmesh generate box -n 22 -o box.msh")]
    Box {
        /// Cubes along each axis: 6 N^3 cells
        #[arg(short, long, value_name = "N", default_value_t = 8)]
        n: u32,
        /// Cubes along x, y and z, if these differ
        #[arg(long, value_names = ["NX", "NY", "NZ"], num_args = 3, conflicts_with = "n")]
        cubes: Option<Vec<u32>>,
        /// Lengths along x, y and z
        #[arg(long, value_names = ["X", "Y", "Z"], num_args = 3, default_values_t = [1.0, 1.0, 1.0],
            allow_negative_numbers = true)]
        size: Vec<f32>,
        #[command(flatten)]
        make: TetArgs,
    },
    /// The unit ball of tetrahedra
    #[command(after_help = "Example: rxmesh generate ball -n 10 -o ball.vtu")]
    Ball {
        /// Cubes along a radius: 48 N^3 cells
        #[arg(short, long, value_name = "N", default_value_t = 6)]
        n: u32,
        #[command(flatten)]
        make: TetArgs,
    },
}

/// Options of the shapes made of tetrahedra.
#[derive(Clone, Debug, Args)]
struct TetArgs {
    /// Divide every cell into eight, N times
    #[arg(long, value_name = "N", default_value_t = 0)]
    subdivide: u32,
    #[command(flatten)]
    make: MakeArgs,
}

#[derive(Clone, Debug, Args)]
struct GridArgs {
    /// Squares along x
    #[arg(long, value_name = "N", default_value_t = 32)]
    nx: u32,
    /// Squares along y
    #[arg(long, value_name = "N", default_value_t = 32)]
    ny: u32,
}

#[derive(Clone, Debug, Args)]
struct TorusArgs {
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
}

/// Options of the shapes made of triangles.
#[derive(Clone, Debug, Args)]
struct TriangleArgs {
    /// Divide every face into four, N times
    #[arg(long, value_name = "N", default_value_t = 0)]
    subdivide: u32,
    /// Subdivide by Loop's scheme instead of at the middle of edges
    #[arg(long, requires = "subdivide")]
    r#loop: bool,
    #[command(flatten)]
    make: MakeArgs,
}

/// Options of every shape.
#[derive(Clone, Debug, Args)]
struct MakeArgs {
    #[command(flatten)]
    output: OutputArgs,
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
        | Shape::Fan { make, .. } => &make.make,
        Shape::Cube { make, .. }
        | Shape::QuadSphere { make, .. }
        | Shape::QuadTorus { make, .. }
        | Shape::QuadGrid { make, .. } => make,
        Shape::Box { make, .. } | Shape::Ball { make, .. } => &make.make,
    }
}

/// Generated mesh.
enum Made {
    Triangles(TriMesh),
    Polygons(PolyMesh),
    Tets(TetMesh),
}

impl Made {
    fn model(&self) -> io::Model<'_> {
        match self {
            Made::Triangles(mesh) => mesh.into(),
            Made::Polygons(mesh) => mesh.into(),
            Made::Tets(mesh) => mesh.into(),
        }
    }
}

/// Turns errors on numbers into usage errors: without an input every such number is out of range.
fn told(e: Error) -> anyhow::Error {
    match e {
        Error::Mesh(MeshError::BadParameter { .. } | MeshError::TooLarge { .. })
        | Error::Options(_)
        | Error::TooLarge { .. } => {
            clap::Error::raw(ErrorKind::ValueValidation, format!("{e}\n")).into()
        }
        other => other.into(),
    }
}

/// Makes the shape, subdivides it, adds noise and shuffles, in this order.
fn recipe(shape: &Shape, make: &MakeArgs) -> Result<Made, Error> {
    let mut mesh = shaped(shape)?;
    let seed = make.seed.seed;
    if let Some(amplitude) = make.noise {
        match &mut mesh {
            Made::Triangles(mesh) => generate::noise(mesh, amplitude, seed)?,
            Made::Polygons(mesh) => generate::noise_poly(mesh, amplitude, seed)?,
            Made::Tets(mesh) => generate::noise_tets(mesh, amplitude, seed)?,
        }
    }
    if make.shuffle {
        match &mut mesh {
            Made::Triangles(mesh) => generate::shuffle(mesh, seed),
            Made::Polygons(mesh) => generate::shuffle_poly(mesh, seed),
            Made::Tets(mesh) => generate::shuffle_tets(mesh, seed),
        }
    }
    Ok(mesh)
}

fn shaped(shape: &Shape) -> Result<Made, Error> {
    let (mesh, make) = match *shape {
        Shape::Grid { ref grid, ref make } => (generate::grid(grid.nx, grid.ny)?, make),
        Shape::Icosphere { levels, ref make } => (generate::icosphere(levels)?, make),
        Shape::Torus {
            torus: ref t,
            ref make,
        } => (generate::torus(t.nu, t.nv, t.major, t.minor)?, make),
        Shape::Cylinder {
            nu,
            nv,
            radius,
            height,
            open,
            ref make,
        } => (generate::cylinder(nu, nv, radius, height, !open)?, make),
        Shape::Fan { valence, ref make } => (generate::fan(valence)?, make),
        Shape::Cube { n, .. } => return Ok(Made::Polygons(generate::cube(n)?)),
        Shape::QuadSphere { n, .. } => return Ok(Made::Polygons(generate::quad_sphere(n)?)),
        Shape::QuadTorus { torus: ref t, .. } => {
            let torus = generate::quad_torus(t.nu, t.nv, t.major, t.minor)?;
            return Ok(Made::Polygons(torus));
        }
        Shape::QuadGrid { ref grid, .. } => {
            return Ok(Made::Polygons(generate::quad_grid(grid.nx, grid.ny)?));
        }
        Shape::Box {
            n,
            ref cubes,
            ref size,
            ref make,
        } => {
            let cubes = cubes.as_deref().map_or([n; 3], three);
            return filled(generate::tet_box(cubes, three(size))?, make);
        }
        Shape::Ball { n, ref make } => return filled(generate::tet_ball(n)?, make),
    };
    if make.subdivide == 0 {
        return Ok(Made::Triangles(mesh));
    }
    subdivided(mesh, make).map(Made::Triangles)
}

/// Returns the values of a flag that takes three.
fn three<T: Copy>(values: &[T]) -> [T; 3] {
    [0, 1, 2].map(|k| values[k])
}

fn filled(mesh: TetMesh, make: &TetArgs) -> Result<Made, Error> {
    Ok(Made::Tets(match make.subdivide {
        0 => mesh,
        levels => generate::refine_tets(&mesh, levels)?,
    }))
}

/// Triangles into four each, on the CPU, so that a recipe gives the same mesh on every machine.
fn subdivided(mesh: TriMesh, make: &TriangleArgs) -> Result<TriMesh, Error> {
    let mut mesh = PolyMesh::from(mesh);
    if !make.r#loop {
        // Nothing moves where all edges are sharp: new vertices are in the middle of edges, and old ones stay.
        let edges = EdgeTable::of_polygons(&mesh).edges;
        mesh.sharp_edges
            .extend(edges.into_iter().map(|ends| SharpEdge {
                ends,
                sharpness: PolyMesh::SHARP,
            }));
    }
    let options = rxmesh_subdivision::Options {
        scheme: Scheme::Loop,
        levels: make.subdivide,
        ..rxmesh_subdivision::Options::default()
    };
    let refined = refine(&Engine::cpu(), &mesh, &options, VertexOptions::default())?;
    let (triangles, _) = refined.mesh.triangulate()?;
    Ok(triangles)
}
