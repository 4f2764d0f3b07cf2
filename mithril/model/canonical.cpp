// Canonical ports: the ports to which `model += part` chains.
#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/model.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

[[noreturn]] void refuse_end(const Model& model, const std::string& key, bool as_input) {
  raise({.kind = ErrorKind::name,
         .code = "E0611",
         .message = in_quotes(key) + " of " + (as_input ? "set_cin" : "set_cout") + " is not an " +
                    (as_input ? "input" : "output") + " of the model",
         .facts = {{as_input ? "inputs" : "outputs",
                    join(as_input ? model.input_keys() : model.output_keys(), ", ")}}});
}

std::vector<Connection> connections(const std::shared_ptr<Composite>& model,
                                    const std::vector<Wire*>& wires) {
  std::vector<Connection> result;
  for (Wire* wire : wires) result.emplace_back(model, wire);
  return result;
}

Connection only(const Model& model, const std::vector<Connection>& ports, const char* what) {
  if (ports.size() == 1) return ports.front();
  std::vector<std::string> names;
  for (const Connection& port : ports) names.push_back(port.name());
  raise({.kind = ErrorKind::connection,
         .code = "E0105",
         .path = path(model.part().get()),
         .message = std::string("the canonical ") + what + " of the model is not unique",
         .facts = {{"candidates", names.empty() ? "none" : join(names, ", "), ""}},
         .help = "name the port, or choose one with set_cin or set_cout"});
}

}  // namespace

std::vector<Connection> Model::cins() const {
  if (part_->op && part_->owner) {
    std::vector<Connection> ports;
    for (const std::string& name : canonical_names(*part_->op)) ports.push_back(at(name));
    return ports;
  }
  const std::shared_ptr<Composite> model = composite();
  std::vector<Wire*> wires;
  for (const CanonicalPort& port : model->canonical_inputs) {
    Wire* wire = top(port.wire);
    const bool open = !is_valued(wire) && !(wire->driver && is_inside(wire->driver, *model));
    if (open && std::find(wires.begin(), wires.end(), wire) == wires.end()) wires.push_back(wire);
  }
  return connections(model, wires);
}

std::vector<Connection> Model::couts() const {
  if (part_->op && part_->owner) return {at(part_->op->outputs.front().name)};
  const std::shared_ptr<Composite> model = composite();
  return connections(model, open_outputs(*model));
}

Connection Model::cin() const { return only(*this, cins(), "input"); }
Connection Model::cout() const { return only(*this, couts(), "output"); }

Model& Model::set_cin(const std::vector<std::string>& keys) {
  Composite& model = open_model(changing());
  std::vector<CanonicalPort> ports;
  for (const std::string& key : keys) {
    Wire* wire = wire_at(model, key);
    if (wire->driver) refuse_end(*this, key, true);
    ports.push_back({wire, 0});
  }
  model.canonical_inputs = std::move(ports);
  model.chooses_inputs = true;
  return *this;
}

Model& Model::set_cout(const std::vector<std::string>& keys) {
  Composite& model = open_model(changing());
  std::vector<CanonicalPort> ports;
  for (const std::string& key : keys) {
    Wire* wire = wire_at(model, key);
    if (!wire->driver && !is_valued(wire)) refuse_end(*this, key, false);
    ports.push_back({wire, wire->uses});
  }
  model.canonical_outputs = std::move(ports);
  model.chooses_outputs = true;
  return *this;
}

}  // namespace mithril
