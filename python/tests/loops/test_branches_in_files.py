"""Choices and loops with a condition in generated code: equal to the CPU backend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from branch_models import BRANCHES, collatz, columns_or_twice_the_rows, newton, polynomial
from generated_cases import TARGETS, Case, check_case, drawn

import mithril as ml

INT = ml.Tensor[int]


def vector(name: str) -> ml.IOKey:
    return ml.IOKey(name, shape=[3])


def of_pair(name: str, large: bool) -> Case:
    """Both models of a pair, with their own parameters."""
    model = ml.Cond("large", *BRANCHES[name]())
    data = {key: value for key, value in drawn(x=(3, 4), c=4).items() if key in model.input_keys}
    return Case(model, data | {"large": np.array(large)}, tuple(data))


def shared(large: bool) -> Case:
    """A parameter that both models read, and one that only one of them reads."""
    x, w, v = vector("x"), vector("w"), vector("v")
    model = ml.Cond("large", ml.Model.create(y=x * w * v), ml.Model.create(y=x.sin() + w))
    return Case(model, drawn(x=3, w=3, v=3) | {"large": np.array(large)}, ("x", "w", "v"))


def handed_over(large: bool) -> Case:
    """Inputs, a constant, views and one value twice."""
    x, z = ml.IOKey("x", shape=[2, 3]), vector("z")
    then = ml.Model.create(
        a=ml.Buffer()(x), b=x.reshape((3, 2)), c=ml.Buffer()(np.array([0.5, 2.0, -1.0])), d=z * 2.0
    )
    then |= ml.Buffer()(input="d", output="e")
    then.expose_keys("a", "b", "c", "d", "e")
    other = ml.Model.create(
        a=(x.reshape((6,)) * 2.0).reshape((2, 3)),
        b=(x * x).reshape((3, 2)),
        c=ml.Buffer()(z),
        d=ml.Buffer()(z),
        e=ml.Buffer()(z),
    )
    model = ml.Cond("large", then, other)
    return Case(model, drawn(x=(2, 3), z=3) | {"large": np.array(large)}, ("x", "z"))


def integers(large: bool) -> Case:
    """Ints and bools, one of which JavaScript computes as a BigInt in one branch alone."""
    n, m, i = (ml.IOKey(key, type=INT) for key in "nmi")
    then = ml.Model.create(
        one=n * 3 + m, two=ml.Buffer()(n), many=i * n, odd=(i % 2) == 1, all=n > m
    )
    other = ml.Model.create(one=n // 2, two=n % 5, many=i + m, odd=i > 0, all=m > 4)
    data = {"n": np.array(17), "m": np.array(-4), "i": np.arange(5) - 2}
    return Case(ml.Cond("large", then, other), data | {"large": np.array(large)})


def keys(large: bool) -> Case:
    """Ints beyond 2^53, which only BigInts hold."""
    key, n = ml.IOKey("key", type=INT), ml.IOKey("n", type=INT)
    then = ml.Model.create(new=key * 6364136223846793005 + 1442695040888963407)
    model = ml.Model()
    model |= ml.Cond("large", then, ml.Model.create(new=(key + n) // 2))(
        key="key", n="n", large="large", new="new"
    )
    model |= ml.RandomUniform()(like=ml.IOKey("like", shape=[4]), key="new", output="noise")
    model.expose_keys("noise")
    data = {"key": np.array(7), "n": np.array(3), "large": np.array(large)}
    return Case(model, data | drawn(like=4))


def nested(large: bool, positive: bool) -> Case:
    x, w = vector("x"), vector("w")
    inner = ml.Cond("positive", ml.Model.create(y=x.sin() * w), ml.Model.create(y=x.exp() - w))
    last = ml.Cond("positive", ml.Model.create(y=ml.Buffer()(x)), ml.Model.create(y=x * x * w))
    flags = {"large": np.array(large), "positive": np.array(positive)}
    return Case(ml.Cond("large", inner, last), drawn(x=3, w=3) | flags, ("x", "w"))


def computed(scale: float) -> Case:
    x = vector("x")
    model = ml.Cond(
        ml.Model.create(is_large=(x * x).sum() > 1.0),
        ml.Model.create(y=x / (x * x).sum().sqrt()),
        ml.Model.create(y=ml.Buffer()(x)),
    )
    return Case(model, {"x": np.array([0.5, -0.3, 0.2]) * scale}, ("x",))


def in_steps(steps: int) -> Case:
    """A choice in each step of a loop, which also makes a stack."""
    h, x, w = vector("h"), vector("x"), vector("w")
    step = ml.Cond(
        ml.Model.create(up=x.sum() > 0.0),
        ml.Model.create(h_next=ml.Tanh()(h * w + x), y=h * x),
        ml.Model.create(h_next=h * x, y=ml.Buffer()(x)),
    )
    loop = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"], outputs=["y"])
    return Case(loop, drawn(x=(steps, 3), h=3, w=3), ("x", "h", "w"))


def with_steps(large: bool) -> Case:
    """A loop in a branch."""
    h, x = vector("h"), vector("x")
    body = ml.Model.create(h_next=h * x, y=h + x)
    loop = ml.Scan(body, carry={"h": "h_next"}, sequences=["x"], outputs=["y"], reverse=True)
    items = ml.IOKey("x", shape=[4, 3])
    other = ml.Model.create(y=items * 2.0, h_last=vector("h") * 3.0)
    data = drawn(x=(4, 3), h=3) | {"large": np.array(large)}
    return Case(ml.Cond("large", loop, other), data, ("x", "h"))


def bounded(most: int) -> Case:
    return Case(newton(max_steps=most), {"x": np.ones(2), "a": np.array([7.0, 3.0])}, ("x", "a"))


def unbounded(start: float) -> Case:
    return Case(newton(), {"x": np.full(2, start), "a": np.array([9.0, 9.0])})


def counted(first: int) -> Case:
    """A choice in a loop with a condition, of ints."""
    return Case(collatz(), {"n": np.array(first), "count": np.array(0)})


def exchanged(limit: float) -> Case:
    """Carries that change places, and one that stays."""
    a, b, c, n = vector("a"), vector("b"), vector("c"), ml.IOKey("n", shape=[])
    step = ml.Model.create(
        a_next=ml.Buffer()(b), b_next=ml.Buffer()(a), c_next=ml.Buffer()(c), n_next=n + 1.0
    )
    few = ml.Model.create(few=ml.IOKey("n", shape=[]) < ml.IOKey("limit", shape=[]))
    loop = ml.While(few, step, carry={key: f"{key}_next" for key in "abcn"})
    data = drawn(a=3, b=3, c=3) | {"n": np.array(0.0), "limit": np.array(limit)}
    return Case(loop, data)


def growing() -> ml.Model:
    """Doubles y until one element is large."""
    y = vector("y")
    small = ml.Model.create(small=y.abs().max() < 10.0)
    return ml.While(small, ml.Model.create(y_next=y * 2.0), carry={"y": "y_next"})


def while_in_steps() -> Case:
    step = ml.Model()
    step |= ml.Add()(left=vector("h"), right=vector("x"), output="sum")
    step |= growing()(y="sum", y_last="h_next")
    loop = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"], outputs=["h_next"])
    return Case(loop, drawn(x=(4, 3), h=3))


def while_in_branch(large: bool) -> Case:
    data = drawn(y=3) | {"large": np.array(large)}
    return Case(ml.Cond("large", growing(), ml.Model.create(y_last=ml.Buffer()(vector("y")))), data)


def while_in_while() -> Case:
    h, n = vector("h"), ml.IOKey("n", type=INT)
    step = ml.Model()
    step |= growing()(y=h, y_last="grown")
    step |= ml.Multiply()(left="grown", right=0.01, output="h_next")
    step |= ml.Add()(left=n, right=1, output="n_next")
    step.expose_keys("h_next", "n_next")
    few = ml.Model.create(few=ml.IOKey("n", type=INT) < 3)
    loop = ml.While(few, step, carry={"h": "h_next", "n": "n_next"})
    return Case(loop, drawn(h=3) | {"n": np.array(0)})


def wide_carries(steps: int) -> Case:
    """Keys of random numbers in a loop that begins with one that JavaScript has as a number."""
    key, n, h = (ml.IOKey(name, type=INT) for name in ("key", "n", "h"))
    step = ml.Model.create(
        key_next=key * 6364136223846793005 + 1442695040888963407, n_next=n + 1, h_next=(h + n) // 2
    )
    few = ml.Model.create(few=ml.IOKey("n", type=INT) < ml.IOKey("limit", type=INT))
    carry = {name: f"{name}_next" for name in ("key", "n", "h")}
    first = ml.IOKey("first", type=INT)
    model = ml.Model.create(halved=first // 2)
    model |= ml.While(few, step, carry=carry)(
        key="halved", n="n", h=first, limit="limit", key_last="key_last", h_last="h_last"
    )
    model |= ml.RandomUniform()(like=ml.IOKey("like", shape=[4]), key="key_last", output="noise")
    model.expose_keys("noise", "h_last")
    data = {"first": np.array(51), "n": np.array(0), "limit": np.array(steps)}
    return Case(model, data | drawn(like=4))


def curved(model: ml.Model, data: dict[str, np.ndarray], output: str) -> Case:
    """A first and a second derivative as outputs, whose gradients are of third order."""
    whole = ml.Model()
    whole |= model(**{key: key for key in data}, **{output: output})
    whole.set_shapes({key: list(np.shape(value)) for key, value in data.items()})
    x = whole.x
    slope = ml.gradient((whole[output] * whole[output]).sum(), x)
    bend = ml.gradient((slope * slope).sum(), x)
    whole |= ml.Buffer()(input=slope, output="slope")
    whole |= ml.Buffer()(input=bend, output="bend")
    whole.expose_keys("slope", "bend")
    return Case(whole, data, tuple(key for key, value in data.items() if value.dtype != bool))


def curved_choice(large: bool) -> Case:
    data = {"x": np.array([0.5, -0.3, 0.2]), "large": np.array(large)}
    return curved(ml.Cond("large", *polynomial()), data, "y")


def hostile(large: bool) -> Case:
    """Names that the generated code uses itself."""
    one, other = vector("workspace"), vector("Carry")
    then = ml.Model.create(tensor=one * other, memory=one + 1.0)
    choice = ml.Cond("elementAt", then, ml.Model.create(tensor=one - other, memory=one * 3.0))
    data = drawn(workspace=3, Carry=3) | {"elementAt": np.array(large)}
    return Case(choice, data, ("workspace", "Carry"))


CASES: dict[str, Callable[[], Case]] = {
    **{
        f"{name}, {large}": lambda name=name, large=large: of_pair(name, large)
        for name in BRANCHES
        for large in (True, False)
    },
    **{
        f"{make.__name__}, {large}": lambda make=make, large=large: make(large)
        for make in (
            shared,
            handed_over,
            integers,
            keys,
            with_steps,
            while_in_branch,
            curved_choice,
            hostile,
        )
        for large in (True, False)
    },
    **{
        f"nested, {a}, {b}": lambda a=a, b=b: nested(a, b)
        for a in (True, False)
        for b in (True, False)
    },
    "computed, large": lambda: computed(10.0),
    "computed, small": lambda: computed(1.0),
    "a choice in 1 step": lambda: in_steps(1),
    "a choice in 6 steps": lambda: in_steps(6),
    "at most 0 steps": lambda: bounded(0),
    "at most 3 steps": lambda: bounded(3),
    "at most 20 steps": lambda: bounded(20),
    "unbounded": lambda: unbounded(1.0),
    "unbounded, no step": lambda: unbounded(3.0),
    "counted": lambda: counted(27),
    "counted, no step": lambda: counted(1),
    "exchanged, no step": lambda: exchanged(0.0),
    "exchanged, 1 step": lambda: exchanged(1.0),
    "exchanged, 4 steps": lambda: exchanged(4.0),
    "while in steps": while_in_steps,
    "while in while": while_in_while,
    "wide carries, no step": lambda: wide_carries(0),
    "wide carries, 3 steps": lambda: wide_carries(3),
    "curved, bounded": lambda: curved(
        newton(max_steps=4), {"x": np.ones(2), "a": np.array([7.0, 3.0])}, "x_last"
    ),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients(name: str, target: str, tmp_path: Path) -> None:
    check_case(CASES[name](), target, tmp_path)


@pytest.mark.parametrize(
    ("op", "output"), [("cond", "y"), ("while_loop", "x_last"), ("scan", "x_last")]
)
def test_webgpu_refuses_branches(tmp_path: Path, op: str, output: str) -> None:
    """With max_steps a loop is one of steps."""
    if op == "cond":
        model = ml.Cond("large", *polynomial())
        shapes = {"x": [3]}
    else:
        model = newton(max_steps=3 if op == "scan" else None)
        shapes = {"x": [3], "a": [3]}
    compiled = ml.compile(
        model, ml.CpuBackend(), shapes=shapes, data_keys=list(shapes), inference=True
    )
    with pytest.raises(ml.BackendError) as raised:
        ml.to_javascript(compiled, tmp_path, device="webgpu")
    assert str(raised.value) == (
        f"mithril.BackendError[E1031]: {output}: there is no WebGPU for the op {op}\n"
        "  help: loops and branches can be written in C++, JavaScript and WebAssembly, and run on "
        "backends"
    )


def test_generated_code_refuses_sizes_that_fit_one_branch(tmp_path: Path) -> None:
    """They are fixed when the code is written."""
    compiled = ml.compile(
        columns_or_twice_the_rows(), ml.CpuBackend(), shapes={"x": ["n", "m"]}, data_keys=["x"]
    )
    data = {"c": np.array(False), "x": np.ones((3, 2), np.float32)}
    ml.codegen(compiled, tmp_path / "net.cpp", data=data)
    with pytest.raises(ml.ShapeError) as raised:
        ml.codegen(compiled, tmp_path / "net.cpp", data=data | {"x": np.ones((3, 4), np.float32)})
    assert str(raised.value) == (
        "mithril.ShapeError[E0210]: model.y: reshape: with these sizes 'model.y' has other dims "
        "than stated\n"
        "  stated : [6]\n"
        "  made   : [12]"
    )
