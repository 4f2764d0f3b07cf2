"""ml.compare of backends whose floats have different dtypes."""

import math
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from mithril.backends import compare_floats

import mithril as ml

WITH_TORCH = find_spec("torch") is not None and find_spec("mithril._torch") is not None
SHAPES = {"x": [16, 12], "label": [16]}


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(32, name="fc1")(input="x")
    net += ml.LayerNorm()
    net += ml.Gelu()
    net += ml.Linear(24, name="fc2")
    net += ml.Relu()
    net += ml.Linear(5, name="fc3")(output="scores")
    train = ml.TrainModel(net)
    train.add_loss(ml.CrossEntropy(), [ml.Mean()], input="scores", target="label")
    return train


RANDOM = np.random.default_rng(6)
DATA = {
    "x": RANDOM.standard_normal((16, 12)).astype(np.float32),
    "label": RANDOM.integers(0, 5, 16),
}
PARAMS = ml.compile(network(), ml.CpuBackend(), shapes=SHAPES).get_parameters(seed=3)


def compared(*backends: Any, **options: Any) -> ml.BackendComparison:
    return ml.compare(network(), backends, PARAMS, DATA, shapes=SHAPES, **options)


PAIRS: dict[str, Any] = {
    "mixed bfloat16": lambda: ml.CpuBackend(use_amp=True),
    "mixed float16": lambda: ml.CpuBackend(use_amp=True, amp_dtype=ml.float16),
    "bfloat16": lambda: ml.CpuBackend(ml.bfloat16),
    "float64": lambda: ml.CpuBackend(ml.float64),
    "mixed on torch": lambda: ml.TorchBackend(use_amp=True),
    "float16 on torch": lambda: ml.TorchBackend(dtype="float16"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_backends_of_other_floats_agree_in_both_orders(name: str) -> None:
    if "torch" in name and not WITH_TORCH:
        pytest.skip("torch is not built")
    other = PAIRS[name]()
    for backends in ((ml.CpuBackend(), other), (other, ml.CpuBackend())):
        found = compared(*backends)
        assert found.agrees, found
        keys = ml.compile(network(), ml.CpuBackend(), shapes=SHAPES)
        assert found.nodes == len(keys.output_keys) + len(PARAMS)
        assert str(found).endswith(f"agree on {found.nodes} outputs and gradients\n")
        assert compared(*backends, gradients=False).nodes == len(keys.output_keys)


def test_backends_of_the_same_and_of_other_floats() -> None:
    found = compared(ml.CpuBackend(reference=True), ml.CpuBackend(use_amp=True), ml.CpuBackend())
    assert found.agrees and found.backends == ["reference", "cpu", "cpu"]
    assert found.nodes == compared(ml.CpuBackend(reference=True), ml.CpuBackend()).nodes


@pytest.fixture(scope="module")  # the name of an op can be added once
def faulty() -> ml.Model:
    """A model with an op that is wrong in float32."""

    def scaled(x: Any) -> Any:
        return x * 2 if x.dtype == np.float64 else x * 2.5

    op = ml.add_op("scaled_by_dtype", inputs={"x": "*s"}, outputs={"y": "*s"}, function=scaled)
    net = ml.Model()
    net |= ml.Linear(3)(input="x", weight="w", bias="b", output="h")
    net |= op()(x="h", y="out")
    net.expose_keys("out")
    return net


def test_a_fault_is_found_and_the_worst_element_named(faulty: ml.Model) -> None:
    params = {"w": np.eye(3, 2), "b": np.zeros(3)}
    data = {"x": np.array([[1.0, -2.0], [4.0, 3.0]])}
    backends = [ml.CpuBackend(ml.float64), ml.CpuBackend()]
    found = ml.compare(faulty, backends, params, data, shapes={"x": [2, 2]}, data_keys=["x"])
    (difference,) = found.differences
    assert (difference.path, difference.worst) == ("out", (1, 0))
    assert difference.in_whole_graph and difference.reduced is None
    assert (difference.expected_element, difference.got_element) == (8, 10)
    assert difference.difference == 2
    # sqrt(2^-23) of the largest element; rounding of the inputs changes less.
    assert difference.allowed == pytest.approx(math.sqrt(2.0**-23) * 8)
    assert str(found) == (
        "cpu differs from cpu at out, a result of the whole model\n"
        "  worst element : [1, 0] of float64[2, 3]\n"
        "  expected      : 8\n"
        "  got           : 10\n"
        "  difference    : 2, allowed 0.00276\n"
    )
    loose = ml.compare(
        faulty, backends, params, data, tolerance=0.3, shapes={"x": [2, 2]}, data_keys=["x"]
    )
    assert loose.agrees


def test_the_epsilon_is_that_of_the_coarsest_dtype() -> None:
    floats = {
        ml.CpuBackend(): ("float32", None, 2.0**-23),
        ml.CpuBackend("float64"): ("float64", None, 2.0**-52),
        ml.CpuBackend(np.float16): ("float16", None, 2.0**-10),
        ml.CpuBackend(use_amp=True): ("float32", "bfloat16", 2.0**-7),
        ml.CpuBackend(use_amp=True, amp_dtype=ml.float16): ("float32", "float16", 2.0**-10),
    }
    for backend, (dtype, mixed, epsilon) in floats.items():
        found = compare_floats.floats_of(backend)
        assert found == (dtype, mixed)
        assert found.epsilon == epsilon
    assert compare_floats.floats_of(3) is None


def test_reducing_needs_the_same_floats() -> None:
    with pytest.raises(ml.BackendError, match="E1061"):
        compared(ml.CpuBackend(), ml.CpuBackend(use_amp=True), reduce=True)


def test_values_that_are_not_finite_are_compared() -> None:
    one = np.array([math.nan, math.inf, 1.0])
    assert compare_floats.differences_of(one, one).tolist() == [0, 0, 0]
    other = np.array([1.0, -math.inf, 1.0])
    assert compare_floats.differences_of(one, other).tolist() == [math.inf, math.inf, 0]
    assert compare_floats.mismatch("x", one, one, 0.1, np.zeros(3)) is None
