// Models of the examples and of the library as C++, in the width of the examples: values and
// gradients, built with each compiler.
#include <doctest/doctest.h>

#include "codegen/cpp/write_cpp.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/models/convolution.hpp"
#include "mithril/models/embedding.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/models/pooling.hpp"
#include "mithril/models/sequences.hpp"
#include "mithril/models/transformer.hpp"
#include "tests/codegen/check_models.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

// Sizes of inputs; the others follow from them.
using Shapes = std::vector<std::pair<std::string, Dims>>;

// Draws floats of both signs, away from 0; ints and labels from 0 to 2.
Tensor input_for(const Value& value, Random& random) {
  Dims dims;
  for (const Dim& dim : value.dims) dims.push_back(resolve(dim).constant());
  if (is_floating(value.dtype)) return generate(uniform(dims, 0.1, 0.9), random).to(value.dtype);
  return generate(integers(dims, 0, 3), random).to(value.dtype);
}

void add(ModelChecks& checks, const std::string& what, const Model& model, const Shapes& shapes) {
  Model whole;
  Bindings keys;
  for (const std::string& key : model.input_keys()) keys.emplace_back(key, key);
  for (const std::string& key : model.output_keys()) keys.emplace_back(key, key);
  whole |= model(keys);
  for (const auto& [key, dims] : shapes) {
    std::vector<DimSpec> spec(dims.begin(), dims.end());
    whole.set_shapes({{key, ShapeSpec(std::move(spec))}});
  }
  const Graph graph = flatten(whole, DType::float32).graph;
  Random random(3);
  std::vector<Tensor> inputs;
  std::vector<std::string> floats;
  for (const ValueId id : graph.inputs()) {
    inputs.push_back(input_for(graph.value(id), random));
    if (is_floating(graph.value(id).dtype)) floats.push_back(graph.value(id).name);
  }
  checks.add(what, graph, inputs, floats);
}

Model with_loss(const Model& net) {
  Model model;
  model |= net({{"image", "image"}, {"logits", "logits"}});
  model |= CrossEntropy()({{"input", "logits"}, {"target", "label"}, {"output", "losses"}});
  model |= Mean()({{"input", "losses"}, {"output", "loss"}});
  return model;
}

Model convolutional() {
  Model net;
  net |= Conv2d({.filters = 4, .kernel_size = 3, .padding = 1})({{"input", "image"}});
  net += BatchNorm2D({.inference = true});
  net += Relu();
  net += MaxPool2D({.kernel_size = 2});
  net += Conv2d({.filters = 6, .kernel_size = 3, .stride = 2, .padding = 1});
  net += Gelu();
  net += AvgPool2D({.kernel_size = 2});
  net += Flatten({.start_dim = 1});
  net += Linear({.dimension = 3})({{"output", "logits"}});
  return net;
}

Model perceptron() {
  Model net;
  net |= Flatten({.start_dim = 1})({{"input", "image"}});
  net += Linear({.dimension = 8});
  net += Tanh();
  net += Linear({.dimension = 3})({{"output", "logits"}});
  return net;
}

Model transformer() {
  Model net;
  net |= Embedding({.num_embeddings = 5, .dim = 8})({{"input", "tokens"}});
  net += TransformerBlock({.num_heads = 2, .dimension = 8, .is_causal = true});
  net += TransformerBlock({.num_heads = 2, .dimension = 8, .norm_first = false});
  net += Linear({.dimension = 5})({{"output", "logits"}});
  return net;
}

}  // namespace

TEST_CASE("generated C++ gives the results of models of the examples and the library") {
  ModelChecks checks;
  add(checks, "convolutions", with_loss(convolutional()),
      {{"image", {2, 1, 8, 8}}, {"label", {2}}});
  add(checks, "perceptron", with_loss(perceptron()), {{"image", {2, 1, 4, 4}}, {"label", {2}}});
  add(checks, "transformer", transformer(), {{"tokens", {2, 6}}});
  add(checks, "scaled rotation", RotaryEmbedding({.frequencies = {{1.0, 0.25, 0.03}}}),
      {{"input", {2, 5, 6}}});
  checks.run();
}

}  // namespace mithril::tests
