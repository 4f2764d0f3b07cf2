// slice: a range of indices along each axis.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/slice_ports.hpp"
#include "mithril/ops/support/slice_spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
OpDef define_slice() {
  return {
      .name = "slice",
      .doc =
          "input[start:stop:step] along each of `axes`, by Python's rules. None stands for an "
          "omitted bound; axes=None means the leading axes. A size that depends on whether the "
          "slice reaches past the end, such as that of [1:], stays unknown until this can be "
          "decided.",
      .inputs = {{"input", "*s", "T=any"},
                 value("starts", "tuple"),
                 value("stops", "tuple"),
                 value("steps", "tuple|none", Datum()),
                 value("axes", "tuple|none", Datum())},
      .outputs = {{"output", "*o", "T"}},
      .solve = [](Solver& s) { return solve_sliced(s, "input", "output"); },
      .eval =
          [](EvalContext& c) {
            const SliceWalk walk(c, c.dims("input"));
            if (walk.counts != c.out().dims()) {
              reject(c, "the slices have other sizes than were inferred", to_string(c.out().dims()),
                     to_string(walk.counts));
            }
            copy_strided(c, walk.steps, walk.start);
          },
      .grad =
          [](GradContext& g) {
            g.flow("input",
                   call("slice_grad", {g.out_grad(), g.in("input"), g.value("starts"),
                                       g.value("stops"), g.value("steps"), g.value("axes")}));
          },
      .batch = [](BatchContext& c) { batch_sliced(c, {"input"}, c.rank("input")); },
      .samples = samples_of_slice,
      .linear = {"input"},
      .spell = {{"jax", "{input}[slices({input.ndim}, {starts}, {stops}, {steps}, {axes})]"},
                {"onnx", "slice(input, starts, stops, steps, axes)"},
                {"torch", "one aten::slice for each axis", spell_slice},
                {"cpu", "slice(input, starts, stops, steps, axes)"}},
  };
}

}  // namespace mithril
