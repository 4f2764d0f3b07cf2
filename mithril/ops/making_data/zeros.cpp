// zeros: a tensor of zeros.
#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_zeros() {
  return {
      .name = "zeros",
      .doc = "A tensor of zeros. dtype=None means floats.",
      .inputs = {value("shape", "tuple|int"), value("dtype", "dtype|none", Datum())},
      .outputs = {{"output", "*o", "any"}},
      .solve = [](Solver& s) { return solve_filled(s, kind::float_tensor); },
      .eval = [](EvalContext&) {},
      .not_differentiable = "it has no tensor among its inputs",
      .dtype_from = "dtype",
      .samples = samples_of_filled,
      .spell = {{"jax", "jnp.zeros({shape}, {output.dtype})"},
                {"onnx", "expand(number(0), output.shape)"},
                {"torch", "aten::zeros(shape)"},
                {"c", "0"}},
  };
}

}  // namespace mithril
