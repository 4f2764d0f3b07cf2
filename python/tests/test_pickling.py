"""pickle, copy and deepcopy of models, tensors, backends, compiled models and optimizers."""

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from layer_cases import LIBRARY

import mithril as ml
from mithril.training import optimizers

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


def net() -> ml.Model:
    model = ml.Model("net")
    model |= ml.Linear(4, name="fc")(input="x", output="h")
    model |= ml.Relu()(input="h", output="y")
    model.set_shapes(x=["N", 3])
    return model


def trained() -> ml.TrainModel:
    train = ml.TrainModel(net())
    train.add_loss(ml.SquaredError(), input="y", target="target")
    return train


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": pickled,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@ways
@pytest.mark.parametrize("make", [net, trained, ml.Relu, lambda: ml.Linear(3, name="fc")])
def test_a_model_is_the_same_and_of_the_same_class(
    make: Callable[[], ml.Model], way: Callable[[Any], Any]
) -> None:
    model = make()
    made = way(model)
    assert type(made) is type(model)
    assert made == model
    assert made.name == model.name


@pytest.mark.parametrize("name", LIBRARY)
def test_a_model_of_the_library_is_the_same(name: str) -> None:
    model = LIBRARY[name][0].make(name)
    made = pickled(model)
    assert type(made) is getattr(ml, name)
    assert made == model


def test_a_copy_of_a_model_is_independent() -> None:
    model = net()
    made = copy.copy(model)
    made |= ml.Tanh()(input="y", output="z")
    assert "z" not in model.output_keys


def test_a_part_is_pickled_as_a_model() -> None:
    model, part = ml.Model(), net()
    model |= part(x="image", y="out")
    made = pickled(part)
    assert made == part
    made |= ml.Tanh()(input="y", output="z")


def test_attributes_of_a_users_class_stay() -> None:
    model = Block()
    model.label = "first"
    made = pickled(model)
    assert type(made) is Block
    assert made.label == "first"


class Block(ml.Model):
    """A model at the top level of the module, where pickle finds it."""

    label = ""

    def __init__(self) -> None:
        super().__init__()
        self.__ior__(ml.Linear(2)(input="x", output="y"))


def test_a_constraint_is_a_function_and_not_pickled() -> None:
    model = net()
    model.add_constraint(lambda solver: True, keys=["x"])
    with pytest.raises(ml.ValueError, match=r"E0424.*a constraint is a function"):
        pickle.dumps(model)


@ways
@pytest.mark.parametrize("dtype", [ml.bool_, ml.int64, ml.bfloat16, ml.float16, ml.float64])
def test_a_tensor_has_the_same_elements(dtype: Any, way: Callable[[Any], Any]) -> None:
    tensor = ml.Tensor([[0.0, 1.5, np.inf]], dtype)
    made = way(tensor)
    assert type(made) is ml.Tensor
    assert (made.dtype, made.shape, made == tensor) == (dtype, (1, 3), True)


@pytest.mark.parametrize("way", [pickled, copy.deepcopy])
def test_a_pickled_backend_keeps_its_options_and_random_numbers(
    way: Callable[[Any], Any],
) -> None:
    backend = ml.CpuBackend(dtype=ml.float64, threads=2)
    backend.randn(3)
    made = way(backend)
    assert repr(made) == repr(backend) == "CpuBackend(dtype='float64', threads=2)"
    assert np.array_equal(made.randn(3), copy.deepcopy(backend).randn(3))


@pytest.mark.parametrize("way", [pickled, copy.deepcopy])
def test_a_backend_of_jax_is_pickled_and_copied(way: Callable[[Any], Any]) -> None:
    pytest.importorskip("jax")
    backend = ml.JaxBackend(dtype=ml.float32, device="cpu")
    backend.randn(3)
    made = way(backend)
    assert type(made) is ml.JaxBackend
    assert repr(made) == repr(backend)
    assert np.array_equal(made.randn(3), copy.deepcopy(backend).randn(3))


@ways
def test_a_compiled_model_gives_the_same(way: Callable[[Any], Any]) -> None:
    model = net()
    compiled = ml.compile(
        model,
        ml.CpuBackend(dtype=ml.float64),
        shapes={model.x: [2, None]},
        constant_keys={"fc.bias": np.ones(4)},
        trainable_keys=(key for key in ["x"]),
        optimization_level="none",
    )
    made = way(compiled)
    assert made.parameter_keys == compiled.parameter_keys == ["x", "fc.weight"]
    assert repr(made.backend) == repr(compiled.backend)
    params = compiled.get_parameters(1) | {"x": X}
    expected, gradients = compiled.evaluate(params, output_gradients={"y": np.ones((2, 4))})
    got, got_gradients = made.evaluate(params, output_gradients={"y": np.ones((2, 4))})
    assert np.array_equal(got["y"], expected["y"])
    for key, gradient in gradients.items():
        assert np.array_equal(got_gradients[key], gradient)


def test_a_compiled_model_that_is_bound_is_copied_but_not_pickled() -> None:
    compiled = ml.compile(net(), ml.CpuBackend())
    bound = compiled.bind(compiled.get_parameters())
    data = {"x": X}
    made = copy.deepcopy(bound)
    assert np.array_equal(made.evaluate({}, data)["y"], bound.evaluate({}, data)["y"])
    with pytest.raises(ml.InputError) as caught:
        pickle.dumps(bound)
    assert str(caught.value) == (
        "mithril.InputError[E0820]: a compiled model whose parameters are bound cannot be pickled\n"
        "  help: pickle the model it was bound from and the parameters, and bind them again"
    )


def test_a_compiled_model_is_pickled_before_its_model_changes() -> None:
    model = net()
    first = ml.compile(model, ml.CpuBackend(), shapes={"x": [2, 3]})
    ml.compile(model, ml.CpuBackend(), shapes={"x": [4, 3]})
    with pytest.raises(ml.ShapeError):
        model.set_shapes(x=[1, 2, 3])
    pickle.dumps(first)
    model |= ml.Tanh()(input="y", output="z")
    with pytest.raises(ml.InputError) as caught:
        pickle.dumps(first)
    assert str(caught.value) == (
        "mithril.InputError[E0821]: "
        "a compiled model cannot be pickled after its model has changed\n"
        "  help: compile the model again"
    )


@ways
@pytest.mark.parametrize(
    "make",
    [
        lambda: ml.SGD(0.1, momentum=0.9, nesterov=True),
        lambda: ml.Adam(betas=(0.8, 0.99)),
        lambda: ml.AdamW(weight_decay=0.1),
        *(getattr(ml, name) for name in optimizers.__all__),
    ],
)
def test_a_pickled_optimizer_continues(
    make: Callable[[], ml.Optimizer], way: Callable[[Any], Any]
) -> None:
    optimizer = make()
    optimizer.set_threads(1)
    params, gradients = {"w": X.copy()}, {"w": X + 1}
    optimizer.step(params, gradients)
    optimizer.lr = 0.25
    made = way(optimizer)
    assert (type(made), made.options, made.threads) == (type(optimizer), optimizer.options, 1)
    other = {"w": params["w"].copy()}
    optimizer.step(params, gradients)
    made.step(other, gradients)
    assert np.array_equal(other["w"], params["w"])


@ways
def test_a_pickled_grad_scaler_continues(way: Callable[[Any], Any]) -> None:
    scaler = ml.GradScaler(init_scale=8.0)
    assert way(scaler).state_dict() == scaler.state_dict()


class LabelledSamples(ml.PerSample):
    def __init__(self, compiled: ml.CompiledModel, label: str) -> None:
        super().__init__(compiled, losses="losses", reduction="mean")
        self.label = label


def compiled_losses() -> ml.CompiledModel:
    model = ml.Model()
    model |= ml.Linear(2)(input="x", output="y")
    model |= ml.SquaredError()(input="y", target="target", output="losses")
    shapes = {"x": ["N", 3], "target": ["N", 2]}
    return ml.compile(model, ml.CpuBackend(), data_keys=["x", "target"], shapes=shapes)


@ways
def test_gradients_of_samples_are_the_same(way: Callable[[Any], Any]) -> None:
    compiled = compiled_losses()
    samples = LabelledSamples(compiled, "first")
    params, data = compiled.get_parameters(), {"x": X, "target": np.ones((2, 2), np.float32)}
    expected = samples.norms(params, data).total
    made = way(samples)
    assert (type(made), made.label) == (LabelledSamples, "first")
    assert "No call has been made yet" in made.explain()
    assert np.array_equal(made.norms(params, data).total, expected)


class SlottedSamples(ml.PerSample):
    __slots__ = ("__hidden", "label", "unset")
    label: str
    other: int

    def hide(self, value: int) -> None:
        self.__hidden = value

    def hidden(self) -> int:
        return self.__hidden


class SlottedModel(ml.Model):
    __slots__ = ("label",)
    label: str


class StatefulSamples(ml.PerSample):
    label = ""

    def __getstate__(self) -> dict[str, str]:
        return {"saved": self.label}

    def __setstate__(self, state: dict[str, str]) -> None:
        self.label = state["saved"] + " again"


@ways
def test_slots_of_a_derived_class_are_kept(way: Callable[[Any], Any]) -> None:
    samples = SlottedSamples(compiled_losses(), losses="losses")
    samples.label, samples.other = "first", 3
    samples.hide(4)
    made = way(samples)
    assert (made.label, made.other, made.hidden()) == ("first", 3, 4)
    assert not hasattr(made, "unset")
    model = SlottedModel()
    model |= ml.Relu()(input="x", output="y")
    model.label = "second"
    assert way(model).label == "second"


@ways
def test_a_derived_class_says_what_its_state_is(way: Callable[[Any], Any]) -> None:
    samples = StatefulSamples(compiled_losses(), losses="losses")
    samples.label = "first"
    made = way(samples)
    assert made.label == "first again"
    assert made.compiled.output_keys == samples.compiled.output_keys


def test_a_dtype_and_an_error_are_pickled() -> None:
    assert pickled(ml.bfloat16) is ml.bfloat16 or pickled(ml.bfloat16) == ml.bfloat16
    with pytest.raises(ml.NameError) as caught:
        ml.Linear(dimensoin=3)
    made = pickled(caught.value)
    assert (type(made), str(made), made.code) == (ml.NameError, str(caught.value), "E0605")


def test_a_connection_belongs_to_its_model() -> None:
    for made in (ml.Relu()(ml.IOKey("x")), ml.IOKey("x")):
        with pytest.raises(ml.InputError) as caught:
            pickle.dumps(made)
        assert str(caught.value) == (
            "mithril.InputError[E0822]: an object of Connection cannot be pickled: "
            "it belongs to its model\n"
            "  help: pickle the model"
        )
    with pytest.raises(ml.InputError, match="an object of Call cannot be pickled"):
        pickle.dumps(ml.Relu()(input="x"))


def evaluated(compiled: ml.CompiledModel, params: dict[str, Any]) -> Any:
    return compiled.evaluate(params, {"x": X})["y"]


def test_a_spawned_process_is_given_a_compiled_model() -> None:
    compiled = ml.compile(net(), ml.CpuBackend())
    params = compiled.get_parameters()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        made = pool.apply(evaluated, (compiled, params))
    assert np.array_equal(made, evaluated(compiled, params))


def test_objects_that_belong_to_a_process_cannot_be_pickled(tmp_path):
    compiled = ml.compile(ml.Linear(2), ml.CpuBackend(), shapes={"input": [1, 2]})
    gradients = {"output": np.ones((1, 2))}
    for thing, what in (
        (ml.TrainingStep(compiled, ml.SGD(), output_gradients=gradients), "a training step"),
        (ml.TensorBoard(tmp_path), "an open log of TensorBoard"),
        (compiled.register_hook("output", lambda value: None), "the handle of a hook"),
    ):
        for make in (pickle.dumps, copy.deepcopy):
            with pytest.raises(ml.InputError, match=f"E0823.*{what} cannot be pickled or copied"):
                make(thing)
    with pytest.raises(ml.InputError) as caught:
        pickle.dumps(ml.TrainingStep(compiled, ml.SGD(), output_gradients=gradients))
    assert str(caught.value).startswith(
        "mithril.InputError[E0823]: a training step cannot be pickled or copied"
    )


def test_a_grad_scaler_is_pickled():
    scaler = pickle.loads(pickle.dumps(ml.GradScaler(8.0, growth_interval=3)))
    assert scaler.get_scale() == 8.0
    assert scaler.state_dict() == ml.GradScaler(8.0, growth_interval=3).state_dict()
