// The ports of a model: as its user sees them, and those that are canonical.
#pragma once
#include <string>
#include <string_view>
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

// The canonical outputs that no later part reads.
std::vector<Wire*> open_outputs(const Composite& model);
// The canonical inputs without a source and a value. An input that serves only to compute
// parameters of layers, as in weight=base + b @ a, is not canonical: it is a parameter itself.
std::vector<Wire*> open_inputs(const Composite& model);
// Those of these inputs that are parameters of layers: the ones with an initializer, and the ones
// that only feed expressions of such parameters.
std::vector<const Wire*> layer_parameters(const Composite& model,
                                          const std::vector<const Wire*>& inputs);
// They stay canonical outputs of this part even if they are read later. Undone with the Attempt.
void keep_open_outputs(Composite& part);
// The inputs of an op that are canonical.
std::vector<std::string> canonical_names(const OpDef& op);
// A key or a port by its path, or "output", the unnamed canonical output; null: none.
Wire* find_port(Composite& model, std::string_view key);
// The same. NameError E0606 with the nearest.
Wire* wire_at(Composite& model, const std::string& key);
bool is_valued(const Wire* wire);  // holds a known value or a tensor literal

}  // namespace mithril
