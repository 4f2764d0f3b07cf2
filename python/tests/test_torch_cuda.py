"""TorchBackend on a GPU: which one, steps, channels last. Tests without `needs_cuda` check on
the CPU what does not need one."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from cuda_models import (  # noqa: E402
    compiled_for,
    counts,
    deep,
    images,
    in_a_process,
    needs_cuda,
    needs_two,
)

import mithril as ml  # noqa: E402

# ---- which device ----

DEVICES_OF_CPP = """
import mithril._core as core  # without torch, as a C++ program
def maps():
    return open("/proc/self/maps").read()
core.Backend("mithril_torch", {"device": "cpu"})
assert "libtorch_cpu" in maps()
assert "libtorch_cuda.so" not in maps()
try:
    core.Backend("mithril_torch", {"device": "cuda:99"})
except core.BackendError as error:
    assert "E1005" in str(error), error
assert "libtorch_cuda.so" in maps()
"""


def test_torch_for_gpus_is_loaded_when_a_gpu_is_asked_for_and_not_before():
    if torch.version.cuda is None:
        pytest.skip("this torch knows no GPUs")
    # "mithril" itself imports no torch, so that nothing has loaded the code for GPUs.
    done = in_a_process(DEVICES_OF_CPP)
    assert done.returncode == 0, done.stderr


def test_cuda_means_the_current_gpu(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 41)
    with pytest.raises(ml.BackendError, match=r"\[E1005\]: there is no device 'cuda:41'"):
        ml.TorchBackend(device="cuda")
    with pytest.raises(ml.BackendError, match=r"\[E1005\]: there is no device 'cuda:40'"):
        ml.TorchBackend(device="cuda:40")


@needs_two
def test_a_backend_stays_on_the_gpu_that_was_current():
    torch.cuda.set_device(1)
    try:
        compiled = compiled_for("cuda", "max", dtype=ml.float32)
    finally:
        torch.cuda.set_device(0)
    params = compiled.randomize_params(seed=1)
    assert {value.device for value in params.values()} == {torch.device("cuda:1")}
    first = compiled_for("cuda:0", "max", dtype=ml.float32)
    on_first = first.randomize_params(seed=1)
    for seed in range(4):
        x = images(2, seed, "cpu", torch.float32)
        y = compiled.evaluate(params, {"x": x.to("cuda:1")})["y"]
        assert y.device == torch.device("cuda:1")
        expected = first.evaluate(on_first, {"x": x.to("cuda:0")})["y"]
        assert torch.allclose(y.cpu(), expected.cpu(), rtol=1e-3, atol=1e-4)
    assert counts(compiled)[1] > 0


# ---- steps ----


@needs_cuda
def test_a_step_does_not_wait_for_the_device():
    model = deep()
    model |= ml.Mean()(input=model.cout, output="loss")
    compiled = ml.compile(
        model,
        ml.TorchBackend(device="cuda"),
        data_keys=["x"],
        shapes={"x": [8, 256]},
        optimization_level="max",
    )
    params = compiled.get_parameters()
    places = {key: value.data_ptr() for key, value in params.items()}
    step = ml.TrainingStep(compiled, ml.Adam(1e-3), output_gradients={"loss": 1.0})
    x = torch.ones(8, 256, device="cuda")
    step(params, {"x": x})
    torch.cuda.set_sync_debug_mode("error")
    try:
        losses = [step(params, {"x": x})["loss"] for _ in range(5)]
    finally:
        torch.cuda.set_sync_debug_mode("default")
    values = [loss.item() for loss in losses]
    assert values == sorted(values, reverse=True) and values[0] > values[-1]
    assert {key: value.data_ptr() for key, value in params.items()} == places


# ---- layouts ----


@needs_cuda
def test_convolutions_see_channels_last():
    fast = compiled_for("cuda", "max", dtype=ml.float32)
    params = fast.randomize_params(seed=1)
    x = images(2, 0, "cuda", torch.float32)
    y = fast.evaluate(params, {"x": x})["y"]
    assert y.is_contiguous(memory_format=torch.channels_last)
    bound = fast.bind(params)
    assert torch.allclose(bound.evaluate({}, {"x": x})["y"], y, rtol=1e-3, atol=1e-4)


def test_the_library_for_gpus_is_built_where_torch_has_them():
    if torch.version.cuda is None:
        pytest.skip("this torch knows no GPUs")
    package = Path(ml.__file__).parent
    found = [folder / "libmithril_torch_cuda.so" for folder in (package, *package.parents[:2])]
    assert any(path.exists() for path in found)
