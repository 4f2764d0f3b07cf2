"""Ctrl-C in a process that waits for others."""

import json

import pytest

pytest.importorskip("torch")

from support.forked_program import ForkedProgram
from support.torchrun import Job

BEGIN = """
import json, os, signal, sys, threading
import numpy as np
import mithril as ml

signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupt_soon():
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()

def end_of(call):
    try:
        call()
    except KeyboardInterrupt:
        return "interrupted"
    except ml.Error as error:
        return str(error)
    return "no error"
"""

STEP = (
    BEGIN
    + """
group = ml.distributed.init(timeout=60)
net = ml.Model()
net |= ml.Linear(3)(input="x", weight="w", output="scores")
train = ml.TrainModel(net)
train.add_loss(ml.CrossEntropy(), input="scores", target="y")
compiled = ml.compile(train, ml.CpuBackend(), shapes={"x": [None, 4]}, group=group)
step, params = ml.TrainingStep(compiled, ml.SGD(0.1)), compiled.get_parameters()
batch = {"x": np.ones((4, 4), np.float32), "y": np.zeros(4, np.int64)}
step(params, group.rows(batch))
before = params["w"].copy()
if group.rank == 0:
    interrupt_soon()
else:
    sys.stdin.read()
end = end_of(lambda: step(params, group.rows(batch)))
print(json.dumps([end, bool(np.array_equal(before, params["w"]))]))
"""
)


def test_a_step_that_waits_ends_at_once_and_so_do_the_other_processes():
    with Job(2) as job:
        job.start(STEP)
        ends = [json.loads(job.lines(rank)[0][-1]) for rank in range(2)]  # process 0 ends first
    assert ends[0] == ["interrupted", True]
    text, is_as_before = ends[1]
    assert is_as_before
    assert "mithril.DistributedError[E0963]" in text
    assert "interrupted" in text


BARRIER = (
    BEGIN
    + """
group = ml.distributed.init(timeout=60)
if group.rank == 0:
    interrupt_soon()
else:
    sys.stdin.read()
print(json.dumps(end_of(group.barrier)))
"""
)


@pytest.mark.slow
def test_a_collective_that_waits_ends_at_once():
    with Job(2) as job:
        job.start(BARRIER)
        first, second = (json.loads(job.lines(rank)[0][-1]) for rank in range(2))
    assert first == "interrupted"
    assert "mithril.DistributedError[E0963]" in second


INIT = (
    BEGIN
    + """
interrupt_soon()
print(end_of(lambda: ml.distributed.init(start_timeout=3600)))
"""
)


@pytest.mark.slow
def test_a_process_that_waits_for_others_to_start_ends_at_once():
    with Job(2) as job:
        job.processes[0] = ForkedProgram(INIT, job.environment(0))
        assert job.lines(0)[0][-1] == "interrupted"
