"""Loops have the same bits with any number of threads: cut into rows, side by side, or neither."""

import numpy as np
import pytest

import mithril as ml

THREADS = (2, 3)
# Tiles of a product have 6 to 14 rows, so that 2 threads cut the rows from 12 or 28 on.
BATCHES = (1, 2, 11, 12, 13, 31, 33, 57)


def bits(results):
    return {name: np.asarray(value).tobytes() for name, value in results.items()}


def assert_same_bits(make, *calls):
    """make(backend) returns what each of `calls` is called with."""
    expected = make(ml.CpuBackend(threads=1))
    for threads in THREADS:
        actual = make(ml.CpuBackend(threads=threads))
        for call in calls:
            assert bits(call(actual)) == bits(call(expected)), threads


def layer(kind, width, **options):
    return getattr(ml, kind)(width, **options)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_a_layer(kind, batch):
    x = np.random.default_rng(batch).standard_normal((5, batch, 6), dtype=np.float32)
    outputs = ["output", "h_n", "c_n"] if kind == "LSTM" else ["output", "h_n"]

    def make(backend):
        compiled = ml.compile(
            layer(kind, 37, num_layers=2), backend, shapes={"input": x.shape}, outputs=outputs
        )
        params = compiled.get_parameters(seed=1)
        return compiled, params, compiled.bind(params)

    assert_same_bits(
        make,
        lambda made: made[0].evaluate(made[1], {"input": x}),
        lambda made: made[2].evaluate({}, {"input": x}),
    )


@pytest.mark.parametrize("length", [0, 1, 2, 40])
@pytest.mark.parametrize("batch", [1, 30])
def test_both_directions(length, batch):
    x = np.random.default_rng(length).standard_normal((length, batch, 6), dtype=np.float32)

    def make(backend):
        model = layer("LSTM", 33, num_layers=2, bidirectional=True)
        compiled = ml.compile(
            model, backend, shapes={"input": [None, batch, 6]}, outputs=["output", "h_n"]
        )
        return compiled.bind(compiled.get_parameters(seed=2))

    assert_same_bits(make, lambda bound: bound.evaluate({}, {"input": x}))


@pytest.mark.parametrize("batch", [4, 29, 33])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_gradients(kind, bidirectional, batch):
    rng = np.random.default_rng(3)
    x = rng.standard_normal((6, batch, 9), dtype=np.float32)
    lengths = rng.integers(0, 7, batch)
    width = 15
    target = rng.standard_normal((6, batch, width * (1 + bidirectional)), dtype=np.float32)

    def make(backend):
        model = ml.Model()
        model |= layer(kind, width, bidirectional=bidirectional, use_lengths=True)(
            input="x", lengths="lengths", output="y"
        )
        trained = ml.TrainModel(model)
        trained.add_loss(ml.SquaredError(), input="y", target="target", reduce_steps=[ml.Mean()])
        compiled = ml.compile(trained, backend, shapes={"x": x.shape})
        return compiled, compiled.get_parameters(seed=4)

    data = {"x": x, "lengths": lengths, "target": target}
    assert_same_bits(make, lambda made: made[0].evaluate(made[1], data, output_gradients=True)[1])


def assert_same_loop(result, data):
    """A loop over `x` whose next carry `h` is `result`."""
    step = ml.Model()
    step |= ml.Tanh()(result, output="h_next")
    loop = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"], outputs=["h_next"])
    shapes = {name: value.shape for name, value in data.items()}

    def make(backend):
        return ml.compile(loop, backend, shapes=shapes, data_keys=set(data))

    assert_same_bits(make, lambda compiled: compiled.evaluate({}, data))


@pytest.mark.parametrize("rows", [1, 7, 64])
def test_a_loop_without_products(rows):
    x = np.random.default_rng(rows).standard_normal((300, rows, 50), dtype=np.float32)
    carry = ml.IOKey("h")
    assert_same_loop(carry * ml.IOKey("x") + carry[:, ::-1], {"x": x, "h": x[0]})


def test_a_step_that_reads_other_rows():
    x = np.random.default_rng(5).standard_normal((20, 64, 64), dtype=np.float32)
    mixed = ml.IOKey("w") @ ml.IOKey("h")  # each row of the product depends on all rows of h
    assert_same_loop(mixed + ml.IOKey("x"), {"x": x, "h": x[0], "w": x[1] / 8})


def test_a_step_that_reads_the_carry_in_another_order():
    x = np.random.default_rng(6).standard_normal((20, 64, 64), dtype=np.float32)
    assert_same_loop(ml.IOKey("h")[::-1] + ml.IOKey("x"), {"x": x, "h": x[0]})


def test_a_memory_limit_that_is_enough_for_one_thread():
    x = np.ones((20, 48, 32), dtype=np.float32)

    def run(threads, limit):
        backend = ml.CpuBackend(threads=threads, memory_limit=limit)
        compiled = ml.compile(ml.LSTM(64), backend, shapes={"input": x.shape}, outputs=["output"])
        return compiled.evaluate(compiled.get_parameters(seed=0), {"input": x})

    def fits(limit):
        try:
            run(1, limit)
        except ml.OutOfMemoryError:
            return False
        return True

    low, high = 0, 10_000_000
    while high - low > 1000:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    for threads in THREADS:
        assert bits(run(threads, high)) == bits(run(1, high))
