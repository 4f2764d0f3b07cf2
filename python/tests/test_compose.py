"""Composing from Python: bindings, applications, expressions, errors."""

import re

import numpy as np
import pytest

import mithril as ml


def test_a_call_with_a_string_is_a_binding():
    net = ml.Model()
    net |= ml.Linear(4)(input="x", output="y")
    assert net.input_keys == ["x", "linear.weight", "linear.bias"]
    assert net.output_keys == ["y"]


def test_a_call_with_connections_is_an_application():
    x = ml.IOKey("x")
    h = ml.Relu()(ml.Linear(64)(x)) + x
    block = ml.Model.create(output=h)
    assert block.output_keys == ["output"]


@pytest.mark.parametrize("layer", [ml.Dropout(0.5), ml.BatchNorm2D(3, inference=False)])
def test_a_layer_with_state_applies_as_one_without(layer):
    y = ml.Relu()(layer(ml.IOKey("x"))) + 1
    assert ml.Model.create(y=y).output_keys == ["y"]


def test_ports_are_attributes():
    net = ml.Model()
    linear = ml.Linear(4)
    net |= linear(input="x")
    net |= ml.Relu()(input=linear.output, output="y")
    assert net.output_keys == ["y"]
    with pytest.raises(AttributeError, match="known"):
        _ = linear.outptu


def test_operators_indexing_and_shapes_compute_as_numpy():
    x = ml.IOKey("x", shape=["N", 6])
    y = (2 * x[:, 1:3] - 1) ** 2 / x.shape[1]
    model = ml.Model.create(y=y)
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64), data_keys=["x"])
    data = np.arange(12.0).reshape(2, 6)
    assert np.allclose(compiled.evaluate({}, {"x": data})["y"], (2 * data[:, 1:3] - 1) ** 2 / 6)


def test_a_list_of_connections_is_an_argument():
    net = ml.Model()
    net |= ml.Concat(axis=1)(input=["a", "b"], output="y")
    compiled = ml.compile(net, ml.CpuBackend(), data_keys=["a", "b"])
    a, b = np.ones((2, 1), np.float32), np.zeros((2, 2), np.float32)
    assert compiled.evaluate({}, {"a": a, "b": b})["y"].tolist() == [[1, 0, 0], [1, 0, 0]]


def test_a_functional_is_a_model_with_ports():
    @ml.functional
    def affine(a, b):
        return a @ b * 2 + 1

    net = ml.Model()
    net |= affine()(a="p", b="q", output="r")
    assert (net.input_keys, net.output_keys) == (["p", "q"], ["r"])


def test_parameters_of_a_function_with_a_default_are_options():
    @ml.functional
    def scaled(x, times=2, *, plus=0):
        return x * times + plus

    compiled = ml.compile(scaled(plus=1), ml.CpuBackend(), data_keys=["x"])
    assert compiled.data_keys == ["x"]
    assert compiled.evaluate({}, {"x": np.float32(3)})["output"] == 7


ROWS = np.arange(6, dtype=np.float64).reshape(2, 3)


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x[[1, 0, 1]],
        lambda x: x[:, [0, 2]],
        lambda x: x[[[0, 1], [1, 1]]],
        lambda x: x[np.array([1, 0])],
        lambda x: x[-1, ::-1],
        lambda x: x[1:, ..., None],
        lambda x: x[None, ..., 0],
        lambda x: x[: x.shape[0] - 1],
        lambda x: 1 + x - 2 * x / 4,
        lambda x: 7 % (x + 1) + x % 2 + (x + 1) // 2 + 7 // (x + 1),
        lambda x: 2**x + x**2,
        lambda x: x @ x.T,
        lambda x: -abs(x - 3),
        lambda x: (x > 1) & ~(x >= 4) | (x < 2) ^ (x <= 3),
        lambda x: x.mean() + x.sum(axis=0) + x.max(axis=(0, 1)) - x.min() * x.prod(axis=-2),
        lambda x: x.reshape((x.shape[0] * x.shape[1] // 2, 2)),
        lambda x: x.reshape(x.shape[::-1]),
        lambda x: x.transpose((1, 0)),
        lambda x: np.ones(3) + x,
    ],
)
def test_operators_equal_those_of_numpy(fn):
    model = ml.Model.create(y=fn(ml.IOKey("x", shape=["N", 3])))
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64), data_keys=["x"])
    y, expected = compiled.evaluate({}, {"x": ROWS})["y"], fn(ROWS)
    assert y.shape == expected.shape
    assert np.allclose(y, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("shape", "rest"),
    [(["N", 3], 2), (["N", 3], -1), ([4, "M"], 2), (["N", "M"], -1), (["N", "M"], 2)],
)
def test_sizes_made_of_sizes_that_only_compile_names(shape, rest):
    x = ml.IOKey("x")
    model = ml.Model.create(y=(x + 1).reshape((x.shape[0] * x.shape[1] // 2, rest)))
    compiled = ml.compile(model, ml.CpuBackend(), data_keys=["x"], shapes={"x": shape})
    data = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert np.array_equal(compiled.evaluate({}, {"x": data})["y"], (data + 1).reshape(6, 2))


def test_an_error_has_its_parts():
    net = ml.Model()
    net |= ml.Relu()(input="x", output="y")
    with pytest.raises(ml.ConnectionError) as caught:
        net |= ml.Relu()(input="x", output="y")
    assert caught.value.code == "E0101"
    assert caught.value.path == "y"
    assert "relu" in str(caught.value)
    assert isinstance(caught.value, ml.Error)


def test_an_unknown_argument_names_the_nearest():
    with pytest.raises(ml.NameError, match="did you mean 'dimension'"):
        ml.Linear(dimensin=3)


@pytest.mark.parametrize("name", ml.models.__all__)
def test_help_lists_ports_by_name_and_binds_each_to_a_key_of_its_own(name):
    text = getattr(ml, name).__doc__
    _, _, ports = text.partition("\nPorts:\n")
    for line in ports.partition("\n\n")[0].splitlines():
        assert re.match(r"    (\w|\.\.\.$)", line), line
        assert not line.startswith("    or "), line
        assert line.count("(") == line.count(")"), line
    keys = re.findall(r'="(\w+)"', text.partition("\nExample:\n")[2])
    assert len(keys) == len(set(keys))


def test_classes_are_documented():
    assert "weight" in ml.Linear.__doc__
    assert "approximate" in ml.Gelu.__doc__


def test_models_of_one_expression_do_not_change_each_other():
    x = ml.IOKey("x")
    first = ml.Model.create(output=ml.Relu()(x))
    second = ml.Model.create(output=ml.Tanh()(x))
    assert first.output_keys == second.output_keys == ["output"]
    net = ml.Model()
    net |= ml.Relu()(input="a", output="b")
    net |= ml.Tanh()(input="b", output="c")
    third = ml.Model.create(z=net.b)
    assert net.output_keys == ["b", "c"]
    assert third.output_keys == ["z"]
    values = np.array([-1.0, 2.0], np.float32)
    for model, expected in ((first, np.maximum(values, 0)), (second, np.tanh(values))):
        compiled = ml.compile(model, ml.CpuBackend(), shapes={x: [2]})
        assert np.allclose(compiled.evaluate({}, {"x": values})["output"], expected)


def test_a_connection_knows_its_shape_as_data():
    model = ml.Model()
    model |= ml.Linear(dimension=4)(input="x", output=ml.IOKey("y"))
    model.set_shapes(x=["N", 3])
    assert model["y"].known_shape == ["N", 4]
    assert model["x"].reshape((-1, 2)).known_shape == ["N + N//2", 2]
    open_rank = ml.Relu()
    assert open_rank["input"].known_shape == [...]


def test_known_shapes_are_lists():
    model = ml.Model()
    model |= ml.Concat()(input=["x", "one"], output="y")
    model |= ml.Softmax()(input="z", axis="axis", output="w")
    model.set_shapes(x=["N", None, 3], one=[1, 4, 3], z=[2, ..., 5])
    assert model.get_shapes() == {
        "x": ["N", 4, 3],
        "one": [1, 4, 3],
        "y": ["N + 1", 4, 3],
        "z": [2, ..., 5],
        "w": [2, ..., 5],
    }
    compiled = ml.compile(ml.Relu(), ml.CpuBackend(), shapes={"input": ["N", None, 3]})
    assert compiled.shapes == {"input": ["N", None, 3], "output": ["N", None, 3]}


INTS = np.array([12, 7, -3], np.int64)


@pytest.mark.parametrize(
    ("combine", "expected"),
    [
        (lambda i: i & 6, INTS & 6),
        (lambda i: 6 & i, INTS & 6),
        (lambda i: i | 6, INTS | 6),
        (lambda i: 6 | i, INTS | 6),
        (lambda i: i ^ 6, INTS ^ 6),
        (lambda i: 6 ^ i, INTS ^ 6),
        (lambda i: i & ml.Tensor(np.array([1, 2, 4])), INTS & np.array([1, 2, 4])),
        (lambda i: i ^ (i > 5), INTS ^ (INTS > 5)),
        (lambda i: (i > 5) | (i < 0), (INTS > 5) | (INTS < 0)),
        (lambda i: i & i.shape[0], INTS & 3),
        (lambda i: i * (i.shape[0] | 4), INTS * 7),
    ],
)
@pytest.mark.parametrize("sizes", [[3], [None]])
def test_operators_of_bits_take_ints_and_bools_as_pytorch_does(combine, expected, sizes):
    ints = ml.IOKey("i", type=ml.Tensor[int], shape=sizes)
    model = ml.Model.create(output=combine(ints))
    output = ml.compile(model, ml.CpuBackend()).evaluate({}, {"i": INTS})["output"]
    assert output.dtype == expected.dtype
    assert np.array_equal(output, expected)


def test_operators_of_bits_take_inputs_of_unknown_kinds_as_bools():
    x, y = ml.IOKey("x"), ml.IOKey("y")
    model = ml.Model.create(output=x & y)
    bools = {"x": np.array([True, True]), "y": np.array([True, False])}
    output = ml.compile(model, ml.CpuBackend()).evaluate({}, bools)["output"]
    assert output.tolist() == [True, False]


def test_equality_composes_an_op():
    x = ml.IOKey("x", shape=[None])
    model = ml.Model.create(same=x == 0, other=x != 0, rows=np.array([1.0, 2.0]) == x)
    compiled = ml.compile(model, ml.CpuBackend(), data_keys={"x"}, inference=True)
    outputs = compiled.evaluate({}, {"x": np.array([1.0, 0.0])})
    assert outputs["same"].tolist() == [False, True]
    assert outputs["other"].tolist() == [True, False]
    assert outputs["rows"].tolist() == [True, False]


def test_a_connection_is_a_key_by_identity():
    x, y = ml.IOKey("x"), ml.IOKey("y")
    names = {x: "x", y: "y"}
    assert (names[x], names[y]) == ("x", "y")
    assert x in {x} and y not in {x}


def test_an_equality_has_no_truth():
    with pytest.raises(TypeError, match="E0375"):
        assert ml.IOKey("x") == 0


@pytest.mark.parametrize("kind", [bool, int, float])
def test_a_described_key_with_a_shape_is_a_tensor(kind: type) -> None:
    """The type of the key is the type of its elements."""
    x = ml.IOKey("x", type=kind, shape=[2])
    assert x.type_text == f"{kind.__name__} tensor"
    compiled = ml.compile(ml.Model.create(y=x), ml.CpuBackend(), data_keys={"x"})
    assert compiled.evaluate({}, {"x": np.ones(2, kind)})["y"].tolist() == [1, 1]
    with pytest.raises(ml.TypeError, match="E0301"):
        ml.IOKey("x", type=str, shape=[2])


@pytest.mark.parametrize("size", [2, 32, 63, 65])
def test_a_residual_sum_of_other_sizes_is_refused_when_its_input_gets_a_size(size):
    def residual(left, right):
        model = ml.Model()
        model |= ml.Linear(64)(input="x", output="hidden")
        model |= ml.Add()(left=left, right=right, output="y")
        return model

    for model in (residual("hidden", "x"), residual("x", "hidden")):
        with pytest.raises(ml.ShapeError, match="two dims do not broadcast"):
            ml.compile(model, ml.CpuBackend(), shapes={"x": ["N", size]})
        with pytest.raises(ml.ShapeError, match="two dims do not broadcast"):
            model.set_shapes(x=["N", size])
        model.set_shapes(x=["N", 64])


def test_a_string_names_a_port_by_its_path():
    model = ml.Model()
    model |= ml.Linear(3)(input="x", output="y")
    model |= ml.Linear(3)(input="y", weight="linear.weight", output="z")
    assert model.input_keys == ["x", "linear.weight", "linear.bias", "linear_1.bias"]
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [2, 3]})
    params = compiled.get_parameters()
    assert list(params) == ["linear.weight", "linear.bias", "linear_1.bias"]
    data = {"x": np.ones((2, 3), np.float32)}
    loaded = ml.compile(ml.Model.from_json(model.to_json()), ml.CpuBackend(), shapes={"x": [2, 3]})
    np.testing.assert_array_equal(
        loaded.evaluate(params, data)["z"], compiled.evaluate(params, data)["z"]
    )
    net = ml.Model()
    net |= ml.LSTM(4)(input="x", output="y")
    net |= ml.Linear(2)(input="lstm.h_n", output="z")
    assert "lstm.h_n" not in net.input_keys
