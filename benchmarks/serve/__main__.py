"""Servers under load: Mithril beside FastAPI with ONNX Runtime and with PyTorch. Prints JSON.

python -m benchmarks.serve.prepare FOLDER
python -m benchmarks.serve FOLDER [--seconds 5] [--rounds 3] [--peers PYTHON]
    [--runtimes onnxruntime,torch] [WORKLOAD ...]

PYTHON is an interpreter that has fastapi, uvicorn and the runtimes; without it only Mithril is
measured. All servers run on the same machine with the same client, in turn. Each round measures 1,
8 and 64 clients in a closed loop, and then in an open loop: requests arrive at random, at 60 % of
the lowest throughput that a server had with as many clients in the first closed loop.
"""

from __future__ import annotations

import argparse
import http.client
import json
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.serve.client import Client, closed_loop, messages_for, open_loop
from benchmarks.serve.models import ROOT, WORKLOADS

CLIENTS = (1, 8, 64)
OPEN_SHARE = 0.6  # of the lowest throughput of a closed loop


class ServerProcess:
    """A server in a process of its own, until the end of the block."""

    def __init__(self, python: str, module: str, workload: str, folder: Path, *more: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        command = [
            python,
            "-m",
            f"benchmarks.serve.{module}",
            workload,
            str(self.port),
            str(folder),
            *more,
        ]
        self.process = subprocess.Popen(command, cwd=ROOT)

    def wait_until_ready(self) -> None:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError("a server ended before it was ready")
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/v2/health/ready")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("a server was not ready after 2 minutes")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def summary_of(latencies: list[float], seconds: float) -> dict[str, float]:
    p50, p90, p99 = np.percentile(latencies, [50, 90, 99]) * 1000
    return {
        "requests_per_second": len(latencies) / seconds,
        "p50_ms": float(p50),
        "p90_ms": float(p90),
        "p99_ms": float(p99),
    }


def median_of(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {key: round(statistics.median(run[key] for run in rounds), 3) for key in rounds[0]}


def distance_of_answers(ports: list[int], workload: str) -> float:
    """Returns the largest difference from the answers of the first server, relative to the largest
    number."""
    answers = []
    for port in ports:
        outputs = [Client(port, workload).ask(message) for message in messages_for(workload)[:4]]
        answers.append([np.frombuffer(output, np.float32) for output in outputs])
    first, *others = (np.concatenate(answer) for answer in answers)
    distances = [np.abs(first - other).max() / np.abs(first).max() for other in others]
    return float(max(distances, default=0))


def measure(workload: str, given: argparse.Namespace) -> dict[str, Any]:
    servers = {"mithril": ServerProcess(sys.executable, "mithril_server", workload, given.folder)}
    if given.peers:
        for runtime in given.runtimes.split(","):
            servers[runtime] = ServerProcess(
                given.peers, "fastapi_server", workload, given.folder, runtime
            )
    results: dict[str, dict[str, list[dict[str, float]]]] = {name: {} for name in servers}
    try:
        for server in servers.values():
            server.wait_until_ready()
        distance = distance_of_answers([server.port for server in servers.values()], workload)
        for server in servers.values():
            closed_loop(server.port, workload, 64, 1)
        for _ in range(given.rounds):
            for count in CLIENTS:
                for name, server in servers.items():
                    latencies = closed_loop(server.port, workload, count, given.seconds)
                    results[name].setdefault(f"closed_{count}", []).append(
                        summary_of(latencies, given.seconds)
                    )
                slowest = min(
                    result[f"closed_{count}"][0]["requests_per_second"]
                    for result in results.values()
                )
                for name, server in servers.items():
                    latencies = open_loop(
                        server.port, workload, count, given.seconds, OPEN_SHARE * slowest
                    )
                    results[name].setdefault(f"open_{count}", []).append(
                        summary_of(latencies, given.seconds)
                    )
    finally:
        for server in servers.values():
            server.stop()
    medians = {
        name: {key: median_of(rounds) for key, rounds in measured.items()}
        for name, measured in results.items()
    }
    return {"workload": workload, "distance_of_answers": distance, **medians}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", metavar="PYTHON", default="")
    parser.add_argument("--runtimes", default="onnxruntime,torch")
    given = parser.parse_intermixed_args()
    for workload in given.workloads or WORKLOADS:
        print(json.dumps(measure(workload, given), indent=2), flush=True)


if __name__ == "__main__":
    main()
