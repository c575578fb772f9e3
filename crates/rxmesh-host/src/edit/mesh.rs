//! The mesh of a session: flat arrays in session ids.

use crate::Error;
use crate::construct;
use crate::engine::{Buffer, Engine, EngineError};
use crate::parallel::fill;
use crate::store::RxMesh;
use rxmesh_kernels::cavity::{FREE, FROZEN};
use rxmesh_kernels::edit::{
    DEAD, FlatMesh, Freeze, LinkSides, MarkDead, NO_FACE, NONE, OpenFaces, OpenPatches,
    OpenVertices, Suspects, VERTEX_LIMIT,
};
use rxmesh_kernels::parallel::flags::SlotTable;
use rxmesh_kernels::topo::Kind;

/// Mesh of a session: the arrays of [`FlatMesh`], and the claims on faces, which tell the frozen ones.
pub struct OpenMesh {
    engine: Engine,
    /// Mesh that was opened.
    source: u64,
    patches: u32,
    capacity: [u32; 3],
    frozen: u32,
    pub(super) fe: Buffer<u32>,
    pub(super) ev: Buffer<u32>,
    pub(super) around: Buffer<u32>,
    pub(super) ve: Buffer<u32>,
    pub(super) fp: Buffer<u32>,
    claims: Buffer<u64>,
}

/// A session's arrays on the host, as in [`FlatMesh`], by session id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostArrays {
    /// Three half-edges per face.
    pub fe: Vec<u32>,
    /// Two vertices per edge.
    pub ev: Vec<u32>,
    /// Face of each half-edge.
    pub ef: Vec<u32>,
    /// An edge of each vertex.
    pub ve: Vec<u32>,
    /// Patch of each face.
    pub fp: Vec<u32>,
    /// `true` for each frozen face.
    pub frozen: Vec<bool>,
}

/// Live elements of a session on the host.
pub(crate) struct Snapshot {
    /// Three vertices per live face, numbered as in `vertices`.
    pub faces: Vec<[u32; 3]>,
    /// Slots of the live vertices, ascending.
    pub vertices: Vec<u32>,
    /// Slots of the live faces, ascending.
    pub face_slots: Vec<u32>,
}

impl std::fmt::Debug for OpenMesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [v, e, n] = self.capacity;
        write!(
            f,
            "OpenMesh(capacity for {v} vertices, {e} edges, {n} faces)"
        )
    }
}

impl HostArrays {
    /// Returns `true` if a slot has an element.
    pub fn lives(&self, kind: Kind, slot: u32) -> bool {
        let i = slot as usize;
        match kind {
            Kind::Vertex => self.ve[i] != DEAD,
            Kind::Edge => self.ev[2 * i] != NONE,
            Kind::Face | Kind::Cell => self.fe[3 * i] != NONE,
        }
    }
}

impl OpenMesh {
    /// Builds the arrays of a patched mesh, in its linear ids.
    pub(super) fn open(rx: &RxMesh) -> Result<OpenMesh, Error> {
        let slots = Kind::ALL.map(|kind| rx.linear_len(kind));
        let mut mesh = OpenMesh::allocate(rx.engine(), slots)?;
        mesh.source = rx.id();
        mesh.patches = rx.headers().len() as u32;
        // Slots that patches keep free are dead; all others are written.
        if Kind::ALL.iter().any(|&k| rx.count(k) != rx.linear_len(k)) {
            mesh.bury([0; 3])?;
        }
        mesh.freeze(|open, corners| {
            let mesh = open.view();
            Ok(rx.launch(OpenPatches { mesh, corners })?)
        })?;
        Ok(mesh)
    }

    /// Builds the arrays of faces that lie in the engine's memory, in the input's order, with the labels from which
    /// construction begins for patches of `patch_size` faces.
    pub(super) fn of_faces(
        vertices: u32,
        faces: &Buffer<[u32; 3]>,
        patch_size: u32,
    ) -> Result<OpenMesh, Error> {
        let engine = faces.engine().clone();
        let (flat, fp, patches) = construct::connect(vertices, faces, patch_size)?;
        let edges = flat.ev.len() as u32 / 2;
        let capacity = [vertices, edges, faces.len() as u32];
        check_limit(capacity)?;
        let mut mesh = OpenMesh {
            source: 0,
            patches,
            capacity,
            frozen: 0,
            fe: flat.fe,
            ev: flat.ev,
            around: engine.uninit(4 * edges as usize)?,
            ve: flat.ve,
            fp,
            claims: engine.uninit(faces.len())?,
            engine,
        };
        fill(&mesh.engine, mesh.around.global_mut(), NO_FACE)?;
        mesh.freeze(|open, corners| {
            let mesh = open.view();
            Ok((open.engine).launch_flat(open.capacity[2], OpenFaces { mesh, corners })?)
        })?;
        Ok(mesh)
    }

    /// Allocates arrays, not written yet.
    fn allocate(engine: &Engine, capacity: [u32; 3]) -> Result<OpenMesh, Error> {
        check_limit(capacity)?;
        let [v, e, f] = capacity.map(|n| n as usize);
        Ok(OpenMesh {
            engine: engine.clone(),
            source: 0,
            patches: 0,
            capacity,
            frozen: 0,
            fe: engine.zeroed(3 * f)?,
            ev: engine.zeroed(2 * e)?,
            around: engine.zeroed(4 * e)?,
            ve: engine.zeroed(v)?,
            fp: engine.zeroed(f)?,
            claims: engine.zeroed(f)?,
        })
    }

    /// Freezes the elements that must not be changed. `faces_of` writes the faces of half-edges, and counts those at
    /// each vertex.
    fn freeze(
        &mut self,
        faces_of: impl FnOnce(&OpenMesh, Suspects) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let [vertices, _, faces] = self.capacity;
        let engine = &self.engine;
        let corners = engine.zeroed::<u32>(vertices as usize)?;
        let frozen = engine.zeroed::<u32>(4)?;
        let (mesh, at) = (self.view(), corners.global_mut());
        faces_of(self, at)?;
        self.link_sides()?;
        engine.launch_flat(
            vertices,
            OpenVertices {
                mesh,
                corners: at,
                frozen: frozen.global_mut(),
            },
        )?;
        engine.launch_flat(
            faces,
            Freeze {
                mesh,
                corners: at,
                claims: self.claims.global_mut(),
                frozen: frozen.global_mut(),
            },
        )?;
        self.frozen = frozen.read_range(1, 1)?[0];
        Ok(())
    }

    /// Computes the preceding half-edge of each half-edge from faces and edges.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn link_sides(&self) -> Result<(), EngineError> {
        let half_edges = 2 * self.capacity[Kind::Edge as usize];
        let mesh = self.view();
        self.engine.launch_flat(half_edges, LinkSides { mesh })
    }

    /// Allocates arrays of another capacity for the same mesh, not written yet: for a scheduler of edits that numbers
    /// elements by itself.
    ///
    /// # Errors
    ///
    /// More elements than ids, or no memory on the engine.
    pub fn renumbered(&self, capacity: [u32; 3], patches: u32) -> Result<OpenMesh, Error> {
        let mut mesh = OpenMesh::allocate(&self.engine, capacity)?;
        (mesh.source, mesh.frozen) = (self.source, self.frozen);
        mesh.patches = patches;
        Ok(mesh)
    }

    /// Returns the same mesh with a larger capacity; new slots are dead. A session takes it once it has all that it
    /// needs to grow.
    ///
    /// # Errors
    ///
    /// More elements than ids, or no memory on the engine.
    pub fn grown(&self, capacity: [u32; 3], patches: u32) -> Result<OpenMesh, Error> {
        check_limit(capacity)?;
        let [v, e, f] = capacity.map(|n| n as usize);
        let mesh = OpenMesh {
            engine: self.engine.clone(),
            source: self.source,
            patches,
            capacity,
            frozen: self.frozen,
            fe: self.fe.grown(3 * f)?,
            ev: self.ev.grown(2 * e)?,
            around: self.around.grown(4 * e)?,
            ve: self.ve.grown(v)?,
            fp: self.fp.grown(f)?,
            claims: self.claims.grown(f)?,
        };
        let claims = mesh.claims.global_mut().from(self.capacity[2]);
        fill(&self.engine, claims.cast(), FREE as u32)?;
        mesh.bury(self.capacity)?;
        Ok(mesh)
    }

    /// Makes all slots from some on dead.
    fn bury(&self, [v, e, f]: [u32; 3]) -> Result<(), EngineError> {
        let bury = |table: &Buffer<u32>, from: u32, dead: u32| {
            fill(&self.engine, table.global_mut().from(from), dead)
        };
        bury(&self.fe, 3 * f, NONE)?;
        bury(&self.ev, 2 * e, NONE)?;
        bury(&self.around, 4 * e, NONE)?;
        bury(&self.fp, f, NONE)?;
        bury(&self.ve, v, DEAD)
    }

    /// Returns the engine that kernels run on.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the id of the mesh that was opened.
    pub(super) fn source(&self) -> u64 {
        self.source
    }

    /// Returns the number of patches: labels of faces are smaller.
    pub fn patches(&self) -> u32 {
        self.patches
    }

    /// Returns the number of slots of a kind, live or not.
    pub fn capacity(&self, kind: Kind) -> u32 {
        self.capacity[kind as usize]
    }

    /// Returns the number of slots by kind: V, E, F.
    pub fn capacities(&self) -> [u32; 3] {
        self.capacity
    }

    /// Returns the number of faces that are frozen.
    pub fn frozen_faces(&self) -> u32 {
        self.frozen
    }

    /// Returns the ends of each edge slot; [`NONE`] of dead ones.
    pub(super) fn ends(&self) -> &Buffer<u32> {
        &self.ev
    }

    /// Returns the mesh as a kernel argument.
    pub fn view(&self) -> FlatMesh {
        FlatMesh {
            fe: self.fe.global_mut(),
            ev: self.ev.global_mut(),
            around: self.around.global_mut(),
            ve: self.ve.global_mut(),
            fp: self.fp.global_mut(),
        }
    }

    /// Returns the claims on faces: [`FROZEN`] on those that no operator may change.
    pub fn face_claims(&self) -> &Buffer<u64> {
        &self.claims
    }

    /// Returns the number of words of a set of elements, a bit each, with capacity for every kind.
    pub fn set_words(&self) -> usize {
        let most = self.capacity.iter().max();
        most.map_or(0, |n| n.div_ceil(32) as usize)
    }

    /// Returns the number of slots of the kind that has most.
    pub(super) fn most_seeds(&self) -> usize {
        self.capacity.iter().max().map_or(0, |&n| n as usize)
    }

    /// Returns the slots of a kind as a kernel argument.
    pub(super) fn slot_table(&self, kind: Kind) -> SlotTable {
        let (entries, width, dead) = match kind {
            Kind::Vertex => (&self.ve, 1, DEAD),
            Kind::Edge => (&self.ev, 2, NONE),
            Kind::Face | Kind::Cell => (&self.fe, 3, NONE),
        };
        SlotTable {
            entries: entries.global(),
            width,
            dead,
        }
    }

    /// Marks the dead ones among the first `slots` slots of a kind, a bit each.
    pub(super) fn mark_dead(
        &self,
        kind: Kind,
        slots: u32,
        set: &Buffer<u32>,
    ) -> Result<(), EngineError> {
        let table = self.slot_table(kind);
        let kernel = MarkDead {
            table: table.entries,
            width: table.width,
            slots,
            set: set.global_mut(),
        };
        self.engine.launch_flat(set.len() as u32, kernel)
    }

    /// Counts the live elements of a kind.
    pub(super) fn count(&self, kind: Kind) -> Result<u32, EngineError> {
        let slots = self.capacity(kind);
        let set = self.engine.zeroed(slots.div_ceil(32) as usize)?;
        self.mark_dead(kind, slots, &set)?;
        let dead: u32 = set.read()?.iter().map(|word| word.count_ones()).sum();
        Ok(slots - dead)
    }

    /// Copies the arrays to the host.
    pub(super) fn to_host(&self) -> Result<HostArrays, EngineError> {
        let claims = self.claims.read()?;
        let frozen = |&c: &u64| c == FROZEN;
        Ok(HostArrays {
            fe: self.fe.read()?,
            ev: self.ev.read()?,
            ef: self.around.read()?.into_iter().step_by(2).collect(),
            ve: self.ve.read()?,
            fp: self.fp.read()?,
            frozen: claims.iter().map(frozen).collect(),
        })
    }

    /// Takes over arrays of the same lengths, patches of faces aside.
    pub(super) fn set(&mut self, arrays: &HostArrays) -> Result<(), Error> {
        self.fe.write(&arrays.fe)?;
        self.ev.write(&arrays.ev)?;
        let around: Vec<u32> = arrays.ef.iter().flat_map(|&f| [f, NONE]).collect();
        self.around.write(&around)?;
        self.ve.write(&arrays.ve)?;
        let claim = |&frozen: &bool| if frozen { FROZEN } else { FREE };
        let claims: Vec<u64> = arrays.frozen.iter().map(claim).collect();
        self.claims.write(&claims)?;
        self.link_sides()?;
        self.frozen = claims.iter().filter(|&&c| c == FROZEN).count() as u32;
        Ok(())
    }

    /// Copies the live elements to the host.
    pub(super) fn snapshot(&self) -> Result<Snapshot, EngineError> {
        let (fe, ev, ve) = (self.fe.read()?, self.ev.read()?, self.ve.read()?);
        let mut number = vec![NONE; ve.len()];
        let mut vertices = Vec::new();
        for (v, &edge) in ve.iter().enumerate() {
            if edge != DEAD {
                number[v] = vertices.len() as u32;
                vertices.push(v as u32);
            }
        }
        let mut faces = Vec::with_capacity(fe.len() / 3);
        let mut face_slots = Vec::with_capacity(fe.len() / 3);
        for (f, sides) in fe.chunks_exact(3).enumerate() {
            if sides[0] != NONE {
                face_slots.push(f as u32);
                faces.push([0, 1, 2].map(|k| number[ev[sides[k] as usize] as usize]));
            }
        }
        Ok(Snapshot {
            faces,
            vertices,
            face_slots,
        })
    }
}

/// Refuses more elements than session ids can name.
fn check_limit([vertices, edges, faces]: [u32; 3]) -> Result<(), Error> {
    for (what, count, limit) in [
        ("vertices", vertices, VERTEX_LIMIT),
        ("edges", edges, u32::MAX / 4),
        ("faces", faces, u32::MAX / 3),
    ] {
        if count > limit {
            return Err(Error::TooLarge {
                what,
                count: count.into(),
                limit: limit.into(),
            });
        }
    }
    Ok(())
}
