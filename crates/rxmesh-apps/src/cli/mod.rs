//! The flags. A flag that several commands have is defined once, so that it has the same words everywhere.

mod apps;
mod edit;
mod generate;
mod shared;

pub(crate) use apps::{
    CurvatureArgs, FilterArgs, GeodesicArgs, McfArgs, MethodChoice, NormalsArgs, SmoothArgs,
    SpringArgs, WeightsChoice,
};
pub(crate) use edit::{
    ConflictsChoice, CostChoice, DelaunayArgs, EditArgs, RemeshArgs, SimplifyArgs, TrackArgs,
};
pub(crate) use generate::{GenerateArgs, MakeArgs, Shape};
pub(crate) use shared::{
    CommonArgs, ComputeArgs, EncodingArgs, EngineArgs, EngineChoice, InputArgs, OutputArgs,
    PatchArgs, TriangulateArgs,
};

use clap::{Args, Parser, Subcommand, ValueHint};
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

Exit codes: 0 success, 1 error, 2 wrong usage, 3 written but not converged,\n4 out of memory, 130 and 143 interrupted.";

const DELAUNAY: &str = "Examples: rxmesh-apps delaunay bunny.obj -o bunny_delaunay.ply
          rxmesh-apps delaunay scan.ply --conflicts speculative -o scan_delaunay.ply";

const REMESH: &str = "Example: rxmesh-apps remesh bunny.obj --target-length 0.002 --project -o even.ply

Splits edges above 4/3 of the target, contracts those below 4/5, flips towards valence 6 (4 on the boundary) and smooths in the
tangent planes, over and over (Botsch and Kobbelt 2004). The boundary stays. Meshes that are not manifold are refused.";

const TRACK: &str = "Example: rxmesh-apps track sphere.obj --frames 200 --sequence -o flow.ply

The field is curl noise (Bridson et al. 2007), which keeps volumes. After each frame long edges and those opposite wide angles are
split, short ones contracted, edges flipped and vertices smoothed, as El Topo does with collisions off (Brochu and Bridson 2009).";

const MCF: &str = "Example: rxmesh-apps mcf bunny.obj --time-step 0.001 -o smooth.ply

Solves (2 A + DT L) x = 2 A x0 by conjugate gradients, with cotangent weights and mixed areas of the input.
Normals of the input are computed anew; everything else that it carries goes out unchanged.";

const FILTER: &str = "Examples: rxmesh-apps filter noisy.obj --iterations 10 -o clean.obj
          rxmesh-apps filter scan.ply --sigma-c 0.4 --sigma-s 0.05 -o clean.ply

Each vertex moves along its normal by the weighted mean height of its neighbours over its tangent
plane (Fleishman, Drori, Cohen-Or 2003). Normals of the input are computed anew.";

const GEODESIC: &str =
    "Example: rxmesh-apps geodesic bunny.obj --source 0 --source 1200 -o distance.ply

Writes the column 'distance', in the mesh's unit of length: infinite where no source reaches.
Distances are approximate, about one percent off on good meshes
(Romero Calla, Fuentes Perez, Montenegro 2019).";

const CURVATURE: &str = "Example: rxmesh-apps curvature bunny.obj -o curvature.ply

Writes the columns 'gaussian_curvature' (in one over squared length), 'mean_curvature' (in one over
length, positive where the surface bends away from the faces' normals) and 'angle_defect' (in
radians), as Meyer et al. 2003 define them.";

const SMOOTH: &str = "Examples: rxmesh-apps smooth bunny.obj --iterations 20 -o smooth.obj
          rxmesh-apps smooth bunny.obj --taubin --weights cotangent -o smooth.obj

Each vertex goes part of the way to the mean of its neighbours (Taubin 1995). Normals of the input
are computed anew.";

const SPRING: &str = "Examples: rxmesh-apps spring cloth.obj --pin-top 1 --steps 1000 -o fallen.obj
          rxmesh-apps spring cloth.obj --pin 0 --pin 30 --method implicit --time-step 0.01 -o fallen.obj

Every edge is a spring that is at rest in the input; coordinates are metres. Explicit steps stay
stable only well below sqrt(M / (K valence)) seconds. Normals of the input are computed anew.";

const SIMPLIFY: &str = "Examples: rxmesh-apps simplify bunny.obj --ratio 0.1 -o small.obj
          rxmesh-apps simplify scan.ply --faces 5000 --validate -o small.ply

Edges collapse to the point of least quadric error (Garland and Heckbert 1997), boundaries are held.
Collapses that would change the topology or turn a face over are refused; when that leaves more
faces than were asked for, the exit code is 3 and the reasons are listed.";

const EDITED_PATCHES: &str = "Most faces a patch [default: 512, with --conflicts speculative 256]";

const VALUES_OUTPUT: &str = "Where to write; a format that holds columns (PLY) [default: <input>_<command>.ply in the current folder]";

const INFO: &str = "Examples: rxmesh-apps info bunny.obj
          rxmesh-apps info --engines";

const CHECK: &str = "Example: rxmesh-apps check bunny.obj --json report.json

Defects are findings, not failures: the exit code is 0 unless --strict is given.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Smooth a mesh by mean curvature flow
    #[command(after_help = MCF)]
    Mcf(McfArgs),
    /// Compute vertex normals (weighted as in Max 1999)
    #[command(after_help = "Example: rxmesh-apps normals bunny.obj -o bunny_normals.ply")]
    Normals(NormalsArgs),
    /// Remove noise and keep features, by bilateral filtering
    #[command(after_help = FILTER)]
    Filter(FilterArgs),
    /// Compute the distance along the surface from one or several vertices
    #[command(after_help = GEODESIC, mut_arg("output", |a| a.help(VALUES_OUTPUT)))]
    Geodesic(GeodesicArgs),
    /// Compute Gaussian and mean curvature of the vertices
    #[command(after_help = CURVATURE, mut_arg("output", |a| a.help(VALUES_OUTPUT)))]
    Curvature(CurvatureArgs),
    /// Smooth a mesh by Laplacian or Taubin smoothing
    #[command(after_help = SMOOTH)]
    Smooth(SmoothArgs),
    /// Let a mesh fall or swing as a mass-spring system
    #[command(after_help = SPRING)]
    Spring(SpringArgs),
    /// Flip edges until the mesh is Delaunay
    #[command(after_help = DELAUNAY, mut_arg("patch_size", |a| a.help(EDITED_PATCHES)))]
    Delaunay(DelaunayArgs),
    /// Simplify a mesh to a number of faces by collapsing edges
    #[command(after_help = SIMPLIFY)]
    Simplify(SimplifyArgs),
    /// Make triangles of one size and near to equilateral
    #[command(after_help = REMESH, mut_arg("patch_size", |a| a.help(EDITED_PATCHES)))]
    Remesh(RemeshArgs),
    /// Move a surface with a velocity field, and keep its mesh good
    #[command(after_help = TRACK, mut_arg("patch_size", |a| a.help(EDITED_PATCHES)))]
    Track(TrackArgs),
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
    #[command(after_help = generate::EXAMPLE)]
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
pub(crate) struct InfoArgs {
    /// The mesh
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath, required_unless_present = "engines")]
    pub(crate) mesh: Option<PathBuf>,
    /// Show which engines were found, and why not the others; needs no mesh
    #[arg(long)]
    pub(crate) engines: bool,
    /// Prepare every relation and show what its tables take
    #[arg(long, requires = "mesh")]
    pub(crate) prepared: bool,
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
