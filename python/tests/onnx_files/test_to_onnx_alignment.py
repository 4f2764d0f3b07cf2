"""Places of elements in files of `ml.to_onnx`: they can be mapped."""

import numpy as np
import pytest
from onnx_runs import assert_equal_results

import mithril as ml

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("width", [1, 5, 16, 40, 300])
def test_elements_are_aligned(tmp_path, dtype, width):
    """To 64 bytes from 1 KiB on, and to their dtype below."""
    net = ml.Model()
    for i in range(6):
        net |= ml.Linear(width + i)(
            input="x" if i == 0 else f"h{'_' * i}{i}", output=f"h{'_' * (i + 1)}{i + 1}"
        )
    net |= ml.Linear(2)(input="h______6", output="y")
    backend = ml.CpuBackend(dtype=ml.dtype(dtype))
    compiled = ml.compile(net, backend, shapes={"x": ["N", 3]})
    params = {key: np.array(value) for key, value in compiled.randomize_params(2).items()}
    for key, value in params.items():
        params[key] = RNG.normal(size=value.shape).astype(value.dtype)
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path, params)
    content = path.read_bytes()
    for value in params.values():
        elements = value.tobytes()
        if len(elements) < 16:
            continue  # other fields may have these bytes
        assert content.count(elements) == 1
        unit = 64 if len(elements) >= 1024 else value.itemsize
        assert content.index(elements) % unit == 0
    read = ml.from_onnx(path).params
    for key, value in params.items():
        np.testing.assert_array_equal(read[key], value)
    if dtype == "float32":
        x = RNG.normal(size=(2, 3)).astype(dtype)
        assert_equal_results(path, compiled, [params], {"x": x})
