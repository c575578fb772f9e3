//! Sets of elements on an engine, in four forms: *flags*, a word each that is 1 for a member and else 0; a bit each;
//! ascending lists; and the masks and lists of indices of other libraries.
//!
//! No kernel reads or writes single bytes. The bytes 0 and 1 of a mask are a set of bits with room for eight times as
//! many members, though, so that the kernels for sets of bits serve: member `8 i` stands for element `i`. The
//! conversions take 32 bytes of scratch memory an element.

use super::convert::{ForeignList, WrongIndex};
use super::fill;
use super::scan::{exclusive_shared, in_place_shared, total};
use crate::Error;
use crate::engine::{Buffer, Engine, EngineError, Foreign};
use rxmesh_kernels::cavity::{RANK_WORDS, RankWords};
use rxmesh_kernels::edit::{DEAD, ListFree, MarkDead};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::parallel::convert::{NarrowCorners, RowLayout};
use rxmesh_kernels::parallel::labels::{LABEL_RUN, LabelMost, Labelled};
use rxmesh_kernels::parallel::scan::{CHUNK, ScanAdd};
use rxmesh_kernels::repack::permute::RepackPermute;

/// Most elements of a mask: places of its bits are numbers of 31 bits.
pub const MASK_LIMIT: usize = 1 << 28;

/// Bits of a byte.
const BYTE: u32 = 8;

/// Returns the flags of a mask that another library keeps in an engine's memory, a byte an element, of which the
/// lowest bit counts: 0 or 1.
///
/// # Errors
///
/// [`Error::TooLarge`] for more than [`MASK_LIMIT`] elements; otherwise as [`Engine::copy_of`].
///
/// # Safety
///
/// As [`Engine::copy_of`], for `mask.len` bytes.
pub unsafe fn of_mask(engine: &Engine, mask: Foreign) -> Result<Buffer<u32>, Error> {
    if mask.len > MASK_LIMIT {
        return Err(Error::TooLarge {
            what: "elements of a mask",
            count: mask.len as u64,
            limit: MASK_LIMIT as u64,
        });
    }
    let count = mask.len as u32;
    // SAFETY: the caller's.
    let bits = unsafe { engine.copy_of_bytes(mask) }?;
    let chosen = RankedSet::new(engine, &bits)?.list()?;
    let wide = engine.zeroed::<u32>((BYTE * count) as usize)?;
    put(engine, &chosen, 1, &wide)?;
    let flags = engine.uninit::<u32>(mask.len)?;
    let bad = engine.zeroed::<u32>(1)?;
    let every_eighth = NarrowCorners {
        from: wide.global(),
        to: flags.global_mut(),
        bad: bad.global_mut(),
        vertices: i32::MAX as u32,
        layout: RowLayout {
            first: 0,
            row: 3 * BYTE,
            column: BYTE,
            words: 1,
        },
    };
    engine.launch_flat(count, every_eighth)?;
    Ok(flags)
}

/// Returns the flags of `count` elements that are set where a list of another library names them, once or more often.
///
/// # Errors
///
/// An index of no element; and as [`Engine::copy_of`].
///
/// # Safety
///
/// As [`Engine::copy_of`], for all words from the first to the last number.
pub unsafe fn of_indices(
    engine: &Engine,
    indices: ForeignList,
    count: usize,
) -> Result<Result<Buffer<u32>, WrongIndex>, EngineError> {
    // SAFETY: the caller's.
    let list = match unsafe { indices.indices(engine, count) }? {
        Ok(list) => list,
        Err(wrong) => return Ok(Err(wrong)),
    };
    let flags = engine.zeroed::<u32>(count)?;
    // An index may stand in the list several times: the maximum is an atomic one. Values are words that are 1.
    let values = engine.uninit::<u32>(list.len())?;
    fill(engine, values.global_mut(), 1)?;
    let set = LabelMost {
        of: Labelled {
            values: values.global().cast(),
            labels: list.global(),
        },
        most: flags.global_mut(),
    };
    engine.launch_flat((list.len() as u32).div_ceil(LABEL_RUN), set)?;
    Ok(Ok(flags))
}

/// Returns flags as a mask: a byte an element, 0 or 1, and zeroes up to a whole word.
///
/// # Errors
///
/// As [`of_mask`], without another library's array.
pub fn to_mask(flags: &Buffer<u32>) -> Result<Buffer<u32>, Error> {
    let engine = flags.engine();
    if flags.len() > MASK_LIMIT {
        return Err(Error::TooLarge {
            what: "elements of a mask",
            count: flags.len() as u64,
            limit: MASK_LIMIT as u64,
        });
    }
    let count = flags.len() as u32;
    // `MarkDead` finds words of one value: flags that are 1 get it by an addition.
    let marks = flags.copied_from(0)?;
    let starts = engine.uninit::<u32>(count.div_ceil(CHUNK) as usize)?;
    fill(engine, starts.global_mut(), DEAD - 1)?;
    let add = ScanAdd {
        data: marks.global_mut(),
        starts: starts.global_mut(),
    };
    engine.launch_flat(count, add)?;
    let wide = engine.zeroed::<u32>((BYTE * count) as usize)?;
    let places = numbers(engine, count, BYTE)?;
    scatter(engine, &places, marks.global(), wide.global_mut(), 1)?;
    let mask = engine.uninit::<u32>(count.div_ceil(u32::BITS / BYTE) as usize)?;
    let mark = MarkDead {
        table: wide.global(),
        width: 1,
        slots: BYTE * count,
        set: mask.global_mut(),
    };
    engine.launch_flat(mask.len() as u32, mark)?;
    Ok(mask)
}

/// Returns the number of flags that are 1.
///
/// # Errors
///
/// Any error of the engine.
pub(crate) fn count(flags: &Buffer<u32>) -> Result<u64, Error> {
    match flags.is_empty() {
        true => Ok(0),
        false => Ok(total(flags.engine(), flags)? as u64),
    }
}

/// Set of bits whose members are counted.
pub(crate) struct RankedSet<'a> {
    bits: &'a Buffer<u32>,
    /// Members before each word, in its chunk.
    ranks: Buffer<u32>,
    /// Members before each chunk.
    chunks: Buffer<u32>,
    /// Number of members.
    pub(crate) count: u32,
}

impl<'a> RankedSet<'a> {
    /// Counts the members before each word, and all.
    ///
    /// # Errors
    ///
    /// No memory, or any error of the engine.
    pub(crate) fn new(engine: &Engine, bits: &'a Buffer<u32>) -> Result<RankedSet<'a>, Error> {
        let words = bits.len() as u32;
        let ranks = engine.uninit::<u32>(bits.len())?;
        let chunks = engine.uninit::<u32>(words.div_ceil(RANK_WORDS) as usize)?;
        let rank = RankWords {
            won: bits.global(),
            ranks: ranks.global_mut(),
            totals: chunks.global_mut(),
        };
        engine.launch_blocks(chunks.len() as u32, rank)?;
        Ok(RankedSet {
            bits,
            ranks,
            count: exclusive_shared(engine, &chunks)?,
            chunks,
        })
    }

    /// Lists the members, ascending.
    ///
    /// # Errors
    ///
    /// As [`RankedSet::new`].
    pub(crate) fn list(&self) -> Result<Buffer<u32>, EngineError> {
        let engine = self.bits.engine();
        let list = engine.uninit::<u32>(self.count as usize)?;
        let write = ListFree {
            set: self.bits.global(),
            ranks: self.ranks.global(),
            chunks: self.chunks.global(),
            list: list.global_mut(),
        };
        engine.launch_flat(self.bits.len() as u32, write)?;
        Ok(list)
    }
}

/// Returns the multiples of a number from 0 on.
///
/// # Errors
///
/// As [`RankedSet::new`].
pub(crate) fn numbers(engine: &Engine, count: u32, step: u32) -> Result<Buffer<u32>, Error> {
    let numbers = engine.uninit::<u32>(count as usize)?;
    fill(engine, numbers.global_mut(), step)?;
    if count > 0 {
        in_place_shared(engine, &numbers)?;
    }
    Ok(numbers)
}

/// Moves values of `width` words to their places, which differ; those whose place is 2^32 - 1 are left out.
///
/// # Errors
///
/// As [`RankedSet::new`].
pub(crate) fn scatter(
    engine: &Engine,
    places: &Buffer<u32>,
    from: Global<u32>,
    to: GlobalMut<u32>,
    width: u32,
) -> Result<(), EngineError> {
    let kernel = RepackPermute {
        linear: places.global(),
        from,
        to,
        width,
    };
    engine.launch_flat(places.len() as u32 * width, kernel)
}

/// Sets the listed words, each listed once, to a value.
///
/// # Errors
///
/// As [`RankedSet::new`].
pub(crate) fn put(
    engine: &Engine,
    list: &Buffer<u32>,
    value: u32,
    words: &Buffer<u32>,
) -> Result<(), EngineError> {
    if list.is_empty() {
        return Ok(());
    }
    let values = engine.uninit::<u32>(list.len())?;
    fill(engine, values.global_mut(), value)?;
    scatter(engine, list, values.global(), words.global_mut(), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows a slice as another library's array.
    fn shown<T>(values: &[T]) -> Foreign {
        Foreign {
            address: values.as_ptr().expose_provenance() as u64,
            len: values.len(),
            stream: 0,
        }
    }

    #[test]
    fn masks_become_flags_and_back() {
        let engine = Engine::cpu();
        for count in [0, 1, 2, 3, 4, 5, 4095, 4096, 4097, 40_001] {
            for every in [1, 2, 7, 50_000] {
                let mask: Vec<u8> = (0..count)
                    .map(|i| u8::from(i % every == every - 1))
                    .collect();
                // SAFETY: the slice lives.
                let flags = unsafe { of_mask(&engine, shown(&mask)) }.unwrap();
                let words: Vec<u32> = mask.iter().map(|&bit| bit.into()).collect();
                assert_eq!(flags.read().unwrap(), words);
                let members: u64 = words.iter().map(|&word| u64::from(word)).sum();
                assert_eq!(super::count(&flags).unwrap(), members);
                let back = to_mask(&flags).unwrap().read().unwrap();
                let bytes: &[u8] = bytemuck::cast_slice(&back);
                assert_eq!(bytes[..count], mask);
                assert!(bytes[count..].iter().all(|&byte| byte == 0));
            }
        }
    }

    #[test]
    fn indices_become_flags() {
        let engine = Engine::cpu();
        let flags = |list: Option<ForeignList>, count| {
            // SAFETY: the slices live.
            let flags = unsafe { of_indices(&engine, list.unwrap(), count) }.unwrap();
            flags.map(|flags| flags.read().unwrap())
        };
        let (narrow, wide) = ([4u32, 0, 4, 2], [4i64, 0, 4, 2]);
        let some = vec![1, 0, 1, 0, 1, 0];
        let list = ForeignList::new(shown(&narrow), 4, 4);
        assert_eq!(flags(list, 6), Ok(some.clone()));
        let list = ForeignList::new(shown(&wide), 8, 8);
        assert_eq!(flags(list, 6), Ok(some));
        // Every second number, backwards.
        let mut half = shown(&wide[2..]);
        half.len = 2;
        let list = ForeignList::new(half, 8, -16);
        assert_eq!(flags(list, 5), Ok(vec![0, 0, 0, 0, 1]));
        let list = ForeignList::new(shown(&narrow[..0]), 4, 4);
        assert_eq!(flags(list, 2), Ok(vec![0, 0]));
        let wrong = |at, value| Err(WrongIndex { at, value });
        assert_eq!(
            flags(ForeignList::new(shown(&narrow), 4, 4), 4),
            wrong(0, [4, 0])
        );
        let negative = [0i64, 1, -2];
        let list = ForeignList::new(shown(&negative), 8, 8);
        assert_eq!(flags(list, 4), wrong(2, [u32::MAX - 1, u32::MAX]));
        assert!(ForeignList::new(shown(&narrow), 2, 2).is_none());
        assert!(ForeignList::new(shown(&narrow), 4, 6).is_none());
    }
}
