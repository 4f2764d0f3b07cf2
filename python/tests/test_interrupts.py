"""Ctrl-C in the middle of each phase ends it and leaves all objects as they were."""

import signal
import subprocess
import sys

import pytest

# Work that takes minutes, and checks of the objects afterwards.
PHASES = {
    "compose": (
        """
        ml.set_limits(repetitions=10**9, parts=10**9)
        model = ml.Model()
        model |= ml.Relu()(input="x", output="y")
        """,
        'model |= ml.AUC(10**8)(pred="y")',
        """
        assert model.input_keys == ["x"]
        model |= ml.Relu()(input="y", output="z")
        assert ml.compile(model, backend).evaluate({}, {"x": x})["z"].shape == (2, 3)
        """,
    ),
    "from_json": (
        "ml.set_limits(repetitions=10**9, parts=10**9)",
        'ml.Model.from_json(\'{"name": "AUC", "args": {"n_classes": 100000000}}\')',
        'assert ml.Model.from_json(\'"Relu"\').class_name == "Relu"',
    ),
    "compile": (
        """
        import time
        model = ml.Model()
        for _ in range(300_000):
            model += ml.Sigmoid()
        begin = time.process_time()
        ml.compile(model, backend)
        whole = time.process_time() - begin
        delay = 0.25 * whole
        begin = time.process_time()
        """,
        "ml.compile(model, backend)",
        # An interrupt that waits for the end of the call is raised, too.
        """
        assert time.process_time() - begin < 0.75 * whole, "it came after the call"
        assert len(model.output_keys) == 1
        model += ml.Relu()
        """,
    ),
    "evaluate": (
        """
        model = ml.Model()
        model |= ml.MatrixMultiply()(left="x", right="w", output="y0")
        for i in range(3000):
            model |= ml.MatrixMultiply()(left=f"y{i}", right="w", output=f"y{i + 1}")
        model.expose_keys("y3000")
        compiled = ml.compile(model, backend, data_keys=["x", "w"])
        large = np.zeros((1500, 1500), np.float32)
        """,
        'compiled.evaluate({}, {"x": large, "w": large})',
        """
        out = compiled.evaluate({}, {"x": x, "w": np.eye(3, dtype=np.float32)})
        assert np.array_equal(out["y3000"], x)
        """,
    ),
}
PROGRAM = """
import signal
import sys
import numpy as np
import mithril as ml

# A shell without job control starts its background jobs with SIGINT ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

def dedented(text):
    import textwrap
    return textwrap.dedent(text)

backend = {backend}
x = np.ones((2, 3), np.float32)
delay = 0.5  # seconds from "ready" to the middle of the work
exec(dedented({before!r}))
print("ready", delay, flush=True)
try:
    exec({work!r})
except KeyboardInterrupt:
    exec(dedented({after!r}))
    print("interrupted")
"""


def interrupted(phase: str, backend: str) -> str:
    before, work, after = PHASES[phase]
    program = PROGRAM.format(backend=backend, before=before, work=work, after=after)
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as child:
        assert child.stdout is not None
        try:
            said = child.stdout.readline()
            assert said.startswith("ready "), said + child.stdout.read()
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(float(said.split()[1]))  # now it is in the middle of the work
            child.send_signal(signal.SIGINT)
            return child.communicate(timeout=60)[0]
        finally:
            child.kill()


@pytest.mark.parametrize("phase", PHASES)
def test_ctrl_c_ends_the_work(phase):
    assert interrupted(phase, "ml.CpuBackend()") == "interrupted\n"


def test_ctrl_c_ends_an_evaluation_by_torch():
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("mithril._torch", reason="torch is not built")
    assert interrupted("evaluate", "ml.TorchBackend()") == "interrupted\n"


def test_an_exception_of_a_signal_handler_leaves_the_call():
    code = """
import signal
import mithril as ml

class Enough(Exception): pass
def handler(*_): raise Enough("now")
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
ml.set_limits(repetitions=10**9, parts=10**9)
try:
    ml.AUC(10**8)
except Enough as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=120
    )
    assert (run.stdout, run.stderr) == ("now\n", "")
