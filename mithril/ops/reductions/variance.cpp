// The variance of elements.
#include <algorithm>
#include <utility>

#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_variance(EvalContext& c) {
  const auto x = c.read<double>("input");
  const std::vector<double> mean = means(c, x);
  std::vector<double> squares(mean.size());
  each_reduced(c.dims("input"), c.value("axis"), [&](int64_t from, int64_t to) {
    const double distance = x[from] - mean[static_cast<size_t>(to)];
    squares[static_cast<size_t>(to)] += distance * distance;
  });
  const auto count = static_cast<double>(reduced_count(c.dims("input"), c.value("axis")));
  const double divisor = std::max(count - c.real("correction"), 0.0);
  c.typed([&](auto zero) {
    using T = decltype(zero);
    std::transform(squares.begin(), squares.end(), c.write<T>(),
                   [&](double sum) { return static_cast<T>(sum / divisor); });
  });
}

// 2 (x - mean) / (n - correction)
void differentiate_variance(GradContext& g) {
  const Expression x = g.in("input");
  const Expression mean = call("mean", {x, g.value("axis"), g.value("keepdim")});
  const Expression slope = call("expand_reduced", {g.out_grad(), x, g.value("axis"),
                                                   g.value("keepdim"), g.value("correction")});
  g.flow("input", slope * (x - expand_reduced(g, mean, x)) * 2.0);
}

// On CPUs torch's own kernel takes ten times as long as these four ops. It is used where their
// intermediate results would lose precision.
std::string spell_variance(const SpellingContext& c) {
  const auto count = static_cast<double>(reduced_count(c.dims("input"), c.value("axis")));
  const double correction = c.value("correction").real();
  const std::string own = "aten::var(input, axis, correction=correction, keepdim=keepdim)";
  if (c.value("axis").kind() == kind::tuple && c.value("axis").tuple().empty())
    return "unsupported";
  if (count <= correction) return own;
  const std::string squares = "aten::square(aten::sub(input, aten::mean(input, axis, True)))";
  const std::string sum = spell_call("aten::sum", {squares, "axis", "keepdim"});
  const std::string composed = spell_call("aten::div", {sum, spell_real(count - correction)});
  return "output.dtype_name == \"float32\" ? " + composed +
         " : output.dtype_name == \"float64\" ? " + composed + " : " + own;
}

}  // namespace

OpDef define_variance() {
  std::vector<PortDef> inputs = reduction_inputs("any");
  inputs.push_back(value("correction", "float|int", Datum(0.0)));
  return {
      .name = "variance",
      .doc =
          "The variance along an axis, several axes, or all of them (None): sum((x - mean)**2) / "
          "max(n - correction, 0).",
      .inputs = std::move(inputs),
      .outputs = {{"output", "*o", "float"}},
      .solve = [](Solver& s) { return solve_reduction(s); },
      .eval = eval_variance,
      .grad = differentiate_variance,
      .batch = batch_beside_axis,
      .samples = samples_of_reduction,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "variance({input}, {axis}, {keepdim}, {correction})"},
                {"onnx", "variance(input, axis, keepdim, correction)"},
                {"torch", "the mean of squares, or aten::var", spell_variance},
                {"rows",
                 "total = sum({input}); mean = {total} / {width}; "
                 "squares = sum(({input} - {mean}) * ({input} - {mean})); "
                 "output = {squares} / max({width} - {correction}, 0)"}},
  };
}

}  // namespace mithril
