#include "mithril/compile/objectives.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mithril/compile/discard.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/models/library.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

using Wires = std::unordered_set<const Wire*>;

// Whether the op, or a library model that it is inside of, is a loss or a metric.
class Objectives {
 public:
  bool has(const Part& op) {
    if (op.op->objective) return true;
    std::vector<const Part*> open;
    bool is = false;
    for (const Part* owner = op.owner; owner && !is; owner = owner->owner) {
      const auto known = models_.find(owner);
      if (known != models_.end()) {
        is = known->second;
        break;
      }
      open.push_back(owner);
      is = is_objective(static_cast<const Composite&>(*owner));
    }
    for (const Part* owner : open) models_[owner] = is;
    return is;
  }

 private:
  static bool is_objective(const Composite& model) {
    const ModelDef* def = model.recipe ? try_find_model(*model.recipe->name) : nullptr;
    return def && def->objective;
  }
  std::unordered_map<const Part*, bool> models_;
};

// All wires that depend on these, which are among them.
void add_readers(const std::vector<Part*>& ops, Wires& wires) {
  std::unordered_map<const Wire*, std::vector<const Part*>> readers;
  for (const Part* op : ops) {
    for (size_t slot = 0; slot < op->input_count; ++slot) {
      if (op->slots[slot]) readers[top(op->slots[slot])].push_back(op);
    }
  }
  std::vector<const Wire*> open(wires.begin(), wires.end());
  while (!open.empty()) {
    const auto found = readers.find(open.back());
    open.pop_back();
    if (found == readers.end()) continue;
    for (const Part* op : found->second) {
      for (size_t slot = op->input_count; slot < op->slot_count; ++slot) {
        const Wire* wire = top(op->slots[slot]);
        if (wires.insert(wire).second) open.push_back(wire);
      }
    }
  }
}

bool is_one_number(const Wire* wire) {
  std::vector<Dim> dims;
  return Facts::known(wire->shape, dims) && dims.empty();
}

// The data that the outputs need, by input of the graph.
std::vector<bool> needed_data(const Graph& graph, const std::vector<InputKey>& keys,
                              const std::vector<std::string>& outputs) {
  std::vector<bool> needed = needed_inputs(graph, outputs);
  for (size_t i = 0; i < needed.size(); ++i) {
    if (keys[i].key_class != KeyClass::data) needed[i] = false;
  }
  return needed;
}

}  // namespace

std::vector<std::string> objective_outputs(const Composite& model, const Graph& graph,
                                           const std::vector<InputKey>& keys,
                                           const std::vector<std::string>& outputs) {
  const std::vector<Part*> ops = all_op_parts(model);
  Wires added, computed;
  if (model.completion) {
    for (Wire* wire : model.completion->objectives()) added.insert(top(wire));
  }
  Objectives objectives;
  for (const Part* op : ops) {
    if (!objectives.has(*op)) continue;
    for (size_t slot = op->input_count; slot < op->slot_count; ++slot)
      computed.insert(top(op->slots[slot]));
  }
  if (added.empty() && computed.empty()) return {};
  add_readers(ops, added);
  add_readers(ops, computed);

  std::vector<std::string> left_out, others;
  std::vector<NamedPort> candidates;
  for (const NamedPort& port : output_ports(model)) {
    if (std::find(outputs.begin(), outputs.end(), port.name) == outputs.end()) continue;
    const Wire* wire = top(port.wire);
    if (added.contains(wire)) {
      left_out.push_back(port.name);
    } else if (computed.contains(wire)) {
      candidates.push_back(port);
    } else {
      others.push_back(port.name);
    }
  }
  const std::vector<bool> known = needed_data(graph, keys, others);
  std::vector<std::string> kept = others;
  for (const NamedPort& port : candidates) {
    const std::vector<bool> needed = needed_data(graph, keys, {port.name});
    bool more = false;
    for (size_t i = 0; i < needed.size(); ++i) more = more || (needed[i] && !known[i]);
    (more || is_one_number(top(port.wire)) ? left_out : kept).push_back(port.name);
  }
  return kept.empty() ? std::vector<std::string>() : left_out;
}

}  // namespace mithril
