// transpose: the axes in another order.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

std::vector<size_t> reversed(size_t rank) {
  std::vector<size_t> order;
  for (size_t i = rank; i-- > 0;) order.push_back(i);
  return order;
}

std::vector<size_t> order_of(const Datum& axes, size_t rank) {
  return axes.is_none() ? reversed(rank) : axis_list(axes, rank);
}

bool solve_transpose(Solver& s) {
  const Datum* axes = s.value("axes");
  if (!axes) return false;
  std::vector<Dim> in, out;
  if (!s.shape("input", in)) {
    if (axes->is_none() && !s.shape("output", out)) return false;
    in = fresh_dims(s, axes->is_none() ? out.size() : items_of(*axes).size());
    s.set_shape("input", in);
    out.clear();
  }
  if (!axes->is_none() && items_of(*axes).size() != in.size()) {
    s.reject("the axes do not fit rank " + std::to_string(in.size()),
             std::to_string(in.size()) + " axes", to_string(*axes));
  }
  const auto order = axes->is_none() ? reversed(in.size()) : axis_list(s, *axes, in.size());
  if (!order) return false;
  for (const size_t axis : *order) out.push_back(in[axis]);
  s.set_shape("output", out);
  return true;
}

std::string spell_transpose(const SpellingContext& c) {
  if (!c.value("axes").is_none()) return "aten::permute(input, axes)";
  Dims reversed;
  for (size_t axis = c.dims("input").size(); axis-- > 0;) {
    reversed.push_back(static_cast<int64_t>(axis));
  }
  return spell_call("aten::permute", {"input", to_string(reversed)});
}

void samples_of_transpose(SampleContext& c) {
  samples_permuted(c, order_of(c.value("axes"), c.out().size()));
}

void batch_transpose(BatchContext& c) {
  Tuple order{Datum(0)};
  for (const size_t axis : order_of(c.value("axes"), c.rank("input")))
    order.push_back(Datum(static_cast<int64_t>(axis) + 1));
  c.become(call("transpose", {c.in("input"), Datum(order)}));
}

}  // namespace

OpDef define_transpose() {
  return {
      .name = "transpose",
      .doc =
          "Permutes the axes: axis i of the output is axis axes[i] of the input. axes=None "
          "reverses them.",
      .inputs = {{"input", "*s", "T=any"}, value("axes", "tuple|int|none", Datum())},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_transpose,
      .eval =
          [](EvalContext& c) {
            const Dims in = strides(c.dims("input"));
            Dims steps;
            for (const size_t axis : order_of(c.value("axes"), in.size()))
              steps.push_back(in[axis]);
            copy_strided(c, steps, 0);
          },
      .grad =
          [](GradContext& g) {
            const Datum& axes = g.value("axes");
            if (axes.is_none()) return g.flow("input", call("transpose", {g.out_grad()}));
            const auto order = axis_list(axes, items_of(axes).size());
            Tuple back(order.size());
            for (size_t i = 0; i < order.size(); ++i) back[order[i]] = static_cast<int64_t>(i);
            g.flow("input", call("transpose", {g.out_grad(), Datum(back)}));
          },
      .batch = batch_transpose,
      .samples = samples_of_transpose,
      .linear = {"input"},
      .spell = {{"jax", "permuted({input}, {axes})"},
                {"onnx", "transpose(input, axes)"},
                {"torch", "aten::permute, reversed where there are no axes", spell_transpose},
                {"cpu", "permute(input, axes)"}},
  };
}

}  // namespace mithril
