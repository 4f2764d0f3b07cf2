// The formulas and kernel calls of op records, and the arguments of a kernel call in a graph.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/formula.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Reads the arguments of a node in the order of the kernel call that its record spells, such as
// "softmax(input, axis)". The call names ports of the op.
class CallReader {
 public:
  CallReader(const ShapedGraph& shaped, size_t node, const SpelledExpression& call)
      : node_(shaped.node(node)), planned_(shaped.planned(node)), call_(call) {}

  // None: absent, or a number.
  std::optional<ValueId> tensor(size_t argument) const {
    const int32_t at = planned_.tensors[port(argument)];
    return at < 0 ? std::nullopt : std::optional(static_cast<ValueId>(at));
  }
  const Datum& value(size_t argument) const { return planned_.values[port(argument)]; }

 private:
  size_t port(size_t argument) const { return node_.argument_index(call_.children[argument].text); }

  const Node& node_;
  const PlannedNode& planned_;
  const SpelledExpression& call_;
};

// Calls make(T{}) for T float or double, the type of the dtype. None for other dtypes.
template <typename Make>
std::optional<StepDescriptor> lower_floats(DType dtype, const Make& make) {
  if (dtype == DType::float32) return make(float{});
  if (dtype == DType::float64) return make(double{});
  return std::nullopt;
}

// Null if the record has no C formula.
const Formula* formula_of(const OpDef& op);
// Null if the record names no kernel of this backend.
const SpelledExpression* kernel_of(const OpDef& op);

}  // namespace mithril::cpu_backend
