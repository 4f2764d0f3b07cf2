"""Importing a package whose C++ module was not built."""

import shutil
import subprocess
import sys
from pathlib import Path

import mithril as ml


def test_a_module_that_is_not_built_names_the_command_that_builds_it(tmp_path: Path) -> None:
    package = Path(ml.__file__).parent
    shutil.copytree(package, tmp_path / "mithril", ignore=shutil.ignore_patterns("*.so"))
    run = subprocess.run(
        [sys.executable, "-S", "-c", "import mithril"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr.splitlines()[-1] == (
        "ImportError: the C++ module of mithril is not built: "
        "run `make demo` in the root of the project"
    )
