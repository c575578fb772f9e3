//! The flags. A flag that several commands have is defined once, so that it has the same words everywhere.

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Mesh processing in patches, on the GPU when there is one and on the CPU otherwise.
#[derive(Debug, Parser)]
#[command(name = "rxmesh-apps", version, after_help = EXAMPLE, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLE: &str = "Example: rxmesh-apps mcf bunny.obj -o smooth.obj

A mesh without a folder in its name that is not in the current folder is looked up in data/.
Formats: OBJ, PLY, OFF, STL, told by the extension.

Exit codes: 0 success, 1 error, 2 wrong usage, 3 written but not converged.";

const MCF: &str = "Example: rxmesh-apps mcf bunny.obj --time-step 0.001 -o smooth.ply

Solves (2 A + DT L) x = 2 A x0 by conjugate gradients, with cotangent weights and mixed areas of the input.
Normals of the input are computed anew; everything else that it carries goes out unchanged.";

const INFO: &str = "Examples: rxmesh-apps info bunny.obj
          rxmesh-apps info --engines";

const CHECK: &str = "Example: rxmesh-apps check bunny.obj --json report.json

Defects are findings, not failures: the exit code is 0 unless --strict is given.";

const GENERATE: &str =
    "Example: rxmesh-apps generate torus --nu 200 --nv 80 --noise 0.1 -o torus.ply

The shape is subdivided, then moved by noise, then shuffled.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Smooth a mesh by mean curvature flow
    #[command(after_help = MCF)]
    Mcf(McfArgs),
    /// Compute vertex normals (weighted as in Max 1999)
    #[command(after_help = "Example: rxmesh-apps normals bunny.obj -o bunny_normals.ply")]
    Normals(NormalsArgs),
    /// Flip edges until the mesh is Delaunay
    #[command(after_help = "Example: rxmesh-apps delaunay bunny.obj -o bunny_delaunay.ply")]
    Delaunay(DelaunayArgs),
    /// Show counts, sizes, patch statistics and engines
    #[command(after_help = INFO)]
    Info(InfoArgs),
    /// Look for defects: non-manifold places, degenerate faces, duplicates, ...
    #[command(after_help = CHECK)]
    Check(CheckArgs),
    /// Write a mesh in another format
    #[command(after_help = "Example: rxmesh-apps convert quads.obj --triangulate -o triangles.ply")]
    Convert(ConvertArgs),
    /// Make a mesh by recipe
    #[command(after_help = GENERATE)]
    Generate(GenerateArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example: rxmesh-apps completions bash > ~/.local/share/bash-completion/completions/rxmesh-apps"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct McfArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Where to write [default: <input>_mcf.obj in the current folder]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Time step in squared length units of the mesh [default: 10 times the squared mean edge length]
    #[arg(long, value_name = "DT", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) time_step: Option<f64>,
    /// The solver stops when the residual has shrunk by this factor
    #[arg(long, value_name = "TOL", default_value = "1e-6", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) tol: f64,
    /// Most iterations of the solver
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_iter: u32,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) patch: PatchArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct NormalsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Where to write [default: <input>_normals.obj in the current folder]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) patch: PatchArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DelaunayArgs {
    #[command(flatten)]
    pub(crate) edit: EditArgs,
    /// Most rounds
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_rounds: u32,
}

/// What every command that changes the connectivity takes.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Where to write [default: <input>_<command>.obj in the current folder]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Check every invariant of the result before it is written
    #[arg(long)]
    pub(crate) validate: bool,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) patch: PatchArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// The mesh
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath, required_unless_present = "engines")]
    pub(crate) mesh: Option<PathBuf>,
    /// Show which engines were found, and why not the others; needs no mesh
    #[arg(long)]
    pub(crate) engines: bool,
    #[command(flatten)]
    pub(crate) triangulate: TriangulateArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) patch: PatchArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Exit with 1 when there are defects (a boundary is not one)
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

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

#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// The mesh
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath)]
    pub(crate) mesh: PathBuf,
    #[command(flatten)]
    pub(crate) triangulate: TriangulateArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TriangulateArgs {
    /// Cut polygons of the input into triangles instead of refusing them
    #[arg(long)]
    pub(crate) triangulate: bool,
}

#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Where to write; the extension says the format
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct EncodingArgs {
    /// Write PLY and STL as text instead of binary
    #[arg(long)]
    pub(crate) ascii: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EngineArgs {
    /// Who computes: the GPU if there is one, the CPU, or the GPU and nothing else
    #[arg(
        long,
        value_name = "ENGINE",
        default_value = "auto",
        hide_possible_values = false
    )]
    pub(crate) engine: EngineChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineChoice {
    Auto,
    Cpu,
    Cuda,
}

#[derive(Debug, Args)]
pub(crate) struct PatchArgs {
    /// Most faces a patch
    #[arg(long, value_name = "FACES", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=65535))]
    pub(crate) patch_size: u32,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    /// Keep the patches in a file beside the mesh (MESH.rxpatch) and use them when they are there
    #[arg(long)]
    pub(crate) cache: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SeedArgs {
    /// Seed of random choices: the same seed gives the same result
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// Threads to use [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) threads: Option<u32>,
    /// Write a record of the run as JSON to a file, or to stdout with '-'
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<PathBuf>,
    /// Print nothing but errors (and the record, with --json -)
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        Ok(_) => Err("it must be a finite number above 0".into()),
        Err(_) => Err("it is not a number".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn flags_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_help_has_an_example() {
        fn look(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string);
            let name = command.get_name();
            assert!(
                help.is_some_and(|h| h.contains("Example")),
                "{name} shows no example"
            );
            command.get_subcommands().for_each(look);
        }
        look(&Cli::command());
    }
}
