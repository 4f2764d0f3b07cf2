"""optimization_level="max" on a GPU: CUDA graphs and channels last."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import mithril as ml  # noqa: E402

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


def convolutions() -> ml.Model:
    model = ml.Model()
    model |= ml.Conv2d(filters=8, kernel_size=3, padding=1)(input="x", output="h")
    model |= ml.Relu()(input="h", output="r")
    model |= ml.Conv2d(filters=4, kernel_size=3, stride=2)(input="r", output="y")
    return model


def compiled_for(device: str, level: str, model: ml.Model | None = None) -> ml.CompiledModel:
    shapes = {"x": ["N", 3, 9, 9]} if model is None else {}
    backend = ml.TorchBackend(device=device, dtype=ml.float64)
    return ml.compile(
        model or convolutions(), backend, data_keys=["x"], shapes=shapes, optimization_level=level
    )


def images(count: int, seed: int, device: str) -> torch.Tensor:
    data = np.random.default_rng(seed).normal(size=(count, 3, 9, 9))
    return torch.tensor(data, device=device)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=needs_cuda)])
def test_max_gives_the_same_in_every_run(device):
    plain, fast = compiled_for(device, "default"), compiled_for(device, "max")
    params = plain.randomize_params(seed=1)
    for seed, count in enumerate([2, 2, 3, 2, 3, 3, 2]):
        data = {"x": images(count, seed, device)}
        seeds = {"y": torch.ones(count, 4, 4, 4, dtype=torch.float64, device=device)}
        expected, gradients = plain.evaluate(params, data, output_gradients=seeds)
        values, found = fast.evaluate(params, data, output_gradients=seeds)
        assert torch.allclose(values["y"], expected["y"], rtol=1e-10)
        assert torch.allclose(fast.evaluate(params, data)["y"], expected["y"], rtol=1e-10)
        for key in gradients:
            assert torch.allclose(found[key], gradients[key], rtol=1e-9, atol=1e-12), key
    assert "CUDA graphs" not in fast.summary()


@needs_cuda
def test_results_of_a_recording_do_not_change_later():
    fast = compiled_for("cuda", "max")
    params = fast.randomize_params(seed=1)
    first = [fast.evaluate(params, {"x": images(2, 5, "cuda")})["y"] for _ in range(3)]
    for seed in range(4):
        fast.evaluate(params, {"x": images(2, seed, "cuda")})
    assert torch.equal(first[1], first[2])
    assert torch.allclose(first[0], first[2], rtol=1e-10)


@needs_cuda
def test_threads_share_recordings():
    plain, fast = compiled_for("cuda", "default"), compiled_for("cuda", "max")
    params = plain.randomize_params(seed=1)
    expected = [plain.evaluate(params, {"x": images(2, i, "cuda")})["y"] for i in range(8)]

    def agrees(index: int) -> bool:
        with torch.cuda.stream(torch.cuda.Stream()):
            data = {"x": images(2, index, "cuda")}
            found = [fast.evaluate(params, data)["y"] for _ in range(20)]
            torch.cuda.current_stream().synchronize()
        return all(torch.allclose(y, expected[index], rtol=1e-10) for y in found)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(agrees, range(8)))


@needs_cuda
def test_convolutions_see_channels_last():
    fast = compiled_for("cuda", "max")
    y = fast.evaluate(fast.randomize_params(seed=1), {"x": images(2, 0, "cuda")})["y"]
    assert y.is_contiguous(memory_format=torch.channels_last)


@needs_cuda
def test_a_model_that_runs_in_part_on_the_host_is_not_recorded():
    model = ml.Model()
    model |= ml.Dropout(0.5)(input="x", output="y")
    fast = compiled_for("cuda", "max", model)
    data = {"x": torch.ones(100, dtype=torch.float64, device="cuda")}
    state = fast.initial_state_dict
    for _ in range(3):
        values, state = fast.evaluate({}, data, state=state)
        assert set(values["y"].unique().tolist()) == {0.0, 2.0}


def test_the_library_for_gpus_is_built_where_torch_has_them():
    if torch.version.cuda is None:
        pytest.skip("this torch knows no GPUs")
    package = Path(ml.__file__).parent
    found = [folder / "libmithril_torch_cuda.so" for folder in (package, *package.parents[:2])]
    assert any(path.exists() for path in found)
