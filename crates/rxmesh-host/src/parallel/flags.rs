//! Sets of elements on an engine as *flags*: a word an element, 1 for a member and else 0. They are made of masks and
//! lists of indices of other libraries, and become masks.

use super::convert::{ForeignList, WrongIndex};
use super::scan::total;
use crate::Error;
use crate::engine::{Buffer, Engine, EngineError, Foreign};
use rxmesh_kernels::parallel::flags::{FlagListed, FlagsOfMask, MASK_BYTES, MaskOfFlags};

/// Returns the flags of a mask that another library keeps in an engine's memory: a byte an element, 0 for those that
/// are not members.
///
/// # Errors
///
/// As [`Engine::copy_of`].
///
/// # Safety
///
/// As [`Engine::copy_of`], for `mask.len` bytes.
pub unsafe fn of_mask(engine: &Engine, mask: Foreign) -> Result<Buffer<u32>, EngineError> {
    let flags = engine.uninit::<u32>(mask.len)?;
    // SAFETY: the caller's.
    let bytes = unsafe { engine.copy_of_bytes(mask) }?;
    let kernel = FlagsOfMask {
        bytes: bytes.global(),
        flags: flags.global_mut(),
    };
    engine.launch_flat(flags.len() as u32, kernel)?;
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
    let kernel = FlagListed {
        list: list.global(),
        flags: flags.global_mut(),
    };
    engine.launch_flat(list.len() as u32, kernel)?;
    Ok(Ok(flags))
}

/// Returns flags as a mask: a byte an element, 0 or 1, and zeroes up to a whole word.
///
/// # Errors
///
/// No memory on the engine, or any error of it.
pub fn to_mask(flags: &Buffer<u32>) -> Result<Buffer<u32>, EngineError> {
    let engine = flags.engine();
    let mask = engine.uninit::<u32>(flags.len().div_ceil(MASK_BYTES as usize))?;
    let kernel = MaskOfFlags {
        flags: flags.global(),
        bytes: mask.global_mut(),
    };
    engine.launch_flat(mask.len() as u32, kernel)?;
    Ok(mask)
}

/// Returns the number of flags that are 1.
///
/// # Errors
///
/// Any error of the engine.
pub(crate) fn count(flags: &Buffer<u32>) -> Result<u64, Error> {
    if flags.is_empty() {
        return Ok(0);
    }
    Ok(total(flags.engine(), flags)? as u64)
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
    fn bytes_other_than_0_are_members() {
        let mask = [0u8, 1, 2, 128, 255, 0];
        // SAFETY: the slice lives.
        let flags = unsafe { of_mask(&Engine::cpu(), shown(&mask)) }.unwrap();
        assert_eq!(flags.read().unwrap(), [0, 1, 1, 1, 1, 0]);
        let back = to_mask(&flags).unwrap().read().unwrap();
        assert_eq!(back, [0x0101_0100, 0x0000_0001]);
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
