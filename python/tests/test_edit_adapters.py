"""The adapters of docs/editing.md: they are trained alone, saved, merged, and read by PEFT."""

from __future__ import annotations

import importlib.util
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mithril as ml

ROOT = Path(__file__).parents[2]
needs_peft = pytest.mark.skipif(
    importlib.util.find_spec("peft") is None, reason="peft is not installed"
)


@pytest.fixture
def lora(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "python"))
    return import_module("fine_tune_lora")


def test_adapters_are_trained_saved_loaded_and_merged(lora: Any, tmp_path: Path) -> None:
    losses, _ = lora.main("20", tmp_path)
    assert losses[-1] < 0.95 * losses[0]  # the text is that of the documents
    saved = ml.load_safetensors(tmp_path / "adapter_model.safetensors")
    assert "base_model.model.transformer.h.0.attn.c_attn.lora_A.weight" in saved
    assert all(".lora_" in key for key in saved)
    base = lora.gpt2(lora.CONFIG)
    adapted = base.edit().wrap("h.*.c_*", lora.with_adapter)
    original, compiled = lora.compiled_gpt(base), lora.compiled_gpt(adapted)
    params = original.randomize_params(seed=1) | lora.load_adapters(tmp_path)
    batch = lora.batch_of(np.arange(200) % 256, 0)
    np.testing.assert_allclose(
        np.asarray(original.evaluate(lora.merged(params), batch)["logits"]),
        np.asarray(compiled.evaluate(params, batch)["logits"]),
        rtol=1e-3,
        atol=1e-4,
    )


def test_only_the_adapters_are_trained(lora: Any) -> None:
    base = lora.gpt2(lora.CONFIG)
    params = lora.compiled_gpt(base).randomize_params(seed=1)
    before = {key: np.array(value) for key, value in params.items()}
    _, trained, _ = lora.fine_tuned(base, params, np.arange(200) % 256, 2)
    for key, value in before.items():
        np.testing.assert_array_equal(np.asarray(trained[key]), value)
    assert np.abs(np.asarray(trained["h.0.attn.c_attn.lora_B.weight"])).max() > 0


def test_adapters_begin_as_the_imported_module_of_torch(lora: Any) -> None:
    torch = import_module("torch")
    module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
    x = torch.linspace(-1, 1, 20).reshape(5, 4)
    model, params = ml.from_torch(module, (x,))
    adapted = model.edit().wrap(ml.Linear, lora.with_adapter)
    compiled = ml.compile(adapted, ml.CpuBackend(), frozen=list(params))
    assert set(compiled.frozen_keys) == set(params)
    given = compiled.get_parameters() | params
    (output,) = compiled.evaluate(given, {"input": x.numpy()}).values()
    np.testing.assert_allclose(np.asarray(output), module(x).detach().numpy(), atol=1e-6)


@needs_peft
def test_the_adapters_give_equal_logits_in_peft(lora: Any, tmp_path: Path) -> None:
    torch = import_module("torch")
    transformers, peft = import_module("transformers"), import_module("peft")
    lora.main("3", tmp_path)
    shape = lora.CONFIG
    config = transformers.GPT2Config(
        vocab_size=shape.vocab_size,
        n_positions=shape.n_positions,
        n_embd=shape.n_embd,
        n_layer=shape.n_layer,
        n_head=shape.n_head,
    )
    base = lora.gpt2(shape)
    weights = lora.compiled_gpt(base).randomize_params(seed=1)
    theirs = transformers.GPT2LMHeadModel(config).eval()
    transposed = re.compile(r"h\.\d+\.(attn|mlp)\.c_\w+\.weight")
    state = {}
    for key, value in weights.items():
        array = np.array(value)
        state["transformer." + key] = torch.tensor(array.T if transposed.fullmatch(key) else array)
    missing = theirs.load_state_dict(state, strict=False)
    assert missing.unexpected_keys == [] and missing.missing_keys == ["lm_head.weight"]
    theirs.tie_weights()
    settings = json.loads((tmp_path / "adapter_config.json").read_text())
    assert settings["fan_in_fan_out"]
    loaded = peft.PeftModel.from_pretrained(theirs, str(tmp_path)).eval()
    adapted = lora.compiled_gpt(base.edit().wrap("h.*.c_*", lora.with_adapter))
    batch = lora.batch_of(np.arange(200) % 256, 0)
    ours = adapted.evaluate(weights | lora.load_adapters(tmp_path), batch)["logits"]
    with torch.no_grad():
        logits = loaded(torch.tensor(batch["input_ids"])).logits
    np.testing.assert_allclose(np.asarray(ours), logits.numpy(), rtol=1e-3, atol=1e-3)
