"""Training on real processes: the numbers of one process, files written once, and restarts."""

import json

import numpy as np
import pytest

pytest.importorskip("torch")
from support.torchrun import REFUSED, Job, run

import mithril as ml

PROGRAM = """
import json, os, sys
import numpy as np
import mithril as ml

def data(rows, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, 6))
    return {"x": x, "label": (x[:, :3].argmax(axis=1)).astype(np.int64)}

def network():
    layers = ml.Model()
    layers |= ml.Linear(16)(input="x")
    layers += ml.BatchNorm1D()
    layers += ml.Dropout(0.2)
    layers += ml.Relu()
    layers += ml.Linear(3)(output="scores")
    train = ml.TrainModel(layers)
    train.add_loss(ml.CrossEntropy(), input="scores", target="label")
    return train

def fitted(group, epochs, folder=None, optimizer=None, stop=None, memory="replicated"):
    backend = ml.CpuBackend(dtype="float64", threads=1)
    compiled = ml.compile(
        network(), backend, shapes={"x": [None, 6]}, group=group, optimizer_state=memory
    )
    step = ml.TrainingStep(compiled, optimizer or ml.SGD(0.1, momentum=0.9), max_norm=1.0)
    return ml.fit(
        step, data(50, 0), epochs=epochs, batch_size=16, validation=data(20, 1), checkpoint=folder,
        callbacks=[lambda history: len(history.epochs) == stop], progress=True,
    )

def numbers_of(history):
    epochs = [{k: v for k, v in e.items() if "per_second" not in k} for e in history.epochs]
    return {
        "epochs": epochs,
        "best_epoch": history.best_epoch,
        "params": {key: np.asarray(value).tolist() for key, value in history.params.items()},
        "state": {key: np.asarray(value).tolist() for key, value in history.best_state.items()},
    }
"""


def program_of(call):
    return f"{PROGRAM}\ngroup = ml.distributed.init()\n{call}\n"


def alone(call):
    """The result of `call` in this process, without a group."""
    names = {}
    exec(PROGRAM, names)
    return json.loads(json.dumps(names["numbers_of"](eval(call, names | {"group": None}))))


def distance(a, b):
    return max(
        np.abs(np.asarray(a[key]) - np.asarray(b[key])).max() / np.abs(np.asarray(b[key])).max()
        for key in b
    )


@pytest.mark.parametrize("size", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_fit_on_several_processes_gives_the_numbers_of_one(size):
    call = "fitted(group, 3)"
    found = [
        json.loads(lines[-1])
        for lines in run(size, program_of(f"print(json.dumps(numbers_of({call})))"))
    ]
    expected = alone(call)
    for other in found:
        assert other == found[0]
    assert distance(found[0]["params"], expected["params"]) < 1e-12
    assert found[0]["best_epoch"] == expected["best_epoch"]
    for mine, theirs in zip(found[0]["epochs"], expected["epochs"], strict=True):
        assert mine == pytest.approx(theirs, rel=1e-11)


def test_fit_prints_and_writes_once_and_continues_with_another_number_of_processes(tmp_path):
    folder = str(tmp_path / "run")
    first = program_of(f"fitted(group, 4, {folder!r}, stop=2)\nprint('end')")
    outputs = run(2, first)
    assert [sum("epoch" in line for line in lines) for lines in outputs] == [2, 0]
    second = program_of(f"print(json.dumps(numbers_of(fitted(group, 4, {folder!r}))))")
    found = [json.loads(lines[-1]) for lines in run(3, second)]
    assert all(other == found[0] for other in found)
    expected = alone("fitted(group, 4)")
    assert distance(found[0]["params"], expected["params"]) < 1e-12
    assert set(ml.load(f"{folder}/last.safetensors").params) == set(expected["params"])


def test_fit_with_sharded_memory_writes_whole_tensors_and_gives_the_numbers_of_one(tmp_path):
    folder = str(tmp_path / "run")
    run(2, program_of(f"fitted(group, 4, {folder!r}, stop=2, memory='sharded')"))
    saved = ml.load(f"{folder}/last.safetensors")
    for key, param in saved.params.items():
        assert saved.optimizer[f"{key}.momentum_buffer"].shape == param.shape
    names = {}
    exec(PROGRAM, names)
    continued = names["fitted"](None, 4, folder)
    expected = alone("fitted(group, 4)")
    assert distance(names["numbers_of"](continued)["params"], expected["params"]) < 1e-12


@pytest.mark.slow
def test_a_run_that_continues_with_as_many_processes_has_the_same_bits(tmp_path):
    folder = str(tmp_path / "run")
    run(2, program_of(f"fitted(group, 4, {folder!r}, stop=2)"))
    numbers = "print(json.dumps(numbers_of({})))"
    continued = run(2, program_of(numbers.format(f"fitted(group, 4, {folder!r})")))
    whole = run(2, program_of(numbers.format("fitted(group, 4)")))
    assert continued[1][-1] == whole[1][-1]


EXPORTS: dict[str, tuple[str, dict[str, dict[str, str]]]] = {
    "cpp": (".cpp", {}),
    "jax": (".py", {}),
    "javascript": (".mjs", {}),
    "torchscript": (".pt", {"params": {}}),
}
REFUSALS = (
    REFUSED
    + f"EXPORTS = {EXPORTS}"
    + """
def compiled_with(**options):
    given = {"backend": ml.CpuBackend(), "shapes": {"x": [None, 6]}, "group": group}
    return ml.compile(network(), **(given | options))

texts = {
    "torch": refused(lambda: compiled_with(backend=ml.TorchBackend(requires_grad=True))),
    "fixed": refused(lambda: compiled_with(shapes={"x": [16, 6]})),
    "unknown": refused(lambda: compiled_with(replicated_keys="lable")),
    "bucket": refused(lambda: compiled_with(bucket_bytes=1024 * (group.rank + 1))),
    "code": refused(lambda: ml.codegen(compiled_with(), "model.cpp", data=data(4, 0))),
    "jax": refused(lambda: ml.to_jax(compiled_with(), "model.py")),
    "onnx": refused(lambda: ml.to_onnx(compiled_with(), "model.onnx")),
    "gradients": refused(
        lambda: ml.to_onnx(compiled_with(), "model.onnx", gradients=True, data=data(4, 0))
    ),
    "step": refused(
        lambda: ml.to_onnx(
            ml.TrainingStep(compiled_with(), ml.SGD(0.1)),
            "model.onnx",
            compiled_with().get_parameters(),
        )
    ),
    **{
        target: refused(lambda: ml.export(compiled_with(), "model" + ending, target, **options))
        for target, (ending, options) in EXPORTS.items()
    },
    "package": refused(
        lambda: ml.save_package("no_package", compiled_with(), compiled_with().get_parameters())
    ),
    "hook": refused(lambda: compiled_with().register_hook("scores", print)),
    "seed": refused(
        lambda: ml.TrainingStep(compiled_with(), ml.SGD(0.1))(
            compiled_with().get_parameters(seed=group.rank), data(4, 0)
        )
    ),
}
print(json.dumps(texts))
"""
)


def test_what_a_group_excludes_is_refused_on_all_processes():
    found = [json.loads(lines[-1]) for lines in run(2, program_of(REFUSALS))]
    for texts in found:
        assert "E1054" in texts["torch"]
        assert "'x'" in texts["fixed"]
        assert "did you mean 'label'?" in texts["unknown"]
        assert "'bucket_bytes'" in texts["bucket"]
        assert "bucket_bytes = 1024" in texts["bucket"]
        assert "E1054" in texts["code"]
        for name in ("jax", "onnx", "gradients", "step", *EXPORTS):
            assert "E1054" in texts[name]
        assert "E1054" in texts["package"]
        assert "give ml.save_package the model" in texts["package"]
        assert "E1054" in texts["hook"]
        assert "parameter '" in texts["seed"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fails", "text"),
    [
        ("raise RuntimeError('a bad batch')", "a bad batch"),
        # All processes raise this error in evaluate, but one does in a callback.
        ("compiled.save_torchscript('net.pt', {})", "E1054"),
    ],
)
def test_an_exception_on_one_process_ends_the_others(fails, text):
    """Also where the interpreters and their libraries are finalised."""
    failing = program_of(
        "def broken(history):\n"
        f"    if group.rank == 1: {fails}\n"
        "compiled = ml.compile(network(), ml.CpuBackend(), shapes={'x': [None, 6]}, group=group)\n"
        "step = ml.TrainingStep(compiled, ml.SGD(0.1))\n"
        "ml.fit(step, data(50, 0), epochs=3, callbacks=[broken], progress=False)"
    )
    with Job(2) as job:
        job.start(failing, is_forked=False)
        errors = [job.lines(rank)[1] for rank in range(2)]
        assert [process.returncode for process in job.processes.values()] == [1, 1]
    assert text in errors[1]
    assert "DistributedError" in errors[0] and text in errors[0]
