"""Exact gradients of single samples of a batch, their norms, products and projections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .. import _core
from .._internal.arguments import checked
from .._internal.pickling import state_of
from .processes import require_one_process

if TYPE_CHECKING:
    from .._stubs.types import Array, Arrays

__all__ = ["PerSample"]


class SampleNorms(NamedTuple):
    """Norms of the gradients of samples, `total` [B] and `by_key` of each parameter [B]."""

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
    """The sum of the clipped gradients of samples, their norms, and the next state."""

    gradients: dict[str, Any]
    norms: Any  # [B]: before clipping
    state: dict[str, Any]  # the next state


class ProjectedParameter(NamedTuple):
    """The columns of the projected gradient of a parameter, and its two ranks."""

    slice: slice  # of the columns of `values`
    left: int
    right: int


class Projections(NamedTuple):
    """Random projections [B, R] of the gradients of samples."""

    values: Any  # [B, R]
    metadata: dict[str, ProjectedParameter]  # by parameter


class PerSample(_core._PerSample):
    """Computes the gradient of each sample of a batch, in one evaluation of the batch.

    The gradient g_i of sample i is that of its loss in all parameters. Results are exact for every
    model that treats its samples independently. Other models are refused.

    Args:
        compiled: the compiled model.
        losses: output [B, ...] whose rows are the losses of the samples.
        reduction: "sum" or "mean" over the row of a sample.
        shared: data inputs without a batch axis, if their shapes do not show this.
        strategy: "gram", "bilinear" or "materialized" forces a strategy, for measurements. None
            chooses the cheapest one.

    Raises:
        InputError: If there is no such output.
        GradientError: If the losses are not [B, ...], the model has no parameters, the process is
            one of several of a process group of torch.distributed, or, in a call, the model mixes
            its samples.

    Example:
        net = ml.Model()
        net |= ml.Linear(2)(input="x", output="y")
        net |= ml.SquaredError()(input="y", target="target", output="losses")
        shapes = {"x": ["N", 4], "target": ["N", 2]}
        compiled = ml.compile(net, ml.CpuBackend(), data_keys=["x", "target"], shapes=shapes)
        params = compiled.get_parameters()
        samples = ml.PerSample(compiled, losses="losses")
        norms = samples.norms(params, data).total

    See docs/per-sample.md.
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
        require_one_process("PerSample")
        self._options: dict[str, Any] = {
            "losses": losses,
            "reduction": reduction,
            "shared": list(shared),
            "strategy": strategy,
        }
        super().__init__(compiled, **self._options)
        self._compiled = compiled

    def __reduce__(self) -> Any:
        return _restored, (type(self), self._compiled, self._options), state_of(self)

    @property
    def compiled(self) -> _core.CompiledModel:
        """The compiled model."""
        return self._compiled

    @checked
    def gradients(
        self, params: Arrays, data: Arrays, *, state: Arrays | None = None
    ) -> dict[str, Any]:
        """Returns the gradient of each sample.

        Args:
            params: dict of parameters.
            data: dict of the data inputs, with B samples.
            state: dict of the state of the model, as in `CompiledModel.evaluate`.

        Returns:
            Dict of gradients [B, *shape of the parameter].

        Raises:
            InputError: If a key is missing, or an array does not fit the model.

        Example:
            gradients = samples.gradients(params, data)
            assert gradients["weight"].shape == (8, *params["weight"].shape)
        """
        require_one_process("gradients")
        return self._gradients(dict(params), dict(data), state)

    @checked
    def norms(self, params: Arrays, data: Arrays, *, state: Arrays | None = None) -> SampleNorms:
        """Returns the 2-norms of the gradients of samples.

        Args:
            params: dict of parameters.
            data: dict of the data inputs, with B samples.
            state: dict of the state of the model, as in `CompiledModel.evaluate`.

        Returns:
            `total` [B] has the norms of whole gradients, `by_key` is a dict of those of each
            parameter.

        Raises:
            InputError: If a key is missing, or an array does not fit the model.

        Example:
            norms = samples.norms(params, data)
            assert norms.total.shape == norms.by_key["weight"].shape == (8,)
        """
        require_one_process("norms")
        return SampleNorms(*self._norms(dict(params), dict(data), state))

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
        """Returns inner products with the gradients h_j of validation samples.

        Args:
            params: dict of parameters.
            data: dict of the data inputs, with B samples.
            validation: dict of the data inputs, with V samples.
            pairs: whether to return <g_i, h_j> for each pair, instead of <g_i, sum over j of h_j>.
            validation_reduction: "sum", or "mean" for the mean over j.
            state: dict of the state of the model, as in `CompiledModel.evaluate`.

        Returns:
            `total` [B], or [B, V] with pairs; `by_key` of each parameter; `gradients`, the mean of
            the g_i; `losses` [B]; `validation_losses` [V]; and the next `state`.

        Raises:
            InputError: If a key is missing, or an array does not fit the model.

        Example:
            validation = {key: array[:2] for key, array in data.items()}
            scores = samples.dots(params, data, validation, pairs=True).total
            assert scores.shape == (8, 2)
        """
        require_one_process("dots")
        made = self._dots(
            dict(params), dict(data), dict(validation), pairs, validation_reduction, state
        )
        return SampleDots(*made)

    @checked
    def weighted_gradients(
        self, params: Arrays, data: Arrays, weights: Array, *, state: Arrays | None = None
    ) -> dict[str, Any]:
        """Returns the sum over i of weights[i] * g_i, in one backward pass.

        Args:
            params: dict of parameters.
            data: dict of the data inputs, with B samples.
            weights: array [B].
            state: dict of the state of the model, as in `CompiledModel.evaluate`.

        Returns:
            Dict of gradients.

        Raises:
            InputError: If the number of weights differs from that of samples.

        Example:
            gradients = samples.weighted_gradients(params, data, np.ones(8, np.float32))
        """
        require_one_process("weighted_gradients")
        return self._weighted_gradients(dict(params), dict(data), weights, state)

    @checked
    def clipped_gradients(
        self, params: Arrays, data: Arrays, max_norm: float, *, state: Arrays | None = None
    ) -> ClippedGradients:
        """Returns the sum over i of g_i * min(1, max_norm / |g_i|), in one backward pass.

        This is the clipping of Abadi et al. (https://arxiv.org/abs/1607.00133).

        Args:
            params: dict of parameters.
            data: dict of the data inputs, with B samples.
            max_norm: maximum norm of the gradient of a sample.
            state: dict of the state of the model, as in `CompiledModel.evaluate`.

        Returns:
            `gradients`, the `norms` [B] before clipping, and the next `state`.

        Raises:
            ValueError: If `max_norm` is negative.

        Example:
            clipped = samples.clipped_gradients(params, data, max_norm=1.0)
            optimizer.step(params, clipped.gradients)
        """
        require_one_process("clipped_gradients")
        made = self._clipped_gradients(dict(params), dict(data), max_norm, state)
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
        ranks: Mapping[str, int] | None = None,
        include_embeddings: bool = True,
        include_convolutions: bool = True,
        state: Arrays | None = None,
    ) -> Projections:
        """Returns random projections of the gradients of samples.

        Each parameter's gradient is a matrix [rows, columns]: its first dim and the product of the
        others. A vector is one row. The projection multiplies it by random matrices [r, rows] and
        [s, columns], with r * s <= rank. On average it keeps squared norms and inner products. A
        parameter with at most `rank` elements is kept as it is.

        Args:
            params: dict of parameters.
            data: dict of the data inputs, with B samples.
            rank: maximum number of elements of the projection of a parameter.
            seed: seed of the random matrices.
            kind: distribution of the random matrices.
            ranks: other ranks by patterns of keys (`*`: any text, dots included; `?`: one
                character). Of several patterns that match a key the first counts. 0 leaves out.
            include_embeddings: False leaves out the tables of embeddings, tied ones too.
            include_convolutions: False leaves out the weights of convolutions.
            state: dict of the state of the model, as in `CompiledModel.evaluate`.

        Returns:
            `values` [B, R], and `metadata`: the columns and the two ranks of each parameter that is
            not left out.

        Raises:
            ValueError: If a rank is out of range, or no parameter is left.
            NameError: If a pattern matches no parameter.

        Example:
            values, columns = samples.projections(params, data, rank=4)
            print(values.shape, columns["weight"].slice)
        """
        require_one_process("projections")
        values, metadata = self._projections(
            dict(params),
            dict(data),
            rank,
            seed,
            kind,
            list((ranks or {}).items()),
            include_embeddings,
            include_convolutions,
            state,
        )
        places = {
            key: ProjectedParameter(slice(start, start + left * right), left, right)
            for key, start, left, right in metadata
        }
        return Projections(values, places)

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

        Args:
            params: dict of parameters.
            data: dict of the data inputs, with B samples.
            state: dict of the state of the model, as in `CompiledModel.evaluate`.
            tolerance: maximum error relative to the norm of the gradient. None depends on the least
                precise floats of the graph: 1e-9 for float64, 1e-4 for float32, 4e-3 for float16,
                3e-2 for bfloat16.

        Raises:
            GradientError: If a gradient differs. The error names the parameter with the largest
                error.

        Example:
            samples.verify(params, data)
        """
        require_one_process("verify")
        self._verify(dict(params), dict(data), state, tolerance)

    @checked
    def codegen(
        self,
        path: str | PathLike[str],
        *,
        data: Arrays,
        validation: Arrays | None = None,
        pairs: bool = False,
    ) -> None:
        """Writes the norms, or the inner products if `validation` is given, as one source file.

        The outputs in the file are named after the parameters. `norms` or `dots` is the total.

        Args:
            path: path of the file: C++17, or a JAX module if it ends with ".py".
            data: dict of example inputs, whose sizes the file is for.
            validation: dict of example validation inputs.
            pairs: as in `dots`.

        Raises:
            InputError: If a key is missing, or the file cannot be written.

        Example:
            samples.codegen("norms.cpp", data=data)
        """
        self._write_source(path, dict(data), dict(validation or {}), pairs)

    def __repr__(self) -> str:
        return f"PerSample({self._compiled!r})"


def _restored(cls: Any, compiled: _core.CompiledModel, options: dict[str, Any]) -> PerSample:
    """Calls no constructor of a class that a user has derived."""
    made = cls.__new__(cls)
    PerSample.__init__(made, compiled, **options)
    return made  # type: ignore[no-any-return]
