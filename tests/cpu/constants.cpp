// Constants that are made when they are read.
#include <doctest/doctest.h>

#include <memory>

#include "backends/cpu/cpu.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/tensor/deferred.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

// x times a weight of [3, 2], which may also be an output.
struct Network {
  Network(const Tensor& weight, bool gives_weight) {
    const ValueId x =
        graph.add_input({.name = "x", .dims = {Dim(4), Dim(2)}, .dtype = DType::float32});
    const ValueId w = graph.add_constant("w", weight);
    graph.add_output("y", graph.add(find_op("linear"), {x, w, Datum()}, "y").front());
    if (gives_weight) graph.add_output("w", w);
  }
  Graph graph;
};

}  // namespace

TEST_CASE("a weight is packed once, and its source is released") {
  int times = 0;
  std::weak_ptr<Tensor> last;
  const Tensor weight = deferred(DType::float32, {3, 2}, [&] {
    ++times;
    auto made = std::make_shared<Tensor>(Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
    last = made;
    void* data = made->mutable_raw_data();
    return Tensor::borrow(DType::float32, {3, 2}, data, std::move(made));
  });
  const Tensor x = Tensor::of<float>({4, 2}, {1, 0, 0, 1, 1, 1, 2, -1});
  const Tensor expected = Tensor::of<float>({4, 3}, {1, 3, 5, 2, 4, 6, 3, 7, 11, 0, 2, 4});
  for (const bool gives_weight : {false, true}) {
    CAPTURE(gives_weight);
    times = 0;
    const auto executable = cpu()->load(Network(weight, gives_weight).graph, {});
    for (int run = 0; run < 2; ++run) {
      const std::vector<Tensor> made = executable->run(std::vector{x});
      CHECK(identical(made.front(), expected));
      if (gives_weight) CHECK(made.back().values<float>()[5] == 6);
    }
    CHECK(last.expired() == !gives_weight);
    CHECK(times == (gives_weight ? 2 : 1));
    const Graph graph = Network(weight, gives_weight).graph;
    CHECK(identical(cpu({.reference = true})->load(graph, {})->run(std::vector{x}).front(),
                    expected));
  }
}

TEST_CASE("an output that is a constant is read-only, because later runs read it") {
  const Tensor weight = Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Graph graph = Network(weight, true).graph;
  const Tensor x = Tensor::full(DType::float32, {4, 2}, 1);
  for (const bool reference : {false, true}) {
    const auto executable = cpu({.reference = reference})->load(graph, {});
    Tensor made = executable->run(std::vector{x}).back();
    CHECK(identical(made, weight));
    CHECK(text_of_error([&] { made.mutable_data<float>(); }).find("E0483") != std::string::npos);
  }
}

TEST_CASE("a deferred constant is not read in place") {
  const Tensor deferred_ones =
      deferred(DType::float32, {2}, [] { return Tensor::full(DType::float32, {2}, 1); });
  CHECK(text_of_error([&] { deferred_ones.data<float>(); }).find("E0487") != std::string::npos);
  CHECK(identical(deferred_ones.host(), Tensor::full(DType::float32, {2}, 1)));
  CHECK(identical(deferred_ones.to(DType::float64), Tensor::full(DType::float64, {2}, 1)));
}

}  // namespace mithril::tests
