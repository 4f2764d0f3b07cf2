"""The embeddings of texts by a package of a sentence encoder, with the tokenizer of the package.

pip install tokenizers
mithril package create FOLDER minilm && python examples/python/embed.py minilm "Hello world"
"""

import sys

import numpy as np
from tokenizers import Tokenizer

import mithril as ml

package = ml.load_package(sys.argv[1])
compiled = package.compile(ml.CpuBackend())
tokenizer = Tokenizer.from_str(package.file("tokenizer.json").decode())
tokenizer.enable_padding()
tokens = tokenizer.encode_batch(sys.argv[2:])
ids = np.array([each.ids for each in tokens])
mask = np.array([each.attention_mask for each in tokens], bool)
data = {"input_ids": ids, "token_type_ids": np.zeros_like(ids), "attention_mask": mask}
for row in compiled.evaluate({}, data)["embedding"]:
    print(*row)
