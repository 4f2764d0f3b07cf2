// The summary of a model that several processes train lists what they exchange.
#include <doctest/doctest.h>

#include <string>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/train_model/train_model.hpp"
#include "tests/distributed/on_each_rank.hpp"

namespace mithril::tests {
namespace {

TrainModel normalized_network() {
  Model layers;
  layers |= Linear({.dimension = 16, .use_bias = false})({{"input", "x"}, {"weight", "w"}});
  layers += BatchNorm1D();
  layers += Linear({.dimension = 3})({{"output", "scores"}});
  TrainModel train(layers);
  train.add_loss(CrossEntropy(), {{"input", "scores"}, {"target", "label"}});
  return train;
}

std::string exchanges_of(const std::string& summary) {
  const size_t at = summary.find("\ncollective");
  return at == std::string::npos ? "" : summary.substr(at + 1);
}

TrainModel network_of_two_layers() {
  Model layers;
  layers |= Linear({.dimension = 16, .use_bias = false})({{"input", "x"}, {"weight", "v"}});
  layers += Tanh();
  layers += Linear({.dimension = 3, .use_bias = false})({{"weight", "w"}, {"output", "y"}});
  TrainModel train(layers);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  return train;
}

}  // namespace

TEST_CASE("a summary lists the collectives of a model, and takes part in none") {
  const auto errors = on_each_rank(2, [](Communicator& own) {
    const CompiledModel compiled =
        compile(normalized_network(), cpu(),
                {.shapes = {{"x", {any, 4}}}, .group = communicator(own.name())});
    if (own.rank() == 1) return;
    CHECK(exchanges_of(compiled.summary()) ==
          "collective                      reduction  dtype    axis  bucket  bytes\n"
          "rows                            sum        float64  data  0          16\n"
          "model.batchnorm1d.output.sum_1  sum        float32  data  1          64\n"
          "model.batchnorm1d.output.sum_5  sum        float32  data  2          64\n"
          "batchnorm1d.bias.grad           sum        float32  data  3          64\n"
          "batchnorm1d.weight.grad         sum        float32  data  3          64\n"
          "final_cost                      sum        float32  data  4           4\n"
          "linear_1.weight.grad            sum        float32  data  4         192\n"
          "linear_1.bias.grad              sum        float32  data  4          12\n"
          "w.grad                          sum        float32  data  4         256\n"
          "9 tensors in 5 buckets, 736 B, among 2 processes\n");
  });
  CHECK(errors == no_errors(2));
}

TEST_CASE("a summary lists the collectives of each axis of a mesh") {
  const auto errors = on_each_rank(4, [](Communicator& own) {
    const CompiledModel compiled = compile(network_of_two_layers(), cpu(),
                                           {.shapes = {{"x", {any, 4}}},
                                            .group = communicator(own.name()),
                                            .placements = {{"v", {0}}, {"w", {1}}},
                                            .mesh = {{"data", 2}, {"model", 2}}});
    if (own.rank() > 0) return;
    CHECK(exchanges_of(compiled.summary()) ==
          "collective  reduction  dtype    axis   bucket  bytes\n"
          "rows        sum        float64  data   0          16\n"
          "y           sum        float32  model  1           ?\n"
          "final_cost  sum        float32  data   2           4\n"
          "w.grad      sum        float32  data   2          96\n"
          "v.grad      sum        float32  data   2         128\n"
          "5 tensors in 3 buckets, 244 B, and 1 of unknown size, among 4 processes\n");
  });
  CHECK(errors == no_errors(4));
}

TEST_CASE("a summary of a model for one process lists no collectives") {
  const CompileOptions alone{.shapes = {{"x", {any, 4}}}, .group = single_process()};
  CHECK(exchanges_of(compile(normalized_network(), cpu(), alone).summary()) == "");
}

}  // namespace mithril::tests
