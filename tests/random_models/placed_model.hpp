// A random model that is compiled for several backends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mithril/compile/compile.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/op/part.hpp"
#include "tests/random_models/generator.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {

constexpr std::size_t placed_parts = 30;

// A random model with its inputs: floats are parameters, so that they have gradients.
struct PlacedModel {
  Model model;
  std::vector<std::string> paths;  // of its parts
  CompileOptions options;
  TensorMap params, data;

  explicit PlacedModel(const RandomModel& random) : model(compose(random)) {
    for (const auto& part : model.composite()->parts) paths.push_back(path(part.get()));
    std::vector<TensorSpec> specs;
    for (const auto& [name, spec] : random.inputs) specs.push_back(spec);
    const std::vector<Tensor> tensors = generate(specs, random.seed);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const std::string& name = random.inputs[i].first;
      const bool trained = is_floating(specs[i].dtype);
      (trained ? options.trainable_keys : options.data_keys).emplace_back(name);
      (trained ? params : data)[name] = tensors[i];
    }
  }
};

}  // namespace mithril::tests
