"""The registry of models: sources, names, and loading once."""

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from package_models import X, answer, model, params, save
from threads import results_of_threads

import mithril as ml


@pytest.fixture
def registry() -> ml.ModelsRegistry:
    return ml.ModelsRegistry()


def compiled() -> ml.CompiledModel:
    return ml.compile(model(), ml.CpuBackend(), inference=True)


def answers(loaded: Any) -> bool:
    return bool(np.allclose(np.asarray(loaded.evaluate({}, {"x": X})["y"]), answer(), atol=1e-6))


def source_of(kind: str, folder: Path) -> tuple[Any, dict[str, Any]]:
    """A source of the same model, and options of register."""
    if kind in ("package", *BACKENDS):
        path = save(folder / "p")
        return (path if kind == "package" else f"{kind}{path}"), {}
    if kind == "zip":
        return save(folder / "p.zip"), {}
    if kind == "loaded package":
        return ml.load_package(save(folder / "p")), {}
    if kind == "weights":
        ml.save_safetensors(folder / "w.safetensors", params())
        return folder / "w.safetensors", {"model": model()}
    if kind == "checkpoint":
        ml.save(folder / "c.safetensors", params(), model())
        return str(folder / "c.safetensors"), {}
    functions = {
        "function of a package": lambda: ml.load_package(save(folder / "p")),
        "function of a model": lambda: compiled().bind(params()),
        "function of a tuple": lambda: (compiled(), params()),
        "function of a state": lambda: (compiled(), params(), {}),
    }
    return functions[kind], {}


BACKENDS = {"cpu:": "cpu", "torch:": "torch", "pytorch:": "torch", "jax:": "jax"}
KINDS = ["package", "zip", *BACKENDS, "loaded package", "weights", "checkpoint"]
KINDS += [f"function of a {what}" for what in ("package", "model", "tuple", "state")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_each_source(registry, kind: str, tmp_path: Path) -> None:
    library = BACKENDS.get(kind, "cpu")
    if library != "cpu":
        pytest.importorskip(library, reason=f"{library} is not installed")
    source, options = source_of(kind, tmp_path)
    registry.register("net", source, **options)
    assert not registry.is_loaded("net")
    loaded = registry.load("net")
    assert answers(loaded)
    assert registry.is_loaded("net") and registry.load("net") is loaded
    if kind.endswith(":"):
        assert loaded.backend.name == BACKENDS[kind]


def test_weights_and_torchscript_of_pytorch(registry, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensors = {key: torch.from_numpy(np.array(value)) for key, value in params().items()}
    torch.save(tensors, tmp_path / "w.pt")
    registry.register("weights", tmp_path / "w.pt", model=model())
    assert answers(registry.load("weights"))

    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"y": x + 1.0}

    torch.jit.save(torch.jit.script(Module()), tmp_path / "s.pt")
    registry.register("script", tmp_path / "s.pt")
    with pytest.raises(ml.BackendError) as caught:
        registry.load("script")
    assert caught.value.code == "E1041"
    registry.register("script", f"torch:{tmp_path}/s.pt", allow_native_code=True, replace=True)
    loaded = registry.load("script")
    np.testing.assert_array_equal(loaded.evaluate({}, {"x": X})["y"].numpy(), X + 1)
    registry.register("wrong", f"cpu:{tmp_path}/s.pt", allow_native_code=True)
    with pytest.raises(ml.BackendError) as caught:
        registry.load("wrong")
    assert caught.value.code == "E1040"


def test_a_folder_of_hugging_face(registry, tmp_path: Path) -> None:
    torch_bert = pytest.importorskip("torch_bert", reason="torch is not installed")
    module = torch_bert.random_bert(torch_bert.SMALL)
    weights = {key: v for key, v in module.state_dict().items() if "position_ids" not in key}
    ml.save_safetensors(tmp_path / "model.safetensors", weights)
    (tmp_path / "config.json").write_text(json.dumps(torch_bert.SMALL))
    registry.register("bert", tmp_path)
    data = torch_bert.batches(torch_bert.SMALL)["6 tokens"]
    made = registry.load("bert").evaluate({}, data)
    tensors = [torch_bert.torch.from_numpy(array) for array in data.values()]
    expected = module(*tensors)[0].detach().numpy()
    np.testing.assert_allclose(made["last_hidden_state"], expected, atol=1e-4)


def test_a_name_is_taken_until_it_is_replaced(registry) -> None:
    registry.register("digits", lambda: compiled().bind(params(1)))
    first = registry.load("digits")
    with pytest.raises(ml.NameError) as caught:
        registry.register("digits", compiled)
    assert str(caught.value) == (
        "mithril.NameError[E0629]: register: there is a model 'digits' already\n"
        "  help: choose another name, or pass replace=True"
    )
    assert registry.load("digits") is first
    registry.register("digits", lambda: compiled().bind(params(0)), replace=True)
    assert not registry.is_loaded("digits")
    assert answers(registry.load("digits")) and not answers(first)
    registry.unregister("digits")
    assert registry.names == [] and "digits" not in registry


def test_an_unknown_name_lists_the_nearest(registry) -> None:
    for name in ("digits", "minilm"):
        registry.register(name, "nowhere")
    with pytest.raises(ml.NameError) as caught:
        registry.load("digts")
    text = str(caught.value)
    assert "mithril.NameError[E0628]: there is no model in the registry 'digts'" in text
    assert "did you mean 'digits'?" in text
    with pytest.raises(ml.InputError) as missing:
        registry.load("minilm")  # reads it now
    assert missing.value.code == "E0830"


def test_sixteen_threads_load_a_model_once(registry) -> None:
    calls = []

    def make() -> ml.CompiledModel:
        calls.append(threading.get_ident())
        return compiled().bind(params())

    registry.register("net", make)
    got = results_of_threads(16, lambda: registry.load("net"))
    assert len(calls) == 1 and len(got) == 16 and len(set(map(id, got))) == 1


def test_after_an_error_the_next_call_tries_again(registry) -> None:
    attempts = []

    def make() -> ml.CompiledModel:
        attempts.append(1)
        if len(attempts) == 1:
            raise OSError("not now")
        return compiled().bind(params())

    registry.register("net", make)
    with pytest.raises(OSError, match="not now"):
        registry.load("net")
    assert not registry.is_loaded("net")
    assert answers(registry.load("net"))


def test_a_source_that_loads_itself_is_an_error(registry) -> None:
    registry.register("digits", lambda: registry.load("digits"))
    with pytest.raises(ml.StateError) as caught:
        registry.load("digits")
    assert str(caught.value).startswith(
        "mithril.StateError[E0931]: load: the source of 'digits' loads 'digits' itself"
    )


def test_an_unknown_source_is_an_error(registry, tmp_path: Path, monkeypatch) -> None:
    with pytest.raises(ml.TypeError):
        registry.register("net", 7)
    registry.register("number", lambda: 7)
    with pytest.raises(ml.TypeError):
        registry.load("number")
    monkeypatch.chdir(tmp_path)
    ml.save_safetensors("weights.safetensors", params())
    registry.register("weights", "weights.safetensors")
    with pytest.raises(ml.InputError) as caught:
        registry.load("weights")
    assert str(caught.value) == (
        "mithril.InputError[E0871]: register: 'weights.safetensors' has parameters, but no model\n"
        "  help: pass model=, or save a package"
    )


def test_load_finds_models_and_files(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("mithril.loading.models_registry", ml.ModelsRegistry())
    from mithril.loading import models_registry  # noqa: PLC0415 - the one of this test

    monkeypatch.chdir(tmp_path)
    with pytest.raises(ml.InputError) as caught:
        ml.load("nets")
    assert caught.value.code == "E0830"
    models_registry.register("net", lambda: compiled().bind(params()))
    assert answers(ml.load("net"))
    with pytest.raises(ml.NameError) as near:
        ml.load("nets")
    assert near.value.code == "E0628"
    ml.save("net", params())
    assert answers(ml.load("net"))
    assert set(ml.load("./net").params) == set(params())
    assert ml.load(tmp_path / "net").model is None
