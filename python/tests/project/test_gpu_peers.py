"""benchmarks/gpu_peers.py runs to its end, on a machine without a GPU with small sizes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

ROOT = Path(__file__).parents[3]
OPTIONS = ["--precisions", "tf32", "--rounds", "1", "--calls", "1", "--warm-up", "2"]


@pytest.mark.slow
def test_the_benchmark_of_gpus_runs_every_workload() -> None:
    peers = ["eager", "ours", "ours max", "ours bound"]
    done = subprocess.run(
        [sys.executable, "benchmarks/gpu_peers.py", "--peers", *peers, *OPTIONS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    first, *rows, last = map(json.loads, done.stdout.splitlines())
    assert first["torch"] == torch.__version__
    assert len(rows) == 9
    for row in rows:
        mine = [peer for peer in peers if peer in row]
        assert mine == (peers if row["workload"].startswith("infer") else peers[:3])
        for peer in mine:
            # TF32 has 11 bits.
            bound = 2e-2 if torch.cuda.is_available() else 1e-4
            assert row[peer]["difference"] < bound, (row["workload"], peer, row[peer])
            assert row[peer]["ms"] > 0 and row[peer]["kernels"] > 0
    assert last == {"geometric mean": None, "largest": None, "missing": []}
