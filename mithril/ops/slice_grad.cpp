// slice_grad: what slice took, put back where it came from.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/slicing.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_slice_grad() {
  return {
      .name = "slice_grad",
      .doc =
          "Zeros in the shape of `like`, with `input` where `slice` takes its elements: the "
          "gradient of slice.",
      .inputs = {{"input", "*g", "T=any"},
                 {"like", "*s", "any"},
                 value("starts", "tuple"),
                 value("stops", "tuple"),
                 value("steps", "tuple|none", Datum())},
      .outputs = {{"output", "*s", "T"}},
      .eval =
          [](EvalContext& c) {
            const Dims &in = c.dims("input"), &out = c.out().dims();
            const auto slices = slices_of(c.value("starts"), c.value("stops"), c.value("steps"));
            Dims steps = strides(out);
            int64_t start = 0;
            for (size_t i = 0; i < out.size(); ++i) {
              const ItemRange range = range_of(slices[i], out[i]);
              if (range.count != in[i]) {
                reject("the input does not fit the slices",
                       std::to_string(range.count) + " in dim " + std::to_string(i), to_string(in));
              }
              start += range.start * steps[i];
              steps[i] *= range.step;
            }
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input");
              T* y = c.write<T>();
              each_strided(in, steps, start, [&](int64_t i, int64_t at) { y[at] = x[i]; });
            });
          },
      .grad =
          [](GradContext& g) {
            g.flow("input", call("slice", {g.out_grad(), g.value("starts"), g.value("stops"),
                                           g.value("steps")}));
          },
      .operations = no_arithmetic,
      .spell = {{"torch",
                 "unsupported: one aten::slice an axis, and aten::flip for negative steps"},
                {"c", "unsupported: a loop nest"}},
  };
}

}  // namespace mithril
