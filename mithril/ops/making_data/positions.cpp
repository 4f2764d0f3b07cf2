// positions: the indices of the rows of a tensor.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_positions() {
  return {
      .name = "positions",
      .doc = "0, 1, 2, ..., T - 1 for `like` [..., T, H].",
      .internal = true,
      .inputs = {{"like", "*b T H", "any"}},
      .outputs = {{"output", "T", "int"}},
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              auto y = c.write<T>();
              for (int64_t i = 0; i < c.out().size(); ++i) y[i] = static_cast<T>(i);
            });
          },
      .not_differentiable = "positions do not depend on elements",
      .batch = batch_made,
      .samples = samples_by_place,
      .spell = {{"jax", "jnp.arange({like.shape}[-2], dtype={output.dtype})"},
                {"onnx", "arange(0, 1, output.shape)"},
                {"torch", "aten::arange(output.shape[0])"}},
  };
}

}  // namespace mithril
