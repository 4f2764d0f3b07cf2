"""Where a request ends: what programs read in different ways is refused, and the connection closes,
so that nothing in a body is taken for another request."""

import json
import socket
from importlib.util import find_spec

import numpy as np
import pytest
from raw_http import all_of, answer_from, answers_in, connect, exchange

import mithril as ml

pytestmark = pytest.mark.skipif(
    find_spec("mithril._server") is None, reason="the server is not built"
)

HIDDEN = b"GET /v2/models/hidden HTTP/1.1\r\nHost: a\r\n\r\n"
INFER = b"/v2/models/net/infer"
BODY = json.dumps(
    {"inputs": [{"name": "input", "shape": [2], "datatype": "FP32", "data": [1, -2]}]}
).encode()


@pytest.fixture(scope="module")
def server():
    engine = ml.Engine()
    engine.register_model("net", ml.compile(ml.Relu(), ml.CpuBackend(), shapes={"input": ["N"]}))
    with ml.serve(engine, port=0, max_request_bytes=1000, max_header_bytes=2000) as server:
        yield server


def post(*headers, body=b"", path=INFER, version=b"HTTP/1.1", host=b"Host: a"):
    lines = [b"POST " + path + b" " + version, host, *headers]
    return b"\r\n".join(line for line in lines if line is not None) + b"\r\n\r\n" + body


def length(size):
    return b"Content-Length: " + (size if isinstance(size, bytes) else str(size).encode())


CHUNKED = b"Transfer-Encoding: chunked"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
N = len(BODY)

WRONG = {
    "a length and chunks": post(length(N), CHUNKED, body=CHUNKS + HIDDEN),
    "chunks and a length": post(CHUNKED, length(5), body=b"0\r\n\r\n" + HIDDEN),
    "two lengths": post(length(N), length(N + len(HIDDEN)), body=BODY + HIDDEN),
    "two equal lengths": post(length(N), length(N), body=BODY),
    "a list of lengths": post(length(b"%d, %d" % (N, N)), body=BODY),
    "a hexadecimal length": post(length(b"0x2a"), body=b" " * 42 + HIDDEN),
    "a length with a sign": post(length(b"+5"), body=b"12345" + HIDDEN),
    "a negative length": post(length(b"-5"), body=HIDDEN),
    "a length with a zero before it": post(length(b"05"), body=b"12345" + HIDDEN),
    "a length with a space in it": post(length(b"5 0"), body=b"12345" + HIDDEN),
    "a length that is empty": post(length(b""), body=HIDDEN),
    "a length of letters": post(length(b"five"), body=b"12345" + HIDDEN),
    "a length with a fraction": post(length(b"5.0"), body=b"12345" + HIDDEN),
    "a length of more than 64 bits": post(length(2**64 + 5), body=b"12345" + HIDDEN),
    "a space before the colon": post(b"Content-Length : 5", body=b"12345" + HIDDEN),
    "a tab before the colon": post(b"Content-Length\t: 5", body=b"12345" + HIDDEN),
    "a space before the name": post(b" Content-Length: 5", body=b"12345" + HIDDEN),
    "a field on two lines": post(b"Content-Length:\r\n 5", body=b"12345" + HIDDEN),
    "a field that continues with a tab": post(b"X: a\r\n\tb", length(N), body=BODY),
    "a coding that continues": post(b"Transfer-Encoding:\r\n chunked", body=CHUNKS + HIDDEN),
    "another transfer coding": post(b"Transfer-Encoding: gzip", body=BODY + HIDDEN),
    "no transfer coding": post(b"Transfer-Encoding: identity", length(N), body=BODY),
    "two transfer codings": post(b"Transfer-Encoding: gzip, chunked", body=CHUNKS),
    "chunks twice": post(CHUNKED, CHUNKED, body=CHUNKS),
    "chunks and no chunks": post(CHUNKED, b"Transfer-Encoding: identity", body=CHUNKS),
    "a coding that is almost chunked": post(b"Transfer-Encoding: xchunked", body=CHUNKS),
    "a coding with a vertical tab": post(b"Transfer-Encoding:\x0bchunked", body=CHUNKS),
    "a coding in quotes": post(b'Transfer-Encoding: "chunked"', body=CHUNKS),
    "chunks of HTTP/1.0": post(CHUNKED, version=b"HTTP/1.0", body=CHUNKS + HIDDEN),
    "a chunk with a base": post(CHUNKED, body=b"0x2a\r\n" + b" " * 42 + b"\r\n0\r\n\r\n"),
    "a chunk with a sign": post(CHUNKED, body=b"+5\r\n12345\r\n0\r\n\r\n" + HIDDEN),
    "a negative chunk": post(CHUNKED, body=b"-5\r\n12345\r\n0\r\n\r\n" + HIDDEN),
    "a chunk with a space": post(CHUNKED, body=b"5 \r\n12345\r\n0\r\n\r\n" + HIDDEN),
    "a chunk with a space before it": post(CHUNKED, body=b" 5\r\n12345\r\n0\r\n\r\n" + HIDDEN),
    "a chunk with an extension": post(CHUNKED, body=b"5;a=b\r\n12345\r\n0\r\n\r\n" + HIDDEN),
    "a chunk that ends with LF": post(CHUNKED, body=b"5\n12345\r\n0\r\n\r\n" + HIDDEN),
    "data that ends with LF": post(CHUNKED, body=b"5\r\n12345\n0\r\n\r\n" + HIDDEN),
    "data that is longer": post(CHUNKED, body=b"5\r\n123456\r\n0\r\n\r\n" + HIDDEN),
    "a chunk of more than 64 bits": post(CHUNKED, body=b"1" + b"0" * 16 + b"\r\n" + HIDDEN),
    "a chunk without digits": post(CHUNKED, body=b"\r\n" + HIDDEN),
    "a field after the chunks": post(CHUNKED, body=b"0\r\nContent-Length: 5\r\n\r\n" + HIDDEN),
    "a last chunk that ends with LF": post(CHUNKED, body=b"0\r\n\n" + HIDDEN),
    "lines that end with LF": b"GET /v2 HTTP/1.1\nHost: a\n\n" + HIDDEN,
    "a line that ends with CR": b"GET /v2 HTTP/1.1\rHost: a\r\n\r\n" + HIDDEN,
    "a field with CR in it": post(b"X: a\rContent-Length: 5", length(N), body=BODY),
    "a field with NUL in it": post(b"X: a\x00b", length(N), body=BODY),
    "a name with NUL in it": post(b"Content-\x00Length: 5", body=b"12345" + HIDDEN),
    "a field without a colon": post(b"Content-Length 5", body=b"12345" + HIDDEN),
    "a field without a name": post(b": 5", body=HIDDEN),
    "an empty line before the request": b"\r\n" + HIDDEN,
    "a body of GET": b"GET /v2 HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN)
    + HIDDEN,
    "chunks of GET": b"GET /v2 HTTP/1.1\r\nHost: a\r\n" + CHUNKED + b"\r\n\r\n" + CHUNKS,
    "a body of HEAD": b"HEAD /v2 HTTP/1.1\r\nHost: a\r\n" + length(5) + b"\r\n\r\n12345",
    "a body of DELETE": b"DELETE /v2 HTTP/1.1\r\nHost: a\r\n" + length(5) + b"\r\n\r\n12345",
    "a second request": HIDDEN + HIDDEN,
    "a second request after a body": post(length(N), body=BODY + HIDDEN),
    "a second request after chunks": post(CHUNKED, body=CHUNKS + HIDDEN),
    "an empty line after a body": post(length(N), body=BODY + b"\r\n"),
    "no host": post(length(N), body=BODY, host=None),
    "two hosts": post(b"Host: b", length(N), body=BODY),
    "another version": b"GET /v2 HTTP/1.2\r\nHost: a\r\n\r\n",
    "the next version": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no version": b"GET /v2\r\n\r\n",
    "a version with a letter": b"GET /v2 HTTP/1.x\r\nHost: a\r\n\r\n",
    "two spaces": b"GET  /v2 HTTP/1.1\r\nHost: a\r\n\r\n",
    "a tab in the first line": b"GET\t/v2 HTTP/1.1\r\nHost: a\r\n\r\n",
    "a space after the version": b"GET /v2 HTTP/1.1 \r\nHost: a\r\n\r\n",
    "a path without a slash": b"GET v2 HTTP/1.1\r\nHost: a\r\n\r\n",
    "a path with a host": b"GET http://a/v2 HTTP/1.1\r\nHost: a\r\n\r\n",
    "a path that is a host": b"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
    "a path with a wrong escape": b"GET /v2/%zz HTTP/1.1\r\nHost: a\r\n\r\n",
    "a path with a slash as an escape": b"GET /v2/models%2Fnet HTTP/1.1\r\nHost: a\r\n\r\n",
    "a path with half an escape": b"GET /v2/%2 HTTP/1.1\r\nHost: a\r\n\r\n",
    "a path with NUL": b"GET /v2/%00 HTTP/1.1\r\nHost: a\r\n\r\n",
    "a path with a line end": b"GET /v2/%0d%0a HTTP/1.1\r\nHost: a\r\n\r\n",
    "letters of no alphabet": b"GET /v2/\xff HTTP/1.1\r\nHost: a\r\n\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00",
    "an expectation": post(b"Expect: tea", length(N), body=BODY),
    "two lengths of JSON": post(
        *[b"Inference-Header-Content-Length: 5"] * 2, length(N), body=BODY
    ),
    "two encodings": post(*[b"Content-Encoding: gzip"] * 2, length(N), body=BODY),
}  # fmt: skip


@pytest.mark.parametrize("form", WRONG)
def test_a_request_that_can_be_read_in_two_ways_is_refused(server, form):
    (answer,) = exchange(server, WRONG[form])
    assert (answer.status, answer.headers["connection"]) == (400, "close")
    error = json.loads(answer.body)
    assert error["code"] == "E1238"
    assert error["error"].startswith(
        "mithril.ParseError[E1238]: this is not a valid HTTP request\n  why : "
    )


# Each begins with a whole request, which is answered where the rest comes late.
TWO = {"a second request", "a second request after a body", "a second request after chunks",
       "an empty line after a body"}  # fmt: skip


@pytest.mark.parametrize("form", [form for form in WRONG if form not in TWO])
def test_an_ambiguous_request_is_refused_when_it_comes_byte_by_byte(server, form):
    with connect(server) as raw:
        for at in range(len(WRONG[form])):
            raw.sendall(WRONG[form][at : at + 1])
        (answer,) = answers_in(all_of(raw))
    assert (answer.status, answer.headers["connection"]) == (400, "close")


RIGHT = {
    "a length": post(length(N), body=BODY),
    "chunks": post(CHUNKED, body=CHUNKS),
    "chunks in capitals": post(b"TRANSFER-ENCODING:CHUNKED", body=CHUNKS.upper().replace(
        BODY.upper(), BODY)),
    "many chunks": post(
        CHUNKED, body=b"".join(b"1\r\n%c\r\n" % byte for byte in BODY) + b"0\r\n\r\n"
    ),
    "spaces around a value": post(b"Content-Length: \t %d \t" % N, body=BODY),
    "an empty field": post(b"X:", length(N), body=BODY),
    "a query": post(length(N), body=BODY, path=INFER + b"?a=b"),
    "an escape": post(length(N), body=BODY, path=b"/v2/models/n%65t/infer"),
    "HTTP/1.0": post(length(N), body=BODY, version=b"HTTP/1.0", host=b"X: a"),
}  # fmt: skip


@pytest.mark.parametrize("form", RIGHT)
@pytest.mark.parametrize("piece", [1, 7, 1 << 16])
def test_a_valid_request_is_answered_however_it_arrives(server, form, piece):
    data = RIGHT[form]
    with connect(server) as raw:
        for at in range(0, len(data), piece):
            raw.sendall(data[at : at + piece])
        answer = answer_from(raw)
    assert answer.status == 200
    np.testing.assert_array_equal(json.loads(answer.body)["outputs"][0]["data"], [1, 0])


def test_a_connection_serves_one_request_after_another(server):
    with connect(server) as raw:
        for _ in range(3):
            for form in ("a length", "chunks"):
                raw.sendall(RIGHT[form])
                answer = answer_from(raw)
                assert (answer.status, answer.headers["connection"]) == (200, "keep-alive")
        raw.sendall(HIDDEN.replace(b"Host: a", b"Host: a\r\nConnection: close"))
        (answer,) = answers_in(all_of(raw))
    assert (answer.status, answer.headers["connection"]) == (404, "close")


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (post(length(5), body=b"12345"), 400),
        (post(length(N), body=BODY, path=b"/v2/models/ent/infer"), 404),
        (post(length(N), b"Content-Encoding: br", body=BODY), 415),
        (HIDDEN, 404),
    ],
)
def test_an_error_of_the_client_closes_the_connection(server, data, status):
    (answer,) = exchange(server, data)
    assert (answer.status, answer.headers["connection"]) == (status, "close")


def test_head_has_the_headers_of_get_and_no_body(server):
    with connect(server) as raw:
        raw.sendall(b"HEAD /v2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        head, _, body = all_of(raw).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK") and body == b""
    assert b"Content-Length: 0" not in head


def test_a_client_that_waits_for_continue_gets_it(server):
    with connect(server) as raw:
        raw.sendall(post(b"Expect: 100-continue", length(N)))
        assert raw.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        raw.sendall(BODY)
        assert answer_from(raw).status == 200
        raw.sendall(post(b"Expect: 100-continue", length(100_000)))
        (answer,) = answers_in(all_of(raw))
    assert answer.status == 413


def test_a_client_may_end_its_side_after_a_request(server):
    with connect(server) as raw:
        raw.sendall(RIGHT["a length"])
        raw.shutdown(socket.SHUT_WR)
        (answer,) = answers_in(all_of(raw))
    assert answer.status == 200


@pytest.mark.parametrize("ranges", ["bytes=0-0", "bytes=" + ",".join(["0-"] * 300), "bytes=5-1,-9"])
def test_ranges_are_not_served(server, ranges):
    plain = answers_in(exchange_closing(server, b""))
    ranged = answers_in(exchange_closing(server, b"Range: " + ranges.encode() + b"\r\n"))
    assert ranged == plain and plain[0].status == 200


def exchange_closing(server, headers):
    with connect(server) as raw:
        raw.sendall(b"GET /v2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + headers + b"\r\n")
        return all_of(raw)
