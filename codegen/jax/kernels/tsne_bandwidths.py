"""The bandwidths of the Gaussians of t-SNE, by bisection, and the least distances."""

import functools

import jax
import jax.numpy as jnp
from jax import lax

NARROWEST, WIDEST = 1e-19, 1001.0


def affinities(squares, sigma, nearest):
    """Distances minus the least one, and the probability of each neighbour."""
    other = ~jnp.eye(len(squares), dtype=bool)
    farther = jnp.where(other, squares - nearest, 0)
    width = jnp.maximum(2 * jnp.square(sigma), 1e-37)
    heights = jnp.where(other, jnp.exp(-farther / width), 0)
    return farther, heights / jnp.sum(heights, axis=1, keepdims=True)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def tsne_bandwidths(squares, perplexity, threshold):
    least = float(2.0**-52 if threshold is None else threshold)
    same = jnp.eye(len(squares), dtype=bool)
    nearest = jnp.min(jnp.where(same, jnp.inf, squares), axis=1, keepdims=True, initial=jnp.inf)

    def reached(sigma):
        p = jnp.clip(affinities(squares, sigma, nearest)[1], least, 1 - least)
        return jnp.exp2(-jnp.sum(p * jnp.log2(p), axis=1, keepdims=True))

    def halve(bounds):
        lower, upper, _ = bounds
        middle = lower + (upper - lower) / 2
        found = reached(middle)
        exact, wide = found == perplexity, found > perplexity
        narrowed = jnp.where(exact | ~wide, middle, lower), jnp.where(exact | wide, middle, upper)
        following = narrowed[0] + (narrowed[1] - narrowed[0]) / 2
        done = exact | (following == narrowed[0]) | (following == narrowed[1])
        return *narrowed, ~jnp.all(done)

    start = jnp.full_like(nearest, NARROWEST), jnp.full_like(nearest, WIDEST)
    lower, upper, _ = lax.while_loop(lambda bounds: bounds[2], halve, (*start, True))
    return lower + (upper - lower) / 2, nearest


@tsne_bandwidths.defjvp
def tsne_bandwidths_jvp(threshold, values, tangents):
    """At constant perplexity the bandwidth changes so that the entropy does not."""
    (squares, perplexity), (change, more) = values, tangents
    sigma, nearest = tsne_bandwidths(squares, perplexity, threshold)
    farther, p = affinities(squares, sigma, nearest)
    apart = farther - jnp.sum(p * farther, axis=1, keepdims=True)
    spread = jnp.sum(p * apart * apart, axis=1, keepdims=True)
    decided = (spread > 1e-30) & (sigma < WIDEST - 1e-3)
    scale = jnp.where(decided, sigma / jnp.where(decided, spread, 1), 0)
    turned = jnp.sum(p * apart * change, axis=1, keepdims=True) / 2
    sigma_change = scale * (turned + 2 * sigma**4 * more / perplexity)
    first = (squares == nearest) & ~jnp.eye(len(squares), dtype=bool)
    share = first / jnp.sum(first, axis=1, keepdims=True)
    return (sigma, nearest), (sigma_change, jnp.sum(share * change, axis=1, keepdims=True))
