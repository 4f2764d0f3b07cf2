"""The native command `mithril` of the build."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from processes import environment

import mithril as ml

COMMAND = Path(ml.__file__).parents[2] / "bin" / "mithril"
VARIABLES: dict[str, str] = {}  # of each call; conftest.py sets some
# The rights that root has on a file whatever its mode are dropped.
WITH_RIGHTS_OF_MODES = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
needs_command = pytest.mark.skipif(not COMMAND.exists(), reason="the command is not built")


def network():
    """Two layers: the model of most tests of the command."""
    model = ml.Model()
    model |= ml.Linear(16)(input="x", output="h")
    model |= ml.Relu()(input="h", output="a")
    model |= ml.Linear(4)(input="a", output="y")
    model.expose_keys("y")
    return model


def write_network(folder):
    """Writes the model, a package of it and its parameters: net.json, pkg and w.safetensors."""
    model = network()
    (folder / "net.json").write_text(model.to_json(), encoding="utf-8")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, 8]})
    params = compiled.get_parameters(seed=3)
    ml.save_package(folder / "pkg", model, params, shapes={"x": [None, 8]}, revision="1")
    ml.save(folder / "w.safetensors", params)
    return model, compiled, params


def run_command(*arguments, folder=None, stdout=subprocess.PIPE, **variables):
    """Runs the command to its end, in a folder, with further environment variables."""
    named = {**environment(), "MITHRIL_PYTHON": sys.executable, **VARIABLES, **variables}
    return subprocess.run(
        [COMMAND, *map(str, arguments)],
        cwd=folder,
        env={key: value for key, value in named.items() if value is not None},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
        check=False,
    )


def text_of(*arguments, folder):
    """The standard output of a command that succeeds and prints nothing else."""
    ended = run_command(*arguments, folder=folder)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
    return ended.stdout


def object_of(*arguments, folder):
    """The object that the command prints with --json."""
    return json.loads(text_of(*arguments, "--json", folder=folder))


def refusal_of(*arguments, folder, status):
    """The standard error of a command that fails with this status and prints nothing else."""
    ended = run_command(*arguments, folder=folder)
    assert (ended.returncode, ended.stdout) == (status, ""), (ended.returncode, ended.stderr)
    return ended.stderr
