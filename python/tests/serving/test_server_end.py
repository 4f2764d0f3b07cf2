"""The end of a server: stop(), and signals to `mithril serve`."""

import json
import signal
import subprocess
import sys
import threading
from importlib.util import find_spec

import numpy as np
import pytest
from processes import environment
from raw_http import HANGS, all_of, answer_from, answers_in, connect

import mithril as ml

pytestmark = pytest.mark.skipif(
    find_spec("mithril._server") is None, reason="the server is not built"
)

X = np.zeros(1, np.float32)
BODY = json.dumps(
    {"inputs": [{"name": "input", "shape": [1], "datatype": "FP32", "data": [0]}]}
).encode()
POST = b"POST /v2/models/net/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(BODY)
GET = b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n"


def waiting_engine():
    """An engine whose requests wait until a batch of eight is full."""
    engine = ml.Engine()
    compiled = ml.compile(ml.Relu(), ml.CpuBackend(), shapes={"input": ["N"]})
    engine.register_model("net", compiled, max_batch_size=8, max_delay=3600.0)
    return engine


def wait_for_requests(engine, count):
    while engine.stats("net")["waiting"] < count:
        pass


def test_requests_that_have_arrived_are_answered_and_others_are_not():
    engine = waiting_engine()
    server = ml.serve(engine, port=0, stop_timeout=3600.0, arrival_timeout=3600.0)
    ended = []
    with connect(server) as asking, connect(server) as arriving, connect(server) as idle:
        idle.sendall(GET)
        assert answer_from(idle).status == 200
        arriving.sendall(POST)
        asking.sendall(POST + BODY)
        wait_for_requests(engine, 1)
        stopping = threading.Thread(target=lambda: ended.append(server.stop()))
        stopping.start()
        assert all_of(idle) == b""
        arriving.sendall(BODY)
        with pytest.raises(ConnectionRefusedError):
            connect(server)
        wait_for_requests(engine, 2)
        assert stopping.is_alive()
        engine.infer_batch("net", [{"input": X}] * 6)  # fills the batch
        for connection in (asking, arriving):
            (answer,) = answers_in(all_of(connection))
            assert (answer.status, answer.headers["connection"]) == (200, "close")
    stopping.join()
    assert ended == [True]


def test_the_end_refuses_requests_that_do_not_arrive():
    server = ml.serve(waiting_engine(), port=0, arrival_timeout=0.05)
    with connect(server) as slow, connect(server) as other:
        slow.sendall(b"GET /v2")
        other.sendall(GET)
        assert answer_from(other).status == 200
        assert server.stop()
        (answer,) = answers_in(all_of(slow))
    assert (answer.status, answer.headers["connection"]) == (503, "close")
    assert json.loads(answer.body) == {
        "error": "mithril.BackendError[E1246]: the server is stopping",
        "code": "E1246",
    }


def test_after_its_time_the_end_cancels_the_requests_that_wait():
    engine = waiting_engine()
    server = ml.serve(engine, port=0, stop_timeout=0.05)
    with connect(server) as raw:
        raw.sendall(POST + BODY)
        wait_for_requests(engine, 1)
        assert not server.stop()
        (answer,) = answers_in(all_of(raw))
    assert (answer.status, json.loads(answer.body)["code"]) == (503, "E1206")
    assert not server.stop()


def test_the_end_does_not_wait_for_running_requests():
    loading, may_end, evicted = threading.Event(), threading.Event(), []

    def load():
        if evicted:
            loading.set()
            may_end.wait()
        return compiled_relu()

    compiled = ml.compile(ml.Linear(dimension=2), ml.CpuBackend(), shapes={"input": ["N", 2]})

    def compiled_relu():
        return compiled, compiled.get_parameters(seed=1)

    engine = ml.Engine(memory_limit=24)
    engine.register_model("net", load)
    engine.register_model("other", compiled_relu)  # evicts the first
    evicted.append(True)
    server = ml.serve(engine, port=0, stop_timeout=0.0)
    with connect(server) as raw:
        raw.sendall(POST + BODY)
        loading.wait()
        assert not server.stop()
        assert all_of(raw) == b""
    may_end.set()


def test_an_exception_of_a_signal_handler_ends_the_waiting_for_the_end():
    engine = waiting_engine()
    server = ml.serve(engine, port=0, stop_timeout=3600.0)

    def handle(number, frame):
        raise InterruptedError("a signal")

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        with connect(server) as raw, connect(server) as idle:
            idle.sendall(GET)
            assert answer_from(idle).status == 200
            raw.sendall(POST + BODY)
            wait_for_requests(engine, 1)
            main = threading.get_ident()

            def interrupt():
                all_of(idle)  # until stop() closes it
                signal.pthread_kill(main, signal.SIGUSR1)

            signaller = threading.Thread(target=interrupt)
            signaller.start()
            with pytest.raises(InterruptedError, match="a signal"):
                server.stop()
            signaller.join()
            engine.infer_batch("net", [{"input": X}] * 7)
            (answer,) = answers_in(all_of(raw))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert answer.status == 200
    assert server.stop()


def test_programs_that_the_process_starts_do_not_keep_connections():
    server = ml.serve(waiting_engine(), port=0)
    with connect(server) as raw:
        raw.sendall(GET)
        assert answer_from(raw).status == 200
        with subprocess.Popen(
            [sys.executable, "-c", "input()"], close_fds=False, stdin=subprocess.PIPE
        ) as child:
            assert server.stop()
            assert all_of(raw) == b""
            with pytest.raises(ConnectionRefusedError):
                connect(server)
            child.stdin.write(b"\n")


# ---- The command ----


# A shell without job control starts background jobs with SIGINT ignored.
COMMAND = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("mithril", run_name="__main__", alter_sys=True)
"""


class Served:
    """`mithril serve` of a package, whose requests wait for a batch of eight."""

    host = "127.0.0.1"

    def __init__(self, path, *options):
        model = ml.Model()
        model |= ml.Relu()(input=ml.IOKey("input", shape=["N"]), output="y")
        model.expose_keys("y")
        ml.save_package(path, model, {}, name="net")
        command = [sys.executable, "-c", COMMAND, "serve", str(path), "--port", "0"]
        command += ["--max-batch-size", "8", "--max-delay", "3600", *map(str, options)]
        self.process = subprocess.Popen(
            command,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        self.port = int(line.rpartition(":")[2])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def send(self, name):
        self.process.send_signal(getattr(signal, name))

    def end(self):
        """Waits for the process, and returns its status and output."""
        output, errors = self.process.communicate(timeout=HANGS)
        return self.process.returncode, output, errors

    def waiting(self):
        """The number of requests that wait."""
        with connect(self) as raw:
            raw.sendall(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
            text = answer_from(raw).body.decode()
        (line,) = [
            line for line in text.splitlines() if line.startswith("mithril_waiting_requests{")
        ]
        return int(line.split()[-1])


SIGNALS = pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])


@SIGNALS
@pytest.mark.sampled(2)
def test_a_signal_ends_the_command_although_clients_are_slow(tmp_path, name):
    with Served(tmp_path / "net") as served, connect(served) as slow, connect(served) as idle:
        slow.sendall(POST)
        idle.sendall(GET)
        assert answer_from(idle).status == 200
        served.send(name)
        assert served.end() == (0, "stopping\n", "")
        (answer,) = answers_in(all_of(slow))
    assert answer.status == 503


@SIGNALS
@pytest.mark.sampled(2)
def test_a_signal_answers_the_requests_that_have_arrived(tmp_path, name):
    times = ("--stop-timeout", 3600, "--arrival-timeout", 3600)
    with (
        Served(tmp_path / "net", *times) as served,
        connect(served) as raw,
        connect(served) as others,
    ):
        raw.sendall(POST + BODY)
        while served.waiting() < 1:
            pass
        others.sendall(GET)
        assert answer_from(others).status == 200
        body = BODY.replace(b"[1]", b"[7]").replace(b"[0]", b"[0, 0, 0, 0, 0, 0, 0]")
        head = POST.replace(b"%d" % len(BODY), b"%d" % len(body))
        others.sendall(head + body[:-1])
        served.send(name)
        assert served.process.stdout.readline() == "stopping\n"
        others.sendall(body[-1:])  # fills the batch
        for connection in (raw, others):
            (answer,) = answers_in(all_of(connection))
            assert answer.status == 200
        assert served.end() == (0, "", "")


@SIGNALS
@pytest.mark.sampled(2)
def test_requests_without_an_answer_do_not_keep_the_command(tmp_path, name):
    with Served(tmp_path / "net", "--stop-timeout", 0.05) as served, connect(served) as raw:
        raw.sendall(POST + BODY)
        while served.waiting() < 1:
            pass
        served.send(name)
        assert served.end() == (
            1,
            "stopping\n",
            "some requests were not answered in time\n",
        )
        (answer,) = answers_in(all_of(raw))
    assert answer.status == 503


@SIGNALS
def test_the_second_signal_ends_the_command_at_once(tmp_path, name):
    with Served(tmp_path / "net", "--stop-timeout", 3600) as served, connect(served) as raw:
        raw.sendall(POST + BODY)
        while served.waiting() < 1:
            pass
        served.send(name)
        assert served.process.stdout.readline() == "stopping\n"
        served.send(name)
        assert served.end() == (-getattr(signal, name), "", "")
