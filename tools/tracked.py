"""Which files the checks of the project look at."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHES = {".cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"}
NOT_SOURCES = CACHES | {".git", ".venv", ".venv-peers", "build", "dist"}


def names_in_git() -> list[Path] | None:
    """Files that git tracks or would track; None without git, or in an unpacked archive."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return [Path(line) for line in listing.stdout.splitlines()] if not listing.returncode else None


def tracked_files() -> list[Path]:
    """The files that belong to the project, relative to its root, new ones included."""
    names = names_in_git()
    if names is None:
        names = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
    return sorted(
        name
        for name in names
        if not NOT_SOURCES.intersection(name.parts) and (ROOT / name).is_file()
    )


def cpp_files() -> list[Path]:
    """The C++ sources and headers among them."""
    return [name for name in tracked_files() if name.suffix in {".cpp", ".hpp"}]


def report(problems: list[str]) -> int:
    """Prints the problems, and returns the exit status."""
    for problem in problems:
        print(problem)
    return 1 if problems else 0
