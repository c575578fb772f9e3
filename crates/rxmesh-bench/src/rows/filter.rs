//! Bilateral denoising.

use std::cell::RefCell;

use anyhow::{Result, ensure};
use rxmesh_host::algo::filter::{
    Closeness, FilterOptions, FilterScheme, Similarity, bilateral_filter,
};
use rxmesh_host::algo::lengths::mean_edge_length;
use rxmesh_kernels::topo::Kind;

use super::smooth::steps;
use super::{Measured, Row, TriangleBench};
use crate::floor::TopologyPart::{Ev, Fe, Ribbon};
use crate::reference::{Against, Goal};

/// Iterations of the two runs whose difference is taken.
pub(super) const FILTERINGS: [u32; 2] = [1, 3];

const READS: &str =
    "EV, FE, ribbon V, positions 12 V; one-rings 8 E + 4 V, positions and normals 24 V";
const WRITES: &str = "normals 12 V; positions 12 V";

pub(super) const ROWS: &[Row] = &[
    Row::time(
        "filter-iteration",
        "bilateral filter: one iteration, balls by the shortest edge as RXMesh 2021",
        |b| filtering(b, Closeness::ShortestEdge),
    )
    .counts(
        "difference of calls of 3 and 1 iterations over 2",
        READS,
        WRITES,
    )
    .against(&[Against::rxmesh(&["bilateral filter, iteration"])])
    .goals(&[Goal::gpu(1_280_000, 3.0)]),
    Row::time(
        "filter-mean",
        "the same with balls by the mean edge, the scheme's default",
        |b| filtering(b, Closeness::MeanEdge),
    )
    .counts(
        "difference of calls of 3 and 1 iterations over 2",
        READS,
        WRITES,
    ),
    Row::time(
        "filter-normals",
        "bilateral filter of normals: one iteration, as the library's default",
        of_normals,
    )
    .counts(
        "difference of calls of 3 and 1 iterations over 2",
        "FE, EV, ribbons V and F, positions 48 V; normals, areas, centres 96 F; moves 20 V",
        "normals, areas, centres 80 F; positions 24 V, moves 20 V",
    ),
];

/// Measures iterations with noise so large that they do not end early.
fn of_normals(b: &TriangleBench<'_>) -> Result<Measured> {
    let noise = mean_edge_length(b.rx, &b.positions()?)?;
    let times = steps(b, FILTERINGS, |x, iterations| {
        let options = FilterOptions::default().with(|o| {
            o.iterations = Some(iterations);
            o.noise = Some(noise);
        });
        let report = bilateral_filter(b.rx, x, &options)?;
        ensure!(report.iterations == iterations, "{report:?}");
        Ok(())
    })?;
    let (v, f) = (b.count(Kind::Vertex), b.count(Kind::Face));
    let floor = b.parts.floor(
        &[Ev, Fe, Ribbon(Kind::Vertex), Ribbon(Kind::Face)],
        &[
            (48 * v, "positions read"),
            (24 * v, "positions written"),
            (96 * f, "normals, areas and centres read"),
            (80 * f, "normals, areas and centres written"),
            (40 * v, "moves read and written"),
        ],
    );
    Ok(b.of_vertices(floor, times))
}

fn filtering(b: &TriangleBench<'_>, sigma_c: Closeness) -> Result<Measured> {
    let large = RefCell::new(0);
    let times = steps(b, FILTERINGS, |x, iterations| {
        let options = FilterOptions::default().with(|o| {
            o.scheme = Some(FilterScheme::Vertices);
            o.iterations = Some(iterations);
            o.sigma_c = Some(sigma_c);
            o.sigma_s = Some(Similarity::Ball);
        });
        let report = bilateral_filter(b.rx, x, &options)?;
        ensure!(report.iterations == iterations, "{report:?}");
        *large.borrow_mut() = report.large_balls;
        Ok(())
    })?;
    let (v, e) = (b.count(Kind::Vertex), b.count(Kind::Edge));
    // Normals first, then the balls over the one-rings, which are written only once.
    let floor = b.parts.floor(
        &[Ev, Fe, Ribbon(Kind::Vertex)],
        &[
            (24 * v, "positions read, normals written"),
            (8 * e + 4 * v, "one-rings read"),
            (24 * v, "positions and normals read"),
            (12 * v, "positions written"),
        ],
    );
    let mut measured = b.of_vertices(floor, times);
    measured
        .figures
        .insert("large_balls".to_owned(), large.into_inner().into());
    Ok(measured)
}
