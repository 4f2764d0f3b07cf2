"""The HTTP server: the Open Inference Protocol, errors, limits, metrics and its end."""

import gzip
import http.client
import json
import socket
import threading
import time
from importlib.util import find_spec

import numpy as np
import pytest
from served_linear import COMPILED, PARAMS, X, Y

import mithril as ml

pytestmark = pytest.mark.skipif(
    find_spec("mithril._server") is None, reason="the server is not built"
)
LIMIT = 100_000
HANGS = 300  # seconds, which only a server that hangs takes


@pytest.fixture(scope="module")
def engine():
    engine = ml.Engine()
    engine.register_model("net", COMPILED, PARAMS)
    engine.register_model("batched", COMPILED, PARAMS, max_batch_size=8, max_delay=0.001)
    engine.register_model(
        "slow", COMPILED, PARAMS, max_batch_size=64, max_delay=3600.0, max_queue=1
    )
    return engine


@pytest.fixture(scope="module")
def server(engine):
    with ml.serve(engine, port=0, max_request_bytes=LIMIT) as server:
        yield server


def ask(server, method, path, body=None, headers=None):
    """The status, the headers and the body of a response."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=HANGS)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def infer(server, message, model="net", **more):
    body = message if isinstance(message, (bytes, str)) else json.dumps(message)
    status, _, text = ask(server, "POST", f"/v2/models/{model}/infer", body, **more)
    return status, json.loads(text)


def input_of(data, shape=(2, 3), datatype="FP32", name="x"):
    return {"inputs": [{"name": name, "shape": list(shape), "datatype": datatype, "data": data}]}


def test_health_and_metadata(server):
    for path in ("/v2/health/live", "/v2/health/ready", "/v2/models/net/ready"):
        assert ask(server, "GET", path)[0] == 200
    metadata = json.loads(ask(server, "GET", "/v2")[2])
    assert metadata["name"] == "mithril" and metadata["version"] == ml.__version__
    assert "binary_tensor_data" in metadata["extensions"]
    for path in ("/v2/models/net", "/v2/models/net/versions/1"):
        assert json.loads(ask(server, "GET", path)[2]) == {
            "name": "net",
            "versions": ["1"],
            "platform": "mithril_cpu",
            "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 3]}],
            "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 4]}],
        }


def test_tensors_are_sent_as_json_flat_or_nested(server):
    for data in (X.ravel().tolist(), X.tolist()):
        status, answer = infer(server, {"id": "a7", **input_of(data)})
        assert status == 200
        assert answer["model_name"] == "net" and answer["id"] == "a7"
        (output,) = answer["outputs"]
        assert (output["name"], output["datatype"], output["shape"]) == ("y", "FP32", [2, 4])
        np.testing.assert_array_equal(np.float32(output["data"]).reshape(2, 4), Y)


def test_tensors_are_sent_as_binary_data(server):
    message = json.dumps(
        {
            "inputs": [
                {
                    "name": "x",
                    "shape": [2, 3],
                    "datatype": "FP32",
                    "parameters": {"binary_data_size": X.nbytes},
                }
            ],
            "outputs": [{"name": "y", "parameters": {"binary_data": True}}],
        }
    ).encode()
    name = "Inference-Header-Content-Length"
    headers = {name: str(len(message)), "Content-Type": "application/octet-stream"}
    path = "/v2/models/net/versions/1/infer"
    status, given, body = ask(server, "POST", path, message + X.tobytes(), headers)
    assert status == 200
    length = int(given[name])
    (output,) = json.loads(body[:length])["outputs"]
    assert output["parameters"] == {"binary_data_size": Y.nbytes}
    assert body[length:] == Y.tobytes()


@pytest.mark.parametrize(
    ("dtype", "values"),
    [("int8", [-128, 127]), ("int16", [-(2**15), 2**15 - 1]), ("uint8", [0, 255]),
     ("int64", [2**53 + 1, -(2**63)])],
)  # fmt: skip
def test_integers_of_all_widths_are_exact(dtype, values):
    model = ml.Model.create(y=ml.IOKey("x", type=ml.Tensor[int], shape=["N"]).reshape((1, -1)))
    engine = ml.Engine()
    engine.register_model("net", ml.compile(model, ml.CpuBackend(), data_keys=["x"]), {})
    name, array = dtype.upper(), np.array(values, dtype)
    with ml.serve(engine, port=0) as server:
        status, answer = infer(server, input_of(values, (2,), name))
        assert (status, answer["outputs"][0]["datatype"]) == (200, "INT64")
        assert answer["outputs"][0]["data"] == values
        binary = input_of(None, (2,), name)
        del binary["inputs"][0]["data"]
        binary["inputs"][0]["parameters"] = {"binary_data_size": array.nbytes}
        head = json.dumps(binary).encode()
        headers = {"Inference-Header-Content-Length": str(len(head))}
        status, answer = infer(server, head + array.tobytes(), headers=headers)
        assert (status, answer["outputs"][0]["data"]) == (200, values)


def test_a_bool_port_takes_integers_that_are_0_or_1():
    mask = ml.IOKey("mask", type=ml.Tensor[bool], shape=["N"])
    compiled = ml.compile(ml.Model.create(y=3.0 - mask.cast(ml.float32)), ml.CpuBackend())
    engine = ml.Engine()
    engine.register_model("net", compiled, {})
    with ml.serve(engine, port=0) as server:
        for datatype in ("BOOL", "INT64", "UINT8"):
            status, answer = infer(server, input_of([1, 0, 1], (3,), datatype, "mask"))
            assert (status, answer["outputs"][0]["data"]) == (200, [2, 3, 2])
        status, answer = infer(server, input_of([1, 0, 7], (3,), "INT64", "mask"))
        assert (status, answer["code"]) == (400, "E0805")
        assert "'mask' has 7, expected 0 or 1" in answer["error"]


def test_a_compressed_request_is_read(server):
    body = gzip.compress(json.dumps(input_of(X.tolist())).encode())
    status, answer = infer(server, body, headers={"Content-Encoding": "gzip"})
    assert status == 200
    assert answer["outputs"][0]["shape"] == [2, 4]


@pytest.mark.parametrize(
    ("message", "code", "text"),
    [
        ("{", "E0720", "ParseError"),
        ("[" * 100_00, "E0721", "ParseError"),
        ({}, "E0727", "inputs"),
        ({"inputs": 3}, "E0726", "an array"),
        (input_of([1] * 6, datatype="UINT24"), "E1232", "there is no datatype of tensors 'UINT24'"),
        (input_of([256] * 6, datatype="UINT8"), "E1233", "has an element that is not UINT8"),
        (input_of([1] * 6, datatype="INT8"), "E0805", "'x' is int8, expected float32"),
        (input_of([1] * 5), "E1231", "input 'x' has 5 elements, expected 6"),
        (input_of([1] * 6, shape=(-2, -3)), "E0480", "dims [-2, -3]"),
        (input_of([1] * 6, shape=(2**40, 2**40)), "E0481", "64 bits"),
        (input_of([], shape=(2**40, 3)), "E1231", "elements"),
        (input_of([1, 2, "3", 4, 5, 6]), "E1233", "input 'x' has an element that is not FP32"),
        (input_of([1, 2, 3, 4], shape=(1, 4)), "E0804", "'x' has 4 in dim 1, expected 3"),
        (input_of([1] * 6, shape=(6,)), "E0803", "rank 1, expected 2"),
        (input_of([1] * 6, datatype="INT64"), "E0805", "'x' is int64, expected float32"),
        (input_of([1] * 6, name="z"), "E0802", "there is no data input 'z'"),
        ({**input_of([1] * 6), "outputs": [{"name": "w"}]}, "E1235", "there is no output 'w'"),
    ],
)
def test_a_bad_request_has_the_status_400_and_its_own_error(server, message, code, text):
    status, answer = infer(server, message)
    assert (status, answer["code"]) == (400, code)
    assert text in answer["error"]
    assert infer(server, input_of(X.tolist()))[0] == 200


def test_texts_of_errors(server):
    status, answer = infer(server, input_of([1, 2, 3], shape=(2, 3)))
    assert answer["error"] == (
        "mithril.InputError[E1231]: input 'x' has 3 elements, expected 6\n  shape : [2, 3]"
    )
    _, answer = infer(server, input_of([True] * 6))
    assert answer["error"] == (
        "mithril.InputError[E1233]: input 'x' has an element that is not FP32\n  element : true"
    )
    _, answer = infer(server, input_of([1] * 6, datatype="FP99"))
    assert answer["error"].startswith(
        "mithril.TypeError[E1232]: input 'x': there is no datatype of tensors 'FP99'\n"
    )
    _, answer = infer(server, {**input_of([1] * 6), "outputs": [{"name": "w"}]})
    assert answer["error"].startswith("mithril.InputError[E1235]: there is no output 'w'\n")
    status, answer = infer(
        server, input_of([1]), headers={"Inference-Header-Content-Length": "99999"}
    )
    assert status == 400
    assert answer["error"].startswith(
        "mithril.InputError[E1230]: Inference-Header-Content-Length is '99999', expected at most "
        "the size of the body\n"
    )
    status, _, body = ask(server, "GET", "/v3")
    assert status == 404
    assert json.loads(body)["error"] == (
        "mithril.NameError[E1234]: there is nothing at 'GET /v3'\n"
        "  help: docs/serving.md lists the paths"
    )


def test_an_unknown_model_has_the_status_404_and_lists_the_others(server):
    status, answer = infer(server, input_of(X.tolist()), model="ent")
    assert (status, answer["code"]) == (404, "E1201")
    assert "known : net, " in answer["error"]
    for path in ("/v2/models/ent", "/v2/models/ent/ready", "/v2/models/net/versions/2", "/"):
        assert ask(server, "GET", path)[0] == 404
    assert ask(server, "DELETE", "/v2/models/net")[0] == 404


def test_a_deadline_has_the_status_503_and_a_full_queue_429(server, engine):
    timed = {**input_of(X.tolist()), "parameters": {"timeout": 10_000}}
    status, answer = infer(server, timed, model="slow")
    assert (status, answer["code"]) == (503, "E1205")
    waiting = engine.infer_async("slow", {"x": X})
    status, answer = infer(server, input_of(X.tolist()), model="slow")
    assert (status, answer["code"]) == (429, "E1203")
    waiting.cancel()


def test_a_request_above_the_limit_has_the_status_413(server):
    long = input_of([0.0] * LIMIT, shape=(LIMIT // 3, 3))
    status, answer = infer(server, long)
    assert (status, answer["code"]) == (413, "E1239")
    assert answer["error"] == (
        f"mithril.InputError[E1239]: the request has more than {LIMIT} bytes"
    )
    compressed = gzip.compress(json.dumps(long).encode())
    assert len(compressed) < LIMIT
    assert infer(server, compressed, headers={"Content-Encoding": "gzip"})[0] == 413
    chunks = (b" " * 1000 for _ in range(2 * LIMIT // 1000))
    connection = http.client.HTTPConnection(server.host, server.port, timeout=HANGS)
    connection.request("POST", "/v2/models/net/infer", chunks, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_prometheus_reads_the_metrics(server):
    assert infer(server, input_of(X.tolist()))[0] == 200
    assert infer(server, input_of([1, 2, 3, 4], shape=(1, 4)))[0] == 400
    status, headers, body = ask(server, "GET", "/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain")
    lines = body.decode().splitlines()
    names = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    values = {}
    for line in lines:
        if not line.startswith("#"):
            key, _, value = line.rpartition(" ")
            values[key] = float(value)
            assert any(key.startswith(name) for name in names)
    assert values['mithril_requests_total{model="net"}'] > 0
    assert values['mithril_failures_total{model="net",reason="error"}'] > 0
    count = values['mithril_request_seconds_count{model="net"}']
    assert values['mithril_request_seconds_bucket{model="net",le="+Inf"}'] == count > 0


def test_statistics_and_the_repository(server):
    assert infer(server, input_of(X.tolist()))[0] == 200
    stats = json.loads(ask(server, "GET", "/v2/models/net/stats")[2])["model_stats"][0]
    assert stats["name"] == "net" and stats["execution_count"] > 0
    index = json.loads(ask(server, "POST", "/v2/repository/index", "{}")[2])
    assert {"name": "net", "version": "1", "state": "READY"} in index


def test_64_clients_get_their_own_answers(server):
    wrong = []

    def client(number):
        connection = http.client.HTTPConnection(server.host, server.port, timeout=HANGS)
        x = np.full((1, 3), number / 7, np.float32)
        expected = COMPILED.evaluate(PARAMS, {"x": x})["y"]
        for _ in range(5):
            body = json.dumps(input_of(x.tolist(), shape=(1, 3)))
            connection.request("POST", "/v2/models/batched/infer", body)
            answer = json.loads(connection.getresponse().read())
            if not np.allclose(answer["outputs"][0]["data"], expected[0], rtol=1e-5, atol=1e-6):
                wrong.append((number, answer))
        connection.close()

    clients = [threading.Thread(target=client, args=(i,)) for i in range(64)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    assert wrong == []


def is_listening(server):
    try:
        socket.create_connection((server.host, server.port), timeout=HANGS).close()
    except ConnectionRefusedError:
        return False
    return True


def test_stopping_answers_the_requests_that_were_accepted():
    engine = ml.Engine()
    engine.register_model("net", COMPILED, PARAMS, max_batch_size=10, max_delay=3600.0)
    server = ml.serve(engine, port=0)
    statuses = []
    asking = [
        threading.Thread(target=lambda: statuses.append(infer(server, input_of(X.tolist()))[0]))
        for _ in range(4)
    ]
    for thread in asking:
        thread.start()
    while engine.stats("net")["waiting"] < 4:
        time.sleep(0.001)
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    while is_listening(server):
        time.sleep(0.001)
    assert statuses == [] and stopping.is_alive()
    engine.infer("net", {"x": X})  # fills the batch
    for thread in (*asking, stopping):
        thread.join()
    assert statuses == [200] * 4


def test_a_port_in_use_and_bad_options_are_errors(server, engine):
    with pytest.raises(ml.BackendError) as caught:
        ml.serve(engine, port=server.port)
    assert str(caught.value) == (
        f"mithril.BackendError[E1236]: the server cannot listen at 127.0.0.1:{server.port}\n"
        "  help: choose another port, or 0 for any; the port may be in use"
    )
    with pytest.raises(ml.ValueError) as caught:
        ml.serve(engine, port=70000)
    assert str(caught.value) == (
        "mithril.ValueError[E1237]: serve: port is 70000, expected 0 to 65535"
    )
    assert repr(server) == f"HttpServer('127.0.0.1:{server.port}')"


def test_a_request_that_is_not_http_is_refused(server):
    with socket.create_connection((server.host, server.port), timeout=HANGS) as raw:
        raw.sendall(b"GARBAGE\r\n\r\n")
        answer = b"".join(iter(lambda: raw.recv(4096), b""))  # until the server closes
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"mithril.ParseError[E1238]: this is not a valid HTTP request" in answer
