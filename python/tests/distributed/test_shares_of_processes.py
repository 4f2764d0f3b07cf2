"""What each process of a group does of the work of fit: batches, validation and checkpoints."""

import json

import pytest

pytest.importorskip("torch")
from support.torchrun import REFUSED, Job, run

PROGRAM = (
    """
import json, os, sys
import numpy as np, torch
import mithril as ml
torch.set_num_threads(1)

def data(rows, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, 6))
    label = x[:, :3].argmax(axis=1).astype(np.int64)
    return {"x": x, "label": label, "target": x[:, :3].copy()}

class Sum(ml.metrics.Evaluator):
    def __init__(self): self.reset()
    def update(self, batch): self.total += float(np.asarray(batch["scores"]).sum())
    def compute(self): return self.total
    def merge(self, other): self.total += other.total
    def reset(self): self.total = 0.0

def network():
    layers = ml.Model()
    layers |= ml.Linear(16)(input="x")
    layers += ml.Relu()
    layers += ml.Linear(3)(output="scores")
    train = ml.TrainModel(layers)
    train.add_loss(ml.CrossEntropy(), input="scores", target="label")
    train.add_loss(ml.SquaredError(), input="scores", target="target")
    return train

def metrics(more=()):
    keys = {"prediction": "scores", "target": "label"}
    seen = []
    made = {
        "accuracy": ml.metrics.Accuracy(**keys),
        "top": ml.metrics.TopKAccuracy(2, **keys),
        "f1": ml.metrics.F1Score("macro", **keys),
        "error": ml.metrics.MeanSquaredError("scores", "target"),
        "perplexity": ml.metrics.Perplexity(**keys),
        "score": ml.metrics.SampleScore(lambda b: np.asarray(b["scores"])[:, 0]),
        "first": lambda outputs, batch: float(np.asarray(outputs["scores"])[0, 0]),
        **dict(more),
    }
    return made

def step_of(group, accumulate=1):
    backend = ml.CpuBackend(dtype="float64", threads=1)
    compiled = ml.compile(network(), backend, shapes={"x": [None, 6]}, group=group)
    return ml.TrainingStep(compiled, ml.SGD(0.1, momentum=0.9), accumulate=accumulate)

def fitted(group, rows, accumulate=1, **options):
    given = {"epochs": 2, "batch_size": 16, "progress": False} | options
    return ml.fit(step_of(group, accumulate), rows, **given)

def numbers(history):
    epochs = [{k: v for k, v in e.items() if "per_second" not in k} for e in history.epochs]
    return {"epochs": epochs, "params": {k: v.tolist() for k, v in history.params.items()}}

def validated(group, validation, **more):
    # Without training the parameters have the same bits on any number of processes.
    step = step_of(group)
    params = step.compiled.get_parameters()
    rows = {key: value[:1] for key, value in data(20, 0).items()}
    step.optimizer.lr = 0.0
    history = ml.fit(step, rows, epochs=1, batch_size=1, params=params, validation=validation,
                     metrics=metrics(more.items()), progress=False)
    return {k: v for k, v in history.epochs[0].items() if k not in ("samples_per_second", "loss")}

def validations(group):
    held = data(45, 1)
    held = {key: value[:45] for key, value in held.items()}
    source = ml.data.from_arrays(held)
    batches = list(source.read_batches(7))
    sharded = source if group is None else source.shard(group)
    return {
        "arrays": validated(group, held),
        "batches": validated(group, batches),
        "one batch": validated(group, batches[:1]),
        "source": validated(group, source),
        "prefetched": validated(group, source.filter(lambda b: b["label"] > 0).batch(4).prefetch()),
        "sharded": validated(group, sharded.batch(4, drop_last=True)),
        "of the user": validated(group, batches, alone=Sum()),
    }
"""
    + REFUSED
)

SHARES = (
    PROGRAM
    + """
group = ml.distributed.init()
out = {"validations": validations(group)}

# fit, the source and the loop divide the same rows.
rows, folder = data(50, 0), sys.argv[1] if len(sys.argv) > 1 else os.environ["FOLDER"]
source = ml.data.from_arrays(rows).shuffle(seed=4)
loader = [list(source.at_epoch(e).read_batches(16)) for e in range(2)]
out["source"] = numbers(fitted(group, source))
out["sharded"] = numbers(fitted(group, source.shard(group)))
out["prefetched"] = numbers(fitted(group, source.shard(group).batch(16).prefetch()))
step, params = step_of(group), step_of(group).compiled.get_parameters()
for epoch in range(2):
    for batch in loader[epoch]:
        step(params, group.rows(batch))
out["loop"] = {k: v.tolist() for k, v in params.items()}

def torch_loader(seed, drop=0):
    tensors = [torch.from_numpy(value) for value in rows.values()]
    order = torch.Generator().manual_seed(seed)
    chosen = list(range(50 - drop))
    dataset = torch.utils.data.Subset(torch.utils.data.TensorDataset(*tensors), chosen)
    return torch.utils.data.DataLoader(dataset, batch_size=16, shuffle=True, generator=order)

def named_batches(loader):
    return ml.data.from_torch(loader, names=list(rows))

out["loader"] = numbers(fitted(group, named_batches(torch_loader(3))))
out["other seeds"] = refused(lambda: fitted(group, named_batches(torch_loader(group.rank))))
class Late:
    # The first batch is the same on all processes, and the others are not.
    def __iter__(self):
        for number, batch in enumerate(source.read_batches(16)):
            yield {k: v[::-1] if number and group.rank else v for k, v in batch.items()}
out["late"] = refused(lambda: fitted(group, Late()))
out["fewer"] = refused(lambda: fitted(group, iter(loader[0][: 3 + group.rank])))
out["other shuffle"] = refused(
    lambda: fitted(group, ml.data.from_arrays(rows).shuffle(seed=group.rank).shard(group))
)
out["other validation"] = refused(
    lambda: fitted(group, rows, validation=loader[0] if group.rank else loader[1])
)
out["narrow"] = refused(lambda: group.all_reduce(np.ones(3, np.int16)))

# An epoch ends while gradients accumulate.
run = {"accumulate": 3, "checkpoint": folder + "/run"}
fitted(group, rows, epochs=1, **run)
out["continued"] = numbers(fitted(group, rows, epochs=3, **run))["params"]
out["whole"] = numbers(fitted(group, rows, epochs=3, accumulate=3, checkpoint=folder + "/whole"))[
    "params"
]
log = ml.TensorBoard(folder + "/logs")
fitted(group, rows, callbacks=[log])
group.barrier()
out["logs"] = len(os.listdir(folder + "/logs"))
print(json.dumps(out))
"""
)


def alone(call):
    """The result of `call` in this process, without a group."""
    names = {}
    exec(PROGRAM, names)
    return json.loads(json.dumps(eval(call, names | {"group": None})))


@pytest.fixture(scope="module", params=[2, pytest.param(3, marks=pytest.mark.slow)])
def outs(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    program = f"import os\nos.environ['FOLDER'] = {str(folder)!r}\n{SHARES}"
    return [json.loads(lines[-1]) for lines in run(request.param, program)]


def test_validation_has_the_bits_of_one_process(outs):
    expected = alone("validations(group)")
    for out in outs:
        assert out["validations"] == expected


def test_rows_are_the_same_whoever_divides_the_batches(outs):
    for out in outs:
        assert out["sharded"] == out["source"] == out["prefetched"]
        assert out["loop"] == out["source"]["params"]


def test_a_loader_with_a_seed_trains_on_all_processes(outs):
    assert all(out["loader"] == outs[0]["loader"] for out in outs)


def test_other_batches_are_noticed_in_each_batch(outs):
    for out in outs:
        for name in ("other seeds", "late"):
            assert "fit: the processes of group '0' differ in 'the rows of 'x''" in out[name]
        assert "differ in 'the number of batches'" in out["fewer"]
        assert "the number of batches = 3" in out["fewer"]
        assert "the number of batches = at least 4" in out["fewer"]
        assert "shuffled with seed 1 in epoch 0" in out["other shuffle"]
        assert "differ in 'the batches of validation'" in out["other validation"]


def test_a_dtype_that_gloo_does_not_reduce_is_named(outs):
    for out in outs:
        assert out["narrow"] == (
            "mithril.ValueError[E0496]: gloo does not reduce elements of int16\n"
            "  help: cast to int32"
        )


def test_a_run_that_ended_while_gradients_accumulate_continues_with_the_same_bits(outs):
    for out in outs:
        assert out["continued"] == out["whole"] == outs[0]["whole"]


def test_only_the_first_process_writes_a_log(outs):
    assert all(out["logs"] == 1 for out in outs)


FAILING = (
    PROGRAM
    + """
group = ml.distributed.init()
class Bad:
    def __iter__(self):
        for number, batch in enumerate(ml.data.from_arrays(data(50, 0)).read_batches(16)):
            if number == 2 and group.rank == 1:
                raise RuntimeError("a bad batch\\nwith more lines")
            yield batch
start = __import__("time").perf_counter()
try:
    fitted(group, Bad())
except ml.DistributedError as error:
    print(str(error))
except RuntimeError:
    print("RuntimeError")
print(refused(group.barrier))
print(__import__("time").perf_counter() - start)
raise ValueError("the end")
"""
)


def test_an_exception_on_one_process_ends_the_others_with_an_error_that_quotes_it():
    with Job(2) as job:
        job.start(FAILING)
        (first, _), (second, errors) = (job.lines(rank) for rank in range(2))
    quoted = [
        "mithril.DistributedError[E0963]: process 1 of 2 of group '0' has failed with an error",
        "  error : RuntimeError: a bad batch",
    ]
    assert first[:2] == quoted
    assert second[0] == "RuntimeError"
    assert second[1:3] == quoted  # for this process, too
    assert float(first[-1]) < 30  # at once, and not after the timeout of 60 s
    assert "ValueError: the end" in errors
