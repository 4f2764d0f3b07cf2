"""`ml.to_onnx` of a `TrainingStep`: files whose outputs are the inputs of the next step."""

import importlib
import importlib.util

import numpy as np
import pytest

import mithril as ml

RNG = np.random.default_rng(0)
HAS_RUNTIME = importlib.util.find_spec("onnxruntime") is not None


def trained(net, target="target", loss=None) -> ml.TrainModel:
    train = ml.TrainModel(net)
    train.add_loss(
        loss or ml.SquaredError(), input="output", target=target, reduce_steps=[ml.Mean()]
    )
    return train


def perceptron() -> ml.TrainModel:
    net = ml.Model()
    net |= ml.Linear(5)(input="x")
    net += ml.Tanh()
    net += ml.Linear(2)(output="output")
    return trained(net)


def batches(count, rows=6, dtype=np.float64):
    return [
        {
            "x": RNG.normal(size=(rows, 3)).astype(dtype),
            "target": RNG.normal(size=(rows, 2)).astype(dtype),
        }
        for _ in range(count)
    ]


def compiled_perceptron(dtype=ml.float64, **options):
    shapes = {"x": ["N", 3], "target": ["N", 2]}
    return ml.compile(perceptron(), ml.CpuBackend(dtype=dtype), shapes=shapes, **options)


def copied(params):
    return {key: np.array(value) for key, value in params.items()}


def in_mithril(path, values, data):
    """A function from the inputs of the file to its outputs."""
    shapes = {key: value.shape for key, value in data.items()}
    model, params, renamed = ml.from_onnx(path, shapes=shapes, dtype=ml.float64)
    keys = [key for key in model.input_keys if key not in params]
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64), data_keys=keys, inference=True)

    def run(inputs):
        results = compiled.evaluate(params, {key: inputs[renamed.get(key, key)] for key in keys})
        return {renamed.get(key, key): value for key, value in results.items()}

    return run


def in_runtime(path, values, data):
    onnxruntime = importlib.import_module("onnxruntime")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [node.name for node in session.get_outputs()]
    assert {node.name for node in session.get_inputs()} == {*values, *data}
    return lambda inputs: dict(zip(names, session.run(names, inputs), strict=True))


RUNS = [in_mithril, in_runtime] if HAS_RUNTIME else [in_mithril]


def assert_equal_steps(path, step, params, data, bound=1e-10):
    """Writes the step, and compares calls of the file with calls of the step."""
    values = ml.to_onnx(step, path, params, data=data[0])
    runs = [run(path, values, data[0]) for run in RUNS]
    rates, costs = [], []
    for batch in data:
        rates.append(np.array(step.optimizer.lr))
        costs.append(float(step(params, batch)["final_cost"]))
    wanted = {**step.optimizer.state_dict(), **step.state, **params}
    for run in runs:
        now = values
        for batch, rate, cost in zip(data, rates, costs, strict=True):
            given = {**now, "lr": rate} if "lr" in now else now
            outputs = run({**given, **batch})
            now = {name: outputs.get(f"{name}_next", value) for name, value in now.items()}
            np.testing.assert_allclose(outputs["final_cost"], cost, rtol=bound, atol=bound)
        for name in set(now) - {"lr"}:
            np.testing.assert_allclose(
                now[name], wanted[name], rtol=bound, atol=bound, err_msg=name
            )
    return values


OPTIMIZERS = [
    ml.SGD(lr=0.1),
    ml.SGD(lr=0.1, momentum=0.9, dampening=0.25, weight_decay=0.1),
    ml.SGD(lr=0.1, momentum=0.9, nesterov=True),
    ml.Adam(lr=0.05, weight_decay=0.1),
    ml.AdamW(lr=0.05, weight_decay=0.1),
    ml.NAdam(lr=0.05, weight_decay=0.1, decoupled_weight_decay=True),
    ml.RMSprop(lr=0.02, momentum=0.5, centered=True),
    ml.Adagrad(lr=0.1, lr_decay=0.2, initial_accumulator_value=0.1),
    ml.Lion(lr=0.01, weight_decay=0.1),
]


@pytest.mark.filterwarnings("ignore:to_onnx")
@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=repr)
def test_steps_of_every_optimizer(tmp_path, optimizer):
    compiled = compiled_perceptron()
    params = copied(compiled.randomize_params(1))
    step = ml.TrainingStep(compiled, optimizer)
    step(params, batches(1)[0])  # the file begins in the middle of the training
    assert_equal_steps(tmp_path / "step.onnx", step, params, batches(6))


def test_small_floats_and_gradients_that_are_clipped(tmp_path):
    compiled = compiled_perceptron(ml.float32)
    params = copied(compiled.randomize_params(1))
    optimizer = ml.AdamW(lr=0.05)
    step = ml.TrainingStep(compiled, optimizer, max_norm=0.3, max_value=0.2)
    data = batches(6, dtype=np.float32)
    values = assert_equal_steps(tmp_path / "step.onnx", step, params, data, 1e-5)
    names = [f"{key}{end}" for key in params for end in ("", ".exp_avg", ".exp_avg_sq")]
    assert sorted(values) == sorted([*names, "steps"])
    assert values["steps"] == 0
    assert not values["linear.weight.exp_avg"].any()


@pytest.mark.filterwarnings("ignore:to_onnx")
def test_a_scheduled_learning_rate_is_an_input(tmp_path):
    compiled = compiled_perceptron()
    params = copied(compiled.randomize_params(1))
    schedule = ml.CosineSchedule(lr=0.1, steps=6, warmup=2)
    groups = [ml.ParameterGroup("linear.*", lr_factor=0.5, weight_decay=0.2)]
    step = ml.TrainingStep(compiled, ml.AdamW(lr=schedule, groups=groups))
    assert "lr" in assert_equal_steps(tmp_path / "step.onnx", step, params, batches(5))


@pytest.mark.filterwarnings("ignore:to_onnx")
@pytest.mark.parametrize("average", [ml.EMA(0.8), ml.SWA(start=2, every=2)], ids=repr)
def test_averages_of_parameters_are_values_of_the_step(tmp_path, average):
    compiled = compiled_perceptron()
    params = copied(compiled.randomize_params(1))
    step = ml.TrainingStep(compiled, ml.SGD(lr=0.1), average=average)
    values = assert_equal_steps(tmp_path / "step.onnx", step, params, batches(7))
    assert {"averaged", "linear.weight.average"} <= set(values)


@pytest.mark.filterwarnings("ignore:to_onnx")
def test_frozen_parameters_are_in_the_file(tmp_path):
    compiled = compiled_perceptron(frozen=["linear.weight"])
    params = copied(compiled.randomize_params(1))
    groups = [ml.ParameterGroup("linear_1.bias", frozen=True)]
    step = ml.TrainingStep(compiled, ml.Adam(lr=0.05, groups=groups))
    values = assert_equal_steps(tmp_path / "step.onnx", step, params, batches(4))
    assert set(params) - set(values) == {"linear.weight", "linear_1.bias"}


def test_running_statistics_are_values_of_the_step(tmp_path):
    net = ml.Model()
    net |= ml.Conv2d(filters=3, kernel_size=3, padding=1)(input="image")
    net += ml.BatchNorm2D()
    net += ml.Relu()
    net += ml.MaxPool2D(2)
    net += ml.Flatten(start_dim=1)
    net += ml.Linear(4)(output="output")
    train = trained(net, "label", ml.CrossEntropy())
    shapes = {"image": ["N", 2, 6, 6], "label": ["N"]}
    compiled = ml.compile(train, ml.CpuBackend(), shapes=shapes)
    params = copied(compiled.randomize_params(1))
    step = ml.TrainingStep(compiled, ml.SGD(lr=0.01, momentum=0.9))
    data = [
        {
            "image": RNG.normal(size=(5, 2, 6, 6)).astype(np.float32),
            "label": RNG.integers(0, 4, 5),
        }
        for _ in range(4)
    ]
    values = assert_equal_steps(tmp_path / "step.onnx", step, params, data, 1e-5)
    assert any("running_mean" in name for name in values)


def test_calls_of_the_step_leave_the_values_as_they_were(tmp_path):
    compiled = compiled_perceptron(ml.float32)
    params = copied(compiled.randomize_params(1))
    step = ml.TrainingStep(compiled, ml.Adam(lr=0.05))
    step(params, batches(1, dtype=np.float32)[0])
    values = ml.to_onnx(step, tmp_path / "step.onnx", params)
    before = copied(values)
    step(params, batches(1, dtype=np.float32)[0])
    for name, value in values.items():
        np.testing.assert_array_equal(value, before[name])


def refusal(step, path, params, **options):
    with pytest.raises(ml.Error) as caught:
        ml.to_onnx(step, path, params, **options)
    return str(caught.value)


def test_all_that_no_file_can_say_is_refused_at_once(tmp_path):
    compiled = compiled_perceptron()
    params = copied(compiled.randomize_params(1))
    optimizer = ml.NAdam(lr=0.1, betas=(0.99999, 0.999))
    gradients = {"linear.weight": np.zeros_like(params["linear.weight"])}
    optimizer.step(params, gradients)
    step = ml.TrainingStep(compiled, optimizer, accumulate=4)
    path = tmp_path / "step.onnx"
    assert refusal(step, path, params) == (
        "mithril.ValueError[E1370]: this training step cannot be exported\n"
        "  accumulate : the file is one call, and an update takes 4 calls\n"
        "  steps      : the parameters have moved 0 to 1 times\n"
        "  NAdam      : no graph computes the numbers of its steps with these options"
    )
    assert not path.exists()


def test_values_of_one_name_are_refused(tmp_path):
    net = ml.Model()
    net |= ml.Linear(2)(input="x", output="output")
    compiled = ml.compile(
        trained(net, target="steps"), ml.CpuBackend(), shapes={"x": ["N", 3], "steps": ["N", 2]}
    )
    params = copied(compiled.randomize_params(1))
    step = ml.TrainingStep(compiled, ml.SGD(lr=0.1))
    assert refusal(step, tmp_path / "step.onnx", params) == (
        "mithril.ValueError[E1370]: this training step cannot be exported\n"
        "  steps : the name of several inputs and outputs"
    )


def test_arguments_of_models_are_refused(tmp_path):
    compiled = compiled_perceptron()
    params = copied(compiled.randomize_params(1))
    step = ml.TrainingStep(compiled, ml.SGD(lr=0.1))
    for options in ({"gradients": True}, {"state": {}}):
        assert refusal(step, tmp_path / "step.onnx", params, **options) == (
            "mithril.ValueError[E1371]: a training step has its own state, and its file has no "
            "gradients\n"
            "  help: leave `state` and `gradients` out, or write step.compiled"
        )


def test_ops_that_onnx_lacks_are_refused(tmp_path):
    net = ml.Model()
    net |= ml.Linear(2)(input="x")
    net += ml.Dropout(0.5)(output="output")
    shapes = {"x": ["N", 3], "target": ["N", 2]}
    compiled = ml.compile(trained(net), ml.CpuBackend(), shapes=shapes)
    params = copied(compiled.randomize_params(1))
    step = ml.TrainingStep(compiled, ml.SGD(lr=0.1))
    assert refusal(step, tmp_path / "step.onnx", params).startswith(
        "mithril.ValueError[E1320]: opset 20 of ONNX lacks ops of the model\n"
    )
