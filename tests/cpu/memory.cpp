// The memory of a plan compared with the memory of all values.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <utility>

#include "backends/cpu/cpu.hpp"
#include "benchmarks/runner/residual_networks.hpp"
#include "mithril/compile/compile.hpp"

namespace mithril::tests {
namespace {

CompiledModel resnet18(int threads) {
  return compile(bench::residual_network({}), cpu({.threads = threads}),
                 {.shapes = {{"x0", {1, 3, 224, 224}}}, .data_keys = {"x0"}, .inference = true});
}

CompiledModel bound(const CompiledModel& model) {
  TensorMap parameters;
  for (const auto& [key, tensor] : model.get_parameters()) {
    const bool variance = key.ends_with("running_var");
    parameters[key] = variance ? Tensor::full(DType::float32, tensor.dims(), 1) : tensor;
  }
  return model.bind(parameters);
}

// Returns the memory of an evaluation, and of all values, in MiB.
std::pair<double, double> memory_of(const CompiledModel& model) {
  const std::string summary = model.summary();
  std::pair<double, double> memory;
  const size_t at = summary.find("evaluating takes ");
  REQUIRE(at != std::string::npos);
  CAPTURE(summary.substr(at));
  REQUIRE(std::sscanf(summary.c_str() + at,
                      "evaluating takes %lf MiB, where all values are %lf MiB", &memory.first,
                      &memory.second) == 2);
  return memory;
}

}  // namespace

TEST_CASE("the arena of a ResNet-18 has at most 15 % of the bytes of all its values") {
  for (const int threads : {1, 2}) {
    const CompiledModel model = resnet18(threads);
    for (const CompiledModel& each : {model, bound(model)}) {
      const auto [peak, values] = memory_of(each);
      CHECK(values == doctest::Approx(32.9));
      CHECK(peak <= 0.15 * values);
    }
  }
}

}  // namespace mithril::tests
