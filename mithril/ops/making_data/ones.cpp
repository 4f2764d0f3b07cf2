// ones: a tensor of ones.
#include <algorithm>

#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_ones() {
  return {
      .name = "ones",
      .doc = "A tensor of ones. dtype=None means floats.",
      .inputs = {value("shape", "tuple|int"), value("dtype", "dtype|none", Datum())},
      .outputs = {{"output", "*o", "any"}},
      .solve = [](Solver& s) { return solve_filled(s, kind::float_tensor); },
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              std::fill_n(c.write<T>(), c.out().size(), T(1));
            });
          },
      .not_differentiable = "it has no tensor among its inputs",
      .dtype_from = "dtype",
      .samples = samples_of_filled,
      .spell = {{"jax", "jnp.ones({shape}, {output.dtype})"},
                {"onnx", "expand(number(1), output.shape)"},
                {"torch", "aten::ones(shape)"},
                {"c", "1"}},
  };
}

}  // namespace mithril
