// at_least1d: a number as a vector of one.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_at_least1d() {
  return {
      .name = "at_least1d",
      .doc =
          "The input with at least one axis: a tensor of rank 0 becomes a vector of one element, "
          "and other tensors do not change.",
      .inputs = {{"input", "*s", "T=any"}},
      .outputs = {{"output", "*o", "T"}},
      .solve =
          [](Solver& s) {
            std::vector<Dim> dims;
            if (s.shape("input", dims)) {
              if (dims.empty()) dims.push_back(1);
              s.set_shape("output", dims);
              return true;
            }
            if (!s.shape("output", dims) || dims.size() < 2) return false;
            s.set_shape("input", dims);
            return true;
          },
      .eval = copy_elements,
      .grad = flow_reshaped,
      .batch = batch_reshaped,
      .keeps_elements = true,
      .spell = {{"jax", "jnp.atleast_1d({input})"},
                {"onnx", "reshape(input, output.shape)"},
                {"torch", "aten::reshape(input, output.shape)"},
                {"c", "{input}"}},
  };
}

}  // namespace mithril
