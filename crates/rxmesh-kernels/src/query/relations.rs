//! Inputs of a kernel's body: rows of one relation, or of several at once.

use super::{NONE, Prepared, PreparedRow, PreparedTable, Relation, Row, Stored, within};
use crate::exec::{Block, Phase};
use crate::kernel::bit;
use crate::mem::{Bind, Hashed, Piece, Plan, Shared, hash_word};
use crate::topo::{Element, Local, Map, Needs, Patch, PatchHeader};
use core::marker::PhantomData;

/// One or several relations that a kernel requires. With several, the body runs for each source of the
/// first, gets its row, and may look up rows of the others ([`Table::of`]).
///
/// # Safety
///
/// As [`Relation`].
pub unsafe trait Relations: Copy + Send + Sync + 'static {
    /// Kind that the body runs for.
    type Source: crate::topo::Element;
    /// Input of the body beside the element.
    type Input: Copy;
    /// Tables that a mesh must keep for all of them.
    const NEEDS: Needs;
    /// Kinds in their rows ([`PatchKernel::OFTEN`](crate::kernel::PatchKernel::OFTEN)).
    const OFTEN: u8;
    /// Layout of their shared memory.
    type Tables: Copy;
    /// Relations' prepared tables.
    type Prepared: Bind + Copy + Send + Sync + core::fmt::Debug + 'static;

    /// Takes the shared memory that the tables need: all of it, or only that of relations that are not prepared.
    fn carve(
        header: &PatchHeader,
        plan: &mut Plan,
        prepared: Option<&Self::Prepared>,
    ) -> Self::Tables;
    /// Constructs the first part, inside the kernel's first phase.
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, tables: &Self::Tables);
    /// Constructs the rest, in separate phases.
    fn build<B: Block>(b: B, patch: &Patch, tables: &Self::Tables, scratch: Shared<u32>);
    /// Returns the input of the body for a source element.
    fn input(patch: &Patch, tables: &Self::Tables, source: u32) -> Self::Input;
    /// Gets the prepared table of each relation that has one.
    ///
    /// # Errors
    ///
    /// Any error of `from`.
    fn prepared<P: Preparer>(from: &mut P) -> Result<Self::Prepared, P::Error>;
}

/// Relations of a [`Scatter`](crate::kernel::Scatter) kernel: the first one has the rows of ribbon elements, too, which
/// are not complete for relations that patches compute.
pub trait StoredRelations: Relations {}

impl<R: Stored> StoredRelations for R {}
impl<R: Stored, S: Relation> StoredRelations for (R, S) {}
impl<R: Stored, S: Relation, T: Relation> StoredRelations for (R, S, T) {}

/// Source of prepared tables: the host's mesh.
pub trait Preparer {
    /// Why there is none.
    type Error;
    /// Returns the tables of a relation.
    ///
    /// # Errors
    ///
    /// The reason why there are none.
    fn get<R: Relation>(&mut self) -> Result<Prepared<R>, Self::Error>;
}

/// Source of a relation in a kernel: computed in its shared memory, or prepared. Each kernel is compiled for one of the
/// two.
#[derive(Clone, Copy)]
pub enum Source<R: Relation> {
    /// Computed on the fly.
    Computed(R::Tables),
    /// Prepared.
    Prepared(Prepared<R>),
}

impl<R: Relation> Source<R> {
    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan, prepared: Option<&Prepared<R>>) -> Self {
        match prepared {
            Some(p) if R::PREPARABLE => Source::Prepared(*p),
            _ => Source::Computed(R::carve(h, plan)),
        }
    }
    #[inline(always)]
    fn prepare<B: Block>(&self, p: Phase<B>, patch: &Patch) {
        if let Source::Computed(tables) = self {
            R::prepare(p, patch, tables);
        }
    }
    #[inline(always)]
    fn build<B: Block>(&self, b: B, patch: &Patch, scratch: Shared<u32>) {
        if let Source::Computed(tables) = self {
            R::build(b, patch, tables, scratch);
        }
    }
    #[inline(always)]
    fn row(&self, patch: &Patch, source: u32) -> AnyRow<R> {
        match self {
            Source::Computed(tables) => AnyRow::Computed(R::row(patch, tables, source)),
            Source::Prepared(p) => {
                let table: PreparedTable<R> = p.table(patch);
                AnyRow::Prepared(table.row(source))
            }
        }
    }
}

/// A row from either source.
#[derive(Clone, Copy)]
enum AnyRow<R: Relation> {
    Computed(R::Row),
    Prepared(PreparedRow<R>),
}

/// Iterator over an [`AnyRow`].
enum AnyIter<R: Relation> {
    Computed(<R::Row as Row>::Iter),
    Prepared(PreparedRow<R>),
}

impl<R: Relation> Iterator for AnyIter<R> {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        match self {
            AnyIter::Computed(row) => row.next(),
            AnyIter::Prepared(row) => row.next(),
        }
    }
}

impl<R: Relation> AnyRow<R> {
    #[inline(always)]
    fn len(&self) -> u32 {
        match self {
            AnyRow::Computed(row) => row.len(),
            AnyRow::Prepared(row) => row.len(),
        }
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        match self {
            AnyRow::Computed(row) => row.get(i),
            AnyRow::Prepared(row) => row.get(i),
        }
    }
    #[inline(always)]
    fn iter(&self) -> AnyIter<R> {
        match self {
            AnyRow::Computed(row) => AnyIter::Computed(row.iter()),
            AnyRow::Prepared(row) => AnyIter::Prepared(*row),
        }
    }
}

/// Neighbours of one element under relation `R`.
#[derive(Clone, Copy)]
pub struct Neighbours<R: Relation> {
    row: AnyRow<R>,
    map: Map<R::Target>,
}

impl<R: Relation> Neighbours<R> {
    #[inline(always)]
    fn new(patch: &Patch, from: &Source<R>, source: u32) -> Self {
        Neighbours {
            row: from.row(patch, source),
            map: patch.map(),
        }
    }

    /// Returns the number of neighbours.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.row.len()
    }

    /// Returns `true` if there is none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.row.len() == 0
    }

    /// Returns neighbour `i` of `0..len()`; a kernel that reads another one is stopped. In a [`super::Diamond`] use
    /// [`Neighbours::try_get`].
    #[inline(always)]
    pub fn get(&self, i: u32) -> Local<R::Target> {
        within(i, self.len());
        let id = self.row.get(i);
        if R::GAPS {
            within(0, u32::from(id != NONE));
        }
        self.map.local(id)
    }

    /// Returns neighbour `i` of `0..len()`, or `None` if the relation has none in that place.
    #[inline(always)]
    pub fn try_get(&self, i: u32) -> Option<Local<R::Target>> {
        within(i, self.len());
        let id = self.row.get(i);
        if id == NONE {
            None
        } else {
            Some(self.map.local(id))
        }
    }

    /// Runs `f` on `load(neighbour)` for all neighbours that there are, in order. From a prepared table several loads
    /// are on their way before the first is used, so `load` must not depend on what `f` does.
    #[inline(always)]
    pub fn each_loaded<T: Copy>(&self, load: impl Fn(Local<R::Target>) -> T, mut f: impl FnMut(T)) {
        let map = self.map;
        match &self.row {
            AnyRow::Prepared(row) if !R::GAPS => row.each_loaded(|id| load(map.local(id)), f),
            _ => self.iter().for_each(|e| f(load(e))),
        }
    }

    /// Returns all neighbours that exist.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = Local<R::Target>> {
        let map = self.map;
        let all = self.row.iter();
        all.filter(|&id| !R::GAPS || id != NONE)
            .map(move |id| map.local(id))
    }
}

/// A whole relation of the patch, for kernels that use several.
#[derive(Clone, Copy)]
pub struct Table<R: Relation> {
    patch: Patch,
    from: Source<R>,
}

impl<R: Relation> Table<R> {
    /// Returns the neighbours of a local element.
    ///
    /// Rows are complete for owned elements; for EV, FE and FV also for every ribbon element; for EF also for the edges
    /// of owned vertices and of owned faces, for FC for the faces of owned vertices and of owned cells; for CV, CE and
    /// CF for every ribbon cell. Other rows of ribbon elements hold the part that the patch has; VE, VV, VF, VC and EC
    /// have rows for owned elements only, and so do EE and FF when they are prepared.
    #[inline(always)]
    pub fn of(&self, e: Local<R::Source>) -> Neighbours<R> {
        if let Source::Computed(tables) = &self.from
            && let Some(rows) = R::csr(tables)
        {
            within(e.local(), rows.rows());
        }
        Neighbours::new(&self.patch, &self.from, e.local())
    }
}

// SAFETY: the relation's promise.
unsafe impl<R: Relation> Relations for R {
    type Source = R::Source;
    const NEEDS: Needs = R::NEEDS;
    const OFTEN: u8 = bit(<R::Target as Element>::KIND);
    type Input = Neighbours<R>;
    type Tables = Source<R>;
    type Prepared = Prepared<R>;

    #[inline(always)]
    fn carve(header: &PatchHeader, plan: &mut Plan, prepared: Option<&Prepared<R>>) -> Source<R> {
        Source::carve(header, plan, prepared)
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, from: &Source<R>) {
        from.prepare(p, patch);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, from: &Source<R>, scratch: Shared<u32>) {
        from.build(b, patch, scratch);
    }
    #[inline(always)]
    fn input(patch: &Patch, from: &Source<R>, source: u32) -> Neighbours<R> {
        Neighbours::new(patch, from, source)
    }
    fn prepared<P: Preparer>(from: &mut P) -> Result<Prepared<R>, P::Error> {
        from.get::<R>()
    }
}

/// No relation: the body runs for each owned element of kind `K` by itself.
///
/// ```
/// use rxmesh_kernels::{Alone, ForEach, Owned, Vec3, Vertex, Write, kernel};
///
/// kernel! {
///     /// Moves every vertex by one vector.
///     pub struct Shift: ForEach<Alone<Vertex>> {
///         /// Positions.
///         pub x: Write<Vertex, Vec3>,
///         /// Vector.
///         pub by: Vec3,
///     }
/// }
///
/// impl ForEach<Alone<Vertex>> for Shift {
///     fn run(&self, v: Owned<Vertex>, (): ()) {
///         self.x.set(v, self.x.get(v) + self.by);
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Alone<K>(PhantomData<K>);

// SAFETY: nothing is computed, taken or looked up.
unsafe impl<K: Element> Relations for Alone<K> {
    type Source = K;
    const NEEDS: Needs = Needs::NONE;
    const OFTEN: u8 = 0;
    type Input = ();
    type Tables = ();
    type Prepared = PhantomData<K>;

    #[inline(always)]
    fn carve(_header: &PatchHeader, _plan: &mut Plan, _prepared: Option<&PhantomData<K>>) {}
    #[inline(always)]
    fn prepare<B: Block>(_p: Phase<B>, _patch: &Patch, (): &()) {}
    #[inline(always)]
    fn build<B: Block>(_b: B, _patch: &Patch, (): &(), _scratch: Shared<u32>) {}
    #[inline(always)]
    fn input(_patch: &Patch, (): &(), _source: u32) {}
    fn prepared<P: Preparer>(_from: &mut P) -> Result<PhantomData<K>, P::Error> {
        Ok(PhantomData)
    }
}

/// Prepared tables of several relations.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Both<A, B>(pub A, pub B);

// SAFETY: both parts.
unsafe impl<A: Bind, B: Bind> Bind for Both<A, B> {
    #[inline(always)]
    fn bind(&self) {
        self.0.bind();
        self.1.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe {
            self.0.visit(resolve);
            self.1.visit(resolve);
        }
    }
}

impl<A: Hashed, B: Hashed> Hashed for Both<A, B> {
    const HASH: u64 = hash_word(A::HASH, B::HASH);
}

/// Prepared tables of three relations.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Three<A, B, C>(pub A, pub B, pub C);

// SAFETY: all parts.
unsafe impl<A: Bind, B: Bind, C: Bind> Bind for Three<A, B, C> {
    #[inline(always)]
    fn bind(&self) {
        self.0.bind();
        self.1.bind();
        self.2.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe {
            self.0.visit(resolve);
            self.1.visit(resolve);
            self.2.visit(resolve);
        }
    }
}

impl<A: Hashed, B: Hashed, C: Hashed> Hashed for Three<A, B, C> {
    const HASH: u64 = hash_word(hash_word(A::HASH, B::HASH), C::HASH);
}

macro_rules! several {
    ($several:ident: $first:ident $(, $rest:ident : $at:tt)+) => {
        // SAFETY: the promises of all.
        unsafe impl<$first: Relation, $($rest: Relation),+> Relations for ($first, $($rest),+) {
            type Source = $first::Source;
            const NEEDS: Needs = $first::NEEDS$(.and($rest::NEEDS))+;
            const OFTEN: u8 = <$first as Relations>::OFTEN $(| <$rest as Relations>::OFTEN)+;
            type Input = (Neighbours<$first>, $(Table<$rest>),+);
            type Tables = (Source<$first>, $(Source<$rest>),+);
            type Prepared = $several<Prepared<$first>, $(Prepared<$rest>),+>;

            #[inline(always)]
            fn carve(header: &PatchHeader, plan: &mut Plan, prepared: Option<&Self::Prepared>) -> Self::Tables {
                (
                    Source::carve(header, plan, prepared.map(|p| &p.0)),
                    $(Source::carve(header, plan, prepared.map(|p| &p.$at))),+
                )
            }
            #[inline(always)]
            fn prepare<BL: Block>(p: Phase<BL>, patch: &Patch, tables: &Self::Tables) {
                tables.0.prepare(p, patch);
                $(tables.$at.prepare(p, patch);)+
            }
            #[inline(always)]
            fn build<BL: Block>(b: BL, patch: &Patch, tables: &Self::Tables, scratch: Shared<u32>) {
                tables.0.build(b, patch, scratch);
                $(tables.$at.build(b, patch, scratch);)+
            }
            #[inline(always)]
            fn input(patch: &Patch, tables: &Self::Tables, source: u32) -> Self::Input {
                (
                    Neighbours::new(patch, &tables.0, source),
                    $(Table { patch: *patch, from: tables.$at }),+
                )
            }
            fn prepared<PR: Preparer>(from: &mut PR) -> Result<Self::Prepared, PR::Error> {
                Ok($several(from.get::<$first>()?, $(from.get::<$rest>()?),+))
            }
        }
    };
}
several!(Both: RA, RB: 1);
several!(Three: RA, RB: 1, RC: 2);
