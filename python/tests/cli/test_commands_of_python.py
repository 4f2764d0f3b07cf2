"""Commands that run in Python, called in this process."""

import numpy as np
import pytest
from mithril.__main__ import main
from mithril.cli.model_file import random_data

import mithril as ml


def linear():
    model = ml.Model()
    model |= ml.Linear(3)(input="x", output=ml.IOKey("y"))
    model.set_shapes(x=[2, 4])
    return model


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "net.json"
    path.write_text(linear().to_json(), encoding="utf-8")
    return path


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_bench_takes_each_dtype(file, capsys, dtype):
    assert main(["bench", str(file), "--dtype", dtype, "--runs", "1"]) == 0
    assert "median ms" in capsys.readouterr().out


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint32", "int32", "int64"])
def test_random_data_of_other_dtypes_is_0_and_1(dtype):
    model = ml.Model()
    key = ml.IOKey("x", type=ml.Tensor[bool if dtype == "bool" else getattr(ml, dtype)])
    model |= ml.Cast(ml.float32)(input=key, output=ml.IOKey("y"))
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [50]})
    x = random_data(compiled, ["x"], 0)["x"]
    assert x.dtype == np.dtype(dtype)
    assert sorted(set(x.tolist())) == [0, 1]


@pytest.mark.parametrize("command", ["bench", "verify"])
def test_a_missing_file_is_refused_with_its_nearest_names(file, capsys, command):
    missing = file.with_name("nte.json")
    assert main([command, str(missing)]) == 3
    assert capsys.readouterr().err == (
        f"mithril.InputError[E0830]: {missing}: the file cannot be read\n"
        "  why : No such file or directory\n"
        "  help: did you mean 'net.json'?\n"
    )
