"""Vectors of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from .._core import CompiledModel, raise_error
from .._internal.arrays import name_of_library, numpy_array
from .tokens import encoded

Vectors = np.ndarray[Any, np.dtype[Any]]
OUTPUTS = ("embedding", "last_hidden_state")


class BatchTokenizer(Protocol):
    """A tokenizer that makes the inputs of an encoder, as `ml.Tokenizer` does of a BERT.

    Without an attention_mask [N, L], all tokens are those of texts.
    """

    def __call__(self, texts: Sequence[str]) -> Mapping[str, Any]:
        """Returns the inputs of a batch of texts."""


def embeddings(
    compiled: CompiledModel, params: Mapping[str, Any], tokenizer: Any, texts: Sequence[str]
) -> Vectors:
    """Returns the output `embedding`, or the mean of `last_hidden_state` over the tokens, [N, D].
    InputError E0857 for a model without these outputs, E0851 for a text without tokens."""
    name = next((key for key in OUTPUTS if key in compiled.output_keys), None)
    if name is None:
        raise_error(
            "InputError",
            "E0857",
            "embed needs a model with the output 'embedding' or 'last_hidden_state'",
            facts=[("outputs", ", ".join(compiled.output_keys))],
            help="load an encoder, such as a BERT of sentence-transformers",
        )
    batch = tokenizer(list(texts)) if callable(tokenizer) else _batch(tokenizer, texts)
    mask = batch.get("attention_mask")
    if mask is not None:
        _refuse_empty([bool(row.any()) for row in np.asarray(mask)])
    data = {key: value for key, value in batch.items() if key in compiled.data_keys}
    made = _host(compiled.evaluate(params, data, outputs=[name])[name])
    if name == "embedding":
        return made
    if mask is None:
        mask = np.ones(made.shape[:2], bool)
    weights = np.asarray(mask)[..., None].astype(np.promote_types(made.dtype, np.float32))
    means: Vectors = ((made * weights).sum(1) / weights.sum(1)).astype(made.dtype)
    return means


def _refuse_empty(has_tokens: list[bool]) -> None:
    """InputError E0851 for a text without tokens."""
    if False in has_tokens:
        message = f"embed: text {has_tokens.index(False)} has no tokens"
        raise_error("InputError", "E0851", message)


def _batch(tokenizer: Any, texts: Sequence[str]) -> dict[str, Vectors]:
    """Returns the tokens [N, L] of texts that are padded on the right, and where they are.
    InputError E0851 for a text without tokens."""
    rows = [encoded(tokenizer, text) for text in texts]
    _refuse_empty([bool(row) for row in rows])
    ids = np.zeros((len(rows), max([1, *map(len, rows)])), np.int64)
    mask = np.zeros(ids.shape, bool)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = True
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}


def _host(array: Any) -> Vectors:
    """Returns an array of a backend as one of NumPy; bfloat16, which NumPy lacks, as float32."""
    on_host = array.detach().cpu() if name_of_library(array) == "torch" else array
    made: Vectors = numpy_array(on_host)
    return made
