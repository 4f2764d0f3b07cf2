#include "mithril/passes/placements/argument_ports.hpp"

namespace mithril {

std::vector<const PortDef*> argument_ports(const Node& node) {
  std::vector<const PortDef*> ports;
  ports.reserve(node.arguments.size());
  const size_t listed = node.list_size();
  for (const PortDef& port : node.op->inputs) {
    for (size_t i = 0; i < (port.list ? listed : 1); ++i) ports.push_back(&port);
  }
  return ports;
}

const ValueId* only_argument(const Node& node, const std::function<bool(ValueId)>& accept) {
  const std::vector<const PortDef*> ports = argument_ports(node);
  const ValueId* found = nullptr;
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const ValueId* argument = tensor_of(node.arguments[i]);
    if (!argument || !reads_elements(*ports[i]) || !accept(*argument)) continue;
    if (found) return nullptr;
    found = argument;
  }
  return found;
}

}  // namespace mithril
