"""`mithril package`: creates, inspects, verifies and extracts packages."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ..packages.huggingface import create_package
from ..packages.package import Package, PackagePort, copy_package, load_package
from .output import show

DESCRIPTION = "Packages of models. No command runs code of a package."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The subcommands; each sets `run`."""
    parser.description = DESCRIPTION
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    create = commands.add_parser("create", help="make a package of a folder of Hugging Face")
    create.add_argument("source", help="a folder with config.json and model.safetensors")
    create.add_argument("target", help='the package: a folder, or a file that ends with ".zip"')
    create.add_argument("--name", default="", help="instead of the name of the target")
    create.add_argument("--revision", default="", help="instead of one made of the checksums")
    create.add_argument("--licence", default="", help="instead of that in README.md")
    create.add_argument("--source", dest="origin", default="", help="where the folder comes from")
    create.add_argument("--max-shard-bytes", type=int, default=0, help="split larger parameters")
    create.add_argument(
        "--library",
        nargs="+",
        type=_named_size,
        metavar="NAME=SIZE",
        help="add a generated library for inputs of these sizes: --library N=1 L=128",
    )
    create.add_argument("--json", action="store_true", help="as JSON")
    create.set_defaults(run=_create)

    inspect = commands.add_parser("inspect", help="show what a package is, without its parameters")
    inspect.add_argument("package")
    inspect.add_argument("--json", action="store_true", help="as JSON")
    inspect.set_defaults(run=_inspect)

    verify = commands.add_parser("verify", help="compare all checksums")
    verify.add_argument("packages", nargs="+", metavar="package")
    verify.add_argument("--json", action="store_true", help="as JSON")
    verify.set_defaults(run=_verify)

    extract = commands.add_parser("extract", help="verify a package and write it elsewhere")
    extract.add_argument("package")
    extract.add_argument("target", help='a folder, or a file that ends with ".zip"')
    extract.add_argument("--json", action="store_true", help="as JSON")
    extract.set_defaults(run=_extract)


def _named_size(text: str) -> tuple[str, int]:
    name, _, size = text.partition("=")
    return name, int(size)


def _create(arguments: argparse.Namespace) -> None:
    options = {
        key: getattr(arguments, key)
        for key in ("name", "revision", "licence", "origin", "max_shard_bytes")
    }
    library = dict(arguments.library) if arguments.library else None
    create_package(arguments.source, arguments.target, library=library, **options)
    _show(load_package(arguments.target, verify="lazy", allow_native_code=True), arguments)


def _inspect(arguments: argparse.Namespace) -> None:
    _show(load_package(arguments.package, verify="lazy", allow_native_code=True), arguments)


def _show(package: Package, arguments: argparse.Namespace) -> None:
    show(json.dumps(_fields(package), indent=2) if arguments.json else _summary(package))


def _verify(arguments: argparse.Namespace) -> None:
    verified = []
    for path in arguments.packages:
        package = load_package(path, allow_native_code=True)
        count = len(package.files)
        total = sum(file.bytes for file in package.files)
        verified.append({"file": path, "files": count, "bytes": total})
        if not arguments.json:
            show(f"{path}: {count} files, {total:,} bytes, all checksums match")
    if arguments.json:
        show(json.dumps({"schema": 1, "command": "package", "verified": verified}, indent=2))


def _extract(arguments: argparse.Namespace) -> None:
    copy_package(arguments.package, arguments.target)
    source, target = arguments.package, arguments.target
    fields = {"schema": 1, "command": "package", "file": source, "written": [target]}
    show(json.dumps(fields, indent=2) if arguments.json else target)


def _port(port: PackagePort) -> dict[str, Any]:
    shape = port.shape
    shown = None if shape is None else ["..." if dim is ... else dim for dim in shape]
    return {"name": port.name, "dtype": port.dtype.name, "dims": shown}


def _fields(package: Package) -> dict[str, Any]:
    info = {"schema": 1, "command": "package", "file": package.path, **package.info._asdict()}
    info["inputs"] = [_port(port) for port in package.info.inputs]
    info["outputs"] = [_port(port) for port in package.info.outputs]
    info["files"] = [file._asdict() for file in package.files]
    return info


def _port_text(port: PackagePort) -> str:
    fields = _port(port)
    dims = fields["dims"]
    sizes = "..." if dims is None else ", ".join("?" if dim is None else str(dim) for dim in dims)
    return f"{port.name}: {fields['dtype']}[{sizes}]"


def _summary(package: Package) -> str:
    info = package.info
    lines = [
        ("package", f"{info.name} {info.revision}"),
        ("created", info.created_at),
        ("model", f"{info.model_type} {info.family}".strip()),
        ("backends", ", ".join(info.backends)),
        ("licence", info.licence),
        ("source", info.source),
        *(("input", _port_text(port)) for port in info.inputs),
        *(("output", _port_text(port)) for port in info.outputs),
        *((name.replace("_", " "), f"{size:,}") for name, size in info.sizes.items()),
        *(("file", f"{file.name} ({file.bytes:,} bytes)") for file in package.files),
    ]
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in lines if text)
