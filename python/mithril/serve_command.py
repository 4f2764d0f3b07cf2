"""`mithril serve`: the models of packages over HTTP."""

from __future__ import annotations

import argparse
from functools import partial

from .engine import Engine
from .packages import load_package
from .serving import serve

DESCRIPTION = "Serve packages over HTTP, with the Open Inference Protocol."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options; sets `run`."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "packages",
        nargs="+",
        metavar="[NAME=]PACKAGE",
        help="a package, and the name of its model instead of that of the package",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address of an interface")
    parser.add_argument("--port", type=int, default=8000, help="0 chooses a free port")
    parser.add_argument("--max-batch-size", type=int, default=1, metavar="ROWS")
    parser.add_argument("--max-delay", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--max-queue", type=int, default=1024, metavar="REQUESTS")
    parser.add_argument("--mask", help="the input that is 0 at padding, such as attention_mask")
    parser.add_argument("--memory-limit", metavar="BYTES", help='of all models, such as "2GB"')
    parser.add_argument("--max-request-bytes", type=int, default=64 << 20, metavar="BYTES")
    parser.add_argument(
        "--allow-native",
        action="store_true",
        help="run native code of packages, such as TorchScript: only of authors whom you trust",
    )
    parser.set_defaults(run=_run, serves=True)


def _run(given: argparse.Namespace) -> None:
    """Serves until KeyboardInterrupt, and answers the requests that were accepted."""
    engine = Engine(given.memory_limit)
    load = partial(load_package, allow_native_code=given.allow_native)
    for argument in given.packages:
        name, _, path = argument.rpartition("=")
        engine.register(
            name or load(path, verify="lazy").info.name,
            partial(load, path),
            max_batch_size=given.max_batch_size,
            max_delay=given.max_delay,
            max_queue=given.max_queue,
            mask=given.mask,
        )
    with serve(
        engine, host=given.host, port=given.port, max_request_bytes=given.max_request_bytes
    ) as server:
        try:
            models = ", ".join(engine.list_models())
            print(f"serving {models} at http://{server.address}", flush=True)
            server.wait()
        except KeyboardInterrupt:
            print("stopping", flush=True)
            raise
