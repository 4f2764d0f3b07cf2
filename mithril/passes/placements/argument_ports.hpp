// Which ports the arguments of a node belong to.
#pragma once
#include <cstddef>
#include <functional>
#include <string_view>

#include "mithril/graph/graph.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

// The ports of the arguments of a node, among which list ports are spread out.
class ArgumentPorts {
 public:
  explicit ArgumentPorts(const Node& node);

  size_t index(size_t argument) const;  // among the inputs of the op
  const PortDef& operator[](size_t argument) const { return op_->inputs[index(argument)]; }

 private:
  const OpDef* op_;
  size_t list_;    // the index of the list port; that of no port if there is none
  size_t listed_;  // the number of arguments at it
};

// Whether ops read the elements of an argument at the port, and not its dims alone.
inline bool reads_elements(const PortDef& port) {
  return std::string_view(port.name) != std::string_view("like");
}

// The only argument that is accepted and whose elements the node reads; null: there are several or
// none.
const ValueId* only_argument(const Node& node, const std::function<bool(ValueId)>& accept);

}  // namespace mithril
