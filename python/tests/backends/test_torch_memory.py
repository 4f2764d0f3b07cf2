"""Memory statistics and limits of the torch backend."""

import gc
import threading
from collections.abc import Callable

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

Events = list[tuple[str, int, int]]


def network() -> ml.Model:
    model = ml.Model()
    model |= ml.Conv2d(filters=4, kernel_size=3)(input="x")
    model += ml.Relu()
    model += ml.Flatten(start_dim=1)
    model += ml.Linear(3)(output="y")
    return model


def compiled_on(backend: ml.TorchBackend) -> ml.CompiledModel:
    return ml.compile(network(), backend, shapes={"x": [None, 2, 6, 6]})


def relu_on(backend: ml.TorchBackend) -> ml.CompiledModel:
    model = ml.Model()
    model |= ml.Relu()(input="x", output="y")
    return ml.compile(model, backend, data_keys=["x"])


def allocated(backend: ml.TorchBackend) -> int:
    count = backend.get_memory_stats()["allocated"]
    assert count is not None
    return count


def text_of(error: type, call: Callable[[], object]) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_results_count_until_they_are_dropped() -> None:
    backend = ml.TorchBackend()
    compiled = relu_on(backend)
    assert backend.get_memory_stats() == {"allocated": 0, "cached": 0, "peak": 0, "limit": None}
    x = torch.ones(1000)
    out = compiled.evaluate({}, {"x": x})["y"]
    assert allocated(backend) == 4000
    view = out[10:]
    del out
    assert allocated(backend) == 4000
    del view
    stats = backend.get_memory_stats()
    assert (stats["allocated"], stats["peak"]) == (0, 4000)


def test_parameters_and_arrays_count() -> None:
    backend = ml.TorchBackend()
    params = compiled_on(backend).get_parameters()
    sizes = [value.numel() * 4 for value in params.values()]
    assert allocated(backend) == sum(sizes)
    zeros = backend.zeros(10, 10)
    assert allocated(backend) == sum(sizes) + 400
    assert zeros.sum() == 0
    assert backend.zeros(2, dtype=torch.complex64).dtype == torch.complex64


def test_gradients_that_are_copied_to_be_written_to_count() -> None:
    backend = ml.TorchBackend()
    model = ml.Model()
    model |= ml.Add()(left="a", right="b", output="y")
    compiled = ml.compile(model, backend, trainable_keys=["a", "b"])
    params = {"a": torch.ones(100), "b": torch.ones(100)}
    outputs, gradients = compiled.evaluate(params, output_gradients={"y": torch.ones(100)})
    assert gradients["a"].data_ptr() != gradients["b"].data_ptr()
    assert allocated(backend) == 3 * 400
    del outputs, gradients
    assert allocated(backend) == 0


def test_tensors_of_others_do_not_count() -> None:
    first, second = ml.TorchBackend(), ml.TorchBackend()
    out = relu_on(first).evaluate({}, {"x": torch.ones(1000)})["y"]
    other = torch.ones(500) + out[:500]
    assert other.sum() == 1000
    assert (allocated(first), allocated(second)) == (4000, 0)


def test_a_tensor_may_be_dropped_by_any_thread_after_its_backend() -> None:
    backend = ml.TorchBackend()
    held = [relu_on(backend).evaluate({}, {"x": torch.ones(1000)})["y"]]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert allocated(backend) == 0
    held = [relu_on(backend).evaluate({}, {"x": torch.ones(1000)})["y"]]
    del backend
    gc.collect()
    held.clear()


def test_ten_thousand_evaluations_do_not_grow() -> None:
    backend = ml.TorchBackend()
    model = ml.Model()
    model |= ml.Linear(4)(input="x")
    model += ml.Relu()
    model += ml.Linear(2)(output="y")
    compiled = ml.compile(model, backend, shapes={"x": [None, 3]})
    params, data, given = compiled.get_parameters(), {"x": torch.ones(5, 3)}, torch.ones(5, 2)
    compiled.evaluate(params, data, output_gradients={"y": given})
    before = backend.get_memory_stats()
    for _ in range(5_000):
        compiled.evaluate(params, data)
        compiled.evaluate(params, data, output_gradients={"y": given})
    assert backend.get_memory_stats() == before


def test_backends_and_threads_count_by_themselves() -> None:
    backends = [ml.TorchBackend() for _ in range(4)]
    kept: list[list[torch.Tensor]] = [[] for _ in range(8)]

    def work(at: int) -> None:
        compiled = relu_on(backends[at % 4])
        for n in range(200):
            kept[at].append(compiled.evaluate({}, {"x": torch.ones(10 * (at + 1))})["y"])
            if n % 2:
                kept[(at + 3) % 8].append(kept[at].pop())

    threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Of each backend, by how long they are: every result of thread `at` has 10 * (at + 1) elements.
    results = [tensor for tensors in kept for tensor in tensors]
    assert len(results) == 1600
    for at, backend in enumerate(backends):
        own = [t.numel() * 4 for t in results if (t.numel() // 10 - 1) % 4 == at]
        assert allocated(backend) == sum(own)
    results.clear()
    kept.clear()
    assert [allocated(backend) for backend in backends] == [0] * 4


def test_statistics_go_on_under_the_profiler_of_torch() -> None:
    backend = ml.TorchBackend()
    compiled = compiled_on(backend)
    params = compiled.get_parameters()
    before = allocated(backend)
    with torch.profiler.profile(profile_memory=True) as profile:
        out = compiled.evaluate(params, {"x": torch.randn(2, 2, 6, 6)})
    assert allocated(backend) == before + out["y"].numel() * 4
    assert any("conv" in event.key for event in profile.key_averages())


def test_a_cleared_cache_changes_no_numbers() -> None:
    backend = ml.TorchBackend(release_unused=True)
    out = relu_on(backend).evaluate({}, {"x": -torch.ones(100)})["y"]
    backend.clear_cache()
    assert backend.get_memory_stats()["cached"] == 0
    assert out.sum() == 0


def test_preallocated_memory_is_given_out_in_parts() -> None:
    backend = ml.TorchBackend(memory_limit="1MiB", memory_allocation="preallocate")
    assert backend.get_memory_stats()["cached"] == 2**20
    compiled = compiled_on(backend)
    params, x = compiled.get_parameters(), torch.randn(2, 2, 6, 6)
    given = {"y": torch.ones(2, 3)}
    outputs, gradients = compiled.evaluate(params, {"x": x}, output_gradients=given)
    assert 0 < (backend.get_memory_stats()["cached"] or 0) < 2**20
    plain = compiled_on(ml.TorchBackend())
    expected = plain.evaluate(params, {"x": x}, output_gradients=given)
    assert torch.equal(outputs["y"], expected[0]["y"])
    assert all(torch.equal(gradients[key], value) for key, value in expected[1].items())
    with pytest.raises(ml.OutOfMemoryError):
        backend.zeros(2**20)
    del outputs, gradients, params
    stats = backend.get_memory_stats()
    assert (stats["allocated"], stats["cached"]) == (0, 2**20)


def test_preallocated_memory_outlives_its_backend() -> None:
    backend = ml.TorchBackend(memory_limit="1MiB", memory_allocation="preallocate")
    ones = backend.ones(1000)
    del backend
    gc.collect()
    assert ones.sum() == 1000


def test_a_preallocation_that_is_impossible_is_refused() -> None:
    text = text_of(
        ml.OutOfMemoryError,
        lambda: ml.TorchBackend(memory_limit=2**61, memory_allocation="preallocate"),
    )
    assert text.startswith("mithril.OutOfMemoryError[E1102]: there is not enough memory\n")
    text = text_of(ml.ValueError, lambda: ml.TorchBackend(memory_allocation="preallocate"))
    assert text == (
        "mithril.ValueError[E0431]: memory_allocation 'preallocate' needs a memory_limit"
    )
    text = text_of(
        ml.ValueError,
        lambda: ml.TorchBackend(
            memory_limit="1MB", memory_allocation="preallocate", release_unused=True
        ),
    )
    assert text.endswith("memory_allocation 'preallocate' keeps what release_unused gives back")
    text = text_of(ml.NameError, lambda: ml.TorchBackend(memory_allocation="preallocat"))
    assert text == (
        "mithril.NameError[E0620]: there is no memory_allocation 'preallocat'\n"
        "  known : lazy, preallocate\n"
        "  help: did you mean 'preallocate'?"
    )


def test_hooks_are_called_when_an_evaluation_ends() -> None:
    backend = ml.TorchBackend()
    compiled = relu_on(backend)
    events = Events()
    handle = backend.register_memory_hook(lambda *event: events.append(event))
    out = compiled.evaluate({}, {"x": torch.ones(1000)})
    assert events == [("cpu", 4000, 0)]
    del out
    assert len(events) == 1
    kept = compiled.evaluate({}, {"x": torch.ones(10)})
    assert kept["y"].sum() == 10
    assert events[1:] == [("cpu", 0, 4000), ("cpu", 40, 0)]
    handle.remove()
    compiled.evaluate({}, {"x": torch.ones(10)})
    assert len(events) == 3


def test_an_exception_of_a_hook_is_raised_by_its_evaluation() -> None:
    backend = ml.TorchBackend()
    compiled = relu_on(backend)

    def refuse(device: str, alloc_size: int, free_size: int) -> None:
        raise RuntimeError(f"{device} {alloc_size} {free_size}")

    handle = backend.register_memory_hook(refuse)
    with pytest.raises(RuntimeError, match="cpu 40 0"):
        compiled.evaluate({}, {"x": torch.ones(10)})
    handle.remove()
    assert compiled.evaluate({}, {"x": torch.ones(10)})["y"].sum() == 10
    assert allocated(backend) == 0


def test_a_hook_may_evaluate() -> None:
    backend = ml.TorchBackend()
    compiled, sums = relu_on(backend), []
    busy = threading.Lock()

    def evaluate(device: str, alloc_size: int, free_size: int) -> None:
        if busy.acquire(blocking=False):
            sums.append(compiled.evaluate({}, {"x": torch.ones(5)})["y"].sum().item())
            busy.release()

    backend.register_memory_hook(evaluate)
    compiled.evaluate({}, {"x": torch.ones(10)})
    assert sums == [5.0]


def test_the_cpu_backend_does_not_count_memory() -> None:
    text = text_of(ml.BackendError, lambda: ml.CpuBackend().get_memory_stats())
    assert text == "mithril.BackendError[E1020]: backend 'cpu' does not count its memory"


@needs_cuda
def test_a_gpu_counts_and_keeps_to_the_limit() -> None:
    backend = ml.TorchBackend(device="cuda", memory_limit="1MB")
    compiled = relu_on(backend)
    events = Events()
    backend.register_memory_hook(lambda *event: events.append(event))
    out = compiled.evaluate({}, {"x": torch.ones(1000, device="cuda")})["y"]
    assert allocated(backend) >= 4000
    assert any(device == "cuda:0" and alloc_size for device, alloc_size, _ in events)
    text = text_of(
        ml.OutOfMemoryError,
        lambda: compiled.evaluate({}, {"x": torch.ones(1_000_000, device="cuda")}),
    )
    assert text.startswith("mithril.OutOfMemoryError[E1101]: y: ")
    del out
    assert allocated(backend) == 0
    assert compiled.evaluate({}, {"x": torch.ones(1000, device="cuda")})["y"].sum() == 1000


@needs_cuda
def test_the_cache_of_a_gpu_is_cleared() -> None:
    backend = ml.TorchBackend(device="cuda")
    out = relu_on(backend).evaluate({}, {"x": torch.ones(10_000_000, device="cuda")})
    del out
    assert (backend.get_memory_stats()["cached"] or 0) > 0
    backend.clear_cache()
    assert (backend.get_memory_stats()["cached"] or 0) < 20_000_000
