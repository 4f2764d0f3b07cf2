"""The HTTP server of an engine, by the Open Inference Protocol."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from .._core import Engine, raise_error
from .._internal.arguments import checked, checked_kinds

__all__ = ["HttpServer", "Server", "serve"]


class HttpServer:
    """An HTTP server of the models of an engine. `ml.serve` starts it.

    As a context manager it stops at the end of the block.

    Example:
        engine = ml.Engine()
        with ml.serve(engine, port=0) as server:
            address = server.address

    See docs/serving.md.
    """

    @checked
    def __init__(self, server: Any, host: str) -> None:
        self._server = server
        self._host = host

    @property
    def host(self) -> str:
        """The address of the network interface on which the server listens."""
        return self._host

    @property
    def port(self) -> int:
        """The port on which the server listens."""
        return int(self._server.port)

    @property
    def address(self) -> str:
        """The host and the port, such as "127.0.0.1:8000"."""
        return f"{self._host}:{self.port}"

    def stop(self) -> bool:
        """Stops the server after it has answered the requests that have arrived.

        Requests that are still arriving have `arrival_timeout` seconds. After `stop_timeout`
        seconds the server cancels waiting requests. One second later it closes all connections. An
        exception of a signal handler ends the waiting, but not the stop.

        Returns:
            Whether all requests were answered.

        Example:
            server = ml.serve(engine, port=0)
            assert server.stop()
        """
        return bool(self._server.stop())

    def wait(self) -> None:
        """Waits until the server is stopped, or a signal handler raises an exception.

        Example:
            import threading

            server = ml.serve(engine, port=0)
            threading.Timer(0.1, server.stop).start()
            server.wait()
        """
        self._server.wait()

    def __enter__(self) -> HttpServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"HttpServer({self.address!r})"


Server = HttpServer  # the old name, until 0.2


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
) -> HttpServer:
    """Serves the models of an engine over HTTP, by the Open Inference Protocol, version 2.

    The server runs in its own threads. The program may register and unload models meanwhile. The
    server has no encryption and no authentication: put a proxy in front of it.

    Args:
        engine: the engine.
        host: address of a network interface. Other machines cannot reach the default.
        port: port to listen on. 0 chooses a free port.
        max_request_bytes: maximum size of a body, also after decompression (status 413 above it).
        max_header_bytes: maximum size of the first line and all headers (status 431).
        max_buffered_bytes: maximum size of the bodies of all unanswered requests (status 503).
        max_connections: maximum number of connections. One more closes the connection that has
            waited longest for a complete request.
        max_requests: maximum number of requests that are answered at a time. Others wait.
        request_timeout: seconds for a request to arrive (status 408), and for the client to read
            the answer.
        idle_timeout: seconds after which a connection without a request is closed.
        stop_timeout: seconds that `stop` waits for answers.
        arrival_timeout: seconds after `stop` for requests that are still arriving (status 503).

    Raises:
        BackendError: If the server cannot listen, or this build has no server.
        ValueError: If an option is out of range.

    Example:
        engine = ml.Engine()
        engine.register_model("net", compiled, params)
        with ml.serve(engine, port=0) as server:
            address = server.address

    See docs/serving.md.
    """
    if find_spec("mithril._server") is None:
        raise_error(
            "BackendError",
            "E1240",
            "this build of Mithril has no server",
            help="install the headers of Boost (Debian: libboost-dev) and build it again",
        )
    try:
        from .._server import HttpServer as BoundServer  # noqa: PLC0415 - it is optional
    except ImportError as problem:
        raise_error(
            "BackendError",
            "E1240",
            f"the server of Mithril does not load: {problem}",
            help="install Mithril again",
        )
    server = BoundServer(
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
    return HttpServer(server, host)
