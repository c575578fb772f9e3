//! `wrap`: makes a closed surface around anything.

use crate::on::{AnyMesh, AnyTriangles, Tool};
use crate::{Group, Log, Message, Operation, Result, Stage, stage, text};
use rxmesh_host::algo::Options;
use rxmesh_host::algo::simplify::{End, SimplifyOptions, Target, simplify_apart};
use rxmesh_host::algo::transfer::transfer;
use rxmesh_host::algo::wrap::{WrapOptions, WrapReport, wrap};
use rxmesh_host::mesh::{ElementKind, NORMAL};
use rxmesh_host::units;
use rxmesh_host::units::InUnits;
use serde::Serialize;

/// Makes a closed surface around anything.
#[derive(Clone, Copy, Debug)]
pub struct Wrap;

/// Options of [`Wrap`].
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct WrapArgs {
    /// Options of the surface.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub wrapping: WrapOptions,
    /// Simplify the surface to at most this number of faces
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub faces: Option<u32>,
}

units!(WrapArgs { wrapping });

impl Options for WrapArgs {
    fn check(&self) -> std::result::Result<(), rxmesh_host::Error> {
        if let Some(faces) = self.faces {
            simplified(faces).check()?;
        }
        self.wrapping.check()
    }
}

/// Report of [`Wrap`].
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WrapOpReport {
    /// Report of the surface, before it is simplified.
    #[serde(flatten)]
    pub wrapped: WrapReport,
    /// Faces of the result, if it was simplified.
    pub simplified_faces: Option<u32>,
    /// Number of pairs of faces of the simplified result that intersect.
    pub simplified_intersections: Option<u64>,
    /// `true` unless more faces are left than were asked for.
    pub reached: bool,
}

units!(WrapOpReport { wrapped });

impl Operation for Wrap {
    const NAME: &'static str = "wrap";
    const GROUP: Group = Group::Reshape;
    const SUMMARY: &'static str = "Make a closed, manifold surface around any triangles";
    const HELP: &'static str = "Examples: rxmesh wrap teapot.obj -o solid.ply
          rxmesh wrap bunny.obj --resolution 128 --faces 2000 -o small.ply
          rxmesh wrap spot.ply --offset 0.05 -o hull.ply

Takes triangles of any kind: soups, open, crossing and doubled sheets, non-manifold edges, any orientation.
The result is closed, manifold and oriented, and has one skin: all that cannot be reached from outside is
enclosed, gaps narrower than --gap are closed, and sheets become thin solids. It lies at the distance
--offset from the triangles; details smaller than a cell of the grid are lost. With --keep-cavities hollows
of solids stay, each with a skin of its own: enclosed spaces that the triangles do not go around.

Distances are computed on a sparse grid near the triangles; a flood from the border finds the outside;
dual contouring (Ju et al. 2002), with a vertex for each piece of surface in a cell, keeps sharp edges.
Columns of vertices and faces, texture coordinates, groups and materials come from the closest point of the
input; normals are dropped.";

    type Options = WrapArgs;
    type Report = WrapOpReport;
    type On = Tool<AnyTriangles>;

    fn run(
        on: &mut Tool<AnyTriangles>,
        args: &WrapArgs,
        log: &mut dyn Log,
    ) -> Result<WrapOpReport> {
        let engine = on.engine().clone();
        let AnyTriangles(mut mesh) = std::mem::take(&mut on.input);
        let home = mesh.normalise();
        let unit = mesh.placement.scale;
        let mut options = args.wrapping;
        options.scale(1.0 / unit);
        let (x, faces) = stage(log, Stage::Upload, || {
            Ok((engine.upload(&mesh.positions)?, engine.upload(&mesh.faces)?))
        })?;
        let wrapped = stage(log, Stage::Work("wrapping"), || {
            let wrapped = wrap(&engine, &x, &faces, &options)?;
            engine.synchronize()?;
            Ok(wrapped)
        })?;
        let mut report = WrapOpReport {
            wrapped: wrapped.report,
            simplified_faces: None,
            simplified_intersections: None,
            reached: true,
        };
        let (positions, faces) = match args.faces {
            Some(faces) => stage(log, Stage::Aside("simplifying"), || {
                let reach = REACH * wrapped.report.cell as f32;
                let (x, corners) = (&wrapped.positions, &wrapped.faces);
                let options = simplified(faces);
                let result = simplify_apart(x, corners, crate::on::PATCH_SIZE, reach, &options)?;
                report.simplified_faces = Some(result.report.faces);
                report.simplified_intersections = Some(result.intersections as u64);
                report.reached = matches!(result.report.end, End::Reached | End::Deviation);
                Ok((result.mesh.positions, result.mesh.faces))
            })?,
            None => stage(log, Stage::Download, || {
                Ok((wrapped.positions.read()?, wrapped.faces.read()?))
            })?,
        };
        drop(wrapped);
        let mut result = stage(log, Stage::Aside("looking up values"), || {
            Ok(transfer(&engine, &mesh, positions, faces)?)
        })?;
        let extras = &mesh.extras;
        let normals = |element| extras.column(element, NORMAL).is_some();
        if extras.corner_normals.is_some()
            || normals(ElementKind::Vertex)
            || normals(ElementKind::Face)
        {
            log.warn("normals are left out".into());
        }
        result.return_to(home);
        on.result = Some(AnyMesh::Surface(result));
        report.scale(unit);
        Ok(report)
    }

    fn describe(report: &WrapOpReport, args: &WrapArgs) -> Message {
        let r = &report.wrapped;
        let [x, y, z] = r.cells;
        let mut lines = format!(
            "wrapped: {} vertices, {} faces, {} from the input; grid of {x} x {y} x {z} cells of {}\n",
            r.vertices,
            r.faces,
            text::number(r.offset),
            text::number(r.cell)
        );
        if let Some(hollow) = r.hollow {
            lines += &format!("hollow: {} of volume\n", text::number(hollow));
        }
        if let (Some(faces), Some(wanted)) = (report.simplified_faces, args.faces) {
            lines += &format!("simplified: {faces} faces ({wanted} wanted)\n");
        }
        let pairs = report.simplified_intersections.unwrap_or(0);
        let message = Message::new(lines).warn_if(pairs > 0, || {
            format!("{pairs} pairs of faces intersect after the simplification: keep more faces (--faces)")
        });
        let parted = message.unless_done(r.intersecting == 0, || {
            format!(
                "{} vertices are corners of faces that intersect: take smaller cells (--resolution, --cell)",
                r.intersecting
            )
        });
        parted.unless_done(report.reached, || {
            "more faces are left than were wanted: every edge that is left is refused".into()
        })
    }
}

/// Distance in cells up to which edges near faces that intersect are kept when the result is simplified anew.
const REACH: f32 = 2.0;

/// Returns the options of the simplification.
fn simplified(faces: u32) -> SimplifyOptions {
    SimplifyOptions::new(Target::Faces(faces))
}
