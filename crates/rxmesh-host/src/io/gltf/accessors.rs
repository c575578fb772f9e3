//! Accessors: typed views of the bytes, dense and sparse.

use super::super::budget::Budget;
use super::super::error::Fault;
use super::buffers::Buffers;
use super::json::{self, ACCESSORS, JsonItem, JsonObject};
use super::values::{Component, ElementBytes, floats, indices};
use crate::mesh::ColumnData;

/// Numbers of an accessor.
#[derive(Debug)]
pub(super) struct AccessorNumbers {
    pub(super) data: ColumnData,
    /// Numbers an element.
    pub(super) width: usize,
    pub(super) count: usize,
    /// Whole numbers are fractions of the largest of their type.
    pub(super) normalized: bool,
}

impl AccessorNumbers {
    /// Returns the numbers as floats.
    pub(super) fn floats(self) -> Vec<f32> {
        floats(self.data, self.normalized)
    }
}

/// Form of the elements of an accessor.
#[derive(Clone, Copy)]
struct ElementForm {
    component: Component,
    width: usize,
    normalized: bool,
}

impl ElementForm {
    fn of(item: &JsonItem<'_>) -> Result<ElementForm, Fault> {
        let component = component(item)?;
        let kind = item.text("type").unwrap_or_default();
        let (width, columns) = match kind {
            "SCALAR" => (1, 1),
            "VEC2" => (2, 1),
            "VEC3" => (3, 1),
            "VEC4" => (4, 1),
            "MAT2" => (4, 2),
            "MAT3" => (9, 3),
            "MAT4" => (16, 4),
            _ => return Err(item.fault("'type' is none of glTF's")),
        };
        // Columns of matrices begin at multiples of four bytes.
        if columns > 1 && !(component.size() * width / columns).is_multiple_of(4) {
            return Err(item.fault(format!(
                "{kind} of numbers of {} bytes is not read",
                component.size()
            )));
        }
        Ok(ElementForm {
            component,
            width,
            normalized: item.flag("normalized") && component.is_small(),
        })
    }

    fn size(self) -> usize {
        self.component.size() * self.width
    }
}

/// Returns the type of the numbers of an object.
fn component(item: &JsonItem<'_>) -> Result<Component, Fault> {
    let code = item.required("componentType")?;
    let unknown = || item.fault(format!("'componentType' {code} is none of glTF's types"));
    Component::of(code).ok_or_else(unknown)
}

/// Reader of the accessors of a document.
pub(super) struct AccessorReader<'a> {
    pub(super) document: &'a JsonObject,
    pub(super) buffers: Buffers<'a>,
    pub(super) budget: Budget,
}

impl<'a> AccessorReader<'a> {
    /// Returns an accessor and its number of elements.
    pub(super) fn count(&self, index: usize) -> Result<(JsonItem<'a>, usize), Fault> {
        let item = json::item(self.document, ACCESSORS, index)?;
        let count = item.required("count")?;
        Ok((item, count))
    }

    /// Reads the numbers of an accessor.
    pub(super) fn numbers(&mut self, index: usize) -> Result<AccessorNumbers, Fault> {
        let (item, count) = self.count(index)?;
        let form = ElementForm::of(&item)?;
        self.take(&item, count, form)?;
        let mut data = match item.index("bufferView")? {
            Some(_) => self.elements(&item, count, form)?,
            None => form.component.zeros(count * form.width),
        };
        if let Some(sparse) = item.object("sparse")? {
            self.replace(&sparse, count, form, &mut data)?;
        }
        Ok(AccessorNumbers {
            data,
            width: form.width,
            count,
            normalized: form.normalized,
        })
    }

    /// Reads the elements of a buffer view.
    fn elements(
        &mut self,
        item: &JsonItem<'_>,
        count: usize,
        form: ElementForm,
    ) -> Result<ColumnData, Fault> {
        self.with_elements(item, count, form, |at| form.component.read(&at))
    }

    /// Hands the bytes of elements to `read`, after checking that they are there.
    fn with_elements<T>(
        &mut self,
        item: &JsonItem<'_>,
        count: usize,
        form: ElementForm,
        read: impl FnOnce(ElementBytes<'_>) -> T,
    ) -> Result<T, Fault> {
        let view = item.required("bufferView")?;
        let offset = item.index("byteOffset")?.unwrap_or(0);
        self.buffers.unpack(self.document, view, &mut self.budget)?;
        let of = self.buffers.view(self.document, view)?;
        let size = form.size();
        let stride = of.stride.unwrap_or(size);
        if stride < size {
            let what = format!(
                "elements of {size} bytes do not fit the 'byteStride' {stride} of buffer view {view}"
            );
            return Err(item.fault(what));
        }
        let end = count.saturating_sub(1).checked_mul(stride);
        let last = if count == 0 { 0 } else { size };
        let end = end.and_then(|end| end.checked_add(last)?.checked_add(offset));
        let bytes = end.and_then(|end| of.bytes.get(offset..end));
        let Some(bytes) = bytes else {
            let what = format!(
                "{count} elements from byte {offset} on do not fit buffer view {view}, which has {} bytes",
                of.bytes.len()
            );
            return Err(item.fault(what));
        };
        Ok(read(ElementBytes {
            bytes,
            count,
            width: form.width,
            stride,
        }))
    }

    /// Reads elements of floats that take `N` bytes each, without another form between; `None` for an accessor of other
    /// elements, or one that is not plain.
    pub(super) fn plain<T: Copy + Default + Send, const N: usize>(
        &mut self,
        index: usize,
        element: impl Fn([u8; N]) -> T + Sync,
    ) -> Result<Option<Vec<T>>, Fault> {
        let (item, count) = self.count(index)?;
        let form = ElementForm::of(&item)?;
        let is_plain = form.component == Component::F32
            && form.size() == N
            && item.object.contains_key("bufferView")
            && !item.object.contains_key("sparse");
        if !is_plain {
            return Ok(None);
        }
        self.take(&item, count, form)?;
        let read = |at: ElementBytes<'_>| ElementBytes { width: 1, ..at }.read(element);
        self.with_elements(&item, count, form, read).map(Some)
    }

    fn take(&mut self, item: &JsonItem<'_>, count: usize, form: ElementForm) -> Result<(), Fault> {
        let size = form.size().saturating_mul(count);
        self.budget.take(size).map_err(|what| item.fault(what))
    }

    /// Replaces the elements that a sparse accessor lists.
    fn replace(
        &mut self,
        sparse: &JsonItem<'_>,
        count: usize,
        form: ElementForm,
        data: &mut ColumnData,
    ) -> Result<(), Fault> {
        let missing = |key: &str| sparse.fault(format!("'sparse' has no '{key}'"));
        let named = sparse
            .object("indices")?
            .ok_or_else(|| missing("indices"))?;
        let values = sparse.object("values")?.ok_or_else(|| missing("values"))?;
        let entries = sparse.required("count")?;
        if entries > count {
            let what = format!("'sparse' replaces {entries} elements of {count}");
            return Err(sparse.fault(what));
        }
        let index = ElementForm {
            component: component(&named)?,
            width: 1,
            normalized: false,
        };
        let rows = indices(self.elements(&named, entries, index)?)
            .ok_or_else(|| sparse.fault("indices of 'sparse' must be whole numbers"))?;
        let values = self.elements(&values, entries, form)?;
        if let Some(row) = rows.iter().find(|&&row| row as usize >= count) {
            let what = format!("'sparse' replaces element {row}, but there are {count}");
            return Err(sparse.fault(what));
        }
        for (from, &to) in rows.iter().enumerate() {
            for k in 0..form.width {
                let x = values.get(form.width * from + k);
                data.set(form.width * to as usize + k, x);
            }
        }
        Ok(())
    }

    /// Reads the indices of a primitive.
    pub(super) fn indices(&mut self, index: usize) -> Result<Vec<u32>, Fault> {
        let numbers = self.numbers(index)?;
        let (item, _) = self.count(index)?;
        let wrong = || item.fault("indices must be SCALAR, of whole numbers without a sign");
        match numbers.width {
            1 => indices(numbers.data).ok_or_else(wrong),
            _ => Err(wrong()),
        }
    }
}
