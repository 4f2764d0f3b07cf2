// One compiled model, many threads. Under the thread sanitizer this is the test that counts.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"

namespace mithril {
namespace {

constexpr int thread_count = 8;

Model shared_network() {
  Model model;
  model |= Model::op("multiply")({{"left", "x"}, {"right", "w"}, {"output", "scaled"}});
  model |= Model::op("relu")({{"input", "scaled"}, {"output", "positive"}});
  model |= Model::op("concat")(
      {{"input", std::vector<Binding>{"positive", "x"}}, {"axis", 0}, {"output", "both"}});
  model |= Model::op("add")({{"left", "both"}, {"right", "b"}, {"output", "y"}});
  model.expose_keys({"y"});
  return model;
}

template <typename Work>
void run_in_threads(Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("threads evaluate one compiled model with different batch sizes") {
  const CompiledModel compiled =
      compile(shared_network(), cpu(), {.shapes = {{"x", {"N", 3}}, {"w", {3}}, {"b", {3}}}});
  const TensorMap params = {{"w", Tensor::full(DType::float32, {3}, 2)},
                            {"b", Tensor::full(DType::float32, {3}, 1)}};
  std::atomic<int> wrong = 0;
  run_in_threads([&](int thread) {
    for (const int64_t batch : {thread, 5, thread + 1, 0}) {
      const TensorMap data = {{"x", Tensor::full(DType::float32, {batch, 3}, 1)}};
      const TensorMap gradient = {{"y", Tensor::full(DType::float32, {2 * batch, 3}, 1)}};
      const auto [out, gradients] = compiled.evaluate(params, data, gradient);
      const TensorMap forward = compiled.evaluate(params, data);
      if (out.at("y").dims() != Dims{2 * batch, 3}) ++wrong;
      if (!identical(out.at("y"), forward.at("y"))) ++wrong;
      if (batch > 0 && out.at("y").at_as_double(0) != 3) ++wrong;
      if (gradients.at("w").at_as_double(0) != static_cast<double>(batch)) ++wrong;
      if (gradients.at("b").at_as_double(0) != static_cast<double>(2 * batch)) ++wrong;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads request different gradients while others evaluate") {
  Model model = shared_network();
  model.expose_keys({"positive"});
  const CompiledModel compiled =
      compile(model, cpu(), {.shapes = {{"x", {"N", 3}}, {"w", {3}}, {"b", {3}}}});
  std::atomic<int> wrong = 0;
  run_in_threads([&](int thread) {
    const int64_t batch = thread + 1;
    const TensorMap params = compiled.get_parameters();
    const TensorMap data = {{"x", Tensor::full(DType::float32, {batch, 3}, 1)}};
    const Tensor of_y = Tensor::full(DType::float32, {2 * batch, 3}, 1);
    const Tensor of_positive = Tensor::full(DType::float32, {batch, 3}, 1);
    const TensorMap requests[] = {
        {{"y", of_y}}, {{"positive", of_positive}}, {{"y", of_y}, {"positive", of_positive}}, {}};
    for (size_t i = 0; i < std::size(requests); ++i) {
      const TensorMap& request = requests[(i + static_cast<size_t>(thread)) % std::size(requests)];
      const TensorMap gradients = compiled.evaluate(params, data, request).second;
      const bool reaches_b = request.contains("y");
      if (gradients.at("b").at_as_double(0) != static_cast<double>(reaches_b ? 2 * batch : 0)) {
        ++wrong;
      }
    }
    if (compiled.evaluate(params, data).size() != 2) ++wrong;
    if (compiled.summary().empty() || compiled.shapes().size() != 5) ++wrong;
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads compile and evaluate their own models") {
  std::atomic<int> wrong = 0;
  const std::shared_ptr<Backend> backend = cpu();
  run_in_threads([&](int thread) {
    const int64_t batch = thread + 1;
    const CompiledModel compiled =
        compile(shared_network(), backend, {.shapes = {{"x", {batch, 3}}, {"w", {3}}, {"b", {3}}}});
    const TensorMap params = compiled.get_parameters();
    const auto [out, gradients] =
        compiled.evaluate(params, {{"x", Tensor(DType::float32, {batch, 3})}},
                          {{"y", Tensor::full(DType::float32, {2 * batch, 3}, 1)}});
    if (gradients.at("b").at_as_double(0) != static_cast<double>(2 * batch)) ++wrong;
  });
  CHECK(wrong == 0);
}

}  // namespace mithril
