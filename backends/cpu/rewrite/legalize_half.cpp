#include "backends/cpu/rewrite/legalize_half.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "backends/cpu/conv/im2col.hpp"
#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/elementwise/elementwise_dtype.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"
#include "backends/cpu/lowering/kernel_registry.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril::cpu_backend {
namespace {

// A cast that only changes the storage. An elementwise program that contains it does not round.
const OpDef& storage_cast() {
  static const OpDef op = [] {
    OpDef made = find_op("cast");
    made.name = "storage_cast";
    made.spell = {{"c", "{input}"}};
    return made;
  }();
  return op;
}

class Legalization {
 public:
  Legalization(const Graph& graph, const Config& config)
      : from_(graph),
        bfloat16_products_(config.bfloat16_products && bfloat16_kernels()),
        rebuilder_(graph) {
    for (const Constant& constant : graph.constants()) {
      constants_.emplace(rebuilder_.map(constant.value), &constant.tensor);
    }
  }

  Graph run() {
    for (const Node& node : from_.nodes()) {
      if (is_computed(node) && any_tensor(node, is_half)) {
        widen(node);
      } else {
        rebuilder_.keep(node);
      }
    }
    return rebuilder_.finish();
  }

 private:
  static bool is_computed(const Node& node) {
    const OpDef& op = *node.op;
    if (op.keeps_elements || op.opaque || op.collective) return false;
    if (kernel_of(op)) return half_support(op) != HalfSupport::copies;
    return formula_of(op) && !converts(*formula_of(op));
  }

  template <typename Is>
  bool any_tensor(const Node& node, Is is) const {
    const auto is_argument = [&](const Argument& argument) {
      const ValueId* id = tensor_of(argument);
      return id && is(from_.value(*id).dtype);
    };
    return std::any_of(node.arguments.begin(), node.arguments.end(), is_argument) ||
           std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId id) { return is(from_.value(id).dtype); });
  }

  void widen(const Node& node) {
    const auto is_double = [](DType dtype) { return dtype == DType::float64; };
    const DType wide = any_tensor(node, is_double) ? DType::float64 : DType::float32;
    Node mapped = rebuilder_.map_arguments(node);
    for (size_t i = 0; i < mapped.arguments.size(); ++i) {
      const ValueId* id = tensor_of(mapped.arguments[i]);
      if (id && is_half(rebuilder_.graph().value(*id).dtype) && !is_read_directly(mapped, i)) {
        mapped.arguments[i] = held(*id, wide);
      }
    }
    for (const ValueId old : node.outputs) {
      Value value = from_.value(old);
      if (is_half(value.dtype)) as(wide, value);
      mapped.outputs.push_back(rebuilder_.graph().add_value(std::move(value)));
    }
    const std::vector<ValueId> made = mapped.outputs;
    rebuilder_.graph().add_node(std::move(mapped));
    for (size_t i = 0; i < made.size(); ++i) replace(node.outputs[i], made[i]);
  }

  // Whether the kernel reads the 16-bit argument directly, or only its dims.
  bool is_read_directly(const Node& node, size_t argument) const {
    const OpDef& op = *node.op;
    if (op.list_input() >= 0) return false;
    if (!reads_elements(op, op.inputs[argument].name)) return true;
    const HalfSupport use = half_support(op);
    const size_t factors = factors_of(use);
    if (argument >= factors) return false;
    const bool is_faster = bfloat16_products_ && (use != HalfSupport::bf16_pair || convolves(node));
    if (is_faster && are_bfloat16(node, factors)) return true;
    return use == HalfSupport::half_weights && argument == 1 &&
           constants_.contains(*tensor_of(node.arguments[argument]));
  }

  // Whether the convolution is faster in bfloat16 than in float32.
  bool convolves(const Node& node) const {
    if (bfloat16_kernels()->convolves) return true;
    const ValueId *input = tensor_of(node.arguments[0]), *weight = tensor_of(node.arguments[1]);
    if (!input || !weight) return false;
    const std::vector<Dim>&from = rebuilder_.graph().value(*input).dims,
          &by = rebuilder_.graph().value(*weight).dims;
    const auto is_known = [](const Dim& dim) { return dim.is_constant() && !dim.is_constant(0); };
    if (!std::all_of(by.begin(), by.end(), is_known) || from.size() < 2 || !is_known(from[1])) {
      return false;
    }
    int64_t depth = 1;
    for (size_t i = 1; i < by.size(); ++i) depth *= by[i].constant();
    const int64_t groups = from[1].constant() / by[1].constant();
    return suits_im2col(by[0].constant() / std::max<int64_t>(groups, 1), depth);
  }

  // The number of leading arguments that the processor multiplies as bfloat16, if all have this
  // dtype.
  static size_t factors_of(HalfSupport use) {
    if (use == HalfSupport::bf16_attention) return 3;
    return use == HalfSupport::bf16_pair || use == HalfSupport::half_weights ? 2 : 0;
  }

  bool are_bfloat16(const Node& node, size_t count) const {
    return std::all_of(node.arguments.begin(),
                       node.arguments.begin() + static_cast<std::ptrdiff_t>(count),
                       [&](const Argument& argument) {
                         const ValueId* id = tensor_of(argument);
                         return id && rebuilder_.graph().value(*id).dtype == DType::bfloat16;
                       });
  }

  static void as(DType dtype, Value& value) {
    value.name += ".as_" + std::string(name(dtype));
    value.dtype = dtype;
  }

  ValueId held(ValueId value, DType dtype) {
    const auto [known, is_new] = held_.try_emplace({value, dtype});
    if (!is_new) return known->second;
    Graph& graph = rebuilder_.graph();
    Value wide = graph.value(value);
    as(dtype, wide);
    if (const auto constant = constants_.find(value); constant != constants_.end()) {
      known->second = graph.add_constant(wide.name, constant->second->to(dtype));
    } else {
      known->second = graph.add_value(std::move(wide));
      graph.add_node({&storage_cast(), {value, Datum(dtype)}, {known->second}});
    }
    return known->second;
  }

  void replace(ValueId old, ValueId made) {
    const Value& value = from_.value(old);
    if (rebuilder_.graph().value(made).dtype == value.dtype) return rebuilder_.replace(old, made);
    rebuilder_.add({&storage_cast(), {made, Datum(value.dtype)}, {}}, {old});
  }

  const Graph& from_;
  const bool bfloat16_products_;
  Rebuilder rebuilder_;
  std::unordered_map<ValueId, const Tensor*> constants_;  // of the new graph
  std::map<std::pair<ValueId, DType>, ValueId> held_;
};

}  // namespace

Graph legalize_half(Graph graph, const Config& config) {
  const std::vector<Value>& values = graph.values();
  const bool any = std::any_of(values.begin(), values.end(),
                               [](const Value& value) { return is_half(value.dtype); });
  if (!any) return graph;
  return Legalization(graph, config).run();
}

}  // namespace mithril::cpu_backend
