"""Each kind of bad input has an error of its own from Python, C, HTTP and `mithril serve`, and the
server keeps answering. tests/engine/bad_input.cpp is the same for C++."""

import ctypes
import http.client
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_library import Library, Options
from package_models import X, answer, save
from processes import environment

import mithril as ml
from mithril import _core

C_LIBRARY = Path(_core.__file__).resolve().parents[2] / "libmithril_c.so"

# Requests: the code of the error, and the status over HTTP.
REQUESTS = {
    "an unknown model": ("E1201", 404),
    "a missing input": ("E0801", 400),
    "an unknown input": ("E0802", 400),
    "another rank": ("E0803", 400),
    "another size": ("E0804", 400),
    "another dtype": ("E0805", 400),
}
# Packages: the code, and the status where the server loads the package for a request.
PACKAGES = {
    "another format version": ("E0760", 503),
    "another checksum": ("E0766", 503),
    "a backend that is not available": ("E1040", 503),
    "native code": ("E1041", 503),
}
DATA: dict[str, dict[str, Any]] = {
    "an unknown model": {"x": X},
    "a missing input": {},
    "an unknown input": {"x": X, "z": X},
    "another rank": {"x": X[0]},
    "another size": {"x": np.ascontiguousarray(X[:, :3])},
    "another dtype": {"x": X.astype(np.int64)},
}


def save_bad(path: Path, kind: str) -> Path:
    """Replaces the file or folder at the path by a package of this kind."""
    if kind == "native code":
        files = {"model.so": b"code"}
        ports = [("x", ml.float32, ["N", 4])], [("y", ml.float32, ["N", 2])]
        texts = dict.fromkeys(("name", "revision", "model_type", "family", "licence", "source"), "")
        backend = {"name": "cpu", "options": "", "files": list(files.items())}
        _core._save_native_package(path, *ports, [backend], [], texts)
        return path
    save(path, backends=["torch"] if kind == "a backend that is not available" else ())
    if kind == "another format version":
        metadata = path / "metadata.json"
        text = metadata.read_text(encoding="utf-8")
        metadata.write_text(text.replace('"format_version": 1', '"format_version": 2'))
    if kind == "another checksum":
        weights = path / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    return path


def test_every_kind_is_tried() -> None:
    assert DATA.keys() == REQUESTS.keys()


class Served:
    """An engine with the package "net", which is loaded again for each request: the model "other"
    does not fit beside it."""

    def __init__(self, folder: Path) -> None:
        self.path = save(folder / "net")
        save(folder / "other")
        bytes_of_one = sum(value.nbytes for value in ml.load_package(self.path).params.values())
        self.engine = ml.Engine(memory_limit=bytes_of_one)
        for name in ("net", "other"):
            self.engine.register_model(name, lambda name=name: ml.load_package(folder / name))

    def damage(self, kind: str) -> None:
        self.engine.infer("other", {"x": X})  # evicts net
        save_bad(self.path, kind)

    def mend(self) -> None:
        save(self.path)


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path)


def answers(infer: Callable[[], Any]) -> bool:
    return bool(np.allclose(infer(), answer(), atol=1e-6))


@pytest.mark.parametrize("kind", REQUESTS)
def test_a_bad_request_in_python(served: Served, kind: str) -> None:
    name = "ent" if kind == "an unknown model" else "net"
    with pytest.raises(ml.Error) as caught:
        served.engine.infer(name, DATA[kind])
    assert caught.value.code == REQUESTS[kind][0]
    if kind == "an unknown model":
        assert "known : net, other" in str(caught.value)
    assert answers(lambda: served.engine.infer("net", {"x": X})["y"])


@pytest.mark.parametrize("kind", PACKAGES)
def test_a_bad_package_in_python(served: Served, kind: str) -> None:
    served.damage(kind)
    with pytest.raises(ml.Error) as caught:
        served.engine.infer("net", {"x": X})
    assert caught.value.code == PACKAGES[kind][0]
    assert str(served.path) in str(caught.value)
    assert answers(lambda: served.engine.infer("other", {"x": X})["y"])
    served.mend()
    assert answers(lambda: served.engine.infer("net", {"x": X})["y"])


# ---- C ----


@pytest.fixture
def library() -> Library:
    if not C_LIBRARY.exists():
        pytest.skip("the C interface is not built beside this module")
    return Library(C_LIBRARY)


def opening(library: Library, path: Path) -> tuple[int, str, str]:
    model = ctypes.c_void_p()
    options = Options(ctypes.sizeof(Options), b"cpu")
    refused = library.call(
        "model_open", str(path).encode(), ctypes.byref(options), ctypes.byref(model)
    )
    assert model.value is None
    return refused


@pytest.mark.parametrize("kind", REQUESTS)
def test_a_bad_request_in_c(library: Library, tmp_path: Path, kind: str) -> None:
    model = library.opened(save(tmp_path / "net"))
    if kind == "an unknown model":  # in C, a model is that of a path
        refused = opening(library, tmp_path / "ent")
        assert refused[:2] == (2, "E0830")
        assert str(tmp_path / "ent") in refused[2]
    else:
        assert library.run(model, DATA[kind])[:2] == (2, REQUESTS[kind][0])
    assert answers(lambda: library.answer(model, {"x": X}))
    library.dll.mithril_model_free(model)


@pytest.mark.parametrize("kind", PACKAGES)
def test_a_bad_package_in_c(library: Library, tmp_path: Path, kind: str) -> None:
    model = library.opened(save(tmp_path / "net"))
    status, code, text = opening(library, save_bad(tmp_path / "bad", kind))
    parse_or_backend = 3 if code.startswith("E07") else 4
    assert (status, code) == (parse_or_backend, PACKAGES[kind][0])
    assert str(tmp_path / "bad") in text
    assert answers(lambda: library.answer(model, {"x": X}))
    library.dll.mithril_model_free(model)


# ---- HTTP ----

with_server = pytest.mark.skipif(
    find_spec("mithril._server") is None, reason="the server is not built"
)


@pytest.fixture
def address(served: Served) -> Iterator[str]:
    with ml.serve(served.engine, port=0) as server:
        yield server.address


def post(address: str, name: str, data: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    types = {"f": "FP32", "i": "INT64"}
    tensors = [
        {
            "name": key,
            "shape": value.shape,
            "datatype": types[value.dtype.kind],
            "data": value.tolist(),
        }
        for key, value in data.items()
    ]
    connection = http.client.HTTPConnection(address, timeout=300)
    connection.request("POST", f"/v2/models/{name}/infer", json.dumps({"inputs": tensors}))
    response = connection.getresponse()
    body = json.loads(response.read())
    connection.close()
    return response.status, body


def answers_over_http(address: str, name: str) -> bool:
    status, body = post(address, name, {"x": X})
    assert status == 200, body
    (output,) = body["outputs"]
    return answers(lambda: np.array(output["data"], np.float32).reshape(output["shape"]))


@with_server
@pytest.mark.parametrize("kind", REQUESTS)
def test_a_bad_request_over_http(address: str, kind: str) -> None:
    name = "ent" if kind == "an unknown model" else "net"
    status, body = post(address, name, DATA[kind])
    assert (body["code"], status) == REQUESTS[kind]
    if kind == "an unknown model":
        assert "known : net, other" in body["error"]
    assert answers_over_http(address, "net")


@with_server
@pytest.mark.parametrize("kind", PACKAGES)
def test_a_bad_package_over_http(served: Served, address: str, kind: str) -> None:
    served.damage(kind)
    status, body = post(address, "net", {"x": X})
    assert (body["code"], status) == PACKAGES[kind]
    assert str(served.path) in body["error"]
    assert re.search(r"loading +: model 'net'", body["error"])
    assert answers_over_http(address, "other")
    served.mend()
    assert answers_over_http(address, "net")


@with_server
@pytest.mark.parametrize("kind", PACKAGES)
@pytest.mark.sampled(2)
def test_the_command_does_not_serve_a_bad_package(tmp_path: Path, kind: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "mithril", "serve", save_bad(tmp_path / "net", kind), "--port", "0"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 3
    assert f"[{PACKAGES[kind][0]}]: {tmp_path / 'net'}" in result.stderr


@with_server
def test_an_exception_of_a_python_function_is_not_sent_to_clients(tmp_path: Path) -> None:
    engine = ml.Engine(memory_limit=100)
    broken = []

    def load() -> ml.Package:
        if broken:
            raise FileNotFoundError("the disk is gone")
        return ml.load_package(save(tmp_path / "net"))

    engine.register_model("net", load)
    engine.register_model("other", lambda: ml.load_package(save(tmp_path / "other")))
    broken.append(True)
    with ml.serve(engine, port=0) as server:
        status, body = post(server.address, "net", {"x": X})
        assert (status, body["code"]) == (503, "E1241")
        assert body["error"].startswith(
            "mithril.BackendError[E1241]: the request cannot be answered\n"
        )
        assert "the disk is gone" in body["error"]
        assert answers_over_http(server.address, "other")
