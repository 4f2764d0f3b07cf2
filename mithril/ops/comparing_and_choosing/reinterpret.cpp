// The bits of floats as ints, and of ints as floats.
#include <cstring>
#include <string>

#include "mithril/base/error.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril {

OpDef define_reinterpret() {
  return {
      .name = "reinterpret",
      .doc =
          "The bits of float32 as int32 and of float64 as int64, or the reverse: what `bit_cast` "
          "becomes.",
      .internal = true,
      .inputs = {{"input", "*s", "int|float"}, value("dtype", "dtype")},
      .outputs = {{"output", "*s", "int|float"}},
      .solve =
          [](Solver& s) {
            const Datum* dtype = s.value("dtype");
            if (!dtype) return false;
            s.narrow("output", is_floating(dtype->dtype()) ? kind::float_tensor : kind::int_tensor);
            return true;
          },
      .eval =
          [](EvalContext& c) {
            const Tensor& x = c.in("input");
            Tensor made = Tensor::empty(c.out().dtype(), x.dims());
            if (made.bytes() != x.bytes()) {
              raise({.kind = ErrorKind::type,
                     .code = "E1369",
                     .message = "reinterpret: " + std::string(name(x.dtype())) + " and " +
                                std::string(name(made.dtype())) +
                                " have different numbers of bits"});
            }
            if (x.bytes() > 0) std::memcpy(made.mutable_raw_data(), x.raw_data(), x.bytes());
            c.write_all(made);
          },
      .not_differentiable = "the bits of a number have no derivative",
      .dtype_from = "dtype",
      .separable = {"*s"},
      .cast = CastPolicy::float32,
      .spell = {{"jax", "lax.bitcast_convert_type({input}, {dtype})"},
                {"torch", "aten::view(input, dtype)"}},
  };
}

}  // namespace mithril
