// A model as a table for people.
#include <algorithm>

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

std::string shapes_text(const std::vector<NamedPort>& ports, WireTexts& texts) {
  std::vector<std::string> items;
  for (const NamedPort& port : ports) items.push_back(port.name + " " + texts.text(port.wire));
  return join(items, ", ");
}

std::string kinds_text(const std::vector<NamedPort>& ports) {
  std::vector<std::string> items;
  for (const NamedPort& port : ports)
    items.push_back(port.name + " " + to_string_kinds(find(port.wire->type)->kinds));
  return join(items, ", ");
}

// The trainable inputs of a part: float tensors without a source or a value.
std::string free_inputs(const Part& part, WireTexts& texts) {
  std::vector<std::string> items;
  const auto add = [&](const std::string& name, Wire* wire) {
    if (wire->home == &part || (wire->home && wire->home->owner == &part))
      items.push_back(name + " " + texts.text(wire));
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

Row row_of(const Part& part, const std::string& name, bool shapes, bool types, WireTexts& texts) {
  Row row{name, part.class_name()};
  std::vector<NamedPort> outputs;
  if (part.op) {
    for (size_t slot = part.input_count; slot < part.slot_count; ++slot)
      outputs.push_back({part.port_at(slot).name, top(part.slots[slot])});
  } else {
    outputs = output_ports(static_cast<const Composite&>(part));
  }
  if (shapes) {
    row.push_back(shapes_text(outputs, texts));
    row.push_back(free_inputs(part, texts));
  }
  if (types) row.push_back(kinds_text(outputs));
  return row;
}

void add_rows(const Composite& model, const std::string& indent, int depth, bool shapes, bool types,
              WireTexts& texts, std::vector<Row>& rows) {
  for (const auto& part : model.parts) {
    rows.push_back(row_of(*part, indent + model.name_of(*part), shapes, types, texts));
    if (depth > 0 && !part->op)
      add_rows(static_cast<const Composite&>(*part), indent + "  ", depth - 1, shapes, types, texts,
               rows);
  }
}

}  // namespace

std::string Model::summary(bool shapes, bool types, int depth) const {
  const std::shared_ptr<Composite> model = composite();
  if (model->completion) return model->completion->summary(*model, shapes, types, depth);
  return summary_of(*model, shapes, types, depth);
}

std::vector<Row> summary_rows(const Composite& model, bool shapes, bool types, int depth,
                              WireTexts& texts) {
  Row header{"part", "class"};
  if (shapes) {
    header.emplace_back("outputs");
    header.emplace_back("own inputs");
  }
  if (types) header.emplace_back("types");
  std::vector<Row> rows{header};
  add_rows(model, "", depth, shapes, types, texts, rows);
  return rows;
}

std::string summary_of(const Composite& model, bool shapes, bool types, int depth) {
  WireTexts texts;
  std::vector<Row> rows = summary_rows(model, shapes, types, depth, texts);
  UnknownNumbers unknowns;
  for (Row& row : rows) {
    for (std::string& cell : row) cell = unknowns.renumber(cell);
  }
  std::string title = model.class_name();
  if (!model.given_name().empty()) title += " '" + model.given_name() + "'";
  const std::string inputs = unknowns.renumber(shapes_text(input_ports(model), texts));
  const std::string outputs = unknowns.renumber(shapes_text(output_ports(model), texts));
  return printable(title) + "\n" + table(rows) + "inputs:  " + printable(inputs) +
         "\noutputs: " + printable(outputs) + "\n";
}

}  // namespace mithril
