"""What a profile costs: the times of evaluations and training steps with and without one.

Calls with and without a profile alternate, so that other programs slow down both alike. Prints the
medians, then the fastest tenth, and how far the rows and gaps of a profile of 200 calls are from
the time that this program measures.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

import mithril as ml

Call = Callable[[], object]


def chain(batch: int) -> Call:
    """21 times Linear 64 and Relu."""
    net = ml.Model()
    for _ in range(21):
        net += ml.Linear(64)
        net += ml.Relu()
    compiled = ml.compile(net, ml.CpuBackend(), shapes={net.input_keys[0]: [batch, 64]})
    bound = compiled.bind(compiled.get_parameters())
    data = {bound.data_keys[0]: np.ones((batch, 64), np.float32)}
    return lambda: bound.evaluate({}, data)


def bert_mini() -> ml.Model:
    """The encoder: 4 layers of width 256, 4 heads, 128 tokens."""
    net = ml.Model()
    net |= ml.Embedding(30522, dim=256)(input="tokens", output="h0")
    for i in range(4):
        block = ml.Model()
        block |= ml.MultiHeadAttention(num_heads=4)(
            query="x", key="x", value="x", output="attended"
        )
        block |= ml.Add()(left="x", right="attended", output="sum")
        block |= ml.LayerNorm()(input="sum", output="normed")
        block |= ml.Linear(1024)(input="normed", output="wide")
        block |= ml.Gelu()(input="wide", output="active")
        block |= ml.Linear(256)(input="active", output="narrow")
        block |= ml.Add()(left="normed", right="narrow", output="both")
        block |= ml.LayerNorm()(input="both", output="y")
        net |= block(x=f"h{i}", y=f"h{i + 1}")
    return net


def inference_of_bert() -> Call:
    shapes = {"tokens": [1, 128]}
    compiled = ml.compile(bert_mini(), ml.CpuBackend(), shapes=shapes, inference=True)
    bound = compiled.bind(compiled.get_parameters())
    data = {"tokens": np.arange(128).reshape(1, 128)}
    return lambda: bound.evaluate({}, data)


CALLS = 5  # in a round


def seconds_of(call: Call, calls: int) -> float:
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - begin) / calls


def measure(name: str, call: Call, rounds: int) -> None:
    call()
    plain: list[float] = []
    profiled: list[float] = []
    for _ in range(rounds):
        plain.append(seconds_of(call, CALLS))
        with ml.profile():
            profiled.append(seconds_of(call, CALLS))
    with ml.profile() as p:
        begin = time.perf_counter()
        seconds_of(call, 200)
        seconds = time.perf_counter() - begin
    parts = sum(part["seconds"] for part in [*p.rows(), *p.gaps()])
    texts = []
    for without, with_one in (
        (statistics.median(plain), statistics.median(profiled)),
        (statistics.quantiles(plain, n=10)[0], statistics.quantiles(profiled, n=10)[0]),
    ):
        texts.append(
            f"{without * 1e6:9.2f} us  {with_one * 1e6:9.2f} us  "
            f"{100 * (with_one / without - 1):+6.1f} %"
        )
    print(f"{name:24}  {'  '.join(texts)}  {100 * abs(parts - seconds) / seconds:.2f} %")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    columns = f"{'without':>12}  {'with':>12}  {'':8}"
    print(f"{'':24}  {columns}  {columns}  sums")
    measure("21 layers, batch 1", chain(1), rounds)
    measure("21 layers, batch 64", chain(64), rounds)
    measure("BERT-mini, 128 tokens", inference_of_bert(), rounds)


if __name__ == "__main__":
    main()
