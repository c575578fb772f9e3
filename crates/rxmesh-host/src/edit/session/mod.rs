//! An edit session: its parts, and the operations that are the same on every scheduler of edits.

mod columns;

use super::claims::Claims;
use super::columns::{Column, Columns};
use super::mesh::{HostArrays, OpenMesh};
use super::scheduler::{Edits, RunReport, Runs, Seeds, SplitSession};
use crate::Error;
use crate::engine::{Buffer, Engine, Foreign};
use crate::repack::words_of;
use crate::store::RxMesh;
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::cavity::Operator;
use rxmesh_kernels::edit::FlatMesh;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Edge, Kind, Vertex};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A mesh opened for changes: flat arrays in session ids. New elements take free slots. `C` is the scheduler of edits,
/// which decides between cavities that overlap.
///
/// With [`Claims`] session ids begin as the linear ids of the patched mesh, and those of live elements never change
/// while the session is open. Other schedulers may number elements otherwise, and renumber them when an operator runs:
/// keep data of elements in columns.
///
/// A session in which an operator broke the rules or panicked, or in which the engine failed in the middle of a round,
/// is void: every later call is [`Error::VoidSession`].
pub struct Session<C: Edits = Claims> {
    pub(super) mesh: OpenMesh,
    pub(super) columns: Columns,
    pub(super) edits: C,
    /// An array without words, for kernels.
    pub(super) nothing: Buffer<u32>,
    kept: Option<Column<Edge, u32>>,
    held: Option<Column<Edge, u32>>,
    followed: Option<Column<Vertex, u32>>,
    motion: Motion,
    void: bool,
}

/// Motion of the vertices of a session, by which [`Carried`](super::Carried) finds their values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    /// No motion.
    #[default]
    None,
    /// Motion on the input surface, or near to it: a vertex has the values of the closest point there.
    OnSurface,
    /// Motion with the surface, to anywhere: a vertex has the values of the point that it has come with.
    WithSurface,
}

impl<C: Edits> std::fmt::Debug for Session<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [v, e, n] = self.mesh.capacities();
        write!(
            f,
            "Session(capacity for {v} vertices, {e} edges, {n} faces, {} columns, {}, {:?})",
            self.columns.len(),
            C::NAME,
            self.engine()
        )
    }
}

impl Session {
    /// Opens a patched mesh for edits by claims. The mesh itself is not changed.
    ///
    /// # Errors
    ///
    /// More vertices than a session can hold (2^30), or no memory on the engine.
    pub fn open(rx: &RxMesh) -> Result<Session, Error> {
        Session::open_with(rx)
    }

    /// Opens faces that lie in an engine's memory for edits by claims, without patches: these are made once, from the
    /// remaining faces, when the session closes. The faces' corners are below the number of positions, which, or other
    /// values of the vertices, become a column. Session ids of vertices and faces are those of the input, and work on
    /// the session goes through memory in their order. Faces are labelled by clusters of about two patches of
    /// `patch_size` faces, which [`Session::close`] begins with.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::from_engine_arrays`] and [`Session::open`].
    pub fn from_engine_arrays<T: Value>(
        positions: &Buffer<T>,
        faces: &Buffer<[u32; 3]>,
        patch_size: u32,
    ) -> Result<(Session, Column<Vertex, T>), Error> {
        words_of::<T>()?;
        let vertices = u32::try_from(positions.len()).unwrap_or(u32::MAX);
        Columns::check_len::<T>(vertices)?;
        let mesh = OpenMesh::of_faces(vertices, faces, patch_size)?;
        let edits = Claims::new(&mesh)?;
        let mut session = Session::of(mesh, edits)?;
        let x = session.columns.add(positions.grown(vertices as usize)?);
        Ok((session, x))
    }

    /// Works like [`Session::from_engine_arrays`], for arrays that another library keeps in the engine's memory, such
    /// as tensors on a GPU: nothing is copied to the host. They are copied on their streams and not needed afterwards.
    ///
    /// # Errors
    ///
    /// As [`Session::from_engine_arrays`] and [`Engine::copy_of`].
    ///
    /// # Safety
    ///
    /// As [`Engine::copy_of`], for both.
    pub unsafe fn from_device<T: Value>(
        engine: &Engine,
        positions: Foreign,
        faces: Foreign,
        patch_size: u32,
    ) -> Result<(Session, Column<Vertex, T>), Error> {
        // SAFETY: the caller's.
        let (positions, faces) = unsafe { (engine.copy_of(positions)?, engine.copy_of(faces)?) };
        Session::from_engine_arrays(&positions, &faces, patch_size)
    }
}

impl<C: Edits> Session<C> {
    /// Opens a patched mesh for a scheduler of edits. The mesh itself is not changed.
    ///
    /// # Errors
    ///
    /// As [`Session::open`], and a mesh that the scheduler cannot work on.
    pub fn open_with(rx: &RxMesh) -> Result<Session<C>, Error> {
        let (mesh, edits) = C::open(rx, OpenMesh::open(rx)?)?;
        Session::of(mesh, edits)
    }

    fn of(mesh: OpenMesh, edits: C) -> Result<Session<C>, Error> {
        Ok(Session {
            columns: Columns::default(),
            nothing: mesh.engine().zeroed(0)?,
            kept: None,
            held: None,
            followed: None,
            motion: Motion::None,
            edits,
            mesh,
            void: false,
        })
    }

    /// Returns the engine that kernels run on.
    pub fn engine(&self) -> &Engine {
        self.mesh.engine()
    }

    /// Returns the state of the scheduler of edits.
    pub fn edits(&self) -> &C {
        &self.edits
    }

    /// Returns the parts, for the scheduler of edits, which alone has an [`Edits::Access`].
    pub fn parts_mut(&mut self, _: C::Access) -> SplitSession<'_, C> {
        SplitSession {
            mesh: &mut self.mesh,
            columns: &mut self.columns,
            edits: &mut self.edits,
        }
    }

    /// Returns the flat arrays.
    pub fn open_mesh(&self) -> &OpenMesh {
        &self.mesh
    }

    /// Returns the attributes.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Checks that no change of the session has failed.
    ///
    /// # Errors
    ///
    /// [`Error::VoidSession`].
    pub(super) fn sound(&self) -> Result<(), Error> {
        if self.void {
            return Err(Error::VoidSession);
        }
        Ok(())
    }

    /// Carries out a change of the session, and voids the session if that fails or panics.
    pub(super) fn change<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.sound()?;
        match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(result) => {
                self.void |= result.as_ref().is_err_and(Error::voids_session);
                result
            }
            // An operator's panic leaves holes that are cut and not filled.
            Err(panic) => {
                self.void = true;
                resume_unwind(panic)
            }
        }
    }

    /// Returns the number of slots of a kind, live or not: the length of its columns.
    pub fn capacity(&self, kind: Kind) -> u32 {
        self.mesh.capacity(kind)
    }

    /// Returns the number of faces that are frozen because they touch a place that is not manifold or not consistently
    /// oriented. No operator changes them.
    pub fn frozen_faces(&self) -> u32 {
        self.mesh.frozen_faces()
    }

    /// Returns the mesh as a kernel argument. Changing it by other means than operators voids the session.
    ///
    /// # Errors
    ///
    /// [`Error::VoidSession`].
    pub fn mesh(&self) -> Result<FlatMesh, Error> {
        self.sound()?;
        Ok(self.mesh.view())
    }

    /// Copies the arrays to the host.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn to_host(&self) -> Result<HostArrays, Error> {
        self.sound()?;
        Ok(self.mesh.to_host()?)
    }

    /// Returns the number of words of a set of elements, a bit each, with capacity for every kind.
    pub fn set_words(&self) -> usize {
        self.mesh.set_words()
    }

    /// Returns the claims on faces, which tell the frozen ones.
    ///
    /// # Errors
    ///
    /// [`Error::VoidSession`].
    pub fn face_claims(&self) -> Result<GlobalMut<u64>, Error> {
        self.sound()?;
        Ok(self.mesh.face_claims().global_mut())
    }

    /// Counts the live elements of a kind on the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn count(&self, kind: Kind) -> Result<u32, Error> {
        self.sound()?;
        Ok(self.mesh.count(kind)?)
    }

    /// Grows the capacity by that many elements of each kind (V, E, F) above the most that have been in use at a time.
    /// Operators do not depend on it: rounds that run out of slots are repeated with a larger capacity. A call saves
    /// the repetition.
    ///
    /// # Errors
    ///
    /// More elements than ids, or no memory on the engine; nothing is lost then.
    pub fn reserve(&mut self, more: [u32; 3]) -> Result<(), Error> {
        self.change(|s| C::reserve(s, more))
    }

    /// Runs rounds of an operator until no seed is left, at most `max_rounds`. Begins with all elements of the
    /// operator's kind. `op` makes the operator again for every round, because views of columns do not outlive growth.
    ///
    /// # Errors
    ///
    /// [`Error::Operator`] if a fill-in breaks the rules; no memory for a larger session, which is left as it was; any
    /// error of `op`; or any error of the engine.
    ///
    /// # Safety
    ///
    /// The operator's arguments are as its documentation requires, in every round: columns of this session and of the
    /// operator's kinds, and arrays as long as its fields say (contracts U3 and U4 of docs/inside/unsafe.md).
    pub unsafe fn run_operator<O: Operator>(
        &mut self,
        max_rounds: u32,
        op: impl FnMut(&Session<C>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>
    where
        C: Runs<O>,
    {
        self.run(max_rounds, op)
    }

    /// Works like [`Session::run_operator`], for this crate, which keeps its contract.
    pub(crate) fn run<O: Operator>(
        &mut self,
        max_rounds: u32,
        op: impl FnMut(&Session<C>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>
    where
        C: Runs<O>,
    {
        self.run_from(Seeds::All, max_rounds, op)
    }

    /// Works like [`Session::run_operator`], from other seeds.
    ///
    /// # Errors
    ///
    /// As [`Session::run_operator`].
    ///
    /// # Safety
    ///
    /// The operator's arguments are as its documentation requires, in every round: columns of this session and of the
    /// operator's kinds, and arrays as long as its fields say (contracts U3 and U4 of docs/inside/unsafe.md).
    pub unsafe fn run_operator_from<O: Operator>(
        &mut self,
        seeds: Seeds,
        max_rounds: u32,
        op: impl FnMut(&Session<C>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>
    where
        C: Runs<O>,
    {
        self.run_from(seeds, max_rounds, op)
    }

    /// Works like [`Session::run_operator_from`], for this crate, which keeps its contract.
    pub(crate) fn run_from<O: Operator>(
        &mut self,
        seeds: Seeds,
        max_rounds: u32,
        op: impl FnMut(&Session<C>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>
    where
        C: Runs<O>,
    {
        self.change(|s| {
            // SAFETY: the caller's: code of this crate, or code that promises it.
            unsafe { C::run(s, seeds, max_rounds, op) }
        })
    }

    /// Works like [`Session::run_operator_from`], from the seeds that were refused ([`Session::enqueue_refused`]). Runs
    /// no round if there are none.
    ///
    /// # Errors
    ///
    /// As [`Session::run_operator`].
    ///
    /// # Safety
    ///
    /// The operator's arguments are as its documentation requires, in every round: columns of this session and of the
    /// operator's kinds, and arrays as long as its fields say (contracts U3 and U4 of docs/inside/unsafe.md).
    pub unsafe fn run_operator_refused<O: Operator>(
        &mut self,
        max_rounds: u32,
        op: impl FnMut(&Session<C>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>
    where
        C: Runs<O>,
    {
        self.run_refused(max_rounds, op)
    }

    /// Works like [`Session::run_operator_refused`], for this crate, which keeps its contract.
    pub(crate) fn run_refused<O: Operator>(
        &mut self,
        max_rounds: u32,
        op: impl FnMut(&Session<C>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>
    where
        C: Runs<O>,
    {
        self.change(|s| {
            // SAFETY: as above.
            unsafe { C::run_refused(s, max_rounds, op) }
        })
    }

    /// Makes the refused seeds those of the next round: all since a round considered all elements or since the last
    /// call. Returns their number. Other cavities that were carried out may have made them possible.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn enqueue_refused(&mut self) -> Result<u32, Error> {
        self.change(C::enqueue_refused)
    }
}
