"""Processes with the environment of torchrun, for tests of groups."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field

from .forked_program import ForkedProgram

LONGEST = 900  # seconds that a program may take: only one that hangs takes as many


# Of programs: the text of the error of a call; "" without one.
REFUSED = """
def refused(call):
    try:
        call()
    except ml.Error as error:
        return str(error)
    return ""
"""


def interpreter(program, environment):
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@dataclass
class Job:
    """Processes that run one program. Their store is in this process, as torchrun has it.

    `ranks` of restarted processes share the store with those before them.
    """

    size: int
    processes: dict[int, ForkedProgram | subprocess.Popen] = field(default_factory=dict)

    def __post_init__(self):
        import torch.distributed as dist  # noqa: PLC0415 - tests without torch import this module

        self.store = dist.TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
            process.communicate()

    def environment(self, rank, restart=0):
        of_launcher = {
            "RANK": str(rank),
            "LOCAL_RANK": str(rank),
            "WORLD_SIZE": str(self.size),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(self.store.port),
            "TORCHELASTIC_USE_AGENT_STORE": "True",
            "TORCHELASTIC_RESTART_COUNT": str(restart),
            "OMP_NUM_THREADS": "1",
        }
        return os.environ | of_launcher | {"PYTHONPATH": os.pathsep.join(sys.path)}

    def start(self, program, restart=0, is_forked=True):
        """Starts the program in a process for each rank. `is_forked`: that begins as a copy of one
        that has imported torch, and otherwise is that of a new interpreter."""
        for rank in range(self.size):
            environment = self.environment(rank, restart)
            self.processes[rank] = (ForkedProgram if is_forked else interpreter)(
                program, environment
            )

    def lines(self, rank):
        """Returns the lines that the process has written when it has ended, and its errors."""
        out, errors = self.processes[rank].communicate(timeout=LONGEST)
        return out.splitlines(), errors


def run(size, program):
    """Runs the program in `size` processes, and returns the lines that each has written."""
    with Job(size) as job:
        job.start(program)
        results = [job.lines(rank) for rank in range(size)]
        for rank, (_, errors) in enumerate(results):
            assert job.processes[rank].returncode == 0, errors
        return [lines for lines, _ in results]
