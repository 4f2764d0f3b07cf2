#include "mithril/eval/plan.hpp"

#include <optional>

#include "mithril/infer/symbol.hpp"

namespace mithril {
namespace {

class Planner {
 public:
  Planner(const Graph& graph, std::span<const Tensor> inputs) : graph_(graph), dims_(graph.values().size()) {
    for (size_t i = 0; i < inputs.size(); ++i) learn(graph.inputs()[i], inputs[i].dims());
    for (const Constant& constant : graph.constants()) dims_[index(constant.value)] = constant.tensor.dims();
  }

  Plan run() {
    for (const Node& node : graph_.nodes()) plan_.nodes.push_back(plan_node(node));
    release();
    return std::move(plan_);
  }

 private:
  // Symbols are learnt from what stands alone, everything else is checked.
  void learn(ValueId id, const Dims& got) {
    const Value& value = graph_.value(id);
    dims_[index(id)] = got;
    if (!value.ranked) return;
    if (value.dims.size() != got.size()) {
      mismatch("E0803", value, got, "has rank " + std::to_string(got.size()) + ", expected " + std::to_string(value.dims.size()));
    }
    for (size_t i = 0; i < got.size(); ++i) {
      const Dim dim = resolve(value.dims[i]);
      const Symbol* symbol = dim.symbol();
      if (symbol && !symbol->product() && !symbol->quotient()) sizes_.try_emplace(dim.symbol(), got[i]);
      const auto expected = evaluate(dim, sizes_);
      if (expected && *expected != got[i]) {
        std::string text = to_string(dim);
        if (!dim.is_constant()) text += " = " + std::to_string(*expected);
        mismatch("E0804", value, got, "has " + std::to_string(got[i]) + " in dim " + std::to_string(i) + ", expected " + text);
      }
    }
  }

  [[noreturn]] static void mismatch(const char* code, const Value& value, const Dims& got, const std::string& what) {
    raise({.kind = ErrorKind::input,
           .code = code,
           .path = value.name,
           .message = "'" + value.name + "' " + what,
           .facts = {{"expected", to_string(value.dims), ""}, {"got", to_string(got), ""}}});
  }

  std::optional<Dims> numbers(const Value& value) {
    Dims result;
    if (!value.ranked) return std::nullopt;
    for (const Dim& dim : value.dims) {
      const auto number = evaluate(dim, sizes_);
      if (!number) return std::nullopt;
      result.push_back(*number);
    }
    return result;
  }

  PlannedNode plan_node(const Node& node) {
    MITHRIL_CHECK(node.op->eval, "op " + node.op->name + " has no eval: run expand_ops first");
    PlannedNode planned{.op = node.op};
    const DType dtype = graph_.value(node.outputs.front()).dtype;
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) {
        planned.values.emplace_back();
        planned.tensors.push_back(static_cast<int32_t>(*id));
        continue;
      }
      planned.values.push_back(concrete(std::get<Datum>(argument)));
      planned.tensors.push_back(absent);
      if (planned.values.back().kind() & kind::number) {
        planned.tensors.back() = ~static_cast<int32_t>(planned.scalars.size());
        planned.scalars.push_back(scalar(planned.values.back(), dtype));
      }
    }
    planned.outputs = node.outputs;
    place_outputs(node, planned);
    return planned;
  }

  Datum concrete(const Datum& datum) {
    return map_dims(datum, [&](const Dim& dim) {
      const auto number = evaluate(dim, sizes_);
      MITHRIL_CHECK(number, "the size " + to_string(dim) + " is not known when it is needed");
      return Dim(*number);
    });
  }

  // A number takes part as its kind, in a width that never decides the result's.
  static Tensor scalar(const Datum& datum, DType like) {
    if (datum.kind() == kind::bool_value) return Tensor::scalar(datum.flag());
    if (datum.kind() == kind::int_value) return Tensor::scalar(datum.integer());
    return like == DType::float32 ? Tensor::scalar(static_cast<float>(datum.real())) : Tensor::scalar(datum.real());
  }

  void place_outputs(const Node& node, PlannedNode& planned) {
    std::vector<std::optional<Dims>> known;
    bool all = true;
    for (const ValueId id : node.outputs) {
      known.push_back(numbers(graph_.value(id)));
      all = all && known.back();
    }
    if (!all) known = infer_now(node, planned);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      planned.output_dims.push_back(*known[i]);
      learn(node.outputs[i], *known[i]);
    }
  }

  // A size that no input named: infer this node alone with the sizes at hand.
  std::vector<std::optional<Dims>> infer_now(const Node& node, const PlannedNode& planned) {
    Graph alone;
    alone.set_default_dtype(graph_.default_dtype());
    std::vector<Argument> arguments;
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* id = tensor_of(node.arguments[i]);
      if (!id) {
        arguments.emplace_back(planned.values[i]);
        continue;
      }
      Value value{.name = graph_.value(*id).name, .dims = {}, .dtype = graph_.value(*id).dtype};
      for (const int64_t dim : dims_[index(*id)]) value.dims.emplace_back(dim);
      arguments.emplace_back(alone.add_input(std::move(value)));
    }
    std::vector<std::optional<Dims>> result;
    for (const ValueId id : alone.add(*node.op, std::move(arguments), graph_.value(node.outputs.front()).name)) {
      Dims dims;
      MITHRIL_CHECK(alone.value(id).ranked, "op " + node.op->name + " does not infer the rank of its output");
      for (const Dim& dim : alone.value(id).dims) {
        MITHRIL_CHECK(resolve(dim).is_constant(), "op " + node.op->name + " does not infer the shape of its output");
        dims.push_back(resolve(dim).constant());
      }
      result.push_back(std::move(dims));
    }
    return result;
  }

  void release() {
    std::vector<bool> kept(graph_.values().size());
    for (const Output& output : graph_.outputs()) kept[index(output.value)] = true;
    for (auto node = plan_.nodes.rbegin(); node != plan_.nodes.rend(); ++node) {
      auto last_use = [&](ValueId id) {
        if (!kept[index(id)]) node->released.push_back(id);
        kept[index(id)] = true;
      };
      for (const ValueId id : node->outputs) last_use(id);
      for (const int32_t at : node->tensors) {
        if (at >= 0) last_use(static_cast<ValueId>(at));
      }
    }
  }

  const Graph& graph_;
  Sizes sizes_;
  std::vector<Dims> dims_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const Graph& graph, std::span<const Tensor> inputs) { return Planner(graph, inputs).run(); }

}  // namespace mithril
