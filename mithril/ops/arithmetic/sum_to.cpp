// Undoes broadcasting in gradients. It is decided when sizes are known, so dims may be symbolic and
// the rank may be unknown.
#include <vector>

#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

namespace {

void samples_of_sum_to(SampleContext& c) {
  const SampleAxis at = c.in("input");
  if (!at.is_each()) return c.put_all({});  // only `like` carries samples
  const size_t added = c.dims("input").size() - c.out().size();
  if (at.axis < added || c.out()[at.axis - added] != c.dims("input")[at.axis]) return c.add_up();
  c.put(SampleAxis::along(at.axis - added, at.outer));
}

void batch_sum_to(BatchContext& c) {
  const Expression summed = call("sum_to", {c.batched("input"), c.padded("like", c.rank("input"))});
  c.become(c.rank("like") == c.rank("input") ? summed : c.reshaped(summed, c.out_dims()));
}

}  // namespace

OpDef define_sum_to() {
  return {
      .name = "sum_to",
      .doc =
          "Sums the input to the shape of `like`, over the axes along which `like` broadcasts to "
          "the input.",
      .internal = true,
      .inputs = {{"input", "*s", "T=number"}, {"like", "*o", "any"}},
      .outputs = {{"output", "*o", "T"}},
      .shape_constraints = {"*s = broadcast(*s, *o)"},
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              using Sum = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
              const auto x = c.read<T>("input");
              std::vector<Sum> sums(static_cast<size_t>(c.out().size()));
              each_broadcast<1>(c.dims("input"), {&c.out().dims()}, [&](int64_t i, auto& at) {
                sums[static_cast<size_t>(at[0])] += static_cast<Sum>(x[i]);
              });
              auto y = c.write<T>();
              for (size_t i = 0; i < sums.size(); ++i) y[i] = static_cast<T>(sums[i]);
            });
          },
      .grad = [](GradContext& g) { g.flow("input", expand_like(g.out_grad(), g.in("input"))); },
      .batch = batch_sum_to,
      .dtype_from = "input",
      .samples = samples_of_sum_to,
      .linear = {"input"},
      .integers = IntegerUse::bits,
      .work = {.reduces = true},
      .spell = {{"jax", "sum_to({input}, {like.shape})"},
                {"onnx", "sum_to(input, like.shape)"},
                {"torch", "aten::sum_to_size(input, like.shape)"},
                {"cpu", "sum_to(input, like)"}},
  };
}

}  // namespace mithril
