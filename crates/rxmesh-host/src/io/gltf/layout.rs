//! Buffer views and accessors of the document that is written.

use super::super::Pieces;
use super::values::Component;
use crate::par::IntoLean;
use rayon::prelude::*;
use serde_json::{Value, json};

/// Numbers that a task copies at once.
const CHUNK: usize = 1 << 16;

/// Use of a buffer view by graphics hardware.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Vertices = 34962,
    Indices = 34963,
}

/// Bytes of the buffer, with the views and accessors that say what they are.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) pieces: Pieces,
    pub(super) length: usize,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

/// Elements of an accessor.
pub(super) struct AccessorForm {
    pub(super) component: Component,
    pub(super) width: usize,
    pub(super) normalized: bool,
}

impl AccessorForm {
    /// Returns the bytes from the beginning of an element of a vertex to that of the next: a multiple of four.
    pub(super) fn stride(&self) -> usize {
        (self.component.size() * self.width).next_multiple_of(4)
    }

    fn kind(&self) -> &'static str {
        match self.width {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            9 => "MAT3",
            _ => "MAT4",
        }
    }
}

impl Layout {
    /// Appends bytes as a buffer view and returns its number. `stride` is for elements of vertices.
    pub(super) fn view(
        &mut self,
        mut bytes: Vec<u8>,
        stride: Option<usize>,
        target: Option<Target>,
    ) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": bytes.len() });
        if let Some(stride) = stride {
            view["byteStride"] = stride.into();
        }
        if let Some(target) = target {
            view["target"] = (target as u32).into();
        }
        let filled = bytes.len().next_multiple_of(4);
        if filled > bytes.capacity() {
            // A large piece is not moved for three bytes.
            self.pieces.push(bytes);
            let fill = filled - self.pieces.last().map_or(0, Vec::len);
            self.pieces.push(vec![0; fill]);
        } else {
            bytes.resize(filled, 0);
            self.pieces.push(bytes);
        }
        self.length += filled;
        self.views.push(view);
        self.views.len() - 1
    }

    /// Appends an accessor of `count` elements from byte `offset` of a view on and returns its number. `bounds` are the
    /// least and the largest values.
    pub(super) fn accessor(
        &mut self,
        form: &AccessorForm,
        view: usize,
        offset: usize,
        count: usize,
        bounds: Option<[[f32; 3]; 2]>,
    ) -> usize {
        let mut accessor = json!({
            "bufferView": view,
            "byteOffset": offset,
            "componentType": form.component.code(),
            "count": count,
            "type": form.kind(),
        });
        if form.normalized {
            accessor["normalized"] = true.into();
        }
        if let Some(bounds) = bounds {
            // As doubles, so that every digit of the float is there.
            let [low, high] = bounds.map(|b| b.map(f64::from));
            accessor["min"] = json!(low);
            accessor["max"] = json!(high);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

/// Returns numbers as bytes, the lowest first.
pub(super) fn bytes<T: Copy + Sync, const N: usize>(values: &[T], of: fn(T) -> [u8; N]) -> Vec<u8> {
    let mut all = vec![0; N * values.len()];
    let chunks = all.par_chunks_mut(N * CHUNK).zip(values.par_chunks(CHUNK));
    chunks.lean().for_each(|(to, from)| {
        let to = to.as_chunks_mut::<N>().0;
        to.iter_mut().zip(from).for_each(|(to, x)| *to = of(*x));
    });
    all
}

/// Works like [`bytes`], with zeros after each `width` numbers so that rows begin at multiples of four bytes.
pub(super) fn rows<T: Copy + Sync, const N: usize>(
    values: &[T],
    width: usize,
    of: fn(T) -> [u8; N],
) -> Vec<u8> {
    let stride = (N * width).next_multiple_of(4);
    if stride == N * width {
        return bytes(values, of);
    }
    let mut all = vec![0; stride * (values.len() / width)];
    for (to, from) in all.chunks_exact_mut(stride).zip(values.chunks_exact(width)) {
        let to = to.as_chunks_mut::<N>().0;
        to.iter_mut().zip(from).for_each(|(to, x)| *to = of(*x));
    }
    all
}
