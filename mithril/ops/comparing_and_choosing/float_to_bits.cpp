// The bits of floats as ints.
#include "mithril/ops/support/copy_bits.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_float_to_bits() {
  return {
      .name = "float_to_bits",
      .doc = "The bits of float32 as int32, and of float64 as int64: what `bit_cast` becomes.",
      .internal = true,
      .inputs = {{"input", "*s", "float"}, value("dtype", "dtype")},
      .outputs = {{"output", "*s", "int"}},
      .eval = copy_bits,
      .not_differentiable = "the bits of a number have no derivative",
      .dtype_from = "dtype",
      .separable = {"*s"},
      .spell = {{"jax", "lax.bitcast_convert_type({input}, {dtype})"},
                {"torch", "aten::view(input, dtype)"}},
  };
}

}  // namespace mithril
