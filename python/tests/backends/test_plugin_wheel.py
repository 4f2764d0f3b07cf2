"""The wheel that `python -m mithril.build_torch --wheel` writes."""

import base64
import hashlib
import json
import sys
import zipfile
from pathlib import Path

from mithril._internal.plugin_wheel import write_plugin_wheel


def written(tmp_path: Path) -> zipfile.ZipFile:
    files = tmp_path / "files"
    files.mkdir()
    (files / "libmithril_torch.so").write_bytes(b"library")
    note = {"torch": "2.11.0", "core": "0"}
    (files / "_torch_build.json").write_text(json.dumps(note), encoding="utf-8")
    return zipfile.ZipFile(write_plugin_wheel(files, tmp_path / "wheels", "0.1.0"))


def test_its_version_names_mithril_and_torch(tmp_path: Path) -> None:
    wheel = written(tmp_path)
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert Path(str(wheel.filename)).name.startswith(f"mithril_cpp_torch-0.1.0.2.11-{tag}-{tag}")
    metadata = wheel.read("mithril_cpp_torch-0.1.0.2.11.dist-info/METADATA").decode().splitlines()
    required = [line for line in metadata if line.startswith("Requires-Dist")]
    assert required == ["Requires-Dist: mithril-cpp==0.1.0", "Requires-Dist: torch==2.11.*"]


def test_its_files_are_in_the_package_and_recorded(tmp_path: Path) -> None:
    wheel = written(tmp_path)
    record = wheel.read("mithril_cpp_torch-0.1.0.2.11.dist-info/RECORD").decode()
    rows = dict(line.split(",", 1) for line in record.splitlines())
    assert rows.keys() == set(wheel.namelist())
    assert {"mithril/libmithril_torch.so", "mithril/_torch_build.json"} < rows.keys()
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"library").digest()).rstrip(b"=").decode()
    assert rows["mithril/libmithril_torch.so"] == f"sha256={digest},7"
