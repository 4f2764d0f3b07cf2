// Floats that are integers of few bits: what imported products of quantised tensors multiply.
#pragma once
#include <optional>
#include <unordered_map>

#include "mithril/graph/graph.hpp"

namespace mithril::onnx {

// least <= x + zero <= most for each element x, which is an integer. 0 is one of these numbers.
struct IntegerValues {
  double least = 0, most = 0;
  std::optional<ValueId> zero = {};     // one number of 8 bits; none: 0
  std::optional<ValueId> bytes = {};    // the uint8 tensor x + zero - least, if the graph has it
  std::optional<Tensor> elements = {};  // if they are known; then there is no `zero`

  // The largest absolute value of x.
  double largest(const Graph& graph) const;
};

class IntegerAnalysis {
 public:
  explicit IntegerAnalysis(const Graph& graph);

  // None if the graph does not show that the elements are integers.
  std::optional<IntegerValues> values(ValueId id) const;

 private:
  const Node* producer(ValueId id) const;
  std::optional<Tensor> folded(ValueId id) const;
  std::optional<IntegerValues> difference(const Node& node) const;
  std::optional<IntegerValues> moved(const Node& node) const;

  const Graph& graph_;
  std::unordered_map<ValueId, const Node*> producers_;
  std::unordered_map<ValueId, const Tensor*> constants_;
};

}  // namespace mithril::onnx
