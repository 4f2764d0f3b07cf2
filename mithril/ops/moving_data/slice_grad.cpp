// slice_grad: the gradient of slice.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/slice_ports.hpp"
#include "mithril/ops/support/slice_spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_slice_grad() {
  return {
      .name = "slice_grad",
      .doc =
          "The gradient of slice: zeros in the shape of `like`, with `input` at the places from "
          "which `slice` takes its elements.",
      .internal = true,
      .inputs = {{"input", "*g", "T=any"},
                 {"like", "*s", "any"},
                 value("starts", "tuple"),
                 value("stops", "tuple"),
                 value("steps", "tuple|none", Datum()),
                 value("axes", "tuple|none", Datum())},
      .outputs = {{"output", "*s", "T"}},
      .solve = [](Solver& s) { return solve_sliced(s, "like", "input"); },
      .eval =
          [](EvalContext& c) {
            const SliceWalk walk(c, c.out().dims());
            if (walk.counts != c.dims("input")) {
              reject(c, "the input does not fit the slices", to_string(walk.counts),
                     to_string(c.dims("input")));
            }
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input");
              auto y = c.write<T>();
              each_strided(walk.counts, walk.steps, walk.start,
                           [&](int64_t i, int64_t at) { y[at] = x[i]; });
            });
          },
      .grad =
          [](GradContext& g) {
            g.flow("input", call("slice", {g.out_grad(), g.value("starts"), g.value("stops"),
                                           g.value("steps"), g.value("axes")}));
          },
      .batch =
          [](BatchContext& c) {
            batch_sliced(c, {"input", "like"}, c.rank("like"));
          },
      .samples = samples_of_slice,
      .linear = {"input"},
      .spell = {{"jax", "slice_grad({input}, {like.shape}, {starts}, {stops}, {steps}, {axes})"},
                {"onnx", "slice_grad(input, like.shape, starts, stops, steps, axes)"},
                {"torch", "one aten::slice_backward for each axis", spell_slice_grad},
                {"cpu", "slice_grad(input, like, starts, stops, steps, axes)"}},
  };
}

}  // namespace mithril
