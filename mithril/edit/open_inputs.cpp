#include "mithril/edit/open_inputs.hpp"

#include <algorithm>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/edit/levels.hpp"
#include "mithril/json/values.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

bool has(const std::vector<const Wire*>& wires, const Wire* wire) {
  return std::find(wires.begin(), wires.end(), wire) != wires.end();
}

std::vector<std::string> needed_by_op(const Model& part) {
  std::vector<std::string> names;
  for (const PortDef& port : part.part()->op->inputs) {
    if (!port.fallback && !has_argument(part, port.name)) names.push_back(port.name);
  }
  return names;
}

// Only tensors of floats that are not declared to be data are trained.
bool may_be_trained(const Wire* wire) {
  return wire->differentiable != 0 &&
         (!wire->type || (find(wire->type)->kinds & kind::float_tensor) != 0);
}

std::vector<std::string> needed_by_model(const Composite& model) {
  const std::vector<NamedPort> ports = input_ports(model);
  std::vector<const Wire*> wires, canonical;
  for (const NamedPort& port : ports) wires.push_back(top(port.wire));
  for (const Wire* wire : open_inputs(model)) canonical.push_back(wire);
  const std::vector<const Wire*> parameters = layer_parameters(model, wires);
  std::vector<std::string> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const bool is_data = model.recipe || !may_be_trained(wires[i]);
    if (has(canonical, wires[i]) || (is_data && !has(parameters, wires[i])))
      names.push_back(ports[i].name);
  }
  return names;
}

bool refuses(const Model& part, const std::string& port, const ShapeSpec& shape) {
  try {
    part.copy().set_shapes({{port, shape}});
    return false;
  } catch (const ShapeError&) {
    return true;
  }
}

}  // namespace

bool is_bound(const Call& call, const std::string& port) {
  return std::any_of(call.bindings.begin(), call.bindings.end(),
                     [&](const auto& binding) { return binding.first == port; });
}

bool has_argument(const Model& part, const std::string& port) {
  if (!part.part()->op) return false;
  const auto& arguments = static_cast<const OpPart&>(*part.part()).arguments;
  return arguments && std::any_of(arguments->begin(), arguments->end(),
                                  [&](const auto& argument) { return argument.first == port; });
}

void refuse_open_inputs(const LevelForm& form, const std::string& id, const Call& call,
                        const EditPlace& place) {
  const Model part(call.part);
  std::vector<std::string> open =
      part.part()->op ? needed_by_op(part) : needed_by_model(*part.composite());
  std::erase_if(open, [&](const std::string& port) {
    return is_bound(call, port) || form.has_end(id, port) || form.has_end(id, port + "_0");
  });
  if (open.empty()) return;
  refuse_edit(
      place.path, "nothing gives " + in_quotes(join(open, "', '")) + " of " + part.class_name(),
      {{"edit", place.edit, ""},
       {"inputs", ports_text(place.part, true), "of " + path(place.part.part().get())},
       {"inputs", ports_text(part, true), "of " + part.class_name()}},
      "bind each in the call to a key or the path of a port, or to a new name, which becomes "
      "an input of the model");
}

bool is_own_parameter(const FormNet& net, const std::string& id, const std::string& port) {
  return net.ends.size() == 1 && net.ends.front().id == id && net.ends.front().port == port &&
         net.keys.size() == 1 && net.keys.front() == net.ends.front().path();
}

void forget_old_parameters(LevelForm& form, const std::string& id, const Model& part) {
  if (part.part()->op) return;
  for (FormNet& net : form.nets) {
    if (net.ends.empty() || !is_own_parameter(net, id, net.ends.front().port)) continue;
    const std::string& port = net.ends.front().port;
    const bool is_another =
        std::any_of(net.facts.begin(), net.facts.end(), [&](const FormFact& fact) {
          return fact.field == "assigned_shapes" &&
                 refuses(part, port, shape_of(fact.fact, Place{}));
        });
    if (is_another) net.facts.clear();
  }
}

}  // namespace mithril
