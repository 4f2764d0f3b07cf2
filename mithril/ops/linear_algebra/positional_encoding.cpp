// positional_encoding: waves of the position, added to embeddings.
#include <cmath>

#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_positional_encoding(Solver& s) {
  const Datum *hidden = s.value("hidden_dim"), *longest = s.value("max_len");
  if (hidden) s.set("H", hidden->dim());
  int64_t width = 0, length = 0, most = 0;
  if (!hidden || !longest || !s.number(hidden->dim(), width)) return false;
  if (width % 2 != 0)
    s.reject("hidden_dim is odd", "pairs of sines and cosines", std::to_string(width));
  if (!s.number(s.dim("T"), length) || !s.number(longest->dim(), most)) return false;
  if (length > most) {
    s.reject("the sequence is longer than max_len", "at most " + std::to_string(most),
             std::to_string(length), ErrorKind::shape);
  }
  return true;
}

// [T, H]: of each pair the sine in an even column, the cosine in the odd one after it.
Expression waves(ExpandContext& e, const Expression& x) {
  const int64_t width = e.value("hidden_dim").integer();
  const Expression position = call("cast", {call("positions", {x}), Datum(x.dtype())});
  const Expression pair = e.make("arange", {Datum(Dim(width)), 0, 2, Datum(x.dtype())});
  const double slope = -std::log(10000.0) / static_cast<double>(width);
  const Expression angle = call("expand_dims", {position, Datum::ints({1, 2})}) *
                           call("expand_dims", {call("exp", {pair * slope}), 1});
  const Expression both = call("concat", {call("sin", {angle}), call("cos", {angle}), 2});
  return call("flatten", {both, 1, 2});
}

}  // namespace

OpDef define_positional_encoding() {
  return {
      .name = "positional_encoding",
      .doc =
          "Adds sinusoidal positions to input [..., T, hidden_dim] "
          "(https://arxiv.org/abs/1706.03762): at position t, sin(t / 10000**(2 i / hidden_dim)) "
          "to column 2 i, and the cosine of the same angle to column 2 i + 1. T is at most "
          "`max_len`.",
      .inputs = {{"input", "*b T H", "number"},
                 value("hidden_dim", "int"),
                 value("max_len", "int", 5000)},
      .outputs = {{"output", "*b T H", "float"}},
      .solve = solve_positional_encoding,
      .expand =
          [](ExpandContext& e) {
            const Expression given = e.in("input");
            const Expression x = is_floating(given.dtype()) ? given : given * 1.0;
            e.become(x + waves(e, x));
          },
  };
}

}  // namespace mithril
