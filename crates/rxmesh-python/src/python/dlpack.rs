//! DLPack: structures of version 1 and of the time before, and their capsules.
//! <https://dmlc.github.io/dlpack/latest/c_api.html>

use super::element::ElementType;
use super::memory::ArrayMemory;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_void};

/// Devices whose memory the processor reads: main memory, and main memory that a GPU knows.
pub(super) const HOST: [i32; 2] = [1, 3];

/// Memory of a GPU of NVIDIA.
pub(super) const GPU: i32 = 2;

/// GPUs of NVIDIA, and memory that they share with the processor.
const CUDA: [i32; 2] = [GPU, 13];

/// Flag of a tensor that must not be written.
const READ_ONLY: u64 = 1;

/// Flag of a tensor that is a copy of the producer's.
const IS_COPIED: u64 = 2;

/// Version that capsules are made of.
const VERSION: DlVersion = DlVersion { major: 1, minor: 1 };

const PLAIN: &CStr = c"dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";

/// `DLPackVersion`.
#[repr(C)]
#[derive(Clone, Copy)]
struct DlVersion {
    major: u32,
    minor: u32,
}

/// `DLDevice`.
#[repr(C)]
#[derive(Clone, Copy)]
struct DlDevice {
    kind: i32,
    number: i32,
}

/// `DLDataType`.
#[repr(C)]
#[derive(Clone, Copy)]
struct DlType {
    code: u8,
    bits: u8,
    lanes: u16,
}

/// `DLTensor`.
#[repr(C)]
struct DlTensor {
    data: *mut c_void,
    device: DlDevice,
    dimensions: i32,
    element: DlType,
    shape: *mut i64,
    /// In elements; null for a compact tensor.
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
struct PlainTensor {
    tensor: DlTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut PlainTensor)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
struct VersionedTensor {
    version: DlVersion,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut VersionedTensor)>,
    flags: u64,
    tensor: DlTensor,
}

/// Tensor that another library exported, as its capsule describes it.
pub(super) struct ImportedTensor {
    pub(super) address: usize,
    pub(super) element: ElementType,
    pub(super) shape: Vec<usize>,
    /// In bytes.
    pub(super) strides: Vec<isize>,
    /// Kind and number of the device.
    pub(super) device: (i32, i32),
    /// `true` if it must not be written, or if what is written does not reach the producer's array.
    pub(super) is_read_only: bool,
}

/// Returns the device of an array, of its kind and its number.
pub(super) fn device_of(array: &Bound<'_, PyAny>) -> PyResult<(i32, i32)> {
    array.call_method0("__dlpack_device__")?.extract()
}

/// Returns `true` for a device that is a GPU of NVIDIA.
pub(super) fn is_cuda(device: (i32, i32)) -> bool {
    CUDA.contains(&device.0)
}

/// Exports an array through its method `__dlpack__`: of version 1 if it knows that. On a GPU, the producer has `stream`
/// wait for the array's values. Returns the capsule, which keeps the tensor alive, too.
pub(super) fn import<'py>(
    array: &Bound<'py, PyAny>,
    stream: Option<u64>,
) -> PyResult<(ImportedTensor, Bound<'py, PyAny>)> {
    let py = array.py();
    let export = array.getattr("__dlpack__")?;
    let named = pyo3::types::PyDict::new(py);
    if let Some(stream) = stream {
        named.set_item("stream", stream)?;
    }
    let old = named.copy()?;
    named.set_item("max_version", (VERSION.major, VERSION.minor))?;
    let capsule = match export.call((), Some(&named)) {
        Err(e) if e.is_instance_of::<PyTypeError>(py) => export.call((), Some(&old))?,
        capsule => capsule?,
    };
    // SAFETY: the object is alive; the functions check that it is a capsule with that name.
    let (tensor, flags) = unsafe {
        let object = capsule.as_ptr();
        if ffi::PyCapsule_IsValid(object, VERSIONED.as_ptr()) == 1 {
            let pointer = ffi::PyCapsule_GetPointer(object, VERSIONED.as_ptr());
            let managed = &*pointer.cast::<VersionedTensor>();
            if managed.version.major != VERSION.major {
                let why = format!("DLPack {} is not supported", managed.version.major);
                return Err(PyBufferError::new_err(why));
            }
            (&managed.tensor, managed.flags)
        } else if ffi::PyCapsule_IsValid(object, PLAIN.as_ptr()) == 1 {
            let pointer = ffi::PyCapsule_GetPointer(object, PLAIN.as_ptr());
            (&(*pointer.cast::<PlainTensor>()).tensor, 0)
        } else {
            return Err(PyBufferError::new_err(
                "__dlpack__ gave no capsule of a tensor",
            ));
        }
    };
    let imported = ImportedTensor {
        is_read_only: flags & (READ_ONLY | IS_COPIED) != 0,
        ..described(tensor)?
    };
    Ok((imported, capsule))
}

fn described(tensor: &DlTensor) -> PyResult<ImportedTensor> {
    let DlType { code, bits, lanes } = tensor.element;
    let Some(element) = ElementType::of_dlpack(code, bits).filter(|_| lanes == 1) else {
        let why = format!("elements of DLPack's type {code} with {bits} bits are not supported");
        return Err(PyTypeError::new_err(why));
    };
    let dimensions = usize::try_from(tensor.dimensions).unwrap_or(0);
    let list = |numbers: *mut i64| match numbers.is_null() || dimensions == 0 {
        true => None,
        // SAFETY: the exporter gives as many numbers as there are dimensions; strides may be null (U9).
        false => Some(unsafe { std::slice::from_raw_parts(numbers, dimensions) }),
    };
    let shape = list(tensor.shape).unwrap_or_default().iter();
    let shape: Vec<usize> = shape.map(|&n| usize::try_from(n).unwrap_or(0)).collect();
    let size = element.bytes() as isize;
    let strides = match list(tensor.strides) {
        Some(strides) => strides.iter().map(|&n| n as isize * size).collect(),
        None => compact(&shape, size),
    };
    Ok(ImportedTensor {
        address: tensor.data as usize + tensor.byte_offset as usize,
        element,
        shape,
        strides,
        device: (tensor.device.kind, tensor.device.number),
        is_read_only: false,
    })
}

/// Returns the strides in bytes of a compact array, the last dimension first in memory.
pub(super) fn compact(shape: &[usize], size: isize) -> Vec<isize> {
    let mut strides = vec![size; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as isize;
    }
    strides
}

/// Returns `true` if the elements of an array lie one after the other. The stride of a dimension of one element, and of
/// any without elements, does not matter.
pub(super) fn is_compact(shape: &[usize], strides: &[isize], element: ElementType) -> bool {
    let compact = compact(shape, element.bytes() as isize);
    let mut all = shape.iter().zip(strides).zip(compact);
    shape.contains(&0) || all.all(|((&n, &stride), want)| n == 1 || stride == want)
}

/// Exported tensor's parts, which live until its deleter is called.
struct Exported {
    _memory: ArrayMemory,
    _shape: Box<[i64]>,
    _strides: Box<[i64]>,
}

/// Returns a capsule of memory of this library: of version 1, or without a version for consumers that know none.
pub(super) fn export<'py>(
    py: Python<'py>,
    memory: &ArrayMemory,
    versioned: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let mut shape: Box<[i64]> = memory.shape.iter().map(|&n| n as i64).collect();
    let size = memory.element.bytes() as isize;
    let strides = compact(&memory.shape, size).into_iter();
    let mut strides: Box<[i64]> = strides.map(|n| (n / size) as i64).collect();
    let (code, bits) = memory.element.dlpack();
    let (kind, number) = memory.device();
    let tensor = DlTensor {
        data: memory.address() as *mut c_void,
        device: DlDevice { kind, number },
        dimensions: shape.len() as i32,
        element: DlType {
            code,
            bits,
            lanes: 1,
        },
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let exported = Box::new(Exported {
        _memory: memory.clone(),
        _shape: shape,
        _strides: strides,
    });
    let context = Box::into_raw(exported).cast();
    let (pointer, name, end): (*mut c_void, _, ffi::PyCapsule_Destructor) = if versioned {
        let managed = Box::new(VersionedTensor {
            version: VERSION,
            context,
            deleter: Some(delete_versioned),
            flags: if memory.is_writable { 0 } else { READ_ONLY },
            tensor,
        });
        (Box::into_raw(managed).cast(), VERSIONED, drop_versioned)
    } else {
        let managed = Box::new(PlainTensor {
            tensor,
            context,
            deleter: Some(delete_plain),
        });
        (Box::into_raw(managed).cast(), PLAIN, drop_plain)
    };
    // SAFETY: the pointer is not null, and the name lives for ever. Where no capsule is made, the tensor is leaked.
    unsafe {
        Bound::from_owned_ptr_or_err(py, ffi::PyCapsule_New(pointer, name.as_ptr(), Some(end)))
    }
}

/// Frees a tensor and what it points to.
unsafe extern "C" fn delete_versioned(managed: *mut VersionedTensor) {
    // SAFETY: consumers call it once, with the tensor that `export` made.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Exported>()));
    }
}

/// As [`delete_versioned`].
unsafe extern "C" fn delete_plain(managed: *mut PlainTensor) {
    // SAFETY: consumers call it once, with the tensor that `export` made.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Exported>()));
    }
}

/// Frees the tensor of a capsule that nobody has consumed: consumers rename it.
unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls it once with a capsule of `export`.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) == 1 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast());
        }
    }
}

/// As [`drop_versioned`].
unsafe extern "C" fn drop_plain(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls it once with a capsule of `export`.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, PLAIN.as_ptr()) == 1 {
            delete_plain(ffi::PyCapsule_GetPointer(capsule, PLAIN.as_ptr()).cast());
        }
    }
}

const _: () = assert!(size_of::<DlTensor>() == 48);
