//! The rows of the table: what is measured, and on what.

mod amounts;
mod apps;
mod build;
mod components;
mod copy;
mod edit;
mod mcf;
mod query;
mod spring;
mod surface;

use std::cell::OnceCell;

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::edit::Claims;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::kernel::{BlockKernel, Entry, PatchKernel};
use rxmesh_kernels::topo::Kind;
#[cfg(feature = "speculative")]
use rxmesh_speculative::Speculative;
use serde_json::{Map, Value};

use crate::conflicts::Conflicts;
use crate::floor::{Floor, Parts};
use crate::measure::{Effort, Times};
use crate::mesh::{Order, Size};
use crate::record::{Amount, KernelRecord, Run, Unit};
use crate::reference;

pub(crate) use build::build;
pub(crate) use copy::copy;

/// A row of the table.
pub(crate) struct Row {
    /// Its name on the command line and in records.
    pub(crate) name: &'static str,
    /// What it measures.
    pub(crate) about: &'static str,
    /// The order of the input, where it is not that of the run: the row has its own mesh then.
    pub(crate) order: Option<Order>,
    /// The engine of edits. Rows of the speculative one have a mesh of their own, with the patches that suit it.
    pub(crate) conflicts: Conflicts,
    /// The measurement.
    pub(crate) work: Work,
}

/// How a row is measured.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// While the mesh is made.
    Build,
    /// On the mesh.
    On(fn(&Bench<'_>) -> Result<Measured>),
    /// On the mesh, and no time.
    Amount(fn(&Bench<'_>) -> Result<Counted>),
}

const fn row(
    name: &'static str,
    about: &'static str,
    run: fn(&Bench<'_>) -> Result<Measured>,
) -> Row {
    Row {
        name,
        about,
        order: None,
        conflicts: Conflicts::Claims,
        work: Work::On(run),
    }
}

/// A row that is no time.
const fn amount(
    name: &'static str,
    about: &'static str,
    run: fn(&Bench<'_>) -> Result<Counted>,
) -> Row {
    Row {
        name,
        about,
        order: None,
        conflicts: Conflicts::Claims,
        work: Work::Amount(run),
    }
}

/// The row on the speculative engine.
#[cfg(feature = "speculative")]
const fn speculative(row: Row) -> Row {
    Row {
        conflicts: Conflicts::Speculative,
        ..row
    }
}

/// The row for another order of the input.
const fn ordered(name: &'static str, order: Order, row: &Row) -> Row {
    Row {
        name,
        about: row.about,
        order: Some(order),
        conflicts: row.conflicts,
        work: row.work,
    }
}

const BUILD: Row = Row {
    name: "build",
    about: "faces in memory to mesh on the engine, upload included",
    order: None,
    conflicts: Conflicts::Claims,
    work: Work::Build,
};
const ONE_RINGS: Row = row("vv", "one-rings written out", query::vv);
const NORMALS: Row = row("normals", "vertex normals (Max 1999)", apps::normals);
const MCF_ITERATION: Row = row(
    "mcf-iteration",
    "mean curvature flow: one conjugate-gradient iteration, weights computed anew",
    mcf::matrix_free,
);

/// All rows, in the order of the table.
pub(crate) const ROWS: &[Row] = &[
    BUILD,
    ONE_RINGS,
    row(
        "oriented-vv",
        "the same in counter-clockwise order",
        query::oriented_vv,
    ),
    row("ve", "edges of each vertex written out", query::ve),
    row("vf", "faces of each vertex written out", query::vf),
    row("ev", "vertices of each edge written out", query::ev),
    row(
        "ee",
        "edges that share a face with each edge, written out",
        query::ee,
    ),
    row("ef", "faces of each edge written out", query::ef),
    row("fv", "vertices of each face written out", query::fv),
    row("fe", "edges of each face written out", query::fe),
    row(
        "ff",
        "faces that share an edge with each face, written out",
        query::ff,
    ),
    row(
        "diamond",
        "each edge's two vertices and two opposite vertices",
        query::diamond,
    ),
    row(
        "vv-prepared",
        "one-rings written out from the prepared relation",
        query::vv_prepared,
    ),
    row(
        "ve-prepared",
        "edges of each vertex, from the prepared relation",
        query::ve_prepared,
    ),
    row(
        "vf-prepared",
        "faces of each vertex, from the prepared relation",
        query::vf_prepared,
    ),
    row(
        "ff-prepared",
        "faces next to each face, from the prepared relation",
        query::ff_prepared,
    ),
    row(
        "diamond-prepared",
        "edge diamonds, from the prepared relation",
        query::diamond_prepared,
    ),
    NORMALS,
    row(
        "normals-gather",
        "the same, gathered over prepared corners",
        apps::normals_gather,
    ),
    MCF_ITERATION,
    row(
        "mcf-iteration-assembled",
        "the same with the weights kept as a patch-local sparse matrix",
        mcf::assembled,
    ),
    row(
        "mcf-setup",
        "mean curvature flow: areas, weights and first residual, on the wall clock",
        surface::mcf_setup,
    ),
    row(
        "mcf",
        "mean curvature flow: a whole solve to 1e-6 on the wall clock",
        mcf::solve,
    ),
    row(
        "dot",
        "dot product of two vector attributes, kernels only",
        apps::dot,
    ),
    row(
        "dot-call",
        "the same as the library's call, on the wall clock",
        apps::dot_call,
    ),
    row(
        "smooth-step",
        "Laplacian smoothing: one step, uniform weights",
        surface::smooth_step,
    ),
    row(
        "smooth-cotangent",
        "the same with cotangent weights",
        surface::smooth_cotangent,
    ),
    row(
        "filter-iteration",
        "bilateral filter: one iteration, balls by the shortest edge as RXMesh 2021",
        surface::filter_iteration,
    ),
    row(
        "filter-mean",
        "the same with balls by the mean edge, the library's default",
        surface::filter_mean,
    ),
    row(
        "curvature",
        "Gaussian and mean curvature with their ranges and totals, on the wall clock",
        surface::curvatures,
    ),
    row(
        "levels",
        "topological level sets from one vertex, on the wall clock",
        surface::levels,
    ),
    row(
        "geodesic",
        "distances from one vertex, level sets included, on the wall clock",
        surface::geodesics,
    ),
    row(
        "components",
        "connected components through edges: labels of all faces, wall clock",
        components::through_edges,
    ),
    row(
        "spring-gather",
        "mass-spring system: one explicit step, forces gathered over VV",
        spring::gather,
    ),
    row(
        "spring-scatter",
        "the same, forces scattered over EV",
        spring::scatter,
    ),
    row(
        "spring-implicit",
        "mass-spring system: one implicit step of 10 conjugate-gradient iterations",
        spring::implicit,
    ),
    row(
        "edit-open-close",
        "an edit session opened and closed, nothing changed, on the wall clock",
        edit::open_close,
    ),
    row(
        "delaunay",
        "edge flips to a Delaunay mesh, noise of a quarter edge, on the wall clock",
        edit::flips::<Claims>,
    ),
    #[cfg(feature = "speculative")]
    speculative(row(
        "delaunay-speculative",
        "the same on the speculative engine",
        edit::flips::<Speculative>,
    )),
    row(
        "remesh",
        "isotropic remeshing, 3 iterations, mean length, on the wall clock",
        edit::remeshing::<Claims>,
    ),
    #[cfg(feature = "speculative")]
    speculative(row(
        "remesh-speculative",
        "the same on the speculative engine",
        edit::remeshing::<Speculative>,
    )),
    row(
        "simplify",
        "quadric simplification to a tenth, on the wall clock",
        edit::simplification,
    ),
    row(
        "track",
        "surface tracking: a frame of advection and improvement, on the wall clock",
        edit::tracking::<Claims>,
    ),
    #[cfg(feature = "speculative")]
    speculative(row(
        "track-speculative",
        "the same on the speculative engine",
        edit::tracking::<Speculative>,
    )),
    amount(
        "slowdown",
        "a mean curvature flow iteration after Delaunay flips and closing, over one before",
        amounts::slowdown::<Claims>,
    ),
    #[cfg(feature = "speculative")]
    speculative(amount(
        "slowdown-speculative",
        "the same after flips on the speculative engine",
        amounts::slowdown::<Speculative>,
    )),
    #[cfg(feature = "speculative")]
    speculative(amount(
        "wasted",
        "visits of patches that do nothing, Delaunay flips on the speculative engine",
        amounts::wasted,
    )),
    #[cfg(feature = "speculative")]
    speculative(amount(
        "wasted-all",
        "the same when every visit locks all neighbours, needed or not",
        amounts::wasted_all,
    )),
    amount(
        "bytes",
        "memory of the static mesh",
        amounts::bytes::<Claims>,
    ),
    #[cfg(feature = "speculative")]
    speculative(amount(
        "bytes-speculative",
        "memory of the speculative engine's patches, with room to grow and spare patches",
        amounts::bytes::<Speculative>,
    )),
    ordered("build-shuffled", Order::Shuffled, &BUILD),
    ordered("vv-shuffled", Order::Shuffled, &ONE_RINGS),
    ordered("normals-shuffled", Order::Shuffled, &NORMALS),
    ordered("mcf-iteration-shuffled", Order::Shuffled, &MCF_ITERATION),
    ordered("build-sorted", Order::Sorted, &BUILD),
    ordered("vv-sorted", Order::Sorted, &ONE_RINGS),
    ordered("normals-sorted", Order::Sorted, &NORMALS),
    ordered("mcf-iteration-sorted", Order::Sorted, &MCF_ITERATION),
];

/// What a row measures on.
pub(crate) struct Bench<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) rx: &'a RxMesh,
    pub(crate) mesh: &'a TriMesh,
    /// Positions with noise, made once for the rows that want them.
    pub(crate) jittered: OnceCell<Vec<Vec3>>,
    pub(crate) parts: Parts,
    pub(crate) effort: Effort,
}

/// What a row gives.
#[derive(Default)]
pub(crate) struct Measured {
    pub(crate) per: &'static str,
    pub(crate) elements: u64,
    pub(crate) floor: Floor,
    pub(crate) times: Times,
    pub(crate) kernels: Vec<KernelRecord>,
    pub(crate) figures: Map<String, Value>,
}

/// What a row gives that is no time.
#[derive(Default)]
pub(crate) struct Counted {
    pub(crate) unit: Unit,
    /// Samples.
    pub(crate) values: Vec<f64>,
    pub(crate) figures: Map<String, Value>,
}

impl Bench<'_> {
    pub(crate) fn count(&self, kind: Kind) -> u64 {
        self.parts.counts[kind as usize]
    }

    /// Bytes of a prepared relation.
    pub(crate) fn prepared_bytes(&self, relation: &str) -> u64 {
        let sizes = self.rx.prepared_sizes();
        let found = sizes.iter().find(|s| s.relation == relation);
        found.map_or(0, |s| s.bytes as u64)
    }

    fn patch_kernel<K: PatchKernel + Entry>(&self, kernel: &K) -> KernelRecord {
        KernelRecord {
            name: K::NAME.to_owned(),
            threads: K::THREADS,
            shared_bytes: self.rx.patches().shared_bytes(kernel),
        }
    }
}

fn block_kernel<K: BlockKernel + Entry>() -> KernelRecord {
    KernelRecord {
        name: K::NAME.to_owned(),
        threads: K::THREADS,
        shared_bytes: 0,
    }
}

/// Puts a row's measurement into the record's form; `patch_size` where it is the row's own.
pub(crate) fn finish(
    name: &str,
    size: Size,
    engine: &Engine,
    patch_size: Option<u32>,
    m: Measured,
) -> Run {
    Run {
        row: name.to_owned(),
        mesh: size.name().to_owned(),
        per: m.per.to_owned(),
        elements: m.elements,
        bytes: m.floor.bytes,
        counted: m.floor.counted,
        ms: m.times.ms,
        single_ms: m.times.single_ms,
        wall_ms: m.times.wall_ms,
        kernels: m.kernels,
        figures: m.figures,
        references: reference::references(name, engine.is_cuda(), size.0),
        goal_ms: reference::goal(name, engine.is_cuda(), size.0),
        patch_size,
    }
}

/// As [`finish`], for what is no time.
pub(crate) fn finish_amount(
    name: &str,
    size: Size,
    engine: &Engine,
    patch_size: Option<u32>,
    c: Counted,
) -> Amount {
    Amount {
        row: name.to_owned(),
        mesh: size.name().to_owned(),
        unit: c.unit,
        values: c.values,
        figures: c.figures,
        references: reference::amounts(name, engine.is_cuda()),
        goal: reference::amount_goal(name, engine.is_cuda(), size.0),
        patch_size,
    }
}
