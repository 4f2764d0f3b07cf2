"""Programs in the way of the Python library of this name, with few changes or none."""

import numpy as np
import pytest

import mithril as ml
from mithril import IOKey
from mithril.models import (
    MLP,
    Add,
    Arange,
    Buffer,
    Convolution2D,
    Embedding,
    Gelu,
    LayerNorm,
    LeakyRelu,
    Linear,
    LinearSVM,
    ManyToOne,
    Mean,
    Model,
    QuadHingeLoss,
    Relu,
    RNNCell,
    ScaledDotProduct,
    Size,
    Split,
    SquaredError,
    TrainModel,
)

AXES = (0, 2, 1, 3)


def attention(width: int, heads: int) -> Model:
    model = Model(name="attn")
    model |= Linear(width * 3, name="c_attn")("input", output="all")
    sizes = model.input.shape
    shape = (sizes[0], sizes[1], heads, -1)
    model |= Split(3, axis=-1)(model.all, output="split_out")
    query, key, value = (
        model.split_out[i].reshape(shape).transpose(AXES)
        for i in range(3)  # a tuple here
    )
    model |= ScaledDotProduct()(query=query, key=key, value=value, output="sdp_out")
    joined = model.sdp_out.transpose(AXES).reshape(sizes[:3])
    model |= Linear(width, name="c_proj")(joined, output="output")
    return model


def block(name: str, width: int, heads: int) -> Model:
    model = Model(name=name)
    model += LayerNorm(name="ln_1")("input")
    model += attention(width, heads)
    model |= Add()("input", model.cout, output="add_out")
    model += LayerNorm(name="ln_2")
    model += Linear(width * 4, name="c_fc")
    model += Gelu()
    model += Linear(width, name="c_proj")
    model |= Add()("add_out", right=model.cout)
    return model


def gpt() -> Model:
    model = Model(name="transformer")
    model |= Size(dim=1)("input")
    model += Arange(start=0, step=1)
    model += Embedding(name="wpe", num_embeddings=16, dim=8)(output="pos_out")
    model |= Embedding(name="wte", num_embeddings=11, dim=8)("input", output="token_out")
    model |= Add()("pos_out", "token_out")
    for index in range(2):
        model += block(f"h{index}", 8, 2)
    model += LayerNorm(name="ln_f")
    outer = Model()
    outer |= model(input="input")
    outer += Linear(11, use_bias=False, name="lm_head")(output=IOKey("output"))
    outer.set_differentiability(input=False)
    return outer


def test_a_transformer_is_composed() -> None:
    backend = ml.CpuBackend(dtype=ml.float64)
    compiled = ml.compile(gpt(), backend, data_keys={"input"}, shapes={"input": [1, 4]}, jit=False)
    params = compiled.randomize_params()
    outputs = compiled.evaluate(params, {"input": backend.randint(0, 11, 1, 4)})
    assert outputs["output"].shape == (1, 4, 11)


def residual(channels: int) -> Model:
    model = Model()
    model |= Convolution2D(kernel_size=3, out_channels=channels, padding=1)
    start = model.cin
    model += Relu()
    model += Convolution2D(kernel_size=3, out_channels=channels, padding="same")
    model |= Add()(left=start, right=model.cout)
    model += Relu()
    model.set_cin(start)
    return model


def test_blocks_with_a_skip_connection_are_chained() -> None:
    net = Model()
    net |= Convolution2D(kernel_size=1, out_channels=4)(input="input")
    net += residual(4)
    net += residual(4)
    net |= Linear(3)(input=net.cout, output=IOKey("output"))
    net.set_shapes(input=[2, 1, 5, 6])
    assert net.get_shapes()["output"] == [2, 4, 5, 3]


def test_towers_on_one_backbone_are_trained_together() -> None:
    backbone = Model()
    backbone |= Linear(4)(input="input")
    backbone += Relu()
    age = MLP(activations=[LeakyRelu(), Buffer()], dimensions=[5, 1])
    gender, svm = MLP(activations=[LeakyRelu(), Buffer()], dimensions=[3, 1]), LinearSVM()
    model = Model()
    model |= backbone(input="input")
    model |= age(input=backbone.cout, output=IOKey("age"))
    model |= gender(input=backbone.cout)
    model |= svm(input=gender.output, output=IOKey("gender"), decision_output=IOKey("decision"))
    train = TrainModel(model)
    train.add_loss(QuadHingeLoss(), reduce_steps=[Mean()], target="gender_target", input="gender")
    train.add_loss(SquaredError(), reduce_steps=[Mean()], target="age_target", input="age")
    backend = ml.CpuBackend(dtype=ml.float64)
    data = {
        "input": backend.randn(6, 3),
        "age_target": backend.randn(6, 1),
        "gender_target": np.sign(backend.randn(6, 1)),
    }
    compiled = ml.compile(
        model=train,
        backend=backend,
        data_keys={"input", "age_target", "gender_target"},
        shapes={"input": [6, 3]},
    )
    params = compiled.get_parameters()
    costs = []
    for _ in range(20):
        outputs, gradients = compiled.evaluate(params, data, output_gradients=True)
        params = {key: value - 0.05 * gradients[key] for key, value in params.items()}
        costs.append(float(outputs["final_cost"]))
    assert costs[-1] < costs[0]


def test_constants_are_given_to_compile() -> None:
    backend = ml.CpuBackend(dtype=ml.float64)
    train = TrainModel(ManyToOne(RNNCell(), max_sequence_length=2))
    train.add_loss(SquaredError(), input="output1", target="target", reduce_steps=[Mean()])
    constants = {"initial_hidden": backend.randn(4, 1, 3), "target": backend.randn(4, 1, 2)}
    constants |= {f"input{i}": backend.randn(4, 1, 5) for i in range(2)}
    compiled = ml.compile(train, backend, constant_keys=constants, shapes={"output1": [4, 1, 2]})
    outputs, gradients = compiled.evaluate(compiled.randomize_params(), output_gradients=True)
    assert set(gradients) == set(compiled.parameter_keys)
    assert np.isfinite(outputs["final_cost"])


def test_an_output_without_a_name_is_the_output() -> None:
    x = IOKey("input")
    hidden = Linear(4)(input=x) + 1.0
    model = Model.create(hidden, name="block")
    assert (model.name, model.output_keys) == ("block", ["output"])
    with pytest.raises(TypeError, match="name the outputs"):
        Model.create(hidden, hidden)
