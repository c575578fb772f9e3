//! Sums over the corners of cells, on the engine ([`rxmesh_simulation_kernels::assemble`]).

use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_host::store::{RxMesh, Volume};
use rxmesh_host::volume::Distributor;
use rxmesh_kernels::query::CV;
use rxmesh_kernels::topo::Kind;
use rxmesh_simulation_kernels::assemble::{SplitSums, Sums};

/// Tables of a mesh for sums over the corners of its cells.
#[derive(Debug)]
pub(crate) struct Assembly {
    tables: Distributor<CV, f32>,
    starts: Buffer<u32>,
    entries: Buffer<u32>,
    parts: usize,
}

/// Sums of several words per vertex: those of owned vertices and the parts of ribbon vertices.
#[derive(Debug)]
pub(crate) struct Assembled {
    sums: Buffer<f32>,
    parts: Buffer<f32>,
}

impl Assembly {
    pub(crate) fn new(rx: &RxMesh<Volume>) -> Result<Assembly, Error> {
        let tables = Distributor::new(rx)?;
        let lists = tables.part_lists(rx.linear_len(Kind::Vertex))?;
        Ok(Assembly {
            tables,
            starts: rx.engine().upload(&lists.starts)?,
            entries: rx.engine().upload(&lists.entries)?,
            parts: lists.parts,
        })
    }

    /// Allocates sums of `words` words per vertex.
    pub(crate) fn room(&self, rx: &RxMesh<Volume>, words: usize) -> Result<Assembled, Error> {
        let vertices = rx.linear_len(Kind::Vertex) as usize;
        Ok(Assembled {
            sums: rx.engine().zeroed(words * vertices)?,
            parts: rx.engine().zeroed(words * self.parts)?,
        })
    }

    /// Returns the view for a kernel over cells.
    pub(crate) fn sums(&self, to: &Assembled) -> Sums {
        let tables = self.tables.tables();
        Sums {
            sums: to.sums.global_mut(),
            parts: to.parts.global_mut(),
            places: tables.places,
            starts: tables.starts,
            slots: tables.slots,
        }
    }

    /// Returns the view for a kernel that reads the sums.
    pub(crate) fn parts(&self, of: &Assembled) -> SplitSums {
        SplitSums {
            sums: of.sums.global(),
            parts: of.parts.global(),
            starts: self.starts.global(),
            entries: self.entries.global(),
        }
    }
}
