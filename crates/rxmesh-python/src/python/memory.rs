//! Arrays of this library in main memory, which other libraries share.

use super::dlpack;
use super::element::ElementType;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// Array in main memory, with what keeps it alive.
#[derive(Clone)]
pub(super) struct HostMemory {
    /// Keeps the memory alive.
    _owner: Arc<dyn Owner>,
    address: usize,
    pub(super) element: ElementType,
    pub(super) shape: Vec<usize>,
    pub(super) is_writable: bool,
}

/// Keeper of memory.
trait Owner: Send + Sync {}

/// Parts of a vector whose memory others write through its address.
struct GivenVec<T> {
    start: *mut T,
    len: usize,
    capacity: usize,
}

// SAFETY: the vector's values may go to other threads, and nothing here reads them.
unsafe impl<T: Send> Send for GivenVec<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for GivenVec<T> {}

impl<T: Send> Owner for GivenVec<T> {}

impl Owner for rxmesh::Mesh {}

impl<T> Drop for GivenVec<T> {
    fn drop(&mut self) {
        // SAFETY: the parts of a vector that was forgotten, once.
        drop(unsafe { Vec::from_raw_parts(self.start, self.len, self.capacity) });
    }
}

impl HostMemory {
    /// Takes a vector of elements, or of rows of them, without a copy.
    pub(super) fn of_vec<T: Copy + Send + 'static>(
        values: Vec<T>,
        element: ElementType,
        shape: Vec<usize>,
    ) -> HostMemory {
        let mut values = ManuallyDrop::new(values);
        let given = GivenVec {
            start: values.as_mut_ptr(),
            len: values.len(),
            capacity: values.capacity(),
        };
        HostMemory {
            address: given.start as usize,
            _owner: Arc::new(given),
            element,
            shape,
            is_writable: true,
        }
    }

    /// Takes values that a mesh holds, to be read only.
    pub(super) fn of_mesh<T>(
        mesh: &rxmesh::Mesh,
        values: &[T],
        element: ElementType,
        shape: Vec<usize>,
    ) -> HostMemory {
        HostMemory {
            _owner: Arc::new(mesh.clone()),
            address: values.as_ptr() as usize,
            element,
            shape,
            is_writable: false,
        }
    }

    /// Returns the address of the first element.
    pub(super) fn address(&self) -> usize {
        self.address
    }

    /// Returns a copy that may be written.
    fn copied(&self) -> HostMemory {
        let bytes = self.shape.iter().product::<usize>() * self.element.bytes();
        let mut words = vec![0u64; bytes.div_ceil(8)];
        // SAFETY: the owner keeps as many bytes there; the vector has at least as many.
        unsafe {
            let from = std::ptr::with_exposed_provenance::<u8>(self.address);
            std::ptr::copy_nonoverlapping(from, words.as_mut_ptr().cast(), bytes);
        }
        HostMemory::of_vec(words, self.element, self.shape.clone())
    }
}

/// Array of rxmesh in main memory, which other libraries take without a copy.
#[pyclass(name = "Buffer", module = "rxmesh", frozen)]
pub(super) struct PyBuffer {
    pub(super) memory: HostMemory,
}

#[pymethods]
impl PyBuffer {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let memory = &self.memory;
        let described = PyDict::new(py);
        described.set_item("version", 3)?;
        described.set_item("typestr", memory.element.typestr())?;
        described.set_item("shape", pyo3::types::PyTuple::new(py, &memory.shape)?)?;
        described.set_item("data", (memory.address, !memory.is_writable))?;
        Ok(described)
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if stream.is_some() {
            return Err(PyValueError::new_err("stream: main memory has none"));
        }
        if dl_device.is_some_and(|device| device != (1, 0)) {
            return Err(PyBufferError::new_err(
                "dl_device: the array is in main memory",
            ));
        }
        let versioned = max_version.is_some_and(|(major, _)| major >= 1);
        // Without a version nothing says that an array must not be written.
        let unsaid = !self.memory.is_writable && !versioned;
        if unsaid && copy == Some(false) {
            let why = "the array is read only, which DLPack says from version 1 on";
            return Err(PyBufferError::new_err(why));
        }
        match copy == Some(true) || unsaid {
            true => dlpack::export(py, &self.memory.copied(), versioned),
            false => dlpack::export(py, &self.memory, versioned),
        }
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }
}
