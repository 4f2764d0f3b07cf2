// eye: ones on the diagonal.
#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
OpDef define_eye() {
  return {
      .name = "eye",
      .doc =
          "N rows and M columns of zeros, with ones on the diagonal. M=None means N columns, and "
          "dtype=None means floats.",
      .inputs = {value("N", "int"), value("M", "int|none", Datum()),
                 value("dtype", "dtype|none", Datum())},
      .outputs = {{"output", "rows columns", "any"}},
      .solve = solve_eye,
      .eval = write_eye,
      .not_differentiable = "it has no tensor among its inputs",
      .dtype_from = "dtype",
      .samples = samples_by_place,
      .spell = {{"jax", "jnp.eye({N}, {M}, dtype={output.dtype})"},
                {"onnx", "EyeLike(expand(number(0), output.shape))"},
                {"torch", "M == None ? aten::eye(N) : aten::eye(N, M)"}},
  };
}

}  // namespace mithril
