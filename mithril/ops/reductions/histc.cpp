// A histogram.
#include <cmath>
#include <limits>

#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_histc(Solver& s) {
  const Datum *bins = s.value("bins"), *low = s.value("min"), *high = s.value("max");
  if (!bins || !low || !high) return false;
  const Dim count = dims_of(s, *bins).front();
  if (count.is_constant(0)) s.reject("there are no bins", "1 or more", "0");
  if (!(low->real() <= high->real()) || !std::isfinite(high->real() - low->real()))
    s.reject("the range is not a range", "min <= max, finite",
             to_string(*low) + " to " + to_string(*high));
  s.set("count", count);
  return true;
}

struct Range {
  Operand low, high;
  Expression width;
};

// The range of the ports, or of the elements if it is empty. With infinities beside them, there is
// always an element.
Range range_of(ExpandContext& e, const Expression& x) {
  const double low = e.value("min").real(), high = e.value("max").real();
  const auto number = [&](const Datum& of) {
    return call_in(x, "to_tensor", {of, Datum(x.dtype())});
  };
  if (low < high) return {number(low), number(high), number(high) - number(low)};
  const auto with = [&](double infinity) {
    return call("concat", {x, number(Tuple{infinity}), Datum(0)});
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const Expression least = call("min", {with(infinity)}), most = call("max", {with(-infinity)});
  const Expression is_point = call("equal", {least, most});
  const Expression from = call("where", {is_point, least - 1.0, least});
  const Expression to = call("where", {is_point, most + 1.0, most});
  return {from, to, to - from};
}

void expand_histc(ExpandContext& e) {
  const Expression x = call("stop_gradient", {call("reshape", {e.in("input"), Datum(Tuple{-1})})});
  const Dim bins = e.value("bins").dim();
  const Range range = range_of(e, x);
  const Expression count = call_in(x, "to_tensor", {Datum(bins), Datum(x.dtype())});
  const Expression is_inside = call(
      "logical_and", {call("greater_equal", {x, range.low}), call("less_equal", {x, range.high})});
  const Expression offset = call("where", {is_inside, x - range.low, 0.0});
  const Expression place =
      call("minimum", {call("floor", {offset * count / range.width}), count - 1.0});
  // Elements outside of the range go to one more bin. If the range of the elements is not finite,
  // they have no place: the index after that bin is an error.
  const double infinity = std::numeric_limits<double>::infinity();
  const Expression found = call("where", {is_inside, place, count});
  const Expression is_finite = call("less", {range.width, infinity});
  const Expression index =
      call("cast", {call("where", {is_finite, found, count + 1.0}), Datum(DType::int64)});
  const Expression zeros = call_in(x, "zeros", {Datum::dims({bins + 1}), Datum(x.dtype())});
  const Expression all = call("scatter_add", {call("fill_like", {x, 1.0}), index, zeros, Datum(0)});
  e.become(call("slice", {all, Datum::ints({0}), Datum(Tuple{Datum(bins)})}));
}

}  // namespace

OpDef define_histc() {
  return {
      .name = "histc",
      .doc =
          "The number of elements in each of `bins` intervals of equal width from `min` to `max`, "
          "as floats, as torch.histc. The last interval includes `max`; elements outside of the "
          "range and NaN do not count. If min equals max, the range is from the smallest to the "
          "largest element, which must be finite. The gradient is 0.",
      .inputs = {{"input", "*s", "float"},
                 value("bins", "int", 100),
                 value("min", "float|int", 0.0),
                 value("max", "float|int", 0.0)},
      .outputs = {{"output", "count", "float"}},
      .solve = solve_histc,
      .expand = expand_histc,
  };
}

}  // namespace mithril
