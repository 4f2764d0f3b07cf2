"""An engine that serves a Relu as `net`, and HTTP requests to it."""

import json

import mithril as ml

GET = b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n"


def relu_engine(**options):
    engine = ml.Engine()
    compiled = ml.compile(ml.Relu(), ml.CpuBackend(), shapes={"input": ["N"]})
    engine.register_model("net", compiled, **options)
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
