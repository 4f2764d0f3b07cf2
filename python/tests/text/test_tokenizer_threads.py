"""Other threads run while a tokenizer is read and while it works."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mithril as ml

WORDS = [f"w{number}" for number in range(20_000)]
FILE = {
    "normalizer": None,
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "post_processor": None,
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    "model": {
        **{"type": "WordPiece", "unk_token": "w0", "continuing_subword_prefix": "##"},
        "max_input_chars_per_word": 100,
        "vocab": {word: number for number, word in enumerate(WORDS)},
    },
}
CONTENTS = json.dumps(FILE).encode()
CALLS: dict[str, Callable[[ml.Tokenizer, Path], Any]] = {
    "constructor": lambda tokenizer, path: ml.Tokenizer(CONTENTS),
    "load": lambda tokenizer, path: ml.Tokenizer(path),
    "encode": lambda tokenizer, path: tokenizer.encode(" ".join(WORDS)),
    "decode": lambda tokenizer, path: tokenizer.decode(list(range(len(WORDS)))),
    "batch": lambda tokenizer, path: tokenizer([" ".join(WORDS)]),
}


@pytest.fixture
def patient_interpreter() -> Iterator[None]:
    """No thread of Python lets another one run, unless it releases the lock itself."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("call", CALLS)
def test_another_thread_runs_during_a_call(
    call: str, tmp_path: Path, patient_interpreter: None
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(CONTENTS)
    tokenizer = ml.Tokenizer(CONTENTS)
    is_in_call, has_run = False, []

    def other() -> None:
        while not is_in_call:
            pause.wait(1e-3)
        has_run.append(True)

    pause = threading.Event()
    thread = threading.Thread(target=other)
    thread.start()
    for _ in range(100):  # the system may start the other thread too late for one call
        is_in_call = True
        CALLS[call](tokenizer, path)
        is_in_call = False
        if has_run:
            break
    is_in_call = True
    ran = bool(has_run)
    thread.join()
    assert ran
