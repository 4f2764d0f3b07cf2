"""The example of Ray Serve with two replicas on this machine, one of which is killed."""

import json
import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from package_models import answer, save

try:
    import ray
except ModuleNotFoundError:
    ray = None
# A mark states its reason in reports; a skip of the whole module does not.
pytestmark = pytest.mark.skipif(ray is None, reason="ray is not installed")
ROOT = Path(__file__).parents[3]
LIMIT = 120  # seconds


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture(scope="module")
def example():
    sys.path.insert(0, str(ROOT / "examples" / "python"))
    import ray_serve  # noqa: PLC0415 - it needs ray

    yield ray_serve
    sys.path.remove(str(ROOT / "examples" / "python"))


@pytest.fixture(scope="module")
def served(example, tmp_path_factory):
    """The handle and the port of two replicas."""
    path = save(tmp_path_factory.mktemp("ray") / "p")
    port = free_port()
    places = os.pathsep.join(
        [str(ROOT / "examples" / "python"), str(ROOT / "build/release/python")]
    )
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=100 << 20,
        runtime_env={"env_vars": {"PYTHONPATH": places}},
    )
    try:
        yield example.deploy(path, 2, port, max_batch_size=8), port
    finally:
        ray.serve.shutdown()
        ray.shutdown()


def process(handle) -> int:
    """The process that answers a call."""
    return handle.process.remote().result(timeout_s=LIMIT)


def two_processes(handle) -> set[int]:
    """The processes of both replicas. Ray chooses one of them at random for each call."""
    until = time.monotonic() + LIMIT
    found: set[int] = set()
    while len(found) < 2 and time.monotonic() < until:
        found.add(process(handle))
    return found


def ask(port: int, body: object) -> dict:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v2/models/model/infer", json.dumps(body).encode()
    )
    with urllib.request.urlopen(request, timeout=LIMIT) as response:
        return json.load(response)


def body_of(x) -> dict:
    tensor = {"name": "x", "datatype": "FP32", "shape": x.shape, "data": x.ravel().tolist()}
    return {"inputs": [tensor]}


def has_answer(port: int) -> bool:
    from package_models import X  # noqa: PLC0415

    (output,) = ask(port, body_of(X))["outputs"]
    got = np.array(output["data"], np.float32).reshape(output["shape"])
    return output["name"] == "y" and bool(np.allclose(got, answer(), atol=1e-6))


def test_both_replicas_answer(served) -> None:
    handle, port = served
    assert has_answer(port)
    assert len(two_processes(handle)) == 2


def test_a_wrong_request_is_named_and_the_replica_goes_on(served) -> None:
    _, port = served
    for body in (body_of(np.zeros((2, 5), np.float32)), {"inputs": [{"name": "x"}]}):
        with pytest.raises(urllib.error.HTTPError) as caught:
            ask(port, body)
        assert caught.value.code == 400
        assert json.load(caught.value)["error"]
    assert has_answer(port)


def test_requests_are_answered_while_a_replica_is_killed_and_replaced(served) -> None:
    handle, port = served
    before = two_processes(handle)
    wrong, failures = [], []  # of each request; None: it was answered
    done = threading.Event()

    def client() -> None:
        while not done.is_set():
            try:
                if not has_answer(port):
                    wrong.append(port)
                failures.append(None)
            except (urllib.error.URLError, OSError) as error:  # of the replica that was killed
                failures.append(repr(error))
                time.sleep(0.05)

    threads = [threading.Thread(target=client) for _ in range(4)]
    for thread in threads:
        thread.start()
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    at = time.monotonic()
    after: set[int] = set()
    while time.monotonic() < at + LIMIT and len(after) < 2:
        try:
            after |= {process(handle)} - {killed}
        except ray.exceptions.RayError:  # the call was on its way to it
            continue
    # Requests fail until Ray has noticed the kill. How many do depends on the machine.
    replaced = len(failures)
    until = time.monotonic() + LIMIT
    while (last := failures[replaced:][-10:]) != [None] * 10 and time.monotonic() < until:
        time.sleep(0.05)
    done.set()
    for thread in threads:
        thread.join()
    assert len(after) == 2, "the replica is not replaced"
    assert wrong == []
    assert last == [None] * 10
    assert has_answer(port)
