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
from c_library import Library, Options, Port
from package_models import SMALL_BERT, WRONG_RUNS, X, answer, codes_of_wrong_runs, save

import mithril as ml
from mithril import _core

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "c"
LIBRARY = Path(_core.__file__).resolve().parents[2] / "libmithril_c.so"
OUTSIDE = "the C interface is not built beside this module"
pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason=OUTSIDE)

# What version 1 of the header declared without error objects.
OLDER = {
    "name": ctypes.c_char_p,
    "revision": ctypes.c_char_p,
    "input_count": ctypes.c_size_t,
    "output_count": ctypes.c_size_t,
}
TOKENS = np.array([[101, 7592, 2088, 102]])


def encoder(folder: Path) -> tuple[Path, np.ndarray]:
    """A package of a small BERT, and its embedding of TOKENS."""
    model = bert.sentence_encoder(bert.Config(**SMALL_BERT))
    params = ml.compile(model, ml.CpuBackend(), inference=True).randomize_params(1)
    ml.save_package(folder / "encoder", model, params)
    data = {"input_ids": TOKENS, "token_type_ids": TOKENS * 0, "attention_mask": TOKENS > 0}
    compiled = ml.load_package(folder / "encoder").compile()
    return folder / "encoder", compiled.evaluate({}, data)["embedding"][0]


def bert_of_two_outputs(folder: Path) -> tuple[Path, list[np.ndarray]]:
    """A package of a small BERT, and the first row of each of its outputs for TOKENS."""
    model = bert.bert(bert.Config(**SMALL_BERT))
    params = ml.compile(model, ml.CpuBackend(), inference=True).randomize_params(1)
    ml.save_package(folder / "bert", model, params)
    package = ml.load_package(folder / "bert")
    data = {"input_ids": TOKENS, "token_type_ids": TOKENS * 0, "attention_mask": TOKENS > 0}
    outputs = package.compile().evaluate({}, data)
    rows = [np.asarray(outputs[port.name]) for port in package.info.outputs]
    return folder / "bert", [row.reshape(-1, row.shape[-1])[0] for row in rows]


def check_rows(printed: str, expected: list[np.ndarray]) -> None:
    rows = [[float(value) for value in line.split()] for line in printed.splitlines()]
    assert len(rows) == len(expected)
    for got, row in zip(rows, expected, strict=True):
        np.testing.assert_allclose(got, row, rtol=1e-5)


def printed_by(*command: object, status: int = 0) -> str:
    result = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False
    )
    assert result.returncode == status, result.stderr
    return result.stdout if status == 0 else result.stderr


@pytest.fixture(scope="module")
def c_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("c") / "run_package"
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    printed_by("cc", *strict, f"-I{ROOT / 'mithril/c'}", EXAMPLES / "run_package.c", LIBRARY,
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
    check_rows(printed_by(sys.executable, EXAMPLES / "embed.py", LIBRARY, path), [expected])
    path, rows = bert_of_two_outputs(tmp_path)
    assert len(rows) == 2
    check_rows(printed_by(sys.executable, EXAMPLES / "embed.py", LIBRARY, path), rows)


@pytest.mark.skipif(shutil.which("rustc") is None, reason="there is no Rust compiler")
def test_a_rust_program_runs_bert(tmp_path: Path) -> None:
    path, expected = encoder(tmp_path)
    program = tmp_path / "embed"
    printed_by("rustc", "-D", "warnings", EXAMPLES / "embed.rs", "-L", LIBRARY.parent, "-l",
               "mithril_c", "-C", f"link-arg=-Wl,-rpath,{LIBRARY.parent}", "-o",
               program)  # fmt: skip
    check_rows(printed_by(program, path), [expected])
    path, rows = bert_of_two_outputs(tmp_path)
    assert len(rows) == 2
    check_rows(printed_by(program, path), rows)


def test_the_library_exports_the_functions_of_the_header_with_versions() -> None:
    header = (ROOT / "mithril" / "c" / "mithril.h").read_text(encoding="utf-8")
    declared = set(re.findall(r"MITHRIL_EXPORT[^;]*?(mithril_\w+)\(", header))
    listing = printed_by("nm", "-D", "--defined-only", LIBRARY)
    exported = set(re.findall(r" T (\S+)", listing))
    newer = {f"mithril_model_{name}" for name in OLDER}
    expected = {f"{name}@@MITHRIL_{2 if name in newer else 1}" for name in declared}
    assert exported == expected | {f"{name}@MITHRIL_1" for name in newer}
    assert "_ZN" not in listing


def test_every_function_of_a_model_has_an_error_object(library: Library) -> None:
    header = (ROOT / "mithril" / "c" / "mithril.h").read_text(encoding="utf-8")
    declared = re.findall(r"MITHRIL_EXPORT ([^;]*?)\b(mithril_model_\w+)\(([^;]*)\);", header)
    refused = library.refusals_of_null()
    assert {f"mithril_model_{name}" for name in refused} == {
        name for _, name, _ in declared if name != "mithril_model_free"
    }
    for returned, name, arguments in declared:
        if name == "mithril_model_free":
            continue
        assert (name, returned.strip()) == (name, "mithril_status")
        assert arguments.endswith("mithril_error** error")
        status, code, message = refused[name.removeprefix("mithril_model_")]
        assert (name, status, code) == (name, 1, "E0870")
        assert f"{name}: " in message


def test_programs_of_older_headers_run(library: Library, tmp_path: Path) -> None:
    model = library.opened(save(tmp_path / "p"))
    libc = ctypes.CDLL(None)
    libc.dlvsym.restype = ctypes.c_void_p
    libc.dlvsym.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]

    def older(name: str) -> object:
        at = libc.dlvsym(library.dll._handle, f"mithril_model_{name}".encode(), b"MITHRIL_1")
        return ctypes.CFUNCTYPE(OLDER[name], ctypes.c_void_p)(at)(model)

    assert [older(name) for name in ("name", "input_count", "output_count")] == [b"p", 1, 1]
    assert older("revision") == ml.load_package(tmp_path / "p").info.revision.encode()
    library.dll.mithril_model_free(model)


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(LIBRARY)


def test_ports_are_listed(library: Library, tmp_path: Path) -> None:
    model = library.opened(save(tmp_path / "p"))
    assert library.dll.mithril_api_version() == 2
    assert library.dll.mithril_version().decode() == ml.__version__
    assert (library.count("input", model), library.count("output", model)) == (1, 1)
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


@pytest.mark.parametrize(
    ("dtype", "values"),
    [("int8", [-128, 127]), ("int16", [-(2**15), 2**15 - 1]), ("uint8", [0, 255])],
)
def test_narrow_integers_are_widened(
    library: Library, tmp_path: Path, dtype: str, values: list[int]
) -> None:
    x = ml.IOKey("x", type=ml.Tensor[int], shape=["N"])
    ml.save_package(tmp_path / "p", ml.Model.create(y=(x * 300).cast(ml.float32)), {})
    model = library.opened(tmp_path / "p")
    given = np.array(values, dtype)
    np.testing.assert_array_equal(
        library.answer(model, {"x": given}), given.astype(np.float32) * 300
    )
    library.dll.mithril_model_free(model)


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8", "uint8"])
def test_a_bool_port_takes_integers_that_are_0_or_1(
    library: Library, tmp_path: Path, dtype: str
) -> None:
    mask = ml.IOKey("mask", type=ml.Tensor[bool], shape=["N"])
    ml.save_package(tmp_path / "p", ml.Model.create(y=3.0 - mask.cast(ml.float32)), {})
    model = library.opened(tmp_path / "p")
    given = np.array([1, 0, 1], dtype)
    np.testing.assert_array_equal(library.answer(model, {"mask": given}), [2, 3, 2])
    status, code, message = library.run(model, {"mask": given * 2})
    assert (status, code) == (2, "E0805")
    assert "'mask' has 2, expected 0 or 1" in message
    library.dll.mithril_model_free(model)


def test_wrong_runs_have_their_own_errors_and_leave_the_model_usable(
    library: Library, tmp_path: Path
) -> None:
    model = library.opened(save(tmp_path / "p"))
    assert codes_of_wrong_runs(library, model) == WRONG_RUNS
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
    assert message.startswith("mithril.BackendError[E1042]: the C interface has no backend 'cpp'")
    assert refusal(tmp_path / "p", Options(3))[:2] == (1, "E0870")
    weights = tmp_path / "p" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    status, code, message = refusal(tmp_path / "p")
    assert (status, code) == (3, "E0766")
    assert str(weights) in message


def test_null_may_be_freed_and_has_an_empty_message(library: Library) -> None:
    library.dll.mithril_error_free(None)
    library.dll.mithril_model_free(None)
    assert library.dll.mithril_error_message(None) == b""


def test_torchscript_runs_if_native_code_is_allowed(library: Library, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("mithril._torch", reason="torch is not built")
    module = torch.nn.Linear(4, 2)
    ports = [("input", ml.float32, ["N", 4])], [("y", ml.float32, ["N", 2])]
    ml.save_torchscript_package(tmp_path / "p", torch.jit.script(module), *ports)

    def opening(backend: bytes, native: int) -> tuple[tuple[int, str, str], ctypes.c_void_p]:
        model = ctypes.c_void_p()
        options = ctypes.byref(Options(ctypes.sizeof(Options), backend, 0, 0, native))
        path = str(tmp_path / "p").encode()
        return library.call("model_open", path, options, ctypes.byref(model)), model

    assert opening(b"torch", 0)[0][:2] == (4, "E1041")
    assert opening(b"cpu", 1)[0][:2] == (4, "E1040")
    opened, model = opening(b"torch", 1)
    assert opened == (0, "", "")
    expected = module(torch.from_numpy(X)).detach()
    np.testing.assert_allclose(library.answer(model, {"input": X}), expected, rtol=1e-5)
    assert library.run(model, {"input": X[0]})[:2] == (2, "E0803")
    library.dll.mithril_model_free(model)
