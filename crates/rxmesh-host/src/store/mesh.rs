//! [`RxMesh`]: a patched mesh on an engine.

use super::layout::{InputIndices, Layout};
use super::order::InputOrder;
use super::prepared::PreparedStore;
use super::{Attribute, Dimension, Surface};
use crate::Error;
use crate::engine::{Buffer, Engine, EngineError, Patches, StagingChoice};
use crate::mesh::TriMesh;
use crate::patch::{self, PatchOptions, PatchSet};
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::kernel::{AnyArguments, DEFAULT_THREADS, Entry, ListedEntry, PatchKernel};
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::{Element, Kind, MeshView, Needs, PatchHeader};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// A mesh cut into patches, resident on an engine, on which kernels run. A [`Surface`] of triangles by default, else a
/// [`Volume`](super::Volume) of tetrahedra.
pub struct RxMesh<D: Dimension = Surface> {
    engine: Engine,
    id: u64,
    /// Patches on the host: there from the start, or copied when they are first requested.
    pub(super) set: OnceLock<D::Set>,
    pub(super) counts: [u32; 4],
    linear_len: [u32; 4],
    patches: Patches,
    /// Patches of one body, if there are copies.
    body: Option<Patches>,
    buffers: Buffers,
    prepared: PreparedStore,
    places: InputIndices,
    /// Linear ids of the session's vertices and faces, for a mesh that was packed on the engine.
    origin: Option<[Arc<Buffer<u32>>; 2]>,
    /// The host's copies of `origin`, when they were requested.
    pub(super) orders: [OnceLock<InputOrder>; 2],
}

/// Device arrays that [`PatchHeader`] describes; `view` in [`Patches`] points into them.
pub(crate) struct Buffers {
    pub(crate) headers: Buffer<PatchHeader>,
    pub(crate) topology: Buffer<u16>,
    pub(crate) masks: Buffer<u32>,
    pub(crate) ribbons: Buffer<u32>,
}

/// Results of a repack on an engine.
pub(crate) struct RepackedMesh {
    pub(crate) buffers: Buffers,
    /// The same headers as in `buffers`.
    pub(crate) headers: Vec<PatchHeader>,
    /// Number of vertices, edges and faces; linear ids have no gaps.
    pub(crate) counts: [u32; 3],
    /// Linear ids of the session's vertices and faces, `u32::MAX` where nothing lives.
    pub(crate) origin: [Arc<Buffer<u32>>; 2],
}

impl<D: Dimension> std::fmt::Debug for RxMesh<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [v, e, n, c] = self.counts;
        write!(f, "RxMesh({v} vertices, {e} edges, {n} faces, ")?;
        if !D::SURFACE {
            write!(f, "{c} cells, ")?;
        }
        write!(f, "{} patches, {:?})", self.headers().len(), self.engine)
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
        RxMesh::from_sound(engine, patch::build(vertex_count, faces, options)?)
    }

    /// Creates a mesh with patches of the usual size, cut where that is fastest: on a GPU by kernels
    /// ([`RxMesh::from_engine_faces`]), else on the host ([`RxMesh::new`]). The patches of the two differ.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::new`].
    pub fn from_mesh(engine: &Engine, mesh: &TriMesh) -> Result<RxMesh, Error> {
        let options = PatchOptions::default();
        match engine.is_cuda() {
            true => RxMesh::cut_on_engine(engine, mesh, options.patch_size),
            false => RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options),
        }
    }

    /// Moves the faces to the engine and cuts them into patches there: [`RxMesh::from_engine_faces`].
    ///
    /// # Errors
    ///
    /// As [`RxMesh::from_engine_faces`].
    pub fn cut_on_engine(
        engine: &Engine,
        mesh: &TriMesh,
        patch_size: u32,
    ) -> Result<RxMesh, Error> {
        let vertices = u32::try_from(mesh.vertex_count()).unwrap_or(u32::MAX);
        RxMesh::from_engine_faces(vertices, &engine.upload(&mesh.faces)?, patch_size)
    }

    /// Moves patches to the engine, after a check in linear time that they hold together ([`PatchSet::check`]).
    ///
    /// # Errors
    ///
    /// [`PatchError::Broken`](crate::patch::PatchError::Broken), or no memory on the engine.
    pub fn from_patches(engine: &Engine, set: PatchSet) -> Result<RxMesh, Error> {
        set.check()?;
        RxMesh::from_sound(engine, set)
    }

    fn from_sound(engine: &Engine, set: PatchSet) -> Result<RxMesh, Error> {
        let buffers = Buffers {
            headers: engine.upload(&set.headers)?,
            topology: engine.upload(&set.topology)?,
            masks: engine.upload(&set.masks)?,
            ribbons: engine.upload(&set.ribbons)?,
        };
        let headers = Arc::from(&set.headers[..]);
        let [counts, linear_len] = [set.counts, set.linear_len].map(of_surface);
        let mut rx = RxMesh::over(engine, buffers, headers, counts, linear_len, Needs::SURFACE);
        rx.set = OnceLock::from(set);
        Ok(rx)
    }

    /// Creates a mesh of patches that lie on the engine already.
    pub(crate) fn from_packed(engine: &Engine, packed: RepackedMesh) -> RxMesh {
        let (headers, counts) = (Arc::from(packed.headers), of_surface(packed.counts));
        let mut rx = RxMesh::over(
            engine,
            packed.buffers,
            headers,
            counts,
            counts,
            Needs::SURFACE,
        );
        rx.origin = Some(packed.origin);
        rx
    }

    /// Returns the linear id of each session id, of vertices or faces of a mesh that was packed on the engine.
    pub(crate) fn origin(&self, kind: Kind) -> Option<&Buffer<u32>> {
        let [vertices, faces] = self.origin.as_ref()?;
        match kind {
            Kind::Vertex => Some(vertices),
            Kind::Face => Some(faces),
            Kind::Edge | Kind::Cell => None,
        }
    }

    /// Returns the patches on the host, with their statistics. For a mesh that was packed on the engine they are copied
    /// at the first call, and its *input* is the session: live elements in the order of their session ids.
    ///
    /// # Errors
    ///
    /// A fault of an earlier kernel, or any error of the driver.
    pub fn patch_set(&self) -> Result<&PatchSet, Error> {
        if let Some(set) = self.set.get() {
            return Ok(set);
        }
        let set = self.download()?;
        Ok(self.set.get_or_init(|| set))
    }

    fn download(&self) -> Result<PatchSet, Error> {
        let [v, e, f, _] = self.linear_len;
        let vertices = self.packed_order(Kind::Vertex)?;
        let faces = self.packed_order(Kind::Face)?;
        let (vertex_source, vertex_linear) = (vertices.source.clone(), vertices.linear.clone());
        let (face_source, face_linear) = (faces.source.clone(), faces.linear.clone());
        let counts = [0, 1, 2].map(|k: usize| self.counts[k]);
        Ok(PatchSet {
            stats: self.patch_stats(),
            headers: self.headers().to_vec(),
            topology: self.buffers.topology.read()?,
            masks: self.buffers.masks.read()?,
            ribbons: self.buffers.ribbons.read()?,
            repacked: true,
            counts,
            linear_len: [v, e, f],
            vertex_source,
            face_source,
            vertex_linear,
            face_linear,
        })
    }
}

impl<D: Dimension> RxMesh<D> {
    /// Creates a mesh over arrays that lie on the engine.
    pub(super) fn over(
        engine: &Engine,
        buffers: Buffers,
        headers: Arc<[PatchHeader]>,
        counts: [u32; 4],
        linear_len: [u32; 4],
        has: Needs,
    ) -> RxMesh<D> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let view = MeshView {
            headers: buffers.headers.global(),
            topology: buffers.topology.global(),
            masks: buffers.masks.global(),
            ribbons: buffers.ribbons.global(),
            fault: engine.fault(),
        };
        let id = NEXT.fetch_add(1, Relaxed);
        RxMesh {
            engine: engine.clone(),
            id,
            set: OnceLock::new(),
            counts,
            linear_len,
            patches: Patches::new(view, headers, id, has),
            body: None,
            buffers,
            prepared: PreparedStore::default(),
            places: InputIndices::default(),
            origin: None,
            orders: Default::default(),
        }
    }

    /// Returns the engine that the mesh lives on.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the patches' headers.
    pub fn headers(&self) -> &[PatchHeader] {
        &self.patches.headers
    }

    /// Returns the patches on the engine, for launches.
    pub fn patches(&self) -> &Patches {
        &self.patches
    }

    /// Returns the number of elements of a kind.
    pub fn count(&self, kind: Kind) -> u32 {
        self.counts[kind as usize]
    }

    /// Returns the length of the linear id space of a kind: that of its attributes.
    pub fn linear_len(&self, kind: Kind) -> u32 {
        self.linear_len[kind as usize]
    }

    /// Returns the number of bytes that the mesh takes on the engine.
    pub fn device_bytes(&self) -> usize {
        self.buffers.headers.len() * size_of::<PatchHeader>()
            + self.buffers.topology.len() * 2
            + self.buffers.masks.len() * 4
            + self.buffers.ribbons.len() * 4
    }

    pub(super) fn places_store(&self) -> &InputIndices {
        &self.places
    }

    pub(super) fn prepared_store(&self) -> &PreparedStore {
        &self.prepared
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Creates an attribute of zeroes.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn attribute<K: Element, T: Value>(&self) -> Result<Attribute<K, T>, Error> {
        Attribute::zeroed(self, Layout::default())
    }

    /// Works like [`RxMesh::attribute`], with another order or layout of the values.
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

    /// Works like [`RxMesh::attribute_from`], with another order or layout of the values.
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

    /// Creates an attribute from values in the input's order. Edges have no order in the input: they take linear order.
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

    /// Chooses the staged fields of kernels that have their values in shared memory, in all launches over the mesh from
    /// now on: to measure, or if the caller knows better.
    pub fn set_staging_choice(&self, choice: StagingChoice) {
        self.patches.set_staging(choice);
    }

    /// Runs a kernel of the forms `ForEach` and `Scatter` on every patch. One over relations that only volumes have
    /// does not compile for a surface.
    ///
    /// # Errors
    ///
    /// [`EngineError::Needs`], arguments that are not live on the engine, belong to another mesh or overlap, too much
    /// shared memory, or a launch that the driver refuses. Faults that the kernel raises come out at the next download
    /// or [`Engine::synchronize`].
    ///
    /// Other kernels do not compile here: their fields may be views of any length.
    ///
    /// ```compile_fail,E0277
    /// # use rxmesh_host::{engine::Engine, mesh::generate, store::RxMesh};
    /// use rxmesh_host::kernels::{query::rows::CountRows, query::VV};
    /// let engine = Engine::cpu();
    /// let rx = RxMesh::from_mesh(&engine, &generate::icosphere(2)?)?;
    /// // One word, where the kernel writes one for each vertex.
    /// let counts = engine.zeroed::<u32>(1)?.global_mut();
    /// rx.run(CountRows::<VV> { counts, relation: std::marker::PhantomData })?;
    /// # Ok::<(), rxmesh_host::Error>(())
    /// ```
    pub fn run<K: AnyArguments + Entry>(&self, kernel: K) -> Result<(), EngineError> {
        self.launch(kernel)
    }

    /// Runs a patch kernel of any form on every patch, as [`RxMesh::run`] does.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::run`].
    ///
    /// # Safety
    ///
    /// The kernel's arguments are as its documentation requires: arrays are as long as its fields say, and their
    /// contents are as the kernel assumes (contracts U3 and U4 of docs/inside/unsafe.md). The launch checks the rest.
    pub unsafe fn run_patches<K: PatchKernel + Entry>(&self, kernel: K) -> Result<(), EngineError> {
        self.launch(kernel)
    }

    /// Works like [`RxMesh::run_patches`], for this crate, which keeps its contract.
    pub(crate) fn launch<K: PatchKernel + Entry>(&self, kernel: K) -> Result<(), EngineError> {
        let least = if K::THREADS == DEFAULT_THREADS {
            D::THREADS
        } else {
            0
        };
        self.launch_wide(kernel, least)
    }

    /// [`RxMesh::launch`] in blocks of at least `least` threads, and the kernel's own number, where blocks have
    /// several.
    pub(crate) fn launch_wide<K: PatchKernel + Entry>(
        &self,
        kernel: K,
        least: u32,
    ) -> Result<(), EngineError> {
        self.suits::<K>(K::NAME)?;
        let threads = K::THREADS.max(least);
        self.engine.launch_patches(&self.patches, kernel, threads)
    }

    /// Runs a kernel on the patches that kernels before it have listed: `list` begins with their numbers, each once and
    /// in any order; the second word of `count` is their number.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::run`].
    pub(crate) fn run_listed<K: ListedEntry>(
        &self,
        list: Global<u32>,
        count: Global<u32>,
        kernel: K,
    ) -> Result<(), EngineError> {
        self.suits::<K>(K::NAME)?;
        self.engine
            .launch_listed(&self.patches, list, count, kernel)
    }

    /// Checks that the mesh has the tables that a kernel of this name needs; a kernel that no mesh of this dimension
    /// suits does not compile.
    fn suits<K: PatchKernel>(&self, name: &'static str) -> Result<(), EngineError> {
        const {
            assert!(
                D::MAY_HAVE.has(K::NEEDS),
                "the kernel needs cells, which a surface does not have"
            )
        };
        self.has_for(name, K::NEEDS)
    }

    /// Sets the patches that the mesh was made of.
    pub(super) fn with_set(mut self, set: D::Set) -> Self {
        self.set = OnceLock::from(set);
        self
    }

    /// Turns the mesh into copies of a body that has `patches` patches.
    pub(super) fn of_bodies(mut self, patches: usize) -> Self {
        let all = &self.patches;
        if patches != all.headers.len() {
            let headers = Arc::from(&all.headers[..patches]);
            self.body = Some(Patches::new(all.view, headers, self.id, all.has()));
        }
        self
    }

    /// Works like [`RxMesh::run`], on the patches of one body if there are copies: for data that all of them share,
    /// such as values for the entries of a prepared relation.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::run`].
    pub fn run_on_body<K: AnyArguments + Entry>(&self, kernel: K) -> Result<(), EngineError> {
        self.launch_on_body(kernel)
    }

    /// Works like [`RxMesh::run_on_body`], for a patch kernel of any form; as [`RxMesh::launch`].
    pub(crate) fn launch_on_body<K: PatchKernel + Entry>(
        &self,
        kernel: K,
    ) -> Result<(), EngineError> {
        self.suits::<K>(K::NAME)?;
        let patches = self.body.as_ref().unwrap_or(&self.patches);
        self.engine.launch_patches(patches, kernel, K::THREADS)
    }

    /// Returns the number of patches of one body.
    pub(super) fn body_patches(&self) -> usize {
        self.body.as_ref().unwrap_or(&self.patches).headers.len()
    }

    /// Returns the patches on the host, if they are there.
    pub(super) fn set(&self) -> Option<&D::Set> {
        self.set.get()
    }

    /// Returns the tables that the mesh keeps, which decide the relations and kernels it can run.
    pub fn has(&self) -> Needs {
        self.patches.has()
    }

    /// Refuses kernels that need tables that the mesh does not keep.
    pub(crate) fn has_for(&self, what: &'static str, needs: Needs) -> Result<(), EngineError> {
        self.patches.has_for(what, needs)
    }

    /// Returns for each linear id of a kind the input's index, `u32::MAX` if there is no element; `None` for kinds that
    /// the input does not number.
    pub(crate) fn source(&self, kind: Kind) -> Result<Option<&[u32]>, Error> {
        D::source(self, kind)
    }
}

/// Returns the numbers of a surface's elements by kind: it has no cells.
fn of_surface([v, e, f]: [u32; 3]) -> [u32; 4] {
    [v, e, f, 0]
}
