"""Real processes, which exchange tensors by gloo."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import mithril as ml

pytest.importorskip("torch")
from support.torchrun import LONGEST, REFUSED, Job, run

ROOT = Path(__file__).parents[3]
COMPILER = shutil.which("g++") or shutil.which("clang++")

BEGIN = (
    """
import json, os, signal, sys, time
import numpy as np, torch
import mithril as ml
torch.set_num_threads(1)
"""
    + REFUSED
)

COLLECTIVES = (
    BEGIN
    + """
group = ml.distributed.init()
r = group.rank
seconds = time.perf_counter
out = {"rank": r, "size": group.size}
both = ml.distributed.all_reduce({"x": np.full((2, 2), r + 1.0), "n": np.array([r, 10])})
out["x"], out["n"] = both["x"].tolist(), both["n"].tolist()
out["dtypes"] = [str(array.dtype) for array in both.values()]
out["max"] = ml.distributed.all_reduce(np.array([r, -r]), "max").tolist()
out["torch"] = ml.distributed.all_reduce(torch.full((2,), 1.5, dtype=torch.bfloat16)).tolist()
out["gathered"] = [array.tolist() for array in ml.distributed.all_gather(np.arange(r))]
out["gathered_torch"] = [array.tolist() for array in ml.distributed.all_gather(torch.ones(r, 1))]
out["broadcast"] = ml.distributed.broadcast(np.array([r]), root=1).tolist()
ml.distributed.barrier()
group.agree({"dtype": "float32"})
times = []
for _ in range(20):
    start = seconds()
    group.agree({"graph": "g" * 10000, "seed": 3})
    times.append(seconds() - start)
out["agree_seconds"] = sorted(times)[5]
out["differs"] = refused(lambda: group.agree({"dtype": "float32", "seed": r, "key": r}, "compile"))
out["shapes"] = refused(lambda: ml.distributed.all_reduce({"w": np.ones(2 + r)}))
out["after"] = ml.distributed.all_reduce(np.array([1])).tolist()
print(json.dumps(out))
"""
)


@pytest.fixture(scope="module", params=[2, pytest.param(3, marks=pytest.mark.slow)])
def outs(request):
    return [json.loads(lines[-1]) for lines in run(request.param, COLLECTIVES)]


def test_each_process_has_its_rank(outs):
    assert [(out["rank"], out["size"]) for out in outs] == [
        (rank, len(outs)) for rank in range(len(outs))
    ]


def test_arrays_are_reduced_over_the_processes(outs):
    size = len(outs)
    for out in outs:
        assert out["x"] == [[size * (size + 1) / 2] * 2] * 2
        assert out["n"] == [size * (size - 1) / 2, 10 * size]
        assert out["dtypes"] == ["float64", "int64"]
        assert out["max"] == [size - 1, 0]
        assert out["torch"] == [1.5 * size] * 2


def test_arrays_of_different_shapes_are_gathered(outs):
    for out in outs:
        assert out["gathered"] == [list(range(rank)) for rank in range(len(outs))]
        assert out["gathered_torch"] == [[[1.0]] * rank for rank in range(len(outs))]


def test_the_array_of_the_root_is_broadcast(outs):
    assert all(out["broadcast"] == [1] for out in outs)


def test_processes_that_differ_all_get_the_first_difference(outs):
    size = len(outs)
    for out in outs:
        assert out["differs"] == (
            "mithril.DistributedError[E0964]: compile: the processes of group '0' differ in "
            "'seed'\n"
            f"  process 0 of {size} : seed = 0\n"
            f"  process 1 of {size} : seed = 1\n"
            "  help: all processes run the same program, with the same models, options and data"
        )


def test_arrays_of_other_shapes_are_refused_before_the_exchange(outs):
    for out in outs:
        assert "all_reduce: the processes of group '0' differ in 'w'" in out["shapes"]
        assert ": w = float64[2]\n" in out["shapes"]
        assert out["after"] == [len(outs)]


FAILING = (
    BEGIN
    + """
group = ml.distributed.init(timeout={timeout})
ml.distributed.barrier()
print("ready", flush=True)
if group.rank == 1:
    sys.stdin.read()
start = time.perf_counter()
text = refused(lambda: [ml.distributed.barrier() for _ in range(1000000)])
print(time.perf_counter() - start)
print(text)
print(refused(ml.distributed.barrier))
"""
)


def failed_job(size, failure, timeout=60):
    with Job(size) as job:
        job.start(FAILING.replace("{timeout}", str(timeout)))
        for process in job.processes.values():
            assert process.stdout.readline() == "ready\n", process.communicate()[1]
        failure(job.processes[1])
        others = [rank for rank in range(size) if rank != 1]
        return [job.lines(rank)[0] for rank in others]


def test_if_a_process_is_killed_the_others_get_an_error():
    for lines in failed_job(3, lambda process: process.kill()):
        text = "\n".join(lines[1:])
        assert (
            "mithril.DistributedError[E0963]: all_reduce: another process of the group has failed\n"
            in text
        )


@pytest.mark.slow
def test_if_a_process_hangs_the_others_get_an_error_after_the_timeout():
    stop = signal.SIGSTOP
    for lines in failed_job(2, lambda process: os.kill(process.pid, stop), timeout=5):
        text = "\n".join(lines[1:])
        assert "not all processes took part within the timeout" in text
        assert text.count("mithril.DistributedError[E0962]") == 2  # the group is broken
        assert float(lines[0]) >= 4.5


def test_a_program_that_does_not_end_is_killed():
    with Job(1) as job:
        job.start("import signal; print('begun\\nlast', flush=True); signal.pause()")
        process = job.processes[0]
        assert process.stdout.readline() == "begun\n"
        with pytest.raises(AssertionError, match=r"took over 0\.1 seconds, and wrote:\nlast\n"):
            process.communicate(timeout=0.1)
        assert process.communicate() == ("", "")
        assert process.returncode == -signal.SIGKILL


@pytest.mark.slow
def test_restarted_processes_do_not_read_the_addresses_of_those_before_them():
    program = BEGIN + "print(ml.distributed.init(start_timeout=60).size)"
    with Job(2) as job:
        for restart in range(2):
            job.start(program, restart)
            for rank in range(2):
                lines, errors = job.lines(rank)
                assert lines == ["2"], errors


GROUPS = (
    BEGIN
    + """
import torch.distributed as dist
from datetime import timedelta
dist.init_process_group("gloo", timeout=timedelta(seconds=60))
whole = ml.distributed.init()
pair = dist.new_group([0, 1], backend="gloo")
if dist.get_rank() < 2:
    group = ml.distributed.init(pair)
    print(group.size, ml.distributed.all_reduce(np.array([dist.get_rank() + 1])).tolist())
    print(refused(lambda: ml.distributed.init(type("Group", (), {"group_name": "no group"})())))
print(whole.size, whole.all_reduce(np.array([1])).tolist())
"""
)


@pytest.mark.slow
def test_groups_that_the_user_has_made_are_accepted():
    outs = run(3, GROUPS)
    for lines in outs[:2]:
        assert lines[0] == "2 [3]"
        assert lines[1].startswith(
            "mithril.DistributedError[E0966]: the process group 'no group' of torch does not exist"
        )
    assert all(lines[-1] == "3 [3]" for lines in outs)


def test_a_program_runs_under_torchrun(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        BEGIN + "group = ml.distributed.init()\n"
        "total = ml.distributed.all_reduce(np.array([2.5]))\n"
        "np.save(f'{sys.argv[1]}/{group.rank}.npy', total)\n"
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    command += ["--master-port", "0", "--standalone", str(program), str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    out = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert out.returncode == 0, out.stderr
    assert [np.load(tmp_path / f"{rank}.npy").tolist() for rank in range(2)] == [[5.0], [5.0]]


CPP = r"""
#include <cstdio>
#include "mithril/backend/join_group.hpp"
int main() {
  const auto group = mithril::distributed::init({.timeout = 30});
  double sum = group->rank() + 1;
  group->start_all_reduce(&sum, mithril::DType::float64, 1, mithril::Reduction::sum)->wait();
  std::printf("%d of %d: %g\n", group->rank(), group->size(), sum);
  return mithril::distributed::init() != group;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
def test_a_program_in_cpp_runs_under_torchrun(tmp_path):
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(CPP)
    libraries = Path(ml._core.__file__).resolve().parents[2]
    command = [COMPILER, "-std=c++20", f"-I{ROOT}", str(source), "-o", str(program)]
    command += [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lmithril_core"]
    subprocess.run(command, check=True)
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    command += ["--master-port", "0", "--standalone", "--no-python", str(program)]
    out = subprocess.run(
        command,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    assert sorted(out.stdout.split("\n")[:2]) == ["0 of 2: 3", "1 of 2: 3"]


def test_processes_that_do_not_come_are_an_error(monkeypatch):
    with Job(2) as job:
        program = BEGIN + "print(refused(lambda: ml.distributed.init(start_timeout=1)))"
        environment = job.environment(0)
        start = time.perf_counter()
        out = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
        assert time.perf_counter() - start < LONGEST
    text = "mithril.DistributedError[E0969]: init: the processes did not find each other"
    assert text in out.stdout
    assert "here : process 0 of 2" in out.stdout


LEAVING = (
    BEGIN
    + """
import torch.distributed as dist

class Leaving(dist.Store):
    "Ends process 1 once its address is in the store, before it connects."
    def __init__(self, store):
        super().__init__()
        self.store = store
    def set(self, key, value):
        self.store.set(key, value)
    def get(self, key):
        os._exit(0)
    def wait(self, keys, timeout=None):
        os._exit(0)

join = dist.init_process_group

def join_by_gloo(*args, store, timeout, **options):
    print(timeout.total_seconds())
    leaves = os.environ["RANK"] == "1"
    join(*args, store=Leaving(store) if leaves else store, timeout=timeout, **options)

dist.init_process_group = join_by_gloo
begin = time.monotonic()
print(refused(lambda: ml.distributed.init(start_timeout=10)).split(chr(10))[0])
print(time.monotonic() - begin)
"""
)


@pytest.mark.slow
def test_start_timeout_bounds_the_wait_for_a_process_that_ends_before_it_connects():
    with Job(2) as job:
        job.start(LEAVING)
        job.lines(1)
        (timeout, text, seconds), errors = job.lines(0)
        assert float(timeout) <= 2  # gloo waits five times as long for a connection
        assert float(seconds) < 40
        # Of two processes one waits until the other connects; that one may have connected.
        assert text == "" or "[E0969]: init: the processes did not find each other" in text, errors
