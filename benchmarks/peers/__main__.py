"""python -m benchmarks.peers [WORKLOAD ...] [--peers a,b] [--rounds N] [--threads T]: measures.

python -m benchmarks.peers --retable FILE [--document docs/benchmarks.md]: draws the tables again.
`benchmarks/peers/set_up` installs the peers in .venv-peers; without it, the interpreter that runs
this has those peers that it can import. `--list` names workloads and peers.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.peers.load import wait_until_quiet
from benchmarks.peers.processes import (
    ROOT,
    Peer,
    Setting,
    installed,
    machine_peak,
    prepare,
    start,
)
from benchmarks.peers.table import Record, duration, read_records, tables, with_tables
from benchmarks.peers.variants import ON_REQUEST, OURS, RUNTIMES, USUAL, Variant
from benchmarks.peers.workloads import WORKLOADS


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "?")


def told(peer: Peer, workload: str) -> None:
    about = peer.about
    what = about.get("error") or f"{about['cold_s']:.2f} s cold, error {about['rel_err']:.1e}"
    print(f"  {workload}: {peer.name}: {what}", flush=True)


def record(peer: Peer, common: Record) -> Record:
    about = {**common, "peer": peer.name, **peer.about}
    if not peer.rounds or not peer.is_alive:
        return about
    return {
        **about,
        "ms": statistics.median(peer.rounds),
        "rounds": peer.rounds,
        "disturbed": peer.disturbed,
        "repeated": peer.repeated,
        "peak_mb": peer.peak_megabytes(),
    }


def measure(workload: str, names: list[str], setting: Setting, run: str) -> list[Record]:
    prepare(workload, setting)
    wait_until_quiet(setting.patience)
    common = {
        "run": run,
        "date": run.split("T", maxsplit=1)[0],
        "workload": workload,
        "threads": setting.threads,
        "processor": processor(),
        "machine": machine_peak(setting),
    }
    peers: list[Peer] = []
    with tempfile.TemporaryDirectory(prefix="peers-") as caches:
        try:
            for name in names:
                if name == OURS or Variant(name).applies_to(WORKLOADS[workload]):
                    peers.append(start(name, workload, setting, Path(caches)))
                    told(peers[-1], workload)
            for _ in range(setting.rounds):
                for peer in peers:
                    if peer.is_alive:
                        peer.take_turn(setting)
            return [record(peer, common) for peer in peers]
        finally:
            for peer in peers:
                peer.close()


def chosen_peers(asked: str, python: Path) -> list[str]:
    names = asked.split(",") if asked else list(USUAL)
    for name in names:
        if name not in (*USUAL, *ON_REQUEST):
            sys.exit(f"there is no peer {name}; there are {' '.join((*USUAL, *ON_REQUEST))}")
    there = installed(python)
    missing = [runtime for runtime in RUNTIMES if runtime not in there]
    if missing:
        print(f"not installed, and left out: {', '.join(missing)}", file=sys.stderr)
    return [OURS, *(name for name in names if Variant(name).runtime in {OURS, *there})]


def use_processors(count: int) -> None:
    """Restricts this process and its children to this number of its processors."""
    usable = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, usable[:count])


def run_all(options: argparse.Namespace) -> Path:
    python = options.environment / "bin" / "python"
    setting = Setting(
        python=python if python.exists() else Path(sys.executable),
        runner=options.runner.resolve(),
        data=options.data.resolve(),
        threads=options.threads,
        seconds=options.seconds,
        rounds=options.rounds,
        retries=options.retries,
        patience=options.patience,
    )
    names = chosen_peers(options.peers, setting.python)
    use_processors(options.threads)
    setting.data.mkdir(parents=True, exist_ok=True)
    run = time.strftime("%Y-%m-%dT%H:%M:%S")
    for workload in options.workloads or WORKLOADS:
        records = measure(workload, names, setting, run)
        with options.out.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
        times = [f"{one['peer']} {duration(one['ms'])}" for one in records if "ms" in one]
        print(f"{workload}: {', '.join(times)}", flush=True)
    out: Path = options.out
    return out


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    built = ROOT / "build"
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD")
    parser.add_argument("--peers", default="", help="by default those that --list has as usual")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.4, help="of a turn")
    parser.add_argument("--retries", type=int, default=3, help="of a turn that was disturbed")
    parser.add_argument("--patience", type=float, default=60, help="seconds to wait for quiet")
    parser.add_argument("--environment", type=Path, default=ROOT / ".venv-peers")
    parser.add_argument("--runner", type=Path, default=built / "release/benchmarks/mithril")
    parser.add_argument("--data", type=Path, default=built / "peers", help="prepared folders")
    parser.add_argument("--out", type=Path, default=built / "peers.jsonl", help="is added to")
    parser.add_argument("--retable", type=Path, metavar="FILE")
    parser.add_argument("--document", type=Path, help="where the tables go; else they are printed")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    if options.list:
        print("workloads:", *WORKLOADS, "\npeers:", *USUAL, "\non request:", *ON_REQUEST)
        return
    for name in options.workloads:
        if name not in WORKLOADS:
            sys.exit(f"there is no workload {name}; there are {' '.join(WORKLOADS)}")
    text = tables(read_records(options.retable or run_all(options)))
    if options.document is None:
        print(text)
        return
    document = options.document.read_text(encoding="utf-8")
    options.document.write_text(with_tables(document, text), encoding="utf-8")


if __name__ == "__main__":
    main()
