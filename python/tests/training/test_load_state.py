"""load_state_dict: running statistics, files without a fitting name, and patterns."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_fit import rows

import mithril as ml

BACKENDS: dict[str, Any] = {"cpu": ml.CpuBackend, "torch": ml.TorchBackend}


def normed(backend: Any = None, **options: Any) -> ml.CompiledModel:
    model = ml.Model()
    model |= ml.Linear(3, name="fc")(input="x", output="h")
    model |= ml.BatchNorm1D(name="norm")(input="h", output="y")
    return ml.compile(model, backend or ml.CpuBackend(), shapes={"x": [None, 4]}, **options)


def stored(model: ml.CompiledModel) -> dict[str, Any]:
    tensors = {**model.randomize_params(3), **model.initial_state_dict}
    return {
        key: np.asarray(value) + (0.5 if "running" in key else 0.0)
        for key, value in tensors.items()
    }


@pytest.mark.parametrize("inference", [False, True])
@pytest.mark.parametrize("kind", BACKENDS)
def test_running_statistics_load_into_the_state(kind: str, inference: bool) -> None:
    model = normed(BACKENDS[kind](), inference=inference)
    saved = stored(normed())
    params, state = model.load_state_dict(saved, return_state=True)
    assert [*params] == model.parameter_keys
    assert [*state] == [*model.initial_state_dict]
    for key, value in {**params, **state}.items():
        np.testing.assert_array_equal(np.asarray(value), saved[key])
    x = rows(8, 0)["x"]
    expected = normed().infer(
        {key: saved[key] for key in params}, {"x": x}, {key: saved[key] for key in state}
    )
    np.testing.assert_allclose(
        np.asarray(model.infer(params, {"x": x}, state)["y"]), expected["y"], rtol=1e-5, atol=1e-6
    )
    _, _, report = model.load_state_dict(saved, return_state=True, return_report=True)
    assert report.missing == report.unexpected == []


@pytest.mark.parametrize("strict", [False, True])
def test_running_statistics_are_never_dropped(strict: bool) -> None:
    model = normed()
    with pytest.raises(ml.StateError) as caught:
        model.load_state_dict(stored(model), strict=strict)
    assert str(caught.value) == (
        "mithril.StateError[E0901]: the state dict does not fit the model\n"
        "  state : norm.running_mean [3]\n"
        "  state : norm.running_var [3]\n"
        "  help: set return_state to load running statistics, or ignore to skip them"
    )
    ignored = model.load_state_dict(stored(model), strict=strict, ignore=["*.running_*"])
    assert [*ignored] == model.parameter_keys


def test_missing_and_wrong_statistics_are_errors() -> None:
    model = normed()
    saved = stored(model)
    del saved["norm.running_var"]
    saved["norm.running_mean"] = np.zeros(4, np.float32)
    with pytest.raises(ml.StateError) as caught:
        model.load_state_dict(saved, return_state=True)
    assert str(caught.value) == (
        "mithril.StateError[E0901]: the state dict does not fit the model\n"
        "  missing    : norm.running_var [3]\n"
        "  mismatched : norm.running_mean float32[4]   expected float32[3]"
    )
    saved["norm.running_mean"] = np.ones(3, np.float32)
    _, state, report = model.load_state_dict(
        saved, strict=False, return_state=True, return_report=True
    )
    assert report.missing == ["norm.running_var"]
    np.testing.assert_array_equal(state["norm.running_mean"], np.ones(3))
    np.testing.assert_array_equal(
        state["norm.running_var"], model.initial_state_dict["norm.running_var"]
    )


def test_a_checkpoint_loads_with_its_state(tmp_path: Path) -> None:
    model = normed()
    saved = stored(model)
    params = {key: saved[key] for key in model.parameter_keys}
    state = {key: saved[key] for key in model.initial_state_dict}
    ml.save(tmp_path / "run.safetensors", params, step=state)
    _, loaded = model.load_state_dict(tmp_path / "run.safetensors", return_state=True)
    for key, value in state.items():
        np.testing.assert_array_equal(loaded[key], value)
    with pytest.raises(ml.StateError, match="return_state"):
        model.load_state_dict(tmp_path / "run.safetensors")


def test_a_dict_without_a_matching_key_is_an_error() -> None:
    model = normed()
    other = {"layer.weight": np.zeros((3, 4), np.float32), "layer.bias": np.zeros(3, np.float32)}
    for saved, names in ((other, "layer.weight, layer.bias"), ({}, "none")):
        with pytest.raises(ml.StateError) as caught:
            model.load_state_dict(saved, strict=False)
        assert str(caught.value) == (
            "mithril.StateError[E0901]: no tensor of the state dict has the name of a parameter\n"
            "  parameters : fc.weight, fc.bias, norm.weight, norm.bias\n"
            f"  stored     : {names}\n"
            "  help: give the stored names with prefix or name_map"
        )
    with pytest.raises(ml.StateError):
        model.load_state_dict(stored(model), strict=False, prefix="encoder.", return_state=True)


def test_a_pattern_without_a_match_is_an_error() -> None:
    model = normed()
    with pytest.raises(ml.NameError) as caught:
        model.load_state_dict(stored(model), name_map={"fd.*": "*"}, return_state=True)
    assert str(caught.value).startswith(
        "mithril.NameError[E0623]: no parameter matches the pattern 'fd.*'\n"
        "  help: the nearest key is 'fc."
    )


def test_a_star_is_any_text_as_in_groups() -> None:
    part = ml.Model(name="part")
    part |= ml.Linear(3, name="fc")(input="x", output="h")
    model = ml.Model()
    model |= part(x="x", h="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, 4]})
    keys = compiled.parameter_keys
    assert all(key.count(".") == 2 for key in keys)
    saved = {f"net/{key}/raw": value for key, value in compiled.randomize_params(1).items()}
    params = compiled.load_state_dict(saved, name_map={"*": "net/*/raw"})
    for key in keys:
        np.testing.assert_array_equal(params[key], saved[f"net/{key}/raw"])
    short = {key.replace("weight", "w"): value for key, value in params.items()}
    renamed = compiled.load_state_dict(short, name_map={"*.weigh?": "*.w"})
    np.testing.assert_array_equal(renamed["part.fc.weight"], params["part.fc.weight"])


def test_parameters_of_an_outer_model_fit_its_part() -> None:
    def encoder() -> ml.Model:
        model = ml.Model(name="encoder")
        model |= ml.Linear(3, name="fc")(input="x", output="h")
        model |= ml.BatchNorm1D(name="norm")(input="h", output="y")
        return model

    outer = ml.Model()
    outer |= encoder()(x="x", y="h")
    outer |= ml.Linear(2, name="head")(input="h", output="y")
    whole = ml.compile(outer, ml.CpuBackend(), shapes={"x": [None, 4]})
    part = ml.compile(encoder(), ml.CpuBackend(), shapes={"x": [None, 4]})
    params, state = whole.randomize_params(2), whole.initial_state_dict
    inner, inner_state = part.load_state_dict(
        {**params, **state}, prefix="encoder.", return_state=True
    )
    same = ml.without_prefix(params, "encoder.")
    assert [*inner] == [*same] == part.parameter_keys
    for key, value in inner.items():
        np.testing.assert_array_equal(value, params[f"encoder.{key}"])
        assert same[key] is params[f"encoder.{key}"]
    assert [*inner_state] == [*ml.without_prefix(state, "encoder.")]
    back = ml.with_prefix(same, "encoder.")
    assert [*back] == [key for key in params if key.startswith("encoder.")]
    assert ml.without_prefix(params, "decoder.") == {}


def test_weights_of_the_whole_model_load_for_some_of_its_outputs() -> None:
    net = ml.Model()
    net |= ml.Linear(4, name="body")(input="x", output="h")
    net |= ml.Linear(2, name="first")(input="h", output="y")
    net |= ml.Linear(3, name="second")(input="h", output="z")
    net.expose_keys("y", "z")
    whole = ml.compile(net, ml.CpuBackend(), shapes={"x": [None, 3]})
    params = whole.get_parameters(seed=1)
    one = ml.compile(net, ml.CpuBackend(), shapes={"x": [None, 3]}, outputs=["y"])
    loaded = one.load_state_dict(params, name_map={"second.*": "second.*"})
    assert sorted(loaded) == ["body.bias", "body.weight", "first.bias", "first.weight"]
    with pytest.raises(ml.StateError, match="unknown"):
        one.load_state_dict({**params, "third.weight": np.ones((2, 2), np.float32)})
