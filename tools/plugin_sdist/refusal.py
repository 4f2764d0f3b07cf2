"""What pip runs where no wheel of mithril-cpp-torch fits: it says what to do."""

import sys
from typing import NoReturn

TEXT = """
There is no wheel of mithril-cpp-torch for Python {python} and this torch.
Install a torch that has one, or build the backend on PyTorch for the torch that is installed:

    pip install mithril-cpp torch
    python -m mithril.build_torch

This needs CMake 3.25 (pip install cmake), a C++20 compiler and the headers of Python, on Debian:
apt-get install g++ python3-dev
"""


def refuse(*_: object, **__: object) -> NoReturn:
    sys.exit(TEXT.format(python=f"{sys.version_info[0]}.{sys.version_info[1]}"))


get_requires_for_build_wheel = prepare_metadata_for_build_wheel = build_wheel = refuse
build_sdist = refuse
