"""A language model or an encoder with its tokenizer: text in, text or vectors out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from queue import SimpleQueue
from typing import Any

import numpy as np

from .._core import CompiledModel, generate, raise_error, wrong_argument
from .._internal.arguments import checked_kinds
from .chat_template import ChatTemplate, Message
from .chat_templates import find_chat_template, is_program
from .embedding import embeddings
from .pieces import Decoder, StopTextFinder
from .sampling import Sampling, sampled
from .tokens import SpecialTokens, encoded


class _StopError(Exception):
    """Ends a generation from the function that takes its tokens."""


class TextModel:
    """A compiled model with its tokenizer. `ml.text.load` makes one of a checkpoint.

    A language model continues texts and answers chats; an encoder embeds texts. A text model is
    thread-safe if its tokenizer is.

    Args:
        compiled: a language model, as `ml.generate` takes, or an encoder with the output embedding
            [N, D] or last_hidden_state [N, L, D].
        tokenizer: an object with encode(text) and decode(tokens), such as an `ml.Tokenizer`.
        params: dict of parameters. None: the model is bound.
        chat_template: how the model writes chats: an `ml.text.ChatTemplate`, a name in
            `ml.text.chat_templates`, or the `chat_template` of a checkpoint.
        special_tokens: tokens that begin and end texts.

    Raises:
        NameError: If there is no chat template of this name.

    Example:
        net = ml.Model()
        net |= ml.Embedding(128, dim=8)(input="input_ids", output="hidden")
        net |= ml.Linear(128)(input="hidden", output="logits")
        language = ml.compile(net, ml.CpuBackend(), data_keys=["input_ids"])

        class Characters:
            def encode(self, text):
                return [min(ord(character), 127) for character in text]

            def decode(self, tokens):
                return "".join(map(chr, tokens))

        writer = ml.text.TextModel(language, Characters(), params=language.get_parameters())
        answer = writer("Hello", max_tokens=5, temperature=0.8, seed=1)

    See docs/text.md.
    """

    @checked_kinds
    def __init__(
        self,
        compiled: CompiledModel,
        tokenizer: Any,
        *,
        params: Mapping[str, Any] | None = None,
        chat_template: ChatTemplate | str | None = None,
        special_tokens: SpecialTokens | None = None,
    ) -> None:
        """Keeps the model and the tokenizer."""
        decodes = hasattr(tokenizer, "encode") and hasattr(tokenizer, "decode")
        if not decodes and not callable(tokenizer):
            expected = "an object with encode(text) and decode(tokens)"
            wrong_argument("TextModel", "tokenizer", expected, tokenizer)
        self.compiled = compiled
        self.tokenizer = tokenizer
        self.params = dict(params or {})
        self.special_tokens = special_tokens or SpecialTokens()
        if isinstance(chat_template, str) and not is_program(chat_template):
            chat_template = find_chat_template(chat_template)
        self._chat_template = chat_template

    def __repr__(self) -> str:
        return f"<TextModel of {self.compiled!r} with {type(self.tokenizer).__name__}>"

    @property
    def chat_template(self) -> ChatTemplate | None:
        """How the model writes chats, if it has a template. InputError for an unknown program."""
        if isinstance(self._chat_template, str):
            self._chat_template = find_chat_template(self._chat_template)
        return self._chat_template

    @sampled
    def __call__(self, prompt: str | Sequence[str], sampling: Sampling) -> str | list[str]:
        """Continues a text, or each text of a list as if it were the only one.

        Args:
            prompt: the text, or a list of texts.
            max_tokens: maximum number of new tokens of each text.
            temperature: 0 takes the most probable token. Otherwise the logits are divided by it.
            top_k: number of most probable tokens to draw from. 0 draws from all.
            top_p: draws from the fewest most probable tokens whose total probability reaches this.
            seed: seed of the random numbers.
            stop: a text or a list of texts that end the answer. They are not part of it.

        Returns:
            The new text, without the prompt; for several prompts a list.

        Raises:
            ValueError: If an option is out of range.
            InputError: If a text is too long for the model, or has no tokens.
        """
        if isinstance(prompt, str):
            return self._answer(self._prompt_tokens(prompt), sampling)
        _check_texts("TextModel", "prompt", prompt)
        return [self._answer(self._prompt_tokens(text), sampling) for text in prompt]

    @sampled
    def stream(self, prompt: str, sampling: Sampling) -> Iterator[str]:
        """Continues a text, and yields the new text in pieces while it is made.

        The pieces are together what a call returns. A thread makes them. It ends when the iterator
        is closed or deleted.

        Args:
            prompt: the text.
            max_tokens, temperature, top_k, top_p, seed, stop: as in a call.

        Raises:
            ValueError: If an option is out of range.
            InputError: If the text is too long for the model, or has no tokens.

        Example:
            for piece in writer.stream("Hello", max_tokens=5):
                print(piece, end="")
        """
        tokens = self._prompt_tokens(prompt)
        return _streamed(lambda add: self._generate(tokens, sampling, add))

    @sampled
    def chat(self, messages: Sequence[Message], sampling: Sampling) -> str:
        """Answers a chat.

        Args:
            messages: list of dicts with "role" (system, user or assistant) and "content". The last
                one is of the user.
            max_tokens, temperature, top_k, top_p, seed, stop: as in a call.

        Returns:
            The text of the answer.

        Raises:
            InputError: If the model has no chat template, or the template refuses the messages.

        Example:
            template = ml.text.find_chat_template("chatml")
            chatter = ml.text.TextModel(
                language, Characters(), params=language.get_parameters(), chat_template=template
            )
            answer = chatter.chat([{"role": "user", "content": "Hello"}], max_tokens=5)
        """
        tokens, ends = self._chat_tokens(messages)
        return self._answer(tokens, sampling, ends)

    @sampled
    def stream_chat(self, messages: Sequence[Message], sampling: Sampling) -> Iterator[str]:
        """Answers a chat, and yields the answer in pieces, as `stream` does.

        Args:
            messages: as in `chat`.
            max_tokens, temperature, top_k, top_p, seed, stop: as in a call.

        Raises:
            InputError: If the model has no chat template, or the template refuses the messages.

        Example:
            chatter = ml.text.TextModel(
                language, Characters(), params=language.get_parameters(), chat_template="chatml"
            )
            for piece in chatter.stream_chat([{"role": "user", "content": "Hello"}], max_tokens=5):
                print(piece, end="")
        """
        tokens, ends = self._chat_tokens(messages)
        return _streamed(lambda add: self._generate(tokens, sampling, add, ends))

    @checked_kinds
    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Returns a vector for each text.

        It is the output `embedding`, or the mean of `last_hidden_state` over the tokens of a text.

        Args:
            texts: N texts.

        Returns:
            Array of NumPy [N, D].

        Raises:
            InputError: If the model has none of these outputs.

        Example:
            net = ml.Model()
            net |= ml.Embedding(128, dim=8)(input="input_ids", output="last_hidden_state")
            encoder = ml.compile(net, ml.CpuBackend(), data_keys=["input_ids"])
            texts = ml.text.TextModel(encoder, Characters(), params=encoder.get_parameters())
            assert texts.embed(["Hello", "world"]).shape == (2, 8)
        """
        _check_texts("embed", "texts", texts)
        return embeddings(self.compiled, self.params, self.tokenizer, texts)

    def _prompt_tokens(self, text: str) -> list[int]:
        tokens = encoded(self.tokenizer, text)
        return self.special_tokens.begun(tokens, True) if self.special_tokens.begins else tokens

    def _chat_tokens(self, messages: Sequence[Message]) -> tuple[list[int], tuple[str, ...]]:
        """Returns the tokens of a chat, and the texts of tokens that end an answer."""
        template = self.chat_template
        if template is None:
            raise_error(
                "InputError",
                "E0855",
                "the model has no chat template",
                help="pass chat_template=, a name in ml.text.chat_templates, or continue texts",
            )
        special = self.special_tokens
        text = template.render(messages, bos=special.bos, eos=special.eos)
        begins = special.bos != "" and text.startswith(special.bos)
        return special.begun(encoded(self.tokenizer, text), begins), template.stop

    def _answer(self, tokens: list[int], sampling: Sampling, ends: tuple[str, ...] = ()) -> str:
        pieces: list[str] = []
        self._generate(tokens, sampling, pieces.append, ends)
        return "".join(pieces)

    def _generate(
        self,
        tokens: list[int],
        sampling: Sampling,
        add: Callable[[str], None],
        ends: tuple[str, ...] = (),
    ) -> None:
        """Generates tokens until one or a text ends the answer, and adds the text of each."""
        stop_tokens, stop_texts = list(self.special_tokens.stop_ids), list(sampling.stop)
        for end in ends:
            made = self.special_tokens.begun(encoded(self.tokenizer, end), False)
            if len(made) == 1:
                stop_tokens += made
            else:  # the tokenizer has no token of this text
                stop_texts.append(end)
        decoder, finder = Decoder(self.tokenizer), StopTextFinder(stop_texts)

        def take(_: int, token: int) -> None:
            add(finder.push(decoder.push(token)))
            if finder.found:
                raise _StopError

        try:
            generate(
                self.compiled,
                self.params,
                tokens,
                stop=stop_tokens,
                stream=take,
                **sampling.of_generate(),
            )
        except _StopError:
            return
        add(finder.push(decoder.finish()))
        add(finder.finish())


def _check_texts(who: str, argument: str, texts: Sequence[Any]) -> None:
    if not all(isinstance(text, str) for text in texts):
        wrong_argument(who, argument, "a list of texts", texts)


def _streamed(work: Callable[[Callable[[str], None]], None]) -> Iterator[str]:
    """Yields the texts that `work` adds in a thread, and raises its error."""
    texts: SimpleQueue[str | BaseException | None] = SimpleQueue()
    closed = threading.Event()

    def add(text: str) -> None:
        if closed.is_set():
            raise _StopError
        if text:
            texts.put(text)

    def run() -> None:
        try:
            work(add)
            texts.put(None)
        except BaseException as error:  # the caller raises it
            texts.put(error)

    threading.Thread(target=run, name="mithril_text", daemon=True).start()
    try:
        while (text := texts.get()) is not None:
            if isinstance(text, BaseException):
                raise text
            yield text
    finally:
        closed.set()
