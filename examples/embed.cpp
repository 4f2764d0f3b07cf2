// The embedding of a text by a package of a sentence encoder, which `mithril package create` makes
// of a folder of Hugging Face. The text is given as its tokens: embed PACKAGE 101 7592 2088 102
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "mithril/mithril.hpp"

namespace ml = mithril;

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: embed PACKAGE TOKEN...\n"), 2;
  const ml::Package package = ml::load_package(argv[1]);
  const auto compiled = package.compile_bound(ml::cpu());
  std::vector<std::int64_t> tokens;
  for (int i = 2; i < argc; ++i) tokens.push_back(std::atoll(argv[i]));
  const ml::Dims dims = {1, argc - 2};
  const auto ids = ml::Tensor::of<std::int64_t>(dims, tokens);
  const ml::Tensor types(ml::DType::int64, dims);
  const auto mask = ml::Tensor::full(ml::DType::boolean, dims, 1);
  const auto outputs = compiled.evaluate(
      {}, {{"input_ids", ids}, {"token_type_ids", types}, {"attention_mask", mask}});
  for (const float x : outputs.at("embedding").values<float>()) std::printf("%.9g ", x);
  std::printf("\n");
}
