"""Exact dtypes of ports, and integers of every width as results of models."""

import pickle

import numpy as np
import pytest
from named_backend import named_backend

import mithril as ml

BACKENDS = ["cpu", "reference", "torch", "jax"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
STORED = [name for name in INTEGERS if name not in ("int32", "int64")]


@pytest.fixture(params=BACKENDS)
def backend(request):
    return named_backend(request.param)


def exact(name: str, dtype: str, shape=None):
    return ml.IOKey(name, type=ml.Tensor[ml.dtype(dtype)], shape=shape)


def evaluated(model, backend, data):
    compiled = ml.compile(model, backend, data_keys=list(data))
    return {key: np.asarray(value) for key, value in compiled.evaluate({}, data).items()}


def same(got, expected) -> bool:
    return got.dtype == expected.dtype and np.array_equal(got, expected)


def numbers(dtype: str, seed: int = 0):
    limits = np.iinfo(dtype)
    generator = np.random.default_rng(seed)
    drawn = generator.integers(limits.min, limits.max, 20, dtype, endpoint=True)
    drawn[:5] = [limits.min, limits.max, 0, 1, limits.max - 1]
    return drawn.reshape(4, 5)


@pytest.mark.parametrize("dtype", ["int32", "float64", "float32", "float16", "bool", *STORED])
def test_inputs_and_results_keep_a_stated_dtype(dtype, backend) -> None:
    x = exact("x", dtype)
    model = ml.Model.create(y=ml.Buffer()(x), turned=x.transpose(), sliced=x[1:, ::2])
    given = np.array([[1, 0, 1], [0, 1, 1]], dtype)
    got = evaluated(model, backend, {"x": given})
    assert same(got["y"], given)
    assert same(got["turned"], given.T)
    assert same(got["sliced"], given[1:, ::2])


def test_a_float64_input_of_a_float32_backend_is_computed_in_float64(backend) -> None:
    x = exact("x", "float64")
    given = np.random.default_rng(0).normal(size=(3, 4))
    got = evaluated(ml.Model.create(y=ml.Relu()(x) * 3 + x.exp()), backend, {"x": given})["y"]
    assert got.dtype == np.float64
    assert np.allclose(got, np.maximum(given, 0) * 3 + np.exp(given), rtol=1e-14, atol=0)


def test_ints_beside_exact_float64_are_computed_in_float64(backend) -> None:
    x, n = np.array([[0.25, 0.5, 1.5]]), np.array([[3, 7, 2**24 + 1]])
    for dtype in ("int64", "uint32", "bool"):
        counts = n.astype(dtype)
        a, b = exact("x", "float64", [1, 3]), exact("n", dtype, [1, 3])
        outputs = {"area": ml.Trapezoid()(a, b), "swapped": ml.Trapezoid()(b, a)}
        if dtype != "bool":
            outputs["divergence"] = ml.KLDivergence()(a, b)
        got = evaluated(ml.Model.create(**outputs), backend, {"x": x, "n": counts})
        wide = counts.astype(np.float64)
        expected = {
            "area": np.trapezoid(x, wide),
            "swapped": np.trapezoid(wide, x),
            "divergence": wide * (np.log(wide) - np.log(x)),
        }
        for key, array in got.items():
            assert array.dtype == np.float64
            assert np.allclose(array, expected[key], rtol=1e-14, atol=0), key


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_ints_beside_half_precision_keep_it(dtype) -> None:
    x, n = exact("x", dtype, [1, 3]), exact("n", "int32", [1, 3])
    model = ml.Model.create(area=ml.Trapezoid()(x, n), divergence=ml.KLDivergence()(x, n))
    compiled = ml.compile(model, ml.CpuBackend(), data_keys=["x", "n"])
    data = {"x": np.ones((1, 3), np.float32), "n": np.array([[1, 2, 4]], np.int32)}
    got = compiled.evaluate({}, data)
    assert {str(value.dtype).removeprefix("dtype.") for value in got.values()} == {dtype}
    assert np.allclose(np.asarray(got["area"], np.float32), 3)
    assert np.allclose(np.asarray(got["divergence"], np.float32), [0, 1.386, 5.545], rtol=1e-2)


def test_gradients_of_exact_floats_have_their_dtype(backend) -> None:
    model = ml.Model.create(y=(exact("x", "float64", [3]) ** 2).sum())
    compiled = ml.compile(model, backend, trainable_keys=["x"])
    params = {"x": np.array([1.0, 2.0, 1 / 3])}
    _, gradients = compiled.evaluate(params, {}, output_gradients=True)
    assert same(np.asarray(gradients["x"]), 2 * params["x"])


def test_a_state_of_floats_keeps_its_width(backend) -> None:
    model = ml.Model()
    model |= ml.BatchNorm1D()(input=exact("x", "float64", [3, 4]), output="y")
    compiled = ml.compile(model, backend, data_keys=["x"])
    x = np.random.default_rng(0).normal(size=(3, 4))
    state = compiled.initial_state_dict
    outputs, following = compiled.evaluate(compiled.randomize_params(seed=0), {"x": x}, state=state)
    assert np.asarray(outputs["y"]).dtype == np.float64
    assert {key: value.dtype for key, value in following.items()} == {
        key: value.dtype for key, value in state.items()
    }
    mean = np.asarray(following["batchnorm1d.running_mean"])
    assert np.allclose(mean, x.mean(0) / 10, rtol=1e-6, atol=1e-8)


@pytest.mark.sampled(5)  # shares no factor with the dtypes, ops and backends
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["+", "-", "*", "&", "|", "^"])
def test_arithmetic_wraps_as_in_numpy(dtype, op, backend) -> None:
    functions = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "&": lambda a, b: a & b,
        "|": lambda a, b: a | b,
        "^": lambda a, b: a ^ b,
    }
    function = functions[op]
    a, b = numbers(dtype, 1), numbers(dtype, 2)[::-1]
    model = ml.Model.create(y=function(exact("a", dtype), exact("b", dtype)))
    assert same(evaluated(model, backend, {"a": a, "b": b})["y"], function(a, b))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_functions_of_integers_are_those_of_numpy(dtype, backend) -> None:
    a = numbers(dtype, 3)
    x = exact("x", dtype, [4, 5])
    model = ml.Model.create(
        negative=-x,
        inverted=ml.BitwiseNot()(x),
        sum=x.sum(1),
        product=x.prod(0),
        running=ml.Cumsum(axis=1)(x),
        largest=x.max(0),
        smallest=x.min(1),
        place=ml.ArgMax(axis=1)(x),
        order=ml.ArgSort(axis=1)(x),
        raised=ml.Maximum()(x, 3),
        plus=x + 7,
    )
    got = evaluated(model, backend, {"x": a})
    with np.errstate(over="ignore"):
        expected = {
            "negative": -a,
            "inverted": ~a,
            "sum": a.sum(1, dtype=dtype),
            "product": a.prod(0, dtype=dtype),
            "running": a.cumsum(1, dtype=dtype),
            "largest": a.max(0),
            "smallest": a.min(1),
            "raised": np.maximum(a, np.array(3, dtype)),
            "plus": a + np.array(7, dtype),
        }
    for key, array in expected.items():
        assert same(got[key], array), key
    assert np.array_equal(got["place"], a.argmax(1))
    assert np.array_equal(got["order"], a.argsort(1, kind="stable"))


@pytest.mark.parametrize("dtype", STORED)
def test_integers_are_compared_as_they_are(dtype, backend) -> None:
    a, b = numbers(dtype, 4), numbers(dtype, 5)
    b[0] = a[0]
    x, y = exact("a", dtype), exact("b", dtype)
    model = ml.Model.create(l=x < y, le=x <= y, e=x == y, ne=x != y, constant=x > 100)
    got = evaluated(model, backend, {"a": a, "b": b})
    expected = {"l": a < b, "le": a <= b, "e": a == b, "ne": a != b, "constant": a > 100}
    for key, array in expected.items():
        assert same(got[key], array), key


@pytest.mark.parametrize("dtype", STORED)
def test_elements_are_moved_as_they_are(dtype, backend) -> None:
    a = numbers(dtype, 6)
    x = exact("x", dtype, [4, 5])
    index = ml.Tensor(np.array([3, 0]))
    model = ml.Model.create(
        shaped=x.reshape((2, 10)),
        joined=ml.Concat(axis=1)([x, x]),
        padded=ml.Pad(pad_width=((1, 0), (0, 2)))(x),
        taken=ml.Gather()(x, index),
        repeated=ml.BroadcastTo((3, 4, 5))(x),
        chosen=ml.Where()(x > 50, x, 0),
    )
    got = evaluated(model, backend, {"x": a})
    expected = {
        "shaped": a.reshape(2, 10),
        "joined": np.concatenate([a, a], 1),
        "padded": np.pad(a, ((1, 0), (0, 2))),
        "taken": a[[3, 0]],
        "repeated": np.broadcast_to(a, (3, 4, 5)),
        "chosen": np.where(a > 50, a, np.array(0, dtype)),
    }
    for key, array in expected.items():
        assert same(got[key], array), key


@pytest.mark.parametrize("dtype", STORED)
def test_casts_are_those_of_numpy(dtype, backend) -> None:
    given = np.array([0, 1, -1, 127, 128, -129, 255, 65_541, 2**40 + 3, 2**62])
    reals = np.array([0.0, 1.9, 100.5, 3.0])
    x, r = exact("x", "int64"), exact("r", "float64")
    model = ml.Model.create(
        from_int=x.cast(ml.dtype(dtype)),
        from_float=r.cast(ml.dtype(dtype)),
        back=x.cast(ml.dtype(dtype)).cast(ml.int64),
        as_float=x.cast(ml.dtype(dtype)).cast(ml.float64),
    )
    got = evaluated(model, backend, {"x": given, "r": reals})
    assert same(got["from_int"], given.astype(dtype))
    assert same(got["from_float"], reals.astype(dtype))
    assert same(got["back"], given.astype(dtype).astype(np.int64))
    assert same(got["as_float"], given.astype(dtype).astype(np.float64))


@pytest.mark.parametrize("dtype", STORED)
def test_quotients_and_means_are_floats(dtype, backend) -> None:
    a = numbers(dtype, 7)
    x = exact("x", dtype, [4, 5])
    got = evaluated(ml.Model.create(half=x / 2, root=ml.Sqrt()(x.mean())), backend, {"x": a})
    assert got["half"].dtype == np.float32
    assert np.allclose(got["half"], a / 2, rtol=1e-6)
    assert got["root"].dtype == np.float32


def test_constants_keep_a_stated_dtype(backend) -> None:
    for dtype in [*INTEGERS, "float64", "float16"]:
        array = numbers(dtype)[0] if dtype in INTEGERS else np.array([1 / 3, 2], dtype)
        constant = ml.IOKey(value=ml.Tensor(array), type=ml.Tensor[ml.dtype(dtype)])
        model = ml.Model()
        model |= ml.Buffer()(input=constant, output="y")
        model |= ml.Zeros(shape=(2,), dtype=ml.dtype(dtype))(output="zeros")
        got = evaluated(model, backend, {})
        assert same(got["y"], array)
        assert same(got["zeros"], np.zeros(2, dtype))


def test_a_loop_carries_integers_of_8_bits() -> None:
    body = ml.Model.create(next=ml.IOKey("total") + ml.IOKey("item"))
    scan = ml.Scan(body, carry={"total": "next"}, sequences=["item"])
    model = ml.Model()
    model |= scan(
        total=exact("start", "uint8", []), item=exact("items", "uint8", [3]), total_last="sum"
    )
    items = np.array([100, 100, 100], np.uint8)
    got = evaluated(model, ml.CpuBackend(), {"start": np.array(5, np.uint8), "items": items})
    assert same(got["sum"], np.array(49, np.uint8))


def test_json_pickles_and_copies_keep_a_stated_dtype() -> None:
    model = ml.Model.create(y=exact("x", "uint8") + 1)
    for other in (ml.Model.from_json(model.to_json()), pickle.loads(pickle.dumps(model))):
        assert other == model
        got = evaluated(other, ml.CpuBackend(), {"x": np.array([255], np.uint8)})
        assert same(got["y"], np.array([0], np.uint8))
    got = evaluated(model.copy(), ml.CpuBackend(), {"x": np.array([255], np.uint8)})
    assert same(got["y"], np.array([0], np.uint8))


def test_set_types_and_types_of_a_compile_state_a_dtype() -> None:
    model = ml.Model.create(y=ml.IOKey("x", type=ml.Tensor[int]) + 1)
    compiled = ml.compile(model, ml.CpuBackend(), types={"x": ml.Tensor[ml.int8]}, data_keys=["x"])
    got = compiled.evaluate({}, {"x": np.array([127], np.int8)})["y"]
    assert same(got, np.array([-128], np.int8))
    assert evaluated(model, ml.CpuBackend(), {"x": np.array([127])})["y"].dtype == np.int64
    model.set_types(x=ml.Tensor[ml.int8])
    assert evaluated(model, ml.CpuBackend(), {"x": np.array([127], np.int8)})["y"].dtype == np.int8


def test_two_dtypes_of_one_connection_are_refused() -> None:
    model = ml.Model.create(y=exact("x", "uint8") + 1)
    with pytest.raises(ml.TypeError) as caught:
        model.set_types(x=ml.Tensor[ml.int8])
    assert "[E1360]: x: two dtypes are stated for one connection" in str(caught.value)
    inner = ml.Model.create(z=exact("w", "int8") * 2)
    with pytest.raises(ml.TypeError, match="E1360"):
        model |= inner(w="x", z="z")


def test_a_result_of_another_dtype_than_stated_is_refused() -> None:
    model = ml.Model()
    model |= ml.Relu()(input="x", output="y")
    model.set_types(y=ml.Tensor[ml.float64])
    with pytest.raises(ml.TypeError) as caught:
        ml.compile(model, ml.CpuBackend())
    assert str(caught.value) == (
        "mithril.TypeError[E1363]: y: 'y' is stated to be another dtype than its op makes\n"
        "  stated : float64\n"
        "  made   : float32\n"
        "  help: cast it, or state the dtypes of the inputs that it is computed from"
    )
    ml.compile(model, ml.CpuBackend(dtype=ml.float64))


def test_an_op_without_a_rule_for_uint64_names_itself_and_its_port() -> None:
    model = ml.Model.create(y=exact("x", "uint64") // 3)
    with pytest.raises(ml.TypeError) as caught:
        ml.compile(model, ml.CpuBackend(), data_keys=["x"])
    assert "[E1361]" in str(caught.value)
    assert "floor_divide: port 'numerator' takes no uint64\n" in str(caught.value)
    signed = ml.Model.create(y=exact("x", "uint64") < exact("z", "int64"))
    with pytest.raises(ml.TypeError, match="takes no int64 beside uint64"):
        ml.compile(signed, ml.CpuBackend(), data_keys=["x", "z"])


def test_numbers_that_a_stated_dtype_cannot_hold_are_refused() -> None:
    wide = ml.IOKey(value=ml.Tensor(np.array([300])), type=ml.Tensor[ml.uint8])
    with pytest.raises(ml.ValueError, match="E1362"):
        ml.compile(ml.Model.create(y=ml.Buffer()(wide)), ml.CpuBackend())
    compiled = ml.compile(
        ml.Model.create(y=exact("x", "uint8") + 1), ml.CpuBackend(), data_keys=["x"]
    )
    with pytest.raises(ml.InputError, match=r"E0805.*has values that uint8 cannot hold"):
        compiled.evaluate({}, {"x": np.array([-1])})
    ints = ml.compile(
        ml.Model.create(y=ml.IOKey("x", type=ml.Tensor[int]) + 1), ml.CpuBackend(), data_keys=["x"]
    )
    with pytest.raises(ml.InputError, match=r"E0805.*has values that int64 cannot hold"):
        ints.evaluate({}, {"x": np.array([2**63], np.uint64)})
