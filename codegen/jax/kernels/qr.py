"""Q and R, whose diagonal is not negative."""

import jax.numpy as jnp


def qr(matrix, mode):
    rows, columns = matrix.shape[-2:]
    batch = matrix.shape[:-2]
    width = rows if mode == "complete" else min(rows, columns)
    if matrix.size == 0:
        q = jnp.broadcast_to(jnp.eye(rows, width, dtype=matrix.dtype), (*batch, rows, width))
        return q, jnp.zeros((*batch, width, columns), matrix.dtype)
    q, r = jnp.linalg.qr(matrix[..., :rows], mode=mode)  # JAX has no gradients of wide matrices
    diagonal = jnp.diagonal(r, axis1=-2, axis2=-1)
    padding = [(0, 0)] * len(batch) + [(0, width - diagonal.shape[-1])]
    signs = jnp.pad(jnp.where(diagonal < 0, -1, 1).astype(matrix.dtype), padding, constant_values=1)
    q, r = q * signs[..., None, :], r * signs[..., :, None]
    if columns <= rows:
        return q, r
    return q, jnp.concatenate([r, q.mT @ matrix[..., rows:]], axis=-1)
