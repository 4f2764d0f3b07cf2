"""The special tokens and the chat template in the files of a checkpoint."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

from .._core import raise_error
from .tokens import SpecialTokens

# Returns the contents of a file of a checkpoint; None if there is none of this name.
Reader = Callable[[str], "bytes | None"]


def fields_of(read: Reader, name: str) -> dict[str, Any]:
    """Returns the fields of a JSON file; none if there is no such file. InputError E0864."""
    contents = read(name)
    if contents is None:
        return {}
    try:
        fields = json.loads(contents)
    except ValueError as error:
        _refuse_file(name, str(error))
    if not isinstance(fields, dict):
        _refuse_file(name, f"it has a {type(fields).__name__}, expected an object")
    return fields


def _refuse_file(name: str, why: str) -> NoReturn:
    message = "this file of a checkpoint cannot be read as JSON"
    raise_error("InputError", "E0864", message, path=name, facts=[("why", why)])


def chat_program(read: Reader) -> str | None:
    """Returns the chat template of a checkpoint, a program in Jinja, which is never run."""
    file = read("chat_template.jinja")
    if file is not None:
        return file.decode(errors="replace")
    program = fields_of(read, "tokenizer_config.json").get("chat_template")
    if isinstance(program, list):  # several, by name
        entries = [entry for entry in program if isinstance(entry, dict)]
        default = [entry for entry in entries if entry.get("name") == "default"]
        program = default[-1].get("template") if default else None
    return program if isinstance(program, str) else None


def special_tokens(read: Reader) -> SpecialTokens:
    """Returns the tokens that begin and end texts, as the files of a checkpoint name them."""
    settings = fields_of(read, "tokenizer_config.json")
    tokenizer = fields_of(read, "tokenizer.json")
    config = fields_of(read, "config.json")
    generation = fields_of(read, "generation_config.json")
    bos, eos = _text(settings.get("bos_token")), _text(settings.get("eos_token"))
    added = [_fields(entry) for entry in _items(tokenizer.get("added_tokens"))]
    ids = {_text(entry): entry.get("id") for entry in added if _text(entry) != ""}
    first = _first_token(tokenizer.get("post_processor"))
    bos_id = first if first is not None else ids.get(bos, config.get("bos_token_id"))
    stops = [ids.get(eos), config.get("eos_token_id"), generation.get("eos_token_id")]
    flat = [id for stop in stops for id in (stop if isinstance(stop, list) else [stop])]
    return SpecialTokens(
        bos=bos,
        eos=eos,
        bos_id=bos_id if isinstance(bos_id, int) else None,
        begins=bool(settings.get("add_bos_token", first is not None)),
        stop_ids=tuple(dict.fromkeys(id for id in flat if isinstance(id, int))),
    )


def _text(token: Any) -> str:
    """Returns the text of a token, which may be an object with its content."""
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) else ""


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _fields(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _first_token(processor: Any) -> Any:
    """Returns the token that a post-processor of tokenizer.json puts before a text, or None."""
    for part in _items(_fields(processor).get("processors")):  # of a sequence
        found = _first_token(part)
        if found is not None:
            return found
    first = next(iter(_items(_fields(processor).get("single"))), None)
    name = _fields(_fields(first).get("SpecialToken")).get("id")
    named = _fields(_fields(processor).get("special_tokens"))
    special = _fields(named.get(name)) if isinstance(name, str) else {}
    return next(iter(_items(special.get("ids"))), None)
