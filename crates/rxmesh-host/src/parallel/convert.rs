//! Conversions on an engine of the arrays of other libraries: numbers of 64 bits, and rows with gaps between them.

use crate::engine::{Buffer, Engine, EngineError, Foreign};
use crate::mesh::may_need_placement;
use glam::Vec3;
use rxmesh_kernels::parallel::convert::{
    NarrowIndices, NarrowPoints, RowLayout, WidenFloats, WidenIndices, float_of,
};

/// Most points of a sample.
const SAMPLE: usize = 1024;

/// Rows of three numbers of 32 or 64 bits that another library keeps in an engine's memory, at any distances.
#[derive(Clone, Copy, Debug)]
pub struct ForeignRows {
    /// Words from the first to the last one that belongs to a number.
    words: Foreign,
    rows: u32,
    layout: RowLayout,
}

/// Corner that names no vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongCorner {
    /// The first face that has one.
    pub face: u32,
    /// Lower and higher word of the corner's number; the higher one is 0 for numbers of 32 bits.
    pub value: [u32; 2],
}

/// Whole numbers of 32 or 64 bits that another library keeps in an engine's memory, at any distance.
#[derive(Clone, Copy, Debug)]
pub struct ForeignList {
    /// Words from the first to the last one that belongs to a number.
    words: Foreign,
    len: u32,
    layout: RowLayout,
}

/// Index that names no element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongIndex {
    /// Its place in the list: no earlier index is wrong.
    pub at: u32,
    /// Lower and higher word of its number; the higher one is 0 for numbers of 32 bits.
    pub value: [u32; 2],
}

/// Bytes of a word.
const WORD: usize = size_of::<u32>();

/// Returns the words from the first to the last one of numbers of `size` bytes, and the index of the word of the number
/// at the array's address. `distances` are strides in bytes, with a count each. Returns `None` as [`ForeignRows::new`].
fn span_of(array: Foreign, size: usize, distances: &[(isize, usize)]) -> Option<(Foreign, u32)> {
    let is_whole = |stride: isize| stride.unsigned_abs().is_multiple_of(WORD);
    let is_number = matches!(size, 4 | 8) && array.address.is_multiple_of(WORD as u64);
    if !is_number || !distances.iter().all(|&(stride, _)| is_whole(stride)) {
        return None;
    }
    let reach =
        |&(stride, count): &(isize, usize)| stride as i128 / WORD as i128 * (count as i128 - 1);
    let is_empty = distances.iter().any(|&(_, count)| count == 0);
    let low: i128 = distances.iter().map(|d| reach(d).min(0)).sum();
    let high: i128 = distances.iter().map(|d| reach(d).max(0)).sum();
    let (first, words) = match is_empty {
        true => (0, 0),
        false => (-low, high - low + (size / WORD) as i128),
    };
    let count: i128 = distances.iter().map(|&(_, count)| count as i128).product();
    if words.max(count) > i128::from(i32::MAX) {
        return None;
    }
    let words = Foreign {
        address: array.address.wrapping_sub(first as u64 * WORD as u64),
        len: words as usize,
        stream: array.stream,
    };
    Some((words, first as u32))
}

/// Returns a distance in bytes as one in words, modulo 2^32.
fn in_words(stride: isize) -> u32 {
    (stride / WORD as isize) as i32 as u32
}

impl ForeignRows {
    /// Describes rows of three numbers of `size` bytes. The address is that of the first number, `len` the number of
    /// rows; `strides` are the distances of rows and of columns in bytes. Returns `None` for arrays that kernels cannot
    /// take: numbers of other sizes than 4 and 8 bytes, places that are not multiples of 4, or more than 2^31 words.
    pub fn new(array: Foreign, size: usize, strides: [isize; 2]) -> Option<ForeignRows> {
        let distances = [(strides[0], array.len), (strides[1], 3)];
        let (words, first) = span_of(array, size, &distances)?;
        Some(ForeignRows {
            words,
            rows: u32::try_from(array.len).ok()?,
            layout: RowLayout {
                first,
                row: in_words(strides[0]),
                column: in_words(strides[1]),
                words: (size / WORD) as u32,
            },
        })
    }

    /// Returns the rows as positions, rounded to 32 bits; `None` if these would hold the place of the mesh and not its
    /// shape, because it lies far from the origin, or if a coordinate of 64 bits is not finite as 32: such positions
    /// need a frame, which the host computes. The host reads the box of all points and a sample of them.
    ///
    /// Coordinates of 32 bits are taken as they are.
    ///
    /// # Errors
    ///
    /// As [`Engine::copy_of`].
    ///
    /// # Safety
    ///
    /// As [`Engine::copy_of`], for all words from the first to the last number.
    pub unsafe fn positions(self, engine: &Engine) -> Result<Option<Buffer<Vec3>>, EngineError> {
        // SAFETY: the caller's.
        let from = unsafe { engine.copy_of::<u32>(self.words) }?;
        let to = engine.uninit::<Vec3>(self.rows as usize)?;
        let step = (self.rows as usize).div_ceil(SAMPLE).max(1);
        let bounds = engine.zeroed::<u32>(6)?;
        let sample = engine.uninit::<Vec3>((self.rows as usize).div_ceil(step))?;
        let kernel = NarrowPoints {
            from: from.global(),
            to: to.global_mut().cast(),
            bounds: bounds.global_mut(),
            sample: sample.global_mut().cast(),
            step: step as u32,
            layout: self.layout,
        };
        engine.launch_flat(3 * self.rows, kernel)?;
        if self.layout.words == 1 || self.rows == 0 {
            return Ok(Some(to));
        }
        let bounds = bounds.read()?;
        let corner = |words: [u32; 3]| Vec3::from_array(words.map(float_of));
        let [low, high] = [
            corner([!bounds[3], !bounds[4], !bounds[5]]),
            corner([bounds[0], bounds[1], bounds[2]]),
        ];
        if !(low.is_finite() && high.is_finite()) {
            return Ok(None);
        }
        let mut points = sample.read()?;
        points.extend([low, high]);
        Ok((!may_need_placement(&points, &[])).then_some(to))
    }

    /// Returns the rows as corners of faces, if each names one of `vertices` vertices. Larger and negative numbers are
    /// found on the engine; the host reads a word.
    ///
    /// # Errors
    ///
    /// As [`Engine::copy_of`].
    ///
    /// # Safety
    ///
    /// As [`ForeignRows::positions`].
    pub unsafe fn corners(
        self,
        engine: &Engine,
        vertices: usize,
    ) -> Result<Result<Buffer<[u32; 3]>, WrongCorner>, EngineError> {
        // SAFETY: the caller's.
        let narrow = unsafe { narrow(engine, self.words, 3 * self.rows, self.layout, vertices) }?;
        Ok(match narrow {
            Ok(corners) => Ok(corners.cast()?),
            Err(WrongIndex { at, value }) => Err(WrongCorner {
                face: at / 3,
                value,
            }),
        })
    }
}

impl ForeignList {
    /// Describes numbers of `size` bytes. The address is that of the first one, `len` their number; `stride` is their
    /// distance in bytes. Returns `None` for arrays that kernels cannot take, as [`ForeignRows::new`].
    pub fn new(array: Foreign, size: usize, stride: isize) -> Option<ForeignList> {
        let (words, first) = span_of(array, size, &[(stride, array.len)])?;
        let distance = in_words(stride);
        Some(ForeignList {
            words,
            len: u32::try_from(array.len).ok()?,
            layout: RowLayout {
                first,
                row: distance.wrapping_mul(3),
                column: distance,
                words: (size / WORD) as u32,
            },
        })
    }

    /// Returns the numbers as indices, if each names one of `count` elements, as [`ForeignRows::corners`].
    ///
    /// # Errors
    ///
    /// As [`Engine::copy_of`].
    ///
    /// # Safety
    ///
    /// As [`ForeignRows::positions`].
    pub unsafe fn indices(
        self,
        engine: &Engine,
        count: usize,
    ) -> Result<Result<Buffer<u32>, WrongIndex>, EngineError> {
        // SAFETY: the caller's.
        unsafe { narrow(engine, self.words, self.len, self.layout, count) }
    }
}

/// Takes whole numbers of another library as such of 32 bits below a limit.
///
/// # Safety
///
/// As [`Engine::copy_of`] for the words, which the layout of the numbers lies in.
unsafe fn narrow(
    engine: &Engine,
    words: Foreign,
    count: u32,
    layout: RowLayout,
    limit: usize,
) -> Result<Result<Buffer<u32>, WrongIndex>, EngineError> {
    // SAFETY: the caller's.
    let from = unsafe { engine.copy_of::<u32>(words) }?;
    let to = engine.uninit::<u32>(count as usize)?;
    let bad = engine.zeroed::<u32>(1)?;
    let kernel = NarrowIndices {
        from: from.global(),
        to: to.global_mut(),
        bad: bad.global_mut(),
        count: limit.min(i32::MAX as usize) as u32,
        layout,
    };
    engine.launch_flat(count, kernel)?;
    let bad = match count {
        0 => 0,
        _ => bad.read()?[0],
    };
    if bad == 0 {
        return Ok(Ok(to));
    }
    let at = !bad;
    let RowLayout { row, column, .. } = layout;
    let word = layout
        .first
        .wrapping_add((at / 3).wrapping_mul(row))
        .wrapping_add((at % 3).wrapping_mul(column));
    let read = from.read_range(word as usize, layout.words as usize)?;
    let value = [read[0], read.get(1).copied().unwrap_or(0)];
    Ok(Err(WrongIndex { at, value }))
}

/// Returns floats, or groups of them, as numbers of 64 bits, on their engine.
///
/// # Errors
///
/// No memory on the engine, or what the driver says.
pub fn widen_floats<T: bytemuck::Pod>(from: &Buffer<T>) -> Result<Buffer<f64>, EngineError> {
    let engine = from.engine();
    let from = from.global().cast::<f32>();
    let to = engine.uninit::<f64>(from.len() as usize)?;
    let kernel = WidenFloats {
        from,
        to: to.global_mut(),
    };
    engine.launch_flat(from.len(), kernel)?;
    Ok(to)
}

/// Returns whole numbers, or groups of them, as such of 64 bits, on their engine.
///
/// # Errors
///
/// As [`widen_floats`].
pub fn widen_indices<T: bytemuck::Pod>(from: &Buffer<T>) -> Result<Buffer<u64>, EngineError> {
    let engine = from.engine();
    let from = from.global().cast::<u32>();
    let to = engine.uninit::<u64>(from.len() as usize)?;
    let kernel = WidenIndices {
        from,
        to: to.global_mut(),
    };
    engine.launch_flat(from.len(), kernel)?;
    Ok(to)
}
