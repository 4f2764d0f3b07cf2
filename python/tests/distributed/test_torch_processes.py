"""Training on real processes with the torch backend: the numbers of one process, and failures."""

import json

import numpy as np
import pytest

pytest.importorskip("torch")
from support.torchrun import REFUSED, run

PROGRAM = (
    """
import json, os
import numpy as np
import mithril as ml

BACKENDS = {
    "cpu": lambda **options: ml.CpuBackend(threads=1, **options),
    "torch": ml.TorchBackend,
}

def data(rows, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, 6))
    label = x[:, :3].argmax(axis=1).astype(np.int64)
    return {"x": x, "label": np.where(random.random(rows) < 0.2, -100, label)}

def rows_of(batch, group):
    rank, size = (group.rank, group.size) if group else (0, 1)
    rows = len(batch["x"])
    return {k: v[rows * rank // size : rows * (rank + 1) // size] for k, v in batch.items()}

def network():
    layers = ml.Model()
    # Without a bias: its gradient would be 0 but for rounding, which Adam divides by itself.
    layers |= ml.Linear(16, use_bias=False)(input="x")
    layers += ml.BatchNorm1D()
    layers += ml.Dropout(0.2)
    layers += ml.Gelu()
    layers += ml.Linear(3)(output="scores")
    train = ml.TrainModel(layers)
    train.add_loss(ml.CrossEntropy(ignore_index=-100), input="scores", target="label")
    return train

def compiled_for(group, backend, **options):
    options = {"dtype": "float64"} | options
    return ml.compile(network(), BACKENDS[backend](**options), shapes={"x": [None, 6]}, group=group)

def listed(arrays):
    return {k: np.asarray(v).tolist() for k, v in arrays.items()}

# Of the batches of two rows and of one some processes have none.
def stepped(group, backend, optimizer, **options):
    step = ml.TrainingStep(compiled_for(group, backend), optimizer, **options)
    params = step.compiled.get_parameters()
    costs = [
        float(step(params, rows_of(data(rows, rows), group))["final_cost"])
        for rows in (12, 7, 2, 1, 12, 9)
    ]
    averages = step.averages(params) if "average" in options else {}
    averages = {f"average {k}": v for k, v in averages.items()}
    return listed(params | step.state | averages) | {"costs": costs}

def fitted(group, backend):
    step = ml.TrainingStep(compiled_for(group, backend), ml.SGD(0.1, momentum=0.9), max_norm=1.0)
    history = ml.fit(step, data(50, 0), epochs=2, batch_size=16, validation=data(20, 1),
                     progress=False)
    return listed(history.params) | {"costs": [epoch["loss"] for epoch in history.epochs]}

def gradients(group, backend):
    compiled = compiled_for(group, backend)
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    rows = rows_of(data(13, 2), group)
    _, found, _ = compiled.evaluate(params, rows, output_gradients=True, state=state)
    return listed(found)

RUNS = {
    "sgd": lambda *of: stepped(*of, ml.SGD(0.1, momentum=0.9), max_norm=0.05,
                               average=ml.EMA(0.9)),
    "adamw": lambda *of: stepped(*of, ml.AdamW(0.01)),
    "accumulate": lambda *of: stepped(*of, ml.SGD(0.1), accumulate=3),
    "fit": fitted,
    "gradients": gradients,
}
"""
    + REFUSED
)

TOGETHER = (
    PROGRAM
    + """
import torch
import torch.distributed as dist
torch.set_num_threads(1)
group = ml.distributed.init(timeout=30)
out = {}
for backend in BACKENDS:
    for name, run in RUNS.items():
        out[backend + " " + name] = run(group, backend)
half = compiled_for(group, "torch", dtype="bfloat16")
step = ml.TrainingStep(half, ml.SGD(0.1))
params = half.get_parameters()
step(params, rows_of({k: v if k == "label" else v.astype(np.float32)
                      for k, v in data(12, 0).items()}, group))
out["half"] = {k: v.float().tolist() for k, v in params.items()}

# A group that the user has made.
own = ml.distributed.init(dist.new_group(list(range(group.size)), backend="gloo"))
out["own"] = gradients(own, "torch")

out["autograd"] = refused(lambda: compiled_for(group, "torch", requires_grad=True))
module = ml.as_torch_module(compiled_for(group, "torch"))
batch = {k: torch.as_tensor(v) for k, v in data(4, 0).items()}
out["module"] = refused(lambda: module(**batch))
compiled = compiled_for(group, "torch")
params = compiled.get_parameters()
out["script"] = refused(lambda: compiled.save_torchscript("model.pt", params, data(4, 0)))

# The last process ends before a step of the others.
compiled = compiled_for(group, "torch")
step = ml.TrainingStep(compiled, ml.AdamW(0.1))
params = compiled.get_parameters()
step(params, rows_of(data(12, 0), group))
def kept():
    return [listed(tensors) for tensors in (params, step.state, step.optimizer.state_dict())]

while group.rank < group.size - 1 and not out.get("lost"):
    before = kept()
    out["lost"] = refused(lambda: step(params, rows_of(data(12, 0), group)))
    out["unchanged"] = before == kept()
print(json.dumps(out), flush=True)
os._exit(0)
"""
)


def distance(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-300))


@pytest.fixture(scope="module", params=[2, pytest.param(3, marks=pytest.mark.slow)])
def outs(request):
    return [json.loads(lines[-1]) for lines in run(request.param, TOGETHER)]


@pytest.fixture(scope="module")
def alone():
    names = {}
    exec(PROGRAM, names)
    return {name: json.loads(json.dumps(call(None, "cpu"))) for name, call in names["RUNS"].items()}


@pytest.mark.parametrize("name", ["sgd", "adamw", "accumulate", "fit", "gradients"])
def test_both_backends_give_the_numbers_of_one_process(outs, alone, name):
    tolerance = 1e-11 if name == "adamw" else 1e-12
    for backend in ("cpu", "torch"):
        found = [out[f"{backend} {name}"] for out in outs]
        assert all(other == found[0] for other in found)
        for key, expected in alone[name].items():
            assert distance(found[0][key], expected) < tolerance, (backend, key)


def test_gradients_of_half_precision_have_the_same_bits_on_all_processes(outs):
    assert all(out["half"] == outs[0]["half"] for out in outs)


def test_torch_trains_with_a_group_of_the_user(outs):
    assert all(out["own"] == out["torch gradients"] for out in outs)


def test_what_a_group_excludes_with_torch_is_refused(outs):
    for out in outs:
        assert '"torch" with requires_grad cannot train on several processes' in out["autograd"]
        assert (
            "torch's autograd takes a model of one process, and this one trains on "
            in out["module"]
        )
        assert (
            "save_torchscript takes a model of one process, and this one trains on "
            in out["script"]
        )


def test_if_a_process_ends_the_parameters_of_the_others_are_as_before_the_step(outs):
    for out in outs[:-1]:
        assert out["lost"].startswith("mithril.DistributedError[E0963]: ")
        assert "all_reduce: another process of the group has failed" in out["lost"]
        assert out["unchanged"]
