"""The catalogue of the Python library of this name, compared with what is here.

`catalog.json` is from synnada-ai/mithril (Apache License 2.0, Copyright 2022 Synnada, Inc.): its
operators, primitives and models with their constructors, ports, shapes and types.
"""

import ast
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from catalog_notes import ABSENT, EXAMPLES

import mithril as ml
from mithril import _core, operators

CATALOG = json.loads((Path(__file__).parent / "catalog.json").read_text(encoding="utf-8"))
RECORDS = {record["name"]: record for record in _core.library()}


@dataclass(frozen=True)
class Entry:
    """The counterpart of a name of the catalogue; `differs` holds one phrase for each
    difference."""

    name: str
    here: bool
    differs: list[str] = field(default_factory=list)

    @property
    def absent(self) -> str:
        """Returns why the name is missing on purpose; empty if no reason is given."""
        return ABSENT.get(self.name, "")


def class_of(section: str, name: str) -> type[ml.Model] | None:
    return getattr(operators if section == "operators" else ml.models, name, None)


def entries(section: str) -> list[Entry]:
    """Every name of the section, in its order."""
    return [entry(section, described) for described in CATALOG[section]]


def entry(section: str, described: dict[str, Any]) -> Entry:
    name = described["name"]
    made = class_of(section, name)
    if made is None or name in ABSENT:
        return Entry(name, made is not None)

    def make() -> ml.Model:
        return made(**EXAMPLES.get(name, {}))

    record = RECORDS[made.__name__]
    ports = {port["name"] for port in record["ports"]}
    known = {parameter for parameter, _ in parameters(described["sig"])}
    differs = [f"needs {argument}" for argument in EXAMPLES.get(name, {}) if argument not in known]
    differs += argument_differences(described, record, make)
    differs += port_differences(described, ports, make)
    differs += canonical_differences(described, make)
    differs += shape_differences(described, make)
    return Entry(name, True, differs)


def parameters(signature: str) -> list[tuple[str, str | None]]:
    """Names and texts of defaults, of "kernel_size, padding=(0, 0), name=None(kw)"."""
    found = []
    for part in re.split(r", (?![^(<]*[)>](?!kw))", signature.replace("(kw)", "")):
        name, equals, default = part.partition("=")
        if not name.startswith("*") and name != "name":
            found.append((name, default if equals else None))
    return found


def argument_differences(
    described: dict[str, Any], record: dict[str, Any], make: Callable[[], ml.Model]
) -> list[str]:
    arguments = {argument["name"]: argument for argument in record["arguments"]}
    values = described.get("vals") or {}
    differs = []
    for name, default in parameters(described["sig"]):
        if name not in arguments:
            ports = [port["name"] for port in record["ports"]]
            if name not in ports and (default != "TBD" or not takes(make, name)):
                differs.append(f"no argument {name}")
        elif default not in (None, "TBD"):
            have = arguments[name].get("default")
            if not any(same(text, have) for text in (default, values.get(name))):
                differs.append(f"{name} is {have!r} by default, not {default}")
    return differs


def same(text: str | None, value: Any) -> bool:
    """Constants stand for a number that depends on the dtype: None, here."""
    if text is None:
        return False
    if text.startswith("<Constant"):
        return value is None
    default = ast.literal_eval(text)
    return default == value or (isinstance(default, tuple) and set(default) == {value})


def takes(make: Callable[[], ml.Model], port: str) -> bool:
    """Returns whether a name in the parent can be bound to the port."""
    for name in ("its", ["its"]):
        model = ml.Model()
        try:
            model |= make()(**{port: name})
        except ml.ConnectionError as error:
            if error.code == "E0120":
                return True  # by IOKey, because the port has a value
            continue
        except ml.NameError:
            return False
        return True
    return False


def named_keys(make: Callable[[], ml.Model]) -> tuple[list[str], list[str]]:
    """Returns the input keys without paths of nameless ports, and the output keys. Returns nothing
    for an op with list ports."""
    part = make()
    try:
        return [key for key in part.input_keys if "." not in key], part.output_keys
    except ml.ConnectionError:
        return [], []


def port_differences(
    described: dict[str, Any], ports: set[str], make: Callable[[], ml.Model]
) -> list[str]:
    theirs = [port for port in described.get("inputs") or [] if not port.startswith("$")]
    outputs = described.get("outputs") or []
    if not theirs and not outputs:  # what that library could not make has no ports there
        return []
    differs = [
        f"no port {port}"
        for port in [*theirs, *outputs]
        if not (port in ports or takes(make, port))
    ]
    own_inputs, own_outputs = named_keys(make)
    more = [key for key in own_inputs if key not in theirs]
    more += [key for key in own_outputs if key not in outputs]
    return differs + [f"port {port} more" for port in more]


def canonical_differences(described: dict[str, Any], make: Callable[[], ml.Model]) -> list[str]:
    """Compares the ports that `model += part` connects. Ops with list ports have no differences."""
    try:
        ours = [{port.name for port in ports} for ports in (make().cins, make().couts)]
    except ml.ConnectionError:
        return []
    differs = []
    for key, way, own in zip(("cin", "cout"), ("to", "from"), ours, strict=True):
        theirs = described.get(key)
        if theirs and own and set(theirs) != own:
            differs.append(f"chains {way} {listed(own)}, not {listed(theirs)}")
    return differs


def listed(names: Iterable[str]) -> str:
    return " or ".join(sorted(names))


def shape_differences(described: dict[str, Any], make: Callable[[], ml.Model]) -> list[str]:
    """Lists the ports whose shapes do not fit the catalogue. Shapes may be more general here."""
    model = make()
    differs = []
    for port, shape in (described.get("shapes") or {}).items():
        if shape is None or port.startswith("$"):
            continue
        try:
            make().set_shapes({port: [dim_here(dim) for dim in shape]})
        except ml.ShapeError:
            differs.append(f"{port} is {written(model[port].known_shape)}, not {told(shape)}")
        except (ml.NameError, ml.ConnectionError):
            continue  # told as a port that is not there
    return differs


def dim_here(dim: int | str) -> Any:
    """ "u1" is a size, "(V1, ...)" any number of them."""
    return dim if isinstance(dim, int) else ... if dim.startswith("(") else dim


def told(shape: list[int | str]) -> str:
    return written(
        ["..." if isinstance(dim, str) and dim.startswith("(") else dim for dim in shape]
    )


def written(shape: Iterable[object]) -> str:
    words = {"Ellipsis": "...", "None": "?"}
    return f"[{', '.join(words.get(str(dim), str(dim)) for dim in shape)}]"
