"""Wrong calls of loops and derivatives: each error names the key, both sides and a way out."""

import numpy as np
import pytest

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)


def text_of(call: object) -> str:
    with pytest.raises(ml.Error) as raised:
        call()  # type: ignore[operator]
    return str(raised.value)


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Embedding(5, dim=3)(input="ids", output="h")
    net |= ml.Sum()(input="h", output="loss")
    net |= ml.Sum(axis=1)(input="h", output="rows")
    net |= ml.Greater()(left="rows", right=0.0, output="mask")
    net.expose_keys("loss", "rows", "mask")
    net.set_shapes(ids=[4])
    return net


@pytest.mark.parametrize("make", [ml.Gradient, ml.Jvp, ml.Hvp, ml.Jacobian, ml.Hessian])
def test_a_derivative_by_ints(make):
    text = text_of(lambda: make(network(), of="loss", wrt=["ids"]))
    assert text.replace(f" {make.__name__}:", " Gradient:") == (
        "mithril.TypeError[E0147]: ids: Gradient: 'ids' has no derivative\n"
        "  needed : float tensor\n"
        "  ids    : int tensor\n"
        "  help: give a key that holds floats in wrt="
    )


def squares() -> ml.Model:
    net = ml.Model()
    net |= ml.Multiply()(left="x", right="x", output="y")
    net |= ml.Sum()(input="y", output="s")
    net.expose_keys("s")
    net.set_shapes(x=[3])
    return net


@pytest.mark.parametrize(
    ("make", "of", "again", "port"),
    [
        (ml.Gradient, "s", "x.grad", "x.grad"),
        (ml.Jvp, "s", "s.tangent", "x.tangent"),
        (ml.Hvp, "s", "s", "x.tangent"),
        (ml.Jacobian, "s", "x.jacobian", "x.jacobian"),
        (ml.Hessian, "s", "s", "x.hessian"),
    ],
)
def test_a_derivative_of_a_model_with_its_ports(make, of, again, port):
    """The model can be used after the error."""
    first = make(squares(), of=of, wrt=["x"])
    assert text_of(lambda: make(first, of=again, wrt=["x"])) == (
        f"mithril.NameError[E0607]: {port}: {make.__name__}: the model has a port '{port}' "
        "already\n"
        f'  help: rename it first, with rename_key("{port}", ...)'
    )
    for key in [key for key in [*first.input_keys, *first.output_keys] if key.startswith("x.")]:
        first.rename_key(key, "first_" + key[2:])
    again = again.replace("x.", "first_")
    assert make(first, of=again, wrt=["x"]).output_keys[-1].startswith(("x.", "s."))


def test_a_derivative_of_bools():
    net = network()
    assert text_of(lambda: ml.Gradient(net, of="mask", wrt=["*weight"])) == (
        "mithril.TypeError[E0147]: mask: Gradient: 'mask' has no derivative\n"
        "  needed : float tensor\n"
        "  mask   : bool tensor\n"
        "  help: give a key that holds floats in of="
    )
    assert ml.Gradient(net, of="loss", wrt=["*weight"]).output_keys[-1].endswith("weight.grad")


@pytest.mark.parametrize("make", [ml.Hvp, ml.Hessian])
def test_a_second_derivative_of_several_elements(make):
    text = text_of(lambda: make(network(), of="rows", wrt=["*weight"]))
    assert text.replace(" Hvp:", " Hessian:") == (
        "mithril.ShapeError[E0148]: rows: Hessian: 'rows' is not a scalar\n"
        "  needed : []\n"
        "  rows   : [4]\n"
        "  help: add up its elements, or take the Jacobian of the model"
    )


def stepped(options: dict, step: ml.Model) -> ml.Model:
    if "condition" in options:
        large = ml.Model.create(large=ml.IOKey("h").sum() > 0.0)
        return ml.While(large, step, carry={"h": "h_next"})
    return ml.Scan(step, carry={"h": "h_next"}, length=2)


@pytest.mark.parametrize("options", [{}, {"condition": True}])
def test_a_carry_of_another_shape(options):
    h = ml.IOKey("h", shape=[3])
    step = ml.Model.create(h_next=ml.Concat(axis=0)([h, h]))
    next_ = "model_1.h_next" if options else "model.h_next"
    assert text_of(lambda: stepped(options, step)) == (
        "mithril.ShapeError[E0206]: h: a step changes the shape of the carry 'h'\n"
        f"  {'h':{len(next_)}} : [3]\n"
        f"  {next_} : [6]\n"
        "  help: every step must return a carry of the shape that it reads"
    )


def test_a_carry_of_another_rank():
    step = ml.Model.create(h_next=ml.IOKey("h", shape=[3]).sum())
    text = text_of(lambda: stepped({}, step))
    assert "a step changes the shape of the carry 'h'\n  h            : [3]" in text
    assert "  model.h_next : []\n" in text


def test_a_carry_of_another_type():
    h = ml.IOKey("h", shape=[3], type=ml.Tensor[int])
    step = ml.Model.create(h_next=h * 0.5)
    assert text_of(lambda: stepped({}, step)) == (
        "mithril.TypeError[E0402]: h: a step changes the type of the carry 'h'\n"
        "  h            : int tensor\n"
        "  model.h_next : float tensor\n"
        "  help: every step must return a carry of the type that it reads: cast one of them"
    )


def test_a_carry_of_another_dtype():
    h = ml.IOKey("h", shape=[3])
    loop = ml.Scan(
        ml.Model.create(h_next=h.cast(ml.float32) * 1.0), carry={"h": "h_next"}, length=2
    )
    assert text_of(lambda: ml.compile(loop, CPU, data_keys=["h"])) == (
        "mithril.TypeError[E0301]: model.h_next: "
        "a step of the loop changes the dtype of the carry\n"
        "  scancarry.output : float64\n"
        "  model.h_next     : float32\n"
        "  help: cast the next value, or the first one"
    )


def test_a_loop_of_no_steps_returns_the_carries():
    h, x = ml.IOKey("h", shape=[3]), ml.IOKey("x", shape=[3])
    step = ml.Model.create(h_next=h * x, y=h * 1.0)
    loop = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"], outputs=["y"])
    compiled = ml.compile(loop, CPU, shapes={"x": [None, 3]}, data_keys=["x", "h"])
    data = {"x": np.ones((0, 3)), "h": np.arange(3.0)}
    seeds = {"h_last": np.array([2.0, 3.0, 5.0]), "y": np.ones((0, 3))}
    out, grad = compiled.evaluate({}, data, output_gradients=seeds, gradient_keys=["h", "x"])
    np.testing.assert_array_equal(out["h_last"], data["h"])
    assert np.shape(out["y"]) == np.shape(grad["x"]) == (0, 3)
    np.testing.assert_array_equal(grad["h"], seeds["h_last"])


def test_arguments_of_other_kinds() -> None:
    x = ml.IOKey("x")
    body = ml.Model.create(n=x * 2.0)
    text = "mithril.TypeError[E0390]: this kind of object does not fit here\n  expected : {}\n"
    with pytest.raises(ml.TypeError) as caught:
        ml.Cond(True, ml.Model.create(y=x), ml.Model.create(y=x))  # type: ignore[arg-type]
    assert str(caught.value).startswith(text.format("the name of an input, or a model"))
    for make in (
        lambda carry: ml.Scan(body, carry=carry, length=3),
        lambda carry: ml.While(ml.Model.create(g=x < 1.0), body, carry=carry),
    ):
        with pytest.raises(ml.TypeError) as caught:
            make({1: "n"})
        assert str(caught.value).startswith(text.format("the name of an input"))
        with pytest.raises(ml.TypeError) as caught:
            make({"x": 2})
        assert str(caught.value).startswith(text.format("the name of an output"))


def two_sequences() -> ml.Model:
    x, z, h = (ml.IOKey(key, shape=[3]) for key in "xzh")
    step = ml.Model.create(h_next=x + z + h)
    return ml.Scan(step, carry={"h": "h_next"}, sequences=["x", "z"])


ONE_LENGTH = (
    "  help: the sequences of a loop have one length: cut the longer ones, or pad the shorter ones "
    "and give Scan the lengths of the samples: lengths="
)


def test_sequences_of_different_lengths():
    assert text_of(lambda: two_sequences().set_shapes(x=[4, 3], z=[5, 3])) == (
        "mithril.ShapeError[E0202]: z: two dims differ\n"
        '  one side   : 4        given by set_shapes({"x": [4, 3]})\n'
        '  other side : 5        given by set_shapes({"z": [5, 3]})\n'
        "  known      : [4, 3]   from Scan\n"
        '  stated     : [5, 3]   given by set_shapes({"z": [5, 3]})\n' + ONE_LENGTH
    )
    net = ml.Model()
    with pytest.raises(ml.ShapeError) as raised:
        net |= two_sequences()(
            x=ml.IOKey("x", shape=[4, 3]), z=ml.IOKey("z", shape=[5, 3]), h_last="y"
        )
    assert str(raised.value) == (
        "mithril.ShapeError[E0202]: scan: port 'z': two dims differ\n"
        "  one side   : 5        given by IOKey('z', shape=[5, 3])\n"
        "  other side : 4        given by IOKey('x', shape=[4, 3])\n"
        "  port z     : [4, 3]\n"
        "  bound to   : [5, 3]   on z\n" + ONE_LENGTH
    )
    # Another size of an element is not a length.
    text = text_of(lambda: two_sequences().set_shapes(z=[4, 2]))
    assert "two dims differ" in text
    assert "help" not in text


def test_sequences_of_different_lengths_in_a_call():
    compiled = ml.compile(two_sequences(), CPU, shapes={"x": ["T", 3]}, data_keys=["x", "z", "h"])
    data = {"x": np.ones((4, 3)), "z": np.ones((5, 3)), "h": np.ones(3)}
    assert text_of(lambda: compiled.evaluate({}, data)) == (
        "mithril.InputError[E0804]: 'z' has 5 in dim 0, expected T = 4\n"
        "  expected : [T, 3]\n"
        "  got      : [5, 3]\n"
        "  help: 'x' has 4 in dim 0, and sizes of one name must be equal"
    )


ONE_BOOL = (
    "  help: a condition is a scalar bool: compare one number with another, as in x.max() > 0"
)


def choice() -> ml.Model:
    x = ml.IOKey("x")
    return ml.Cond("c", ml.Model.create(y=x.exp()), ml.Model.create(y=x * 2.0))


def test_a_named_condition_of_another_type_or_shape():
    assert text_of(lambda: choice().set_types(c=float)) == (
        "mithril.TypeError[E0301]: c: types differ\n"
        "  one side   : bool tensor   from the condition of Cond\n"
        '  other side : float         given by set_types({"c": float})\n' + ONE_BOOL
    )
    assert text_of(lambda: choice().set_shapes(c=[2])) == (
        "mithril.ShapeError[E0201]: c: ranks differ\n"
        "  one side   : []    from the condition of Cond\n"
        '  other side : [2]   given by set_shapes({"c": [2]})\n' + ONE_BOOL
    )
    net = ml.Model()
    with pytest.raises(ml.TypeError) as raised:
        net |= choice()(c=ml.IOKey("c", type=float), x="x", y="y")
    assert str(raised.value) == (
        "mithril.TypeError[E0301]: cond: port 'c': types differ\n"
        "  one side   : float         given by IOKey('c', type=float)\n"
        "  other side : bool tensor   from the condition of cond\n"
        "  port c     : bool tensor\n"
        "  bound to   : float         on c\n" + ONE_BOOL
    )


def test_a_condition_whose_shape_is_known_only_where_the_loop_is_a_part():
    x = ml.IOKey("x")
    root = ml.While(ml.Model.create(far=x > 1.0), ml.Model.create(n=x * 0.5), carry={"x": "n"})
    net = ml.Model()
    with pytest.raises(ml.ShapeError) as raised:
        net |= root(x=ml.IOKey("x", shape=[2]), x_last="y")
    assert "branchcondition" not in str(raised.value)
    assert "the condition of while" in str(raised.value)
    assert str(raised.value).endswith(ONE_BOOL)


def test_branches_of_different_shapes_in_a_part_name_the_part():
    x, z = ml.IOKey("x"), ml.IOKey("z")
    either = ml.Cond("c", ml.Model.create(y=x.exp()), ml.Model.create(y=z.exp()))
    net = ml.Model()
    with pytest.raises(ml.ShapeError) as raised:
        net |= either(c="c", x=ml.IOKey("x", shape=[2]), z=ml.IOKey("z", shape=[3]), y="y")
    assert str(raised.value) == (
        "mithril.ShapeError[E0206]: cond: the branches make values of different shapes; "
        "reshape one of them\n"
        "  expected  : [2] as `then`\n"
        "  got       : [3] from `otherwise`\n"
        '  then      : [2]   on cond.model.y, pattern "*t"\n'
        '  otherwise : [3]   on cond.model_1.y, pattern "*e"'
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"carry": {"hh": "h_next"}}, "Scan: the body has no input 'hh'\n  known : h, x"),
        ({"carry": {"h": "next"}}, "Scan: the body has no output 'next'\n  known : h_next"),
        ({"sequences": ["xs"]}, "Scan: the body has no input 'xs'"),
        ({"outputs": ["y"]}, "Scan: the body has no output 'y'"),
    ],
)
def test_names_that_the_body_lacks(options, text):
    h, x = ml.IOKey("h"), ml.IOKey("x")
    body = ml.Model.create(h_next=h + x)
    given = {"carry": {"h": "h_next"}, "sequences": ["x"], **options}
    with pytest.raises(ml.NameError) as raised:
        ml.Scan(body, **given)
    assert text in str(raised.value)
