"""The C interface, from C, from Rust and from Python with ctypes."""

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path

import bert
import numpy as np
import pytest
from package_models import X, answer, save

import mithril as ml
from mithril import _core

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "c"
LIBRARY = Path(_core.__file__).resolve().parents[2] / "libmithril_c.so"
OUTSIDE = "the C interface is not built beside this module"
pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason=OUTSIDE)

SMALL = {
    "vocab_size": 8000,
    "max_position_embeddings": 16,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
}
TOKENS = np.array([[101, 7592, 2088, 102]])


def encoder(folder: Path) -> tuple[Path, np.ndarray]:
    """A package of a small BERT, and its embedding of TOKENS."""
    model = bert.sentence_encoder(bert.Config(**SMALL))
    params = ml.compile(model, ml.CpuBackend(), inference=True).randomize_params(1)
    ml.save_package(folder / "encoder", model, params)
    data = {"input_ids": TOKENS, "token_type_ids": TOKENS * 0, "attention_mask": TOKENS > 0}
    compiled = ml.load_package(folder / "encoder").compile()
    return folder / "encoder", compiled.evaluate({}, data)["embedding"][0]


def printed_by(*command: object, status: int = 0) -> str:
    result = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, check=False
    )
    assert result.returncode == status, result.stderr
    return result.stdout if status == 0 else result.stderr


@pytest.fixture(scope="module")
def c_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("c") / "run_package"
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    printed_by("cc", *strict, f"-I{ROOT / 'c'}", EXAMPLES / "run_package.c", LIBRARY,
               f"-Wl,-rpath,{LIBRARY.parent}", "-o", program)  # fmt: skip
    return program


def test_a_c_program_runs_bert(c_program: Path, tmp_path: Path) -> None:
    path, _ = encoder(tmp_path)
    lines = printed_by(c_program, path, 2, 6).splitlines()
    ids = np.arange(12).reshape(2, 6) * 37 % 1000
    data = {"input_ids": ids, "token_type_ids": ids * 0, "attention_mask": ids >= 0}
    expected = ml.load_package(path).compile().evaluate({}, data)["embedding"]
    name, rows, columns, *values = re.findall(r"[\w.+-]+", lines[1])
    assert (name, rows, columns) == ("embedding", "2", "24")
    got = [float(value) for value in values]
    np.testing.assert_allclose(got, expected.reshape(-1)[:: 48 // 4 + 1], rtol=1e-6)


def test_a_python_program_with_ctypes_runs_bert(tmp_path: Path) -> None:
    path, expected = encoder(tmp_path)
    text = (EXAMPLES / "embed.py").read_text(encoding="utf-8")
    assert len([line for line in text.splitlines() if line]) <= 30
    values = printed_by(sys.executable, EXAMPLES / "embed.py", LIBRARY, path).split()
    np.testing.assert_allclose([float(value) for value in values], expected, rtol=1e-6)


@pytest.mark.skipif(shutil.which("rustc") is None, reason="there is no Rust compiler")
def test_a_rust_program_runs_bert(tmp_path: Path) -> None:
    path, expected = encoder(tmp_path)
    program = tmp_path / "embed"
    printed_by("rustc", "-D", "warnings", EXAMPLES / "embed.rs", "-L", LIBRARY.parent, "-l",
               "mithril_c", "-C", f"link-arg=-Wl,-rpath,{LIBRARY.parent}", "-o",
               program)  # fmt: skip
    values = printed_by(program, path).split()
    np.testing.assert_allclose([float(value) for value in values], expected, rtol=1e-6)


def test_the_library_exports_the_functions_of_the_header_with_versions() -> None:
    header = (ROOT / "c" / "mithril.h").read_text(encoding="utf-8")
    declared = set(re.findall(r"MITHRIL_EXPORT[^;]*?(mithril_\w+)\(", header))
    listing = printed_by("nm", "-D", "--defined-only", LIBRARY)
    exported = set(re.findall(r" T (\S+)", listing))
    assert exported == {f"{name}@@MITHRIL_1" for name in declared}
    assert "_ZN" not in listing


# ---- what is refused ----


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
    """The library with the error objects of its calls as (status, code, message)."""

    def __init__(self) -> None:
        self.dll = ctypes.CDLL(str(LIBRARY))
        for name in ("error_code", "error_message", "error_kind", "last_error", "version"):
            getattr(self.dll, f"mithril_{name}").restype = ctypes.c_char_p
        for name in ("input_count", "output_count"):
            getattr(self.dll, f"mithril_model_{name}").restype = ctypes.c_size_t

    def call(self, name: str, *arguments: object) -> tuple[int, str, str]:
        error = ctypes.c_void_p()
        status = getattr(self.dll, f"mithril_{name}")(*arguments, ctypes.byref(error))
        code = self.dll.mithril_error_code(error).decode()
        message = self.dll.mithril_error_message(error).decode()
        assert self.dll.mithril_error_status(error) == status
        if status:
            assert self.dll.mithril_last_error().decode() == message
        self.dll.mithril_error_free(error)
        return status, code, message

    def opened(self, path: Path, mapped: bool = False) -> ctypes.c_void_p:
        model = ctypes.c_void_p()
        options = Options(ctypes.sizeof(Options), None, 1, mapped)
        refused = self.call(
            "model_open", str(path).encode(), ctypes.byref(options), ctypes.byref(model)
        )
        assert refused == (0, "", "")
        return model

    def run(self, model: ctypes.c_void_p, data: dict[str, np.ndarray], count: int = 1):
        made = (ctypes.c_void_p * 2)()
        return self.run_into(made, model, data, count)

    def run_into(self, made, model: ctypes.c_void_p, data: dict[str, np.ndarray], count: int):
        shapes = [(ctypes.c_int64 * each.ndim)(*each.shape) for each in data.values()]
        codes = {"f": 2, "i": 0, "b": 6}
        tensors = [
            Tensor(each.ctypes.data, (1, 0), each.ndim, codes[each.dtype.kind],
                   8 * each.itemsize, 1, ctypes.addressof(shape))
            for each, shape in zip(data.values(), shapes, strict=True)
        ]  # fmt: skip
        names = (ctypes.c_char_p * len(data))(*[name.encode() for name in data])
        given = (ctypes.c_void_p * len(data))(*map(ctypes.addressof, tensors))
        size = ctypes.c_size_t
        return self.call("model_run", model, names, given, size(len(data)), made, size(count))

    def answer(self, model: ctypes.c_void_p, data: dict[str, np.ndarray]) -> np.ndarray:
        """The output of the model, which has one of float32."""
        made = (ctypes.POINTER(Managed) * 1)()
        assert self.run_into(made, model, data, 1) == (0, "", "")
        tensor = made[0].contents.tensor
        shape = tuple(ctypes.cast(tensor.shape, ctypes.POINTER(ctypes.c_int64))[: tensor.ndim])
        elements = ctypes.cast(tensor.data, ctypes.POINTER(ctypes.c_float))
        copied = np.array(elements[: int(np.prod(shape))], np.float32).reshape(shape)
        made[0].contents.deleter(ctypes.addressof(made[0].contents))
        return copied


@pytest.fixture(scope="module")
def library() -> Library:
    return Library()


def test_ports_are_listed(library: Library, tmp_path: Path) -> None:
    model = library.opened(save(tmp_path / "p"))
    assert library.dll.mithril_api_version() == 1
    assert library.dll.mithril_version().decode() == ml.__version__
    assert library.dll.mithril_model_input_count(model) == 1
    assert library.dll.mithril_model_output_count(model) == 1
    port, size = Port(), ctypes.c_size_t
    assert library.call("model_input", model, size(0), ctypes.byref(port))[0] == 0
    assert (port.name, port.code, port.bits, port.lanes, port.ndim) == (b"x", 2, 32, 1, 2)
    assert (port.shape[:2], port.symbols[:2]) == ([-1, 4], [b"N", None])
    status, code, message = library.call("model_output", model, size(3), ctypes.byref(port))
    assert (status, code) == (1, "E0870")
    assert "index is 3, expected less than 1" in message
    library.dll.mithril_model_free(model)


@pytest.mark.parametrize("mapped", [False, True])
def test_a_state_is_that_of_the_package(library: Library, tmp_path: Path, mapped: bool) -> None:
    net = ml.Model()
    net |= ml.BatchNorm1D()(input=ml.IOKey("x", shape=["N", 4]), output="y")
    compiled = ml.compile(net, ml.CpuBackend())
    state = {key: array + 2 for key, array in compiled.initial_state_dict.items()}
    ml.save_package(tmp_path / "p", net, compiled.get_parameters(), state=state)
    expected = compiled.infer(compiled.get_parameters(), {"x": X}, state)["y"]
    model = library.opened(tmp_path / "p", mapped)
    np.testing.assert_allclose(library.answer(model, {"x": X}), expected, rtol=1e-5)
    library.dll.mithril_model_free(model)


@pytest.mark.parametrize("mapped", [False, True])
def test_answers_are_those_of_python(library: Library, tmp_path: Path, mapped: bool) -> None:
    model = library.opened(save(tmp_path / "p"), mapped)
    np.testing.assert_allclose(library.answer(model, {"x": X}), answer(), atol=1e-6)
    library.dll.mithril_model_free(model)


def test_wrong_runs_have_their_own_errors_and_leave_the_model_usable(
    library: Library, tmp_path: Path
) -> None:
    model = library.opened(save(tmp_path / "p"))
    codes = [
        library.run(model, data)[:2]
        for data in (
            {},
            {"y": X},
            {"x": X[0]},
            {"x": np.ascontiguousarray(X[:, :3])},
            {"x": X.astype(np.int64)},
        )
    ]
    assert codes == [(2, "E0801"), (2, "E0802"), (2, "E0803"), (2, "E0804"), (2, "E0805")]
    status, code, message = library.run(model, {"x": X}, count=2)
    assert (status, code) == (1, "E0870")
    assert message == (
        "mithril.InputError[E0870]: mithril_model_run: output_count is 2, expected 1"
    )
    assert library.run(model, {"x": X})[0] == 0
    library.dll.mithril_model_free(model)


def test_wrong_packages_have_their_own_errors(library: Library, tmp_path: Path) -> None:
    save(tmp_path / "p")

    def refusal(path: Path, options: Options | None = None) -> tuple[int, str, str]:
        model = ctypes.c_void_p()
        given = ctypes.byref(options) if options else None
        refused = library.call("model_open", str(path).encode(), given, ctypes.byref(model))
        assert model.value is None
        return refused

    assert refusal(tmp_path / "q")[:2] == (2, "E0830")
    status, code, message = refusal(tmp_path / "p", Options(ctypes.sizeof(Options), b"cpp"))
    assert (status, code) == (4, "E1042")
    assert message.startswith(
        "mithril.BackendError[E1042]: there is no backend of the C interface 'cpp'"
    )
    assert refusal(tmp_path / "p", Options(3))[:2] == (1, "E0870")
    weights = tmp_path / "p" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    status, code, message = refusal(tmp_path / "p")
    assert (status, code) == (3, "E0766")
    assert str(weights) in message


def test_null_is_allowed_where_there_is_nothing(library: Library) -> None:
    library.dll.mithril_error_free(None)
    library.dll.mithril_model_free(None)
    assert library.dll.mithril_error_message(None) == b""
    assert library.dll.mithril_model_input_count(None) == 0
    assert library.call("model_input", None, ctypes.c_size_t(0), None)[1] == "E0870"
