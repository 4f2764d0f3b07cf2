// Trains a model for two steps on at::Tensors of its own, and prints the loss before each and
// after.
#include <iostream>

#include "backends/torch/tensors.hpp"
#include "backends/torch/torch.hpp"
#include "mithril/mithril.hpp"

namespace ml = mithril;

int main() {
  ml::Model model;
  model |= ml::Linear({.dimension = 1})({{"input", "x"}, {"output", "y"}});
  const auto compiled = ml::compile(model, ml::torch(), {.shapes = {{"x", {ml::any, 4}}}});
  const ml::TensorMap params = compiled.get_parameters();
  const at::Tensor x = ml::to_torch(ml::Tensor(ml::DType::float32, {16, 4})).normal_();
  const at::Tensor target = x.square().sum(1, /*keepdim=*/true);
  const ml::TensorMap data = {{"x", ml::from_torch(x)}};
  for (int step = 0; step <= 2; ++step) {
    const at::Tensor error = ml::to_torch(compiled.evaluate(params, data).at("y")).sub(target);
    std::cout << error.square().mean().item<double>() << '\n';
    const auto [outputs, gradients] =
        compiled.evaluate(params, data, {{"y", ml::from_torch(error.div(8))}});
    for (const auto& [key, tensor] : params) {
      ml::to_torch(tensor).sub_(ml::to_torch(gradients.at(key)), 0.05);  // in place
    }
  }
}
