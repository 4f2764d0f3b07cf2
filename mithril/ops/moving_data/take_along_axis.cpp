// take_along_axis: an element of each row for each index of that row.
#include "mithril/ops/support/along_axis.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

std::string spell_take_along_axis(const SpellingContext& c) {
  const std::vector<std::string> place = spell_along_axis(c);
  return spell_call("aten::gather", {"input", place[0], place[1]});
}

}  // namespace

OpDef define_take_along_axis() {
  return {
      .name = "take_along_axis",
      .doc =
          "output[i, j] = input[i, index[i, j]] along axis 1, and likewise for other axes and "
          "ranks, as torch.gather. `index` has the rank of `input` and is not longer along the "
          "other axes. Negative indices count from the end. An index out of range is an error.",
      .inputs = {{"input", "*s", "T=any"}, {"index", "*i", "int"}, value("axis", "int", -1)},
      .outputs = {{"output", "*i", "T"}},
      .solve = solve_along_axis,
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input");
              auto y = c.write<T>();
              each_along_axis(c, [&](int64_t i, int64_t at) { y[i] = x[at]; });
            });
          },
      .grad =
          [](GradContext& g) {
            const Expression zeros = call("fill_like", {g.in("input"), 0.0});
            g.flow("input", call("scatter", {zeros, g.in("index"), g.out_grad(), g.value("axis"),
                                             Datum("add")}));
          },
      .batch = batch_beside_axis,
      .dtype_from = "input",
      .samples = samples_beside_axis,
      .linear = {"input"},
      .spell = {{"jax", "take_along_axis({input}, {index}, {axis})"},
                {"onnx", "GatherElements(input, index.raw, axis=axis)"},
                {"torch", "aten::gather of indices counted from the start", spell_take_along_axis}},
  };
}

}  // namespace mithril
