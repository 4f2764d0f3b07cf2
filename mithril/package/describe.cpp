#include "mithril/package/describe.hpp"

#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/compile/key_classes.hpp"
#include "mithril/compile/signature.hpp"
#include "mithril/model/completion.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/keys.hpp"

namespace mithril {
namespace {

// The width of floats that nothing else decides: that of the parameters.
DType default_dtype_of(const TensorMap& params) {
  const auto is_double = [](const TensorMap::Item& item) {
    return item.tensor().dtype() == DType::float64;
  };
  return std::any_of(params.begin(), params.end(), is_double) ? DType::float64 : DType::float32;
}

// Collects what does not fit, so that one error lists all of it.
class Fitting {
 public:
  explicit Fitting(const Graph& graph, const std::vector<InputKey>& keys)
      : signature_(graph, labels(keys)) {}

  void check(std::size_t input, const std::string& key, const Tensor& tensor) {
    const std::string why = signature_.mismatch(input, tensor);
    if (!why.empty()) facts_.push_back({quoted(key), why, ""});
  }
  void missing(const std::string& key) { facts_.push_back({"missing", quoted(key), ""}); }
  void refuse_unknown(const TensorMap& given, const std::vector<std::string>& known,
                      const char* what) {
    for (const auto& [key, tensor] : given) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      facts_.push_back({"unknown", std::string(what) + " " + quoted(key), ""});
      if (help_.empty()) help_ = did_you_mean(key, known);
    }
  }
  void require() const {
    if (facts_.empty()) return;
    constexpr std::size_t most = 20;
    std::vector<Fact> shown(facts_.begin(), facts_.begin() + std::min(most, facts_.size()));
    if (facts_.size() > most)
      shown.push_back({"and", std::to_string(facts_.size() - most) + " more", ""});
    raise({.kind = ErrorKind::input,
           .code = "E0862",
           .message = "save_package: the parameters are not those of the model",
           .facts = std::move(shown),
           .help = help_.empty() ? "list inputs that are not parameters in data_keys" : help_});
  }

 private:
  static std::vector<std::string> labels(const std::vector<InputKey>& keys) {
    std::vector<std::string> quoted_keys;
    for (const InputKey& key : keys) quoted_keys.push_back(quoted(key.key));
    return quoted_keys;
  }

  Signature signature_;
  std::vector<Fact> facts_;
  std::string help_;
};

}  // namespace

ModelPorts describe_ports(const Model& model, const TensorMap& params, const State& state,
                          const std::vector<std::string>& data_keys) {
  const std::shared_ptr<Composite> composite = model.composite();
  Composite& root = open_model(composite);
  Composition composition(root);  // never committed: its destructor undoes the completion
  complete(composition);
  CompileOptions options;
  options.data_keys.assign(data_keys.begin(), data_keys.end());
  const KeySets sets(root, options);
  const FlatModel flat =
      flatten(Model(std::static_pointer_cast<Part>(composite)), default_dtype_of(params));
  const std::vector<NamedPort> outputs = output_ports(root);
  sets.check_placed(flat, outputs);
  const std::vector<InputKey> keys = classify(root, flat, sets);

  ModelPorts ports;
  UnknownNumbers unknowns;
  const auto port_of = [&](const std::string& name, const Value& value) {
    PackagePort port{.name = name, .dtype = value.dtype};
    if (value.ranked) port.shape = to_known(value.dims, unknowns);
    return port;
  };
  Fitting fitting(flat.graph, keys);
  std::vector<std::string> known_params, known_states;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const InputKey& key = keys[i];
    const bool is_state = key.key_class == KeyClass::state;
    (is_state ? known_states : known_params).push_back(key.key);
    const Tensor* given = is_state ? state.find(key.key) : params.find(key.key);
    if (given) {
      fitting.check(i, key.key, *given);
    } else if (key.key_class == KeyClass::parameter) {
      fitting.missing(key.key);
    } else if (!is_state) {
      ports.inputs.push_back(port_of(key.key, flat.graph.value(flat.graph.inputs()[i])));
    }
  }
  fitting.refuse_unknown(params, known_params, "parameter");
  fitting.refuse_unknown(state, known_states, "state");
  fitting.require();
  for (const Output& output : flat.graph.outputs()) {
    const auto is_it = [&](const NamedPort& port) { return port.name == output.name; };
    if (std::any_of(outputs.begin(), outputs.end(), is_it))
      ports.outputs.push_back(port_of(output.name, flat.graph.value(output.value)));
  }
  return ports;
}

}  // namespace mithril
