// What a node gives to the kernel that its record spells.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// The arguments of a node, by their places among those of the kernel that its record spells.
class CallReader {
 public:
  CallReader(const ShapedGraph& shaped, size_t node, const SpelledExpression& call);

  std::optional<ValueId> tensor(size_t argument) const;  // nothing: it was left out
  const Datum& value(size_t argument) const;

 private:
  const Node& node_;
  const PlannedNode& planned_;
  const SpelledExpression& call_;
};

}  // namespace mithril::cpu_backend
