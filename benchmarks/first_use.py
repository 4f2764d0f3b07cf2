"""Measures a newcomer's path with Mithril, PyTorch, Keras and ONNX Runtime.

Each path starts in an empty folder and has a list of shell commands for each goal: a first
evaluation, trained digits, a converted PyTorch module, an answer of a server, an op of one's own.
Prints a Markdown table: minutes, processor seconds, commands and megabytes of each goal from
nothing. A command that several goals need runs once and counts for each of them. The caches of
compilers and of pip are off. System packages are installed before. The programs are in
benchmarks/first_use_programs.
Usage: python benchmarks/first_use.py [--wheel PATH] [--only NAME ...] [--goals GOAL ...]
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "benchmarks" / "first_use_programs"
DATA = ROOT / "examples" / "data" / "digits.bin"
GOALS = ("evaluate", "train", "convert", "serve", "own op")
NO_CACHES = {"PIP_NO_CACHE_DIR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "CCACHE_DISABLE": "1"}

VENV = "{python} -m venv .venv"
PIP = ".venv/bin/pip install -q"
RUN = ".venv/bin/python {programs}"
IMAGE = "[" + ",".join("0" for _ in range(64)) + "]"
IMAGES = '{{"image": [[[[' + "],[".join(",".join(8 * "0") for _ in range(8)) + "]]]]}}"
ROWS = '{{"x": [[1,1,1,1],[1,1,1,1]]}}'
SERVER = f"{RUN}/ask.py http://localhost:8000/infer"


def ours(python: str, get: list[str], examples: str, package: str) -> dict[str, list[str]]:
    body = (
        '{{"inputs":[{{"name":"image","shape":[1,1,8,8],"datatype":"FP32","data":' + IMAGE + "}}]}}"
    )
    url = "http://localhost:8000/v2/models/digits/infer"
    train = f"{python} {examples}/train_digits.py 12 {package}"
    serve = f"{python} -m mithril serve --port 8000 {package}"
    return {
        "evaluate": [*get, f"{python} {{programs}}/mithril_evaluate.py"],
        "train": [*get, train],
        "convert": [
            *get,
            f"{python} -m pip install -q torch",
            f"{python} {{programs}}/mithril_convert.py",
        ],
        "serve": [
            *get,
            train,
            f"{python} {{programs}}/ask.py {url} '{body}' {serve}",
        ],
        "own op": [*get, f"{python} {examples}/own_ops.py"],
    }


def paths(wheel: str | None) -> dict[str, dict[str, list[str]]]:
    """The commands of each goal, by the name of the library."""
    torch = [VENV, f"{PIP} torch numpy"]
    keras = [VENV, f"{PIP} keras jax"]
    onnx = [VENV, f"{PIP} onnxruntime onnx"]
    web = f"{PIP} fastapi uvicorn"
    train_torch, train_keras = f"{RUN}/torch_train.py {{data}}", f"{RUN}/keras_train.py {{data}}"
    convert_onnx = [*onnx, f"{PIP} torch onnxscript", f"{RUN}/onnxruntime_convert.py"]
    ask = f"{SERVER} '{IMAGES}' .venv/bin/python {{programs}}"
    made = {
        "PyTorch": {
            "evaluate": [*torch, f"{RUN}/torch_evaluate.py"],
            "train": [*torch, train_torch],
            "serve": [*torch, web, train_torch, f"{ask}/torch_serve.py"],
            "own op": [*torch, f"{RUN}/torch_own_op.py"],
        },
        "Keras on JAX": {
            "evaluate": [*keras, f"{RUN}/keras_evaluate.py"],
            "train": [*keras, train_keras],
            "serve": [*keras, web, train_keras, f"{ask}/keras_serve.py"],
            "own op": [*keras, f"{RUN}/keras_own_op.py"],
        },
        "ONNX Runtime": {
            "evaluate": [*onnx, f"{RUN}/onnxruntime_evaluate.py"],
            "convert": convert_onnx,
            "serve": [
                *convert_onnx,
                web,
                f"{SERVER} '{ROWS}' .venv/bin/python {{programs}}/onnxruntime_serve.py",
            ],
        },
    }
    clone = ["git clone -q {root} mithril", "make -C mithril python"]
    python = "mithril/.venv/bin/python"
    made["Mithril, clone"] = ours(python, clone, "mithril/examples/python", "digits.zip")
    made["Mithril, make demo"] = {"train": [clone[0], "make -C mithril demo"]}
    if wheel:
        install = [VENV, f"{PIP} {wheel}"]
        examples = "{root}/examples/python"
        made["Mithril, wheel"] = ours(".venv/bin/python", install, examples, "digits.zip")
    return made


@dataclass(frozen=True)
class Cost:
    seconds: float = 0
    processor: float = 0
    megabytes: float = 0
    commands: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.seconds + other.seconds,
            self.processor + other.processor,
            self.megabytes + other.megabytes,
            self.commands + other.commands,
        )


def size(folder: Path) -> float:
    """Megabytes of the files, each with the blocks that it takes."""
    told = subprocess.run(["du", "-sk", folder], capture_output=True, text=True, check=True)
    return int(told.stdout.split()[0]) / 1024


def measured(command: str, folder: Path) -> Cost:
    environment = {**os.environ, **NO_CACHES}
    environment.pop("PYTHONPATH", None)
    before, began, used = (
        size(folder),
        time.monotonic(),
        resource.getrusage(resource.RUSAGE_CHILDREN),
    )
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds, now = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    processor = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    print(f"{seconds:7.1f} s {processor:7.1f} s  {command[:100]}", file=sys.stderr, flush=True)
    # The server and the question are two commands.
    return Cost(seconds, processor, size(folder) - before, 1 + ("/ask.py" in command))


def walk(goals: dict[str, list[str]], folder: Path, places: dict[str, str]) -> dict[str, Cost]:
    """The cost of each goal from nothing."""
    costs: dict[str, Cost] = {}
    for commands in goals.values():
        for command in commands:
            if command not in costs:
                costs[command] = measured(command.format(**places), folder)
    return {
        goal: sum((costs[command] for command in commands), Cost())
        for goal, commands in goals.items()
    }


def cell(cost: Cost | None) -> str:
    if cost is None:
        return "none"
    minutes, megabytes = f"{cost.seconds / 60:.1f} min", f"{cost.megabytes:.0f} MB"
    return f"{minutes}, {cost.processor:.0f} s, {cost.commands}, {megabytes}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", help="a wheel of Mithril: another path that installs it")
    parser.add_argument("--only", nargs="*", help="names of libraries")
    parser.add_argument("--goals", nargs="*", choices=GOALS, default=GOALS)
    given = parser.parse_args()

    places = {
        "python": sys.executable,
        "programs": str(PROGRAMS),
        "data": str(DATA),
        "root": str(ROOT),
    }
    wheel = str(Path(given.wheel).resolve()) if given.wheel else None
    rows: dict[str, dict[str, Cost]] = {}
    for name, goals in paths(wheel).items():
        if given.only and name not in given.only:
            continue
        chosen = {goal: commands for goal, commands in goals.items() if goal in given.goals}
        folder = Path(tempfile.mkdtemp())
        rows[name] = walk(chosen, folder, places)
        shutil.rmtree(folder)
    print(f"| | {' | '.join(given.goals)} |\n|{' --- |' * (len(given.goals) + 1)}")
    for name, costs in rows.items():
        print(f"| {name} | {' | '.join(cell(costs.get(goal)) for goal in given.goals)} |")
    print(f"load of the last 1, 5 and 15 minutes: {os.getloadavg()}")


if __name__ == "__main__":
    main()
