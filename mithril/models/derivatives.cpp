#include "mithril/models/derivatives.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/key_patterns.hpp"
#include "mithril/base/names.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

std::vector<std::string> names_of(const std::vector<Connection>& connections) {
  std::vector<std::string> names;
  for (const Connection& connection : connections) names.push_back(connection.name());
  return names;
}

std::vector<Binding> as_bindings(const std::vector<Connection>& connections) {
  return {connections.begin(), connections.end()};
}

Binding seed_for(const Connection& of, const std::optional<Binding>& seed) {
  if (!seed) return none;
  const Datum* number = std::get_if<Datum>(&seed->held());
  if (!number || !(number->kind() & kind::number)) return *seed;
  return apply("fill_like", {of, *seed});
}

// sum(a[0] * b[0]) + sum(a[1] * b[1]) + ...
Connection inner_product(const std::vector<Connection>& a, const std::vector<Binding>& b) {
  std::optional<Connection> total;
  for (size_t i = 0; i < a.size(); ++i) {
    const Connection term = (a[i] * b[i]).sum();
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

// The inputs that keys and patterns name, in the order of the patterns.
std::vector<std::string> inputs_named(const std::vector<std::string>& patterns,
                                      const std::vector<std::string>& inputs) {
  std::vector<std::string> found;
  for (const std::string& pattern : patterns) {
    check_pattern(pattern, inputs, "input");
    for (const std::string& input : inputs) {
      const bool is_new = std::find(found.begin(), found.end(), input) == found.end();
      if (is_new && matches(pattern, input)) found.push_back(input);
    }
  }
  return found;
}

// A model around another one, with its ports. Inputs of `wrt` reach it through a buffer, so that
// paths outside do not count.
struct Wrapped {
  Model model;
  Connection of;
  std::vector<std::string> keys;  // of wrt
  std::vector<Connection> wrt;
};

// The key has the first values of the input that reads it through the buffer.
void keep_initializer(Model& model, const std::string& key, const Connection& buffered) {
  const std::shared_ptr<Composite> composite = model.composite();
  if (!composite->extras) return;
  const Wire* inner = top(buffered.wire());
  for (const WireDistribution& given : composite->extras->distributions) {
    if (top(given.wire) != inner) continue;
    Initializer initializer = given.initializer;
    if (given.fan_of) initializer.fan_of = wire_name(top(given.fan_of));
    return void(model.set_initializer(key, initializer));
  }
}

Wrapped wrap(const char* class_name, const Model& part, const DerivativeOptions& options) {
  const std::vector<std::string> inputs = part.input_keys(), outputs = part.output_keys();
  if (std::find(outputs.begin(), outputs.end(), options.of) == outputs.end())
    unknown_name(ErrorKind::name, "E0606", "output", options.of, "", outputs);
  Wrapped wrapped{.model = model_of_class(class_name),
                  .of = {},
                  .keys = inputs_named(options.wrt, inputs),
                  .wrt = {}};
  const auto is_wrt = [&](const std::string& key) {
    return std::find(wrapped.keys.begin(), wrapped.keys.end(), key) != wrapped.keys.end();
  };
  const std::vector<std::string> cins = names_of(part.cins()), couts = names_of(part.couts());
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
    keep_initializer(wrapped.model, key, wrapped.wrt.back());
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

}  // namespace

std::vector<Connection> gradient(const Connection& of, const std::vector<Connection>& wrt,
                                 const std::optional<Binding>& seed) {
  return Model::op("gradient_of").apply({of, seed_for(of, seed), Binding(as_bindings(wrt))});
}

Connection gradient(const Connection& of, const Connection& wrt,
                    const std::optional<Binding>& seed) {
  return gradient(of, std::vector{wrt}, seed).front();
}

// The gradient is linear in its seed, so its derivative by the seed is the product with the
// Jacobian. The nodes of the gradient itself are not read.
Connection jvp(const Connection& of, const std::vector<Connection>& wrt,
               const std::vector<Binding>& tangents) {
  check_pairs("jvp", "tangents", wrt.size(), tangents.size());
  const Connection seed = apply("fill_like", {of, 0.0});
  return gradient(inner_product(gradient(of, wrt, seed), tangents), seed);
}

std::vector<Connection> hvp(const Connection& of, const std::vector<Connection>& wrt,
                            const std::vector<Binding>& vectors) {
  check_pairs("hvp", "vectors", wrt.size(), vectors.size());
  return gradient(inner_product(gradient(of, wrt), vectors), wrt);
}

Model Gradient(const Model& model, const DerivativeOptions& options) {
  Wrapped wrapped = wrap("Gradient", model, options);
  std::optional<Binding> seed;
  if (wrapped.of.known_shape().rank() != 0) seed = wrapped.model.add_input(options.of + ".grad");
  const std::vector<Connection> gradients = gradient(wrapped.of, wrapped.wrt, seed);
  return with_outputs(std::move(wrapped), gradients, ".grad");
}

Model Jvp(const Model& model, const DerivativeOptions& options) {
  Wrapped wrapped = wrap("Jvp", model, options);
  const Connection product = jvp(wrapped.of, wrapped.wrt, tangents_of(wrapped));
  return wrapped.model.expose_keys({{options.of + ".tangent", product}});
}

Model Hvp(const Model& model, const DerivativeOptions& options) {
  Wrapped wrapped = wrap("Hvp", model, options);
  const std::vector<Connection> products = hvp(wrapped.of, wrapped.wrt, tangents_of(wrapped));
  return with_outputs(std::move(wrapped), products, ".hvp");
}

}  // namespace mithril
