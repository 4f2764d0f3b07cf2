// The ports of a model as its user sees them.
#pragma once
#include <string>
#include <vector>

#include "mithril/model/composite.hpp"

namespace mithril {

struct NamedPort {
  std::string name;
  Wire* wire;
};
// Undriven wires without a value: keys in the order of naming, then the paths of unnamed inputs,
// without state. With `with_state`, state inputs, too.
std::vector<NamedPort> input_ports(const Composite& model, bool with_state = false);
// Named outputs, or after expose_keys the exposed ones; without any, the canonical output as
// "output".
std::vector<NamedPort> output_ports(const Composite& model);
bool is_inside(const Part* part, const Composite& model);  // at any depth, or the model itself
// Every op of the tree in the order of composing, without recursion.
std::vector<Part*> all_op_parts(const Composite& model);

}  // namespace mithril
