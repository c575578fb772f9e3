//! Arrays of other libraries as values of meshes.

use super::dlpack;
use super::element::ElementType;
use super::errors::of_error;
use super::gpu::{self, GpuArray};
use super::memory::{ArrayMemory, PyBuffer};
use super::work::run;
use crate::engines;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use rxmesh::host::engine::EngineChoice;
use std::mem::ManuallyDrop;

/// Array of another library in main memory, or a copy of one on a GPU.
pub(super) struct ArrayView<'py> {
    address: usize,
    pub(super) element: ElementType,
    pub(super) shape: Vec<usize>,
    /// In bytes.
    strides: Vec<isize>,
    pub(super) origin: ArrayOrigin,
    /// `true` if the array must not be written.
    pub(super) is_read_only: bool,
    /// Keeps the memory alive.
    owner: Bound<'py, PyAny>,
    /// Copy that the address points into, of an array on a GPU.
    _copy: Option<Vec<u64>>,
}

/// Array of another library, wherever it is.
pub(super) enum AnyArray<'py> {
    Host(ArrayView<'py>),
    Gpu(GpuArray<'py>),
}

impl<'py> AnyArray<'py> {
    /// Copies an array on a GPU to main memory.
    pub(super) fn into_host(self, name: &str) -> PyResult<ArrayView<'py>> {
        let array = match self {
            AnyArray::Host(view) => return Ok(view),
            AnyArray::Gpu(array) => array,
        };
        let copy = array.to_host(name)?;
        let (shape, strides) = array.layout();
        Ok(ArrayView {
            address: copy.words.as_ptr().expose_provenance() + copy.first,
            element: array.element(),
            shape,
            strides,
            owner: array.owner().clone(),
            origin: array.origin(),
            is_read_only: true,
            _copy: Some(copy.words),
        })
    }

    pub(super) fn element(&self) -> ElementType {
        match self {
            AnyArray::Host(view) => view.element,
            AnyArray::Gpu(array) => array.element(),
        }
    }

    pub(super) fn shape(&self) -> &[usize] {
        match self {
            AnyArray::Host(view) => &view.shape,
            AnyArray::Gpu(array) => array.shape(),
        }
    }

    /// Returns the number of the GPU; `None` in main memory.
    pub(super) fn gpu(&self) -> Option<u32> {
        match self {
            AnyArray::Host(_) => None,
            AnyArray::Gpu(array) => Some(array.gpu()),
        }
    }
}

/// Library, type and device that a result goes back to.
pub(super) struct ArrayOrigin {
    /// Function that makes an array of the library from one with `__dlpack__`; numpy without it.
    import: Option<Py<PyAny>>,
    pub(super) element: ElementType,
    /// Number of the GPU; `None` in main memory.
    pub(super) gpu: Option<u32>,
}

impl ArrayOrigin {
    /// Returns the origin of an array, on the GPU with a number.
    pub(super) fn of(
        array: &Bound<'_, PyAny>,
        element: ElementType,
        gpu: Option<u32>,
    ) -> PyResult<ArrayOrigin> {
        Ok(ArrayOrigin {
            import: importer(array)?,
            element,
            gpu,
        })
    }

    /// Arrays of numpy with elements of a type.
    pub(super) const fn numpy(element: ElementType) -> ArrayOrigin {
        ArrayOrigin {
            import: None,
            element,
            gpu: None,
        }
    }

    /// Returns the same library with another type.
    pub(super) fn with(&self, py: Python<'_>, element: ElementType) -> ArrayOrigin {
        ArrayOrigin {
            import: self.import.as_ref().map(|import| import.clone_ref(py)),
            element,
            gpu: self.gpu,
        }
    }

    /// Returns an array of the library that shares the memory; on a GPU, of a copy there unless it is there already.
    /// Without such a library an array on a GPU is a `Buffer`.
    pub(super) fn export(&self, py: Python<'_>, memory: ArrayMemory) -> PyResult<Py<PyAny>> {
        let memory = match (self.gpu, memory.gpu) {
            (Some(number), None) => {
                let copied = run(py, Vec::new(), || {
                    memory.to_gpu(&engines::engine(EngineChoice::Gpu(number))?)
                })?;
                copied.map_err(|e| of_error(&e))?
            }
            _ => memory,
        };
        let buffer = Py::new(py, PyBuffer { memory })?;
        match &self.import {
            Some(import) => import.call1(py, (buffer,)),
            None if self.gpu.is_some() => Ok(buffer.into_any()),
            None => Ok(numpy(py)?.call_method1("asarray", (buffer,))?.unbind()),
        }
    }
}

fn numpy(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("numpy")
}

/// Returns the function that makes arrays of the library of an array; `None` for numpy.
fn importer(array: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    let py = array.py();
    // numpy's own arrays, and classes derived from them.
    if array.is_instance(&numpy(py)?.getattr("ndarray")?)? {
        return Ok(None);
    }
    let module: String = array.get_type().getattr("__module__")?.extract()?;
    let root = module.split('.').next().unwrap_or_default();
    let name = match root {
        "jax" | "jaxlib" => "jax.numpy",
        root => root,
    };
    let function = match name {
        "torch" | "cupy" | "warp" | "jax.numpy" => py.import(name)?.getattr("from_dlpack").ok(),
        _ => {
            let namespace = array.call_method0("__array_namespace__");
            namespace
                .and_then(|space| space.getattr("from_dlpack"))
                .ok()
        }
    };
    Ok(function.map(Bound::unbind))
}

/// Returns an error about an argument.
pub(super) fn wrong_type(name: &str, what: impl std::fmt::Display) -> PyErr {
    PyTypeError::new_err(format!("{name}: {what}"))
}

/// As [`wrong_type`], of a value.
pub(super) fn wrong_value(name: &str, what: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {what}"))
}

/// Returns an error about a number in a row of an argument, which names none of `limit` elements.
pub(super) fn wrong_index(name: &str, row: usize, value: i128, limit: usize) -> PyErr {
    let last = limit as i128 - 1;
    let what = format!("row {row} holds {value}, which is not from 0 to {last}");
    wrong_value(name, what)
}

/// Returns a view of an array, or of a copy of one on a GPU. Lists become arrays of numpy, of the type `listed` if it
/// is given.
pub(super) fn view<'py>(
    name: &str,
    array: &Bound<'py, PyAny>,
    listed: Option<&str>,
) -> PyResult<ArrayView<'py>> {
    look(name, array, listed)?.into_host(name)
}

/// Describes an array, wherever it is, as [`view`].
pub(super) fn look<'py>(
    name: &str,
    array: &Bound<'py, PyAny>,
    listed: Option<&str>,
) -> PyResult<AnyArray<'py>> {
    match gpu::is_on_gpu(array)? {
        true => Ok(AnyArray::Gpu(gpu::look(name, array)?)),
        false => Ok(AnyArray::Host(on_host(name, array, listed)?)),
    }
}

fn on_host<'py>(
    name: &str,
    array: &Bound<'py, PyAny>,
    listed: Option<&str>,
) -> PyResult<ArrayView<'py>> {
    if let Ok(interface) = array.getattr("__array_interface__") {
        return of_interface(name, array, &interface);
    }
    if array.hasattr("__dlpack__")? && array.hasattr("__dlpack_device__")? {
        return of_dlpack(name, array);
    }
    let is_list = array.is_instance_of::<PyList>() || array.is_instance_of::<PyTuple>();
    if !is_list && !array.hasattr("__array__")? {
        let found = array.get_type().name()?;
        let what = format!("an array is needed (of numpy, or one with __dlpack__), not {found}");
        return Err(wrong_type(name, what));
    }
    let py = array.py();
    let named = PyDict::new(py);
    if is_list && let Some(listed) = listed {
        named.set_item("dtype", listed)?;
    }
    let made = numpy(py)?.call_method("asarray", (array,), Some(&named));
    let made = made.map_err(|e| wrong_value(name, format!("is no array: {}", e.value(py))))?;
    let interface = made.getattr("__array_interface__")?;
    of_interface(name, &made, &interface)
}

fn of_interface<'py>(
    name: &str,
    array: &Bound<'py, PyAny>,
    interface: &Bound<'py, PyAny>,
) -> PyResult<ArrayView<'py>> {
    let typestr: String = interface.get_item("typestr")?.extract()?;
    let Some(element) = ElementType::of_typestr(&typestr) else {
        return Err(wrong_type(
            name,
            format!("elements of type {typestr} are not supported"),
        ));
    };
    let (address, is_read_only): (usize, bool) = interface.get_item("data")?.extract()?;
    let shape: Vec<usize> = interface.get_item("shape")?.extract()?;
    let strides = match interface.get_item("strides") {
        Ok(strides) if !strides.is_none() => strides.extract()?,
        _ => dlpack::compact(&shape, element.bytes() as isize),
    };
    Ok(ArrayView {
        address,
        element,
        shape,
        strides,
        origin: ArrayOrigin::of(array, element, None)?,
        is_read_only,
        owner: array.clone(),
        _copy: None,
    })
}

fn of_dlpack<'py>(name: &str, array: &Bound<'py, PyAny>) -> PyResult<ArrayView<'py>> {
    let device = dlpack::device_of(array)?;
    if !dlpack::HOST.contains(&device.0) {
        let what = format!("the array is on a device of kind {} (DLPack)", device.0);
        return Err(wrong_type(name, what));
    }
    let py = array.py();
    let (tensor, capsule) = dlpack::import(array, None).map_err(|e| {
        let what = e.value(py).to_string();
        wrong_type(name, what)
    })?;
    Ok(ArrayView {
        address: tensor.address,
        element: tensor.element,
        shape: tensor.shape,
        strides: tensor.strides,
        origin: ArrayOrigin::of(array, tensor.element, None)?,
        is_read_only: tensor.is_read_only,
        owner: capsule,
        _copy: None,
    })
}

impl<'py> ArrayView<'py> {
    pub(super) fn py(&self) -> Python<'py> {
        self.owner.py()
    }

    /// Returns the shape in Python's form, for messages.
    pub(super) fn shape_text(&self) -> String {
        shape_text(&self.shape)
    }

    /// Copies all elements, row by row, each converted by a function. `T` is the type of the elements.
    pub(super) fn read<T: Copy, U>(&self, convert: impl Fn(T) -> U) -> Vec<U> {
        assert_eq!(size_of::<T>(), self.element.bytes());
        let count: usize = self.shape.iter().product();
        let mut out = Vec::with_capacity(count);
        if count == 0 {
            return out;
        }
        let width = self.shape.last().copied().unwrap_or(1);
        let step = self.strides.last().copied().unwrap_or(0);
        for row in 0..count / width {
            let start = self.address.wrapping_add_signed(self.offset(row));
            for i in 0..width {
                let at = start.wrapping_add_signed(step * i as isize);
                // SAFETY: the owner describes the array's memory so, and lives.
                let value = unsafe { std::ptr::with_exposed_provenance::<T>(at).read_unaligned() };
                out.push(convert(value));
            }
        }
        out
    }

    /// Returns the offset in bytes of a row: of all dimensions but the last.
    fn offset(&self, row: usize) -> isize {
        let outer = self.shape.len().saturating_sub(1);
        let (mut rest, mut offset) = (row, 0);
        for d in (0..outer).rev() {
            offset += (rest % self.shape[d]) as isize * self.strides[d];
            rest /= self.shape[d];
        }
        offset
    }

    /// Returns `true` if the elements lie one after the other.
    pub(super) fn is_compact(&self) -> bool {
        dlpack::is_compact(&self.shape, &self.strides, self.element)
    }

    /// Writes all elements of a contiguous array, whose type is `T`.
    pub(super) fn write<T: Copy>(&self, values: &[T]) {
        let count: usize = self.shape.iter().product();
        assert!(!self.is_read_only && self.is_compact());
        assert_eq!(
            (size_of::<T>(), values.len()),
            (self.element.bytes(), count)
        );
        if count > 0 {
            let to = std::ptr::with_exposed_provenance_mut::<u8>(self.address);
            // SAFETY: the owner describes as many elements one after the other, which may be written, and lives. The
            // values are the library's own; other threads of the program that use the array are the caller's matter.
            unsafe {
                std::ptr::copy_nonoverlapping(values.as_ptr().cast(), to, size_of_val(values))
            };
        }
    }

    /// Returns the elements as a vector, if their type is `T`; contiguous ones by one copy.
    pub(super) fn values<T: Copy>(&self) -> Vec<T> {
        let size = self.element.bytes() as isize;
        let is_aligned = self.address.is_multiple_of(align_of::<T>());
        let count: usize = self.shape.iter().product();
        if count > 0 && is_aligned && self.strides == dlpack::compact(&self.shape, size) {
            assert_eq!(size_of::<T>(), self.element.bytes());
            // SAFETY: the owner describes so many elements one after the other, and lives.
            let all = unsafe {
                let start = std::ptr::with_exposed_provenance::<T>(self.address);
                std::slice::from_raw_parts(start, count)
            };
            return all.to_vec();
        }
        self.read(|x: T| x)
    }
}

/// Returns a shape in Python's form, for messages.
pub(super) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        shape => {
            let numbers: Vec<String> = shape.iter().map(ToString::to_string).collect();
            format!("({})", numbers.join(", "))
        }
    }
}

/// Returns the values in groups of `N`, without a copy if the vector has no other capacity; the rest is left out.
pub(super) fn grouped<T: Copy, const N: usize>(values: Vec<T>) -> Vec<[T; N]> {
    if !(values.len().is_multiple_of(N) && values.capacity().is_multiple_of(N)) {
        return values.as_chunks().0.to_vec();
    }
    let mut values = ManuallyDrop::new(values);
    let (len, capacity) = (values.len() / N, values.capacity() / N);
    // SAFETY: the vector was forgotten; as groups its memory has the same size and alignment.
    unsafe { Vec::from_raw_parts(values.as_mut_ptr().cast(), len, capacity) }
}
