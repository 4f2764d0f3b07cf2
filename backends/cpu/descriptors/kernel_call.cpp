#include "backends/cpu/descriptors/kernel_call.hpp"

namespace mithril::cpu_backend {

CallReader::CallReader(const ShapedGraph& shaped, size_t node, const SpelledExpression& call)
    : node_(shaped.node(node)), planned_(shaped.planned(node)), call_(call) {}

std::optional<ValueId> CallReader::tensor(size_t argument) const {
  const int32_t at = planned_.tensors[node_.argument_index(call_.children[argument].text)];
  return at < 0 ? std::nullopt : std::optional(static_cast<ValueId>(at));
}

const Datum& CallReader::value(size_t argument) const {
  return planned_.values[node_.argument_index(call_.children[argument].text)];
}

}  // namespace mithril::cpu_backend
