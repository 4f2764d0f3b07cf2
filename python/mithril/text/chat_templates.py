"""The chat templates of published models, and how the text of a checkpoint names one.

Checkpoints store their template as a program in Jinja. It is never run: `SUMS` lists the checksums
of published programs, with the template that writes the same text as data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from .._core import raise_error, unknown_name
from .._internal.arguments import checked_kinds
from .chat_template import ChatTemplate

_chatml = ChatTemplate(
    name="chatml",
    system="<|im_start|>system\n{content}<|im_end|>\n",
    system_place="turn",
    user="<|im_start|>user\n{content}<|im_end|>\n",
    assistant="<|im_start|>assistant\n{content}<|im_end|>\n",
    answer="<|im_start|>assistant\n",
    stop=("<|im_end|>",),
)
_llama3 = ChatTemplate(
    name="llama3",
    begin="{bos}",
    system="<|start_header_id|>system<|end_header_id|>\n\n{content}<|eot_id|>",
    system_place="turn",
    user="<|start_header_id|>user<|end_header_id|>\n\n{content}<|eot_id|>",
    assistant="<|start_header_id|>assistant<|end_header_id|>\n\n{content}<|eot_id|>",
    answer="<|start_header_id|>assistant<|end_header_id|>\n\n",
    stop=("<|eot_id|>",),
    strip=("system", "user", "assistant"),
)
_llama3_system = (
    "<|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\n"
    "Today Date: DATE\n\n{content}<|eot_id|>"
)
_mistral = ChatTemplate(
    name="mistral-v0.2",
    begin="{bos}",
    user="[INST] {content} [/INST]",
    assistant="{content}{eos}",
    alternates=True,
)
_mistral_v3 = replace(
    _mistral,
    name="mistral-v3",
    system="{content}\n\n{user}",
    system_place="last user",
    user="[INST] {content}[/INST]",
    assistant=" {content}{eos}",
    strip=("assistant",),
)

_all = [
    _chatml,
    ChatTemplate(
        name="gemma",
        begin="{bos}",
        user="<start_of_turn>user\n{content}<end_of_turn>\n",
        assistant="<start_of_turn>model\n{content}<end_of_turn>\n",
        answer="<start_of_turn>model\n",
        stop=("<end_of_turn>",),
        alternates=True,
        strip=("user", "assistant"),
    ),
    ChatTemplate(
        name="llama2",
        system="<<SYS>>\n{content}\n<</SYS>>\n\n{user}",
        system_place="first user",
        user="{bos}[INST] {content} [/INST]",
        assistant=" {content} {eos}",
        alternates=True,
        strip=("user", "assistant"),
        strip_whole=True,
    ),
    _llama3,
    replace(
        _llama3,
        name="llama3.1",
        system=_llama3_system.replace("DATE", "26 Jul 2024"),
        default_system="",
        stop=("<|eot_id|>", "<|eom_id|>"),
    ),
    replace(
        _llama3,
        name="llama3.2",
        system=_llama3_system.replace("DATE", "{date}"),
        default_system="",
        stop=("<|eot_id|>", "<|eom_id|>"),
    ),
    replace(_mistral, name="mistral-v0.1", assistant="{content}{eos} "),
    _mistral,
    replace(
        _mistral,
        name="mistral-v1",
        system="{content}\n\n{user}",
        system_place="first user",
        user=" [INST] {content} [/INST]",
        assistant=" {content}{eos}",
    ),
    _mistral_v3,
    replace(
        _mistral_v3,
        name="mistral-nemo",
        user="[INST]{content}[/INST]",
        assistant="{content}{eos}",
        strip=(),
    ),
    replace(_chatml, name="qwen1.5", default_system="You are a helpful assistant"),
    replace(_chatml, name="qwen2", default_system="You are a helpful assistant."),
    replace(
        _chatml,
        name="qwen2.5",
        default_system="You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
    ),
    ChatTemplate(
        name="zephyr",
        system="<|system|>\n{content}{eos}\n",
        system_place="turn",
        user="<|user|>\n{content}{eos}\n",
        assistant="<|assistant|>\n{content}{eos}\n",
        answer="<|assistant|>\n",
    ),
]
chat_templates: Mapping[str, ChatTemplate] = MappingProxyType({made.name: made for made in _all})

# The first half of the SHA-256 of a published program, with one kind of quotes and newlines.
SUMS = {
    "153280e3ff55d19da1398bdb3914ee2a": "chatml",
    "dd9284d46272c5c7ec31147f6c80e6fc": "chatml",
    "ecd6ae513fe103f0eb62e8ab5bfa8d0f": "gemma",
    "9780fae5bfea3cfd7be37d328c6edfd2": "llama2",
    "ba03a121d097859c7b5b9cd03af99aaf": "llama3",
    "b48c47f6443892716176eb200bf4ef10": "llama3",
    "183c97c5d1eeab434cfe3023024e5726": "llama3.1",
    "171a71249db559e22dece844de4ff0f3": "llama3.2",
    "7e995b379ec01747807246483647cd99": "mistral-v0.1",
    "26a59556925c987317ce5291811ba3b7": "mistral-v0.2",
    "1c6594f8393552ef16bbf3ddecb67d82": "mistral-v1",
    "9afff3ef0c3149d8b70d2ee88ad5bfc5": "mistral-v3",
    "df6e6822032099b82feaa71bdaeaf984": "mistral-nemo",
    "7a2fad4301dcce93b13747dfd6ee5fa6": "qwen1.5",
    "793202280c0910ab26bc6eb57c8212c2": "qwen2",
    "237d96391b07e9e9441934a3df8c83ca": "qwen2",
    "98db6c82c8bd82628a8586c27ad12469": "qwen2.5",
    "66291cf0045c2425a3a667cf3cbb7af2": "zephyr",
}


def checksum(program: str) -> str:
    """Returns the key of a program in `SUMS`."""
    text = program.replace("\r\n", "\n").replace("\\n", "\n").replace('\\"', '"').replace('"', "'")
    return hashlib.sha256(text.strip().encode()).hexdigest()[:32]


def is_program(text: str) -> bool:
    """Returns whether a text is a program in Jinja, not a name."""
    return "{%" in text or "{{" in text


@checked_kinds
def find_chat_template(text: str) -> ChatTemplate:
    """Returns the template of a name, or of the `chat_template` of a checkpoint.

    The program of a checkpoint is compared, and not run.

    Args:
        text: a name in `ml.text.chat_templates`, or the `chat_template` of tokenizer_config.json.

    Raises:
        NameError: If there is no template of this name.
        InputError: If the program is not one that is known.

    Example:
        template = ml.text.find_chat_template("llama3")
        prompt = template.render([{"role": "user", "content": "Hello"}], bos="<|begin_of_text|>")

    See docs/text.md.
    """
    if not is_program(text):
        if text not in chat_templates:
            unknown_name("E0631", "chat template", text, list(chat_templates))
        return chat_templates[text]
    name = SUMS.get(checksum(text))
    if name is None:
        raise_error(
            "InputError",
            "E0855",
            "the chat template of the checkpoint is not known, and its program is not run",
            facts=[("program", text), ("known", ", ".join(chat_templates))],
            help="pass chat_template=, a name or an ml.text.ChatTemplate",
        )
    return chat_templates[name]
