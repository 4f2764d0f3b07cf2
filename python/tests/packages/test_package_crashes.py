"""The process that writes a package is killed, has no disk space, or may not write. Afterwards the
folder has the whole old package or the whole new one.

MITHRIL_PACKAGE_KILLS=200 kills 200 processes; the default is a sample.
"""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from package_models import params, save
from processes import environment

import mithril as ml

KILLS = int(os.environ.get("MITHRIL_PACKAGE_KILLS", "20"))
TESTS = Path(__file__).parent
# Writes packages of seeds 1, 2, ... over and over.
PROGRAM = """
import itertools, sys
import numpy as np
import mithril as ml
from package_models import model, params

ready = {seed: params(seed) for seed in range(1, 4)}
asset = np.random.default_rng(0).bytes(1 << 20)
print("ready", flush=True)
for i in itertools.count():
    ml.save_package(sys.argv[1], model(), ready[i % 3 + 1], assets={"data.bin": asset})
    if i == 0:
        print("saved", flush=True)
"""


def seed_of(path: Path) -> int | None:
    """Verifies the package and returns the seed of its parameters; None if there is no package."""
    if not path.exists():
        return None
    package = ml.load_package(path)
    for seed in range(4):
        if all(np.array_equal(package.params[key], value) for key, value in params(seed).items()):
            return seed
    raise AssertionError("the parameters are of no seed")


@pytest.mark.parametrize("name", ["p", "p.zip"])
@pytest.mark.sampled(2)
def test_a_kill_leaves_the_old_package_or_the_new_one(
    tmp_path: Path, name: str, all_cases: bool
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    path = tmp_path / "here" / name
    path.parent.mkdir()
    save(path, 0)
    delays = random.Random(0)
    seen = set()
    for kill in range(KILLS // (2 if all_cases else 4)):
        process = subprocess.Popen(
            [sys.executable, program, path],
            stdout=subprocess.PIPE,
            env=environment(PYTHONPATH=os.pathsep.join([str(TESTS), *sys.path])),
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        if kill % 2 == 1:  # a new package may be killed while it replaces one of this process
            assert process.stdout.readline() == b"saved\n"
        time.sleep(delays.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        seen.add(seed_of(path))
        for entry in path.parent.iterdir():
            assert entry == path or entry.name.startswith(".mithril-")
    assert None not in seen
    assert seen & {1, 2, 3}, "no package was written between the kills"


def test_a_file_that_may_not_grow_leaves_the_old_package(tmp_path: Path) -> None:
    path = save(tmp_path / "p", 0)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    result = subprocess.run(
        [sys.executable, program, path],
        capture_output=True,
        text=True,
        env=environment(PYTHONPATH=os.pathsep.join([str(TESTS), *sys.path])),
        preexec_fn=limit,
        check=False,
    )
    assert result.returncode == 1
    assert "E0831" in result.stderr
    assert "File too large" in result.stderr
    assert f"{path}/data.bin" in result.stderr
    assert seed_of(path) == 0
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["p", "program.py"]


def on_a_disk(folder: Path, size: str, program: str) -> list[str]:
    """Runs the program with the path of a file system of this size, and returns its output."""
    disk = folder / "disk"
    disk.mkdir()
    script = (
        f"mount -t tmpfs -o size={size} none {disk} && exec {sys.executable} -c '{program}' {disk}"
    )
    result = subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        capture_output=True,
        text=True,
        env=environment(PYTHONPATH=os.pathsep.join([str(TESTS), *sys.path])),
        check=False,
    )
    if result.stderr.startswith(("unshare:", "mount:")):
        pytest.skip("no file system can be mounted here")
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


SAVE_TWICE = """
import os, subprocess, sys
import mithril as ml
from package_models import save
from test_package_crashes import seed_of
from pathlib import Path
path = Path(sys.argv[1]) / "p"
save(path, 0)
{before}
try:
    save(path, 1, assets={{"data.bin": bytes(1 << 20)}})
except ml.InputError as error:
    print(error.code, {{fact[0]: fact[1] for fact in error.facts}}["why"])
print(seed_of(path), os.listdir(sys.argv[1]))
"""


# Root may write to every folder; without these capabilities it has the rights that modes give.
WITH_RIGHTS_OF_MODES = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
SAVE = """
import sys
import mithril as ml
from package_models import save
from pathlib import Path
try:
    save(Path(sys.argv[1]), 1)
except ml.InputError as error:
    print(error.code, error.path, {fact[0]: fact[1] for fact in error.facts}["why"])
"""


@pytest.mark.parametrize("name", ["p", "p.zip"])
@pytest.mark.parametrize("has_older", [False, True])
@pytest.mark.sampled(2)
def test_a_folder_without_write_permission_stays_unchanged(
    tmp_path: Path, name: str, has_older: bool
) -> None:
    path = tmp_path / "here" / name
    path.parent.mkdir()
    if has_older:
        save(path, 0)
    path.parent.chmod(0o555)
    as_user = WITH_RIGHTS_OF_MODES if os.geteuid() == 0 else []
    result = subprocess.run(
        [*as_user, sys.executable, "-c", SAVE, path],
        capture_output=True,
        text=True,
        env=environment(PYTHONPATH=os.pathsep.join([str(TESTS), *sys.path])),
        check=False,
    )
    path.parent.chmod(0o755)
    assert (result.stdout, result.stderr) == (f"E0831 {path} Permission denied\n", "")
    assert seed_of(path) == (0 if has_older else None)
    assert os.listdir(path.parent) == ([name] if has_older else [])


def test_a_full_disk_leaves_the_old_package(tmp_path: Path) -> None:
    printed = on_a_disk(tmp_path, "400k", SAVE_TWICE.format(before=""))
    assert printed == ["E0831 No space left on device", "0 ['p']"]


def test_a_file_system_that_is_read_only_leaves_the_old_package(tmp_path: Path) -> None:
    remount = 'subprocess.run(["mount", "-o", "remount,ro", sys.argv[1]], check=True)'
    printed = on_a_disk(tmp_path, "4m", SAVE_TWICE.format(before=remount))
    assert printed == ["E0831 Read-only file system", "0 ['p']"]
