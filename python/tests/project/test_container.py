"""The recipe of the container: its packages are those that the build needs, and its commands work
with the server."""

import argparse
import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import mithril as ml
from mithril.cli import serve

ROOT = Path(__file__).parents[3]
RECIPE = (ROOT / "examples" / "container" / "Containerfile").read_text(encoding="utf-8")
STEPS = RECIPE.replace("\\\n", " ")
UNUSED = {"ccache", "doctest-dev"}  # by a build from nothing, and without tests


def command_of(word: str) -> list[str]:
    """The words of ENTRYPOINT or HEALTHCHECK CMD, which are JSON."""
    (found,) = re.findall(rf"^{word} (\[.*\])$", STEPS, re.MULTILINE)
    return json.loads(found)


def test_the_recipe_installs_the_build_requirements() -> None:
    text = (ROOT / "tools" / "setup").read_text(encoding="utf-8")
    needed = set()
    for quoted, plain in re.findall(r"^  need (?:'([^']*)'|(\S+)) ", text, re.MULTILINE):
        needed.update((quoted or plain).split())
    first = STEPS.split("\nFROM ")[1]
    assert needed - UNUSED <= set(first.split())


def test_the_command_of_the_container_serves_to_its_network() -> None:
    program, command, *options = command_of("ENTRYPOINT")
    assert (Path(program).name, command) == ("mithril", "serve")
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    given = parser.parse_args([*options, "/models/minilm", "--max-batch-size", "32"])
    assert (given.host, given.port, given.packages) == ("0.0.0.0", 8000, ["/models/minilm"])


@pytest.mark.skipif(find_spec("mithril._server") is None, reason="the server is not built")
def test_the_health_check_asks_the_server() -> None:
    _, option, source = command_of("HEALTHCHECK CMD")

    def status(port: int) -> int:
        command = [sys.executable, option, source.replace(":8000", f":{port}")]
        return subprocess.run(command, check=False, capture_output=True).returncode

    with ml.serve(ml.Engine(), port=0) as server:
        port = server.port
        assert status(port) == 0
    assert status(port) == 1
