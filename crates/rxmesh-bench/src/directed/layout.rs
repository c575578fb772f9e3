//! Arrays of directed edges on an engine, in two layouts.

use anyhow::Result;
use rxmesh_bench_kernels::filter::{DirectedBalls, LargeBalls};
use rxmesh_bench_kernels::flow::FlowProduct;
use rxmesh_bench_kernels::fronts::FrontStep;
use rxmesh_bench_kernels::half_edges::{HalfEdges, NONE, PairedHalfEdges, TripleHalfEdges};
use rxmesh_bench_kernels::normals::DirectedNormals;
use rxmesh_bench_kernels::queries::{
    DirectedEf, DirectedEv, DirectedFe, DirectedFf, DirectedFv, DirectedVe, DirectedVf, DirectedVv,
};
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_kernels::kernel::EntryOf;

use super::{DirectedEdges, next};

#[cfg(feature = "cuda")]
const PTX: &str = include_str!("../../ptx/rxmesh_bench_kernels.ptx");
/// Without the `cuda` feature no engine loads PTX.
#[cfg(not(feature = "cuda"))]
const PTX: &str = "";

/// Loads the kernels of the bench's rivals, unless the engine has them.
pub(crate) fn load(engine: &Engine) -> Result<(), EngineError> {
    use rxmesh_bench_kernels::{FINGERPRINT_SYMBOL, KERNELS};
    // SAFETY: the PTX that `cargo xtask ptx` built from the listed kernels (contract U4 of docs/inside/unsafe.md).
    unsafe { engine.load_ptx(PTX, FINGERPRINT_SYMBOL, KERNELS) }
}

/// View of a layout whose kernels have names.
pub(crate) trait NamedHalfEdges:
    HalfEdges
    + EntryOf<DirectedVv<Self>>
    + EntryOf<DirectedVe<Self>>
    + EntryOf<DirectedVf<Self>>
    + EntryOf<DirectedFv<Self>>
    + EntryOf<DirectedFe<Self>>
    + EntryOf<DirectedFf<Self>>
    + EntryOf<DirectedEv<Self>>
    + EntryOf<DirectedEf<Self>>
    + EntryOf<DirectedNormals<Self>>
    + EntryOf<FlowProduct<Self>>
    + EntryOf<DirectedBalls<Self>>
    + EntryOf<LargeBalls<Self>>
    + EntryOf<FrontStep<Self>>
{
}

impl NamedHalfEdges for PairedHalfEdges {}
impl NamedHalfEdges for TripleHalfEdges {}

/// HalfEdgeArrays of directed edges on an engine.
pub(crate) trait HalfEdgeArrays: Sized {
    /// Name in messages.
    const NAME: &'static str;
    /// Arguments of kernels.
    type View: NamedHalfEdges;

    fn upload(engine: &Engine, mesh: &DirectedEdges) -> Result<Self>;
    fn view(&self) -> Self::View;
    /// Returns the bytes of the arrays.
    fn bytes(&self) -> usize;
}

/// Arrays of [`PairedHalfEdges`].
pub(crate) struct PairedArrays {
    tips: Buffer<u32>,
    nexts: Buffer<u32>,
    sides: Buffer<u32>,
    of_vertex: Buffer<u32>,
    of_face: Buffer<u32>,
}

impl HalfEdgeArrays for PairedArrays {
    const NAME: &'static str = "half-edges of an edge side by side";
    type View = PairedHalfEdges;

    fn upload(engine: &Engine, mesh: &DirectedEdges) -> Result<Self> {
        load(engine)?;
        let count = 2 * mesh.of_edge.len();
        let (mut tips, mut nexts) = (vec![NONE; count], vec![NONE; count]);
        let mut sides = vec![NONE; count];
        // The first half-edge of an edge has the even number.
        let paired = |h: u32| {
            let e = mesh.edge_of[h as usize];
            2 * e + u32::from(mesh.of_edge[e as usize] != h)
        };
        for h in 0..mesh.tails.len() as u32 {
            let p = paired(h) as usize;
            tips[p] = mesh.tails[next(h) as usize];
            tips[p ^ 1] = mesh.tails[h as usize];
            nexts[p] = paired(next(h));
            sides[p] = h / 3;
        }
        let of_vertex = |v: u32| match (mesh.of_vertex[v as usize], mesh.fan_end(v)) {
            (NONE, _) => NONE,
            (h, None) => paired(h),
            // The one of the boundary, which has no face.
            (_, Some(into)) => paired(into) ^ 1,
        };
        let of_vertex: Vec<u32> = (0..mesh.vertex_count()).map(of_vertex).collect();
        let of_face: Vec<u32> = (0..mesh.face_count()).map(|f| paired(3 * f)).collect();
        Ok(Self {
            tips: engine.upload(&tips)?,
            nexts: engine.upload(&nexts)?,
            sides: engine.upload(&sides)?,
            of_vertex: engine.upload(&of_vertex)?,
            of_face: engine.upload(&of_face)?,
        })
    }

    fn view(&self) -> PairedHalfEdges {
        PairedHalfEdges {
            tips: self.tips.global(),
            nexts: self.nexts.global(),
            sides: self.sides.global(),
            of_vertex: self.of_vertex.global(),
            of_face: self.of_face.global(),
        }
    }

    fn bytes(&self) -> usize {
        let arrays = [
            &self.tips,
            &self.nexts,
            &self.sides,
            &self.of_vertex,
            &self.of_face,
        ];
        4 * arrays.iter().map(|a| a.len()).sum::<usize>()
    }
}

/// Arrays of [`TripleHalfEdges`].
pub(crate) struct TripleArrays {
    tails: Buffer<u32>,
    twins: Buffer<u32>,
    edge_of: Buffer<u32>,
    of_vertex: Buffer<u32>,
    of_edge: Buffer<u32>,
}

impl HalfEdgeArrays for TripleArrays {
    const NAME: &'static str = "half-edges of a face side by side";
    type View = TripleHalfEdges;

    fn upload(engine: &Engine, mesh: &DirectedEdges) -> Result<Self> {
        load(engine)?;
        Ok(Self {
            tails: engine.upload(&mesh.tails)?,
            twins: engine.upload(&mesh.twins)?,
            edge_of: engine.upload(&mesh.edge_of)?,
            of_vertex: engine.upload(&mesh.of_vertex)?,
            of_edge: engine.upload(&mesh.of_edge)?,
        })
    }

    fn view(&self) -> TripleHalfEdges {
        TripleHalfEdges {
            tails: self.tails.global(),
            twins: self.twins.global(),
            edge_of: self.edge_of.global(),
            of_vertex: self.of_vertex.global(),
            of_edge: self.of_edge.global(),
        }
    }

    fn bytes(&self) -> usize {
        let arrays = [
            &self.tails,
            &self.twins,
            &self.edge_of,
            &self.of_vertex,
            &self.of_edge,
        ];
        4 * arrays.iter().map(|a| a.len()).sum::<usize>()
    }
}

/// Relation that directed edges answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectedQuery {
    Vv,
    Ve,
    Vf,
    Fv,
    Fe,
    Ff,
    Ev,
    Ef,
}

impl DirectedQuery {
    pub(crate) const ALL: [DirectedQuery; 8] = [
        DirectedQuery::Vv,
        DirectedQuery::Ve,
        DirectedQuery::Vf,
        DirectedQuery::Fv,
        DirectedQuery::Fe,
        DirectedQuery::Ff,
        DirectedQuery::Ev,
        DirectedQuery::Ef,
    ];
}

/// Rows of a query on the engine.
pub(crate) struct DirectedRows {
    query: DirectedQuery,
    /// Start of each row; empty for rows of one length.
    pub(crate) starts: Buffer<u32>,
    /// Rows, one after the other, with [`NONE`] where a face is missing at the boundary.
    pub(crate) values: Buffer<u32>,
    /// Number of sources.
    pub(crate) sources: u32,
}

impl DirectedRows {
    /// Allocates the rows of a query, and counts those of vertices.
    pub(crate) fn new(engine: &Engine, mesh: &DirectedEdges, query: DirectedQuery) -> Result<Self> {
        let fixed = |sources: u32, width: u32| -> Result<Self> {
            Ok(Self {
                query,
                starts: engine.zeroed(0)?,
                values: engine.zeroed(sources as usize * width as usize)?,
                sources,
            })
        };
        let counted = |counts: &[u32]| -> Result<Self> {
            let mut starts = vec![0];
            starts.extend(counts.iter().scan(0, |sum, &n| {
                *sum += n;
                Some(*sum)
            }));
            let all = starts.last().copied().unwrap_or(0);
            Ok(Self {
                query,
                values: engine.zeroed(all as usize)?,
                starts: engine.upload(&starts)?,
                sources: counts.len() as u32,
            })
        };
        match query {
            DirectedQuery::Vv | DirectedQuery::Ve => counted(&mesh.valences),
            DirectedQuery::Vf => counted(&mesh.fans),
            DirectedQuery::Fv | DirectedQuery::Fe | DirectedQuery::Ff => {
                fixed(mesh.face_count(), 3)
            }
            DirectedQuery::Ev | DirectedQuery::Ef => fixed(mesh.edge_count(), 2),
        }
    }

    /// Launches the query.
    pub(crate) fn launch<L: HalfEdgeArrays>(
        &self,
        engine: &Engine,
        layout: &L,
    ) -> Result<(), EngineError> {
        let (mesh, n) = (layout.view(), self.sources);
        let (starts, values) = (self.starts.global(), self.values.global_mut());
        let (faces, edges) = (L::View::face_items(n), L::View::edge_items(n));
        // SAFETY: the arrays are those of one mesh, and the rows as long as they were counted on it (contracts U3, U4).
        unsafe {
            match self.query {
                DirectedQuery::Vv => {
                    let kernel = DirectedVv {
                        mesh,
                        starts,
                        values,
                    };
                    engine.run_flat(n, kernel)
                }
                DirectedQuery::Ve => {
                    let kernel = DirectedVe {
                        mesh,
                        starts,
                        values,
                    };
                    engine.run_flat(n, kernel)
                }
                DirectedQuery::Vf => {
                    let kernel = DirectedVf {
                        mesh,
                        starts,
                        values,
                    };
                    engine.run_flat(n, kernel)
                }
                DirectedQuery::Fv => engine.run_flat(faces, DirectedFv { mesh, values }),
                DirectedQuery::Fe => engine.run_flat(faces, DirectedFe { mesh, values }),
                DirectedQuery::Ff => engine.run_flat(faces, DirectedFf { mesh, values }),
                DirectedQuery::Ev => engine.run_flat(edges, DirectedEv { mesh, values }),
                DirectedQuery::Ef => engine.run_flat(edges, DirectedEf { mesh, values }),
            }
        }
    }

    /// Returns the rows on the host, without missing faces.
    pub(crate) fn read(&self) -> Result<Vec<Vec<u32>>> {
        let values = self.values.read()?;
        let present = |row: &[u32]| row.iter().copied().filter(|&i| i != NONE).collect();
        if !self.starts.is_empty() {
            let starts = self.starts.read()?;
            let row = |w: &[u32]| present(&values[w[0] as usize..w[1] as usize]);
            return Ok(starts.windows(2).map(row).collect());
        }
        let width = values.len() / self.sources.max(1) as usize;
        Ok(values.chunks(width.max(1)).map(present).collect())
    }
}
