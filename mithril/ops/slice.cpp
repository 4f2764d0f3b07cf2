// slice: a range of indices along each axis.
#include "mithril/ops/support/slicing.hpp"

#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_slice(Solver& s) {
  const Datum *starts = s.value("starts"), *stops = s.value("stops"), *steps = s.value("steps");
  if (!starts || !stops || !steps) return false;
  const size_t rank = starts->tuple().size();
  if (stops->tuple().size() != rank || (!steps->is_none() && steps->tuple().size() != rank)) {
    s.reject("starts, stops and steps differ in length", std::to_string(rank) + " items in each",
             to_string(*stops) + " and " + to_string(*steps));
  }
  std::vector<Dim> in, out = fresh_dims(s, rank);
  if (!s.shape("input", in)) {
    in = fresh_dims(s, rank);
    s.set_shape("input", in);
  }
  if (in.size() != rank) {
    s.reject("the slices do not fit rank " + std::to_string(in.size()),
             std::to_string(in.size()) + " items", to_string(*starts));
  }
  s.set_shape("output", out);
  const std::vector<Slice> slices = slices_of(*starts, *stops, *steps);
  bool done = true;
  for (size_t i = 0; i < rank; ++i) done = solve_slice_count(s, slices[i], in[i], out[i]) && done;
  return done;
}

}  // namespace

OpDef define_slice() {
  return {
      .name = "slice",
      .doc =
          "The elements whose index along each axis lies in start, start + step, ... before stop, "
          "by Python's rules; "
          "one item an axis, None where the bound is left out. A size that depends on whether the "
          "slice reaches "
          "past the end (1: of n) stays open until that can be told.",
      .inputs = {{"input", "*s", "T=any"},
                 value("starts", "tuple"),
                 value("stops", "tuple"),
                 value("steps", "tuple|none", Datum())},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_slice,
      .eval =
          [](EvalContext& c) {
            const Dims &in = c.dims("input"), &out = c.out().dims();
            const auto slices = slices_of(c.value("starts"), c.value("stops"), c.value("steps"));
            Dims steps = strides(in);
            int64_t start = 0;
            for (size_t i = 0; i < in.size(); ++i) {
              const ItemRange range = range_of(slices[i], in[i]);
              if (range.count != out[i]) {
                reject("a slice has another size than was inferred", to_string(out),
                       std::to_string(range.count) + " in dim " + std::to_string(i));
              }
              start += range.start * steps[i];
              steps[i] *= range.step;
            }
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input");
              T* y = c.write<T>();
              each_strided(out, steps, start, [&](int64_t i, int64_t at) { y[i] = x[at]; });
            });
          },
      .grad =
          [](GradContext& g) {
            g.flow("input", call("slice_grad", {g.out_grad(), g.in("input"), g.value("starts"),
                                                g.value("stops"), g.value("steps")}));
          },
      .operations = no_arithmetic,
      .spell = {{"torch",
                 "unsupported: one aten::slice an axis, and aten::flip for negative steps"},
                {"c", "unsupported: a loop nest"}},
  };
}

}  // namespace mithril
