#include "backends/cpu/lowering/kernel_registry.hpp"

#include <algorithm>
#include <map>

#include "backends/cpu/conv/convolution.hpp"
#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/gemm/gemm_step.hpp"
#include "backends/cpu/gemm/integer_gemm.hpp"
#include "backends/cpu/ops/lower_ops.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

struct Kernel {
  Lowering* lower;
  HalfSupport support = HalfSupport::none;
  int dims_only = -1;  // the argument of which the kernel reads only the dims; -1: none
};

// The kernels by their name in the op record.
const std::map<std::string_view, Kernel>& kernels() {
  static const std::map<std::string_view, Kernel> kernels = {
      {"all_reduce_start", {lower_all_reduce_start}},
      {"all_reduce_wait", {lower_all_reduce_wait}},
      {"argsort", {lower_sorting}},
      {"attention", {lower_attention, HalfSupport::bf16_attention}},
      {"attention_weights", {lower_attention}},
      {"average_pool", {lower_pooling}},
      {"average_pool_grad", {lower_pooling_grad, HalfSupport::none, 1}},
      {"concat", {lower_concat}},
      {"convolution", {lower_convolution, HalfSupport::bf16_pair}},
      {"convolution_input_grad", {lower_convolution, HalfSupport::none, 1}},
      {"convolution_weight_grad", {lower_convolution_weight, HalfSupport::none, 2}},
      {"cumprod", {lower_scan}},
      {"cumsum", {lower_scan}},
      {"gather", {lower_gather, HalfSupport::copies}},
      {"gemm", {lower_gemm, HalfSupport::half_weights}},
      {"layer_norm", {lower_norm}},
      {"layer_norm_grad", {lower_norm}},
      {"linear_scan", {lower_scan}},
      {"log_softmax", {lower_rows}},
      {"log_softmax_grad", {lower_rows}},
      {"max", {lower_reduction}},
      {"max_pool", {lower_pooling}},
      {"max_pool_grad", {lower_pooling_grad}},
      {"mean", {lower_reduction}},
      {"min", {lower_reduction}},
      {"pad", {lower_movement}},
      {"permute", {lower_movement, HalfSupport::copies}},
      {"roll", {lower_roll, HalfSupport::copies}},
      {"scatter", {lower_scatter}},
      {"scatter_add", {lower_scatter_add, HalfSupport::none, 2}},
      {"slice", {lower_movement, HalfSupport::copies}},
      {"slice_grad", {lower_movement, HalfSupport::none, 1}},
      {"softmax", {lower_rows}},
      {"softmax_grad", {lower_rows}},
      {"sum", {lower_reduction}},
      {"sum_to", {lower_reduction, HalfSupport::none, 1}},
      {"swapaxes", {lower_movement, HalfSupport::copies}},
      {"integer_convolution", {lower_integer_convolution}},
      {"integer_gemm", {lower_integer_gemm}}};
  return kernels;
}

const Kernel& kernel_called(const OpDef& op, const SpelledExpression& call) {
  const auto kernel = kernels().find(call.text);
  MITHRIL_CHECK(kernel != kernels().end(),
                "op " + op.name + " names an unknown kernel: " + call.text);
  return kernel->second;
}

bool mentions(const Formula& formula, std::string_view port) {
  if (formula.kind == Formula::Kind::port) return formula.text == port;
  return std::any_of(formula.children.begin(), formula.children.end(),
                     [&](const Formula& child) { return mentions(child, port); });
}

bool is_of(const SpelledExpression& argument, std::string_view port) {
  return (argument.children.empty() ? argument : argument.children.front()).text == port;
}

}  // namespace

std::optional<StepDescriptor> lower_node(const LoweringContext& context, size_t node,
                                         const std::vector<std::optional<ValueId>>& transposes) {
  const OpDef& op = *context.shaped.node(node).op;
  const SpelledExpression* call = kernel_of(op);
  if (!call) return std::nullopt;
  auto descriptor =
      kernel_called(op, *call).lower({{context.shaped, node, *call}, context, transposes});
  if (!descriptor) return descriptor;
  if (descriptor->kernel.empty()) descriptor->kernel = call->text;
  for (StepDescriptor& before : descriptor->before) before.kernel = call->text;
  return descriptor;
}

HalfSupport half_support(const OpDef& op) {
  const SpelledExpression* call = kernel_of(op);
  return call ? kernel_called(op, *call).support : HalfSupport::none;
}

bool reads_elements(const OpDef& op, std::string_view port) {
  const SpelledExpression* call = kernel_of(op);
  if (!call) return !formula_of(op) || mentions(*formula_of(op), port);
  const int unread = kernel_called(op, *call).dims_only;
  return unread < 0 || !is_of(call->children[static_cast<size_t>(unread)], port);
}

}  // namespace mithril::cpu_backend
