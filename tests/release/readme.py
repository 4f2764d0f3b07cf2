"""Runs what the README of the installed package shows: its lines of Python, and its command.

Usage: readme.py FOLDER; the lines write files there. Those for what is not installed are left out.
"""

import contextlib
import importlib.metadata
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from importlib.util import find_spec
from typing import Any

import numpy as np

README = str(importlib.metadata.metadata("mithril-cpp").get_payload())
NEEDS = {
    "TorchBackend": find_spec("torch"),
    "JaxBackend": find_spec("jax"),
    '"wasm"': shutil.which("wasm-ld"),
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def is_possible(line: str) -> bool:
    return all(there for need, there in NEEDS.items() if need in line)


def answer(address: str, x: np.ndarray) -> np.ndarray:
    """What the server at the address infers from x."""
    given = {"name": "x", "shape": x.shape, "datatype": "FP32", "data": x.ravel().tolist()}
    request = urllib.request.Request(
        f"{address}/v2/models/xor/infer", json.dumps({"inputs": [given]}).encode()
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        output = json.loads(response.read())["outputs"][0]
    return np.reshape(output["data"], output["shape"])


def check_command(command: str, x: np.ndarray, expected: np.ndarray) -> None:
    """Starts the server, which infers what the lines of Python infer."""
    _, *arguments = shlex.split(command.replace("--port 8000", "--port 0"))
    mithril = os.path.join(os.path.dirname(sys.executable), "mithril")
    with subprocess.Popen([mithril, *arguments], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            address = server.stdout.readline().split()[-1]
            np.testing.assert_allclose(answer(address, x), expected, rtol=1e-4, atol=1e-5)
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate()
    assert server.returncode == 0, server.returncode


os.chdir(sys.argv[1])
lines = [line for block in blocks("python") for line in block.splitlines()]
possible = [line for line in lines if is_possible(line)]
names: dict[str, Any] = {}
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    exec(compile("\n".join(possible), "README.md", "exec"), names)
said = re.findall(r"print\(.*\)  # (.*)$", "\n".join(possible), re.MULTILINE)
assert printed.getvalue().splitlines() == said, printed.getvalue()
(command,) = re.findall("^mithril serve .*$", "\n".join(blocks("sh")), re.MULTILINE)
check_command(command, names["x"], names["scores"])
left_out = [need for need, there in NEEDS.items() if not there]
print(f"README: {len(possible)} of {len(lines)} lines run", *left_out, sep=", not ")
