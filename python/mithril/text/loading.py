"""Text models of folders of Hugging Face, packages, names and functions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from .._core import Backend, CompiledModel, compile, raise_error
from .._internal.arguments import checked_kinds
from ..backends.cpu import CpuBackend
from ..packages.file_kinds import contents_of, is_hugging_face
from ..packages.function_source import model_of_function
from ..packages.huggingface import ARCHITECTURES, composed, composed_model
from ..packages.package import Package, load_package
from .chat_template import ChatTemplate
from .model import TextModel
from .special_tokens import Reader, chat_program, fields_of, special_tokens
from .tokenizer import Tokenizer

__all__ = ["load"]

Make = Callable[[], Any]  # returns a compiled model


@checked_kinds
def load(
    source: str | os.PathLike[str] | Package | CompiledModel | Callable[[], Any],
    *,
    tokenizer: Any = None,
    chat_template: ChatTemplate | str | None = None,
    limit: int = 4096,
    backend: Backend | None = None,
    allow_native_code: bool = False,
) -> TextModel:
    """Loads a language model or an encoder with its tokenizer.

    Args:
        source: path of a folder of Hugging Face with config.json, model.safetensors and
            tokenizer.json, or vocab.json and merges.txt of GPT-2; path of a package with
            tokenizer.json as an asset, or a loaded package; a bound model; or a function that
            returns a text model, a compiled model, a package, or a tuple (compiled, params, state).
        tokenizer: the tokenizer. None reads the files of the source.
        chat_template: how the model writes chats. None: as tokenizer_config.json says.
        limit: maximum number of tokens of a text, for which the key-value cache of a language model
            has memory. It is at most the number of the config.json.
        backend: backend to run on. None: CpuBackend, or that of the package.
        allow_native_code: whether native code of a package may run.

    Raises:
        InputError: If the source has no tokenizer, or cannot be read.
        NameError: If there is no architecture for the model_type of config.json.
        BackendError: If the package does not list the backend.

    Example:
        class Characters:
            def encode(self, text):
                return [min(ord(character), 127) for character in text]

            def decode(self, tokens):
                return "".join(map(chr, tokens))

        def make():
            net = ml.Model()
            net |= ml.Embedding(128, dim=8)(input="input_ids", output="hidden")
            net |= ml.Linear(128)(input="hidden", output="logits")
            language = ml.compile(net, ml.CpuBackend(), data_keys=["input_ids"])
            return language, language.get_parameters()

        writer = ml.text.load(make, tokenizer=Characters())
        answer = writer("Hello", max_tokens=5)

    See docs/text.md.
    """
    if limit < 1:
        raise_error("ValueError", "E0406", f"load: limit is {limit}, expected at least 1")
    if isinstance(source, (str, os.PathLike, Package)):
        if isinstance(source, Package):
            made = _of_package(source, backend, limit)
        elif is_hugging_face(Path(source)):
            made = _of_folder(Path(source), backend, limit)
            has_files = [made[1](name) is not None for name in ("tokenizer.json", "vocab.json")]
            if tokenizer is None and has_files == [False, True]:
                tokenizer = Tokenizer(os.fspath(source))  # vocab.json and merges.txt
        else:
            package = load_package(source, allow_native_code=allow_native_code)
            made = _of_package(package, backend, limit)
        return _of_files(*made, tokenizer, chat_template)
    result = source if isinstance(source, CompiledModel) else source()
    if isinstance(result, TextModel):
        return result
    if tokenizer is None:
        _refuse_tokenizer("the source has no tokenizer")
    compiled: Any = model_of_function("load", result, backend)
    return TextModel(compiled, tokenizer, chat_template=chat_template)


def _of_folder(folder: Path, backend: Backend | None, limit: int) -> tuple[Make, Reader]:
    """Returns a function that composes the model of a folder, and a reader of its files."""

    def read(name: str) -> bytes | None:
        return contents_of(folder / name)

    def make() -> Any:
        checkpoint = composed(folder, backend or CpuBackend(), limit)
        return checkpoint.compiled.bind(checkpoint.params, checkpoint.state)

    return make, read


def _of_package(package: Package, backend: Backend | None, limit: int) -> tuple[Make, Reader]:
    """Returns a function that compiles the model of a package, and a reader of its assets.

    The model of a package has no cache. If it is the one that its config.json describes, it is
    composed with a cache.
    """

    def read(name: str) -> bytes | None:
        return package.file(name) if name in package.assets else None

    def make() -> Any:
        fields = fields_of(read, "config.json")
        architecture = ARCHITECTURES.get(str(fields.get("model_type")))
        if architecture is None or not package.has_model:
            return package.compile(backend)
        cached, shapes = composed_model(architecture, fields, limit)
        plain, _ = composed_model(architecture, fields)
        if not shapes or plain.to_json() != package.model.to_json():
            return package.compile(backend)
        loaded: Any = package
        chosen = loaded._checked_backend(backend)
        compiled = compile(cached, chosen, inference=True, shapes=shapes)
        params = compiled.load_state_dict(package.params)
        return compiled.bind(params, compiled.initial_state_dict)

    return make, read


def _of_files(
    make: Make, read: Reader, tokenizer: Any, chat_template: ChatTemplate | str | None
) -> TextModel:
    if tokenizer is None:
        text = read("tokenizer.json")
        if text is None:
            _refuse_tokenizer("there is no tokenizer.json beside the model")
        tokenizer = Tokenizer(text)
    special = special_tokens(read)
    if chat_template is None:
        chat_template = chat_program(read)
    return TextModel(make(), tokenizer, chat_template=chat_template, special_tokens=special)


def _refuse_tokenizer(message: str) -> NoReturn:
    raise_error("InputError", "E0858", f"load: {message}", help="pass tokenizer=")
