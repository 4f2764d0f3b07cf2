// A model as a table for people.
#include <algorithm>

#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/model.hpp"
#include "mithril/model/table.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

std::string list(const std::vector<NamedPort>& ports, std::string (*text)(Wire*)) {
  std::vector<std::string> items;
  for (const NamedPort& port : ports) items.push_back(port.name + " " + text(port.wire));
  return join(items, ", ");
}

std::string kinds_text(Wire* wire) { return to_string_kinds(find(wire->type)->kinds); }

// The trainable inputs of a part: float tensors without a source or a value.
std::string free_inputs(const Part& part) {
  std::vector<std::string> items;
  const auto add = [&](const std::string& name, Wire* wire) {
    if (wire->home == &part || (wire->home && wire->home->owner == &part))
      items.push_back(name + " " + wire_text(wire));
  };
  if (part.op) {
    for (size_t slot = 0; slot < part.input_count; ++slot) {
      Wire* wire = part.slots[slot] ? top(part.slots[slot]) : nullptr;
      if (wire && !wire->driver && !is_valued(wire)) add(part.port_at(slot).name, wire);
    }
  } else {
    for (const NamedPort& port : input_ports(static_cast<const Composite&>(part)))
      add(port.name, port.wire);
  }
  return join(items, ", ");
}

Row row_of(const Part& part, const std::string& name, bool shapes, bool types) {
  Row row{name, part.class_name()};
  std::vector<NamedPort> outputs;
  if (part.op) {
    for (size_t slot = part.input_count; slot < part.slot_count; ++slot)
      outputs.push_back({part.port_at(slot).name, top(part.slots[slot])});
  } else {
    outputs = output_ports(static_cast<const Composite&>(part));
  }
  if (shapes) {
    row.push_back(list(outputs, wire_text));
    row.push_back(free_inputs(part));
  }
  if (types) row.push_back(list(outputs, kinds_text));
  return row;
}

void add_rows(const Composite& model, const std::string& indent, int depth, bool shapes, bool types,
              std::vector<Row>& rows) {
  for (const auto& part : model.parts) {
    rows.push_back(row_of(*part, indent + model.name_of(*part), shapes, types));
    if (depth > 0 && !part->op)
      add_rows(static_cast<const Composite&>(*part), indent + "  ", depth - 1, shapes, types, rows);
  }
}

}  // namespace

std::string Model::summary(bool shapes, bool types, int depth) const try {
  const std::shared_ptr<Composite> model = composite();
  if (model->completion) return model->completion->summary(*model, shapes, types, depth);
  return summary_of(*model, shapes, types, depth);
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

std::vector<Row> summary_rows(const Composite& model, bool shapes, bool types, int depth) {
  Row header{"part", "class"};
  if (shapes) {
    header.emplace_back("outputs");
    header.emplace_back("own inputs");
  }
  if (types) header.emplace_back("types");
  std::vector<Row> rows{header};
  add_rows(model, "", depth, shapes, types, rows);
  return rows;
}

std::string summary_of(const Composite& model, bool shapes, bool types, int depth) {
  std::vector<Row> rows = summary_rows(model, shapes, types, depth);
  UnknownNumbers unknowns;
  for (Row& row : rows) {
    for (std::string& cell : row) cell = unknowns.renumber(cell);
  }
  std::string title = model.class_name();
  if (!model.given_name().empty()) title += " '" + model.given_name() + "'";
  const std::string inputs = unknowns.renumber(list(input_ports(model), wire_text));
  const std::string outputs = unknowns.renumber(list(output_ports(model), wire_text));
  return printable(title) + "\n" + table(rows) + "inputs:  " + printable(inputs) +
         "\noutputs: " + printable(outputs) + "\n";
}

}  // namespace mithril
