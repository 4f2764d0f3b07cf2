#include "backends/cpu/rewrite/integer_product_ops.hpp"

#include "mithril/base/error.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/patterns.hpp"
#include "mithril/op/registry.hpp"

namespace mithril::cpu_backend {
namespace {

// The op `from` for integers, with the additional ports `zeros`.
OpDef of_integers(const char* from, std::string name, std::vector<std::string> zeros,
                  std::string kernel) {
  OpDef op = find_op(from);
  op.name = std::move(name);
  for (PortDef& port : op.inputs) {
    if (port.type.starts_with("value ")) continue;
    port.type = port.type.ends_with("|none") ? "int|none" : "int";
  }
  for (size_t i = 0; i < zeros.size(); ++i) {
    op.inputs.push_back(optional(zeros[i], "*zero" + std::to_string(i), "int"));
  }
  op.outputs.front().type = "int";
  op.eval = [](EvalContext& c) { MITHRIL_CHECK(false, c.op_name() + " has a kernel only"); };
  op.spell = {{"cpu", std::move(kernel)}};
  compile_patterns(op);
  return op;
}

}  // namespace

const OpDef& integer_matmul() {
  static const OpDef op = of_integers("matmul", "integer_matmul", {"left_zero", "right_zero"},
                                      "integer_gemm(left, right, left_zero, right_zero)");
  return op;
}

const OpDef& integer_conv2d() {
  static const OpDef op = of_integers(
      "conv2d", "integer_conv2d", {"input_zero"},
      "integer_convolution(input, weight, bias, stride, padding, dilation, groups, input_zero)");
  return op;
}

}  // namespace mithril::cpu_backend
