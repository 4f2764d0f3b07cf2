#include "mithril/train_model/addition.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

[[noreturn]] void refuse_taken(const std::string& name, std::string help) {
  raise({.kind = ErrorKind::name,
         .code = "E0607",
         .message = "there is a key " + in_quotes(name) + " already",
         .help = std::move(help)});
}

bool is_bound(const Bindings& ports, std::string_view port) {
  return std::any_of(ports.begin(), ports.end(),
                     [&](const auto& binding) { return binding.first == port; });
}

// The inputs of a part that somebody has to bind.
std::vector<std::string> needed_ports(Part& part) {
  std::vector<std::string> names;
  if (!part.op) {
    Composite& model = static_cast<Composite&>(part);
    for (const NamedPort& port : input_ports(model)) {
      if (model.find_key(port.name)) names.push_back(port.name);
    }
    return names;
  }
  const OpPart& op = static_cast<const OpPart&>(part);
  for (const PortDef& port : part.op->inputs) {
    const bool given = op.arguments && std::any_of(op.arguments->begin(), op.arguments->end(),
                                                   [&](const auto& argument) {
                                                     return argument.first == port.name;
                                                   });
    if (!port.fallback && !given) names.push_back(port.name);
  }
  return names;
}

}  // namespace

void refuse_taken_cost(const Bindings& bindings) {
  if (is_bound(bindings, cost_key))
    refuse_taken(cost_key, "rename_key it: a training model calls its cost so");
}

Addition::Addition(Composite& model)
    : model_(model),
      composition_(open_model(model.shared_from_this())),
      keys_(model.keys.size()),
      inputs_(model.canonical_inputs),
      outputs_(model.canonical_outputs) {}

void Addition::require_all_ports(Part& part, const Bindings& ports) const {
  if (part.owner) refuse_owned(part);
  check_ports(part, ports);
  const std::vector<std::string> needed = needed_ports(part);
  for (const std::string& port : needed) {
    if (is_bound(ports, port)) continue;
    raise({.kind = ErrorKind::connection,
           .code = "E0113",
           .port = port,
           .message = "port " + in_quotes(port) + " of " + part.class_name() + " is not bound",
           .facts = {{"ports", join(needed, ", "), ""}},
           .help = "bind it to a key, a connection or a value"});
  }
}

void Addition::refuse_owned(const Part& part) const {
  raise({.kind = ErrorKind::connection,
         .code = "E0103",
         .path = path(&part),
         .message = "this part belongs to a model already",
         .help = "make a new part for each place"});
}

Bindings Addition::resolved(const Bindings& ports) const {
  Bindings result = ports;
  for (auto& [port, binding] : result) {
    const auto* name = std::get_if<std::string>(&binding.held());
    Wire* wire = name ? find_port(model_, *name) : nullptr;
    if (wire) binding = Connection(model_.shared_from_this(), wire);
  }
  return result;
}

void Addition::require_output_of_model(const Part& part, const Bindings& ports,
                                       const char* call) const {
  std::vector<std::string> names, outputs;
  for (const auto& [port, binding] : ports) {
    const auto* connection = std::get_if<Connection>(&binding.held());
    if (connection && connection->wire()->driver) return;
    if (const auto* name = std::get_if<std::string>(&binding.held())) names.push_back(*name);
  }
  for (const NamedPort& output : output_ports(model_)) outputs.push_back(output.name);
  std::string help;
  for (const std::string& name : names) {
    if (help.empty()) help = did_you_mean(name, outputs);
  }
  raise({.kind = ErrorKind::connection,
         .code = "E0114",
         .message = std::string(call) + ": no port of " + part.class_name() +
                    " is bound to an output of the model",
         .facts = {{"outputs", join(outputs, ", "), ""},
                   {"got", names.empty() ? "none" : join(names, ", "), ""}},
         .help = std::move(help)});
}

void Addition::give_name(const std::string& name, Wire* wire) {
  if (name.empty()) return;
  if (name == cost_key || model_.find_key(name)) refuse_taken(name, "choose another key_name");
  model_.add_key(name, wire);
}

void Addition::add(Objective& objective, const Bindings& ports, const char* call) {
  const Bindings bindings = resolved(ports);
  require_output_of_model(*objective.part, bindings, call);
  for (const auto& [port, binding] : ports) objective.ports.push_back(port);
  Wire* output = add_part(composition_, objective.part, bindings);
  for (const PartPointer& step : objective.reduce_steps) {
    const std::string port = canonical_input(*step);
    output = add_part(composition_, step, {{port, connection_of(composition_, output)}});
  }
  if (objective.coef) {
    const Model times = Model::op("multiply", {{"right", *objective.coef}});
    output = add_part(composition_, times.part(), {{"left", connection_of(composition_, output)}});
  }
  give_name(objective.key_name, output);
  objective.output = output;
}

void Addition::add(Penalty& penalty, const PartPointer& part, const Bindings& ports) {
  const std::string port = penalty.reg_key.empty() ? canonical_input(*part) : penalty.reg_key;
  check_ports(*part, {{port, none}});
  const Bindings bindings = resolved(ports);
  Wire* key = nullptr;
  for (const auto& [name, binding] : bindings) {
    if (name != port) continue;
    if (const auto* unknown = std::get_if<std::string>(&binding.held()))
      static_cast<void>(wire_at(model_, *unknown));  // raises
    if (const auto* connection = std::get_if<Connection>(&binding.held())) key = connection->wire();
  }
  if (!key) {
    raise({.kind = ErrorKind::connection,
           .code = "E0113",
           .port = port,
           .message = "port " + in_quotes(port) + " of " + part->class_name() +
                      " is bound to no key of the model",
           .help = "bind it to the regularised port"});
  }
  if (penalty.terms.empty()) {
    for (const auto& [name, binding] : ports) penalty.ports.push_back(name);
  }
  Wire* output = add_part(composition_, part, bindings);
  give_name(penalty.key_name, output);
  penalty.terms.push_back({part, key, output});
}

void Addition::commit(const std::vector<std::string>& outputs) {
  composition_.facts().settle();
  for (size_t i = keys_; i < model_.keys.size(); ++i) {
    Wire* wire = top(model_.keys[i].wire);
    if (wire->driver || wire->differentiable >= 0) continue;
    save(wire->differentiable);
    wire->differentiable = 0;
  }
  save(model_.canonical_inputs);
  save(model_.canonical_outputs);
  model_.canonical_inputs = inputs_;
  model_.canonical_outputs = outputs_;
  composition_.commit();
  for (const std::string& name : outputs) {
    if (Key* key = name.empty() ? nullptr : model_.find_key(name)) key->exposed = true;
  }
}

}  // namespace mithril
