"""The native command on models with a state."""

import numpy as np
import pytest
from command import needs_command, object_of, run_command, text_of

import mithril as ml

pytestmark = needs_command


@pytest.fixture
def stateful(tmp_path):
    """Packages of a batch norm: `fresh` with initial statistics, `trained` with others."""
    model = ml.Model()
    model |= ml.BatchNorm1D()(input="x", output="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, 3]}, data_keys=["x"])
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    np.save(tmp_path / "x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    options = {"shapes": {"x": [None, 3]}, "revision": "1", "name": "net"}
    ml.save_package(tmp_path / "fresh", model, params, state=state, **options)
    _, state = compiled.evaluate(params, {"x": np.load(tmp_path / "x.npy")}, state=state)
    ml.save_package(tmp_path / "trained", model, params, state=state, **options)
    return tmp_path


def test_diff_compares_states(stateful):
    ended = run_command("diff", "fresh", "trained", folder=stateful)
    assert ended.returncode == 1
    assert [line.split()[:2] for line in ended.stdout.splitlines()[1:]] == [
        ["elements", "batchnorm1d.running_mean"],
        ["elements", "batchnorm1d.running_var"],
    ]


def test_a_state_survives_conversion(stateful):
    arguments = ["--input", "x=x.npy", "--output", "y=y.npy"]
    text_of("run", "trained", *arguments, folder=stateful)
    expected = np.load(stateful / "y.npy")
    text_of("convert", "trained", "net.json", folder=stateful)
    made = ["--params", "net.safetensors"]
    for source in ["net.json", "fresh"]:
        text_of("run", source, *made, *arguments, folder=stateful)
        np.testing.assert_array_equal(np.load(stateful / "y.npy"), expected)
    text_of("convert", "net.json", "again.zip", *made, "--shape", "x=2,3", folder=stateful)
    text_of("run", "again.zip", *arguments, folder=stateful)
    np.testing.assert_array_equal(np.load(stateful / "y.npy"), expected)


def test_run_shows_no_statistics_of_no_elements(tmp_path):
    (tmp_path / "net.json").write_text(
        ml.Model.create(y=ml.Log()(ml.IOKey("x"))).to_json(), encoding="utf-8"
    )
    np.save(tmp_path / "x.npy", np.full(3, -1, np.float32))
    arguments = ["run", "net.json", "--input", "x=x.npy"]
    (found,) = object_of(*arguments, folder=tmp_path)["outputs"]
    assert (found["min"], found["mean"], found["not_finite"]) == (None, None, 3)
    assert text_of(*arguments, folder=tmp_path).split()[-4:] == ["-", "-", "-", "3"]
