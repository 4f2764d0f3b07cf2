"""ml.GradScaler beside torch.amp.GradScaler; skipped where torch, or its plugin, is missing."""

import random

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402


def steps_of(scaler: object, overflows: list[bool]) -> tuple[list[float], list[float]]:
    """The scale and the parameter after each iteration; the gradient is 1 where it is finite."""
    weight = torch.nn.Parameter(torch.zeros(3))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scales, weights = [], []
    for overflow in overflows:
        loss = scaler.scale(weight.sum() if not overflow else weight.sum() * float("inf"))
        optimizer.zero_grad()
        loss.backward()
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
        weights.append(weight[0].item())
    return scales, weights


@pytest.mark.parametrize(
    "options",
    [
        {"growth_interval": 3},
        {"init_scale": 10.0, "growth_factor": 1.7, "backoff_factor": 0.3, "growth_interval": 2},
        {"init_scale": 2.0**126, "growth_interval": 1},
        {"enabled": False},
    ],
    ids=["usual", "odd", "huge", "off"],
)
def test_scales_and_skipped_steps_are_those_of_torch(options: dict) -> None:
    draw = random.Random(0)
    overflows = [draw.random() < 0.3 for _ in range(40)]
    if "enabled" in options:
        overflows = [False] * 5
    ours, theirs = ml.GradScaler(**options), torch.amp.GradScaler("cpu", **options)
    assert steps_of(ours, overflows) == steps_of(theirs, overflows)
    assert ours.state_dict() == theirs.state_dict()


def test_the_defaults_of_a_scaler_are_those_of_torch() -> None:
    assert ml.GradScaler().state_dict() == torch.amp.GradScaler("cpu").state_dict()


def test_a_state_goes_from_one_to_the_other() -> None:
    theirs = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=3)
    steps_of(theirs, [False, True, False])
    ours = ml.GradScaler()
    ours.load_state_dict(theirs.state_dict())
    assert steps_of(ours, [False] * 4) == steps_of(theirs, [False] * 4)


def test_unscaled_gradients_may_be_clipped_before_the_step() -> None:
    weight = torch.nn.Parameter(torch.zeros(4))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = ml.GradScaler()
    scaler.scale((weight * 3).sum()).backward()
    scaler.unscale_(optimizer)
    assert torch.equal(weight.grad, torch.full((4,), 3.0))
    torch.nn.utils.clip_grad_norm_([weight], 1.0)
    scaler.step(optimizer)
    scaler.update()
    assert torch.allclose(weight, torch.full((4,), -0.5), atol=1e-6)


def test_gradients_of_evaluate_are_unscaled_in_dicts() -> None:
    model = ml.Model()
    model |= ml.Linear(1, use_bias=False, name="only")(input="x", output="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [1, 2]})
    params = {"only.weight": np.ones((1, 2), np.float32)}
    scaler = ml.GradScaler(init_scale=4.0)
    x, ones = np.array([[2.0, 3.0]], np.float32), {"y": np.ones((1, 1), np.float32)}
    _, scaled = compiled.evaluate(params, {"x": x}, output_gradients=scaler.scale(ones))
    assert scaled["only.weight"].tolist() == [[8.0, 12.0]]
    assert scaler.unscale(scaled)["only.weight"].tolist() == [[2.0, 3.0]]
    scaler.unscale({"only.weight": np.array([[np.inf, 0.0]], np.float32)})
    scaler.update()
    assert scaler.get_scale() == 2.0


@pytest.mark.parametrize(
    "device",
    [
        "cpu",
        pytest.param(
            "cuda",
            marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU"),
        ),
    ],
)
def test_float16_gradients_survive_with_a_scaler(device: str) -> None:
    """Gradients of about 1e-8 vanish in float16 where they are not scaled."""
    pytest.importorskip("mithril._torch", reason="torch is not built")
    model = ml.Model()
    model |= ml.Linear(16)(input="x")
    model += ml.Tanh()
    model += ml.Linear(1)(output="y")
    backend = ml.TorchBackend(device=device, use_amp=True, amp_dtype=torch.float16)
    compiled = ml.compile(model, backend, shapes={"x": [64, 2]})
    params = compiled.get_parameters()
    x = torch.randn(64, 2, generator=torch.Generator().manual_seed(0)).to(device)
    tiny = {"y": torch.full((64, 1), 1e-8, device=device)}
    _, lost = compiled.evaluate(params, {"x": x}, output_gradients=tiny)
    assert all(not gradient.any() for gradient in lost.values())
    scaler = ml.GradScaler()
    _, scaled = compiled.evaluate(params, {"x": x}, output_gradients=scaler.scale(tiny))
    kept = scaler.unscale(scaled)
    exact = ml.compile(model, ml.TorchBackend(device=device), shapes={"x": [64, 2]})
    _, expected = exact.evaluate(params, {"x": x}, output_gradients=tiny)
    for key, gradient in kept.items():
        assert torch.allclose(gradient, expected[key], rtol=0.02, atol=1e-9), key


class CountedWaits(TorchDispatchMode):
    """Counts the operators that wait for the device."""

    waits = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.waits += func is torch.ops.aten._local_scalar_dense.default
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("bad", [None, float("inf"), float("nan")])
def test_a_device_is_waited_for_once_whatever_the_number_of_gradients(bad: float | None) -> None:
    dtypes = [torch.float32, torch.float64, torch.bfloat16]
    gradients = {str(i): torch.full((3,), 8.0, dtype=dtypes[i % 3]) for i in range(12)}
    gradients["ints"] = torch.tensor([8])
    if bad is not None:
        gradients["7"][1] = bad
    scaler = ml.GradScaler(init_scale=4.0)
    with CountedWaits() as counted:
        unscaled = scaler.unscale(gradients)
    assert counted.waits == 1
    assert unscaled["0"].tolist() == [2.0, 2.0, 2.0] and gradients["0"][0] == 8.0
    assert unscaled["ints"].tolist() == [2.0]
    assert {key: value.dtype for key, value in unscaled.items() if key != "ints"} == {
        key: value.dtype for key, value in gradients.items() if key != "ints"
    }
    scaler.update()
    assert scaler.get_scale() == (4.0 if bad is None else 2.0)


def test_mistakes_are_refused() -> None:
    scaler = ml.GradScaler()
    with pytest.raises(ml.StateError, match=r"\[E0910\]: update: no gradients were unscaled"):
        scaler.update()
    with pytest.raises(ml.StateError, match=r"lacks growth_factor, backoff_factor"):
        scaler.load_state_dict({"scale": 1.0})
    weight = torch.nn.Parameter(torch.zeros(1))
    weight.grad = torch.zeros(1)
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler.unscale_(optimizer)
    with pytest.raises(ml.StateError, match="unscaled already"):
        scaler.unscale_(optimizer)
    with pytest.raises(ml.TypeError, match=r"\[E0386\]: the gradient of 'w' is float16"):
        scaler.unscale({"w": torch.zeros(1, dtype=torch.float16)})
