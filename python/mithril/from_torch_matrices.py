"""Conversions of torch.linalg for `ml.from_torch`."""

from __future__ import annotations

from typing import Any

from . import models as ml
from ._core import Connection
from .from_torch_table import Missing, Site, Table, shape, table

FACTORS = Missing("factors of a matrix, which Mithril does not keep")
INFO = Missing("whether a matrix is singular, for which Mithril raises an error")


def turned(x: Connection) -> Connection:
    return ml.SwapAxes(axis1=-1, axis2=-2)(x)


def inverse(self: Connection) -> Connection:
    sizes = shape(self)
    unit = ml.Eye()(sizes[-1])
    solved: Connection = ml.Solve()(self, ml.BroadcastTo()(input=unit, shape=sizes))
    return solved


def inverse_and_info(self: Connection, check_errors: bool = False) -> Any:
    return inverse(self), INFO


def solution(matrix: Connection, right: Connection, *, left: bool = True, at: Site) -> Connection:
    """Of matrix X = right, or of X matrix = right."""
    given, other = (each.shape for each in at.inputs[:2])
    is_vector = len(other) == 1 or other == given[:-1]
    if is_vector:
        right = ml.ExpandDims(axis=-1)(right)
    elif not left:
        matrix, right = turned(matrix), turned(right)
    matrix, right = of_one_batch(matrix, right)
    found = ml.Solve()(matrix, right)
    if is_vector:
        return ml.Squeeze(axis=-1)(found)
    return found if left else turned(found)


def of_one_batch(left: Connection, right: Connection) -> list[Connection]:
    """Both with the axes of either before those of the matrices."""
    longer, shorter = sorted((shape(left)[:-2], shape(right)[:-2]), key=len, reverse=True)
    padded = (*(1,) * (len(longer) - len(shorter)), *shorter)
    batch = tuple(
        b if isinstance(a, int) and a == 1 else a for a, b in zip(longer, padded, strict=True)
    )
    return [
        each
        if len(shape(each)) == 2 and not batch
        else ml.BroadcastTo()(input=each, shape=(*batch, *shape(each)[-2:]))
        for each in (left, right)
    ]


def solve(A: Any, B: Any, left: bool = True, *, at: Site) -> Any:  # noqa: N803 - torch's names
    return solution(A, B, left=left, at=at)


def solve_and_factors(
    A: Any,  # noqa: N803 - torch's names
    B: Any,  # noqa: N803
    left: bool = True,
    check_errors: bool = False,
    *,
    at: Site,
) -> Any:
    return solution(A, B, left=left, at=at), FACTORS, FACTORS, INFO


TABLE: Table = table(
    (inverse, "linalg_inv", "inverse"),
    (inverse_and_info, "linalg_inv_ex"),
    (lambda self: ml.Det()(self), "linalg_det", "det"),
    (lambda self: (ml.Det()(self), FACTORS, FACTORS), "_linalg_det"),
    (solve, "linalg_solve"),
    (solve_and_factors, "_linalg_solve_ex", "linalg_solve_ex"),
)
