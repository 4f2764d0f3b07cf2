// Shared by softmax, log_softmax and their gradients: the rows along an axis, shifted so that exp
// cannot overflow.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "mithril/op/eval_context.hpp"
#include "mithril/ops/support/axes.hpp"

namespace mithril {

// output = f(x, top, sum of exp(x - top)) along the axis, all in double; top is the largest x of
// the row.
template <typename F>
void map_softmax(EvalContext& c, F f) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    const Dims& dims = c.dims("input");
    const AxisView view = AxisView::along(dims, c.integer("axis"));
    for (int64_t o = 0; o < view.outer; ++o) {
      for (int64_t i = 0; i < view.inner; ++i) {
        double top = -INFINITY, sum = 0;
        for (int64_t k = 0; k < view.size; ++k)
          top = std::max(top, static_cast<double>(x[view.at(o, k, i)]));
        for (int64_t k = 0; k < view.size; ++k)
          sum += std::exp(static_cast<double>(x[view.at(o, k, i)]) - top);
        for (int64_t k = 0; k < view.size; ++k) {
          const int64_t at = view.at(o, k, i);
          y[at] = static_cast<T>(f(static_cast<double>(x[at]), top, sum));
        }
      }
    }
  });
}

// output = f(grad, result, sum of `term` over the row) along the axis, all in double: gradients for
// results of softmax or log_softmax.
template <typename Term, typename F>
void map_softmax_grad(EvalContext& c, Term term, F f) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto grad = c.read<double>("grad"), result = c.read<double>("result");
    auto dx = c.write<T>();
    const Dims& dims = c.dims("grad");
    const AxisView view = AxisView::along(dims, c.integer("axis"));
    for (int64_t o = 0; o < view.outer; ++o) {
      for (int64_t i = 0; i < view.inner; ++i) {
        double sum = 0;
        for (int64_t k = 0; k < view.size; ++k)
          sum += term(grad[view.at(o, k, i)], result[view.at(o, k, i)]);
        for (int64_t k = 0; k < view.size; ++k) {
          const int64_t at = view.at(o, k, i);
          dx[at] = static_cast<T>(f(grad[at], result[at], sum));
        }
      }
    }
  });
}

// The axis is one of `grad`, which has the shape of the result.
inline bool check_softmax_grad(Solver& s) {
  const Datum* axis = s.value("axis");
  std::vector<Dim> dims;
  return axis && s.shape("grad", dims) && axis_set(s, *axis, dims.size());
}

}  // namespace mithril
