#include "mithril/passes/mix_precision.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "mithril/graph/infer_node.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

class PrecisionMixing {
 public:
  PrecisionMixing(const Graph& graph, const MixPrecisionOptions& options)
      : from_(graph),
        lower_(options.lower),
        rebuilder_(graph),
        of_parameters_(graph.values().size()) {
    for (size_t i = 0; i < options.parameters.size(); ++i) {
      of_parameters_[index(graph.inputs()[i])] = options.parameters[i];
    }
  }

  Graph run() {
    for (const Node& node : from_.nodes()) mix(node);
    for (const Output& output : from_.outputs()) {
      const ValueId now = rebuilder_.map(output.value);
      rebuilder_.replace(output.value, cast(now, from_.value(output.value).dtype));
    }
    return rebuilder_.finish();
  }

 private:
  void mix(const Node& node) {
    Node mapped = rebuilder_.map_arguments(node);
    if (const std::optional<DType> wanted = target(node, mapped)) {
      for (Argument& argument : mapped.arguments) {
        if (const ValueId* id = float_tensor(argument)) argument = cast(*id, *wanted);
      }
    }
    for (const ValueId id : node.outputs) of_parameters_[index(id)] = is_of_parameters(node);
    const std::vector<DType> dtypes = output_dtypes(mapped, node.outputs.size());
    rebuilder_.add(std::move(mapped), node.outputs);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      Value value = from_.value(node.outputs[i]);
      if (!is_floating(value.dtype)) continue;
      value.dtype = dtypes[i];
      rebuilder_.graph().restate(rebuilder_.map(node.outputs[i]), std::move(value));
    }
  }

  // The dtypes of the float outputs.
  std::vector<DType> output_dtypes(const Node& mapped, size_t count) const {
    const Graph& graph = rebuilder_.graph();
    std::vector<DType> dtypes;
    for (size_t i = 0; i < count; ++i) {
      dtypes.push_back(mapped.op->mirrors_list() ? mirrored_dtype(graph, mapped, i)
                                                 : output_dtype(graph, mapped, kind::float_tensor));
    }
    return dtypes;
  }

  // The dtype to which the float inputs of the node are cast; none without float inputs.
  std::optional<DType> target(const Node& node, const Node& mapped) const {
    std::optional<DType> widest, widest_computed;
    for (size_t i = 0; i < mapped.arguments.size(); ++i) {
      const ValueId* id = float_tensor(mapped.arguments[i]);
      if (!id) continue;
      const DType dtype = rebuilder_.graph().value(*id).dtype;
      widest = widest ? promote(*widest, dtype) : dtype;
      if (of_parameters_[index(*tensor_of(node.arguments[i]))]) continue;
      widest_computed = widest_computed ? promote(*widest_computed, dtype) : dtype;
    }
    if (node.op->transform) return std::nullopt;
    if (!widest || widest == DType::float64) return widest;
    if (node.op->cast == CastPolicy::lower) return lower_;
    if (node.op->cast == CastPolicy::float32) return DType::float32;
    return widest_computed ? widest_computed : widest;
  }

  const ValueId* float_tensor(const Argument& argument) const {
    const ValueId* id = tensor_of(argument);
    return id && is_floating(rebuilder_.graph().value(*id).dtype) ? id : nullptr;
  }

  // A dtype that the node was given is kept.
  bool is_of_parameters(const Node& node) const {
    bool any = false;
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      if (id && !of_parameters_[index(*id)]) return false;
      any = any || id;
    }
    return any && node.op->dtype_from.empty();
  }

  ValueId cast(ValueId value, DType to) {
    Graph& graph = rebuilder_.graph();
    if (graph.value(value).dtype == to) return value;
    const auto [made, is_new] = casts_.try_emplace({value, to});
    if (is_new) {
      std::string called = graph.value(value).name + ".as_" + std::string(name(to));
      made->second = graph.add(find_op("cast"), {value, Datum(to)}, std::move(called)).front();
    }
    return made->second;
  }

  const Graph& from_;
  const DType lower_;
  Rebuilder rebuilder_;
  std::vector<bool> of_parameters_;  // per value of the old graph: depends on parameters alone
  std::map<std::pair<ValueId, DType>, ValueId> casts_;
};

}  // namespace

Graph mix_precision(const Graph& graph, const MixPrecisionOptions& options) {
  return PrecisionMixing(graph, options).run();
}

}  // namespace mithril
