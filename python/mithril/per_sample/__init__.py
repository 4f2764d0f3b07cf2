"""Exact gradients of the single samples of a batch, their norms, products and projections."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .. import _core
from .._internal.arguments import checked

if TYPE_CHECKING:
    from .._stubs.types import Array, Arrays

__all__ = ["PerSample"]


class SampleNorms(NamedTuple):
    """The norms of the gradients of samples."""

    total: Any  # [B]: of the whole gradient of each sample
    by_key: dict[str, Any]  # [B]: of its part for each parameter


class SampleDots(NamedTuple):
    """Inner products of the gradients of training and validation samples."""

    total: Any  # [B], or [B, V] with pairs
    by_key: dict[str, Any]  # its part for each parameter
    gradients: dict[str, Any]  # the mean of the gradients of the training samples
    losses: Any  # [B]
    validation_losses: Any  # [V]
    state: dict[str, Any]  # the next state


class ClippedGradients(NamedTuple):
    """The sum of clipped gradients of samples."""

    gradients: dict[str, Any]
    norms: Any  # [B]: before clipping
    state: dict[str, Any]  # the next state


class ProjectedParameter(NamedTuple):
    """Where the projection of a parameter's gradient is, and its two ranks."""

    slice: slice  # of the columns of `values`
    left: int
    right: int


class Projections(NamedTuple):
    """Random projections of the gradients of samples."""

    values: Any  # [B, R]
    metadata: dict[str, ProjectedParameter]  # by parameter


class PerSample:
    """Gradients of the single samples of a batch, without one evaluation for each sample.

    g_i is the gradient of the loss of sample i in all parameters. `losses` is an output [B, ...] of
    the model; the loss of a sample is the sum of its row, or its mean with reduction="mean".
    The results are exact for every model that treats samples independently; others are refused
    (docs/per-sample.md).

    shared: data inputs whose first axis is not the batch, if their shapes do not show this.
    strategy: "gram", "bilinear" or "materialized" wherever possible, instead of the cheapest one,
    for measurements. `state=` of all methods is as in CompiledModel.evaluate.

    Example:
        samples = ml.PerSample(compiled, losses="losses")
        norms = samples.norms(params, data)
    """

    @checked
    def __init__(
        self,
        compiled: _core.CompiledModel,
        *,
        losses: str,
        reduction: Literal["sum", "mean"] = "sum",
        shared: Sequence[str] = (),
        strategy: Literal["gram", "bilinear", "materialized"] | None = None,
    ) -> None:
        self._compiled = compiled
        self._core = _core._PerSample(
            compiled,
            losses=losses,
            reduction=reduction,
            shared=list(shared),
            strategy=strategy,
        )

    @property
    def compiled(self) -> _core.CompiledModel:
        """The model."""
        return self._compiled

    @checked
    def gradients(
        self, params: Arrays, data: Arrays, *, state: Arrays | None = None
    ) -> dict[str, Any]:
        """Every g_i: {key: [B, *shape of the parameter]}."""
        return self._core.gradients(dict(params), dict(data), state)

    @checked
    def norms(self, params: Arrays, data: Arrays, *, state: Arrays | None = None) -> SampleNorms:
        """The norms |g_i| = sqrt(<g_i, g_i>): `total` [B], and `by_key` of each parameter."""
        return SampleNorms(*self._core.norms(dict(params), dict(data), state))

    @checked
    def dots(
        self,
        params: Arrays,
        data: Arrays,
        validation: Arrays,
        *,
        pairs: bool = False,
        validation_reduction: Literal["sum", "mean"] = "sum",
        state: Arrays | None = None,
    ) -> SampleDots:
        """Inner products with the gradients h_j of validation samples.

        total [B] is <g_i, sum over j of h_j>, with validation_reduction="mean" their mean; with
        pairs=True it is [B, V], <g_i, h_j>. `gradients` is the mean of the g_i, which an optimizer
        takes.
        """
        made = self._core.dots(
            dict(params), dict(data), dict(validation), pairs, validation_reduction, state
        )
        return SampleDots(*made)

    @checked
    def weighted_gradients(
        self, params: Arrays, data: Arrays, weights: Array, *, state: Arrays | None = None
    ) -> dict[str, Any]:
        """The sum over i of weights[i] * g_i, in one backward pass."""
        return self._core.weighted_gradients(dict(params), dict(data), weights, state)

    @checked
    def clipped_gradients(
        self, params: Arrays, data: Arrays, max_norm: float, *, state: Arrays | None = None
    ) -> ClippedGradients:
        """The sum over i of g_i * min(1, max_norm / |g_i|), in one backward pass.

        This is the clipping of Abadi et al. (https://arxiv.org/abs/1607.00133).
        """
        made = self._core.clipped_gradients(dict(params), dict(data), max_norm, state)
        return ClippedGradients(*made)

    @checked
    def projections(
        self,
        params: Arrays,
        data: Arrays,
        *,
        rank: int = 256,
        seed: int = 0,
        kind: Literal["gaussian", "rademacher", "orthonormal"] = "gaussian",
        state: Arrays | None = None,
    ) -> Projections:
        """left g_i right^T of each parameter's gradient, as a matrix [rows, columns].

        rows is the first dim of the parameter, columns the product of the others; a vector is one
        row. left [r, rows] and right [s, columns] are random, from `seed` and the key. r and s are
        as equal as r * s <= rank, r <= rows and s <= columns allow. On average projections keep
        squared norms and inner products.
        """
        values, metadata = self._core.projections(dict(params), dict(data), rank, seed, kind, state)
        places = {
            key: ProjectedParameter(slice(start, start + left * right), left, right)
            for key, start, left, right in metadata
        }
        return Projections(values, places)

    def explain(self) -> str:
        """How the last call computed each parameter, and the cost of each possible strategy."""
        return self._core.explain()

    @checked
    def verify(
        self,
        params: Arrays,
        data: Arrays,
        *,
        state: Arrays | None = None,
        tolerance: float | None = None,
    ) -> None:
        """Compares the gradients with those of an evaluation of each sample by itself.

        tolerance: of an error relative to the norm of the sample's gradient. The default is 1e-9
        for float64, 1e-4 for float32, 4e-3 for float16 and 3e-2 for bfloat16. The least precise
        floats of the graph decide; mixed precision adds such floats. GradientError E0512 names the
        parameter with the largest error.
        """
        self._core.verify(dict(params), dict(data), state, tolerance)

    @checked
    def codegen(
        self,
        path: str | PathLike[str],
        *,
        data: Arrays,
        validation: Arrays | None = None,
        pairs: bool = False,
    ) -> None:
        """Writes the norms, or the dots if there is `validation`, as one file.

        The file is C++17, or a module for JAX if the path ends in .py.

        The file is for inputs of the sizes of the examples in `data` and `validation`. Its outputs
        are named after the parameters, and `norms` or `dots` is the total.
        """
        self._core.write_source(path, dict(data), dict(validation or {}), pairs)

    def __repr__(self) -> str:
        return f"PerSample({self._compiled!r})"
