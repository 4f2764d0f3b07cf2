// Trains a Mithril model with an optimizer of PyTorch's C++ library: parameters and gradients are
// at::Tensors, and nothing is copied between the two.
// Usage, from the root of the project: train_with_torch [epochs]
#include <torch/optim/adam.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

#include "backends/torch/tensors.hpp"
#include "backends/torch/torch.hpp"
#include "examples/digits.hpp"
#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

ml::Model classifier() {
  ml::Model model;
  model |= ml::Flatten({.start_dim = 1})({{"input", "image"}});
  model += ml::Linear({.dimension = 64});
  model += ml::Relu();
  model += ml::Linear({.dimension = 10})({{"output", "logits"}});
  model |= ml::CrossEntropy()({{"input", "logits"}, {"target", "label"}, {"output", "losses"}});
  model |= ml::Mean()({{"input", "losses"}, {"output", "loss"}});
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  const int epochs = argc > 1 ? std::atoi(argv[1]) : 20;
  const Digits digits = load_digits("examples/data/digits.bin");
  const auto compiled =
      ml::compile(classifier(), ml::torch({.device = "cpu"}),
                  {.shapes = {{"image", {ml::any, 1, 8, 8}}}, .data_keys = {"image", "label"}});

  const ml::TensorMap params = compiled.get_parameters();
  std::vector<at::Tensor> leaves;  // share their elements with params
  for (const auto& [key, tensor] : params) leaves.push_back(ml::to_torch(tensor));
  torch::optim::Adam optimizer(leaves, torch::optim::AdamOptions(3e-3));

  std::vector<size_t> rows(static_cast<size_t>(digits.count));
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::mt19937 random(0);
  std::shuffle(rows.begin(), rows.end(), random);
  constexpr size_t train = 1437, batch = 32;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    double loss = 0;
    for (size_t start = 0; start < train; start += batch) {
      const std::vector<size_t> picked(
          rows.begin() + static_cast<long>(start),
          rows.begin() + static_cast<long>(std::min(start + batch, train)));
      const auto [outputs, gradients] = compiled.evaluate(
          params, {{"image", digits.images_of(picked)}, {"label", digits.labels_of(picked)}},
          {{"loss", ml::Tensor::scalar(1.0f)}});
      for (size_t i = 0; i < leaves.size(); ++i) {
        leaves[i].mutable_grad() = ml::to_torch(gradients.at(params.keys()[i]));
      }
      optimizer.step();
      loss += outputs.at("loss").item() * static_cast<double>(picked.size());
    }
    std::printf("epoch %2d  loss %.4f\n", epoch, loss / train);
  }

  const std::vector<size_t> test(rows.begin() + train, rows.end());
  const ml::Tensor labels = digits.labels_of(test);
  const at::Tensor logits =
      ml::to_torch(compiled.evaluate(params, {{"image", digits.images_of(test)}, {"label", labels}})
                       .at("logits"));
  const double accuracy =
      logits.argmax(1).eq(ml::to_torch(labels)).to(at::kFloat).mean().item<double>();
  std::printf("test accuracy %.4f\n", accuracy);
  return 0;
}
