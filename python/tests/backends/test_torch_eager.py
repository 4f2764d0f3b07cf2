"""eager_mode of TorchBackend: graphs as they were composed, run op by op."""

from __future__ import annotations

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")


def network() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(3)(input="x", output="h")
    model |= ml.Relu()(input="h", output="a")
    model |= ml.Relu()(input="h", output="again")
    model |= ml.Sine()(input="h", output="unread")
    model |= ml.Multiply()(left="a", right="again", output="y")
    model.expose_keys("y")
    return model


def compiled_for(backend: ml.TorchBackend, **options) -> ml.CompiledModel:
    return ml.compile(network(), backend, shapes={"x": [None, 2]}, **options)


def text_of(kind: type[Exception], call) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_eager_mode_has_the_results_of_normal_mode() -> None:
    eager = compiled_for(ml.TorchBackend(eager_mode=True))
    plain = compiled_for(ml.TorchBackend())
    params = plain.get_parameters()
    for rows in (4, 1, 7):
        x, g = torch.randn(rows, 2), torch.randn(rows, 3)
        expected = plain.evaluate(params, {"x": x}, {"y": g})
        got = eager.evaluate(params, {"x": x}, {"y": g})
        for ours, theirs in zip(got, expected, strict=True):
            assert ours.keys() == theirs.keys()
            assert all(torch.allclose(ours[key], theirs[key]) for key in ours)


def test_eager_mode_takes_part_in_autograd() -> None:
    weights = []
    for eager_mode in (True, False):
        compiled = compiled_for(ml.TorchBackend(eager_mode=eager_mode, requires_grad=True))
        params = compiled.get_parameters()
        compiled.evaluate(params, {"x": torch.tensor([[1.0, 2], [-1, -2]])})["y"].sum().backward()
        weights.append(params["linear.weight"].grad)
    assert torch.allclose(*weights) and weights[0].abs().sum() > 0


def test_debug_prints_every_op_that_was_composed(capfd: pytest.CaptureFixture[str]) -> None:
    compiled = compiled_for(ml.TorchBackend(eager_mode=True), debug=True)
    params = compiled.get_parameters()
    compiled.evaluate(params, {"x": torch.ones(4, 2)})
    printed = [line.split()[0] for line in capfd.readouterr().err.splitlines()]
    assert printed[-5:] == ["h", "a", "again", "unread", "y"]
    compiled.evaluate(params, {"x": torch.ones(4, 2)}, {"y": torch.ones(4, 3)})
    backward = [line.split()[0] for line in capfd.readouterr().err.splitlines()][len(printed) :]
    assert backward and all(path.startswith("grad.") for path in backward)


def test_hooks_are_called_wherever_a_value_was_composed() -> None:
    compiled = compiled_for(ml.TorchBackend(eager_mode=True))
    params = compiled.get_parameters()
    seen = []
    for path in ("x", "linear.weight", "h", "a", "again", "unread", "y"):
        compiled.register_hook(path, lambda value, path=path: seen.append(path))
    compiled.register_hook("a", lambda gradient: seen.append("gradient"), gradient=True)
    compiled.evaluate(params, {"x": torch.ones(4, 2)}, {"y": torch.ones(4, 3)})
    assert sorted(seen) == sorted(
        ["x", "linear.weight", "h", "a", "again", "unread", "y", "gradient"]
    )


def test_an_error_is_raised_at_its_op_after_the_earlier_ops() -> None:
    model = ml.Model()
    model |= ml.Relu()(input="x", output="h")
    model |= ml.Add()(left="h", right="z", output="y")
    data = {"x": torch.ones(2), "z": torch.ones(3)}
    seen = []
    for eager_mode in (True, False):
        backend = ml.TorchBackend(eager_mode=eager_mode)
        compiled = ml.compile(model, backend, shapes={"x": [None]}, data_keys=["z"])
        compiled.register_hook("h", lambda value, mode=eager_mode: seen.append(mode))
        text = text_of(ml.ShapeError, lambda run=compiled: run.evaluate({}, data))
        assert "]: y: add" in text
    assert seen == [True]


def test_the_memory_limit_holds_in_eager_mode() -> None:
    backend = ml.TorchBackend(eager_mode=True, memory_limit=100_000)
    compiled = compiled_for(backend)
    params = compiled.get_parameters()
    error = text_of(
        ml.OutOfMemoryError, lambda: compiled.evaluate(params, {"x": torch.ones(10_000, 2)})
    )
    assert "linear" in error or "h: " in error
    compiled.evaluate(params, {"x": torch.ones(4, 2)})


def test_options_that_eager_mode_excludes_are_refused() -> None:
    def text(other: str) -> str:
        return (
            "mithril.ValueError[E0432]: eager_mode runs the composed ops one by one, which "
            f"excludes {other}\n  help: leave one of the two out"
        )

    for option in ("jit_compile", "memory_efficient"):
        options = {"eager_mode": True, option: True}
        assert text_of(ml.ValueError, lambda o=options: ml.TorchBackend(**o)) == text(option)
    backend = ml.TorchBackend(eager_mode=True, jit_compile=False)
    assert text_of(ml.ValueError, lambda: compiled_for(backend, use_checkpointing=True)) == text(
        "use_checkpointing"
    )
