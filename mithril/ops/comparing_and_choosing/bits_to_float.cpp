// The floats that have the bits of ints.
#include "mithril/ops/support/copy_bits.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_bits_to_float() {
  return {
      .name = "bits_to_float",
      .doc =
          "The float32 with the bits of an int32, and the float64 with those of an int64: what "
          "`bit_cast` becomes.",
      .internal = true,
      // Ints only: backends convert int operands of a port that admits floats to a float result.
      .inputs = {{"input", "*s", "int"}, value("dtype", "dtype")},
      .outputs = {{"output", "*s", "float"}},
      .eval = copy_bits,
      .not_differentiable = "the bits of a number have no derivative",
      .dtype_from = "dtype",
      .separable = {"*s"},
      .spell = {{"jax", "lax.bitcast_convert_type({input}, {dtype})"},
                {"torch", "aten::view(input, dtype)"}},
  };
}

}  // namespace mithril
