//! Prepared relations of a mesh: made when they are requested, kept as long as the mesh (MeshTaichi 2022, section 5.1).

use super::{Dimension, RxMesh};
use crate::Error;
use crate::engine::{Buffer, EngineError};
use rxmesh_kernels::kernel::{
    AnyArguments, Entry as Listed, OnPrepared, OverRelations, PatchKernel, PreparedEntry,
};
use rxmesh_kernels::query::prepare::{PrepareRows, TOO_LARGE, WritePrepared};
use rxmesh_kernels::query::{Prepared, Preparer, Relation, Relations};
use std::any::TypeId;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::marker::PhantomData;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Source of the relations that kernels use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RelationChoice {
    /// Computed on the fly at first; prepared when a kernel runs for the third time, if there is memory for it:
    /// preparing costs about as much as two runs on the fly. EE and FF of volumes take several times the memory of the
    /// mesh; [`RxMesh::release_prepared`] frees it.
    #[default]
    Auto,
    /// Always computed on the fly (RXMesh 2021): no memory beyond the mesh.
    OnTheFly,
    /// Always prepared.
    Prepared,
}

/// Run of a kernel from which on [`RelationChoice::Auto`] prepares its relations.
const PREPARE_AT_RUN: u32 = 3;

/// Number of runs of a kernel whose relations cannot be prepared.
const GIVEN_UP: u32 = u32::MAX;

/// A relation's tables.
struct StoredRelation {
    name: &'static str,
    starts: Buffer<u32>,
    tables: Buffer<u16>,
}

/// Prepared relations of a mesh.
#[derive(Default)]
pub(super) struct PreparedStore {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    choice: RelationChoice,
    stored: BTreeMap<TypeId, StoredRelation>,
    /// Number of runs of each kernel by the automatic choice.
    runs: BTreeMap<TypeId, u32>,
}

impl PreparedStore {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One prepared relation and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PreparedSize {
    /// The relation's name.
    pub relation: &'static str,
    /// Bytes on the engine.
    pub bytes: usize,
}

struct Maker<'a, D: Dimension>(&'a RxMesh<D>);

impl<D: Dimension> Preparer for Maker<'_, D> {
    type Error = Error;
    fn get<R: Relation>(&mut self) -> Result<Prepared<R>, Error> {
        self.0.prepare()
    }
}

impl<D: Dimension> RxMesh<D> {
    /// Chooses the source of relations for kernels that are run by [`RxMesh::run_for_each`].
    pub fn set_relation_choice(&self, choice: RelationChoice) {
        self.prepared_store().lock().choice = choice;
    }

    /// Returns the relations that are prepared, by name.
    pub fn prepared_sizes(&self) -> Vec<PreparedSize> {
        let inner = self.prepared_store().lock();
        let size = |s: &StoredRelation| PreparedSize {
            relation: s.name,
            bytes: 4 * s.starts.len() + 2 * s.tables.len(),
        };
        let mut sizes: Vec<_> = inner.stored.values().map(size).collect();
        sizes.sort_by_key(|s| s.relation);
        sizes
    }

    /// Frees the memory of all prepared relations. Kernels that need them prepare them again.
    pub fn release_prepared(&mut self) {
        let mut inner = self.prepared_store().lock();
        inner.stored.clear();
        inner.runs.clear();
    }

    /// Returns the tables of a relation; made at the first call, which waits for the engine.
    ///
    /// A relation that is stored in any case (EV, FE, CV, CE, CF) has no tables: kernels read it from the patches.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] when a patch's rows have more than 65,535 entries (EE of large patches) or all have more
    /// than 32 bits can count, a kind that the mesh does not keep ([`EngineError::Needs`]), no memory, or a fault of
    /// the query (a vertex that cannot be oriented).
    pub fn prepare<R: Relation>(&self) -> Result<Prepared<R>, Error> {
        self.has_for(R::NAME, R::NEEDS)?;
        let mut inner = self.prepared_store().lock();
        let stored = match inner.stored.entry(TypeId::of::<R>()) {
            Entry::Occupied(stored) => stored.into_mut(),
            Entry::Vacant(slot) => slot.insert(self.make_tables::<R>()?),
        };
        // SAFETY: made below for this mesh; launches on another mesh refuse them (contract U4).
        Ok(unsafe { Prepared::new(stored.starts.global(), stored.tables.global()) })
    }

    fn make_tables<R: Relation>(&self) -> Result<StoredRelation, Error> {
        // Copies of a body share its tables.
        let (engine, patches) = (self.engine(), self.body_patches());
        let mut stored = StoredRelation {
            name: R::NAME,
            starts: engine.zeroed(patches + 1)?,
            tables: engine.zeroed(0)?,
        };
        if !R::PREPARABLE {
            return Ok(stored);
        }
        let kernel = |stored: &StoredRelation, fill| PrepareRows::<R> {
            places: stored.starts.global_mut(),
            tables: stored.tables.global_mut(),
            fill,
            relation: PhantomData,
        };
        self.launch_on_body(kernel(&stored, 0))?;
        let mut starts = stored.starts.read()?;
        let mut total = 0u64;
        for start in &mut starts {
            if *start == TOO_LARGE {
                return Err(Error::TooLarge {
                    what: "entries in a patch's rows of a prepared relation",
                    count: u64::from(u16::MAX) + 1,
                    limit: u64::from(u16::MAX),
                });
            }
            let size = u64::from(*start);
            *start = total as u32;
            total += size;
        }
        if total > u64::from(u32::MAX) {
            return Err(Error::TooLarge {
                what: "entries of a prepared relation",
                count: total,
                limit: u64::from(u32::MAX),
            });
        }
        stored.starts.write(&starts)?;
        stored.tables = engine.zeroed(total as usize)?;
        stored.starts.set_mesh(self.id());
        stored.tables.set_mesh(self.id());
        self.launch_on_body(kernel(&stored, 1))?;
        engine.synchronize()?;
        if patches != self.headers().len() {
            starts = self.for_all_copies(starts);
            stored.starts = engine.upload(&starts)?;
            stored.starts.set_mesh(self.id());
        }
        Ok(stored)
    }

    /// Returns a word for each patch of a body, and one more, repeated for all copies.
    pub(crate) fn for_all_copies(&self, mut words: Vec<u32>) -> Vec<u32> {
        let (last, patches) = (words.pop(), self.headers().len());
        let body = words.len().max(1);
        let mut all = words.repeat(patches / body);
        all.extend(last);
        all
    }

    /// Runs a kernel over relations, computed on the fly or prepared as [`RxMesh::set_relation_choice`] says. A
    /// relation that cannot be prepared, because a patch has too many entries ([`Error::TooLarge`]) or memory runs out,
    /// is computed on the fly when the choice is automatic.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::run`] and, for the choice to prepare, [`RxMesh::prepare`].
    pub fn run_for_each<K>(&self, kernel: K) -> Result<(), Error>
    where
        K: AnyArguments + OverRelations + Listed + PreparedEntry,
    {
        self.launch_for_each(kernel)
    }

    /// Works like [`RxMesh::run_for_each`], for a kernel whose arguments fit, whatever its form; as [`RxMesh::launch`].
    pub(crate) fn launch_for_each<K>(&self, kernel: K) -> Result<(), Error>
    where
        K: OverRelations + PatchKernel + Listed + PreparedEntry,
    {
        let (choice, run) = {
            let mut inner = self.prepared_store().lock();
            let run = inner.runs.entry(TypeId::of::<K>()).or_insert(0);
            if *run < PREPARE_AT_RUN {
                *run += 1;
            }
            let run = *run;
            (inner.choice, run)
        };
        match choice {
            RelationChoice::Prepared => self.launch_prepared(kernel),
            RelationChoice::Auto if (PREPARE_AT_RUN..GIVEN_UP).contains(&run) => {
                match self.launch_prepared(kernel) {
                    Err(
                        Error::TooLarge { .. } | Error::Engine(EngineError::OutOfMemory { .. }),
                    ) => {
                        let mut inner = self.prepared_store().lock();
                        inner.runs.insert(TypeId::of::<K>(), GIVEN_UP);
                        drop(inner);
                        Ok(self.launch(kernel)?)
                    }
                    done => done,
                }
            }
            _ => Ok(self.launch(kernel)?),
        }
    }

    /// Runs a kernel on prepared relations, which are made when they are not there yet.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::run`] and [`RxMesh::prepare`].
    pub fn run_prepared<K>(&self, kernel: K) -> Result<(), Error>
    where
        K: AnyArguments + OverRelations + PreparedEntry,
    {
        self.launch_prepared(kernel)
    }

    /// Works like [`RxMesh::run_prepared`], for a kernel whose arguments fit, whatever its form; as [`RxMesh::launch`].
    pub(crate) fn launch_prepared<K>(&self, kernel: K) -> Result<(), Error>
    where
        K: OverRelations + PreparedEntry,
    {
        let relations = K::Relations::prepared(&mut Maker(self))?;
        Ok(self.launch_wide(OnPrepared { kernel, relations }, D::THREADS_ON_PREPARED)?)
    }

    /// Works like [`RxMesh::query_into`], from the prepared relation.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::prepare`] and [`RxMesh::query`].
    pub fn query_prepared_into<R: Relation>(&self, rows: &super::Rows<R>) -> Result<(), Error>
    where
        WritePrepared<R>: Listed,
    {
        let relation = self.prepare::<R>()?;
        let run: Result<(), EngineError> = self.launch(WritePrepared::<R> {
            starts: rows.starts().global(),
            values: rows.values().global_mut(),
            relation,
        });
        Ok(run?)
    }
}
