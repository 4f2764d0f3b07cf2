"""`mithril doctor` on a machine with faults: it reports each, and shows the rest."""

import os
import subprocess

import pytest
from command import COMMAND, WITH_RIGHTS_OF_MODES, needs_command, run_command
from processes import environment

pytestmark = needs_command


def findings_of(**variables):
    """The rows of `mithril doctor`, which never fails."""
    ended = run_command("doctor", **variables)
    assert (ended.returncode, ended.stderr) == (0, "")
    rows = dict(line.split(None, 1) for line in ended.stdout.splitlines())
    assert {"mithril", "threads", "memory", "cache", "torch"} <= set(rows)
    return rows


@pytest.mark.parametrize("limit", ["sse9", "portable"])
def test_doctor_reports_wrong_instructions(limit):
    row = findings_of(MITHRIL_INSTRUCTIONS=limit)["instructions"]
    if limit == "sse9":
        assert row.startswith("none in use (present: ")
        assert "MITHRIL_INSTRUCTIONS is 'sse9', expected portable, avx2, avx512 or amx" in row
        assert row.endswith(": unset MITHRIL_INSTRUCTIONS")
    else:  # a build for one processor has no portable kernels
        assert row.startswith(("portable ", "none in use "))


def test_doctor_reports_a_cache_that_is_no_folder(tmp_path):
    (tmp_path / "file").touch()
    row = findings_of(MITHRIL_CACHE_DIR=str(tmp_path / "file"))["cache"]
    assert row == f"{tmp_path / 'file'} (not a folder)  remove it: rm '{tmp_path / 'file'}'"
    inside = tmp_path / "file" / "cache"
    row = findings_of(MITHRIL_CACHE_DIR=str(inside))["cache"]
    assert row.startswith(f"{inside} (Not a directory)  name a folder")
    row = findings_of(MITHRIL_CACHE_DIR=str(tmp_path / "none"))["cache"]
    assert row == f"{tmp_path / 'none'} (empty)"


def test_doctor_reports_a_cache_that_cannot_be_read(tmp_path):
    locked = tmp_path / "locked"
    (locked / "inner").mkdir(parents=True)
    (locked / "inner").chmod(0)
    as_user = WITH_RIGHTS_OF_MODES if os.geteuid() == 0 else []
    ended = subprocess.run(
        [*as_user, COMMAND, "doctor"],
        env=environment(MITHRIL_CACHE_DIR=str(locked)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert f"it cannot be read, Permission denied: chmod -R u+rwX '{locked}'" in ended.stdout
