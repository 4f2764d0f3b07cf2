"""Programs that end while daemon threads are inside of the library."""

import subprocess
import sys

import pytest
from processes import environment

PROGRAM = """
import sys
import threading
import numpy as np
import mithril as ml

size = {size}
model = ml.Model()
model |= ml.Linear(size)(input="x", output="h")
model |= ml.Relu()(input="h", output="y")
compiled = ml.compile(model, ml.CpuBackend(), shapes={{"x": ["N", size]}}, inference=True)
params = compiled.get_parameters()
engine = ml.Engine(threads=2)
engine.register_model("net", compiled, params, max_batch_size=8)
x = np.ones((2, size), np.float32)
started = threading.Semaphore(0)

def work():
    for i in range(10**9):
        {work}
        if i == 3:
            started.release()

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
for _ in range(3):
    started.acquire()
print("ends")
"""
WORK = {
    "evaluate": 'compiled.evaluate(params, {"x": x})',
    "infer": 'engine.infer("net", {"x": x})',
    "infer_batch": 'engine.infer_batch("net", [{"x": x}, {"x": x}])',
    "compile": 'ml.compile(model, ml.CpuBackend(), shapes={"x": [2, size]})',
    "infer_of_python": 'engine.infer("python", {"x": x})',
}
PYTHON_OP = """
op = ml.add_op(
    "doubled_rows", inputs={"x": "N D"}, outputs={"output": "N D"}, function=lambda x: 2 * x
)
python_model = ml.Model()
python_model |= op()(x="x", output="y")
engine.register_model(
    "python",
    ml.compile(python_model, ml.CpuBackend(), shapes={"x": ["N", size]}, data_keys={"x"}),
    max_batch_size=8,
)
"""


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("size", [3, 400])
@pytest.mark.sampled(3)
def test_a_daemon_thread_does_not_abort_the_end_of_the_program(
    work: str, size: int, all_cases: bool
) -> None:
    program = PROGRAM.format(size=size, work=WORK[work])
    program = program.replace("x = np.ones", PYTHON_OP + "x = np.ones")
    for _ in range(3 if all_cases else 1):  # where the threads are at the end differs
        ended = subprocess.run(
            [sys.executable, "-c", program],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,  # which only a program that does not end takes
        )
        assert ended.stderr == ""
        assert ended.stdout == "ends\n"
        assert ended.returncode == 0
