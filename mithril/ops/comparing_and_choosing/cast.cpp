// Another dtype.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_cast() {
  return {
      .name = "cast",
      .doc =
          "The input converted to `dtype`, as numpy.ndarray.astype. To bool, nonzero elements "
          "become true; to an int, floats are rounded towards zero.",
      .inputs = {{"input", "*s", "any"}, value("dtype", "dtype")},
      .outputs = {{"output", "*s", "any"}},
      .solve =
          [](Solver& s) {
            const Datum* dtype = s.value("dtype");
            if (!dtype) return false;
            const DType to = dtype->dtype();
            s.narrow("output", is_floating(to)  ? kind::float_tensor
                               : is_integer(to) ? kind::int_tensor
                                                : kind::bool_tensor);
            return true;
          },
      .eval = copy_converted,
      .grad =
          [](GradContext& g) {
            const Datum back = g.in("input").dtype();
            g.flow("input", call("cast", {g.out_grad(), back}));
          },
      .dtype_from = "dtype",
      .linear = {"input"},
      .spell = {{"jax", "{input}.astype({dtype})"},
                {"torch", "aten::to(input, dtype)"},
                {"c", "T({input})"}},
  };
}

}  // namespace mithril
