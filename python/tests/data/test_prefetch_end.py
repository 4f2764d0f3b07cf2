"""Programs that end while a thread reads ahead."""

import subprocess
import sys

import pytest
from processes import environment

LIMIT = 300  # seconds, which only a thread or a process that hangs takes


def test_a_program_that_leaves_an_iterator_open_ends() -> None:
    program = """
import mithril as ml
import numpy as np
batches = iter(ml.data.from_arrays({"x": np.zeros(9)}).batch(2).prefetch())
next(batches)
"""
    command = [sys.executable, "-c", program]
    subprocess.run(command, env=environment(), check=True, timeout=LIMIT)


@pytest.mark.slow
def test_a_thread_reads_to_the_end_after_the_main_thread_has_ended() -> None:
    program = """
import threading
import time
import mithril as ml
import numpy as np

def items(batch):
    time.sleep(0.001)  # so that the thread of prefetch is worth it
    return batch

def read():
    threading.main_thread().join()
    source = ml.data.from_arrays({"x": np.arange(8)}).map(items)
    for batch in source.batch(2).prefetch():
        print(batch["x"].tolist(), flush=True)
        time.sleep(0.3)  # longer than the thread of prefetch waits

threading.Thread(target=read).start()
"""
    command = [sys.executable, "-c", program]
    ended = subprocess.run(
        command, env=environment(), check=True, timeout=LIMIT, capture_output=True, text=True
    )
    assert ended.stdout.splitlines() == ["[0, 1]", "[2, 3]", "[4, 5]", "[6, 7]"]
