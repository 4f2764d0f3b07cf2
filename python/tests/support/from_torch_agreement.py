"""Compares modules of torch with what `ml.from_torch` makes of them."""

import copy
import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from from_torch_cases import Case
from torch import nn

import mithril as ml


def inputs_of(module: nn.Module) -> list[str]:
    return list(inspect.signature(module.forward).parameters)


def tensors_of(outputs: object) -> list:
    if isinstance(outputs, dict):
        return [outputs[key] for key in sorted(outputs)]
    many = outputs if isinstance(outputs, tuple | list) else [outputs]
    return [item for item in many if item is not None]


def leaves(tensors: tuple) -> list:
    return [tensor.clone().requires_grad_(tensor.is_floating_point()) for tensor in tensors]


def assert_close(got: object, expected: object, what: str, tolerance: float) -> None:
    if got is None or expected is None:  # a gradient that is 0 everywhere
        either = got if expected is None else expected
        assert either is None or not either.any(), what
        return
    assert got.shape == expected.shape, what
    assert torch.allclose(got.double(), expected.double(), tolerance, tolerance), what


def assert_same(case: Case) -> None:
    """Values, all gradients, and the buffers after training, on both backends."""
    torch.manual_seed(0)
    module = case.module().double().train(case.train)
    twin = copy.deepcopy(module)
    names = inputs_of(module)[: len(case.inputs)]
    model, params = ml.from_torch(module, case.inputs)
    theirs = leaves(case.inputs)
    expected = tensors_of(twin(*theirs))
    weights = [torch.randn_like(tensor) for tensor in expected]
    total = weighted_sum(expected, weights)
    if total.requires_grad:
        total.backward()
    gradients = dict(zip(names, (tensor.grad for tensor in theirs), strict=True))
    gradients |= {name: value.grad for name, value in twin.named_parameters()}
    buffers = dict(twin.named_buffers())
    reference = Expected(expected, weights if total.requires_grad else [], gradients, buffers)
    # First, since training changes the parameters' gradients and the buffers of the module.
    assert_same_arrays(case, model, params, reference, names)
    assert_same_tensors(case, model, params, reference, names)


@dataclass
class Expected:
    outputs: list
    weights: list  # of the outputs in the sum that is differentiated; empty: nothing is
    gradients: dict  # of the inputs and of the parameters; None: there is none
    buffers: dict


def weighted_sum(outputs: list, weights: list) -> torch.Tensor:
    return sum((y * w).sum() for y, w in zip(outputs, weights, strict=True))


def assert_same_tensors(
    case: Case, model: ml.Model, params: dict, expected: Expected, names: list[str]
) -> None:
    """Compares the model as a module of torch, whose gradients torch computes."""
    compiled = ml.compile(model, ml.TorchBackend(dtype=torch.float64))
    converted = ml.as_torch_module(compiled, params)
    ours = leaves(case.inputs)
    got = tensors_of(converted(*ours))
    assert len(got) == len(expected.outputs)
    for i, (a, b) in enumerate(zip(got, expected.outputs, strict=True)):
        assert_close(a, b, f"output {i}", case.tolerance)
    if expected.weights:
        weighted_sum(got, expected.weights).backward()
    assert params.keys() == expected.gradients.keys() - set(names)
    slopes = dict(zip(names, ours, strict=True)) | params
    for name, value in expected.gradients.items():
        assert_close(slopes[name].grad, value, f"gradient of {name}", case.tolerance)
    buffers = dict(converted.named_buffers())
    for name, buffer in expected.buffers.items():
        assert_close(buffers[name], buffer, f"buffer {name}", case.tolerance)


def assert_same_arrays(
    case: Case, model: ml.Model, params: dict, expected: Expected, names: list[str]
) -> None:
    """Compares the model on the CPU backend."""
    inputs = {
        name: tensor.detach().numpy()
        for name, tensor in zip(names, case.inputs, strict=True)
        if name in model.input_keys
    }
    given = {key: value.detach().numpy() for key, value in params.items()}
    given |= {key: value for key, value in inputs.items() if value.dtype.kind == "f"}
    data = {key: value for key, value in inputs.items() if key not in given}
    compiled = ml.compile(
        model, ml.CpuBackend(dtype=ml.float64), trainable_keys=list(given), data_keys=list(data)
    )
    state = compiled.initial_state_dict
    keys = sorted(compiled.output_keys) if len(expected.outputs) > 1 else compiled.output_keys
    options = {"state": state} if state else {}
    if expected.weights:
        weights = dict(zip(keys, expected.weights, strict=True))
        options["output_gradients"] = {key: value.numpy() for key, value in weights.items()}
    results = compiled.evaluate(given, data, **options)
    outputs, *others = results if options else (results,)
    for key, output in zip(keys, expected.outputs, strict=True):
        got = torch.as_tensor(outputs[key])
        assert_close(got, output.detach(), f"output {key} on CpuBackend", case.tolerance)
    for name, gradient in (others[0] if expected.weights else {}).items():
        assert_close(
            torch.as_tensor(gradient),
            expected.gradients[name],
            f"gradient of {name} on CpuBackend",
            case.tolerance,
        )
    for name in expected.buffers.keys() & (others[-1] if state else {}).keys():
        got = torch.as_tensor(others[-1][name])
        assert_close(got, expected.buffers[name], f"buffer {name} on CpuBackend", case.tolerance)


def as_double(made: Any) -> torch.Tensor:
    """A result of any backend as a tensor of float64."""
    if isinstance(made, torch.Tensor):
        return made.double()
    return torch.from_numpy(np.asarray(made).astype(np.float64))
