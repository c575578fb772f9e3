//! Unpacks what `EXT_meshopt_compression` and `KHR_meshopt_compression` pack.
//!
//! Written after the bitstream of the extensions' texts (appendix A of `EXT_meshopt_compression`, and version 1 of
//! attributes as in `KHR_meshopt_compression`) and the decoders of meshoptimizer 1.3 (Arseny Kapoulkine, MIT). The
//! tests unpack what its encoder has packed.

mod filters;
mod indices;
mod pack;
mod source;
#[cfg(test)]
mod tests;
mod vertices;

pub(super) use pack::{triangles as pack_triangles, vertices as pack_vertices};

use filters::PackedFilter;
use source::Source;

/// Most bytes of an element of a vertex.
const MOST_STRIDE: usize = 256;

/// Content of a packed buffer view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Elements of vertices.
    Attributes,
    /// Corners of triangles.
    Triangles,
    /// Indices in any order.
    Indices,
}

/// Form of a packed buffer view.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackedForm {
    mode: Mode,
    filter: PackedFilter,
    count: usize,
    stride: usize,
}

impl PackedForm {
    /// Returns the form of `count` elements of `stride` bytes each, or why there is none such.
    pub(super) fn new(
        mode: &str,
        filter: &str,
        count: usize,
        stride: usize,
    ) -> Result<PackedForm, String> {
        let mode = match mode {
            "ATTRIBUTES" => Mode::Attributes,
            "TRIANGLES" => Mode::Triangles,
            "INDICES" => Mode::Indices,
            _ => return Err("'mode' must be ATTRIBUTES, TRIANGLES or INDICES".into()),
        };
        let filter = PackedFilter::of(filter).ok_or("'filter' is none of the extension's")?;
        let fits = match mode {
            Mode::Attributes => {
                stride.is_multiple_of(4)
                    && (4..=MOST_STRIDE).contains(&stride)
                    && filter.fits(stride)
            }
            Mode::Triangles | Mode::Indices => {
                matches!(stride, 2 | 4) && filter == PackedFilter::None
            }
        };
        if !fits {
            return Err(format!(
                "elements of {stride} bytes do not fit its mode and filter"
            ));
        }
        if mode == Mode::Triangles && !count.is_multiple_of(3) {
            return Err(format!("{count} corners are not those of triangles"));
        }
        Ok(PackedForm {
            mode,
            filter,
            count,
            stride,
        })
    }

    /// Unpacks bytes.
    pub(super) fn decode(&self, packed: &[u8]) -> Result<Vec<u8>, String> {
        let source = Source::new(packed);
        let unpacked = match self.mode {
            Mode::Attributes => vertices::decode(source, self.count, self.stride),
            Mode::Triangles => indices::triangles(source, self.count, self.stride),
            Mode::Indices => indices::sequence(source, self.count, self.stride),
        };
        let mut bytes = unpacked.map_err(str::to_owned)?;
        self.filter.apply(&mut bytes, self.stride);
        Ok(bytes)
    }
}
