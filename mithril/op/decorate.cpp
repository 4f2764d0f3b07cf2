// Adds the origins to an error: path, port, facts, and the shapes on the wires of the part.
#include <algorithm>

#include "mithril/infer/symbol.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/part.hpp"

namespace mithril {
namespace {

bool is_value(const Wire* wire) { return !(find(wire->type)->kinds & kind::tensor); }

// Loops and branches are models of such ops, which no user has written.
bool is_of_loop(const Part& part) {
  if (!part.op || !part.op->internal || !part.owner) return false;
  const auto is_mark = [](const PortDef& port) {
    return port.name == "condition" || port.shape == "steps";
  };
  return std::any_of(part.op->inputs.begin(), part.op->inputs.end(), is_mark) ||
         std::any_of(part.op->outputs.begin(), part.op->outputs.end(), is_mark);
}

// The op that says what the condition of a loop or a choice is.
bool is_condition(const Part& part) {
  return is_of_loop(part) && part.op->inputs.front().name == "condition";
}

std::string place_of(const Part* part) {
  if (is_of_loop(*part)) part = part->owner;
  std::string where = path(part);
  return where.empty() ? part->class_name() : where;
}

void add_wires(ErrorDetails& details, const Part& part) {
  for (size_t slot = 0; slot < part.slot_count; ++slot) {
    const PortDef& port = part.port_at(slot);
    if (!part.slots[slot] || part.op->compiled.ports[part.port_of(slot)].value) continue;
    Wire* wire = top(part.slots[slot]);
    if (!wire->type || is_value(wire)) continue;
    if (wire->driver && is_of_loop(part) && is_of_loop(*wire->driver)) continue;
    const std::string name = wire_name(wire);
    details.facts.push_back(
        {port.name, to_string(Facts::resolve(wire->shape)),
         (name.empty() ? "" : "on " + name + ", ") + "pattern \"" + port.shape + "\""});
  }
}

// Arithmetic loses the origin of a number: for errors of `solve`, adds the origin of each dim that
// the patterns name.
void add_dims(ErrorDetails& details, const Part& part) {
  for (size_t i = 0; part.dims && i < part.op->compiled.dims.size(); ++i) {
    const Dim dim = part.dims[i];
    const std::string origin = dim.symbol() ? origin_text(find(dim.symbol())->origin) : "";
    if (!origin.empty())
      details.facts.push_back({part.op->compiled.dims[i], to_string(dim), origin});
  }
}

// If the wrong rank comes from a part whose default merges all axes from the first one on, the
// batch axis is missing.
void add_advice(ErrorDetails& details, const Part* from) {
  if (details.kind != ErrorKind::shape || !details.help.empty() || !from || !from->op) return;
  const Datum* start = from->slots ? from->left_out("start_dim") : nullptr;
  if (!start || start->integer() != 0) return;
  const std::string& name = from->op->model_name;
  details.help = name + "() merges all axes, the batch too: " + name + "(start_dim=1) keeps it";
}

void advise_condition(ErrorDetails& details, const Part* from) {
  const bool is_wrong = details.kind == ErrorKind::shape || details.kind == ErrorKind::type;
  if (!is_wrong || !details.help.empty() || !from || !is_condition(*from)) return;
  details.help = "a condition is a scalar bool: compare one number with another, as in x.max() > 0";
}

// Inputs whose pattern is the same run of dims are paired element by element.
void advise_equal_shapes(ErrorDetails& details, const OpDef& op) {
  if (details.kind != ErrorKind::shape || !details.help.empty()) return;
  for (size_t i = 1; i < op.inputs.size(); ++i) {
    const PortDef &first = op.inputs.front(), &other = op.inputs[i];
    if (first.shape.empty() || first.shape.front() != '*' || first.shape != other.shape) continue;
    if (!details.port.empty() && details.port != first.name && details.port != other.name) return;
    details.help = first.name + " and " + other.name +
                   " need the same shape: reshape one of them, or repeat its elements with "
                   "broadcast_to";
    return;
  }
}

}  // namespace

std::string origin_text(Origin origin) {
  if (!origin.part) return origin.what ? "given by " + std::string(*origin.what) : "";
  const std::string part = place_of(origin.part);
  if (is_condition(*origin.part)) return "from the condition of " + part;
  if (is_of_loop(*origin.part)) return "from " + part;
  return "from " + part + (origin.what ? "." + std::string(*origin.what) : "");
}

void decorate_error(ErrorDetails& details, Origin at, Origin left, Origin right) {
  if (details.path.empty() && at.part) details.path = place_of(at.part);
  if (details.port.empty() && at.part && at.what) {
    details.port = *at.what;
    details.message = "port '" + std::string(*at.what) + "': " + details.message;
  }
  const Origin origins[] = {left, right};
  for (size_t i = 0; i < 2 && i < details.facts.size(); ++i) {
    if (details.facts[i].origin.empty()) details.facts[i].origin = origin_text(origins[i]);
  }
  add_advice(details, left.part);
  add_advice(details, right.part);
  advise_condition(details, left.part);
  advise_condition(details, right.part);
  if (!at.part && details.code == "E0201" && details.help.empty())
    details.help = "a model adds no dims by itself: state the other rank, and reshape the tensor";
  if (!at.part || !at.part->op || !at.part->slots) return;
  advise_equal_shapes(details, *at.part->op);
  add_wires(details, *at.part);
  if (!at.what) add_dims(details, *at.part);
}

}  // namespace mithril
