#include "backends/cpu/kernel_drafts.hpp"

#include <map>
#include <string_view>

#include "backends/cpu/attention.hpp"
#include "backends/cpu/convolution.hpp"
#include "backends/cpu/convolution_weight.hpp"
#include "backends/cpu/movement.hpp"
#include "backends/cpu/norms.hpp"
#include "backends/cpu/parsed.hpp"
#include "backends/cpu/pooling.hpp"
#include "backends/cpu/product.hpp"
#include "backends/cpu/reductions.hpp"
#include "backends/cpu/rows.hpp"

namespace mithril::cpu_backend {
namespace {

using Drafting = std::optional<Draft> (*)(const Context&, size_t, const SpelledExpression&);

// By the names that records spell.
const std::map<std::string_view, Drafting>& kernels() {
  static const std::map<std::string_view, Drafting> kernels = {
      {"attention", draft_attention},
      {"attention_weights", draft_attention},
      {"average_pool", draft_pooling},
      {"average_pool_grad", draft_pooling_grad},
      {"convolution", draft_convolution},
      {"convolution_input_grad", draft_convolution},
      {"convolution_weight_grad", draft_convolution_weight},
      {"layer_norm", draft_norm},
      {"layer_norm_grad", draft_norm},
      {"log_softmax", draft_rows},
      {"log_softmax_grad", draft_rows},
      {"max", draft_reduction},
      {"max_pool", draft_pooling},
      {"max_pool_grad", draft_pooling_grad},
      {"mean", draft_reduction},
      {"min", draft_reduction},
      {"permuted", draft_movement},
      {"product", draft_product},
      {"sliced", draft_movement},
      {"softmax", draft_rows},
      {"softmax_grad", draft_rows},
      {"sum", draft_reduction},
      {"sum_to", draft_reduction},
      {"swapaxes", draft_movement}};
  return kernels;
}

}  // namespace

std::optional<Draft> draft_kernel(const Context& context, size_t node) {
  const OpDef& op = *context.sized.node(node).op;
  const SpelledExpression* call = kernel_of(op);
  if (!call) return std::nullopt;
  const auto kernel = kernels().find(call->text);
  MITHRIL_CHECK(kernel != kernels().end(),
                "op " + op.name + " is spelled with a kernel that there is not: " + call->text);
  return kernel->second(context, node, *call);
}

}  // namespace mithril::cpu_backend
