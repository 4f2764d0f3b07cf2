// einsum as a graph: products of matrices where the ranks are known, otherwise sums of products of
// elements.
#pragma once
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/ops/support/expanding.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/subscripts.hpp"

namespace mithril {

// The axes of a tensor: a letter, or 256 and the place in the ellipsis.
using NamedAxes = std::vector<int>;

inline bool has_axis(const NamedAxes& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

template <typename Items>
Items appended(Items a, const Items& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

template <typename Condition>
NamedAxes axes_that(const NamedAxes& axes, Condition holds) {
  NamedAxes result;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(result), holds);
  return result;
}

// A tensor, and the names of its axes. Where its rank is not known the ellipsis has no names, and
// the axes are the last ones.
struct Factor {
  Expression x;
  NamedAxes axes;

  size_t place(int axis) const {
    return static_cast<size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
  }
  int from_end(size_t place) const {
    return static_cast<int>(place) - static_cast<int>(axes.size());
  }
  std::vector<Dim> sizes(const NamedAxes& of) const {
    std::vector<Dim> dims;
    for (const int axis : of) dims.push_back(x.dims()[place(axis)]);
    return dims;
  }
};

inline NamedAxes named_axes(const Subscripts& subscripts, size_t dots) {
  NamedAxes axes(subscripts.before.begin(), subscripts.before.end());
  for (size_t i = 0; subscripts.has_dots && i < dots; ++i)
    axes.push_back(256 + static_cast<int>(i));
  axes.insert(axes.end(), subscripts.after.begin(), subscripts.after.end());
  return axes;
}

// The axes in another order, by exchanges, for which the rank need not be known.
inline Factor in_order(Factor factor, const NamedAxes& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t from = factor.place(order[i]);
    if (from == i) continue;
    factor.x = call("swapaxes", {factor.x, factor.from_end(i), factor.from_end(from)});
    std::swap(factor.axes[i], factor.axes[from]);
  }
  return factor;
}

// The same by one transpose.
inline Factor permuted(const Factor& factor, const NamedAxes& order) {
  if (factor.axes == order) return factor;
  Tuple axes;
  for (const int axis : order) axes.push_back(static_cast<int64_t>(factor.place(axis)));
  return {call("transpose", {factor.x, Datum(axes)}), order};
}

// Sums over the axes that are not kept.
inline Factor summed_to(const Factor& factor, const NamedAxes& kept) {
  Tuple gone;
  for (size_t i = 0; i < factor.axes.size(); ++i) {
    if (!has_axis(kept, factor.axes[i])) gone.push_back(factor.from_end(i));
  }
  if (gone.empty()) return factor;
  return {call("sum", {factor.x, Datum(gone)}),
          axes_that(factor.axes, [&](int axis) { return has_axis(kept, axis); })};
}

// An axis that occurs twice becomes the diagonal of both: the sums of the rows of a matrix without
// its upper and its lower triangle.
inline Factor diagonal_of(Factor factor) {
  const auto repeated = [&]() -> std::optional<std::pair<size_t, size_t>> {
    for (size_t i = 0; i < factor.axes.size(); ++i) {
      for (size_t j = i + 1; j < factor.axes.size(); ++j) {
        if (factor.axes[i] == factor.axes[j]) return std::pair(i, j);
      }
    }
    return std::nullopt;
  };
  while (const auto places = repeated()) {
    const int axis = factor.axes[places->first], twin = -axis;
    factor.axes[places->second] = twin;
    NamedAxes order =
        axes_that(factor.axes, [&](int each) { return each != axis && each != twin; });
    order.insert(order.end(), {axis, twin});
    factor = in_order(std::move(factor), order);
    const auto turned = [](const Expression& x) { return call("swapaxes", {x, -1, -2}); };
    const Expression lower = turned(call("tril", {factor.x}));
    factor.x = call("sum", {call("tril", {lower}), -1});
    factor.axes.pop_back();
  }
  return factor;
}

// [batch..., rows, columns] of [batch..., axes of rows..., axes of columns...].
inline Expression as_matrices(const Factor& factor, const NamedAxes& batch, const NamedAxes& rows,
                              const NamedAxes& columns) {
  const Expression x = permuted(factor, appended(appended(batch, rows), columns)).x;
  if (rows.size() == 1 && columns.size() == 1) return x;
  std::vector<Dim> dims = factor.sizes(batch);
  dims.push_back(product(factor.sizes(rows)));
  dims.push_back(product(factor.sizes(columns)));
  return reshaped(x, dims);
}

// The product of both, without the axes that only they have.
inline Factor contracted(Factor left, Factor right, const NamedAxes& later) {
  left = summed_to(left, appended(right.axes, later));
  right = summed_to(right, appended(left.axes, later));
  const auto is_shared = [&](int axis) {
    return has_axis(left.axes, axis) && has_axis(right.axes, axis);
  };
  const NamedAxes shared = axes_that(left.axes, is_shared);
  const NamedAxes batch = axes_that(shared, [&](int axis) { return has_axis(later, axis); });
  const NamedAxes gone = axes_that(shared, [&](int axis) { return !has_axis(later, axis); });
  const NamedAxes rows = axes_that(left.axes, [&](int axis) { return !is_shared(axis); });
  const NamedAxes columns = axes_that(right.axes, [&](int axis) { return !is_shared(axis); });
  const NamedAxes front = appended(batch, rows), axes = appended(front, columns);
  const std::vector<Dim> front_dims = left.sizes(front), back_dims = right.sizes(columns);
  if (gone.empty()) {
    const std::vector<Dim> after(columns.size(), 1), between(rows.size(), 1);
    const Expression a = reshaped(permuted(left, front).x, appended(front_dims, after));
    const Expression b = reshaped(permuted(right, appended(batch, columns)).x,
                                  appended(appended(right.sizes(batch), between), back_dims));
    return {a * b, axes};
  }
  const Expression made = call(
      "matmul", {as_matrices(left, batch, rows, gone), as_matrices(right, batch, gone, columns)});
  if (rows.size() == 1 && columns.size() == 1) return {made, axes};
  return {reshaped(made, appended(front_dims, back_dims)), axes};
}

inline Expression contracted(std::vector<Factor> factors, const NamedAxes& output) {
  Factor result = factors.front();
  for (size_t k = 1; k < factors.size(); ++k) {
    NamedAxes later = output;
    for (size_t i = k + 1; i < factors.size(); ++i) later = appended(later, factors[i].axes);
    result = contracted(result, factors[k], later);
  }
  return permuted(summed_to(result, output), output).x;
}

// The same without ranks: each tensor gets all axes, in one order. `has_dots`: axes without names
// come first; `keeps_dots`: in the output, too.
inline Expression summed_products(const std::vector<Factor>& factors, const NamedAxes& output,
                                  bool has_dots, bool keeps_dots) {
  Factor result{factors.front().x, output};
  for (const Factor& factor : factors) {
    for (const int axis : factor.axes) {
      if (!has_axis(result.axes, axis)) result.axes.push_back(axis);
    }
  }
  bool first = true;
  for (const Factor& factor : factors) {
    const auto is_own = [&](int axis) { return has_axis(factor.axes, axis); };
    Expression x = in_order(factor, axes_that(result.axes, is_own)).x;
    for (size_t i = result.axes.size(); i-- > 0;) {
      if (!is_own(result.axes[i])) x = call("expand_dims", {x, result.from_end(i)});
    }
    result.x = first ? x : result.x * x;
    first = false;
  }
  if (has_dots && !keeps_dots) {  // one more axis, so that there is one
    const Expression more = call("expand_dims", {result.x, 0});
    const int last = -static_cast<int>(result.axes.size()) - 1;
    result.x = call("sum", {call("flatten", {more, 0, last}), 0});
  }
  return summed_to(result, output).x;
}

// Letters alone fix the rank: of a tensor that does not have one yet, a transpose states it.
inline Expression with_rank(const Expression& x, const Subscripts& subscripts) {
  if (x.ranked() || subscripts.has_dots) return x;
  Tuple axes;
  for (size_t i = 0; i < subscripts.before.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  return call("transpose", {x, Datum(axes)});
}

inline void expand_contraction(ExpandContext& e) {
  Equation equation;
  parse_equation(e.value("equation").text(), equation);
  std::vector<Expression> tensors;
  bool is_ranked = true, has_dots = false;
  bool dots_first = !equation.output.has_dots || equation.output.before.empty();
  for (int k = 0; k < e.list_size(); ++k) {
    const Subscripts& each = equation.operands[static_cast<size_t>(k)];
    tensors.push_back(with_rank(e.in("input", k), each));
    is_ranked = is_ranked && tensors.back().ranked();
    has_dots = has_dots || each.has_dots;
    dots_first = dots_first && (!each.has_dots || each.before.empty());
  }
  std::vector<Factor> factors;
  size_t dots = 0;
  for (size_t k = 0; k < tensors.size(); ++k) {
    const Subscripts& each = equation.operands[k];
    if (each.has_dots && (is_ranked || !dots_first))
      dots = ranked_dims(tensors[k], "einsum").size() - each.letters().size();
    factors.push_back(diagonal_of({tensors[k], named_axes(each, dots)}));
  }
  const NamedAxes output = named_axes(equation.output, dots);
  if (is_ranked) return e.become(contracted(std::move(factors), output));
  e.become(summed_products(factors, output, has_dots, equation.output.has_dots));
}

}  // namespace mithril
