"""Conversions of torch.linalg for `ml.from_torch`."""

from __future__ import annotations

from typing import Any

from ... import models as ml
from ..._core import Connection
from ..builders import NodeContext, Table, UnsupportedOutput, refuse_if, shape, table

FACTORS = UnsupportedOutput("factors of a matrix, which Mithril does not keep")
INFO = UnsupportedOutput("whether a matrix is singular, for which Mithril raises an error")
NO_Q = UnsupportedOutput("Q of mode 'r', which torch leaves out")
MORE_VECTORS = UnsupportedOutput(
    "singular vectors beyond the singular values: pass full_matrices=False"
)
NO_VECTORS = UnsupportedOutput("singular vectors with compute_uv=False")


def turned(x: Connection) -> Connection:
    return ml.SwapAxes(axis1=-1, axis2=-2)(x)


def inverse(self: Connection) -> Connection:
    sizes = shape(self)
    unit = ml.Eye()(sizes[-1])
    solved: Connection = ml.Solve()(self, ml.BroadcastTo()(input=unit, shape=sizes))
    return solved


def inverse_and_info(self: Connection, check_errors: bool = False) -> Any:
    return inverse(self), INFO


def solution(
    matrix: Connection, right: Connection, *, left: bool = True, at: NodeContext
) -> Connection:
    """Solves matrix X = right, or X matrix = right."""
    given, other = (tensor.shape for tensor in at.inputs[:2])
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
        operand
        if len(shape(operand)) == 2 and not batch
        else ml.BroadcastTo()(input=operand, shape=(*batch, *shape(operand)[-2:]))
        for operand in (left, right)
    ]


def solve(A: Any, B: Any, left: bool = True, *, at: NodeContext) -> Any:  # noqa: N803 - torch's names
    return solution(A, B, left=left, at=at)


def solve_and_factors(
    A: Any,  # noqa: N803 - torch's names
    B: Any,  # noqa: N803
    left: bool = True,
    check_errors: bool = False,
    *,
    at: NodeContext,
) -> Any:
    return solution(A, B, left=left, at=at), FACTORS, FACTORS, INFO


def slogdet(A: Any) -> Any:  # noqa: N803 - torch's name
    return ml.Slogdet()(A)


def slogdet_and_factors(A: Any) -> Any:  # noqa: N803 - torch's name
    return (*slogdet(A), FACTORS, FACTORS)


def logdet(self: Connection) -> Any:
    """NaN of a negative determinant."""
    sign, logarithm = slogdet(self)
    return ml.Where()(sign < 0, float("nan"), logarithm)


def qr(A: Any, mode: str = "reduced") -> Any:  # noqa: N803 - torch's name
    if mode == "r":
        return NO_Q, ml.Qr()(A)[1]
    return ml.Qr(mode="complete" if mode == "complete" else "reduced")(A)


def qr_of_some(self: Connection, some: bool = True) -> Any:
    return qr(self, "reduced" if some else "complete")


def svd(
    A: Any,  # noqa: N803 - torch's name
    full_matrices: bool = True,
    compute_uv: bool = True,
    *,
    driver: str | None = None,
    at: NodeContext,
) -> Any:
    """`driver` chooses among algorithms of a GPU with one result."""
    if not compute_uv:
        return NO_VECTORS, ml.Svdvals()(A), NO_VECTORS
    left, values, right = ml.Svd()(A)
    rows, columns = at.inputs[0].shape[-2:]
    is_open = not isinstance(rows, int) or not isinstance(columns, int)
    if full_matrices and (is_open or rows > columns):
        left = MORE_VECTORS
    if full_matrices and (is_open or columns > rows):
        right = MORE_VECTORS
    return left, values, right


def svd_of_some(
    self: Connection, some: bool = True, compute_uv: bool = True, *, at: NodeContext
) -> Any:
    left, values, right = svd(self, not some, compute_uv, at=at)
    return left, values, right if isinstance(right, UnsupportedOutput) else turned(right)


def pinv(
    self: Connection,
    rcond: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
) -> Any:
    refuse_if(hermitian, "with hermitian=True")
    relative = rtol if rcond is None else rcond
    refuse_if(isinstance(atol, Connection), "with a tensor as atol")
    refuse_if(isinstance(relative, Connection), "with a tensor as rtol")
    return ml.Pinv(atol=atol, rtol=relative)(self)


def pinverse(self: Connection, rcond: float = 1e-15) -> Any:
    return pinv(self, rcond)


TABLE: Table = table(
    (inverse, "linalg_inv", "inverse"),
    (inverse_and_info, "linalg_inv_ex"),
    (lambda self: ml.Det()(self), "linalg_det", "det"),
    (lambda self: (ml.Det()(self), FACTORS, FACTORS), "_linalg_det"),
    (slogdet, "linalg_slogdet", "slogdet"),
    (slogdet_and_factors, "_linalg_slogdet"),
    (logdet, "logdet"),
    (qr, "linalg_qr"),
    (qr_of_some, "qr"),
    (svd, "linalg_svd", "_linalg_svd"),
    (svd_of_some, "svd"),
    (lambda A, driver=None: ml.Svdvals()(A), "linalg_svdvals"),  # noqa: N803 - torch's name
    (pinv, "linalg_pinv"),
    (pinverse, "pinverse"),
    (lambda self: ml.MatrixExp()(self), "linalg_matrix_exp", "matrix_exp"),
    (solve, "linalg_solve"),
    (solve_and_factors, "_linalg_solve_ex", "linalg_solve_ex"),
)
