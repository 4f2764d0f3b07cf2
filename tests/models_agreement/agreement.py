"""Compares a model of examples/models with the implementation in transformers.

The reference is computed in float64, also where transformers computes parts of a model in float32
whatever its dtype. Its weights and its configuration pass through files, as those of a checkpoint.
"""

import contextlib
import copy
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pretrained
import torch
import transformers

import mithril as ml

DTYPES = {"float32": ml.float32, "float64": ml.float64}
BACKENDS = {"cpu": ml.CpuBackend, "torch": ml.TorchBackend}
OUTPUTS = {"float32": 1e-4, "float64": 1e-9}  # of the largest output
GRADIENTS = {"float32": 1e-3, "float64": 1e-7}  # of the largest gradient in the parameter
NEGLIGIBLE = 1e-3  # gradients smaller than this share of the largest in the model compare with it

Arrays = dict[str, np.ndarray]
NO_DROPOUT = {
    "attn_pdrop": 0.0,
    "attention_dropout": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "embd_pdrop": 0.0,
    "hidden_dropout_prob": 0.0,
    "resid_pdrop": 0.0,
}

transformers.utils.logging.disable_progress_bar()
transformers.utils.logging.set_verbosity_error()


@dataclass
class Case:
    example: ModuleType  # of examples/models
    compose: Callable[[Any], ml.Model]
    reference: Any  # the class in transformers
    config: Any
    draw: Callable[[np.random.Generator, int], Arrays]  # the data of size 0 or 1
    outputs: tuple[str, ...]
    valid: dict[str, str] = field(default_factory=dict)  # output: the mask of its places that count
    discarded: tuple[str, ...] = ()  # outputs that transformers' class does not have
    arguments: dict[str, Any] = field(default_factory=dict)  # more for the reference


@dataclass
class Sample:
    """The reference on data of one size."""

    data: Arrays
    outputs: Arrays  # in training mode
    inferred: Arrays  # in inference mode
    output_gradients: Arrays
    gradients: Arrays  # of the parameters, by the names of the model


@dataclass
class Reference:
    weights: Arrays
    config: Any
    samples: list[Sample]  # one of each size


@contextlib.contextmanager
def everything_in_double():
    """transformers names float32 for norms, rotations and softmax: here that is float64."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    double = torch.Tensor.double
    with (
        mock.patch.object(torch, "float32", torch.float64),
        mock.patch.object(torch, "float", torch.float64),
        mock.patch.object(torch.Tensor, "float", lambda self, **_: double(self)),
    ):
        try:
            yield
        finally:
            torch.set_default_dtype(before)


def randomise(module: torch.nn.Module) -> None:
    generator = torch.Generator().manual_seed(1)

    def draw(tensor: torch.Tensor) -> torch.Tensor:
        return torch.randn(tensor.shape, generator=generator, dtype=tensor.dtype)

    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.1 * draw(parameter))
        for name, buffer in module.named_buffers():
            if name.endswith("running_mean"):
                buffer.add_(0.1 * draw(buffer))
            if name.endswith("running_var"):
                buffer.mul_(1 + 0.5 * torch.tanh(draw(buffer)))


def stored(module: Any, example: ModuleType) -> Arrays:
    """Returns the tensors in a checkpoint of the module, under the names of the model."""
    with tempfile.TemporaryDirectory() as folder:
        module.save_pretrained(folder)
        return pretrained.read_weights(example, folder)


def stored_config(module: Any, example: ModuleType) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        module.config.save_pretrained(folder)
        return pretrained.read_config(example.Config, folder)


def as_torch(array: np.ndarray) -> torch.Tensor:
    tensor = torch.from_numpy(array)
    return tensor.long() if tensor.dtype == torch.bool else tensor


def places(case: Case, key: str, shape: tuple[int, ...], data: Arrays) -> np.ndarray:
    """Returns ones for the elements of an output that count, and zeros for padding."""
    ones = np.ones(shape)
    if key not in case.valid:
        return ones
    mask = data[case.valid[key]]
    return ones * mask.reshape(mask.shape + (1,) * (len(shape) - mask.ndim))


def sample(case: Case, module: Any, size: int) -> Sample:
    rng = np.random.default_rng(2 + size)
    data = case.draw(rng, size)
    inputs = {key: as_torch(value) for key, value in data.items()} | case.arguments
    with everything_in_double():
        result = module.eval()(**inputs)
        inferred = {key: result[key].detach().numpy() for key in case.outputs}
        training = copy.deepcopy(module).train().requires_grad_(True)
        result = training(**inputs)
        weights = {
            key: rng.normal(size=value.shape) * places(case, key, value.shape, data)
            for key, value in inferred.items()
        }
        sum((result[k] * torch.from_numpy(w)).sum() for k, w in weights.items()).backward()
    outputs = {key: result[key].detach().numpy() for key in case.outputs}
    return Sample(data, outputs, inferred, weights, gradients(case, training))


def gradients(case: Case, module: Any) -> Arrays:
    """Returns the gradients under the names of the model: a checkpoint stores them as
    parameters."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(
                torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            )
    return stored(module, case.example)


def reference(case: Case) -> Reference:
    torch.manual_seed(0)
    with everything_in_double():
        module = case.reference(case.config).double()
    with contextlib.suppress(ValueError):  # models without attention
        module.set_attn_implementation("eager")
    randomise(module)
    weights = stored(module, case.example)
    config = stored_config(module, case.example)
    return Reference(weights, config, [sample(case, module, size) for size in (0, 1)])


def as_numpy(values: Any) -> Arrays:
    return {
        key: np.asarray(value.detach() if hasattr(value, "detach") else value, np.float64)
        for key, value in values.items()
    }


def largest(array: np.ndarray) -> float:
    return float(np.abs(array).max(initial=0))


def different_outputs(case: Case, expected: Arrays, got: Arrays, data: Arrays, most: float) -> list:
    result = []
    for key, value in expected.items():
        ones = places(case, key, value.shape, data)
        error = largest((got[key] - value) * ones) / largest(value * ones)
        if not error <= most:
            result.append(f"output {key} {value.shape}: {error:.2e}")
    return result


def different_gradients(expected: Arrays, got: Arrays, most: float) -> list:
    result = []
    least = NEGLIGIBLE * max(map(largest, expected.values()))
    for key, value in got.items():
        error = largest(value - expected[key]) / max(largest(expected[key]), least)
        if not error <= most:
            result.append(f"gradient of {key}: {error:.2e}")
    return result


def differences(case: Case, found: Reference, backend: str, dtype: str) -> list[str]:
    """Lists the differences that exceed the tolerance. One compiled model evaluates all sizes."""
    compiled = ml.compile(
        case.compose(found.config),
        BACKENDS[backend](dtype=DTYPES[dtype]),
        discard_keys=set(case.discarded),
    )

    def given(arrays: Arrays) -> dict[str, Any]:
        make = torch.from_numpy if backend == "torch" else np.asarray
        return {key: make(np.array(value, order="C")) for key, value in arrays.items()}

    state = compiled.initial_state_dict
    statistics = {key: found.weights[key].astype(dtype) for key in state if key in found.weights}
    state |= given(statistics)
    params = {key: value for key, value in found.weights.items() if key not in state}
    params = compiled.load_state_dict(given(params))
    result = []
    for sample in found.samples:
        grads = {key: value.astype(dtype) for key, value in sample.output_gradients.items()}
        data = given(sample.data)
        out, gradient, *_ = compiled.evaluate(
            params, data, output_gradients=given(grads), state=state
        )
        inferred = compiled.infer(params, data, state)
        for expected, got in ((sample.outputs, out), (sample.inferred, inferred)):
            most = OUTPUTS[dtype]
            result += different_outputs(case, expected, as_numpy(got), sample.data, most)
        result += different_gradients(sample.gradients, as_numpy(gradient), GRADIENTS[dtype])
    return result
