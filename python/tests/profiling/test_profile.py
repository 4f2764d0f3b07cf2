"""Profiles: what they record, and what their rows, gaps and events add up to."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import mithril as ml

X = np.full((8, 12), 0.5, np.float32)
T = np.zeros((8, 4), np.float32)
KINDS = ["op", "path", "kernel", "layer", "phase"]


def network():
    net = ml.Model()
    net |= ml.Linear(16, name="fc1")(input="x")
    net += ml.Relu()
    net += ml.Linear(4, name="fc2")(output="y")
    return net


def compiled_network(backend=None):
    compiled = ml.compile(network(), backend or ml.CpuBackend(), shapes={"x": [8, 12]})
    return compiled, compiled.get_parameters()


def trained_network(backend=None):
    model = ml.TrainModel(network())
    model.add_loss(ml.SquaredError(), input="y", target="t")
    shapes = {"x": [8, 12], "t": [8, 4]}
    return ml.compile(model, backend or ml.CpuBackend(), shapes=shapes)


def check_sums(profile):
    """The seconds of rows and gaps are those of the profile, however rows add up."""
    for by in KINDS:
        parts = [*profile.rows(by=by), *profile.gaps()]
        assert sum(part["seconds"] for part in parts) == pytest.approx(profile.seconds, abs=1e-9)


def names(rows):
    return {row["name"] for row in rows}


def test_a_profile_records_the_evaluations_in_its_block():
    compiled, params = compiled_network()
    compiled.evaluate(params, {"x": X})
    with ml.profile() as p:
        for _ in range(3):
            compiled.evaluate(params, {"x": X})
    compiled.evaluate(params, {"x": X})
    check_sums(p)
    assert all(row["calls"] % 3 == 0 for row in p.rows())
    assert {"fc1", "fc2"} <= names(p.rows(by="layer"))
    evaluate, outside = p.gaps()
    assert (evaluate["name"], evaluate["calls"]) == ("evaluate, between steps", 3)
    assert outside["name"] == "outside of calls"


def test_steps_have_operations_bytes_and_shapes():
    compiled, params = compiled_network()
    with ml.profile() as p:
        compiled.evaluate(params, {"x": X})
    cost = network().cost(shapes={"x": [8, 12]})
    assert sum(row["operations"] for row in p.rows()) == cost["operations"]
    (last,) = [step for step in p.to_dict()["steps"] if step["path"] == "y"]
    assert last["ops"] == ["linear"]
    assert last["kernel"] == "gemm"
    assert last["phase"] == "forward"
    assert (last["backend"], last["device"]) == ("cpu", "cpu")
    assert last["threads"] >= 1
    assert last["operations"] == 2 * 8 * 16 * 4
    assert last["bytes"] == 4 * (8 * 16 + 4 * 16 + 4 + 8 * 4)
    shapes = {tensor["name"]: tensor["shape"] for tensor in last["reads"] + last["writes"]}
    assert shapes["fc2.weight"] == [4, 16] and shapes["y"] == [8, 4]
    assert last["writes"] == [{"name": "y", "dtype": "float32", "shape": [8, 4]}]


def test_steps_count_as_cost_does():
    model = ml.Model()
    model |= ml.Embedding(1000, dim=8)(input="ids", output="h")
    model |= ml.Add()(left="h", right="h", output="twice")
    model |= ml.Add()(left="twice", right=1.0, output="more")
    model |= ml.Sum()(input="more", output="y")
    shapes = {"ids": [1, 5]}
    compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes, inference=True)
    with ml.profile() as p:
        compiled.evaluate(compiled.get_parameters(), {"ids": np.zeros((1, 5), np.int64)})
    cost = model.cost(shapes)
    assert sum(row["operations"] for row in p.rows()) == cost["operations"] == 4 * 5 * 8
    (taken,) = [row for row in p.rows(by="layer") if row["name"] == "embedding"]
    assert taken["bytes"] == cost["parts"]["embedding"]["bytes"] == 4 * 2 * 5 * 8 + 8 * 5


def test_events_lie_in_their_calls():
    compiled, params = compiled_network()
    with ml.profile() as p:
        compiled.evaluate(params, {"x": X})
    events = p.to_dict()
    calls = {call["name"]: call for call in events["calls"]}
    assert set(calls) == {"evaluate", "profile"}
    assert calls["profile"]["begin"] == 0
    assert calls["profile"]["duration"] == pytest.approx(events["seconds"], abs=1e-12)
    begin = calls["evaluate"]["begin"]
    end = begin + calls["evaluate"]["duration"]
    for step in events["steps"]:
        assert begin <= step["begin"] and step["begin"] + step["duration"] <= end + 1e-9
    json.dumps(events)


def test_a_training_step_has_three_phases():
    compiled = trained_network()
    params = compiled.get_parameters()
    step = ml.TrainingStep(compiled, ml.Adam(lr=0.1))
    with ml.profile() as p:
        step(params, {"x": X, "t": T})
    check_sums(p)
    assert names(p.rows(by="phase")) == {"forward", "backward", "update"}
    assert {"fc1", "fc2"} <= names(p.rows(by="layer"))
    assert "TrainingStep, between steps" in names(p.gaps())
    prefixes = ("grad.", "optimizer.", "model.")
    assert not any(name.startswith(prefixes) for name in names(p.rows(by="layer")))


def test_generate_and_engines_are_calls():
    model = ml.Model()
    model |= ml.Embedding(9, dim=8)(input="input_ids", output="h")
    model |= ml.Linear(9)(input="h", output="logits")
    shapes = {"input_ids": [None, None]}
    compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes, data_keys=["input_ids"])
    params = compiled.get_parameters()
    engine = ml.Engine()
    engine.register_model("net", compiled, params)
    with ml.profile() as p:
        ml.generate(compiled, params, [1, 2], 3)
        engine.infer("net", {"input_ids": np.array([[1, 2]])})
    check_sums(p)
    assert names(p.gaps()) == {
        "generate, between steps",
        "infer, between steps",
        "outside of calls",
    }
    assert any("gather" in row["name"] or "embedding" in row["name"] for row in p.rows())


def test_the_steps_of_a_loop_are_steps():
    body = ml.Model()
    body |= ml.Linear(4, name="fc")(input="h", output="a")
    body |= ml.Add()(left="a", right="x", output="next")
    loop = ml.Scan(body, carry={"h": "next"}, sequences=["x"], outputs=["next"])
    net = ml.Model()
    net |= loop(x="xs", h="start", next="all")
    shapes = {"xs": [5, 2, 4], "start": [2, 4]}
    compiled = ml.compile(net, ml.CpuBackend(), shapes=shapes, data_keys=["xs", "start"])
    data = {"xs": np.ones((5, 2, 4), np.float32), "start": np.zeros((2, 4), np.float32)}
    with ml.profile() as p:
        compiled.evaluate(compiled.get_parameters(), data)
    check_sums(p)
    rows = {row["name"]: row for row in p.rows(by="kernel")}
    assert rows["loop"]["calls"] == 1 and rows["loop"]["operations"] == 0
    assert sum(row["calls"] for name, row in rows.items() if "gemm" in name) == 5


def test_a_trace_opens_in_viewers(tmp_path):
    compiled, params = compiled_network()
    with ml.profile() as p:
        compiled.evaluate(params, {"x": X})
    p.save(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))
    assert trace["displayTimeUnit"] == "ns"
    for event in trace["traceEvents"]:
        assert event["ph"] in {"X", "M"} and event["pid"] == 1 and event["tid"] >= 1
        assert event["ph"] == "M" or (event["ts"] >= 0 and event["dur"] >= 0)
    (last,) = [event for event in trace["traceEvents"] if event["name"] == "y"]
    assert last["args"]["writes"] == "y float32[8, 4]"
    assert last["args"]["operations"] == 2 * 8 * 16 * 4
    with pytest.raises(ml.InputError, match="E0831"):
        p.save(tmp_path / "missing" / "trace.json")


def test_the_summary_is_a_table_with_gaps_and_the_peak():
    compiled, params = compiled_network()
    with ml.profile() as p:
        compiled.evaluate(params, {"x": X})
    for by in KINDS:
        lines = p.summary(by=by).splitlines()
        assert lines[0].split() == [
            *([by + "s"] if by == "op" else [by]),
            *("calls", "time", "ms", "share", "op/s", "B/s", "of", "peak", "threads"),
        ]
        assert any(line.startswith("evaluate, between steps") for line in lines)
        assert lines[-1].startswith("peak of this machine: ")
        assert re.match(r"total .* 100\.0 %$", lines[-3])
    assert "peak" not in p.summary(peak=False)
    assert names(p.rows(by="layer", depth=1)) >= {"fc1", "fc2"}


def test_a_block_records_anew():
    compiled, params = compiled_network()
    p = ml.profile()
    for count in (1, 2):
        with p:
            for _ in range(count):
                compiled.evaluate(params, {"x": X})
        assert p.gaps()[0]["calls"] == count


def test_a_profile_ends_with_an_exception():
    compiled, params = compiled_network()
    with pytest.raises(ml.InputError, match="E0801"), ml.profile() as p:
        compiled.evaluate(params, {})
    assert p.gaps()[0]["calls"] == 1 and p.rows() == []
    with ml.profile():
        pass


def test_a_block_in_a_block_of_the_same_profile_is_refused():
    compiled, params = compiled_network()
    with ml.profile() as p:
        compiled.evaluate(params, {"x": X})
        with pytest.raises(ml.StateError, match="E0970"), p:
            pass
    assert p.gaps()[0]["calls"] == 1


def test_a_forked_process_records_its_own_profile():
    compiled, params = compiled_network(ml.CpuBackend(threads=1))
    with ml.profile() as p:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                compiled.evaluate(params, {"x": X})
                with ml.profile() as own:
                    p.__exit__(None, None, None)  # ends no other profile
                    compiled.evaluate(params, {"x": X})
                status = 0 if own.gaps()[0]["calls"] == 1 else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        compiled.evaluate(params, {"x": X})
    assert p.gaps()[0]["calls"] == 1


def test_threads_show_a_first_summary_at_once():
    program = """
import threading, mithril as ml
with ml.profile() as p:
    pass
threads = [threading.Thread(target=p.summary) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_profiles_refuse_what_they_cannot_do():
    p = ml.profile()
    with pytest.raises(ml.StateError, match="E0971"):
        p.rows()
    with ml.profile() as first:
        with pytest.raises(ml.StateError, match="E0970"), ml.profile():
            pass
        with pytest.raises(ml.StateError, match="E0971"):
            first.summary()
    with pytest.raises(ml.ValueError, match="by is 'node', expected one of op, path, kernel"):
        first.summary(by="node")


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_torch_has_a_step_for_each_op():
    compiled, params = compiled_network(ml.TorchBackend())
    x = ml.TorchBackend().array(X)
    with ml.profile() as p:
        compiled.evaluate(params, {"x": x})
    check_sums(p)
    steps = p.to_dict()["steps"]
    assert [step["backend"] for step in steps] == ["torch"] * len(steps)
    assert all(step["threads"] is None for step in steps)
    assert all(row["threads"] is None for row in p.rows())
    assert any(step["kernel"].startswith("aten::") for step in steps)
    cost = network().cost(shapes={"x": [8, 12]})
    assert sum(step["operations"] for step in steps) == cost["operations"]


@pytest.mark.skipif(find_spec("jax") is None, reason="jax is not installed")
def test_jax_has_one_step_for_a_call():
    compiled, params = compiled_network(ml.JaxBackend())
    with ml.profile() as p:
        compiled.evaluate(params, {"x": X})
        compiled.evaluate(params, {"x": X})
    check_sums(p)
    (row,) = p.rows()
    assert (row["name"], row["calls"]) == ("whole graph", 2)
    assert row["operations"] == 2 * network().cost(shapes={"x": [8, 12]})["operations"]


def test_a_timeline_shows_what_owns_the_peak():
    compiled = trained_network()
    forward, both = compiled.memory_timeline(), compiled.memory_timeline(gradients=True)
    assert len(both.steps) > len(forward.steps)
    assert both.peak_bytes == max(step["bytes"] for step in both.steps)
    assert both.steps[both.peak_step]["bytes"] == both.peak_bytes <= both.planned_bytes
    alive = both.alive_at(both.peak_step)
    assert [value["bytes"] for value in alive] == sorted(
        (value["bytes"] for value in alive), reverse=True
    )
    for value in both.values:
        assert 0 <= value["first"] <= value["last"] < len(both.steps)
        assert value["made_by"]
    assert str(both).startswith("peak ")


def test_a_timeline_needs_sizes_and_a_backend_that_plans():
    compiled = ml.compile(network(), ml.CpuBackend(), shapes={"x": [None, 12]}, data_keys=["x"])
    with pytest.raises(ml.InputError) as caught:
        compiled.memory_timeline()
    assert str(caught.value) == (
        "mithril.InputError[E0811]: the sizes of 'x' are not known\n"
        "  known : [?1, 12]\n"
        "  help: give data with an example of it, or shapes to compile"
    )
    with pytest.raises(ml.InputError, match=r"E0802.*there is no data input 'y'"):
        compiled.memory_timeline({"y": X})
    small = compiled.memory_timeline({"x": X[:2]})
    assert compiled.memory_timeline({"x": X}).peak_bytes > small.peak_bytes
    if find_spec("torch") is not None:
        other, _ = compiled_network(ml.TorchBackend())
        with pytest.raises(ml.BackendError, match="E1056"):
            other.memory_timeline()


def test_the_python_of_the_page_runs(tmp_path, monkeypatch):
    page = (Path(__file__).parents[3] / "docs" / "profiling.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)):
        exec(compile(block, f"docs/profiling.md, block {number + 1}", "exec"), names)
    assert (tmp_path / "trace.json").exists()
