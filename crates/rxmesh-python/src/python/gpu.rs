//! Arrays of other libraries on a GPU.

use super::arrays::{ArrayOrigin, wrong_type, wrong_value};
use super::dlpack;
use super::element::ElementType;
use super::errors::of_error;
use super::work::run;
use crate::engines;
use pyo3::prelude::*;
use rxmesh::host::Error as HostError;
use rxmesh::host::engine::{EngineChoice, EngineError, Foreign, KeptContext};
use rxmesh::on::EngineArrays;
use rxmesh::{Engine, Mesh};

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
    let (address, _): (u64, bool) = interface.get_item("data")?.extract()?;
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
        owner: array.clone(),
    })
}

/// Triangles of a mesh on a GPU.
pub(super) enum MeshFaces {
    /// Array on the GPU.
    Gpu(Foreign),
    /// Numbers of the corners in main memory, which are checked.
    Host(Vec<[u32; 3]>),
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
    pub(super) fn triangles(&self) -> Option<Foreign> {
        self.foreign::<3>(&[ElementType::I32, ElementType::U32])
    }

    /// Returns the number of rows of an array with three columns.
    pub(super) fn rows_of_three(&self) -> Option<usize> {
        match self.shape[..] {
            [rows, 3] => Some(rows),
            _ => None,
        }
    }

    /// Makes a mesh of positions on the GPU, without a copy to main memory, and of triangles there or in main memory.
    pub(super) fn mesh(&self, name: &str, v: Foreign, f: MeshFaces) -> PyResult<Mesh> {
        let py = self.owner.py();
        let engine = &self.engine;
        let made = run(py, Vec::new(), || -> rxmesh::Result<Mesh> {
            let faces = match f {
                // SAFETY: the owners keep the arrays, and their streams order the copies: the call waits for these.
                MeshFaces::Gpu(f) => return unsafe { Mesh::from_device(engine, v, f) },
                MeshFaces::Host(faces) => engine.upload(&faces).map_err(HostError::from)?,
            };
            // SAFETY: as above.
            let positions = unsafe { engine.copy_of(v) }.map_err(HostError::from)?;
            engine.synchronize().map_err(HostError::from)?;
            Ok(Mesh::from_engine(EngineArrays::new(positions, faces)))
        })?;
        made.map_err(|e| named(py, name, &of_error(&e)))
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
        let copied = copied.map_err(|e| of_error(&HostError::from(e).into()));
        Ok(HostCopy {
            words: copied.map_err(|e| named(py, name, &e))?,
            first: low.unsigned_abs(),
        })
    }

    pub(super) fn element(&self) -> ElementType {
        self.element
    }

    pub(super) fn layout(&self) -> (Vec<usize>, Vec<isize>) {
        (self.shape.clone(), self.strides.clone())
    }

    pub(super) fn owner(&self) -> &Bound<'py, PyAny> {
        &self.owner
    }
}

/// Returns an error with the name of its argument.
fn named(py: Python<'_>, name: &str, e: &PyErr) -> PyErr {
    PyErr::from_type(e.get_type(py), format!("{name}: {}", e.value(py)))
}
