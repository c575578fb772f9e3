//! Rayon's parallel iterators, compiled to less. A loop of rayon's brings its own copy of all code that lends half of
//! the work to another thread: jobs, latches, the handling of panics; sixty functions. With a hundred loops they were a
//! third of this library. [`Lean`] has the same items in the same parts, and one copy of that for all loops.

use rayon::iter::plumbing::{
    Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer,
};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

/// Items that a task handles in a plain loop, which compiles to several at a time.
pub(crate) const PLAIN: usize = 1 << 14;

/// Returns the place of the first item that `is` holds for.
pub(crate) fn position_first<T: Sync>(
    items: &[T],
    is: impl Fn(&T) -> bool + Sync,
) -> Option<usize> {
    // Without an early end within a part, the loop has no branches.
    let has = |part: &[T]| part.iter().fold(false, |any, item| any | is(item));
    let part = items.par_chunks(PLAIN).lean().position_first(has)?;
    let from = part * PLAIN;
    let within = items[from..].iter().position(is);
    within.map(|at| from + at)
}

/// Returns a list with the value of each item.
pub(crate) fn mapped<T: Sync, U: Copy + Default + Send>(
    items: &[T],
    value: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    let mut all = vec![U::default(); items.len()];
    let parts = all.par_chunks_mut(PLAIN).zip(items.par_chunks(PLAIN));
    parts.lean().for_each(|(to, from)| {
        let pairs = to.iter_mut().zip(from);
        pairs.for_each(|(to, from)| *to = value(from));
    });
    all
}

/// Makes an iterator lean.
pub(crate) trait IntoLean: IndexedParallelIterator {
    /// Limits the code that rayon instantiates. Call it after the source and adapters that change its length or pair it
    /// (`zip`, `enumerate`), and before adapters of each item.
    fn lean(self) -> Lean<Self> {
        Lean(self)
    }
}

impl<I: IndexedParallelIterator> IntoLean for I {}

/// Parallel iterator returned by [`IntoLean::lean`].
pub(crate) struct Lean<I>(I);

impl<I: IndexedParallelIterator> ParallelIterator for Lean<I> {
    type Item = I::Item;

    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        self.drive(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Lean<I> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        let len = self.0.len();
        self.0.with_producer(Callback { len, consumer })
    }

    fn with_producer<CB: ProducerCallback<I::Item>>(self, callback: CB) -> CB::Output {
        self.0.with_producer(callback)
    }
}

struct Callback<C> {
    len: usize,
    consumer: C,
}

impl<T, C: Consumer<T>> ProducerCallback<T> for Callback<C> {
    type Output = C::Result;

    fn callback<P: Producer<Item = T>>(self, producer: P) -> C::Result {
        let splits = Splits::new(producer.min_len(), producer.max_len(), self.len);
        work(self.len, false, splits, producer, self.consumer)
    }
}

/// Rule for halving: as rayon does, at first for each thread, then again for each part that another thread took.
#[derive(Clone, Copy)]
struct Splits {
    left: usize,
    least: usize,
}

impl Splits {
    fn new(least: usize, most: usize, len: usize) -> Splits {
        Splits {
            left: rayon::current_num_threads().max(len / most.max(1)),
            least: least.max(1),
        }
    }

    fn split(self, len: usize, migrated: bool) -> Option<Splits> {
        let left = match self.left / 2 {
            _ if len / 2 < self.least => return None,
            half if migrated => half.max(rayon::current_num_threads()),
            _ if self.left == 0 => return None,
            half => half,
        };
        Some(Splits { left, ..self })
    }
}

/// Works on the halves of the items, or on all of them.
fn work<P: Producer, C: Consumer<P::Item>>(
    len: usize,
    migrated: bool,
    splits: Splits,
    producer: P,
    consumer: C,
) -> C::Result {
    if consumer.full() {
        return consumer.into_folder().complete();
    }
    let Some(splits) = splits.split(len, migrated) else {
        return producer.fold_with(consumer.into_folder()).complete();
    };
    let middle = len / 2;
    let (a, b) = producer.split_at(middle);
    let (to_a, to_b, reducer) = consumer.split_at(middle);
    let (mut a, mut b) = (Some((a, to_a)), Some((b, to_b)));
    let (mut of_a, mut of_b) = (None, None);
    join(
        &mut |migrated| {
            if let Some((a, to)) = a.take() {
                of_a = Some(work(middle, migrated, splits, a, to));
            }
        },
        &mut |migrated| {
            if let Some((b, to)) = b.take() {
                of_b = Some(work(len - middle, migrated, splits, b, to));
            }
        },
    );
    match (of_a, of_b) {
        (Some(a), Some(b)) => reducer.reduce(a, b),
        _ => unreachable!("`join` calls both"),
    }
}

/// Calls both, with whether another thread than this one does: rayon's `join`, once.
fn join(a: &mut (dyn FnMut(bool) + Send), b: &mut (dyn FnMut(bool) + Send)) {
    rayon::join_context(|c| a(c.migrated()), |c| b(c.migrated()));
}
