//! Dimension of a mesh, surface or volume, as a type.

use super::RxMesh;
use super::mesh::Buffers;
use crate::Error;
use crate::engine::Engine;
use crate::mesh::TetMesh;
use crate::patch::{self, PatchSet, VolumeOptions, VolumeSet};
use rxmesh_kernels::topo::{Kind, Needs};
use std::sync::Arc;

mod sealed {
    pub trait Sealed {}
}

/// Dimension of a mesh: [`Surface`] or [`Volume`].
pub trait Dimension: sealed::Sealed + Sized + Send + Sync + 'static {
    /// Patches on the host.
    type Set: Send + Sync;
    /// `true` for surfaces.
    const SURFACE: bool;
    /// Tables that meshes of this kind can have. Kernels and relations that need others do not compile.
    const MAY_HAVE: Needs;
    /// Least threads of a block of a kernel that names no number, where blocks have several: patches of volumes have
    /// several times as many elements as those of surfaces.
    #[doc(hidden)]
    const THREADS: u32;
    /// The same on prepared relations, of any kernel: their rows are read with long waits, and no table needs space.
    #[doc(hidden)]
    const THREADS_ON_PREPARED: u32;
    /// Returns the input's index of each linear id of a kind, if the input numbers them.
    #[doc(hidden)]
    fn source(rx: &RxMesh<Self>, kind: Kind) -> Result<Option<&[u32]>, Error>;
}

/// Triangles.
#[derive(Clone, Copy, Debug)]
pub struct Surface;

/// Tetrahedra. Edges and faces exist if the options require them ([`VolumeOptions`]).
#[derive(Clone, Copy, Debug)]
pub struct Volume;

impl sealed::Sealed for Surface {}
impl sealed::Sealed for Volume {}

impl Dimension for Surface {
    type Set = PatchSet;
    const SURFACE: bool = true;
    const MAY_HAVE: Needs = Needs::SURFACE;
    const THREADS: u32 = 0;
    const THREADS_ON_PREPARED: u32 = 0;
    fn source(rx: &RxMesh, kind: Kind) -> Result<Option<&[u32]>, Error> {
        rx.linear_to_input(kind)
    }
}

impl Dimension for Volume {
    type Set = VolumeSet;
    const SURFACE: bool = false;
    const MAY_HAVE: Needs = Needs::SURFACE.and(Needs::CELLS);
    const THREADS: u32 = 256;
    const THREADS_ON_PREPARED: u32 = 512;
    fn source(rx: &RxMesh<Volume>, kind: Kind) -> Result<Option<&[u32]>, Error> {
        Ok(rx.set().and_then(|set| match kind {
            Kind::Vertex => Some(&set.vertex_source[..]),
            Kind::Cell => Some(&set.cell_source[..]),
            Kind::Edge | Kind::Face => None,
        }))
    }
}

impl RxMesh<Volume> {
    /// Cuts tetrahedra into patches and moves them to the engine.
    ///
    /// # Errors
    ///
    /// As [`patch::build_volume`], or no memory on the engine.
    pub fn from_cells(
        engine: &Engine,
        vertex_count: usize,
        cells: &[[u32; 4]],
        options: &VolumeOptions,
    ) -> Result<RxMesh<Volume>, Error> {
        let set = patch::build_volume(vertex_count, cells, options)?;
        RxMesh::from_sound(engine, set)
    }

    /// Creates copies of one body, whose patches and prepared relations are stored once (MeshTaichi 2022, section 8.6).
    /// Kernels run over all copies, and attributes have a value for each element of each: the linear id is the copy
    /// times the body's number of elements, plus the id in the body, and values in the input's order come one copy
    /// after the other.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::from_cells`] and [`VolumeSet::repeated`].
    pub fn from_copies(
        engine: &Engine,
        vertex_count: usize,
        cells: &[[u32; 4]],
        options: &VolumeOptions,
        copies: u32,
    ) -> Result<RxMesh<Volume>, Error> {
        let all = cells.len().saturating_mul(copies as usize);
        let options = VolumeOptions {
            patch_size: Some(options.size_for(all)),
            ..*options
        };
        let body = patch::build_volume(vertex_count, cells, &options)?;
        RxMesh::from_sound(engine, body.repeated(copies)?)
    }

    fn from_sound(engine: &Engine, set: VolumeSet) -> Result<RxMesh<Volume>, Error> {
        let buffers = Buffers {
            headers: engine.upload(&set.headers)?,
            topology: engine.upload(&set.topology)?,
            masks: engine.zeroed(0)?,
            ribbons: engine.upload(&set.ribbons)?,
        };
        let headers = Arc::from(&set.headers[..]);
        let rx = RxMesh::over(engine, buffers, headers, set.counts, set.counts, set.has);
        let body = set.body().len();
        Ok(rx.with_set(set).of_bodies(body))
    }

    /// Returns the number of copies of the body.
    pub fn copies(&self) -> u32 {
        self.volume_set().copies
    }

    /// Creates a volume with vertices and cells in patches of the usual size; [`RxMesh::from_cells`] leaves the choice.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::from_cells`].
    pub fn from_tets(engine: &Engine, mesh: &TetMesh) -> Result<RxMesh<Volume>, Error> {
        let options = VolumeOptions::default();
        RxMesh::from_cells(engine, mesh.positions.len(), &mesh.cells, &options)
    }

    /// Returns the patches on the host.
    pub fn volume_set(&self) -> &VolumeSet {
        self.set()
            .unwrap_or_else(|| unreachable!("`from_cells` puts it there"))
    }
}
