"""Generated modules take whole numbers and bools that the types of their inputs hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from web_tools import TARGETS, needs_node, run, write_module

import mithril as ml


@needs_node
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(2)
def test_a_bool_input_takes_0_and_1(target: str, tmp_path: Path) -> None:
    mask = ml.IOKey("mask", type=ml.Tensor[bool], shape=[3])
    compiled = ml.compile(ml.Model.create(y=3.0 - mask.cast(ml.float32)), ml.CpuBackend())
    lines = run(
        write_module(target, compiled, tmp_path / "model"),
        """
        const model = await createModel();
        for (const mask of [[1, 0, 1], [true, false, 1n], new Float64Array([0, 1, -0])])
          console.log(model.evaluate({ mask }).y.join());
        for (const wrong of [2, -1, 0.5, NaN, 7n, "yes", undefined])
          console.log(await refused(() => model.evaluate({ mask: [0, wrong, 1] })));
        """,
    )
    wrong = ["2", "-1", "0.5", "NaN", "7", "yes", "undefined"]
    start = "mithril.InputError[E0805]: 'mask' has"
    assert lines == ["2,3,2", "2,3,2", "3,2,3", *(f"{start} {x}, expected 0 or 1" for x in wrong)]


@needs_node
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(2)
def test_an_int_input_takes_whole_numbers_of_64_bits(target: str, tmp_path: Path) -> None:
    count = ml.IOKey("count", type=ml.Tensor[int], shape=[2])
    compiled = ml.compile(ml.Model.create(y=count + 1), ml.CpuBackend())
    lines = run(
        write_module(target, compiled, tmp_path / "model"),
        """
        const model = await createModel();
        for (const count of [[-7, 2n], [true, "5"], [2 ** 40, -(2n ** 40n)]])
          console.log(model.evaluate({ count }).y.join());
        console.log(Number(model.evaluate({ count: [0, -(2n ** 63n)] }).y[1]) === -(2 ** 63));
        for (const wrong of [0.5, "1.5", NaN, 2 ** 63, 2n ** 63n, -(2n ** 63n) - 1n, 1e300])
          console.log(await refused(() => model.evaluate({ count: [0, wrong] })));
        """,
    )
    start = "mithril.InputError[E0805]: 'count' has"
    fractions = [f"{start} {x}, expected a whole number" for x in ("0.5", "1.5", "NaN")]
    large = ["9223372036854776000", "9223372036854775808", "-9223372036854775809", "1e+300"]
    assert lines == [
        "-6,3",
        "2,6",
        "1099511627777,-1099511627775",
        "true",
        *fractions,
        *(f"{start} {x}, expected an int of 64 bits" for x in large),
    ]
