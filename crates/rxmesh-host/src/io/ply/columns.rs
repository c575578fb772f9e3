//! Columns while they are being filled.

use crate::mesh::{Column, ColumnData, CornerLayer, NO_VALUE};
use ply_rs_bw::ply::ScalarType;
use std::collections::HashMap;

/// Makes one column of several scalar ones of one type, if all are there and follow each other.
pub(super) fn merge(columns: &mut Vec<Column>, name: &str, parts: &[&str]) {
    let same = |w: &[Column]| {
        w.iter()
            .zip(parts)
            .all(|(c, p)| c.width == 1 && c.name == *p)
            && w.iter()
                .all(|c| std::mem::discriminant(&c.data) == std::mem::discriminant(&w[0].data))
    };
    let Some(first) = columns.windows(parts.len()).position(same) else {
        return;
    };
    if columns.iter().any(|c| c.name == name) {
        return;
    }
    let rest: Vec<Column> = columns.drain(first + 1..first + parts.len()).collect();
    let c = &mut columns[first];
    let rows = c.data.len();
    let mut data = like(&c.data, rows * parts.len());
    for row in 0..rows {
        push(&mut data, c.data.get(row));
        rest.iter().for_each(|r| push(&mut data, r.data.get(row)));
    }
    *c = Column {
        name: name.into(),
        element: c.element,
        width: parts.len(),
        data,
    };
}

pub(super) fn empty(t: &ScalarType, n: usize) -> ColumnData {
    match t {
        ScalarType::Char => ColumnData::I8(Vec::with_capacity(n)),
        ScalarType::UChar => ColumnData::U8(Vec::with_capacity(n)),
        ScalarType::Short => ColumnData::I16(Vec::with_capacity(n)),
        ScalarType::UShort => ColumnData::U16(Vec::with_capacity(n)),
        ScalarType::Int => ColumnData::I32(Vec::with_capacity(n)),
        ScalarType::UInt => ColumnData::U32(Vec::with_capacity(n)),
        ScalarType::Float => ColumnData::F32(Vec::with_capacity(n)),
        ScalarType::Double => ColumnData::F64(Vec::with_capacity(n)),
    }
}

fn like(data: &ColumnData, n: usize) -> ColumnData {
    match data {
        ColumnData::I8(_) => ColumnData::I8(Vec::with_capacity(n)),
        ColumnData::U8(_) => ColumnData::U8(Vec::with_capacity(n)),
        ColumnData::I16(_) => ColumnData::I16(Vec::with_capacity(n)),
        ColumnData::U16(_) => ColumnData::U16(Vec::with_capacity(n)),
        ColumnData::I32(_) => ColumnData::I32(Vec::with_capacity(n)),
        ColumnData::U32(_) => ColumnData::U32(Vec::with_capacity(n)),
        ColumnData::F32(_) => ColumnData::F32(Vec::with_capacity(n)),
        ColumnData::F64(_) => ColumnData::F64(Vec::with_capacity(n)),
    }
}

#[inline]
pub(super) fn push(data: &mut ColumnData, x: f64) {
    match data {
        ColumnData::I8(v) => v.push(x as i8),
        ColumnData::U8(v) => v.push(x as u8),
        ColumnData::I16(v) => v.push(x as i16),
        ColumnData::U16(v) => v.push(x as u16),
        ColumnData::I32(v) => v.push(x as i32),
        ColumnData::U32(v) => v.push(x as u32),
        ColumnData::F32(v) => v.push(x as f32),
        ColumnData::F64(v) => v.push(x),
    }
}

/// Texture coordinates of corners: PLY repeats them at every corner, a layer holds each pair once.
#[derive(Default)]
pub(super) struct Texcoords {
    values: Vec<f32>,
    corners: Vec<u32>,
    known: HashMap<[u32; 2], u32>,
}

impl Texcoords {
    /// The list of a face whose `n` corners begin at `first`; an empty list means none.
    pub(super) fn add(&mut self, first: usize, n: usize, list: &[f32]) -> Result<(), String> {
        if list.is_empty() {
            return Ok(());
        }
        if list.len() != 2 * n {
            return Err(format!(
                "list 'texcoord' has {} values, a face of {n} corners needs {} or none",
                list.len(),
                2 * n
            ));
        }
        self.corners.resize(first, NO_VALUE);
        for pair in list.as_chunks::<2>().0 {
            let next = self.known.len() as u32;
            let id = *self.known.entry(pair.map(f32::to_bits)).or_insert(next);
            if id == next {
                self.values.extend_from_slice(pair);
            }
            self.corners.push(id);
        }
        Ok(())
    }

    pub(super) fn finish(mut self, corners: usize) -> Option<CornerLayer> {
        if self.corners.is_empty() {
            return None;
        }
        self.corners.resize(corners, NO_VALUE);
        Some(CornerLayer {
            width: 2,
            values: self.values,
            corners: self.corners,
        })
    }
}
