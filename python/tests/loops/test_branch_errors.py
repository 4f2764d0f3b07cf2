"""Errors of choices and of loops that a condition ends."""

import numpy as np
import pytest
from branch_models import TARGETS, backend_of, columns_or_twice_the_rows, newton

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)


def of_x(make, **outputs):
    """A model of an input x."""
    return ml.Model.create(y=make(ml.IOKey("x", **outputs)))


def message(raised):
    return str(raised.value)


def test_different_outputs():
    x = ml.IOKey("x")
    with pytest.raises(ml.ConnectionError) as raised:
        ml.Cond("c", ml.Model.create(y=x * 2.0), ml.Model.create(z=x * 3.0, y=x))
    assert message(raised) == (
        "mithril.ConnectionError[E0137]: Cond: both branches need the same outputs, at least one\n"
        "  then      : y\n"
        "  otherwise : z, y\n"
        "  help: rename outputs with rename_key, or select them with expose_keys"
    )


def test_different_shapes():
    with pytest.raises(ml.ShapeError) as raised:
        ml.Cond("c", of_x(lambda x: x.sum(), shape=[3]), of_x(lambda x: x * 2.0, shape=[3]))
    assert message(raised) == (
        "mithril.ShapeError[E0206]: Cond: the branches make values of different shapes; "
        "reshape one of them\n"
        "  expected  : [] as `then`\n"
        "  got       : [3] from `otherwise`\n"
        '  then      : []    on model.y, pattern "*t"\n'
        '  otherwise : [3]   on model_1.y, pattern "*e"'
    )


def test_different_types():
    with pytest.raises(ml.TypeError) as raised:
        ml.Cond("c", of_x(lambda x: x > 0.0), of_x(lambda x: x * 2.0))
    assert message(raised) == (
        "mithril.TypeError[E0402]: Cond: the branches make values of different types; "
        "cast one of them\n"
        "  expected  : bool tensor as `then`\n"
        "  got       : float tensor from `otherwise`\n"
        '  then      : [...]   on model.y, pattern "*t"\n'
        '  otherwise : [...]   on model_1.y, pattern "*e"'
    )


def test_different_dtypes():
    choice = ml.Cond(
        "c",
        of_x(ml.Cast(ml.float32)),
        of_x(ml.Cast(ml.float64)),
    )
    with pytest.raises(ml.TypeError) as raised:
        ml.compile(choice, CPU, shapes={"x": [3]}, data_keys=["x"])
    assert message(raised).startswith(
        "mithril.TypeError[E0301]: model_1.y: the branches make values of different dtypes"
    )
    assert "  model.y   : float32\n  model_1.y : float64\n" in message(raised)
    assert message(raised).endswith("help: cast one of them")


def test_sizes_that_follow_from_the_branches():
    """[n + n] and [n + m] are equal if m is n."""
    x, z = ml.IOKey("x"), ml.IOKey("z")
    choice = ml.Cond(
        "c",
        ml.Model.create(y=ml.Concat(axis=0)([x, x])),
        ml.Model.create(y=ml.Concat(axis=0)([x, z])),
    )
    compiled = ml.compile(choice, CPU, shapes={"x": ["n"], "z": ["m"]}, data_keys=["x", "z"])
    with pytest.raises(ml.InputError) as raised:
        compiled.evaluate({}, {"c": np.array(True), "x": np.ones(2), "z": np.ones(3)})
    assert message(raised) == (
        "mithril.InputError[E0804]: 'z' has 3 in dim 0, expected n = 2\n"
        "  expected : [n]\n"
        "  got      : [3]\n"
        "  help: 'x' has 2 in dim 0, and sizes of one name must be equal"
    )


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "jax"])
def test_sizes_that_do_not_fit_the_chosen_branch(target):
    """JAX traces both branches, so it refuses such sizes always."""
    backend, to = backend_of(target)
    choice = columns_or_twice_the_rows()
    compiled = ml.compile(choice, backend, shapes={"x": ["n", "m"]}, data_keys=["x"])
    for columns, flag in [(2, True), (2, False), (4, False)]:
        out = compiled.evaluate({}, to({"c": np.array(flag), "x": np.ones((3, columns))}))
        assert np.asarray(out["y"]).shape == (6,)
    with pytest.raises(ml.Error) as raised:
        compiled.evaluate({}, to({"c": np.array(True), "x": np.ones((3, 4))}))
    assert raised.value.code == "E0210"
    assert "with these sizes 'model.y" in message(raised)


def test_a_condition_that_is_no_scalar():
    x = ml.IOKey("x", shape=[3])
    with pytest.raises(ml.ShapeError) as raised:
        ml.Cond(ml.Model.create(c=x > 0.0), of_x(lambda x: x), of_x(lambda x: x * 2.0))
    assert message(raised) == (
        "mithril.ShapeError[E0206]: Cond: the condition is not a scalar\n"
        "  expected : []\n"
        "  c        : [3]   of the condition\n"
        "  help: compare one number: x.max() > 0"
    )


def test_a_condition_that_is_no_bool():
    x = ml.IOKey("x", shape=[3])
    with pytest.raises(ml.TypeError) as raised:
        ml.Cond(ml.Model.create(c=x.sum()), of_x(lambda x: x), of_x(lambda x: x * 2.0))
    assert message(raised) == (
        "mithril.TypeError[E0402]: Cond: the condition is not a bool\n"
        "  expected : bool tensor\n"
        "  c        : int tensor or float tensor   of the condition\n"
        "  help: compare it with a number: x > 0"
    )
    with pytest.raises(ml.TypeError, match="bool tensor") as raised:
        ml.Cond(
            "x",
            of_x(lambda x: x * 1.0, type=ml.Tensor[float]),
            of_x(lambda x: x * 2.0, type=ml.Tensor[float]),
        )
    assert "float tensor" in message(raised)


def test_a_key_of_another_shape_in_the_place_of_the_condition():
    model = ml.Model()
    flags = ml.IOKey("flags", shape=[3])
    with pytest.raises(ml.ShapeError) as raised:
        model |= ml.Cond("c", of_x(lambda x: x * 1.0), of_x(lambda x: x * 2.0))(
            c=flags > 0.0, x="x"
        )
    assert message(raised) == (
        "mithril.ShapeError[E0201]: cond: port 'c': ranks differ\n"
        "  one side   : [3]   from greater\n"
        "  other side : []    from the condition of cond\n"
        "  port c     : []\n"
        "  bound to   : [3]   on greater.output\n"
        "  help: a condition is a scalar bool: compare one number with another, as in x.max() > 0"
    )


def test_a_condition_with_several_outputs():
    x = ml.IOKey("x")
    condition = ml.Model.create(a=x.sum() > 0.0, b=x.sum() < 0.0)
    with pytest.raises(ml.ConnectionError) as raised:
        ml.Cond(condition, of_x(lambda x: x * 1.0), of_x(lambda x: x * 2.0))
    assert message(raised) == (
        "mithril.ConnectionError[E0138]: Cond: the condition has one output, a scalar bool\n"
        "  outputs : a, b\n"
        "  help: select it with expose_keys"
    )


def test_a_value_of_a_branch_outside_of_it():
    x = ml.IOKey("x")
    inside = ml.Model()
    inside |= ml.Sine()(input="x", output="sine")
    inside |= ml.Exponential()(input="sine", output="y")
    inside.expose_keys("y")
    choice = ml.Cond("c", inside, ml.Model.create(y=x * 2.0))
    net = ml.Model()
    net |= choice(x="x", c="c", y="y")
    net |= ml.Sum()(input=inside.sine, output="escaped")
    net.expose_keys("escaped")
    with pytest.raises(ml.ConnectionError) as raised:
        ml.compile(net, CPU, shapes={"x": [3]}, data_keys=["x", "c"])
    assert message(raised).startswith(
        "mithril.ConnectionError[E0139]: escaped: 'escaped' has a value only if its branch runs, "
        "and is read outside of it"
    )
    assert "  branches : cond.branchcondition.output\n" in message(raised)
    assert message(raised).endswith("help: make the value an output of both branches")


def test_a_gradient_through_a_loop_without_a_bound():
    compiled = ml.compile(newton(), CPU, shapes={"x": [3], "a": [3]}, data_keys=["x", "a"])
    data = {"x": np.ones(3), "a": np.full(3, 2.0)}
    np.testing.assert_allclose(compiled.evaluate({}, data)["x_last"], np.sqrt(data["a"]))
    with pytest.raises(ml.GradientError) as raised:
        compiled.evaluate({}, data, output_gradients={"x_last": np.ones(3)}, gradient_keys=["a"])
    assert message(raised) == (
        "mithril.GradientError[E0501]: While: no gradient flows through a loop whose number of "
        "steps has no bound\n"
        "  result : x_last\n"
        "  reason : the gradient keeps values of all steps\n"
        "  help: give the most steps: max_steps of While, or declare the inputs of the loop as "
        "not differentiable"
    )


def test_names_that_a_loop_lacks():
    x = ml.IOKey("x")

    def loop(carry, **options):
        return ml.While(
            ml.Model.create(c=x.sum() > 0.0),
            ml.Model.create(x_next=x - 1.0),
            carry=carry,
            **options,
        )

    with pytest.raises(ml.NameError) as raised:
        loop({"xx": "x_next"})
    assert message(raised) == (
        "mithril.NameError[E0606]: While: the body has no input 'xx'\n  known : x"
    )
    with pytest.raises(ml.NameError, match="x_nxt"):
        loop({"x": "x_nxt"})
    with pytest.raises(ml.ValueError) as raised:
        loop({})
    assert message(raised) == (
        "mithril.ValueError[E0402]: While: a loop without carries has no result\n"
        "  got : carry={}\n"
        "  help: name the inputs of the body that a step passes to the next"
    )
    with pytest.raises(ml.ValueError) as raised:
        loop({"x": "x_next"}, max_steps=-1)
    assert message(raised) == (
        "mithril.ValueError[E0402]: While: max_steps is negative\n"
        "  got : -1\n"
        "  help: give 0 or more"
    )


@pytest.mark.parametrize("most", [None, 4])
def test_a_carry_that_changes(most):
    x = ml.IOKey("x", shape=[3])
    with pytest.raises(ml.ShapeError, match="a step changes the shape of the carry") as raised:
        ml.While(
            ml.Model.create(c=x.sum() > 0.0),
            ml.Model.create(x_next=ml.Concat(axis=0)([x, x])),
            carry={"x": "x_next"},
            max_steps=most,
        )
    assert raised.value.code == "E0206"
    assert "[3]" in message(raised)
    assert "[6]" in message(raised)


@pytest.mark.parametrize("most", [None, 4])
def test_a_loop_names_what_is_wrong_with_its_condition(most):
    x = ml.IOKey("x")
    step = {"carry": {"x": "x_next"}, "max_steps": most}
    two = ml.Model.create(a=x.sum() > 0.0, b=x.sum() < 9.0)
    with pytest.raises(ml.ConnectionError, match=r"E0138.*While: the condition has one output"):
        ml.While(two, ml.Model.create(x_next=x - 1.0), **step)
    wide = ml.Model.create(a=ml.IOKey("x", shape=[3]) > 0.0)
    with pytest.raises(ml.ShapeError, match="the condition is not a scalar"):
        ml.While(wide, ml.Model.create(x_next=x - 1.0), **step)


def noisy_or_quiet():
    noisy, quiet = ml.Model(), ml.Model()
    noisy |= ml.RandomUniform()(like="h", key="key", output="h_next")
    quiet |= ml.Buffer()(input="h", output="h_next")
    return ml.Cond("noisy", noisy, quiet)


@pytest.mark.parametrize("outer", ["scan", "while"])
def test_branches_of_all_steps_draw_no_equal_numbers(outer):
    if outer == "scan":
        loop = ml.Scan(noisy_or_quiet(), carry={"h": "h_next"}, length=4)
    else:
        small = ml.Model.create(small=ml.IOKey("h").sum() < 100.0)
        loop = ml.While(small, noisy_or_quiet(), carry={"h": "h_next"})
    with pytest.raises(ml.ConnectionError, match="each step would draw the same numbers") as raised:
        ml.compile(loop, CPU, shapes={"h": [3], "key": []}, data_keys=["h", "key"], inference=True)
    assert raised.value.code == "E0131"


def test_branches_draw_with_the_keys_of_the_steps():
    loop = ml.Scan(noisy_or_quiet(), carry={"h": "h_next"}, sequences=["key"], outputs=["h_next"])
    compiled = ml.compile(loop, CPU, shapes={"h": [3], "key": [4]}, data_keys=["h", "key"])
    data = {"h": np.zeros(3), "key": np.arange(4), "noisy": np.array(True)}
    rows = np.asarray(compiled.evaluate({}, data)["h_next"])
    assert len({tuple(row) for row in rows}) == 4


def test_two_ports_of_one_name() -> None:
    x, last = ml.IOKey("x"), ml.IOKey("x_last")
    doubled = ml.Model.create(x_last=x * 2.0)
    message = (
        "mithril.NameError[E0607]: {0}: two ports have the name '{1}'\n"
        "  inputs : {2}\n"
        "  help: rename the input or the output of the part with rename_key"
    )
    with pytest.raises(ml.NameError) as caught:
        ml.Cond("q", ml.Model.create(q=x.sin()), ml.Model.create(q=x.cos()))
    assert str(caught.value) == message.format("Cond", "q", "q, x")
    with pytest.raises(ml.NameError) as caught:
        ml.Scan(ml.Model.create(n=x + last), carry={"x": "n"}, length=3)
    assert str(caught.value) == message.format("Scan", "x_last", "x, x_last")
    with pytest.raises(ml.NameError) as caught:
        ml.Scan(doubled, carry={"x": "x_last"}, outputs=["x_last"], length=3)
    assert str(caught.value) == message.format("Scan", "x_last", "x")
    with pytest.raises(ml.NameError) as caught:
        ml.While(ml.Model.create(g=x < 10.0), ml.Model.create(n=x + last), carry={"x": "n"})
    assert str(caught.value) == message.format("While", "x_last", "x, x_last")


def test_sizes_that_are_known_only_when_a_loop_runs() -> None:
    x, h = ml.IOKey("x"), ml.IOKey("h")
    body = ml.Model.create(hn=(x + h).sin(), y=(x + h) * 2.0)
    loop = ml.Scan(body, carry={"h": "hn"}, sequences=["x"], outputs=["y"])
    with pytest.raises(ml.ValueError) as caught:
        ml.compile(loop, ml.CpuBackend(), shapes={"x": [2, None, 3], "h": [None, 3]})
    assert str(caught.value).startswith("mithril.ValueError[E0403]: y: the sizes of 'y', [2, ")
    assert str(caught.value).endswith(
        "], do not follow from those of inputs\n"
        '  help: give sizes that are equal one name: shapes={"x": ["N", 3], "h": ["N", 3]}'
    )
    shapes = {"x": [2, "N", 3], "h": ["N", 3]}
    compiled = ml.compile(loop, ml.CpuBackend(), shapes=shapes, data_keys=["x", "h"])
    data = {"x": np.ones((2, 4, 3), np.float32), "h": np.ones((4, 3), np.float32)}
    assert compiled.evaluate({}, data)["y"].shape == (2, 4, 3)


def test_a_layer_in_a_loop_with_a_condition_keeps_its_own_parameters() -> None:
    condition = ml.Model.create(g=(ml.IOKey("input") * ml.IOKey("weight")).sum() < 5.0)
    loop = ml.While(condition, ml.Linear(3), carry={"input": "output"})
    assert loop.input_keys == ["input", "weight", "linear.weight", "linear.bias"]
