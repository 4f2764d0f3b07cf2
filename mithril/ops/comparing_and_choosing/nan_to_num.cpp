// nan_to_num: replaces NaN and infinities by finite numbers.
#include <limits>

#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double largest(DType dtype) {
  if (dtype == DType::float16) return 65504;
  if (dtype == DType::bfloat16) return 0x1.fep127;
  return dtype == DType::float32 ? std::numeric_limits<float>::max()
                                 : std::numeric_limits<double>::max();
}

Expression finite(ExpandContext& e, const Expression& x) {
  auto number = [&](const char* port, double otherwise) {
    const Datum& given = e.value(port);
    return given.is_none() ? Operand(otherwise) : Operand(given);
  };
  const double most = largest(x.dtype());
  const Expression below =
      call("where", {call("equal", {x, -infinity}), number("neginf", -most), x});
  const Expression above =
      call("where", {call("equal", {x, infinity}), number("posinf", most), below});
  return call("where", {call("not_equal", {x, x}), e.operand("nan"), above});
}

}  // namespace

OpDef define_nan_to_num() {
  return {
      .name = "nan_to_num",
      .doc =
          "Replaces NaN by `nan`, infinity by `posinf` and -infinity by `neginf`. None means the "
          "largest, or for `neginf` the smallest, finite number of the dtype. Ints and bools do "
          "not change.",
      .inputs = {{"input", "*s", "T=any"},
                 value("nan", "float|int", 0.0),
                 value("posinf", "float|int|none", None()),
                 value("neginf", "float|int|none", None())},
      .outputs = {{"output", "*s", "T"}},
      .expand =
          [](ExpandContext& e) {
            const Expression x = e.in("input");
            e.become(is_floating(x.dtype()) ? finite(e, x) : x);
          },
  };
}

}  // namespace mithril
