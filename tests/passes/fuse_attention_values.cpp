// Attention that was fused into one op has the results of the separate ops.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "backends/torch/torch.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/graph/expression.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/values.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/fuse_attention.hpp"
#include "tests/skip.hpp"
#include "tests/table/compare.hpp"

namespace mithril {
namespace {

constexpr double infinite_score = std::numeric_limits<double>::infinity();

// Attention written out in one of many ways, and tensors for it.
class Written {
 public:
  explicit Written(unsigned seed) : random_(seed) {
    const size_t batch_rank = random_() % 3;
    for (size_t i = 0; i < batch_rank; ++i) batch_.push_back(size());
    rows_ = size(), columns_ = size(), width_ = size();
    if (batch_rank > 0 && coin()) symbol_ = Dim(graph.facts()->symbol("N"));
    const Expression query = input("query", {rows_, width_}),
                     key = input("key", {columns_, width_}),
                     value = input("value", {columns_, width_});
    const Expression turned = call("swapaxes", {scaled(key), -1, coin() ? -2 : int(batch_rank)});
    Expression scores = scaled(call("matmul", {scaled(query), scaled(turned)}));
    if (coin()) scores = masked(scores);
    const Expression weights = call("softmax", {scores, coin() ? -1 : int(batch_rank) + 1});
    graph.add_output("y", call("matmul", {weights, value}).id);
  }

  Graph graph;
  std::vector<Tensor> tensors;

 private:
  bool coin() { return random_() % 2 == 0; }
  int64_t size() { return std::vector<int64_t>{0, 1, 2, 5}[random_() % 4]; }

  Expression scaled(const Expression& x) {
    if (coin()) return x;
    return coin() ? x * 0.7 : x / 3;
  }

  // A mask of floats with many fully masked rows, or of bools.
  Expression masked(const Expression& scores) {
    Dims dims;
    for (const int64_t axis : batch_) dims.push_back(coin() ? 1 : axis);
    dims.push_back(coin() ? 1 : rows_), dims.push_back(coin() ? 1 : columns_);
    if (coin()) dims.erase(dims.begin());
    if (coin())
      return scores +
             add("mask", dims, DType::float64, {-infinite_score, -infinite_score, 0.5, NAN});
    const Expression mask = add("mask", dims, DType::boolean, {0, 0, 0, 1});
    return coin() ? call("where", {mask, scores, -infinite_score})
                  : call("where", {mask, -infinite_score, scores});
  }

  Expression input(const char* name, const Dims& matrix) {
    Dims dims = batch_;
    dims.insert(dims.end(), matrix.begin(), matrix.end());
    return add(name, dims, DType::float64, {});
  }

  // Each element is one of the numbers, or any number if there are none.
  Expression add(const char* name, const Dims& dims, DType dtype,
                 const std::vector<double>& numbers) {
    std::vector<double> elements;
    std::normal_distribution<double> normal;
    for (int64_t i = 0; i < element_count(dims); ++i) {
      elements.push_back(numbers.empty() ? normal(random_) : numbers[random_() % numbers.size()]);
    }
    tensors.push_back(Tensor::of<double>(dims, elements).to(dtype));
    std::vector<Dim> known(dims.begin(), dims.end());
    if (known.size() == batch_.size() + 2 && symbol_ && dims[0] == batch_[0]) known[0] = *symbol_;
    return {&graph, graph.add_input({.name = name, .dims = known, .dtype = dtype}), &scope_};
  }

  std::mt19937 random_;
  Dims batch_;
  int64_t rows_ = 0, columns_ = 0, width_ = 0;
  std::optional<Dim> symbol_;  // in the place of the first size
  std::string scope_ = "made";
};

bool is_fused(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return node.op->name == "scaled_dot_product"; });
}

}  // namespace

TEST_CASE("fused attention gives the results of separate ops, NaN included") {
  if (!tests::has_torch()) tests::skip_without_torch();
  constexpr unsigned count = 300;
  unsigned fused_count = 0;
  for (unsigned seed = 0; seed < count; ++seed) {
    const Written written(seed);
    const Graph fused = fuse_attention(written.graph);
    verify(fused);
    fused_count += is_fused(fused);
    CAPTURE(seed);
    CAPTURE(to_string(written.graph));
    const Tensor expected = interpret(written.graph, written.tensors).front();
    CHECK(tests::difference(interpret(fused, written.tensors).front(), expected, 1e-12) == "");
    if (!tests::has_torch()) continue;
    const Tensor got = torch()->load(fused, {})->run(written.tensors).front().host();
    CHECK(tests::difference(got, expected, 1e-10) == "");
  }
  CHECK(fused_count > count / 2);
}

}  // namespace mithril
