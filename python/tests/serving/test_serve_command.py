"""The command `mithril serve`."""

import json
import signal
import subprocess
import sys
import urllib.request
from importlib.util import find_spec

import numpy as np
import pytest
from processes import environment

import mithril as ml

pytestmark = pytest.mark.skipif(
    find_spec("mithril._server") is None, reason="the server is not built"
)


LIMIT = 300  # seconds, which only a process that hangs takes


def save_network(path):
    model = ml.Model()
    model |= ml.Linear(dimension=4)(input=ml.IOKey("x", shape=["N", 3]), output="y")
    model.expose_keys("y")
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    params = compiled.get_parameters(seed=3)
    ml.save_package(path, model, params, name="net")
    return compiled, params


def run(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "mithril", "serve", *map(str, arguments)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def post(address, model, x):
    tensor = {"name": "x", "shape": x.shape, "datatype": "FP32", "data": x.ravel().tolist()}
    request = urllib.request.Request(
        f"{address}/v2/models/{model}/infer", json.dumps({"inputs": [tensor]}).encode()
    )
    with urllib.request.urlopen(request, timeout=LIMIT) as response:
        return json.loads(response.read())["outputs"][0]


def test_packages_are_served_until_a_signal(tmp_path):
    compiled, params = save_network(tmp_path / "a")
    save_network(tmp_path / "b.zip")
    process = run(
        tmp_path / "a", f"second={tmp_path / 'b.zip'}", "--port", 0, "--max-batch-size", 8
    )
    try:
        line = process.stdout.readline()
        assert line.startswith("serving net, second at http://127.0.0.1:")
        address = line.split()[-1]
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        expected = compiled.evaluate(params, {"x": x})["y"]
        for name in ("net", "second"):
            answer = post(address, name, x)
            np.testing.assert_allclose(answer["data"], expected.ravel(), rtol=1e-5)
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert (process.returncode, output, errors) == (0, "stopping\n", "")


# Runs a command that a signal interrupts at a step: before or after calls of a function.
INTERRUPTED = """
import argparse, builtins, signal, sys
import mithril as ml
from mithril import __main__
from mithril.cli import package, serve, signals

number = getattr(signal, sys.argv[1])
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this without

def before(owner, name):
    function = getattr(owner, name)
    def interrupted(*arguments, **options):
        signal.raise_signal(number)
        return function(*arguments, **options)
    setattr(owner, name, interrupted)

def after(owner, name):
    function = getattr(owner, name)
    def interrupted(*arguments, **options):
        result = function(*arguments, **options)
        signal.raise_signal(number)
        return result
    setattr(owner, name, interrupted)

exec(sys.argv[2])
sys.exit(__main__.main(sys.argv[3:]))
"""
STEPS = [
    ("SIGINT", "before(__main__, '_parser')"),
    ("SIGTERM", "before(__main__, '_parser')"),
    ("SIGINT", "after(argparse.ArgumentParser, 'parse_args')"),
    ("SIGTERM", "before(serve, 'load_package')"),
    ("SIGINT", "after(serve, 'load_package')"),
    ("SIGTERM", "before(serve, 'serve')"),
    ("SIGINT", "after(serve, 'serve')"),
]
SERVES, STOPS = "serving", "stopping"
# Further signals, and what the command has printed until then.
TWICE = [
    ("SIGTERM", "before(builtins, 'print')", []),
    ("SIGINT", "after(builtins, 'print')", [SERVES, STOPS]),
    ("SIGTERM", "after(builtins, 'print')", [SERVES, STOPS]),
    ("SIGINT", "before(ml.HttpServer, 'wait'); before(ml.HttpServer, 'stop')", [SERVES, STOPS]),
    ("SIGTERM", "before(ml.HttpServer, 'wait'); after(ml.HttpServer, 'stop')", [SERVES, STOPS]),
    (
        "SIGINT",
        "before(ml.HttpServer, 'wait'); before(signals.CommandSignals, 'release')",
        [SERVES, STOPS],
    ),
]


def run_interrupted(name, step, *arguments):
    return subprocess.run(
        [sys.executable, "-c", INTERRUPTED, name, step, *map(str, arguments)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


@pytest.mark.parametrize(("name", "step"), STEPS)
@pytest.mark.sampled(3)
def test_a_signal_ends_the_command_at_any_step(tmp_path, name, step):
    save_network(tmp_path / "net")
    ended = run_interrupted(name, step, "serve", tmp_path / "net", "--port", 0)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(("name", "steps", "printed"), TWICE)
@pytest.mark.sampled(3)
def test_the_second_signal_ends_the_process_at_once(tmp_path, name, steps, printed):
    save_network(tmp_path / "net")
    ended = run_interrupted(name, steps, "serve", tmp_path / "net", "--port", 0)
    assert (ended.returncode, ended.stderr) == (-signal.Signals[name], "")
    assert [line.split()[0] for line in ended.stdout.splitlines()] == printed


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("step", ["before(__main__, '_parser')", "before(builtins, 'print')"])
@pytest.mark.sampled(3)
def test_a_signal_ends_other_commands_without_a_traceback(tmp_path, name, step):
    save_network(tmp_path / "net")
    ended = run_interrupted(name, step, "package", "verify", tmp_path / "net")
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + signal.Signals[name], "", "")


def test_an_engine_serves_a_package(tmp_path):
    compiled, params = save_network(tmp_path / "a")
    x = {"x": np.arange(6, dtype=np.float32).reshape(2, 3)}
    expected = compiled.evaluate(params, x)["y"]
    package = ml.load_package(tmp_path / "a")
    engine = ml.Engine(memory_limit=sum(value.nbytes for value in params.values()))
    engine.register_model("one", package)
    np.testing.assert_allclose(engine.infer("one", x)["y"], expected, rtol=1e-5)
    engine.register_model("two", lambda: ml.load_package(tmp_path / "a"))
    assert not engine.model_info("one")["loaded"]
    for name in ("one", "two"):
        np.testing.assert_allclose(engine.infer(name, x)["y"], expected, rtol=1e-5)


def test_a_file_that_is_no_package_is_an_error(tmp_path):
    process = run(tmp_path / "nothing", "--port", 0)
    output, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 3 and output == ""
    assert errors.startswith("mithril.InputError[E0830]")
