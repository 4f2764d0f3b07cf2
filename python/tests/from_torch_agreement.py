"""Compares modules of torch with what `ml.from_torch` makes of them."""

import copy
import inspect

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
    return [each for each in many if each is not None]


def leaves(tensors: tuple) -> list:
    return [each.clone().requires_grad_(each.is_floating_point()) for each in tensors]


def assert_close(got: object, expected: object, what: str, tolerance: float) -> None:
    if got is None or expected is None:  # a gradient that is 0 everywhere
        either = got if expected is None else expected
        assert either is None or not either.any(), what
        return
    assert got.shape == expected.shape, what
    assert torch.allclose(got.double(), expected.double(), tolerance, tolerance), what


def assert_same(case: Case) -> None:
    """Values, all gradients, and the buffers after training."""
    torch.manual_seed(0)
    module = case.module().double().train(case.train)
    twin = copy.deepcopy(module)
    names = inputs_of(module)[: len(case.inputs)]
    model, params = ml.from_torch(module, case.inputs)
    compiled = ml.compile(model, ml.TorchBackend(dtype=torch.float64))
    converted = ml.as_torch_module(compiled, params)

    ours, theirs = leaves(case.inputs), leaves(case.inputs)
    got, expected = tensors_of(converted(*ours)), tensors_of(twin(*theirs))
    assert len(got) == len(expected)
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        assert_close(a, b, f"output {i}", case.tolerance)
    weights = [torch.randn_like(each) for each in expected]
    for outputs in (got, expected):
        total = sum((y * w).sum() for y, w in zip(outputs, weights, strict=True))
        if total.requires_grad:
            total.backward()
    for name, a, b in zip(names, ours, theirs, strict=True):
        assert_close(a.grad, b.grad, f"gradient of {name}", case.tolerance)
    expected_parameters = dict(twin.named_parameters())
    assert set(params) == set(expected_parameters)
    for name, parameter in params.items():
        assert_close(
            parameter.grad, expected_parameters[name].grad, f"gradient of {name}", case.tolerance
        )
    buffers = dict(converted.named_buffers())
    for name, buffer in twin.named_buffers():
        assert_close(buffers[name], buffer, f"buffer {name}", case.tolerance)
