//! `normals`: vertex normals.

use crate::app::{Application, Told};
use crate::frame::{Fixed, explained};
use crate::output::Gives;
use crate::record::Record;
use anyhow::Result;
use rxmesh_host::Vec3;
use rxmesh_host::algo::normals;
use rxmesh_host::kernels::topo::Vertex;
use serde::Serialize;

const TOO_LARGE: &str = "coordinates are too large to compute normals";

/// The application.
pub(crate) struct Normals;

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    normals: Counts,
}

#[derive(Debug, Serialize)]
struct Counts {
    /// Vertices without a face of positive area: their normal is zero.
    zero: u64,
}

impl Application for Normals {
    const NAME: &'static str = "normals";
    const SUMMARY: &'static str = "Compute vertex normals (weighted as in Max 1999)";
    const HELP: &'static str = "Example: rxmesh-apps normals bunny.obj -o bunny_normals.ply";
    const GIVES: Gives = Gives::Normals;
    const SEVERAL: bool = true;
    const RECORD: &'static [(&'static str, &'static str)] = &[(
        "normals",
        "`zero`: vertices whose normal is zero: without a face of positive area, or with faces that cancel",
    )];

    type Options = ();
    type Report = Report;
    type Frame = Fixed;

    fn run(frame: &mut Fixed, (): &()) -> Result<Report> {
        let mut n = frame.rx.attribute::<Vertex, Vec3>()?;
        frame.compute("computing normals", |rx, x| {
            normals::vertex_normals(rx, x, &mut n).map_err(explained(TOO_LARGE))
        })?;
        let values = frame.download(&mut n)?;
        let zero = values.iter().filter(|n| **n == Vec3::ZERO).count() as u64;
        frame.mesh.set_vertex_normals(values)?;
        Ok(Report {
            normals: Counts { zero },
        })
    }

    fn tell(report: &Report, (): &(), record: &Record) -> Told {
        let zero = report.normals.zero;
        let unit = record.input.as_ref().map_or(0, |i| i.vertices) - zero;
        Told::new(format!(
            "vertex normals: {unit} of unit length, {zero} zero (no face of positive area, or faces that cancel)"
        ))
    }
}
