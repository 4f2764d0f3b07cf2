// A package of a small model.
#pragma once

#include <string>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/package/package.hpp"
#include "tests/serialization/files.hpp"

namespace mithril::tests {

// x [N, 4] to y [N, 2].
inline Model packaged_model() {
  Model model;
  model |= Linear({.dimension = 3})({{"input", IOKey{.name = "x", .shape = {{"N", 4}}}}});
  model += Relu();
  model += Linear({.dimension = 2})({{"output", "y"}});
  return model;
}

inline TensorMap packaged_params(const Model& model, std::uint64_t seed = 0) {
  return compile(model, cpu(), {.inference = true}).get_parameters(seed);
}

// Writes the package "p" to the folder; returns its path.
inline std::string sample_package(const FileFolder& folder, const std::string& name = "p",
                                  SavePackageOptions options = {}) {
  const Model model = packaged_model();
  if (options.assets.empty())
    options.assets = {{.name = "tokenizer.json", .bytes = std::string("{}")}};
  save_package(folder.at(name), model, packaged_params(model), options);
  return folder.at(name);
}

inline Tensor answer_of(const Package& package) {
  const CompiledModel compiled = package.compile(cpu());
  const Tensor x = Tensor::of<float>({2, 4}, {1, 2, 3, 4, -1, 0, 1, 2});
  return compiled.evaluate(package.params(), {{"x", x}}).at("y");
}

}  // namespace mithril::tests
