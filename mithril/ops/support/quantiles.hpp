// Shared by quantile and nanquantile: ports, shapes, and interpolation between sorted elements, as
// torch computes them.
#pragma once
#include <string>
#include <vector>

#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

inline std::vector<PortDef> quantile_inputs() {
  return {{"input", "*s", "float"},
          {"q", "*q", "float|value float|int|tuple"},
          value("axis", "int|none", Datum()),
          value("keepdim", "bool", false),
          word("interpolation", {"linear", "lower", "higher", "midpoint", "nearest"})};
}

// The dims of "q"; false: not known yet.
inline bool quantile_dims(Solver& s, std::vector<Dim>& dims) {
  const Kinds form = s.form("q");
  if (!form) return false;
  if (form != kind::value) {
    if (!s.shape("q", dims)) return false;
    if (dims.size() != 1)
      s.reject("q is not a list", "rank 1", "rank " + std::to_string(dims.size()),
               ErrorKind::shape);
    return true;
  }
  const Datum* q = s.value("q");
  if (!q) return false;
  for (const Datum& each : items_of(*q)) {
    if (!(each.kind() & kind::number) || each.real() < 0 || each.real() > 1)
      s.reject("a quantile is out of range", "0 to 1", to_string(*q));
  }
  if (q->kind() == kind::tuple) dims.emplace_back(static_cast<int64_t>(q->tuple().size()));
  return true;
}

// The dims of q before those of the reduced input.
inline bool solve_quantile(Solver& s) {
  const Datum *axis = s.value("axis"), *keepdim = s.value("keepdim");
  std::vector<Dim> dims, in;
  if (!quantile_dims(s, dims) || !axis || !keepdim || !s.shape("input", in)) return false;
  const auto reduced = axis_set(s, *axis, in.size());
  if (!reduced) return false;
  if (in.empty() && !axis->is_none()) axis_of(s, 0, 0);  // refused, as for sort
  Dim count = 1;
  for (size_t i = 0; i < in.size(); ++i) {
    if ((*reduced)[i]) count = count * in[i];
    if (!(*reduced)[i]) dims.push_back(in[i]);
    if ((*reduced)[i] && keepdim->flag()) dims.emplace_back(1);
  }
  if (resolve(count).is_constant(0)) s.reject("there is no element", "1 or more", "0");
  s.set_shape("output", dims);
  return true;
}

// Quantiles of the elements along the last axis.
class Quantiles {
 public:
  Quantiles(ExpandContext& e, Expression x, bool ignores_nan)
      : x_(std::move(x)),
        mode_(e.value("interpolation").text()),
        order_(call("argsort", {x_, -1})),
        ignores_nan_(ignores_nan) {
    const Expression q =
        e.has("q") ? call("cast", {e.in("q"), Datum(x_.dtype())}) : number(e.value("q"));
    q_ = call("reshape", {q, Datum(Tuple{-1})});
  }

  // [..., number of quantiles]
  Expression run() const {
    const Expression ranks = rounded(places());
    const Expression below = call("floor", {ranks});
    if (mode_ != "linear" && mode_ != "midpoint") return at(below);
    const Expression first = at(below), second = at(ceiling(ranks)), step = second - first;
    if (mode_ == "midpoint") return second - step * 0.5;
    const Expression weight = ranks - below;
    return call("where", {call("less", {weight, 0.5}), first + weight * step,
                          second - step * (1.0 - weight)});
  }

 private:
  Expression number(const Datum& of) const {
    return call_in(x_, "to_tensor", {of, Datum(x_.dtype())});
  }
  static Expression ceiling(const Expression& x) { return -call("floor", {-x}); }

  Expression rounded(const Expression& ranks) const {
    if (mode_ == "lower") return call("floor", {ranks});
    if (mode_ == "higher") return ceiling(ranks);
    return mode_ == "nearest" ? call("round", {ranks}) : ranks;
  }

  // Between 0 and the last index. A NaN, which is sorted to the end, is the quantile of its row.
  // A quantile that is out of range has a place that is out of range, too.
  Expression places() const {
    const Expression last = x_.ranked()
                                ? number(Datum(x_.dims().back() - Dim(1)))
                                : call("sum", {call("fill_like", {x_, 1.0}), -1, true}) - 1.0;
    const Expression is_in_range =
        call("logical_and", {call("greater_equal", {q_, 0.0}), call("less_equal", {q_, 1.0})});
    const Expression is_nan = call("is_nan", {x_});
    Expression ranks = q_;
    if (ignores_nan_) {
      const Expression numbers = call("cast", {call("logical_not", {is_nan}), Datum(x_.dtype())});
      const Expression top = call("sum", {numbers, -1, true}) - 1.0;
      ranks = call("maximum", {top * q_, 0.0});
    } else {
      const Expression has_nan = call("max", {is_nan, -1, true});
      ranks = call("where", {has_nan, last, q_ * last});
    }
    return call("where", {is_in_range, ranks, last + 1.0});
  }

  Expression at(const Expression& place) const {
    const Expression index = call("cast", {place, Datum(DType::int64)});
    return call("take_along_axis", {x_, call("take_along_axis", {order_, index, -1}), -1});
  }

  const Expression x_;
  const std::string mode_;
  const Expression order_;
  const bool ignores_nan_;
  Expression q_;
};

// [..., number of quantiles] with the quantiles first, and an axis of size 1 at the end.
inline Expression quantiles_first(const Expression& found) {
  return call("swapaxes", {call("expand_dims", {found, 0}), 0, -1});
}

// The quantiles of all elements. With keepdim, adding zeros gives the axes of the input.
inline Expression quantiles_of_all(ExpandContext& e, bool ignores_nan) {
  const Expression x = e.in("input");
  Expression found = Quantiles(e, call("reshape", {x, Datum(Tuple{-1})}), ignores_nan).run();
  if (e.value("keepdim").flag()) {
    const Expression zero = call("sum", {call("fill_like", {x, 0.0}), Datum(), true});
    found = call("expand_dims", {zero, -1}) + found;
  }
  return call("squeeze", {quantiles_first(found), -1});
}

inline Expression quantiles_along(ExpandContext& e, int64_t axis, bool ignores_nan) {
  const Expression rows = call("swapaxes", {e.in("input"), Datum(axis), -1});
  const Expression found = quantiles_first(Quantiles(e, rows, ignores_nan).run());
  const Datum at = axis < 0 ? axis : axis + 1;
  const Expression kept = call("swapaxes", {found, at, -1});
  return e.value("keepdim").flag() ? kept : call("squeeze", {kept, at});
}

inline void expand_quantile(ExpandContext& e, bool ignores_nan) {
  const Datum& axis = e.value("axis");
  const Expression found = axis.is_none() ? quantiles_of_all(e, ignores_nan)
                                          : quantiles_along(e, axis.integer(), ignores_nan);
  const bool is_list = e.has("q") || e.value("q").kind() == kind::tuple;
  e.become(is_list ? found : call("squeeze", {found, 0}));
}

}  // namespace mithril
