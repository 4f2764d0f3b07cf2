"""The types of the compiled module of the server."""

from ._core import Engine

class HttpServer:
    def __init__(
        self,
        engine: Engine,
        *,
        host: str,
        port: int,
        max_request_bytes: int,
        max_header_bytes: int,
        max_buffered_bytes: int,
        max_connections: int,
        max_requests: int,
        request_timeout: float,
        idle_timeout: float,
        stop_timeout: float,
        arrival_timeout: float,
    ) -> None: ...
    @property
    def port(self) -> int: ...
    def stop(self) -> bool: ...
    def wait(self) -> None: ...
