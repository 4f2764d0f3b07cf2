"""The load of other processes: whether a measurement was disturbed."""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

# The share of processor time in a turn that others may take, and the least that is looked at:
# the kernel counts in steps of 10 ms.
OTHERS_SHARE = 0.04
LEAST_SECONDS = 0.04
QUIET_SECONDS = 0.08  # of the processors within a second


@dataclass(frozen=True)
class ProcessorTimes:
    """Seconds of all processors since the machine started."""

    busy: float
    stolen: float  # that another virtual machine had


def parsed_times(line: str, ticks_a_second: int) -> ProcessorTimes:
    """Parses the first line of /proc/stat."""
    ticks = [int(word) for word in line.split()[1:9]]
    idle = ticks[3] + ticks[4]
    return ProcessorTimes((sum(ticks) - idle) / ticks_a_second, ticks[7] / ticks_a_second)


def processor_times() -> ProcessorTimes:
    first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    return parsed_times(first, os.sysconf("SC_CLK_TCK"))


def is_disturbed(
    before: ProcessorTimes, after: ProcessorTimes, own: float, elapsed: float, processors: int
) -> bool:
    """Returns whether other processes took more time during a turn than a measurement tolerates;
    `own` is the time of the peer."""
    others = after.busy - before.busy - own
    stolen = after.stolen - before.stolen
    return max(others, stolen) > max(LEAST_SECONDS, OTHERS_SHARE * elapsed * processors)


def wait_until_quiet(patience: float) -> None:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        before = processor_times().busy
        time.sleep(1)
        if processor_times().busy - before < QUIET_SECONDS:
            return
    print("the machine is not quiet", file=sys.stderr)
