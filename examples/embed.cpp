// The embeddings of texts by a package of a sentence encoder, with the tokenizer of the package:
// mithril package create FOLDER minilm && embed minilm "Hello world"
#include <cstdio>

#include "mithril/mithril.hpp"

int main(int argc, char** argv) {
  const auto package = mithril::load_package(argv[1]);
  const mithril::Tokenizer tokenizer(package.file("tokenizer.json"));
  const auto encoder = package.compile_bound(mithril::cpu());
  const auto outputs = encoder.evaluate({}, tokenizer({argv + 2, argv + argc}));
  for (const float x : outputs.at("embedding").values<float>()) std::printf("%.9g\n", x);
}
