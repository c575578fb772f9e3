//! Buffer views and accessors of the document that is written.

use super::super::BorrowedPieces;
use super::extensions::MESHOPT;
use super::meshopt::{pack_triangles, pack_vertices};
use super::values::Component;
use crate::par::IntoLean;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::borrow::Cow;

/// Numbers that a task copies at once.
const CHUNK: usize = 1 << 16;

/// Use of a buffer view by graphics hardware.
#[derive(Clone, Copy)]
enum BufferTarget {
    Vertices = 34962,
    Indices = 34963,
}

/// Bytes of the buffer, with the views and accessors that say what they are.
#[derive(Default)]
pub(super) struct BufferLayout<'a> {
    pub(super) pieces: BorrowedPieces<'a>,
    pub(super) length: usize,
    /// Bytes of the second buffer, which is not in the file: those that the packed views become.
    pub(super) unpacked: usize,
    /// Views of vertices and indices are packed.
    pub(super) packs: bool,
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

impl<'a> BufferLayout<'a> {
    /// Appends elements of vertices as a buffer view and returns its number.
    pub(super) fn vertices(&mut self, bytes: Cow<'a, [u8]>, stride: usize) -> usize {
        let mut view = json!({ "byteStride": stride, "target": BufferTarget::Vertices as u32 });
        if !self.packs {
            return self.push(view, bytes);
        }
        let packed = pack_vertices(&bytes, stride);
        let count = bytes.len() / stride;
        let how = json!({ "mode": "ATTRIBUTES", "byteStride": stride, "count": count });
        self.say_packed(&mut view, how, bytes.len(), packed.len());
        self.push_bytes(packed.into());
        self.add(view)
    }

    /// Appends the indices of triangles, of `size` bytes each, as a buffer view and returns its number.
    pub(super) fn triangles(&mut self, bytes: Cow<'a, [u8]>, size: usize) -> usize {
        let mut view = json!({ "target": BufferTarget::Indices as u32 });
        if !self.packs {
            return self.push(view, bytes);
        }
        let (words, numbers) = (bytes.as_chunks::<2>().0, bytes.as_chunks::<4>().0);
        let corners: Vec<u32> = match size {
            2 => words
                .iter()
                .map(|b| u16::from_le_bytes(*b).into())
                .collect(),
            _ => numbers.iter().map(|b| u32::from_le_bytes(*b)).collect(),
        };
        let packed = pack_triangles(&corners);
        let how = json!({ "mode": "TRIANGLES", "byteStride": size, "count": corners.len() });
        self.say_packed(&mut view, how, bytes.len(), packed.len());
        self.push_bytes(packed.into());
        self.add(view)
    }

    /// Appends other bytes as a buffer view and returns its number.
    pub(super) fn view(&mut self, bytes: Vec<u8>) -> usize {
        self.push(json!({}), bytes.into())
    }

    /// Describes a packed view: its place in the buffer that is not there, and that of its packed bytes.
    fn say_packed(&mut self, view: &mut Value, mut how: Value, bytes: usize, packed: usize) {
        view["buffer"] = 1.into();
        view["byteOffset"] = self.unpacked.into();
        view["byteLength"] = bytes.into();
        self.unpacked += bytes.next_multiple_of(4);
        how["buffer"] = 0.into();
        how["byteOffset"] = self.length.into();
        how["byteLength"] = packed.into();
        view["extensions"] = json!({ MESHOPT[0]: how });
    }

    fn push(&mut self, mut view: Value, bytes: Cow<'a, [u8]>) -> usize {
        view["buffer"] = 0.into();
        view["byteOffset"] = self.length.into();
        view["byteLength"] = bytes.len().into();
        self.push_bytes(bytes);
        self.add(view)
    }

    fn add(&mut self, view: Value) -> usize {
        self.views.push(view);
        self.views.len() - 1
    }

    /// Returns the buffers of the document; the first has the members of `first` as well.
    pub(super) fn buffers(&self, mut first: Value) -> Value {
        first["byteLength"] = self.length.into();
        let fallback = json!({ MESHOPT[0]: { "fallback": true } });
        match self.unpacked {
            0 => json!([first]),
            length => json!([first, { "byteLength": length, "extensions": fallback }]),
        }
    }

    /// Appends bytes, filled up to a multiple of four.
    fn push_bytes(&mut self, bytes: Cow<'a, [u8]>) {
        let filled = bytes.len().next_multiple_of(4);
        let fill = filled - bytes.len();
        self.pieces.push(bytes);
        // A large piece is not moved for three bytes.
        if fill > 0 {
            self.pieces.push(vec![0; fill].into());
        }
        self.length += filled;
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

/// Returns numbers of 32 bits as bytes, the lowest first: on most machines those of the memory itself.
pub(super) fn words<'a, T: bytemuck::Pod + Sync>(
    values: &'a [T],
    of: impl Fn(T) -> [u8; 4] + Sync,
) -> Cow<'a, [u8]> {
    match cfg!(target_endian = "little") {
        true => Cow::Borrowed(bytemuck::cast_slice(values)),
        false => Cow::Owned(bytes(values, of)),
    }
}

/// Returns numbers as bytes, the lowest first.
pub(super) fn bytes<T: Copy + Sync, const N: usize>(
    values: &[T],
    of: impl Fn(T) -> [u8; N] + Sync,
) -> Vec<u8> {
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
    of: impl Fn(T) -> [u8; N] + Sync,
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
