//! Bytes of a file: in the GLB, in other files, in the JSON as base64, packed by meshoptimizer.

use super::super::base64;
use super::super::budget::Budget;
use super::super::error::Fault;
use super::super::{bytes_of, names};
use super::extensions::MESHOPT;
use super::json::{self, BUFFERS, JsonItem, JsonObject, VIEWS};
use super::meshopt;
use std::borrow::Cow;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a buffer view.
#[derive(Debug, Clone)]
pub(super) enum ViewBytes<'a> {
    Slice(&'a [u8]),
    Unpacked(Arc<Vec<u8>>),
}

impl Deref for ViewBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            ViewBytes::Slice(bytes) => bytes,
            ViewBytes::Unpacked(bytes) => bytes,
        }
    }
}

/// A buffer view and the distance of its elements, where it gives one.
pub(super) struct BufferView<'a> {
    pub(super) bytes: ViewBytes<'a>,
    pub(super) stride: Option<usize>,
}

/// Buffers of a document. The reason why one is not there matters when it is used.
pub(super) struct Buffers<'a> {
    all: Vec<Result<Cow<'a, [u8]>, String>>,
    /// Buffer views that were packed, by number.
    unpacked: Vec<Option<Arc<Vec<u8>>>>,
}

impl<'a> Buffers<'a> {
    /// Fetches all buffers; `name` is the path of the file, beside which those in other files are.
    pub(super) fn new(
        document: &JsonObject,
        bin: Option<&'a [u8]>,
        name: &Path,
        budget: &mut Budget,
    ) -> Result<Buffers<'a>, Fault> {
        let count = json::list(document, BUFFERS)?.len();
        let views = json::list(document, VIEWS)?.len();
        let mut all = Vec::with_capacity(count);
        for index in 0..count {
            let item = json::item(document, BUFFERS, index)?;
            let length = item.required("byteLength")?;
            let bytes = match item.text("uri") {
                None if index == 0 && bin.is_some() => {
                    let bin = bin.unwrap_or_default();
                    Ok(Cow::Borrowed(&bin[..bin.len().min(length)]))
                }
                None => Err("it has neither a URI nor bytes in the file".to_owned()),
                Some(uri) => fetch(uri, length, name, budget).map(Cow::Owned),
            };
            let bytes = bytes.and_then(|bytes| match bytes.len() < length {
                true => Err(format!("it has {} bytes instead of {length}", bytes.len())),
                false => Ok(bytes),
            });
            all.push(bytes);
        }
        Ok(Buffers {
            all,
            unpacked: vec![None; views],
        })
    }

    /// Returns a range of a buffer that an object names.
    fn range(&self, item: &JsonItem<'_>) -> Result<&[u8], Fault> {
        let index = item.required("buffer")?;
        let offset = item.index("byteOffset")?.unwrap_or(0);
        let length = item.required("byteLength")?;
        let bytes = match self.all.get(index) {
            Some(Ok(bytes)) => bytes,
            Some(Err(why)) => {
                return Err(item.fault(format!("buffer {index} cannot be used: {why}")));
            }
            None => {
                let count = self.all.len();
                return Err(item.fault(format!("buffer {index} is named, but there are {count}")));
            }
        };
        let range = offset
            .checked_add(length)
            .and_then(|end| bytes.get(offset..end));
        range.ok_or_else(|| {
            item.fault(format!(
                "{length} bytes from byte {offset} on are named, but buffer {index} has {}",
                bytes.len()
            ))
        })
    }

    /// Unpacks a view that is packed, once.
    pub(super) fn unpack(
        &mut self,
        document: &JsonObject,
        index: usize,
        budget: &mut Budget,
    ) -> Result<(), Fault> {
        let item = json::item(document, VIEWS, index)?;
        if self.unpacked[index].is_some() {
            return Ok(());
        }
        for extension in MESHOPT {
            let Some(packed) = item.extension(extension)? else {
                continue;
            };
            let fault = |what: String| item.fault(format!("{extension}: {what}"));
            let stride = packed.required("byteStride")?;
            let count = packed.required("count")?;
            let size = stride.saturating_mul(count);
            budget.take(size).map_err(fault)?;
            let form = meshopt::PackedForm::new(
                packed.text("mode").unwrap_or_default(),
                packed.text("filter").unwrap_or("NONE"),
                count,
                stride,
            );
            let form = form.map_err(fault)?;
            let bytes = form.decode(self.range(&packed)?).map_err(fault)?;
            self.unpacked[index] = Some(Arc::new(bytes));
            return Ok(());
        }
        Ok(())
    }

    /// Returns a buffer view, which [`unpack`](Self::unpack) has seen.
    pub(super) fn view(
        &self,
        document: &JsonObject,
        index: usize,
    ) -> Result<BufferView<'_>, Fault> {
        let item = json::item(document, VIEWS, index)?;
        let bytes = match &self.unpacked[index] {
            Some(bytes) => ViewBytes::Unpacked(bytes.clone()),
            None => ViewBytes::Slice(self.range(&item)?),
        };
        let stride = item.index("byteStride")?;
        if stride == Some(0) {
            return Err(item.fault("'byteStride' must not be 0"));
        }
        Ok(BufferView { bytes, stride })
    }
}

/// Fetches the bytes of a URI, `length` at most.
fn fetch(uri: &str, length: usize, name: &Path, budget: &mut Budget) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        return inline(data, length);
    }
    let path = beside(uri, name)?;
    let mut bytes = bytes_of(&path).map_err(|e| e.to_string())?;
    bytes.truncate(length);
    budget.add(bytes.len());
    Ok(bytes)
}

/// Decodes what follows `data:`.
pub(super) fn inline(data: &str, most: usize) -> Result<Vec<u8>, String> {
    let (kind, text) = data.split_once(',').ok_or("its data URI has no comma")?;
    if !kind.ends_with(";base64") {
        return Err("its data URI is not base64".to_owned());
    }
    let decoded = base64::decode(text.as_bytes(), most);
    let (bytes, _) =
        decoded.map_err(|at| format!("character {at} of its data URI is not base64"))?;
    Ok(bytes)
}

/// Returns the path of a URI that leads to a file in the folder of the file `name`, or below it.
pub(super) fn beside(uri: &str, name: &Path) -> Result<PathBuf, String> {
    let shown = || names::shown(&uri.chars().take(80).collect::<String>());
    let plain = plain_uri(uri).ok_or_else(|| format!("'{}' is not a valid URI", shown()))?;
    let scheme = plain
        .split(['/', '\\'])
        .next()
        .is_some_and(|s| s.contains(':'));
    if scheme || plain.starts_with(['/', '\\']) || plain.is_empty() {
        return Err(format!(
            "'{}' is not a relative path, and others are not followed",
            shown()
        ));
    }
    if plain.split(['/', '\\']).any(|step| step == "..") {
        return Err(format!(
            "'{}' leads out of the file's folder, which is not followed",
            shown()
        ));
    }
    Ok(name.parent().unwrap_or(Path::new("")).join(plain))
}

/// Replaces the escapes of a URI, such as `%20`.
fn plain_uri(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, more)) = rest.split_first() {
        rest = more;
        let byte = match first {
            b'%' => {
                let digits = rest.get(..2)?;
                rest = &rest[2..];
                u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            byte => byte,
        };
        if byte == 0 {
            return None;
        }
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder() {
        let of = |uri| beside(uri, Path::new("a/b.gltf"));
        assert_eq!(of("c%20d/e.bin").unwrap(), Path::new("a/c d/e.bin"));
        for (uri, word) in [
            ("/etc/passwd", "not a relative path"),
            ("file:///etc/passwd", "not a relative path"),
            ("C:\\a", "not a relative path"),
            ("", "not a relative path"),
            ("x/../../y", "leads out"),
            ("%2e%2e/y", "leads out"),
            ("x%0", "not a valid URI"),
            ("x%00", "not a valid URI"),
        ] {
            assert!(of(uri).unwrap_err().contains(word), "{uri}");
        }
    }
}
