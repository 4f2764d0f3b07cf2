#include "mithril/package/native_model.hpp"

#include <map>
#include <utility>

#include "mithril/compile/compiled_state.hpp"

namespace mithril {
namespace {

// Makes values of ports. Equal names of sizes are one symbol.
class PortValues {
 public:
  explicit PortValues(Facts& facts) : facts_(facts) {}

  Value operator()(const PackagePort& port) {
    Value value{.name = port.name, .dtype = port.dtype};
    value.ranked = port.shape && !port.shape->has_run();
    if (!value.ranked) return value;
    for (const KnownDim& dim : port.shape->head())
      value.dims.push_back(dim.number() ? Dim(*dim.number()) : symbol(dim));
    return value;
  }

 private:
  Dim symbol(const KnownDim& dim) {
    const std::string name = to_string(dim);
    const auto [at, is_new] = symbols_.try_emplace(name);
    if (is_new) at->second = Dim(facts_.symbol(dim.has_name() ? name : ""));
    return at->second;
  }

  Facts& facts_;
  std::map<std::string, Dim> symbols_;
};

void add_shape(CompiledState& compiled, const PackagePort& port) {
  if (port.shape) compiled.shapes.emplace_back(port.name, *port.shape);
}

}  // namespace

CompiledModel native_model(const PackageInfo& info, std::int64_t bytes,
                           std::shared_ptr<Backend> backend, const LoadNative& load) {
  auto compiled = std::make_shared<CompiledModel::Impl>();
  compiled->mode = Mode::inference;
  compiled->inference = true;
  compiled->native_code_bytes = bytes;
  Graph ports;
  PortValues value_of(*ports.facts());
  for (const PackagePort& port : info.inputs) {
    ports.add_input(value_of(port));
    compiled->data.push_back({port.name, compiled->inputs.size()});
    compiled->inputs.push_back({.key = port.name, .path = port.name});
    add_shape(*compiled, port);
  }
  for (const PackagePort& port : info.outputs) {
    Value value = value_of(port);
    compiled->output_texts.push_back(value.ranked ? to_string(value.dims) : "[...]");
    compiled->outputs.push_back({port.name, compiled->outputs.size()});
    ports.add_output(port.name, ports.add_value(std::move(value)));
    add_shape(*compiled, port);
  }
  compiled->take_forward({Signature(ports, compiled->input_labels()), load(ports)});
  compiled->backend = std::move(backend);
  compiled->source = ports;
  compiled->graph = std::move(ports);
  return CompiledModel(std::move(compiled));
}

}  // namespace mithril
