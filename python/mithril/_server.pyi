"""The types of the compiled module of the server."""

from .engine import Engine

class HttpServer:
    def __init__(
        self,
        engine: Engine,
        *,
        host: str,
        port: int,
        max_request_bytes: int,
        max_connections: int,
    ) -> None: ...
    @property
    def port(self) -> int: ...
    def stop(self) -> None: ...
    def wait(self) -> None: ...
