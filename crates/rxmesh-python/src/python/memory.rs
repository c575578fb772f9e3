//! Arrays of this library in main memory or on a GPU, which other libraries share.

use super::dlpack;
use super::element::ElementType;
use super::errors::of_error;
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rxmesh::Engine;
use rxmesh::host::Error as HostError;
use rxmesh::host::engine::{Buffer, EngineError, KeptContext};
use std::collections::BTreeSet;
use std::mem::ManuallyDrop;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

/// The default stream, as DLPack and the driver name it.
const LEGACY_STREAM: u64 = 1;

/// Array in main memory or on a GPU, with what keeps it alive.
#[derive(Clone)]
pub(super) struct ArrayMemory {
    /// Keeps the memory alive.
    owner: Arc<dyn Owner>,
    address: usize,
    /// Number of the GPU; `None` in main memory.
    pub(super) gpu: Option<u32>,
    pub(super) element: ElementType,
    pub(super) shape: Vec<usize>,
    pub(super) is_writable: bool,
}

/// Keeper of memory.
trait Owner: Send + Sync {
    /// Notes a stream on which another library uses the memory.
    fn used_on(&self, _stream: u64) {}

    /// Returns a copy of memory that is not main memory.
    fn copied(&self, memory: &ArrayMemory) -> PyResult<ArrayMemory> {
        let _ = memory;
        Err(PyBufferError::new_err("the array cannot be copied"))
    }
}

/// Buffer of an engine, and the streams of other libraries that work with it.
struct SharedBuffer<T: bytemuck::Pod + Send + Sync> {
    buffer: ManuallyDrop<Arc<Buffer<T>>>,
    /// Process that made it.
    process: u32,
    streams: Mutex<BTreeSet<u64>>,
}

impl<T: bytemuck::Pod + Send + Sync> Owner for SharedBuffer<T> {
    fn used_on(&self, stream: u64) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.insert(stream);
    }

    fn copied(&self, memory: &ArrayMemory) -> PyResult<ArrayMemory> {
        let _context = KeptContext::new();
        let copy = || -> Result<Buffer<T>, EngineError> {
            let buffer = self.buffer.grown(self.buffer.len())?;
            buffer.engine().synchronize()?;
            Ok(buffer)
        };
        let copy = copy().map_err(|e| of_error(&HostError::from(e).into()))?;
        let (element, shape) = (memory.element, memory.shape.clone());
        Ok(ArrayMemory::of_buffer(Arc::new(copy), element, shape))
    }
}

impl<T: bytemuck::Pod + Send + Sync> Drop for SharedBuffer<T> {
    /// Gives the memory back once the work that the streams have been given so far is done. Nothing waits here.
    fn drop(&mut self) {
        // A process that was forked cannot reach the GPU of its parent.
        if self.process != process::id() {
            return;
        }
        let _context = KeptContext::new();
        let streams = self
            .streams
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for &stream in streams.iter() {
            // SAFETY: the consumer named it as the stream that it uses the array on, which outlives the array. Where
            // the driver refuses it there is no work to wait for.
            let _ = unsafe { self.buffer.engine().wait_for(stream) };
        }
        // SAFETY: once, and not used afterwards.
        unsafe { ManuallyDrop::drop(&mut self.buffer) };
    }
}

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

impl ArrayMemory {
    /// Takes a vector of elements, or of rows of them, without a copy.
    pub(super) fn of_vec<T: Copy + Send + 'static>(
        values: Vec<T>,
        element: ElementType,
        shape: Vec<usize>,
    ) -> ArrayMemory {
        let mut values = ManuallyDrop::new(values);
        let given = GivenVec {
            start: values.as_mut_ptr(),
            len: values.len(),
            capacity: values.capacity(),
        };
        ArrayMemory {
            address: given.start as usize,
            owner: Arc::new(given),
            gpu: None,
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
    ) -> ArrayMemory {
        ArrayMemory {
            owner: Arc::new(mesh.clone()),
            address: values.as_ptr() as usize,
            gpu: None,
            element,
            shape,
            is_writable: false,
        }
    }

    /// Takes a buffer of an engine, to be read only if others hold it, too. On an engine of the CPU it is main memory.
    pub(super) fn of_buffer<T: bytemuck::Pod + Send + Sync>(
        buffer: Arc<Buffer<T>>,
        element: ElementType,
        shape: Vec<usize>,
    ) -> ArrayMemory {
        let engine = buffer.engine().clone();
        ArrayMemory {
            // An empty buffer has no address.
            address: engine.address(buffer.global_mut()).unwrap_or(0),
            gpu: engine.gpu(),
            element,
            shape,
            is_writable: Arc::strong_count(&buffer) == 1,
            owner: Arc::new(SharedBuffer {
                buffer: ManuallyDrop::new(buffer),
                process: process::id(),
                streams: Mutex::default(),
            }),
        }
    }

    /// Copies an array in main memory to the memory of a GPU.
    pub(super) fn to_gpu(&self, engine: &Engine) -> rxmesh::Result<ArrayMemory> {
        // SAFETY: the owner keeps as many bytes there, and nobody else has them yet.
        let bytes = unsafe {
            let from = std::ptr::with_exposed_provenance::<u8>(self.address);
            match self.bytes() {
                0 => &[],
                bytes => std::slice::from_raw_parts(from, bytes),
            }
        };
        let buffer = engine.upload(bytes).map_err(HostError::from)?;
        engine.synchronize().map_err(HostError::from)?;
        Ok(ArrayMemory::of_buffer(
            Arc::new(buffer),
            self.element,
            self.shape.clone(),
        ))
    }

    fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.element.bytes()
    }

    /// Returns the device in DLPack's numbers.
    pub(super) fn device(&self) -> (i32, i32) {
        match self.gpu {
            Some(number) => (dlpack::GPU, number as i32),
            None => (dlpack::HOST[0], 0),
        }
    }

    /// Returns the address of the first element.
    pub(super) fn address(&self) -> usize {
        self.address
    }

    /// Returns a copy that may be written.
    fn copied(&self) -> PyResult<ArrayMemory> {
        if self.gpu.is_some() {
            return self.owner.copied(self);
        }
        let bytes = self.bytes();
        let mut words = vec![0u64; bytes.div_ceil(8)];
        // SAFETY: the owner keeps as many bytes there; the vector has at least as many.
        unsafe {
            let from = std::ptr::with_exposed_provenance::<u8>(self.address);
            std::ptr::copy_nonoverlapping(from, words.as_mut_ptr().cast(), bytes);
        }
        Ok(ArrayMemory::of_vec(words, self.element, self.shape.clone()))
    }
}

/// Array of rxmesh in main memory or on a GPU, which other libraries take without a copy.
#[pyclass(name = "Buffer", module = "rxmesh", frozen)]
pub(super) struct PyBuffer {
    pub(super) memory: ArrayMemory,
}

impl PyBuffer {
    /// Describes the array by the keys that the interfaces of main memory and of GPUs share.
    fn interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let memory = &self.memory;
        let described = PyDict::new(py);
        described.set_item("version", 3)?;
        described.set_item("typestr", memory.element.typestr())?;
        described.set_item("shape", PyTuple::new(py, &memory.shape)?)?;
        described.set_item("data", (memory.address, !memory.is_writable))?;
        Ok(described)
    }
}

#[pymethods]
impl PyBuffer {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        match self.memory.gpu {
            None => self.interface(py),
            Some(_) => Err(PyAttributeError::new_err("the array is on a GPU")),
        }
    }

    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if self.memory.gpu.is_none() {
            return Err(PyAttributeError::new_err("the array is in main memory"));
        }
        let described = self.interface(py)?;
        described.set_item("strides", py.None())?;
        // The values are complete. Consumers do not name their stream here: the default one stands for it.
        described.set_item("stream", py.None())?;
        self.memory.owner.used_on(LEGACY_STREAM);
        Ok(described)
    }

    /// Lengths of the dimensions.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.memory.shape)
    }

    /// Name of the elements' type in numpy.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.memory.element.name()
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let memory = &self.memory;
        if dl_device.is_some_and(|device| device != memory.device()) {
            let (kind, number) = memory.device();
            let why = format!("dl_device: the array is on device ({kind}, {number})");
            return Err(PyBufferError::new_err(why));
        }
        match (memory.gpu, stream) {
            (None, Some(_)) => {
                return Err(PyValueError::new_err("stream: main memory has none"));
            }
            (Some(_), Some(0 | i64::MIN..=-2)) => {
                let why = "stream: 1 is the default stream, 2 that of the thread, -1 none";
                return Err(PyValueError::new_err(why));
            }
            // The values are complete: the stream need not wait. The memory's end has to wait for the stream.
            (Some(_), None) => memory.owner.used_on(LEGACY_STREAM),
            (Some(_), Some(stream @ 1..)) => memory.owner.used_on(stream as u64),
            _ => {}
        }
        let versioned = max_version.is_some_and(|(major, _)| major >= 1);
        // Without a version nothing says that an array must not be written.
        let unsaid = !memory.is_writable && !versioned;
        if unsaid && copy == Some(false) {
            let why = "the array is read only, which DLPack says from version 1 on";
            return Err(PyBufferError::new_err(why));
        }
        match copy == Some(true) || unsaid {
            true => dlpack::export(py, &memory.copied()?, versioned),
            false => dlpack::export(py, memory, versioned),
        }
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        self.memory.device()
    }
}
