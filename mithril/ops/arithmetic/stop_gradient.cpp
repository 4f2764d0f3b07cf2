// The elements as they are, but for gradients a constant.
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/no_gradient.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_stop_gradient() {
  return {
      .name = "stop_gradient",
      .doc = "Returns the input and stops its gradient, as torch.Tensor.detach.",
      .inputs = {{"input", "*s", "T=any"}},
      .outputs = {{"output", "*s", "T"}},
      .eval = copy_elements,
      .grad = no_gradient,
      .keeps_elements = true,
      .spell = {{"jax", "lax.stop_gradient({input})"},
                {"onnx", "input"},
                {"torch", "aten::detach(input)"},
                {"c", "{input}"}},
  };
}

}  // namespace mithril
