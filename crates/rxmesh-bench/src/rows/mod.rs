//! The rows of the table, with their inputs. A module is an algorithm or a family of relations, and has its rows in
//! `ROWS`, each beside the function that measures it.

mod build;
mod components;
mod copy;
mod curvature;
mod delaunay;
mod filter;
mod geodesic;
mod mcf;
mod memory;
mod normals;
mod query;
mod reduce;
mod remesh;
mod row;
mod session;
mod simplify;
mod slowdown;
mod smooth;
mod spring;
mod track;
#[cfg(feature = "speculative")]
mod wasted;

use std::cell::OnceCell;

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::mesh::generate::noise;
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_kernels::kernel::{Entry, PatchKernel};
use rxmesh_kernels::topo::{Kind, Vertex};
use serde_json::{Map, Value};

use crate::floor::{Floor, Parts};
use crate::measure::{Effort, Times};
use crate::record::{KernelRecord, Unit};

pub(crate) use build::build;
pub(crate) use copy::copy;
pub(crate) use row::{Row, Work};

/// The modules' rows, in the order of the table.
const ROWS: &[&[Row]] = &[
    build::ROWS,
    query::ROWS,
    normals::ROWS,
    mcf::ROWS,
    reduce::ROWS,
    smooth::ROWS,
    filter::ROWS,
    curvature::ROWS,
    components::ROWS,
    geodesic::ROWS,
    spring::ROWS,
    session::ROWS,
    delaunay::ROWS,
    remesh::ROWS,
    simplify::ROWS,
    track::ROWS,
    slowdown::ROWS,
    #[cfg(feature = "speculative")]
    wasted::ROWS,
    memory::ROWS,
];

/// Returns all rows, in the order of the table.
pub(crate) fn all() -> impl Iterator<Item = &'static Row> + Clone {
    ROWS.iter().flat_map(|rows| rows.iter())
}

/// Noise of the mesh that is made Delaunay, in mean edge lengths.
const JITTER: f32 = 0.25;

/// Mesh and engine that a row measures.
pub(crate) struct Bench<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) rx: &'a RxMesh,
    pub(crate) mesh: &'a TriMesh,
    /// Most faces of a patch.
    pub(crate) patch_size: u32,
    /// Positions with noise, made once for the rows that need them.
    pub(crate) jittered: OnceCell<Vec<Vec3>>,
    pub(crate) parts: Parts,
    pub(crate) effort: Effort,
}

/// Result of a row.
#[derive(Default)]
pub(crate) struct Measured {
    pub(crate) per: &'static str,
    pub(crate) elements: u64,
    pub(crate) floor: Floor,
    pub(crate) times: Times,
    pub(crate) kernels: Vec<KernelRecord>,
    pub(crate) figures: Map<String, Value>,
}

/// Result of a row that is not a time.
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

    /// Returns the bytes of a prepared relation.
    pub(crate) fn prepared_bytes(&self, relation: &str) -> u64 {
        let sizes = self.rx.prepared_sizes();
        let found = sizes.iter().find(|s| s.relation == relation);
        found.map_or(0, |s| s.bytes as u64)
    }

    /// Uploads the mesh's positions to the engine.
    fn positions(&self) -> Result<Attribute<Vertex, Vec3>> {
        Ok(self.rx.attribute_from(&self.mesh.positions)?)
    }

    /// Returns the positions with noise.
    fn jittered(&self) -> Result<&[Vec3]> {
        if let Some(positions) = self.jittered.get() {
            return Ok(positions);
        }
        let mut mesh = self.mesh.clone();
        noise(&mut mesh, JITTER, 1)?;
        Ok(self.jittered.get_or_init(|| mesh.positions))
    }

    /// Returns the Euler number, and `true` if the mesh is closed: if it has three edges for every two faces.
    fn surface(&self) -> (i64, bool) {
        let [v, e, f] = self.parts.counts.map(|n| n as i64);
        (v - e + f, 2 * e == 3 * f)
    }

    fn of_vertices(&self, floor: Floor, times: Times) -> Measured {
        Measured {
            per: "vertex",
            elements: self.count(Kind::Vertex),
            floor,
            times,
            ..Measured::default()
        }
    }

    fn patch_kernel<K: PatchKernel + Entry>(&self, kernel: &K) -> KernelRecord {
        KernelRecord {
            name: K::NAME.to_owned(),
            threads: K::THREADS,
            shared_bytes: self.rx.patches().shared_bytes(kernel),
        }
    }
}
