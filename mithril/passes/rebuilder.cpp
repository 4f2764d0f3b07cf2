#include "mithril/passes/rebuilder.hpp"

#include <algorithm>

namespace mithril {

Rebuilder::Rebuilder(const Graph& from) : Rebuilder(from, from.values().size()) {}

Rebuilder::Rebuilder(const Graph& from, size_t values) : from_(from), map_(values, nowhere) {
  to_.share_facts(from);
  to_.set_default_dtype(from.default_dtype());
  to_.reserve(values, from.nodes().size());
  for (const ValueId id : from.inputs()) {
    if (index(id) < values) replace(id, to_.add_input(from.value(id)));
  }
  for (const Constant& constant : from.constants()) {
    if (index(constant.value) >= values) continue;
    const std::string& name = from.value(constant.value).name;
    replace(constant.value, to_.add_constant(name, constant.tensor));
  }
}

ValueId Rebuilder::map(ValueId old) const {
  const ValueId now = map_[index(old)];
  MITHRIL_CHECK(now != nowhere, "a pass reads '" + from_.value(old).name + "' before making it");
  return now;
}

Node Rebuilder::map_arguments(const Node& node) const {
  Node mapped{node.op, node.arguments, {}};
  mapped.outputs.reserve(node.outputs.size());
  for (Argument& argument : mapped.arguments) {
    if (ValueId* id = std::get_if<ValueId>(&argument)) *id = map(*id);
  }
  return mapped;
}

void Rebuilder::add(Node node, const std::vector<ValueId>& outputs) {
  for (const ValueId old : outputs) {
    node.outputs.push_back(to_.add_value(from_.value(old)));
    replace(old, node.outputs.back());
  }
  to_.add_node(std::move(node));
}

void Rebuilder::replace(ValueId old, ValueId now) {
  map_[index(old)] = now;
  if (is_replacement_.size() <= index(now))
    is_replacement_.resize(std::max(index(now) + 1, map_.size()));
  is_replacement_[index(now)] = true;
}

// Both are the same value, so their dims are equal, even if inference cannot prove it.
void Rebuilder::state_equal(ValueId old, ValueId now) {
  const Value &a = from_.value(old), &b = to_.value(now);
  if (!a.ranked || !b.ranked) return;
  MITHRIL_CHECK(a.dims.size() == b.dims.size(),
                "what becomes of '" + a.name + "' has another rank");
  for (size_t i = 0; i < a.dims.size(); ++i) to_.facts()->unify(a.dims[i], b.dims[i]);
  to_.facts()->settle();
}

void Rebuilder::become(ValueId old, ValueId now) {
  state_equal(old, now);
  const bool own = index(now) >= is_replacement_.size() || !is_replacement_[index(now)];
  replace(old, now);
  if (!own) return;
  Value value = from_.value(old);
  const Value& made = to_.value(now);
  MITHRIL_CHECK(value.dtype == made.dtype,
                "what becomes of '" + value.name + "' has another dtype");
  if (!value.ranked) {
    value.ranked = made.ranked;
    value.dims = made.dims;
  }
  to_.restate(now, std::move(value));
}

Graph Rebuilder::finish() { return finish(from_.outputs()); }

Graph Rebuilder::finish(const std::vector<Output>& outputs) {
  add_outputs(outputs);
  to_.drop_unread();
  return std::move(to_);
}

Graph Rebuilder::finish_whole() {
  add_outputs(from_.outputs());
  return std::move(to_);
}

void Rebuilder::add_outputs(const std::vector<Output>& outputs) {
  for (const Output& output : outputs) to_.add_output(output.name, map(output.value));
}

}  // namespace mithril
