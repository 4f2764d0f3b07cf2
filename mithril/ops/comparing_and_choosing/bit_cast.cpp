// The same bits as another dtype.
#include <string>

#include "mithril/base/error.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril {
namespace {

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

[[noreturn]] void refuse(const Expression& x, DType to, const std::string& reason) {
  raise({.kind = ErrorKind::type,
         .code = "E1369",
         .path = x.value().name,
         .message = "bit_cast: " + std::string(name(x.dtype())) + " does not become " +
                    std::string(name(to)) + ": " + reason});
}

void check(const Expression& x, DType to) {
  const DType from = x.dtype();
  for (const DType dtype : {from, to}) {
    if (dtype == DType::boolean) refuse(x, to, "a bool has one bit");
    if (is_low_bit(dtype) || is_half(dtype))
      refuse(x, to, "the bits of " + std::string(name(dtype)) + " are not read");
  }
  if (size_of(from) != size_of(to)) refuse(x, to, "they have different numbers of bits");
}

}  // namespace

OpDef define_bit_cast() {
  return {
      .name = "bit_cast",
      .doc =
          "The bits of the input as elements of `dtype`, which has the same number of bits, as "
          "numpy.ndarray.view: of float32, float64 and all ints of 8 bits or more.",
      .inputs = {{"input", "*s", "int|float"}, value("dtype", "dtype")},
      .outputs = {{"output", "*s", "int|float"}},
      .solve =
          [](Solver& s) {
            const Datum* dtype = s.value("dtype");
            if (!dtype) return false;
            s.narrow("output", is_floating(dtype->dtype()) ? kind::float_tensor : kind::int_tensor);
            return true;
          },
      .expand =
          [](ExpandContext& e) {
            Expression x = e.in("input");
            const DType to = e.value("dtype").dtype(), from = x.dtype();
            check(x, to);
            if (from == to) return e.become(x);
            // A cast between ints of one size keeps the bits.
            if (is_floating(from) == is_floating(to)) return e.become(call("cast", {x, Datum(to)}));
            const DType signed_int = size_of(to) == 4 ? DType::int32 : DType::int64;
            if (is_unsigned(from)) x = call("cast", {x, Datum(signed_int)});
            const DType made = is_floating(to) ? to : signed_int;
            x = call(is_floating(to) ? "bits_to_float" : "float_to_bits", {x, Datum(made)});
            e.become(made == to ? x : call("cast", {x, Datum(to)}));
          },
      .dtype_from = "dtype",
      .cast = CastPolicy::float32,
      .integers = IntegerUse::bits,
  };
}

}  // namespace mithril
