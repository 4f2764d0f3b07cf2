"""Requests of HTTP byte by byte."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from typing import NamedTuple

import mithril as ml

HANGS = 300  # seconds, which only a server that hangs takes


class Answer(NamedTuple):
    """A response: its status, its headers with small letters, and its body."""

    status: int
    headers: dict[str, str]
    body: bytes


def connect(server: ml.HttpServer) -> socket.socket:
    """A connection to the server."""
    raw = socket.create_connection((server.host, server.port), timeout=HANGS)
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return raw


def all_of(raw: socket.socket) -> bytes:
    """Reads until the server closes the connection."""
    pieces = []
    try:
        while piece := raw.recv(1 << 16):
            pieces.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(pieces)


def answers_in(data: bytes) -> list[Answer]:
    """The responses that are in the bytes, one after the other."""
    answers = []
    while data:
        head, _, data = data.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        status = re.fullmatch(r"HTTP/1\.1 (\d{3}) [A-Za-z ]+", first)
        assert status, first
        headers = dict(line.lower().split(": ", 1) for line in lines)
        length = int(headers.get("content-length", 0))
        assert len(data) >= length
        answers.append(Answer(int(status[1]), headers, data[:length]))
        data = data[length:]
    return answers


def answer_from(raw: socket.socket) -> Answer:
    """Reads one response; the connection stays open."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = raw.recv(1 << 16)
        assert piece, "the server closed the connection"
        data += piece
    length = int(re.search(rb"Content-Length: (\d+)", data)[1])  # type: ignore[index]
    while len(data.partition(b"\r\n\r\n")[2]) < length:
        data += raw.recv(1 << 16)
    (answer,) = answers_in(data)
    return answer


def exchange(server: ml.HttpServer, data: bytes) -> list[Answer]:
    """Sends the bytes, and returns all responses until the server closes the connection."""
    with connect(server) as raw:
        with suppress(BrokenPipeError, ConnectionResetError):
            raw.sendall(data)
        return answers_in(all_of(raw))
