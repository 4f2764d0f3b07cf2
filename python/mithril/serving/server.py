"""The HTTP server of an engine, which speaks the Open Inference Protocol."""

from __future__ import annotations

from importlib.util import find_spec
from types import TracebackType
from typing import Any

from .._core import Engine, raise_error
from .._internal.arguments import checked, checked_kinds

__all__ = ["Server", "serve"]


class Server:
    """Serves the models of an engine over HTTP until it is stopped; serve() makes it.

    As a context manager it stops at the end of the block.
    """

    @checked
    def __init__(self, server: Any, host: str) -> None:
        self._server = server
        self._host = host

    @property
    def host(self) -> str:
        """The address of the interface at which it listens."""
        return self._host

    @property
    def port(self) -> int:
        """The port at which it listens."""
        return int(self._server.port)

    @property
    def address(self) -> str:
        """The host and the port: "127.0.0.1:8000"."""
        return f"{self._host}:{self.port}"

    def stop(self) -> bool:
        """Refuses new connections, and answers the requests that have arrived.

        Returns whether all of them were answered. Requests that are still arriving have
        arrival_timeout. After stop_timeout it cancels the requests that wait, closes all
        connections one second later, and returns; evaluations that run then finish in the
        background. An exception of a signal handler ends the waiting, but not the stop.
        """
        return bool(self._server.stop())

    def wait(self) -> None:
        """Waits until the server is stopped, or until a signal handler raises an exception."""
        self._server.wait()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Server({self.address!r})"


@checked_kinds
def serve(  # noqa: PLR0913 - its options
    engine: Engine,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    max_request_bytes: int = 64 << 20,
    max_header_bytes: int = 16 << 10,
    max_buffered_bytes: int = 1 << 30,
    max_connections: int = 1000,
    max_requests: int = 512,
    request_timeout: float = 60.0,
    idle_timeout: float = 60.0,
    stop_timeout: float = 25.0,
    arrival_timeout: float = 1.0,
) -> Server:
    """Serves the models of an engine over HTTP, by the Open Inference Protocol, version 2.

    docs/serving.md lists the paths. The server runs in its own threads: the program may register,
    replace and unload models meanwhile.

    Args:
        engine: the engine.
        host: the address of an interface; other machines cannot reach the default.
        port: 0 chooses a free port.
        max_request_bytes: longer bodies get the status 413, also after decompression.
        max_header_bytes: the limit for the first line and all headers; above it, or with more than
            100 headers, a request gets the status 431.
        max_buffered_bytes: the limit for the bodies of all unanswered requests together; a request
            above it gets the status 503.
        max_connections: one more connection closes the one that has sent no complete request for
            the longest time.
        max_requests: how many are answered at a time, each by a thread; others wait.
        request_timeout: the seconds within which a request must arrive (else the status 408) and
            the client must read the answer (else the connection closes).
        idle_timeout: the seconds after which a connection without a request is closed.
        stop_timeout: the seconds that stop() waits for answers.
        arrival_timeout: after stop(), the seconds within which a request that is still arriving
            must be complete (else the status 503).

    Example:
        with ml.serve(engine, port=0) as server:
            print(server.address)
    """
    if find_spec("mithril._server") is None:
        raise_error(
            "BackendError",
            "E1240",
            "this build of Mithril has no server",
            help="install the headers of Boost (Debian: libboost-dev) and build it again",
        )
    try:
        from .._server import HttpServer  # noqa: PLC0415 - it is optional
    except ImportError as problem:
        raise_error(
            "BackendError",
            "E1240",
            f"the server of Mithril does not load: {problem}",
            help="install Mithril again",
        )
    server = HttpServer(
        engine,
        host=host,
        port=port,
        max_request_bytes=max(max_request_bytes, 0),
        max_header_bytes=max(max_header_bytes, 0),
        max_buffered_bytes=max(max_buffered_bytes, 0),
        max_connections=max(max_connections, 0),
        max_requests=max(max_requests, 0),
        request_timeout=request_timeout,
        idle_timeout=idle_timeout,
        stop_timeout=stop_timeout,
        arrival_timeout=arrival_timeout,
    )
    return Server(server, host)
