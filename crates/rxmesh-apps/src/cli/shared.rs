//! Flags of several commands, defined once so that their help is the same everywhere.

use crate::frame::MeshBatch;
use clap::{ArgAction, Args, ValueHint};
use rxmesh::on::PatchesOn;
use rxmesh_host::engine::EngineChoice;
use rxmesh_host::io::Format;
use std::path::PathBuf;

// Not a doc comment: angle brackets are HTML there.
pub(crate) const OUTPUT: &str = "Output file, or '-' for stdout [default: <input>_<command> in the input's format, \
    in the current folder; stdout for a mesh from stdin]";

/// Options of every command that computes on a mesh and writes one.
#[derive(Debug, Args)]
pub(crate) struct ComputeArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// More meshes: all are processed at once, and each is written to a separate file; -o names a folder then
    #[arg(value_name = "MORE", value_hint = ValueHint::FilePath, conflicts_with = "cache")]
    pub(crate) more: Vec<PathBuf>,
    /// Most faces of several meshes that are processed together, in the order of the meshes; GPUs (`--engine cuda:all`)
    /// and threads of the CPU share such batches [default: 1048576 on a GPU, 8192 on the CPU]
    #[arg(long, value_name = "FACES", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch_faces: Option<u32>,
    /// Meshes that were read, if there are several.
    #[arg(skip)]
    pub(crate) batch: Option<MeshBatch>,
    #[arg(short, long, help = OUTPUT, value_name = "FILE", value_hint = ValueHint::FilePath)]
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

#[derive(Clone, Debug, Args)]
pub(crate) struct InputArgs {
    /// The mesh, or '-' for stdin
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath)]
    pub(crate) mesh: PathBuf,
    #[command(flatten)]
    pub(crate) triangulate: TriangulateArgs,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct TriangulateArgs {
    /// Refuse polygons in the input instead of cutting them into triangles
    // The flag's meaning is the opposite of the field's.
    #[arg(long = "strict", action = ArgAction::SetFalse)]
    pub(crate) triangulate: bool,
    /// Cut polygons of the input into triangles: the default, for scripts that ask for it
    #[arg(long = "triangulate", hide = true, conflicts_with = "triangulate")]
    pub(crate) cut: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct OutputArgs {
    /// Output file, or '-' for stdout; the extension gives the format
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct EncodingArgs {
    #[arg(long, help = format!(
        "Write {} as text instead of binary",
        Format::list(Format::has_encodings)
    ))]
    pub(crate) ascii: bool,
    /// Write glb and gltf with whole numbers of 8 and 16 bits for positions, normals, texture coordinates and colours
    /// (`KHR_mesh_quantization`)
    #[arg(long, conflicts_with = "ascii")]
    pub(crate) quantise: bool,
    /// Write glb and gltf as with `--quantise`, and packed (`EXT_meshopt_compression`)
    #[arg(long, conflicts_with = "ascii")]
    pub(crate) pack: bool,
    /// Format of the output, for any extension; needed if there is none
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) format: Option<Format>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct EngineArgs {
    /// Engine that computes: auto (the GPU if there is one, else the CPU), cpu, cuda (the GPU, or an error), cuda:N
    /// (the GPU with number N, from 0 on), or cuda:all (all GPUs share the batches of several meshes; one mesh is on
    /// the first)
    #[arg(
        long,
        value_name = "ENGINE",
        default_value = "auto",
        hide_possible_values = false
    )]
    pub(crate) engine: EngineChoice,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct PatchArgs {
    /// Most faces per patch [default: 512]
    #[arg(long, value_name = "FACES", value_parser = clap::value_parser!(u32).range(1..=65535))]
    pub(crate) patch_size: Option<u32>,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    /// Place where the mesh is cut into patches. Results of edits depend on the patches, and those of the two places
    /// differ
    #[arg(long, value_enum, value_name = "WHERE", default_value_t)]
    pub(crate) patches_on: PatchesOn,
    /// Keep the patches in a file beside the mesh (MESH.rxpatch) and reuse them; they are cut on the host
    #[arg(long)]
    pub(crate) cache: bool,
}

impl PatchArgs {
    /// Default number of faces per patch.
    pub(crate) const DEFAULT_SIZE: u32 = 512;
}

#[derive(Clone, Debug, Args)]
pub(crate) struct SeedArgs {
    /// Seed of random choices: the same seed gives the same result
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct CommonArgs {
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) threads: Option<u32>,
    /// Write a record of the run as JSON to a file, or to stdout with '-'
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<PathBuf>,
    /// Draw the result into a picture, a PNG file; values that the command computes are its colours
    #[arg(id = "picture_file", long = "picture", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) picture: Option<PathBuf>,
    /// With --picture, draw the input, the result, and the input coloured by its distance from the result
    #[arg(long, requires = "picture_file")]
    pub(crate) difference: bool,
    /// Show the result on a page for browsers, an HTML file; it can be compared with the input there
    #[arg(id = "html_file", long = "html", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,
    /// Show progress and the newest mesh of a long run in the browser, while it works: on a page of this machine alone
    /// (127.0.0.1), whose address is printed; the port is one that is free unless it is given
    #[arg(
        long,
        value_name = "PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0"
    )]
    pub(crate) live: Option<u16>,
    /// Print nothing but errors (and the record, with --json -)
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
