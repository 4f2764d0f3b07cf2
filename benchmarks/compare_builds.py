"""python -m benchmarks.compare_builds OLD NEW [WORKLOAD ...]: two builds of our own runner.

OLD and NEW are build folders with `benchmarks/mithril`. Both run each workload of `mithril bench`
with the same threads. A round gives a turn of about half a second to each, in alternating order;
the other process is stopped meanwhile. Prints a table of medians: milliseconds of each build, and
the median of the ratios of the rounds, new / old.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.peers.load import wait_until_quiet
from benchmarks.peers.processes import Peer, Setting
from benchmarks.peers.table import duration


def runner(build: Path) -> Path:
    return build / "benchmarks" / "mithril"


def environment(build: Path) -> dict[str, str]:
    """Finds the libraries of a build folder that was moved, too."""
    return {**os.environ, "LD_LIBRARY_PATH": str(build)}


def workloads_of(build: Path) -> list[str]:
    """The names in the runner's message about a name that it does not know."""
    answer = subprocess.run(
        [runner(build), "bench", "?"],
        check=False,
        env=environment(build),
        capture_output=True,
        text=True,
    )
    found = re.search("there are (.*)", answer.stdout + answer.stderr)
    if not found:
        sys.exit(f"{runner(build)} does not list its workloads: {answer.stderr}")
    return found[1].split()


def start(build: Path, workload: str, setting: Setting) -> Peer:
    command = [str(runner(build)), "bench", workload, "--turns"]
    command += ["--threads", str(setting.threads)]
    process = subprocess.Popen(
        command,
        env=environment(build),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return Peer(str(build), process)


def compare(workload: str, builds: list[Path], setting: Setting) -> str:
    """A row of the table."""
    wait_until_quiet(setting.patience)
    peers: list[Peer] = []
    try:
        for build in builds:
            peers.append(start(build, workload, setting))
        for number in range(setting.rounds):
            for peer in peers if number % 2 == 0 else reversed(peers):
                peer.take_turn(setting)
        for peer in peers:
            if not peer.is_alive:
                sys.exit(f"{workload}: {peer.name}: {peer.about['error']}")
        old, new = (peer.rounds for peer in peers)
        ratio = statistics.median(n / o for o, n in zip(old, new, strict=True))
        times = [duration(statistics.median(rounds)) for rounds in (old, new)]
        disturbed = "!" if any(4 * peer.disturbed > setting.rounds for peer in peers) else ""
        return f"| {workload} | {times[0]} | {times[1]} | {ratio:.2f}{disturbed} |"
    finally:
        for peer in peers:
            peer.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare_builds",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="by default all of OLD's")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a turn")
    options = parser.parse_args()
    builds = [options.old.resolve(), options.new.resolve()]
    for build in builds:
        if not runner(build).is_file():
            sys.exit(f"there is no {runner(build)}: build the target mithril there")
    setting = Setting(
        python=Path(sys.executable),
        runner=runner(builds[1]),
        data=builds[1],
        threads=options.threads,
        seconds=options.seconds,
        rounds=options.rounds,
        retries=3,
        patience=20,
    )
    print("| workload | old | new | new / old |\n| --- | --- | --- | --- |", flush=True)
    for workload in options.workloads or workloads_of(builds[0]):
        print(compare(workload, builds, setting), flush=True)


if __name__ == "__main__":
    main()
