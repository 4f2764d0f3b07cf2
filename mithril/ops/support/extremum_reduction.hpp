// The largest and the smallest of elements, and their indices.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mithril/ops/shared/replaces.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/spelling.hpp"

namespace mithril {

// For each element of the output the index, in the whole input, of the best of the reduced
// elements.
template <typename T, typename Better>
std::vector<int64_t> best_of(EvalContext& c, const Elements<T>& x, Better better) {
  std::vector<int64_t> best(static_cast<size_t>(c.out().size()), -1);
  if (!best.empty() && x.size() == 0) {
    raise({.kind = ErrorKind::value,
           .code = "E0411",
           .message = c.op_name() + ": there is no element to choose from",
           .facts = {{"input", to_string(c.dims("input"))}, {"axis", to_string(c.value("axis"))}},
           .help = "reduce along an axis that has at least one element"});
  }
  each_reduced(c.dims("input"), c.value("axis"), [&](int64_t from, int64_t to) {
    int64_t& at = best[static_cast<size_t>(to)];
    if (at < 0 || replaces(x[from], x[at], better)) at = from;
  });
  return best;
}

// output = the best element
template <typename Better>
void eval_extremum(EvalContext& c, Better better) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    for (const int64_t at : best_of(c, x, better)) *y++ = x[at];
  });
}

// output = the index of the best element along the axis, or in the whole input
template <typename Better>
void eval_best_index(EvalContext& c, Better better) {
  std::vector<int64_t> best;
  c.typed_like("input",
               [&](auto zero) { best = best_of(c, c.read<decltype(zero)>("input"), better); });
  const Datum& axis = c.value("axis");
  const Dims& dims = c.dims("input");
  const AxisView view = axis.is_none() ? AxisView(Dims{c.in("input").size()}, 0)
                                       : AxisView::along(dims, axis.integer());
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (const int64_t at : best) *y++ = static_cast<T>(at / view.inner % view.size);
  });
}

// Equal shares for all that are equal to the extremum, as torch.amax has it.
inline void differentiate_extremum(GradContext& g) {
  const Expression x = g.in("input");
  const Expression chosen = call("equal", {x, expand_reduced(g, g.out(), x)});
  const Expression mask = call("cast", {chosen, Datum(x.dtype())});
  const Expression count = call("sum", {mask, g.value("axis"), g.value("keepdim")});
  g.flow("input", expand_reduced(g, g.out_grad() / count, x) * mask);
}

// torch refuses an axis without elements, even for results without elements.
inline std::string spell_chosen(const SpellingContext& c, const std::string& otherwise) {
  if (element_count(c.out()) > 0) return otherwise;
  return spell_call("aten::zeros", {to_string(c.out())});
}

inline std::string spell_best_index(const char* op, const SpellingContext& c) {
  return spell_chosen(c, spell_call(op, {"input", "axis", "keepdim"}));
}

inline std::string spell_extremum(const char* op, const SpellingContext& c) {
  const std::string whole = spell_call(op, {"input", "keepdim=keepdim"});
  const std::string along = spell_call(op, {"input", "axis", "keepdim"});
  return spell_chosen(c, "axis == [] ? input : axis == None ? " + whole + " : " + along);
}

}  // namespace mithril
