"""The interface for users, and their mistakes: operators, constraints, options, hooks."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mithril as ml


def test_the_version_is_the_distributions():
    project = (Path(__file__).parents[3] / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f"project(Mithril VERSION {ml.__version__} " in project


def run(model, data=None, **options):
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64), **options)
    return compiled.evaluate({}, data or {})


A = np.array([[1.5, -2.5], [3.0, 4.0]])
NUMPY_FIRST = {
    "add": (lambda a, x: a + x, np.array([1.0, 2.0])),
    "subtract": (lambda a, x: a - x, np.array([1.0, 2.0])),
    "multiply": (lambda a, x: a * x, np.float32(2)),
    "divide": (lambda a, x: a / x, np.ones((2, 2))),
    "matmul": (lambda a, x: a @ x, np.ones((3, 2))),
    "compare": (lambda a, x: a > x, np.zeros(2)),
}


@pytest.mark.parametrize("name", NUMPY_FIRST)
def test_an_array_on_the_left_is_a_tensor(name):
    operation, array = NUMPY_FIRST[name]
    model = ml.Model.create(y=operation(array, ml.IOKey("x")))
    assert np.allclose(run(model, {"x": A}, data_keys=["x"])["y"], operation(array, A))


def test_floor_shifts_and_tensors_compute_as_numpy():
    x, k = ml.IOKey("x"), ml.IOKey("k", type=ml.Tensor[int])
    model = ml.Model.create(f=x.floor(), s=(1 << k) + (k >> 1) + (k << 2), t=k.tensor())
    k = np.array([1, 2, 3])
    outputs = run(model, {"x": A, "k": k}, data_keys=["x"])
    assert np.array_equal(outputs["f"], np.floor(A))
    assert np.array_equal(outputs["s"], (1 << k) + (k >> 1) + (k << 2))
    assert np.array_equal(outputs["t"], k)


def two_parts():
    model = ml.Model()
    model |= ml.Relu()(input="a", output="fa")
    model |= ml.Relu()(input="b", output="fb")
    return model


def twice_the_rows(solver):
    rows = solver.shape("a")
    if not rows or rows[0] is None:
        return False
    solver.set_shape("b", [2 * rows[0], None])
    return True


def test_a_constraint_states_shapes():
    model = two_parts()
    model.add_constraint(twice_the_rows, keys=["a", "b"])
    assert model.get_shapes()["b"] == [...]
    model.set_shapes(a=[3, 4], fb=[None, 7])
    assert model.get_shapes()["b"] == [6, 7]


def test_a_constraint_reads_and_states_values():
    model = ml.Model()
    model |= ml.Softmax()(input="x", axis="axis", output="y")
    model.merge_connections("axis", name="axis")
    model.add_constraint(lambda s: s.set_value("axis", -1) is None, keys=["axis"])
    seen = []
    model.add_constraint(lambda s: seen.append(s.value("axis")), keys=["axis"])
    assert seen == [-1]


def test_an_error_of_a_constraint_leaves_the_model_as_it_was():
    model = two_parts()

    def even(solver):
        rows = solver.shape("a")
        if rows is None:
            return False
        if rows[0] % 2:
            solver.reject("a has an odd number of rows", "an even number", str(rows[0]))
        return True

    model.add_constraint(even, keys=[model.a])
    with pytest.raises(ml.ValueError, match="odd number"):
        model.set_shapes(a=[3])
    assert model.get_shapes()["a"] == [...]
    with pytest.raises(ZeroDivisionError):
        model.add_constraint(lambda _: 1 // 0, keys=["a"])
    model.set_shapes(a=[4])


def test_a_solver_is_valid_during_one_call():
    kept = []
    two_parts().add_constraint(kept.append, keys=["a"])
    with pytest.raises(ml.StateError, match="after the constraint has returned"):
        kept[0].shape("a")


MISTAKES = {
    "compile": (lambda m: ml.compile(m, ml.CpuBackend(), shape={"a": [1]}), "'shapes'"),
    "IOKey": (lambda _: ml.IOKey("x", shpe=[1]), "'shape'"),
    "model": (lambda _: ml.Linear(dimensoin=4), "'dimension'"),
    "op": (lambda _: ml.Softmax(axs=4), "'axis'"),
    "port": (lambda _: ml.Linear(4)(inptu="x"), "'input'"),
    "port of an op": (lambda _: ml.Relu()(inptu="x"), "'input'"),
    "port of connect": (lambda _: ml.Relu().connect(ouput="x"), "'output'"),
    "key of set_shapes": (lambda m: m.set_shapes(faa=[1]), "'fa'"),
    "key of set_values": (lambda m: m.set_values({"faa": 1}), "'fa'"),
    "option of a backend": (lambda _: ml.CpuBackend(dtpye=ml.float64), "'dtype'"),
    "option of summary": (lambda m: m.summary(dpeth=1), "'depth'"),
    "level": (lambda m: ml.compile(m, ml.CpuBackend(), optimization_level="nome"), "'none'"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_an_unknown_name_gives_the_nearest(name):
    mistake, nearest = MISTAKES[name]
    with pytest.raises(ml.NameError, match=f"did you mean {nearest}"):
        mistake(two_parts())


def test_an_unknown_argument_of_evaluate_gives_the_nearest():
    compiled = ml.compile(two_parts(), ml.CpuBackend())
    with pytest.raises(ml.NameError, match="did you mean 'output_gradients'"):
        compiled.evaluate({}, {}, output_gradient=True)


@pytest.mark.parametrize(
    "option",
    [
        {"data_keys": [3]},
        {"data_keys": 3},
        {"shapes": [1, 2]},
        {"backend": ml.CpuBackend},
    ],
)
def test_objects_of_the_wrong_kind_are_named(option):
    backend = option.pop("backend", ml.CpuBackend())
    with pytest.raises(ml.TypeError, match="expected"):
        ml.compile(two_parts(), backend, **option)


def test_a_hook_sees_the_value():
    model = ml.Model()
    model |= ml.Linear(3)(input="x", output="h")
    model |= ml.Relu()(input="h", output="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, 2]}, debug=True)
    seen = []
    compiled.register_hook("h", seen.append)
    outputs = compiled.evaluate(compiled.get_parameters(), {"x": A})
    assert np.array_equal(seen[0], outputs["h"])
    with pytest.raises(ml.NameError, match=r"did you mean 'linear\.weight'"):
        compiled.register_hook("linear.wieght", print)


def test_a_hook_changes_values_and_gradients_until_it_is_removed():
    model = ml.Model()
    model |= ml.Linear(3)(input="x", output="h")
    model |= ml.Relu()(input="h", output="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, 2]})
    params = compiled.get_parameters()
    ones = {"y": np.ones((2, 3), np.float32)}
    plain, before = compiled.evaluate(params, {"x": A}, ones)
    value = compiled.register_hook("linear.output", lambda h: 0 * h + 5)
    gradient = compiled.register_hook("h", lambda g: 2 * g, gradient=True)
    outputs, gradients = compiled.evaluate(params, {"x": A}, ones)
    assert np.all(outputs["y"] == 5)
    assert np.allclose(gradients["linear.bias"], [4, 4, 4])
    value.remove()
    gradient.remove()
    outputs, gradients = compiled.evaluate(params, {"x": A}, ones)
    assert np.array_equal(outputs["y"], plain["y"])
    assert np.array_equal(gradients["linear.bias"], before["linear.bias"])


def test_the_result_of_a_hook_must_fit_the_value():
    compiled = ml.compile(two_parts(), ml.CpuBackend(), data_keys=["a", "b"])
    compiled.register_hook("fa", lambda _: np.zeros(17, np.float32))
    with pytest.raises(ml.InputError, match="cannot replace the value"):
        compiled.evaluate({}, {"a": A, "b": A})


def test_a_bound_model_has_no_parameters():
    model = ml.Model()
    model |= ml.Linear(3)(input="x", output="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, 2]})
    params = compiled.get_parameters()
    bound = compiled.bind(params)
    assert bound.parameter_keys == []
    expected = compiled.evaluate(params, {"x": A})["y"]
    params["linear.weight"][:] = 0
    assert np.array_equal(bound.evaluate({}, {"x": A})["y"], expected)


def test_debug_prints_values_and_stops_at_the_first_that_is_not_finite(capfd):
    model = ml.Model()
    model |= ml.Log()(input="x", output="l")
    model |= ml.Relu()(input="l", output="y")
    compiled = ml.compile(model, ml.CpuBackend(), data_keys=["x"], debug=True)
    with pytest.raises(ml.ValueError, match="l: log made 1 NaN, 0 infinite of 2 elements"):
        compiled.evaluate({}, {"x": np.array([1, -1], np.float32)})
    assert "float32[2]" in capfd.readouterr().err


def test_an_exception_of_a_hook_leaves_evaluate():
    compiled = ml.compile(two_parts(), ml.CpuBackend(), data_keys=["a", "b"])
    compiled.register_hook("fa", lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        compiled.evaluate({}, {"a": A, "b": A})


def test_keys_are_given_as_connections():
    model = two_parts()
    backend = ml.CpuBackend(dtype=ml.float64)
    compiled = ml.compile(
        model,
        backend,
        shapes={model.a: [2, 2]},
        data_keys=[model.a],
        constant_keys={model.b: A},
        discard_keys={model.fa},
    )
    assert compiled.input_keys == []
    assert compiled.output_keys == ["fb"]
    assert np.array_equal(compiled.evaluate({})["fb"], np.maximum(A, 0))
    with pytest.raises(ml.ValueError, match="constant_keys and in data_keys"):
        ml.compile(model, backend, data_keys=[model.a], constant_keys={"a": A})


def test_the_facts_of_an_iokey_hold():
    x = ml.IOKey("x", shape=["N", 2], type=ml.Tensor[float], differentiable=True)
    scale = ml.IOKey("scale", value=np.array([1.0, 10.0]))
    drawn = ml.IOKey("drawn", shape=[1000], interval=(2, 3))
    model = ml.Model.create(y=x * scale * ml.IOKey("power", value=2), z=drawn * 2.0, name="named")
    assert (model.name, model.input_keys) == ("named", ["x", "drawn"])
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [3, None]}, trainable_keys=["drawn"])
    params = compiled.randomize_params()
    assert 2 <= params["drawn"].min() < 2.01
    assert 2.99 < compiled.get_parameters()["drawn"].max() < 3
    assert compiled.parameter_keys == ["x", "drawn"]
    params["x"] = np.ones((3, 2))
    assert compiled.evaluate(params)["y"].tolist() == [[2, 20]] * 3


def test_remainders_and_casts_compute_as_numpy():
    x = ml.IOKey("x")
    model = ml.Model.create(
        rest=x % 2, reflected=5 % x, text=x.cast("int32"), numpy=x.cast(np.int64)
    )
    outputs = run(model, {"x": A}, data_keys=["x"])
    assert np.allclose(outputs["rest"], A % 2)
    assert np.allclose(outputs["reflected"], 5 % A)
    assert (outputs["text"].dtype, outputs["numpy"].dtype) == (np.int32, np.int64)


def test_a_connection_has_no_truth():
    with pytest.raises(TypeError, match="neither true nor false"):
        assert ml.IOKey("x") > 1


def test_a_port_is_bound_once():
    with pytest.raises(ml.ConnectionError, match="bound twice"):
        ml.Add()(ml.IOKey("x"), left=ml.IOKey("y"))


@pytest.mark.parametrize(
    "mistake",
    [
        lambda m: m.__ior__("relu"),
        lambda m: m.__iadd__(3),
        lambda m: m.expose_keys(y=3),
        lambda _: ml.Model.create(y="x"),
    ],
)
def test_an_object_that_is_no_part_or_connection_is_refused(mistake):
    with pytest.raises(ml.TypeError, match="expected"):
        mistake(two_parts())


def test_functions_return_connections():
    with pytest.raises(TypeError, match="returned no connection"):
        ml.functional(lambda _: 3)()


def chain():
    model = ml.Model()
    model |= ml.Linear(4)(input="x", output="h")
    model |= ml.Relu()(input="h", output="y")
    return model


def test_keys_are_exposed_renamed_and_merged():
    model = chain()
    model.expose_keys("y", z=model.h)
    assert model.output_keys == ["y", "z"]
    model.rename_key("linear.weight", "w")
    model.merge_connections("x", "w", name="both")
    assert model.input_keys == ["both", "linear.bias"]
    model.set_shapes(both=[None, 3])
    assert model.get_shapes()["z"] == [4, 4]


def test_a_string_given_as_a_value_is_one():
    model = ml.Model()
    model |= ml.Gelu()(input="x", approximate="how", output="y")
    with pytest.raises(ml.TypeError):
        model.set_values(how="tanh")
    model.set_values(how=True)


def test_canonical_ports_are_chosen():
    net, part = ml.Model(), chain()
    part.set_cin("linear.weight")
    part.set_cout(part.h)
    net |= ml.Relu()(input="image")
    net += part
    net += ml.Relu()(output="out")
    net.set_shapes(image=[4, 7])
    assert net.get_shapes()["model.x"][-1] == 7
    assert net.output_keys == ["out"]


def test_a_summary_has_levels_shapes_and_types():
    net = chain()
    assert "primitivelinear" not in net.summary()
    assert "  primitivelinear" in net.summary(depth=1)
    assert "float tensor" in net.summary(types=True)
    assert "weight" not in net.summary(shapes=False).split("inputs:")[0]


def test_importing_mithril_does_not_import_torch():
    """Starting torch takes seconds."""
    code = "import mithril, sys; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_help_gives_arguments_ports_with_shapes_and_an_example() -> None:
    assert ml.Linear.__doc__ == (
        "input @ weight.T + bias.\n"
        "\n"
        "Arguments:\n"
        "    dimension (int | None) = None: number of outputs; None: inferred\n"
        "    use_bias (bool) = True: whether there is a bias\n"
        "\n"
        "Ports:\n"
        "    input [N, ..., I]\n"
        "    weight [dimension, I]\n"
        "    bias [dimension]\n"
        "    output [N, ..., dimension]\n"
        "\n"
        "Example:\n"
        '    model |= ml.Linear()(input="x", output="y")\n'
        "\n"
        "See docs/ops.md."
    )
    assert 'ml.Conv2d(kernel_size=3, filters=8)(input="x", output="y")' in ml.Conv2d.__doc__
    assert 'ml.Add()(left="x", output="y")' in ml.Add.__doc__
    for name in ml.models.__all__:
        assert "Example:\n    model |= ml." in getattr(ml.models, name).__doc__, name


LARGE, TINY = 1e300, 1e-300


@pytest.mark.parametrize("divisor", [3.0, -3.0, np.inf, -np.inf, 1e-8])
def test_a_remainder_is_that_of_python(divisor):
    numbers = np.array([5.5, -5.5, 7.0, -6.0, LARGE, TINY, -TINY, 0.0])
    x = ml.IOKey("x")
    out = run(ml.Model.create(y=x % divisor, z=divisor % x), {"x": numbers}, data_keys=["x"])
    assert np.array_equal(out["y"], [number % divisor for number in numbers])
    with np.errstate(invalid="ignore", divide="ignore"):
        assert np.array_equal(out["z"], np.remainder(divisor, numbers), equal_nan=True)


def test_bools_of_other_bytes_count_once():
    odd = np.array([0, 1, 2, 255], np.uint8).view(bool)
    x = ml.IOKey("x", type=ml.Tensor[bool])
    model = ml.Model.create(y=x.cast(ml.int64).sum())
    for array in (odd, odd[::-1], np.stack([odd, odd]).T):
        assert int(run(model, {"x": array})["y"]) == 3 * array.size // 4
    assert ml.Tensor(odd) == ml.Tensor(np.array([False, True, True, True]))
