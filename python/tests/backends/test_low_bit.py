"""Elements of 8 bits and fewer: float8, float4, and integers of 4 and 2 bits, against ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest
from named_backend import named_backend

import mithril as ml

FLOAT8 = ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]
FLOATS = [*FLOAT8, "float8_e8m0fnu", "float4_e2m1fn"]
INTEGERS = ["int4", "uint4", "int2", "uint2"]
DTYPES = [*FLOATS, *INTEGERS]
BACKENDS = ["cpu", "reference", "torch"]


@pytest.fixture(params=BACKENDS)
def backend(request):
    return named_backend(request.param)


def theirs(name: str):
    return np.dtype(getattr(ml_dtypes, name))


def bits_of(name: str) -> int:
    return 8 if name.startswith("float8") else 2 if name.endswith("int2") else 4


def codes(name: str):
    """Each element that there is, as an array of ml_dtypes."""
    return np.arange(2 ** bits_of(name), dtype=np.uint8).view(theirs(name))


def borders(name: str):
    """Numbers at, between, and just beside those of the dtype, and beyond them."""
    with np.errstate(invalid="ignore"):
        numbers = np.unique(codes(name).astype(np.float64))
    numbers = numbers[np.isfinite(numbers)]
    middles = (numbers[1:] + numbers[:-1]) / 2
    top = numbers[-1] + (numbers[-1] - numbers[-2]) * np.array([0.25, 0.5, 0.75, 1, 3])
    made = np.concatenate([numbers, middles, top, -top, [np.inf, 1e30, 1e-30, 0]])
    with np.errstate(over="ignore"):
        made = made.astype(np.float32)
    made = np.concatenate([made, np.nextafter(made, np.inf), np.nextafter(made, -np.inf), -made])
    return np.concatenate([made, np.array([np.nan, 1e-45, -1e-45], np.float32)])


def same(got, expected) -> bool:
    """Whether the elements have the same bits, up to those of NaN."""
    got, expected = np.asarray(got), np.asarray(expected)
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return False
    with np.errstate(invalid="ignore"):
        a, b = got.astype(np.float64), expected.astype(np.float64)
    signs = [np.signbit(each) & ~np.isnan(each) for each in (a, b)]
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(*signs)


def cast(array, name: str):
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(theirs(name))


def exact(name: str, dtype: str):
    return ml.IOKey(name, type=ml.Tensor[ml.dtype(dtype)])


def evaluated(model, backend, data):
    compiled = ml.compile(model, backend, data_keys=list(data))
    return compiled.evaluate({}, data)


@pytest.mark.parametrize("name", DTYPES)
def test_each_code_passes_through_numpy(name) -> None:
    tensor = ml.Tensor(codes(name))
    assert tensor.dtype == ml.dtype(name)
    assert same(np.asarray(tensor), codes(name))
    assert np.asarray(tensor).tobytes() == codes(name).tobytes()


@pytest.mark.parametrize("to", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("name", DTYPES)
def test_each_code_is_the_number_of_ml_dtypes(name, to) -> None:
    with np.errstate(over="ignore"):
        expected = codes(name).astype(theirs(to) if to == "bfloat16" else to)
    got = np.asarray(ml.Tensor(codes(name), to))
    assert same(got, expected.astype(got.dtype))


@pytest.mark.parametrize("name", FLOATS)
def test_floats_are_rounded_as_ml_dtypes_rounds_them(name) -> None:
    numbers = borders(name)
    if name == "float8_e8m0fnu":  # ml_dtypes rounds these up, although 2**-127 is nearer
        numbers = numbers[~((numbers > 2.0**-127) & (numbers < 1.5 * 2.0**-127))]
    assert same(ml.Tensor(numbers, name), cast(numbers, name))
    wide = np.concatenate([numbers.astype(np.float64), [0.1, 1 + 2**-40, 1e300]])
    assert same(ml.Tensor(wide, name), cast(wide, name))


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_wrap_as_those_of_ml_dtypes(name) -> None:
    integers = np.array([*range(-40, 40), 2**31 - 1, -(2**31)])
    for dtype in ("int64", "int32", "float32", "float64"):
        numbers = integers.astype(dtype)
        assert same(ml.Tensor(numbers, name), cast(numbers, name))
    floats = np.array([-0.9, 0.9, 3.99, -1.5, np.nan, np.inf, -np.inf, 1e10], np.float32)
    assert same(ml.Tensor(floats, name), cast(floats, name))


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("to", DTYPES)
def test_low_bit_elements_become_others(source, to) -> None:
    given = codes(source)
    if to == "float8_e8m0fnu":
        given = given[given.astype(np.float32) >= 2.0**-126]
    with np.errstate(invalid="ignore", over="ignore"):
        expected = given.astype(np.float32).astype(theirs(to))
    assert same(ml.Tensor(given, to), expected)


@pytest.mark.parametrize("name", DTYPES)
def test_models_cast_to_and_from(name, backend) -> None:
    is_torch = isinstance(backend, ml.TorchBackend)
    numbers = borders(name)
    if name == "float8_e8m0fnu":
        numbers = 2.0 ** np.arange(-126, 127, dtype=np.float32)
    x = ml.IOKey("x")
    low = x.cast(ml.dtype(name))
    model = ml.Model.create(low=low, back=low.cast(ml.float32))
    if is_torch and name not in FLOAT8:
        with pytest.raises(ml.TypeError, match=f"E1366.*no tensors of {name}"):
            evaluated(model, backend, {"x": numbers})
        return
    got = evaluated(model, backend, {"x": numbers})
    expected = cast(numbers, name)
    if is_torch:
        assert str(got["low"].dtype) == f"torch.{name}"
    else:
        assert same(got["low"], expected)
    with np.errstate(invalid="ignore"):
        assert same(got["back"], expected.astype(np.float32))


def test_torch_names_the_dtypes_that_it_lacks() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    model = ml.Model.create(y=ml.IOKey("x").cast(ml.int4))
    with pytest.raises(ml.TypeError) as caught:
        evaluated(model, ml.TorchBackend(), {"x": np.ones(2, np.float32)})
    assert str(caught.value).startswith(
        "mithril.TypeError[E1366]: the PyTorch backend has no tensors of int4\n"
        "  help: cast them to int32 first"
    )


@pytest.mark.parametrize("name", FLOAT8)
def test_a_clamp_before_a_cast_saturates(name, backend) -> None:
    numbers, most = borders(name), float(ml_dtypes.finfo(theirs(name)).max)
    x = ml.IOKey("x")
    model = ml.Model.create(y=x.clamp(-most, most).cast(ml.dtype(name)).cast(ml.float32))
    got = evaluated(model, backend, {"x": numbers})["y"]
    assert same(got, cast(np.clip(numbers, -most, most), name).astype(np.float32))


@pytest.mark.parametrize("name", DTYPES)
def test_inputs_of_models_are_moved(name) -> None:
    x = exact("x", name)
    model = ml.Model.create(y=ml.Buffer()(x), turned=x.transpose(), sliced=x[1:, ::2])
    given = codes(name)[:4].reshape(2, 2)
    for backend in (ml.CpuBackend(), ml.CpuBackend(reference=True)):
        got = evaluated(model, backend, {"x": given})
        assert same(got["y"], given)
        assert same(got["turned"], given.T)
        assert same(got["sliced"], given[1:, ::2])


@pytest.mark.parametrize("name", DTYPES)
def test_loops_and_branches_move_elements(name) -> None:
    step = ml.Model.create(next=ml.IOKey("item").transpose(), seen=ml.Buffer()(ml.IOKey("last")))
    scan = ml.Scan(step, carry={"last": "next"}, sequences=["item"], outputs=["seen"])
    turn = ml.Model.create(m=ml.IOKey("n") - 1, y=ml.IOKey("x").transpose())
    loop = ml.While(ml.Model.create(go=ml.IOKey("n") > 0), turn, carry={"n": "m", "x": "y"})
    turned = ml.Model.create(y=ml.IOKey("x").transpose())
    branch = ml.Cond("flag", turned, ml.Model.create(y=ml.Buffer()(ml.IOKey("x"))))
    model = ml.Model()
    model |= scan(last=exact("x", name), item=exact("items", name), seen="seen", last_last="last")
    model |= loop(n=ml.Tensor(3), x="x", x_last="turned")
    model |= branch(flag=ml.Tensor(True), x="x", y="chosen")
    model.set_shapes(x=[2, 2], items=[2, 2, 2])
    x = codes(name)[:4].reshape(2, 2)
    items = np.stack([x[::-1], x[:, ::-1]])
    for backend in (ml.CpuBackend(), ml.CpuBackend(reference=True)):
        got = evaluated(model, backend, {"x": x, "items": items})
        assert same(got["seen"], np.stack([x, items[0].T]))
        assert same(got["last"], items[1].T)
        assert same(got["turned"], x.T)
        assert same(got["chosen"], x.T)


@pytest.mark.parametrize("name", FLOATS)
def test_transposed_weights_of_few_bits_are_loaded(name) -> None:
    stored = codes(name)[:4].reshape(2, 2)
    model = ml.Model.create(y=ml.IOKey("w", shape=[2, 2], differentiable=True) * 1)
    compiled = ml.compile(model, ml.CpuBackend())
    name_map = {"w": ml.WeightSource("w", transpose=True)}
    params = compiled.load_state_dict({"w": ml.Tensor(stored)}, name_map=name_map)
    with np.errstate(invalid="ignore"):
        assert same(params["w"], stored.T.astype(np.float32))


@pytest.mark.parametrize("name", DTYPES)
def test_constants_keep_a_stated_dtype(name) -> None:
    given = codes(name)
    x = ml.IOKey(value=ml.Tensor(given), type=ml.Tensor[ml.dtype(name)])
    model = ml.Model.create(y=ml.Buffer()(x), wide=x.cast(ml.float32))
    got = evaluated(model, ml.CpuBackend(), {})
    assert same(got["y"], given)
    with np.errstate(invalid="ignore"):
        assert same(got["wide"], given.astype(np.float32))


@pytest.mark.parametrize("name", FLOATS)
def test_files_keep_the_elements(name, tmp_path) -> None:
    ml.save_safetensors(tmp_path / "file", {"w": ml.Tensor(codes(name)), "v": codes(name)})
    loaded = ml.load_safetensors(tmp_path / "file")
    assert same(loaded["w"], codes(name))
    assert same(loaded["v"], codes(name))


@pytest.mark.parametrize("name", INTEGERS)
def test_files_refuse_integers_without_a_type(name, tmp_path) -> None:
    with pytest.raises(ml.TypeError, match=f"E1368.*no type for tensors of {name}"):
        ml.save_safetensors(tmp_path / "file", {"w": ml.Tensor(codes(name))})


def test_no_gradient_flows_through_a_cast_to_few_bits() -> None:
    x = ml.IOKey("x", differentiable=True)
    model = ml.Model.create(y=(x.cast(ml.float8_e5m2).cast(ml.float32) + x * 2).sum())
    compiled = ml.compile(model, ml.CpuBackend(), trainable_keys=["x"], shapes={"x": [3]})
    ones = {"y": np.ones((), np.float32)}
    _, gradients = compiled.evaluate({"x": np.ones(3, np.float32)}, {}, output_gradients=ones)
    assert np.array_equal(gradients["x"], [2, 2, 2])
