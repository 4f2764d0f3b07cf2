// Small models that tests serve.
#pragma once

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/engine/engine.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"

namespace mithril::tests {

// No test takes this long, even on a machine that stalls: only a full batch runs.
inline constexpr std::chrono::hours long_delay(1);

// y [N, 4] of x [N, 3].
inline CompiledModel served_perceptron() {
  Model model;
  model |= Linear({.dimension = 8})({{"input", "x"}, {"output", "hidden"}});
  model |= Relu()({{"input", "hidden"}, {"output", "active"}});
  model |= Linear({.dimension = 4})({{"input", "active"}, {"output", "y"}});
  model.expose_keys({"y"});
  return compile(model, cpu(), {.shapes = {{"x", {"N", 3}}}, .inference = true});
}

// pooled [N] is the sum of tokens [N, L] where mask [N, L] is 1; scaled [N, L] is tokens * mask.
inline CompiledModel served_pooling() {
  Model model;
  model |= Model::op("multiply")({{"left", "tokens"}, {"right", "mask"}, {"output", "scaled"}});
  model |= Model::op("sum")({{"input", "scaled"}, {"axis", 1}, {"output", "pooled"}});
  model.expose_keys({"scaled", "pooled"});
  return compile(model, cpu(),
                 {.shapes = {{"tokens", {"N", "L"}}, {"mask", {"N", "L"}}},
                  .data_keys = {"tokens", "mask"},
                  .inference = true});
}

// Each row of x [rows, 3] begins with this number.
inline TensorMap request_of(double number, std::int64_t rows = 1) {
  Tensor x = Tensor::empty(DType::float32, {rows, 3});
  for (std::int64_t i = 0; i < 3 * rows; ++i)
    x.mutable_values<float>()[static_cast<std::size_t>(i)] =
        static_cast<float>(number + 0.25 * static_cast<double>(i));
  return {{"x", x}};
}

inline bool are_close(const TensorMap& a, const TensorMap& b) {
  if (a.keys() != b.keys()) return false;
  for (const auto& [key, tensor] : a) {
    const Tensor& other = b.at(key);
    if (tensor.dims() != other.dims()) return false;
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      const double difference = tensor.at_as_double(i) - other.at_as_double(i);
      if (difference > 1e-5 || difference < -1e-5) return false;
    }
  }
  return true;
}

}  // namespace mithril::tests
