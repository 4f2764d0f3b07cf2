"""Serves a workload with Mithril.

python -m benchmarks.serve.mithril_server WORKLOAD PORT FOLDER
"""

import sys
from pathlib import Path

import mithril as ml
from benchmarks.serve.models import WORKLOADS, compiled_model


def main() -> None:
    name, port, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    compiled, params = compiled_model(name, folder)
    engine = ml.Engine()
    mask = WORKLOADS[name].mask
    engine.register_model(name, compiled, params, max_batch_size=32, mask=mask)
    with ml.serve(engine, port=port) as server:
        server.wait()


if __name__ == "__main__":
    main()
