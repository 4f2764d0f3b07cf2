"""The embeddings of texts by a package of a sentence encoder, with the tokenizer of the package.

mithril package create FOLDER minilm && python embed.py minilm "Hello world"
"""

import sys

import mithril as ml

package = ml.load_package(sys.argv[1])
tokenizer = ml.Tokenizer(package.file("tokenizer.json"))
encoder = package.compile(ml.CpuBackend())
outputs = encoder.evaluate({}, tokenizer(sys.argv[2:]))
for row in outputs["embedding"]:
    print(*row)
