"""Writes the wheel mithril-cpp-torch: the backend for one release of torch and one Python.

Its files lie in the folder of the package mithril, so that it loads as one that was built there.
"""

import base64
import hashlib
import json
import sys
import sysconfig
import zipfile
from pathlib import Path

METADATA = """Metadata-Version: 2.1
Name: mithril-cpp-torch
Version: {version}
Summary: The backend on PyTorch {release} of mithril-cpp {mithril}
License: Apache-2.0
Requires-Python: =={python}.*
Requires-Dist: mithril-cpp=={mithril}
Requires-Dist: torch=={release}.*
"""
WHEEL = """Wheel-Version: 1.0
Generator: mithril.build_torch
Root-Is-Purelib: false
Tag: {tag}
"""


def _record(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_plugin_wheel(files: Path, folder: Path, mithril: str) -> Path:
    """Writes the wheel of the files of a built backend.

    Args:
        files: the folder with the libraries and with `_torch_build.json`.
        folder: where the wheel is written.
        mithril: the release of mithril-cpp that the backend was built for.

    Returns:
        The path of the wheel. Its version is that of mithril-cpp and, after it, the first two
        numbers of the release of torch: 0.1.0.2.11.
    """
    built = json.loads((files / "_torch_build.json").read_text(encoding="utf-8"))
    release = ".".join(built["torch"].split(".")[:2])
    version = f"{mithril}.{release}"
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    interpreter = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"{interpreter}-{interpreter}{getattr(sys, 'abiflags', '')}-{platform}"
    named = {"version": version, "release": release, "mithril": mithril, "python": python}
    info = f"mithril_cpp_torch-{version}.dist-info"
    contents = {f"mithril/{path.name}": path.read_bytes() for path in sorted(files.iterdir())}
    contents[f"{info}/METADATA"] = METADATA.format(**named).encode()
    contents[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    record = "".join(_record(name, content) for name, content in contents.items())
    contents[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"mithril_cpp_torch-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel
