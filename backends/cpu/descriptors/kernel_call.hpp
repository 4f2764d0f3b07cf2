// The arguments of a kernel call in a graph.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Reads the arguments of a node in the order of the kernel call that its record spells, such as
// "softmax(input, axis)". The call names ports of the op.
class CallReader {
 public:
  CallReader(const ShapedGraph& shaped, size_t node, const SpelledExpression& call);

  std::optional<ValueId> tensor(size_t argument) const;  // none: absent, or a number
  const Datum& value(size_t argument) const;

 private:
  const Node& node_;
  const PlannedNode& planned_;
  const SpelledExpression& call_;
};

}  // namespace mithril::cpu_backend
