//! Queries that write out their results.

use anyhow::Result;
use rxmesh_host::engine::Engine;
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::query::prepare::WritePrepared;
use rxmesh_kernels::query::rows::{CountRows, WriteRows};
use rxmesh_kernels::query::{
    Diamond, EEThroughFaces, EF, EV, FE, FF, FV, OrientedVV, Relation, VE, VF, VV,
};
use rxmesh_kernels::topo::{Element, Kind};
use std::marker::PhantomData;

use super::memory::BYTES_ROW;
use super::{Measured, Row, TriangleBench};
use crate::floor::TopologyPart::{self, Ev, Fe, Ribbon};
use crate::measure;
use crate::mesh::Input;
use crate::reference::{Against, Goal};

/// Makes the row of a query: its name, its description, the relation, the parts of the topology that it must read, the
/// same in words, and what it writes; then the name of RXMesh's query and the goal at 1.28 million faces. Edges and
/// faces of the ribbon are read where a row of an owned element depends on them.
macro_rules! query {
    ($name:literal, $about:literal, $relation:ty, $parts:expr, $reads:literal, $writes:literal) => {
        Row::time($name, $about, |b| measure::<$relation>(b, $parts)).counts(
            "launch", $reads, $writes,
        )
    };
    (
        $name:literal, $about:literal, $relation:ty, $parts:expr, $reads:literal, $writes:literal,
        $theirs:literal, $($goal:literal)?
    ) => {
        query!($name, $about, $relation, $parts, $reads, $writes)
            .against(&[Against::rxmesh(&[$theirs])])
            .goals(&[$(Goal::gpu(1_280_000, $goal))?])
    };
}

macro_rules! prepared {
    ($name:literal, $about:literal, $relation:ty, $writes:literal, $goal:literal) => {
        Row::time($name, $about, measure_prepared::<$relation>)
            .counts("launch", "the relation's table, ribbon", $writes)
            .goals(&[Goal::gpu(1_280_000, $goal)])
    };
}

const VV_ROW: Row = query!(
    "vv",
    "one-rings written out",
    VV,
    &[Ev, Ribbon(Kind::Vertex)],
    "EV, ribbon V",
    "2 E ids, V starts"
)
.against(&[
    Against::rxmesh(&["query VV, store"]),
    Against::cpu("pmp", &["vv, pmp"]),
    Against::cpu("OpenMesh", &["vv, openmesh"]),
    Against::cpu("CGAL", &["vv, cgal"]),
    Against::cpu("geometry-central", &["vv, geometry-central"]),
])
.goals(&[Goal::gpu(1_280_000, 0.015), Goal::cpu(1_280_000, 35.0)]);

const VE_ROW: Row = query!(
    "ve",
    "edges of each vertex written out",
    VE,
    &[Ev, Ribbon(Kind::Edge)],
    "EV, ribbon E",
    "2 E ids, V starts",
    "query VE, store",
    0.015
);

const VF_ROW: Row = query!(
    "vf",
    "faces of each vertex written out",
    VF,
    &[Ev, Fe, Ribbon(Kind::Face)],
    "EV, FE, ribbon F",
    "3 F ids, V starts",
    "query VF, store",
    0.015
);

const EV_ROW: Row = query!(
    "ev",
    "vertices of each edge written out",
    EV,
    &[Ev, Ribbon(Kind::Vertex)],
    "EV, ribbon V",
    "2 E ids",
    "query EV, store",
    0.012
);

const EF_ROW: Row = query!(
    "ef",
    "faces of each edge written out",
    EF,
    &[Fe, Ribbon(Kind::Face)],
    "FE, ribbon F",
    "3 F ids, E starts",
    "query EF, store",
    0.020
);

const FV_ROW: Row = query!(
    "fv",
    "vertices of each face written out",
    FV,
    &[Ev, Fe, Ribbon(Kind::Vertex)],
    "EV, FE, ribbon V",
    "3 F ids",
    "query FV, store",
    0.012
);

const FE_ROW: Row = query!(
    "fe",
    "edges of each face written out",
    FE,
    &[Fe, Ribbon(Kind::Edge)],
    "FE, ribbon E",
    "3 F ids",
    "query FE, store",
    0.012
);

const FF_ROW: Row = query!(
    "ff",
    "faces that share an edge with each face, written out",
    FF,
    &[Fe, Ribbon(Kind::Face)],
    "FE, ribbon F",
    "3 F ids, F starts",
    "query FF, store",
    0.020
);

pub(super) const ROWS: &[Row] = &[
    VV_ROW,
    VV_ROW.on("vv-shuffled", Input::Shuffled),
    VV_ROW.on("vv-sorted", Input::Sorted),
    query!(
        "oriented-vv",
        "the same in counter-clockwise order",
        OrientedVV,
        &[Ev, Fe, Ribbon(Kind::Vertex)],
        "EV, FE, ribbon V",
        "2 E ids, V starts",
        "query VV_oriented, store",
    ),
    VE_ROW,
    VE_ROW.on("ve-shuffled", Input::Shuffled),
    VE_ROW.on("ve-sorted", Input::Sorted),
    VF_ROW,
    VF_ROW.on("vf-shuffled", Input::Shuffled),
    VF_ROW.on("vf-sorted", Input::Sorted),
    EV_ROW,
    EV_ROW.on("ev-shuffled", Input::Shuffled),
    EV_ROW.on("ev-sorted", Input::Sorted),
    query!(
        "ee",
        "edges that share a face with each edge, written out",
        EEThroughFaces,
        &[Fe, Ribbon(Kind::Edge)],
        "FE, ribbon E",
        "6 F ids, E starts"
    ),
    EF_ROW,
    EF_ROW.on("ef-shuffled", Input::Shuffled),
    EF_ROW.on("ef-sorted", Input::Sorted),
    FV_ROW,
    FV_ROW.on("fv-shuffled", Input::Shuffled),
    FV_ROW.on("fv-sorted", Input::Sorted),
    FE_ROW,
    FE_ROW.on("fe-shuffled", Input::Shuffled),
    FE_ROW.on("fe-sorted", Input::Sorted),
    FF_ROW,
    FF_ROW.on("ff-shuffled", Input::Shuffled),
    FF_ROW.on("ff-sorted", Input::Sorted),
    query!(
        "diamond",
        "each edge's two vertices and two opposite vertices",
        Diamond,
        &[Ev, Fe, Ribbon(Kind::Vertex)],
        "EV, FE, ribbon V",
        "4 E ids",
        "query EVDiamond, store",
        0.020
    ),
    prepared!(
        "vv-prepared",
        "one-rings written out from the prepared relation",
        VV,
        "2 E ids",
        0.011
    ),
    prepared!(
        "ve-prepared",
        "edges of each vertex, from the prepared relation",
        VE,
        "2 E ids",
        0.011
    ),
    prepared!(
        "vf-prepared",
        "faces of each vertex, from the prepared relation",
        VF,
        "3 F ids",
        0.011
    ),
    prepared!(
        "ff-prepared",
        "faces next to each face, from the prepared relation",
        FF,
        "3 F ids",
        0.020
    ),
    prepared!(
        "diamond-prepared",
        "edge diamonds, from the prepared relation",
        Diamond,
        "4 E ids",
        0.020
    ),
];

/// Makes the rows of a query on patches of five sizes, which are measured when they are asked for.
macro_rules! on_patches {
    ($name:literal, $row:ident: $($size:literal)*) => {
        &[$($row.on_patches(concat!($name, "-patches-", $size), $size)),*]
    };
}

/// The eight queries on patches of five sizes (RXMesh 2021, figure 5b).
pub(super) const PATCHES: &[&[Row]] = &[
    on_patches!("vv", VV_ROW: 256 384 512 768 1024),
    on_patches!("ve", VE_ROW: 256 384 512 768 1024),
    on_patches!("vf", VF_ROW: 256 384 512 768 1024),
    on_patches!("fv", FV_ROW: 256 384 512 768 1024),
    on_patches!("fe", FE_ROW: 256 384 512 768 1024),
    on_patches!("ff", FF_ROW: 256 384 512 768 1024),
    on_patches!("ev", EV_ROW: 256 384 512 768 1024),
    on_patches!("ef", EF_ROW: 256 384 512 768 1024),
    on_patches!("bytes", BYTES_ROW: 256 384 512 768 1024),
];

fn measure<R: Relation>(b: &TriangleBench<'_>, parts: &[TopologyPart]) -> Result<Measured>
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
{
    let rows = b.rx.allocate_rows::<R>()?;
    let times = measure::launches(b.engine, b.effort, || Ok(b.rx.query_into(&rows)?))?;
    let kind = R::Source::KIND;
    let written = [
        (4 * rows.values().len() as u64, "ids written"),
        (4 * rows.starts().len() as u64, "starts written"),
    ];
    let floor = b.parts.floor(
        parts,
        &written[..1 + usize::from(!rows.starts().is_empty())],
    );
    let kernel = WriteRows::<R> {
        starts: rows.starts().global_mut(),
        values: rows.values().global_mut(),
        relation: PhantomData,
    };
    let mut measured = Measured {
        per: plural(kind),
        elements: b.count(kind),
        floor,
        times,
        kernels: vec![b.patch_kernel(&kernel)],
        ..Measured::default()
    };
    measured
        .figures
        .insert("ids".to_owned(), rows.values().len().into());
    // Engines must agree on it: the patches are the same, and rows are in the order of local ids.
    measured.figures.insert(
        "checksum".to_owned(),
        checksum(b.engine, &rows.read()?.values).into(),
    );
    Ok(measured)
}

fn measure_prepared<R: Relation>(b: &TriangleBench<'_>) -> Result<Measured>
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
    WritePrepared<R>: Entry,
{
    let rows = b.rx.allocate_rows::<R>()?;
    // The starts are written on the fly, once.
    b.rx.query_into(&rows)?;
    let times = measure::launches(b.engine, b.effort, || {
        Ok(b.rx.query_prepared_into(&rows)?)
    })?;
    let kind = R::Source::KIND;
    let floor = b.parts.floor(
        &[Ribbon(R::Target::KIND)],
        &[
            (b.prepared_bytes(R::NAME), "table read"),
            (4 * rows.values().len() as u64, "ids written"),
        ],
    );
    let kernel = WritePrepared::<R> {
        starts: rows.starts().global(),
        values: rows.values().global_mut(),
        relation: b.rx.prepare()?,
    };
    let mut measured = Measured {
        per: plural(kind),
        elements: b.count(kind),
        floor,
        times,
        kernels: vec![b.patch_kernel(&kernel)],
        ..Measured::default()
    };
    measured.figures.insert(
        "checksum".to_owned(),
        checksum(b.engine, &rows.read()?.values).into(),
    );
    Ok(measured)
}

fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Vertex => "vertex",
        Kind::Edge => "edge",
        Kind::Face => "face",
        Kind::Cell => "cell",
    }
}

/// Computes a sum that depends on the order of the ids, as text: JSON numbers do not hold 64 bits.
fn checksum(_: &Engine, ids: &[u32]) -> String {
    let sum = ids.iter().fold(0u64, |sum, &id| {
        sum.wrapping_mul(0x0100_0000_01b3)
            .wrapping_add(u64::from(id))
    });
    format!("{sum:016x}")
}
