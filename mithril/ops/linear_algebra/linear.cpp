// A linear map of the last axis, with its weight as layers hold it.
#include <algorithm>
#include <vector>

#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// The weight with the outputs side by side, as a row of the result has them.
template <typename Total, typename T>
std::vector<Total> columns_of(const Elements<T>& weight, int64_t outputs, int64_t inputs) {
  std::vector<Total> columns(static_cast<size_t>(weight.size()));
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t i = 0; i < inputs; ++i)
      columns[static_cast<size_t>(i * outputs + o)] = static_cast<Total>(weight[o * inputs + i]);
  return columns;
}

void eval_linear(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    using Total = Accumulator<T>;
    const auto x = c.read<T>("input");
    const int64_t outputs = c.dims("weight")[0], inputs = c.dims("weight")[1];
    const auto columns = columns_of<Total>(c.read<T>("weight"), outputs, inputs);
    std::vector<Total> bias(static_cast<size_t>(outputs)), row;
    if (c.has("bias")) {
      const auto given = c.read<T>("bias");
      std::copy(given.begin(), given.end(), bias.begin());
    }
    auto y = c.write<T>();
    for (int64_t at = 0; at < c.out().size(); at += outputs) {
      row.assign(static_cast<size_t>(outputs), Total{});
      for (int64_t i = 0; i < inputs; ++i) {
        const auto factor = static_cast<Total>(x[at / outputs * inputs + i]);
        const Total* with = columns.data() + i * outputs;
        for (int64_t o = 0; o < outputs; ++o) row[static_cast<size_t>(o)] += factor * with[o];
      }
      for (int64_t o = 0; o < outputs; ++o) {
        const auto k = static_cast<size_t>(o);
        y[at + o] = static_cast<T>(row[k] + bias[k]);
      }
    }
  });
}

// All rows of a batch of matrices as one matrix.
Expression all_rows(const Expression& x) {
  return x.ranked() && x.dims().size() == 2 ? x : call("flatten", {x, 0, -2});
}

void differentiate_linear(GradContext& g) {
  const Expression grad = g.out_grad();
  if (g.needs("input")) flow_summed(g, "input", call("matmul", {grad, g.in("weight")}));
  if (!g.needs("weight") && !g.needs("bias")) return;
  const Expression rows = all_rows(grad);
  if (g.needs("weight")) {
    const Expression columns = call("swapaxes", {rows, -1, -2});
    flow_summed(g, "weight", call("matmul", {columns, all_rows(g.in("input"))}));
  }
  if (g.needs("bias")) flow_summed(g, "bias", call("sum", {rows, 0}));
}

// Rows of the input, outputs of the weight, or terms of the products. A bias is not a term of a
// sum.
void samples_of_linear(SampleContext& c) {
  const SampleAxis x = c.in("input"), weight = c.in("weight"), bias = c.in("bias");
  const size_t last = c.out().size() - 1;
  if (!x.is_each()) {
    const bool bias_fits = c.dims("bias").empty() || bias == weight;
    if (!(weight == SampleAxis::along(0, weight.outer)) || !bias_fits)
      return couple_along(c, weight.axis);
    return c.put(SampleAxis::along(last, weight.outer));
  }
  if (x.axis != last) {
    if (weight.is_each() || bias.is_each()) return c.couple("two axes that hold the samples meet");
    return c.put(x);
  }
  const bool terms = weight == SampleAxis::along(1, x.outer) && c.dims("bias").empty();
  return terms ? c.add_up() : couple_along(c, last);
}

// One matrix for each index of the new axis: a batch of matrix products.
void batch_linear(BatchContext& c) {
  const size_t rank = c.out_dims().size();
  const bool many_biases = c.has("bias") && c.is_batched("bias");
  if (!c.is_batched("weight")) {
    const Operand bias = many_biases ? Operand(Datum()) : c.operand("bias");
    const Expression y = call("linear", {c.in("input"), c.in("weight"), bias});
    if (!many_biases) return c.become(y);
    return c.become(y + c.padded("bias", rank));
  }
  const Expression matrices = call("swapaxes", {c.padded("weight", rank), -1, -2});
  const Expression y = call("matmul", {c.in("input"), matrices});
  if (!c.has("bias")) return c.become(y);
  c.become(y + (many_biases ? c.padded("bias", rank) : c.in("bias")));
}

}  // namespace

OpDef define_linear() {
  return {
      .name = "linear",
      .doc = "input @ weight.T + bias, over the last axis of the input.",
      .inputs = {{"input", "*n M I", "number"},
                 {"weight", "O I", "float"},
                 optional("bias", "O", "float")},
      .outputs = {{"output", "*n M O", "float"}},
      .eval = eval_linear,
      .grad = differentiate_linear,
      .batch = batch_linear,
      .samples = samples_of_linear,
      .cast = CastPolicy::lower,
      .spell = {{"jax",
                 "bias == None ? jnp.matmul({input}, {weight}.T) : jnp.matmul({input}, {weight}.T) "
                 "+ {bias}"},
                {"onnx", "linear(input, weight, bias)"},
                {"torch", "aten::linear(input, weight, bias)"},
                {"cpu", "gemm(input, transposed(weight), bias)"}},
  };
}

}  // namespace mithril
