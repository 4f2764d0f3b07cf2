// Evaluates nodes whose tensor arguments are all constants.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "mithril/eval/interpreter.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

// A large tensor made of little (ones, broadcast_to) is cheaper to make again than to keep and to
// write into files.
constexpr size_t always_kept_bytes = size_t{1} << 20;

class ConstantFolding {
 public:
  explicit ConstantFolding(const Graph& graph) : from_(graph), rebuilder_(graph) {
    for (const Constant& constant : rebuilder_.graph().constants()) {
      tensors_.emplace(constant.value, constant.tensor);
    }
  }

  Graph run() {
    for (const Node& node : from_.nodes()) {
      const auto folded = fold(node);
      if (!folded) {
        rebuilder_.keep(node);
        continue;
      }
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        const std::string& name = from_.value(node.outputs[i]).name;
        const ValueId id = rebuilder_.graph().add_constant(name, (*folded)[i]);
        tensors_.emplace(id, (*folded)[i]);
        rebuilder_.replace(node.outputs[i], id);
      }
    }
    return rebuilder_.finish();
  }

 private:
  std::optional<std::vector<Tensor>> fold(const Node& node) const {
    if (!node.op->eval || node.op->opaque || node.op->collective) return std::nullopt;
    if (!has_constants_only(node) || !is_small_enough(node)) return std::nullopt;
    Graph alone;
    alone.set_default_dtype(from_.default_dtype());
    Node copy{node.op, {}, {}};
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      copy.arguments.push_back(
          id ? alone.add_constant(from_.value(*id).name, tensors_.at(rebuilder_.map(*id)))
             : argument);
    }
    for (const ValueId id : node.outputs) {
      copy.outputs.push_back(alone.add_value(from_.value(id)));
      alone.add_output(from_.value(id).name, copy.outputs.back());
    }
    alone.add_node(std::move(copy));
    try {
      return interpret(alone, {});
    } catch (const Error&) {
      return std::nullopt;  // a node that cannot be evaluated fails when it runs
    }
  }

  bool has_constants_only(const Node& node) const {
    return std::all_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
      const ValueId* id = tensor_of(argument);
      return id ? tensors_.contains(rebuilder_.map(*id)) : !is_symbolic(std::get<Datum>(argument));
    });
  }

  // False if a size is not known.
  bool is_small_enough(const Node& node) const {
    size_t read = 0, made = 0;
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument))
        read = std::max(read, bytes(from_.value(*id)).value_or(0));
    }
    for (const ValueId id : node.outputs) {
      const auto size = bytes(from_.value(id));
      if (!size) return false;
      made += *size;
    }
    return made <= std::max(read, always_kept_bytes);
  }

  static std::optional<size_t> bytes(const Value& value) {
    if (!value.ranked) return std::nullopt;
    Dims dims;
    for (const Dim& dim : value.dims) {
      const Dim now = resolve(dim);
      if (!now.is_constant()) return std::nullopt;
      dims.push_back(now.constant());
    }
    return static_cast<size_t>(element_count(dims)) * size_of(value.dtype);
  }

  const Graph& from_;
  Rebuilder rebuilder_;
  std::unordered_map<ValueId, Tensor> tensors_;  // constants of the new graph
};

}  // namespace

Graph fold_constants(const Graph& graph) { return ConstantFolding(graph).run(); }

}  // namespace mithril
