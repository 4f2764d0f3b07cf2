"""Errors of TorchBackend if torch, or its library for that torch, is missing or does not match."""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from mithril.backends import torch_library

import mithril as ml


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package that was installed, with a library for torch 2.11.0."""
    monkeypatch.setattr(torch_library, "PACKAGE", tmp_path)
    (tmp_path / "source").mkdir()
    (tmp_path / "libmithril_core.so").write_bytes(b"core")
    write_note(tmp_path)
    return tmp_path


def write_note(package, **changes):
    core = hashlib.sha256(b"core").hexdigest()
    note = {"torch": "2.11.0", "core": core, **changes}
    (package / "_torch_build.json").write_text(json.dumps(note))


def refusal(torch_version):
    with pytest.raises(ml.BackendError) as caught:
        torch_library._check_build(torch_version)
    return str(caught.value)


def test_without_torch_the_error_names_the_package_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ml.BackendError) as caught:
        torch_library.import_torch.__wrapped__()
    assert str(caught.value) == (
        "mithril.BackendError[E1013]: TorchBackend needs PyTorch, which is not installed\n"
        "  help: pip install torch"
    )


def test_a_backend_that_is_not_built_says_how_to_build_it(package):
    (package / "_torch_build.json").unlink()
    assert refusal("2.15.0+cu132") == (
        "mithril.BackendError[E1014]: the backend on PyTorch has not been built\n"
        "  torch : 2.15.0+cu132\n"
        "  help: pip install mithril-cpp-torch, where it has a wheel for this torch; "
        "python -m mithril.build_torch builds it for the torch that is installed"
    )
    (package / "source").rmdir()
    assert refusal("2.15.0").endswith(
        "help: build Mithril with -DMITHRIL_TORCH=ON, where torch is installed"
    )


def test_a_backend_for_another_torch_is_refused_with_both(package):
    assert refusal("2.15.0+cu132") == (
        f"mithril.BackendError[E1004]: the backend was built for torch 2.11.0: "
        f"{package}/libmithril_torch.so\n"
        "  expected : torch 2.11.0\n"
        "  got      : torch 2.15.0\n"
        "  help: python -m mithril.build_torch builds it for the torch that is installed"
    )
    refusal("2.1.0")
    torch_library._check_build("2.11.1+cpu")  # only the release has to be the same


def test_a_backend_for_another_mithril_is_refused(package):
    write_note(package, core="0")
    assert refusal("2.11.0").startswith(
        f"mithril.BackendError[E1003]: the backend was built for another Mithril: "
        f"{package}/libmithril_torch.so\n"
        "  expected : libmithril_core.so 0\n"
    )
    write_note(package, core="")  # of a build tree
    torch_library._check_build("2.11.0")


def test_a_build_tree_builds_the_backend_itself():
    result = subprocess.run(
        [sys.executable, "-m", "mithril.build_torch"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr == (
        "mithril.build_torch: this Mithril stands in its build tree: configure that with "
        "-DMITHRIL_TORCH=ON\n"
    )


OPEN = """
from mithril import _core
try:
    _core.Backend("mithril_torch", {})
except _core.BackendError as error:
    print(error)
"""


@pytest.mark.skipif(not shutil.which("c++"), reason="there is no compiler for a torch that is none")
def test_the_library_is_not_opened_beside_another_torch(tmp_path):
    pytest.importorskip("mithril._torch", reason="torch is not built")
    source = tmp_path / "torch.cpp"
    source.write_text(
        'extern "C" unsigned long aoti_torch_abi_version() { return 0x010dUL << 48; }'
    )
    other = ["c++", "-shared", "-fPIC", "-Wl,-soname,libtorch_cpu.so"]
    subprocess.run([*other, "-o", tmp_path / "libtorch_cpu.so", source], check=True)
    printed = subprocess.run(
        [sys.executable, "-c", OPEN],
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    built = json.loads((torch_library.PACKAGE / "_torch_build.json").read_text())["torch"]
    assert re.fullmatch(
        rf"mithril.BackendError\[E1004\]: the backend was built for torch {built}: "
        r".*/libmithril_torch.so\n"
        rf"  expected : torch {built}\n"
        r"  got      : torch 1.13\n"
        r"  help: build it again, against the one that is installed\n",
        printed,
    )
