"""Validation in turn, by threads as the processes of a group."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest
from mithril.training.fit_arguments import FitChecks
from mithril.training.validation import Validation

import mithril as ml


class Exchange:
    """What the threads of a group share."""

    def __init__(self, size):
        self.barrier = threading.Barrier(size, timeout=60)
        self.parts = [None] * size

    def gather(self, rank, part):
        self.parts[rank] = part
        self.barrier.wait()
        parts = list(self.parts)
        self.barrier.wait()
        return parts


class Group:
    def __init__(self, rank, exchange):
        self.rank, self.size, self.exchange = rank, len(exchange.parts), exchange
        self._communicator = self

    def all_gather(self, part):
        return self.exchange.gather(self.rank, part)

    def all_reduce(self, array, reduction):
        assert reduction == "max"
        return max(self.all_gather(array))

    def agree(self, entries, subject):
        parts = self.all_gather(entries)
        if any(part != parts[0] for part in parts):
            raise ml.DistributedError("E0964")


def held(rows=45):
    random = np.random.default_rng(3)
    x = random.normal(size=(rows, 4)).astype(np.float32)
    return {"x": x, "target": x[:, :2].copy()}


class Sum(ml.metrics.Evaluator):
    """A sum of floats whose bits depend on the order of batches."""

    def __init__(self):
        self.reset()
        self.batches = []

    def update(self, batch):
        self.batches.append(len(batch["x"]))
        self.total += float(np.asarray(batch["y"]).sum())

    def compute(self):
        return self.total

    def merge(self, other):
        self.total += other.total

    def reset(self):
        self.total = 0.0


def model():
    layers = ml.Model()
    layers |= ml.Linear(2)(input="x", output="y")
    train = ml.TrainModel(layers)
    train.add_loss(ml.SquaredError(), input="y", target="target", key_name="loss")
    return ml.compile(train, ml.CpuBackend(threads=1), shapes={"x": [None, 4]})


COMPILED = model()


def validated(group, data, evaluators, allow_nan=False):
    compiled = SimpleNamespace(
        in_inference=COMPILED.in_inference, output_keys=COMPILED.output_keys, group=group
    )
    metrics = {
        "validation_loss": lambda outputs, _: outputs["loss"],
        "first": lambda outputs, batch: float(np.asarray(outputs["y"])[0, 0]),
        **evaluators,
    }
    step = SimpleNamespace(compiled=compiled, state={})
    params = COMPILED.get_parameters(seed=1)
    keys = list(COMPILED.data_keys)
    return Validation(step, metrics, FitChecks(0, allow_nan)).run(params, data, 7, keys)


def of_threads(size, data_of, make):
    exchange, found = Exchange(size), [None] * size

    def run(rank):
        try:
            found[rank] = validated(Group(rank, exchange), data_of(rank), make())
        except ml.Error as error:
            found[rank] = error

    threads = [threading.Thread(target=run, args=[rank]) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def evaluators():
    return {
        "score": ml.metrics.SampleScore(lambda batch: np.asarray(batch["y"])[:, 0]),
        "error": ml.metrics.MeanSquaredError("y", "target"),
    }


SOURCES = {
    "arrays": held,
    "batches": lambda: list(ml.data.from_arrays(held()).read_batches(7)),
    "tuples": lambda: [tuple(b.values()) for b in ml.data.from_arrays(held()).read_batches(7)],
    "source": lambda: ml.data.from_arrays(held()).shuffle(seed=3),
    "stream": lambda: ml.data.from_arrays(held()).filter(lambda batch: batch["x"][:, 0] > 0),
    "short": lambda: ml.data.from_arrays(held(3)),
    "dropped": lambda: ml.data.from_arrays(held()).batch(4, drop_last=True).prefetch(),
    "sharded": lambda: ml.data.from_arrays(held()).shard(SimpleNamespace(rank=0, size=2)),
}


@pytest.mark.parametrize("name", SOURCES)
def test_all_processes_have_the_bits_of_one(name):
    make = SOURCES[name]
    expected = validated(None, make(), evaluators())
    for size in (2, 3):
        assert of_threads(size, lambda rank: make(), evaluators) == [expected] * size


class Counted(ml.metrics.SampleEvaluator):
    def __init__(self):
        super().__init__()
        self.batches = []

    def score(self, batch):
        self.batches.append(len(batch["x"]))
        return np.asarray(batch["y"])[:, 0]


def test_each_batch_is_evaluated_once_on_one_process():
    made = []

    def counted():
        made.append({"score": Counted()})
        return made[-1]

    of_threads(2, lambda rank: held(), counted)
    assert sorted(tuple(each["score"].batches) for each in made) == [(7, 7, 7), (7, 7, 7, 3)]


def test_each_process_evaluates_all_rows_for_an_evaluator_of_the_user():
    expected = validated(None, held(), {"sum": Sum()})
    assert of_threads(2, lambda rank: held(), lambda: {"sum": Sum()}) == [expected] * 2


def test_other_batches_are_noticed():
    for change in (
        lambda rank: held(45 + rank),
        lambda rank: SOURCES["batches"]()[rank:],
        lambda rank: ml.data.from_arrays(held(45 + rank)),
    ):
        for error in of_threads(2, change, evaluators):
            assert isinstance(error, ml.DistributedError)


def test_a_loss_that_is_not_finite_is_an_error_on_all_processes():
    def spoiled(rank):
        rows = held()
        rows["x"][30] = np.nan
        return rows

    for error in of_threads(3, spoiled, evaluators):
        assert str(error).startswith(
            "mithril.ValueError[E0419]: fit: the validation loss is nan in epoch 1, step 5\n"
        )
