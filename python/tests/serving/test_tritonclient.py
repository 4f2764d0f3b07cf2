"""The client of PyPI's tritonclient[http] works with the server unchanged."""

import importlib
from importlib.util import find_spec

import numpy as np
import pytest
from served_linear import COMPILED, PARAMS, X, Y

import mithril as ml

triton = pytest.importorskip("tritonclient.http", reason="tritonclient is not installed")
utils = pytest.importorskip("tritonclient.utils", reason="tritonclient is not installed")
pytestmark = pytest.mark.skipif(
    find_spec("mithril._server") is None, reason="the server is not built"
)


@pytest.fixture(scope="module")
def engine():
    engine = ml.Engine()
    engine.register_model("net", COMPILED, PARAMS)
    engine.register_model("batched", COMPILED, PARAMS, max_batch_size=8, max_delay=0.001)
    return engine


@pytest.fixture(scope="module")
def server(engine):
    with ml.serve(engine, port=0) as server:
        yield server


@pytest.fixture
def client(server):
    with triton.InferenceServerClient(server.address) as client:
        yield client


@pytest.mark.parametrize("binary", [True, False])
def test_tritonclient_gets_answers(client, binary):
    x = triton.InferInput("x", [2, 3], "FP32")
    x.set_data_from_numpy(X, binary_data=binary)
    wanted = [triton.InferRequestedOutput("y", binary_data=binary)]
    for outputs in (wanted, None):
        result = client.infer("net", [x], outputs=outputs, request_id="7")
        np.testing.assert_array_equal(result.as_numpy("y"), Y)
        assert result.get_response()["id"] == "7"
    for algorithm in ("gzip", "deflate"):
        result = client.infer(
            "net",
            [x],
            request_compression_algorithm=algorithm,
            response_compression_algorithm=algorithm,
        )
        np.testing.assert_array_equal(result.as_numpy("y"), Y)


def test_tritonclient_reads_metadata_and_health(client):
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready("net") and not client.is_model_ready("other")
    assert client.get_server_metadata()["name"] == "mithril"
    assert client.get_model_metadata("net")["inputs"][0]["datatype"] == "FP32"
    assert client.get_model_config("net")["name"] == "net"
    assert client.get_inference_statistics("net")["model_stats"][0]["name"] == "net"
    assert {model["name"] for model in client.get_model_repository_index()} >= {"net", "batched"}


def test_tritonclient_shows_the_error_of_the_server(client):
    x = triton.InferInput("x", [1, 4], "FP32")
    x.set_data_from_numpy(np.zeros((1, 4), np.float32))
    with pytest.raises(utils.InferenceServerException, match=r"'x' has 4 in dim 1, expected 3"):
        client.infer("net", [x])


def test_a_sequence_of_tritonclient_is_a_session(client, engine):
    gpt2 = importlib.import_module("gpt2")
    config = gpt2.Config(vocab_size=61, n_positions=32, n_embd=24, n_layer=2, n_head=3)
    shapes = {"input_ids": [1, None]}
    cached = ml.compile(gpt2.gpt2(config, 16), ml.CpuBackend(), inference=True, shapes=shapes)
    params = cached.get_parameters(seed=4)
    engine.register_model("gpt2", cached, params, state=cached.initial_state_dict)
    expected = ml.generate(cached, params, [5, 17, 3], 4)
    tokens, given = [], [5, 17, 3]
    for step in range(4):
        inputs = [triton.InferInput("input_ids", [1, len(given)], "INT64")]
        inputs[0].set_data_from_numpy(np.array([given]))
        if "attention_mask" in cached.data_keys:
            inputs.append(triton.InferInput("attention_mask", [1, len(given)], "BOOL"))
            inputs[1].set_data_from_numpy(np.ones((1, len(given)), bool))
        result = client.infer(
            "gpt2", inputs, sequence_id=9, sequence_start=step == 0, sequence_end=step == 3
        )
        given = [int(result.as_numpy("logits")[0, -1].argmax())]
        tokens += given
    assert tokens == expected
    assert engine.stats("gpt2")["sessions"] == 0
