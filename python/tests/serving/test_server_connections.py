"""Many, slow and failing clients of the server, and a process without descriptors or memory."""

import os
import resource
import socket
import struct
import subprocess
import sys
import threading
from contextlib import ExitStack
from importlib.util import find_spec

import numpy as np
import pytest
from processes import environment
from raw_http import all_of, answer_from, answers_in, connect
from served_relu import GET, message, post, relu_engine

import mithril as ml

pytestmark = pytest.mark.skipif(
    find_spec("mithril._server") is None, reason="the server is not built"
)


@pytest.fixture(scope="module")
def server():
    with ml.serve(relu_engine(), port=0, max_header_bytes=2000, max_request_bytes=5000) as server:
        yield server


def test_one_connection_more_than_allowed_closes_the_slowest():
    with (
        ml.serve(relu_engine(), port=0, max_connections=3) as server,
        ExitStack() as stack,
    ):
        slow = []
        for _ in range(3):
            slow.append(stack.enter_context(connect(server)))
            slow[-1].sendall(GET)
            assert answer_from(slow[-1]).status == 200
            slow[-1].sendall(b"GET /")  # the next request does not end
        with connect(server) as raw:
            raw.sendall(GET)
            assert answer_from(raw).status == 200
        assert all_of(slow[0]) == b""
        for connection in slow[1:]:
            connection.sendall(GET[5:])
            assert answer_from(connection).status == 200


def test_600_slow_clients_do_not_block_fast_clients():
    body = message(3)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ml.serve(relu_engine(), port=0) as server, ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        slow = [stack.enter_context(connect(server)) for _ in range(600)]
        for number, connection in enumerate(slow):
            connection.sendall((b"GET /v2 HT", post(body)[:-1], b"", GET[:-1])[number % 4])
        with connect(server) as raw:
            for _ in range(20):
                raw.sendall(post(body))
                assert answer_from(raw).status == 200
        slow[3].sendall(GET[-1:])
        assert answer_from(slow[3]).status == 200


def test_more_requests_than_are_answered_at_a_time_wait():
    engine = relu_engine(max_batch_size=8, max_delay=3600.0)
    with ml.serve(engine, port=0, max_requests=2) as server, ExitStack() as stack:
        clients = [stack.enter_context(connect(server)) for _ in range(4)]
        for client in clients:
            client.sendall(post(message(2)))
        while engine.stats("net")["waiting"] < 2:
            pass
        for _ in range(2):
            filling = engine.infer_async("net", {"input": np.zeros(4, np.float32)})
            filling.result()
            while engine.stats("net")["requests"] < 5:
                pass
        statuses = [answer_from(client).status for client in clients]
    assert statuses == [200] * 4


def test_a_connection_that_fails_closes_alone(server):
    with connect(server) as good:
        for _ in range(50):
            raw = connect(server)
            raw.sendall(post(message(1)))
            # The system sends RST in place of the rest.
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raw.close()
        good.sendall(GET)
        assert answer_from(good).status == 200


def test_without_descriptors_the_slowest_connection_is_closed(server):
    # The server is in this process, and so are its descriptors.
    with ExitStack() as stack:
        slow = stack.enter_context(connect(server))
        slow.sendall(GET)
        assert answer_from(slow).status == 200
        raw = stack.enter_context(connect(server))
        raw.sendall(GET)
        assert answer_from(raw).status == 200
        taken = []
        try:
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            pass
        os.close(taken.pop())
        try:
            with connect(server) as late:  # the client takes the last descriptor
                late.sendall(GET)
                assert answer_from(late).status == 200
        finally:
            for parameter in taken:
                os.close(parameter)
        raw.sendall(GET)
        assert answer_from(raw).status == 200
        assert answers_in(all_of(slow)) == []


# A body that does not fit into the memory of the process, and a small request after it.
WITHOUT_MEMORY = """
import json, resource, socket, sys
import mithril as ml

engine = ml.Engine()
engine.register_model("net", ml.compile(ml.Relu(), ml.CpuBackend(), shapes={"input": ["N"]}))
small = json.dumps(
    {"inputs": [{"name": "input", "shape": [1], "datatype": "FP32", "data": [3]}]}
).encode()
head = "POST /v2/models/net/infer HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: {}\\r\\n\\r\\n"

def connect():
    return socket.create_connection((server.host, server.port), timeout=300)

def is_answered(raw):
    raw.sendall(head.format(len(small)).encode() + small)
    return raw.recv(1 << 16).startswith(b"HTTP/1.1 200 ")

with ml.serve(engine, port=0) as server, connect() as good:
    assert is_answered(good)
    with open("/proc/self/statm") as pages:
        used = int(pages.read().split()[0]) * resource.getpagesize()
    piece = bytes(1 << 20)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (used + (40 << 20), hard))
    with connect() as raw:
        try:
            raw.sendall(head.format(60 << 20).encode())
            for _ in range(60):
                raw.sendall(piece)
            answer = raw.recv(100)
        except OSError:
            answer = b""
    assert answer == b"", answer
    assert is_answered(good)
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, hard))
print("served")
"""


def test_a_failed_allocation_closes_one_connection():
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_MEMORY],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "served\n", "")


def test_options_out_of_range_are_errors():
    for option, value, text in (
        ("max_requests", 0, "max_requests is 0, expected at least 1"),
        ("max_header_bytes", 10, "max_header_bytes is 10, expected at least 256"),
        ("max_buffered_bytes", 0, "max_buffered_bytes is 0, expected at least 1"),
        ("request_timeout", 0.0, "request_timeout is 0, expected seconds from 0.001 to 86400"),
        ("idle_timeout", -1.0, "idle_timeout is -1, expected seconds from 0.001 to 86400"),
        ("stop_timeout", 1e30, "stop_timeout is 1000000000, expected seconds from 0 to 86400"),
        ("stop_timeout", float("nan"), "stop_timeout is -0.001, expected seconds from 0 to 86400"),
    ):
        with pytest.raises(ml.ValueError, match="E1237") as caught:
            ml.serve(ml.Engine(), port=0, **{option: value})
        assert text in str(caught.value)


def test_many_servers_start_and_stop_with_clients():
    wrong = []

    def client(server, ended):
        while not ended.is_set():
            try:
                with connect(server) as raw:
                    raw.sendall(post(message(1)))
                    begin = all_of(raw)[:12]
                    if begin not in (b"HTTP/1.1 200", b""):
                        wrong.append(begin)
            except OSError:
                pass

    engine = relu_engine()
    for _ in range(10):
        ended = threading.Event()
        with ml.serve(engine, port=0, idle_timeout=0.01) as server:
            clients = [threading.Thread(target=client, args=(server, ended)) for _ in range(4)]
            for thread in clients:
                thread.start()
            assert server.stop()
            ended.set()
            for thread in clients:
                thread.join()
    assert wrong == []
