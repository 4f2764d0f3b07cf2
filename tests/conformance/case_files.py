"""Reads cases of all schemas of the case files as `Case`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

FRAMEWORKS = {"numpy", "torch", "jax", "mlx"}


@dataclass(frozen=True)
class Case:
    """A model in its JSON form, its inputs, and the expected results.

    If `trainable` is None, the model itself says which of its inputs are parameters. If it has a
    cost, the gradients are those of the cost.
    """

    model: Any
    inputs: dict[str, Any]
    constants: dict[str, Any]
    output_gradients: dict[str, Any]
    outputs: dict[str, Any]
    gradients: dict[str, Any]
    trainable: list[str] | None = None
    discarded: tuple[str, ...] = ()
    has_cost: bool = False
    constants_field: str = "static_keys"


class PlaceError(Exception):
    """The file has an unexpected value; the text begins with its place in the case."""


class LackingError(Exception):
    """The library has no model of this name yet."""


def read_case(case: Mapping[str, Any], framework: str) -> Case:
    """Reads a case, whose fields tell its schema. If there is a reference per framework, the one of
    `framework` counts."""
    outputs = needed(objects(case, "/"), "/results/eval")
    for field in ("inputs", "static_inputs", "static_keys", "output_grads"):
        objects(case.get(field, {}), f"/{field}")
    needed(case, "/model")
    needed(case, "/inputs")
    if "output_specs" in case:
        return training_case(case, framework)
    by_key = isinstance(outputs, dict) and not FRAMEWORKS.issuperset(outputs)
    read = model_case(case, framework) if by_key else primitive_case(case, framework)
    return with_separate_items(read) if read.inputs.pop("is_list", False) else read


def primitive_case(case: Mapping[str, Any], framework: str) -> Case:
    """Reads a case of one output. Its parameters are the inputs for which the file gives a
    gradient."""
    results = case["results"]
    gradients = results.get("grad", {})
    return Case(
        model=case["model"],
        inputs=dict(case["inputs"]),
        constants=case.get("static_inputs", {}),
        constants_field="static_inputs",
        output_gradients={"output": case["output_grad"]} if "output_grad" in case else {},
        outputs={"output": chosen(results["eval"], framework)},
        gradients={key: chosen(value, framework) for key, value in gradients.items()},
        trainable=list(gradients),
    )


def model_case(case: Mapping[str, Any], framework: str) -> Case:
    """Returns outputs and gradients by their keys."""
    results = case["results"]
    return Case(
        model=case["model"],
        inputs=dict(case["inputs"]),
        constants=case.get("static_keys", {}),
        output_gradients=case.get("output_grads", {}),
        outputs={key: chosen(value, framework) for key, value in results["eval"].items()},
        gradients={key: chosen(value, framework) for key, value in results.get("grad", {}).items()},
        discarded=tuple(case.get("discard_keys", ())),
    )


def objects(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise PlaceError(f"{place}: expected an object, got {json.dumps(value)}")
    return value


def needed(case: Mapping[str, Any], place: str) -> Any:
    """Returns the value at a place such as "/results/eval"."""
    value: Any = case
    above = ""
    for field in place.split("/")[1:]:
        if field not in objects(value, above or "/"):
            raise PlaceError(f"{above or '/'}: the field {field!r} is missing")
        value = value[field]
        above = f"{above}/{field}"
    return value


TRAINING = ("model", "output_specs", "regularizations", "final_loss_combiner")


def training_case(case: Mapping[str, Any], framework: str) -> Case:
    """Reads a case whose model is trained: the gradients are those of its cost."""
    training = {field: case[field] for field in TRAINING if field in case}
    return replace(
        model_case(case, framework), model={"name": "TrainModel", **training}, has_cost=True
    )


def chosen(reference: Any, framework: str) -> Any:
    """Returns the reference, or that of the framework if each has its own."""
    return reference[framework] if isinstance(reference, dict) else reference


def with_separate_items(case: Case) -> Case:
    """Returns the case of an op with a list port: each item of an input gets a key of its own."""
    keys = {
        name: [f"{name}_{index}" for index in range(len(items))]
        for name, items in case.inputs.items()
    }
    ports: dict[str, Any] = {
        name: [{"key": {"name": key, "differentiable": name in case.gradients}} for key in items]
        for name, items in keys.items()
    }
    ports |= {key: key for key in [*case.constants, *case.outputs]}
    model = {"name": "Model", "submodels": {"part": case.model}, "connections": {"part": ports}}
    return replace(
        case,
        model=model,
        inputs=items_of(case.inputs, keys),
        gradients=items_of(case.gradients, keys),
        trainable=None,
    )


def items_of(lists: Mapping[str, Any], keys: Mapping[str, list[str]]) -> dict[str, Any]:
    """Returns each item of the lists under its own key."""
    return {
        key: item
        for name, items in lists.items()
        for key, item in zip(keys[name], items, strict=True)
    }
