// What a profile costs an evaluation of 21 layers: calls with and without one alternate. Prints the
// medians of rounds of calls in microseconds as JSON. `--rounds N` (default: 2001).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/profile/profile.hpp"

namespace {

constexpr int layers = 21, width = 64, calls_of_round = 5;

mithril::CompiledModel chain() {
  mithril::Model net;
  net |= mithril::Linear({.dimension = width})({{"input", "x"}});
  net += mithril::Relu();
  for (int i = 1; i < layers; ++i) {
    net += mithril::Linear({.dimension = width});
    net += mithril::Relu();
  }
  net.set_shapes({{"x", {1, width}}});
  const mithril::CompiledModel compiled = mithril::compile(net, mithril::cpu());
  return compiled.bind(compiled.get_parameters());
}

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

double fastest_tenth(std::vector<double> times) {
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10);
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

}  // namespace

int main(int count, char** arguments) {
  const bool has_rounds = count > 2 && std::string(arguments[1]) == "--rounds";
  const int rounds = has_rounds ? std::atoi(arguments[2]) : 2001;
  const mithril::CompiledModel net = chain();
  const mithril::TensorMap data{
      {"x", mithril::Tensor::full(mithril::DType::float32, {1, width}, 0.5)}};
  // Microseconds of a call.
  const auto round = [&] {
    const auto begin = std::chrono::steady_clock::now();
    for (int call = 0; call < calls_of_round; ++call) net.evaluate({}, data);
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - begin;
    return elapsed.count() / calls_of_round;
  };
  round();
  std::vector<double> without, with;
  for (int i = 0; i < rounds; ++i) {
    without.push_back(round());
    const mithril::Profile profile;
    with.push_back(round());
  }
  std::printf(
      "{\"rounds\": %d, \"without_us\": %.3f, \"with_us\": %.3f, "
      "\"fastest_tenth_without_us\": %.3f, \"fastest_tenth_with_us\": %.3f}\n",
      rounds, median(without), median(with), fastest_tenth(without), fastest_tenth(with));
}
