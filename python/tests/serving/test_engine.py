"""Engines: batches, errors, replacement, sessions and memory, from Python."""

import importlib
import json
import threading

import numpy as np
import pytest
from processes import printed_by

import mithril as ml

# Longer than a test, also on a machine that stalls: only a full batch runs.
LONG = 3600.0


def network(seed=0, **options):
    model = ml.Model()
    model |= ml.Linear(dimension=8)(input="x", output="hidden")
    model |= ml.Relu()(input="hidden", output="active")
    model |= ml.Linear(dimension=4)(input="active", output="y")
    model.expose_keys("y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": ["N", 3]}, inference=True, **options)
    return compiled, compiled.get_parameters(seed=seed)


def request(number, rows=1):
    return {"x": np.full((rows, 3), number, np.float32)}


def test_64_requests_in_batches_of_32_make_two_evaluations_with_equal_answers():
    compiled, params = network()
    engine = ml.Engine()
    engine.register_model("net", compiled, params, max_batch_size=32, max_delay=LONG)
    requests = [request(i / 8) for i in range(64)]
    answers = engine.infer_batch("net", requests)
    assert engine.stats("net")["calls"] <= 2
    for given, answer in zip(requests, answers, strict=True):
        np.testing.assert_allclose(answer["y"], compiled.evaluate(params, given)["y"], rtol=1e-5)


def test_threads_share_evaluations():
    compiled, params = network()
    engine = ml.Engine()
    engine.register_model("net", compiled, params, max_batch_size=16, max_delay=LONG)
    answers = [None] * 16

    def ask(i):
        answers[i] = engine.infer("net", request(i))["y"]

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert engine.stats("net")["calls"] == 1
    for i, answer in enumerate(answers):
        np.testing.assert_allclose(answer, compiled.evaluate(params, request(i))["y"], rtol=1e-5)


def test_eight_threads_on_two_models_get_the_answers_of_their_own():
    compiled, params = network(1)
    others = compiled.get_parameters(seed=2)
    engine = ml.Engine()
    engine.register_model("a", compiled, params, max_batch_size=4, max_delay=0.001)
    engine.register_model("b", compiled, others)
    wrong = []

    def ask(i):
        name, own = ("a", params) if i % 2 else ("b", others)
        for k in range(25):
            given = request(i + k / 8, rows=1 + k % 3)
            expected = compiled.evaluate(own, given)["y"]
            if not np.allclose(engine.infer(name, given)["y"], expected, rtol=1e-5, atol=1e-6):
                wrong.append((i, k))

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_bad_requests_among_good_ones_fail_alone():
    compiled, params = network()
    engine = ml.Engine()
    engine.register_model("net", compiled, params, max_batch_size=4, max_delay=0.001)
    requests = [request(1), {"x": np.zeros((1, 5), np.float32)}, {}, request(2)]
    answers = engine.infer_batch("net", requests, return_errors=True)
    assert [type(answer).__name__ for answer in answers] == [
        "dict",
        "InputError",
        "InputError",
        "dict",
    ]
    assert [answer.code for answer in answers[1:3]] == ["E0804", "E0801"]
    with pytest.raises(ml.InputError, match="E0804"):
        engine.infer_batch("net", requests)
    assert engine.infer("net", request(3))["y"].shape == (1, 4)


def test_requests_of_different_lengths_are_padded():
    model = ml.Model()
    model |= ml.Multiply()(left="tokens", right="mask", output="scaled")
    model |= ml.Sum(axis=1)(input="scaled", output="pooled")
    model.expose_keys("scaled", "pooled")
    compiled = ml.compile(
        model,
        ml.CpuBackend(),
        shapes={"tokens": ["N", "L"], "mask": ["N", "L"]},
        data_keys={"tokens", "mask"},
        inference=True,
    )
    engine = ml.Engine()
    engine.register_model(
        "pool",
        compiled,
        max_batch_size=3,
        max_delay=LONG,
        mask="mask",
        padding={"tokens": 9},
        max_padding=0.5,
    )
    requests = [
        {"tokens": np.ones((1, n), np.float32), "mask": np.ones((1, n), np.float32)}
        for n in (2, 5, 3)
    ]
    answers = engine.infer_batch("pool", requests)
    assert engine.stats("pool")["calls"] == 1
    assert [answer["scaled"].shape for answer in answers] == [(1, 2), (1, 5), (1, 3)]
    assert [float(answer["pooled"][0]) for answer in answers] == [2, 5, 3]


def test_a_model_is_replaced_while_requests_run():
    compiled, params = network(1)
    others = compiled.get_parameters(seed=2)
    expected = [compiled.evaluate(weights, request(1))["y"] for weights in (params, others)]
    engine = ml.Engine()
    engine.register_model("net", compiled, params)
    ended = threading.Event()
    wrong = []

    def ask():
        while not ended.is_set():
            answer = engine.infer("net", request(1))["y"]
            if not any(np.allclose(answer, tensor, rtol=1e-5) for tensor in expected):
                wrong.append(answer)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for i in range(20):
        engine.register_model("net", compiled, (others, params)[i % 2], max_batch_size=1 + i % 4)
    ended.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    np.testing.assert_allclose(engine.infer("net", request(1))["y"], expected[0], rtol=1e-5)


def test_answers_come_in_the_background_and_requests_can_be_cancelled():
    compiled, params = network()
    engine = ml.Engine()
    engine.register_model("net", compiled, params, max_batch_size=64, max_delay=LONG)
    pending = engine.infer_async("net", request(1))
    assert not pending.done() and not pending.wait(0.001)
    assert repr(pending) == "PendingAnswer(done=False)"
    pending.cancel()
    with pytest.raises(ml.BackendError, match=r"E1206\]: a request to model 'net' was cancelled"):
        pending.result()
    engine.register_model("direct", compiled, params)
    answer = engine.infer_async("direct", request(1)).result()
    np.testing.assert_allclose(answer["y"], compiled.evaluate(params, request(1))["y"], rtol=1e-6)


def test_deadlines_and_full_queues_are_errors():
    compiled, params = network()
    engine = ml.Engine()
    engine.register_model("net", compiled, params, max_batch_size=64, max_delay=LONG, max_queue=1)
    with pytest.raises(ml.BackendError, match="E1205"):
        engine.infer("net", request(1), timeout=0.01)
    waiting = engine.infer_async("net", request(1))
    with pytest.raises(ml.BackendError, match="E1203"):
        engine.infer("net", request(1))
    engine.unload("net")
    with pytest.raises(ml.BackendError, match="E1207"):
        waiting.result()
    with pytest.raises(ml.ValueError) as caught:
        engine.infer("net", request(1), timeout=-1)
    assert str(caught.value) == (
        "mithril.ValueError[E1224]: timeout is -1.0, expected seconds from 0 to 1e9"
    )


def test_an_engine_describes_its_models():
    compiled, params = network()
    engine = ml.Engine()
    engine.register_model("net", compiled, params, max_batch_size=8)
    assert repr(engine) == "Engine(models=['net'])"
    info = engine.model_info("net")
    assert info["inputs"] == [{"name": "x", "dtype": ml.float32, "shape": ["N", 3]}]
    assert info["outputs"] == [{"name": "y", "dtype": ml.float32, "shape": ["N", 4]}]
    assert info["bytes"] == engine.memory == sum(value.nbytes for value in params.values())
    with pytest.raises(ml.NameError, match="did you mean 'net'"):
        engine.infer("ent", request(1))
    engine.shut_down()
    with pytest.raises(ml.BackendError, match="E1208"):
        engine.infer("net", request(1))


def test_an_evicted_model_is_loaded_again():
    compiled, params = network()
    size = sum(value.nbytes for value in params.values())
    engine = ml.Engine(memory_limit=size)
    engine.register_model("a", lambda: (compiled, params))
    engine.register_model("b", lambda: (compiled, params, None))
    assert not engine.model_info("a")["loaded"]
    expected = compiled.evaluate(params, request(1))["y"]
    np.testing.assert_allclose(engine.infer("a", request(1))["y"], expected, rtol=1e-6)
    assert not engine.model_info("b")["loaded"]
    with pytest.raises(ml.OutOfMemoryError, match="E1209"):
        ml.Engine(memory_limit="10 B").register_model("a", compiled, params)


def test_a_session_keeps_the_cache_of_keys_and_values():
    gpt2 = importlib.import_module("gpt2")
    config = gpt2.Config(vocab_size=61, n_positions=32, n_embd=24, n_layer=2, n_head=3)
    shapes = {"input_ids": [1, None]}
    cached = ml.compile(gpt2.gpt2(config, 16), ml.CpuBackend(), inference=True, shapes=shapes)
    params = cached.get_parameters(seed=4)
    expected = ml.generate(cached, params, [5, 17, 3], 6)
    engine = ml.Engine(max_sessions=2)
    engine.register_model("gpt2", cached, params, state=cached.initial_state_dict)
    session = engine.open_session("gpt2")
    tokens, given = [], [5, 17, 3]
    for _ in range(6):
        inputs = {"input_ids": np.array([given])}
        if "attention_mask" in cached.data_keys:
            inputs["attention_mask"] = np.ones((1, len(given)), bool)
        logits = engine.infer("gpt2", inputs, session=session)["logits"]
        given = [int(logits[0, -1].argmax())]
        tokens += given
    assert tokens == expected
    engine.close_session("gpt2", session)
    with pytest.raises(ml.NameError, match="E1202"):
        engine.infer("gpt2", inputs, session=session)


def test_a_trace_has_the_steps_of_an_evaluation(tmp_path):
    compiled, params = network()
    engine = ml.Engine()
    engine.register_model("net", compiled, params, max_batch_size=64, max_delay=LONG)
    path = tmp_path / "trace.json"
    engine.infer("net", request(1), trace=path)
    trace = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    assert {event["name"] for event in trace if event["ph"] != "X"} == {"thread_name"}
    events = [event for event in trace if event["ph"] == "X"]
    ops = ", ".join(event["cat"] for event in events)
    assert ops.count("linear") == 2 and "relu" in ops
    assert "y" in {event["name"] for event in events}
    assert min(event["ts"] for event in events) == 0
    assert all(event["dur"] >= 0 for event in events)
    with pytest.raises(ml.InputError, match="E0831"):
        engine.infer("net", request(1), trace=tmp_path / "missing" / "trace.json")


# Threads of other tests allocate memory, too, so a process of its own counts.
MEMORY = """
import gc
import mithril as ml
from test_engine import network, request

compiled, params = network()
engine = ml.Engine()

def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096

def cycles(count):
    for i in range(count):
        engine.register_model("net", compiled, params, max_batch_size=1 + i % 2, max_delay=0.0)
        engine.infer("net", request(i))
        engine.unload("net")
    gc.collect()

cycles(50)
before = resident()
cycles(500)
print(resident() - before)
"""


def test_memory_does_not_grow_over_500_cycles_of_register_answer_and_unload():
    assert int(printed_by(MEMORY)) < 5e6
