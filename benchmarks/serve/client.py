"""Clients that ask a server by the Open Inference Protocol, with binary tensors.

Closed loop: each client sends its next request when it has its answer. Open loop: requests are due
at times that a Poisson process draws, and the latency counts from there, so that a slow server is
not spared.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.serve.models import WORKLOADS

LENGTH_HEADER = "Inference-Header-Content-Length"
DTYPES = {"FP32": np.dtype("float32"), "INT64": np.dtype("int64"), "BOOL": np.dtype("bool")}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
REQUESTS = 64  # that differ; each client repeats them


@dataclass
class Message:
    body: bytes
    headers: dict[str, str]


def message_of(inputs: dict[str, np.ndarray[Any, Any]], output: str) -> Message:
    listed = [
        {
            "name": name,
            "shape": list(array.shape),
            "datatype": NAMES[array.dtype],
            "parameters": {"binary_data_size": array.nbytes},
        }
        for name, array in inputs.items()
    ]
    outputs = [{"name": output, "parameters": {"binary_data": True}}]
    head = json.dumps({"inputs": listed, "outputs": outputs}).encode()
    body = head + b"".join(array.tobytes() for array in inputs.values())
    return Message(body, {LENGTH_HEADER: str(len(head))})


def messages_for(workload: str) -> list[Message]:
    random = np.random.default_rng(5)
    chosen = WORKLOADS[workload]
    return [message_of(chosen.request(random), chosen.output) for _ in range(REQUESTS)]


class Client:
    """A connection that stays open."""

    def __init__(self, port: int, workload: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.path = f"/v2/models/{workload}/infer"

    def ask(self, message: Message) -> bytes:
        """The elements of the output."""
        self.connection.request("POST", self.path, message.body, message.headers)
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"the server answered {response.status}: {body[:500]!r}")
        return body[int(response.headers[LENGTH_HEADER]) :]


def run_clients(count: int, work: Callable[[int], list[float]]) -> list[float]:
    """The latencies of all clients, which run at the same time."""
    results: list[list[float]] = [[] for _ in range(count)]

    def run(i: int) -> None:
        results[i] = work(i)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if any(not result for result in results):
        raise RuntimeError("a client got no answer")
    return [latency for result in results for latency in result]


def closed_loop(port: int, workload: str, clients: int, seconds: float) -> list[float]:
    messages = messages_for(workload)
    end = time.perf_counter() + seconds

    def work(number: int) -> list[float]:
        client, latencies = Client(port, workload), []
        at = number
        while (start := time.perf_counter()) < end:
            client.ask(messages[at % REQUESTS])
            latencies.append(time.perf_counter() - start)
            at += 1
        return latencies

    return run_clients(clients, work)


def open_loop(port: int, workload: str, clients: int, seconds: float, rate: float) -> list[float]:
    """Sends requests at random times; `rate` is the number of requests per second of all
    clients."""
    messages = messages_for(workload)
    begin = time.perf_counter()

    def work(number: int) -> list[float]:
        client, latencies = Client(port, workload), []
        random = np.random.default_rng(number)
        due = begin
        at = number
        while True:
            due += random.exponential(clients / rate)
            if due > begin + seconds and latencies:
                return latencies
            time.sleep(max(0.0, due - time.perf_counter()))
            client.ask(messages[at % REQUESTS])
            latencies.append(time.perf_counter() - due)
            at += 1

    return run_clients(clients, work)
