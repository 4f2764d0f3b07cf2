"""An engine and a server with packages of TorchScript."""

import gc
import json
import signal
import threading
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from test_serve_command import LIMIT, run

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

WIDTH = 300
HAS_SERVER = find_spec("mithril._server") is not None


class Encoder(torch.nn.Module):
    """Token ids and a mask of floats; a submodule, a buffer and two outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(100, WIDTH)
        self.head = torch.nn.Sequential(torch.nn.Linear(WIDTH, 3), torch.nn.Dropout(0.5))
        self.register_buffer("offset", torch.full((3,), 3.0))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = (self.table(ids) * mask.unsqueeze(2)).sum(1)
        return self.head(hidden) + self.offset, ids * 2


INPUTS = [("ids", ml.int64, ["N", "L"]), ("mask", ml.float32, ["N", "L"])]
OUTPUTS = [("scores", ml.float32, ["N", 3]), ("doubled", ml.int64, ["N", "L"])]


def request(rows: int = 1, length: int = 4, first: int = 0) -> dict[str, np.ndarray]:
    ids = (np.arange(rows * length).reshape(rows, length) + first) % 100
    return {"ids": ids, "mask": (ids % 3 > 0).astype(np.float32)}


@pytest.fixture
def module() -> torch.nn.Module:
    torch.manual_seed(0)
    return Encoder().eval()


@pytest.fixture
def path(tmp_path: Path, module: torch.nn.Module) -> Path:
    # In training mode: the package runs it in inference mode.
    scripted = torch.jit.script(module.train())
    ml.save_torchscript_package(tmp_path / "p", scripted, INPUTS, OUTPUTS, name="encoder")
    module.eval()
    return tmp_path / "p"


def package(path: Path, backend: object = None) -> ml.Package:
    return ml.load_package(path, backend, allow_native_code=True)


def check(module: torch.nn.Module, given: dict[str, np.ndarray], got: dict) -> None:
    expected = module(**{key: torch.from_numpy(array) for key, array in given.items()})
    assert list(got) == ["scores", "doubled"]
    assert np.asarray(got["doubled"]).dtype == np.int64
    for key, tensor in zip(got, expected, strict=True):
        torch.testing.assert_close(torch.as_tensor(np.asarray(got[key])), tensor.detach())


def test_an_engine_serves_torchscript(path: Path, module: torch.nn.Module) -> None:
    for registered in (package(path), package(path, ml.TorchBackend()), lambda: package(path)):
        engine = ml.Engine()
        engine.register_model("net", registered)
        for rows, length in ((1, 4), (3, 2)):
            given = request(rows, length)
            check(module, given, engine.infer("net", given))
        info = engine.model_info("net")
        assert info["backend"] == "torch" and info["states"] == []
        assert info["inputs"] == [
            {"name": "ids", "dtype": ml.int64, "shape": ["N", "L"]},
            {"name": "mask", "dtype": ml.float32, "shape": ["N", "L"]},
        ]
        assert [output["name"] for output in info["outputs"]] == ["scores", "doubled"]


def test_requests_share_an_evaluation(path: Path, module: torch.nn.Module) -> None:
    engine = ml.Engine()
    engine.register_model("net", package(path), max_batch_size=4, max_delay=60.0)
    given = [request(first=i) for i in range(4)]
    waiting = [engine.infer_async("net", argument) for argument in given]
    for argument, answer in zip(given, waiting, strict=True):
        check(module, argument, answer.result())
    stats = engine.stats("net")
    assert (stats["requests"], stats["calls"], stats["rows"]) == (4, 1, 4)


def test_a_mask_pads_requests_of_other_lengths(path: Path, module: torch.nn.Module) -> None:
    engine = ml.Engine()
    engine.register_model(
        "net", package(path), max_batch_size=2, max_delay=60.0, mask="mask", max_padding=1.0
    )
    given = [request(length=3), request(length=5, first=7)]
    waiting = [engine.infer_async("net", argument) for argument in given]
    for argument, answer in zip(given, waiting, strict=True):
        check(module, argument, answer.result())
    assert engine.stats("net")["calls"] == 1


def test_sizes_without_a_common_symbol_are_not_batched(tmp_path: Path) -> None:
    class Same(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x

    ports = [("x", ml.float32, [2])], [("y", ml.float32, [2])]
    ml.save_torchscript_package(tmp_path / "p", torch.jit.script(Same()), *ports)
    engine = ml.Engine()
    with pytest.raises(ml.ValueError) as caught:
        engine.register_model("net", package(tmp_path / "p"), max_batch_size=2)
    assert caught.value.code == "E1220"


def test_many_threads_get_their_own_answers(path: Path, module: torch.nn.Module) -> None:
    engine = ml.Engine(threads=4)
    engine.register_model("batched", package(path), max_batch_size=4)
    engine.register_model("alone", package(path))
    failures: list[BaseException] = []

    def ask(thread: int) -> None:
        try:
            for i in range(20):
                given = request(1 + i % 2, first=thread * 20 + i)
                check(module, given, engine.infer("batched" if i % 2 else "alone", given))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_wrong_requests_have_the_errors_of_other_models(path: Path, tmp_path: Path) -> None:
    ids, mask = (
        ml.IOKey("ids", type=ml.Tensor[int], shape=["N", "L"]),
        ml.IOKey("mask", shape=["N", "L"]),
    )
    native = ml.Model.create(doubled=ids * 2, scores=mask * 2.0)
    ml.save_package(tmp_path / "q", native, {}, data_keys=["mask"])
    engine = ml.Engine()
    engine.register_model("script", package(path))
    engine.register_model("model", ml.load_package(tmp_path / "q"))
    given = request(2)
    for wrong, code in (
        ({"ids": given["ids"]}, "E0801"),
        ({**given, "extra": given["ids"]}, "E0802"),
        ({**given, "ids": given["ids"][0]}, "E0803"),
        ({**given, "mask": given["mask"][:, :3]}, "E0804"),
        ({**given, "ids": given["mask"]}, "E0805"),
    ):
        messages = []
        for name in ("script", "model"):
            with pytest.raises(ml.InputError) as caught:
                engine.infer(name, wrong)
            assert caught.value.code == code
            messages.append(str(caught.value))
        if code == "E0801":  # a model also names the outputs that need the input
            messages = [message.split("\n")[0] for message in messages]
        assert messages[0] == messages[1]
    assert engine.stats("script")["failed"] == 5


def test_a_failing_request_fails_alone(path: Path, module: torch.nn.Module) -> None:
    engine = ml.Engine()
    engine.register_model("net", package(path), max_batch_size=2, max_delay=60.0)
    good, bad = request(), request()
    bad["ids"] = bad["ids"] + 1000
    waiting = [engine.infer_async("net", value) for value in (good, bad)]
    check(module, good, waiting[0].result())
    with pytest.raises(ml.BackendError) as caught:
        waiting[1].result()
    assert caught.value.code == "E1044"
    assert "index out of range" in str(caught.value)


@pytest.mark.slow
def test_unloading_frees_the_module(path: Path) -> None:
    backend = ml.TorchBackend()
    stored = (path / "backends" / "torch" / "model.pt").stat().st_size
    engine = ml.Engine(memory_limit=stored)
    engine.register_model("net", package(path, backend))
    engine.infer("net", request())
    assert engine.memory == stored == engine.model_info("net")["bytes"]
    held = backend.get_memory_stats()["allocated"]
    assert 100 * WIDTH * 4 <= held <= stored
    # Replaced when its room is needed, and loaded again for the next request.
    engine.register_model("second", package(path, backend))
    assert not engine.model_info("net")["loaded"]
    assert backend.get_memory_stats()["allocated"] == held
    engine.infer("net", request())
    assert engine.stats("net")["loads"] == 2
    engine.unload("net")
    engine.unload("second")
    gc.collect()
    assert engine.memory == 0
    assert backend.get_memory_stats()["allocated"] == 0


def test_the_memory_limit_of_the_backend_counts_torchscript(path: Path) -> None:
    backend = ml.TorchBackend(memory_limit=1000)
    with pytest.raises(ml.OutOfMemoryError) as caught:
        package(path).compile(backend)
    assert caught.value.code == "E1101"


def test_a_package_is_served_only_if_native_code_is_allowed(path: Path) -> None:
    with pytest.raises(ml.BackendError) as caught:
        ml.Engine().register_model("net", lambda: ml.load_package(path))
    assert caught.value.code == "E1041"
    with pytest.raises(ml.BackendError) as caught:
        ml.Engine().register_model("net", package(path).compile(ml.CpuBackend()))
    assert caught.value.code == "E1040"


def post(address: str, inputs: list[dict]) -> dict:
    body = json.dumps({"inputs": inputs}).encode()
    call = urllib.request.Request(f"{address}/v2/models/encoder/infer", body)
    with urllib.request.urlopen(call, timeout=LIMIT) as response:
        return {output["name"]: output for output in json.loads(response.read())["outputs"]}


@pytest.mark.skipif(not HAS_SERVER, reason="the server is not built")
@pytest.mark.slow
def test_the_command_serves_torchscript(path: Path, module: torch.nn.Module) -> None:
    process = run(path, "--allow-native", "--port", 0, "--max-batch-size", 4)
    try:
        line = process.stdout.readline()
        assert line.startswith("serving encoder at http://127.0.0.1:")
        given = request(2)
        types = {"ids": "INT64", "mask": "FP32"}
        inputs = [
            {
                "name": key,
                "shape": array.shape,
                "datatype": types[key],
                "data": array.ravel().tolist(),
            }
            for key, array in given.items()
        ]
        got = post(line.split()[-1], inputs)
        assert [got[key]["datatype"] for key in ("scores", "doubled")] == ["FP32", "INT64"]
        shaped = {
            key: np.array(value["data"]).reshape(value["shape"]) for key, value in got.items()
        }
        shaped["scores"] = shaped["scores"].astype(np.float32)
        check(module, given, shaped)
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(line.split()[-1], inputs[:1])
        assert caught.value.code == 400
        assert json.loads(caught.value.read())["code"] == "E0801"
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert (process.returncode, output, errors) == (0, "stopping\n", "")


@pytest.mark.skipif(not HAS_SERVER, reason="the server is not built")
def test_the_command_refuses_native_code_unless_it_is_allowed(path: Path) -> None:
    process = run(path, "--port", 0)
    output, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 3 and output == ""
    assert errors.startswith("mithril.BackendError[E1041]")
    assert "--allow-native" in errors
