"""The gradients of normalized; `groups`: the axes of a mean, `shared`: those of a weight."""

import jax.numpy as jnp


def norm_grad(grad, x, mean, rstd, weight, fixed, groups, shared):
    unit = (x - mean) * rstd
    slope = grad if weight is None else grad * weight
    weight_grad = jnp.sum(grad * unit, axis=shared)
    bias_grad = jnp.sum(grad, axis=shared)
    if not fixed:
        average = jnp.mean(slope, axis=groups, keepdims=True)
        product = jnp.mean(slope * unit, axis=groups, keepdims=True)
        slope = slope - (average + product * unit)
    return slope * rstd, weight_grad, bias_grad
