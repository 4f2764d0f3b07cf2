"""x with the elements of source put at, added to, ... [i, index[i, j]] for axis 1."""

import functools

import jax
import jax.numpy as jnp

from codegen.jax.kernels.along_axis import along_axis


def scatter(x, index, source, axis, reduce):
    if index.size == 0:
        return x
    places = along_axis(index, axis)
    if reduce == "set":
        return scatter_last(x, index, source, axis)
    if reduce == "add":
        return x.at[places].add(source)
    if reduce == "prod":
        return scatter_prod(axis, index, x, source)
    return scatter_extremum(axis, reduce, index, x, source)


def scatter_last(x, index, source, axis):
    """Of the elements that meet in one place, the last one remains."""
    places = along_axis(index, axis)
    order = jnp.broadcast_to(jnp.indices(index.shape, sparse=True)[axis], index.shape)
    last = jnp.full(x.shape, -1, order.dtype).at[places].max(order)
    chosen = last[places] == order
    kept = jnp.where(last < 0, x, 0)
    return kept.at[places].add(jnp.where(chosen, source, 0))


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def scatter_prod(axis, index, x, source):
    return x.at[along_axis(index, axis)].multiply(source)


@scatter_prod.defjvp
def scatter_prod_jvp(axis, index, values, tangents):
    """Each tangent times the product of the other elements."""
    (x, source), (dx, dsource) = values, tangents
    places = along_axis(index, axis)
    own, other = (x == 0).astype(x.dtype), (source == 0).astype(x.dtype)
    zeros = own.at[places].add(other)
    product = jnp.where(x == 0, 1, x).at[places].multiply(jnp.where(source == 0, 1, source))
    of_x = jnp.where(zeros == own, product / jnp.where(x == 0, 1, x), 0)
    of_source = product[places] / jnp.where(source == 0, 1, source)
    of_source = jnp.where(zeros[places] == other, of_source, 0)
    return scatter_prod(axis, index, x, source), (dx * of_x).at[places].add(dsource * of_source)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
def scatter_extremum(axis, reduce, index, x, source):
    at = x.at[along_axis(index, axis)]
    return at.max(source) if reduce == "amax" else at.min(source)


@scatter_extremum.defjvp
def scatter_extremum_jvp(axis, reduce, index, values, tangents):
    """Those that equal the extremum share the tangent."""
    (x, source), (dx, dsource) = values, tangents
    places = along_axis(index, axis)
    y = scatter_extremum(axis, reduce, index, x, source)
    own, other = (x == y).astype(x.dtype), (source == y[places]).astype(x.dtype)
    share = own.at[places].add(other)
    return y, (dx * own).at[places].add(dsource * other) / share
