//! `subdivide`: makes subdivision surfaces.

use crate::on::{AnyMesh, Tool};
use crate::{Error, Group, Log, Message, Operation, Result, Stage, stage};
use rxmesh_host::engine::Engine;
use rxmesh_host::io;
use rxmesh_host::mesh::{Faces, MeshError, PolyMesh};
use rxmesh_host::units;
use rxmesh_subdivision::{
    Options, PatchCount, Refined, VertexOptions, open_edges, refine, refine_adaptive,
};
use serde::Serialize;
use std::path::Path;

/// Makes a smooth surface of a mesh of polygons.
#[derive(Clone, Copy, Debug)]
pub struct Subdivide;

/// Options of [`Subdivide`].
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SubdivideArgs {
    /// Options of the scheme.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub options: Options,
    /// Options for positions and normals.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub places: VertexOptions,
    /// Write the limit surface with a face per bicubic patch, by Catmull-Clark: faces stay whole where the mesh is
    /// regular, and are divided at most --levels times towards irregular vertices and elements of finite sharpness
    #[cfg_attr(feature = "cli", arg(long))]
    pub adaptive: bool,
    /// Sharp edges: a file with lines of two vertices (counted from 0) and a sharpness, or an angle in degrees; edges
    /// with a larger angle between their faces are infinitely sharp
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE|DEGREES"))]
    pub creases: Option<String>,
    /// Cut edges of three or more faces open and make them sharp, and those of two faces with the same direction
    #[cfg_attr(feature = "cli", arg(long))]
    pub sharpen_non_manifold: bool,
    /// Write triangles: quads are cut along a diagonal
    #[cfg_attr(feature = "cli", arg(long))]
    pub triangles: bool,
}

units!(SubdivideArgs {});

impl rxmesh_host::algo::Options for SubdivideArgs {
    fn check(&self) -> std::result::Result<(), rxmesh_host::Error> {
        self.options.check()
    }
}

/// SubdivideReport of [`Subdivide`].
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubdivideReport {
    /// Number of edges of the mesh with a sharpness.
    pub sharp_edges: u64,
    /// Number of vertices of the mesh with a sharpness.
    pub sharp_vertices: u64,
    /// Number of faces of the mesh that are holes.
    pub holes: u64,
    /// Numbers of patches of each level, with `--adaptive`.
    pub patches: Option<Vec<PatchCount>>,
    /// Number of vertices and of faces of the result.
    #[serde(skip)]
    pub made: [usize; 2],
}

units!(SubdivideReport {});

impl Operation for Subdivide {
    const NAME: &'static str = "subdivide";
    const GROUP: Group = Group::Reshape;
    const SUMMARY: &'static str = "Refine a polygon mesh by a subdivision scheme";
    const HELP: &'static str =
        "Examples: rxmesh subdivide creased_cube.obj --levels 3 -o smooth.obj
          rxmesh subdivide bunny.obj --scheme loop --levels 2 -o smooth.ply
          rxmesh subdivide creased_cube.obj --adaptive --levels 4 -o patches.obj

Catmull-Clark (1978) takes polygons and gives quads, Loop (1987) and sqrt(3) (Kobbelt 2000) take triangles and give
triangles. Creases, corners and holes of OBJ (`t crease`, `t corner`, `t hole`) and PLY are used, by the rules of
OpenSubdiv. docs/library/surfaces.md has the details.";
    type Options = SubdivideArgs;
    type Report = SubdivideReport;
    type On = Tool<PolyMesh>;

    fn run(
        on: &mut Tool<PolyMesh>,
        options: &SubdivideArgs,
        log: &mut dyn Log,
    ) -> Result<SubdivideReport> {
        let name = on.name(0);
        prepare(&mut on.input, options, &name, log)?;
        // Far from the origin new vertices lie between the 32-bit floats.
        let home = on.input.normalise();
        let engine = on.engine().clone();
        let base = &on.input;
        let (refined, patches) = stage(log, Stage::Work("subdividing"), || {
            made(&engine, base, options).map_err(|e| explained(e, options.sharpen_non_manifold))
        })?;
        let Refined { mut mesh, warnings } = refined;
        for warning in &warnings {
            log.warn(format!("{name}: {warning}"));
        }
        mesh.return_to(home);
        let result = if options.triangles && !matches!(mesh.faces, Faces::Same(3)) {
            AnyMesh::Surface(mesh.triangulate()?.0)
        } else {
            AnyMesh::Polygons(mesh)
        };
        let report = SubdivideReport {
            sharp_edges: base.sharp_edges.len() as u64,
            sharp_vertices: base.sharp_vertices.len() as u64,
            holes: base.holes.len() as u64,
            patches,
            made: result.counts(),
        };
        on.result = Some(result);
        Ok(report)
    }

    fn describe(report: &SubdivideReport, options: &SubdivideArgs) -> Message {
        let [vertices, faces] = report.made;
        let mut lines = format!(
            "{} levels: {vertices} vertices, {faces} faces",
            options.options.levels
        );
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
        Message::new(lines + "\n")
    }
}

/// Prepares a mesh for a surface: drops repeated corners, makes edges sharp and cuts edges open, as the options ask.
/// Returns the original vertex of each vertex, if edges were cut open. Warnings begin with the mesh's name.
pub(crate) fn prepare(
    base: &mut PolyMesh,
    options: &SubdivideArgs,
    name: &str,
    log: &mut dyn Log,
) -> Result<Option<Vec<u32>>> {
    let repeated = base.drop_repeated_corners();
    if repeated > 0 {
        let what = "faces name a corner again right after it: it counts once";
        log.warn(format!("{name}: {repeated} {what}"));
    }
    if let Some(creases) = &options.creases {
        stage(log, Stage::Aside("sharpening"), || sharpen(base, creases))?;
    }
    if !options.sharpen_non_manifold {
        return Ok(None);
    }
    let opened = stage(log, Stage::Aside("cutting"), || Ok(open_edges(base)?))?;
    if opened.edges > 0 {
        let what = "edges of more than two faces, or of two that walk them alike, are sharp";
        log.warn(format!("{name}: {} {what}", opened.edges));
    }
    *base = opened.mesh;
    Ok((opened.edges > 0).then_some(opened.origins))
}

/// Returns the surface, or a mesh of its patches and their numbers.
fn made(
    engine: &Engine,
    base: &PolyMesh,
    options: &SubdivideArgs,
) -> std::result::Result<(Refined, Option<Vec<PatchCount>>), rxmesh_host::Error> {
    let (scheme, places) = (&options.options, options.places);
    if options.adaptive {
        let (refined, patches) = refine_adaptive(engine, base, scheme, places)?;
        Ok((refined, Some(patches)))
    } else {
        Ok((refine(engine, base, scheme, places)?, None))
    }
}

/// Returns an error of the surface with the flag that helps.
pub(crate) fn explained(e: rxmesh_host::Error, sharpens: bool) -> Error {
    let help = match &e {
        rxmesh_host::Error::Mesh(MeshError::NoSurface { .. }) if sharpens => {
            " (repair --only split parts such edges)"
        }
        rxmesh_host::Error::Mesh(MeshError::NoSurface { .. }) => {
            " (--sharpen-non-manifold makes such edges sharp; repair --only split parts them)"
        }
        _ => "",
    };
    Error::from(e).within(format!("the surface cannot be made{help}"))
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
