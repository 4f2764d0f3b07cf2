// PerSample of models with loops and choices, beside evaluations of single samples.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/cond.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/recurrent_layers.hpp"
#include "mithril/models/scan.hpp"
#include "mithril/per_sample/per_sample.hpp"
#include "mithril/tensor/functions.hpp"

namespace mithril::tests {
namespace {

Tensor waves(Dims dims, double phase) {
  Tensor made(DType::float64, std::move(dims));
  double at = phase;
  for (double& each : made.mutable_values<double>()) each = std::sin(at += 0.7);
  return made;
}

// `model` gives "y", of the dims of the target. The batch has 3 samples; `shared` inputs belong to
// all of them.
void check_samples(Model model, const TensorMap& batch, const TensorMap& shared) {
  model |= SquaredError()({{"input", "y"}, {"target", "target"}, {"output", "losses"}});
  CompileOptions options;
  TensorMap data = batch.share();
  for (const auto& item : shared) data[item.key()] = item.tensor();
  for (const auto& item : data) {
    options.data_keys.emplace_back(item.key());
    const Dims& dims = item.tensor().dims();
    std::vector<DimSpec> shape(dims.begin(), dims.end());
    if (batch.contains(item.key())) shape.front() = any;
    options.shapes.emplace_back(item.key(), ShapeSpec(shape));
  }
  const CompiledModel compiled = compile(model, cpu({.dtype = DType::float64}), options);
  const TensorMap params = compiled.get_parameters(1);
  const PerSample samples(compiled, {.losses = "losses"});
  const TensorMap gradients = samples.gradients(params, data);
  const SampleNorms norms = samples.norms(params, data);
  for (int64_t i = 0; i < 3; ++i) {
    TensorMap one = data.share();
    for (const auto& item : batch) one[item.key()] = slice(item.tensor(), 0, i, i + 1);
    const Tensor seed = Tensor::full(DType::float64, one.at("target").dims(), 1);
    const TensorMap own = compiled.evaluate(params, one, TensorMap{{"losses", seed}}).second;
    double square = 0;
    for (const auto& item : own) {
      const Tensor row = slice(gradients.at(item.key()), 0, i, i + 1);
      REQUIRE(row.size() == item.tensor().size());
      for (int64_t k = 0; k < row.size(); ++k) {
        const double expected = item.tensor().at_as_double(k);
        square += expected * expected;
        CHECK(row.at_as_double(k) == doctest::Approx(expected).epsilon(1e-10));
      }
    }
    CHECK(norms.total.at_as_double(i) == doctest::Approx(std::sqrt(square)).epsilon(1e-10));
  }
  samples.verify(params, data);
}

}  // namespace

TEST_CASE("samples of recurrent layers in two directions, of different lengths") {
  Model model;
  model |= GRU({.hidden_size = 2,
                .num_layers = 2,
                .batch_first = true,
                .bidirectional = true,
                .use_lengths = true})({{"input", "x"}, {"lengths", "lengths"}, {"output", "y"}});
  check_samples(model,
                {{"x", waves({3, 5, 3}, 0)},
                 {"target", waves({3, 5, 4}, 1)},
                 {"lengths", Tensor::of<int64_t>({3}, {5, 2, 4})}},
                {});
}

TEST_CASE("samples of a loop whose steps are along the second axis") {
  Model step;
  step |= Linear({.dimension = 2})({{"input", "item"}, {"output", "a"}});
  step |= Linear({.dimension = 2})({{"input", "h"}, {"output", "b"}});
  step |= Tanh()({{"input", step["a"] + step["b"]}, {"output", "next"}});
  Model model;
  model |= Scan(step, {.carry = {{"h", "next"}},
                       .sequences = {"item"},
                       .outputs = {"next"},
                       .axis = 1,
                       .reverse = true})({{"item", "x"}, {"h", "h"}, {"next", "y"}});
  check_samples(
      model, {{"x", waves({3, 4, 3}, 0)}, {"h", waves({3, 2}, 2)}, {"target", waves({3, 4, 2}, 1)}},
      {});
}

TEST_CASE("samples of a choice") {
  Model then, otherwise;
  then |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
  otherwise |= Linear({.dimension = 2, .use_bias = false})({{"input", "x"}, {"output", "y"}});
  Model model;
  model |= Cond("flag", then, otherwise)({{"x", "x"}, {"flag", "flag"}, {"y", "y"}});
  for (const bool flag : {true, false})
    check_samples(model.copy(), {{"x", waves({3, 4}, 0)}, {"target", waves({3, 2}, 1)}},
                  {{"flag", Tensor::of<bool>({}, {flag})}});
}

}  // namespace mithril::tests
