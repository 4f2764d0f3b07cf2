"""Programs of one process of a group that torch pretends: its collectives exchange nothing."""

import numpy as np
import pytest

import mithril as ml
from mithril.distributed import launch

dist = pytest.importorskip("torch.distributed")
fake_pg = pytest.importorskip("torch.testing._internal.distributed.fake_pg")

SHAPES = {"x": [None, 6]}


def network():
    layers = ml.Model()
    layers |= ml.Linear(16)(input="x")
    layers += ml.BatchNorm1D()
    layers += ml.Relu()
    layers += ml.Linear(3)(output="scores")
    train = ml.TrainModel(layers)
    train.add_loss(ml.CrossEntropy(), input="scores", target="label")
    return train


@pytest.fixture
def group_of(monkeypatch):
    monkeypatch.setattr(launch, "current", None)

    def group_of(size, rank):
        if dist.is_initialized():
            dist.destroy_process_group()
        dist.init_process_group("fake", store=fake_pg.FakeStore(), rank=rank, world_size=size)
        return ml.distributed.init()

    yield group_of
    dist.destroy_process_group()


def compiled_for(group, **options):
    return ml.compile(network(), ml.CpuBackend(threads=1), shapes=SHAPES, group=group, **options)


def collectives(compiled):
    """The part of the summary that lists them, without the number of processes and their rows."""
    text = str(compiled.summary())
    lines = text[text.index("collective ") :].splitlines()
    return [line for line in lines if not line.startswith("rows ")][:-1]


def test_each_process_of_a_group_of_any_size_lists_the_same_collectives(group_of):
    expected = collectives(compiled_for(group_of(2, 0)))
    assert any(line.startswith("batchnorm1d.weight.grad ") for line in expected)
    for size in range(2, 9):
        for rank in (0, size - 1):
            assert collectives(compiled_for(group_of(size, rank))) == expected, (size, rank)


@pytest.mark.parametrize("memory", ["replicated", "sharded"])
def test_a_step_of_one_process_of_a_group_of_any_size_runs(group_of, memory):
    batch = {"x": np.ones((3, 6), np.float32), "label": np.array([0, 1, 2])}
    for size in range(1, 9):
        compiled = compiled_for(group_of(size, size - 1), optimizer_state=memory)
        step = ml.TrainingStep(compiled, ml.AdamW(1e-3))
        params = compiled.get_parameters()
        before = {key: np.array(value) for key, value in params.items()}
        step(params, batch)
        assert any((params[key] != before[key]).any() for key in before)
