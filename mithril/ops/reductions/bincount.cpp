// The number of elements with each value.
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_bincount(Solver& s) {
  const Datum* bins = s.value("minlength");
  if (bins && dims_of(s, *bins).front().is_constant(0))
    s.reject("the size of the output would depend on the elements",
             "minlength=n, where n is larger than each element", "minlength=0");
  if (bins) s.set("bins", dims_of(s, *bins).front());
  const Kinds weights = s.kind("weights");
  if (weights == kind::none) {
    s.narrow("output", kind::int_tensor);
  } else if (weights) {
    s.narrow("output", weights);
  }
  return bins && weights;
}

void expand_bincount(ExpandContext& e) {
  const Expression x = e.in("input");
  const Dim bins = e.value("minlength").dim();
  const Expression amounts = e.has("weights") ? e.in("weights") : call("fill_like", {x, 1});
  const Expression zeros = call_in(x, "zeros", {Datum::dims({bins}), Datum(amounts.dtype())});
  // Negative elements would count from the end: they are moved below all bins.
  const Expression size = call_in(x, "to_tensor", {Datum(bins), Datum(x.dtype())});
  const Expression places = call("where", {call("less", {x, 0}), x - size, x});
  e.become(call("scatter_add", {amounts, places, zeros, Datum(0)}));
}

}  // namespace

OpDef define_bincount() {
  return {
      .name = "bincount",
      .doc =
          "output[v] is the number of elements of `input` that equal v, or the sum of their "
          "`weights`. `minlength` is the size of the output, since sizes are known before the "
          "graph runs. An element that is negative or not below `minlength` is an error.",
      .inputs = {{"input", "N", "int"},
                 value("minlength", "int"),
                 optional("weights", "N", "number")},
      .outputs = {{"output", "bins", "number"}},
      .solve = solve_bincount,
      .expand = expand_bincount,
      .dtype_from = "weights",
  };
}

}  // namespace mithril
