"""`mithril serve`: the models of packages over HTTP."""

from __future__ import annotations

import argparse
import json
import os
import sys
from functools import partial

from .._core import Engine
from ..packages.package import load_package
from ..serving.server import serve
from .output import show
from .signals import end_at_next_signal

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
    parser.add_argument("--max-buffered-bytes", type=int, default=1 << 30, metavar="BYTES")
    parser.add_argument("--max-connections", type=int, default=1000, metavar="CONNECTIONS")
    parser.add_argument("--max-requests", type=int, default=512, metavar="REQUESTS")
    parser.add_argument("--request-timeout", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--idle-timeout", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument(
        "--stop-timeout",
        type=float,
        default=25.0,
        metavar="SECONDS",
        help="for the answers to requests that have arrived before a signal",
    )
    parser.add_argument(
        "--arrival-timeout",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="for requests that are still arriving at a signal",
    )
    parser.add_argument(
        "--allow-native",
        action="store_true",
        help="run native code of packages, such as TorchScript: only of authors whom you trust",
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    parser.set_defaults(run=_run, serves=True)


def _run(given: argparse.Namespace) -> None:
    """Serves until KeyboardInterrupt, and answers the requests that have arrived."""
    engine = Engine(given.memory_limit)
    load = partial(load_package, allow_native_code=given.allow_native)
    for argument in given.packages:
        name, _, path = argument.rpartition("=")
        name = name or load(path, verify="lazy").info.name
        if name in engine.list_models():
            print(f"mithril: two models have the name {name!r}", file=sys.stderr)
            print(f"  help: give one another name: other={path}", file=sys.stderr)
            sys.exit(2)
        engine.register_model(
            name,
            partial(load, path),
            max_batch_size=given.max_batch_size,
            max_delay=given.max_delay,
            max_queue=given.max_queue,
            mask=given.mask,
        )
    server = serve(
        engine,
        host=given.host,
        port=given.port,
        max_request_bytes=given.max_request_bytes,
        max_buffered_bytes=given.max_buffered_bytes,
        max_connections=given.max_connections,
        max_requests=given.max_requests,
        request_timeout=given.request_timeout,
        idle_timeout=given.idle_timeout,
        stop_timeout=given.stop_timeout,
        arrival_timeout=given.arrival_timeout,
    )
    try:
        models = engine.list_models()
        if given.json:
            fields = {"schema": 1, "command": "serve", "models": models, "address": server.address}
            show(json.dumps(fields, indent=2))
        else:
            show(f"serving {', '.join(models)} at http://{server.address}")
        server.wait()
    except KeyboardInterrupt:
        end_at_next_signal()
        if not given.json:
            show("stopping")
        raise
    finally:
        if not server.stop():
            # An evaluation still runs, and the interpreter would wait for it.
            print("some requests were not answered in time", file=sys.stderr, flush=True)
            os._exit(1)
