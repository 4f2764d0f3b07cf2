"""optimization_level="max" on a GPU: CUDA graphs, and ops that they cannot hold."""

from concurrent.futures import ThreadPoolExecutor

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from cuda_models import compiled_for, counts, deep, images, in_a_process, needs_cuda  # noqa: E402

import mithril as ml  # noqa: E402


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=needs_cuda)])
def test_max_gives_the_same_in_every_run(device):
    plain, fast = compiled_for(device, "standard"), compiled_for(device, "max")
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
    assert "CUDA graphs: none" not in fast.summary()
    if device == "cuda":
        recorded, replayed = counts(fast)
        assert recorded >= 2 and replayed >= 2
    else:
        assert counts(fast) == (0, 0)


@needs_cuda
def test_results_of_a_recording_do_not_change_later():
    fast = compiled_for("cuda", "max")
    params = fast.randomize_params(seed=1)
    first = [fast.evaluate(params, {"x": images(2, 5, "cuda")})["y"] for _ in range(3)]
    for seed in range(4):
        fast.evaluate(params, {"x": images(2, seed, "cuda")})
    assert torch.equal(first[1], first[2])
    assert torch.allclose(first[0], first[2], rtol=1e-10)
    assert counts(fast)[1] >= 3


@needs_cuda
def test_parameters_may_be_swapped_and_updated_in_place():
    plain, fast = compiled_for("cuda", "standard"), compiled_for("cuda", "max")
    ours, others = fast.randomize_params(seed=1), fast.randomize_params(seed=2)
    x = images(2, 0, "cuda")

    def agrees(params: dict) -> bool:
        expected = plain.evaluate(params, {"x": x})["y"]
        return torch.allclose(fast.evaluate(params, {"x": x})["y"], expected, rtol=1e-10)

    assert all(agrees(ours) for _ in range(3))
    for value in ours.values():
        value.mul_(1.5)
    assert agrees(ours)
    assert all(agrees(others) for _ in range(3))
    assert all(agrees(params) for params in (ours, others, ours, others, ours, others))
    assert counts(fast)[1] >= 6


@needs_cuda
def test_threads_share_recordings_on_streams_of_their_own():
    plain, fast = compiled_for("cuda", "standard"), compiled_for("cuda", "max")
    params = plain.randomize_params(seed=1)
    expected = [plain.evaluate(params, {"x": images(2, i, "cuda")})["y"] for i in range(8)]
    torch.cuda.synchronize()

    def agrees(index: int) -> bool:
        with torch.cuda.stream(torch.cuda.Stream()):
            data = {"x": images(2, index, "cuda")}
            found = [fast.evaluate(params, data)["y"] for _ in range(20)]
            torch.cuda.current_stream().synchronize()
        return all(torch.allclose(y, expected[index], rtol=1e-10) for y in found)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(agrees, range(8)))
    assert counts(fast)[1] > 0


@needs_cuda
def test_two_sizes_on_two_streams_do_not_share_intermediate_results_in_time():
    plain, fast = compiled_for("cuda", "standard"), compiled_for("cuda", "max")
    params = plain.randomize_params(seed=1)
    data = [{"x": images(count, count, "cuda")} for count in (64, 65)]
    expected = [plain.evaluate(params, item)["y"] for item in data]
    torch.cuda.synchronize()
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    found = []
    for _ in range(20):
        for stream, item in zip(streams, data, strict=True):
            with torch.cuda.stream(stream):
                found.append(fast.evaluate(params, item)["y"])
    torch.cuda.synchronize()
    for at, y in enumerate(found):
        assert torch.allclose(y, expected[at % 2], rtol=1e-10)
    assert counts(fast)[1] >= 30


@needs_cuda
def test_a_size_beyond_the_number_of_recordings_drops_another():
    plain, fast = compiled_for("cuda", "standard"), compiled_for("cuda", "max")
    params = plain.randomize_params(seed=1)
    for _ in range(2):
        for count in range(1, 66):
            data = {"x": images(count, count, "cuda")}
            for _ in range(3):
                y = fast.evaluate(params, data)["y"]
            assert torch.allclose(y, plain.evaluate(params, data)["y"], rtol=1e-10)
    assert counts(fast)[1] >= 65
    assert "CUDA graphs: none" not in fast.summary()


@needs_cuda
def test_a_run_within_a_capture_of_the_user_is_part_of_it():
    fast = compiled_for("cuda", "max")
    params = fast.randomize_params(seed=1)
    x = images(2, 0, "cuda")
    for _ in range(3):
        expected = fast.evaluate(params, {"x": x})["y"]
    before = counts(fast)[1]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = fast.evaluate(params, {"x": x})["y"]
    assert counts(fast)[1] == before
    x.add_(1)
    graph.replay()
    assert torch.allclose(y, fast.evaluate(params, {"x": x})["y"], rtol=1e-10)
    assert not torch.allclose(y, expected, rtol=1e-10)


@needs_cuda
def test_the_halves_under_autograd_share_the_memory_of_activations():
    peaks = []
    for level in ("standard", "max"):
        backend = ml.TorchBackend(device="cuda", requires_grad=True)
        compiled = ml.compile(deep(), backend, shapes={"x": [4096, 256]}, optimization_level=level)
        params = compiled.get_parameters()
        x = torch.randn(4096, 256, device="cuda", generator=torch.Generator("cuda").manual_seed(0))
        gradients = []
        torch.cuda.reset_peak_memory_stats()
        for _ in range(6):
            loss = compiled.evaluate(params, {"x": x})["output"].square().mean()
            loss.backward()
            gradients.append(params["linear.weight"].grad)
            for value in params.values():
                value.grad = None
        for gradient in gradients:
            assert torch.allclose(gradient, gradients[0], rtol=1e-3, atol=1e-6)
        peaks.append(torch.cuda.max_memory_reserved())
        del compiled, params, x, gradients, loss
        torch.cuda.empty_cache()
    assert peaks[1] < 2 * peaks[0]


@needs_cuda
def test_gradients_may_be_accumulated_before_backward():
    found = []
    for level in ("standard", "max"):
        backend = ml.TorchBackend(device="cuda", dtype=ml.float64, requires_grad=True)
        compiled = ml.compile(deep(), backend, shapes={"x": [4, 256]}, optimization_level=level)
        params = compiled.randomize_params(seed=1)
        params = {key: value.detach().requires_grad_() for key, value in params.items()}
        generator = torch.Generator("cuda").manual_seed(0)
        options = {"device": "cuda", "dtype": torch.float64, "generator": generator}
        for _ in range(4):
            outputs = [
                compiled.evaluate(params, {"x": torch.randn(4, 256, **options)})["output"]
                for _ in range(2)
            ]
            for output in outputs:
                output.square().mean().backward()
        found.append({key: value.grad for key, value in params.items()})
    for key, gradient in found[0].items():
        assert torch.allclose(found[1][key], gradient, rtol=1e-8), key


@needs_cuda
def test_the_memory_limit_holds_for_recordings():
    backend = ml.TorchBackend(device="cuda", memory_limit="1GiB")
    compiled = ml.compile(
        deep(), backend, data_keys=["x"], shapes={"x": ["N", 256]}, optimization_level="max"
    )
    params = compiled.get_parameters()
    for count in (64, 2048, 8192, 64, 8192):
        x = torch.ones(count, 256, device="cuda")
        for _ in range(3):
            y = compiled.evaluate(params, {"x": x})["output"]
        stats = backend.get_memory_stats()
        assert 0 < stats["allocated"] <= stats["limit"]
        assert y.shape == (count, 256)


@needs_cuda
def test_the_workspace_of_libraries_does_not_count():
    backend = ml.TorchBackend(device="cuda", memory_limit="4MB")
    model = ml.Model()
    model |= ml.Linear(64)(input="x", output="y")
    compiled = ml.compile(model, backend, shapes={"x": [8, 64]})
    params = compiled.get_parameters()
    with ThreadPoolExecutor(1) as pool:  # a thread that has none yet
        first = pool.submit(compiled.evaluate, params, {"x": torch.ones(8, 64, device="cuda")})
        assert first.result()["y"].shape == (8, 64)


@needs_cuda
def test_dropout_is_drawn_on_the_device_and_recorded():
    model = ml.Model()
    model |= ml.Dropout(0.5)(input="x", output="y")
    drawn = {}
    for device in ("cpu", "cuda"):
        compiled = compiled_for(device, "max", model, ml.float32)
        state = compiled.initial_state_dict
        data = {"x": torch.ones(1000, device=device)}
        drawn[device] = []
        for _ in range(5):
            values, state = compiled.evaluate({}, data, state=state)
            drawn[device].append(values["y"].cpu())
    for here, there in zip(drawn["cpu"], drawn["cuda"], strict=True):
        assert torch.equal(here, there)
    assert not torch.equal(drawn["cuda"][3], drawn["cuda"][4])
    assert counts(compiled)[1] >= 3


@needs_cuda
def test_a_model_that_runs_in_part_on_the_host_is_not_recorded():
    noise = ml.PrimitiveRandn()(shape=(100,), key=ml.IOKey("x", type=ml.Tensor[int]))
    fast = ml.compile(
        ml.Model.create(y=noise),
        ml.TorchBackend(device="cuda"),
        data_keys=["x"],
        optimization_level="max",
    )
    for _ in range(3):
        assert fast.evaluate({}, {"x": torch.tensor(3, device="cuda")})["y"].shape == (100,)
    assert counts(fast) == (0, 0)


@needs_cuda
def test_ops_that_wait_are_not_recorded_and_torch_stays_usable():
    model = ml.Model()
    model |= ml.Cholesky()(input="x", output="y")
    backend = ml.TorchBackend(device="cuda", dtype=ml.float64)
    fast = ml.compile(
        model, backend, data_keys=["x"], shapes={"x": [4, 4]}, optimization_level="max"
    )
    x = torch.eye(4, dtype=torch.float64, device="cuda") * 4
    for _ in range(3):
        assert torch.allclose(fast.evaluate({}, {"x": x})["y"], x / 2)
    assert counts(fast) == (0, 0)
    assert torch.randn(3, device="cuda").isfinite().all()
    with pytest.raises(torch.OutOfMemoryError):
        torch.empty(1 << 50, device="cuda")
    assert torch.randn(3, device="cuda").isfinite().all()
    assert torch.allclose(fast.evaluate({}, {"x": x})["y"], x / 2)


FAILED_KERNEL = """
import torch
import mithril as ml
model = ml.Model()
model |= ml.Embedding(4, dim=2)(input="x", output="h")
model |= ml.Relu()(input="h", output="y")
compiled = ml.compile(
    model, ml.TorchBackend(device="cuda"), shapes={"x": [3]}, optimization_level="max"
)
params = compiled.get_parameters()
good, bad = (torch.tensor(ids, device="cuda") for ids in ([0, 1, 2], [0, 99, 2]))
for _ in range(3):
    compiled.evaluate(params, {"x": good})
try:
    compiled.evaluate(params, {"x": bad})
    torch.cuda.synchronize()
except torch.AcceleratorError as error:
    print("noticed by torch")
except ml.BackendError as error:
    assert "E1025" in str(error), error
try:
    compiled.evaluate(params, {"x": good})
except ml.BackendError as error:
    assert "E1025" in str(error), error
    print("refused")
"""


@needs_cuda
def test_a_process_whose_kernel_failed_ends_as_usual():
    done = in_a_process(FAILED_KERNEL)
    assert "refused" in done.stdout, done.stderr
    assert done.returncode == 0, done.stderr
