#include "mithril/profile/machine_peak.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <vector>

#include "mithril/backend/backend.hpp"
#include "mithril/base/large_memory.hpp"
#include "mithril/base/thread_pool.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

// The least seconds of a few calls.
template <typename Run>
double least_seconds(Run run) {
  using Clock = std::chrono::steady_clock;
  double least = INFINITY;
  for (int attempt = 0; attempt < 6; ++attempt) {
    const auto begin = Clock::now();
    run();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return least;
}

double operations_a_second(Backend& backend) {
  constexpr std::int64_t size = 768;
  Graph graph;
  const ValueId left =
      graph.add_input({.name = "left", .dims = {size, size}, .dtype = DType::float32});
  const ValueId right =
      graph.add_constant("right", Tensor::full(DType::float32, {size, size}, 0.5));
  graph.add_output("product", graph.add(find_op("matmul"), {left, right}, "product").front());
  const std::unique_ptr<Executable> executable = backend.load(graph, {});
  const Tensor input = Tensor::full(DType::float32, {size, size}, 0.25);
  return 2.0 * size * size * size / least_seconds([&] { executable->run({&input, 1}); });
}

double bytes_a_second() {
  constexpr std::int64_t bytes = std::int64_t{1} << 26;  // more than caches hold
  const std::shared_ptr<std::byte[]> from = large_memory(bytes), to = large_memory(bytes);
  std::memset(from.get(), 1, bytes);
  std::memset(to.get(), 0, bytes);
  const int threads = processor_count();
  const std::int64_t part = bytes / threads;
  const double seconds = least_seconds([&] {
    ThreadPool::shared().run(threads, threads, [&](int i) {
      std::memcpy(to.get() + i * part, from.get() + i * part, static_cast<std::size_t>(part));
    });
  });
  return 2.0 * static_cast<double>(part) * threads / seconds;
}

}  // namespace

MachinePeak measure_peak(Backend& backend) {
  return {.operations = operations_a_second(backend), .bytes = bytes_a_second()};
}

}  // namespace mithril
