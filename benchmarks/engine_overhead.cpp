// The time that an engine adds to one evaluation, unbatched and in the calling thread. Prints JSON.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/engine/engine.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"

namespace ml = mithril;

namespace {

using Clock = std::chrono::steady_clock;

ml::CompiledModel perceptron() {
  ml::Model model;
  model |= ml::Linear({.dimension = 16})({{"input", "x"}, {"output", "hidden"}});
  model |= ml::Relu()({{"input", "hidden"}, {"output", "active"}});
  model |= ml::Linear({.dimension = 4})({{"input", "active"}, {"output", "y"}});
  model.expose_keys({"y"});
  return ml::compile(model, ml::cpu({.threads = 1}),
                     {.shapes = {{"x", {"N", 8}}}, .inference = true});
}

// The mean of each of the calls in microseconds.
template <typename Call>
double microseconds(const Call& call) {
  constexpr int calls = 2000;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main() {
  const ml::CompiledModel compiled = perceptron();
  const ml::TensorMap params = compiled.get_parameters();
  const ml::CompiledModel bound = compiled.bind(params);
  ml::Engine engine;
  engine.register_model("net", compiled, params);
  const ml::TensorMap inputs{{"x", ml::Tensor(ml::DType::float32, {1, 8})}};
  const ml::TensorMap none;
  std::vector<double> direct, served, added;
  // The calls alternate, so that a change of the clock rate affects both.
  for (int round = 0; round < 51; ++round) {
    direct.push_back(microseconds([&] { bound.evaluate(none, inputs); }));
    served.push_back(microseconds([&] { engine.infer("net", inputs); }));
    added.push_back(served.back() - direct.back());
  }
  std::printf(
      "{\"evaluate_microseconds\": %.3f, \"infer_microseconds\": %.3f, "
      "\"added_microseconds\": %.3f}\n",
      median(direct), median(served), median(added));
}
