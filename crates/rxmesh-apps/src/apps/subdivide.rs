//! `subdivide`: subdivision surfaces.

use crate::app::{Application, Message};
use crate::cli::{EncodingArgs, EngineArgs, InputArgs};
use crate::frame::Tool;
use crate::output::{OutputKind, OutputTarget};
use crate::record::Record;
use crate::text;
use anyhow::{Context, Result};
use clap::{Args, ValueHint};
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::io;
use rxmesh_host::mesh::{Faces, MeshError, PolyMesh};
use rxmesh_subdivision::{
    Options, PatchCount, Refined, VertexOptions, open_edges, refine, refine_adaptive,
};
use serde::Serialize;
use std::path::{Path, PathBuf};

pub(crate) struct Subdivide;

#[derive(Debug, Args, Serialize)]
pub(crate) struct SubdivideArgs {
    #[command(flatten)]
    #[serde(skip)]
    input: InputArgs,
    /// Output file, or '-' for stdout [default: MESH_subdivide in the input's format, in the current folder; stdout for
    /// a mesh from stdin]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    output: Option<PathBuf>,
    #[command(flatten)]
    #[serde(flatten)]
    options: Options,
    #[command(flatten)]
    #[serde(flatten)]
    places: VertexOptions,
    /// Write the limit surface with a face per bicubic patch, by Catmull-Clark: faces stay whole where the mesh is
    /// regular, and are divided at most --levels times towards irregular vertices and elements of finite sharpness
    #[arg(long)]
    adaptive: bool,
    /// Sharp edges: a file with lines of two vertices (counted from 0) and a sharpness, or an angle in degrees; edges
    /// with a larger angle between their faces are infinitely sharp
    #[arg(long, value_name = "FILE|DEGREES")]
    creases: Option<String>,
    /// Cut edges of three or more faces open and make them sharp, and those of two faces with the same direction
    #[arg(long)]
    sharpen_non_manifold: bool,
    /// Write triangles: quads are cut along a diagonal
    #[arg(long)]
    triangles: bool,
    #[command(flatten)]
    #[serde(skip)]
    encoding: EncodingArgs,
    #[command(flatten)]
    #[serde(skip)]
    engine: EngineArgs,
}

impl rxmesh_host::algo::Options for SubdivideArgs {
    fn check(&self) -> Result<(), Error> {
        self.options.check()
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct SubdivideReport {
    sharp_edges: u64,
    sharp_vertices: u64,
    holes: u64,
    patches: Option<Vec<PatchCount>>,
}

impl Application for Subdivide {
    const NAME: &'static str = "subdivide";
    const SUMMARY: &'static str = "Refine a polygon mesh by a subdivision scheme";
    const HELP: &'static str =
        "Examples: rxmesh subdivide creased_cube.obj --levels 3 -o smooth.obj
          rxmesh subdivide bunny.obj --scheme loop --levels 2 -o smooth.ply
          rxmesh subdivide creased_cube.obj --adaptive --levels 4 -o patches.obj

Catmull-Clark (1978) takes polygons and gives quads, Loop (1987) and sqrt(3) (Kobbelt 2000) take triangles and give
triangles. Creases, corners and holes of OBJ (`t crease`, `t corner`, `t hole`) and PLY are used, by the rules of
OpenSubdiv. docs/library/surfaces.md has the details.";
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("sharp_edges", "edges of the mesh with a sharpness"),
        ("sharp_vertices", "vertices of the mesh with a sharpness"),
        ("holes", "faces of the mesh that are holes"),
        (
            "patches",
            "with `--adaptive`, for each level: numbers of patches that are regular, on a boundary or crease, at an \
                irregular vertex",
        ),
    ];

    type Options = SubdivideArgs;
    type Report = SubdivideReport;
    type Frame = Tool;

    fn run(Tool { run }: &mut Tool, args: &SubdivideArgs) -> Result<SubdivideReport> {
        let target = OutputTarget::for_input(
            Self::NAME,
            (args.input.mesh.as_path(), args.output.as_deref()),
            &args.encoding,
            OutputKind::Mesh,
            run.console.json_file(),
        )?;
        run.leads_to(&target);
        let triangulate = &args.input.triangulate;
        let input = run.read_poly(&args.input.mesh, !triangulate.triangulate)?;
        let mut base = input.loaded.mesh;
        let repeated = base.drop_repeated_corners();
        if repeated > 0 {
            let what = "faces name a corner again right after it: it counts once";
            run.warn_of(&input.path, &format!("{repeated} {what}"));
        }
        if let Some(creases) = &args.creases {
            run.mesh_stage("sharpening", || sharpen(&mut base, creases))?;
        }
        if args.sharpen_non_manifold {
            let (opened, _) = run.mesh_stage("cutting", || Ok(open_edges(&base)?))?;
            if opened.edges > 0 {
                let what =
                    "edges of more than two faces, or of two that walk them alike, are sharp";
                run.warn_of(&input.path, &format!("{} {what}", opened.edges));
            }
            base = opened.mesh;
        }
        // Far from the origin new vertices lie between the 32-bit floats.
        let home = base.normalise();
        let engine = run.engine(args.engine.engine)?;
        let ((Refined { mut mesh, warnings }, patches), ms) = run.mesh_stage("subdividing", || {
            let refined = made(&engine, &base, args);
            let help = match &refined {
                Err(Error::Mesh(MeshError::NoSurface { .. })) if args.sharpen_non_manifold => {
                    " (repair --only split parts such edges)"
                }
                Err(Error::Mesh(MeshError::NoSurface { .. })) => {
                    " (--sharpen-non-manifold makes such edges sharp; repair --only split parts them)"
                }
                _ => "",
            };
            refined.with_context(|| format!("the surface cannot be made{help}"))
        })?;
        run.record.timings_ms.run = ms;
        for warning in &warnings {
            run.warn_of(&input.path, warning);
        }
        mesh.return_to(home);
        if args.triangles && !matches!(mesh.faces, Faces::Same(3)) {
            let (cut, _) = mesh.triangulate()?;
            run.write(&target, &cut)?;
        } else {
            run.write(&target, &mesh)?;
        }
        Ok(SubdivideReport {
            sharp_edges: base.sharp_edges.len() as u64,
            sharp_vertices: base.sharp_vertices.len() as u64,
            holes: base.holes.len() as u64,
            patches,
        })
    }

    fn tell(report: &SubdivideReport, args: &SubdivideArgs, record: &Record) -> Message {
        let mut lines = format!("{} levels", args.options.levels);
        if let Some(made) = &record.output {
            lines += &format!(
                ": {} vertices, {} faces",
                made.vertices,
                made.faces.unwrap_or(0)
            );
        }
        for (n, what) in [
            (report.sharp_edges, "sharp edges"),
            (report.sharp_vertices, "sharp corners"),
            (report.holes, "holes"),
        ] {
            if n > 0 {
                lines += &format!("; {n} {what}");
            }
        }
        for at in report.patches.iter().flatten() {
            lines += &format!(
                "\nlevel {}: {} regular patches, {} at borders, {} at irregular vertices",
                at.level, at.regular, at.border, at.irregular
            );
        }
        let lines = lines + "\n";
        Message::new(text::input(record) + &text::engine(record) + &lines + &text::output(record))
    }
}

/// Returns the surface, or a mesh of its patches with their numbers by kind.
fn made(
    engine: &Engine,
    base: &PolyMesh,
    args: &SubdivideArgs,
) -> Result<(Refined, Option<Vec<PatchCount>>), Error> {
    let SubdivideArgs {
        options, places, ..
    } = args;
    if args.adaptive {
        let (refined, patches) = refine_adaptive(engine, base, options, *places)?;
        Ok((refined, Some(patches)))
    } else {
        Ok((refine(engine, base, options, *places)?, None))
    }
}

/// Makes edges sharp that a file lists, or whose faces bend by more than an angle.
fn sharpen(mesh: &mut PolyMesh, creases: &str) -> Result<()> {
    if let Ok(degrees) = creases.parse::<f32>() {
        mesh.sharpen(degrees, PolyMesh::SHARP)?;
        return Ok(());
    }
    let edges = io::read_creases(Path::new(creases), mesh.vertex_count())?;
    mesh.sharp_edges.extend(edges);
    Ok(())
}
