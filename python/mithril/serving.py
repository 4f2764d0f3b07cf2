"""The HTTP server of an engine, which speaks the Open Inference Protocol."""

from __future__ import annotations

from importlib.util import find_spec
from types import TracebackType
from typing import Any

from ._core import raise_error
from .calls import checked, checked_kinds
from .engine import Engine

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

    def stop(self) -> None:
        """Refuses new connections, answers the requests that were accepted, and returns.

        Idle connections are closed after 5 seconds at most.
        """
        self._server.stop()

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
def serve(
    engine: Engine,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    max_request_bytes: int = 64 << 20,
    max_connections: int = 512,
) -> Server:
    """Serves the models of an engine over HTTP, by the Open Inference Protocol, version 2.

    docs/serving.md lists the paths. The server runs in its own threads: the program may register,
    replace and unload models meanwhile.

    Args:
        engine: the engine.
        host: the address of an interface; other machines cannot reach the default.
        port: 0 chooses a free port.
        max_request_bytes: longer requests get the status 413.
        max_connections: the maximum number of connections at a time; others wait.

    Example:
        with ml.serve(engine, port=0) as server:
            print(server.address)
    """
    if find_spec("mithril._server") is None:
        raise_error(
            "BackendError",
            "E1240",
            "this build of Mithril has no server",
            help="install cpp-httplib (Debian: libcpp-httplib-dev pkg-config) and build it again",
        )
    try:
        from ._server import HttpServer  # noqa: PLC0415 - it is optional
    except ImportError as problem:
        raise_error(
            "BackendError",
            "E1240",
            f"the server of Mithril does not load: {problem}",
            help="install the cpp-httplib that Mithril was built with",
        )
    server = HttpServer(
        engine,
        host=host,
        port=port,
        max_request_bytes=max(max_request_bytes, 0),
        max_connections=max(max_connections, 0),
    )
    return Server(server, host)
