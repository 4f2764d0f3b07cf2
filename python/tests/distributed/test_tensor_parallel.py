"""Real processes that share parameters and rows: the numbers of one process."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
from support.torchrun import REFUSED, Job, run

import mithril as ml

PROGRAM = """
import json
import numpy as np
import mithril as ml

COLUMNS, ROWS = ml.Sharded(0), ml.Sharded(1)
PLACEMENTS = {
    "*w_query": COLUMNS, "*w_key": COLUMNS, "*w_value": COLUMNS, "*bias_value": COLUMNS,
    "*w_output": ROWS, "*fc_1.*": COLUMNS, "*fc_2.weight": ROWS,
}

def data(rows, seed):
    random = np.random.default_rng(seed)
    return {
        "ids": random.integers(7, size=(rows, 5)),
        "target": random.normal(size=(rows, 5, 7)),
    }

def transformer():
    layers = ml.Model()
    layers |= ml.Embedding(7, dim=12)(input="ids", weight="table")
    layers += ml.TransformerBlock(num_heads=4, dimension=12, hidden_dimension=24, is_causal=True)
    layers += ml.Dropout(0.2)
    layers += ml.Linear(7, use_bias=False)(weight="table", output="scores")
    train = ml.TrainModel(layers)
    train.add_loss(ml.SquaredError(), input="scores", target="target")
    return train

# The gradient of the bias of keys is 0 but for rounding, which Adam divides by itself.
def compiled_for(group, backend=None, **options):
    if group is not None:
        options.setdefault("placements", PLACEMENTS)
    return ml.compile(
        transformer(), backend or ml.CpuBackend(dtype="float64", threads=1),
        shapes={"ids": [None, 5]}, frozen=["*norm_1.bias", "*bias_key"], group=group, **options,
    )

def lists(params):
    return {key: np.asarray(value).tolist() for key, value in params.items()}

def trained(group, optimizer=None, steps=20, **options):
    compiled = compiled_for(group, **options)
    step = ml.TrainingStep(compiled, optimizer or ml.SGD(0.02, momentum=0.9), max_norm=0.5)
    params = compiled.get_parameters(seed=2)
    rows = compiled.data_group
    for at in range(steps):
        batch = data(1 if at % 4 == 3 else 6, at)
        step(params, batch if rows is None else rows.rows(batch))
    return lists(compiled.gather_parameters(params))

def fitted(group, epochs, folder=None, source=False, **options):
    compiled = compiled_for(group, **options)
    rows = ml.data.from_arrays(data(22, 0)).shuffle(seed=1) if source else data(22, 0)
    if source and group is not None:
        rows = rows.shard(compiled.data_group)
    step = ml.TrainingStep(compiled, ml.AdamW(0.01), accumulate=3, average=ml.EMA(0.9))
    history = ml.fit(
        step, rows, epochs=epochs, batch_size=4, validation=data(9, 1), checkpoint=folder,
        averages=True, progress=False,
    )
    losses = [epoch["validation_loss"] for epoch in history.epochs]
    return {"params": lists(compiled.gather_parameters(history.params)), "losses": losses}
"""

GRID = "mesh={'data': 2, 'model': 2}"


def found_by(size, call):
    program = f"{PROGRAM}\ngroup = ml.distributed.init()\nprint(json.dumps({call}))\n"
    found = [json.loads(lines[-1]) for lines in run(size, program)]
    assert all(other == found[0] for other in found)
    return found[0]


def alone(call):
    """The result of `call` in this process, without a group."""
    names = {"group": None}
    exec(PROGRAM, names)
    return json.loads(json.dumps(eval(call, names)))


def distance(a, b):
    assert a.keys() == b.keys()
    pairs = [(np.asarray(a[key]), np.asarray(b[key])) for key in b]
    return max(np.abs(x - y).max() / max(np.abs(y).max(), 1e-300) for x, y in pairs)


@pytest.mark.parametrize(
    ("size", "mesh"),
    [(2, ""), (4, GRID), pytest.param(3, "mesh={'data': 3}", marks=pytest.mark.slow)],
)
def test_processes_give_the_parameters_of_one_by_sgd(size, mesh):
    found = found_by(size, f"trained(group, {mesh})")
    assert distance(found, alone("trained(group)")) < 1e-12


def test_processes_give_the_parameters_of_one_with_the_torch_backend():
    torch = "backend=ml.TorchBackend(dtype='float64')"
    found = found_by(4, f"trained(group, {GRID}, {torch})")
    assert distance(found, alone(f"trained(group, {torch})")) < 1e-12


@pytest.mark.parametrize(
    ("size", "options"),
    [(4, GRID + ", optimizer_state='sharded'"), pytest.param(2, "", marks=pytest.mark.slow)],
)
def test_processes_give_the_parameters_of_one_by_adamw(size, options):
    found = found_by(size, f"trained(group, ml.AdamW(0.01), {options})")
    assert distance(found, alone("trained(group, ml.AdamW(0.01))")) < 1e-11


def test_a_checkpoint_of_four_processes_continues_with_one_and_with_two(tmp_path):
    folder = str(tmp_path / "run")
    found_by(4, f"fitted(group, 1, {folder!r}, {GRID})")
    saved = ml.load(f"{folder}/last.safetensors")
    key = next(key for key in saved.params if key.endswith("w_query"))
    assert saved.params[key].shape == (12, 12)
    assert saved.optimizer[f"{key}.exp_avg"].shape == (12, 12)
    alone(f"fitted(group, 2, {folder!r})")
    continued = found_by(2, f"fitted(group, 3, {folder!r})")
    expected = alone("fitted(group, 3)")
    assert distance(continued["params"], expected["params"]) < 1e-11
    assert continued["losses"] == pytest.approx(expected["losses"], rel=1e-10)


@pytest.mark.slow
def test_a_source_is_sharded_over_the_processes_that_share_rows():
    found = found_by(4, f"fitted(group, 2, source=True, {GRID})")
    expected = alone("fitted(group, 2, source=True)")
    assert distance(found["params"], expected["params"]) < 1e-11
    assert found["losses"] == pytest.approx(expected["losses"], rel=1e-10)


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "raise RuntimeError('a bad batch')"])
def test_the_end_of_one_process_ends_those_of_other_rows_and_columns(end):
    failing = f"""
import os, sys
group = ml.distributed.init()
def broken(history):
    if group.rank == 1:
        {end}
compiled = compiled_for(group, {GRID})
step = ml.TrainingStep(compiled, ml.SGD(0.02))
try:
    ml.fit(step, data(22, 0), epochs=9, batch_size=4, callbacks=[broken], progress=False)
except ml.DistributedError as error:
    print(error.code, flush=True)
    sys.stdin.read()  # The others do not need the end of this process.
"""
    with Job(4) as job:
        job.start(PROGRAM + failing)
        found = [job.lines(rank) for rank in range(4)]
    for rank in (0, 2, 3):
        assert found[rank][0] == ["E0963"], found[rank]


DOCUMENT = Path(__file__).parents[3] / "docs" / "distributed.md"
READERS_DATA = """
group = ml.distributed.init()
layers = ml.Model()
layers |= ml.Embedding(9, dim=8)(input="tokens", weight="table")
layers += ml.TransformerBlock(num_heads=2, dimension=8, is_causal=True)
layers += ml.Linear(9, use_bias=False)(weight="table", output="scores")
train = ml.TrainModel(layers)
train.add_loss(ml.SquaredError(), input="scores", target="target")
random = np.random.default_rng(0)
batch = {
    "tokens": random.integers(9, size=(5, 64)),
    "target": random.normal(size=(5, 64, 9)).astype(np.float32),
}
"""


def test_the_example_of_the_document_runs(tmp_path):
    section = DOCUMENT.read_text().split("## Sharded parameters")[1].split("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    program = "\n".join(
        [PROGRAM, "import os", f"os.chdir({str(tmp_path)!r})", READERS_DATA, *blocks]
    )
    run(4, program + "\nprint('end')")
    saved = ml.load(tmp_path / "last.safetensors")
    key = next(key for key in saved.params if key.endswith("w_query"))
    assert saved.params[key].shape == (8, 8)
    assert saved.optimizer[f"{key}.exp_avg"].shape == (8, 8)


REFUSALS = (
    REFUSED
    + """
def refusal(**options):
    return refused(lambda: compiled_for(group, **options))

compiled = compiled_for(group)
params = compiled.get_parameters()
whole = compiled.gather_parameters(params)
batch = data(2, 0)
ids = batch["ids"]
texts = {
    "product": refusal(mesh={"data": 2, "model": 2}),
    "axis": refusal(mesh={"data": 1, "modle": 2}),
    "pattern": refusal(placements={"*w_qury": COLUMNS}),
    "twice": refusal(placements={"*w_query": COLUMNS, "*.w_*": ROWS}),
    "size": refusal(placements={"table": COLUMNS}),
    "rank": refusal(placements={"*norm_1.bias": ROWS}),
    "kind": refused(lambda: compiled_for(group, placements={"table": 0})),
    "differ": refusal(placements={"table": ml.Sharded(group.rank or -1)}),
    "infer": refused(lambda: compiled.infer(params, {"ids": ids})),
    "bind": refused(lambda: compiled.bind(params)),
    "samples": refused(lambda: ml.PerSample(compiled, losses="final_cost")),
    "step": refused(lambda: ml.TrainingStep(compiled, ml.SGD(0.1))(whole, batch)),
    "jax": refused(lambda: ml.to_jax(compiled, "model.py")),
}
print(json.dumps(texts))
"""
)


def test_what_placements_and_meshes_exclude_is_refused_with_advice():
    program = f"{PROGRAM}\ngroup = ml.distributed.init()\n{REFUSALS}"
    for lines in run(2, program):
        texts = json.loads(lines[-1])
        assert "E0497" in texts["product"]
        assert "did you mean 'model'?" in texts["axis"]
        assert "w_query" in texts["pattern"]
        assert "E0499" in texts["twice"]
        assert "w_query" in texts["twice"]
        assert "axis 0 of the parameter 'table' has no 2 equal blocks" in texts["size"]
        assert "E0212" in texts["rank"]
        assert "ml.Sharded(0)" in texts["kind"]
        assert "E0964" in texts["differ"]
        assert "gather_parameters" in texts["infer"]
        assert "gather_parameters" in texts["bind"]
        assert "E0516" in texts["samples"]
        assert "shard_parameters" in texts["step"]
        assert "E1054" in texts["jax"]


def test_one_process_takes_placements_and_has_whole_parameters():
    names = {"group": None}
    exec(PROGRAM, names)
    compiled = names["compiled_for"](None, placements=names["PLACEMENTS"])
    params = compiled.get_parameters()
    assert compiled.sharded_keys == []
    assert compiled.gather_parameters(params) == params
    assert repr(ml.Sharded(-1)) == "Sharded(-1)"
    with pytest.raises(ml.ValueError, match="E0497"):
        names["compiled_for"](None, mesh={"data": 2})
