"""The limits of the server: bytes and times."""

import gzip
import json
import zlib
from contextlib import ExitStack
from importlib.util import find_spec

import numpy as np
import pytest
from raw_http import all_of, answer_from, connect, exchange
from served_relu import GET, error_of, message, post, relu_engine

import mithril as ml

pytestmark = pytest.mark.skipif(
    find_spec("mithril._server") is None, reason="the server is not built"
)


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
        b"GET /v2 HTTP/1.1\r\nHost: a\r\n" + b"a:\r\n" * 100 + b"\r\n",
        b"GET /" + b"a" * 1_000_000,  # a line without an end
        b"GET /v2 HTTP/1.1\r\nHost: a\r\n" + b"X: a\r\n" * 200_000,  # a head without an end
    ],
)
def test_a_head_above_the_limit_has_the_status_431(server, head):
    (answer,) = exchange(server, head)
    status, code, text = error_of(answer)
    assert (status, code) == (431, "E1242")
    assert text == (
        "mithril.InputError[E1242]: the request has more than 2000 bytes of headers, or more than "
        "100 headers"
    )


def test_100_headers_are_read(server):
    (answer,) = exchange(
        server, b"GET /v2 HTTP/1.1\r\nHost: a\r\n" + b"a:\r\n" * 98 + b"Connection: close\r\n\r\n"
    )
    assert answer.status == 200


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
        "mithril.ParseError[E1238]: this is not a valid HTTP request\n"
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
        for future in waiting:
            future.sendall(post(body))
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
                "mithril.BackendError[E1245]: the bodies of all unanswered requests together have "
                "reached the limit of the server"
            )
        engine.infer_batch("net", [{"input": np.zeros(98, np.float32)}])  # fills the batch
        for future in waiting:
            assert answer_from(future).status == 200
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
    with ml.serve(relu_engine(), port=0, idle_timeout=0.05) as server, connect(server) as raw:
        assert all_of(raw) == b""


@pytest.mark.slow
def test_a_connection_without_another_request_is_closed():
    with ml.serve(relu_engine(), port=0, idle_timeout=3.0) as server, connect(server) as raw:
        raw.sendall(GET)
        assert answer_from(raw).status == 200
        assert all_of(raw) == b""


@pytest.mark.slow
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
