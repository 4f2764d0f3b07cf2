// The formulas and kernel calls of op records, and the arguments of a kernel call in a graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/formula.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// A node as the kernel call that its record spells, such as "softmax(input, axis)". The call names
// ports of the op.
struct CallReader {
  const ShapedGraph& shaped;
  size_t at;  // the index of the node
  const SpelledExpression& spelled;

  const std::string& name() const { return spelled.text; }  // of the kernel
  size_t size() const { return spelled.children.size(); }   // number of arguments
  const Node& node() const { return shaped.node(at); }
  ValueId made() const { return node().outputs.front(); }
  // None: absent, or a number.
  std::optional<ValueId> tensor(size_t argument) const {
    const int32_t id = shaped.planned(at).tensors[port(argument)];
    return id < 0 ? std::nullopt : std::optional(static_cast<ValueId>(id));
  }
  const Datum& value(size_t argument) const { return shaped.planned(at).values[port(argument)]; }
  size_t port(size_t argument) const {
    return node().argument_index(spelled.children[argument].text);
  }
};

// A call to lower, and what lowering functions read besides.
struct KernelCall : CallReader {
  const LoweringContext& context;
  // Per value: the source of the transpose (last two axes) while no step computes the value,
  // because all consumers so far read the source instead.
  const std::vector<std::optional<ValueId>>& transposes;

  int threads() const { return context.config.threads; }
};
// Lowers a call. None if the kernel does not support the dtypes or sizes.
using Lowering = std::optional<StepDescriptor>(const KernelCall& call);

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
