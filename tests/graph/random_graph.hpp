// Small random graphs, valid ones, for properties.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/op/registry.hpp"

namespace mithril::tests {

class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed) : random_(seed) {}

  Graph run() {
    const Dim n(graph_.facts()->symbol("N"));
    add_input("x", {n, 3});
    add_input("y", {3});
    add_constant("a", {3});
    add_constant("b", {});
    add_constant("c", {1, 3});
    for (int i = pick(1, 15); i > 0; --i) add_node();
    for (int i = pick(1, 3); i > 0; --i) {
      graph_.add_output("output_" + std::to_string(i), values_[pick_index(values_.size())]);
    }
    return std::move(graph_);
  }

 private:
  int pick(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  size_t pick_index(size_t size) {
    return static_cast<size_t>(pick(0, static_cast<int>(size) - 1));
  }
  ValueId any_value() { return values_[pick_index(values_.size())]; }

  void add_input(std::string name, std::vector<Dim> dims) {
    values_.push_back(graph_.add_input({.name = std::move(name), .dims = std::move(dims)}));
  }

  void add_constant(std::string name, Dims dims) {
    Tensor tensor(DType::float32, std::move(dims));
    for (float& element : tensor.mutable_values<float>()) element = static_cast<float>(pick(-2, 2));
    values_.push_back(graph_.add_constant(std::move(name), tensor));
  }

  void add_node() {
    static constexpr const char* of_one[] = {"negate", "square", "relu", "abs", "sign", "buffer"};
    static constexpr const char* of_two[] = {"add", "subtract", "multiply", "maximum", "minimum"};
    if (pick(0, 2) == 0) return add(of_one[pick(0, 5)], {any_value()});
    const bool with_number = pick(0, 4) == 0;
    add(of_two[pick(0, 4)],
        {any_value(), with_number ? Argument(Datum(0.5 * pick(-2, 2))) : Argument(any_value())});
  }

  void add(const char* op, std::vector<Argument> arguments) {
    const std::string name = std::string(op) + "_" + std::to_string(graph_.nodes().size());
    values_.push_back(graph_.add(find_op(op), std::move(arguments), name).front());
  }

  std::mt19937 random_;
  Graph graph_;
  std::vector<ValueId> values_;
};

inline Graph random_graph(unsigned seed) { return RandomGraph(seed).run(); }

// Tensors for its inputs, with N rows.
inline std::vector<Tensor> random_inputs(unsigned seed, int64_t rows) {
  std::mt19937 random(seed);
  std::vector<Tensor> inputs = {Tensor(DType::float32, {rows, 3}), Tensor(DType::float32, {3})};
  for (Tensor& input : inputs) {
    for (float& x : input.mutable_values<float>()) x = static_cast<float>(random() % 9) - 4;
  }
  return inputs;
}

}  // namespace mithril::tests
