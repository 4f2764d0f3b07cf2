"""Chat templates: the text of each family, and the messages that each one refuses."""

import pytest
from text_models import CHATML_PROGRAM

import mithril as ml

SYSTEM = {"role": "system", "content": " Be brief. "}
CHAT = [
    {"role": "user", "content": " Hi\n"},
    {"role": "assistant", "content": " Hello. "},
    {"role": "user", "content": "Why? "},
]
CHATML = (
    "<|im_start|>user\n Hi\n<|im_end|>\n<|im_start|>assistant\n Hello. <|im_end|>\n"
    "<|im_start|>user\nWhy? <|im_end|>\n<|im_start|>assistant\n"
)
CHATML_SYSTEM = "<|im_start|>system\n{}<|im_end|>\n"
LLAMA3 = (
    "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\nHello.<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n"
)
LLAMA3_SYSTEM = "<s><|start_header_id|>system<|end_header_id|>\n\n{}<|eot_id|>"
DATED = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
# Template name: the expected text of CHAT without and with a system message. The published programs
# made them, run by Jinja as transformers does. None: the template refuses the chat.
TEXTS = {
    "chatml": (CHATML, CHATML_SYSTEM.format(" Be brief. ") + CHATML),
    "gemma": (
        "<s><start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nHello.<end_of_turn>\n"
        "<start_of_turn>user\nWhy?<end_of_turn>\n<start_of_turn>model\n",
        None,
    ),
    "llama2": (
        "<s>[INST] Hi [/INST] Hello. </s><s>[INST] Why? [/INST]",
        "<s>[INST] <<SYS>>\n Be brief. \n<</SYS>>\n\n Hi [/INST] Hello. </s><s>[INST] Why? [/INST]",
    ),
    "llama3": ("<s>" + LLAMA3, LLAMA3_SYSTEM.format("Be brief.") + LLAMA3),
    "llama3.1": (
        LLAMA3_SYSTEM.format(DATED) + LLAMA3,
        LLAMA3_SYSTEM.format(DATED + "Be brief.") + LLAMA3,
    ),
    "mistral-v0.1": ("<s>[INST]  Hi\n [/INST] Hello. </s> [INST] Why?  [/INST]", None),
    "mistral-v0.2": ("<s>[INST]  Hi\n [/INST] Hello. </s>[INST] Why?  [/INST]", None),
    "mistral-v1": (
        "<s> [INST]  Hi\n [/INST]  Hello. </s> [INST] Why?  [/INST]",
        "<s> [INST]  Be brief. \n\n Hi\n [/INST]  Hello. </s> [INST] Why?  [/INST]",
    ),
    "mistral-v3": (
        "<s>[INST]  Hi\n[/INST] Hello.</s>[INST] Why? [/INST]",
        "<s>[INST]  Hi\n[/INST] Hello.</s>[INST]  Be brief. \n\nWhy? [/INST]",
    ),
    "mistral-nemo": (
        "<s>[INST] Hi\n[/INST] Hello. </s>[INST]Why? [/INST]",
        "<s>[INST] Hi\n[/INST] Hello. </s>[INST] Be brief. \n\nWhy? [/INST]",
    ),
    "qwen1.5": (
        CHATML_SYSTEM.format("You are a helpful assistant") + CHATML,
        CHATML_SYSTEM.format(" Be brief. ") + CHATML,
    ),
    "qwen2": (
        CHATML_SYSTEM.format("You are a helpful assistant.") + CHATML,
        CHATML_SYSTEM.format(" Be brief. ") + CHATML,
    ),
    "qwen2.5": (
        CHATML_SYSTEM.format("You are Qwen, created by Alibaba Cloud. You are a helpful assistant.")
        + CHATML,
        CHATML_SYSTEM.format(" Be brief. ") + CHATML,
    ),
    "zephyr": (
        "<|user|>\n Hi\n</s>\n<|assistant|>\n Hello. </s>\n<|user|>\nWhy? </s>\n<|assistant|>\n",
        "<|system|>\n Be brief. </s>\n<|user|>\n Hi\n</s>\n<|assistant|>\n Hello. </s>\n"
        "<|user|>\nWhy? </s>\n<|assistant|>\n",
    ),
}
ALTERNATING = {name for name in TEXTS if name.split("-")[0] in {"gemma", "llama2", "mistral"}}


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_is_that_of_the_published_program(name: str) -> None:
    template = ml.text.find_chat_template(name)
    without, with_system = TEXTS[name]
    assert template.render(CHAT, bos="<s>", eos="</s>") == without
    if with_system is not None:
        assert template.render([SYSTEM, *CHAT], bos="<s>", eos="</s>") == with_system
        return
    with pytest.raises(ml.InputError) as caught:
        template.render([SYSTEM, *CHAT])
    assert str(caught.value) == (
        f"mithril.InputError[E0856]: chat: message 0 has the role 'system', and the template "
        f"'{name}' has no system messages\n  help: put it into the first message of the user"
    )


def test_every_template_has_an_expected_text() -> None:
    assert {*TEXTS, "llama3.2"} == set(ml.text.chat_templates)


def test_llama_3_2_writes_the_day_of_today(monkeypatch) -> None:
    import mithril.text.chat_template as module  # noqa: PLC0415 - what is replaced

    class Day(module.date):
        @classmethod
        def today(cls) -> "Day":
            return cls(2026, 3, 5)

    monkeypatch.setattr(module, "date", Day)
    text = ml.text.chat_templates["llama3.2"].render(CHAT, bos="<s>")
    assert text == LLAMA3_SYSTEM.format(DATED.replace("26 Jul 2024", "05 Mar 2026")) + LLAMA3


@pytest.mark.parametrize("name", TEXTS)
def test_two_turns_of_the_user_are_refused_where_turns_alternate(name: str) -> None:
    template = ml.text.chat_templates[name]
    twice = [CHAT[0], CHAT[2]]
    if name not in ALTERNATING:
        assert template.render(twice).count("Why?") == 1
        return
    with pytest.raises(ml.InputError) as caught:
        template.render(twice)
    assert str(caught.value) == (
        "mithril.InputError[E0856]: chat: message 1 has the role 'user', and the template "
        f"'{name}' alternates user and assistant: expected assistant"
    )


@pytest.mark.parametrize("newline", ["\n", "\\n"])
def test_a_published_program_is_recognised(newline: str) -> None:
    template = ml.text.find_chat_template(CHATML_PROGRAM.replace("\n", newline) + "\n")
    assert template is ml.text.chat_templates["chatml"]


def test_a_changed_program_is_refused_with_its_text() -> None:
    changed = CHATML_PROGRAM.replace("\n", "\\n").replace("assistant", "model")
    with pytest.raises(ml.InputError) as caught:
        ml.text.find_chat_template(changed)
    text = str(caught.value)
    assert text.startswith(
        "mithril.InputError[E0855]: the chat template of the checkpoint is not known, and its "
        "program is not run\n"
    )
    assert changed in text
    assert "pass chat_template=, a name or an ml.text.ChatTemplate" in text


def test_an_unknown_name_lists_the_nearest() -> None:
    with pytest.raises(ml.NameError) as caught:
        ml.text.find_chat_template("lama3")
    assert "mithril.NameError[E0631]: there is no chat template 'lama3'" in str(caught.value)
    assert "did you mean 'llama3'?" in str(caught.value)


REFUSED = [
    ([], "chat: there are no messages, expected at least one"),
    (["Hi"], "chat: message 0 is not a message"),
    ([{"role": "user"}], "chat: message 0 is not a message"),
    ([{"role": "user", "content": "Hi", "name": "Ada"}], "chat: message 0 is not a message"),
    ([*CHAT, {"role": "tool", "content": "7"}], "chat: message 3 is not a message"),
    ([{"role": "user", "content": ["Hi"]}], "chat: message 0 is not a message"),
    (CHAT[:2], "chat: the last message has the role 'assistant', expected user"),
    ([SYSTEM], "chat: the last message has the role 'system', expected user"),
    (
        [CHAT[0], SYSTEM, CHAT[2]],
        "chat: message 1 has the role 'system', and the template 'chatml' has a system message at "
        "the beginning only",
    ),
]


@pytest.mark.parametrize(("messages", "message"), REFUSED)
def test_messages_of_another_form_are_refused(messages, message: str) -> None:
    with pytest.raises(ml.InputError) as caught:
        ml.text.chat_templates["chatml"].render(messages)
    assert str(caught.value).splitlines()[0] == f"mithril.InputError[E0856]: {message}"


def test_the_error_of_a_message_shows_it() -> None:
    with pytest.raises(ml.InputError) as caught:
        ml.text.chat_templates["chatml"].render([{"role": "tool", "content": "7"}])
    assert str(caught.value) == (
        "mithril.InputError[E0856]: chat: message 0 is not a message\n"
        "  expected : a role of system, user, assistant\n"
        "  got      : 'tool'"
    )


def test_braces_in_a_message_stay_as_they_are() -> None:
    message = {"role": "user", "content": "{bos} {content} {date} {x}"}
    assert ml.text.chat_templates["zephyr"].render([message], eos="</s>") == (
        "<|user|>\n{bos} {content} {date} {x}</s>\n<|assistant|>\n"
    )


def test_a_template_of_your_own() -> None:
    template = ml.text.ChatTemplate(
        name="plain",
        begin="{bos}",
        system="({content}) {user}",
        system_place="last user",
        user="User: {content}\n",
        assistant="Model: {content}{eos}\n",
        answer="Model: ",
    )
    assert template.render([SYSTEM, *CHAT], bos="<s>", eos="</s>") == (
        "<s>User:  Hi\n\nModel:  Hello. </s>\nUser: ( Be brief. ) Why? \nModel: "
    )


def test_a_turn_without_its_content_is_refused() -> None:
    with pytest.raises(ml.ValueError) as caught:
        ml.text.ChatTemplate(name="plain", user="User: ", assistant="{content}")
    assert str(caught.value) == (
        "mithril.ValueError[E0498]: plain: ChatTemplate: user has no {content}"
    )


TURNS = {"name": "plain", "user": "{content}", "assistant": "{content}"}
MISFITS = [
    ({"stop": "User:"}, ml.TypeError, "E0395", "ChatTemplate: argument 'stop'"),
    ({"stop": (1,)}, ml.TypeError, "E0395", "ChatTemplate: argument 'stop'"),
    ({"strip": "user"}, ml.TypeError, "E0395", "ChatTemplate: argument 'strip'"),
    ({"user": None}, ml.TypeError, "E0395", "ChatTemplate: argument 'user'"),
    ({"default_system": 1}, ml.TypeError, "E0395", "ChatTemplate: argument 'default_system'"),
    ({"strip": ("usr",)}, ml.NameError, "E0605", "there is no role 'usr'"),
    (
        {"system": "{content} {user}", "system_place": "first"},
        ml.NameError,
        "E0605",
        "there is no place of a system message 'first'",
    ),
    ({"default_system": ""}, ml.ValueError, "E0498", "default_system has no place"),
]


@pytest.mark.parametrize(("fields", "kind", "code", "text"), MISFITS)
def test_a_template_with_other_fields_is_refused(fields, kind, code: str, text: str) -> None:
    with pytest.raises(kind) as caught:
        ml.text.ChatTemplate(**{**TURNS, **fields})
    assert caught.value.code == code and text in str(caught.value)
