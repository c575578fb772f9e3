//! [`RxMesh`]: a patched mesh on an engine.

use super::Attribute;
use super::layout::{Layout, Places};
use super::prepared::PreparedStore;
use crate::Error;
use crate::engine::{Buffer, Engine, EngineError, Patches};
use crate::patch::{self, PatchOptions, PatchSet};
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::kernel::{Entry, PatchKernel};
use rxmesh_kernels::topo::{Element, Kind, MeshView, PatchHeader};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A triangle mesh cut into patches, resident on an engine: what kernels run on.
pub struct RxMesh {
    engine: Engine,
    id: u64,
    set: PatchSet,
    patches: Patches,
    buffers: Buffers,
    prepared: PreparedStore,
    places: Places,
}

/// The device arrays that [`PatchHeader`] describes; `view` in [`Patches`] points into them.
struct Buffers {
    headers: Buffer<PatchHeader>,
    topology: Buffer<u16>,
    masks: Buffer<u32>,
    ribbons: Buffer<u32>,
}

impl std::fmt::Debug for RxMesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [v, e, n] = self.set.counts;
        write!(
            f,
            "RxMesh({v} vertices, {e} edges, {n} faces, {} patches, {:?})",
            self.set.headers.len(),
            self.engine
        )
    }
}

impl RxMesh {
    /// Cuts the faces into patches and moves them to the engine.
    ///
    /// # Errors
    ///
    /// A face that names a missing vertex, a mesh that does not fit the ids, or no memory on the engine.
    pub fn new(
        engine: &Engine,
        vertex_count: usize,
        faces: &[[u32; 3]],
        options: &PatchOptions,
    ) -> Result<RxMesh, Error> {
        RxMesh::from_patches(engine, patch::build(vertex_count, faces, options)?)
    }

    /// Moves patches to the engine.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn from_patches(engine: &Engine, set: PatchSet) -> Result<RxMesh, Error> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let buffers = Buffers {
            headers: engine.upload(&set.headers)?,
            topology: engine.upload(&set.topology)?,
            masks: engine.upload(&set.masks)?,
            ribbons: engine.upload(&set.ribbons)?,
        };
        let view = MeshView {
            headers: buffers.headers.global(),
            topology: buffers.topology.global(),
            masks: buffers.masks.global(),
            ribbons: buffers.ribbons.global(),
            fault: engine.fault(),
        };
        let id = NEXT.fetch_add(1, Relaxed);
        let patches = Patches::new(view, Arc::from(&set.headers[..]), id);
        Ok(RxMesh {
            engine: engine.clone(),
            id,
            set,
            patches,
            buffers,
            prepared: PreparedStore::default(),
            places: Places::default(),
        })
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The patches on the host, with their statistics.
    pub fn patch_set(&self) -> &PatchSet {
        &self.set
    }

    /// The patches on the engine, for launches.
    pub fn patches(&self) -> &Patches {
        &self.patches
    }

    /// Number of elements of a kind.
    pub fn count(&self, kind: Kind) -> u32 {
        self.set.counts[kind as usize]
    }

    /// Length of the linear id space of a kind: that of its attributes.
    pub fn linear_len(&self, kind: Kind) -> u32 {
        self.set.linear_len[kind as usize]
    }

    /// Bytes that the mesh takes on the engine.
    pub fn device_bytes(&self) -> usize {
        self.buffers.headers.len() * size_of::<PatchHeader>()
            + self.buffers.topology.len() * 2
            + self.buffers.masks.len() * 4
            + self.buffers.ribbons.len() * 4
    }

    pub(super) fn places_store(&self) -> &Places {
        &self.places
    }

    pub(super) fn prepared_store(&self) -> &PreparedStore {
        &self.prepared
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// A new attribute of zeroes.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn attribute<K: Element, T: Value>(&self) -> Result<Attribute<K, T>, Error> {
        Attribute::zeroed(self, Layout::default())
    }

    /// As [`RxMesh::attribute`], with another order or layout of the values.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for an order or layout that the kind or the type cannot have, or no memory on the engine.
    pub fn attribute_with<K: Element, T: Value>(
        &self,
        layout: Layout,
    ) -> Result<Attribute<K, T>, Error> {
        Attribute::zeroed(self, layout)
    }

    /// As [`RxMesh::attribute_from`], with another order or layout of the values.
    ///
    /// # Errors
    ///
    /// As both.
    pub fn attribute_from_with<K: Element, T: Value>(
        &self,
        input: &[T],
        layout: Layout,
    ) -> Result<Attribute<K, T>, Error> {
        Attribute::from_input(self, input, layout)
    }

    /// An attribute from values in the input's order. Edges have no order in the input: they take linear order.
    ///
    /// # Errors
    ///
    /// A wrong number of values, or no memory on the engine.
    pub fn attribute_from<K: Element, T: Value>(
        &self,
        input: &[T],
    ) -> Result<Attribute<K, T>, Error> {
        Attribute::from_input(self, input, Layout::default())
    }

    /// Runs a kernel on every patch.
    ///
    /// # Errors
    ///
    /// As [`Engine::launch_patches`]. Faults that the kernel raises come out at the next download or
    /// [`Engine::synchronize`].
    pub fn run<K: PatchKernel + Entry>(&self, kernel: K) -> Result<(), EngineError> {
        self.engine.launch_patches(&self.patches, kernel)
    }

    /// For each linear id of a kind the input's index, `u32::MAX` where there is no element; nothing for edges.
    pub(crate) fn source(&self, kind: Kind) -> Option<&[u32]> {
        match kind {
            Kind::Vertex => Some(&self.set.vertex_source),
            Kind::Edge => None,
            Kind::Face => Some(&self.set.face_source),
        }
    }
}
