//! `geodesic`: distances along the surface.

use crate::app::{Application, Told};
use crate::frame::{Fixed, explained};
use crate::output::Gives;
use crate::record::Record;
use crate::text;
use anyhow::Result;
use clap::{Args, ValueEnum};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::geodesic::{GeodesicOptions, GeodesicReport, geodesic};
use serde::Serialize;

const TOO_LARGE: &str = "coordinates are too large to measure distances";

/// The application.
pub(crate) struct Geodesic;

#[derive(Debug, Args, Serialize)]
pub(crate) struct GeodesicArgs {
    /// A vertex to measure from, counted from 0 in the order of the file; several times for the nearest of several
    #[arg(long = "source", value_name = "VERTEX", required = true)]
    sources: Vec<u32>,
    #[command(flatten)]
    #[serde(flatten)]
    propagation: GeodesicOptions,
    /// Which value other programs shall show: written once more as the column 'quality'
    #[arg(long, value_name = "VALUE", value_enum, default_value_t)]
    quality: Shown,
}

/// What `quality` holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Shown {
    /// The distance; the largest one where no source reaches
    #[default]
    Distance,
    /// No such column
    None,
}

impl Options for GeodesicArgs {
    fn check(&self) -> Result<(), Error> {
        self.propagation.check()
    }

    fn scale(&mut self, factor: f64) {
        self.propagation.scale(factor);
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    #[serde(flatten)]
    propagation: GeodesicReport,
    /// Vertices that no source reaches.
    unreached: u64,
}

impl Application for Geodesic {
    const NAME: &'static str = "geodesic";
    const SUMMARY: &'static str =
        "Compute the distance along the surface from one or several vertices";
    const HELP: &'static str =
        "Example: rxmesh-apps geodesic bunny.obj --source 0 --source 1200 -o distance.ply

Writes the column 'distance', in the mesh's unit of length: infinite where no source reaches; and
'quality', by which MeshLab and others colour.
Distances are approximate, about one percent off on good meshes
(Romero Calla, Fuentes Perez, Montenegro 2019).";
    const GIVES: Gives = Gives::Columns("values of vertices");
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("iterations", "rounds over the patches"),
        ("converged", "whether all distances settled"),
        ("max_distance", "largest finite distance"),
        ("reached", "vertices that a source reaches"),
        ("unreached", "vertices that none reaches"),
    ];

    type Options = GeodesicArgs;
    type Report = Report;
    type Frame = Fixed;

    fn run(frame: &mut Fixed, args: &GeodesicArgs) -> Result<Report> {
        let (mut distance, propagation) = frame.compute("measuring distances", |rx, x| {
            geodesic(rx, x, &args.sources, &args.propagation).map_err(explained(TOO_LARGE))
        })?;
        frame.add_columns([("distance", 1, &mut distance)])?;
        if args.quality == Shown::Distance {
            frame.show("distance")?;
        }
        let vertices = frame.mesh.vertex_count() as u64;
        Ok(Report {
            propagation,
            unreached: vertices - u64::from(propagation.reached),
        })
    }

    fn convert(report: &mut Report, unit: f64) {
        report.propagation.max_distance *= unit;
    }

    fn tell(report: &Report, _args: &GeodesicArgs, record: &Record) -> Told {
        let (done, unreached) = (&report.propagation, report.unreached);
        Told::new(format!(
            "geodesic distance: {} reached, largest {}, {} rounds",
            done.reached,
            text::number(done.max_distance),
            done.iterations
        ))
        // What is out of reach is known at the end only.
        .warn_if(done.converged && unreached > 0, || {
            format!(
                "{unreached} vertices are not connected to a source: their distance is infinite"
            )
        })
        .unless_done(done.converged, || {
            format!(
                "not converged: some distances still changed after {} rounds; {} holds the unfinished result",
                done.iterations,
                record.output_path()
            )
        })
    }
}
