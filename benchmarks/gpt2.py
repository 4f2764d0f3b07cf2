"""Composing, compiling and reading GPT-2: 12 layers, 768 wide, 12 heads, 1,024 positions.

Each figure is the median of the repeats, each with a model of its own. Prints JSON.
Usage: python benchmarks/gpt2.py [REPEATS]
"""

import json
import statistics
import sys
import time
from collections.abc import Callable

import mithril as ml

LAYERS, WIDTH, HEADS, POSITIONS, TOKENS = 12, 768, 12, 1024, 50_257


def attention(x: ml.Connection) -> ml.Connection:
    """Causal attention of [N, T, WIDTH]."""
    together = ml.Linear(dimension=3 * WIDTH)(input=x)
    query, key, value = (
        together[..., first : first + WIDTH]
        .reshape((x.shape[0], x.shape[1], HEADS, WIDTH // HEADS))
        .transpose((0, 2, 1, 3))
        for first in (0, WIDTH, 2 * WIDTH)
    )
    mixed = ml.ScaledDotProduct(is_causal=True)(query=query, key=key, value=value)
    joined = mixed.transpose((0, 2, 1, 3)).reshape((x.shape[0], x.shape[1], WIDTH))
    return ml.Linear(dimension=WIDTH)(input=joined)


def layer(x: ml.Connection) -> ml.Connection:
    x = x + attention(ml.LayerNorm()(input=x))
    wide = ml.Linear(dimension=4 * WIDTH)(input=ml.LayerNorm()(input=x))
    return x + ml.Linear(dimension=WIDTH)(input=ml.Gelu(approximate=True)(input=wide))


def gpt2() -> ml.Model:
    tokens = ml.IOKey("tokens", type=ml.Tensor[int], shape=["N", "T"])
    x = ml.Embedding(TOKENS, dim=WIDTH)(input=tokens)
    x = x + ml.Embedding(POSITIONS, dim=WIDTH)(input=ml.Arange()(stop=tokens.shape[1]))
    for _ in range(LAYERS):
        x = layer(x)
    x = ml.LayerNorm()(input=x)
    return ml.Model.create(logits=ml.Linear(dimension=TOKENS, use_bias=False)(input=x))


def milliseconds(run: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return round(statistics.median(times), 2)


def compiled(model: ml.Model) -> ml.CompiledModel:
    return ml.compile(model, ml.CpuBackend(), data_keys={"tokens"}, shapes={"tokens": ["N", "T"]})


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    model = gpt2()
    text = model.to_json()
    figures = {
        "compose_ms": milliseconds(gpt2, repeats),
        "compose_and_compile_ms": milliseconds(lambda: compiled(gpt2()), repeats),
        "write_json_ms": milliseconds(model.to_json, repeats),
        "read_json_ms": milliseconds(lambda: ml.Model.from_json(text), repeats),
    }
    print(json.dumps({"layers": LAYERS, "json_bytes": len(text), **figures}))


if __name__ == "__main__":
    main()
