#include "mithril/models/vmap.hpp"

#include <algorithm>
#include <map>

#include "mithril/base/error.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/models/wrapping.hpp"

namespace mithril {
namespace {

using Axes = std::map<std::string, std::int64_t>;  // by key

void add_axes(Axes& axes, const std::vector<std::pair<std::string, std::int64_t>>& given,
              const std::vector<std::string>& keys, const char* what) {
  for (const auto& [pattern, axis] : given) {
    for (const std::string& key : keys_matching({pattern}, keys, what)) axes[key] = axis;
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

Axes axes_of_inputs(const Model& model, const VmapOptions& options) {
  Axes axes;
  add_axes(axes, options.in_axes, model.input_keys(), "input");
  for (const std::string& key : keys_matching(options.params, parameter_keys(model), "parameter"))
    axes[key] = 0;
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
  const Axes in_axes = axes_of_inputs(model, options);
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
  for (const std::string& key : outputs) bindings.emplace_back(key, row_name(key));
  mapped |= model(bindings);
  for (size_t i = 0; i < rows.size(); ++i)
    keep_initializer(mapped, row_keys[i], rows[i], in_axes.at(row_keys[i]) == 0 ? 1 : 0);
  Tuple axes;
  for (const std::string& key : outputs) {
    values.push_back(mapped.at(row_name(key)));
    const auto axis = out_axes.find(key);
    axes.push_back(Datum(axis == out_axes.end() ? 0 : axis->second));
  }
  axes.resize(outputs.size() + rows.size(), Datum(0));
  values.insert(values.end(), rows.begin(), rows.end());
  const std::vector<Connection> stacked =
      Model::op("stack_rows")
          .apply({Binding(as_bindings(values)), Datum(axes), static_cast<std::int64_t>(rows.size()),
                  size});
  std::vector<std::pair<std::string, Connection>> named;
  for (size_t i = 0; i < outputs.size(); ++i) named.emplace_back(outputs[i], stacked[i]);
  mapped.expose_keys(named);
  return mapped.set_cin(cins).set_cout(couts);
}

}  // namespace mithril
