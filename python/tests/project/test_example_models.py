"""The models of examples/models compile, and a sample of them equals those of transformers; `make
models` compares all of them on both backends, in float32, too."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mithril as ml

EXAMPLES = Path(__file__).parents[3] / "examples" / "models"
SHARED = {"pretrained", "rotary"}
FILES = sorted({path.stem for path in EXAMPLES.glob("*.py")} - SHARED)
SAMPLE = ["bert", "gpt2", "llama", "mamba", "resnet", "t5"]  # that take a second each


@pytest.fixture(scope="module")
def agreement():
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("transformers", reason="transformers is not installed")
    return importlib.import_module("agreement")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.sampled(3)
def test_a_model_compiles_with_its_published_sizes(name):
    example = importlib.import_module(name)
    compiled = ml.compile(getattr(example, name)(example.Config()), ml.CpuBackend())
    sizes = [size for key in compiled.parameter_keys for size in compiled.shapes[key]]
    assert sizes and all(isinstance(size, int) for size in sizes)


LLAMA_31 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
YARN = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8192}
IN_CPP = {
    "bert": ("bert", {}),
    "gpt2": ("gpt2", {}),
    "gpt2_cached": ("gpt2", {"limit": 64}),
    "llama": ("llama", {}),
    "llama_cached": ("llama", {"limit": 64}),
    "llama_31": ("llama", {"rope_theta": 5e5, "rope_scaling": LLAMA_31}),
    "llama_of_groups": ("llama", {"num_key_value_heads": 4}),
    "llama_tied": ("llama", {"tie_word_embeddings": True}),
    "llama_yarn": ("llama", {"rope_scaling": YARN}),
    "minilm_l6": ("bert", "MINILM_L6"),
    "resnet_18": ("resnet", "RESNET_18"),
    "resnet_34": ("resnet", "RESNET_34"),
    "resnet_50": ("resnet", {}),
}


@pytest.mark.parametrize("name", IN_CPP)
@pytest.mark.slow
def test_a_model_in_cpp_equals_that_in_python(name):
    program = Path(ml.__file__).parents[2] / "examples" / "models" / "compose_model"
    if not program.exists():
        pytest.skip("the examples in C++ are not built")
    file, options = IN_CPP[name]
    example = importlib.import_module(file)
    named = isinstance(options, str)
    limit = {} if named else {key: options[key] for key in options if key == "limit"}
    fields = {} if named else {key: options[key] for key in options if key != "limit"}
    config = getattr(example, options) if named else example.Config(**fields)
    run = subprocess.run([program, name], capture_output=True, text=True, check=True)
    assert ml.Model.from_json(run.stdout) == getattr(example, file)(config, **limit)


def of_file(case, name):
    return case == name or case.startswith(f"{name}_")


@pytest.mark.parametrize("name", FILES)
def test_there_are_cases_of_each_file(agreement, name):
    cases = importlib.import_module("cases").CASES
    made = [make() for key, make in cases.items() if of_file(key, name)]
    assert made and all(case.example.__name__ == name for case in made)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_model_equals_that_of_transformers(agreement, name):
    cases = importlib.import_module("cases").CASES
    for case in (make() for key, make in cases.items() if of_file(key, name)):
        assert agreement.differences(case, agreement.reference(case), "cpu", "float64") == []


def test_the_comparison_finds_a_norm_of_another_epsilon(agreement, monkeypatch):
    gpt2 = importlib.import_module("gpt2")
    case = importlib.import_module("cases").CASES["gpt2"]()
    found = agreement.reference(case)
    monkeypatch.setattr(gpt2, "norm", lambda x, config, name: ml.LayerNorm(eps=1e-4, name=name)(x))
    assert agreement.differences(case, found, "cpu", "float64") != []


def test_the_readme_runs_a_checkpoint_folder(agreement, tmp_path):
    torch = importlib.import_module("torch")
    case = importlib.import_module("cases").CASES["gpt2"]()
    module = case.reference(case.config).eval()
    module.save_pretrained(tmp_path)
    ids = np.array([[3, 5, 7, 9], [2, 4, 1, 1]])
    names = {"folder": tmp_path, "ids": ids, "padding": 1}
    readme = (EXAMPLES / "README.md").read_text()
    exec(readme.split("```python\n")[1].split("```")[0], names)
    with torch.no_grad():
        mask = torch.from_numpy(ids != 1).long()
        logits = module(torch.from_numpy(ids), attention_mask=mask).logits.numpy()
    assert (
        np.abs(names["outputs"]["logits"] - logits)[ids != 1].max() <= 1e-4 * np.abs(logits).max()
    )


def test_a_checkpoint_folder_of_resnet_has_running_statistics(agreement, tmp_path):
    torch = importlib.import_module("torch")
    resnet, pretrained = (importlib.import_module(name) for name in ("resnet", "pretrained"))
    case = importlib.import_module("cases").CASES["resnet"]()
    module = case.reference(case.config).eval()
    for name, buffer in module.named_buffers():
        if name.endswith("running_var"):
            buffer.add_(0.5)
    module.save_pretrained(tmp_path)
    config = pretrained.read_config(resnet.Config, tmp_path)
    compiled = ml.compile(resnet.resnet(config), ml.CpuBackend(), inference=True)
    weights = pretrained.read_weights(resnet, tmp_path)
    params, state = compiled.load_state_dict(weights, return_state=True)
    images = np.random.default_rng(0).normal(size=(1, 3, 64, 64)).astype(np.float32)
    logits = compiled.infer(params, {"pixel_values": images}, state)["logits"]
    with torch.no_grad():
        expected = module(torch.from_numpy(images)).logits.numpy()
    np.testing.assert_allclose(logits, expected, atol=1e-4 * np.abs(expected).max())


def test_the_text_model_of_clip_reads_a_text_only_checkpoint(agreement, tmp_path):
    transformers = importlib.import_module("transformers")
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_attention_heads": 2}
    config = transformers.CLIPTextConfig(vocab_size=61, num_hidden_layers=1, **sizes)
    transformers.CLIPTextModel(config).save_pretrained(tmp_path)
    clip, pretrained = importlib.import_module("clip"), importlib.import_module("pretrained")
    ids = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["T", "L"])
    mask = ml.IOKey("attention_mask", type=ml.Tensor[bool], shape=["T", "L"])
    features = clip.text_features(ids, mask, pretrained.read_config(clip.TextConfig, tmp_path))
    compiled = ml.compile(ml.Model.create(features=features), ml.CpuBackend())
    weights = pretrained.read_weights(clip, tmp_path)
    assert set(compiled.parameter_keys) == set(weights)
    compiled.load_state_dict(weights)


def test_a_checkpoint_of_t5_1_1_has_an_untied_head(agreement, tmp_path):
    """The published config.json says `tie_word_embeddings: false`, by which transformers also knows
    that the outputs of the decoder are not scaled."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    t5, pretrained = importlib.import_module("t5"), importlib.import_module("pretrained")
    case = importlib.import_module("cases").CASES["t5_untied"]()
    case.reference(case.config).save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    del config["scale_decoder_outputs"]
    (tmp_path / "config.json").write_text(json.dumps(config | {"tie_word_embeddings": False}))
    compiled = ml.compile(t5.t5(pretrained.read_config(t5.Config, tmp_path)), ml.CpuBackend())
    params = compiled.load_state_dict(pretrained.read_weights(t5, tmp_path))
    data = case.draw(np.random.default_rng(0), 0)
    logits = compiled.evaluate(params, data)["logits"]
    module = transformers.T5ForConditionalGeneration.from_pretrained(tmp_path).eval()
    with torch.no_grad():
        expected = module(**{key: agreement.as_torch(x) for key, x in data.items()}).logits.numpy()
    valid = data["decoder_attention_mask"]
    assert np.abs(logits - expected)[valid].max() <= 1e-4 * np.abs(expected).max()


def test_the_comparison_counts_and_refuses_unknown_models(agreement):
    program = Path(agreement.__file__).parent / "run"
    run = subprocess.run(
        [sys.executable, program, "gtp2"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2 and "no such model: gtp2; there are gpt2" in run.stderr


def test_everything_is_counted_after_a_failure(agreement):
    program = Path(agreement.__file__).parent / "run_all"
    run = subprocess.run(
        [sys.executable, program, "--models", "gtp2", "--imported", "resnet"],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = run.stdout.splitlines()
    assert lines[0] == "FAILED run: it ended with 2"
    assert [line.split(" (")[0] for line in lines[1:3]] == [
        "passed resnet torch",
        "passed resnet cpu",
    ]
    assert lines[3:] == ["2 passed, 1 failed"] and run.returncode == 1


@pytest.mark.slow
def test_a_gpt_learns_in_cpp_as_by_torch_optim():
    pytest.importorskip("torch", reason="torch is not installed")
    training = importlib.import_module("gpt_training")
    if not training.IN_CPP.exists():
        pytest.skip("the examples in C++ are not built")
    assert training.training_differences() == []
