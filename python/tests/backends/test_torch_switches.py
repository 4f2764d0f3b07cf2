"""deterministic and benchmark: torch's switches while the backend on PyTorch runs, and after."""

import threading

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402 - needs torch

AS_TORCH_HAS_THEM = (False, False, True, False, False, False)
DETERMINISTIC = (True, False, False, True, True, False)
BENCHMARK = (False, False, True, False, False, True)


def switches() -> tuple:
    return (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        torch.utils.deterministic.fill_uninitialized_memory,
        torch.backends.cudnn.deterministic,
        torch.backends.mkldnn.deterministic,
        torch.backends.cudnn.benchmark,
    )


class Seen(TorchDispatchMode):
    """The switches at each operator of torch."""

    def __init__(self) -> None:
        super().__init__()
        self.switches: set[tuple] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.switches.add(switches())
        return func(*args, **(kwargs or {}))


def words(**options: object) -> tuple:
    model = ml.Model()
    model |= ml.Embedding(5, dim=64)(input="ids")
    model += ml.Linear(3)(output="y")
    compiled = ml.compile(model, ml.TorchBackend(**options), shapes={"ids": [None]})
    return compiled, compiled.get_parameters()


def ids(count: int) -> "torch.Tensor":
    return torch.arange(count) * 7 % 5


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, AS_TORCH_HAS_THEM),
        ({"deterministic": True}, DETERMINISTIC),
        ({"benchmark": True}, BENCHMARK),
        ({"deterministic": True, "benchmark": True}, DETERMINISTIC),
    ],
)
def test_switches_are_set_while_operators_run(options: dict, wanted: tuple) -> None:
    compiled, params = words(**options)
    given = {"y": torch.ones(4, 3)}
    data = {"ids": ids(4)}
    with Seen() as seen:
        compiled.evaluate(params, data, output_gradients=given)
    # Copies that make a gradient the user's own come after the run.
    assert wanted in seen.switches
    assert seen.switches <= {wanted, AS_TORCH_HAS_THEM}
    assert switches() == AS_TORCH_HAS_THEM


def test_switches_are_set_in_the_backward_pass() -> None:
    compiled, params = words(deterministic=True, requires_grad=True)
    loss = compiled.evaluate(params, {"ids": ids(4)})["y"].sum()
    with Seen() as seen:
        loss.backward()
    assert DETERMINISTIC in seen.switches
    assert switches() == AS_TORCH_HAS_THEM


def test_switches_are_put_back_after_an_error() -> None:
    compiled, params = words(deterministic=True)
    with pytest.raises(ml.Error):
        compiled.evaluate(params, {"ids": torch.tensor([9])})
    assert switches() == AS_TORCH_HAS_THEM


def test_switches_of_the_user_are_restored() -> None:
    compiled, params = words(deterministic=True)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.benchmark = True
    try:
        before, data = switches(), {"ids": ids(4)}
        with Seen() as seen:
            compiled.evaluate(params, data)
        assert seen.switches == {DETERMINISTIC}
        assert switches() == before
    finally:
        torch.use_deterministic_algorithms(False)
        torch.backends.cudnn.benchmark = False


def test_deterministic_gives_the_same_bits() -> None:
    compiled, params = words(deterministic=True)
    data, given = {"ids": ids(10_000)}, {"y": torch.randn(10_000, 3)}
    outputs, gradients = compiled.evaluate(params, data, output_gradients=given)
    for _ in range(10):
        again = compiled.evaluate(params, data, output_gradients=given)
        assert torch.equal(again[0]["y"], outputs["y"])
        assert all(torch.equal(again[1][key], value) for key, value in gradients.items())


def test_threads_that_want_different_switches_leave_none_behind() -> None:
    kinds: list[dict] = [{"deterministic": True}, {"benchmark": True}, {}]
    seen = [Seen() for _ in kinds]

    def work(at: int) -> None:
        compiled, params = words(**kinds[at])
        data = {"ids": ids(4)}
        with seen[at]:
            for _ in range(200):
                compiled.evaluate(params, data)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(len(kinds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen[0].switches == {DETERMINISTIC}
    assert switches() == AS_TORCH_HAS_THEM
