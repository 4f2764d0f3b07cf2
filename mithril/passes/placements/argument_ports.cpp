#include "mithril/passes/placements/argument_ports.hpp"

namespace mithril {

std::vector<const PortDef*> argument_ports(const Node& node) {
  std::vector<const PortDef*> ports;
  for (const PortDef& port : node.op->inputs)
    ports.insert(ports.end(), port.list ? node.list_size() : 1, &port);
  return ports;
}

}  // namespace mithril
