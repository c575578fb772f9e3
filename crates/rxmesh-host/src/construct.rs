//! From faces in an engine's memory to a mesh in patches, by kernels: [`RxMesh::from_engine_faces`]; and from another
//! library's arrays to a mesh and back: [`RxMesh::from_device`], [`RxMesh::to_device`].
//!
//! Edges and clusters of faces come from [`rxmesh_kernels::construct`]; [`crate::repack`] unites the clusters,
//! cuts them into patches and packs these. The host reads a few counters on the way.

use crate::Error;
use crate::engine::{Buffer, Engine, Foreign};
use crate::parallel::scan;
use crate::patch::PatchError;
use crate::repack::{RepackOptions, RepackSource, Repacked, repack_sound, words_of};
use crate::store::{Attribute, AttributeError, RxMesh};
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::construct::clusters::{
    ClusterAlone, ClusterGrow, ClusterLabel, ClusterName, GROWN, Seeds,
};
use rxmesh_kernels::construct::connect::{
    ConnectBegin, ConnectFinish, ConnectFirst, ConnectInsert,
};
use rxmesh_kernels::edit::Fill;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::query::FV;
use rxmesh_kernels::query::rows::WriteRows;
use rxmesh_kernels::repack::permute::RepackPermute;
use rxmesh_kernels::topo::{Element, Kind, PatchHeader, Vertex};
use std::marker::PhantomData;

/// Most faces of a mean cluster. Larger ones would make patches hardly better, and take more steps.
const CLUSTER: u32 = 1024;

/// Returns seeds of clusters for patches of `patch_size` faces: about two patches to a cluster. Regions of several
/// patches made of smaller clusters have ragged borders.
fn seeds(faces: u32, patch_size: u32) -> Seeds {
    let one_of = (2 * patch_size).min(CLUSTER);
    // Within `r` steps of a face on a surface are about `1.5 r^2` others: next to none has no seed among them.
    Seeds::new(faces, one_of, (25 * one_of / 4).isqrt())
}

impl RxMesh {
    /// Cuts faces that lie in an engine's memory into patches there, of at most `patch_size` faces each. Any indexed
    /// triangle set will do, as for [`RxMesh::new`]; the patches are others, but the same on every engine and every
    /// run. The input's order is that of `faces`, which are read only.
    ///
    /// # Errors
    ///
    /// [`PatchError::PatchSize`], [`PatchError::FaceIndex`] for the first corner that names no vertex of
    /// `vertex_count`, a mesh that does not fit the ids, or no memory on the engine.
    pub fn from_engine_faces(
        vertex_count: u32,
        faces: &Buffer<[u32; 3]>,
        patch_size: u32,
    ) -> Result<RxMesh, Error> {
        Ok(construct(vertex_count, faces, patch_size)?.mesh)
    }

    /// Works like [`RxMesh::from_engine_faces`], with the positions of the vertices, or other values of them, in the
    /// input's order: they become an attribute without a copy to the host.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::from_engine_faces`], values that are not whole 32-bit words, or on another engine.
    pub fn from_engine_arrays<T: Value>(
        positions: &Buffer<T>,
        faces: &Buffer<[u32; 3]>,
        patch_size: u32,
    ) -> Result<(RxMesh, Attribute<Vertex, T>), Error> {
        let vertices = u32::try_from(positions.len()).unwrap_or(u32::MAX);
        let Repacked { mesh, renumbering } = construct(vertices, faces, patch_size)?;
        let x = renumbering.attribute(&mesh, positions)?;
        Ok((mesh, x))
    }

    /// Works like [`RxMesh::from_engine_arrays`], for arrays that another library keeps in the engine's memory, such as
    /// tensors on a GPU: nothing is copied to the host. They are copied on their streams and not needed afterwards.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::from_engine_arrays`] and [`Engine::copy_of`].
    ///
    /// # Safety
    ///
    /// As [`Engine::copy_of`], for both.
    pub unsafe fn from_device<T: Value>(
        engine: &Engine,
        positions: Foreign,
        faces: Foreign,
        patch_size: u32,
    ) -> Result<(RxMesh, Attribute<Vertex, T>), Error> {
        // SAFETY: the caller's.
        let (positions, faces) = unsafe { (engine.copy_of(positions)?, engine.copy_of(faces)?) };
        RxMesh::from_engine_arrays(&positions, &faces, patch_size)
    }

    /// Copies positions, or other values of the vertices, and the faces' corners into arrays that another library keeps
    /// in the engine's memory, on their streams. `x` has a value and `faces` three `u32` for each element of the mesh,
    /// in linear order: that of attributes.
    ///
    /// # Errors
    ///
    /// A mesh with free slots between its elements ([`Error::Options`]), an attribute that is stale or of another mesh,
    /// arrays of other lengths, or as [`Buffer::copy_to`].
    ///
    /// # Safety
    ///
    /// As [`Buffer::copy_to`], for both.
    pub unsafe fn to_device<T: Value>(
        &self,
        x: &Attribute<Vertex, T>,
        positions: Foreign,
        faces: Foreign,
    ) -> Result<(), Error> {
        self.has_no_gaps()?;
        if x.mesh_id() != self.id() {
            return Err(AttributeError::OtherMesh.into());
        }
        x.global()?;
        let corners = self.engine_faces()?;
        // SAFETY: the caller's.
        unsafe {
            x.buffer().copy_to(positions)?;
            corners.copy_to(faces)?;
        }
        Ok(())
    }

    /// Returns positions, or other values of the vertices, and the faces' corners in the engine's memory, in linear
    /// order: that of attributes.
    ///
    /// # Errors
    ///
    /// A mesh with free slots between its elements ([`Error::Options`]), an attribute that is stale or of another mesh,
    /// or no memory on the engine.
    pub fn to_engine_arrays<T: Value>(
        &self,
        x: &Attribute<Vertex, T>,
    ) -> Result<(Buffer<T>, Buffer<[u32; 3]>), Error> {
        self.has_no_gaps()?;
        if x.mesh_id() != self.id() {
            return Err(AttributeError::OtherMesh.into());
        }
        x.global()?;
        Ok((x.buffer().copied_from(0)?, self.engine_faces()?))
    }

    /// Refuses a mesh with free slots.
    fn has_no_gaps(&self) -> Result<(), Error> {
        if [Kind::Vertex, Kind::Face].map(|k| self.linear_len(k) - self.count(k)) != [0, 0] {
            let why = "the mesh has free slots between its elements: arrays would have gaps";
            return Err(Error::Options(why.to_string()));
        }
        Ok(())
    }

    /// Returns the faces' corners, in linear ids.
    fn engine_faces(&self) -> Result<Buffer<[u32; 3]>, Error> {
        let corners = self
            .engine()
            .uninit::<u32>(3 * self.count(Kind::Face) as usize)?;
        self.launch(WriteRows::<FV> {
            starts: GlobalMut::empty(),
            values: corners.global_mut(),
            relation: PhantomData,
        })?;
        Ok(corners.cast::<[u32; 3]>()?)
    }

    /// Returns the values of an attribute in the order of the arrays that the mesh was made of on its engine
    /// ([`RxMesh::from_engine_arrays`]), in the engine's memory.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for a mesh that was not made so, values that are not whole 32-bit words, an attribute that is
    /// stale or of another mesh, or any error of the engine.
    pub fn in_array_order<K: Element, T: Value>(
        &self,
        x: &Attribute<K, T>,
    ) -> Result<Buffer<T>, Error> {
        if x.mesh_id() != self.id() {
            return Err(AttributeError::OtherMesh.into());
        }
        x.global()?;
        let width = words_of::<T>()?;
        let count = self.count(K::KIND);
        let linear = self
            .origin(K::KIND)
            .filter(|ids| ids.len() == count as usize);
        let linear = linear.ok_or_else(|| {
            Error::Options("the mesh was not made of arrays on its engine".to_string())
        })?;
        let engine = self.engine();
        let permute = |ids: &Buffer<u32>, from: Global<u32>, to: GlobalMut<u32>, width: u32| {
            let kernel = RepackPermute {
                linear: ids.global(),
                from,
                to,
                width,
            };
            engine.launch_flat(from.len(), kernel)
        };
        let fill = |words: &Buffer<u32>, value: u32| {
            let to = words.global_mut();
            engine.launch_flat(to.len(), Fill { to, value })
        };
        // The arrays' index of each linear id: consecutive numbers, moved as values are.
        let numbers = engine.uninit::<u32>(count as usize)?;
        fill(&numbers, 1)?;
        scan::exclusive_shared(engine, &numbers)?;
        let index = engine.uninit::<u32>(self.linear_len(K::KIND) as usize)?;
        fill(&index, u32::MAX)?;
        permute(linear, numbers.global(), index.global_mut(), 1)?;
        let values = engine.uninit::<T>(count as usize)?;
        permute(
            &index,
            x.buffer().global().cast(),
            values.global_mut().cast(),
            width,
        )?;
        Ok(values)
    }
}

/// Computes the edges of faces, labels of clusters of about two patches each, and the number of labels.
pub(crate) fn connect(
    vertex_count: u32,
    faces: &Buffer<[u32; 3]>,
    patch_size: u32,
) -> Result<(Flat, Buffer<u32>, u32), Error> {
    check(vertex_count, faces, patch_size)?;
    // Several launches read the corners, the first of which compares them with the number of vertices: no other code
    // can change a copy in between.
    let own = faces.copied_from(0)?;
    let flat = Flat::connect(vertex_count, &own)?;
    let (label, labels) = flat.clusters(seeds(flat.faces, patch_size))?;
    Ok((flat, label, labels))
}

fn construct(
    vertex_count: u32,
    faces: &Buffer<[u32; 3]>,
    patch_size: u32,
) -> Result<Repacked, Error> {
    let (flat, label, labels) = connect(vertex_count, faces, patch_size)?;
    let options = RepackOptions::default().with(|o| o.patch_size = patch_size);
    let source = RepackSource {
        fe: &flat.fe,
        ev: &flat.ev,
        ef: &flat.ef,
        ve: &flat.ve,
        label: &label,
    };
    repack_sound(faces.engine(), &source, labels, options)
}

/// Refuses more elements than kernels can index.
fn check(vertices: u32, faces: &Buffer<[u32; 3]>, patch_size: u32) -> Result<(), Error> {
    if !(1..=PatchHeader::MAX_ELEMENTS).contains(&patch_size) {
        return Err(PatchError::PatchSize(patch_size).into());
    }
    let limit = (1u64 << 31) - 2;
    for (what, count, limit) in [
        ("faces", faces.len() as u64, limit / 3),
        ("vertices", vertices.into(), limit),
    ] {
        if count > limit {
            return Err(PatchError::TooManyElements { what, count, limit }.into());
        }
    }
    Ok(())
}

/// A mesh as flat arrays, without free slots: see [`RepackSource`].
pub(crate) struct Flat {
    engine: Engine,
    faces: u32,
    pub(crate) fe: Buffer<u32>,
    pub(crate) ev: Buffer<u32>,
    ef: Buffer<u32>,
    pub(crate) ve: Buffer<u32>,
}

impl Flat {
    /// Numbers the edges by matching the sides of faces.
    fn connect(vertices: u32, faces: &Buffer<[u32; 3]>) -> Result<Flat, Error> {
        let engine = faces.engine().clone();
        let corners = faces.global().cast::<u32>();
        let sides = 3 * faces.len() as u32;
        let fe = engine.uninit::<u32>(sides as usize)?;
        let table = engine.zeroed::<u32>(sides as usize + sides as usize / 2 + 1)?;
        let bad = engine.zeroed::<u32>(2)?;
        let insert = ConnectInsert {
            faces: corners,
            table: table.global_mut(),
            place: fe.global_mut(),
            bad: bad.global_mut(),
            vertices,
        };
        engine.launch_flat(sides, insert)?;
        let number = engine.zeroed::<u32>(sides as usize + 1)?;
        let first = ConnectFirst {
            table: table.global(),
            place: fe.global(),
            first: number.global_mut(),
        };
        engine.launch_flat(sides, first)?;
        scan::in_place_shared(&engine, &number)?;
        let last = sides as usize;
        let (edges, bad) = number.read_two(last..last + 1, &bad, 1..2)?;
        check_corners(vertices, faces, bad[0])?;
        let edges = edges[0] as usize;
        let flat = Flat {
            faces: faces.len() as u32,
            fe,
            ev: engine.uninit(2 * edges)?,
            ef: engine.uninit(2 * edges)?,
            ve: engine.uninit(vertices as usize)?,
            engine,
        };
        let begin = ConnectBegin {
            faces: corners,
            number: number.global(),
            ev: flat.ev.global_mut(),
            ef: flat.ef.global_mut(),
            ve: flat.ve.global_mut(),
        };
        flat.engine.launch_flat(sides.max(vertices), begin)?;
        let finish = ConnectFinish {
            faces: corners,
            table: table.global(),
            number: number.global(),
            fe: flat.fe.global_mut(),
            ef: flat.ef.global_mut(),
            ve: flat.ve.global_mut(),
        };
        flat.engine.launch_flat(sides, finish)?;
        Ok(flat)
    }

    /// Labels clusters of faces, and returns the number of labels, too.
    fn clusters(&self, seeds: Seeds) -> Result<(Buffer<u32>, u32), Error> {
        let engine = &self.engine;
        let label = engine.uninit::<u32>(self.faces as usize)?;
        // Flags of the growing steps, then two counters; the second is the number of faces left.
        let counts = engine.zeroed::<u32>(GROWN as usize + 2)?;
        let ef = self.ef.global().cast::<u64>();
        let blocks = engine.grid_blocks(ef.len());
        let grow = ClusterGrow {
            ef,
            word: label.global_mut(),
            grown: counts.global_mut().part(0, GROWN),
            seeds,
            blocks,
        };
        engine.launch_grid(blocks, 0..seeds.farthest + 3, grow)?;
        let name = ClusterLabel {
            word: label.global_mut(),
            seeds,
            left: counts.global_mut().part(GROWN, 2),
        };
        engine.launch_flat(self.faces, name)?;
        let clusters = self.faces.div_ceil(seeds.one_of);
        let left = counts.read_range(GROWN as usize + 1, 1)?[0];
        if left > 0 {
            self.name_alone(&label, clusters)?;
        }
        Ok((label, clusters + left))
    }

    /// Gives each face without a cluster a separate label, from `first` on.
    fn name_alone(&self, label: &Buffer<u32>, first: u32) -> Result<(), Error> {
        let before = self.engine.uninit::<u32>(self.faces as usize)?;
        let alone = ClusterAlone {
            label: label.global(),
            alone: before.global_mut(),
        };
        self.engine.launch_flat(self.faces, alone)?;
        scan::in_place_shared(&self.engine, &before)?;
        let name = ClusterName {
            before: before.global(),
            first,
            label: label.global_mut(),
        };
        self.engine.launch_flat(self.faces, name)?;
        Ok(())
    }
}

/// Returns the error of a corner that names no vertex, given as its complement; 0 for none.
fn check_corners(vertices: u32, faces: &Buffer<[u32; 3]>, bad: u32) -> Result<(), Error> {
    if bad == 0 {
        return Ok(());
    }
    let (face, corner) = (!bad as usize / 3, !bad as usize % 3);
    Err(PatchError::FaceIndex {
        face,
        index: faces.read_range(face, 1)?[0][corner],
        vertex_count: vertices as usize,
    }
    .into())
}
