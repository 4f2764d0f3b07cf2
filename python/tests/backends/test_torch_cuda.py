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


def test_torch_for_gpus_is_loaded_on_the_first_use_of_a_gpu():
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


def residual() -> ml.Model:
    model = ml.Model()
    model |= ml.Conv2d(filters=8, kernel_size=3, padding=1)(input="x", output="first")
    model |= ml.Relu()(input="first", output="r")
    model |= ml.Conv2d(filters=8, kernel_size=3, padding=1)(input="r", output="second")
    model |= ml.Add()(left="second", right="r", output="sum")
    model |= ml.Relu()(input="sum", output="block")
    model |= ml.Flatten(start_dim=1)(input="block", output="flat")
    model |= ml.Linear(16)(input="flat", output="wide")
    model |= ml.Gelu(approximate=True)(input="wide", output="active")
    model |= ml.Linear(4)(input="active", output="last")
    model |= ml.Relu()(input="last", output="y")
    model.expose_keys("y")
    return model


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=needs_cuda)])
def test_epilogues_have_the_results_of_the_ops(device: str):
    x = images(2, 0, "cpu")
    compiled = {
        dtype: ml.compile(
            residual(),
            ml.TorchBackend(device=device, dtype=dtype),
            shapes={"x": [2, 3, 9, 9]},
            inference=True,
        )
        for dtype in (ml.float32, ml.float64)
    }
    params = compiled[ml.float64].randomize_params(seed=1)
    expected = compiled[ml.float64].evaluate(params, {"x": x.to(device)})["y"]
    narrow = {key: value.float() for key, value in params.items()}
    found = compiled[ml.float32].evaluate(narrow, {"x": x.float().to(device)})["y"]
    apart = (found - expected).abs().max() / expected.abs().max()
    assert apart < (1e-5 if device == "cpu" else 1e-2)  # cuDNN multiplies in TF32


@needs_cuda
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_the_gradient_of_attention_is_that_of_the_cpu(dtype: torch.dtype):
    size = (1, 1, 4096, 64)
    model = ml.Model()
    model |= ml.Multiply()(left="one", right="q", output="query")
    model |= ml.ScaledDotProduct(is_causal=True)(query="query", key="k", value="v", output="y")
    shapes = {"one": [1], **{key: list(size) for key in "qkv"}}
    drawn = {key: torch.randn(size, dtype=torch.float64) for key in "qkvg"}
    found = []
    for device, of in (("cpu", torch.float64), ("cuda", dtype)):
        backend = ml.TorchBackend(device=device, dtype=of)
        compiled = ml.compile(model, backend, shapes=shapes)
        given = {key: value.to(device, of) for key, value in drawn.items()}
        incoming = {"y": given.pop("g")}
        _, gradients = compiled.evaluate(
            given, {"one": torch.ones(1, dtype=of, device=device)}, output_gradients=incoming
        )
        found.append(gradients)
    for key, expected in found[0].items():
        apart = (found[1][key].cpu().double() - expected).abs().max() / expected.abs().max()
        assert apart < (1e-3 if dtype == torch.float32 else 3e-2), key
    scores = size[0] * size[1] * size[2] ** 2 * (4 if dtype == torch.float32 else 2)
    assert backend.get_memory_stats()["peak"] < scores / 2


MASKS = {
    "padding": lambda: (torch.arange(512) < torch.tensor([[512], [300]])).reshape(2, 1, 1, 512),
    "added": lambda: torch.randn(512, 512, dtype=torch.float64),
    "rows": lambda: torch.rand(2, 3, 512, 1) < 0.9,  # some queries may attend to nothing
}


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=needs_cuda)])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.sampled(5)
def test_the_gradient_of_attention_with_a_mask_keeps_no_scores(
    name: str, is_causal: bool, device: str
):
    torch.manual_seed(0)
    size = (2, 3, 512, 16)
    model = ml.Model()
    model |= ml.Multiply()(left="one", right="q", output="query")
    mask = MASKS[name]()
    bools = mask.dtype == torch.bool
    if bools:
        model |= ml.Greater()(left="mask", right="zero", output="allowed")
    model |= ml.ScaledDotProduct(is_causal=is_causal, use_attn_mask=True)(
        query="query", key="k", value="v", attn_mask="allowed" if bools else "mask", output="y"
    )
    numbers = {"one": torch.ones(1), "mask": mask}
    if bools:
        numbers["zero"] = torch.zeros(1)
    shapes = {key: list(value.shape) for key, value in numbers.items()}
    shapes |= {key: list(size) for key in "qkv"}
    drawn = {key: torch.randn(size, dtype=torch.float64) for key in "qkvg"}
    found = []
    # float64 has no kernel, and is written out.
    for place, dtype in (("cpu", torch.float64), (device, torch.float32)):
        backend = ml.TorchBackend(device=place, dtype=dtype)
        compiled = ml.compile(model, backend, shapes=shapes, data_keys=[*numbers])
        given = {key: value.to(place, dtype) for key, value in drawn.items()}
        incoming = {"y": given.pop("g")}
        data = {key: value.to(place, dtype) for key, value in numbers.items()}
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            _, gradients = compiled.evaluate(given, data, output_gradients=incoming)
        kernels = {event.key for event in profile.key_averages() if "_backward" in event.key}
        assert len([key for key in kernels if "attention" in key]) == (dtype == torch.float32)
        found.append(gradients)
    for key, expected in found[0].items():
        apart = (found[1][key].cpu().double() - expected).abs().max() / expected.abs().max()
        assert apart < 1e-3, key


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
