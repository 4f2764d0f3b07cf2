#include "mithril/passes/placements/argument_ports.hpp"

namespace mithril {

ArgumentPorts::ArgumentPorts(const Node& node) : op_(node.op) {
  const int list = node.op->list_input();
  list_ = list < 0 ? node.op->inputs.size() : static_cast<size_t>(list);
  listed_ = list < 0 ? 1 : node.arguments.size() + 1 - node.op->inputs.size();
}

size_t ArgumentPorts::index(size_t argument) const {
  if (argument < list_) return argument;
  return argument < list_ + listed_ ? list_ : argument + 1 - listed_;
}

const ValueId* only_argument(const Node& node, const std::function<bool(ValueId)>& accept) {
  const ArgumentPorts ports(node);
  const ValueId* found = nullptr;
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const ValueId* argument = tensor_of(node.arguments[i]);
    if (!argument || !reads_elements(ports[i]) || !accept(*argument)) continue;
    if (found) return nullptr;
    found = argument;
  }
  return found;
}

}  // namespace mithril
