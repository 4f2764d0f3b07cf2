"""Peers as processes that are stopped unless it is their turn."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.peers.load import is_disturbed, processor_times
from benchmarks.peers.variants import OURS, RUNTIMES, Variant
from benchmarks.peers.workloads import WORKLOADS

ROOT = Path(__file__).resolve().parents[2]
# MKL uses slow kernels on processors that are not Intel's; with these variables it checks features.
SHIM = """int mkl_serv_intel_cpu_true(void) { return 1; }
int mkl_serv_intel_cpu(void) { return 1; }
"""


@dataclass(frozen=True)
class Setting:
    """The settings that all measurements of a run share."""

    python: Path  # of the environment that has the peers
    runner: Path
    data: Path  # with a folder for each workload
    threads: int
    seconds: float  # of a turn
    rounds: int
    retries: int
    patience: float  # the longest wait for a quiet machine, in seconds


def environment(threads: int, cache: Path) -> dict[str, str]:
    count = str(threads)
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "examples" / "models")]),
        "OMP_NUM_THREADS": count,
        "MKL_NUM_THREADS": count,
        "OPENBLAS_NUM_THREADS": count,
        "TORCHINDUCTOR_CACHE_DIR": str(cache),
        "TRITON_CACHE_DIR": str(cache),
        "JAX_PLATFORMS": "cpu",
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONWARNINGS": "ignore",
    }


def shim(folder: Path) -> Path:
    library = folder / "mkl_shim.so"
    if not library.exists():
        compiler = os.environ.get("CC", "cc")
        command = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)]
        subprocess.run(command, input=SHIM, text=True, check=True)
    return library


def installed(python: Path) -> set[str]:
    """The runtimes that the interpreter can import."""
    modules = sorted({module for module, _ in RUNTIMES.values()})
    program = f"import importlib.util as u; print(*[m for m in {modules} if u.find_spec(m)])"
    found = subprocess.run(
        [python, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    return {runtime for runtime, (module, _) in RUNTIMES.items() if module in found}


@dataclass
class Peer:
    """A peer process and its measurements. It loads and compares results, and is then stopped."""

    name: str
    process: subprocess.Popen[str]
    about: dict[str, Any] = field(default_factory=dict)
    rounds: list[float] = field(default_factory=list)  # milliseconds
    disturbed: int = 0  # of the rounds
    repeated: int = 0  # turns

    def __post_init__(self) -> None:
        self.about = self.read()
        if self.is_alive:
            self.signal(signal.SIGSTOP)

    @property
    def is_alive(self) -> bool:
        return "error" not in self.about

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            return {"error": f"it ended with {self.process.wait()}"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def signal(self, number: int) -> None:
        os.killpg(self.process.pid, number)

    def turn(self, seconds: float) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.signal(signal.SIGCONT)
        print(seconds, file=self.process.stdin, flush=True)
        answer = self.read()
        if "error" not in answer:
            self.signal(signal.SIGSTOP)
        return answer

    def take_turn(self, setting: Setting) -> None:
        """Measures a turn, and repeats it if other processes disturbed it."""
        for attempt in range(setting.retries + 1):
            before, begin = processor_times(), time.perf_counter()
            answer = self.turn(setting.seconds)
            elapsed, after = time.perf_counter() - begin, processor_times()
            if "error" in answer:
                self.about |= answer
                return
            processors = os.cpu_count() or 1
            is_bad = is_disturbed(before, after, answer["cpu_s"], elapsed, processors)
            if not is_bad or attempt == setting.retries:
                self.rounds.append(answer["ms"])
                self.disturbed += is_bad
                return
            self.repeated += 1

    def peak_megabytes(self) -> float:
        """The most memory that the process itself ever had."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024

    def close(self) -> None:
        if self.process.poll() is not None:
            return
        self.signal(signal.SIGCONT)
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            self.process.wait()


def start(name: str, workload: str, setting: Setting, caches: Path) -> Peer:
    """Starts the peer, or our runner; caches are empty ones for this run."""
    folder = setting.data / workload
    variables = environment(setting.threads, caches / name)
    is_architecture = WORKLOADS[workload].is_architecture
    command = [str(setting.runner), "bench", workload, "--turns"]
    command += ["--threads", str(setting.threads), "--data", str(folder)]
    variant = Variant(name)
    if variant.has("weights"):
        command += ["--weight-dtype", "bfloat16"]
    elif variant.runtime == OURS and variant.has("bfloat16"):
        command += ["--amp"]
    if variant.runtime != OURS or is_architecture:
        # Our models of architectures are composed in Python, by the interpreter that runs this.
        python = sys.executable if variant.runtime == OURS else str(setting.python)
        command = [python, "-m", "benchmarks.peers.worker", name, workload]
        command += [str(setting.threads), str(folder)]
        if variant.has("shim"):
            variables["LD_PRELOAD"] = str(shim(setting.data))
    with (folder / f"{name}.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        )
    return Peer(name, process)


def prepare(workload: str, setting: Setting) -> None:
    folder = setting.data / workload
    if (folder / "ref.npz").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    command = [str(setting.python), "-m", "benchmarks.peers.prepare", workload, str(folder)]
    with (folder / "prepare.log").open("w", encoding="utf-8") as log:
        finished = subprocess.run(
            command,
            check=False,
            cwd=ROOT,
            env=environment(setting.threads, folder),
            stdout=log,
            stderr=log,
        )
    if finished.returncode:
        sys.exit(f"{workload} could not be prepared: see {folder / 'prepare.log'}")


def machine_peak(setting: Setting) -> dict[str, float]:
    command = [str(setting.runner), "peak", "--threads", str(setting.threads)]
    line = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    answer: dict[str, float] = json.loads(line)
    return answer
