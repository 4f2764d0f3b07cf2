"""The loss of connectionist temporal classification, of each sample."""

import jax.numpy as jnp
from jax import lax


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    steps, samples, _ = log_probs.shape
    count = 2 * targets.shape[1] + 1
    is_target = jnp.arange(targets.shape[1]) < target_lengths[:, None]
    targets = jnp.where(is_target, targets, blank)
    labels = jnp.full((samples, count), blank, targets.dtype).at[:, 1::2].set(targets)
    earlier = jnp.roll(labels, 2, axis=1)
    states = jnp.arange(count)
    may_skip = (states % 2 == 1) & (states > 1) & (labels != earlier)

    def step(paths, now):
        k, probabilities = now
        own = jnp.take_along_axis(probabilities, labels, axis=1)
        moved = log_of_sum(paths, paths_before(paths, 1))
        moved = log_of_sum(moved, jnp.where(may_skip, paths_before(paths, 2), -jnp.inf))
        return jnp.where((k < input_lengths)[:, None], moved + own, paths), None

    # Before the first step all paths are in front of the first two states.
    start = jnp.full((samples, count), -jnp.inf, log_probs.dtype).at[:, 0].set(0)
    first = (jnp.arange(count) < 2) & (input_lengths > 0)[:, None]
    if steps:
        own = jnp.take_along_axis(log_probs[0], labels, axis=1)
        start = jnp.where(first, own, jnp.where((input_lengths > 0)[:, None], -jnp.inf, start))
        start, _ = lax.scan(step, start, (jnp.arange(1, steps), log_probs[1:]))
    last = 2 * target_lengths[:, None]
    end = jnp.take_along_axis(start, last, axis=1)[:, 0]
    if count > 1:
        label = jnp.take_along_axis(start, jnp.maximum(last - 1, 0), axis=1)[:, 0]
        end = log_of_sum(end, jnp.where(target_lengths > 0, label, -jnp.inf))
    return jnp.where(jnp.isneginf(end), 0.0, -end) if zero_infinity else -end


def paths_before(x, count):
    return jnp.pad(x, ((0, 0), (count, 0)), constant_values=-jnp.inf)[:, : x.shape[1]]


def log_of_sum(a, b):
    """The logarithm of the sum of exp, with a slope of 0 where both are -inf."""
    top = jnp.maximum(a, b)
    is_zero = jnp.isneginf(top)
    top = jnp.where(is_zero, 0.0, top)
    total = jnp.exp(a - top) + jnp.exp(b - top)
    return jnp.where(is_zero, -jnp.inf, top + jnp.log(jnp.where(is_zero, 1.0, total)))
