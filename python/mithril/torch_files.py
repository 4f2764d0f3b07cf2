"""PyTorch's `.pt` files without PyTorch: a zip archive with a pickle, and the elements of tensors.

Unpickling would run any code that a file names. Here a small interpreter knows the opcodes of plain
data and the functions that make tensors; it refuses everything else.
"""

from __future__ import annotations

import math
import pickletools
import zipfile
from typing import Any, NamedTuple, NoReturn

import numpy as np

from . import _core

STORAGES = {
    "BoolStorage": "bool",
    "ByteStorage": "uint8",
    "CharStorage": "int8",
    "ShortStorage": "int16",
    "IntStorage": "int32",
    "LongStorage": "int64",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "FloatStorage": "float32",
    "DoubleStorage": "float64",
}
DTYPES = {*STORAGES.values()}
MAKERS = {
    "collections OrderedDict",
    "torch._utils _rebuild_parameter",
    "torch._utils _rebuild_tensor_v2",
    "torch._utils _rebuild_tensor_v3",
}
MOST_ITEMS = 1_000_000  # of nested dicts, which may refer to each other


class Global(NamedTuple):
    """A name of a module. It is compared and never imported."""

    name: str


class Storage(NamedTuple):
    """The elements that tensors of a file share."""

    key: str
    dtype: str


class Fault(Exception):  # noqa: N818 - raised again as an error of Mithril
    """The code, the message and the advice of an error."""


MARK = object()


def load(path: str) -> dict[str, Any]:
    """The tensors of a file by name; the names of nested dicts are joined by dots."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = [name for name in archive.namelist() if name.endswith("/data.pkl")]
            if len(found) != 1:
                raise Fault("E0751", "the file is no .pt file", "it has no data.pkl")
            folder = found[0].removesuffix("data.pkl")
            pickled = Interpreter(archive, folder).run(archive.read(found[0]))
    except Fault as fault:
        code, message, why = fault.args
        refuse(code, message, path, why)
    except (OSError, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        refuse("E0751", "the file is no .pt file", path, str(error))
    return tensors_of(pickled, path)


def refuse(code: str, message: str, path: str, why: str) -> NoReturn:
    _core.raise_error("ParseError", code, message, path=path, facts=[("why", why)])


def tensors_of(pickled: Any, path: str) -> dict[str, Any]:
    """The tensors of nested dicts; numbers, texts and lists are left out."""
    tensors: dict[str, Any] = {}
    waiting: list[tuple[str, Any]] = [("", pickled)]
    for _ in range(MOST_ITEMS):
        if not waiting:
            return tensors
        name, value = waiting.pop()
        if isinstance(value, (np.ndarray, _core.Tensor)):
            tensors[name] = value
        elif isinstance(value, dict):
            named = ((str(key), item) for key, item in value.items() if isinstance(key, (str, int)))
            inner = [(f"{name}.{key}" if name else key, item) for key, item in named]
            waiting.extend(reversed(inner))
    refuse("E0751", "the file is no .pt file", path, "its dicts have too many items")


class Interpreter:
    """A stack machine for the opcodes of plain data."""

    def __init__(self, archive: zipfile.ZipFile, folder: str) -> None:
        self.archive = archive
        self.folder = folder
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.storages: dict[str, bytes] = {}

    def run(self, pickled: bytes) -> Any:
        try:
            for opcode, argument, _ in pickletools.genops(pickled):
                if opcode.name == "STOP":
                    return self.stack.pop()
                self.step(opcode.name, argument)
        except (IndexError, KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"{type(error).__name__}: {error}"
            raise Fault("E0751", "the file is no .pt file", why) from error
        raise Fault("E0751", "the file is no .pt file", "its pickle does not end")

    def step(self, name: str, argument: Any) -> None:
        if name in LITERALS:
            self.stack.append(argument)
        elif name in CONSTANTS:
            self.stack.append(CONSTANTS[name]())
        elif name in TUPLES:
            items = self.stack[len(self.stack) - TUPLES[name] :]
            del self.stack[len(self.stack) - TUPLES[name] :]
            self.stack.append(tuple(items))
        elif name in ("BINPUT", "LONG_BINPUT", "PUT"):
            self.memo[argument] = self.stack[-1]
        elif name in ("BINGET", "LONG_BINGET", "GET"):
            self.stack.append(self.memo[argument])
        elif name not in ("PROTO", "FRAME"):
            method = getattr(self, f"do_{name.lower()}", None)
            if method is None:
                raise Fault("E0752", f"the pickle has the opcode {name}", "it is not plain data")
            if argument is None:
                method()
            else:
                method(argument)

    def since_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while self.stack[at] is not MARK:
            at -= 1
            if at < 0:
                raise IndexError("no mark")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def do_memoize(self) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def do_tuple(self) -> None:
        self.stack.append(tuple(self.since_mark()))

    def do_appends(self) -> None:
        items = self.since_mark()
        self.list_on_top().extend(items)

    def do_append(self) -> None:
        item = self.stack.pop()
        self.list_on_top().append(item)

    def list_on_top(self) -> list[Any]:
        if not isinstance(self.stack[-1], list):
            raise TypeError("items of what is no list")
        return self.stack[-1]

    def do_setitems(self) -> None:
        items = self.since_mark()
        self.set_items(zip(items[::2], items[1::2], strict=True))

    def do_setitem(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self.set_items([(key, value)])

    def set_items(self, items: Any) -> None:
        if not isinstance(self.stack[-1], dict):
            raise TypeError("items of what is no dict")
        self.stack[-1].update(items)

    def do_global(self, name: str) -> None:
        self.stack.append(Global(name))

    def do_stack_global(self) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.stack.append(Global(f"{module} {name}"))

    def do_build(self) -> None:
        """The attributes of an OrderedDict, such as the _metadata of a state dict."""
        self.stack.pop()
        if not isinstance(self.stack[-1], dict):
            raise Fault("E0752", "the pickle has the opcode BUILD", "it is not plain data")

    def do_reduce(self) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        if not isinstance(function, Global) or function.name not in MAKERS:
            shown = function.name.replace(" ", ".") if isinstance(function, Global) else "a value"
            raise Fault("E0753", f"the pickle calls {shown}", "no code of a file runs")
        if function.name == "collections OrderedDict":
            self.stack.append(dict(*arguments))
        elif function.name == "torch._utils _rebuild_parameter":
            self.stack.append(arguments[0])
        else:
            self.stack.append(self.tensor(*arguments))

    def do_binpersid(self) -> None:
        kind, storage, key, _, _ = self.stack.pop()
        if kind != "storage" or not isinstance(storage, Global):
            raise ValueError("a reference to what is no storage")
        module, _, name = storage.name.partition(" ")
        known = module in ("torch", "torch.storage") and (
            name in STORAGES or name == "UntypedStorage"
        )
        if not known:
            shown = storage.name.replace(" ", ".")
            raise Fault("E0753", f"the pickle names {shown}", "Mithril has no such elements")
        self.stack.append(Storage(key, STORAGES.get(name, "")))

    def tensor(
        self, storage: Storage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...],
        *rest: Any,
    ) -> Any:  # fmt: skip
        """rest is requires_grad, hooks and, for an untyped storage, the dtype."""
        name = storage.dtype
        if not name:  # in files of dtypes without a storage of their own
            name = rest[2].name.removeprefix("torch ")
        if name not in DTYPES:
            raise Fault("E0753", f"the pickle names torch.{name}", "Mithril has no such elements")
        bits = np.dtype("uint16" if name == "bfloat16" else name)
        elements = np.frombuffer(self.bytes_of(storage.key), bits)
        last = offset + sum((n - 1) * stride for n, stride in zip(shape, strides, strict=True))
        is_outside = 0 not in shape and max(last + 1, math.prod(shape)) > len(elements)
        if is_outside or min((offset, *shape, *strides)) < 0:
            raise Fault("E0754", "a tensor is not inside of its storage", f"{shape} at {offset}")
        if 0 in shape:
            array = np.zeros(shape, bits)
        else:
            steps = tuple(stride * bits.itemsize for stride in strides)
            view = np.lib.stride_tricks.as_strided(elements[offset:], shape, steps)
            array = np.array(view, order="C")
        if name != "bfloat16":
            return array
        return _core.Tensor._from_bytes(array.tobytes(), _core.dtype.bfloat16, shape)

    def bytes_of(self, key: str) -> bytes:
        if key not in self.storages:
            self.storages[key] = self.archive.read(f"{self.folder}data/{key}")
        return self.storages[key]


LITERALS = {
    *("BININT", "BININT1", "BININT2", "LONG1", "LONG4", "BINFLOAT"),
    *("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES"),
}
CONSTANTS: dict[str, Any] = {
    "MARK": lambda: MARK,
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_DICT": dict,
    "EMPTY_LIST": list,
    "EMPTY_TUPLE": tuple,
}
TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
