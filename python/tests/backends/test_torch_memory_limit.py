"""The backend on PyTorch keeps to a limit of memory, and loses nothing where it is hit."""

import gc
from collections.abc import Callable

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from test_torch_memory import (  # noqa: E402 - needs torch
    Events,
    allocated,
    compiled_on,
    relu_on,
    text_of,
)
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402 - needs torch


def test_an_allocation_above_the_limit_is_an_error_that_names_the_op() -> None:
    backend = ml.TorchBackend(memory_limit="10kB")
    compiled = relu_on(backend)
    held = compiled.evaluate({}, {"x": torch.ones(2000)})
    text = text_of(ml.OutOfMemoryError, lambda: compiled.evaluate({}, {"x": torch.ones(1000)}))
    assert text == (
        "mithril.OutOfMemoryError[E1101]: y: more memory is needed than memory_limit allows\n"
        "  op     : relu\n"
        "  asked  : 4000 bytes\n"
        "  in use : 8000 bytes\n"
        "  limit  : 10000 bytes"
    )
    del held
    assert compiled.evaluate({}, {"x": torch.ones(1000)})["y"].sum() == 1000
    with pytest.raises(MemoryError):
        compiled.evaluate({}, {"x": torch.ones(3000)})


def test_parameters_and_arrays_keep_to_the_limit() -> None:
    backend = ml.TorchBackend(memory_limit=1000)
    assert text_of(ml.OutOfMemoryError, lambda: backend.zeros(300)) == (
        "mithril.OutOfMemoryError[E1101]: more memory is needed than memory_limit allows\n"
        "  asked  : 1200 bytes\n"
        "  in use : 0 bytes\n"
        "  limit  : 1000 bytes"
    )
    model = ml.Model()
    model |= ml.Linear(100)(input="x", output="y")
    compiled = ml.compile(model, backend, shapes={"x": [1, 3]})
    assert "[E1101]" in text_of(ml.OutOfMemoryError, compiled.get_parameters)
    assert allocated(backend) == 0


def test_an_allocation_beyond_the_memory_of_the_system_is_an_out_of_memory_error() -> None:
    model = ml.Model()
    model |= ml.Add()(left="x", right="x", output="y")
    compiled = ml.compile(model, ml.TorchBackend(), data_keys=["x"])
    x = torch.ones(1).expand(1 << 59)
    text = text_of(ml.OutOfMemoryError, lambda: compiled.evaluate({}, {"x": x}))
    assert text.startswith("mithril.OutOfMemoryError[E1102]: y: there is not enough memory\n")
    assert f"asked  : {1 << 61} bytes" in text


class AtEveryOp(TorchDispatchMode):
    """Calls see(n) before the n-th operator of torch."""

    def __init__(self, see: Callable[[int], None]) -> None:
        super().__init__()
        self.see = see
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.see(self.count)
        self.count += 1
        return func(*args, **(kwargs or {}))


@pytest.mark.slow
def test_a_limit_hit_at_any_allocation_of_a_training_step_loses_no_data() -> None:
    """Before each operator the test takes the rest of the limit away, except for the memory that
    the first few allocations of the operator need."""
    limit = 1_000_000
    backend = ml.TorchBackend(memory_limit=limit)
    compiled = compiled_on(backend)
    params, x = compiled.get_parameters(), torch.randn(2, 2, 6, 6)

    def step() -> tuple[dict, dict]:
        given = {"y": torch.full((2, 3), 0.5)}
        return compiled.evaluate(params, {"x": x}, output_gradients=given)

    def copied(results: tuple[dict, dict]) -> dict:
        return {k: v.clone() for part in results for k, v in part.items()}

    expected = copied(step())
    before = allocated(backend)

    # The allocations and deallocations of each operator, between two marks.
    mark, events = 12_346, Events()
    handle = backend.register_memory_hook(lambda *event: events.append(event))
    with AtEveryOp(lambda _: backend._counted(torch.empty, mark // 2, dtype=torch.float16)):
        step()
    handle.remove()
    ops: list[Events] = []
    for event in events:
        if event[1] == mark:
            ops.append([])
        elif event[2] != mark:
            ops[-1].append(event)
    assert len(ops) >= 8

    paths: list[str] = []
    for n, taken in enumerate(ops):
        used = most = 0
        for _, alloc_size, free_size in taken:
            used += alloc_size - free_size
            if used <= most:
                continue
            ballast: list[torch.Tensor] = []

            def leave(
                op: int, n: int = n, most: int = most, ballast: list[torch.Tensor] = ballast
            ) -> None:
                if op == n:
                    size = limit - allocated(backend) - most
                    ballast.append(backend._counted(torch.empty, size // 2, dtype=torch.float16))

            with AtEveryOp(leave):
                text = text_of(ml.OutOfMemoryError, step)
            assert "[E1101]" in text and f"limit  : {limit} bytes" in text
            where = text.split("]: ")[1].split("more memory")[0]
            paths.append(where.removesuffix(": "))
            ballast.clear()
            gc.collect()  # the frames of the error hold the operator's arguments
            assert allocated(backend) == before
            again = copied(step())
            assert all(torch.equal(again[key], value) for key, value in expected.items())
            most = used
    # The last are copies that make gradients the user's own, which no op makes.
    named = [path for path in paths if path]
    assert len(named) >= 8 and paths[: len(named)] == named
    assert all("." in path or path == "y" for path in named)


def test_a_limit_hit_in_the_backward_pass_is_the_error_of_torch() -> None:
    backend = ml.TorchBackend(memory_limit=50_000, requires_grad=True)
    compiled = relu_on(backend)
    x = torch.ones(5_000, requires_grad=True)
    loss = compiled.evaluate({}, {"x": x})["y"].sum()
    ballast = backend.zeros(6_000)
    with pytest.raises(torch.OutOfMemoryError, match=r"mithril.OutOfMemoryError\[E1101\]"):
        loss.backward()
    del ballast, loss
    compiled.evaluate({}, {"x": x})["y"].sum().backward()
    assert x.grad is not None and x.grad.sum() == 5_000


@pytest.mark.parametrize("size", ["4 gigs", "", "-1GB", 0, float("nan")])
def test_an_invalid_limit_is_refused(size: object) -> None:
    text = text_of(ml.ValueError, lambda: ml.TorchBackend(memory_limit=size))  # type: ignore[arg-type]
    assert text.startswith("mithril.ValueError[E0430]: memory_limit is ")


def test_a_bool_is_no_limit() -> None:
    text = text_of(ml.TypeError, lambda: ml.TorchBackend(memory_limit=True))
    assert text.startswith("mithril.TypeError[E0395]: TorchBackend: argument 'memory_limit'")
