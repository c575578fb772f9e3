//! Numbers of accessors.

use crate::mesh::ColumnData;
use crate::par::mapped;

/// Type of the numbers of an accessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    /// Returns the type that has a number in the JSON.
    pub(super) fn of(code: usize) -> Option<Component> {
        Some(match code {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            _ => return None,
        })
    }

    /// Returns the number of the type in the JSON.
    pub(super) fn code(self) -> u32 {
        match self {
            Component::I8 => 5120,
            Component::U8 => 5121,
            Component::I16 => 5122,
            Component::U16 => 5123,
            Component::U32 => 5125,
            Component::F32 => 5126,
        }
    }

    /// Returns the number of bytes of a number.
    pub(super) fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    /// Returns `true` for types that can be fractions of their largest number.
    pub(super) fn is_small(self) -> bool {
        self.size() < 4
    }

    /// Returns `count` zeros.
    pub(super) fn zeros(self, count: usize) -> ColumnData {
        match self {
            Component::I8 => ColumnData::I8(vec![0; count]),
            Component::U8 => ColumnData::U8(vec![0; count]),
            Component::I16 => ColumnData::I16(vec![0; count]),
            Component::U16 => ColumnData::U16(vec![0; count]),
            Component::U32 => ColumnData::U32(vec![0; count]),
            Component::F32 => ColumnData::F32(vec![0.0; count]),
        }
    }

    /// Returns the numbers of elements.
    pub(super) fn read(self, at: &ElementBytes<'_>) -> ColumnData {
        match self {
            Component::I8 => ColumnData::I8(at.read(i8::from_le_bytes)),
            Component::U8 => ColumnData::U8(at.read(u8::from_le_bytes)),
            Component::I16 => ColumnData::I16(at.read(i16::from_le_bytes)),
            Component::U16 => ColumnData::U16(at.read(u16::from_le_bytes)),
            Component::U32 => ColumnData::U32(at.read(u32::from_le_bytes)),
            Component::F32 => ColumnData::F32(at.read(f32::from_le_bytes)),
        }
    }
}

/// Bytes of elements that are in range.
pub(super) struct ElementBytes<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) count: usize,
    /// Numbers an element.
    pub(super) width: usize,
    /// Bytes from the beginning of an element to that of the next.
    pub(super) stride: usize,
}

impl ElementBytes<'_> {
    /// Returns the numbers of all elements, each made of `N` bytes.
    pub(super) fn read<T: Copy + Default + Send, const N: usize>(
        &self,
        number: impl Fn([u8; N]) -> T + Sync,
    ) -> Vec<T> {
        let size = N * self.width;
        if self.stride == size || self.count < 2 {
            let numbers = self.bytes[..size * self.count].as_chunks::<N>().0;
            return mapped(numbers, |b| number(*b));
        }
        let mut all = Vec::with_capacity(self.count * self.width);
        for i in 0..self.count {
            let element = &self.bytes[i * self.stride..][..size];
            all.extend(element.as_chunks::<N>().0.iter().map(|b| number(*b)));
        }
        all
    }
}

/// Converts numbers to floats. Fractions of the largest number of their type become numbers from -1 to 1.
pub(super) fn floats(data: ColumnData, normalized: bool) -> Vec<f32> {
    fn all<T: Copy + Into<f32>>(values: &[T], largest: f32, normalized: bool) -> Vec<f32> {
        let value = |x: &T| match normalized {
            // The specification's formula: the least number is -1 as well.
            true => ((*x).into() / largest).max(-1.0),
            false => (*x).into(),
        };
        values.iter().map(value).collect()
    }
    match data {
        ColumnData::I8(v) => all(&v, 127.0, normalized),
        ColumnData::U8(v) => all(&v, 255.0, normalized),
        ColumnData::I16(v) => all(&v, 32767.0, normalized),
        ColumnData::U16(v) => all(&v, 65535.0, normalized),
        ColumnData::I32(v) => v.iter().map(|&x| x as f32).collect(),
        ColumnData::U32(v) => v.iter().map(|&x| x as f32).collect(),
        ColumnData::F32(v) => v,
        ColumnData::F64(v) => v.iter().map(|&x| x as f32).collect(),
    }
}

/// Converts numbers to indices.
pub(super) fn indices(data: ColumnData) -> Option<Vec<u32>> {
    match data {
        ColumnData::U8(v) => Some(v.iter().map(|&x| u32::from(x)).collect()),
        ColumnData::U16(v) => Some(v.iter().map(|&x| u32::from(x)).collect()),
        ColumnData::U32(v) => Some(v),
        _ => None,
    }
}
