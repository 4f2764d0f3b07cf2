// Graphs of one or two ops whose sizes are drawn around the widths of vectors, panels and blocks.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril::tests {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  int64_t between(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }
  bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
  template <typename T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[between(0, static_cast<int64_t>(choices.size()) - 1)];
  }
  // A size of 1, 2 or 3, or within one of a vector, of a panel of two vectors, or of two panels.
  int64_t size();
  int64_t channels() { return of<int64_t>({1, 2, 3, 15, 16, 17, 33}); }
  // Integers from -4 to 4: their products and sums are exact in each floating dtype.
  Tensor integers(const Dims& dims, DType dtype);
  Tensor normal(const Dims& dims, DType dtype);

 private:
  std::mt19937_64 random_;
};

// A graph with its inputs, to be built node by node.
struct RandomCase {
  Graph graph = {};
  std::vector<Tensor> inputs = {};
  // The allowed error, relative to elements above 1.
  double allowed = 0;

  ValueId input(const std::string& name, const Tensor& tensor);
  ValueId constant(const std::string& name, const Tensor& tensor);
  // The first output of the op, which becomes an output of the graph.
  ValueId output(const std::string& name, const char* op, std::vector<Argument> arguments);
  ValueId node(const std::string& name, const char* op, std::vector<Argument> arguments);
};

RandomCase random_convolution(Draw& draw);
RandomCase random_pool(Draw& draw);
RandomCase random_product(Draw& draw);
// Reductions, scans, sorting, softmax, norms, attention, and ops that only move elements.
RandomCase random_rows(Draw& draw);

}  // namespace mithril::tests
