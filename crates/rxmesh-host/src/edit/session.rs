//! The state of an edit session.

use super::column::{AnyColumn, Column, ColumnOf};
use crate::Error;
use crate::engine::{Buffer, Engine, EngineError};
use crate::repack::words_of;
use crate::speculative::{Conflicts, Patches, Speculation, SpeculativeOptions};
use crate::store::{Attribute, AttributeError};
use rxmesh_kernels::attr::{Sum, Value};
use rxmesh_kernels::cavity::{Births, Claims, FROZEN, Interpolate, Slots};
use rxmesh_kernels::edit::FlatMesh;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::speculative::PlaceByHandle;
use rxmesh_kernels::topo::{Element, Kind, Vertex};

/// A mesh opened for changes: flat arrays in session ids. New elements take free slots.
///
/// With [`Conflicts::Claims`] session ids begin as the linear ids of the patched mesh, and those of live elements never change while the session is open. With
/// [`Conflicts::Speculative`] they are an element's patch times the room of a patch plus its local id there, and change when an operator runs: keep what belongs to elements in columns.
pub struct Session {
    pub(crate) engine: Engine,
    pub(super) mesh_id: u64,
    /// Patches of the mesh that was opened: labels of faces are smaller.
    pub(crate) patches: u32,
    /// Slots by kind.
    pub(crate) capacity: [u32; 3],
    /// The first slot by kind that was never used.
    pub(crate) unused: [u32; 3],
    pub(crate) flat: Flat,
    pub(crate) state: State,
    /// Free slots below `unused`, when they were listed last.
    pub(super) free: [Buffer<u32>; 3],
    pub(super) listed: [u32; 3],
    pub(crate) columns: Vec<Box<dyn AnyColumn>>,
    pub(super) frozen: u32,
    pub(super) epoch: u32,
    pub(crate) salt: u32,
    /// The counters as they were read last: they count on over all rounds.
    pub(super) counted: Vec<u32>,
    /// Seeds in the list, from the last round.
    pub(crate) queued: u32,
    /// See [`rxmesh_kernels::cavity::Round::share`].
    pub(super) share: u32,
    /// What runs after each fill-in for attributes of new vertices, and the births that it reads.
    pub(crate) hooks: Vec<Hook>,
    pub(super) births: Buffer<u32>,
    /// Whether the set of refused seeds may have members.
    pub(crate) has_refused: bool,
    /// Vertex columns that are interpolated.
    pub(crate) blended: Vec<usize>,
    /// The patches, when the session was opened for the speculative engine.
    pub(crate) speculative: Option<Box<Patches>>,
    pub(crate) speculative_options: SpeculativeOptions,
}

/// Launches the kernels that compute attributes of the vertices that a round has made.
pub(crate) type Hook = Box<dyn Fn(&Session, Births, u32) -> Result<(), Error> + Send + Sync>;

/// The arrays of [`FlatMesh`].
pub(crate) struct Flat {
    pub fe: Buffer<u32>,
    pub ev: Buffer<u32>,
    pub ef: Buffer<u32>,
    pub ve: Buffer<u32>,
    pub fp: Buffer<u32>,
}

/// The arrays of [`Claims`] and [`rxmesh_kernels::cavity::Round`].
pub(crate) struct State {
    pub faces: Buffer<u64>,
    pub pairs: Buffer<u64>,
    pub list: Buffer<u32>,
    pub pending: Buffer<u32>,
    pub queue: Buffer<u32>,
    pub refused: Buffer<u32>,
    pub won: Buffer<u32>,
    pub winners: Buffer<u32>,
    pub records: Buffer<u32>,
    pub counters: Buffer<u32>,
    pub ranks: Buffer<u32>,
    pub chunks: Buffer<u32>,
}

/// A session's arrays on the host, as in [`FlatMesh`], by session id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostArrays {
    /// Three half-edges a face.
    pub fe: Vec<u32>,
    /// Two vertices an edge.
    pub ev: Vec<u32>,
    /// The face of each half-edge.
    pub ef: Vec<u32>,
    /// An edge of each vertex.
    pub ve: Vec<u32>,
    /// The patch of each face.
    pub fp: Vec<u32>,
    /// Whether each face is frozen.
    pub frozen: Vec<bool>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [v, e, n] = self.capacity;
        write!(
            f,
            "Session(room for {v} vertices, {e} edges, {n} faces, {} columns, {:?})",
            self.columns.len(),
            self.engine
        )
    }
}

impl Session {
    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Who decides between overlapping cavities.
    pub fn conflicts(&self) -> Conflicts {
        match self.speculative {
            None => Conflicts::Claims,
            Some(_) => Conflicts::Speculative,
        }
    }

    /// What the speculative engine did since the session was opened; nothing in a session of the claims engine.
    pub fn speculation(&self) -> Option<Speculation> {
        self.speculative.as_ref().map(|p| p.total)
    }

    /// Bytes that the speculative engine's patches take on the engine, without attributes.
    pub fn patch_bytes(&self) -> Option<usize> {
        self.speculative.as_ref().map(|p| p.bytes())
    }

    /// Changes how the speculative engine runs.
    pub fn set_speculative_options(&mut self, options: SpeculativeOptions) {
        self.speculative_options = options;
    }

    /// Number of slots of a kind, live or not: the length of its columns.
    pub fn capacity(&self, kind: Kind) -> u32 {
        self.capacity[kind as usize]
    }

    /// Number of faces that are frozen because they touch a place that is not manifold or not consistently oriented. No operator changes them.
    pub fn frozen_faces(&self) -> u32 {
        self.frozen
    }

    /// The mesh as a kernel argument. Changing it by other means than operators voids the session.
    pub fn mesh(&self) -> FlatMesh {
        FlatMesh {
            fe: self.flat.fe.global_mut(),
            ev: self.flat.ev.global_mut(),
            ef: self.flat.ef.global_mut(),
            ve: self.flat.ve.global_mut(),
            fp: self.flat.fp.global_mut(),
        }
    }

    /// The arrays, copied to the host.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn to_host(&self) -> Result<HostArrays, EngineError> {
        let claims = self.state.faces.read()?;
        Ok(HostArrays {
            fe: self.flat.fe.read()?,
            ev: self.flat.ev.read()?,
            ef: self.flat.ef.read()?,
            ve: self.flat.ve.read()?,
            fp: self.flat.fp.read()?,
            frozen: claims.iter().map(|&c| c == FROZEN).collect(),
        })
    }

    /// Words of a set of elements, a bit each, that has room for every kind.
    pub fn set_words(&self) -> usize {
        super::open::set_words(self.capacity)
    }

    /// The claims on faces, which tell the frozen ones.
    pub fn face_claims(&self) -> GlobalMut<u64> {
        self.state.faces.global_mut()
    }

    pub(super) fn claims(&self) -> Claims {
        Claims {
            faces: self.state.faces.global_mut(),
            pairs: self.state.pairs.global_mut(),
        }
    }

    pub(super) fn slots(&self, kind: Kind) -> Slots {
        let k = kind as usize;
        Slots {
            list: self.free[k].global(),
            listed: self.listed[k],
            first: self.unused[k],
            capacity: self.capacity[k],
        }
    }

    /// Takes an attribute of the mesh into the session: its values stay with their elements, through changes and the closing. New elements
    /// find the value of the deleted element whose slot they take, or zero; operators set what else they should have. Attributes that are not taken along are dropped.
    ///
    /// # Errors
    ///
    /// An attribute of another mesh, one that is newer on the host, values that are not whole 32-bit words, or no memory on the engine.
    pub fn attach<K: Element, T: Value>(
        &mut self,
        x: &Attribute<K, T>,
    ) -> Result<Column<K, T>, Error> {
        words_of::<T>()?;
        if x.mesh_id() != self.mesh_id {
            return Err(AttributeError::OtherMesh.into());
        }
        let from = x.global()?;
        let Some(patches) = &self.speculative else {
            let values = x.buffer().grown(self.capacity(K::KIND) as usize)?;
            return Ok(self.add(values));
        };
        let values = self.engine.zeroed::<T>(self.capacity(K::KIND) as usize)?;
        let from = from.cast::<u32>();
        self.engine.launch_flat(
            from.len(),
            PlaceByHandle {
                handles: patches.handles[K::KIND as usize].global(),
                from,
                to: values.global_mut().cast(),
                width: (size_of::<T>() / size_of::<u32>()) as u32,
            },
        )?;
        Ok(self.add(values))
    }

    /// A new column of zeroes.
    ///
    /// # Errors
    ///
    /// Values that are not whole 32-bit words, or no memory on the engine.
    pub fn column<K: Element, T: Value>(&mut self) -> Result<Column<K, T>, Error> {
        words_of::<T>()?;
        let values = self.engine.zeroed(self.capacity(K::KIND) as usize)?;
        Ok(self.add(values))
    }

    /// Has new vertices get the weighted mean of the values of those they arose from: the ends of an edge that is split or collapsed, the corners of a face.
    /// For operators that say so ([`rxmesh_kernels::cavity::Hole::add_vertex_at`]).
    ///
    /// # Panics
    ///
    /// When the column is another session's.
    pub fn interpolate<T: Sum>(&mut self, column: Column<Vertex, T>) {
        self.values(column);
        self.blended.push(column.index());
        self.after_births(move |s, births, n| {
            let kernel = Interpolate {
                births,
                values: s.write(column).cast(),
                components: T::COMPONENTS,
            };
            Ok(s.engine().launch_flat(n, kernel)?)
        });
    }

    /// Has `hook` run after the fill-in of every round, to launch a kernel of one's own with [`Births`] among its arguments for so many indices: for
    /// attributes whose new values are no weighted means. It may run in vain when a round runs out of room; the births are empty then.
    pub fn after_births(
        &mut self,
        hook: impl Fn(&Session, Births, u32) -> Result<(), Error> + Send + Sync + 'static,
    ) {
        self.hooks.push(Box::new(hook));
    }

    fn add<K: Element, T: Value>(&mut self, values: Buffer<T>) -> Column<K, T> {
        self.columns.push(Box::new(ColumnOf::<K, T>::new(values)));
        Column::new(self.columns.len() - 1)
    }

    /// The values of a column, by session id. Stays valid until the session grows: operators are made anew in each round.
    ///
    /// # Panics
    ///
    /// When the column is another session's.
    pub fn values<K: Element, T: Value>(&self, column: Column<K, T>) -> &Buffer<T> {
        let any = self
            .columns
            .get(column.index())
            .and_then(|c| c.as_any().downcast_ref::<ColumnOf<K, T>>());
        any.expect("the column belongs to another session").values()
    }

    /// Sets all values of a column, by session id.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] unless there is a value for every slot.
    ///
    /// # Panics
    ///
    /// As [`Session::values`].
    pub fn set<K: Element, T: Value>(
        &mut self,
        column: Column<K, T>,
        values: &[T],
    ) -> Result<(), EngineError> {
        let any = self
            .columns
            .get_mut(column.index())
            .and_then(|c| c.as_any_mut().downcast_mut::<ColumnOf<K, T>>());
        any.expect("the column belongs to another session")
            .values_mut()
            .write(values)
    }

    /// A column as a kernel argument that reads.
    ///
    /// # Panics
    ///
    /// As [`Session::values`].
    pub fn read<K: Element, T: Value>(&self, column: Column<K, T>) -> Global<T> {
        self.values(column).global()
    }

    /// A column as a kernel argument that writes.
    ///
    /// # Panics
    ///
    /// As [`Session::values`].
    pub fn write<K: Element, T: Value>(&self, column: Column<K, T>) -> GlobalMut<T> {
        self.values(column).global_mut()
    }
}
