"""What git tracks: no files that tools leave behind, and no marks of conflicts."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tools"))

from tracked import CACHES, names_in_git, tracked_files  # noqa: E402

MARK = re.compile(rb"^(<<<<<<<|>>>>>>>) ", re.MULTILINE)


def test_no_cache_is_tracked() -> None:
    names = names_in_git() or []  # none in an unpacked archive
    assert [str(name) for name in names if CACHES.intersection(name.parts)] == []


def test_no_file_has_marks_of_conflicts() -> None:
    marked = [str(name) for name in tracked_files() if MARK.search((ROOT / name).read_bytes())]
    assert marked == []
