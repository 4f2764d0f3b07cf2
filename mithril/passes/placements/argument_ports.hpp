// Which ports the arguments of a node belong to.
#pragma once
#include <functional>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

// The port of each argument of a node.
std::vector<const PortDef*> argument_ports(const Node& node);

// Whether ops read the elements of an argument at the port, and not its dims alone.
inline bool reads_elements(const PortDef& port) { return port.name != "like"; }

// The only argument that is accepted and whose elements the node reads; null: there are several or
// none.
const ValueId* only_argument(const Node& node, const std::function<bool(ValueId)>& accept);

}  // namespace mithril
