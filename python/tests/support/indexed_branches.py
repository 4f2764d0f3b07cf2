"""Loops with a condition, and the comparison of a vmap with each of its indices."""

import numpy as np
from branch_models import backend_of, parameters_of

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)
ROWS = 4


def compiled_of(model, data, backend=CPU, **options):
    shapes = {key: list(np.shape(value)) for key, value in data.items()}
    return ml.compile(model, backend, shapes=shapes, data_keys=list(data), **options)


def row(values, mapped, i):
    return {key: value[i] if key in mapped else value for key, value in values.items()}


def floats(data):
    return [key for key, value in data.items() if np.asarray(value).dtype == np.float64]


def assert_each_row(make, rows, mapped, target="cpu", gradients=True):
    """The mapped model has the outputs and the gradients of the model for each index."""
    backend, to = backend_of(target)
    one = compiled_of(make(), row(rows, mapped, 0))
    many = compiled_of(ml.vmap(make(), in_axes=dict.fromkeys(mapped, 0)), rows, backend)
    params = parameters_of(one)
    out = many.evaluate(to(params), to(rows))
    wanted = [*floats(rows), *params] if gradients else []
    draw = np.random.default_rng(5).normal
    seeds = {key: draw(size=np.shape(value)) for key, value in out.items()} if wanted else {}
    if wanted:
        _, grad = many.evaluate(
            to(params), to(rows), output_gradients=to(seeds), gradient_keys=wanted
        )
    total = dict.fromkeys(wanted, 0.0)
    for i in range(ROWS):
        given = row(rows, mapped, i)
        expected = one.evaluate(params, given)
        for key, value in expected.items():
            np.testing.assert_allclose(
                np.asarray(out[key])[i], value, rtol=1e-12, atol=1e-12, err_msg=key
            )
        if not wanted:
            continue
        _, part = one.evaluate(
            params,
            given,
            output_gradients={key: value[i] for key, value in seeds.items()},
            gradient_keys=wanted,
        )
        for key, value in part.items():
            total[key] = total[key] + np.asarray(value)
            if key in mapped:
                np.testing.assert_allclose(
                    np.asarray(grad[key])[i], value, rtol=1e-10, atol=1e-12, err_msg=key
                )
    for key in set(wanted) - set(mapped):
        np.testing.assert_allclose(
            np.asarray(grad[key]), total[key], rtol=1e-10, atol=1e-11, err_msg=key
        )


def countdown(max_steps=None):
    """Halves h, which is a vector, while its sum is above the limit, and counts."""
    h, limit, count = ml.IOKey("h", shape=[3]), ml.IOKey("limit", shape=[]), ml.IOKey("count")
    return ml.While(
        ml.Model.create(far=(h * h).sum() > limit),
        ml.Model.create(h_next=h.sin() * 0.8, count_next=count + 1.0),
        carry={"h": "h_next", "count": "count_next"},
        max_steps=max_steps,
    )


def countdown_data(mapped):
    data = {"h": np.array([1.0, -0.5, 2.0]), "limit": np.array(0.3), "count": np.array(0.0)}
    rows = {
        "h": data["h"] * np.array([[1.0], [0.1], [4.0], [0.5]]),
        "limit": np.array([0.3, 0.01, 100.0, 2.0]),
        "count": np.array([0.0, 1.0, 2.0, 3.0]),
    }
    return {key: rows[key] if key in mapped else value for key, value in data.items()}
