"""Arrays that show themselves as those of a GPU do: by `__dlpack__` and by `__cuda_array_interface__`.

The memory is the tests' business: main memory that a build for development takes for a GPU's, or memory of a GPU.
"""

import ctypes

import numpy as np

CODES = {"i": 0, "u": 1, "f": 2, "b": 6}


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class Element(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("dimensions", ctypes.c_int32),
        ("element", Element),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Plain(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class GpuArray:
    """Array with an address, by both interfaces. `log` notes the streams that consumers name."""

    def __init__(self, address, dtype, shape, strides=None, device=(2, 0), versions=True, keep=None):
        self.address, self.dtype, self.shape = address, np.dtype(dtype), tuple(shape)
        self.strides, self.device, self.versions, self.keep = strides, device, versions, keep
        self.log = []
        self.alive = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, **named):
        if named and not self.versions:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        self.log.append(stream)
        size = self.dtype.itemsize
        shape = (ctypes.c_int64 * len(self.shape))(*self.shape)
        strides = None
        if self.strides is not None:
            strides = (ctypes.c_int64 * len(self.shape))(*(s // size for s in self.strides))
        element = Element(CODES[self.dtype.kind], 8 * size, 1)
        tensor = Tensor(self.address, Device(*self.device), len(self.shape), element, shape, strides, 0)
        if named.get("max_version") is not None:
            managed, name = Versioned(1, 0, None, DELETER(0), 0, tensor), b"dltensor_versioned"
        else:
            managed, name = Plain(tensor, None, DELETER(0)), b"dltensor"
        # Nothing is freed by the capsule: the structures live as long as the array.
        self.alive.append((managed, shape, strides))
        return new_capsule(ctypes.addressof(managed), name, None)


class InterfaceArray:
    """Array with `__cuda_array_interface__` alone."""

    def __init__(self, address, dtype, shape, strides=None, stream=1, keep=None, **more):
        self.keep = keep
        self.__cuda_array_interface__ = {
            "version": 3,
            "typestr": np.dtype(dtype).str,
            "shape": tuple(shape),
            "data": (address, False),
            "strides": strides,
            "stream": stream,
            **more,
        }


def shown(array, kind=GpuArray, **named):
    """Shows an array of numpy as one on a GPU."""
    strides = None if array.flags.c_contiguous else array.strides
    return kind(array.ctypes.data, array.dtype, array.shape, strides, keep=array, **named)
