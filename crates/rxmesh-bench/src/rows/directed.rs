//! Parallel directed edges, which RXMesh 2021 compares with: queries, normals, an iteration of mean curvature flow and
//! of the bilateral filter, memory. Rows are in two layouts: `-directed` is the text's, with the half-edges of an edge
//! side by side; `-directed-faces` that of Campagna et al., with those of a face.

use std::cell::RefCell;

use anyhow::Result;
use rxmesh_host::algo::lengths::mean_edge_length;
use rxmesh_kernels::topo::Kind;
use serde_json::Map;

use super::filter::FILTERINGS;
use super::mcf::{time_iterations, time_step};
use super::{Measured, Row, TriangleBench};
use crate::directed::flow::{DirectedFilter, DirectedFlow, NewDirection};
use crate::directed::fronts::DirectedFronts;
use crate::directed::layout::{
    DirectedQuery, DirectedRows, HalfEdgeArrays, PairedArrays, TripleArrays,
};
use crate::floor::Floor;
use crate::measure::{self, Times, median};
use crate::mesh::Input;
use crate::record::Unit;

/// Rows of the eight queries in one layout, each on the run's input, shuffled and sorted.
macro_rules! queries {
    ($layout:ty, $end:literal, $about:literal: $($query:ident $name:literal $writes:literal;)*) => {
        &[$({
            const ROW: Row = Row::time(concat!($name, $end), $about, |b| {
                query::<$layout>(b, DirectedQuery::$query)
            })
            .counts("launch, starts of rows known", "directed edges", $writes)
            .of_rival();
            &[
                ROW,
                ROW.on(concat!($name, $end, "-shuffled"), Input::Shuffled),
                ROW.on(concat!($name, $end, "-sorted"), Input::Sorted),
            ]
        }),*]
    };
}

/// Queries in the text's layout.
pub(super) const PAIRED: &[&[Row]] = queries! { PairedArrays, "-directed",
    "the relation over parallel directed edges in the layout of RXMesh 2021: half-edges of an edge side by side":
    Vv "vv" "2 E ids";
    Ve "ve" "2 E ids";
    Vf "vf" "3 F ids";
    Fv "fv" "3 F ids";
    Fe "fe" "3 F ids";
    Ff "ff" "3 F ids, no starts";
    Ev "ev" "2 E ids";
    Ef "ef" "2 E ids, no starts";
};

/// Queries in the layout of Campagna et al.
pub(super) const TRIPLE: &[&[Row]] = queries! { TripleArrays, "-directed-faces",
    "the relation over parallel directed edges in the layout of Campagna et al.: half-edges of a face side by side":
    Vv "vv" "2 E ids";
    Ve "ve" "2 E ids";
    Vf "vf" "3 F ids";
    Fv "fv" "3 F ids";
    Fe "fe" "3 F ids";
    Ff "ff" "3 F ids, no starts";
    Ev "ev" "2 E ids";
    Ef "ef" "2 E ids, no starts";
};

const NORMALS: Row = Row::time(
    "normals-directed",
    "vertex normals over parallel directed edges, a walk around each vertex",
    normals::<PairedArrays>,
)
.counts("launch", "directed edges, positions 12 V", "normals 12 V")
.of_rival();

const MCF: Row = Row::time(
    "mcf-iteration-directed",
    "mean curvature flow over parallel directed edges: one conjugate-gradient iteration, weights computed anew",
    iteration::<PairedArrays>,
)
.counts(
    "32 iterations launched one after the other, over 32; the faster of two ways to the new direction",
    "directed edges, positions, vectors",
    "four vectors",
)
.of_rival();

const FILTER: Row = Row::time(
    "filter-iteration-directed",
    "bilateral filter over parallel directed edges: one iteration, balls by the shortest edge",
    filter::<PairedArrays>,
)
.counts(
    "difference of calls of 3 and 1 iterations over 2",
    "directed edges, positions and normals",
    "normals 12 V; positions 12 V",
)
.of_rival();

const GEODESIC: Row = Row::time(
    "geodesic-directed",
    "distances from one vertex by parallel fronts over directed edges (Romero Calla et al. 2019), on the wall clock",
    geodesic::<PairedArrays>,
)
.counts(
    "all steps with the host's part, levels made before, wall clock",
    "",
    "no floor: the steps depend on the mesh",
)
.of_rival();

const BYTES: Row = Row::amount(
    "bytes-directed",
    "memory of parallel directed edges",
    bytes::<PairedArrays>,
)
.counts("no time: bytes a face of the arrays", "", "")
.of_rival();

pub(super) const ROWS: &[Row] = &[
    NORMALS,
    NORMALS.again("normals-directed-faces", normals::<TripleArrays>),
    MCF,
    MCF.again("mcf-iteration-directed-faces", iteration::<TripleArrays>),
    FILTER,
    FILTER.again("filter-iteration-directed-faces", filter::<TripleArrays>),
    GEODESIC,
    GEODESIC.again("geodesic-directed-faces", geodesic::<TripleArrays>),
    BYTES,
    BYTES.again("bytes-directed-faces", bytes::<TripleArrays>),
];

fn query<L: HalfEdgeArrays>(b: &TriangleBench<'_>, query: DirectedQuery) -> Result<Measured> {
    let mesh = b.directed()?;
    let layout = L::upload(b.engine, mesh)?;
    let rows = DirectedRows::new(b.engine, mesh, query)?;
    let times = measure::launches(b.engine, b.effort, || Ok(rows.launch(b.engine, &layout)?))?;
    let per = match query {
        DirectedQuery::Vv | DirectedQuery::Ve | DirectedQuery::Vf => "vertex",
        DirectedQuery::Fv | DirectedQuery::Fe | DirectedQuery::Ff => "face",
        DirectedQuery::Ev | DirectedQuery::Ef => "edge",
    };
    let measured = Measured::times(per, rows.sources.into(), times);
    Ok(measured.with("ids", rows.values.len()))
}

fn normals<L: HalfEdgeArrays>(b: &TriangleBench<'_>) -> Result<Measured> {
    let layout = L::upload(b.engine, b.directed()?)?;
    let filter = DirectedFilter::new(b.engine, &layout, &b.mesh.positions)?;
    let times = measure::launches(b.engine, b.effort, || filter.compute_normals())?;
    Ok(b.of_vertices(Floor::default(), times))
}

/// Times an iteration with the step of `mcf-iteration`, for each way to the new direction, and returns the faster.
fn iteration<L: HalfEdgeArrays>(b: &TriangleBench<'_>) -> Result<Measured> {
    let layout = L::upload(b.engine, b.directed()?)?;
    let step = time_step(mean_edge_length(b.rx, &b.positions()?)?);
    let (positions, faces) = (&b.mesh.positions, &b.mesh.faces);
    let mut tried = Map::new();
    let mut best: Option<(Times, f64)> = None;
    for way in [NewDirection::Apart, NewDirection::InProduct] {
        let (times, residual) = time_iterations(
            b,
            || DirectedFlow::new(b.engine, &layout, way, positions, faces, step),
            DirectedFlow::iterate,
            DirectedFlow::progress,
        )?;
        let ms = median(&times.ms);
        tried.insert(format!("{way:?}"), ms.into());
        if best
            .as_ref()
            .is_none_or(|(least, _)| ms < median(&least.ms))
        {
            best = Some((times, residual));
        }
    }
    let (times, residual) = best.unwrap_or_default();
    let measured = b.of_vertices(Floor::default(), times);
    Ok(measured.with("residual", residual).with("tried", tried))
}

fn filter<L: HalfEdgeArrays>(b: &TriangleBench<'_>) -> Result<Measured> {
    let layout = L::upload(b.engine, b.directed()?)?;
    let filter = RefCell::new(DirectedFilter::new(b.engine, &layout, &b.mesh.positions)?);
    let times = measure::repetitions(
        b.engine,
        b.effort,
        FILTERINGS,
        || filter.borrow_mut().reset(),
        |n| (0..n).try_for_each(|_| filter.borrow_mut().iterate()),
    )?;
    let large = filter.into_inner().large_balls;
    let measured = b.of_vertices(Floor::default(), times);
    Ok(measured.with("large_balls", large))
}

fn geodesic<L: HalfEdgeArrays>(b: &TriangleBench<'_>) -> Result<Measured> {
    let mesh = b.directed()?;
    let layout = L::upload(b.engine, mesh)?;
    let mut fronts = DirectedFronts::new(b.engine, &layout, mesh, &b.mesh.positions, 0)?;
    let mut steps = fronts.propagate()?;
    let ms = b.effort.samples(|| {
        fronts.reset()?;
        b.engine.synchronize()?;
        measure::wall_ms(b.engine, || {
            steps = fronts.propagate()?;
            Ok(())
        })
    })?;
    let times = Times {
        ms,
        ..Times::default()
    };
    Ok(b.of_vertices(Floor::default(), times).with("steps", steps))
}

fn bytes<L: HalfEdgeArrays>(b: &TriangleBench<'_>) -> Result<Measured> {
    let bytes = L::upload(b.engine, b.directed()?)?.bytes() as f64;
    let value = bytes / b.count(Kind::Face) as f64;
    Ok(Measured::amount(Unit::BytesAFace, vec![value], Map::new()))
}
