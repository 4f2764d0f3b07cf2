#include "mithril/model/model.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/completion.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/copy.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/share.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

// A model whose parts are its user's.
Composite& extendable(const std::shared_ptr<Composite>& model) {
  refuse_extension(*model, "further parts");
  return open_model(model);
}

// The model in which an application builds: the model of the connections; the larger one for
// several expressions; a new expression without connections.
void collect_roots(const Binding& binding, std::vector<std::shared_ptr<Composite>>& roots) {
  if (const auto* connection = std::get_if<Connection>(&binding.held()))
    roots.push_back(root_of(connection->model()));
  if (const auto* items = std::get_if<std::vector<Binding>>(&binding.held())) {
    for (const Binding& item : *items) collect_roots(item, roots);
  }
}

std::shared_ptr<Composite> home_for(const Bindings& bindings) {
  std::vector<std::shared_ptr<Composite>> roots;
  for (const auto& [port, binding] : bindings) collect_roots(binding, roots);
  std::shared_ptr<Composite> best;
  for (const auto& root : roots) {
    if (!best ||
        (best->expression && (!root->expression || root->parts.size() > best->parts.size())))
      best = root;
  }
  if (best) return best;
  best = new_root();
  best->expression = true;
  return best;
}

[[noreturn]] void refuse_unknown_argument(const OpDef& op, const std::string& name) {
  std::vector<std::string> names;
  for (const PortDef& port : op.inputs) names.push_back(port.name);
  unknown_member(ErrorKind::name, "E0605", op.model_name, "argument", name, "", names);
}

// An int is accepted for a float; a list port accepts lists of its item type.
void check_arguments(const OpDef& op, const Arguments& arguments) {
  for (const auto& [name, datum] : arguments) {
    const auto port = std::find_if(op.inputs.begin(), op.inputs.end(),
                                   [&, &name = name](const PortDef& p) { return p.name == name; });
    if (port == op.inputs.end()) refuse_unknown_argument(op, name);
    const Kinds kinds = op.compiled.ports[static_cast<size_t>(port - op.inputs.begin())].kinds;
    const bool number = datum.kind() == kind::int_value && (kinds & kind::float_value);
    if (port->list || kinds == 0 || (datum.kind() & kinds) || number) continue;
    raise({.kind = ErrorKind::type,
           .code = "E0304",
           .message = op.model_name + ": argument " + in_quotes(name) + " has the wrong kind",
           .facts = {{"expected", to_string_kinds(kinds), ""},
                     {"got", to_string(datum), to_string_kinds(datum.kind())}}});
  }
}

}  // namespace

Model::Model() : part_(new_root()) {}
Model::Model(std::string name) : part_(new_root()) { part_->give_name(std::move(name)); }
Model::Model(const Model& other) = default;
Model::Model(Model&& other) noexcept = default;
Model& Model::operator=(const Model& other) = default;
Model& Model::operator=(Model&& other) noexcept = default;
Model::~Model() = default;

Model Model::op(std::string_view name, Arguments arguments) {
  auto part = std::make_shared<OpPart>();
  part->op = &find_op(name);
  check_arguments(*part->op, arguments);
  if (!arguments.empty()) part->arguments = std::make_unique<const Arguments>(std::move(arguments));
  return Model(std::move(part));
}

Call Model::operator()(Bindings bindings) const { return connect(std::move(bindings)); }

Call Model::connect(Bindings bindings) const {
  std::optional<Completed> completed;
  if (!part_->op) completed.emplace(static_cast<Composite&>(*part_));
  check_ports(*part_, bindings);
  return {part_, std::move(bindings)};
}

Model Model::create(const std::vector<std::pair<std::string, Connection>>& outputs,
                    std::string name) {
  std::vector<Connection> connections;
  for (const auto& [key, connection] : outputs) connections.push_back(connection);
  const auto [root, copies] = copy_of(connections);
  std::vector<std::pair<std::string, Connection>> made;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Connection& copy = copies[i];
    const bool input = !copy.wire()->driver && !is_valued(copy.wire());
    // An input has a name already, so that the output is a copy of it.
    made.emplace_back(outputs[i].first, input ? mithril::apply("buffer", {copy}) : copy);
  }
  Model model{std::shared_ptr<Part>(root)};
  model.expose_keys(made);
  if (!name.empty()) root->give_name(std::move(name));
  return model;
}

std::shared_ptr<Composite> Model::composite() const {
  if (!part_->op) return std::static_pointer_cast<Composite>(part_);
  if (part_->owner) return root_of(static_cast<Composite*>(part_->owner)->shared_from_this());
  // An op on its own: a model with the op's ports.
  auto wrapped = std::make_shared<OpPart>();
  wrapped->op = part_->op;
  const OpPart& part = static_cast<const OpPart&>(*part_);
  if (part.arguments) wrapped->arguments = std::make_unique<const Arguments>(*part.arguments);
  auto root = new_root(part_->class_name());
  root->give_name(part_->given_name());
  root->by_recipe = true;
  Bindings bindings;
  for (size_t i = 0; i < part_->op->port_count(); ++i) {
    const PortDef& port = part_->op->port(i);
    const bool valued =
        part.arguments &&
        std::any_of(part.arguments->begin(), part.arguments->end(),
                    [&](const auto& argument) { return argument.first == port.name; });
    if (!port.list && !valued && !port.fallback) bindings.emplace_back(port.name, port.name);
  }
  Composition composition(*root);
  composition.add(wrapped, bindings, false);
  composition.commit();
  root->set_recipe(Note(part_->op->model_name), part.arguments ? *part.arguments : Arguments{});
  return root;
}

std::shared_ptr<Composite> Model::changing() {
  const std::shared_ptr<Composite> model = composite();
  if (part_->op && !part_->owner) part_ = model;
  return model;
}

std::vector<std::string> Model::call_order() const {
  std::vector<std::string> ports;
  if (part_->op) {
    for (const PortDef& port : part_->op->inputs) ports.push_back(port.name);
  } else {
    const Composite& composite = static_cast<const Composite&>(*part_);
    for (Wire* wire : open_inputs(composite)) ports.push_back(wire_name(wire));
    for (std::string& key : input_keys()) {
      if (std::find(ports.begin(), ports.end(), key) == ports.end())
        ports.push_back(std::move(key));
    }
  }
  return ports;
}

Call::operator Connection() const { return Model(part).apply(bindings).front(); }

Binding::Binding(const Call& call) : held_(Connection(call)) {}

std::vector<Connection> Model::apply(const std::vector<Binding>& operands) const {
  const std::vector<std::string> ports = call_order();
  if (operands.size() > ports.size()) {
    raise({.kind = ErrorKind::connection,
           .code = "E0110",
           .path = path(part_.get()),
           .message = part_->class_name() + " takes " + std::to_string(ports.size()) +
                      " inputs, not " + std::to_string(operands.size())});
  }
  Bindings inputs;
  for (size_t i = 0; i < operands.size(); ++i) inputs.emplace_back(ports[i], operands[i]);
  return apply(inputs);
}

std::vector<Connection> Model::apply(const Bindings& given) const {
  const Bindings inputs = with_shared_inputs(*part_, given);
  const std::shared_ptr<Composite> home = home_for(inputs);
  Composition composition(extendable(home));
  std::vector<std::string> keys;
  if (!part_->op) keys = output_keys();
  composition.add(part_, inputs, false);
  std::vector<Connection> outputs;
  outputs.reserve(part_->op ? part_->output_slots().size() : keys.size());
  composition.commit();
  // Nothing below throws.
  if (part_->op) {
    for (Wire* wire : part_->output_slots()) outputs.emplace_back(home, top(wire));
    return outputs;
  }
  Composite& composite = static_cast<Composite&>(*part_);
  for (const std::string& key : keys) {
    Wire* wire = composite.find_wire(key);
    outputs.emplace_back(home, wire ? wire : top(composite.canonical_outputs.front().wire));
  }
  return outputs;
}

Model& Model::operator|=(const Connection& expression) {
  Composition composition(extendable(changing()));
  composition.wire_for(expression);
  composition.commit();
  return *this;
}

Model& Model::operator|=(const Call& call) {
  Composition composition(extendable(changing()));
  composition.add(call.part, call.bindings, false);
  composition.commit();
  return *this;
}

Model& Model::operator|=(const Model& part) { return *this |= Call{part.part_, {}}; }

Model& Model::operator+=(const Model& part) { return *this += Call{part.part_, {}}; }

Model& Model::operator+=(const Call& call) {
  Composition composition(extendable(changing()));
  composition.add(call.part, call.bindings, true);
  composition.commit();
  return *this;
}

Model Model::copy() const {
  if (!part_->op) return Model(std::static_pointer_cast<Part>(copy_of(composite())));
  const OpPart& from = static_cast<const OpPart&>(*part_);
  Arguments arguments;
  if (from.arguments) arguments = *from.arguments;
  for (size_t slot = 0; slot < from.input_count; ++slot) {
    const PortDef& port = from.port_at(slot);
    const Wire* wire = from.slots[slot] ? top(from.slots[slot]) : nullptr;
    const DatumVariable* value = wire && wire->value ? find(wire->value) : nullptr;
    const bool is_given =
        std::any_of(arguments.begin(), arguments.end(),
                    [&](const auto& argument) { return argument.first == port.name; });
    if (value && value->known && !port.list && !is_given && !is_symbolic(value->datum))
      arguments.emplace_back(port.name, value->datum);
  }
  auto part = std::make_shared<OpPart>();
  part->op = from.op;
  if (!arguments.empty()) part->arguments = std::make_unique<const Arguments>(std::move(arguments));
  part->give_name(from.given_name());
  return Model(std::move(part));
}

Model standalone(const Model& model) { return model.part()->owner ? model.copy() : model; }

Model Model::shared() const {
  Model made = copy();
  const std::shared_ptr<Part> first = part_->original();
  made.part_->share_with(first ? first : part_);
  return made;
}

Model Model::named(std::string name) {
  if (part_->owner) {
    raise({.kind = ErrorKind::connection,
           .code = "E0119",
           .path = path(part_.get()),
           .message = "a part keeps the name with which it was added",
           .help = "name it before: model |= part.named(" + in_quotes(name) + ")"});
  }
  part_->give_name(std::move(name));
  return *this;
}

const std::string& Model::name() const { return part_->given_name(); }
std::string Model::class_name() const { return part_->class_name(); }

}  // namespace mithril
