// The reference: runs a graph node by node with each op's `eval`. It is the oracle for every
// backend.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril {

// Immutable after construction; run() may be called from many threads. Plans (all dims and values
// as numbers) are made once for each combination of input shapes.
class Interpreter {
 public:
  // All ops of the graph must have `eval` (expand_ops has run): InternalError otherwise.
  explicit Interpreter(Graph graph, std::shared_ptr<const Observer> observer = nullptr);
  ~Interpreter();
  Interpreter(Interpreter&&) noexcept;

  const Graph& graph() const;
  // Inputs and outputs have the order of graph.inputs() and graph.outputs(). InputError E0803 for a
  // wrong rank, E0804 for a wrong dim, E0805 for a wrong dtype, naming the input.
  std::vector<Tensor> run(std::span<const Tensor> inputs) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::vector<Tensor> interpret(const Graph& graph, std::span<const Tensor> inputs);

}  // namespace mithril
