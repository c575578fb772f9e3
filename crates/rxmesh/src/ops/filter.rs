//! `filter`: bilateral denoising.

use crate::error::explained;
use crate::on::{MeshReport, Several, Vertices};
use crate::{Group, Log, Message, Operation, Result, Volumes, text};
use rxmesh_host::algo::filter::{
    Closeness, FilterMesh, FilterOptions, FilterReport, FilterScheme, Similarity, bilateral_filter,
    bilateral_filter_batch,
};
use rxmesh_host::algo::lengths::mean_edge_length;
use rxmesh_host::kernels::topo::{Kind, Vertex};
use rxmesh_host::units;
use serde::Serialize;

const TOO_LARGE: &str = "coordinates are too large or too small to filter";

/// Report of [`Filter`].
#[derive(Debug, Serialize)]
pub struct FilterOpReport {
    /// Report of the algorithm; of several meshes, over all of them.
    #[serde(flatten)]
    pub done: FilterReport,
    /// Volumes before and after.
    #[serde(flatten)]
    pub volumes: Volumes,
    /// Report of each mesh, of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meshes: Vec<MeshReport<FilterMesh>>,
}

units!(FilterOpReport {
    done,
    volumes,
    meshes
});

/// Removes noise by bilateral filtering.
#[derive(Clone, Copy, Debug)]
pub struct Filter;

impl Operation for Filter {
    const NAME: &'static str = "filter";
    const GROUP: Group = Group::Smooth;
    const SUMMARY: &'static str = "Remove noise and keep features, by bilateral filtering";
    const HELP: &'static str = "Examples: rxmesh filter bunny.obj -o clean.obj
          rxmesh filter bunny.obj --noise 0.02 -o clean.obj
          rxmesh filter bunny.obj --sigma-c 0.05 --sigma-s 0.01 -o clean.ply

Normals of faces are filtered, by area, closeness and similarity, and vertices follow them (Zheng, Fu,
Au, Tai 2011), until the change is as large as the estimated noise: sharp edges and volume are kept,
and a mesh without noise hardly changes. With --scheme vertices each vertex moves along its normal
by the weighted mean height of its neighbours over its tangent plane (Fleishman, Drori, Cohen-Or 2003).
Normals of the input are recomputed.

With several meshes each has its own noise, and ends separately.";
    const SEVERAL: bool = true;
    const JOINS_SEAMS: bool = true;
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("scheme", "filtered quantity: `normals` or `vertices`"),
        ("iterations", "iterations done"),
        (
            "noise",
            "standard deviation of the noise across the surface, given or estimated",
        ),
        ("noise_over_edge", "the same over the mean length of edges"),
        (
            "large_balls",
            "balls over all iterations that did not fit shared memory",
        ),
        (
            "volume_before",
            "signed volume of the input; for an open mesh that of the cones from its middle",
        ),
        ("volume_after", "the same of the output"),
        (
            "meshes",
            "for several meshes `path`, `iterations`, `noise` and `noise_over_edge` of each; those of the report are \
            then the largest",
        ),
    ];

    type Options = FilterOptions;
    type Report = FilterOpReport;
    type On = Vertices;

    fn run(
        on: &mut Vertices,
        options: &FilterOptions,
        log: &mut dyn Log,
    ) -> Result<FilterOpReport> {
        let before = on.volume()?;
        announce(on, options, log)?;
        let several = on.several.clone();
        let (done, meshes) = on.move_vertices(log, "filtering", |rx, x| {
            let Some(Several { names, labels }) = several else {
                let done = bilateral_filter(rx, x, options).map_err(explained(TOO_LARGE))?;
                return Ok((done, Vec::new()));
            };
            let labels = rx.attribute_from::<Vertex, u32>(&labels)?;
            let each = vec![*options; names.len()];
            let report = bilateral_filter_batch(rx, x, &labels, &each);
            let report = report.map_err(explained(TOO_LARGE))?;
            let member = |(path, done)| MeshReport { path, done };
            let members = names.into_iter().zip(report.meshes).map(member);
            Ok((report.total, members.collect()))
        })?;
        let volumes = Volumes::new(before, on.volume()?);
        Ok(FilterOpReport {
            done,
            volumes,
            meshes,
        })
    }

    fn describe(report: &FilterOpReport, options: &FilterOptions) -> Message {
        let (report, volumes, meshes) = (&report.done, &report.volumes, &report.meshes);
        let of = match meshes.len() {
            0 => noise(report.noise, report.noise_over_edge),
            _ => "noise of each".to_owned(),
        };
        let iterations = match meshes.len() {
            0 => format!("{} iterations", report.iterations),
            _ => format!("{} iterations at most", report.iterations),
        };
        let line = match report.scheme {
            FilterScheme::Normals => {
                format!("bilateral filter of normals: {of}, {iterations}")
            }
            FilterScheme::Vertices => {
                let closeness = match options.sigma_c.unwrap_or_default() {
                    Closeness::Given(length) => text::number(length),
                    rule => rule.to_string(),
                };
                let similarity = match options.sigma_s.unwrap_or_default() {
                    Similarity::Given(length) => text::number(length),
                    Similarity::Ball => "each ball's deviation".to_owned(),
                    Similarity::Noise => of,
                };
                format!(
                    "bilateral filter of vertices: {iterations}, sigma_c {closeness}, sigma_s {similarity}"
                )
            }
        };
        let each = meshes.iter().map(|m| {
            let noise = noise(m.done.noise, m.done.noise_over_edge);
            format!("\n{}: {noise}, {} iterations", m.path, m.done.iterations)
        });
        let line = line + &each.collect::<String>();
        Message::new(line + &volumes.line())
    }
}

fn noise(length: f64, over_edge: f64) -> String {
    format!("noise {} ({over_edge:.3} edges)", text::number(length))
}

/// Number of neighbours that take about ten seconds.
const MANY: f64 = 5e7;

/// Warns in advance of large balls.
fn announce(on: &Vertices, options: &FilterOptions, log: &mut dyn Log) -> Result<()> {
    let vertices = on.rx.count(Kind::Vertex);
    let edge = mean_edge_length(&on.rx, &on.x)?;
    let all = options.neighbours(vertices, edge);
    if all > MANY {
        let each = all / f64::from(vertices) / f64::from(options.iterations());
        log.warn(format!(
            "sigma_c takes in about {each:.0} vertices around each of {vertices}, which takes long; the time grows \
            with its square"
        ));
    }
    Ok(())
}
