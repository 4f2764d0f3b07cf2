"""A library with the functions of mithril.h, called with ctypes."""

import ctypes
from pathlib import Path

import numpy as np

Answer = tuple[int, str, str]


class Port(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8)]
    _fields_ += [("lanes", ctypes.c_uint16), ("ndim", ctypes.c_int32)]
    _fields_ += [("shape", ctypes.POINTER(ctypes.c_int64))]
    _fields_ += [("symbols", ctypes.POINTER(ctypes.c_char_p))]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("backend", ctypes.c_char_p)]
    _fields_ += [(name, ctypes.c_int32) for name in ("threads", "mapped", "native")]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2)]
    _fields_ += [("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8)]
    _fields_ += [("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p)]
    _fields_ += [("strides", ctypes.c_void_p), ("at", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p)]
    _fields_ += [("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)), ("flags", ctypes.c_uint64)]
    _fields_ += [("tensor", Tensor)]


class Library:
    """The library; the error object of each call as (status, code, message)."""

    def __init__(self, path: Path) -> None:
        self.dll = ctypes.CDLL(str(path))
        for name in ("error_code", "error_message", "error_kind", "last_error", "version"):
            getattr(self.dll, f"mithril_{name}").restype = ctypes.c_char_p

    def call(self, name: str, *arguments: object) -> Answer:
        error = ctypes.c_void_p()
        status = getattr(self.dll, f"mithril_{name}")(*arguments, ctypes.byref(error))
        code = self.dll.mithril_error_code(error).decode()
        message = self.dll.mithril_error_message(error).decode()
        assert self.dll.mithril_error_status(error) == status
        if status:
            assert self.dll.mithril_last_error().decode() == message
        self.dll.mithril_error_free(error)
        return status, code, message

    def count(self, name: str, model: ctypes.c_void_p) -> int:
        """The number of inputs or outputs."""
        count = ctypes.c_size_t()
        assert self.call(f"model_{name}_count", model, ctypes.byref(count)) == (0, "", "")
        return count.value

    def refusals_of_null(self) -> dict[str, Answer]:
        """Calls each function of a model with arguments that are all NULL, and returns the
        answers."""
        size = ctypes.c_size_t(0)
        between = {"input": (size, None), "output": (size, None), "open": (None, None)}
        between["run"] = (None, None, size, None, size)
        names = ("name", "revision", "input_count", "output_count", *between)
        return {
            name: self.call(f"model_{name}", None, *between.get(name, (None,))) for name in names
        }

    def opened(self, path: Path | str, mapped: bool = False) -> ctypes.c_void_p:
        model = ctypes.c_void_p()
        options = Options(ctypes.sizeof(Options), None, 1, mapped)
        refused = self.call(
            "model_open", str(path).encode(), ctypes.byref(options), ctypes.byref(model)
        )
        assert refused == (0, "", "")
        return model

    def run(self, model: ctypes.c_void_p, data: dict[str, np.ndarray], count: int = 1) -> Answer:
        made = (ctypes.c_void_p * 2)()
        return self.run_into(made, model, data, count)

    def run_into(
        self, made: object, model: ctypes.c_void_p, data: dict[str, np.ndarray], count: int
    ) -> Answer:
        shapes = [(ctypes.c_int64 * value.ndim)(*value.shape) for value in data.values()]
        codes = {"f": 2, "i": 0, "u": 1, "b": 6}
        tensors = [
            Tensor(value.ctypes.data, (1, 0), value.ndim, codes[value.dtype.kind],
                   8 * value.itemsize, 1, ctypes.addressof(shape))
            for value, shape in zip(data.values(), shapes, strict=True)
        ]  # fmt: skip
        names = (ctypes.c_char_p * len(data))(*[name.encode() for name in data])
        given = (ctypes.c_void_p * len(data))(*map(ctypes.addressof, tensors))
        size = ctypes.c_size_t
        return self.call("model_run", model, names, given, size(len(data)), made, size(count))

    def answer(self, model: ctypes.c_void_p, data: dict[str, np.ndarray]) -> np.ndarray:
        """Returns the output of the model, which must be one tensor of float32 or float64."""
        made = (ctypes.POINTER(Managed) * 1)()
        assert self.run_into(made, model, data, 1) == (0, "", "")
        tensor = made[0].contents.tensor
        shape = tuple(ctypes.cast(tensor.shape, ctypes.POINTER(ctypes.c_int64))[: tensor.ndim])
        element, dtype = (
            (ctypes.c_double, np.float64) if tensor.bits == 64 else (ctypes.c_float, np.float32)
        )
        elements = ctypes.cast(tensor.data, ctypes.POINTER(element))
        copied = np.array(elements[: int(np.prod(shape))], dtype).reshape(shape)
        made[0].contents.deleter(ctypes.addressof(made[0].contents))
        return copied
