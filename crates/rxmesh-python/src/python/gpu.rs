//! Arrays of other libraries on a GPU.

use super::arrays::{ArrayOrigin, wrong_index, wrong_type, wrong_value};
use super::dlpack;
use super::element::ElementType;
use super::errors::of_error;
use super::work::run;
use crate::engines;
use pyo3::prelude::*;
use rxmesh::host::Error as HostError;
use rxmesh::host::engine::{Buffer, EngineChoice, EngineError, Foreign, KeptContext};
use rxmesh::host::parallel::convert::{ForeignList, ForeignRows, WrongCorner, WrongIndex};
use rxmesh::host::parallel::flags;
use rxmesh::on::EngineArrays;
use rxmesh::{Engine, Mesh, Vec3};

/// Array of another library on a GPU.
pub(super) struct GpuArray<'py> {
    engine: Engine,
    /// Number of the GPU.
    gpu: u32,
    address: u64,
    /// Stream on which the values are complete.
    stream: u64,
    element: ElementType,
    shape: Vec<usize>,
    /// In bytes.
    strides: Vec<isize>,
    origin: ArrayOrigin,
    /// `true` if the array must not be written.
    is_read_only: bool,
    /// Keeps the memory alive.
    owner: Bound<'py, PyAny>,
}

/// Returns the device of an array as DLPack names it; `None` if it does not tell.
pub(super) fn device_of(array: &Bound<'_, PyAny>) -> PyResult<Option<(i32, i32)>> {
    match array.hasattr("__dlpack__")? && array.hasattr("__dlpack_device__")? {
        true => dlpack::device_of(array).map(Some),
        false => Ok(None),
    }
}

/// Returns `true` if an array is on a GPU.
pub(super) fn is_on_gpu(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    if array.hasattr("__array_interface__")? {
        return Ok(false);
    }
    match device_of(array)? {
        Some(device) => Ok(dlpack::is_cuda(device)),
        None => array.hasattr("__cuda_array_interface__"),
    }
}

/// Returns `true` if work on an engine with a name is for the GPU that an array is on; also without a name.
pub(super) fn is_for(engine: Option<&str>, array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(engine) = engine.filter(|_| is_on_gpu(array).unwrap_or(false)) else {
        return Ok(true);
    };
    let number = device_of(array)?.map_or(0, |(_, number)| number);
    Ok(match engine {
        "auto" => true,
        "cuda" => number == 0,
        other => other == format!("cuda:{number}"),
    })
}

/// Starts the engine of a GPU.
fn engine(py: Python<'_>, name: &str, number: u32) -> PyResult<Engine> {
    let started = run(py, Vec::new(), || {
        engines::engine(EngineChoice::Gpu(number))
    })?;
    started.map_err(|e| {
        let why = of_error(&e);
        let what = format!("the array is on GPU {number}: {}", why.value(py));
        PyErr::from_type(why.get_type(py), format!("{name}: {what}"))
    })
}

/// Describes an array on a GPU.
pub(super) fn look<'py>(name: &str, array: &Bound<'py, PyAny>) -> PyResult<GpuArray<'py>> {
    match device_of(array)? {
        Some(device) => of_dlpack(name, array, device),
        None => of_interface(name, array),
    }
}

fn of_dlpack<'py>(
    name: &str,
    array: &Bound<'py, PyAny>,
    device: (i32, i32),
) -> PyResult<GpuArray<'py>> {
    let py = array.py();
    let gpu = u32::try_from(device.1);
    let what = || format!("there is no GPU with number {}", device.1);
    let gpu = gpu.map_err(|_| wrong_value(name, what()))?;
    let engine = engine(py, name, gpu)?;
    // The producer has this stream wait for its work, and the copy is entered in it.
    let stream = engine.stream();
    let imported = dlpack::import(array, Some(stream));
    let (tensor, owner) = imported.map_err(|e| wrong_type(name, e.value(py)))?;
    if tensor.device != device {
        let what = "__dlpack__ and __dlpack_device__ name different devices";
        return Err(wrong_value(name, what));
    }
    Ok(GpuArray {
        engine,
        gpu,
        address: tensor.address as u64,
        stream,
        element: tensor.element,
        shape: tensor.shape,
        strides: tensor.strides,
        origin: ArrayOrigin::of(array, tensor.element, Some(gpu))?,
        is_read_only: tensor.is_read_only,
        owner,
    })
}

/// <https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html>
fn of_interface<'py>(name: &str, array: &Bound<'py, PyAny>) -> PyResult<GpuArray<'py>> {
    let py = array.py();
    let interface = array.getattr("__cuda_array_interface__")?;
    let typestr: String = interface.get_item("typestr")?.extract()?;
    let element = ElementType::of_typestr(&typestr);
    let element = element.ok_or_else(|| {
        wrong_type(
            name,
            format!("elements of type {typestr} are not supported"),
        )
    })?;
    let (address, is_read_only): (u64, bool) = interface.get_item("data")?.extract()?;
    let shape: Vec<usize> = interface.get_item("shape")?.extract()?;
    let get = |key: &str| {
        interface
            .get_item(key)
            .ok()
            .filter(|value| !value.is_none())
    };
    let strides = match get("strides") {
        Some(strides) => strides.extract()?,
        None => dlpack::compact(&shape, element.bytes() as isize),
    };
    let stream: Option<u64> = get("stream").map(|stream| stream.extract()).transpose()?;
    if stream == Some(0) {
        return Err(wrong_value(
            name,
            "the stream 0 is not allowed (1 is the default one)",
        ));
    }
    if get("mask").is_some() {
        return Err(wrong_type(name, "masks are not supported"));
    }
    // The interface does not name the GPU. An array without elements is on any.
    let mut engine = engine(py, name, 0)?;
    let gpu = {
        let _context = KeptContext::new();
        engine.gpu_of(address).unwrap_or(0)
    };
    if gpu != 0 {
        engine = self::engine(py, name, gpu)?;
    }
    Ok(GpuArray {
        gpu,
        address,
        // Without a stream the values are complete.
        stream: stream.unwrap_or(engine.stream()),
        engine,
        element,
        shape,
        strides,
        origin: ArrayOrigin::of(array, element, Some(gpu))?,
        is_read_only,
        owner: array.clone(),
    })
}

/// Array in main memory that was copied from a GPU.
pub(super) struct HostCopy {
    /// Copied bytes, with the alignment of every element type.
    pub(super) words: Vec<u64>,
    /// Offset of the first element in bytes.
    pub(super) first: usize,
}

impl<'py> GpuArray<'py> {
    /// Returns the number of the GPU.
    pub(super) fn gpu(&self) -> u32 {
        self.gpu
    }

    pub(super) fn origin(self) -> ArrayOrigin {
        self.origin
    }

    pub(super) fn origin_ref(&self) -> &ArrayOrigin {
        &self.origin
    }

    /// Returns the array as an engine takes it, if it is one of `N` columns without gaps and of one of some types.
    fn foreign<const N: usize>(&self, elements: &[ElementType]) -> Option<Foreign> {
        let fits = elements.contains(&self.element) && matches!(self.shape[..], [_, n] if n == N);
        let size = self.element.bytes() as isize;
        let is_compact = self.strides == dlpack::compact(&self.shape, size);
        let is_aligned = self.address.is_multiple_of(size as u64);
        (fits && is_aligned && (is_compact || self.shape[0] <= 1)).then_some(Foreign {
            address: self.address,
            len: self.shape[0],
            stream: self.stream,
        })
    }

    /// Returns positions as an engine takes them, if they are float32 without gaps.
    pub(super) fn positions(&self) -> Option<Foreign> {
        self.foreign::<3>(&[ElementType::F32])
    }

    /// Returns triangles as an engine takes them, if they are int32 or uint32 without gaps.
    fn triangles(&self) -> Option<Foreign> {
        self.foreign::<3>(&[ElementType::I32, ElementType::U32])
    }

    /// Returns rows of three numbers as an engine converts them, if it can.
    fn rows(&self) -> Option<ForeignRows> {
        let &[rows, 3] = &self.shape[..] else {
            return None;
        };
        let &[row, column] = &self.strides[..] else {
            return None;
        };
        let array = Foreign {
            address: self.address,
            len: rows,
            stream: self.stream,
        };
        ForeignRows::new(array, self.element.bytes(), [row, column])
    }

    /// Copies rows of three floats on the GPU; `None` if their type or strides need main memory, or positions of 64
    /// bits lie far from the origin.
    pub(super) fn points(&self, name: &str) -> PyResult<Option<Buffer<Vec3>>> {
        let are_floats = matches!(self.element, ElementType::F32 | ElementType::F64);
        let (true, Some(rows)) = (are_floats, self.rows()) else {
            return Ok(None);
        };
        let (py, engine, as_they_are) = (self.owner.py(), &self.engine, self.positions());
        let copied = run(py, Vec::new(), || -> Result<_, EngineError> {
            let copied = match as_they_are {
                // SAFETY: the owner keeps the array, and its stream orders the copy: the call waits for it.
                Some(array) => Some(unsafe { engine.copy_of(array) }?),
                // SAFETY: as above.
                None => unsafe { rows.positions(engine) }?,
            };
            engine.synchronize()?;
            Ok(copied)
        })?;
        copied.map_err(|e| engine_error(py, name, e))
    }

    /// Copies values on the GPU; `None` if they are not float32 without gaps.
    pub(super) fn singles(&self, name: &str) -> PyResult<Option<Buffer<f32>>> {
        let size = self.element.bytes() as isize;
        let is_compact = self.strides == dlpack::compact(&self.shape, size);
        if self.element != ElementType::F32 || !is_compact {
            return Ok(None);
        }
        let array = Foreign {
            address: self.address,
            len: self.shape.iter().product(),
            stream: self.stream,
        };
        let (py, engine) = (self.owner.py(), &self.engine);
        let copied = run(py, Vec::new(), || -> Result<_, EngineError> {
            // SAFETY: the owner keeps the array, and its stream orders the copy: the call waits for it.
            let copied = unsafe { engine.copy_of(array) }?;
            engine.synchronize()?;
            Ok(copied)
        })?;
        copied.map(Some).map_err(|e| engine_error(py, name, e))
    }

    /// Makes a mesh of positions and triangles on the GPU, without a copy to main memory; `None` if their types or
    /// strides need one, or positions of 64 bits that lie far from the origin.
    pub(super) fn mesh(&self, f: &GpuArray<'_>) -> PyResult<Option<Mesh>> {
        let Some(corners) = f.rows().filter(|_| f.element.is_index()) else {
            return Ok(None);
        };
        let Some(positions) = self.points("v")? else {
            return Ok(None);
        };
        let (as_they_are, vertices) = (f.triangles(), self.shape[0]);
        let (py, engine) = (self.owner.py(), &self.engine);
        let faces = run(py, Vec::new(), || -> Result<_, EngineError> {
            let faces = match as_they_are {
                // SAFETY: the owners keep the arrays, and their streams order the copies: the call waits for these.
                Some(f) => Ok(unsafe { engine.copy_of(f) }?),
                // SAFETY: as above.
                None => unsafe { corners.corners(engine, vertices) }?,
            };
            engine.synchronize()?;
            Ok(faces)
        })?;
        let faces = faces.map_err(|e| engine_error(py, "f", e))?;
        let faces = faces.map_err(|wrong| {
            let WrongCorner { face, value } = wrong;
            let value = f.element.number(value);
            wrong_index("f", face as usize, value, vertices)
        })?;
        Ok(Some(Mesh::from_engine(EngineArrays::new(positions, faces))))
    }

    /// Returns the flags of `count` elements on the GPU: 1 where a mask is true or a list of indices names the element.
    /// `None` if the array's type or stride needs main memory. The array has one dimension, and a mask `count` values.
    pub(super) fn flags(&self, name: &str, count: usize) -> PyResult<Option<Buffer<u32>>> {
        let (&[len], &[stride]) = (&self.shape[..], &self.strides[..]) else {
            return Ok(None);
        };
        let array = Foreign {
            address: self.address,
            len,
            stream: self.stream,
        };
        let (py, engine) = (self.owner.py(), &self.engine);
        if self.element == ElementType::Bool {
            if stride != 1 && len > 1 {
                return Ok(None);
            }
            let flags = run(py, Vec::new(), || -> Result<_, EngineError> {
                // SAFETY: the owner keeps the array, and its stream orders the copy: the call waits for it.
                let flags = unsafe { flags::of_mask(engine, array) }?;
                engine.synchronize()?;
                Ok(flags)
            })?;
            return flags.map(Some).map_err(|e| engine_error(py, name, e));
        }
        let list = ForeignList::new(array, self.element.bytes(), stride);
        let Some(list) = list.filter(|_| self.element.is_index()) else {
            return Ok(None);
        };
        // SAFETY: as above.
        let flags = run(py, Vec::new(), || unsafe {
            flags::of_indices(engine, list, count)
        })?;
        let flags = flags.map_err(|e| engine_error(py, name, e))?;
        let wrong = |WrongIndex { at, value }| {
            wrong_index(name, at as usize, self.element.number(value), count)
        };
        flags.map(Some).map_err(wrong)
    }

    /// Copies the array to main memory.
    pub(super) fn to_host(&self, name: &str) -> PyResult<HostCopy> {
        let py = self.owner.py();
        let reach = self.shape.iter().zip(&self.strides);
        let reach = reach.map(|(&n, &stride)| stride * (n as isize - 1));
        let is_empty = self.shape.contains(&0);
        let low: isize = reach.clone().filter(|&step| step < 0).sum();
        let high: isize = reach.filter(|&step| step > 0).sum();
        let bytes = match is_empty {
            true => 0,
            false => (high - low) as usize + self.element.bytes(),
        };
        let array = Foreign {
            address: self.address.wrapping_add_signed(low as i64),
            len: bytes,
            stream: self.stream,
        };
        let engine = &self.engine;
        let copied = run(py, Vec::new(), || -> Result<Vec<u64>, EngineError> {
            // SAFETY: the owner keeps the array until the copy is read.
            let copy = unsafe { engine.copy_of::<u8>(array) }?;
            let mut words = vec![0u64; bytes.div_ceil(8)];
            copy.read_into(&mut bytemuck::cast_slice_mut(&mut words)[..bytes])?;
            Ok(words)
        })?;
        Ok(HostCopy {
            words: copied.map_err(|e| engine_error(py, name, e))?,
            first: low.unsigned_abs(),
        })
    }

    pub(super) fn element(&self) -> ElementType {
        self.element
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the engine of the GPU.
    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns `true` if the array must not be written.
    pub(super) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Returns `true` if the elements lie one after the other.
    pub(super) fn is_compact(&self) -> bool {
        dlpack::is_compact(&self.shape, &self.strides, self.element)
    }

    /// Returns all elements of a contiguous array as an engine takes them.
    pub(super) fn whole(&self) -> Foreign {
        Foreign {
            address: self.address,
            len: self.shape.iter().product(),
            stream: self.stream,
        }
    }

    pub(super) fn layout(&self) -> (Vec<usize>, Vec<isize>) {
        (self.shape.clone(), self.strides.clone())
    }

    pub(super) fn owner(&self) -> &Bound<'py, PyAny> {
        &self.owner
    }
}

/// Returns an error of an engine with the name of its argument.
fn engine_error(py: Python<'_>, name: &str, e: EngineError) -> PyErr {
    named(py, name, &of_error(&HostError::from(e).into()))
}

/// Returns an error with the name of its argument.
pub(super) fn named(py: Python<'_>, name: &str, e: &PyErr) -> PyErr {
    PyErr::from_type(e.get_type(py), format!("{name}: {}", e.value(py)))
}
