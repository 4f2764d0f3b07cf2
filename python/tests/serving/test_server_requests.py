"""Inference requests over HTTP whose content does not fit, and the counts of all requests."""

import importlib
import json
from importlib.util import find_spec

import pytest
from raw_http import exchange
from served_linear import COMPILED, PARAMS, X

import mithril as ml

pytestmark = pytest.mark.skipif(
    find_spec("mithril._server") is None, reason="the server is not built"
)


@pytest.fixture(scope="module")
def server():
    engine = ml.Engine()
    engine.register_model("net", COMPILED, PARAMS)
    with ml.serve(engine, port=0) as server:
        yield server


def infer(server, message, model="net"):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    head = f"POST /v2/models/{model}/infer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
    head += f"Content-Length: {len(body)}\r\n\r\n"
    (answer,) = exchange(server, head.encode() + body)
    return answer.status, json.loads(answer.body)


def input_of(data, shape=(2, 3), datatype="FP32", name="x"):
    return {"inputs": [{"name": name, "shape": list(shape), "datatype": datatype, "data": data}]}


@pytest.mark.parametrize(
    ("datatype", "data"),
    [("FP32", 1e308), ("FP32", -3.5e38), ("FP16", 65520), ("FP16", -1e5),
     ("FP16", 1e308), ("BF16", 3.4e38), ("BF16", -1e300), ("INT64", 1.5), ("INT32", 2**31),
     ("INT32", 1e5), ("BOOL", 2)],
)  # fmt: skip
def test_a_number_that_its_datatype_cannot_hold_is_an_error(server, datatype, data):
    status, answer = infer(server, input_of([0, 0, 0, 0, 0, data], datatype=datatype))
    assert (status, answer["code"]) == (400, "E1233")
    assert f"has an element that is not {datatype}" in answer["error"]


@pytest.mark.parametrize(
    ("datatype", "data"),
    [("FP32", 3.4028234e38), ("FP16", 65504), ("FP16", 65519), ("BF16", 3.38e38),
     ("FP64", 1.7e308), ("FP32", 1e-60), ("FP32", 3.4028235e38), ("FP16", -65504)],
)  # fmt: skip
def test_the_largest_numbers_of_a_datatype_are_taken(datatype, data):
    model = ml.Model.create(y=ml.IOKey("x", type=ml.Tensor[float], shape=["N"]) * 1.0)
    dtypes = {"FP32": ml.float32, "FP16": ml.float16, "BF16": ml.bfloat16, "FP64": ml.float64}
    backend = ml.CpuBackend(dtype=dtypes[datatype])
    engine = ml.Engine()
    engine.register_model("net", ml.compile(model, backend, data_keys=["x"]), {})
    with ml.serve(engine, port=0) as server:
        status, answer = infer(server, input_of([data], (1,), datatype))
    assert status == 200
    assert answer["outputs"][0]["data"][0] == pytest.approx(data, rel=1e-2, abs=1e-30)


@pytest.mark.parametrize(
    ("shape", "data", "code", "text"),
    [
        ((2, 3), [[1, 2, 3, 4], [5, 6]], "E1231", "has 4 items in axis 1, expected 3"),
        ((2, 3), [[1, 2, 3], [4, 5]], "E1231", "has 2 items in axis 1, expected 3"),
        ((2, 3), [[1, 2], [3, 4], [5, 6]], "E1231", "has 3 items in axis 0, expected 2"),
        ((2, 3), [[1, 2, 3, 4, 5, 6]], "E1231", "has 1 items in axis 0, expected 2"),
        ((2, 3), [[[1, 2, 3]], [[4, 5, 6]]], "E1231", "has 1 items in axis 1, expected 3"),
        ((2, 3), [1, 2, 3, [4, 5, 6]], "E1231", "has 4 elements, expected 6"),
        ((2, 3), [1, 2, 3, [4], 5, 6], "E1233", "has an element that is not FP32"),
        ((2, 3), [[1, 2, 3], 4, 5, 6], "E1231", "has 4 items in axis 0, expected 2"),
        ((2, 3), [[1, 2, 3], 4], "E1231", "has 0 items in axis 1, expected 3"),
        ((2, 3), [[1, 2, 3], [4, 5, [6]]], "E1233", "has an element that is not FP32"),
        ((2, 3), [[1, 2, 3], [4, 5, None]], "E1233", "has an element that is not FP32"),
        ((2, 3), [[], []], "E1231", "has 0 items in axis 1, expected 3"),
        ((2**40, 2**10), [[1]], "E1231", "has 1 items in axis 0"),
    ],
)
def test_lists_of_other_sizes_than_the_shape_are_errors(server, shape, data, code, text):
    status, answer = infer(server, input_of(data, shape))
    assert (status, answer["code"]) == (400, code)
    assert text in answer["error"]


def test_numbers_that_are_not_finite_are_null():
    """JSON has no NaN and no infinity."""
    model = ml.Model()
    model |= ml.Log()(input="x", output="y")
    engine = ml.Engine()
    engine.register_model("net", ml.compile(model, ml.CpuBackend(), shapes={"x": [3]}))
    with ml.serve(engine, port=0) as server:
        status, answer = infer(server, input_of([0, 1, -1], shape=[3]))
    assert (status, answer["outputs"][0]["data"]) == (200, [None, 0, None])


def test_an_input_without_elements_is_taken(server):
    status, answer = infer(server, input_of([], (0, 3)))
    assert (status, answer["outputs"][0]["shape"]) == (200, [0, 4])


def test_an_output_that_is_named_twice_is_an_error(server):
    status, answer = infer(server, {**input_of(X.tolist()), "outputs": [{"name": "y"}] * 1000})
    assert (status, answer["code"]) == (400, "E1247")
    assert answer["error"] == "mithril.InputError[E1247]: the request names output 'y' twice"


def test_an_input_that_is_named_twice_is_an_error(server):
    twice = {"inputs": input_of(X.tolist())["inputs"] * 2}
    status, answer = infer(server, twice)
    assert (status, answer["code"]) == (400, "E0486")


def test_many_inputs_are_one_error():
    engine = ml.Engine()
    engine.register_model("net", COMPILED, PARAMS)
    inputs = [input_of([1], (1,), name=f"x{number}")["inputs"][0] for number in range(20_000)]
    with ml.serve(engine, port=0) as server:
        status, answer = infer(server, {"inputs": inputs})
    assert (status, answer["code"]) == (400, "E0802")
    assert len(answer["error"]) < 1000


def test_answers_do_not_contain_places_in_python_files():
    loaded = []

    def load():
        if loaded:
            raise ZeroDivisionError("the loader divides")
        loaded.append(True)
        return COMPILED, PARAMS

    engine = ml.Engine(memory_limit=100)
    engine.register_model("net", load)
    engine.register_model("other", lambda: (COMPILED, PARAMS))  # evicts the first
    with ml.serve(engine, port=0) as server:
        status, answer = infer(server, input_of(X.tolist()))
    assert (status, answer) == (
        503,
        {
            "error": "mithril.BackendError[E1241]: the request cannot be answered\n"
            "  why : ZeroDivisionError: the loader divides",
            "code": "E1241",
        },
    )


def test_a_failed_request_that_starts_a_sequence_leaves_no_session():
    gpt2 = importlib.import_module("gpt2")
    config = gpt2.Config(vocab_size=61, n_positions=32, n_embd=24, n_layer=1, n_head=3)
    cached = ml.compile(
        gpt2.gpt2(config, 16), ml.CpuBackend(), inference=True, shapes={"input_ids": [1, None]}
    )
    engine = ml.Engine()
    params = cached.get_parameters(seed=4)
    engine.register_model("gpt2", cached, params, state=cached.initial_state_dict)

    def ask(server, ids, **sequence):
        shape = [1, len(ids)]
        tensors = [{"name": "input_ids", "shape": shape, "datatype": "INT64", "data": ids}]
        if "attention_mask" in cached.data_keys:
            mask = {"name": "attention_mask", "shape": shape, "datatype": "BOOL"}
            tensors.append({**mask, "data": [True] * len(ids)})
        message = {"inputs": tensors, "parameters": {"sequence_id": 7, **sequence}}
        return infer(server, message, "gpt2")[0]

    with ml.serve(engine, port=0) as server:
        wrong = [61]  # beyond the vocabulary: the evaluation fails
        for ends in (False, True):
            assert ask(server, wrong, sequence_start=True, sequence_end=ends) == 400
            assert engine.stats("gpt2")["sessions"] == 0
        assert ask(server, [5], sequence_start=True) == 200
        assert ask(server, wrong) == 400
        assert engine.stats("gpt2")["sessions"] == 1  # the client may go on
        assert ask(server, [5], sequence_end=True) == 200
        assert engine.stats("gpt2")["sessions"] == 0


def test_the_counts_of_a_model_add_up(server_engine):
    server, engine = server_engine
    wrong = [
        b"{",
        {"inputs": 3},
        input_of([1] * 5),
        input_of([1] * 6, name="z"),
        {**input_of(X.tolist()), "outputs": [{"name": "w"}]},
        {**input_of(X.tolist()), "outputs": [{"name": "y"}] * 2},
        {**input_of(X.tolist()), "parameters": {"sequence_id": 5}},
        {**input_of(X.tolist()), "parameters": {"sequence_id": 5, "sequence_start": True}},
    ]
    for number, message in enumerate(wrong):
        assert infer(server, message)[0] in {400, 404}
        assert (engine.stats("net")["requests"], engine.stats("net")["failed"]) == (number + 1,) * 2
    assert infer(server, input_of(X.tolist()))[0] == 200
    engine.shut_down()
    assert infer(server, input_of(X.tolist()))[0] == 503
    stats = engine.stats("net")
    ends = [stats[end] for end in ("answered", "failed", "rejected", "expired", "cancelled")]
    assert ends == [1, len(wrong), 0, 0, 1]
    assert stats["requests"] == sum(ends)


@pytest.fixture
def server_engine():
    engine = ml.Engine()
    engine.register_model("net", COMPILED, PARAMS)
    with ml.serve(engine, port=0) as server:
        yield server, engine
