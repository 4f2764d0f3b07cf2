// tril: the lower triangle of a matrix.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_tril() {
  return {
      .name = "tril",
      .doc = "The lower triangle of each matrix, with zeros above the diagonal.",
      .inputs = {{"input", "*b N M", "T=any"}},
      .outputs = {{"output", "*b N M", "T"}},
      .eval =
          [](EvalContext& c) {
            const Dims& dims = c.out().dims();
            const int64_t rows = dims[dims.size() - 2], columns = dims.back();
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input");
              auto y = c.write<T>();
              for (int64_t i = 0; i < x.size(); ++i)
                y[i] = i % columns > i / columns % rows ? T() : x[i];
            });
          },
      .grad = [](GradContext& g) { g.flow("input", call("tril", {g.out_grad()})); },
      .separable = {"*b"},
      .linear = {"input"},
      .spell = {{"jax", "jnp.tril({input})"},
                {"onnx", "Trilu(input, upper=0)"},
                {"torch", "aten::tril(input)"}},
  };
}

}  // namespace mithril
