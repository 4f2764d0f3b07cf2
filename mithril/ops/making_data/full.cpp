// full: a tensor of one number.
#include <algorithm>

#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_full(Solver& s) {
  const Datum* number = s.value("fill_value");
  if (!number) return false;
  if (number->kind() == kind::bool_value) return solve_filled(s, kind::bool_tensor);
  return solve_filled(s, number->kind() == kind::int_value ? kind::int_tensor : kind::float_tensor);
}

}  // namespace

OpDef define_full() {
  return {
      .name = "full",
      .doc =
          "A tensor filled with `fill_value`. dtype=None means the kind of this number: float, int "
          "or bool.",
      .inputs = {value("shape", "tuple|int"), value("fill_value", "bool|int|float"),
                 value("dtype", "dtype|none", Datum())},
      .outputs = {{"output", "*o", "any"}},
      .solve = solve_full,
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              std::fill_n(c.write<T>(), c.out().size(), number_as<T>(c.value("fill_value")));
            });
          },
      .not_differentiable = "it has no tensor among its inputs",
      .dtype_from = "dtype",
      .samples = samples_of_filled,
      .spell = {{"jax", "jnp.full({shape}, {fill_value}, {output.dtype})"},
                {"onnx", "expand(number(fill_value), output.shape)"},
                {"torch", "aten::full(shape, fill_value)"},
                {"c", "{fill_value}"}},
  };
}

}  // namespace mithril
