"""Fine-tunes a small GPT-2 by LoRA: trains two small matrices beside each frozen projection.

Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021. The file of the adapters has
the names of PEFT, so that peft.PeftModel.from_pretrained loads it.

python examples/python/fine_tune_lora.py [STEPS [FOLDER]]
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import mithril as ml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples" / "models"))

from gpt2 import Config, gpt2  # noqa: E402

ROWS, LENGTH, BYTES, RANK, ALPHA = 4, 32, 256, 4, 8
CONFIG = Config(vocab_size=BYTES, n_positions=LENGTH, n_embd=32, n_layer=2, n_head=2)
PEFT = "base_model.model.transformer."


def with_adapter(part):
    """The layer plus scaled low-rank changes. Its parameters keep their keys."""
    model = ml.Model()
    model |= part(**{key: key for key in part.input_keys}, output="base")
    model |= ml.Linear(RANK, use_bias=False, name="lora_A")(input="input", output="low")
    width = part.get_shapes()["weight"][0]
    model |= ml.Linear(width, use_bias=False, name="lora_B")(input="low", output="change")
    model |= ml.Multiply()(left="change", right=ALPHA / RANK, output="scaled")
    model |= ml.Add()(left="base", right="scaled", output="output")
    model.set_initializer("lora_B.weight", ml.initializers.zeros())
    model.expose_keys("output")
    return model


def merged(params):
    """The parameters of the model without adapters, with their changes added to the weights."""
    made = {key: value for key, value in params.items() if ".lora_" not in key}
    for key in (key for key in params if key.endswith(".lora_A.weight")):
        layer = key.removesuffix(".lora_A.weight")
        change = np.asarray(params[f"{layer}.lora_B.weight"]) @ np.asarray(params[key])
        made[f"{layer}.weight"] = made[f"{layer}.weight"] + ALPHA / RANK * change
    return made


def save_adapters(folder, params):
    """Writes the two files of an adapter of PEFT."""
    adapters = {PEFT + key: value for key, value in params.items() if ".lora_" in key}
    ml.save_safetensors(Path(folder) / "adapter_model.safetensors", adapters)
    config = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": RANK, "lora_alpha": ALPHA}
    config |= {"target_modules": ["c_attn", "c_proj", "c_fc"], "fan_in_fan_out": True}
    (Path(folder) / "adapter_config.json").write_text(json.dumps(config))


def load_adapters(folder):
    """The adapters of a folder, with the keys of the model."""
    saved = ml.load_safetensors(Path(folder) / "adapter_model.safetensors")
    return {key.removeprefix(PEFT): value for key, value in saved.items()}


def compiled_gpt(model, **options):
    """Compiled with the mean loss of the next bytes."""
    net = ml.Model()
    net |= ml.Reshape(shape=(-1, BYTES))(input="logits", output="scores")
    net |= ml.Reshape(shape=(-1,))(input="targets", output="next_bytes")
    net |= ml.CrossEntropy()(input="scores", target="next_bytes", output="losses")
    net |= ml.Mean()(input="losses", output="loss")
    whole = model.edit()
    whole |= net(logits="logits", targets="targets", loss="loss")
    whole.expose_keys("logits", "loss")
    shapes = {"input_ids": [ROWS, LENGTH], "targets": [ROWS, LENGTH]}
    options["trainable_keys"] = {"wpe.weight"} - set(options.get("frozen", ()))
    return ml.compile(whole, ml.CpuBackend(), shapes=shapes, **options)


def batch_of(text, step):
    """Windows of the text, and the byte that follows each of their bytes."""
    starts = (step * ROWS + np.arange(ROWS)) * 7919 % (len(text) - LENGTH)
    at = starts[:, None] + np.arange(LENGTH)
    mask = np.ones((ROWS, LENGTH), bool)
    return {"input_ids": text[at], "attention_mask": mask, "targets": text[at + 1]}


def fine_tuned(base, params, text, steps):
    """The model with adapters, its parameters and the losses of the steps."""
    model = base.edit().wrap("h.*.c_*", with_adapter)
    compiled = compiled_gpt(model, frozen=list(params), data_keys={"targets"})
    params, report = ml.transfer(params, compiled_gpt(base), compiled)
    assert all(".lora_" in key for key in report.added)
    step = ml.TrainingStep(compiled, ml.Adam(lr=1e-2), output_gradients={"loss": 1.0})
    losses = [float(step(params, batch_of(text, i))["loss"]) for i in range(steps)]
    return compiled, params, losses


def main(steps="30", folder=None):
    text = np.frombuffer((ROOT / "docs" / "semantics.md").read_bytes(), np.uint8).astype(np.int64)
    base = gpt2(CONFIG)
    original = compiled_gpt(base)
    weights = original.get_parameters(seed=1)
    _, params, losses = fine_tuned(base, weights, text, int(steps))
    with tempfile.TemporaryDirectory() as temporary:
        save_adapters(folder or temporary, params)
        loaded = weights | load_adapters(folder or temporary)
    loss = float(original.evaluate(merged(loaded), batch_of(text, int(steps)))["loss"])
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}, merged {loss:.4f}")
    return losses, loss


if __name__ == "__main__":
    main(*sys.argv[1:])
