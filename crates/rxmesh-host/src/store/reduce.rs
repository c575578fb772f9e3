//! Reductions of attributes, in a fixed order: the same input gives the same bits on every run of one engine.

use super::{Attribute, Dimension, RxMesh};
use crate::Error;
use crate::engine::Buffer;
use crate::parallel::{reduce::packed, scan};
use rxmesh_kernels::attr::Sum;
use rxmesh_kernels::edit::Fill;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::parallel::labels::{LabelCombine, LabelCount, LabelReduce};
pub use rxmesh_kernels::parallel::reduce::Reduction;
use rxmesh_kernels::parallel::reduce::{ReducePartials, ReducePatches, ReduceRanges};
use rxmesh_kernels::topo::{Element, Kind};

/// Number of patches from which a separate launch adds up their results: the last block, which is a patch's, would take
/// longer than another launch.
const MANY_PATCHES: usize = 1024;

/// Fewest components of a range.
const LEAST_RANGE: u32 = 512;

/// Most ranges: of more values each range has more. So many blocks keep a GPU busy, and the last one does not wait long
/// for the others.
const MOST_RANGES: u32 = 1024;

/// Computes the sum over all components of all values, accumulated in `f64`.
///
/// # Errors
///
/// A stale attribute, or any error of the engine.
pub fn sum<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
) -> Result<f64, Error> {
    reduce(rx, x, x, Reduction::Sum)
}

/// Computes the sum of the products of corresponding components, accumulated in `f64`.
///
/// # Errors
///
/// As [`sum`].
pub fn dot<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
    y: &Attribute<K, T>,
) -> Result<f64, Error> {
    reduce(rx, x, y, Reduction::Dot)
}

/// Computes the square root of the sum of all squared components.
///
/// # Errors
///
/// As [`sum`].
pub fn norm<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
) -> Result<f64, Error> {
    Ok(dot(rx, x, x)?.sqrt())
}

/// Computes the sum of the squared components of each patch's own elements, accumulated in `f64`.
///
/// # Errors
///
/// As [`sum`].
pub fn squares_by_patch<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
) -> Result<Vec<f64>, Error> {
    let partials = rx.engine().zeroed::<f64>(rx.headers().len())?;
    let values = x.global()?.cast();
    rx.launch(ReducePatches {
        x: values,
        y: values,
        partials: partials.global_mut(),
        components: T::COMPONENTS,
        kind: K::KIND as u32,
        reduction: Reduction::Dot as u32,
        result: GlobalMut::empty(),
        arrived: GlobalMut::empty(),
    })?;
    Ok(partials.read()?)
}

/// Computes the smallest component of all values; infinity when there is none.
///
/// # Errors
///
/// As [`sum`].
pub fn min<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
) -> Result<f64, Error> {
    reduce(rx, x, x, Reduction::Min)
}

/// Computes the largest component of all values; minus infinity when there is none.
///
/// # Errors
///
/// As [`sum`].
pub fn max<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
) -> Result<f64, Error> {
    reduce(rx, x, x, Reduction::Max)
}

fn reduce<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
    y: &Attribute<K, T>,
    reduction: Reduction,
) -> Result<f64, Error> {
    Ok(several(rx, [Term::of_two(x, y, reduction)?])?[0])
}

/// Computes one reduction for each of several labels, such as those of meshes that lie in one. `labels` has one below
/// `count` for each element, and the result one number for each of these: that of [`sum`], [`min`] or [`max`] over the
/// values of its elements ([`Reduction::Dot`]: over their squares).
///
/// # Errors
///
/// A label that is not below `count` ([`Error::Options`]), a stale attribute, or any error of the engine.
pub fn by_label<K: Element, T: Sum>(
    rx: &RxMesh<impl Dimension>,
    x: &Attribute<K, T>,
    labels: &Attribute<K, u32>,
    count: u32,
    reduction: Reduction,
) -> Result<Vec<f64>, Error> {
    ByLabel::new(rx, labels, count)?.reduce(x.global()?, reduction)
}

/// Labels that have been checked, for several reductions.
pub(crate) struct ByLabel<'a, K: Element, D: Dimension> {
    rx: &'a RxMesh<D>,
    labels: &'a Attribute<K, u32>,
    count: u32,
    /// Start of the partial results of each patch.
    starts: Buffer<u32>,
    /// Number of partial results.
    partials: usize,
}

impl<'a, K: Element, D: Dimension> ByLabel<'a, K, D> {
    /// Checks the labels, and finds the start of the partial results of each patch.
    ///
    /// # Errors
    ///
    /// A label that is not below `count` ([`Error::Options`]), a stale attribute, or any error of the engine.
    pub(crate) fn new(
        rx: &'a RxMesh<D>,
        labels: &'a Attribute<K, u32>,
        count: u32,
    ) -> Result<Self, Error> {
        let starts = check_labels(rx, labels, count)?;
        let partials = scan::exclusive_shared(rx.engine(), &starts)? as usize;
        Ok(ByLabel {
            rx,
            labels,
            count,
            starts,
            partials,
        })
    }

    /// Works like [`by_label`], for a value for each linear id.
    ///
    /// # Errors
    ///
    /// A stale attribute, or any error of the engine.
    pub(crate) fn reduce<T: Sum>(
        &self,
        x: Global<T>,
        reduction: Reduction,
    ) -> Result<Vec<f64>, Error> {
        let (engine, n) = (self.rx.engine(), self.count as usize);
        let partials = engine.zeroed::<f64>(self.partials)?;
        let of = engine.zeroed::<u32>(self.partials)?;
        let (first, end) = (engine.uninit::<u32>(n)?, engine.zeroed::<u32>(n)?);
        let to = first.global_mut();
        let value = u32::MAX;
        engine.launch_flat(self.count, Fill { to, value })?;
        self.rx.launch(LabelReduce {
            x: x.cast(),
            labels: self.labels.global()?,
            components: T::COMPONENTS,
            kind: K::KIND as u32,
            reduction: reduction as u32,
            starts: self.starts.global(),
            partials: partials.global_mut(),
            of: of.global_mut(),
            first: first.global_mut(),
            end: end.global_mut(),
        })?;
        let results = engine.zeroed::<f64>(n)?;
        let combine = LabelCombine {
            partials: partials.global(),
            of: of.global(),
            first: first.global(),
            end: end.global(),
            reduction: reduction as u32,
            results: results.global_mut(),
        };
        engine.launch_flat(self.count, combine)?;
        Ok(results.read()?)
    }
}

/// Returns the number of labels of each patch, in a buffer with one element more.
///
/// # Errors
///
/// A label that is not below `count` ([`Error::Options`]), a stale attribute, or any error of the engine.
pub(crate) fn check_labels<K: Element>(
    rx: &RxMesh<impl Dimension>,
    labels: &Attribute<K, u32>,
    count: u32,
) -> Result<Buffer<u32>, Error> {
    let counts = rx.engine().zeroed::<u32>(rx.headers().len() + 1)?;
    let largest = rx.engine().zeroed::<u32>(2)?;
    rx.launch(LabelCount {
        labels: labels.global()?,
        kind: K::KIND as u32,
        counts: counts.global_mut(),
        largest: largest.global_mut(),
    })?;
    match largest.read()?[1] {
        labelled if labelled > count => Err(Error::Options(format!(
            "there is a label {}, but there are {count}, from 0 on",
            labelled - 1
        ))),
        _ => Ok(counts),
    }
}

/// Reduction among several that are computed together.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    x: Global<f32>,
    y: Global<f32>,
    components: u32,
    kind: Kind,
    reduction: Reduction,
}

impl Term {
    /// Creates a term over all components of all values of an attribute.
    ///
    /// # Errors
    ///
    /// A stale attribute.
    pub fn of<K: Element, T: Sum>(
        x: &Attribute<K, T>,
        reduction: Reduction,
    ) -> Result<Term, Error> {
        Term::of_two(x, x, reduction)
    }

    /// Creates a term over those of two attributes, of which only [`Reduction::Dot`] reads the second.
    ///
    /// # Errors
    ///
    /// A stale attribute.
    pub fn of_two<K: Element, T: Sum>(
        x: &Attribute<K, T>,
        y: &Attribute<K, T>,
        reduction: Reduction,
    ) -> Result<Term, Error> {
        Ok(Term {
            x: x.global()?.cast(),
            y: y.global()?.cast(),
            components: T::COMPONENTS,
            kind: K::KIND,
            reduction,
        })
    }
}

/// Several reductions with one read-back, a launch each, or two for large meshes.
pub struct Reductions<'a, D: Dimension, const N: usize> {
    rx: &'a RxMesh<D>,
    terms: [Term; N],
    /// `true` if the elements of all patches lie one after the other.
    in_ranges: bool,
    /// Most partial results of one of them.
    partials: usize,
    /// Results, each after an unused value, the words that count blocks, and the partial results.
    room: Buffer<f64>,
}

/// Kernel of a reduction.
#[derive(Clone, Copy, Debug)]
pub enum ReduceKernel {
    /// A block a range of elements: those of all patches lie one after the other.
    Ranges(ReduceRanges),
    /// A block a patch.
    Patches(ReducePatches),
}

impl<'a, D: Dimension, const N: usize> Reductions<'a, D, N> {
    /// Allocates the buffer of their results.
    ///
    /// # Errors
    ///
    /// No memory, or any error of the engine.
    pub fn new(rx: &'a RxMesh<D>, terms: [Term; N]) -> Result<Self, Error> {
        let patches = rx.headers().len();
        let is_dense = |t: &Term| rx.count(t.kind) == rx.linear_len(t.kind);
        let in_ranges = terms.iter().all(is_dense);
        let ranges = terms.iter().map(|t| Ranges::new(rx, t).count);
        let partials = match in_ranges {
            true => ranges.max().unwrap_or(0) as usize,
            false => patches,
        };
        let words = N * (partials + 3);
        // Only the counters of blocks have to be zero.
        let room = match in_ranges || patches < MANY_PATCHES {
            true => rx.engine().zeroed(words)?,
            false => rx.engine().uninit(words)?,
        };
        Ok(Reductions {
            rx,
            terms,
            in_ranges,
            partials,
            room,
        })
    }

    /// Launches all reductions, and does not wait. It may be called again when attributes have changed.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn launch(&self) -> Result<(), Error> {
        let patches = self.rx.headers().len();
        if patches == 0 {
            return Ok(());
        }
        for k in 0..N {
            match self.kernel(k) {
                ReduceKernel::Ranges(kernel) => {
                    let blocks = kernel.partials.len();
                    let mesh = Some(self.rx.id());
                    self.rx.engine().launch_blocks_of(mesh, blocks, kernel)?;
                }
                ReduceKernel::Patches(kernel) => self.rx.launch(kernel)?,
            }
        }
        if self.in_ranges || patches < MANY_PATCHES {
            return Ok(());
        }
        let reductions = self.terms.map(|t| t.reduction);
        for (k, four) in (0..N).step_by(4).zip(reductions.chunks(4)) {
            let partials = ReducePartials {
                partials: self.partials(k, four.len() * patches).read(),
                results: self.part(2 * k, 2 * four.len()),
                reductions: packed(four),
            };
            self.rx
                .engine()
                .launch_blocks(four.len() as u32, partials)?;
        }
        Ok(())
    }

    /// Waits for the results.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn read(&self) -> Result<[f64; N], Error> {
        if self.rx.headers().is_empty() {
            return Ok(self.terms.map(|t| match t.reduction {
                Reduction::Sum | Reduction::Dot => 0.0,
                Reduction::Min => f64::INFINITY,
                Reduction::Max => f64::NEG_INFINITY,
            }));
        }
        let read = self.room.read_range(0, 2 * N)?;
        Ok(std::array::from_fn(|k| read[2 * k + 1]))
    }

    /// Returns the kernel of reduction `k`; it is the only one, unless it runs over many patches.
    pub fn kernel(&self, k: usize) -> ReduceKernel {
        let (t, patches) = (self.terms[k], self.rx.headers().len());
        let arrived = self.part(2 * N + k, 1).cast();
        if self.in_ranges {
            let ranges = Ranges::new(self.rx, &t);
            return ReduceKernel::Ranges(ReduceRanges {
                x: t.x,
                y: t.y,
                partials: self.partials(k, ranges.count as usize),
                count: ranges.components,
                range: ranges.length,
                reduction: t.reduction as u32,
                result: self.result(k),
                arrived,
            });
        }
        let (result, arrived) = match patches < MANY_PATCHES {
            true => (self.result(k), arrived),
            false => (GlobalMut::empty(), GlobalMut::empty()),
        };
        ReduceKernel::Patches(ReducePatches {
            x: t.x,
            y: t.y,
            partials: self.partials(k, patches),
            components: t.components,
            kind: t.kind as u32,
            reduction: t.reduction as u32,
            result,
            arrived,
        })
    }

    fn part(&self, from: usize, n: usize) -> GlobalMut<f64> {
        self.room.global_mut().part(from as u32, n as u32)
    }

    fn result(&self, k: usize) -> GlobalMut<f64> {
        self.part(2 * k, 2)
    }

    fn partials(&self, k: usize, n: usize) -> GlobalMut<f64> {
        self.part(3 * N + k * self.partials, n)
    }
}

/// Ranges that the components of a term are divided into.
struct Ranges {
    /// Number of components.
    components: u32,
    /// Components of a range; the last one may have fewer.
    length: u32,
    /// Number of ranges, at least one.
    count: u32,
}

impl Ranges {
    fn new(rx: &RxMesh<impl Dimension>, t: &Term) -> Ranges {
        let components = rx.count(t.kind) * t.components;
        let length = components.div_ceil(MOST_RANGES).max(LEAST_RANGE);
        Ranges {
            components,
            length,
            count: components.div_ceil(length).max(1),
        }
    }
}

/// Computes several reductions with one read-back.
pub(crate) fn several<const N: usize>(
    rx: &RxMesh<impl Dimension>,
    terms: [Term; N],
) -> Result<[f64; N], Error> {
    let all = Reductions::new(rx, terms)?;
    all.launch()?;
    all.read()
}
