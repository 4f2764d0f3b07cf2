// expand_reduced: broadcasts the result of a reduction to the shape of its input, for the gradient
// of a sum, a mean, a variance.
#include <algorithm>

#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// 1 over the number of elements that one was reduced from, less the correction.
double scale_of(EvalContext& c) {
  const auto count = static_cast<double>(reduced_count(c.dims("like"), c.value("axis")));
  return 1 / std::max(count - c.real("correction"), 0.0);
}

std::string spell_expand_reduced(const SpellingContext& c) {
  Dims kept = c.dims("like");
  const std::vector<bool> reduced = axis_set(c.value("axis"), kept.size());
  int64_t count = 1;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (reduced[i]) count *= std::exchange(kept[i], 1);
  }
  const std::string whole =
      spell_call("aten::expand", {spell_reshape("input", kept), to_string(c.out())});
  if (c.value("correction").is_none()) return whole;
  const double divisor = std::max(static_cast<double>(count) - c.value("correction").real(), 0.0);
  return spell_call("aten::div", {whole, spell_real(divisor)});
}

void samples_expanded_again(SampleContext& c) {
  const SampleAxis at = c.in("input");
  const std::vector<bool> reduced = axis_set(c.value("axis"), c.out().size());
  for (size_t axis = 0; axis < reduced.size() && !at.is_each(); ++axis) {
    if (!reduced[axis]) continue;
    for (const SampleAxis& alike : alike_along(axis, c.out()[axis], c.batch())) c.offer(alike);
  }
  if (!at.is_each()) return c.put_all({});  // only `like` carries samples
  const bool keepdim = c.value("keepdim").flag();
  size_t axis = 0;
  for (size_t kept = 0; axis < reduced.size(); ++axis) {
    if ((keepdim || !reduced[axis]) && kept++ == at.axis) break;
  }
  if (reduced[axis]) return couple_along(c, axis);
  c.put(SampleAxis::along(axis, at.outer));
}

void batch_expand_reduced(BatchContext& c) {
  const size_t rank = c.rank("like");
  // Axis 0 of a scalar is not an axis.
  const Datum axis = rank == 0 ? Datum(Tuple()) : batched_axis(c.value("axis"), rank);
  c.become(call("expand_reduced", {c.batched("input"), c.batched("like"), axis, c.value("keepdim"),
                                   c.value("correction")}));
}

}  // namespace

OpDef define_expand_reduced() {
  return {
      .name = "expand_reduced",
      .doc =
          "Broadcasts the result of a reduction of `like` along the reduced axes, to the shape of "
          "`like`. With a correction, it is divided by the number of reduced elements minus the "
          "correction.",
      .internal = true,
      .inputs = {{"input", "*o", "T=any"},
                 {"like", "*s", "any"},
                 value("axis", "int|tuple|none", Datum()),
                 value("keepdim", "bool", Datum(false)),
                 value("correction", "float|int|none", Datum())},
      .outputs = {{"output", "*s", "T"}},
      .solve = [](Solver& s) { return solve_reduction(s, "like", "input"); },
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input");
              auto y = c.write<T>();
              const bool scaled = !c.value("correction").is_none();
              const double scale = scaled ? scale_of(c) : 1;
              each_reduced(c.dims("like"), c.value("axis"), [&](int64_t to, int64_t from) {
                y[to] = scaled ? static_cast<T>(static_cast<double>(x[from]) * scale) : x[from];
              });
            });
          },
      .grad =
          [](GradContext& g) {
            const Expression one = fill_like(g.in("input"), 1.0);
            const Expression scale = call(
                "expand_reduced",
                {one, g.in("like"), g.value("axis"), g.value("keepdim"), g.value("correction")});
            const bool scaled = !g.value("correction").is_none();
            const Expression grad = scaled ? g.out_grad() * scale : g.out_grad();
            g.flow("input", call("sum", {grad, g.value("axis"), g.value("keepdim")}));
          },
      .batch = batch_expand_reduced,
      .samples = samples_expanded_again,
      .linear = {"input"},
      .spell = {{"jax", "expand_reduced({input}, {like.shape}, {axis}, {correction})"},
                {"onnx", "expand_reduced(input, like.shape, axis, correction)"},
                {"torch", "aten::expand after the reduced axes are back", spell_expand_reduced}},
  };
}

}  // namespace mithril
