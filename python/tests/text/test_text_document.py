"""The Python of docs/text.md runs."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from test_load_text import WORD_PIECE
from text_models import CHATML_PROGRAM, Characters, write_folder

import mithril as ml

ROOT = Path(__file__).parents[3]


def tokenizer_of(text: bytes) -> Any:
    """A tokenizer of characters in place of those of language models."""
    return ml.Tokenizer(text) if b"WordPiece" in text else Characters()


def test_the_python_of_the_document_runs(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mithril.text.loading.Tokenizer", tokenizer_of)
    registry = ml.ModelsRegistry()
    monkeypatch.setattr("mithril.loading.models_registry", registry)
    monkeypatch.setattr(ml, "models_registry", registry)
    settings = {"bos_token": "<s>", "eos_token": "</s>", "chat_template": CHATML_PROGRAM}
    document = (ROOT / "docs" / "text.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", document, re.DOTALL | re.MULTILINE)
    write_folder(tmp_path / "my-llama", "llama", tokenizer={}, tokenizer_config=settings)
    write_folder(tmp_path / "minilm", "bert", tokenizer=WORD_PIECE)
    names: dict[str, Any] = {"ml": ml}
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/text.md, block {number + 1}", "exec"), names)
    assert names["vectors"].shape == (2, 24) and np.isfinite(names["vectors"]).all()
    assert names["same"] is True
    assert names["text"] == "<s>User: Hello\nModel:"


def test_the_document_lists_every_chat_template() -> None:
    text = (ROOT / "docs" / "text.md").read_text(encoding="utf-8")
    assert [name for name in ml.text.chat_templates if f"`{name}`" not in text] == []
