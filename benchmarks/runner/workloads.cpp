#include "runner/workloads.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "runner/residual_networks.hpp"
#include "runner/transformers.hpp"

namespace mithril::bench {
namespace {

Tensor random(Dims dims) {
  Tensor tensor(DType::float32, std::move(dims));
  std::mt19937 bits(0);
  std::normal_distribution<float> normal;
  for (float& element : tensor.mutable_values<float>()) element = normal(bits);
  return tensor;
}

Tensor integers(Dims dims, int64_t below) {
  Tensor tensor(DType::int64, std::move(dims));
  std::mt19937 bits(0);
  std::uniform_int_distribution<int64_t> any(0, below - 1);
  for (int64_t& element : tensor.mutable_values<int64_t>()) element = any(bits);
  return tensor;
}

Model mlp(std::vector<int64_t> sizes) {
  Model model;
  std::string from = "x0";
  for (size_t i = 1; i < sizes.size(); ++i) {
    const std::string layer = "l_" + std::to_string(i - 1);
    const bool last = i + 1 == sizes.size();
    const std::string to = last ? "out" : layer + "_output";
    model |= Linear({.dimension = sizes[i]})({{"input", from},
                                              {"weight", layer + "_weight"},
                                              {"bias", layer + "_bias"},
                                              {"output", to}});
    from = to;
    if (last) break;
    from = layer + "_positive";
    model |= Relu()({{"input", to}, {"output", from}});
  }
  return model;
}

Model classifier(const std::vector<int64_t>& sizes) {
  Model model = mlp(sizes);
  model.expose_keys({"out"});
  return model;
}

// gelu(x * 1.1 + 0.3) * 0.7 + r
Model gelu_chain() {
  Model model;
  model |= Model::op("multiply")({{"left", "x0"}, {"right", 1.1}, {"output", "scaled"}});
  model |= Model::op("add")({{"left", "scaled"}, {"right", 0.3}, {"output", "shifted"}});
  model |= Model::op("gelu")({{"input", "shifted"}, {"output", "active"}});
  model |= Model::op("multiply")({{"left", "active"}, {"right", 0.7}, {"output", "weighted"}});
  model |= Model::op("add")({{"left", "weighted"}, {"right", "x1"}, {"output", "out"}});
  model.expose_keys({"out"});
  return model;
}

Model softmax() {
  Model model;
  model |= Model::op("softmax")({{"input", "x0"}, {"axis", -1}, {"output", "out"}});
  model.expose_keys({"out"});
  return model;
}

Model layer_norm() {
  Model model;
  model |=
      LayerNorm()({{"input", "x0"}, {"weight", "weight"}, {"bias", "bias"}, {"output", "out"}});
  return model;
}

Model with_loss(Model model) {
  model |= CrossEntropy()({{"input", "out"}, {"target", "y"}, {"output", "losses"}});
  model |= Mean()({{"input", "losses"}, {"output", "loss"}});
  model.expose_keys({"loss"});
  return model;
}

Workload training(std::string name, std::vector<int64_t> sizes, int64_t batch) {
  Tensor classes(DType::int64, {batch});
  int64_t next = 0;
  for (int64_t& label : classes.mutable_values<int64_t>()) label = next++ % sizes.back();
  return {.name = std::move(name),
          .model = [sizes] { return with_loss(mlp(sizes)); },
          .inputs = {random({batch, sizes.front()}), classes},
          .optimizer = Optimizing::sgd,
          .learning_rate = 1e-3};
}

Workload images(std::string name, int64_t batch, const ResidualNetwork& network) {
  return {.name = std::move(name),
          .model = [network] { return residual_network(network); },
          .inputs = {random({batch, 3, 224, 224})}};
}

constexpr TransformerSize bertmini{30522, 256, 4, 4, 128}, bertbase{30522, 768, 12, 12, 128},
    gpt2{50257, 768, 12, 12, 128, true}, gpt2_short{50257, 768, 12, 12, 64, true};

Workload reading(std::string name, const TransformerSize& size, int64_t tokens) {
  return {.name = std::move(name),
          .model = [size] { return reader(size); },
          .inputs = {integers({1, tokens}, size.vocabulary)}};
}

Workload bertmini_training() {
  return {.name = "train_bertmini",
          .model = [] { return imitator(bertmini); },
          .inputs = {integers({1, 128}, bertmini.vocabulary), random({1, 128, bertmini.width})},
          .optimizer = Optimizing::adam,
          .learning_rate = 1e-4};
}

std::vector<Workload> all() {
  const std::vector<int64_t> usual{784, 512, 256, 10}, deep(22, 64), small{64, 64, 64, 10};
  return {{"deepmlp_b1", [deep] { return classifier(deep); }, {random({1, 64})}},
          {"mlp_b1", [usual] { return classifier(usual); }, {random({1, 784})}},
          {"mlp_b64", [usual] { return classifier(usual); }, {random({64, 784})}},
          {"gelu_chain_1m", gelu_chain, {random({1 << 20}), random({1 << 20})}},
          {"gelu_chain_16k", gelu_chain, {random({1 << 14}), random({1 << 14})}},
          {"softmax_1k", softmax, {random({1024, 1024})}},
          images("resnet18_b1", 1, {}),
          images("resnet50_b1", 1, {.blocks = {3, 4, 6, 3}, .bottlenecks = true}),
          images("resnet50_b8", 8, {.blocks = {3, 4, 6, 3}, .bottlenecks = true}),
          images("resnext50_b1", 1, {.blocks = {3, 4, 6, 3}, .bottlenecks = true, .groups = 32}),
          images("resnet18_odd_b1", 1, {.width = 51}),
          {"mobilenet_v2_b1", mobile_network, {random({1, 3, 224, 224})}},
          {"layernorm_1k", layer_norm, {random({1024, 1024})}},
          reading("bertmini_s128", bertmini, 128),
          reading("bertbase_s128", bertbase, 128),
          reading("gpt2_s64", gpt2, 64),
          reading("gpt2_decode", gpt2_short, 1),
          training("train_mlp_b64", usual, 64),
          training("train_mlp_small_b32", small, 32),
          bertmini_training()};
}

}  // namespace

Workload workload(const std::string& name) {
  std::string names;
  for (Workload& known : all()) {
    if (known.name == name) return std::move(known);
    names += " " + known.name;
  }
  throw std::runtime_error("there is no workload " + name + "; there are" + names);
}

std::string key_of(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

}  // namespace mithril::bench
