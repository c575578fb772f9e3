//! The rows of the table, with their inputs. A module is an algorithm or a family of relations, and has its rows in
//! `ROWS`, each beside the function that measures it.

automod::dir!("src/rows");

use std::cell::OnceCell;

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::mesh::generate::noise;
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_kernels::kernel::{Entry, PatchKernel};
use rxmesh_kernels::topo::{Kind, Vertex};

use crate::conflicts::EditScheduler;
use crate::directed::DirectedEdges;
use crate::floor::{Floor, TopologyBytes};
use crate::measure::{Effort, Times};
use crate::mesh::Input;
use crate::record::KernelRecord;
use crate::subject::Work;
use crate::triangles::Triangles;

pub(crate) use crate::subject::Measured;
pub(crate) use build::build;
pub(crate) use closest::corners;
pub(crate) use copy::copy;
pub(crate) use hardwired::{GatheredNormals, IndexedNormals, MatrixNormals};

/// Row of triangle meshes.
pub(crate) type Row = crate::subject::Row<Triangles>;

/// Input and patches of a row of triangle meshes.
#[derive(Clone, Copy)]
pub(crate) struct TriangleSetup {
    /// Input, where different from that of the run: the row then has its own mesh.
    pub(crate) input: Option<Input>,
    /// Scheduler of edits. Rows of the speculative one have a separate mesh, with patches that suit it.
    pub(crate) conflicts: EditScheduler,
    /// `true` if it is measured by the construction of the mesh.
    pub(crate) builds: bool,
    /// Most faces of a patch, where the row has its own.
    pub(crate) patch_size: Option<u32>,
    /// `true` for another method, or another form of a row: measured when it is asked for.
    pub(crate) on_request: bool,
}

impl Row {
    /// Makes a row that is a time.
    const fn time(name: &'static str, about: &'static str, work: Work<Triangles>) -> Self {
        let own = TriangleSetup {
            input: None,
            conflicts: EditScheduler::Claims,
            builds: false,
            patch_size: None,
            on_request: false,
        };
        Self::new(name, about, own, work)
    }

    /// Makes a row that is not a time.
    const fn amount(name: &'static str, about: &'static str, work: Work<Triangles>) -> Self {
        Self::time(name, about, work).no_time()
    }

    /// States that the construction of the mesh measures the row.
    const fn builds(mut self) -> Self {
        self.own.builds = true;
        self
    }

    /// States that the row measures another method, to compare this library with.
    const fn of_rival(mut self) -> Self {
        self.own.on_request = true;
        self
    }

    /// Makes the row for patches of at most this number of faces, on which no reference was measured.
    const fn on_patches(mut self, name: &'static str, patch_size: u32) -> Self {
        self.own.patch_size = Some(patch_size);
        self.own.on_request = true;
        Self {
            name,
            against: &[],
            goals: &[],
            ..self
        }
    }

    /// Returns `true` if the row is the plain form of its work: on the run's input, with the run's patches.
    pub(crate) fn is_plain(&self) -> bool {
        self.own.input.is_none() && self.own.patch_size.is_none()
    }

    /// Makes the row with another name and other work.
    const fn again(self, name: &'static str, work: Work<Triangles>) -> Self {
        Self { name, work, ..self }
    }

    /// Makes the row for the speculative scheduler, measured in another way: the same references, but its own goals.
    #[cfg(feature = "speculative")]
    const fn speculative(
        self,
        name: &'static str,
        about: &'static str,
        work: Work<Triangles>,
    ) -> Self {
        Self {
            name,
            about,
            goals: &[],
            work,
            ..self
        }
        .of_speculative()
    }

    /// Gives the row patches that suit the speculative scheduler.
    #[cfg(feature = "speculative")]
    const fn of_speculative(mut self) -> Self {
        self.own.conflicts = EditScheduler::Speculative;
        self
    }

    /// Makes the row for another input, on which no reference was measured.
    const fn on(mut self, name: &'static str, input: Input) -> Self {
        self.own.input = Some(input);
        Self {
            name,
            against: &[],
            goals: &[],
            ..self
        }
    }
}

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
    quality::ROWS,
    components::ROWS,
    geodesic::ROWS,
    closest::ROWS,
    queries::ROWS,
    wrap::ROWS,
    isosurface::ROWS,
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

/// Returns all rows, in the order of the table; other patches and other methods come last.
pub(crate) fn all() -> impl Iterator<Item = &'static Row> + Clone {
    let modules = [
        ROWS,
        query::PATCHES,
        directed::PAIRED,
        directed::TRIPLE,
        &[directed::ROWS, hardwired::ROWS],
    ];
    modules
        .into_iter()
        .flat_map(|rows| rows.iter().flat_map(|rows| rows.iter()))
}

/// Rows that other methods are compared with, beside those whose name another method's begins with.
const COMPARED: [&str; 1] = ["normals-gather"];

/// Returns `true` for rows that are measured on request, and those that they are compared with: on the same input.
pub(crate) fn is_compared(row: &Row) -> bool {
    let plain = ["-shuffled", "-sorted"]
        .into_iter()
        .find_map(|order| row.name.strip_suffix(order))
        .unwrap_or(row.name);
    let has = |rival: &Row| rival.name.strip_suffix("-directed") == Some(plain);
    row.own.on_request || COMPARED.contains(&row.name) || all().any(has)
}

/// Noise of the mesh that is made Delaunay, in mean edge lengths.
const JITTER: f32 = 0.25;

/// Mesh and engine that a row measures.
pub(crate) struct TriangleBench<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) rx: &'a RxMesh,
    pub(crate) mesh: &'a TriMesh,
    /// Most faces of a patch.
    pub(crate) patch_size: u32,
    /// Positions with noise, made once for the rows that need them.
    pub(crate) jittered: OnceCell<Vec<Vec3>>,
    /// Directed edges of the mesh, made once for the rows that need them.
    pub(crate) directed: OnceCell<DirectedEdges>,
    pub(crate) parts: TopologyBytes,
    /// Construction of the mesh, which is the row `build`.
    pub(crate) built: Measured,
    pub(crate) effort: Effort,
}

impl TriangleBench<'_> {
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

    /// Returns the directed edges of the mesh.
    fn directed(&self) -> Result<&DirectedEdges> {
        if let Some(made) = self.directed.get() {
            return Ok(made);
        }
        let made = DirectedEdges::new(self.mesh.vertex_count(), &self.mesh.faces)?;
        Ok(self.directed.get_or_init(|| made))
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
