//! `mcf`: mean curvature flow.

use crate::error::explained;
use crate::on::{MeshReport, Several, Vertices};
use crate::{Group, Log, Message, Operation, Result, Volumes, text};
use rxmesh_host::algo::mcf::{
    McfOptions, McfReport, mean_curvature_flow, mean_curvature_flow_batch,
};
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::units;
use serde::Serialize;

const TOO_LARGE: &str = "coordinates or time step are too large or too small to smooth";

/// Report of [`Mcf`].
#[derive(Debug, Serialize)]
pub struct McfOpReport {
    /// Report of the algorithm; of several meshes, over all of them.
    #[serde(flatten)]
    pub done: McfReport,
    /// Volumes before and after.
    #[serde(flatten)]
    pub volumes: Volumes,
    /// Report of each mesh, of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meshes: Vec<MeshReport<McfReport>>,
}

units!(McfOpReport {
    done,
    volumes,
    meshes
});

/// Smooths by mean curvature flow.
#[derive(Clone, Copy, Debug)]
pub struct Mcf;

impl Operation for Mcf {
    const NAME: &'static str = "mcf";
    const GROUP: Group = Group::Smooth;
    const SUMMARY: &'static str = "Smooth a mesh by mean curvature flow";
    const HELP: &'static str = "Examples: rxmesh mcf bunny.obj -o smooth.ply
          rxmesh mcf bunny.obj --time-step 0.15 -o smoother.ply

Solves (2 A + DT L) x = 2 A x0 by conjugate gradients, with cotangent weights and mixed areas of the input
(RXMesh 2021, listing 4); meshes of needles continue with multigrid. Each step reduces the volume; longer steps
reduce it more. The report gives the change.
Normals of the input are recomputed; all its other data is written unchanged.

With several meshes each has a separate default time step. All are solved together, each until its own
residual is below the tolerance.";
    const SEVERAL: bool = true;
    const JOINS_SEAMS: bool = true;
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("time_step", "time step, given or default"),
        ("iterations", "iterations done"),
        ("cycles", "iterations preconditioned by multigrid"),
        ("residual", "square root of r.r over r0.r0 at the end"),
        ("converged", "`true` if the residual is below the tolerance"),
        (
            "volume_before",
            "signed volume of the input; for an open mesh that of the cones from its middle",
        ),
        ("volume_after", "the same of the output"),
        (
            "meshes",
            "for several meshes `path`, `time_step`, `iterations`, `cycles`, `residual`, `converged` of each; \
            `time_step` of the report is then the longest, and `residual` that of all",
        ),
    ];

    type Options = McfOptions;
    type Report = McfOpReport;
    type On = Vertices;

    fn run(on: &mut Vertices, options: &McfOptions, log: &mut dyn Log) -> Result<McfOpReport> {
        let before = on.volume()?;
        let several = on.several.clone();
        let (done, meshes) = on.move_vertices(log, "smoothing", |rx, x| {
            let Some(Several { names, labels }) = several else {
                let done = mean_curvature_flow(rx, x, options).map_err(explained(TOO_LARGE))?;
                return Ok((done, Vec::new()));
            };
            let labels = rx.attribute_from::<Vertex, u32>(&labels)?;
            let each = vec![*options; names.len()];
            let report = mean_curvature_flow_batch(rx, x, &labels, &each);
            let report = report.map_err(explained(TOO_LARGE))?;
            let members = names.into_iter().zip(report.meshes);
            let member = |(path, done)| MeshReport { path, done };
            Ok((report.total, members.map(member).collect()))
        })?;
        let volumes = Volumes::new(before, on.volume()?);
        Ok(McfOpReport {
            done,
            volumes,
            meshes,
        })
    }

    fn describe(report: &McfOpReport, options: &McfOptions) -> Message {
        let (report, volumes, meshes) = (&report.done, &report.volumes, &report.meshes);
        let cycles = match report.cycles {
            0 => String::new(),
            n => format!(" ({n} with multigrid)"),
        };
        let time_step = match meshes.len() {
            0 => format!("time step {}", text::number(report.time_step)),
            _ => "time steps of their own".to_owned(),
        };
        let line = format!(
            "mean curvature flow: {time_step}, {} iterations{cycles}, residual {:.2e}",
            report.iterations, report.residual
        );
        let each = meshes.iter().map(|m| {
            let (time_step, done) = (text::number(m.done.time_step), &m.done);
            format!(
                "\n{}: time step {time_step}, {} iterations, residual {:.2e}",
                m.path, done.iterations, done.residual
            )
        });
        let line = line + &each.collect::<String>();
        let missed: Vec<&MeshReport<McfReport>> =
            meshes.iter().filter(|m| !m.done.converged).collect();
        let names: Vec<&str> = missed.iter().map(|m| m.path.as_str()).collect();
        let of = text::which(&names, meshes.len());
        let each = missed.iter().map(|m| &m.done);
        let worst = each.max_by(|a, b| a.residual.total_cmp(&b.residual));
        let worst = worst.unwrap_or(report);
        Message::new(line + &volumes.line()).unless_done(report.converged, || {
            format!(
                "{of}not converged: after {} iterations the residual is {:.3e}, {:.3e} was requested; {} holds the \
                unfinished result",
                worst.iterations,
                worst.residual,
                options.tolerance,
                Message::OUTPUT
            )
        })
    }
}
