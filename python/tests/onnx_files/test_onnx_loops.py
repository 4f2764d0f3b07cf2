"""`Scan`, `Loop` and `If` of ONNX files, compared with loops in NumPy."""

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 3)).astype(np.float32)
S = RNG.normal(size=3).astype(np.float32)
W = np.array([0.5, 0.25, -0.5], np.float32)


def stated(name, dtype="float32"):
    """An input or an output of any shape."""
    return ob.field(1, name) + ob.field(2, ob.field(1, ob.field(1, ob.TYPES[dtype])))


def graph(nodes, inputs, outputs, known=None):
    """The graph of a node. A name may end with a type: c:bool."""
    values = []
    for names in (inputs, outputs):
        split = [name.partition(":")[::2] for name in names.split()]
        values.append([stated(name, of or "float32") for name, of in split])
    return ob.graph(nodes, *values, known)


def read(path, nodes, shapes, outputs, known=None):
    inputs = [ob.value(name, *shape) for name, shape in shapes.items()]
    path.write_bytes(ob.file(nodes, inputs, [stated(name) for name in outputs.split()], known))
    return ml.from_onnx(path)[:2]


def run(path, nodes, data, outputs, known=None):
    """The outputs; the sizes of the first axes are open."""
    shapes = {
        key: ([f"{key}_rows", *x.shape[1:]] if x.ndim else [], x.dtype.name)
        for key, x in data.items()
    }
    model, params = read(path, nodes, shapes, outputs, known)
    results = ml.compile(model, ml.CpuBackend(), inference=True).evaluate(params, data)
    return [np.asarray(results[name]) for name in outputs.split()]


def refusal(path, nodes, outputs="y", known=None):
    with pytest.raises(ml.ValueError) as caught:
        read(path, nodes, {"x": (["N", 3],), "m": ([], "int64")}, outputs, known)
    return str(caught.value).splitlines()[1:-1]


def assert_near(results, *expected):
    for result, wanted in zip(results, expected, strict=True):
        assert result.shape == wanted.shape
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)


def decayed(s, rows):
    states = []
    for row in rows:
        s = s * W + row
        states.append(s)
    return np.array(states)


DECAY = [
    ob.node("Mul", "s w", "a"),
    ob.node("Add", "a e", "next"),
    ob.node("Identity", "next", "o"),
]


def test_a_scan_has_carries_and_stacked_values(tmp_path):
    body = graph(DECAY, "s e", "next o")
    nodes = [ob.node("Scan", "first x", "last all", body=body, num_scan_inputs=1)]
    known = {"w": W, "first": S}
    for length in (5, 1):
        states = decayed(S, X[:length])
        data = {"x": X[:length]}
        made = run(tmp_path / "net.onnx", nodes, data, "last all", known)
        assert_near(made, states[-1], states)


def test_sequences_of_a_scan_have_axes_and_directions(tmp_path):
    body = graph([*DECAY, ob.node("Mul", "next f", "p")], "s e f", "next o p")
    nodes = [
        ob.node(
            "Scan",
            "first x z",
            "last all products",
            body=body,
            num_scan_inputs=2,
            scan_input_axes=[0, -1],
            scan_input_directions=[1, 0],
            scan_output_axes=[1, 0],
            scan_output_directions=[0, 1],
        )
    ]
    z = RNG.normal(size=(3, 5)).astype(np.float32)
    made = run(
        tmp_path / "net.onnx", nodes, {"x": X, "z": z}, "last all products", {"w": W, "first": S}
    )
    states = decayed(S, X[::-1])
    assert_near(made, states[-1], states.T, (states * z.T)[::-1])


def test_weights_in_the_body_of_a_loop_are_trained(tmp_path):
    body = graph(DECAY, "s e", "next o", {"w": W})
    nodes = [ob.node("Scan", "first x", "y all", body=body, num_scan_inputs=1)]
    model, params = read(tmp_path / "net.onnx", nodes, {"first": ([3],), "x": (["N", 3],)}, "y")
    assert sorted(params) == ["w"]
    compiled = ml.compile(model, ml.CpuBackend(), data_keys=["first", "x"])
    data = {"first": S, "x": X[:2]}
    _, gradients = compiled.evaluate(params, data, output_gradients={"y": np.ones(3, np.float32)})
    np.testing.assert_allclose(gradients["w"], 2 * W * S + X[0], rtol=1e-5)


def test_one_branch_runs_if_the_condition_is_data(tmp_path):
    then = graph([ob.node("Mul", "x w", "a")], "", "a", {"w": W})
    other = graph([ob.node("Neg", "x", "b")], "", "b")
    nodes = [
        ob.node("ReduceSum", "x", "t", keepdims=0),
        ob.node("Greater", "t zero", "c"),
        ob.node("If", "c", "y", then_branch=then, else_branch=other),
    ]
    for x in (X + 9, X - 9):
        expected = x * W if x.sum() > 0 else -x
        known = {"zero": np.float32(0)}
        assert_near(run(tmp_path / "net.onnx", nodes, {"x": x}, "y", known), expected)


def test_branches_of_other_types_are_refused(tmp_path):
    then = graph([ob.node("Neg", "x", "a")], "", "a")
    other = graph([ob.node("Cast", "x", "b", to=7)], "", "b:int64")
    nodes = [
        ob.node("Cast", "m", "c", to=9),
        ob.node("If", "c", "y", then_branch=then, else_branch=other),
    ]
    assert refusal(tmp_path / "net.onnx", nodes) == [
        "  node of y : If (opset 17): the output 'b' is int64, expected float"
    ]


STEP = [
    ob.node("Cast", "i", "f", to=1),
    ob.node("Mul", "v w", "a"),
    ob.node("Add", "a f", "next"),
    ob.node("Identity", "next", "o"),
    ob.node("Identity", "c", "goes_on"),
]


def stepped(v, count):
    states = [v]
    for i in range(count):
        states.append(states[-1] * W + np.float32(i))
    return states[-1], np.array(states[1:]).reshape(count, *v.shape)


@pytest.mark.parametrize("count", [0, 1, 4, 2000])
def test_a_loop_has_a_known_number_of_steps(tmp_path, count):
    body = graph(STEP, "i:int64 c:bool v", "goes_on:bool next o")
    nodes = [ob.node("Identity", "count", "m")]
    nodes.append(loop_of("m", "", "x", "last all", body))
    known = {"w": W, "count": np.array(count)}
    made = run(tmp_path / "net.onnx", nodes, {"x": X}, "last all", known)
    last, states = stepped(X, count)
    np.testing.assert_allclose(made[0], last, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(made[1], states, rtol=1e-4, atol=1e-4)


def loop_of(count, condition, carries, outputs, body):
    """A Loop, whose first inputs may be left out."""
    made = ob.field(1, count) + ob.field(1, condition)
    return made + ob.node("Loop", carries, outputs, body=body)


def test_a_loop_over_a_symbolic_size(tmp_path):
    body = graph(STEP, "i:int64 c:bool v", "goes_on:bool next o")
    nodes = [
        ob.node("Shape", "x", "sizes"),
        ob.node("Gather", "sizes zero", "m"),
        loop_of("m", "", "first", "last all", body),
    ]
    known = {"w": W, "zero": np.array(0), "first": S}
    for rows in (5, 2):
        made = run(tmp_path / "net.onnx", nodes, {"x": X[:rows]}, "last all", known)
        assert_near(made, *stepped(S, rows))


DOUBLE = [
    ob.node("Add", "v v", "next"),
    ob.node("ReduceSum", "next", "t", keepdims=0),
    ob.node("Less", "t limit", "goes_on"),
]


@pytest.mark.parametrize("most", ["", "three", "endless", "m"])
def test_a_condition_ends_a_loop(tmp_path, most):
    body = graph(DOUBLE, "i:int64 c:bool v", "goes_on:bool next")
    known = {
        "limit": np.float32(100),
        "three": np.array(3),
        "endless": np.array(2**62),
    }
    x = np.abs(X)
    data = {"x": x, "m": np.array(2)} if most == "m" else {"x": x}
    expected, steps = x, 0
    bound = {"three": 3, "m": 2}.get(most, 100)
    while steps < bound and (steps == 0 or expected.sum() < 100):
        expected, steps = expected + expected, steps + 1
    made = run(tmp_path / "net.onnx", [loop_of(most, "", "x", "y", body)], data, "y", known)
    assert_near(made, expected)


def test_the_first_condition_may_be_data(tmp_path):
    body = graph(DOUBLE, "i:int64 c:bool v", "goes_on:bool next")
    nodes = [ob.node("Cast", "m", "first", to=9), loop_of("", "first", "x", "y", body)]
    x = np.abs(X)
    known = {"limit": np.float32(0)}
    for first in (0, 1):
        data = {"x": x, "m": np.array(first)}
        assert_near(run(tmp_path / "net.onnx", nodes, data, "y", known), x * (1 + first))


def test_a_loop_whose_carry_grows_is_unrolled(tmp_path):
    nodes = [ob.node("Concat", "v x", "next", axis=0), ob.node("Identity", "c", "goes_on")]
    body = graph(nodes, "i:int64 c:bool v", "goes_on:bool next")
    made = run(
        tmp_path / "net.onnx",
        [loop_of("m", "", "x", "y", body)],
        {"x": X},
        "y",
        {"m": np.array(2)},
    )
    assert_near(made, np.concatenate([X, X, X]))


@pytest.mark.parametrize("names", ["m", "m c"])
def test_a_loop_may_pass_on_nothing(tmp_path, names):
    body = graph(
        [
            ob.node("Cast", "i", "f", to=1),
            ob.node("Mul", "x f", "o"),
            ob.node("Identity", "c", "d"),
        ],
        "i:int64 c:bool",
        "d:bool o",
    )
    known = {"m": np.array(3), "c": np.array(True)}
    nodes = [ob.node("Loop", names, "y", body=body)]
    made = run(tmp_path / "net.onnx", nodes, {"x": X}, "y", known)
    assert_near(made, X * np.arange(3, dtype=np.float32)[:, None, None])


def test_loops_in_branches_in_loops(tmp_path):
    inner = graph(DECAY, "s e", "next o")
    then = graph([ob.node("Scan", "st x", "sl so", body=inner, num_scan_inputs=1)], "", "sl")
    other = graph([ob.node("Identity", "st", "q")], "", "q")
    outer = graph(
        [
            ob.node("ReduceSum", "el", "t", keepdims=0),
            ob.node("Greater", "t zero", "c"),
            ob.node("If", "c", "n", then_branch=then, else_branch=other),
        ],
        "st el",
        "n",
    )
    nodes = [ob.node("Scan", "first x", "y", body=outer, num_scan_inputs=1)]
    made = run(
        tmp_path / "net.onnx",
        nodes,
        {"x": X},
        "y",
        {"w": W, "first": S, "zero": np.float32(0)},
    )
    state = S
    for row in X:
        if row.sum() > 0:
            state = decayed(state, X)[-1]
    assert_near(made, state)


def test_loops_that_cannot_be_decided_are_refused(tmp_path):
    path = tmp_path / "net.onnx"
    stacking = graph(
        [*DOUBLE, ob.node("Identity", "next", "o")], "i:int64 c:bool v", "goes_on:bool next o"
    )
    known = {"limit": np.float32(100), "w": W}
    assert refusal(path, [loop_of("", "", "x", "last y", stacking)], "y", known) == [
        "  node of last : Loop (opset 17): its number of steps depends on data, and it stacks "
        "values of all steps"
    ]
    body = graph(STEP, "i:int64 c:bool v", "goes_on:bool next")
    assert refusal(path, [loop_of("", "", "x", "y", body)], "y", known) == [
        "  node of y : Loop (opset 17): it never ends"
    ]
    unknown = graph(
        [ob.node("Foo", "v", "next"), STEP[-1]], "i:int64 c:bool v", "goes_on:bool next"
    )
    assert refusal(path, [loop_of("m", "", "x", "y", unknown)], "y", known) == [
        "  node of next : Foo (opset 17): no op of Mithril computes it yet"
    ]
    growing = graph(
        [ob.node("Concat", "v x", "next", axis=0), STEP[-1]],
        "i:int64 c:bool v",
        "goes_on:bool next",
    )
    assert refusal(path, [loop_of("m", "", "x", "y", growing)], "y", known) == [
        "  node of y : Loop (opset 17): a step changes the size of 'v'"
    ]


def test_problems_of_values_around_a_loop_are_listed_once(tmp_path):
    path = tmp_path / "net.onnx"
    body = graph(
        [ob.node("Add", "v bad", "next"), STEP[-1]], "i:int64 c:bool v", "goes_on:bool next"
    )
    around, negated = ob.node("Foo", "x", "bad"), ob.node("Neg", "x", "y")
    foo = ["  node of bad : Foo (opset 17): no op of Mithril computes it yet"]
    known = {"m": np.array(3), "limit": np.float32(100)}
    assert refusal(path, [around, loop_of("m", "", "x", "y", body)], "y", known) == foo
    assert refusal(path, [around, loop_of("m", "", "x", "z", body), negated], "z y", known) == foo
    ending = graph(
        [
            ob.node("Add", "v bad", "next"),
            ob.node("ReduceSum", "next", "sum", keepdims=0),
            ob.node("Less", "sum limit", "goes_on"),
        ],
        "i:int64 c:bool v",
        "goes_on:bool next",
    )
    for count in ("m", ""):
        assert refusal(path, [around, loop_of(count, "", "x", "y", ending)], "y", known) == foo


def test_a_loop_of_known_values_may_have_many_steps(tmp_path):
    body = graph(
        [ob.node("Add", "v one", "next"), STEP[-1]], "i:int64 c:bool v", "goes_on:bool next"
    )
    nodes = [loop_of("m", "", "first", "sum", body), ob.node("Add", "x sum", "y")]
    known = {"m": np.array(5000), "one": np.float32(1), "first": np.float32(0)}
    assert_near(run(tmp_path / "net.onnx", nodes, {"x": X}, "y", known), X + 5000)


def test_a_scan_may_read_known_values_alone(tmp_path):
    body = graph([ob.node("Add", "v row", "next")], "v row", "next")
    nodes = [
        ob.node("Scan", "first rows", "sum", body=body, num_scan_inputs=1),
        ob.node("Add", "x sum", "y"),
    ]
    known = {"first": S, "rows": X}
    assert_near(run(tmp_path / "net.onnx", nodes, {"x": X}, "y", known), X + S + X.sum(axis=0))


def test_a_condition_of_no_bool_is_refused(tmp_path):
    path = tmp_path / "net.onnx"
    reason = ["  node of y : Loop (opset 17): its condition is not one bool"]
    step = ob.node("Mul", "v w", "next")
    body = graph([step, STEP[-1]], "i:int64 c:bool v", "goes_on:bool next")
    known = {"m": np.array(2), "w": W, "none": np.zeros(0, bool)}
    assert refusal(path, [loop_of("m", "none", "x", "y", body)], "y", known) == reason
    ending = graph([step, ob.node("Identity", "none", "d")], "i:int64 c:bool v", "d:bool next")
    assert refusal(path, [loop_of("m", "", "x", "y", ending)], "y", known) == reason
