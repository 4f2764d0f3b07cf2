#include "mithril/models/derivatives.hpp"

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/models/wrapping.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/no_gradient.hpp"

namespace mithril {
namespace {

bool may_be_float(Wire* wire) {
  return wire->type && (find(wire->type)->kinds & kind::float_tensor) != 0;
}

// A gradient passes from the outputs of the op to its inputs. Ops that compile refuses, and those
// that it replaces by what is before them, end the search.
bool passes_gradient(const Part& part) {
  const OpDef& op = *part.op;
  if (op.transform || op.grad == no_gradient) return false;
  return op.grad != nullptr || op.expand != nullptr;
}

// The floats that a gradient of the wire flows to next. A port `like` only gives its shape.
std::vector<Wire*> floats_before(Wire* wire) {
  std::vector<Wire*> before;
  const Part* part = wire->driver;
  if (!part || !passes_gradient(*part)) return before;
  for (size_t slot = 0; slot < part->input_count; ++slot) {
    Wire* const read = part->slots[slot] ? top(part->slots[slot]) : nullptr;
    if (read && part->port_at(slot).name != "like" && may_be_float(read)) before.push_back(read);
  }
  return before;
}

// The result of a loop that only its condition ends: `carried` has pairs, and then the condition.
bool is_unbounded(const Wire* wire) {
  const Part* part = wire->driver;
  return part && part->op->name == "scan_last" && part->count("carried") % 2 == 1;
}

// The first wire that the gradient reaches, and for which `accepts` is true; null: there is none.
Wire* find_before(Wire* from, const std::function<bool(Wire*)>& accepts) {
  std::unordered_set<Wire*> seen{from};
  std::vector<Wire*> open{from};
  while (!open.empty()) {
    Wire* const wire = open.back();
    open.pop_back();
    if (accepts(wire)) return wire;
    for (Wire* before : floats_before(wire)) {
      if (seen.insert(before).second) open.push_back(before);
    }
  }
  return nullptr;
}

[[noreturn]] void refuse_loop(Wire* result, const Connection& of, const Connection& wrt) {
  const std::string loop = path(result->driver->owner);
  raise({.kind = ErrorKind::gradient,
         .code = "E0501",
         .path = loop.empty() ? "While" : loop,
         .message = "no gradient flows through a loop whose number of steps has no bound",
         .facts = {{"of", of.name(), ""},
                   {"wrt", wrt.name(), ""},
                   {"reason", "the gradient keeps values of all steps", ""}},
         .help = "give the most steps: max_steps of While, or end the gradient with StopGradient"});
}

// GradientError E0501 if the gradient of `of` by one of `wrt` flows through a loop whose number of
// steps has no bound. Paths that are not known yet are left to `compile`.
void check_loops_between(const Connection& of, const std::vector<Connection>& wrt) {
  find_before(of.wire(), [&](Wire* wire) {
    if (!is_unbounded(wire)) return false;
    for (const Connection& by : wrt) {
      Wire* const end = by.wire();
      if (wire != end && find_before(wire, [&](Wire* at) { return at == end; }))
        refuse_loop(wire, of, by);
    }
    return false;
  });
}

// Calls `derivative` for each unit vector of the shape of `like`, and stacks the results along the
// axes of `like`, which come first, or last.
template <typename Derivative>
std::vector<Connection> for_units(const Connection& like, const Derivative& derivative, bool last) {
  const Connection unit = apply("unit_of", {like});
  std::vector<Connection> values = derivative(unit);
  values.push_back(unit);
  std::vector<Connection> stacked =
      Model::op("stack_units").apply({Binding(as_bindings(values)), like, last});
  stacked.pop_back();
  return stacked;
}

Binding seed_for(const Connection& of, const std::optional<Binding>& seed) {
  if (!seed) return none;
  const Datum* number = std::get_if<Datum>(&seed->held());
  if (!number || !(number->kind() & kind::number)) return *seed;
  return apply("fill_like", {of, *seed});
}

// sum(gradients[0] * vectors[0]) + sum(gradients[1] * vectors[1]) + ... ShapeError for a vector
// that does not have the shape of its `wrt`: it would be broadcast.
Connection inner_product(const std::vector<Connection>& gradients,
                         const std::vector<Binding>& vectors, const std::vector<Connection>& wrt) {
  std::optional<Connection> total;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Connection vector = apply("same_shape", {vectors[i], wrt[i]});
    const Connection term = (gradients[i] * vector).sum();
    total = total ? *total + term : term;
  }
  return *total;
}

void check_pairs(const char* call, const char* what, size_t wrt, size_t given) {
  if (wrt > 0 && wrt == given) return;
  raise({.kind = ErrorKind::value,
         .code = "E0402",
         .message = std::string(call) + ": " + what + " must match wrt",
         .facts = {{"wrt", std::to_string(wrt), ""}, {what, std::to_string(given), ""}},
         .help = "pass one for each connection of wrt"});
}

void check_output(const Model& part, const std::string& of) {
  const std::vector<std::string> outputs = part.output_keys();
  if (std::find(outputs.begin(), outputs.end(), of) == outputs.end())
    unknown_name(ErrorKind::name, "E0606", "output", of, "", outputs);
}

// NameError E0623 for a key of `wrt` that is an output or a value inside of the model.
void check_inputs(const Model& part, const std::vector<std::string>& wrt) {
  const std::vector<std::string> inputs = part.input_keys();
  const std::shared_ptr<Composite> composite = part.composite();
  for (const std::string& key : wrt) {
    if (std::find(inputs.begin(), inputs.end(), key) != inputs.end()) continue;
    if (!find_port(*composite, key)) continue;
    raise({.kind = ErrorKind::name,
           .code = "E0623",
           .message = "no input matches the pattern " + in_quotes(key) +
                      ": it is a value that is no input of the model",
           .facts = {{"inputs", join(inputs, ", ")}},
           .help = "for a derivative by a value that a model computes, call gradient(), jvp() or "
                   "hvp() with connections"});
  }
}

// TypeError E0147 for a key of `of` or `wrt` that is known to hold no floats. `role`: "of", "wrt".
void check_floats(const char* class_name, const Model& part, const std::string& key,
                  const char* role) {
  const Kinds kinds = find(part.at(key).wire()->type)->kinds;
  if (kinds & kind::float_tensor) return;
  raise({.kind = ErrorKind::type,
         .code = "E0147",
         .path = key,
         .message = std::string(class_name) + ": '" + key + "' has no derivative",
         .facts = {{"needed", "float tensor", ""}, {key, to_string_kinds(kinds), ""}},
         .help = std::string("give a key that holds floats in ") + role + "="});
}

void check_loops(const Model& part, const std::string& of, const std::vector<std::string>& keys) {
  std::vector<Connection> wrt;
  for (const std::string& key : keys) wrt.push_back(part.at(key));
  check_loops_between(part.at(of), wrt);
}

// ShapeError E0148 for an output that is known to be no scalar.
void check_scalar(const char* class_name, const Model& part, const std::string& of) {
  const KnownShape shape = part.at(of).known_shape();
  if (!shape.rank() || shape.rank() == 0) return;
  raise({.kind = ErrorKind::shape,
         .code = "E0148",
         .path = of,
         .message = std::string(class_name) + ": '" + of + "' is not a scalar",
         .facts = {{"needed", "[]", ""}, {of, to_string(shape), ""}},
         .help = "add up its elements, or take the Jacobian of the model"});
}

// The suffixes of ports that a derivative adds, to keys of `wrt` and to `of`.
struct NewPorts {
  std::vector<std::string> of_keys, of_output = {};
};

// NameError E0607 if the model has one of these ports, as the gradient of a gradient has.
void check_free(const char* class_name, const Model& part, const std::string& of,
                const std::vector<std::string>& keys, const NewPorts& added) {
  std::vector<std::string> taken = part.input_keys(), names;
  const std::vector<std::string> outputs = part.output_keys();
  taken.insert(taken.end(), outputs.begin(), outputs.end());
  for (const std::string& key : keys) {
    for (const std::string& suffix : added.of_keys) names.push_back(key + suffix);
  }
  for (const std::string& suffix : added.of_output) names.push_back(of + suffix);
  const auto is_taken = [&](const std::string& name) {
    return std::find(taken.begin(), taken.end(), name) != taken.end();
  };
  const auto found = std::find_if(names.begin(), names.end(), is_taken);
  if (found == names.end()) return;
  raise({.kind = ErrorKind::name,
         .code = "E0607",
         .path = *found,
         .message = std::string(class_name) + ": the model has a port '" + *found + "' already",
         .help = "rename it first, with rename_key(\"" + *found + "\", ...)"});
}

// A model around another one, with its ports. Inputs of `wrt` reach it through a buffer, so that
// paths outside do not count.
struct Wrapped {
  Model model;
  Connection of;
  std::vector<std::string> keys;  // of wrt
  std::vector<Connection> wrt;
};

Wrapped wrap(const char* class_name, const Model& part, const DerivativeOptions& options,
             const NewPorts& added, JacobianMode mode = JacobianMode::reverse) {
  check_output(part, options.of);
  check_inputs(part, options.wrt);
  const std::vector<std::string> inputs = part.input_keys(), outputs = part.output_keys();
  Wrapped wrapped{.model = wrapper_of_class(class_name),
                  .of = {},
                  .keys = keys_matching(options.wrt, inputs, "input"),
                  .wrt = {}};
  check_floats(class_name, part, options.of, "of");
  for (const std::string& key : wrapped.keys) check_floats(class_name, part, key, "wrt");
  if (mode == JacobianMode::reverse) check_loops(part, options.of, wrapped.keys);
  check_free(class_name, part, options.of, wrapped.keys, added);
  const auto is_wrt = [&](const std::string& key) {
    return std::find(wrapped.keys.begin(), wrapped.keys.end(), key) != wrapped.keys.end();
  };
  const std::vector<std::string> cins = names_among(part.cins(), inputs);
  const std::vector<std::string> couts = names_among(part.couts(), outputs);
  Bindings bindings;
  for (const std::string& key : inputs) {
    const Connection outer = wrapped.model[key];
    bindings.emplace_back(key, is_wrt(key) ? apply("buffer", {outer}) : outer);
  }
  for (const std::string& key : outputs) bindings.emplace_back(key, key);
  wrapped.model |= part(bindings);
  for (const std::string& key : wrapped.keys) {
    const auto at = std::find_if(bindings.begin(), bindings.end(),
                                 [&](const auto& bound) { return bound.first == key; });
    wrapped.wrt.push_back(std::get<Connection>(at->second.held()));
    keep_statements(wrapped.model, key, wrapped.wrt.back(), 0);
  }
  wrapped.of = wrapped.model.at(options.of);
  wrapped.model.set_cin(cins).set_cout(couts).expose_keys(outputs);
  return wrapped;
}

// Adds outputs "<key><suffix>".
Model with_outputs(Wrapped wrapped, const std::vector<Connection>& made, const char* suffix) {
  std::vector<std::pair<std::string, Connection>> outputs;
  for (size_t i = 0; i < made.size(); ++i) outputs.emplace_back(wrapped.keys[i] + suffix, made[i]);
  return wrapped.model.expose_keys(outputs);
}

std::vector<Binding> tangents_of(Wrapped& wrapped) {
  std::vector<Binding> tangents;
  for (const std::string& key : wrapped.keys)
    tangents.emplace_back(wrapped.model.add_input(key + ".tangent"));
  return tangents;
}

std::vector<Connection> gradient_of(const Connection& of, const std::vector<Connection>& wrt,
                                    const std::optional<Binding>& seed) {
  return Model::op("gradient_of").apply({of, seed_for(of, seed), Binding(as_bindings(wrt))});
}

}  // namespace

std::vector<Connection> gradient(const Connection& of, const std::vector<Connection>& wrt,
                                 const std::optional<Binding>& seed) {
  check_loops_between(of, wrt);
  return gradient_of(of, wrt, seed);
}

Connection gradient(const Connection& of, const Connection& wrt,
                    const std::optional<Binding>& seed) {
  return gradient(of, std::vector{wrt}, seed).front();
}

// The gradient is linear in its seed, so its gradient with respect to the seed is the product with
// the Jacobian. The elements of the first gradient are not read, so they are not computed, and a
// loop between `wrt` and `of` needs no bound.
Connection jvp(const Connection& of, const std::vector<Connection>& wrt,
               const std::vector<Binding>& tangents) {
  check_pairs("jvp", "tangents", wrt.size(), tangents.size());
  const Connection seed = apply("fill_like", {of, 0.0});
  return gradient(inner_product(gradient_of(of, wrt, seed), tangents, wrt), seed);
}

std::vector<Connection> hvp(const Connection& of, const std::vector<Connection>& wrt,
                            const std::vector<Binding>& vectors) {
  check_pairs("hvp", "vectors", wrt.size(), vectors.size());
  return gradient(inner_product(gradient(of, wrt), vectors, wrt), wrt);
}

std::vector<Connection> jacobian(const Connection& of, const std::vector<Connection>& wrt,
                                 JacobianMode mode) {
  if (mode == JacobianMode::reverse) {
    return for_units(
        of, [&](const Connection& seed) { return gradient(of, wrt, seed); }, false);
  }
  std::vector<Connection> jacobians;
  for (const Connection& by : wrt) {
    const auto derivative = [&](const Connection& tangent) {
      return std::vector{jvp(of, {by}, {tangent})};
    };
    jacobians.push_back(for_units(by, derivative, true).front());
  }
  return jacobians;
}

Connection jacobian(const Connection& of, const Connection& wrt, JacobianMode mode) {
  return jacobian(of, std::vector{wrt}, mode).front();
}

Connection hessian(const Connection& of, const Connection& wrt) {
  return jacobian(gradient(of, wrt), wrt);
}

Model Gradient(const Model& model, const DerivativeOptions& options) {
  check_output(model, options.of);
  NewPorts added{.of_keys = {".grad"}};
  if (model.at(options.of).known_shape().rank() != 0) added.of_output = {".grad"};
  Wrapped wrapped = wrap("Gradient", model, options, added);
  std::optional<Binding> seed;
  if (wrapped.of.known_shape().rank() != 0) seed = wrapped.model.add_input(options.of + ".grad");
  const std::vector<Connection> gradients = gradient(wrapped.of, wrapped.wrt, seed);
  return with_outputs(std::move(wrapped), gradients, ".grad");
}

Model Jvp(const Model& model, const DerivativeOptions& options) {
  Wrapped wrapped =
      wrap("Jvp", model, options, {{".tangent"}, {".tangent"}}, JacobianMode::forward);
  const Connection product = jvp(wrapped.of, wrapped.wrt, tangents_of(wrapped));
  return wrapped.model.expose_keys({{options.of + ".tangent", product}});
}

Model Hvp(const Model& model, const DerivativeOptions& options) {
  check_output(model, options.of);
  check_scalar("Hvp", model, options.of);
  Wrapped wrapped = wrap("Hvp", model, options, {{".tangent", ".hvp"}});
  const std::vector<Connection> products = hvp(wrapped.of, wrapped.wrt, tangents_of(wrapped));
  return with_outputs(std::move(wrapped), products, ".hvp");
}

Model Jacobian(const Model& model, const DerivativeOptions& options, JacobianMode mode) {
  Wrapped wrapped = wrap("Jacobian", model, options, {{".jacobian"}}, mode);
  const std::vector<Connection> jacobians = jacobian(wrapped.of, wrapped.wrt, mode);
  return with_outputs(std::move(wrapped), jacobians, ".jacobian");
}

Model Hessian(const Model& model, const DerivativeOptions& options) {
  check_output(model, options.of);
  check_scalar("Hessian", model, options.of);
  Wrapped wrapped = wrap("Hessian", model, options, {{".hessian"}});
  const std::vector<Connection> gradients = gradient(wrapped.of, wrapped.wrt);
  std::vector<std::pair<std::string, Connection>> blocks;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const std::vector<Connection> row = jacobian(gradients[i], wrapped.wrt);
    for (size_t j = 0; j < row.size(); ++j) {
      const std::string other = i == j ? "" : "." + wrapped.keys[j];
      blocks.emplace_back(wrapped.keys[i] + other + ".hessian", row[j]);
    }
  }
  return wrapped.model.expose_keys(blocks);
}

}  // namespace mithril
