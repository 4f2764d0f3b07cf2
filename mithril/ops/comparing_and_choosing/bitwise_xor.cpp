// The bits of two ints: exclusive OR.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

template <typename T>
T bitwise_xor(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a;
  else
    return static_cast<T>(a ^ b);
}

}  // namespace

OpDef define_bitwise_xor() {
  return {
      .name = "bitwise_xor",
      .doc =
          "The exclusive OR of the bits of two ints, or of two bools; a bool with an int counts as "
          "0 or 1.",
      .inputs = {{"left", "*a", "T=bool|int"}, {"right", "*b", "U=bool|int"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .where = {"*o = broadcast(*a, *b)"},
      .eval = [](EvalContext& c) { map2(c, [](auto a, auto b) { return bitwise_xor(a, b); }); },
      .not_differentiable = "the result is an int or a bool",
      .spell = {{"torch", "aten::bitwise_xor(left, right)"}},
  };
}

}  // namespace mithril
