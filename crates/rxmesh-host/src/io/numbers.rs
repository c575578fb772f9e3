//! Numbers of any type, as volume files hold them: one after the other, in text or as bytes.

use super::error::Fault;
use super::scan::quote;
use crate::mesh::ColumnData;

/// Type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl NumberType {
    /// Returns the number of bytes of a number.
    pub(super) fn size(self) -> usize {
        match self {
            NumberType::I8 | NumberType::U8 => 1,
            NumberType::I16 | NumberType::U16 => 2,
            NumberType::I32 | NumberType::U32 | NumberType::F32 => 4,
            NumberType::I64 | NumberType::U64 | NumberType::F64 => 8,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, NumberType::F32 | NumberType::F64)
    }
}

/// Order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// Numbers of one type.
#[derive(Debug)]
pub(super) enum Numbers {
    /// Numbers of a type that columns have.
    Kept(ColumnData),
    I64(Vec<i64>),
    U64(Vec<u64>),
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers::I64(Vec::new())
    }
}

/// Runs the same expression for the numbers of every type.
macro_rules! each {
    ($numbers:expr, $v:ident => $body:expr) => {
        match $numbers {
            Numbers::Kept(data) => crate::mesh::each_type!(data, $v => $body),
            Numbers::I64($v) => $body,
            Numbers::U64($v) => $body,
        }
    };
}

impl Numbers {
    /// Reserves capacity for `n` numbers, which the file must be known to hold.
    pub(super) fn with_capacity(scalar: NumberType, n: usize) -> Numbers {
        let kept = match scalar {
            NumberType::I8 => ColumnData::I8(Vec::with_capacity(n)),
            NumberType::U8 => ColumnData::U8(Vec::with_capacity(n)),
            NumberType::I16 => ColumnData::I16(Vec::with_capacity(n)),
            NumberType::U16 => ColumnData::U16(Vec::with_capacity(n)),
            NumberType::I32 => ColumnData::I32(Vec::with_capacity(n)),
            NumberType::U32 => ColumnData::U32(Vec::with_capacity(n)),
            NumberType::F32 => ColumnData::F32(Vec::with_capacity(n)),
            NumberType::F64 => ColumnData::F64(Vec::with_capacity(n)),
            NumberType::I64 => return Numbers::I64(Vec::with_capacity(n)),
            NumberType::U64 => return Numbers::U64(Vec::with_capacity(n)),
        };
        Numbers::Kept(kept)
    }

    /// Reads numbers as they lie in a file. Bytes at the end that are no whole number are passed over.
    pub(super) fn of_bytes(scalar: NumberType, bytes: &[u8], order: ByteOrder) -> Numbers {
        fn read<const N: usize, T>(bytes: &[u8], order: ByteOrder, of: fn([u8; N]) -> T) -> Vec<T> {
            let one = |chunk: &[u8; N]| {
                let mut chunk = *chunk;
                if order == ByteOrder::Big {
                    chunk.reverse();
                }
                of(chunk)
            };
            bytes.as_chunks().0.iter().map(one).collect()
        }
        let kept = match scalar {
            NumberType::I8 => ColumnData::I8(read(bytes, order, i8::from_le_bytes)),
            NumberType::U8 => ColumnData::U8(bytes.to_vec()),
            NumberType::I16 => ColumnData::I16(read(bytes, order, i16::from_le_bytes)),
            NumberType::U16 => ColumnData::U16(read(bytes, order, u16::from_le_bytes)),
            NumberType::I32 => ColumnData::I32(read(bytes, order, i32::from_le_bytes)),
            NumberType::U32 => ColumnData::U32(read(bytes, order, u32::from_le_bytes)),
            NumberType::F32 => ColumnData::F32(read(bytes, order, f32::from_le_bytes)),
            NumberType::F64 => ColumnData::F64(read(bytes, order, f64::from_le_bytes)),
            NumberType::I64 => return Numbers::I64(read(bytes, order, i64::from_le_bytes)),
            NumberType::U64 => return Numbers::U64(read(bytes, order, u64::from_le_bytes)),
        };
        Numbers::Kept(kept)
    }

    /// Parses a word of text, and appends the number.
    pub(super) fn push(&mut self, word: &[u8], at: usize) -> Result<(), Fault> {
        fn one<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
            std::str::from_utf8(word).ok()?.parse().ok()
        }
        let taken = each!(self, v => one(word).map(|x| v.push(x)));
        taken.ok_or_else(|| {
            let what = format!("{} is no number of the type that is promised", quote(word));
            Fault::text(at, what)
        })
    }

    pub(super) fn len(&self) -> usize {
        each!(self, v => v.len())
    }

    /// Returns number `i` as a whole number, if it is one.
    ///
    /// # Panics
    ///
    /// When there are fewer.
    pub(super) fn whole(&self, i: usize) -> Option<i64> {
        match self {
            Numbers::I64(v) => Some(v[i]),
            Numbers::U64(v) => i64::try_from(v[i]).ok(),
            Numbers::Kept(data) => {
                let x = data.get(i);
                (x.fract() == 0.0 && x.abs() < 9e15).then_some(x as i64)
            }
        }
    }

    /// Converts all to whole numbers of 64 bits; -1 for those that are none.
    pub(super) fn into_whole(self) -> Vec<i64> {
        match self {
            Numbers::I64(v) => v,
            numbers => {
                let all = 0..numbers.len();
                all.map(|i| numbers.whole(i).unwrap_or(-1)).collect()
            }
        }
    }

    /// Returns number `i` as a double.
    ///
    /// # Panics
    ///
    /// When there are fewer.
    pub(super) fn real(&self, i: usize) -> f64 {
        match self {
            Numbers::I64(v) => v[i] as f64,
            Numbers::U64(v) => v[i] as f64,
            Numbers::Kept(data) => data.get(i),
        }
    }

    /// Returns the named rows, of `width` numbers each.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    pub(super) fn rows(self, width: usize, rows: &[u32]) -> Numbers {
        fn pick<T: Copy>(v: &[T], width: usize, rows: &[u32]) -> Vec<T> {
            let row = |&r: &u32| &v[r as usize * width..(r as usize + 1) * width];
            rows.iter().flat_map(row).copied().collect()
        }
        match self {
            Numbers::Kept(data) => Numbers::Kept(data.gather(width, rows)),
            Numbers::I64(v) => Numbers::I64(pick(&v, width, rows)),
            Numbers::U64(v) => Numbers::U64(pick(&v, width, rows)),
        }
    }

    /// Returns `true` if doubles hold all numbers, and those between them.
    pub(super) fn fits_double(&self) -> bool {
        const LARGEST: u64 = 1 << f64::MANTISSA_DIGITS;
        match self {
            Numbers::I64(v) => v.iter().all(|x| x.unsigned_abs() <= LARGEST),
            Numbers::U64(v) => v.iter().all(|x| *x <= LARGEST),
            Numbers::Kept(_) => true,
        }
    }

    /// Converts the numbers to a type that columns have: whole numbers of 64 bits to 32 bits or doubles, if all fit.
    pub(super) fn into_column(self) -> Option<ColumnData> {
        fn narrow<T: Copy>(v: &[T], whole: impl Fn(T) -> i128) -> Option<ColumnData> {
            let all = || v.iter().map(|&x| whole(x));
            if let Ok(v) = all().map(i32::try_from).collect() {
                return Some(ColumnData::I32(v));
            }
            if let Ok(v) = all().map(u32::try_from).collect() {
                return Some(ColumnData::U32(v));
            }
            let exact = all().all(|x| x.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS);
            exact.then(|| ColumnData::F64(all().map(|x| x as f64).collect()))
        }
        match self {
            Numbers::Kept(data) => Some(data),
            Numbers::I64(v) => narrow(&v, i128::from),
            Numbers::U64(v) => narrow(&v, i128::from),
        }
    }
}

/// Returns the bytes of a column's numbers.
pub(super) fn bytes_of(data: &ColumnData, order: ByteOrder) -> Vec<u8> {
    crate::mesh::each_type!(data, v => {
        let bytes = v.iter().flat_map(|x| match order {
            ByteOrder::Little => x.to_le_bytes(),
            ByteOrder::Big => x.to_be_bytes(),
        });
        bytes.collect()
    })
}

/// Returns the type of a column's numbers.
pub(super) fn scalar_of(data: &ColumnData) -> NumberType {
    match data {
        ColumnData::I8(_) => NumberType::I8,
        ColumnData::U8(_) => NumberType::U8,
        ColumnData::I16(_) => NumberType::I16,
        ColumnData::U16(_) => NumberType::U16,
        ColumnData::I32(_) => NumberType::I32,
        ColumnData::U32(_) => NumberType::U32,
        ColumnData::F32(_) => NumberType::F32,
        ColumnData::F64(_) => NumberType::F64,
    }
}
