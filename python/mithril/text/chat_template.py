"""How a model writes chats: templates as data, which are never run as code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, NoReturn

from .._core import raise_error, unknown_name, wrong_argument

Message = Mapping[str, str]
ROLES = ("system", "user", "assistant")
PLACES = ("turn", "first user", "last user", "refused")
TEXTS = ("name", "user", "assistant", "answer", "begin", "system")
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"


@dataclass(frozen=True, kw_only=True)
class ChatTemplate:
    """The text in which a model reads a chat.

    `user`, `assistant` and `system` are the texts of a turn, with {content} in the place of its
    content. All texts may have {bos} and {eos}, the tokens that begin and end a text, and {date},
    the day of today as in "26 Jul 2024".

    Args:
        name: the name in errors.
        user: a turn of the user.
        assistant: a turn of the model.
        answer: the beginning of the turn that the model is to write.
        begin: the beginning of a chat.
        stop: texts of tokens that end an answer. The token of {eos} always ends one.
        system: a system message. If it is not a turn, the text also has {user}: the content of the
            turn into which it is put.
        system_place: whether a system message is a turn, part of the first or the last turn of the
            user, or refused.
        default_system: system message of a chat without one. None: such a chat has none.
        alternates: whether turns of the user and the model must alternate.
        strip: roles whose contents lose the spaces at both ends.
        strip_whole: whether a content is stripped after a system message was put into it.

    Raises:
        ValueError: If the text of a turn has no {content}, or `default_system` has no place.
        NameError: If there is no such place or role.
        TypeError: If a field is of another kind, such as a text in the place of a tuple.

    Example:
        template = ml.text.ChatTemplate(
            name="plain",
            user="User: {content}\\n",
            assistant="Model: {content}\\n",
            answer="Model: ",
        )
        text = template.render([{"role": "user", "content": "Hello"}])

    See docs/text.md.
    """

    name: str
    user: str
    assistant: str
    answer: str = ""
    begin: str = ""
    stop: tuple[str, ...] = ()
    system: str = ""
    system_place: Literal["turn", "first user", "last user", "refused"] = "refused"
    default_system: str | None = None
    alternates: bool = False
    strip: tuple[str, ...] = ()
    strip_whole: bool = False

    def __post_init__(self) -> None:
        """Refuses texts of turns that would lose their content, and fields of another kind."""
        self._check_kinds()
        if self.system_place not in PLACES:
            unknown_name("E0605", "place of a system message", self.system_place, list(PLACES))
        for role in self.strip:
            if role not in ROLES:
                unknown_name("E0605", "role", role, list(ROLES))
        if self.default_system is not None and self.system_place == "refused":
            message = "ChatTemplate: default_system has no place, because system_place is 'refused'"
            raise_error("ValueError", "E0498", message, path=self.name)
        needed = {"user": ["content"], "assistant": ["content"]}
        if self.system_place != "refused":
            folded = self.system_place != "turn"
            needed["system"] = ["content", "user"] if folded else ["content"]
        for field, names in needed.items():
            for name in names:
                if f"{{{name}}}" not in getattr(self, field):
                    message = f"ChatTemplate: {field} has no {{{name}}}"
                    raise_error("ValueError", "E0498", message, path=self.name)

    def _check_kinds(self) -> None:
        """Refuses fields of another kind. TypeError E0395."""
        optional = [] if self.default_system is None else ["default_system"]
        for field in (*TEXTS, "system_place", *optional):
            if not isinstance(getattr(self, field), str):
                wrong_argument("ChatTemplate", field, "text", getattr(self, field))
        for field in ("stop", "strip"):  # a text would be the texts of its characters
            value = getattr(self, field)
            if not isinstance(value, (tuple, list)) or not all(isinstance(t, str) for t in value):
                wrong_argument("ChatTemplate", field, "a tuple of texts", value)

    def render(self, messages: Sequence[Message], *, bos: str = "", eos: str = "") -> str:
        """Returns the text of a chat, at whose end the model writes its answer.

        Args:
            messages: dicts with "role" (system, user or assistant) and "content". Only the first
                may be a system message, and the last one is of the user.
            bos: text of the token that begins a text.
            eos: text of the token that ends a text.

        Raises:
            InputError: If a message is not of this form, the last one is not of the user, or the
                template refuses their order.

        Example:
            template = ml.text.find_chat_template("chatml")
            text = template.render([{"role": "user", "content": "Hello"}])
        """
        turns = _checked_messages(messages)
        self._check_order(turns)
        system = self._system(turns)
        names = {"bos": bos, "eos": eos, "date": _today()}
        parts = [_filled(self.begin, names)]
        if system is not None and self.system_place == "turn":
            parts.append(_filled(self.system, {**names, "content": system}))
        users = [at for at, (role, _) in enumerate(turns) if role == "user"]
        place = {"first user": users[0], "last user": users[-1]}.get(self.system_place)
        for at, (role, content) in enumerate(turns):
            own = system if at == place else None
            parts.append(self._turn(role, content, own, names))
        return "".join([*parts, _filled(self.answer, names)])

    def _turn(self, role: str, content: str, system: str | None, names: dict[str, str]) -> str:
        """Returns the text of a turn, with the system message that is part of it, if any."""
        strips = role in self.strip
        if strips and not self.strip_whole:
            content = content.strip()
        if system is not None:
            content = _filled(self.system, {**names, "content": system, "user": content})
        if strips and self.strip_whole:
            content = content.strip()
        turn = self.user if role == "user" else self.assistant
        return _filled(turn, {**names, "content": content})

    def _system(self, turns: list[tuple[str, str]]) -> str | None:
        """Takes the system message from the turns."""
        if turns[0][0] != "system":
            return self.default_system
        system = turns.pop(0)[1]
        return system.strip() if "system" in self.strip else system

    def _check_order(self, turns: list[tuple[str, str]]) -> None:
        expected = "user"
        for at, (role, _) in enumerate(turns):
            if role == "system":
                if self.system_place == "refused":
                    help = "put it into the first message of the user"
                    self._refuse(at, role, "has no system messages", help)
                if at > 0:
                    self._refuse(at, role, "has a system message at the beginning only")
                continue
            if self.alternates and role != expected:
                self._refuse(at, role, f"alternates user and assistant: expected {expected}")
            expected = "assistant" if role == "user" else "user"
        if turns[-1][0] != "user":
            message = f"chat: the last message has the role '{turns[-1][0]}', expected user"
            raise_error("InputError", "E0856", message)

    def _refuse(self, at: int, role: str, why: str, help: str = "") -> NoReturn:
        raise_error(
            "InputError",
            "E0856",
            f"chat: message {at} has the role '{role}', and the template '{self.name}' {why}",
            help=help,
        )


def _checked_messages(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """Returns the roles and contents. InputError E0856."""
    if not messages:
        raise_error("InputError", "E0856", "chat: there are no messages, expected at least one")
    turns = []
    for at, message in enumerate(messages):
        if not isinstance(message, Mapping) or set(message) != {"role", "content"}:
            _refuse_message(at, 'a dict with "role" and "content"', message)
        role, content = message["role"], message["content"]
        if role not in ROLES:
            _refuse_message(at, f"a role of {', '.join(ROLES)}", role)
        if not isinstance(content, str):
            _refuse_message(at, "a content that is text", content)
        turns.append((role, content))
    return turns


def _refuse_message(at: int, expected: str, got: Any) -> NoReturn:
    facts = [("expected", expected), ("got", repr(got)[:200])]
    raise_error("InputError", "E0856", f"chat: message {at} is not a message", facts=facts)


def _filled(text: str, values: Mapping[str, str]) -> str:
    """Replaces {name} by its value. Braces in values stay as they are."""
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), text)


def _today() -> str:
    day = date.today()
    return f"{day.day:02} {MONTHS.split()[day.month - 1]} {day.year}"
