"""Ctrl-C in the middle of each phase ends it and leaves all objects as they were."""

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
        for _ in range(100_000):
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
# A clock of processor time sends the signal in the middle of the work on a slow machine, too.
PROGRAM = """
import signal
import sys
import numpy as np
import mithril as ml

def dedented(text):
    import textwrap
    return textwrap.dedent(text)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this without
signal.signal(signal.SIGPROF, lambda *_: signal.raise_signal(signal.SIGINT))
backend = {backend}
x = np.ones((2, 3), np.float32)
delay = 0.5  # of processor time until the middle of the work
exec(dedented({before!r}))
try:
    signal.setitimer(signal.ITIMER_PROF, delay)
    exec({work!r})
except KeyboardInterrupt:
    exec(dedented({after!r}))
    print("interrupted")
"""
LIMIT = 300  # seconds, which only a call that is not interrupted takes


def interrupted(phase: str, backend: str) -> str:
    before, work, after = PHASES[phase]
    program = PROGRAM.format(backend=backend, before=before, work=work, after=after)
    return subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT,
    ).stdout


@pytest.mark.parametrize("phase", PHASES)
def test_ctrl_c_ends_the_work(phase):
    assert interrupted(phase, "ml.CpuBackend()") == "interrupted\n"


@pytest.mark.slow
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
signal.signal(signal.SIGPROF, handler)
ml.set_limits(repetitions=10**9, parts=10**9)
try:
    signal.setitimer(signal.ITIMER_PROF, 0.3)
    ml.AUC(10**8)
except Enough as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=LIMIT
    )
    assert (run.stdout, run.stderr) == ("now\n", "")


# Calls that wait for ever, and checks of the objects afterwards. An op of Python keeps the only
# slot of the engine until it is released.
WAITS = {
    "infer_batch": ('late.infer_batch("late", [row, row])', "serves()"),
    "infer_batch_with_errors": (
        'late.infer_batch("late", [row, row], return_errors=True)',
        "serves()",
    ),
    "result": ("pending.result()", "serves()"),
    "wait": ("pending.wait(1e6)", "serves()"),
    "slot": ('engine.infer("fast", row)', "serves()"),
    "shut_down": (
        "engine.shut_down()",
        """
        release.set()
        assert np.array_equal(pending.result()["y"], row["x"])
        engine.shut_down()
        """,
    ),
}
WAITING_PROGRAM = """
import os
import signal
import textwrap
import threading
import time
import numpy as np
import mithril as ml

signal.signal(signal.SIGINT, signal.default_int_handler)
release, begun = threading.Event(), threading.Event()

def keep(x):
    begun.set()
    release.wait()
    return x

def compiled(op):
    model = ml.Model()
    model |= op(x="x", output="y")
    return ml.compile(model, ml.CpuBackend(), shapes={{"x": ["N", 2]}}, data_keys={{"x"}})

ports = {{"inputs": {{"x": "N D"}}, "outputs": {{"output": "N D"}}}}
slow = compiled(ml.add_op("slow_rows", function=keep, **ports)())
fast = compiled(ml.add_op("fast_rows", function=lambda x: x, **ports)())
row = {{"x": np.ones((1, 2), np.float32)}}
late = ml.Engine()
late.register_model("late", fast, max_batch_size=64, max_delay=1e6)
engine = ml.Engine(threads=1)
engine.register_model("slow", slow, max_batch_size=4)
engine.register_model("fast", fast)
pending = engine.infer_async("slow", row)
begun.wait()

def serves():
    release.set()
    assert np.array_equal(pending.result()["y"], row["x"])
    assert np.array_equal(engine.infer("fast", row)["y"], row["x"])
    for model_engine, name in ((engine, "slow"), (engine, "fast"), (late, "late")):
        assert model_engine.stats(name)["waiting"] == 0

timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
try:
    timer.start()
    {work}
except KeyboardInterrupt:
    exec(textwrap.dedent({after!r}))
    print("interrupted")
"""


@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.sampled(3)
def test_ctrl_c_ends_a_wait_of_an_engine(wait):
    work, after = WAITS[wait]
    ended = subprocess.run(
        [sys.executable, "-c", WAITING_PROGRAM.format(work=work, after=after)],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT,
    )
    assert ended.stdout == "interrupted\n"
    assert ended.returncode == 0
