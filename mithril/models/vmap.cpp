#include "mithril/models/vmap.hpp"

#include <algorithm>
#include <map>

#include "mithril/base/error.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/models/nested_states.hpp"
#include "mithril/models/wrapping.hpp"

namespace mithril {
namespace {

using Axes = std::map<std::string, std::int64_t>;  // by key

// An exact name counts before a pattern. ValueError E0476 for two patterns that disagree.
void add_axes(Axes& axes, const std::vector<std::pair<std::string, std::int64_t>>& given,
              const std::vector<std::string>& keys, const char* what) {
  const auto is_named = [&](const std::string& key) {
    return std::any_of(given.begin(), given.end(),
                       [&](const auto& each) { return each.first == key; });
  };
  for (const auto& [pattern, axis] : given) {
    for (const std::string& key : keys_matching({pattern}, keys, what)) {
      if (pattern != key && is_named(key)) continue;
      const auto [at, is_new] = axes.emplace(key, axis);
      if (is_new || at->second == axis) continue;
      raise(
          {.kind = ErrorKind::value,
           .code = "E0476",
           .message = "vmap: two patterns give '" + key + "' different axes",
           .facts = {{"one", std::to_string(at->second), ""}, {"other", std::to_string(axis), ""}},
           .help = "name the key itself"});
    }
  }
}

// The inputs that are parameters of layers.
std::vector<std::string> parameter_keys(const Model& model) {
  const std::shared_ptr<Composite> composite = model.composite();
  const std::vector<NamedPort> ports = input_ports(*composite);
  std::vector<const Wire*> wires;
  for (const NamedPort& port : ports) wires.push_back(top(port.wire));
  const std::vector<const Wire*> found = layer_parameters(*composite, wires);
  std::vector<std::string> keys;
  for (const NamedPort& port : ports) {
    if (std::find(found.begin(), found.end(), top(port.wire)) != found.end())
      keys.push_back(port.name);
  }
  return keys;
}

Axes axes_of_inputs(const Model& model, const std::vector<std::string>& parameters,
                    const VmapOptions& options) {
  Axes axes;
  add_axes(axes, options.in_axes, model.input_keys(), "input");
  for (const std::string& key : parameters) {
    const auto at = axes.find(key);
    if (at == axes.end() || at->second == 0) continue;
    raise({.kind = ErrorKind::value,
           .code = "E0476",
           .message = "vmap: a parameter has the new axis first",
           .facts = {{key, "axis " + std::to_string(at->second), ""}},
           .help = "name it in params, or give axis 0"});
  }
  for (const std::string& key : keys_matching(options.params, parameters, "parameter"))
    axes.emplace(key, 0);
  if (axes.empty()) {
    raise({.kind = ErrorKind::value,
           .code = "E0476",
           .message = "vmap: no input has the new axis",
           .help = "name inputs in in_axes, or parameters in params"});
  }
  return axes;
}

std::string row_name(const std::string& key) { return key + ".row"; }

}  // namespace

Model vmap(const Model& model, const VmapOptions& options) {
  refuse_part(model);
  if (options.size && *options.size < 0) {
    raise({.kind = ErrorKind::value,
           .code = "E0476",
           .message = "vmap: size is " + std::to_string(*options.size),
           .help = "give the number of indices of the new axis, 0 or more"});
  }
  const std::vector<std::string> parameters = parameter_keys(model);
  const Axes in_axes = axes_of_inputs(model, parameters, options);
  const std::vector<std::string> inputs = model.input_keys(), outputs = model.output_keys();
  const std::vector<std::string> cins = names_among(model.cins(), inputs);
  const std::vector<std::string> couts = names_among(model.couts(), outputs);
  Axes out_axes;
  add_axes(out_axes, options.out_axes, outputs, "output");
  Model mapped = wrapper_of_class("Vmap");
  const auto& [first, first_axis] = *in_axes.begin();
  const Binding size = options.size ? Binding(Datum(*options.size))
                                    : Binding(apply("size", {mapped[first], first_axis}));
  Bindings bindings;
  std::vector<Connection> values, rows;
  std::vector<std::string> row_keys;
  for (const std::string& key : inputs) {
    const Connection outer = mapped[key];
    const auto axis = in_axes.find(key);
    if (axis == in_axes.end()) {
      bindings.emplace_back(key, outer);
      continue;
    }
    rows.push_back(apply("row_of", {outer, axis->second, size}));
    row_keys.push_back(key);
    bindings.emplace_back(key, rows.back());
  }
  const RowStates states(mapped, model, row_keys, size, bindings);
  for (const std::string& key : outputs) bindings.emplace_back(key, row_name(key));
  mapped |= model(bindings);
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool is_parameter =
        std::find(parameters.begin(), parameters.end(), row_keys[i]) != parameters.end();
    keep_statements(mapped, row_keys[i], rows[i], is_parameter ? 1 : 0);
  }
  Tuple axes;
  for (const std::string& key : outputs) {
    values.push_back(mapped.at(row_name(key)));
    const auto axis = out_axes.find(key);
    axes.push_back(Datum(axis == out_axes.end() ? 0 : axis->second));
  }
  const std::vector<Connection> nexts = states.nexts(), states_of_row = states.rows();
  rows.insert(rows.end(), states_of_row.begin(), states_of_row.end());
  values.insert(values.end(), nexts.begin(), nexts.end());
  values.insert(values.end(), rows.begin(), rows.end());
  axes.resize(values.size(), Datum(0));
  const std::vector<Connection> stacked =
      Model::op("stack_rows")
          .apply({Binding(as_bindings(values)), Datum(axes), static_cast<std::int64_t>(rows.size()),
                  size});
  std::vector<std::pair<std::string, Connection>> named;
  for (size_t i = 0; i < outputs.size(); ++i) named.emplace_back(outputs[i], stacked[i]);
  mapped.expose_keys(named);
  const auto first_next = stacked.begin() + static_cast<std::ptrdiff_t>(outputs.size());
  states.bind({first_next, first_next + static_cast<std::ptrdiff_t>(states.count())});
  return mapped.set_cin(cins).set_cout(couts);
}

}  // namespace mithril
