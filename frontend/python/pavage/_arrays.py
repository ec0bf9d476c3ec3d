# Arrays that come through DLPack, __array_interface__ or the buffer protocol. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
from __future__ import annotations

import ctypes
import sys

from ._support import _CODES, _KINDS, make_error


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_HOST = (1, 3, 11)  # kDLCPU, kDLCUDAHost, kDLROCMHost
_DLPACK = {0: "i", 1: "u", 2: "f", 6: "b"}
_READ_ONLY = 1

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def from_dlpack(value, host):
    device = getattr(value, "__dlpack_device__", None)
    if device is not None and host and int(device()[0]) not in _HOST:
        raise make_error(302, f"expected an array in the host's memory, got {type(value).__name__} on another device")
    try:
        capsule = value.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = value.__dlpack__()
    except BufferError as e:
        raise make_error(307, f"expected an array that can be exported, got {type(value).__name__}: {e}") from None
    read_only = False
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        tensor, read_only = managed.tensor, bool(managed.flags & _READ_ONLY)
    else:
        tensor = _Tensor.from_address(_pointer(capsule, b"dltensor"))
    if host and tensor.device.type not in _HOST:
        raise make_error(302, f"expected an array in the host's memory, got {type(value).__name__} on another device")
    size = tensor.dtype.bits // 8
    code = 13 if tensor.dtype.code == 4 and size == 2 else _KINDS.get((_DLPACK.get(tensor.dtype.code), size), 0)
    if not code:
        code = _CODES.get(str(getattr(value, "dtype", "")).rpartition(".")[2], 0)
    if not code or tensor.dtype.lanes != 1:
        raise make_error(
            307,
            f"expected an array of bools, integers or floats, got {type(value).__name__} of DLPack type "
            f"{tensor.dtype.code} with {tensor.dtype.bits} bits",
        )
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] * size for i in range(tensor.ndim)) if tensor.strides else None
    return (tensor.data or 0) + tensor.byte_offset, code, shape, strides, read_only, capsule


def from_interface(value, interface):
    typestr = interface["typestr"]
    native = typestr[0] in "|=" or typestr[0] == ("<" if sys.byteorder == "little" else ">")
    code = _KINDS.get((typestr[1], int(typestr[2:])), 0) if native else 0
    if not code and native:
        code = _CODES.get(str(getattr(value, "dtype", "")).rpartition(".")[2], 0)
    if not code:
        raise make_error(307, f"expected an array of bools, integers or floats, got elements {typestr!r}")
    data = interface.get("data")
    if data is None:
        return from_buffer(memoryview(value))
    return int(data[0]), code, tuple(interface["shape"]), interface.get("strides"), bool(data[1]), interface


_FORMATS = {
    "?": 1,
    "b": 2,
    "h": 3,
    "i": 4,
    "l": 5,
    "q": 5,
    "B": 6,
    "c": 6,
    "H": 7,
    "I": 8,
    "L": 9,
    "Q": 9,
    "n": 5,
    "N": 9,
    "e": 12,
    "f": 14,
    "d": 15,
}


class _View(ctypes.Structure):
    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


def from_buffer(view):
    text = view.format.lstrip("@=" + ("<" if sys.byteorder == "little" else ">"))
    code = _FORMATS.get(text, 0)
    if not code or view.suboffsets:
        raise make_error(307, f"expected a buffer of bools, integers or floats, got format {view.format!r}")
    raw = _View()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(raw), 0x118)  # PyBUF_FULL_RO
    address = raw.buf or 0
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(raw))
    return address, code, view.shape, view.strides, view.readonly, view
