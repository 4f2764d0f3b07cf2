"""The limits of the server: bytes, times and connections."""

import gzip
import json
import os
import subprocess
import sys
import threading
import zlib
from contextlib import ExitStack
from importlib.util import find_spec

import numpy as np
import pytest
from processes import environment
from raw_http import all_of, answer_from, answers_in, connect, exchange

import mithril as ml

pytestmark = pytest.mark.skipif(
    find_spec("mithril._server") is None, reason="the server is not built"
)

GET = b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n"


def relu_engine(**options):
    engine = ml.Engine()
    compiled = ml.compile(ml.Relu(), ml.CpuBackend(), shapes={"input": ["N"]})
    engine.register("net", compiled, **options)
    return engine


def message(count):
    data = {"name": "input", "shape": [count], "datatype": "FP32", "data": [0] * count}
    return json.dumps({"inputs": [data]}).encode()


def post(body, *headers, length=None):
    lines = [b"POST /v2/models/net/infer HTTP/1.1", b"Host: a", *headers]
    lines.append(b"Content-Length: %d" % (len(body) if length is None else length))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def error_of(answer):
    assert answer.headers["connection"] == "close"
    return answer.status, json.loads(answer.body)["code"], json.loads(answer.body)["error"]


@pytest.fixture(scope="module")
def server():
    with ml.serve(relu_engine(), port=0, max_header_bytes=2000, max_request_bytes=5000) as server:
        yield server


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"a" * 2000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /v2 HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 2000 + b"\r\n\r\n",
        b"GET /v2 HTTP/1.1\r\nHost: a\r\n" + b"X: aaaaaaaaaaaa\r\n" * 200 + b"\r\n",
        b"GET /v2 HTTP/1.1\r\nHost: a\r\n" + b"a:\r\n" * 150 + b"\r\n",
        b"GET /" + b"a" * 1_000_000,  # a line without an end
        b"GET /v2 HTTP/1.1\r\nHost: a\r\n" + b"X: a\r\n" * 200_000,  # a head without an end
    ],
)
def test_a_head_above_the_limit_has_the_status_431(server, head):
    (answer,) = exchange(server, head)
    status, code, text = error_of(answer)
    assert (status, code) == (431, "E1242")
    assert text == (
        "mithril.InputError[E1242]: the headers of the request have more than 2000 bytes, or are "
        "more than 100"
    )


def test_a_head_of_just_the_limit_is_read(server):
    begin, end = b"GET /v2 HTTP/1.1\r\nHost: a\r\nX: ", b"\r\n\r\n"
    with connect(server) as raw:
        raw.sendall(begin + b"a" * (2000 - len(begin + end)) + end)
        assert answer_from(raw).status == 200
        raw.sendall(begin + b"a" * (2001 - len(begin + end)) + end)
        assert answer_from(raw).status == 431


@pytest.mark.parametrize(
    "data",
    [
        post(b"", length=5001),  # refused before it comes
        post(b"", length=2**63),
        post(b" " * 5001),
        b"POST /v2/models/net/infer HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"64\r\n" + b" " * 100 + b"\r\n1388\r\n",
        post(gzip.compress(b" " * 5001), b"Content-Encoding: gzip"),
        post(zlib.compress(b" " * 5_000_000), b"Content-Encoding: deflate"),
    ],
)  # fmt: skip
def test_a_body_above_the_limit_has_the_status_413(server, data):
    (answer,) = exchange(server, data)
    assert error_of(answer) == (
        413, "E1239", "mithril.InputError[E1239]: the request has more than 5000 bytes"
    )  # fmt: skip


def test_a_body_of_just_the_limit_is_read(server):
    body = message(1)
    for data in (
        post(body.ljust(5000)),
        post(gzip.compress(body.ljust(5000)), b"Content-Encoding: gzip"),
        post(zlib.compress(body.ljust(5000)), b"Content-Encoding: deflate"),
    ):
        with connect(server) as raw:
            raw.sendall(data)
            assert answer_from(raw).status == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"\x1f\x8b", gzip.compress(message(1))[:-9], gzip.compress(message(1)) + b"a",
     message(1), gzip.compress(message(1)) * 2],
)  # fmt: skip
def test_a_compressed_body_that_is_not_valid_is_an_error(server, body):
    (answer,) = exchange(server, post(body, b"Content-Encoding: gzip"))
    assert error_of(answer) == (
        400,
        "E1238",
        "mithril.ParseError[E1238]: this is no valid HTTP request\n"
        "  why : the compressed body is not valid",
    )


def test_an_unknown_encoding_has_the_status_415(server):
    (answer,) = exchange(server, post(message(1), b"Content-Encoding: br"))
    assert error_of(answer) == (
        415,
        "E1244",
        "mithril.InputError[E1244]: the server cannot read the Content-Encoding 'br'\n"
        "  help: send gzip, deflate or no Content-Encoding",
    )


def test_the_bodies_of_all_requests_have_a_limit_together():
    engine = relu_engine(max_batch_size=100, max_delay=3600.0)
    body = message(1).ljust(4000)
    with (
        ml.serve(engine, port=0, max_buffered_bytes=10_000, stop_timeout=0.0) as server,
        ExitStack() as stack,
    ):
        waiting = [stack.enter_context(connect(server)) for _ in range(2)]
        for each in waiting:
            each.sendall(post(body))
        while engine.stats("net")["waiting"] < 2:
            pass
        for data in (
            post(body),
            post(gzip.compress(message(1).ljust(100_000)), b"Content-Encoding: gzip"),
        ):
            with connect(server) as raw:
                raw.sendall(data)
                answer = answer_from(raw)
            error = json.loads(answer.body)
            assert (answer.status, error["code"]) == (503, "E1245")
            assert error["error"].startswith(
                "mithril.BackendError[E1245]: the server holds as many bytes of requests as it may"
            )
        engine.infer_batch("net", [{"input": np.zeros(98, np.float32)}])  # fills the batch
        for each in waiting:
            assert answer_from(each).status == 200
        with connect(server) as raw:  # their bytes are free again
            raw.sendall(post(gzip.compress(b" " * 9000), b"Content-Encoding: gzip"))
            assert answer_from(raw).status == 400


@pytest.mark.parametrize(
    "data",
    [b"G", b"GET /v2 HTTP/1.1\r\nHost: a\r\n", post(b"{", length=100),
     b"POST /v2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12"],
)  # fmt: skip
def test_a_request_that_does_not_arrive_in_time_has_the_status_408(data):
    with ml.serve(relu_engine(), port=0, request_timeout=0.05) as server:
        (answer,) = exchange(server, data)
    assert error_of(answer) == (
        408, "E1243", "mithril.InputError[E1243]: the request did not arrive within 0.05 seconds"
    )  # fmt: skip


def test_the_time_of_a_request_goes_on_while_bytes_arrive():
    with ml.serve(relu_engine(), port=0, request_timeout=0.2) as server, connect(server) as raw:
        raw.sendall(b"GET /")
        raw.settimeout(0.01)
        data = b""
        while not data:  # a byte in a hundredth of a second, without an end
            raw.sendall(b"a")
            try:
                data = raw.recv(1 << 16)
            except TimeoutError:
                continue
    assert data.startswith(b"HTTP/1.1 408 ")


def test_a_connection_without_a_request_is_closed():
    with ml.serve(relu_engine(), port=0, idle_timeout=2.0) as server, connect(server) as raw:
        assert all_of(raw) == b""
        with connect(server) as again:
            again.sendall(GET)
            assert answer_from(again).status == 200
            assert all_of(again) == b""


def test_a_client_that_does_not_read_its_answer_is_closed():
    count = 4_000_000
    data = {"name": "input", "shape": [count], "datatype": "FP32",
            "parameters": {"binary_data_size": 4 * count}}  # fmt: skip
    head = json.dumps({"inputs": [data], "parameters": {"binary_data_output": True}}).encode()
    extra = b"Inference-Header-Content-Length: %d" % len(head)
    with ml.serve(relu_engine(), port=0, request_timeout=3.0) as server, connect(server) as raw:
        raw.sendall(post(head + bytes(4 * count), extra))
        with connect(server) as other:
            other.sendall(GET)
            assert answer_from(other).status == 200
        server.stop()  # would wait for the client
        assert len(all_of(raw)) < 4 * count


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
        slow[2].sendall(GET[5:])
        assert answer_from(slow[2]).status == 200


def test_600_slow_clients_do_not_stop_good_ones():
    body = message(3)
    with ml.serve(relu_engine(), port=0) as server, ExitStack() as stack:
        slow = [stack.enter_context(connect(server)) for _ in range(600)]
        for number, each in enumerate(slow):
            each.sendall((b"GET /v2 HT", post(body)[:-1], b"", GET[:-1])[number % 4])
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
        for each in clients:
            each.sendall(post(message(2)))
        while engine.stats("net")["waiting"] < 2:
            pass
        for _ in range(2):
            filling = engine.infer_async("net", {"input": np.zeros(4, np.float32)})
            filling.result()
            while 0 < engine.stats("net")["requests"] < 5:
                pass
        statuses = [answer_from(each).status for each in clients]
    assert statuses == [200] * 4


def test_a_connection_that_fails_closes_alone(server):
    with connect(server) as good:
        for _ in range(50):
            raw = connect(server)
            raw.sendall(post(message(1)))
            # The system sends RST in place of the rest.
            raw.setsockopt(1, 13, b"\x01\x00\x00\x00\x00\x00\x00\x00")  # SO_LINGER of 0 s
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
            for each in taken:
                os.close(each)
        raw.sendall(GET)
        assert answers_in(all_of(slow)) == []


# A body that does not fit into the memory of the process, and a small request after it.
WITHOUT_MEMORY = """
import json, resource, socket, sys
import mithril as ml

engine = ml.Engine()
engine.register("net", ml.compile(ml.Relu(), ml.CpuBackend(), shapes={"input": ["N"]}))
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
        ("idle_timeout", -1.0, "idle_timeout is -0.001, expected seconds from 0.001 to 86400"),
        ("stop_timeout", 1e30, "stop_timeout is 1000000000, expected seconds from 0 to 86400"),
        ("stop_timeout", float("nan"), "stop_timeout is -0.001, expected seconds from 0 to 86400"),
    ):
        with pytest.raises(ml.ValueError, match="E1237") as caught:
            ml.serve(ml.Engine(), port=0, **{option: value})
        assert text in str(caught.value)


def test_many_servers_start_and_stop_with_clients():
    def client(server, ended):
        while not ended.is_set():
            try:
                with connect(server) as raw:
                    raw.sendall(post(message(1)))
                    assert all_of(raw)[:12] in (b"HTTP/1.1 200", b"")
            except OSError:
                pass

    engine = relu_engine()
    for _ in range(10):
        ended = threading.Event()
        with ml.serve(engine, port=0, idle_timeout=0.01) as server:
            clients = [threading.Thread(target=client, args=(server, ended)) for _ in range(4)]
            for each in clients:
                each.start()
            assert server.stop()
            ended.set()
            for each in clients:
                each.join()
