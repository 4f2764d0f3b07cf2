"""Runs case files of the Python library of this name on a backend and compares the results.

Prints one line for each case that fails, the number of cases that are also within 1e-14, and then
`N passed, N failed`.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from case_files import Case, LackingError, PlaceError, read_case
from comparison import Comparison, compared, differences

import mithril as ml

BACKENDS = {
    "cpu": ("CpuBackend", "numpy"),
    "torch": ("TorchBackend", "torch"),
    "jax": ("JaxBackend", "numpy"),
}
TOLERANCE = 1e-12
FINE = 1e-14
NO_SUCH_MODEL = "E0608"

# Models of the cases that the library has not yet; whoever adds one takes it off this list.
NOT_THERE_YET: set[str] = set()


Result = TypeVar("Result")
Level = Literal["none", "standard", "max"]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a case: it passed if `failure` is empty; `lacks` names a missing model."""

    name: str
    failure: str = ""
    lacks: str = ""
    fine: bool = False


@dataclass(frozen=True)
class Settings:
    """The options of compiling; `threads` of the CPU backend is 0 for all processors."""

    level: Level = "standard"
    threads: int = 0

    def backend(self, name: str) -> Any:
        options = {"threads": self.threads} if name == "cpu" else {}
        return getattr(ml, BACKENDS[name][0])(dtype=ml.float64, **options)


AS_USUAL = Settings()


def run_file(
    path: Path, backend: str, tolerance: float, settings: Settings = AS_USUAL
) -> list[Outcome]:
    """The outcomes of a file's cases, in order."""
    try:
        cases = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [Outcome(str(path), str(error))]
    if not isinstance(cases, dict):
        return [Outcome(str(path), "expected an object of cases by name")]
    return [
        run_case(f"{path}/{name}", case, backend, tolerance, settings)
        for name, case in cases.items()
    ]


def run_case(
    name: str,
    case: Mapping[str, Any],
    backend: str,
    tolerance: float,
    settings: Settings = AS_USUAL,
) -> Outcome:
    """The outcome of one case."""
    try:
        comparisons = evaluate(read_case(case, BACKENDS[backend][1]), backend, settings)
        failure = "; ".join(differences(comparisons, tolerance))
        return Outcome(name, failure, fine=not differences(comparisons, FINE))
    except LackingError as lacking:
        return Outcome(name, f"lacks {lacking}", lacks=str(lacking))
    except PlaceError as error:
        return Outcome(name, str(error).replace("\n", ";"))
    except Exception as error:  # whatever a case runs into, the others are run
        return Outcome(name, f"{type(error).__name__}: {error}".replace("\n", ";"))


def evaluate(case: Case, backend: str, settings: Settings) -> list[Comparison]:
    """Compiles the case's model and compares its outputs and gradients with the references."""
    # A case of a training model is itself the model.
    model = placed("" if case.has_cost else "/model", composed, case.model)
    if not case.has_cost:
        model = with_tensors(model, case.outputs)
    given = {
        key: placed(f"/inputs/{key}", input_for, model, key, value, key in case.gradients)
        for key, value in case.inputs.items()
    }
    constants = {
        key: placed(f"/{case.constants_field}/{key}", value_for, model, key, value)
        for key, value in case.constants.items()
    }
    constants |= {key: value for key, value in given.items() if not is_array(value)}
    inputs = {key: value for key, value in given.items() if is_array(value)}
    compiled = ml.compile(
        model,
        settings.backend(backend),
        constant_keys=constants,
        trainable_keys=case.trainable,
        data_keys=None if case.trainable is None else set(inputs).difference(case.trainable),
        discard_keys=case.discarded,
        shapes={key: value.shape for key, value in inputs.items()},
        use_short_namings=True,
        optimization_level=settings.level,
    )
    parameters = {key: inputs[key] for key in compiled.parameter_keys if key in inputs}
    data = {key: value for key, value in inputs.items() if key not in parameters}
    comparisons = compared("output", case.outputs, compiled.evaluate(parameters, data))
    if case.output_gradients or case.gradients:
        seeds: Any = {key: np.array(value) for key, value in case.output_gradients.items()}
        if case.has_cost:
            seeds = True
        _, gradients = compiled.evaluate(parameters, data, output_gradients=seeds)
        comparisons += compared("gradient of", case.gradients, gradients)
    return comparisons


def composed(model: Any) -> ml.Model:
    """The model that the JSON form describes."""
    try:
        return ml.Model.from_json(json.dumps(model))
    except ml.NameError as error:
        name = re.search("'(.*)'", error.message)
        if error.code == NO_SUCH_MODEL and name:
            raise LackingError(name[1]) from None
        raise


def placed(place: str, function: Callable[..., Result], *arguments: Any) -> Result:
    """Returns the result of the function. An error gets the place in the case."""
    try:
        return function(*arguments)
    except (ml.Error, ValueError) as error:
        at = f"{place}: " if place else ""
        raise PlaceError(f"{at}{type(error).__name__}: {error}") from None


def with_tensors(model: ml.Model, outputs: Iterable[str]) -> ml.Model:
    """Returns the model with outputs that hold values, such as sizes, as tensors."""
    values = [key for key in outputs if key in model.output_keys and not is_tensor(model, key)]
    if not values:
        return model
    keys = [*model.input_keys, *model.output_keys]
    outer = ml.Model()
    outer |= model(**{key: f"value_of_{key}" if key in values else key for key in keys})
    outer.expose_keys(*(key for key in outputs if key not in values))
    outer.expose_keys(**{key: outer[f"value_of_{key}"].tensor() for key in values})
    return outer


def is_tensor(model: ml.Model, key: str) -> bool:
    try:
        model.set_types({key: ml.Tensor})
    except ml.TypeError:
        return False
    return True


def input_for(model: ml.Model, key: str, written: Any, is_parameter: bool) -> Any:
    """Returns the input. JSON writes ints and floats alike: 1 is an int if the port takes ints and
    needs no gradient."""
    value = value_for(model, key, written)
    if not is_array(value) or value.dtype != np.int64:
        return value
    if is_parameter:
        return value.astype(np.float64)
    try:
        model.set_types({key: ml.Tensor[int]})
    except ml.TypeError:
        return value.astype(np.float64)
    return value


def value_for(model: ml.Model, key: str, value: Any) -> Any:
    """Returns an array, or the value as it stands for a port that takes no tensor."""
    return np.array(value) if is_tensor(model, key) else value


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--backend", choices=BACKENDS, default="cpu")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE)
    parser.add_argument(
        "--level", choices=get_args(Level), default="standard", help="of optimization"
    )
    parser.add_argument("--threads", type=int, default=0, help="of the CPU backend; 0: all")
    options = parser.parse_args()
    if not hasattr(ml, BACKENDS[options.backend][0]):
        parser.error(f"--backend: this build has no {options.backend}")
    settings = Settings(options.level, options.threads)
    outcomes: list[Outcome] = []
    for path in options.files:
        outcomes += run_file(path, options.backend, options.tolerance, settings)
    failed = [outcome for outcome in outcomes if outcome.failure]
    for outcome in failed:
        print(f"{outcome.name}: {outcome.failure}")
    print(f"{sum(outcome.fine for outcome in outcomes)} within {FINE}")
    print(f"{len(outcomes) - len(failed)} passed, {len(failed)} failed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
