"""The files of reference cases: one for each, with random numbers of its own seed."""

import json
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

Case = dict[str, Any]
Part = Callable[[], Iterator[Case]]


def cases(parts: tuple[Part, ...]) -> Iterator[Case]:
    """Seeds the generator of random numbers before each case, by its place in its function."""
    for part in parts:
        generator, count = part(), 0
        while True:
            torch.manual_seed(zlib.crc32(f"{part.__name__} {count}".encode()))
            try:
                yield next(generator)
            except StopIteration:
                break
            count += 1


def path_of(case: Case, folder: Path) -> Path:
    words = re.sub(r"[^a-z0-9]+", "_", f"{case['model']} {case['name']}".lower())
    return folder / f"{words}.json"


def write_references(folder: Path, parts: tuple[Part, ...], again: bool) -> None:
    """Writes the cases that have no file, or all of them, and removes files without a case."""
    folder.mkdir(parents=True, exist_ok=True)
    version = torch.__version__.split("+")[0]
    paths: set[Path] = set()
    for case in cases(parts):
        path = path_of(case, folder)
        if path in paths:
            sys.exit(f"{path.name}: expected a name of its own for each case")
        paths.add(path)
        if again or not path.exists():
            path.write_text(json.dumps({"made_with": f"PyTorch {version}", **case}) + "\n")
    for path in set(folder.glob("*.json")) - paths:
        path.unlink()
