"""Loops in generated C++, JavaScript and WebAssembly: equal to the CPU backend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from generated_cases import TARGETS, Case, check_case, compiled_case, drawn
from loop_models import BODIES, data_of, elman

import mithril as ml


def network(name: str, steps: int, **options: Any) -> Case:
    make, carry = BODIES[name]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"], **options)
    data = data_of(steps, carry, make)
    return Case(loop, data, tuple(data))


def of_lengths(reverse: bool) -> Case:
    case = network("elman", 6, lengths="lengths", reverse=reverse)
    case.data["lengths"] = np.array([4, 0, 6])
    return case


def nested() -> Case:
    inner = ml.Scan(elman(), carry={"h": "h_next"}, sequences=["x"], outputs=["y"], reverse=True)
    outer = ml.Scan(inner, carry={"h": "h_last"}, sequences=["x"], outputs=["y"])
    return Case(outer, drawn(x=(4, 3, 3, 2), h=(3, 4)), ("x", "h"))


def swapped() -> Case:
    """Carries that change places, one that stays, and outputs on one value."""
    a, b, c, x = (ml.IOKey(key, shape=[3]) for key in "abcx")
    same = ml.Buffer()
    step = ml.Model.create(a_next=same(b), b_next=ml.Buffer()(a), c_next=ml.Buffer()(c), y=a * x)
    step |= ml.Buffer()(input="y", output="again")
    step |= ml.Add()(left="b", right="c", output="z")
    step.expose_keys("a_next", "b_next", "c_next", "y", "again", "z")
    carry = {"a": "a_next", "b": "b_next", "c": "c_next"}
    loop = ml.Scan(step, carry=carry, sequences=["x"], outputs=["y", "again", "z", "a_next"])
    data = drawn(a=3, b=3, c=3, x=(5, 3))
    return Case(loop, data, tuple(data))


def views() -> Case:
    """Carries and stacks that are views of what a step makes, and of what it reads."""
    h, x = ml.IOKey("h", shape=[2, 3]), ml.IOKey("x", shape=[3, 2])
    product = h.reshape((6,)) * x.reshape((6,))
    step = ml.Model.create(
        h_next=product.reshape((2, 3)), y=product.reshape((6, 1)), z=x.reshape((2, 3))
    )
    loop = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"], outputs=["y", "z"])
    return Case(loop, drawn(h=(2, 3), x=(4, 3, 2)), ("h", "x"))


def counter() -> Case:
    """Ints: carries, the elements of a sequence, and stacks."""
    n, total, i = (ml.IOKey(key, type=ml.Tensor[int]) for key in ("n", "total", "i"))
    x = ml.IOKey("x", shape=[3])
    step = ml.Model.create(n_next=n + 1, total_next=total + n * i, y=x * n, odd=(n + i) % 2)
    carry = {"n": "n_next", "total": "total_next"}
    loop = ml.Scan(step, carry=carry, sequences=["i", "x"], outputs=["total_next", "y", "odd"])
    data = {"n": np.array(1), "total": np.array(0), "i": np.arange(5) - 2} | drawn(x=(5, 3))
    return Case(loop, data, ("x",))


def keys() -> Case:
    """Keys of random numbers need all of their 64 bits, in carries, elements and stacks."""
    h, key = ml.IOKey("h", shape=[3]), ml.IOKey("key", type=ml.Tensor[int])
    noise = ml.RandomUniform()(like=ml.IOKey("like", shape=[3]), key=key)
    step = ml.Model.create(
        h_next=h * noise, key_next=key * 6364136223846793005 + 1442695040888963407
    )
    loop = ml.Scan(step, carry={"h": "h_next", "key": "key_next"}, length=6)
    return Case(loop, {"key": np.array(7)} | drawn(h=3, like=3), ("h",))


def without_sequences() -> Case:
    h, scale = ml.IOKey("h", shape=[2, 3]), ml.IOKey("scale", shape=[3])
    step = ml.Model.create(h_next=ml.Sine()(h) * scale + np.array([0.5, -1.0, 2.0]))
    loop = ml.Scan(step, carry={"h": "h_next"}, length=7)
    return Case(loop, drawn(h=(2, 3), scale=3), ("h", "scale"))


def curved() -> Case:
    """Derivatives of first and second order of a loop, as outputs."""
    item, carry = ml.IOKey("item", shape=[3, 2]), ml.IOKey("carry", shape=[3, 4])
    weights = drawn(one=(2, 4), other=(4, 4))
    step = ml.Model.create(next=ml.Tanh()(item @ weights["one"] + carry @ weights["other"]))
    x, h, v = ml.IOKey("x", shape=[4, 3, 2]), ml.IOKey("h", shape=[3, 4]), ml.IOKey("v")
    loop = ml.Scan(step, carry={"carry": "next"}, sequences=["item"])
    last = loop(item=x, carry=h)
    cost = (last * last).sum()
    model = ml.Model.create(slope=ml.gradient(cost, h), curved=ml.hvp(cost, x, v))
    return Case(model, drawn(x=(4, 3, 2), h=(3, 4), v=(4, 3, 2)))


def hostile() -> Case:
    """Names that the generated code uses itself."""
    names = ["step", "Carry", "memory", "workspace"]
    step, kept, item, other = (ml.IOKey(key, shape=[3]) for key in names)
    body = ml.Model.create(tensor=step * kept + item, elementAt=step * other)
    carry = {"step": "tensor", "workspace": "elementAt"}
    loop = ml.Scan(body, carry=carry, sequences=["memory"], outputs=["tensor"])
    data = drawn(step=3, Carry=3, memory=(4, 3), workspace=3)
    return Case(loop, data, tuple(data))


CASES: dict[str, Callable[[], Case]] = {
    "elman": lambda: network("elman", 5),
    "elman, reverse": lambda: network("elman", 4, reverse=True),
    "lstm": lambda: network("lstm", 4),
    "normalized": lambda: network("normalized", 3),
    "one step": lambda: network("elman", 1),
    "no steps": lambda: network("lstm", 0),
    "lengths": lambda: of_lengths(False),
    "lengths, reverse": lambda: of_lengths(True),
    "nested": nested,
    "swapped": swapped,
    "views": views,
    "counter": counter,
    "keys": keys,
    "without sequences": without_sequences,
    "curved": curved,
    "hostile": hostile,
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients(name: str, target: str, tmp_path: Path) -> None:
    check_case(CASES[name](), target, tmp_path)


@pytest.mark.parametrize("ending", ["cpp", "mjs"])
def test_the_code_is_as_long_for_512_steps_as_for_2(ending: str, tmp_path: Path) -> None:
    lengths = []
    for steps in (2, 512):
        ml.codegen(compiled_case(network("elman", steps)), tmp_path / f"net.{ending}")
        lengths.append(len((tmp_path / f"net.{ending}").read_text().splitlines()))
    assert lengths[0] == lengths[1]


def test_webgpu_refuses_a_loop(tmp_path: Path) -> None:
    compiled = compiled_case(network("elman", 4), ml.CpuBackend())
    with pytest.raises(ml.BackendError) as caught:
        ml.to_javascript(compiled, tmp_path, device="webgpu")
    assert str(caught.value) == (
        "mithril.BackendError[E1031]: h_last: there is no WebGPU for the op scan\n"
        "  help: loops and branches can be written in C++, JavaScript and WebAssembly, and run on "
        "backends"
    )
