#include "mithril/package/describe.hpp"

#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/compile/assemble.hpp"
#include "mithril/compile/compose.hpp"
#include "mithril/compile/signature.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/passes.hpp"

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
    if (!why.empty()) facts_.push_back({in_quotes(key), why, ""});
  }
  void missing(const std::string& key) { facts_.push_back({"missing", in_quotes(key), ""}); }
  void refuse_unknown(const TensorMap& given, const std::vector<std::string>& known,
                      const char* what) {
    for (const auto& [key, tensor] : given) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      facts_.push_back({"unknown", std::string(what) + " " + in_quotes(key), ""});
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
    for (const InputKey& key : keys) quoted_keys.push_back(in_quotes(key.key));
    return quoted_keys;
  }

  Signature signature_;
  std::vector<Fact> facts_;
  std::string help_;
};

bool has_spelling(const OpDef& op, std::string_view target) {
  const Spelling* spelling = op.spelling(target);
  return spelling && !spelling->text.starts_with("unsupported:");
}

// The CPU backend evaluates every op, and the torch backend calls it for what torch lacks.
std::vector<std::string> backends_with_all_ops(const Graph& composed) {
  const Graph graph = expand_ops(composed);
  const auto all_have = [&](const auto& has) {
    return std::all_of(graph.nodes().begin(), graph.nodes().end(),
                       [&](const Node& node) { return has(*node.op); });
  };
  std::vector<std::string> backends;
  if (all_have([](const OpDef& op) { return op.eval != nullptr; })) backends.emplace_back("cpu");
  if (all_have([](const OpDef& op) { return op.spelling("torch") || op.eval; }))
    backends.emplace_back("torch");
  if (all_have([](const OpDef& op) { return has_spelling(op, "jax"); }))
    backends.emplace_back("jax");
  return backends;
}

}  // namespace

ModelPorts describe_ports(const Model& model, const TensorMap& params, const State& state,
                          const SavePackageOptions& options) {
  const std::shared_ptr<Composite> composite = standalone(model).composite();
  CompileOptions compiling;
  compiling.data_keys.assign(options.data_keys.begin(), options.data_keys.end());
  compiling.outputs.assign(options.outputs.begin(), options.outputs.end());
  const FlatComposition composed =
      compose(open_model(composite), default_dtype_of(params), compiling, nullptr);
  const ModeGraph mode_graph = settle(composed, Mode::inference);

  ModelPorts ports{.backends = backends_with_all_ops(mode_graph.graph)};
  UnknownNumbers unknowns;
  const auto port_of = [&](const std::string& name, const Value& value) {
    PackagePort port{.name = name, .dtype = value.dtype};
    if (value.ranked) port.shape = to_known(value.dims, unknowns);
    return port;
  };
  Fitting fitting(composed.graph, composed.inputs);
  std::vector<std::string> known_params, known_states;
  for (std::size_t i = 0; i < composed.inputs.size(); ++i) {
    const InputKey& key = composed.inputs[i];
    const auto is_it = [&](const InputKey& other) { return other.path == key.path; };
    const bool is_needed = std::any_of(mode_graph.inputs.begin(), mode_graph.inputs.end(), is_it);
    const bool is_state = key.key_class == KeyClass::state;
    (is_state ? known_states : known_params).push_back(key.key);
    const Tensor* given = is_state ? state.find(key.key) : params.find(key.key);
    if (given) fitting.check(i, key.key, *given);
    if (given && !is_needed && !is_state) ports.spare_parameters.push_back(key.key);
    if (given || !is_needed) continue;
    if (key.key_class == KeyClass::parameter) {
      fitting.missing(key.key);
    } else if (!is_state) {
      ports.inputs.push_back(port_of(key.key, composed.graph.value(composed.graph.inputs()[i])));
    }
  }
  for (const InputKey& key : composed.spare) {
    const bool is_state = key.key_class == KeyClass::state;
    (is_state ? known_states : known_params).push_back(key.key);
    if (!is_state && params.contains(key.key)) ports.spare_parameters.push_back(key.key);
  }
  fitting.refuse_unknown(params, known_params, "parameter");
  fitting.refuse_unknown(state, known_states, "state");
  fitting.require();
  for (const Output& output : composed.graph.outputs()) {
    const auto& names = mode_graph.outputs;
    if (std::find(names.begin(), names.end(), output.name) != names.end())
      ports.outputs.push_back(port_of(output.name, composed.graph.value(output.value)));
  }
  return ports;
}

}  // namespace mithril
