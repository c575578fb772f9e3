//! Memory of the patches.

use crate::launch::{LaunchEditPatches, LaunchEdits};
use rxmesh_host::Error;
use rxmesh_host::edit::OpenMesh;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::edit::Fill;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::Kind;
use rxmesh_speculative_kernels::{
    BuildPatches, Census, Flatten, Locks, MOST_ELEMENTS, NumberElements, NumberVertices,
    PatchCapacity, PatchQueue, PatchStore, TALLIES, Tally, shared_bytes, table,
};

/// Capacity of every patch as a multiple of the largest patch's elements (Mahmoud et al. 2024, section 6: "a patch is
/// allowed to grow up to two times its initial size").
const ROOM: u32 = 2;

/// Minimum capacity for elements of a kind.
const LEAST_ROOM: u32 = 64;

/// Number of patches per spare one; there is one more spare patch.
const SPARE: u32 = 8;

/// Fraction of a patch's elements that may belong to others.
const RIBBON: (u32, u32) = (3, 4);

/// Patches with spare capacity.
#[derive(Debug)]
pub(crate) struct Patches {
    pub shape: PatchCapacity,
    /// Number of patches that there is memory for.
    pub count: u32,
    /// Number of patches that have been in use; those after them are empty.
    pub used: u32,
    /// Empty patches among those.
    pub empty: Vec<u32>,
    topology: Buffer<u16>,
    masks: Buffer<u32>,
    ribbons: Buffer<u32>,
    moved: Buffer<u16>,
    locks: Buffer<u32>,
    pub needs: Buffer<u32>,
    pub visits: Buffer<u32>,
    pub queue: Buffer<u32>,
    pub tally: Buffer<u32>,
    /// Handles by linear id of the mesh that was opened.
    pub handles: [Buffer<u32>; 3],
}

/// Returns the capacities for the elements of each kind, and of the tables: the desired ones, or, if these do not fit
/// the engine's shared memory, smaller ones, so that patches are cut earlier.
fn shape_of(rx: &RxMesh) -> Result<PatchCapacity, Error> {
    let limit = rx.engine().shared_limit();
    let mut parts = ROOM * ROOM_PARTS;
    loop {
        let shape = shape_with(rx, parts)?;
        let needed = shared_bytes(shape);
        if needed <= limit {
            return Ok(shape);
        }
        if parts == ROOM_PARTS {
            return Err(Error::Options(format!(
                "the speculative scheduler needs {needed} bytes of shared memory for the largest patch, but the engine \
                    has {limit}; use smaller patches, or claims"
            )));
        }
        parts -= 1;
    }
}

/// Steps in which the capacity is reduced, as fractions of the elements of the largest patch.
const ROOM_PARTS: u32 = 4;

fn shape_with(rx: &RxMesh, parts: u32) -> Result<PatchCapacity, Error> {
    let room = |kind: Kind| {
        let most = rx.headers().iter().map(|h| h.total[kind as usize]).max();
        let most = u32::from(most.unwrap_or(0));
        let room = (most * parts / ROOM_PARTS)
            .max(LEAST_ROOM)
            .next_multiple_of(32);
        if most > MOST_ELEMENTS {
            return Err(Error::Options(format!(
                "a patch has {most} elements of a kind, but the speculative scheduler's ids have 13 bits: at most \
                    {MOST_ELEMENTS}; use smaller patches, or claims"
            )));
        }
        Ok(room.min(MOST_ELEMENTS))
    };
    let words = |room: u32| table::words_for(room * RIBBON.0 / RIBBON.1).next_multiple_of(4);
    let [vertices, edges, faces] = [room(Kind::Vertex)?, room(Kind::Edge)?, room(Kind::Face)?];
    Ok(PatchCapacity {
        vertices,
        edges,
        faces,
        vertex_table: words(vertices),
        edge_table: words(edges),
        face_table: words(faces),
    })
}

impl Patches {
    /// Builds the patches of a mesh with frozen faces, which `claims` marks by linear id.
    pub(crate) fn build(rx: &RxMesh, claims: &Buffer<u64>) -> Result<Patches, Error> {
        let engine = rx.engine();
        let shape = shape_of(rx)?;
        let used = rx.headers().len() as u32;
        let count = used + used / SPARE + 1;
        let mut patches = Patches {
            shape,
            count: 0,
            used,
            empty: Vec::new(),
            topology: engine.zeroed(0)?,
            masks: engine.zeroed(0)?,
            ribbons: engine.zeroed(0)?,
            moved: engine.zeroed(0)?,
            locks: engine.zeroed(0)?,
            needs: engine.zeroed(1)?,
            visits: engine.zeroed(0)?,
            queue: engine.zeroed(0)?,
            tally: engine.zeroed(TALLIES)?,
            handles: [
                unknown(engine, rx.linear_len(Kind::Vertex))?,
                unknown(engine, rx.linear_len(Kind::Edge))?,
                unknown(engine, rx.linear_len(Kind::Face))?,
            ],
        };
        let grown = patches.grown(engine, count)?;
        patches.take(grown);
        let [vertices, edges, faces] = &patches.handles;
        rx.launch(NumberVertices {
            room: shape.vertices,
            handles: vertices.global_mut(),
        })?;
        // Patches read vertices of others.
        let (v, e, f) = (vertices.global(), edges.global(), faces.global());
        rx.launch(NumberElements {
            edge_room: shape.edges,
            face_room: shape.faces,
            edges: edges.global_mut(),
            faces: faces.global_mut(),
        })?;
        rx.launch(BuildPatches {
            store: patches.store(),
            vertices: v,
            edges: e,
            faces: f,
            claims: claims.global(),
            tally: patches.tally.global_mut(),
        })?;
        let tally = patches.tally.read()?;
        if tally[Tally::Crowded as usize] > 0 {
            return Err(Error::Options(
                "a patch has more than 64 neighbours, which the speculative scheduler cannot name; use larger patches, \
                    or claims".into(),
            ));
        }
        if tally[Tally::Corrupt as usize] > 0 {
            return Err(Error::Options(
                "a patch has more elements of its neighbours than the speculative scheduler can hold; use larger \
                    patches, or claims".into(),
            ));
        }
        Ok(patches)
    }

    /// Returns the number of handles by kind for `count` patches.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`].
    fn capacity_of(&self, count: u32) -> Result<[u32; 3], Error> {
        let s = self.shape;
        let capacity = Kind::ALL.map(|k| u64::from(count) * u64::from(s.room(k)));
        // Half-edges of handles and the words of every array must fit into 32 bits.
        let words = [s.topology(), s.masks(), s.ribbons(), s.moved()];
        let most = words.iter().map(|&n| u64::from(count) * u64::from(n)).max();
        let checks = [
            ("vertices", capacity[0], u64::from(u32::MAX / 4)),
            ("edges", capacity[1], u64::from(u32::MAX / 4)),
            ("faces", capacity[2], u64::from(u32::MAX / 4)),
            ("words in patches", most.unwrap_or(0), u64::from(u32::MAX)),
        ];
        for (what, count, limit) in checks {
            if count > limit {
                return Err(Error::TooLarge { what, count, limit });
            }
        }
        Ok(capacity.map(|n| n as u32))
    }

    /// Allocates memory for `count` patches, with their total capacity; [`Patches::take`] installs it.
    pub(crate) fn grown(&self, engine: &Engine, count: u32) -> Result<GrownPatches, Error> {
        let (s, old, n) = (self.shape, self.count, count as usize);
        let capacity = self.capacity_of(count)?;
        let ribbons = self.ribbons.grown(n * s.ribbons() as usize)?;
        let moved = self.moved.grown(n * s.moved() as usize)?;
        let fill =
            |to: GlobalMut<u32>, value: u32| engine.launch_flat(to.len(), Fill { to, value });
        fill(ribbons.global_mut().from(old * s.ribbons()), u32::MAX)?;
        let new_moved = moved.global_mut().from(old * s.moved());
        fill(new_moved.cast::<u32>(), u32::MAX)?;
        Ok(GrownPatches {
            count,
            capacity,
            topology: self.topology.grown(n * s.topology() as usize)?,
            masks: self.masks.grown(n * s.masks() as usize)?,
            ribbons,
            moved,
            locks: engine.zeroed(n)?,
            needs: self.needs.grown(n + 1)?,
            visits: engine.zeroed(n)?,
            queue: engine.zeroed(PatchQueue::words_for(count) as usize)?,
        })
    }

    /// Installs grown memory.
    pub(crate) fn take(&mut self, grown: GrownPatches) {
        (self.topology, self.masks) = (grown.topology, grown.masks);
        (self.ribbons, self.moved) = (grown.ribbons, grown.moved);
        (self.locks, self.needs) = (grown.locks, grown.needs);
        (self.visits, self.queue) = (grown.visits, grown.queue);
        self.count = grown.count;
    }

    /// Returns the patches as a kernel argument.
    pub(crate) fn store(&self) -> PatchStore {
        PatchStore {
            shape: self.shape,
            topology: self.topology.global_mut(),
            masks: self.masks.global_mut(),
            ribbons: self.ribbons.global_mut(),
            moved: self.moved.global_mut(),
            locks: Locks::new(self.locks.global_mut()),
            needs: self.needs.global_mut(),
            patches: self.count,
        }
    }

    /// Returns the number of handles by kind.
    pub(crate) fn capacity(&self) -> [u32; 3] {
        Kind::ALL.map(|k| self.count * self.shape.room(k))
    }

    /// Writes the flat arrays.
    pub(crate) fn flatten(&self, mesh: &OpenMesh) -> Result<(), EngineError> {
        let kernel = Flatten {
            store: self.store(),
            mesh: mesh.view(),
            claims: mesh.face_claims().global_mut(),
        };
        mesh.engine().launch_blocks(self.count, kernel)?;
        mesh.link_sides()
    }

    /// Counts owned vertices, owned faces and faces of each patch.
    pub(crate) fn census(&self, engine: &Engine) -> Result<Vec<[u32; 3]>, EngineError> {
        let to = engine.zeroed::<u32>(3 * self.count as usize)?;
        engine.launch_blocks(
            self.count,
            Census {
                store: self.store(),
                to: to.global_mut(),
            },
        )?;
        let words = to.read()?;
        Ok(words.chunks_exact(3).map(|w| [w[0], w[1], w[2]]).collect())
    }

    /// Copies the arrays to the host.
    pub(super) fn to_host(&self) -> Result<HostPatches, EngineError> {
        Ok(HostPatches {
            shape: self.shape,
            topology: self.topology.read()?,
            masks: self.masks.read()?,
            ribbons: self.ribbons.read()?,
            moved: self.moved.read()?,
            locks: self.locks.read()?,
        })
    }

    /// Returns the number of bytes on the engine, without attributes.
    pub(crate) fn bytes(&self) -> usize {
        self.count as usize * self.shape.bytes() as usize
    }
}

/// Arrays of [`Patches`] whose lengths depend on their number.
pub(crate) struct GrownPatches {
    count: u32,
    /// Number of handles by kind.
    pub capacity: [u32; 3],
    topology: Buffer<u16>,
    masks: Buffer<u32>,
    ribbons: Buffer<u32>,
    moved: Buffer<u16>,
    locks: Buffer<u32>,
    needs: Buffer<u32>,
    visits: Buffer<u32>,
    queue: Buffer<u32>,
}

/// Arrays of the patches on the host.
pub(super) struct HostPatches {
    pub shape: PatchCapacity,
    pub topology: Vec<u16>,
    pub masks: Vec<u32>,
    pub ribbons: Vec<u32>,
    pub moved: Vec<u16>,
    pub locks: Vec<u32>,
}

/// Allocates a word for each of `n` elements, marked as unknown.
fn unknown(engine: &Engine, n: u32) -> Result<Buffer<u32>, EngineError> {
    let words = engine.zeroed::<u32>(n as usize)?;
    let to = words.global_mut();
    engine.launch_flat(
        n,
        Fill {
            to,
            value: u32::MAX,
        },
    )?;
    Ok(words)
}
