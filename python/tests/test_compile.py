"""Compiling and evaluating from Python."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import mithril as ml


def small():
    net = ml.Model()
    net |= ml.Linear(3)(input="x", weight="w", bias="b", output="y")
    net |= ml.Mean()(input="y", output="loss")
    return net


def test_gradients_have_the_keys_of_the_parameters():
    compiled = ml.compile(small(), ml.CpuBackend(dtype=ml.float64), shapes={"x": [None, 2]})
    params = compiled.get_parameters(seed=1)
    x = np.arange(8.0).reshape(4, 2)
    one = {"loss": np.float64(1)}
    outputs, gradients = compiled.evaluate(params, {"x": x}, output_gradients=one)
    assert list(gradients) == list(params)
    assert np.allclose(gradients["b"], 1 / 3)
    assert np.allclose(outputs["y"], x @ params["w"].T + params["b"])


@pytest.mark.parametrize("batch", [0, 1, 7, 32])
def test_one_compiled_model_runs_every_batch_size(batch):
    net = ml.Model()
    net |= ml.Linear(3)(input="x", output="y")
    compiled = ml.compile(net, ml.CpuBackend(), shapes={"x": ["N", 2]})
    outputs = compiled.evaluate(compiled.get_parameters(), {"x": np.ones((batch, 2), np.float32)})
    assert outputs["y"].shape == (batch, 3)


def test_arrays_go_in_without_a_copy():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = ml.Tensor(x)
    x[0, 0] = 7
    assert tensor.numpy()[0, 0] == 7


def test_an_array_that_is_not_contiguous_is_copied():
    net = ml.Model()
    net |= ml.Relu()(input="x", output="y")
    compiled = ml.compile(net, ml.CpuBackend(), data_keys=["x"])
    x = np.arange(6, dtype=np.float32).reshape(2, 3).T
    assert np.array_equal(compiled.evaluate({}, {"x": x})["y"], x)


def test_dlpack_goes_out():
    tensor = ml.Tensor(np.arange(4, dtype=np.float32))
    assert np.from_dlpack(tensor).tolist() == [0, 1, 2, 3]


def test_a_read_only_array_stays_read_only():
    array = np.ones(3, np.float32)
    assert ml.Tensor(array).numpy().flags.writeable
    array.setflags(write=False)
    assert not ml.Tensor(array).numpy().flags.writeable
    assert not np.from_dlpack(ml.Tensor(array)).flags.writeable


def test_state_comes_back():
    net = ml.Model()
    net |= ml.BatchNorm2D(num_features=2, inference=False)(input="x", output="y")
    compiled = ml.compile(net, ml.CpuBackend(), shapes={"x": [None, 2, 3, 3]})
    x = np.random.default_rng(0).normal(3, 2, (8, 2, 3, 3)).astype(np.float32)
    state = compiled.initial_state_dict
    _, after = compiled.evaluate(compiled.get_parameters(), {"x": x}, state=state)
    means = next(value for key, value in after.items() if "mean" in key)
    assert np.allclose(means, 0.1 * x.mean((0, 2, 3)), atol=1e-5)


def test_dropout_draws_a_new_mask_for_each_state():
    net = ml.Model()
    net |= ml.Dropout(0.5, seed=3)(input="x", output="y")
    compiled = ml.compile(net, ml.CpuBackend(), data_keys=["x"])
    x = np.ones((1000,), np.float32)
    start = compiled.initial_state_dict
    first, state = compiled.evaluate({}, {"x": x}, state=start)
    second, _ = compiled.evaluate({}, {"x": x}, state=state)
    again, _ = compiled.evaluate({}, {"x": x}, state=start)
    assert 400 < np.count_nonzero(first["y"]) < 600
    assert not np.array_equal(first["y"], second["y"])
    assert np.array_equal(first["y"], again["y"])


@pytest.mark.parametrize(
    "data", [{}, {"z": np.ones((1, 2))}, {"x": np.ones((1, 3))}, {"x": np.ones((1, 2), int)}]
)
def test_inputs_are_checked(data):
    compiled = ml.compile(small(), ml.CpuBackend(), shapes={"x": [None, 2]})
    with pytest.raises(ml.InputError):
        compiled.evaluate(compiled.get_parameters(), data)


def test_threads_share_a_compiled_model():
    compiled = ml.compile(small(), ml.CpuBackend(), shapes={"x": ["N", 2]})
    params = compiled.get_parameters()
    wrong = []

    def work(batch):
        x = np.full((batch, 2), batch, np.float32)
        for _ in range(50):
            y = compiled.evaluate(params, {"x": x})["y"]
            if not np.allclose(y, x @ params["w"].T + params["b"], atol=1e-5):
                wrong.append(batch)

    threads = [threading.Thread(target=work, args=(i + 1,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_importing_imports_no_torch():
    code = "import sys, mithril; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_misspelt_name_is_warned_of(capfd):
    net = ml.Model()
    net |= ml.Linear(3)(input="x", output="hidden")
    net |= ml.Relu()(input="hiden", output="y")
    with pytest.warns(UserWarning, match=r"W0601.*'hiden', and it looks like 'hidden'"):
        compiled = ml.compile(net, ml.CpuBackend())
    assert len(compiled.warnings) == 1
    assert capfd.readouterr().err == ""
    assert ml.compile(net, ml.CpuBackend(), data_keys={"hiden"}).warnings == []
